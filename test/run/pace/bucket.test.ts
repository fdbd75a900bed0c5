import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startBucket, takeToken, waitForToken, type Bucket } from '../../../src/run/pace/bucket.js'

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
