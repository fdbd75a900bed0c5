import { absenceText, type Absence } from '../../domain/proof/absence.js'
import type { CampaignRecord, RegisteredRow, RowRecord } from '../../ledger/read/reader.js'
import { BYTE_ORDER_MARK, csvHeader, csvLine, editableCell, messageCell } from './csv.js'
import type { Explanation } from '../facts/explanation.js'
import type { OriginalColumns } from './original-columns.js'
import { ageText, timeText } from '../../domain/text/wording.js'
import { LATE_REQUEST_MS } from '../../domain/row/outcome.js'

/** A column of a result file: its name, and the cell of a row. */
type ReportColumn<Of> = readonly [name: string, cell: (of: Of) => string]

const namesOf = <Name extends string>(columns: readonly (readonly [name: Name, ...unknown[]])[]): Name[] =>
  columns.map(([name]) => name)
const cellsOf = <Of>(columns: readonly ReportColumn<Of>[], of: Of): string[] =>
  columns.map(([, cell]) => cell(of))

/** registered.csv, old to new. A reference that a spreadsheet would run is written as `="…"`, as in files to be edited. */
const REGISTERED_COLUMNS = [
  ['customer_no', (row) => (row.customerNo === null ? '' : String(row.customerNo))],
  ['iban_masked', (row) => row.ibanMasked ?? ''],
  ['signed_date', (row) => row.signedDate ?? ''],
  ['original_creditor_identifier', (row) => editableCell(row.originalCreditorIdentifier ?? '')],
  ['original_mandate_reference', (row) => editableCell(row.originalMandateReference ?? '')],
  ['assigned_creditor_identifier', (row) => editableCell(row.assignedCreditorIdentifier ?? '')],
  ['assigned_mandate_reference', (row) => editableCell(row.assignedMandateReference ?? '')],
  ['registered_at', (row) => row.registeredAt ?? ''],
  ['source', (row) => messageCell(row.source)],
  ['record', (row) => String(row.record)],
  ['attempts', (row) => String(row.attempts)],
  ['latest_first_debit', (row) => row.latestFirstDebit ?? ''],
] as const satisfies readonly ReportColumn<RegisteredRow>[]

/** The column by which a line says which row it corrects. */
const ROW_NUMBER = 'migration_row'

interface ExplainedRow {
  readonly row: RowRecord
  readonly explanation: Explanation
  /** A record of the wrong shape as it was read; null for every other. */
  readonly stray: string | null
}

/** What the result files add to the original columns (report/README.md#the-files). */
const MIGRATION_COLUMNS = [
  [ROW_NUMBER, ({ row }) => String(row.id)],
  ['migration_state', ({ row }) => row.state],
  ['migration_rule', ({ explanation }) => messageCell(explanation.rule)],
  ['migration_status', ({ explanation }) => explanation.status],
  ['migration_message', ({ explanation, stray }) => messageCell(explanation.message + asRead(stray))],
  ['migration_remedy', ({ explanation }) => messageCell(explanation.remedy)],
] as const satisfies readonly ReportColumn<ExplainedRow>[]

/** What in-doubt.csv says of the request that left, for asking the service about it. */
const REQUEST_COLUMNS = [
  'migration_sent_at',
  'migration_sent_ago',
  'migration_resend_from',
  'migration_request_id',
] as const

/** What in-doubt.csv proposes for a row that was read back as absent. A person who agrees copies it as the decision. */
const PROPOSAL_COLUMNS = [
  ['migration_proposal', (absence) => (absence?.kind === 'resend' ? 'resend' : '')],
  [
    'migration_proposal_evidence',
    (absence) => (absence === null ? '' : messageCell(sentence(absenceText(absence)))),
  ],
] as const satisfies readonly ReportColumn<Absence | null>[]

const sentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

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

/** What stands behind the original columns in every result file. */
export const OPEN_ROW_COLUMNS = [...namesOf(MIGRATION_COLUMNS), ...CLOSING_COLUMNS] as const

/** The same for in-doubt.csv. */
export const IN_DOUBT_COLUMNS = [
  ...namesOf(MIGRATION_COLUMNS),
  ...REQUEST_COLUMNS,
  ...namesOf(PROPOSAL_COLUMNS),
  ...CLOSING_COLUMNS,
  ...ASSIGNED_COLUMNS,
] as const

/** Every column that `resolve --from` looks at. */
export const DECISION_COLUMNS = [ROW_NUMBER, ...CLOSING_COLUMNS, ...ASSIGNED_COLUMNS] as const

/** How a file names its ledger: never a number, which a spreadsheet would round. */
export const ledgerMark = ({ ledgerId }: Pick<CampaignRecord, 'ledgerId'>): string => `L-${ledgerId}`

export const registeredHeader = (): string => csvHeader(namesOf(REGISTERED_COLUMNS))

export const REGISTERED_COLUMN_NAMES = namesOf(REGISTERED_COLUMNS)

/** The cells of a row as they stand in registered.csv, under `REGISTERED_COLUMN_NAMES`. */

export const registeredLine = (row: RegisteredRow): string => csvLine(cellsOf(REGISTERED_COLUMNS, row))

/** Header of refused.csv, corrections.csv and not-sent.csv. */
export const openRowHeader = (columns: OriginalColumns): string =>
  peopleHeader(columns, [...columns.names, ...OPEN_ROW_COLUMNS])

export const inDoubtHeader = (columns: OriginalColumns): string =>
  peopleHeader(columns, [...columns.names, ...IN_DOUBT_COLUMNS])

/** A file for people, as their spreadsheet wants it. */
const peopleHeader = ({ delimiter }: OriginalColumns, names: readonly string[]): string =>
  BYTE_ORDER_MARK + csvHeader(names, delimiter)

function openRowCells(columns: OriginalColumns, row: RowRecord, explanation: Explanation): string[] {
  const explained = { row, explanation, stray: columns.strayRecord(row) }
  return [...columns.cellsOf(row), ...cellsOf(MIGRATION_COLUMNS, explained)]
}

/** A source may have cells of 8,192 characters at most, and this file is to be a source again. */
const LONGEST_STRAY = 4_000

function asRead(stray: string | null): string {
  if (stray === null) return ''
  const shown = stray.length <= LONGEST_STRAY ? stray : `${stray.slice(0, LONGEST_STRAY)}… (cut)`
  return ` The record as it was read: ${shown}`
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

interface DoubtedRow {
  readonly row: RowRecord
  readonly explanation: Explanation
  /** Null where the service was not asked about it. */
  readonly absence: Absence | null
}

export const inDoubtLine = (
  columns: OriginalColumns,
  campaign: CampaignRecord,
  { row, explanation, absence }: DoubtedRow,
): string =>
  csvLine(
    [
      ...openRowCells(columns, row, explanation),
      ...requestCells(row, campaign),
      ...cellsOf(PROPOSAL_COLUMNS, absence),
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
