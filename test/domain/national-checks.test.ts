import { describe, expect, test } from 'vitest'
import { hasNationalDefect } from '../../src/domain/national-checks.js'
import { IBAN_EXAMPLES } from './iban-examples.js'

const withDigit = (iban: string, at: number, digit: string): string =>
  iban.slice(0, at) + digit + iban.slice(at + 1)

describe.each(['FI', 'IT', 'SM'])('the national check of %s', (code) => {
  const iban = IBAN_EXAMPLES[code]!

  test('passes for the example', () => {
    expect(hasNationalDefect(iban)).toBe(false)
  })

  test('catches any other digit', () => {
    for (let at = 5; at < iban.length; at += 1) {
      for (const digit of '0123456789') {
        if (!/[0-9]/.test(iban[at]!) || digit === iban[at]) continue
        expect(hasNationalDefect(withDigit(iban, at, digit)), `${digit} at ${at}`).toBe(true)
      }
    }
  })
})

test('the Italian check letter counts letters of the account', () => {
  // Odd positions count by the table, even ones by the alphabet: X and A on an odd, then on an even place.
  expect(hasNationalDefect('IT00X0542811101000000123456')).toBe(false)
  expect(hasNationalDefect('IT00X05428111010000A0123456')).toBe(false)
  expect(hasNationalDefect('IT00X05428111010000B0123456')).toBe(true)
})

test('other countries have no check here', () => {
  expect(hasNationalDefect('DE00000000000000000001')).toBe(false)
})
