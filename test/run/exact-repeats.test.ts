import { describe, expect, it } from 'vitest'
import { createRepeatGroups, HashesMet } from '../../src/run/exact-repeats.js'
import { createRowSet } from '../../src/source/survey/row-set.js'

const cellsOf = (...cells: string[]): Uint8Array => Buffer.from(cells.join(','))
const SAID = cellsOf('7', 'DE89370400440532013000', 'MND-1')
const OTHER = cellsOf('8', 'DE89370400440532013000', 'MND-2')

function settled(pairs: readonly (readonly [number, number])[], looked: readonly number[] = []) {
  const groups = createRepeatGroups(10_000)
  for (const [first, row] of pairs) groups.join(first, row)
  const look = createRowSet()
  looked.forEach(look.add)
  return { repeats: groups.settle(look), look, groups }
}

describe('12 rows that say the same', () => {
  it('12 repeat the first of their group', () => {
    const { repeats } = settled([
      [1, 3],
      [2, 4],
      [1, 9_000],
    ])
    expect([0, 1, 2, 3, 4, 5, 9_000].map(repeats.has)).toEqual([false, true, true, true, true, false, true])
    expect([repeats.count(0, 3), repeats.count(3, 5), repeats.count(0, 10_000)]).toEqual([0, 2, 3])
    expect(repeats.take(1, SAID, 12)).toBeNull()
    expect(repeats.take(2, OTHER, 13)).toBeNull()
    expect(repeats.take(3, SAID, 14)).toBe(12)
    expect(repeats.take(4, OTHER, 15)).toBe(13)
    expect(repeats.take(9_000, SAID, 99)).toBe(12)
  })

  it('12 are looked at, all of them, where one of them has to be', () => {
    const { repeats, look } = settled(
      [
        [1, 3],
        [2, 4],
        [1, 6],
      ],
      [6],
    )
    expect([1, 2, 3, 4, 5, 6].map(look.has)).toEqual([true, false, true, false, false, true])
    expect([1, 2, 3, 4, 5, 6].map(repeats.has)).toEqual([false, true, false, true, false, false])
    expect(repeats.count(0, 10)).toBe(1)
  })

  it('12 are none where nothing was joined', () => {
    const { repeats, groups } = settled([])
    expect([repeats.has(0), repeats.count(0, 100), groups.groupOf(5)]).toEqual([false, 0, 0])
  })

  it('12 are no repeats where they say something else, whatever their hashes', () => {
    const { repeats } = settled([[1, 2]])
    repeats.take(1, SAID, 1)
    expect(() => repeats.take(2, OTHER, 2)).toThrow(HashesMet)
  })
})
