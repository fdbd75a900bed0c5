import { describe, expect, it } from 'vitest'
import { tallyValues } from '../../../src/report/facts/facts.js'
describe('tallyValues', () => {
  it('counts values, the most frequent first', () => {
    const tally = tallyValues(10)
    for (const value of ['b', 'a', 'c', 'c']) tally.add(value)
    expect(tally.result()).toEqual({
      values: [
        { value: 'c', count: 2 },
        { value: 'a', count: 1 },
        { value: 'b', count: 1 },
      ],
      others: 0,
    })
  })

  it('keeps so many different ones, and counts the others together', () => {
    const tally = tallyValues(2)
    for (const value of ['a', 'b', 'c', 'd', 'a']) tally.add(value)
    expect(tally.result()).toEqual({
      values: [
        { value: 'a', count: 2 },
        { value: 'b', count: 1 },
      ],
      others: 2,
    })
  })
})
