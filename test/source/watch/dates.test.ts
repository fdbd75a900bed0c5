import { describe, expect, it } from 'vitest'
import {
  CHECK,
  exportOf,
  fileOf,
  fileRules,
  optionsOf,
  readAll,
  readText,
  refusal,
  rowRules,
} from '../../support/sources.js'
import { rowsOf, workbookOf } from '../../support/workbook.js'
import { daysBetween } from '../../../src/domain/mandate/date.js'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'

const lines = (dates: readonly string[]): string[] => {
  const [header = '', ...rows] = exportOf(dates.length).trimEnd().split('\n')
  return [header, ...rows.map((row, at) => row.replace('2024-03-01', dates[at] ?? ''))]
}
const text = (dates: readonly string[]): string => `${lines(dates).join('\n')}\n`.replaceAll(',', ';')

/** A cell of a day that shows no time, as a library wrote it. */
const dayCell = (written: string): string => {
  const [day = '', time = '00:00:00'] = written.split(/[T ]/)
  const [hours = 0, minutes = 0, seconds = 0] = time.replace('Z', '').split(':').map(Number)
  const whole = daysBetween('1899-12-30' as LocalDate, day as LocalDate)
  return `<c s="1"><v>${whole + (hours * 3600 + minutes * 60 + seconds) / 86_400}</v></c>`
}
const sheet = (dates: readonly string[]): string => {
  const rows = lines(dates).map((line, at) =>
    line.split(',').map((cell, column) => (at > 0 && column === 2 ? dayCell(cell) : cell)),
  )
  return workbookOf({ formats: [14], sheets: { Mandate: rowsOf(rows) } })
}

const SIGNED = ['2019-03-14', '2020-07-20', '2021-09-01', '2022-11-11', '2023-01-02']
const SHIFTED = {
  'Berlin in a database': [
    'Europe/Berlin',
    [
      '2019-03-13 23:00:00',
      '2020-07-19 22:00:00',
      '2021-08-31 22:00:00',
      '2022-11-10 23:00:00',
      '2023-01-01 23:00:00',
    ],
  ],
  'Helsinki in JSON': [
    'Europe/Helsinki',
    [
      '2019-03-13T22:00:00Z',
      '2020-07-19T21:00:00Z',
      '2021-08-31T21:00:00Z',
      '2022-11-10T22:00:00Z',
      '2023-01-01T22:00:00Z',
    ],
  ],
  'Paris, off by seconds': [
    'Europe/Paris',
    [
      '2019-03-13 22:59:17',
      '2020-07-19 21:59:17',
      '2021-08-31 21:59:17',
      '2022-11-10 22:59:17',
      '2023-01-01 22:59:17',
    ],
  ],
} as const

describe.each(Object.entries(SHIFTED))('midnight of another zone: %s', (_, [zone, dates]) => {
  it.each([
    ['text', () => fileOf(text(dates))],
    ['cells of a workbook', () => sheet(dates)],
  ])('is asked about, and read where the configuration says so: %s', async (_, given) => {
    const error = await refusal(readAll(given(), undefined, { ...CHECK, zone }))
    expect(error).toMatchObject({ rule: 'FILE_DATES_SHIFTED', exitCode: 7 })
    expect(error.message).toContain('5 of 5 times lie between 21:00 and 24:00')
    expect(`${error.message} ${error.next}`).toContain('source: { dates: utc }')
    const utc = await readAll(given(), optionsOf('source: { dates: utc }'), { ...CHECK, zone })
    expect(utc.records.map(({ verdict }) => verdict.kind)).toEqual(SIGNED.map(() => 'sendable'))
    expect(utc.records.map(({ values }) => values.signedDate)).toEqual(SIGNED)
    expect(utc.summary.reading.transforms).toMatchObject({ signed_date: [{ dates: 'utc' }] })
    const written = await readAll(given(), optionsOf('source: { dates: written }'), { ...CHECK, zone })
    expect(written.records.map(({ values }) => values.signedDate)).toEqual(
      dates.map((date) => date.slice(0, 10)),
    )
  })

  it('is asked about still where the zone of the campaign leaves the evening', async () => {
    const options = optionsOf('source: { dates: utc }')
    const error = await refusal(readAll(fileOf(text(dates)), options, { ...CHECK, zone: 'UTC' }))
    expect(error.rule).toBe('FILE_DATES_SHIFTED')
    expect(error.message).toContain('timezone')
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
      expect((await readAll(given)).records.map(({ verdict }) => verdict.kind)).toEqual([
        'sendable',
        'sendable',
        'invalid',
      ])
    expect(await rowRules(text(dates))).toEqual([[], [], ['DATE_UTC_SHIFT']])
    expect(await rowRules(text(dates), 'source: { dates: written }')).toEqual([[], [], []])
  })

  it('one shortly before midnight among days asks about the file', async () => {
    const error = await refusal(readText(text(['2021-03-04', '2021-03-05', '2021-03-05 23:59:17'])))
    expect(error.rule).toBe('FILE_DATES_SHIFTED')
  })

  it('an offset says whose midnight it is', async () => {
    const dates = ['2025-03-04T22:00:00+01:00', '2025-03-05T23:30:00+02:00']
    expect(await fileRules(text(dates))).toEqual([])
  })

  it('serial numbers have times too', async () => {
    const options = 'columns: { signed_date: { column: signed_date, format: excel } }'
    expect((await refusal(readText(text(['43537.958333', '44031.916667']), options))).rule).toBe(
      'FILE_DATES_SHIFTED',
    )
  })
})

describe('a column that mixes formats', () => {
  const told = async (dates: readonly string[], format: string) => {
    const { records, summary } = await readText(
      text(dates),
      `columns: { signed_date: { column: signed_date, format: ${format} } }`,
    )
    const [mixed] = summary.findings.filter(({ rule }) => rule === 'FILE_DATES_MIXED')
    return { rows: records.map(({ findings }) => findings.map(({ rule }) => rule).join()), mixed, records }
  }

  it('says so, and how to go on: auto', async () => {
    const { rows, mixed, records } = await told(
      ['2014-02-01', '17-03-2015', '03/17/2015', '04/05/2016'],
      'auto',
    )
    expect(rows).toEqual(['', 'DATE_AMBIGUOUS', 'DATE_AMBIGUOUS', 'DATE_AMBIGUOUS'])
    expect(mixed?.message).toContain(
      '1 as dd-mm-yyyy, 1 as mm/dd/yyyy, 1 as dd/mm/yyyy or mm/dd/yyyy, 1 as iso',
    )
    expect(records[1]?.findings[0]?.message).toContain('can only be read as dd-mm-yyyy')
    expect(records[1]?.findings[0]?.remedy).toContain('YYYY-MM-DD into corrections.csv')
  })

  it.each([
    ['German and ISO', ['14.03.2019', '2020-07-20'], 'dd.mm.yyyy', '1 as iso, 1 as dd.mm.yyyy'],
    ['French and Oracle', ['14/03/2019 00:00', '20-JUL-20'], 'dd/mm/yyyy', '1 as dd-MON-yy, 1 as dd/mm/yyyy'],
    [
      'American and Asian',
      ['3/14/2019 12:00:00 AM', '2020/07/20'],
      'mm/dd/yyyy',
      '1 as yyyy/mm/dd, 1 as mm/dd/yyyy',
    ],
  ])('says so where a format is declared: %s', async (_, dates, format, ways) => {
    const { rows, mixed, records } = await told(dates, format)
    expect(rows).toEqual(['', 'DATE_INVALID'])
    expect(mixed?.message).toContain(ways)
    expect(records[1]?.findings[0]?.message).toContain('It is written as')
  })

  it('says nothing of one format, declared wrongly, and names that one', async () => {
    const { rows, mixed, records } = await told(['14-MAR-2019', '20-JUL-2020'], 'iso')
    expect(rows).toEqual(['DATE_INVALID', 'DATE_INVALID'])
    expect(mixed).toBeUndefined()
    expect(records[0]?.findings[0]?.message).toContain('It is written as dd-MON-yyyy.')
  })

  it('says nothing of a column in which only some days can be read in two ways', async () => {
    const { rows, mixed } = await told(['14/03/2019 00:00', '05/03/2019 00:00'], 'iso')
    expect(rows).toEqual(['DATE_INVALID', 'DATE_INVALID'])
    expect(mixed).toBeUndefined()
  })

  it('promises no format where none reads it', async () => {
    const { records } = await told(['Frühjahr 2019'], 'dd.mm.yyyy')
    expect(records[0]?.findings[0]?.remedy).toContain('no format reads it: write it as YYYY-MM-DD')
  })
})

describe('a last collection before the signature', () => {
  const given = (collected: string): string =>
    `${lines([])[0] ?? ''},last_collection_date\n1,DE89370400440532013000,2026-02-10,DE98ZZZ09999999999,M-1,P,${collected}\n`
  const before = 'rules: { LAST_COLLECTION_BEFORE_SIGNATURE: warning }'

  it('holds the row, names the other reading, and is cleared or answered once', async () => {
    const { records } = await readText(given('2021-03-01'))
    expect(records[0]?.verdict.kind).toBe('invalid')
    expect(records[0]?.findings[0]?.message).toContain('under an earlier mandate of this customer')
    expect(records[0]?.findings[0]?.remedy).toContain(before)
    expect((await readText(given(''))).records[0]?.verdict.kind).toBe('sendable')
    const severities = { LAST_COLLECTION_BEFORE_SIGNATURE: 'warning' } as const
    const answered = (await readText(given('2021-03-01'), '', { ...CHECK, severities })).records[0]
    expect(answered).toMatchObject({ verdict: { kind: 'sendable' }, latestFirstDebit: '2029-02-10' })
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
