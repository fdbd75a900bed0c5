import { expect, it } from 'vitest'
import { createRowSet } from '../../../src/source/survey/row-set.js'

it('12 holds the rows that were added, also far beyond what it began with', () => {
  const rows = createRowSet()
  const added = [0, 7, 8, 31, 32_767, 32_768, 5_000_000]
  added.forEach(rows.add)
  expect(added.every(rows.has)).toBe(true)
  expect([1, 6, 9, 32_766, 32_769, 4_999_999, 9_000_000].some(rows.has)).toBe(false)
  expect(rows.count(0, 32)).toBe(4)
  expect(rows.count(8, 31)).toBe(1)
  expect(rows.count(32_767, 5_000_001)).toBe(3)
})
