import { describe, expect, it } from 'vitest'
import {
  holds,
  nameOfKey,
  numberMandates,
  shortNumber,
  startNumbers,
} from '../../src/register/mandate-numbers.js'

const KEY = Buffer.alloc(32, 7)
const OTHER = Buffer.alloc(32, 8)
const numberOf = numberMandates(KEY)

describe('the number of a mandate', () => {
  it('is exact, and one that an earlier version wrote can be made from it', () => {
    for (let n = 0; n < 2_000; n += 1) {
      const number = numberOf(`DE|1|M-${n}`)
      expect(Number.isSafeInteger(number)).toBe(true)
      expect(shortNumber(number)).toBeLessThan(2 ** 48)
    }
    const keys = Array.from({ length: 20_000 }, (_, n) => `DE|1|M-${n}`)
    expect(new Set(keys.map(numberOf)).size).toBe(keys.length)
  })

  it('means nothing without the key of this user, and neither does the name of that key', () => {
    expect(numberOf('DE|1|M-1')).toBe(numberMandates(KEY)('DE|1|M-1'))
    expect(numberOf('DE|1|M-1')).not.toBe(numberMandates(OTHER)('DE|1|M-1'))
    expect(nameOfKey(KEY)).not.toBe(nameOfKey(OTHER))
    expect(KEY.toString('hex')).not.toContain(nameOfKey(KEY))
  })
})

it('numbers are collected however many they are, in their order, and can be asked in between', () => {
  const numbers = startNumbers()
  expect(numbers.collected()).toHaveLength(0)
  for (let n = 0; n < 5_000; n += 1) numbers.add(n)
  expect(numbers.collected().at(-1)).toBe(4_999)
  numbers.add(7)
  expect(numbers.collected()).toHaveLength(5_001)
})

describe('a sorted array', () => {
  it('holds its own numbers and no other, at both ends too', () => {
    for (const length of [0, 1, 2, 3, 100, 101]) {
      const sorted = Float64Array.from({ length }, (_, n) => 2 * n + 1)
      for (let n = -1; n < 2 * length + 2; n += 1)
        expect(holds(sorted, n), `${n} of ${length}`).toBe(n > 0 && n % 2 === 1 && n < 2 * length)
    }
  })
})
