import { type Outcome, isHeldBack } from '../domain/row/row-state.js'
export interface PaceLimits {
  /** Requests under way at most. */
  readonly concurrency: number
  /** Requests per second at most, or null. */
  readonly rate: number | null
}

export const startPace = ({ concurrency, rate }: PaceLimits, nowMs: number) => ({
  ramp: startRamp(concurrency),
  bucket: startBucket(rate, nowMs),
  budget: startRetryBudget(nowMs),
  pausedUntilMs: nowMs,
})
/** How fast a run goes on: slots, requests per second, repeats and pauses in one value. Times are monotonic milliseconds. */
export type Pace = Readonly<ReturnType<typeof startPace>>

/** From when a row may leave: any row, and one that the service turned away before. Both may lie in the past. */
export const departuresOf = ({ bucket, budget, pausedUntilMs }: Pace, nowMs: number) => ({
  anyFromMs: Math.max(pausedUntilMs, nowMs + waitForToken(bucket, nowMs)),
  repeatFromMs: nowMs + waitForRepeat(budget, nowMs),
})

/** One request leaves now; `departuresOf` allowed it. */
export const noteDeparture = (pace: Pace, isRepeat: boolean, nowMs: number): Pace => ({
  ...pace,
  bucket: takeToken(pace.bucket, nowMs),
  budget: noteRequest(pace.budget, isRepeat, nowMs),
})

/** Holds every row back until then; a pause that lasts longer already stays as it is. */
export const pauseUntil = (pace: Pace, untilMs: number): Pace =>
  untilMs <= pace.pausedUntilMs ? pace : { ...pace, pausedUntilMs: untilMs }

/** So many at once are few for any service. */
const FEW = 8

export const startRamp = (max: number) => ({
  max,
  slots: 1,
  /** So far the slots double: what was asked for, until the service throttles or cannot be reached. */
  doubleUpTo: max,
  /** Answers in a row without throttling since the last change of `slots`. */
  clean: 0,
  /** Monotonic time of the last cut; attempts that began before it say nothing about the pace since. */
  cutAtMs: -Infinity,
})
/**
 * How many requests may be under way (run/README.md#pacing): one row alone first, so that a wrong
 * set-up costs one row; then doubling after each clean round, until the service shows a limit; from then on one more
 * per round above 8. Above 8 only while at least half the slots are used. Halved on throttling, at most once per round
 * trip. Never above `max`.
 */
export type Ramp = Readonly<ReturnType<typeof startRamp>>

/** What an answer says about the pace; of what was asked it says nothing. */
export type PaceSign = 'clean' | 'throttled' | 'unreached' | 'neutral'

/** When an exchange began and ended, monotonic milliseconds, and how many were under way then, itself included. */
export interface AnswerTimes {
  readonly beganMs: number
  readonly nowMs: number
  readonly underWay: number
}

/** Which of them ends a silence depends on the settings only. */
const TIMEOUTS: readonly (string | null)[] = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'DEADLINE']

/** The service was silent until a time limit of ours. */
export const isSilence = (errorCode: string | null): boolean => TIMEOUTS.includes(errorCode)

/** Answers to any question that speak of the service and not of what was asked. */
export const TURNED_AWAY: readonly (number | null)[] = [421, 425, 429]

/**
 * What throttling looks like: turned away (a row that is merely not ready yet apart), 503, or silence. Where the service
 * was asked first, no other answer to the question speaks of more than its row.
 */
export function isThrottling(outcome: Outcome): boolean {
  const { status, errorCode, started } = outcome.evidence
  if (outcome.kind === 'turned_away' && started) return status !== 404
  return status === 503 || isSilence(errorCode) || (!started && TURNED_AWAY.includes(status))
}

export function signOf(outcome: Outcome): PaceSign {
  if (outcome.kind === 'not_sent') return 'unreached'
  if (isThrottling(outcome)) return 'throttled'
  if (isHeldBack(outcome)) return 'clean'
  return outcome.kind === 'registered' || outcome.kind === 'refused' ? 'clean' : 'neutral'
}

export function afterSign(ramp: Ramp, sign: PaceSign, at: AnswerTimes): Ramp {
  if (sign === 'unreached') return cut(ramp, 1, at.nowMs)
  if (at.beganMs < ramp.cutAtMs) return ramp
  if (sign === 'throttled') return cut(ramp, Math.max(1, Math.floor(ramp.slots / 2)), at.nowMs)
  if (sign === 'neutral') return { ...ramp, clean: 0 }
  const clean = ramp.clean + 1
  if (clean < ramp.slots) return { ...ramp, clean }
  const isBusy = at.underWay * 2 >= ramp.slots
  if (!isBusy && ramp.slots >= FEW) return { ...ramp, clean: 0 }
  const grown = ramp.slots < ramp.doubleUpTo ? Math.min(ramp.slots * 2, ramp.doubleUpTo) : ramp.slots + 1
  return { ...ramp, slots: Math.min(grown, ramp.max), clean: 0 }
}

const cut = (ramp: Ramp, slots: number, cutAtMs: number): Ramp => ({
  ...ramp,
  slots,
  doubleUpTo: FEW,
  clean: 0,
  cutAtMs,
})

/** A tenth of a second's worth may leave at once: smooth at low rates, and coarse timers do not slow high ones. */
const burstOf = (rate: number): number => Math.max(1, rate / 10)

export const startBucket = (rate: number | null, nowMs: number) => ({
  /** Requests per second; null for no limit. */
  rate,
  tokens: rate === null ? 0 : burstOf(rate),
  filledAtMs: nowMs,
})
/** A token bucket on the monotonic clock. Refilled on demand, no timer of its own. */
export type Bucket = Readonly<ReturnType<typeof startBucket>>

function refill(bucket: Bucket, nowMs: number): Bucket {
  if (bucket.rate === null) return bucket
  const earned = (Math.max(0, nowMs - bucket.filledAtMs) / 1000) * bucket.rate
  return { ...bucket, tokens: Math.min(burstOf(bucket.rate), bucket.tokens + earned), filledAtMs: nowMs }
}

/** Milliseconds until one request may leave; 0 when it may leave now. */
export function waitForToken(bucket: Bucket, nowMs: number): number {
  if (bucket.rate === null) return 0
  const { tokens } = refill(bucket, nowMs)
  return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / bucket.rate) * 1000)
}

/** Takes one token; call only when `waitForToken` is 0. */
export function takeToken(bucket: Bucket, nowMs: number): Bucket {
  if (bucket.rate === null) return bucket
  const full = refill(bucket, nowMs)
  return { ...full, tokens: full.tokens - 1 }
}

const FREE = 10
/** As many as requests can be under way: each of them may be repeated once. */
const MOST_SAVED = 256
const EARNED_BY_REQUEST = 0.1
const EARNED_IN_MS = 12_000

export const startRetryBudget = (nowMs: number) => ({ repeats: FREE, earnedAtMs: nowMs })
/**
 * Repeats are earned, so that a service in trouble is not hit harder by our repeats than by our rows: ten to begin with,
 * one more for ten requests, and after the first ten one for twelve seconds (run/README.md#pacing).
 */
export type RetryBudget = Readonly<ReturnType<typeof startRetryBudget>>

const earned = ({ repeats, earnedAtMs }: RetryBudget, nowMs: number): number =>
  Math.max(repeats, Math.min(FREE, repeats + (nowMs - earnedAtMs) / EARNED_IN_MS))

export const noteRequest = (budget: RetryBudget, isRepeat: boolean, nowMs: number): RetryBudget => ({
  repeats: Math.min(MOST_SAVED, earned(budget, nowMs) + (isRepeat ? -1 : EARNED_BY_REQUEST)),
  earnedAtMs: nowMs,
})

/** Milliseconds until a repeat may leave; 0 when it may leave now. */
export const waitForRepeat = (budget: RetryBudget, nowMs: number): number =>
  Math.max(0, Math.ceil((1 - earned(budget, nowMs)) * EARNED_IN_MS))

/** Waits before a repeat (run/README.md#pacing). `random` is a number in [0, 1). All times in milliseconds. */

const CONNECT_BASE_MS = 1_000
const CONNECT_CAP_MS = 8_000
const TURNED_AWAY_BASE_MS = 1_000
const TURNED_AWAY_CAP_MS = 60_000

/** So long a row may wait in one run, all its waits together; then it is left for a later run. */
export const LONGEST_WAIT_MS = 15 * 60_000

const doubled = (baseMs: number, capMs: number, n: number): number => Math.min(capMs, baseMs * 2 ** (n - 1))

/** After the n-th connection failure in a row: full jitter, so that clients do not come back together. */
export const connectBackoffMs = (n: number, random: number): number =>
  random * doubled(CONNECT_BASE_MS, CONNECT_CAP_MS, n)

/**
 * After a row was turned away for the n-th time: equal jitter, because full jitter can fall near 0 and burn every
 * repeat in one window. What the service asked for is the floor.
 */
export function turnedAwayBackoffMs(n: number, retryAfterMs: number | null, random: number): number {
  const half = doubled(TURNED_AWAY_BASE_MS, TURNED_AWAY_CAP_MS, n) / 2
  return Math.max(retryAfterMs ?? 0, half + random * half)
}

/** An answer of 0.3 s is usual for this kind of service. */
const USUAL_ANSWER_S = 0.3

export interface ExpectedPace extends PaceLimits {
  /** Each row takes two requests then. */
  readonly isAskingFirst: boolean
}

/** How long sending takes at the usual pace of a service, in milliseconds. */
export function expectedMs(rows: number, { concurrency, rate, isAskingFirst }: ExpectedPace): number {
  const perSecond = Math.min(concurrency / USUAL_ANSWER_S, rate ?? Infinity) / (isAskingFirst ? 2 : 1)
  return (rows / perSecond) * 1000
}
