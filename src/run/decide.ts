import type { Outcome } from '../domain/row/outcome.js'
import { connectBackoffMs, isThrottling, LONGEST_WAIT_MS, turnedAwayBackoffMs } from './pace.js'
import { maskAccounts } from '../domain/text/masking.js'
import { stopOfRetryAfter, type Stop } from './stop.js'

/** What becomes of a row after one attempt. */
type Next =
  | { readonly kind: 'settled' }
  /** Ready again, and offered again by this run after the wait. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Ready again, but not in this run. */
  | { readonly kind: 'later_run' }

export interface Decided {
  /** The outcome to settle: the one that was seen, or in doubt where the ledger knows better. */
  readonly outcome: Outcome
  readonly next: Next
  /** Holds back every row of the run, in milliseconds. */
  readonly pauseMs: number
  readonly stop: Stop | null
}

export interface AttemptFacts {
  /** The service gave the assigned reference to another row before. */
  readonly isReferenceKnown: boolean
  /** How often this row was turned away in this run, this attempt included. */
  readonly turnedAway: number
  /** How long ago this run first took the row up, in milliseconds. */
  readonly ageMs: number
  /** Connection failures of the run in a row, this attempt included. */
  readonly connectionFailures: number
  /** In [0, 1). */
  readonly random: number
}

const MAX_TURNED_AWAY = 8

/** Pure: the outcome and what is known of the row decide; nothing is read or written here (run/README.md#decisions). */
export function decide(seen: Outcome, facts: AttemptFacts): Decided {
  const outcome = facts.isReferenceKnown && seen.kind === 'registered' ? repeatedReference(seen) : seen
  const waitMs = waitOf(outcome, facts)
  const next = nextOf(outcome, facts, waitMs)
  return { outcome, next, pauseMs: pauseOf(outcome, waitMs), stop: stopOf(outcome, next) }
}

function repeatedReference(seen: Outcome & { kind: 'registered' }): Outcome {
  const { creditorIdentifier, mandateReference } = seen.value
  return {
    kind: 'in_doubt',
    hint: 'probably_registered',
    halt: 'reference_repeated',
    // The answer of a registration is not kept, so that what it gave is said here.
    reason: `The service answered with the mandate reference "${maskAccounts(mandateReference)}" of "${maskAccounts(creditorIdentifier)}", which it gave to another row before`,
    evidence: seen.evidence,
  }
}

/** How long a row that may be sent again waits, in milliseconds. */
function waitOf(outcome: Outcome, facts: AttemptFacts): number {
  switch (outcome.kind) {
    case 'registered':
    case 'refused':
    case 'in_doubt':
      return 0
    case 'not_sent':
      return connectBackoffMs(facts.connectionFailures, facts.random)
    case 'turned_away':
      return turnedAwayBackoffMs(facts.turnedAway, outcome.evidence.retryAfterMs, facts.random)
  }
}

/** The brake ends a run of connection failures long before they could count up like answers. */
function nextOf(outcome: Outcome, facts: AttemptFacts, waitMs: number): Next {
  const isFinal = outcome.kind !== 'not_sent' && outcome.kind !== 'turned_away'
  if (isFinal) return { kind: 'settled' }
  const isTriedEnough = outcome.kind === 'turned_away' && facts.turnedAway >= MAX_TURNED_AWAY
  if (isTriedEnough || facts.ageMs >= LONGEST_WAIT_MS) return { kind: 'later_run' }
  return { kind: 'again', afterMs: waitMs }
}

/** A row that is merely not available yet waits alone, unless the service names a time. */
function pauseOf(outcome: Outcome, waitMs: number): number {
  const isOfService = outcome.kind === 'not_sent' || isThrottling(outcome)
  return Math.max(outcome.evidence.retryAfterMs ?? 0, isOfService ? waitMs : 0)
}

function stopOf(outcome: Outcome, next: Next): Stop | null {
  const leftAlone = stopOfRetryAfter(outcome.evidence.retryAfterMs)
  if (leftAlone !== null) return leftAlone
  if (next.kind === 'later_run' && isThrottling(outcome))
    return {
      kind: 'turned_away',
      why: `The service turned the same row away ${MAX_TURNED_AWAY} times or for a quarter of an hour`,
      next: 'Ask the service about its limits, send fewer requests at once or a second, then run again',
      ways: ['pace'],
    }
  return null
}
