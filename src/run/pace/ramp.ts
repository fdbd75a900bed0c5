import { isHeldBack } from '../../domain/proof/before-sending.js'
import type { Outcome } from '../../domain/row/outcome.js'

/**
 * How many requests may be under way (run/README.md#pacing): one row alone first, so that a wrong
 * set-up costs one row; then doubling after each clean round, until the service shows a limit; from then on one more
 * per round above 8. Above 8 only while at least half the slots are used. Halved on throttling, at most once per round
 * trip. Never above `max`.
 */
export interface Ramp {
  readonly max: number
  readonly slots: number
  /** So far the slots double: what was asked for, until the service throttles or cannot be reached. */
  readonly doubleUpTo: number
  /** Answers in a row without throttling since the last change of `slots`. */
  readonly clean: number
  /** Monotonic time of the last cut; attempts that began before it say nothing about the pace since. */
  readonly cutAtMs: number
}

/** So many at once are few for any service. */
const FEW = 8

export const startRamp = (max: number): Ramp => ({
  max,
  slots: 1,
  doubleUpTo: max,
  clean: 0,
  cutAtMs: -Infinity,
})

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

export const afterOutcome = (ramp: Ramp, outcome: Outcome, at: AnswerTimes): Ramp =>
  afterSign(ramp, signOf(outcome), at)

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
