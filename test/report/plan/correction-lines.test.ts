import { describe, expect, it } from 'vitest'
import { correctionLines } from '../../../src/report/plan/correction-lines.js'

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
