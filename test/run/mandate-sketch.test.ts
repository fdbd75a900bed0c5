import { describe, expect, it } from 'vitest'
import { nameOfKey, numberMandates, startSketch } from '../../src/run/mandate-sketch.js'

const KEY = Buffer.alloc(32, 7)
const OTHER = Buffer.alloc(32, 8)

describe('a sketch of mandates', () => {
  it('holds every mandate of a small export once, in whatever order they come', () => {
    const numberOf = numberMandates(KEY)
    const keys = Array.from({ length: 500 }, (_, index) => `DE|1|M-${index}`)
    const [one, other] = [startSketch(), startSketch()]
    for (const key of [...keys, ...keys]) one.add(numberOf(key))
    for (const key of keys.toReversed()) other.add(numberOf(key))
    expect(one.numbers()).toHaveLength(500)
    expect(one.numbers()).toEqual(other.numbers())
  })

  it('of a large one holds the smallest numbers, so that two large ones can be compared', () => {
    const all = Array.from({ length: 50_000 }, (_, index) => numberMandates(KEY)(`DE|1|M-${index}`))
    const sketch = startSketch()
    for (const number of all) sketch.add(number)
    expect(sketch.numbers()).toEqual([...all].sort((a, b) => a - b).slice(0, 2_000))
  })

  it('can be asked in between, and goes on', () => {
    const sketch = startSketch()
    sketch.add(5)
    expect(sketch.numbers()).toEqual([5])
    sketch.add(3)
    sketch.add(5)
    expect(sketch.numbers()).toEqual([3, 5])
  })
})

it('numbers and names of keys mean nothing without the key of this user', () => {
  expect(numberMandates(KEY)('DE|1|M-1')).toBe(numberMandates(KEY)('DE|1|M-1'))
  expect(numberMandates(KEY)('DE|1|M-1')).not.toBe(numberMandates(OTHER)('DE|1|M-1'))
  expect(nameOfKey(KEY)).not.toBe(nameOfKey(OTHER))
  expect(KEY.toString('hex')).not.toContain(nameOfKey(KEY))
})
