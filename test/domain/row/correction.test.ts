import { describe, expect, it } from 'vitest'
import { changesIn, changesText, correctionLines, countFields } from '../../../src/domain/row/correction.js'

describe('what a correction changed', () => {
  it('is told without a word of any language', () => {
    const changes = [
      { field: 'iban', before: 'DE…3000', after: 'NL…4300' },
      { field: 'signed_date', before: '', after: '2024-03-15' },
    ]
    expect(changesText(changes)).toBe('iban "DE…3000" → "NL…4300", signed_date "" → "2024-03-15"')
  })

  it('names its fields again, whatever stands in a value', () => {
    const text = changesText([
      { field: 'unique_mandate_reference', before: 'a" → "b", iban "', after: '\u0007' },
      { field: 'customer_no', before: '1', after: '2' },
    ])
    expect(text).not.toContain('\u0007')
    expect(changesIn(text).map(({ field }) => field)).toEqual(['unique_mandate_reference', 'customer_no'])
    expect(changesIn('removed with the personal data')).toEqual([])
  })

  it('is counted by field, the most frequent first', () => {
    const iban = changesText([{ field: 'iban', before: '1', after: '2' }])
    const date = changesText([{ field: 'signed_date', before: '1', after: '2' }])
    expect(countFields([date, `${iban}, ${date}`, ''])).toEqual([
      { field: 'signed_date', count: 2 },
      { field: 'iban', count: 1 },
    ])
  })
})

describe('what was corrected', () => {
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
