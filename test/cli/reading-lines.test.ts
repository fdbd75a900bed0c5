import { describe, expect, it } from 'vitest'
import { howReadLines, readingLines } from '../../src/cli/reading-lines.js'
import { wordsOf } from '../../src/cli/terminal/world.js'
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
