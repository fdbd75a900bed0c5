import { describe, expect, it } from 'vitest'
import { correctionLines, howReadLines, readingLines } from '../../src/cli/reading-lines.js'
import { wordsOf } from '../../src/cli/terminal/world.js'
import { openScratchLedger } from '../../src/ledger/file/scratch.js'
import { admitSources, sourceOpeners } from '../../src/run/admit-sources.js'
import { CHECK, exportOf, fileOf, optionsOf } from '../support/sources.js'

/** How `check` would tell what it read of this text. */
async function told(text: string, yaml = '', linesOf: typeof howReadLines = readingLines): Promise<string[]> {
  const ledger = openScratchLedger({ now: () => 0, monotonic: () => 0 })
  const { signal } = new AbortController()
  const check = { ...CHECK, undecided: 'tell' as const }
  try {
    const files = sourceOpeners([fileOf(text)], optionsOf(yaml), check, signal)
    await admitSources(ledger, files, { severities: {}, signal, watch: () => undefined })
    return ledger.reader.sources().flatMap(linesOf).map(wordsOf)
  } finally {
    ledger.close()
  }
}

const withColumn = (name: string, ...cells: string[]): string => {
  const [header = '', ...rows] = exportOf(cells.length).trimEnd().split('\n')
  return [`${header},${name}`, ...rows.map((row, index) => `${row},${cells[index] ?? ''}`), ''].join('\n')
}

describe('what a person has to see of how a file was read', () => {
  it('is nothing where nothing was left out or interpreted', async () => {
    expect(await told(withColumn('status', 'active', 'active'))).toEqual([])
  })

  it('names every line that the configuration leaves out, and where it stood', async () => {
    const text = `Export of May\n${exportOf(2)}Summe Mandate: 2\n`
    expect(await told(text, 'source: { skipLines: 1, skipFooterLines: 1 }')).toEqual([
      '  no column says which mandates are active: every mandate is treated as active',
      '  left out before the header: Export of May',
      '  left out at the end: Summe Mandate: 2',
    ])
  })

  it('tells which words keep rows back, which were not understood, and how to teach them', async () => {
    const text = withColumn('Status', 'gekündigt', 'aktiv', 'hocus')
    const lines = (await told(text, 'columns: { status: Status }')).join('\n')
    expect(lines).toMatch(/1 ended stays behind by column "Status": "gekündigt" 1/)
    expect(lines).toMatch(
      /not understood in column "Status": "hocus" 1; to teach: words\.status\.active or words\.status\.notActive/,
    )
  })
})

describe('how a file was read', () => {
  const EXPORT = exportOf(2)
  const constant = 'sepa_creditor_identifier: { constant: DE98ZZZ09999999999 }'
  it.each([
    [
      'names what was found out and by what, so that a wrong guess shows',
      EXPORT.replace('Person 1', 'Müller'),
      '',
      [
        'export.csv: 2 records',
        'utf-8 (every byte fits), separator "," (by the header line), header in line 1',
      ],
    ],
    [
      'names the column of each field, and the creditor that stands for every row',
      EXPORT.replace('iban', 'Konto-IBAN').replace(',sepa_creditor_identifier', ',x'),
      `columns: { iban: Konto-IBAN, ${constant} }\nsource: { ignoreColumns: [x] }`,
      ['iban from "Konto-IBAN"', 'sepa_creditor_identifier DE98ZZZ09999999999 for every row'],
    ],
    [
      'says what was tidied, with the number of cells',
      EXPORT.replace('DE89370400440532013000', 'de89 370400440532013000'),
      '',
      ['tidied: iban (1)'],
    ],
  ])('%s', async (_, text, yaml, words) => {
    const lines = (await told(text, yaml, howReadLines)).join('\n')
    for (const part of words) expect(lines).toContain(part)
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
