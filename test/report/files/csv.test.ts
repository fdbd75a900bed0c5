import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { cleanCell, cleanCreditorIdentifier, cleanIban } from '../../../src/domain/text/text.js'
import {
  csvHeader,
  csvLine,
  editableCell,
  keptCell,
  messageCell,
  neutralCell,
} from '../../../src/report/files/cells.js'
const SEED = 20260615
fc.configureGlobal({ seed: SEED, numRuns: 1000 })

/** Text with everything that has ever been used to make a spreadsheet run a cell, and ordinary text. */
const STARTERS = [
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  '\n',
  '\0',
  '＝',
  '＋',
  '－',
  '＠',
  ' ',
  '\u00A0',
  '\u200B',
  '"',
  "'",
  ',',
]
const hostile = fc
  .tuple(
    fc.array(fc.constantFrom(...STARTERS), { maxLength: 3 }),
    fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })),
  )
  .map(([starters, rest]) => starters.join('') + rest)

/** A legal mandate reference, which may well begin like a formula. */
const reference = fc
  .string({
    unit: fc.constantFrom(
      '+',
      '-',
      'A',
      'Z',
      'a',
      'z',
      '0',
      '9',
      '/',
      '?',
      ':',
      '(',
      ')',
      '.',
      ',',
      "'",
      ' ',
    ),
    minLength: 1,
    maxLength: 35,
  })
  .map((text) => cleanCell(text))
  .filter((text) => text !== '')

/** What a spreadsheet runs: a first character of a formula, unless the whole is a constant text. */
const runs = (cell: string): boolean =>
  /^[\s\u200B-\u200F\u2060\uFEFF\u00AD]*[=+\-@\0\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell) &&
  !/^="[^"\p{Cc}]*"$/u.test(cell)

/** Where a spreadsheet with another delimiter splits the cell, which it does inside quotes too. */
const splitElsewhere = (cell: string): string[] => cell.split(/[;|\t\r\n]/)

const parsed = (text: string): string[][] => parse(text, { relax_column_count: true })
const papaParsed = (text: string): string[][] =>
  Papa.parse<string[]>(text, { delimiter: ',', newline: '\n' }).data.slice(0, -1)

describe('csvLine', () => {
  it('gives every value back through two other readers, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 6 }), (cells) => {
        expect(parsed(csvLine(cells))).toEqual([cells])
        expect(papaParsed(csvLine(cells))).toEqual([cells])
      }),
    )
  })

  it('keeps records apart although their values hold line breaks and quotes', () => {
    const records = [
      ['a\nb', 'c"d'],
      ['', 'e,f\r\n'],
    ]
    expect(parsed(records.map((cells) => csvLine(cells)).join(''))).toEqual(records)
  })
})

describe('csvHeader', () => {
  it('leaves plain names bare and quotes what needs it', () => {
    expect(csvHeader(['customer_no', 'Straße (alt)', 'a,b', 'c"d', ''])).toBe(
      'customer_no,Straße (alt),"a,b","c""d",\n',
    )
  })
})

describe('neutralCell', () => {
  it('never gives a cell that a spreadsheet would run, and changes no other', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const cell = neutralCell(text)
        expect(runs(cell)).toBe(false)
        expect(/^[\t\r\n]/.test(cell)).toBe(false)
        for (const part of splitElsewhere(cell)) expect(runs(part)).toBe(false)
        for (const part of cell.split(',').slice(1)) expect(part).not.toMatch(/^[\s"]*[=@]/)
        // Nothing but apostrophes is put in.
        expect(cell.replaceAll("'", '')).toBe(text.replaceAll("'", ''))
        if (/^[\p{L}\p{N}][^,;|\t\r\n]*$/u.test(text)) expect(cell).toBe(text)
      }),
    )
  })

  it('puts an apostrophe before every known beginning of a formula', () => {
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\0=1', '＝1', ' =1', '\u200B=1']
    expect(formulas.map(neutralCell)).toEqual(formulas.map((formula) => `'${formula}`))
  })
})

describe('editableCell', () => {
  it('never gives a cell that a spreadsheet would run', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, reference), (text) => {
        expect(runs(editableCell(text))).toBe(false)
        for (const part of splitElsewhere(editableCell(text)).slice(1)) expect(runs(part)).toBe(false)
      }),
    )
  })

  it('gives a legal reference back exactly when the file is read again', () => {
    fc.assert(
      fc.property(reference, (text) => {
        const [[cell = '']] = parsed(csvLine([editableCell(text)])) as [string[]]
        expect(cleanCell(cell)).toBe(text)
      }),
    )
  })

  it('gives every value the reading it had, unless a quote or control character makes it illegal in any field', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const value = cleanCell(text)
        fc.pre(!/["\p{Cc};|]|,[\s\p{Cf}]*[=@\uFF1D\uFF0B\uFF0D\uFF20]/u.test(value))
        expect(cleanCell(editableCell(text))).toBe(value)
      }),
    )
  })

  it('keeps an account and an identifier readable even where it has to take the apostrophe', () => {
    expect(cleanIban(cleanCell(editableCell('=DE89"3704')))).toBe(cleanIban('=DE89"3704'))
    expect(cleanCreditorIdentifier(cleanCell(editableCell('@DE98"ZZZ')))).toBe(
      cleanCreditorIdentifier('@DE98"ZZZ'),
    )
  })

  it.each([
    ['-17', '="-17"'],
    ['+AB/1', '="+AB/1"'],
    ['="00012345"', '="00012345"'],
    ['\tM-1', '="M-1"'],
    ['\t', ''],
    ["'M-1", "'M-1"],
    ['=HYPERLINK("x")', '\'=HYPERLINK("x")'],
    ['M-1', 'M-1'],
  ])('writes %j as %j', (text, cell) => expect(editableCell(text)).toBe(cell))
})

describe('9.1.4 a value that a spreadsheet would rewrite', () => {
  it.each(
    '0012 123456789012 1,552 1.552 100.50 1-2 1:30 5% €5 5€ (5) 1/2 12/2020 1E5 3e10 -5 MAR20 1-Mar DEC1 mrt-5 5.maja TRUE Wahr vero'.split(
      ' ',
    ),
  )('%s is marked as text', (value) => {
    expect(keptCell(value)).toBe(`="${value}"`)
    expect(cleanCell(keptCell(value))).toBe(value)
  })

  it.each(['5 EUR', 'EUR 5', '1 000', '1 1/2', '5 PM', '1 March 2020', 'März 5, 20'])(
    '%s is marked too',
    (value) => expect(keptCell(value)).toBe(`="${value}"`),
  )

  it.each(['0', '5', '12345678901', 'M-1', 'AB1E5', '12AB', 'AMAR20', 'DE98ZZZ09999999999', 'Weg 5'])(
    '%s stays as it is',
    (value) => expect(keptCell(value)).toBe(value),
  )
})

describe('9.2.7 a cell that another delimiter splits', () => {
  it.each([
    ['x;=cmd', "x;'=cmd"],
    ['x; =cmd', "x;' =cmd"],
    ['x;"=cmd', 'x;\'"=cmd'],
    ['x\t@SUM(A1)', "x\t'@SUM(A1)"],
    ['x\n+1', "x\n'+1"],
    ['x|-1', "x|'-1"],
    ['x;y', 'x;y'],
    [',=cmd', ",'=cmd"],
    ['x, @SUM(A1)', "x,' @SUM(A1)"],
    ["5,-cmd|' /C calc'!A0", "5,'-cmd|' /C calc'!A0"],
    ['12,-', '12,-'],
    ['A,-1', 'A,-1'],
    ['Weg 5, -hinten', 'Weg 5, -hinten'],
  ])('has %j as %j, whether it is for people or read back', (text, cell) => {
    expect([neutralCell(text), editableCell(text)]).toEqual([cell, cell])
  })
})

describe('messageCell', () => {
  it('is one plain line that neither a terminal nor a spreadsheet obeys', () => {
    expect(messageCell('\u001B[31m=cmd|\u202Etxt\u001B[0m\nnext')).toBe("'=cmd|txt next")
  })
})

describe('what needs no look at patterns', () => {
  it('is what they leave alone', () => {
    const harmless = fc.stringMatching(/^[A-Za-z0-9][\w./-]{0,34}$/)
    fc.assert(
      fc.property(harmless, (text) => {
        expect(editableCell(text)).toBe(text)
        expect(messageCell(text)).toBe(text)
        // A neighbour that patterns look at changes nothing about it.
        expect(neutralCell(text)).toBe(text)
        expect(editableCell(`${text} `).trim()).toBe(text)
      }),
    )
  })

  it('a line is quoted as a whole, or cell by cell where one holds a quote', () => {
    expect(csvLine(['a', '', 'c;d'], ';')).toBe('"a";"";"c;d"\n')
    expect(csvLine(['a', 'b"c', ''], ';')).toBe('"a";"b""c";""\n')
  })
})
