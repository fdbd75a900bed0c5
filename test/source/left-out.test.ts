import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isBareTotals } from '../../src/domain/text/no-record.js'
import { loadSecondFiles } from '../../src/source/columns/second-files.js'
import { inspectSource } from '../../src/source/guess/inspect.js'
import { AS_OF, fileOf, CHECK, exportOf, optionsOf, readText, refusal, rulesOf } from '../support/sources.js'

const [HEADER = '', FIRST = '', SECOND = ''] = exportOf(2).split('\n')
const file = (...lines: string[]): string => `${lines.join('\n')}\n`
const FOOTER = 'source: { skipFooterLines: 1 }'
const PREAMBLE = 'source: { skipLines: 2 }'

describe('a footer that swallows mandates', () => {
  it.each([
    ['a typing error in its account', SECOND.replace('DE8937', 'DE8973')],
    ['an account of digits only', SECOND.replace('DE89370400440532013000', '370400440532013000')],
    ['a masked account', SECOND.replace('DE89370400440532013000', 'DE**********3000')],
    ['no account', SECOND.replace('DE89370400440532013000', '')],
    ['no customer number', SECOND.replace(/^2/, '')],
    ['its customer number alone', '2,,,,,'],
    ['its reference alone', ',,,,M-2,'],
    ['a cut-off end', '2,DE8937'],
    ['an account in another column', 'Ms,Person,DE89 3704 0044 0532 0130 00'],
    ['a name that totals up', SECOND.replace('Person 2', 'Total')],
  ])('is refused where it holds a mandate with %s', async (_, last) => {
    const error = await refusal(readText(file(HEADER, FIRST, last), FOOTER))
    expect(error).toMatchObject({ rule: 'FILE_ROW_LEFT_OUT', exitCode: 7 })
    expect(error.message).toContain('source.skipFooterLines leaves out')
    expect(error.message).toContain('nothing was sent')
    expect(error.message).not.toContain('3704')
    expect(error.next).toContain('physical lines')
  })

  it.each([
    ...['Total', 'Summe Mandate: 1', 'Totaal aantal machtigingen: 1', 'Total,1,,,,'],
    ...[',,,,Summe,12345.67', '*** Ende der Datei ***', 'Erstellt am 15.05.2026,,Benutzer,Müller,,'],
    ...['TSV Musterstadt e. V.', '', '----------', 'Page 3', 'i alt'],
  ])('leaves the footer line %j out and shows it', async (last) => {
    const { records, summary } = await readText(file(HEADER, FIRST, last), FOOTER)
    expect(records).toHaveLength(1)
    expect(summary.reading['leftOut']).toEqual(last === '' ? {} : { atEnd: [last] })
  })

  it('and a preamble that holds one are refused alike', async () => {
    const early = SECOND.replace('DE8937', 'DE8973')
    const error = await refusal(readText(file('Export', early, HEADER, FIRST), PREAMBLE))
    expect(error).toMatchObject({ rule: 'FILE_ROW_LEFT_OUT' })
    expect(error.message).toContain('source.skipLines leaves out')
    const before = ['Mandate of the club', 'Account,DE89 3704 0044 0532 0130 00']
    const { summary } = await readText(file(...before, HEADER, FIRST), PREAMBLE)
    expect(summary.reading['leftOut']).toEqual({ beforeHeader: ['Mandate of the club', 'Account,DE…3000'] })
  })

  it('of a crosswalk is refused where it holds a line', async () => {
    const path = fileOf(file('id,no', 'a1,1', 'b2,2'))
    const options = optionsOf(
      `crosswalk: { file: ${path}, from: id, key: id, customer_no: no, skipFooterLines: 1 }`,
    )
    expect(await refusal(loadSecondFiles(options))).toMatchObject({ rule: 'FILE_ROW_LEFT_OUT' })
    writeFileSync(path, file('id,no', 'a1,1', 'b2,2', 'Total: 2'))
    expect(await loadSecondFiles(options)).toMatchObject([{ reading: { lines: 2 } }])
  })
})

describe('a footer that states a count', () => {
  it.each([
    ...['Totaal aantal machtigingen: 3', 'Summe Mandate: 3', 'Anzahl;3', 'Anzahl Datensätze 3'],
    ...['Total,3', 'Total: 20.000', 'Nombre de mandats : 20 000', 'Number of records = 3'],
    ...['Antal medgivanden: 3', 'Liczba mandatów: 3', 'Número de mandatos: 3', 'Numero di mandati: 3'],
    ...['3 records', "Total 12'345", 'Mandatsanzahl,3', 'Gesamtanzahl 3 am 15.05.2026'],
  ])('is compared with the records read: %j', async (line) => {
    const error = await refusal(readText(file(HEADER, FIRST, SECOND, line), FOOTER))
    expect(error).toMatchObject({ rule: 'FILE_COUNT_MISMATCH', exitCode: 7 })
    expect(error.message).toContain('2 records were read')
    expect(error.next).toContain('Ask for a complete export')
    const right = line.replace(/\d[\d. ]*(?= records|$| am)/, '2')
    expect((await readText(file(HEADER, FIRST, SECOND, right), FOOTER)).records).toHaveLength(2)
  })

  it.each([
    '"Summe: 1.234,50"',
    'Summe Beiträge: 6000',
    'Total EUR 6000',
    'Total: 2 (3 in May)',
    'Stand 15.05.2026',
    'Total 10:30',
    'Summe,1234.56',
    'Totalschaden 7',
    'Anzahl,Name,Ort,7',
  ])('does not take %j for another count', async (line) => {
    expect((await readText(file(HEADER, FIRST, SECOND, line), FOOTER)).records).toHaveLength(2)
  })

  it('counts in a preamble', async () => {
    const before = readText(file('Anzahl Mandate: 3', '', HEADER, FIRST, SECOND), PREAMBLE)
    expect(await refusal(before)).toMatchObject({ rule: 'FILE_COUNT_MISMATCH' })
  })

  it.each([
    ['FILE_COUNT_MISMATCH', 'Total: 3', '1 record'],
    ['FILE_ROW_LEFT_OUT', '17', 'source.skipFooterLines leaves out "17"'],
  ])('%s may be told only, when the configuration says so', async (rule, last, message) => {
    const check = { ...CHECK, severities: { [rule]: 'warning' } as const }
    const { summary } = await readText(file(HEADER, FIRST, last), FOOTER, check)
    expect(summary.findings[0]).toMatchObject({ rule, severity: 'warning' })
    expect(summary.findings[0]?.message).toContain(message)
  })
})

describe('a totals line padded with delimiters', () => {
  const lines = exportOf(3).trimEnd().split('\n')
  const ending = (...last: readonly string[]): string => file(...lines, ...last)

  it.each([
    'Summe,,,,,3',
    'Gesamtsumme:,,,,,',
    'Totaal aantal machtigingen: 3,,,,,',
    'Summe,,,,3,',
    'Summe,3,,,,',
    ',,,,,TOTAL 3',
    'Anzahl Datensätze 3',
  ])('%s is no record, and it is told', async (line) => {
    const { records, opened } = await readText(ending(line))
    expect(records).toHaveLength(3)
    const { records: count, findings } = opened.summary()
    expect(count).toBe(3)
    expect(findings.filter(({ rule }) => rule === 'FILE_TOTALS_LINE')).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('It is line 5.') as string },
    ])
  })

  it('several of them at the end, blank lines between', async () => {
    const { records } = await readText(ending('Zwischensumme,,,,,3', ',,,,,', 'Summe,,,,,3', ''))
    expect(records).toHaveLength(3)
  })

  it('is a record where it holds what a mandate has, where it is a name, and further up', async () => {
    const fields = [
      { field: 'iban', position: 1, name: 'iban', transforms: [] },
      { field: 'unique_mandate_reference', position: 4, name: 'reference', transforms: [] },
    ] as const
    expect(isBareTotals(['Summe', ...(lines[3] ?? '').split(',').slice(1)], fields)).toBe(false)
    expect(isBareTotals(['Summe', '', '', '', '3'], fields)).toBe(true)
    expect(isBareTotals(['Totale', '', '', '', '25 mandati'], fields)).toBe(true)
    expect(isBareTotals(['Totale', '', '', '', '€ 1.250,00'], fields)).toBe(true)
    expect(isBareTotals(['Totale', '', '', '', '25 MND'], fields)).toBe(false)
    expect(isBareTotals(['Totale', '', '', '', 'mandati 25 posten'], fields)).toBe(false)
    for (const cells of [
      'Total Energies GmbH,,,,,',
      'Total,DE89370400440532013000,,,,',
      'Total,3,,,abc,',
      'Countess,,,,,',
    ])
      expect((await readText(ending(cells))).records, cells).toHaveLength(4)
    const [header = '', ...rows] = lines
    const early = await readText(`${[header, 'Summe,,,,,', ...rows].join('\n')}\n`)
    expect(early.records).toHaveLength(4)
    expect(early.opened.summary().findings.map(({ rule }) => rule)).not.toContain('FILE_TOTALS_LINE')
  })

  it.each([
    ['by their count', 'Zwischensumme,2', 'Zwischensumme,1', 'Gesamt,3'],
    ['in French, by the count of all', 'Sous-total,2,,,,', 'Sous-total,3,,,,', 'Total,3,,,,'],
    ['in money', 'Subtotal,,,,,"1,250.00"', 'Subtotal,,,,,12.00', 'Summe,,,,,"1,262.00"'],
  ])('further up sums up the rows above it %s, and is told', async (_, one, other, all) => {
    const [header = '', first = '', second = '', third = ''] = lines
    const paged = file('Club,,,Page 1,,', header, first, second, one, 'Club,,,Page 2,,', header, third)
    const text = `${paged}${file(other, all)}`
    const { records, summary } = await readText(text, 'source: { skipLines: 1 }')
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'sendable', 'sendable'])
    expect(rulesOf(summary)).toContain('FILE_TOTALS_LINE')
    expect(JSON.stringify(summary.findings)).toContain('Line 5 sums up')
    const { columns } = await inspectSource(fileOf(text), { today: AS_OF })
    expect(columns[0]?.values).toEqual(['1', '2', '3'])
  })

  it.each(['Zwischensumme,3', 'Summe,17,,,,', 'Total,2,,,M-7,'])(
    'further up is a record where it counts otherwise: %s',
    async (sum) => {
      const [header = '', first = '', second = '', third = ''] = lines
      expect((await readText(file(header, first, second, sum, third))).records).toHaveLength(4)
    },
  )

  it('knows the word by itself only', () => {
    expect(isBareTotals(['', '20000'], [])).toBe(false)
    expect(isBareTotals([], [])).toBe(false)
    expect(isBareTotals(['Mandate', '3'], [])).toBe(false)
  })
})
