import { describe, expect, it } from 'vitest'
import { correctionLines, howReadLines, readingLines } from '../../src/cli/reading-lines.js'
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

describe('26.2 what was corrected', () => {
  const corrected = (row: number, changes = 'iban "A" → "B"') => ({
    row,
    by: 'Berta',
    at: '2026-06-15T10:00:00.000Z',
    reason: 'a letter',
    changes,
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
    expect(correctionLines({ rows: 1, fields: [], first: [corrected(7, '')] })).toEqual([
      '1 row was corrected',
      line,
    ])
    expect(correctionLines({ rows: 0, fields: [], first: [] })).toEqual([])
  })
})
