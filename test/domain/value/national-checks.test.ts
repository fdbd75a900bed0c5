import { describe, expect, test } from 'vitest'
import { IBAN_EXAMPLES } from '../iban-examples.js'
import { hasNationalDefect } from '../../../src/domain/value/iban.js'

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

describe('9.3 the check digits of Albania and Iceland', () => {
  test.each(['AL47212110090000000235698741', 'IS140159260076545510730339'])('pass for %s', (iban) => {
    expect(hasNationalDefect(iban)).toBe(false)
  })

  test('catch any other digit of bank and branch in Albania, and none behind it', () => {
    const iban = 'AL47212110090000000235698741'
    for (let at = 4; at < iban.length; at += 1)
      for (const digit of '0123456789')
        if (digit !== iban[at])
          expect(hasNationalDefect(withDigit(iban, at, digit)), `${digit} at ${at}`).toBe(at < 12)
  })

  test('catch any other digit of the kennitala in Iceland but its century, and none before it', () => {
    const iban = 'IS140159260076545510730339'
    for (let at = 4; at < iban.length; at += 1)
      for (const digit of '0123456789')
        if (digit !== iban[at])
          expect(hasNationalDefect(withDigit(iban, at, digit)), `${digit} at ${at}`).toBe(at >= 16 && at < 25)
  })

  test('a kennitala whose sum leaves nothing has the check digit 0', () => {
    expect(hasNationalDefect('IS000000000000000000000000')).toBe(false)
    expect(hasNationalDefect('IS000000000000000000000010')).toBe(true)
  })
})
