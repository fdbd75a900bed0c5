import type { RuleId } from '../rule/verdict.js'

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
export function whenSeen(standing: Standing, { says, isKnown, isNewer, tellsEnds, differs }: Sighted): Then {
  if (standing === 'none') return COUNTS
  if (isKnown) return { kind: 'repeats' }
  if (standing === 'sent') return { kind: 'contradicts' }
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
