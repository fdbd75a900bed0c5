import { expect, it } from 'vitest'
import { correctionLines } from '../../src/cli/reading-lines.js'
const corrected = (row: number) => ({
  row,
  by: 'Berta',
  at: '2026-06-15T10:00:00.000Z',
  reason: 'a letter',
  changes: 'iban "A" → "B"',
})

it('26.2 tells how many rows were corrected, which fields, and the first of them', () => {
  const first = Array.from({ length: 12 }, (_, at) => corrected(at + 1))
  const lines = correctionLines({ rows: 1_000, fields: [{ field: 'iban', count: 1_000 }], first })
  expect(lines[0]).toBe('1,000 rows were corrected: iban: 1000')
  expect(lines[1]).toBe('  row 1: iban "A" → "B" (Berta: a letter)')
  expect(lines).toHaveLength(12)
  expect(lines.at(-1)).toBe('  and 990 more')
})

it('26.2 says so where none of the fields was changed, and nothing where nobody corrected anything', () => {
  const first = [{ ...corrected(7), changes: '' }]
  expect(correctionLines({ rows: 1, fields: [], first })).toEqual([
    '1 row was corrected',
    '  row 7: no field (Berta: a letter)',
  ])
  expect(correctionLines({ rows: 0, fields: [], first: [] })).toEqual([])
})
