import { describe, expect, test } from 'vitest'
import { isBareTotals } from '../../../src/source/csv/totals.js'
import { exportOf, readText } from '../../support/sources.js'

const LINES = exportOf(3).trimEnd().split('\n')
const file = (...lines: readonly string[]): string => `${[...LINES, ...lines].join('\n')}\n`

describe('9.3 a totals line padded with delimiters', () => {
  test.each([
    'Summe,,,,,3',
    'Gesamtsumme:,,,,,',
    'Totaal aantal machtigingen: 3,,,,,',
    'Summe,,,,3,',
    'Summe,3,,,,',
    ',,,,,TOTAL 3',
    'Anzahl Datensätze 3',
  ])('%s is no record, and it is told', async (line) => {
    const { records, opened } = await readText(file(line))
    expect(records).toHaveLength(3)
    const { records: count, findings } = opened.summary()
    expect(count).toBe(3)
    expect(findings.filter(({ rule }) => rule === 'FILE_TOTALS_LINE')).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('It is line 5.') as string },
    ])
  })

  test('several of them at the end, blank lines between', async () => {
    const { records } = await readText(file('Zwischensumme,,,,,3', ',,,,,', 'Summe,,,,,3', ''))
    expect(records).toHaveLength(3)
  })

  test('is a record where it holds what a mandate has, where it is a name, and further up', async () => {
    const fields = [
      { field: 'iban', position: 1, name: 'iban', transforms: [] },
      { field: 'unique_mandate_reference', position: 4, name: 'reference', transforms: [] },
    ] as const
    expect(isBareTotals(['Summe', ...(LINES[3] ?? '').split(',').slice(1)], fields)).toBe(false)
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
      expect((await readText(file(cells))).records, cells).toHaveLength(4)
    const [header = '', ...rows] = LINES
    const early = await readText(`${[header, 'Summe,,,,,', ...rows].join('\n')}\n`)
    expect(early.records).toHaveLength(4)
    expect(early.opened.summary().findings.map(({ rule }) => rule)).not.toContain('FILE_TOTALS_LINE')
  })

  test('knows the word by itself only', () => {
    expect(isBareTotals(['', '20000'], [])).toBe(false)
    expect(isBareTotals([], [])).toBe(false)
    expect(isBareTotals(['Mandate', '3'], [])).toBe(false)
  })
})
