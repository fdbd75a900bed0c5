import { expect, it } from 'vitest'
import { cappedList } from '../../../src/report/facts/capped-list.js'

it('keeps the first entries and counts the others', () => {
  const list = cappedList<number>(2)
  expect(list.result()).toEqual({ total: 0, first: [] })
  for (const entry of [1, 2, 3]) list.add(entry)
  expect(list.result()).toEqual({ total: 3, first: [1, 2] })
})

it('counts what is not kept, and refuses to leave out what there is room for', () => {
  const list = cappedList<number>(2)
  list.add(1)
  expect(list.isFull()).toBe(false)
  expect(list.count).toThrow('room')
  list.add(2)
  expect(list.isFull()).toBe(true)
  list.count()
  expect(list.result()).toEqual({ total: 3, first: [1, 2] })
})
