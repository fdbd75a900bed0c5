import type { RowState } from './row-state.js'

/**
 * What becomes of rows that share a mandate, decided from counts so that a group of any size fits
 * (domain/rulebook.md#rules-across-rows). An older row stands in one of three relations to a newcomer:
 *
 *   protected    it was sent and may live at the service, or a person closed it: nothing replaces it
 *   replaceable  it was not sent, was refused, or never could be sent: a newer file counts
 *   superseded   it was replaced before: it says nothing any more
 */
const PROTECTED = ['sending', 'registered', 'in_doubt', 'written_off'] as const satisfies readonly RowState[]
const UNSENT = ['ready', 'refused'] as const satisfies readonly RowState[]
const HELD_BACK = ['invalid', 'excluded', 'conflict', 'duplicate'] as const satisfies readonly RowState[]

/**
 * States of rows that were or may be sent, or that a person closed. The ledger never holds two rows of one mandate in
 * them, save for rows that were closed without ever being sent.
 */
export const LIVE_STATES = [...UNSENT, ...PROTECTED] as const
export const REPLACEABLE_STATES = [...UNSENT, ...HELD_BACK] as const

export type LiveState = (typeof LIVE_STATES)[number]

const isProtected = (state: RowState): boolean => PROTECTED.some((name) => name === state)

/** One mandate key that occurs more than once, seen when a source was read to its end. */
export interface GroupFacts {
  /** Rows of the new source that passed their own checks. */
  readonly sendable: {
    readonly count: number
    /** All of them would send the same content. */
    readonly agree: boolean
    /** How many would send what the live older row holds; 0 where there is none. */
    readonly likeLive: number
    /** The first of them in file order would. */
    readonly firstIsLikeLive: boolean
  }
  /** Rows of the new source that may not be sent. */
  readonly heldBack: {
    readonly count: number
    /** How many repeat an older row that was held back, value by value. */
    readonly unchanged: number
  }
  /** The state of the older row that was or may be sent. */
  readonly live: LiveState | null
  /** CONFLICT_MANDATE is an error. */
  readonly conflictHolds: boolean
}

export interface GroupPlan {
  readonly sendable:
    | 'first_goes' // the others are duplicates
    | 'conflict'
    | 'duplicate'
    | 'against_live' // those with the live row's content are duplicates, the others conflicts
  readonly heldBack: 'keep' | 'duplicate'
  /** The newer file counts: the replaceable older rows go. */
  readonly supersede: boolean
}

export function decideGroup(facts: GroupFacts): GroupPlan {
  const { sendable, heldBack, live } = facts
  const allUnchanged = heldBack.unchanged === heldBack.count
  if (live !== null && isProtected(live)) {
    const repeatsLive = sendable.likeLive === sendable.count
    return {
      sendable: 'against_live',
      heldBack: allUnchanged ? 'duplicate' : 'keep',
      supersede: !(repeatsLive && allUnchanged),
    }
  }
  if (sendable.count === 0) {
    return {
      sendable: 'first_goes',
      heldBack: allUnchanged ? 'duplicate' : 'keep',
      supersede: !allUnchanged,
    }
  }
  if (facts.conflictHolds && (!sendable.agree || heldBack.count > 0)) {
    return { sendable: 'conflict', heldBack: 'keep', supersede: true }
  }
  return live !== null && sendable.firstIsLikeLive
    ? { sendable: 'duplicate', heldBack: allUnchanged ? 'duplicate' : 'keep', supersede: false }
    : { sendable: 'first_goes', heldBack: 'keep', supersede: true }
}

/** A newcomer that says which older row it corrects (`migration_row`). */
export interface CorrectionFacts {
  /** The older row, or the one that replaced it since; null where this ledger has none of that number. */
  readonly named: {
    readonly state: RowState
    readonly isSameMandate: boolean
    /** The row it named first holds the same customer, account or reference. */
    readonly isRelated: boolean
    /** It is what the row was, and nobody wrote beside it that it shall be sent. */
    readonly isUnchanged: boolean
    /** It is held back beside other rows of its mandate. */
    readonly hasRivals: boolean
  } | null
  /** Another row of the same source corrects the same row into another mandate. */
  readonly isContested: boolean
}

export type CorrectionPlan =
  | { readonly kind: 'by_mandate' } // the rules for rows of one mandate decide
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'with_its_rivals' } // unchanged, but it counts again once another row of its conflict changed
  | { readonly kind: 'supersede' }
  | { readonly kind: 'conflict'; readonly because: 'unknown' | 'unrelated' | 'contested' | 'protected' }

export function decideCorrection({ named, isContested }: CorrectionFacts): CorrectionPlan {
  if (named === null) return { kind: 'conflict', because: 'unknown' }
  if (named.isUnchanged) return { kind: named.hasRivals ? 'with_its_rivals' : 'unchanged' }
  if (!named.isRelated) return { kind: 'conflict', because: 'unrelated' }
  if (isContested) return { kind: 'conflict', because: 'contested' }
  if (named.isSameMandate) return { kind: 'by_mandate' }
  return isProtected(named.state) ? { kind: 'conflict', because: 'protected' } : { kind: 'supersede' }
}
