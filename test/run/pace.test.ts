import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  afterSign,
  connectBackoffMs,
  departuresOf,
  expectedMs,
  isThrottling,
  noteDeparture,
  noteRequest,
  pauseUntil,
  signOf,
  startBucket,
  startPace,
  startRamp,
  startRetryBudget,
  takeToken,
  turnedAwayBackoffMs,
  waitForRepeat,
  waitForToken,
  type AnswerTimes,
  type Bucket,
  type Pace,
  type PaceSign,
  type Ramp,
  type RetryBudget,
} from '../../src/run/pace.js'
import { inDoubt, notAvailableYet, notSent, refused, registered, turnedAway } from './outcome-samples.js'
import type { Outcome } from '../../src/domain/row/row-state.js'

const afterOutcome = (ramp: Ramp, outcome: Outcome, at: AnswerTimes): Ramp =>
  afterSign(ramp, signOf(outcome), at)

const LIMITS = { concurrency: 8, rate: 10 }

describe('the pace of a run', () => {
  it('lets one row leave at once; the next waits for its token, or for a pause that is longer', () => {
    const pace = startPace(LIMITS, 1_000)
    expect(pace.ramp.slots).toBe(1)
    expect(departuresOf(pace, 1_000)).toEqual({ anyFromMs: 1_000, repeatFromMs: 1_000 })
    const empty = noteDeparture(pace, false, 1_000)
    expect(departuresOf(empty, 1_000)).toEqual({ anyFromMs: 1_100, repeatFromMs: 1_000 })
    expect(departuresOf(pauseUntil(empty, 1_050), 1_000).anyFromMs).toBe(1_100)
    expect(departuresOf(pauseUntil(empty, 1_500), 1_000).anyFromMs).toBe(1_500)
  })

  it('holds back repeats alone when their share is used up', () => {
    let pace: Pace = startPace({ ...LIMITS, rate: null }, 0)
    for (let n = 0; n < 12; n += 1) pace = noteDeparture(pace, true, 0)
    expect(departuresOf(pace, 0)).toEqual({ anyFromMs: 0, repeatFromMs: 36_000 })
  })

  it('is never shortened by a later pause', () => {
    const paused = pauseUntil(startPace(LIMITS, 0), 5_000)
    expect(pauseUntil(paused, 5_000)).toBe(paused)
    expect(pauseUntil(paused, 6_000).pausedUntilMs).toBe(6_000)
  })
})

/** An answer to a request that began after everything before it, with all slots in use. */
const answer = (ramp: Ramp, outcome: Outcome, underWay = ramp.slots): Ramp =>
  afterOutcome(ramp, outcome, { beganMs: 1_000, nowMs: 1_000, underWay })

/** The slots after each of so many clean answers. */
function slotsAfter(ramp: Ramp, answers: number): number[] {
  let now = ramp
  return Array.from(
    { length: answers },
    (_, n) => (now = answer(now, n % 2 === 0 ? registered() : refused())).slots,
  )
}

const many = (count: number, slots: number): number[] => Array<number>(count).fill(slots)
/** A ramp that was cut before. */
const cutTo = (slots: number, clean = 0, max = 64): Ramp => ({
  ...startRamp(max),
  slots,
  doubleUpTo: 8,
  clean,
})

describe('growth', () => {
  it('begins with one row alone', () => {
    expect(startRamp(64)).toEqual({ max: 64, slots: 1, doubleUpTo: 64, clean: 0, cutAtMs: -Infinity })
  })

  it.each<[string, Ramp, number[]]>([
    [
      'doubles up to the maximum',
      startRamp(24),
      [2, 2, 4, ...many(3, 4), 8, ...many(7, 8), ...many(16, 16), 24],
    ],
    ['has a maximum of 1', startRamp(1), many(5, 1)],
    ['has a maximum below 8', startRamp(3), [2, 2, ...many(7, 3)]],
    ['adds one per round above 8 after a cut', cutTo(2), [2, 4, 4, 4, 4, ...many(8, 8), ...many(9, 9), 10]],
    ['never passes 8 in one step after a cut', cutTo(5), [...many(4, 5), 8]],
    ['ends at the maximum after a cut, too', cutTo(8, 7, 9), many(40, 9)],
  ])('%s', (_name, ramp, expected) => {
    expect(slotsAfter(ramp, expected.length)).toEqual(expected)
  })

  it.each<[Ramp, number, number]>([
    [cutTo(12, 11), 6, 13],
    [cutTo(12, 11), 5, 12],
    [{ ...startRamp(64), slots: 8, clean: 7 }, 4, 16],
    [{ ...startRamp(64), slots: 8, clean: 7 }, 3, 8],
    [{ ...startRamp(64), slots: 4, clean: 3 }, 1, 8],
  ])(
    'from 8 on needs half the slots in use, and the round counts anew: %j with %d',
    (ramp, underWay, slots) => {
      expect(answer(ramp, registered(), underWay)).toMatchObject({ slots, clean: 0 })
    },
  )

  it('starts its round again after a doubt that says nothing about the pace', () => {
    for (const outcome of [inDoubt(), notAvailableYet()])
      expect(answer(cutTo(4, 3), outcome)).toEqual(cutTo(4, 0))
  })
})

describe('throttling', () => {
  const at = (beganMs: number, nowMs: number): AnswerTimes => ({ beganMs, nowMs, underWay: 16 })

  it.each([
    [16, 8],
    [9, 4],
    [2, 1],
    [1, 1],
  ])('halves the slots, rounded down, and never below one: %d', (slots, left) => {
    const ramp = { ...startRamp(64), slots, clean: 1 }
    const cut = { max: 64, slots: left, doubleUpTo: 8, clean: 0, cutAtMs: 9 }
    expect(afterOutcome(ramp, turnedAway(), at(5, 9))).toEqual(cut)
    expect(afterOutcome(ramp, notSent(), at(5, 9))).toEqual({ ...cut, slots: 1 })
  })

  it('halves once per round trip: what was under way at the cut neither cuts again nor makes it grow', () => {
    const first = afterOutcome({ ...startRamp(64), slots: 16 }, turnedAway(), at(10, 100))
    for (const outcome of [turnedAway(), registered()])
      expect(afterOutcome(first, outcome, at(99, 101))).toEqual(first)
    expect(afterOutcome(first, turnedAway(), at(100, 200))).toMatchObject({ slots: 4, cutAtMs: 200 })
    expect(afterOutcome(first, registered(), at(100, 200))).toMatchObject({ slots: 8, clean: 1 })
  })
})

it.each<[string, Outcome, PaceSign]>([
  ['registered', registered(), 'clean'],
  ['refused', refused(), 'clean'],
  ['a refusal by 503', refused({ status: 503 }), 'throttled'],
  ['429', turnedAway(), 'throttled'],
  ['421', turnedAway({ status: 421 }), 'throttled'],
  ['503 that is configured as turned away', turnedAway({ status: 503 }), 'throttled'],
  ['500', inDoubt({ status: 500, errorCode: null }), 'neutral'],
  ['a headers timeout', inDoubt({ errorCode: 'UND_ERR_HEADERS_TIMEOUT' }), 'throttled'],
  ['an answer that stops in the middle', inDoubt({ errorCode: 'UND_ERR_BODY_TIMEOUT' }), 'throttled'],
  ['not available yet', notAvailableYet(), 'neutral'],
  ['503 in doubt', inDoubt({ status: 503, errorCode: null }), 'throttled'],
  ['silence', inDoubt({ errorCode: 'DEADLINE' }), 'throttled'],
  ['a reset', inDoubt(), 'neutral'],
  ['held back', inDoubt({ started: false, status: 200, errorCode: null }), 'clean'],
  ['held back by a 429', inDoubt({ started: false, status: 429, errorCode: null }), 'throttled'],
  ['429 in doubt', inDoubt({ status: 429, errorCode: null }), 'neutral'],
  ['no connection', notSent(), 'unreached'],
  ['no connection in time', notSent({ errorCode: 'DEADLINE' }), 'unreached'],
])('the sign of an outcome: %s', (_name, outcome, sign) => {
  expect(signOf(outcome)).toBe(sign)
})

it('sending takes as long as slots and rate allow, and twice as long where each row is asked about first', () => {
  const pace = { concurrency: 8, rate: null, isAskingFirst: false }
  const usual = expectedMs(1_000, pace)
  expect(usual).toBeGreaterThan(0)
  expect(expectedMs(2_000, pace)).toBe(usual * 2)
  expect(expectedMs(1_000, { ...pace, concurrency: 4 })).toBe(usual * 2)
  expect(expectedMs(1_000, { ...pace, isAskingFirst: true })).toBe(usual * 2)
  expect(expectedMs(1_000, { ...pace, rate: 10 })).toBe(100_000)
})

describe('any sequence of outcomes', () => {
  const outcomes = [registered(), refused(), turnedAway(), notAvailableYet(), inDoubt(), notSent()]
  const step = fc.record({
    outcome: fc.constantFrom(...outcomes, registered(), registered(), registered(), registered()),
    tookMs: fc.integer({ min: 0, max: 50 }),
    passedMs: fc.integer({ min: 0, max: 10 }),
    underWay: fc.integer({ min: 1, max: 80 }),
  })

  it('keeps the slots between one and the maximum, and changes them by the rules only', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.array(step, { maxLength: 200 }), (max, steps) => {
        let ramp = startRamp(max)
        let nowMs = 0
        let cleanRound = 0
        let lastCutMs = -Infinity
        for (const { outcome, tookMs, passedMs, underWay } of steps) {
          nowMs += passedMs
          const beganMs = nowMs - tookMs
          const next = afterOutcome(ramp, outcome, { beganMs, nowMs, underWay })
          const isClean = outcome.kind === 'registered' || outcome.kind === 'refused'
          const isNew = beganMs >= lastCutMs
          if (isNew) cleanRound = isClean ? cleanRound + 1 : 0
          expect(next.slots).toBeGreaterThanOrEqual(1)
          expect(next.slots).toBeLessThanOrEqual(max)
          if (next.slots > ramp.slots) {
            expect(cleanRound).toBeGreaterThanOrEqual(ramp.slots)
            expect(next.slots).toBeLessThanOrEqual(
              lastCutMs === -Infinity
                ? ramp.slots * 2
                : ramp.slots < 8
                  ? Math.min(ramp.slots * 2, 8)
                  : ramp.slots + 1,
            )
          }
          if (next.slots < ramp.slots && outcome.kind !== 'not_sent') {
            expect(isThrottling(outcome) && isNew).toBe(true)
            expect(next.slots).toBe(Math.floor(ramp.slots / 2))
          }
          if (outcome.kind === 'not_sent' || (isThrottling(outcome) && isNew)) lastCutMs = nowMs
          if (next.slots !== ramp.slots || outcome.kind === 'not_sent') cleanRound = 0
          ramp = next
        }
      }),
      { seed: 20260401, numRuns: 500 },
    )
  })
})

/** The times at which requests leave when one is always waiting, and the clock is late by so much each time. */
function leavingTimes(rate: number, requests: number, latenessMs: readonly number[] = [0]): number[] {
  let bucket = startBucket(rate, 0)
  let nowMs = 0
  return Array.from({ length: requests }, (_, n) => {
    const waitMs = waitForToken(bucket, nowMs)
    if (waitMs > 0) nowMs += waitMs + (latenessMs[n % latenessMs.length] ?? 0)
    expect(waitForToken(bucket, nowMs)).toBe(0)
    bucket = takeToken(bucket, nowMs)
    return nowMs
  })
}

describe('a bucket', () => {
  it('without a rate never waits and never changes', () => {
    const bucket = startBucket(null, 5)
    expect(bucket).toEqual({ rate: null, tokens: 0, filledAtMs: 5 })
    expect(waitForToken(bucket, 5)).toBe(0)
    expect(takeToken(bucket, 99)).toBe(bucket)
  })

  it('starts with a tenth of a second worth, and with one request at least', () => {
    expect(startBucket(100, 7)).toEqual({ rate: 100, tokens: 10, filledAtMs: 7 })
    for (const rate of [10, 2, 0.5]) expect(startBucket(rate, 0).tokens).toBe(1)
  })

  it.each([
    [2, [0, 500, 1000, 1500]],
    [0.1, [0, 10_000, 20_000]],
    [100, [...many(10, 0), 10, 20, 30]],
  ])('lets the burst leave at once, then keeps the rate of %d', (rate, times) => {
    expect(leavingTimes(rate, times.length)).toEqual(times)
  })

  it.each<[Partial<Bucket>, number, number]>([
    [{}, 0, 334],
    [{}, 333, 1],
    [{}, 334, 0],
    [{ tokens: 0.5 }, 0, 167],
    [{ tokens: 1 }, 0, 0],
    // A clock that stands still, or is read late, earns nothing.
    [{ rate: 100, tokens: 0.5, filledAtMs: 1_000 }, 1_000, 5],
    [{ rate: 100, tokens: 0.5, filledAtMs: 1_000 }, 500, 5],
  ])('tells how long until the next token, rounded up: %j at %d', (bucket, nowMs, waitMs) => {
    expect(waitForToken({ rate: 3, tokens: 0, filledAtMs: 0, ...bucket }, nowMs)).toBe(waitMs)
  })

  it('keeps what it earned, up to the burst', () => {
    const empty: Bucket = { rate: 100, tokens: 0, filledAtMs: 1_000 }
    expect(takeToken(empty, 1_050)).toEqual({ rate: 100, tokens: 4, filledAtMs: 1_050 })
    expect(takeToken(empty, 900_000)).toEqual({ rate: 100, tokens: 9, filledAtMs: 900_000 })
  })

  it('lets no more than the rate and one burst through in any window', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.2, max: 2_000, noNaN: true }),
        fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 20 }),
        (rate, latenessMs) => {
          const times = leavingTimes(rate, 150, latenessMs)
          const burst = Math.max(1, rate / 10)
          let most = -Infinity
          for (let from = 0; from < times.length; from += 1)
            for (let to = from; to < times.length; to += 1)
              most = Math.max(most, to - from + 1 - ((times[to]! - times[from]!) / 1000) * rate)
          expect(most).toBeLessThanOrEqual(burst + 1e-6)
        },
      ),
      { seed: 20260402, numRuns: 100 },
    )
  })

  it('is not slower than its rate when the clock is on time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), (rate) => {
        const times = leavingTimes(rate, 200)
        // Each wait is rounded up to a whole millisecond.
        expect(times.at(-1)).toBeLessThanOrEqual((200 / rate) * 1000 + 200)
      }),
      { seed: 20260403, numRuns: 100 },
    )
  })
})

function noteMany(budget: RetryBudget, count: number, isRepeat: boolean, nowMs: number): RetryBudget {
  let noted = budget
  for (let n = 0; n < count; n += 1) noted = noteRequest(noted, isRepeat, nowMs)
  return noted
}

describe('the retry budget', () => {
  it.each([
    [0, 9, 0],
    [0, 10, 12_000],
    [0, 11, 24_000],
    [5, 10, 6_000],
    [20, 12, 12_000],
    [30, 12, 0],
    // What was saved has an end.
    [5_000, 255, 0],
    [5_000, 256, 12_000],
  ])('after %d requests and %d repeats the next repeat waits %d ms', (requests, repeats, waitMs) => {
    const budget = noteMany(noteMany(startRetryBudget(1_000), requests, false, 1_000), repeats, true, 1_000)
    expect(Math.abs(waitForRepeat(budget, 1_000) - waitMs)).toBeLessThanOrEqual(1)
  })

  it('earns one in twelve seconds, and no more than ten by waiting', () => {
    const empty = noteMany(startRetryBudget(0), 10, true, 0)
    expect(waitForRepeat(empty, 11_999)).toBe(1)
    expect(waitForRepeat(empty, 12_000)).toBe(0)
    expect(waitForRepeat(noteMany(empty, 10, true, 3_600_000), 3_600_000)).toBe(12_000)
    // A clock that is read late earns nothing.
    expect(waitForRepeat(noteMany(empty, 1, false, 0), -5_000)).toBeGreaterThan(10_000)
  })

  it('keeps repeats to ten, a tenth of the requests before them and ten in two minutes', () => {
    const step = fc.record({ isRepeat: fc.boolean(), passedMs: fc.integer({ min: 0, max: 900 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        let budget = startRetryBudget(0)
        let nowMs = 0
        let [requests, repeats] = [0, 0]
        for (const { isRepeat, passedMs } of steps) {
          nowMs += passedMs
          if (isRepeat && waitForRepeat(budget, nowMs) > 0) continue
          budget = noteRequest(budget, isRepeat, nowMs)
          if (isRepeat) repeats += 1
          else requests += 1
          expect(repeats).toBeLessThanOrEqual(10 + 0.1 * requests + nowMs / 12_000 + 1e-6)
        }
      }),
      { seed: 20260406, numRuns: 100 },
    )
  })
})

it.each([
  [1, 1_000],
  [2, 2_000],
  [3, 4_000],
  [4, 8_000],
  [2_000, 8_000],
])('the wait after connection failure %d is below %d ms', (n, ceilingMs) => {
  expect(connectBackoffMs(n, 0)).toBe(0)
  expect(connectBackoffMs(n, 0.5)).toBe(ceilingMs / 2)
})

describe('the wait after a row was turned away', () => {
  it.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [6, 16_000, 32_000],
    [7, 30_000, 60_000],
    [8, 30_000, 60_000],
  ])('for the %dth time is between %d and %d ms', (n, floorMs, ceilingMs) => {
    expect(turnedAwayBackoffMs(n, null, 0)).toBe(floorMs)
    expect(turnedAwayBackoffMs(n, null, 0.5)).toBe((floorMs + ceilingMs) / 2)
  })

  it('is never shorter than what the service asked for', () => {
    expect(turnedAwayBackoffMs(1, 7_000, 0.5)).toBe(7_000)
    expect(turnedAwayBackoffMs(1, 0, 0)).toBe(500)
    expect(turnedAwayBackoffMs(4, 100, 0)).toBe(4_000)
    expect(turnedAwayBackoffMs(1, 3_600_000, 0)).toBe(3_600_000)
  })
})
