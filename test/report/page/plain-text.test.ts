import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskedText, plainText } from '../../../src/report/files/cells.js'
describe('plainText', () => {
  it.each([
    ['\u001B[1;31mred\u001B[0m', 'red'],
    ['\u001B]0;title\u0007shown', 'shown'],
    ['\u001B]8;;http://evil.example\u001B\\link\u001B]8;;\u001B\\', 'link'],
    ['\u009B31mred', 'red'],
    ['a\u202Eb\u2066c\u200Bd\uFEFF', 'abcd'],
    ['two\r\nlines\u2028three', 'two lines three'],
    ['nul\0inside', 'nul inside'],
    ['Größe 5 €', 'Größe 5 €'],
  ])('shows %j as %j', (text, shown) => expect(plainText(text)).toBe(shown))

  it('leaves no control, reordering or invisible character, whatever comes', () => {
    const pieces = fc.constantFrom(
      '\u001B[',
      '\u001B]',
      '\u001B',
      '\u009B',
      '\u0007',
      '\u202E',
      '\u2069',
      'm',
      '0',
      'x',
    )
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: pieces })), (text) => {
        expect(plainText(text)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
      }),
      { seed: 20260615, numRuns: 1000 },
    )
  })
})

describe('maskedText', () => {
  it('masks an account number that somebody wrote into free text, also behind invisible characters', () => {
    expect(maskedText('see DE89\u200B3704 0044 0532 0130 00 please')).toBe('see DE…3000 please')
  })
})
