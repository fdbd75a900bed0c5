import { expect, it } from 'vitest'
import { cappedList } from '../../../src/report/facts/facts.js'
it('keeps the first entries and counts the others', () => {
  const list = cappedList<number>(2)
  expect(list.result()).toEqual({ total: 0, first: [] })
  for (const entry of [1, 2, 3]) list.add(entry)
  expect(list.result()).toEqual({ total: 3, first: [1, 2] })
})
