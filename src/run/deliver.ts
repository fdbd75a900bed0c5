import pLimit, { type LimitFunction } from 'p-limit'
import type { Mandate } from '../domain/mandate/mandate.js'
import type { Choice } from '../domain/row/choice.js'
import type { Outcome } from '../domain/row/outcome.js'
import type { Attempt, Ledger, ReadyRow } from '../ledger/ledger.js'
import type { Clock } from '../domain/text/clock.js'
import { mustStop, noteOutcome, startBrake, type Brake, type BrakeLimits } from './brake.js'
import { decide, type AttemptFacts, type Decided } from './decide.js'
import {
  departuresOf,
  noteAnswer,
  noteDeparture,
  pauseUntil,
  startPace,
  type Pace,
  type PaceLimits,
} from './pace/pace.js'
import { createRowQueue, type RowQueue, type Turn } from './row-queue.js'
import { INTERRUPTED, OUT_OF_TIME, outranks, PILOT_DONE, type Stop, waitedInVain } from './stop.js'

/** Sends one mandate and says what became of it. Never rejects. */
export type Send = (mandate: Mandate, attempt: Attempt, signal: AbortSignal) => Promise<Outcome>

/** Calls `wake` after so many milliseconds; the returned function takes that back. */
export type After = (delayMs: number, wake: () => void) => () => void

export interface DeliveryPolicy extends BrakeLimits, PaceLimits {
  /** Rows sent in this run at most (a pilot), or null. */
  readonly limit: number | null
  /** Milliseconds after which no further row is sent, or null. */
  readonly maxDurationMs: number | null
}

export interface DeliveryParts {
  readonly ledger: Pick<Ledger, 'ready' | 'begin' | 'settle' | 'hasAssigned'>
  readonly send: Send
  readonly clock: Clock
  readonly after: After
  /** In [0, 1). */
  readonly random: () => number
  readonly policy: DeliveryPolicy
  /** Which of the ready rows are sent; all of them where it is left out or null. */
  readonly choice?: Choice | null
  /** Aborted by the first signal: no new rows, what is under way finishes. */
  readonly drain: AbortSignal
  /** Aborted by the second signal: what is under way is given up and becomes in doubt. */
  readonly abort: AbortSignal
  /** When it throws, the run ends: no further request leaves, every answer under way is settled, then it is thrown. */
  readonly watch: (event: DeliveryEvent) => void
}

export type DeliveryEvent =
  | { readonly kind: 'intent'; readonly row: ReadyRow; readonly attempt: Attempt }
  /** Told once its settling is asked for and before the commit, so that a log keeps what a crash would lose. */
  | { readonly kind: 'outcome'; readonly row: ReadyRow; readonly attempt: Attempt; readonly outcome: Outcome }
  | { readonly kind: 'pause'; readonly delayMs: number; readonly outcome: Outcome }
  | { readonly kind: 'stop'; readonly stop: Stop }

/** What a delivery knows while it goes on. The functions below change it; nobody else sees it. */
interface Delivery {
  readonly parts: DeliveryParts
  readonly startedMs: number
  readonly limiter: LimitFunction
  readonly queue: RowQueue
  readonly commits: Set<Promise<void>>
  pace: Pace
  brake: Brake
  stop: Stop | null
  failure: { readonly error: unknown } | null
  /** Rows that waited in vain, ready for a later run. */
  left: number
  cancelTimer: () => void
  readonly end: () => void
}

/**
 * Sends what is ready until nothing is left or the run must stop; resolves with the reason, or null.
 * Memory does not grow with the number of rows.
 * @throws {LedgerError} when an intent or an outcome cannot be committed; no further request leaves then
 * @throws what `watch` threw, once every answer is settled
 */
export async function deliver(parts: DeliveryParts): Promise<Stop | null> {
  const { ended, end } = signal()
  const run = startDelivery(parts, end)
  const goOn = (): void => feed(run)
  parts.drain.addEventListener('abort', goOn)
  feed(run)
  await ended
  parts.drain.removeEventListener('abort', goOn)
  run.cancelTimer()
  await Promise.all(run.commits)
  if (run.failure !== null) throw run.failure.error
  if (run.left > 0) return run.stop ?? waitedInVain(run.left)
  return run.stop ?? (run.queue.isPilotDone() ? PILOT_DONE : null)
}

function startDelivery(parts: DeliveryParts, end: () => void): Delivery {
  const startedMs = parts.clock.monotonic()
  const { ledger, policy, choice = null } = parts
  return {
    parts,
    startedMs,
    limiter: pLimit(1),
    queue: createRowQueue((after, limit) => ledger.ready(after, limit, choice), policy.limit),
    commits: new Set(),
    pace: startPace(policy, startedMs),
    brake: startBrake(),
    stop: null,
    failure: null,
    left: 0,
    cancelTimer: () => undefined,
    end,
  }
}

/** The dangerous moment. What rejects here is the ledger, and that stops the run. */
async function sendOne(run: Delivery, turn: Turn): Promise<void> {
  const { ledger, clock, send, abort } = run.parts
  const attempt = await ledger.begin(turn.row) // durable before a byte leaves
  tell(run, { kind: 'intent', row: turn.row, attempt })
  const beganMs = clock.monotonic()
  const seen = await send(turn.row.mandate, attempt, abort) // never rejects
  const decided = decide(seen, factsOf(run, turn, seen)) // pure: settled, again later, or stop the run
  commit(run, ledger.settle(attempt, decided.outcome)) // in one transaction with the intents that follow it
  tell(run, { kind: 'outcome', row: turn.row, attempt, outcome: decided.outcome })
  follow(run, turn, decided, beganMs)
}

function factsOf(run: Delivery, turn: Turn, seen: Outcome): AttemptFacts {
  return {
    isReferenceKnown: isReferenceKnown(run, seen),
    turnedAway: turn.turnedAway + (seen.kind === 'turned_away' ? 1 : 0),
    ageMs: run.parts.clock.monotonic() - turn.firstMs,
    connectionFailures: run.brake.failures + 1,
    random: run.parts.random(),
  }
}

/** A ledger that cannot be read must not cost the answer: its unique index is the last guard. */
function isReferenceKnown(run: Delivery, seen: Outcome): boolean {
  try {
    return seen.kind === 'registered' && run.parts.ledger.hasAssigned(seen.value.mandateReference)
  } catch (error) {
    fail(run, error)
    return false
  }
}

/** The slot is free before the commit, because the next intent cannot become durable without this outcome. */
function commit(run: Delivery, settled: Promise<void>): void {
  const noted = settled
    .catch((error: unknown) => {
      fail(run, error)
      feed(run) // ends a pause that nothing else would end before its time
    })
    .finally(() => run.commits.delete(noted))
  run.commits.add(noted)
}

function follow(run: Delivery, turn: Turn, { outcome, next, pauseMs, stop }: Decided, beganMs: number): void {
  const { clock, policy } = run.parts
  const nowMs = clock.monotonic()
  run.brake = noteOutcome(run.brake, outcome, nowMs)
  run.pace = noteAnswer(run.pace, outcome, { beganMs, nowMs, underWay: run.limiter.activeCount })
  run.limiter.concurrency = run.pace.ramp.slots
  if (next.kind === 'again') {
    const turnedAway = turn.turnedAway + (outcome.kind === 'turned_away' ? 1 : 0)
    run.queue.putBack({ ...turn, turnedAway }, nowMs, nowMs + next.afterMs)
  }
  stopFor(run, mustStop(run.brake, outcome, policy, nowMs) ?? stop)
  if (pauseMs > 0 && !isStopping(run)) pause(run, nowMs + pauseMs, outcome)
}

function pause(run: Delivery, untilMs: number, outcome: Outcome): void {
  const paused = pauseUntil(run.pace, untilMs)
  if (paused === run.pace) return
  run.pace = paused
  tell(run, { kind: 'pause', delayMs: untilMs - run.parts.clock.monotonic(), outcome })
}

function stopFor(run: Delivery, stop: Stop | null): void {
  if (stop === null || !outranks(stop, run.stop)) return
  run.stop = stop
  tell(run, { kind: 'stop', stop })
}

/** Whoever watches never stands between an answer and the ledger. */
function tell(run: Delivery, event: DeliveryEvent): void {
  try {
    run.parts.watch(event)
  } catch (error) {
    fail(run, error)
  }
}

function fail(run: Delivery, error: unknown): void {
  run.failure ??= { error }
}

const isStopping = (run: Delivery): boolean => run.stop !== null || run.failure !== null
const underWay = ({ limiter }: Delivery): number => limiter.activeCount + limiter.pendingCount

/** Takes rows up while there are slots; otherwise sets one timer for the moment that something changes. */
function feed(run: Delivery): void {
  run.cancelTimer()
  try {
    while (underWay(run) < run.pace.ramp.slots && !isStopping(run) && !run.queue.isEmpty())
      if (!takeNext(run)) break
  } catch (error) {
    fail(run, error)
  }
  if (underWay(run) === 0 && (isStopping(run) || run.queue.isEmpty())) run.end()
}

/** False where nothing can be taken up now; what is worth waiting for has a timer then. */
function takeNext(run: Delivery): boolean {
  const nowMs = run.parts.clock.monotonic()
  stopFor(run, limitReached(run, nowMs))
  if (isStopping(run)) return false
  const { anyFromMs, repeatFromMs } = departuresOf(run.pace, nowMs)
  leaveBehind(run, Math.max(repeatFromMs, run.pace.pausedUntilMs))
  if (isStopping(run) || run.queue.isEmpty()) return false
  const turn = anyFromMs > nowMs ? null : run.queue.take(nowMs, repeatFromMs)
  if (turn === null) {
    wakeAt(run, anyFromMs > nowMs ? anyFromMs : (run.queue.nextDueMs(repeatFromMs) ?? nowMs), nowMs)
    return false
  }
  takeUp(run, turn, nowMs)
  return true
}

function limitReached({ parts, startedMs }: Delivery, nowMs: number): Stop | null {
  if (parts.drain.aborted) return INTERRUPTED
  const { maxDurationMs } = parts.policy
  return maxDurationMs !== null && nowMs - startedMs >= maxDurationMs ? OUT_OF_TIME : null
}

function leaveBehind(run: Delivery, repeatFromMs: number): void {
  const { count, wasFull } = run.queue.leaveBehind(repeatFromMs)
  run.left += count
  if (count > 0 && wasFull) stopFor(run, waitedInVain(run.left))
}

function takeUp(run: Delivery, turn: Turn, nowMs: number): void {
  run.pace = noteDeparture(run.pace, turn.turnedAway > 0, nowMs)
  // p-limit counts a task as done before its promise settles, so the slot is free when `feed` looks.
  void run
    .limiter(() => sendOne(run, turn))
    .catch((error: unknown) => fail(run, error))
    .finally(() => feed(run))
}

function wakeAt(run: Delivery, atMs: number, nowMs: number): void {
  if (atMs <= nowMs) return
  const { maxDurationMs } = run.parts.policy
  const untilMs = Math.min(atMs, run.startedMs + (maxDurationMs ?? Infinity))
  run.cancelTimer = run.parts.after(Math.max(1, Math.ceil(untilMs - nowMs)), () => feed(run))
}

function signal(): { ended: Promise<void>; end: () => void } {
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  return { ended, end }
}
