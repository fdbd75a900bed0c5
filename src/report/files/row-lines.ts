import { LATE_REQUEST_MS } from '../../domain/row/late-request.js'
import type { CampaignRecord, RowRecord } from '../../ledger/read/reader.js'
import { BYTE_ORDER_MARK, csvHeader, csvLine, editableCell, messageCell } from './csv.js'
import type { Explanation } from '../facts/explanation.js'
import type { OriginalColumns } from './original-columns.js'
import { ageText, timeText } from '../../domain/text/wording.js'

/** Header of registered.csv. */
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
  'latest_first_debit',
] as const

/** What the result files add to the original columns (report/README.md#the-files). */
const MIGRATION_COLUMNS = [
  'migration_row',
  'migration_state',
  'migration_rule',
  'migration_status',
  'migration_message',
  'migration_remedy',
] as const

/** What in-doubt.csv says of the request that left, for asking the service about it. */
const REQUEST_COLUMNS = [
  'migration_sent_at',
  'migration_sent_ago',
  'migration_resend_from',
  'migration_request_id',
] as const

/**
 * What `resolve --from` reads. The program fills `migration_ledger`, so that a file is never applied to another
 * ledger, and `migration_attempt` (`Resolution.attempt`), so that a file filled in before the row moved on is
 * refused; a person fills in the others.
 */
const CLOSING_COLUMNS = [
  'migration_ledger',
  'migration_attempt',
  'migration_decision',
  'migration_reason',
  'migration_by',
] as const

/** What in-doubt.csv has besides: the only file in which a row may be called registered. */
const ASSIGNED_COLUMNS = [
  'migration_assigned_creditor_identifier',
  'migration_assigned_mandate_reference',
] as const

/** Every column that `resolve --from` looks at. */
export const DECISION_COLUMNS = [MIGRATION_COLUMNS[0], ...CLOSING_COLUMNS, ...ASSIGNED_COLUMNS] as const

/** How a file names its ledger: never a number, which a spreadsheet would round. */
export const ledgerMark = ({ ledgerId }: Pick<CampaignRecord, 'ledgerId'>): string => `L-${ledgerId}`

export const registeredHeader = (): string => csvHeader(REGISTERED_COLUMNS)

/** Old to new. A reference that a spreadsheet would run is written as `="…"`, as in the files that people edit. */
export const registeredLine = (row: RowRecord): string =>
  csvLine([
    row.customerNo === null ? '' : String(row.customerNo),
    row.ibanMasked ?? '',
    row.signedDate ?? '',
    editableCell(row.originalCreditorIdentifier ?? ''),
    editableCell(row.originalMandateReference ?? ''),
    editableCell(row.assignedCreditorIdentifier ?? ''),
    editableCell(row.assignedMandateReference ?? ''),
    row.registeredAt ?? '',
    messageCell(row.source),
    String(row.record),
    String(row.attempts),
    row.latestFirstDebit ?? '',
  ])

/** Header of refused.csv, corrections.csv and not-sent.csv. */
export const openRowHeader = (columns: OriginalColumns): string =>
  peopleHeader(columns, [...columns.names, ...MIGRATION_COLUMNS, ...CLOSING_COLUMNS])

export const inDoubtHeader = (columns: OriginalColumns): string =>
  peopleHeader(columns, [
    ...columns.names,
    ...MIGRATION_COLUMNS,
    ...REQUEST_COLUMNS,
    ...CLOSING_COLUMNS,
    ...ASSIGNED_COLUMNS,
  ])

/** A file for people, as their spreadsheet wants it. */
const peopleHeader = ({ delimiter }: OriginalColumns, names: readonly string[]): string =>
  BYTE_ORDER_MARK + csvHeader(names, delimiter)

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

/** What the program fills in of the columns for a decision; the rest is for a person. */
const closingCells = (row: RowRecord, campaign: CampaignRecord): string[] => [
  ledgerMark(campaign),
  row.lastAttempt === null ? '' : String(row.lastAttempt.n),
  ...CLOSING_COLUMNS.slice(2).map(() => ''),
]

export const openRowLine = (
  columns: OriginalColumns,
  campaign: CampaignRecord,
  row: RowRecord,
  explanation: Explanation,
): string =>
  csvLine([...openRowCells(columns, row, explanation), ...closingCells(row, campaign)], columns.delimiter)

export const inDoubtLine = (
  columns: OriginalColumns,
  campaign: CampaignRecord,
  row: RowRecord,
  explanation: Explanation,
): string =>
  csvLine(
    [
      ...openRowCells(columns, row, explanation),
      ...requestCells(row, campaign),
      ...closingCells(row, campaign),
      ...ASSIGNED_COLUMNS.map(() => ''),
    ],
    columns.delimiter,
  )

/** How long ago is counted up to the ledger's latest change, and says so: two reports of a ledger are identical. */
function requestCells({ lastAttempt }: RowRecord, { changedAt }: CampaignRecord): string[] {
  if (lastAttempt === null) return REQUEST_COLUMNS.map(() => '')
  const { startedAt, requestId } = lastAttempt
  const resendFrom = new Date(Date.parse(startedAt) + LATE_REQUEST_MS).toISOString()
  const ago = ageText(startedAt, changedAt)
  return [
    timeText(startedAt),
    ago === '' ? '' : `${ago} before ${timeText(changedAt)}`,
    timeText(resendFrom),
    requestId,
  ]
}
