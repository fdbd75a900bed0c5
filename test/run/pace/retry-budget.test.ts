import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  noteRequest,
  startRetryBudget,
  waitForRepeat,
  type RetryBudget,
} from '../../../src/run/pace/retry-budget.js'

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

  it('gives a tenth of the requests on top', () => {
    const hundred = noteMany(startRetryBudget(), 100, false, 0)
    // With 22 repeats among 122 requests 10 + 12.2 are allowed; with 23 among 123, 22.3.
    expect(waitForRepeat(noteMany(hundred, 22, true, 0), 0)).toBe(0)
    expect(waitForRepeat(noteMany(hundred, 23, true, 0), 0)).toBe(120_000)
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
