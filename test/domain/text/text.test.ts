import fc from 'fast-check'
import { describe, expect, test, it } from 'vitest'
import {
  cleanCell,
  cleanCreditorIdentifier,
  cleanIban,
  fold,
  hasBlank,
  isBlank,
  isInvisible,
  isScientific,
  printable,
  upperCase,
  escapedJson,
  oneLine,
  plainLines,
  ageText,
  countText,
  durationText,
  plural,
  shareText,
  timeText,
} from '../../../src/domain/text/text.js'

const BLANKS = [0x09, 0x20, 0xa0, 0x2000, 0x2005, 0x200a, 0x202f, 0x205f, 0x3000]
const INVISIBLES = [0xad, 0x200b, 0x200d, 0x200f, 0x2060, 0xfeff]
const NEITHER = [0x08, 0x0b, 0x0c, 0x21, 0x85, 0x1680, 0x180e, 0x1fff, 0x2010, 0x2028, 0x2061, 0xfefe]
const text = (codes: readonly number[]): string => String.fromCharCode(...codes)

describe('the two named sets', () => {
  test('hold exactly what the rulebook names', () => {
    const all = [...BLANKS, ...INVISIBLES, ...NEITHER]
    expect(all.filter(isBlank)).toEqual(BLANKS)
    expect(all.filter(isInvisible)).toEqual(INVISIBLES)
  })

  test('are the same sets for one character and inside a text', () => {
    const different: string[] = []
    for (let code = 0; code <= 0xffff; code += 1) {
      const character = String.fromCharCode(code)
      const isRemoved = cleanIban(`A${character}B`) === 'AB'
      const isGap = isBlank(code) || isInvisible(code) || code === 0x2d
      if (hasBlank(character) !== isBlank(code) || isRemoved !== isGap) different.push(code.toString(16))
    }
    expect(different).toEqual([])
  })
})

describe('cleaning a cell', () => {
  test('both sets and line breaks go from both ends, in any mix, and nothing else', () => {
    const edges = text([...BLANKS, ...INVISIBLES, 0x0d, 0x0a])
    expect(cleanCell(`${edges}a ${edges} b${edges}`)).toBe(`a ${edges} b`)
    expect(cleanCell(edges)).toBe('')
    for (const cell of NEITHER.map((code) => `${text([code])}a${text([code])}`))
      expect(cleanCell(cell)).toBe(cell)
  })

  test.each([
    ['="00012345"', '00012345'],
    [' =" 00012345 " ', '00012345'],
    ['="="1""', '="1"'],
    ['=""', ''],
    ...['="', '="1', '1"', '="1"x', 'x="1"'].map((half) => [half, half]),
  ])('a text marker is opened once, half a one is kept: %s', (cell, cleaned) =>
    expect(cleanCell(cell)).toBe(cleaned),
  )

  test('long blanks inside a cell of 2 MB cost no more than one look at each', () => {
    const cell = `a${' '.repeat(2_000_000)}b`
    expect(cleanCell(cell)).toBe(cell)
  })
})

describe('cleaning an IBAN', () => {
  test.each([
    ["'DE89 3704", 'DE893704'],
    ["''DE89", "'DE89"],
    ['IBAN: DE89', 'DE89'],
    ['iban.DE89', 'DE89'],
    ['Iban\u00a0:\u00a0DE89', 'DE89'],
    ["'IBAN DE89", 'DE89'],
    ['IBANDE89', 'DE89'],
    ['de89-3704-0044', 'DE8937040044'],
    ['DE\u200b89\u00ad37', 'DE8937'],
    ['DE89/3704.0044_0532#01', 'DE89/3704.0044_0532#01'],
    ['DE89\n3704', 'DE89\n3704'],
    ['DE89–3704', 'DE89–3704'],
  ])('%j becomes %j', (raw, cleaned) => expect(cleanIban(raw)).toBe(cleaned))

  test('only a to z become upper case', () => {
    expect(upperCase('azÄäßﬁı\u0131')).toBe('AZÄäßﬁı\u0131')
    expect(cleanIban('ﬁ2112')).toBe('ﬁ2112')
  })

  test('a creditor identifier loses apostrophe, blanks and hyphens, but no label', () => {
    expect(cleanCreditorIdentifier("'de98-zzz 099")).toBe('DE98ZZZ099')
    expect(cleanCreditorIdentifier('IBAN98')).toBe('IBAN98')
  })
})

test.each([
  [true, ['3,704E+17', '1.23457E+17', '-4e-12', '+4E+100', '1E+05', '1.2e-05']],
  [false, ['12E10', '1.2E10', '12.3E+17', '1.E+17', '1.2E+1', '1.2E+1234', 'x1.2E+17', '1.2E+17x', '']],
])('a number rounded by a spreadsheet: %s for %j', (isOne, values) => {
  for (const value of values) expect(isScientific(value), value).toBe(isOne)
})

test.each([
  ['\ufeffGläubiger-ID', 'glaubigerid'],
  ['Glaeubiger ID', 'glaeubigerid'],
  ['Straße', 'strasse'],
  ['  E-Mail\u00a0Adresse ', 'emailadresse'],
  ['re\u0301silie\u0301', 'resilie'],
  ['DbtrAcct/Id/IBAN', 'dbtracctidiban'],
  ['№ 7', '7'],
  ['—', ''],
])('%j folds to %j', (header, folded) => expect(fold(header)).toBe(folded))

describe('showing a text', () => {
  test.each([
    ['a\u200bb', 'a<U+200B>b'],
    ['\u001b[31mred', '<U+001B>[31mred'],
    ['x\u202ey\u2066z', 'x<U+202E>y<U+2066>z'],
    ['a\tb\r\n\0', 'a<U+0009>b<U+000D><U+000A><U+0000>'],
    ['\u00a0\u3000\u2028', '<U+00A0><U+3000><U+2028>'],
    ['\ud800', '<U+D800>'],
    ['\u{e0041}\u3164', '<U+E0041><U+3164>'],
  ])('what hides or moves is shown as code points: %j', (hidden, shown) =>
    expect(printable(hidden)).toBe(shown),
  )

  test('letters of all scripts, blanks and symbols stay', () => {
    const plain = 'Müller & Søn – "Ω" 日本 € \u{1f600} \ufffd'
    expect(printable(plain)).toBe(plain)
  })

  test('nothing that moves the cursor or reorders text is left', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (any) => {
        expect(printable(any)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
      }),
    )
  })
})

describe('one line', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u009b2Jtext', 'text'],
    ['a\r\nb\u2028c\u0000d', 'a b c d'],
    ['pay\u202egnihton', 'paygnihton'],
    ['zero\u200bwidth', 'zerowidth'],
    ['tag\u{E0041}ged', 'tagged'],
  ])('%j shows what it holds', (text, shown) => expect(oneLine(text)).toBe(shown))

  it('a title that is never ended hides no text behind it', () => {
    expect(oneLine('\u001b]0;Error: two rows are missing')).toContain('Error: two rows are missing')
  })

  const LETTERS = ['Müller-Öztürk', 'Łódź', 'Ἀθῆναι', '東京', 'e\u0301']
  it.each(LETTERS)('letters of every language stay: %s', (text) => expect(oneLine(text)).toBe(text))

  it('of several lines each is one', () => expect(plainLines('a\u001b[2J\nb\rc')).toBe('a\nb c'))
})

it('JSON gives a program every character back, and shows a terminal none that hides', () => {
  const value = { text: 'a\u202eb\u2028\u{E0041}\u009b' }
  const text = escapedJson(JSON.stringify(value))
  expect(text).toMatch(/^[\u0020-\u007e]*$/)
  expect(JSON.parse(text)).toEqual(value)
})

describe('the wording of figures', () => {
  it('groups thousands', () => {
    expect([0, 999, 1000, 1234567].map(countText)).toEqual(['0', '999', '1,000', '1,234,567'])
    expect([plural(1, 'row', 'rows'), plural(2000, 'row', 'rows')]).toEqual(['1 row', '2,000 rows'])
  })

  it.each([
    [1, 1_000_000, '<0.1 %'],
    [999_999, 1_000_000, '>99.9 %'],
    [0, 5, '0.0 %'],
    [5, 5, '100.0 %'],
    [1, 3, '33.3 %'],
    [0, 0, ''],
  ])('shows %i of %i as %s', (part, whole, text) => expect(shareText(part, whole)).toBe(text))

  it.each([
    [400, '1 s'],
    [89_000, '89 s'],
    [91_000, '2 min'],
    [3_600_000, '60 min'],
    [7_200_000, '2 h'],
    [7_500_000, '2 h 5 min'],
    [86_400_000, '1 day'],
    [266_400_000, '3 days 2 h'],
  ])('gives a duration of %i ms as %s', (ms, text) => expect(durationText(ms)).toBe(text))

  it('says how long ago something was, and names times', () => {
    expect(ageText('2026-06-15T10:00:00.000Z', '2026-06-15T12:05:00.000Z')).toBe('2 h 5 min')
    expect(ageText('2026-06-15T13:00:00.000Z', '2026-06-15T12:05:00.000Z')).toBe('')
    expect(timeText('2026-06-15T10:00:00.123Z')).toBe('2026-06-15 10:00:00 UTC')
  })
})
