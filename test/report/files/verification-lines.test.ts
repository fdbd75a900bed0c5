import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import type { VerifiedRow } from '../../../src/ledger/read/reader.js'
import { keptSource, verifiedRow } from '../ledger-value.js'
import { VERIFICATION_LIST } from '../../../src/report/files/lists.js'

const cellsOf = (row: VerifiedRow): Record<string, string> => {
  const [cells = {}] = parse<Record<string, string>>(VERIFICATION_LIST.header + VERIFICATION_LIST.line(row), {
    columns: true,
    bom: true,
  })
  return cells
}

describe('verification.csv', () => {
  it('has the columns of its contract', () => {
    expect(VERIFICATION_LIST.header).toBe(
      '\uFEFFmigration_row,customer_no,iban_masked,assigned_mandate_reference,assigned_creditor_identifier,' +
        'verification,verified_at,payment_sources,payment_source_statuses,may_be_cancelled,explanation\n',
    )
  })

  it('shows a proven row with its source, and no advice', () => {
    expect(cellsOf(verifiedRow(7))).toEqual({
      migration_row: '7',
      customer_no: '1007',
      iban_masked: 'DE…3000',
      assigned_mandate_reference: 'NEW-7',
      assigned_creditor_identifier: 'SE97ZZZ5560000001',
      verification: 'proven',
      verified_at: '2026-06-15T11:00:00.000Z',
      payment_sources: 'ps-7',
      payment_source_statuses: 'PENDING',
      may_be_cancelled: '',
      explanation: '',
    })
  })

  it('shows every source of a mandate that is there twice, and which may be cancelled', () => {
    const sources = [
      keptSource('ps-1', { reference: 'NEW-1' }),
      keptSource('ps-2', { reference: 'X', status: null }),
    ]
    expect(
      cellsOf(verifiedRow(1, { verdict: 'twice', sources, cancellable: ['ps-2'], ibanMasked: null })),
    ).toMatchObject({
      iban_masked: '',
      verification: 'twice',
      payment_sources: 'ps-1 ps-2',
      payment_source_statuses: 'PENDING -',
      may_be_cancelled: 'ps-2',
      explanation:
        'The service shows this mandate 2 times. ps-1 is the one of this ledger; a person may cancel ps-2.',
    })
  })

  it('runs nothing in a spreadsheet, and breaks no line', () => {
    const odd = '=cmd|"x"\n@SUM(A1)'
    const line = VERIFICATION_LIST.line(
      verifiedRow(1, {
        verdict: 'other',
        why: 'ended',
        assignedMandateReference: '-17',
        sources: [keptSource(odd, { status: odd })],
        cancellable: [odd],
      }),
    )
    expect(line.trimEnd()).not.toContain('\n')
    const [cells = []] = parse(line)
    expect(cells[3]).toBe('="-17"')
    for (const cell of cells) expect(cell).not.toMatch(/^[=+@-](?!"-17"$)/)
  })
})
