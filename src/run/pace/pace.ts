import type { Outcome } from '../../domain/row/outcome.js'
import { startBucket, takeToken, waitForToken, type Bucket } from './bucket.js'
import { afterOutcome, afterSign, startRamp, type AnswerTimes, type PaceSign, type Ramp } from './ramp.js'
import { noteRequest, startRetryBudget, waitForRepeat, type RetryBudget } from './retry-budget.js'

/** How fast a run goes on: slots, requests per second, repeats and pauses in one value. Times are monotonic milliseconds. */
export interface Pace {
  readonly ramp: Ramp
  readonly bucket: Bucket
  readonly budget: RetryBudget
  readonly pausedUntilMs: number
}

export interface PaceLimits {
  /** Requests under way at most. */
  readonly concurrency: number
  /** Requests per second at most, or null. */
  readonly rate: number | null
}

export const startPace = ({ concurrency, rate }: PaceLimits, nowMs: number): Pace => ({
  ramp: startRamp(concurrency),
  bucket: startBucket(rate, nowMs),
  budget: startRetryBudget(),
  pausedUntilMs: nowMs,
})

/** From when a row may leave: any row, and one that the service turned away before. Both may lie in the past. */
export interface Departures {
  readonly anyFromMs: number
  readonly repeatFromMs: number
}

export const departuresOf = ({ bucket, budget, pausedUntilMs }: Pace, nowMs: number): Departures => ({
  anyFromMs: Math.max(pausedUntilMs, nowMs + waitForToken(bucket, nowMs)),
  repeatFromMs: nowMs + waitForRepeat(budget, nowMs),
})

/** One request leaves now; `departuresOf` allowed it. */
export const noteDeparture = (pace: Pace, isRepeat: boolean, nowMs: number): Pace => ({
  ...pace,
  bucket: takeToken(pace.bucket, nowMs),
  budget: noteRequest(pace.budget, isRepeat, nowMs),
})

export const noteAnswer = (pace: Pace, outcome: Outcome, at: AnswerTimes): Pace => ({
  ...pace,
  ramp: afterOutcome(pace.ramp, outcome, at),
})

export const noteSign = (pace: Pace, sign: PaceSign, at: AnswerTimes): Pace => ({
  ...pace,
  ramp: afterSign(pace.ramp, sign, at),
})

/** Holds every row back until then; a pause that lasts longer already stays as it is. */
export const pauseUntil = (pace: Pace, untilMs: number): Pace =>
  untilMs <= pace.pausedUntilMs ? pace : { ...pace, pausedUntilMs: untilMs }
