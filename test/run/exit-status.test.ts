import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DECLINED,
  exitStatusOf,
  INTERRUPTED,
  OUT_OF_TIME,
  PILOT_DONE,
  stopOfHalt,
} from '../../src/run/brake.js'
import { totalsOf, type Totals } from '../../src/domain/row/row-state.js'
type Count = Exclude<keyof Totals, 'read'>

/** Totals that balance. */
function totals(counts: Partial<Record<Count, number>>): Totals {
  const read = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return { ...totalsOf(read, new Map()), ...counts }
}

const CREDENTIALS = stopOfHalt('credentials')
const CERTIFICATE = stopOfHalt('certificate')

describe('a campaign without a stop', () => {
  it.each<[string, Partial<Record<Count, number>>, number]>([
    ['nothing at all', {}, 0],
    ['everything registered', { registered: 9 }, 0],
    ['closed in other ways', { registered: 1, duplicate: 1, excluded: 1, superseded: 1, writtenOff: 1 }, 0],
    ['an invalid row', { registered: 1, invalid: 1 }, 3],
    ['a row in conflict', { conflict: 1 }, 3],
    ['a refused row', { refused: 1 }, 3],
    ['a ready row', { ready: 1 }, 5],
    ['a ready row besides refused ones', { ready: 1, refused: 5, invalid: 2, conflict: 1 }, 5],
    ['a row in doubt', { inDoubt: 1 }, 4],
    ['a row in doubt besides all others', { inDoubt: 1, ready: 1, refused: 1 }, 4],
    ['a row under way', { sending: 1 }, 4],
  ])('%s', (_name, counts, expected) => {
    expect(exitStatusOf(totals(counts), null, null)).toBe(expected)
  })
})

describe('a stop', () => {
  it('for refused credentials is 6, also with rows in doubt', () => {
    expect(exitStatusOf(totals({ ready: 5 }), CREDENTIALS, null)).toBe(6)
    expect(exitStatusOf(totals({ ready: 5, inDoubt: 1 }), CREDENTIALS, null)).toBe(6)
  })

  it('by a limit or a halt leaves the code to the rows', () => {
    for (const stop of [CERTIFICATE, PILOT_DONE, OUT_OF_TIME]) {
      expect(exitStatusOf(totals({ ready: 5 }), stop, null)).toBe(5)
      expect(exitStatusOf(totals({ ready: 5, inDoubt: 1 }), stop, null)).toBe(4)
      expect(exitStatusOf(totals({ refused: 1 }), stop, null)).toBe(3)
    }
  })

  it('because nobody confirmed is 2, whatever the rows are', () => {
    expect(exitStatusOf(totals({ ready: 5, inDoubt: 1 }), DECLINED, null)).toBe(2)
    expect(exitStatusOf(totals({ ready: 5 }), DECLINED, 130)).toBe(2)
  })
})

describe('a signal', () => {
  it('is 130 or 143, whatever else stopped the run or is open', () => {
    for (const status of [130, 143])
      for (const stop of [INTERRUPTED, CREDENTIALS, PILOT_DONE, null])
        expect(exitStatusOf(totals({ ready: 1, inDoubt: 1 }), stop, status)).toBe(status)
  })

  it('that came as an abort of the library caller is 130', () => {
    expect(exitStatusOf(totals({ ready: 1 }), INTERRUPTED, null)).toBe(130)
  })
})

describe('totals that do not balance', () => {
  it('are 1, before anything else', () => {
    for (const stop of [null, DECLINED, INTERRUPTED, CREDENTIALS])
      expect(exitStatusOf({ ...totals({ registered: 3 }), read: 4 }, stop, 130)).toBe(1)
  })
})

describe('the order of exit statuses', () => {
  it('holds for any combination', () => {
    const ORDER = [1, 2, 130, 143, 6, 4, 5, 3, 0]
    const count = fc.integer({ min: 0, max: 2 })
    const stop = fc.constantFrom(null, DECLINED, INTERRUPTED, CREDENTIALS, OUT_OF_TIME)
    fc.assert(
      fc.property(
        fc.record({ inDoubt: count, sending: count, ready: count, refused: count, registered: count }),
        stop,
        fc.constantFrom(null, 130, 143),
        (counts, cause, signalStatus) => {
          const applies = [
            ...(cause === DECLINED ? [2] : []),
            ...(cause === INTERRUPTED || signalStatus !== null ? [signalStatus ?? 130] : []),
            ...(cause === CREDENTIALS ? [6] : []),
            ...(counts.inDoubt + counts.sending > 0 ? [4] : []),
            ...(counts.ready > 0 ? [5] : []),
            ...(counts.refused > 0 ? [3] : []),
            0,
          ]
          const first = ORDER.find((code) => applies.includes(code))
          expect(exitStatusOf(totals(counts), cause, signalStatus)).toBe(first)
        },
      ),
      { seed: 20260409, numRuns: 500 },
    )
  })
})
