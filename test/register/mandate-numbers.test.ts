import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { numberWith } from '../../src/register/register-file.js'
it('is the same for the same text and key, another for every other one, and fits a number', () => {
  const number = numberWith(randomBytes(32))
  const other = numberWith(randomBytes(32))
  const texts = Array.from({ length: 10_000 }, (_, n) => `DE98ZZZ09999999999|M-${n}`)
  const numbers = texts.map(number)
  expect(new Set(numbers).size).toBe(texts.length)
  expect(numbers.every((each) => Number.isSafeInteger(each) && each >= 0)).toBe(true)
  expect(texts.map(number)).toEqual(numbers)
  expect(texts.filter((text, at) => other(text) === numbers[at])).toEqual([])
})
