import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  afterSign,
  connectBackoffMs,
  departuresOf,
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
  it('lets one row leave at once', () => {
    const pace = startPace(LIMITS, 1_000)
    expect(pace.ramp.slots).toBe(1)
    expect(departuresOf(pace, 1_000)).toEqual({ anyFromMs: 1_000, repeatFromMs: 1_000 })
  })

  it('makes the next row wait for its token', () => {
    const pace = noteDeparture(startPace(LIMITS, 1_000), false, 1_000)
    expect(departuresOf(pace, 1_000)).toEqual({ anyFromMs: 1_100, repeatFromMs: 1_000 })
  })

  it('waits for the later of pause and token', () => {
    const empty = noteDeparture(startPace(LIMITS, 0), false, 0)
    expect(departuresOf(pauseUntil(empty, 50), 0).anyFromMs).toBe(100)
    expect(departuresOf(pauseUntil(empty, 500), 0).anyFromMs).toBe(500)
  })

  it('holds back repeats alone when their share is used up', () => {
    let pace: Pace = startPace({ ...LIMITS, rate: null }, 0)
    for (let n = 0; n < 12; n += 1) pace = noteDeparture(pace, true, 0)
    expect(departuresOf(pace, 0)).toEqual({ anyFromMs: 0, repeatFromMs: 120_000 })
  })

  it('is never shortened by a later pause', () => {
    const paused = pauseUntil(startPace(LIMITS, 0), 5_000)
    expect(pauseUntil(paused, 4_000)).toBe(paused)
    expect(pauseUntil(paused, 5_000)).toBe(paused)
    expect(pauseUntil(paused, 6_000).pausedUntilMs).toBe(6_000)
  })
})

/** An answer to a request that began after everything before it, with all slots in use. */
const answer = (ramp: Ramp, outcome: Outcome, underWay = ramp.slots): Ramp =>
  afterOutcome(ramp, outcome, { beganMs: 1_000, nowMs: 1_000, underWay })

/** The slots after each of so many clean answers. */
function slotsAfter(ramp: Ramp, answers: number, underWay?: number): number[] {
  const slots: number[] = []
  let now = ramp
  for (let n = 0; n < answers; n += 1) {
    now = answer(now, n % 2 === 0 ? registered() : refused(), underWay ?? now.slots)
    slots.push(now.slots)
  }
  return slots
}

describe('the canary', () => {
  it('is one row alone, whatever the maximum', () => {
    expect(startRamp(64)).toEqual({ max: 64, slots: 1, doubleUpTo: 64, clean: 0, cutAtMs: -Infinity })
    expect(startRamp(1).slots).toBe(1)
  })
})

describe('growth', () => {
  it('doubles after each clean round up to what was asked for', () => {
    const doubled = [2, 2, 4, 4, 4, 4, 8, ...Array<number>(7).fill(8), 16, ...Array<number>(15).fill(16), 24]
    expect(slotsAfter(startRamp(24), 31)).toEqual(doubled)
    expect(slotsAfter(startRamp(64), 63).at(-1)).toBe(64)
  })

  it('after the first cut doubles up to 8 only, then adds one per round', () => {
    const shown: Ramp = { ...startRamp(64), slots: 2, doubleUpTo: 8 }
    const doubled = [2, 4, 4, 4, 4, 8]
    const atEight = [8, 8, 8, 8, 8, 8, 8, 9]
    const atNine = [9, 9, 9, 9, 9, 9, 9, 9, 10]
    expect(slotsAfter(shown, 23)).toEqual([...doubled, ...atEight, ...atNine])
  })

  it('ends at the maximum, below 8 and above it', () => {
    expect(slotsAfter(startRamp(1), 5)).toEqual([1, 1, 1, 1, 1])
    expect(slotsAfter(startRamp(3), 9)).toEqual([2, 2, 3, 3, 3, 3, 3, 3, 3])
    expect(slotsAfter(startRamp(9), 40).at(-1)).toBe(9)
    expect(slotsAfter({ ...startRamp(9), doubleUpTo: 8 }, 40).at(-1)).toBe(9)
  })

  it('after the first cut never passes 8 in one step from below', () => {
    const five: Ramp = { ...startRamp(64), slots: 5, doubleUpTo: 8 }
    expect(slotsAfter(five, 5)).toEqual([5, 5, 5, 5, 8])
  })

  it('beyond 8 needs half the slots in use, and a round that did not is not counted later', () => {
    const twelve: Ramp = { ...startRamp(64), slots: 12, doubleUpTo: 8, clean: 11 }
    expect(answer(twelve, registered(), 6)).toMatchObject({ slots: 13, clean: 0 })
    expect(answer(twelve, registered(), 5)).toMatchObject({ slots: 12, clean: 0 })
    const eight: Ramp = { ...startRamp(64), slots: 8, clean: 7 }
    expect(answer(eight, registered(), 4)).toMatchObject({ slots: 16, clean: 0 })
    expect(answer(eight, registered(), 3)).toMatchObject({ slots: 8, clean: 0 })
  })

  it('below 8 asks nothing about the slots in use', () => {
    const four: Ramp = { ...startRamp(64), slots: 4, clean: 3 }
    expect(answer(four, registered(), 1)).toMatchObject({ slots: 8, clean: 0 })
  })

  it('starts its round again after a doubt that says nothing about the pace', () => {
    const nearly: Ramp = { ...startRamp(64), slots: 4, clean: 3 }
    expect(answer(nearly, inDoubt())).toEqual({ ...nearly, clean: 0 })
    expect(answer(nearly, notAvailableYet())).toEqual({ ...nearly, clean: 0 })
  })
})

describe('throttling', () => {
  it('halves the slots, rounded down, and never below one', () => {
    const at = { beganMs: 5, nowMs: 9, underWay: 1 }
    const cut = (slots: number): Ramp => afterOutcome({ ...startRamp(64), slots, clean: 1 }, turnedAway(), at)
    expect(cut(16)).toEqual({ max: 64, slots: 8, doubleUpTo: 8, clean: 0, cutAtMs: 9 })
    expect(cut(9).slots).toBe(4)
    expect(cut(2).slots).toBe(1)
    expect(cut(1).slots).toBe(1)
  })

  it('halves once per round trip: what was under way at the cut does not cut again', () => {
    const first = afterOutcome({ ...startRamp(64), slots: 16 }, turnedAway(), {
      beganMs: 10,
      nowMs: 100,
      underWay: 16,
    })
    const second = afterOutcome(first, turnedAway(), { beganMs: 99, nowMs: 101, underWay: 15 })
    expect(second).toEqual(first)
    const later = afterOutcome(second, turnedAway(), { beganMs: 100, nowMs: 200, underWay: 8 })
    expect(later).toMatchObject({ slots: 4, cutAtMs: 200 })
  })

  it('does not grow back on answers to what was under way at the cut', () => {
    const cut = afterOutcome({ ...startRamp(64), slots: 4 }, turnedAway(), {
      beganMs: 10,
      nowMs: 100,
      underWay: 4,
    })
    const late = { beganMs: 20, nowMs: 110, underWay: 3 }
    expect(afterOutcome(afterOutcome(cut, registered(), late), registered(), late)).toEqual(cut)
    expect(afterOutcome(cut, registered(), { beganMs: 100, nowMs: 200, underWay: 2 })).toMatchObject({
      slots: 2,
      clean: 1,
    })
  })

  it('falls back to a canary when the service cannot be reached', () => {
    const at = { beganMs: 5, nowMs: 9, underWay: 16 }
    expect(afterOutcome({ ...startRamp(64), slots: 16, clean: 4 }, notSent(), at)).toEqual({
      max: 64,
      slots: 1,
      doubleUpTo: 8,
      clean: 0,
      cutAtMs: 9,
    })
  })
})

describe('the sign of an outcome', () => {
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
    ['no connection', notSent(), 'unreached'],
    ['no connection in time', notSent({ errorCode: 'DEADLINE' }), 'unreached'],
  ])('%s', (_name, outcome, sign) => {
    expect(signOf(outcome)).toBe(sign)
  })
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

describe('a bucket without a rate', () => {
  it('never waits and never changes', () => {
    const bucket = startBucket(null, 5)
    expect(bucket).toEqual({ rate: null, tokens: 0, filledAtMs: 5 })
    expect(waitForToken(bucket, 5)).toBe(0)
    expect(takeToken(bucket, 99)).toBe(bucket)
  })
})

describe('a bucket with a rate', () => {
  it('starts with a tenth of a second worth, and with one request at least', () => {
    expect(startBucket(100, 7)).toEqual({ rate: 100, tokens: 10, filledAtMs: 7 })
    expect(startBucket(10, 0).tokens).toBe(1)
    expect(startBucket(2, 0).tokens).toBe(1)
    expect(startBucket(0.5, 0).tokens).toBe(1)
  })

  it('lets one request leave per interval at a low rate', () => {
    expect(leavingTimes(2, 4)).toEqual([0, 500, 1000, 1500])
    expect(leavingTimes(0.1, 3)).toEqual([0, 10_000, 20_000])
  })

  it('lets the burst leave at once, then keeps the rate', () => {
    expect(leavingTimes(100, 13)).toEqual([...Array.from({ length: 10 }, () => 0), 10, 20, 30])
  })

  it('tells how long until the next token, rounded up to a whole millisecond', () => {
    const empty: Bucket = { rate: 3, tokens: 0, filledAtMs: 0 }
    expect(waitForToken(empty, 0)).toBe(334)
    expect(waitForToken(empty, 333)).toBe(1)
    expect(waitForToken(empty, 334)).toBe(0)
    expect(waitForToken({ ...empty, tokens: 0.5 }, 0)).toBe(167)
    expect(waitForToken({ ...empty, tokens: 1 }, 0)).toBe(0)
  })

  it('keeps what it earned, up to the burst', () => {
    const empty: Bucket = { rate: 100, tokens: 0, filledAtMs: 1_000 }
    expect(takeToken(empty, 1_050)).toEqual({ rate: 100, tokens: 4, filledAtMs: 1_050 })
    expect(takeToken(empty, 900_000)).toEqual({ rate: 100, tokens: 9, filledAtMs: 900_000 })
  })

  it('earns nothing when the clock stands still or is read late', () => {
    const empty: Bucket = { rate: 100, tokens: 0.5, filledAtMs: 1_000 }
    expect(waitForToken(empty, 1_000)).toBe(5)
    expect(waitForToken(empty, 500)).toBe(5)
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
  it('lets repeats leave freely while nothing was repeated', () => {
    expect(waitForRepeat(startRetryBudget(), 0)).toBe(0)
    expect(waitForRepeat(noteMany(startRetryBudget(), 5_000, false, 0), 0)).toBe(0)
  })

  it('gives ten repeats, which count as requests too, and one more', () => {
    const ten = noteMany(startRetryBudget(), 10, true, 1_000)
    expect(waitForRepeat(ten, 1_000)).toBe(0)
    expect(waitForRepeat(noteRequest(ten, true, 1_000), 1_000)).toBe(0)
    expect(waitForRepeat(noteMany(ten, 2, true, 1_000), 1_000)).toBe(120_000)
  })

  it('waits as soon as the share is reached, not only when it is passed', () => {
    const reached = noteMany(noteMany(startRetryBudget(), 8, false, 0), 12, true, 0)
    expect(waitForRepeat(reached, 0)).toBe(120_000)
    const below = noteMany(noteMany(startRetryBudget(), 9, false, 0), 12, true, 0)
    expect(waitForRepeat(below, 0)).toBe(0)
  })

  it('frees itself when the oldest slice with a repeat is two minutes old', () => {
    let budget = noteMany(startRetryBudget(), 20, false, 0)
    budget = noteMany(budget, 20, true, 6_000)
    expect(waitForRepeat(budget, 6_000)).toBe(120_000)
    expect(waitForRepeat(budget, 120_000)).toBe(6_000)
    expect(waitForRepeat(budget, 125_999)).toBe(1)
    expect(waitForRepeat(budget, 126_000)).toBe(0)
  })

  it('counts what happens within five seconds together', () => {
    const both = noteRequest(noteRequest(startRetryBudget(), true, 100), false, 5_099)
    expect(both.slices).toEqual([{ startedMs: 100, requests: 2, repeats: 1 }])
    const apart = noteRequest(both, true, 5_100)
    expect(apart.slices).toEqual([
      { startedMs: 100, requests: 2, repeats: 1 },
      { startedMs: 5_100, requests: 1, repeats: 1 },
    ])
    expect(noteRequest(apart, false, 5_200).slices).toEqual([
      { startedMs: 100, requests: 2, repeats: 1 },
      { startedMs: 5_100, requests: 2, repeats: 1 },
    ])
  })

  it('forgets what is older than two minutes, so it does not grow', () => {
    let budget = startRetryBudget()
    for (let nowMs = 0; nowMs < 3_600_000; nowMs += 700) {
      budget = noteRequest(budget, nowMs % 3 === 0, nowMs)
      expect(budget.slices.length).toBeLessThanOrEqual(24)
    }
    expect(noteRequest(budget, false, 9_000_000).slices).toHaveLength(1)
    const one = noteRequest(startRetryBudget(), true, 500)
    expect(noteRequest(one, false, 120_499).slices).toHaveLength(2)
    expect(noteRequest(one, false, 120_500).slices).toHaveLength(1)
  })

  it('keeps repeats to ten and a tenth of the requests of any two minutes', () => {
    const step = fc.record({ isRepeat: fc.boolean(), passedMs: fc.integer({ min: 0, max: 900 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        let budget = startRetryBudget()
        let nowMs = 0
        const sent: { atMs: number; isRepeat: boolean }[] = []
        for (const { isRepeat, passedMs } of steps) {
          nowMs += passedMs
          const mayRepeat = waitForRepeat(budget, nowMs) === 0
          if (isRepeat && !mayRepeat) continue
          if (isRepeat) {
            // Five seconds are counted together, so the window is between 115 and 120 s.
            const recent = sent.filter(({ atMs }) => nowMs - atMs < 115_000)
            const repeats = recent.filter((request) => request.isRepeat).length
            const requests = sent.filter(({ atMs }) => nowMs - atMs < 120_000).length
            expect(repeats).toBeLessThan(10 + 0.1 * requests + 1e-9)
          }
          budget = noteRequest(budget, isRepeat, nowMs)
          sent.push({ atMs: nowMs, isRepeat })
        }
      }),
      { seed: 20260406, numRuns: 100 },
    )
  })
})

describe('the wait after a connection failure', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [4, 8_000],
    [5, 8_000],
    [2_000, 8_000],
  ])('after failure %d is below %d ms', (n, ceilingMs) => {
    expect(connectBackoffMs(n, 0)).toBe(0)
    expect(connectBackoffMs(n, 0.5)).toBe(ceilingMs / 2)
    expect(connectBackoffMs(n, 0.999)).toBeCloseTo(ceilingMs * 0.999, 6)
  })
})

describe('the wait after a row was turned away', () => {
  it.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [3, 2_000, 4_000],
    [4, 4_000, 8_000],
    [5, 8_000, 16_000],
    [6, 16_000, 32_000],
    [7, 30_000, 60_000],
    [8, 30_000, 60_000],
  ])('for the %dth time is between %d and %d ms', (n, floorMs, ceilingMs) => {
    expect(turnedAwayBackoffMs(n, null, 0)).toBe(floorMs)
    expect(turnedAwayBackoffMs(n, null, 0.5)).toBe((floorMs + ceilingMs) / 2)
    expect(turnedAwayBackoffMs(n, null, 0.999)).toBeLessThan(ceilingMs)
  })

  it('is never shorter than what the service asked for', () => {
    expect(turnedAwayBackoffMs(1, 7_000, 0.5)).toBe(7_000)
    expect(turnedAwayBackoffMs(1, 0, 0)).toBe(500)
    expect(turnedAwayBackoffMs(4, 100, 0)).toBe(4_000)
    expect(turnedAwayBackoffMs(1, 3_600_000, 0)).toBe(3_600_000)
  })
})
