import pLimit from 'p-limit'
import type { Mandate } from '../domain/mandate.js'
import type { Outcome } from '../domain/outcome.js'
import type { Attempt, Clock, Ledger, ReadyRow } from '../ledger/ledger.js'
import { mustStop, noteOutcome, startBrake, type BrakeLimits } from './brake.js'
import { startBucket, takeToken, waitForToken } from './bucket.js'
import { decide, type Decided } from './decide.js'
import { afterOutcome, startRamp } from './ramp.js'
import { noteRequest, startRetryBudget, waitForRepeat } from './retry-budget.js'
import { createRowQueue, type Turn } from './row-queue.js'
import { INTERRUPTED, OUT_OF_TIME, outranks, PILOT_DONE, type Stop, waitedInVain } from './stop.js'

/** Sends one mandate and says what became of it. Never rejects. */
export type Send = (mandate: Mandate, attempt: Attempt, signal: AbortSignal) => Promise<Outcome>

/** Calls `wake` after so many milliseconds; the returned function takes that back. */
export type After = (delayMs: number, wake: () => void) => () => void

export interface DeliveryPolicy extends BrakeLimits {
  /** Requests under way at most. */
  readonly concurrency: number
  /** Requests per second at most, or null. */
  readonly rate: number | null
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

/**
 * Sends what is ready until nothing is left or the run must stop; resolves with the reason, or null.
 * Memory does not grow with the number of rows.
 * @throws {LedgerError} when an intent or an outcome cannot be committed; no further request leaves then
 * @throws what `watch` threw, once every answer is settled
 */
export async function deliver(parts: DeliveryParts): Promise<Stop | null> {
  const { ledger, clock, policy } = parts
  const startedMs = clock.monotonic()
  const limiter = pLimit(1)
  const queue = createRowQueue(ledger.ready, policy.limit)
  const commits = new Set<Promise<void>>()
  const pace = {
    ramp: startRamp(policy.concurrency),
    bucket: startBucket(policy.rate, startedMs),
    budget: startRetryBudget(),
    pausedUntilMs: startedMs,
  }
  const run: {
    brake: ReturnType<typeof startBrake>
    stop: Stop | null
    failure: { error: unknown } | null
    /** Rows that waited in vain, ready for a later run. */
    left: number
  } = { brake: startBrake(), stop: null, failure: null, left: 0 }

  /** The dangerous moment. What rejects here is the ledger, and that stops the run. */
  async function sendOne(turn: Turn): Promise<void> {
    const attempt = await ledger.begin(turn.row) // durable before a byte leaves
    tell({ kind: 'intent', row: turn.row, attempt })
    const beganMs = clock.monotonic()
    const seen = await parts.send(turn.row.mandate, attempt, parts.abort) // never rejects
    const decided = decide(seen, factsOf(turn, seen)) // pure: settled, again later, or stop the run
    commit(ledger.settle(attempt, decided.outcome)) // in one transaction with the intents that follow it
    tell({ kind: 'outcome', row: turn.row, attempt, outcome: decided.outcome })
    follow(turn, decided, beganMs)
  }

  function factsOf(turn: Turn, seen: Outcome) {
    return {
      isReferenceKnown: isReferenceKnown(seen),
      turnedAway: turn.turnedAway + (seen.kind === 'turned_away' ? 1 : 0),
      ageMs: clock.monotonic() - turn.firstMs,
      connectionFailures: run.brake.failures + 1,
      random: parts.random(),
    }
  }

  /** A ledger that cannot be read must not cost the answer: its unique index is the last guard. */
  function isReferenceKnown(seen: Outcome): boolean {
    try {
      return seen.kind === 'registered' && ledger.hasAssigned(seen.value.mandateReference)
    } catch (error) {
      fail(error)
      return false
    }
  }

  function follow(turn: Turn, { outcome, next, pauseMs, stop }: Decided, beganMs: number): void {
    const nowMs = clock.monotonic()
    run.brake = noteOutcome(run.brake, outcome, nowMs)
    pace.ramp = afterOutcome(pace.ramp, outcome, { beganMs, nowMs, underWay: limiter.activeCount })
    limiter.concurrency = pace.ramp.slots
    if (next.kind === 'again') {
      const turnedAway = turn.turnedAway + (outcome.kind === 'turned_away' ? 1 : 0)
      queue.putBack({ ...turn, turnedAway }, nowMs, nowMs + next.afterMs)
    }
    if (pauseMs > 0) pauseUntil(nowMs + pauseMs, outcome)
    stopFor(mustStop(run.brake, outcome, policy, nowMs) ?? stop)
  }

  function pauseUntil(untilMs: number, outcome: Outcome): void {
    if (untilMs <= pace.pausedUntilMs) return
    pace.pausedUntilMs = untilMs
    tell({ kind: 'pause', delayMs: untilMs - clock.monotonic(), outcome })
  }

  function stopFor(stop: Stop | null): void {
    if (stop === null || !outranks(stop, run.stop)) return
    run.stop = stop
    tell({ kind: 'stop', stop })
  }

  /** Whoever watches never stands between an answer and the ledger. */
  function tell(event: DeliveryEvent): void {
    try {
      parts.watch(event)
    } catch (error) {
      fail(error)
    }
  }

  function fail(error: unknown): void {
    run.failure ??= { error }
  }

  /** The slot is free before the commit, because the next intent cannot become durable without this outcome. */
  function commit(settled: Promise<void>): void {
    const noted = settled
      .catch((error: unknown) => {
        fail(error)
        feed() // ends a pause that nothing else would end before its time
      })
      .finally(() => commits.delete(noted))
    commits.add(noted)
  }

  const underWay = (): number => limiter.activeCount + limiter.pendingCount
  const isStopping = (): boolean => run.stop !== null || run.failure !== null

  const { ended, end } = signal()
  let cancelTimer = (): void => undefined

  /** Takes rows up while there are slots; otherwise sets one timer for the moment that something changes. */
  function feed(): void {
    cancelTimer()
    try {
      fill()
    } catch (error) {
      fail(error)
    }
    if (underWay() === 0 && (isStopping() || queue.isEmpty())) end()
  }

  function fill(): void {
    while (!isStopping() && underWay() < pace.ramp.slots && !queue.isEmpty()) {
      const nowMs = clock.monotonic()
      stopFor(limitReached(nowMs))
      if (isStopping()) break
      const pausedMs = Math.max(pace.pausedUntilMs - nowMs, waitForToken(pace.bucket, nowMs))
      const repeatFromMs = nowMs + waitForRepeat(pace.budget, nowMs)
      leaveBehind(Math.max(repeatFromMs, pace.pausedUntilMs))
      if (isStopping() || queue.isEmpty()) break
      const turn = pausedMs > 0 ? null : queue.take(nowMs, repeatFromMs)
      if (turn === null) {
        wakeAfter(pausedMs > 0 ? pausedMs : (queue.nextDueMs(repeatFromMs) ?? nowMs) - nowMs)
        break
      }
      takeUp(turn, nowMs)
    }
  }

  function leaveBehind(repeatFromMs: number): void {
    const { count, wasFull } = queue.leaveBehind(repeatFromMs)
    run.left += count
    if (count > 0 && wasFull) stopFor(waitedInVain(run.left))
  }

  function takeUp(turn: Turn, nowMs: number): void {
    pace.bucket = takeToken(pace.bucket, nowMs)
    pace.budget = noteRequest(pace.budget, turn.turnedAway > 0, nowMs)
    // p-limit counts a task as done before its promise settles, so the slot is free when `feed` looks.
    void limiter(() => sendOne(turn))
      .catch(fail)
      .finally(feed)
  }

  function limitReached(nowMs: number): Stop | null {
    if (parts.drain.aborted) return INTERRUPTED
    const { maxDurationMs } = policy
    return maxDurationMs !== null && nowMs - startedMs >= maxDurationMs ? OUT_OF_TIME : null
  }

  function wakeAfter(delayMs: number): void {
    if (delayMs <= 0) return
    const leftMs =
      policy.maxDurationMs === null ? delayMs : startedMs + policy.maxDurationMs - clock.monotonic()
    cancelTimer = parts.after(Math.max(1, Math.ceil(Math.min(delayMs, leftMs))), feed)
  }

  parts.drain.addEventListener('abort', feed)
  feed()
  await ended
  parts.drain.removeEventListener('abort', feed)
  cancelTimer()
  await Promise.all(commits)
  if (run.failure !== null) throw run.failure.error
  if (run.left > 0) return run.stop ?? waitedInVain(run.left)
  return run.stop ?? (queue.isPilotDone() ? PILOT_DONE : null)
}

function signal(): { ended: Promise<void>; end: () => void } {
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  return { ended, end }
}
