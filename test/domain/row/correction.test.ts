import { describe, expect, it } from 'vitest'
import {
  changesIn,
  changesText,
  correctionLines,
  countFields,
  dateLikeness,
  isSameName,
  likenessOf,
  notationOf,
  readWhole,
} from '../../../src/domain/row/correction.js'
import fc from 'fast-check'
import { DATE_FORMATS, readDate, writeDate, addDays } from '../../../src/domain/mandate/date.js'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'

describe('what a correction changed', () => {
  const change = (field: string, before = '1', after = '2') => ({ field, before, after })

  it('is told without a word of any language', () => {
    const changes = [change('iban', 'DE…3000', 'NL…4300'), change('signed_date', '', '2024-03-15')]
    expect(changesText(changes)).toBe('iban "DE…3000" → "NL…4300", signed_date "" → "2024-03-15"')
  })

  it('names its fields again, whatever stands in a value', () => {
    const odd = change('unique_mandate_reference', 'a" → "b", iban "', '\u0007')
    const text = changesText([odd, change('customer_no')])
    expect(text).not.toContain('\u0007')
    expect(changesIn(text).map(({ field }) => field)).toEqual(['unique_mandate_reference', 'customer_no'])
    expect(changesIn('removed with the personal data')).toEqual([])
  })

  it('is counted by field, the most frequent first', () => {
    const [iban = '', date = ''] = ['iban', 'signed_date'].map((field) => changesText([change(field)]))
    const counted = countFields([date, `${iban}, ${date}`, ''])
    expect(counted.map(({ field, count }) => `${field} ${count}`)).toEqual(['signed_date 2', 'iban 1'])
  })
})

const TODAY = '2026-06-15' as LocalDate

describe('a row number', () => {
  const ONES = ['2', '2.0', '2,00', '0002', "'2", '="2"', ' 2 ', '"2"', '\u00a02', "'0002", '2.00']
  it.each(ONES)('%s is 2', (cell) => expect(readWhole(cell)).toBe(2))

  it.each([
    ...['', '0', '-2', '+2', '2,5', '2.000', '2,000', '1e3', '1,2E+05', '0x11', '#REF!', 'two', '2 3', '2;'],
    ...['2.', '2a', '1234567890123456'],
  ])('%s is none', (cell) => expect(readWhole(cell)).toBeNull())
})

describe('a cell that was saved again', () => {
  it.each([
    ['00123', '123', 'same'],
    ['00123', '123.0', 'same'],
    ['00123', '="00123"', 'same'],
    ['123', '123,00', 'same'],
    ['=1+1', "'=1+1", 'same'],
    ['NA', '', 'same'],
    ['true', 'WAHR', 'same'],
    ['zakończony', 'zako?czony', 'same'],
    ['123456789012', '1,23457E+11', 'perhaps'],
    ['12345678901234567', '12345678901234500', 'perhaps'],
    // What a person changes is never taken for the work of a program.
    ['123', '00123', 'different'],
    ['123.0', '123', 'different'],
    ['123', '124', 'different'],
    ['123456789012', '1,23458E+11', 'different'],
    ['x;=cmd,=cmd', "'x;'=cmd,'=cmd", 'same'],
    ['M-1', 'm-1', 'different'],
    // 1,552 is marked as text in our files, so only a person makes another number of it.
    ['1,552', '1552', 'different'],
    ['', '5', 'different'],
  ] as const)('%s read back as %s is %s', (text, given, expected) =>
    expect(likenessOf(text, given)).toBe(expected),
  )

  it.each([
    ['2024-03-01', 'iso', '01.03.2024', 'same'],
    ['2024-03-01', 'iso', '1.3.24', 'same'],
    ['2024-03-01', 'iso', '2024-03-01 00:00:00', 'same'],
    ['2024-03-01', 'iso', '45352', 'same'],
    ['01.03.2024', 'dd.mm.yyyy', '2024-03-01', 'same'],
    ['01.03.2024', 'dd.mm.yyyy', '01.03.24', 'same'],
    ['03/14/2024', 'mm/dd/yyyy', '3/14/2024', 'same'],
    ['2024-03-14', 'iso', '14/03/2024', 'same'],
    ['2024-03-14', 'iso', '03/14/24', 'same'],
    ['14.03.2010', 'dd.mm.yyyy', '03/14/10', 'same'],
    ['01.03.2010', 'dd.mm.yyyy', '03/01/10', 'perhaps'],
    ['14.03.2010', 'dd.mm.yyyy', '03/14/11', 'different'],
    ['2024-03-01', 'iso', '01/03/2024', 'perhaps'],
    ['03/01/2024', 'mm/dd/yyyy', '03.01.2024', 'perhaps'],
    ['2024-03-01', 'iso', '02.03.2024', 'different'],
    ['2024-02-30', 'iso', '29.02.2024', 'different'],
    ['01.03.24', 'iso', '01.03.2024', 'same'],
    ['03.02.19', 'dd.mm.yyyy', '3/2/2019', 'same'],
    ['30.02.2024', 'dd.mm.yyyy', '30.02.24', 'same'],
    ['30.02.1924', 'dd.mm.yyyy', '30.02.2024', 'different'],
    ['30.02.2024', 'dd.mm.yyyy', '02.30.2024', 'different'],
    // Of a century nobody is wrong but a person.
    ['2924-03-02', 'iso', '2024-03-02', 'different'],
    ['01.03.1924', 'dd.mm.yyyy', '01.03.2024', 'different'],
    ['01.03.1924', 'dd.mm.yyyy', '1.3.2024', 'different'],
    ['24', 'iso', '2024', 'different'],
  ] as const)('the date %s (%s) read back as %s is %s', (text, format, given, expected) => {
    const read = readDate(text, format, TODAY)
    const date = read.kind === 'date' ? read.date : null
    expect(dateLikeness({ text, format, date }, given, TODAY)).toBe(expected)
  })

  it.each([
    ['15.04.2024', 'iso', 'dd.mm.yyyy'],
    ['15.04.24', 'iso', 'dd.mm.yy'],
    ['04/15/2024', 'iso', 'mm/dd/yyyy'],
    ['04/05/2024', 'iso', 'unsettled'],
    ['04/05/2024', 'dd/mm/yyyy', 'dd/mm/yyyy'],
    ['04-05-2024', 'mm-dd-yyyy', 'mm-dd-yyyy'],
    ['20240405', 'yyyymmdd', 'yyyymmdd'],
  ] as const)('%s in a column of %s has the notation %s', (text, format, as) =>
    expect(notationOf(text, format, TODAY)).toBe(as),
  )
})

describe('the name of a customer or a mandate, as a spreadsheet saves it', () => {
  it.each([
    ['1001', ['1001', '1001.0', '1001,00', '1 001']],
    ['12', ['0012']],
    ['0012', ['12']],
    ['M-1', [' m-1 ', '="M-1"', '"M-1"']],
    ['M 1', ['M\u00A0 1']],
    ["M-1'", ["'M-1'"]],
    ['-17', ['="-17"']],
    ['', [' ']],
    ['000', ['0']],
  ])('%j is still any of %j', (original, all) => {
    for (const found of [original, ...all]) expect(isSameName(original, found), found).toBe(true)
  })

  it.each([
    ['1001', ['1002', '100.1', '1001.5']],
    ['M-1', ['M-11', 'M-01', '']],
    ['100500000001', ['1.005E+11']],
    ['1234567890123456', ['1234567890123450']],
    ['2024-01', ['Jan 24']],
    ['', ['0']],
  ])('%j is none of %j', (original, others) => {
    for (const found of others)
      expect([isSameName(original, found), isSameName(found, original)], found).toEqual([false, false])
  })
})

it('a date is written as its column has it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...DATE_FORMATS), fc.integer({ min: 0, max: 9_000 }), (format, days) => {
      const date = addDays('2001-01-01' as LocalDate, days)
      expect(date).not.toBeNull()
      if (date !== null) expect(readDate(writeDate(date, format), format, TODAY)).toMatchObject({ date })
    }),
    { seed: 20_261_121 },
  )
})

describe('what was corrected', () => {
  const corrected = (row: number, changes = 'iban "A" → "B"') => ({
    ...{ row, by: 'Berta', at: '2026-06-15T10:00:00.000Z', reason: 'a letter', changes },
  })

  it('is told by how many rows, which fields, and the first of them', () => {
    const first = Array.from({ length: 12 }, (_, at) => corrected(at + 1))
    const lines = correctionLines({ rows: 1_000, fields: [{ field: 'iban', count: 1_000 }], first })
    expect(lines[0]).toBe('1,000 rows were corrected: iban: 1000')
    expect(lines[1]).toBe('  row 1: iban "A" → "B" (Berta: a letter)')
    expect([lines.length, lines.at(-1)]).toEqual([12, '  and 990 more'])
  })

  it('is no field where none was changed, and nothing where nobody corrected anything', () => {
    const line = '  row 7: no field (Berta: a letter)'
    const lines = correctionLines({ rows: 1, fields: [], first: [corrected(7, '')] })
    expect(lines).toEqual(['1 row was corrected', line])
    expect(correctionLines({ rows: 0, fields: [], first: [] })).toEqual([])
  })
})
