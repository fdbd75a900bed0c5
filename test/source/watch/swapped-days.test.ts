import { describe, expect, test } from 'vitest'
import { CHECK, fileOf, fileRules, optionsOf, readAll, refusal } from '../../support/sources.js'
import { mandateCells, sheetOf, workbookOf } from '../../support/workbook.js'

/** Days since the last day of 1899, as a workbook holds a day. */
const typed = (day: string): string =>
  `<c s="1"><v>${(Date.parse(day) - Date.parse('1899-12-30')) / 86_400_000}</v></c>`
const workbook = (...cells: readonly string[]): string =>
  workbookOf({
    sheets: { Mandate: sheetOf(...cells.map((cell, at) => mandateCells(at + 1, { 2: cell }))) },
    formats: [14],
  })
const read = (path: string, format: string, yaml = '') =>
  readAll(path, optionsOf(`columns: { signed_date: { column: signed_date, format: ${format} } }\n${yaml}`))

describe('FILE_DAYS_SWAPPED: a spreadsheet that reads 03/04 as 4 March leaves 25/04 as text', () => {
  test.each([
    ['dd/mm/yyyy', ['25/04/2024', typed('2024-03-04'), '31-12-2023 00:00']],
    ['mm/dd/yyyy', [typed('2024-01-01'), typed('2024-03-04'), '04/25/2024']],
    ['auto', ['25/04/2024', typed('2024-03-04'), 'unknown']],
    ['iso', ['25/04/24', typed('2024-03-04'), '']],
  ] as const)('%s %j refuses the file, with both cells', async (format, cells) => {
    const path = workbook(...cells)
    const error = await refusal(read(path, format))
    expect(error).toMatchObject({ rule: 'FILE_DAYS_SWAPPED', exitCode: 7 })
    const text = cells.find((cell) => /^\d/.test(cell)) ?? ''
    expect(error.message).toContain('Column "signed_date"')
    expect(error.message).toContain('"2024-03-04" in C3')
    expect(error.message).toContain(`"${text}" in C${cells.indexOf(text) + 2}`)
    expect(error.next).toContain('rules: { FILE_DAYS_SWAPPED: warning }')

    const lowered = await readAll(path, optionsOf(''), {
      ...CHECK,
      severities: { FILE_DAYS_SWAPPED: 'warning' },
    })
    expect(lowered.records).toHaveLength(3)
  })

  test('the column of the last collection, and a joined one, are looked at, too', async () => {
    const last = workbookOf({
      sheets: {
        Mandate: sheetOf(mandateCells(1, { 5: typed('2024-03-04') }), mandateCells(2, { 5: '25/04/2024' })),
      },
      formats: [14],
    })
    const yaml = 'columns: { last_collection_date: { column: note, format: dd/mm/yyyy } }'
    const error = await refusal(readAll(last, optionsOf(yaml)))
    expect(error).toMatchObject({ rule: 'FILE_DAYS_SWAPPED' })
    expect(error.message).toContain('Column "note"')

    const dates = workbook('25/04/2024', typed('2024-03-04'))
    const row = (customer: number): string =>
      `${customer},DE89370400440532013000,DE98ZZZ09999999999,M-${customer}\n`
    const export_ = `customer_no,iban,sepa_creditor_identifier,unique_mandate_reference\n${row(1)}${row(2)}`
    const join = `join: [{ file: '${dates}', on: { customer_no: customer_no }, take: { signed_date: { column: signed_date, format: dd/mm/yyyy } } }]`
    expect(await refusal(readAll(fileOf(export_), optionsOf(join)))).toMatchObject({
      rule: 'FILE_DAYS_SWAPPED',
    })
  })

  test.each([
    ['a day above 12 was typed', [typed('2024-03-04'), typed('2024-03-13'), '25/04/2024']],
    ['a text could have been turned into a day', [typed('2024-03-04'), '25/04/2024', '03/04/2024']],
    ['a swap would change nothing', [typed('2024-04-04'), '25/04/2024']],
    ['no spreadsheet reads a dotted date with the month first', [typed('2024-03-04'), '25.04.2024']],
    ['there is no text', [typed('2024-03-04'), typed('2024-05-06'), '']],
    ['there is no typed day', ['25/04/2024', '26/04/2024']],
  ] as const)('where %s, nothing is said', async (_, cells) => {
    const { opened } = await read(workbook(...cells), 'dd/mm/yyyy')
    expect(opened.summary().findings.map(({ rule }) => rule)).not.toContain('FILE_DAYS_SWAPPED')
  })

  test('nor of a CSV, where a stray date is the fault of its row', async () => {
    const line = (customer: number, date: string): string =>
      `${customer},DE89370400440532013000,${date},DE98ZZZ09999999999,M-${customer}\n`
    const text = `customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference\n${line(1, '2024-03-01')}${line(2, '25/04/2024')}`
    const { records } = await readAll(fileOf(text), optionsOf(''))
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'invalid'])
  })
})

describe('FILE_DAYS_SWAPPED: two spellings that part at the 12th, of several dates each', () => {
  const line = (date: string, at: number): string =>
    `${at},DE89370400440532013000,${date},DE98ZZZ09999999999,M-${at}\n`
  const text = (dates: readonly string[]): string =>
    `customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference\n${dates.map(line).join('')}`

  test.each([
    [
      'ISO beside dots',
      ['2015-03-05', '2016-07-02', '2024-10-11'],
      ['23.02.2017', '26.08.2025', '13.01.2020'],
      ['2024-03-25', '02.03.2024'],
    ],
    [
      'dots beside slashes',
      ['05.03.2015', '02.07.2016', '11.10.2024'],
      ['23/02/2017', '26/08/2025', '13/01/2020'],
      ['25.03.2024', '02/03/2024'],
    ],
    [
      'slashes beside hyphens, of two digits',
      ['05/03/15', '02/07/16', '11/10/24', '04/04/24'],
      ['23-02-17', '26-08-25', '13-01-20'],
      ['25/03/24', '3-3-24'],
    ],
    [
      'ISO beside slashes with the month first',
      ['2015-03-05', '2016-07-02', '2024-10-11'],
      ['02/23/2017', '8/26/2025', '1/13/2020'],
      ['2024-03-25', '2/3/2024'],
    ],
  ])('CSV: %s', async (_, swapped, sure, others) => {
    const dates = [...swapped, ...sure].toSorted()
    const error = await refusal(readAll(fileOf(text(dates))))
    expect(error).toMatchObject({ rule: 'FILE_DAYS_SWAPPED', exitCode: 7 })
    expect(error.message).toContain('Column "signed_date"')
    for (const group of [swapped, sure])
      expect(group.some((date) => error.message.includes(`"${date}"`))).toBe(true)
    // One that fits neither proves that nothing was swapped, and two of a spelling may be chance.
    for (const fewer of [...others.map((other) => [...dates, other]), [...swapped, ...sure.slice(1)]])
      expect(await fileRules(text(fewer))).not.toContain('FILE_DAYS_SWAPPED')
  })

  test('XLSX: days beside dotted texts', async () => {
    const days = ['2015-03-05', '2016-07-02', '2024-10-11'].map(typed)
    const texts = ['23.02.2017', '26.08.2025', '13.01.2020']
    const error = await refusal(read(workbook(...days, ...texts), 'dd.mm.yyyy'))
    expect(error).toMatchObject({ rule: 'FILE_DAYS_SWAPPED' })
    expect(error.message).toContain('"2015-03-05" in C2')
    expect(error.message).toContain('"23.02.2017" in C5')
    const { opened } = await read(workbook(...days, typed('2024-03-13'), ...texts), 'dd.mm.yyyy')
    expect(opened.summary().findings.map(({ rule }) => rule)).not.toContain('FILE_DAYS_SWAPPED')
  })
})
