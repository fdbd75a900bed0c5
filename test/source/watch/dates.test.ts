import { describe, expect, it, test } from 'vitest'
import { CHECK, exportOf, fileOf, optionsOf, readAll } from '../../support/sources.js'
import { fileRules, inUtc, kindsIn, readText, refused, rowRules, rulesOf } from '../reading.js'
import { dayCell, rowsOf, workbookOf, mandateCells, sheetOf } from '../../support/workbook.js'

const lines = (dates: readonly string[]): string[] => {
  const [header = '', ...rows] = exportOf(dates.length).trimEnd().split('\n')
  return [header, ...rows.map((row, at) => row.replace('2024-03-01', dates[at] ?? ''))]
}
const text = (dates: readonly string[]): string => `${lines(dates).join('\n')}\n`.replaceAll(',', ';')

const sheet = (dates: readonly string[]): string => {
  const rows = lines(dates).map((line, at) =>
    line.split(',').map((cell, column) => (at > 0 && column === 2 ? dayCell(cell) : cell)),
  )
  return workbookOf({ formats: [14], sheets: { Mandate: rowsOf(rows) } })
}

const SIGNED = ['2019-03-14', '2020-07-20', '2021-09-01', '2022-11-11', '2023-01-02']
const SHIFTED = {
  'Berlin in a database': ['Europe/Berlin', SIGNED.map((day) => inUtc(day, 'Europe/Berlin'))],
  Helsinki: ['Europe/Helsinki', SIGNED.map((day) => inUtc(day, 'Europe/Helsinki').replace(/ (.*)/, 'T$1Z'))],
  'Paris, off by seconds': ['Europe/Paris', SIGNED.map((day) => inUtc(day, 'Europe/Paris', 43))],
} as const

describe.each(Object.entries(SHIFTED))('midnight of another zone: %s', (_, [zone, dates]) => {
  it.each([
    ['text', () => fileOf(text(dates))],
    ['cells of a workbook', () => sheet(dates)],
  ])('is asked about, and read where the configuration says so: %s', async (_, given) => {
    const reading = readAll(given(), undefined, { ...CHECK, zone })
    const told = '5 of 5 times lie between 21:00 and 24:00'
    const error = await refused(reading, 'FILE_DATES_SHIFTED', told)
    expect(`${error.message} ${error.next}`).toContain('source: { dates: utc }')
    const utc = await readAll(given(), optionsOf('source: { dates: utc }'), { ...CHECK, zone })
    expect(utc.records.map(({ verdict }) => verdict.kind)).toEqual(SIGNED.map(() => 'sendable'))
    expect(utc.records.map(({ values }) => values.signedDate)).toEqual(SIGNED)
    expect(utc.summary.reading.transforms).toMatchObject({ signed_date: [{ dates: 'utc' }] })
    const written = await readAll(given(), optionsOf('source: { dates: written }'), { ...CHECK, zone })
    const days = dates.map((date) => date.slice(0, 10))
    expect(written.records.map(({ values }) => values.signedDate)).toEqual(days)
  })

  it('is asked about still where the zone of the campaign leaves the evening', async () => {
    const options = optionsOf('source: { dates: utc }')
    const reading = readAll(fileOf(text(dates)), options, { ...CHECK, zone: 'UTC' })
    await refused(reading, 'FILE_DATES_SHIFTED', 'timezone')
  })
})

describe('times that are those of people', () => {
  it('are dropped, in whatever format', async () => {
    const dates = ['2025-03-04 21:43:12', '2025-03-05 08:12:00', '2025-03-06 13:00:00', '2025-03-07 17:30:01']
    for (const given of [fileOf(text(dates)), sheet(dates)]) {
      const { records, summary } = await readAll(given)
      expect(records.map(({ values }) => values.signedDate)).toEqual(dates.map((date) => date.slice(0, 10)))
      expect(summary.findings).toEqual([])
    }
  })

  it('one at 23 o’clock sharp holds its row', async () => {
    const dates = ['2021-03-04', '2021-03-05', '2021-03-05 23:00:00']
    for (const given of [fileOf(text(dates)), sheet(dates)])
      expect((await readAll(given)).records.map(rulesOf)).toEqual([[], [], ['DATE_UTC_SHIFT']])
    expect(await kindsIn(text(dates))).toEqual(['sendable', 'sendable', 'invalid'])
    expect(await rowRules(text(dates), 'source: { dates: written }')).toEqual([[], [], []])
  })

  it('an offset says whose midnight it is', async () => {
    const dates = ['2025-03-04T22:00:00+01:00', '2025-03-05T23:30:00+02:00']
    expect(await fileRules(text(dates))).toEqual([])
  })

  it('one shortly before midnight among days asks about the file, also in serial numbers', async () => {
    await refused(readText(text(['2021-03-04', '2021-03-05', '2021-03-05 23:59:17'])), 'FILE_DATES_SHIFTED')
    const options = 'columns: { signed_date: { column: signed_date, format: excel } }'
    await refused(readText(text(['43537.958333', '44031.916667']), options), 'FILE_DATES_SHIFTED')
  })
})

describe('a column that mixes formats', () => {
  it.each([
    ['auto', ['2014-02-01', '17-03-2015'], 'DATE_AMBIGUOUS', 'It can be read as dd-mm-yyyy.'],
    ['dd.mm.yyyy', ['14.03.2019', '2020-07-20'], 'DATE_INVALID', 'It is written as iso.'],
    ['dd/mm/yyyy', ['14/03/2019 00:00', '20-JUL-20'], 'DATE_INVALID', 'It is written as dd-MON-yy.'],
    ['mm/dd/yyyy', ['3/14/2019 12:00:00 AM', '2020/07/20'], 'DATE_INVALID', 'written as yyyy/mm/dd.'],
    ['iso', ['2014-02-01', '14-MAR-2019'], 'DATE_INVALID', 'It is written as dd-MON-yyyy.'],
  ])('is told by its rows, and how to go on: %s', async (format, dates, rule, message) => {
    const yaml = `columns: { signed_date: { column: signed_date, format: ${format} } }`
    const { records } = await readText(text(dates), yaml)
    expect(records.map(rulesOf)).toEqual([[], [rule]])
    expect(records[1]?.findings[0]?.message).toContain(message)
    expect(records[1]?.findings[0]?.remedy).toContain('YYYY-MM-DD into corrections.csv')
  })

  it('promises no format where none reads it', async () => {
    const yaml = 'columns: { signed_date: { column: signed_date, format: dd.mm.yyyy } }'
    const { records } = await readText(text(['Frühjahr 2019']), yaml)
    expect(records[0]?.findings[0]?.remedy).toContain('no format reads it: write it as YYYY-MM-DD')
  })
})

it('what is said of a date that many rows share is told at the first of them', async () => {
  const [header = '', ...rows] = exportOf(4).trimEnd().split('\n')
  const planned = ['9999-01-05', '9999-01-05', '9999-02-05', '']
  const text = [`${header},last_collection_date`, ...rows.map((row, at) => `${row},${planned[at] ?? ''}`)]
  const future = ['LAST_COLLECTION_FUTURE']
  expect(await rowRules([...text, ''].join('\n'))).toEqual([future, [], future, []])
  const filler = rows.map((row) => row.replace('2024-03-01', '2009-11-01'))
  expect(await rowRules([header, ...filler, ''].join('\n'))).toEqual([['DATE_LEGACY_DEFAULT'], [], [], []])
})

const workbook = (...cells: readonly string[]): string =>
  workbookOf({
    sheets: { Mandate: sheetOf(...cells.map((cell, at) => mandateCells(at + 1, { 2: cell }))) },
    formats: [14],
  })
const read = (path: string, format: string, yaml = '') =>
  readAll(path, optionsOf(`columns: { signed_date: { column: signed_date, format: ${format} } }\n${yaml}`))

describe('FILE_DAYS_SWAPPED: a spreadsheet that reads 03/04 as 4 March leaves 25/04 as text', () => {
  test.each([
    ['dd/mm/yyyy', ['25/04/2024', dayCell('2024-03-04'), '31-12-2023 00:00']],
    ['mm/dd/yyyy', [dayCell('2024-01-01'), dayCell('2024-03-04'), '04/25/2024']],
    ['auto', ['25/04/2024', dayCell('2024-03-04'), 'unknown']],
    ['iso', ['25/04/24', dayCell('2024-03-04'), '']],
  ] as const)('%s %j refuses the file, with both cells', async (format, cells) => {
    const path = workbook(...cells)
    const error = await refused(read(path, format), 'FILE_DAYS_SWAPPED')
    const text = cells.find((cell) => /^\d/.test(cell)) ?? ''
    expect(error.message).toContain('Column "signed_date"')
    expect(error.message).toContain('"2024-03-04" in C3')
    expect(error.message).toContain(`"${text}" in C${cells.indexOf(text) + 2}`)
    expect(error.next).toContain('rules: { FILE_DAYS_SWAPPED: warning }')

    const severities = { FILE_DAYS_SWAPPED: 'warning' } as const
    const lowered = await readAll(path, optionsOf(''), { ...CHECK, severities })
    expect(lowered.records).toHaveLength(3)
  })

  test('the column of the last collection, and a joined one, are looked at, too', async () => {
    const notes = [dayCell('2024-03-04'), '25/04/2024'].map((note, at) => mandateCells(at + 1, { 5: note }))
    const last = workbookOf({ sheets: { Mandate: sheetOf(...notes) }, formats: [14] })
    const yaml = 'columns: { last_collection_date: { column: note, format: dd/mm/yyyy } }'
    await refused(readAll(last, optionsOf(yaml)), 'FILE_DAYS_SWAPPED', 'Column "note"')

    const dates = workbook('25/04/2024', dayCell('2024-03-04'))
    const row = (customer: number): string =>
      `${customer},DE89370400440532013000,DE98ZZZ09999999999,M-${customer}\n`
    const export_ = `customer_no,iban,sepa_creditor_identifier,unique_mandate_reference\n${row(1)}${row(2)}`
    const join = `join: [{ file: '${dates}', on: { customer_no: customer_no }, take: { signed_date: { column: signed_date, format: dd/mm/yyyy } } }]`
    await refused(readAll(fileOf(export_), optionsOf(join)), 'FILE_DAYS_SWAPPED')
  })

  test.each([
    ['a day above 12 was typed', [dayCell('2024-03-04'), dayCell('2024-03-13'), '25/04/2024']],
    ['a text could have been turned into a day', [dayCell('2024-03-04'), '25/04/2024', '03/04/2024']],
    ['a swap would change nothing', [dayCell('2024-04-04'), '25/04/2024']],
    ['no spreadsheet reads a dotted date with the month first', [dayCell('2024-03-04'), '25.04.2024']],
    ['there is no text', [dayCell('2024-03-04'), dayCell('2024-05-06'), '']],
    ['there is no typed day', ['25/04/2024', '26/04/2024']],
  ] as const)('where %s, nothing is said', async (_, cells) => {
    const { opened } = await read(workbook(...cells), 'dd/mm/yyyy')
    expect(opened.summary().findings.map(({ rule }) => rule)).not.toContain('FILE_DAYS_SWAPPED')
  })

  test('nor of a CSV, where a stray date is the fault of its row', async () => {
    expect(await kindsIn(text(['2024-03-01', '25/04/2024']))).toEqual(['sendable', 'invalid'])
  })
})

describe('FILE_DAYS_SWAPPED: two spellings that part at the 12th, of several dates each', () => {
  test.each([
    '2015-03-05 2016-07-02 2024-10-11 | 23.02.2017 26.08.2025 13.01.2020 | 2024-03-25 02.03.2024',
    '05.03.2015 02.07.2016 11.10.2024 | 23/02/2017 26/08/2025 13/01/2020 | 25.03.2024 02/03/2024',
    '05/03/15 02/07/16 11/10/24 04/04/24 | 23-02-17 26-08-25 13-01-20 | 25/03/24 3-3-24',
    '2015-03-05 2016-07-02 2024-10-11 | 02/23/2017 8/26/2025 1/13/2020 | 2024-03-25 2/3/2024',
  ])('CSV: swapped, sure and neither: %s', async (all) => {
    const [swapped = [], sure = [], others = []] = all.split(' | ').map((dates) => dates.split(' '))
    const dates = [...swapped, ...sure].toSorted()
    const error = await refused(readAll(fileOf(text(dates))), 'FILE_DAYS_SWAPPED', 'Column "signed_date"')
    for (const group of [swapped, sure])
      expect(group.some((date) => error.message.includes(`"${date}"`))).toBe(true)
    // One that fits neither proves that nothing was swapped, and two of a spelling may be chance.
    for (const fewer of [...others.map((other) => [...dates, other]), [...swapped, ...sure.slice(1)]])
      expect(await fileRules(text(fewer))).not.toContain('FILE_DAYS_SWAPPED')
  })

  test('XLSX: days beside dotted texts', async () => {
    const days = ['2015-03-05', '2016-07-02', '2024-10-11'].map(dayCell)
    const texts = ['23.02.2017', '26.08.2025', '13.01.2020']
    const swapped = read(workbook(...days, ...texts), 'dd.mm.yyyy')
    await refused(swapped, 'FILE_DAYS_SWAPPED', /"2015-03-05" in C2.*"23\.02\.2017" in C5/)
    const { opened } = await read(workbook(...days, dayCell('2024-03-13'), ...texts), 'dd.mm.yyyy')
    expect(opened.summary().findings.map(({ rule }) => rule)).not.toContain('FILE_DAYS_SWAPPED')
  })
})
