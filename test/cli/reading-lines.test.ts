import { describe, expect, it } from 'vitest'
import { howReadLines, readingLines } from '../../src/cli/reading-lines.js'
import { openScratchLedger } from '../../src/ledger/file/scratch.js'
import { admitSources, sourceOpeners } from '../../src/run/admit-sources.js'
import { exportOf, fileOf, optionsOf } from '../support/sources.js'
import { wordsOf } from '../../src/cli/terminal/world.js'
import { parseLocalDate } from '../../src/domain/mandate/date.js'

/** How `check` would tell what it read of this text. */
async function told(text: string, yaml = '', linesOf: typeof howReadLines = readingLines): Promise<string[]> {
  const ledger = openScratchLedger({ now: () => 0, monotonic: () => 0 })
  const signal = new AbortController().signal
  const today = parseLocalDate('2026-06-15')
  if (today === null) throw new Error('The test expected a date')
  const check = {
    today,
    severities: {},
    newCreditorIdentifier: null,
    dormantSoonDays: 60,
    undecided: 'tell' as const,
  }
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
    const lines = await told(
      withColumn('Status', 'gekündigt', 'aktiv', 'hocus'),
      'columns: { status: Status }',
    )
    expect(lines.join('\n')).toMatch(/1 ended stays behind by column "Status": "gekündigt" 1/)
    expect(lines.join('\n')).toMatch(
      /not understood in column "Status": "hocus" 1; to teach: words\.status\.active or words\.status\.notActive/,
    )
  })
})

describe('how a file was read', () => {
  const read = async (text: string, yaml = ''): Promise<string> =>
    (await told(text, yaml, howReadLines)).join('\n')

  it('names what was found out and by what, so that a wrong guess shows', async () => {
    const text = await read(exportOf(2).replace('Person 1', 'Müller'))
    expect(text).toContain('export.csv: 2 records')
    expect(text).toContain('utf-8 (every byte fits), separator "," (by the header line), header in line 1')
  })

  it('names the column of each field, and the creditor that stands for every row', async () => {
    const german = exportOf(1).replace('iban', 'Konto-IBAN').replace(',sepa_creditor_identifier', ',x')
    const yaml =
      'columns: { iban: Konto-IBAN, sepa_creditor_identifier: { constant: DE98ZZZ09999999999 } }\nsource: { ignoreColumns: [x] }'
    const text = await read(german, yaml)
    expect(text).toContain('iban from "Konto-IBAN"')
    expect(text).toContain('sepa_creditor_identifier DE98ZZZ09999999999 for every row')
  })

  it('says what was tidied, with the number of cells', async () => {
    const text = await read(exportOf(2).replace('DE89370400440532013000', 'de89 370400440532013000'))
    expect(text).toContain('tidied: iban (1)')
  })
})
