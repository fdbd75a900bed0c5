import type { RowRecord } from '../ledger/reader.js'
import { csvHeader, csvLine, messageCell } from './csv.js'
import type { Explanation } from './explanation.js'
import type { OriginalColumns } from './original-columns.js'

/** Header of registered.csv (product.md 7). */
const REGISTERED_COLUMNS = [
  'customer_no',
  'iban_masked',
  'signed_date',
  'original_creditor_identifier',
  'original_mandate_reference',
  'assigned_creditor_identifier',
  'assigned_mandate_reference',
  'registered_at',
  'source',
  'record',
  'attempts',
] as const

/** What the result files add to the original columns (product.md 7). */
const MIGRATION_COLUMNS = [
  'migration_row',
  'migration_state',
  'migration_rule',
  'migration_status',
  'migration_message',
  'migration_remedy',
] as const

/**
 * What in-doubt.csv has besides, for `resolve --from`. `migration_attempt` holds the number of the attempt that left
 * the doubt (`Resolution.attempt`), so that a file filled in before the row moved on is refused; a person fills in
 * the others.
 */
export const DECISION_COLUMNS = [
  'migration_attempt',
  'migration_decision',
  'migration_reason',
  'migration_by',
  'migration_assigned_creditor_identifier',
  'migration_assigned_mandate_reference',
] as const

export const registeredHeader = (): string => csvHeader(REGISTERED_COLUMNS)

/** Old to new, exact: this file is read by programs. */
export const registeredLine = (row: RowRecord): string =>
  csvLine([
    row.customerNo === null ? '' : String(row.customerNo),
    row.ibanMasked ?? '',
    row.signedDate ?? '',
    row.originalCreditorIdentifier ?? '',
    row.originalMandateReference ?? '',
    row.assignedCreditorIdentifier ?? '',
    row.assignedMandateReference ?? '',
    row.registeredAt ?? '',
    row.source,
    String(row.record),
    String(row.attempts),
  ])

/** Header of refused.csv and not-sent.csv. */
export const openRowHeader = (columns: OriginalColumns): string =>
  csvHeader([...columns.names, ...MIGRATION_COLUMNS])

export const inDoubtHeader = (columns: OriginalColumns): string =>
  csvHeader([...columns.names, ...MIGRATION_COLUMNS, ...DECISION_COLUMNS])

/** A source may have cells of 8,192 characters at most, and this file is to be a source again. */
const LONGEST_STRAY = 4_000

const cut = (record: string): string =>
  record.length <= LONGEST_STRAY ? record : `${record.slice(0, LONGEST_STRAY)}… (cut)`

function openRowCells(columns: OriginalColumns, row: RowRecord, explanation: Explanation): string[] {
  const stray = columns.strayRecord(row)
  const asRead = stray === null ? '' : ` The record as it was read: ${cut(stray)}`
  return [
    ...columns.cellsOf(row),
    String(row.id),
    row.state,
    messageCell(explanation.rule),
    explanation.status,
    messageCell(explanation.message + asRead),
    messageCell(explanation.remedy),
  ]
}

export const openRowLine = (columns: OriginalColumns, row: RowRecord, explanation: Explanation): string =>
  csvLine(openRowCells(columns, row, explanation))

export function inDoubtLine(columns: OriginalColumns, row: RowRecord, explanation: Explanation): string {
  const attempt = row.lastAttempt === null ? '' : String(row.lastAttempt.n)
  const decision = DECISION_COLUMNS.map((name) => (name === 'migration_attempt' ? attempt : ''))
  return csvLine([...openRowCells(columns, row, explanation), ...decision])
}
