import fc from 'fast-check'
import Papa from 'papaparse'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import {
  cleanCell,
  cleanCreditorIdentifier,
  cleanIban,
  fold,
  plainText,
} from '../../../src/domain/text/text.js'
import {
  csvHeader,
  csvLine,
  editableCell,
  keptCell,
  mergeColumns,
  messageCell,
  neutralCell,
} from '../../../src/report/files/lists.js'
import { maskedText } from '../../../src/domain/text/accounts.js'
import { HEADER, IBAN, rowOf, sourceOf } from '../ledger-value.js'

const RUNS = { seed: 20260615, numRuns: 1000 }

/** Text with everything that has ever been used to make a spreadsheet run a cell, and ordinary text. */
const STARTERS = Array.from('=+-@\t\r\n\0＝＋－＠ \u00A0\u200B"\',')
const hostile = fc
  .tuple(
    fc.array(fc.constantFrom(...STARTERS), { maxLength: 3 }),
    fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })),
  )
  .map(([starters, rest]) => starters.join('') + rest)

/** A legal mandate reference, which may well begin like a formula. */
const reference = fc
  .string({ unit: fc.constantFrom(...Array.from("+-AZaz09/?:().,' ")), minLength: 1, maxLength: 35 })
  .map((text) => cleanCell(text))
  .filter((text) => text !== '')

/** What a spreadsheet runs: a first character of a formula, unless the whole is a constant text. */
const runs = (cell: string): boolean =>
  /^[\s\u200B-\u200F\u2060\uFEFF\u00AD]*[=+\-@\0\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell) &&
  !/^="[^"\p{Cc}]*"$/u.test(cell)

/** Where a spreadsheet with another delimiter splits the cell, which it does inside quotes too. */
const splitElsewhere = (cell: string): string[] => cell.split(/[;|\t\r\n]/)

const parsed = (text: string): string[][] => parse(text, { relax_column_count: true })

describe('a line', () => {
  it('gives every value back through two other readers, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 6 }), (cells) => {
        const line = csvLine(cells)
        expect(parsed(line + line)).toEqual([cells, cells])
        expect(Papa.parse(line, { delimiter: ',', newline: '\n' }).data.slice(0, -1)).toEqual([cells])
      }),
      RUNS,
    )
  })

  it('is quoted as a whole, or cell by cell where one holds a quote; a header where it is needed', () => {
    expect(csvLine(['a', '', 'c;d'], ';')).toBe('"a";"";"c;d"\n')
    expect(csvLine(['a', 'b"c', ''], ';')).toBe('"a";"b""c";""\n')
    const names = ['customer_no', 'Straße (alt)', 'a,b', 'c"d', '']
    expect(csvHeader(names)).toBe('customer_no,Straße (alt),"a,b","c""d",\n')
  })
})

it('a neutral cell is never one that a spreadsheet would run, and no other is changed', () => {
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
    RUNS,
  )
})

describe('an editable cell', () => {
  it('is never one that a spreadsheet would run', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, reference), (text) => {
        expect(runs(editableCell(text))).toBe(false)
        for (const part of splitElsewhere(editableCell(text)).slice(1)) expect(runs(part)).toBe(false)
      }),
      RUNS,
    )
  })

  it('gives a legal reference back exactly when the file is read again', () => {
    fc.assert(
      fc.property(reference, (text) => {
        const [[cell = ''] = []] = parsed(csvLine([editableCell(text)]))
        expect(cleanCell(cell)).toBe(text)
      }),
      RUNS,
    )
  })

  it('gives every value the reading it had, unless a quote or control character makes it illegal in any field', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const value = cleanCell(text)
        fc.pre(!/["\p{Cc};|]|,[\s\p{Cf}]*[=@\uFF1D\uFF0B\uFF0D\uFF20]/u.test(value))
        expect(cleanCell(editableCell(text))).toBe(value)
      }),
      RUNS,
    )
  })

  it.each([
    [cleanIban, '=DE89"3704'],
    [cleanCreditorIdentifier, '@DE98"ZZZ'],
  ])('keeps what %o reads even where it has to take the apostrophe', (clean, text) => {
    expect(clean(cleanCell(editableCell(text)))).toBe(clean(text))
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
  ])('of %j is %j', (text, cell) => expect(editableCell(text)).toBe(cell))
})

describe('a value that a spreadsheet would rewrite', () => {
  const REWRITTEN =
    '0012|123456789012|1,552|1.552|100.50|1-2|1:30|5%|€5|5€|(5)|1/2|12/2020|1E5|3e10|-5|MAR20|1-Mar|DEC1|mrt-5|5.maja|' +
    'TRUE|Wahr|vero|5 EUR|EUR 5|1 000|1 1/2|5 PM|1 March 2020|März 5, 20'
  it.each(REWRITTEN.split('|'))('%s is marked as text', (value) => {
    expect(keptCell(value)).toBe(`="${value}"`)
    expect(cleanCell(keptCell(value))).toBe(value)
  })

  it.each(['0', '5', '12345678901', 'M-1', 'AB1E5', '12AB', 'AMAR20', 'DE98ZZZ09999999999', 'Weg 5'])(
    '%s stays as it is',
    (value) => expect(keptCell(value)).toBe(value),
  )
})

it.each([
  ['x;=cmd', "x;'=cmd"],
  ['x; =cmd', "x;' =cmd"],
  ['x\t@SUM(A1)', "x\t'@SUM(A1)"],
  ['x|-1', "x|'-1"],
  [',=cmd', ",'=cmd"],
  ['x, @SUM(A1)', "x,' @SUM(A1)"],
  ["5,-cmd|' /C calc'!A0", "5,'-cmd|' /C calc'!A0"],
  ['12,-', '12,-'],
  ['Weg 5, -hinten', 'Weg 5, -hinten'],
])(
  'a cell that another delimiter splits has %j as %j, whether it is for people or read back',
  (text, cell) => {
    expect([neutralCell(text), editableCell(text)]).toEqual([cell, cell])
  },
)

it('what needs no look at patterns is what they leave alone', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9][\w./-]{0,34}$/), (text) => {
      for (const cellOf of [editableCell, messageCell, neutralCell]) expect(cellOf(text)).toBe(text)
      // A neighbour that patterns look at changes nothing about it.
      expect(editableCell(`${text} `).trim()).toBe(text)
    }),
    RUNS,
  )
})

describe('plain text', () => {
  it('holds no control, reordering or invisible character, whatever comes', () => {
    const pieces = fc.constantFrom(...Array.from('\u001B\u009B\u0007\u202E\u2069m0x'), '\u001B[', '\u001B]')
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: pieces })), (text) => {
        expect(plainText(text)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
      }),
      RUNS,
    )
  })

  it('in a message is one line that neither a terminal nor a spreadsheet obeys', () => {
    expect(messageCell('\u001B[31m=cmd|\u202Etxt\u001B[0m\nnext ')).toBe("'=cmd|txt next")
  })

  it('holds no account number that somebody wrote into it, also behind invisible characters', () => {
    expect(maskedText('see DE89\u200B3704 0044 0532 0130 00 please')).toBe('see DE…3000 please')
  })
})

describe('the columns of several sources', () => {
  const columns = { iban: 'IBAN', unique_mandate_reference: 'Mandat' }
  const other = sourceOf({ id: 2, header: ['Name', 'IBAN', 'Mandat', 'note'], columns })

  it('stand side by side in order of first appearance, one for each field', () => {
    expect(mergeColumns([sourceOf(), other]).names).toEqual([...HEADER, 'Name', 'note'])
    const rest = ['customer_no', 'signed_date', 'sepa_creditor_identifier']
    expect(mergeColumns([other, sourceOf()]).names).toEqual([...other.header, ...rest])
  })

  it('take each row under the names of its own source and stay empty elsewhere', () => {
    const { cellsOf } = mergeColumns([sourceOf(), other])
    expect(cellsOf(rowOf(1))).toEqual(['1001', IBAN, '2020-02-29', 'DE98ZZZ09999999999', 'M-1', '', ''])
    const name = 'Müller, "Max"\nKöln'
    const cells = [name, IBAN, 'X-1', '=1']
    expect(cellsOf(rowOf(2, { sourceId: 2, cells }))).toEqual(['', IBAN, '', '', 'X-1', name, "'=1"])
  })

  it('mark what an exclude rule looks at, which a spreadsheet would rewrite', () => {
    const reading = { exclude: [{ column: 'tarif', reason: 'free' }] }
    const watching = sourceOf({ header: [...HEADER, 'Tarif', 'Betrag'], reading })
    const row = rowOf(1, { cells: [...(rowOf(1).cells ?? []), '0,00', '12,50'] })
    expect(mergeColumns([watching]).cellsOf(row).slice(5)).toEqual(['="0,00"', '12,50'])
  })

  it('treat names that a reader takes for one as one column, and columns without a name apart', () => {
    const of = (...header: string[]) => sourceOf({ id: header.length, header, columns: {} })
    expect(mergeColumns([of('Straße', '', ''), of('STRASSE', '')]).names).toEqual(['Straße', '', ''])
  })

  it('are named without what hides in a name or turns it round, and are the same to a reader', () => {
    const source = sourceOf({ header: ['IB\u202EAN', 'No\u0007te\u200B'], columns: { iban: 'IB\u202EAN' } })
    expect(mergeColumns([source]).names).toEqual(['IBAN', 'No te'])
    expect(mergeColumns([source]).names.map(fold)).toEqual(source.header.map(fold))
  })

  it('never put a customer number into the column of the old key that a crosswalk translates', () => {
    const crosswalk = { name: 'customers.csv', sha256: 'c'.repeat(64), lines: 2 }
    const columns = { customer_no: 'Kundennummer', iban: 'iban' }
    const crossed = sourceOf({ id: 2, header: ['Kundennummer', 'iban'], columns, reading: { crosswalk } })
    const { names, cellsOf } = mergeColumns([crossed, sourceOf()])
    const typed = 'migration_customer_no'
    expect(names).toEqual(['Kundennummer', 'iban', 'customer_no', ...HEADER.slice(2), typed])
    expect(cellsOf(rowOf(1, { sourceId: 2, cells: null }))).toEqual(['', 'DE…3000', '', '', '', '', ''])
  })

  it('show removed cells masked, in the columns that fed the fields', () => {
    const { cellsOf } = mergeColumns([other])
    expect(cellsOf(rowOf(2, { sourceId: 2, cells: null }))).toEqual(['', 'DE…3000', 'M-2', ''])
  })
})
