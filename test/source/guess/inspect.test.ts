import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import iconv from 'iconv-lite'
import { describe, expect, test, it } from 'vitest'
import type { CheckedRecord } from '../../../src/domain/rule/verdict.js'
import { inspectSource, type Inspection, draftConfiguration } from '../../../src/source/guess/inspect.js'
import type { SourceOptions } from '../../../src/source/options.js'
import { AS_OF, exportOf, fileOf, optionsOf, readAll, SAMPLES } from '../../support/sources.js'
import { optionsBesideSamples } from '../reading.js'
import { profileColumn } from '../../../src/source/guess/column-profile.js'
import { addDays } from '../../../src/domain/mandate/date.js'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'

const inspect = (content: string | Uint8Array, yaml = ''): Promise<Inspection> =>
  inspectSource(fileOf(content), { today: AS_OF, options: optionsOf(yaml) })

const inspectSample = (name: string): Promise<Inspection> =>
  inspectSource(join(SAMPLES, name), { today: AS_OF })

const fieldsOf = ({ columns }: Inspection) =>
  Object.fromEntries(columns.flatMap(({ field, name }) => (field === null ? [] : [[field, name]])))

describe('inspecting a source', () => {
  test('tells of the German export how it is written, with the reason for each guess', async () => {
    const inspection = await inspectSample('german-messy.csv')
    expect(inspection).toMatchObject({
      name: 'german-messy.csv',
      encoding: { value: 'windows-1252', evidence: 'assumed' },
      delimiter: { value: ';', evidence: 'header line' },
      preamble: { lines: 3, evidence: 'line 4 holds 8 known column names' },
      footer: { lines: 1, shown: ['Summe Mandate: 60'] },
      headerLine: 4,
      records: 60,
      creditorIdentifier: { value: 'DE98ZZZ09999999999', line: 2 },
    })
    expect(fieldsOf(inspection)).toEqual({
      payer_name: 'Kontoinhaber',
      iban: 'IBAN',
      unique_mandate_reference: 'Mandatsreferenz',
      signed_date: 'Mandatsdatum',
      last_collection_date: 'Letzte Lastschrift',
      status: 'Status',
    })
    const columns = Object.fromEntries(inspection.columns.map((guess) => [guess.name, guess]))
    const evidence = 'by its name; 58 of 59 values are dates as dd.mm.yyyy'
    expect(columns).toMatchObject({
      Mandatsdatum: { dateFormat: 'dd.mm.yyyy', evidence },
      Mitgliedsnummer: { field: null, role: 'key' },
      Kontoinhaber: { role: 'second_key' },
      Nachname: { role: null, kind: null },
    })
  })

  test('counts the dates of a long column among all of its values', async () => {
    const rows = Array.from({ length: 400 }, (_, at) => (at % 8 === 7 ? 'n/a' : `2024-03-0${1 + (at % 8)}`))
    const text = ['Mandatsreferenz;Mandatsdatum', ...rows.map((day, at) => `M-${at};${day}`)].join('\n')
    const { columns } = await inspect(text)
    expect(columns[1]).toMatchObject({ evidence: 'by its name; 350 of 400 values are dates as iso' })
  })

  test('shows no account number, whatever column it stands in', async () => {
    const iban = 'DE89370400440532013000'
    const text = `account ${iban};x\nIBAN;Mandatsreferenz\n${iban};${iban}\nx ${iban};M-2\n`
    const inspection = await inspect(text)
    expect(inspection.records).toBe(2)
    expect(JSON.stringify(inspection)).not.toContain('3704')
    expect(draftConfiguration(inspection)).not.toContain('3704')
  })

  test('finds columns by their values where the names say nothing', async () => {
    const rows = exportOf(30).split('\n').slice(1)
    const inspection = await inspect(['a,b,c,d,e,f', ...rows].join('\n'))
    expect(fieldsOf(inspection)).toEqual({ iban: 'b', signed_date: 'c', sepa_creditor_identifier: 'd' })
    expect(inspection.columns[1]?.evidence).toBe('by its values; 30 of 30 values are valid IBANs')
  })

  test('leaves a column to the field of its name, and takes no old customer number for that of the service', async () => {
    const text = 'Mandatsreferenz,Ort\nDE89370400440532013000,a\nDE89370400440532013000,b\n'
    expect(fieldsOf(await inspect(text))).toEqual({ unique_mandate_reference: 'Mandatsreferenz' })
    const inspection = await inspect('Customer No.,Kundennummer,IBAN\n1,2,DE89370400440532013000\n')
    expect(fieldsOf(inspection)).toEqual({ iban: 'IBAN' })
    expect(inspection.columns[1]?.role).toBe('key')
  })

  test('says when day and month cannot be told apart, and tells them by another column when it can', async () => {
    const open = await inspect('signed_date,IBAN\n01/02/2023,x\n03/04/2023,y\n')
    expect(open.columns[0]).toMatchObject({ dateFormat: 'dd/mm/yyyy', rivalFormats: ['mm/dd/yyyy'] })
    expect(draftConfiguration(open)).toContain('EDIT: mm/dd/yyyy would fit too')
    const text = 'signed_date,last_debit_date,IBAN\n01/02/2023,12/31/2025,x\n03/04/2023,01/13/2026,y\n'
    const told = await inspect(text)
    expect(told.columns[0]).toMatchObject({ dateFormat: 'mm/dd/yyyy', rivalFormats: [] })
    expect(told.columns[0]?.evidence).toContain('in the order of the other dates')
  })

  test('reads serial numbers as dates only in a column that is named as a date', async () => {
    const inspection = await inspect('signed_date,other,IBAN\n44958,44958,x\n44999,44999,y\n')
    expect(inspection.columns[0]).toMatchObject({ dateFormat: 'excel' })
    expect(inspection.columns[1]).toMatchObject({ dateFormat: null, field: null })
  })

  test('sees a footer of total lines, and none in a file that ends with records', async () => {
    const text = exportOf(20)
    // The total states how many rows stand above it.
    const footer = { lines: 1, shown: ['end'] }
    expect((await inspect(`${text}\nTotal,20\nend\n`)).footer).toEqual(footer)
    for (const ragged of ['', '21,DE89370400440532013000\n'])
      expect((await inspect(`${text}${ragged}`)).footer).toEqual({ lines: 0, shown: [] })
  })

  test('counts the records that are checked, names what is missing, and shows three values of each column', async () => {
    const text = exportOf(20).replace('customer_no', 'Cliente')
    const inspection = await inspect(`${text}Total,,,,,20\n`)
    expect(inspection).toMatchObject({ records: 20, missing: ['customer_no'], footer: { lines: 0 } })
    expect(inspection.columns[0]).toMatchObject({ role: 'key', prefix: '', values: ['1', '2', '3'] })
    expect(inspection.columns[1]?.values[0]).toMatch(/^[A-Z]{2}…\d{4}$/)
  })

  test('lets what is declared win', async () => {
    const declared = await inspect(`x\n${exportOf(2)}`, 'source: { skipLines: 1, delimiter: "," }')
    expect([declared.delimiter?.evidence, declared.preamble.evidence]).toEqual(['declared', 'declared'])
  })

  test('reads a stream once', async () => {
    const stream = Readable.from([Buffer.from(exportOf(3))])
    const inspection = await inspectSource({ name: 'standard input', stream }, { today: AS_OF })
    expect(inspection).toMatchObject({ name: 'standard input', records: 3 })
    expect(inspection.sha256).toHaveLength(64)
  })
})

const troubled = (records: readonly CheckedRecord[]) =>
  records
    .filter(({ verdict, findings }) => verdict.kind !== 'sendable' || findings.length > 0)
    .map((record) => [record.record, ...record.findings.map(({ rule }) => rule)])

/** What the operator does in an editor: one line, found by its old text. */
function edit(draft: string, [from, to]: readonly [from: RegExp, to: string] = [/^/, '']): SourceOptions {
  expect(draft).toMatch(from)
  return optionsBesideSamples(draft.replace(from, to))
}

describe('what is shown of account number and bank code columns', () => {
  test('is never a whole number, in whatever national form the columns have them', async () => {
    const header = 'Kundennummer;Kontonummer;BLZ;Sort code;Kontoinhaber;Referenz'
    const rows =
      '1001;532013000;37040044;20-00-00;Vogelsang;M-1\n1002;0532013;370 400 44;200000;Vogelsang 4711;M-2'
    const inspection = await inspect(`${header}\n${rows}`)
    const shown = inspection.rows.map((cells) => cells.join(' '))
    expect(shown).toEqual(['1001 …3000 …0044 …00 Vogelsang M-1', '1002 …2013 …0044 …00 Vogelsang 4711 M-2'])
    expect(JSON.stringify(inspection)).not.toMatch(/532013|370400|200000/)
  })

  test('is masked in the column of the IBAN too, also where it is no IBAN', async () => {
    const banks = 'DE89370400440532013000 4711 DE02120300000000202051 DE02100500000054540402'.split(' ')
    const rows = banks.map((bank, at) => `${at},${bank},2024-01-01`)
    const inspection = await inspect(['customer_no,Bank,signed_date', ...rows, `9,${banks[0]!},x`].join('\n'))
    expect(inspection.rows.map((cells) => cells[1]).join()).toBe('DE…3000,…11,DE…2051,DE…0402,DE…3000')
  })
})

describe('a drafted configuration', () => {
  test('of the German export needs one edited line to be clean but for the planted faults', async () => {
    const draft = draftConfiguration(await inspectSample('german-messy.csv'))
    const crosswalk =
      'crosswalk: { file: german-customers.csv, from: Mitgliedsnummer, key: member_id, secondKey: { column: iban_end, ibanEnd: true } }'
    const options = edit(draft, [/^# crosswalk: .*$/m, crosswalk])
    const read = async (by: SourceOptions) => (await readAll(join(SAMPLES, 'german-messy.csv'), by)).records
    const own = edit(readFileSync(join(SAMPLES, 'german.yaml'), 'utf8'))
    expect(troubled(await read(options))).toEqual(troubled(await read(own)))
  })

  test.each(['clean.csv', 'faults.csv', 'excel-damaged.csv', 'utf16.csv'])(
    'of %s needs no edit and reads what no configuration reads',
    async (name) => {
      const path = join(SAMPLES, name)
      const options = edit(draftConfiguration(await inspectSample(name)))
      const [drafted, plain] = [await readAll(path, options), await readAll(path)]
      expect(drafted.records).toEqual(plain.records)
    },
  )

  test('explains every line, and says which ones need a person', async () => {
    const draft = draftConfiguration(await inspectSample('german-messy.csv'))
    expect(draft.split('\n').filter((line) => line.includes('EDIT:'))).toHaveLength(1)
    expect(draft).toContain('encoding: windows-1252   # assumed')
    expect(draft).toContain('{ constant: DE98ZZZ09999999999 }   # no column has one; found in line 2')
  })

  test('leaves to the next export how that is written, where each shows it by itself', async () => {
    const options = optionsOf(draftConfiguration(await inspect(exportOf(2))))
    const other = iconv.encode(exportOf(2).replaceAll(',', ';').replace('Person 2', 'Müller'), 'windows-1252')
    expect((await readAll(fileOf(other), options)).records.map(({ cells }) => cells[5])).toContain('Müller')
  })

  test('marks what is missing, and is still a valid configuration', async () => {
    const draft = draftConfiguration(await inspect('a;b\n1;x\n2;y\n'))
    expect(draft).toContain('  # unique_mandate_reference:    # EDIT: which column holds it?')
    expect(draft).toContain('  # sepa_creditor_identifier: { constant:  }   # EDIT: no column has one')
    expect(() => optionsOf(draft)).not.toThrow()
  })

  test('names columns by position where names repeat, and quotes names that YAML would misread', async () => {
    const text =
      'IBAN;IBAN;"Kunde: [1], {2} # x";true\nDE89370400440532013000;x;M-1;1\nDE89370400440532013000;y;M-2;2\n'
    const draft = draftConfiguration(await inspect(text))
    expect(draft).toContain('iban: 1 ')
    expect(draft).toContain('from: "Kunde: [1], {2} # x"')
    expect(() => optionsOf(draft)).not.toThrow()
  })
})

const TODAY = '2026-11-26' as LocalDate

it.each([
  ['of days that stand for none', '2080-01-01'],
  ['of ends', '1900-01-01'],
])('keeps no more values of a column %s than are looked at, and counts them all', (_, first) => {
  const column = profileColumn('Ende')
  for (let n = 0; n < 60_000; n += 1) column.note(addDays(first as LocalDate, n) ?? '')
  const { filled, values } = column.profile(60_000, TODAY)
  expect([filled, values.size]).toEqual([60_000, 12_000])
})

it.each([
  ['ISO', '2025-03-01 ', '2027-03-01 '],
  ['with a T', '2025-03-01T', '2027-03-01T'],
  ['German', '01.03.2025 ', '01.03.2027 '],
])('finds one day to come behind any number of different times: %s', (_, past, future) => {
  const timeOf = (n: number): string => new Date(n * 1000).toISOString().slice(11, 19)
  const column = profileColumn('Zzq')
  for (let n = 0; n < 40_000; n += 1) column.note(`${past}${timeOf(n)}`)
  column.note(`${future}${timeOf(1)}`)
  const { filled, ends } = column.profile(40_001, TODAY)
  expect([filled, ends.past, ends.future]).toEqual([40_001, 40_000, 1])
})
