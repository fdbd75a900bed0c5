import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { openSource } from '../../src/source/read-source.js'
import { CHECK, exportOf, fileOf, optionsOf, readAll } from '../support/sources.js'
import { fileRules, readText, refused, rowRules, rulesOf } from './reading.js'
import { creditorIdentifierOf } from '../support/sample-values.js'

const LINES = exportOf(3).trimEnd().split('\n')
const [HEADER = '', FIRST = '', SECOND = '', THIRD = ''] = LINES
const file = (...lines: string[]): string => `${lines.join('\n')}\n`

test('batches hold few records of many, numbered through', async () => {
  const opened = await openSource(fileOf(exportOf(2345)), optionsOf(''), CHECK)
  const sizes: number[] = []
  let last = 0
  for await (const batch of opened.records()) {
    sizes.push(batch.length)
    expect(batch[0]?.record).toBe(last + 1)
    last = batch.at(-1)?.record ?? 0
  }
  expect(Math.max(...sizes)).toBeLessThan(1000)
  expect(opened.summary()).toMatchObject({ records: 2345, blankLines: 0 })
})

describe('the shape of rows', () => {
  test('a row with more or fewer columns is an error of that row alone', async () => {
    const { records } = await readText(file(HEADER, `${FIRST},more`, SECOND, THIRD.replace(/,[^,]*$/, '')))
    expect(records.map(rulesOf)).toEqual([['ROW_FIELD_COUNT'], [], ['ROW_FIELD_COUNT']])
    expect(records[0]).toMatchObject({ verdict: { kind: 'invalid' }, mandateKey: null, line: 2 })
    expect(records[0]?.findings[0]).toMatchObject({ value: '7', field: null })
    expect(records[0]?.findings[0]?.message).toContain('It has 7, the header has 6.')
  })

  test('is held back as a warning too, and says so', async () => {
    const check = { ...CHECK, severities: { ROW_FIELD_COUNT: 'warning' } } as const
    const { records } = await readText(file(HEADER, `${FIRST},more`), '', check)
    expect(records[0]).toMatchObject({ verdict: { kind: 'invalid' }, findings: [{ severity: 'warning' }] })
    expect(records[0]?.findings[0]?.message).toContain('so the row is not sent')
  })

  test.each([
    ['one empty field behind the last, in every row', [HEADER, `${FIRST},`, `${SECOND},`], [[], []]],
    ['in some alone', [HEADER, `${FIRST},`, SECOND], [[], ['ROW_FIELD_COUNT']]],
    ['in others alone', [HEADER, FIRST, `${SECOND},`], [[], ['ROW_FIELD_COUNT']]],
    ['behind the header and the rows', [`${HEADER},`, `${FIRST},`], [[]]],
    ['behind the header alone', [`${HEADER},`, FIRST], [[]]],
  ])('%s', async (_, lines, rules) => {
    const { records, opened } = await readText(file(...lines))
    expect(records.map(rulesOf)).toEqual(rules)
    expect(records[0]?.cells).toHaveLength(opened.header.length)
  })

  test('lines without any value are skipped and counted, before the header too', async () => {
    const text = file('', ',,', HEADER, '', FIRST, ',,,,,', '  ', SECOND, '""')
    const { summary, records } = await readText(text)
    expect(records.map(({ record, line }) => `${record} on ${line}`)).toEqual(['1 on 5', '2 on 8'])
    expect(summary).toMatchObject({ records: 2, blankLines: 6 })
  })
})

test('preamble and footer are skipped as declared, and lines keep their numbers', async () => {
  const text = file('Export', '', HEADER, FIRST, SECOND, '', 'Total,2')
  const { records } = await readText(text, 'source: { skipLines: 2, skipFooterLines: 2 }')
  expect(records.map(({ line }) => line)).toEqual([4, 5])
  expect(records.map(rulesOf)).toEqual([[], []])
})

describe('the files that this program writes', () => {
  const result = [
    'migration_row,migration_state,Kundennr,iban,signed_date,CI,UMR,name,migration_message',
    '17,refused,11,DE89370400440532013000,2024-03-01,DE98ZZZ09999999999,M-1,Ann,"no, such"',
    ',refused,12,DE89370400440532013000,2024-03-01,DE98ZZZ09999999999,M-2,Bob,',
    'x1,refused,13,DE89370400440532013000,2024-03-01,DE98ZZZ09999999999,M-3,Cid,',
  ]
  const OPTIONS = `
    source: { encoding: windows-1252, delimiter: ";", skipLines: 3, skipFooterLines: 1 }
    columns: { customer_no: Kundennr }`

  test('come back with their row numbers and without their own columns', async () => {
    const { opened, records, summary } = await readText(file(...result), OPTIONS)
    expect(opened.header).toEqual(['Kundennr', 'iban', 'signed_date', 'CI', 'UMR', 'name'])
    expect(records.map(({ corrects }) => corrects)).toEqual([17, null, 0])
    expect(records[0]?.cells.join()).toBe('11,DE89370400440532013000,2024-03-01,DE98ZZZ09999999999,M-1,Ann')
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'sendable', 'invalid'])
    expect(summary.reading).toMatchObject({ resultFile: true, encoding: { by: 'strict UTF-8' } })
    // As a spreadsheet saves them.
    const saved = file(...result)
      .replace('"no, such"', '')
      .replaceAll(',', ';')
      .replace('Ann', 'Zoë')
    const [again] = (await readText(Buffer.from(saved, 'latin1'), OPTIONS)).records
    expect([again?.corrects, again?.cells[5]]).toEqual([17, 'Zoë'])
  })
})

describe('dates', () => {
  const withDates = (...dates: string[]): string =>
    file(HEADER, ...dates.map((date) => FIRST.replace('2024-03-01', date)))
  const AUTO = 'columns: { signed_date: { column: signed_date, format: auto } }'

  test('auto looks at the whole column before the first value is read', async () => {
    const { records, summary } = await readText(withDates('01/02/2023', '03/04/2023', '31/12/2023'), AUTO)
    expect(records.map(({ values }) => values.signedDate)).toEqual(['2023-02-01', '2023-04-03', '2023-12-31'])
    expect(summary.reading).toMatchObject({ dateFormats: { signedDate: 'dd/mm/yyyy' } })
    // What cannot be decided is left to a person.
    const open = await rowRules(withDates('01/02/2023', '03/04/2023'), AUTO)
    expect(open).toEqual([['DATE_AMBIGUOUS'], ['DATE_AMBIGUOUS']])
  })

  test('auto needs a file', async () => {
    const stream = Readable.from([withDates('01/02/2023')])
    await expect(readAll({ name: '-', stream }, optionsOf(AUTO))).rejects.toThrow(UsageError)
  })
})

describe('exclude rules', () => {
  const status = (...words: string[]): string =>
    file(HEADER.replace('name', 'Zustand'), ...words.map((word) => FIRST.replace('Person 1', word)))
  const reason = 'cancelled at the previous creditor'
  const EXCLUDE = `exclude: [{ column: zustand, equals: [gekündigt, "-", "0"], reason: ${reason} }]`

  test('win over what is wrong with the row, and all is reported', async () => {
    const { records } = await readText(status('gekündigt').replace('DE89', 'DE88'), EXCLUDE)
    expect(records[0]?.verdict).toEqual({ kind: 'excluded', rule: 'EXCLUDED_BY_CONFIGURATION', reason })
    expect(rulesOf(records[0])).toEqual(['EXCLUDED_BY_CONFIGURATION', 'IBAN_CHECKSUM'])
  })

  test('need their column', async () => {
    await refused(readText(exportOf(1), EXCLUDE), 'FILE_HEADER_MISSING', '"zustand" for an exclude rule')
  })
})

describe('what is cleaned and what is damaged', () => {
  test('safe cleaning changes no verdict', async () => {
    const account = FIRST.replace('DE89370400440532013000', 'iban: de89 3704-0044 0532 0130 00')
    const marked = account.replace(',M-1,', ',"=""M-1""",')
    const other = SECOND.replace('DE98ZZZ', "'de98 zzz").replace('2024-03-01', '"\u00a02024-03-01"')
    const { records } = await readText(file(HEADER, marked, other, THIRD))
    expect(records.every(({ verdict }) => verdict.kind === 'sendable')).toBe(true)
  })

  test('mojibake in any cell is a warning on the file, with its first place', async () => {
    const text = exportOf(5).replace('Person 3', 'MÃ¼ller').replace('Person 4', 'M\ufffdller')
    const { summary, records } = await readText(text)
    expect(records.every(({ verdict }) => verdict.kind === 'sendable')).toBe(true)
    expect(summary.findings.find(({ rule }) => rule === 'FILE_MOJIBAKE')).toMatchObject({
      value: 'MÃ¼ller',
      message: expect.stringContaining('2 cells show it, the first in line 4, column "name"') as string,
    })
  })

  test('control characters in cells that are not sent are no less a warning, and break nothing', async () => {
    const { summary, records } = await readText(exportOf(100).replace('Person 3', 'Per\u0007son'))
    expect(records[2]?.verdict.kind).toBe('sendable')
    const warning = { rule: 'FILE_MOJIBAKE', severity: 'warning', value: 'Per<U+0007>son' }
    expect(summary.findings).toContainEqual(expect.objectContaining(warning))
  })

  test('no finding, reading or error shows an account number', async () => {
    const text = exportOf(12).replaceAll('Person', 'Ã¼ DE89370400440532013000')
    const { summary, records } = await readText(text.replaceAll(',DE89', ',DE88'))
    expect(records[0]?.verdict.kind).toBe('invalid')
    expect(JSON.stringify([summary, records.map(({ findings }) => findings)])).not.toContain('3704')
  })
})

describe('rules on the whole file', () => {
  const dated = (rows: number, date: (row: number) => string): string =>
    exportOf(rows)
      .split('\n')
      .map((line, index) => line.replace('2024-03-01', date(index)))
      .join('\n')
  const spread = (row: number): string => `2024-01-${`${(row % 28) + 1}`.padStart(2, '0')}`

  const begun = (rows: number, first: number, date: string): string =>
    dated(rows, (row) => (row <= first ? date : spread(row)))
  const DOMINANT = ['FILE_DATE_DOMINANT']
  const equal = (rows: number): string => exportOf(rows).replaceAll(',M-', ',')
  const creditor = (ci: string): string => exportOf(2).replace('DE98ZZZ09999999999,M-2', `${ci},M-2`)
  test.each([
    ['one date on all of ten rows', exportOf(10), DOMINANT],
    ['on all of nine', exportOf(9), []],
    ['on half of twenty', begun(20, 10, '2024-05-05'), DOMINANT],
    ['on fewer than half', begun(21, 10, '2024-05-05'), []],
    ...['2009-11-01', '1970-01-01', '2026-06-15'].flatMap((filler): [string, string, string[]][] => [
      [`the filler ${filler} on a tenth`, begun(20, 2, filler), DOMINANT],
      [`the filler ${filler} on less`, begun(30, 2, filler), []],
    ]),
    ['references that all equal the customer number', equal(2), ['FILE_UMR_EQUALS_CUSTOMER']],
    ['one reference that does', equal(1), []],
    ['all but one', equal(3).replace(',3,Person', ',4,Person'), []],
    ['two business codes of a creditor', creditor('DE98ABC09999999999'), []],
    ['two creditors', creditor('FR72ZZZ123456'), ['FILE_CI_MIXED']],
  ])('%s', async (_, text, rules) => {
    const found = await fileRules(text)
    expect(found.filter((rule) => /_(DOMINANT|CUSTOMER|MIXED)$/.test(rule))).toEqual(rules)
  })

  test('the day of the export is a filler when it is configured', async () => {
    const text = begun(20, 2, '2025-12-24')
    expect(await fileRules(text)).toEqual([])
    expect(await fileRules(text, 'source: { exportDay: 2025-12-24 }')).toEqual(DOMINANT)
  })

  test('an odd length of a British creditor identifier is told once for each of them, never per row', async () => {
    const british = (characters: number) => creditorIdentifierOf('GB', 'SDDBARC'.padEnd(characters - 7, 'A'))
    const toldOf = async (...lengths: readonly number[]) => {
      const text = lengths.reduce(
        (all, length, n) => all.replace(`DE98ZZZ09999999999,M-${n + 1}`, `${british(length)},M-${n + 1}`),
        exportOf(lengths.length),
      )
      const { records, summary } = await readText(text)
      for (const record of records)
        expect(record).toMatchObject({ findings: [], verdict: { kind: 'sendable' } })
      const told = summary.findings.filter(({ rule }) => rule === 'FILE_CI_LENGTH')
      return told.map(({ value, message }) => `${value}: ${message}`)
    }
    expect(await toldOf(27, 28, 29, 30, 30)).toEqual([])
    expect(await toldOf(26, 26, 26, 31, 31)).toEqual([
      expect.stringMatching(`^${british(26)}: .*It has 26 characters, 27 to 30 are usual\\.`),
      expect.stringContaining(british(31)),
    ])
  })

  test('mandates signed long ago without a last collection are counted', async () => {
    const { summary } = await readText(dated(3, (row) => (row === 2 ? '2023-06-15' : '2023-06-14')))
    expect(summary.findings).toMatchObject([{ rule: 'FILE_DORMANCY_UNKNOWN', value: '2' }])
  })

  test('an assumed encoding is a warning', async () => {
    const { summary } = await readText(Buffer.from(exportOf(2).replace('Person', 'Zoë'), 'latin1'))
    expect(summary.findings).toMatchObject([
      { rule: 'FILE_ENCODING_ASSUMED', message: expect.stringContaining('It is not UTF-8') as string },
    ])
  })

  test('severities of the configuration hold: off is silent, an error keeps the file back', async () => {
    const text = exportOf(10)
    const off = { ...CHECK, severities: { FILE_DATE_DOMINANT: 'off' } as const }
    expect(await fileRules(text, '', off)).toEqual([])
    const strict = { ...CHECK, severities: { FILE_DATE_DOMINANT: 'error' } as const }
    await refused(readText(text, '', strict), 'FILE_DATE_DOMINANT')
  })
})
