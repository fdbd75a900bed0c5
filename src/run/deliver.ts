import type { Mandate } from '../domain/mandate/mandate.js'
import type { Choice } from '../domain/row/choice.js'
import type { Attempt, ReadyRow } from '../ledger/ledger.js'
import type { Ledger } from '../ledger/file/writer.js'
import {
  mustStop,
  noteOutcome,
  startBrake,
  type BrakeLimits,
  PILOT_DONE,
  type Stop,
  heldAtGate,
  waitedInVain,
  stopOfRetryAfter,
} from './brake.js'
import { createEngine, type EngineParts, type StopEvent, type Turn } from './engine.js'
import { signOf, connectBackoffMs, isThrottling, LONGEST_WAIT_MS, turnedAwayBackoffMs } from './pace.js'
import { maskAccounts } from '../domain/text/accounts.js'
import type { Outcome } from '../domain/row/row-state.js'

/** What becomes of a row after one attempt. */
type Next = ReturnType<typeof nextOf>

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
export function decide(seen: Outcome, facts: AttemptFacts) {
  const outcome = facts.isReferenceKnown && seen.kind === 'registered' ? repeatedReference(seen) : seen
  const waitMs = waitOf(outcome, facts)
  const next = nextOf(outcome, facts, waitMs)
  return {
    /** The outcome to settle: the one that was seen, or in doubt where the ledger knows better. */
    outcome,
    next,
    /** Holds back every row of the run, in milliseconds. */
    pauseMs: pauseOf(outcome, waitMs),
    stop: stopOf(outcome, next),
  }
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
  if (outcome.kind === 'not_sent') return connectBackoffMs(facts.connectionFailures, facts.random)
  if (outcome.kind !== 'turned_away') return 0
  return turnedAwayBackoffMs(facts.turnedAway, outcome.evidence.retryAfterMs, facts.random)
}

/** The brake ends a run of connection failures long before they could count up like answers. */
function nextOf(outcome: Outcome, facts: AttemptFacts, waitMs: number) {
  const isFinal = outcome.kind !== 'not_sent' && outcome.kind !== 'turned_away'
  if (isFinal) return { kind: 'settled' } as const
  const isTriedEnough = outcome.kind === 'turned_away' && facts.turnedAway >= MAX_TURNED_AWAY
  if (isTriedEnough || facts.ageMs >= LONGEST_WAIT_MS) return { kind: 'later_run' } as const
  return { kind: 'again', afterMs: waitMs } as const
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
      next: 'Ask the service about its limits, send fewer requests at once or a second, then run again (--concurrency N, --rate N)',
    }
  return null
}

/** Sends one mandate and says what became of it. Never rejects. */
export type Send = (mandate: Mandate, attempt: Attempt, signal: AbortSignal) => Promise<Outcome>

export type DeliveryPolicy = BrakeLimits & Required<EngineParts<never>['policy']>

export interface DeliveryParts extends EngineParts<DeliveryEvent> {
  readonly ledger: Pick<Ledger, 'ready' | 'begin' | 'settle' | 'hasAssigned'>
  readonly send: Send
  /** In [0, 1). */
  readonly random: () => number
  readonly policy: DeliveryPolicy
  /** Which of the ready rows are sent; null for all of them. */
  readonly choice: Choice | null
}

export type DeliveryEvent =
  | { readonly kind: 'intent'; readonly row: ReadyRow; readonly attempt: Attempt }
  /** Told once its settling is asked for and before the commit, so that a log keeps what a crash would lose. */
  | { readonly kind: 'outcome'; readonly row: ReadyRow; readonly attempt: Attempt; readonly outcome: Outcome }
  | { readonly kind: 'pause'; readonly delayMs: number; readonly outcome: Outcome }
  | { readonly kind: 'held'; readonly row: ReadyRow; readonly because: string }
  | StopEvent

interface ToSend {
  readonly row: ReadyRow
}

/**
 * Sends what is ready until nothing is left or the run must stop; resolves with the reason, or null.
 * @throws {LedgerError} when an intent or an outcome cannot be committed; no further request leaves then
 * @throws what `watch` threw, once every answer is settled
 */
export async function deliver(parts: DeliveryParts): Promise<Stop | null> {
  const { ledger, clock, send, abort, policy, choice } = parts
  const commits = new Set<Promise<void>>()
  let brake = startBrake()
  /** The last row that was read. */
  let after = 0
  /** Rows that waited in vain, ready for a later run. */
  let left = 0
  /** Rows that the gate held at the last moment, and why the latest of them; null where it held none. */
  let held = null as Parameters<typeof heldAtGate>[0] | null
  const engine = createEngine<ToSend, DeliveryEvent>(parts, {
    next: (limit) => {
      const rows = ledger.ready(after, limit, choice)
      after = rows.at(-1)?.id ?? after
      return rows.map((row) => ({ row }))
    },
    work: sendOne,
    leave: ({ length }, wasFull) => {
      left += length
      if (wasFull) engine.stopFor(waitedInVain(left))
    },
  })

  /** The dangerous moment. What rejects here is the ledger, and that stops the run. */
  async function sendOne(turn: Turn<ToSend>): Promise<void> {
    const { row } = turn
    const attempt = await ledger.begin(row) // durable before a byte leaves
    if ('because' in attempt) {
      hold(row, attempt.because)
      return
    }
    engine.tell({ kind: 'intent', row, attempt })
    const beganMs = clock.monotonic()
    const seen = await send(row.mandate, attempt, abort) // never rejects
    const decided = decide(seen, factsOf(turn, seen)) // pure: settled, again later, or stop the run
    commit(ledger.settle(attempt, decided.outcome)) // in one transaction with the intents that follow it
    engine.tell({ kind: 'outcome', row, attempt, outcome: decided.outcome })
    follow(turn, decided, beganMs)
  }

  /** Nothing leaves: the gate found what was not so when the row was read. It stays ready, for a person. */
  function hold(row: ReadyRow, because: string): void {
    held = { rows: (held?.rows ?? 0) + 1, because }
    engine.tell({ kind: 'held', row, because })
  }

  const factsOf = (turn: Turn<object>, seen: Outcome): AttemptFacts => ({
    isReferenceKnown: isReferenceKnown(seen),
    turnedAway: sentWith(turn, seen),
    ageMs: clock.monotonic() - turn.firstMs,
    connectionFailures: brake.failures + 1,
    random: parts.random(),
  })

  /** A ledger that cannot be read must not cost the answer: its unique index is the last guard. */
  function isReferenceKnown(seen: Outcome): boolean {
    try {
      return seen.kind === 'registered' && ledger.hasAssigned(seen.value.mandateReference)
    } catch (error) {
      engine.fail(error)
      return false
    }
  }

  /** The slot is free before the commit, because the next intent cannot become durable without this outcome. */
  function commit(settled: Promise<void>): void {
    const noted = settled
      .catch((error: unknown) => {
        engine.fail(error)
        engine.feed() // ends a pause that nothing else would end before its time
      })
      .finally(() => commits.delete(noted))
    commits.add(noted)
  }

  function follow(
    turn: Turn<ToSend>,
    { outcome, next, pauseMs, stop }: ReturnType<typeof decide>,
    beganMs: number,
  ): void {
    const nowMs = clock.monotonic()
    brake = noteOutcome(brake, outcome, nowMs)
    engine.noteSign(signOf(outcome), beganMs)
    if (next.kind === 'again')
      engine.queue.putBack({ ...turn, sent: sentWith(turn, outcome) }, nowMs, nowMs + next.afterMs)
    engine.stopFor(mustStop(brake, outcome, policy, nowMs) ?? stop)
    if (pauseMs > 0 && !engine.isStopping() && engine.pause(nowMs + pauseMs))
      engine.tell({ kind: 'pause', delayMs: pauseMs, outcome })
  }

  await engine.run()
  await Promise.all(commits)
  const stop = engine.result()
  if (held !== null) return stop ?? heldAtGate(held)
  if (left > 0) return stop ?? waitedInVain(left)
  return stop ?? (engine.queue.isPilotDone() ? PILOT_DONE : null)
}

const sentWith = ({ sent }: Turn<object>, { kind }: Outcome): number =>
  sent + (kind === 'turned_away' ? 1 : 0)
