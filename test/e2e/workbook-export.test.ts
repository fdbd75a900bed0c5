import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { placeForEach } from '../support/place.js'
import { inReport } from '../support/program.js'
import { mandateCells, rowsOf, workbookBytes } from '../support/workbook.js'

const { path, write, read, program, sandbox } = placeForEach({ rows: 1, sandbox: {} })

const HEADER = ['Kunde', 'iban', 'Datum', 'sepa_creditor_identifier', 'unique_mandate_reference', 'note']
const day = '<c s="1"><v>45352</v></c>'
const rowOf = (key: number, changed = {}): string[] =>
  mandateCells(key, { 0: `<c s="2"><v>${key}</v></c>`, 2: day, ...changed })

it('a workbook is inspected, drafted, checked and run with a crosswalk that is one too, and its rows come back as CSV', async () => {
  const sheets = {
    Mandates: rowsOf([HEADER, rowOf(1), rowOf(2), rowOf(3, { 1: 'DE00370400440532013000' })]),
    Notes: rowsOf([['to do'], ['ask the bank']]),
  }
  writeFileSync(path('export.xlsx'), workbookBytes({ sheets, formats: [14, '00000'] }))
  const keys = rowsOf([
    ['old', 'new'],
    ...[1, 2, 3].map((key) => [`0000${key}`, `<c><v>${key + 100}</v></c>`]),
  ])
  writeFileSync(path('customers.xlsx'), workbookBytes({ sheets: { Keys: keys } }))
  const unnamed = await program('inspect', 'export.xlsx')
  expect([unnamed.status, unnamed.stderr]).toEqual([7, expect.stringContaining('"Mandates", "Notes"')])
  const inspected = await program('inspect', 'export.xlsx', '--sheet', 'Mandates')
  expect(inspected.stdout).toContain('sheet      Mandates')
  expect(inspected.stdout).toContain('Next: sepa-migrate init export.xlsx --sheet Mandates')
  expect((await program('init', 'export.xlsx', '--sheet', 'Mandates')).status).toBe(0)
  expect(read('sepa-migrate.yaml')).toContain('sheet: "Mandates"')
  write(
    'sepa-migrate.yaml',
    `source: { sheet: Mandates }
columns: { signed_date: { column: Datum, format: dd.mm.yyyy }, status: none }
crosswalk: { file: customers.xlsx, from: Kunde, key: old, customer_no: new }
`,
  )
  expect((await program('run', 'export.xlsx')).status).toBe(3)
  expect(sandbox().mandates()).toMatchObject([{ customer_no: 101 }, { customer_no: 102 }])
  const corrections = read('corrections.csv')
  expect(corrections).toContain('2024-03-01')
  write('corrections.csv', corrections.replace('DE00370400440532013000', 'DE02120300000000202051'))
  const corrected = await program('run', inReport('corrections.csv'))
  expect(corrected.status, corrected.stderr).toBe(0)
  expect(sandbox().mandates()).toHaveLength(3)
  expect((await program('run', 'export.xlsx')).status).toBe(0)
  const other = await program('run', 'export.xlsx', '--sheet', 'Notes')
  expect([other.status, other.stderr]).toEqual([
    7,
    expect.stringContaining('its sheet "Mandates" came in before'),
  ])
  expect(sandbox().mandates()).toHaveLength(3)
})
