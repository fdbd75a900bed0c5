import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tallyTimeline } from '../../../src/report/facts/facts.js'
const START = Date.parse('2026-06-15T10:00:00.000Z')

function timelineOf(offsetsMs: readonly number[]) {
  const tally = tallyTimeline()
  for (const offset of offsetsMs) tally.add(new Date(START + offset).toISOString())
  return tally.result()
}

describe('the timeline', () => {
  it('is empty without registrations', () => {
    expect(timelineOf([]).bars).toEqual([])
  })

  it('counts by the second while a run is short, gaps included', () => {
    expect(timelineOf([0, 400, 2100])).toEqual({
      widthMs: 1000,
      bars: [
        { from: '2026-06-15T10:00:00.000Z', count: 2 },
        { from: '2026-06-15T10:00:01.000Z', count: 0 },
        { from: '2026-06-15T10:00:02.000Z', count: 1 },
      ],
    })
  })

  it('widens its bars as the span grows and loses no registration', () => {
    const offsets = fc.array(fc.integer({ min: 0, max: 400 * 86_400_000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(offsets, (list) => {
        const { bars, widthMs } = timelineOf(list)
        expect(bars.length).toBeLessThanOrEqual(60)
        expect(bars.reduce((sum, bar) => sum + bar.count, 0)).toBe(list.length)
        expect(bars[0]!.count).toBeGreaterThan(0)
        expect(bars.at(-1)!.count).toBeGreaterThan(0)
        bars
          .slice(1)
          .forEach((bar, index) => expect(Date.parse(bar.from) - Date.parse(bars[index]!.from)).toBe(widthMs))
      }),
      { seed: 20260615, numRuns: 200 },
    )
  })

  it('does not depend on the order of registrations', () => {
    const offsets = [0, 5_000_000, 120_000, 90_000_000, 60]
    expect(timelineOf([...offsets].reverse())).toEqual(timelineOf(offsets))
  })
})
