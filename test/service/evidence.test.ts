import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Iban } from '../../src/domain/mandate/mandate.js'
import { createCleaner } from '../../src/service/classify.js'

const IBAN = 'DE89370400440532013000' as Iban
const clean = (text: string, maxBytes = 2048) => createCleaner({ iban: IBAN, secrets: [] })(text, maxBytes)

describe('the account number that was sent', () => {
  it.each([
    ['as it is', 'no DE89370400440532013000!', 'no DE…3000!'],
    ['in lower case', 'de89370400440532013000', 'DE…3000'],
    ['with zero-width characters', 'DE89\u200b3704\u200d0044\ufeff0532\u00ad013000', 'DE…3000'],
    ['with colours', 'DE89\u001b[31m3704\u001b[0m00440532013000', 'DE…3000'],
    ['in full-width letters', 'ＤＥ８９３７０４００４４０５３２０１３０００', 'DE…3000'],
    ['with JSON escapes', String.raw`\u0044\u00458937040044\u00200532013000`, 'DE…3000'],
    ['with URL escapes', 'iban=%44E89%2037040044%200532013000&x=1', 'iban=DE…3000&x=1'],
    ['with HTML blanks', 'DE89&nbsp;3704&#160;0044&#xA0;0532013000', 'DE…3000'],
    ['without country and check digits', 'account 370400440532013000', 'account DE…3000'],
    ['cut at its end', 'DE8937040044053', 'DE…3000'],
    ['bank code and account apart', 'bank 37040044, account 0532013000', 'bank DE…3000, account DE…3000'],
    ['eight characters of it', 'x 00440532 y', 'x DE…3000 y'],
    ['several times', '1 DE89370400440532013000, 2 DE89370400440532013000.', '1 DE…3000, 2 DE…3000.'],
    ['directly behind each other', 'DE89370400440532013000DE89370400440532013000', 'DE…3000DE…3000'],
  ])('is masked %s', (_name, text, shown) => expect(clean(text)).toBe(shown))

  it('is left where it is too short to tell, and not searched for when there is none', () => {
    expect(clean('customer 0044053, DE89 and 3704')).toBe('customer 0044053, DE89 and 3704')
    expect(createCleaner({ iban: null, secrets: [] })('37040044', 100)).toBe('37040044')
  })

  it('never survives, whatever stands around and within it', () => {
    const gap = fc.stringMatching(/^[ \t\r\n.\-/_:,;\u00a0\u200b\u202e]{0,3}$/)
    const gaps = fc.array(gap, { minLength: 21, maxLength: 21 })
    fc.assert(
      fc.property(fc.string(), gaps, fc.string(), (before, between, after) => {
        const spread = Array.from(IBAN, (letter, at) => letter + (between[at] ?? '')).join('')
        const shown = clean(`${before}${spread}${after}`, 100_000)
        expect(shown.replace(/[^a-z0-9]/gi, '').toUpperCase()).not.toContain(IBAN)
        expect(shown).toContain('DE…3000')
      }),
      { seed: 20250105 },
    )
  })
})

describe('other text of the service', () => {
  it.each([
    ['other account numbers', 'pay to GB29 NWBK 6016 1331 9268 19 now', 'pay to GB…6819 now'],
    ['terminal sequences', 'a\u001b[1;31mb\u001b]0;title\u0007c\u001b]8;;http://x\u001b\\d', 'abcd'],
    ['control characters', 'a\u0000\u0007b\tc\r\n\nd\u0085e\u009fx', 'a b c d e x'],
    ['broken surrogates', 'a\ud800b', 'ab'],
  ])('has no %s', (_name, text, shown) => expect(clean(text)).toBe(shown))

  it('is otherwise kept as it is', () => {
    const text = '{"status":"OK","data":{"name":"Zoë Ünal","text":"100 % 日本"}}'
    expect(clean(text)).toBe(text)
  })

  it.each([
    [5, 'abcdef', 'abcde'],
    [6, 'abcdef', 'abcdef'],
    [5, 'äääää', 'ää'],
    [4, 'äääää', 'ää'],
    [5, 'a日本', 'a日'],
    [0, 'abc', ''],
  ])('is cut to %d bytes between characters: %s', (most, text, shown) =>
    expect(clean(text, most)).toBe(shown),
  )

  it('is cut after it was masked, so no half of an account number is left, and looked at as far as 32 times that', () => {
    expect(clean('x'.repeat(95) + 'DE89370400440532013000', 100)).toBe(`${'x'.repeat(95)}DE…`)
    expect(clean(`${'\u00ad'.repeat(319)}ab`, 10)).toBe('a')
  })

  it('is bounded, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, maxBytes) => {
        const shown = clean(text, maxBytes)
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(maxBytes)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
      }),
      { seed: 20250106 },
    )
  })
})

describe('secrets', () => {
  const cleanSecrets = createCleaner({ iban: IBAN, secrets: ['hunter2', 'aHVudGVyMg==', 'abc', '1234'] })

  it('are blotted out wherever a talkative page repeats them', () => {
    expect(cleanSecrets('Authorization: Basic aHVudGVyMg== (hunter2, hunter2) 1234', 100)).toBe(
      'Authorization: Basic [secret] ([secret], [secret]) [secret]',
    )
  })

  it.each([
    ['as JSON writes it', String.raw`a"ss\word`, String.raw`{"it":"a\"ss\\word"}`, '{"it":"[secret]"}'],
    ['with a percent sign', 'pass%41word', 'is pass%41word', 'is [secret]'],
    ['decoded', 'pass%41word', 'is passAword', 'is [secret]'],
    ['encoded', 'pass word', 'is pass%20word', 'is [secret]'],
    ['in composed letters', 'ﬁnally', 'is ﬁnally or finally', 'is [secret] or [secret]'],
  ])('are blotted out %s', (_name, secret, text, shown) =>
    expect(createCleaner({ iban: null, secrets: [secret] })(text, 100)).toBe(shown),
  )

  it('of three characters are left to be read', () => expect(cleanSecrets('abcdef', 100)).toBe('abcdef'))
})
