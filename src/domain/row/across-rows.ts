import type { RuleId } from '../rule/verdict.js'

/**
 * Whether two records are of one mandate (domain/rulebook.md#same-and-kin). This is the one place that says so: SQL finds
 * candidates by keys that are made here, and what is not decided here is decided nowhere else.
 *
 *   same   creditor and reference are the same, letter case ignored: at most one of them is ever sent
 *   kin    they may be one mandate that is written otherwise: a person, or a rule of the configuration, separates them
 *   other  two mandates
 */
export type Kinship = 'same' | 'kin' | 'other'

/** What a record says of its mandate, as far as it could be read. */
export interface Sighting {
  /** `country|national part|UPPER-CASED UMR` (domain/rulebook.md#mandate-key). */
  readonly mandateKey: string
  readonly customerNo: number | null
  /** Any text that two records share if and only if they have one account; null where it was erased or cannot be read. */
  readonly account: string | null
  /** YYYY-MM-DD. */
  readonly signedDate: string | null
  /** The customer had their data erased, so the account can be compared with none any more. */
  readonly isErased?: boolean
}

const NO_LETTER_OR_DIGIT = /[^\p{L}\p{N}]+/gu
const ZEROS_IN_FRONT = /^0+(?=.)/

/** A reference as every system writes it: letters and digits alone, upper case, without zeros in front of the whole. */
export const foldReference = (reference: string): string =>
  reference.replace(NO_LETTER_OR_DIGIT, '').toUpperCase().replace(ZEROS_IN_FRONT, '')

/** Where the reference of a mandate key begins: behind the country, or `?` for a creditor without one, and the rest of it. */
const referenceAt = (mandateKey: string): number => mandateKey.indexOf('|', mandateKey.indexOf('|') + 1) + 1

const referenceOf = (mandateKey: string): string => mandateKey.slice(referenceAt(mandateKey))

/** Creditors by which one is meant: collections say of some that they are one creditor before and after. */
export type CreditorTies = ReadonlyMap<string, string>
const NO_TIES: CreditorTies = new Map()

/**
 * What two spellings of one mandate share: the creditor, or the one that stands for all that are tied to it, and the folded
 * reference. Null for a reference without letters and digits, which is like no other.
 */
export function spellingOf(mandateKey: string, ties: CreditorTies = NO_TIES): string | null {
  const at = referenceAt(mandateKey)
  const folded = foldReference(referenceOf(mandateKey))
  if (folded === '') return null
  const creditor = mandateKey.slice(0, at - 1)
  return `${ties.get(creditor) ?? creditor}|${folded}`
}

/** The creditor of a mandate key. */
export const creditorOfKey = (mandateKey: string): string => mandateKey.slice(0, referenceAt(mandateKey) - 1)

const isShared = <Value>(one: Value | null, other: Value | null): boolean => one !== null && one === other

/** Whether kin may be two contracts of one customer, signed on one day: neither reference can be the other one, cut short. */
export function areContracts(one: Sighting, other: Sighting): boolean {
  const [own, theirs] = [referenceOf(one.mandateKey), referenceOf(other.mandateKey)]
  const isWithin = (some: string, all: string): boolean =>
    partsOf(some).every((part) => partsOf(all).includes(part))
  return (
    (['customerNo', 'account', 'signedDate'] as const).every((field) => isShared(one[field], other[field])) &&
    foldReference(own) !== foldReference(theirs) &&
    !isWithin(own, theirs) &&
    !isWithin(theirs, own)
  )
}

/** Runs of letters and of digits, these without zeros in front. */
const partsOf = (reference: string): readonly string[] =>
  Array.from(reference.matchAll(/\p{L}+|\p{N}+/gu), ([part]) => part.replace(ZEROS_IN_FRONT, ''))

/**
 * @param areSideBySide both stand in one export as they came, so people have compared them: only the spelling can tie them
 * @param wasMisread the other one was sent as its export is not read any more, so any of its values may be wrong
 */
export function kinshipOf(
  one: Sighting,
  other: Sighting,
  {
    areSideBySide,
    wasMisread = false,
    ties = NO_TIES,
  }: { readonly areSideBySide: boolean; readonly wasMisread?: boolean; readonly ties?: CreditorTies },
): Kinship {
  if (one.mandateKey === other.mandateKey) return 'same'
  const isCustomer = isShared(one.customerNo, other.customerNo)
  const isAccount = isShared(one.account, other.account)
  const isSpelling = isShared(spellingOf(one.mandateKey, ties), spellingOf(other.mandateKey, ties))
  if (isSpelling && (isCustomer || isAccount)) return 'kin'
  const mayBeAccount = isAccount || one.isErased === true || other.isErased === true
  const isDate = isShared(one.signedDate, other.signedDate)
  const isLikely = wasMisread
    ? [isCustomer, isAccount, isDate].filter(Boolean).length > 1
    : isCustomer && mayBeAccount && isDate
  return isLikely && !areSideBySide ? 'kin' : 'other'
}

/**
 * What the exports of one command say of one mandate, beside what the ledger holds of it (domain/rulebook.md#rules-across-rows).
 * Pure: facts in, what becomes of the records out.
 */

/** How the mandate stands before them. */
export type Standing =
  | 'none' // no record of it counts
  | 'sent' // under way, registered, or in doubt
  | 'written_off' // a person closed it
  | 'arrived' // called refused out of a doubt, so its request may have arrived all the same
  | 'corrected' // a person gave it the values that it has
  | 'unreadable' // no record of it could be read
  | 'unreadable_end' // the same, and one may say that it has ended
  | 'ended' // a record says that it has ended, or that it stays behind
  | 'unsent' // ready, refused, or waiting for a person

/** What all records of the command say of it together. */
export type Says =
  | 'lives' // all could be sent, with the same values
  | 'ended' // all stay behind
  | 'unreadable' // a value of each is wrong
  | 'unclear' // each has a word that nobody understands
  | 'contradictory'

export interface Sighted {
  readonly says: Says
  /** It is what a record that counts says already. */
  readonly isKnown: boolean
  /** Their source is the newer one: somebody said so, it is the one that was last compared, or its collection is of a later day. */
  readonly isNewer: boolean
  /** Each of their sources has the columns by which an older one kept the mandate back. */
  readonly tellsEnds: boolean
  /** A value differs that could be read on both sides. */
  readonly differs: boolean
  /** Another system has that name for another mandate: customer, account and date are others, too. */
  readonly isOfOthers: boolean
}

export type Then =
  /** The records take the states of their own; `replaces`: those that were not sent give way to them. */
  | { readonly kind: 'counts'; readonly replaces: boolean }
  | { readonly kind: 'repeats' }
  /** Nobody knows which is right: what could be sent waits for a person, on both sides. */
  | { readonly kind: 'waits'; readonly rule: RuleId }
  /** The mandate was sent: it is a line of the cut-over. */
  | { readonly kind: 'contradicts' }

const COUNTS: Then = { kind: 'counts', replaces: false }
const REPLACES: Then = { kind: 'counts', replaces: true }
const waits = (rule: RuleId): Then => ({ kind: 'waits', rule })

/** The first match wins. */
export function whenSeen(standing: Standing, sighted: Sighted): Then {
  const { says, isKnown, isNewer, tellsEnds, differs, isOfOthers } = sighted
  if (standing === 'none') return COUNTS
  if (isKnown) return { kind: 'repeats' }
  if (standing === 'sent') return { kind: 'contradicts' }
  if (isOfOthers) return waits('CONFLICT_MANDATE')
  if (standing === 'written_off' || standing === 'corrected' || standing === 'arrived')
    return waits('CONFLICT_MANDATE')
  if (says === 'lives' && !tellsEnds) return waits('MANDATE_ENDED_ELSEWHERE')
  // Its records can only be corrected, and nothing could have been sent. What could be read of them counts all the same.
  const mayBeOlder = !isNewer && (says === 'lives' || (says === 'unreadable' && standing === 'unreadable'))
  if (standing === 'unreadable' && !(mayBeOlder && differs)) return REPLACES
  if (standing === 'unreadable_end' && !mayBeOlder) return REPLACES
  // The latest word cannot be read: what was read before is not sent meanwhile, and not replaced.
  if (says === 'unreadable') return waits('CONFLICT_MANDATE')
  if (isNewer) return REPLACES
  const isEnd = standing === 'ended' || standing === 'unreadable_end'
  return waits(isEnd && says === 'lives' ? 'MANDATE_ENDED_ELSEWHERE' : 'EXPORT_ORDER_UNKNOWN')
}
