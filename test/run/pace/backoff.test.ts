import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectBackoffMs, turnedAwayBackoffMs } from '../../../src/run/pace/backoff.js'

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const nth = fc.integer({ min: 1, max: 2_000 })

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

  it('is spread over the whole range, and never above 8 s', () => {
    fc.assert(
      fc.property(nth, chance, (n, random) => {
        const waitMs = connectBackoffMs(n, random)
        expect(waitMs).toBeGreaterThanOrEqual(0)
        expect(waitMs).toBeLessThanOrEqual(8_000)
      }),
      { seed: 20260404 },
    )
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

  it('stays between half and the whole of its step', () => {
    fc.assert(
      fc.property(nth, chance, fc.option(fc.integer({ min: 0, max: 1e7 })), (n, random, askedMs) => {
        const waitMs = turnedAwayBackoffMs(n, askedMs, random)
        expect(waitMs).toBeGreaterThanOrEqual(Math.max(500, askedMs ?? 0))
        expect(waitMs).toBeLessThanOrEqual(Math.max(60_000, askedMs ?? 0))
      }),
      { seed: 20260405 },
    )
  })
})
