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

/** Creditors by which one is meant: collections say of some that they are one creditor before and after. */
export type CreditorTies = ReadonlyMap<string, string>
const NO_TIES: CreditorTies = new Map()

/**
 * What two spellings of one mandate share: the creditor, or the one that stands for all that are tied to it, and the folded
 * reference. Null for a reference without letters and digits, which is like no other.
 */
export function spellingOf(mandateKey: string, ties: CreditorTies = NO_TIES): string | null {
  const at = referenceAt(mandateKey)
  const folded = foldReference(mandateKey.slice(at))
  if (folded === '') return null
  const creditor = mandateKey.slice(0, at - 1)
  return `${ties.get(creditor) ?? creditor}|${folded}`
}

/** The creditor of a mandate key. */
export const creditorOfKey = (mandateKey: string): string => mandateKey.slice(0, referenceAt(mandateKey) - 1)

const isShared = <Value>(one: Value | null, other: Value | null): boolean => one !== null && one === other

/**
 * @param areSideBySide both stand in one export as they came, so people have compared them: only the spelling can tie them
 */
export function kinshipOf(
  one: Sighting,
  other: Sighting,
  { areSideBySide, ties = NO_TIES }: { readonly areSideBySide: boolean; readonly ties?: CreditorTies },
): Kinship {
  if (one.mandateKey === other.mandateKey) return 'same'
  const isCustomer = isShared(one.customerNo, other.customerNo)
  const isAccount = isShared(one.account, other.account)
  const isSpelling = isShared(spellingOf(one.mandateKey, ties), spellingOf(other.mandateKey, ties))
  if (isSpelling && (isCustomer || isAccount)) return 'kin'
  const mayBeAccount = isAccount || one.isErased === true || other.isErased === true
  const isLikely = isCustomer && mayBeAccount && isShared(one.signedDate, other.signedDate)
  return isLikely && !areSideBySide ? 'kin' : 'other'
}
