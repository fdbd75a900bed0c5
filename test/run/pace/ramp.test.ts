import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/domain/row/outcome.js'
import {
  afterOutcome,
  afterSign,
  isSilence,
  isThrottling,
  signOf,
  startRamp,
  type PaceSign,
  type Ramp,
} from '../../../src/run/pace/ramp.js'
import { inDoubt, notAvailableYet, notSent, refused, registered, turnedAway } from '../outcome-samples.js'

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
  it.each<[string, Outcome, boolean]>([
    ['429', turnedAway(), true],
    ['421', turnedAway({ status: 421 }), true],
    ['not available yet', notAvailableYet(), false],
    ['503 in doubt', inDoubt({ status: 503, errorCode: null }), true],
    ['503 that is configured as turned away', turnedAway({ status: 503 }), true],
    ['500', inDoubt({ status: 500, errorCode: null }), false],
    ['a headers timeout', inDoubt({ errorCode: 'UND_ERR_HEADERS_TIMEOUT' }), true],
    ['an answer that stops in the middle', inDoubt({ errorCode: 'UND_ERR_BODY_TIMEOUT' }), true],
    ['our own deadline', inDoubt({ errorCode: 'DEADLINE' }), true],
    ['a reset', inDoubt(), false],
    ['200', registered(), false],
    ['422', refused(), false],
  ])('%s', (_name, outcome, expected) => {
    expect(isThrottling(outcome)).toBe(expected)
  })

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
    ['not available yet', notAvailableYet(), 'neutral'],
    ['503 in doubt', inDoubt({ status: 503, errorCode: null }), 'throttled'],
    ['silence', inDoubt({ errorCode: 'DEADLINE' }), 'throttled'],
    ['a reset', inDoubt(), 'neutral'],
    ['no connection', notSent(), 'unreached'],
    ['no connection in time', notSent({ errorCode: 'DEADLINE' }), 'unreached'],
  ])('%s', (_name, outcome, sign) => {
    expect(signOf(outcome)).toBe(sign)
  })

  it('is all that the ramp looks at', () => {
    const at = { beganMs: 5, nowMs: 9, underWay: 16 }
    const ramp: Ramp = { ...startRamp(64), slots: 16, clean: 15 }
    expect(afterSign(ramp, 'clean', at)).toEqual({ ...ramp, slots: 32, clean: 0 })
    expect(afterSign(ramp, 'neutral', at)).toEqual({ ...ramp, clean: 0 })
    expect(afterSign(ramp, 'throttled', at)).toMatchObject({ slots: 8, doubleUpTo: 8, cutAtMs: 9 })
    expect(afterSign(ramp, 'unreached', at)).toMatchObject({ slots: 1, doubleUpTo: 8, cutAtMs: 9 })
    // What began before the last cut grows and cuts nothing; only a lost connection tells of now.
    const cut: Ramp = { ...ramp, cutAtMs: 6 }
    expect(afterSign(cut, 'clean', at)).toBe(cut)
    expect(afterSign(cut, 'throttled', at)).toBe(cut)
    expect(afterSign(cut, 'unreached', at)).toMatchObject({ slots: 1, cutAtMs: 9 })
  })

  it('knows silence by the code of the time limit that ended it', () => {
    for (const code of ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'DEADLINE'])
      expect(isSilence(code)).toBe(true)
    for (const code of ['ECONNRESET', null]) expect(isSilence(code)).toBe(false)
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
