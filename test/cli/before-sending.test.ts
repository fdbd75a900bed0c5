import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { howReadLines, readingLines, unlikelyShares } from '../../src/cli/before-sending.js'
import { wordsOf } from '../../src/cli/terminal/world.js'
import { collectionFile } from '../support/collections.js'
import { validExport } from '../support/export.js'
import { admitted, exportOf, fileOf } from '../support/sources.js'

/** How `check` would tell what it read of this text. */
const told = (text: string, yaml = '', linesOf: typeof howReadLines = readingLines): Promise<string[]> =>
  admitted([fileOf(text)], (ledger) => ledger.sources().flatMap(linesOf).map(wordsOf), yaml)

const withColumn = (name: string, ...cells: string[]): string => {
  const [header = '', ...rows] = exportOf(cells.length).trimEnd().split('\n')
  return [`${header},${name}`, ...rows.map((row, index) => `${row},${cells[index] ?? ''}`), ''].join('\n')
}

it('what a person has to see of how a file was read is nothing where nothing was left out or interpreted', async () => {
  expect(await told(withColumn('status', 'active', 'active'))).toEqual([])
})

describe('how a file was read', () => {
  const EXPORT = exportOf(2)
  const lines = (text: string, yaml = '') => told(text, yaml, howReadLines)

  it('names what was found out and by what, so that a wrong guess shows', async () => {
    const [first, second] = await lines(EXPORT.replace('Person 1', 'Müller'))
    expect(first).toContain('export.csv: 2 records')
    expect(second).toContain('utf-8 (every byte fits), separator "," (by the header line), header in line 1')
  })

  it('names the column of each field, the creditor that stands for every row, and what was tidied', async () => {
    const text = EXPORT.replace('iban', 'Konto-IBAN').replace(',sepa_creditor_identifier', ',x')
    const constant = 'sepa_creditor_identifier: { constant: DE98ZZZ09999999999 }'
    const yaml = `columns: { iban: Konto-IBAN, ${constant} }\nsource: { ignoreColumns: [x] }`
    const shown = (await lines(text.replace('DE8937', 'de89 37'), yaml)).join('\n')
    expect(shown).toContain('iban from "Konto-IBAN"')
    expect(shown).toContain('sepa_creditor_identifier DE98ZZZ09999999999 for every row')
    expect(shown).toContain('tidied: iban (1)')
  })
})

describe('an unlikely share', () => {
  /** What is unlikely about these files, as `check` admits them. */
  const unlikelyIn = (...texts: readonly string[]): Promise<string[]> =>
    admitted(
      texts.map((text, at) => ({ name: `${at}.csv`, stream: Readable.from([Buffer.from(text)]) })),
      unlikelyShares,
    )
  const oldDates = (rows: number): string => validExport(rows).replaceAll('2024-03', '1999-03')

  it('of rows with the same finding is told', async () => {
    expect(await unlikelyIn(oldDates(10))).toEqual([
      expect.stringMatching(/^DATE_PRE_SEPA was found in 10 of 10 rows/),
    ])
  })

  it.each([
    ['a clean file', validExport(20)],
    ['half the rows', oldDates(10) + validExport(10, 11).replace(/^.*\n/, '')],
    ['a handful', oldDates(9)],
    ['customers of one country', validExport(12).replaceAll(/DE\d{20}/g, 'CH9300762011623852957')],
  ])('is not told of %s', async (_, text) => expect(await unlikelyIn(text)).toEqual([]))

  it('is not told of months of collections, of which each repeats the one before', async () => {
    const months = ['2026-01-05', '2026-02-05', '2026-03-05'].map((day) =>
      collectionFile(Array.from({ length: 10 }, (_, at) => ({ reference: `M-${at}`, day }))),
    )
    const numbers = Array.from({ length: 10 }, (_, at) => `M-${at},${100 + at}`)
    const customers = fileOf(['reference,customer_no', ...numbers, ''].join('\n'), 'customers.csv')
    const found = await admitted(
      months.map((text) => fileOf(text)),
      (reader) => [reader.totals().duplicate, ...unlikelyShares(reader)],
      `crosswalk: { file: ${customers}, from: unique_mandate_reference, key: reference, customer_no: customer_no }`,
    )
    expect(found.join()).not.toMatch(/DUPLICATE|repeat/)
    expect(found[0]).toBe(20)
  })

  it('of repeated rows tells of two files that overlap', async () => {
    expect((await unlikelyIn(validExport(20), validExport(12, 5))).join('\n')).toMatch(
      /12 of 12 rows of "1.csv" repeat.*overlap/,
    )
  })
})
