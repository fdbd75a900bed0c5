import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import type { Absence } from '../../../src/domain/proof/absence.js'
import type { RowRecord } from '../../../src/ledger/read/reader.js'
import { attemptOf, HEADER, NO_RECORDS, readerOf, registeredRow, rowOf, sourceOf } from '../ledger-value.js'
import { DECISION_COLUMNS, type List, openList, REGISTERED_LIST } from '../../../src/report/files/lists.js'
import { mergeColumns } from '../../../src/report/files/cells.js'

const CAMPAIGN = readerOf(NO_RECORDS).campaign()
const EXPLANATION = {
  rule: 'IBAN_CHECKSUM',
  status: 'open',
  message: 'A typing error.',
  remedy: 'Correct it.',
}
const COLUMNS = mergeColumns([sourceOf({ records: 1 })])

const read = <Of>({ header, line }: List<Of>, of: Of): Record<string, string> =>
  parse<Record<string, string>>(header + line(of), { columns: true, bom: true })[0] ?? {}
const openRow = (row: RowRecord, explanation = EXPLANATION) =>
  read(openList(COLUMNS, CAMPAIGN, false), { row, explanation, absence: null })
const inDoubt = (row: RowRecord, absence: Absence | null = null) =>
  read(openList(COLUMNS, CAMPAIGN, true), { row, explanation: EXPLANATION, absence })

describe('a line to be corrected', () => {
  it('holds the cells of the export first, so that a spreadsheet keeps them, and says which row it is', () => {
    const line = openRow(rowOf(7, { state: 'invalid', cells: ['00017', 'x', '2020-02-29', 'DE98', '0815'] }))
    expect(Object.keys(line).slice(0, 6)).toEqual([...HEADER, 'migration_row'])
    expect(line).toMatchObject({ customer_no: '="00017"', migration_row: '7', migration_state: 'invalid' })
  })

  it('names its ledger by a word, so that no spreadsheet rounds it, and the attempt that was looked at', () => {
    const refused = rowOf(7, { state: 'refused', attempts: 3, lastAttempt: attemptOf({ n: 3 }) })
    expect(openRow(refused)).toMatchObject({ migration_ledger: 'L-7f3b7c1e', migration_attempt: '3' })
    expect(openRow(rowOf(7))).toMatchObject({ migration_attempt: '', migration_decision: '' })
  })

  it('of a record of the wrong shape cannot be sent unread: it has no account, and tells the record, cut to fit a cell', () => {
    const nobody = {
      customerNo: null,
      ibanMasked: null,
      signedDate: null,
      originalCreditorIdentifier: null,
      originalMandateReference: null,
    }
    const stray = (cell: string) =>
      openRow(rowOf(7, { ...nobody, state: 'invalid', cells: ['a', 'b', cell] }))
    expect(stray('c')['iban']).toBe('')
    expect(stray('c')['migration_message']).toContain('The record as it was read: ')
    expect(stray('c'.repeat(9_000))['migration_message']).toMatch(/… \(cut\)$/)
    expect(stray('c'.repeat(9_000))['migration_message']?.length).toBeLessThan(8_192)
  })

  it('runs nothing that the service said', () => {
    const line = openRow(rowOf(7), { ...EXPLANATION, message: '=HYPERLINK("http://x")' })
    expect(line['migration_message']).toMatch(/^'=/)
  })
})

describe('a line in doubt', () => {
  it('says of the request that left when, by which id, and when a resend is possible', () => {
    const line = inDoubt(rowOf(4, { state: 'in_doubt', attempts: 1, lastAttempt: attemptOf() }))
    expect(line).toMatchObject({
      migration_request_id: 'b1c9d5f0-0000-4000-8000-000000000001',
      migration_assigned_mandate_reference: '',
    })
    expect(line['migration_sent_at']).toContain('2026-06-15 10:00')
    expect(line['migration_resend_from']).toContain('2026-06-15 10:15')
    expect(line['migration_sent_ago']).toMatch(/before .*2026-06-15 12:00/)
  })

  it('proposes what the evidence allows, and leaves the decision to a person', () => {
    const row = rowOf(4, { state: 'in_doubt', attempts: 1, lastAttempt: attemptOf() })
    const series = {
      firstAskedAt: '2026-06-15T10:30:00.000Z',
      lastAskedAt: '2026-06-16T11:00:00.000Z',
      questions: 2,
    }
    const proposed = inDoubt(row, { kind: 'resend', ...series, present: 3 })
    expect(proposed).toMatchObject({
      migration_proposal: 'resend',
      migration_proposal_evidence:
        'Asked 2 times from 2026-06-15 10:30:00 UTC to 2026-06-16 11:00:00 UTC, each time no payment source of the customer; 3 registered rows of that run were shown by the same read-back.',
      migration_decision: '',
      migration_reason: '',
    })
    const early = inDoubt(row, { kind: 'too_early', ...series, from: '2026-06-17T00:00:00.000Z' })
    expect(early['migration_proposal']).toBe('')
    expect(early['migration_proposal_evidence']).toContain('; ask again from 2026-06-17 00:00:00 UTC.')
    expect(inDoubt(row)).toMatchObject({ migration_proposal: '', migration_proposal_evidence: '' })
    expect(inDoubt(row, { kind: 'not_asked' })['migration_proposal_evidence']).toBe('')
    const names = Object.keys(proposed)
    expect(names.indexOf('migration_proposal')).toBe(names.indexOf('migration_request_id') + 1)
    expect(names.indexOf('migration_ledger')).toBe(names.indexOf('migration_proposal_evidence') + 1)
  })

  it('has every column that a decision is read from', () => {
    expect(Object.keys(inDoubt(rowOf(4, { state: 'in_doubt' })))).toEqual(
      expect.arrayContaining([...DECISION_COLUMNS]),
    )
  })
})

describe('registered.csv', () => {
  const line = (row: RowRecord) => read(REGISTERED_LIST, row)

  it('pairs old and new identifiers, without an account', () => {
    expect(line(registeredRow(1))).toMatchObject({
      iban_masked: 'DE…3000',
      original_mandate_reference: 'M-1',
      assigned_mandate_reference: 'NEW-1',
    })
  })

  it('a reference that a spreadsheet would run stays readable as what it is', () => {
    const row = registeredRow(1, { originalMandateReference: '=1+1', assignedMandateReference: '+49' })
    expect(line(row)).toMatchObject({
      original_mandate_reference: '="=1+1"',
      assigned_mandate_reference: '="+49"',
    })
  })
})
