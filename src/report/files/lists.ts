import {
  BYTE_ORDER_MARK,
  csvHeader,
  csvLine,
  editableCell,
  maskedText,
  messageCell,
  neutralCell,
  type OriginalColumns,
} from './cells.js'
import { printable } from '../../domain/text/text.js'
import { absenceText, type Absence } from '../../domain/proof/absence.js'
import { LATE_REQUEST_MS } from '../../domain/row/outcome.js'
import type {
  CampaignRecord,
  RegisteredRow,
  RowRecord,
  DecisionRecord,
  VerifiedRow,
} from '../../ledger/read/reader.js'
import { type Explanation, explainVerified } from '../facts/explanation.js'
import { ageText, timeText } from '../../domain/text/wording.js'
import { createHash } from 'node:crypto'
import { verificationWord } from '../../domain/proof/verification.js'
import { PLACE_OF_PART } from '../facts/facts.js'
import type { TextKey, Texts } from '../text/texts.js'

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
const OPEN_ROW_COLUMNS = [...namesOf(MIGRATION_COLUMNS), ...CLOSING_COLUMNS] as const

/** The same for in-doubt.csv. */
const IN_DOUBT_COLUMNS = [
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

/** Header of problems.csv. */
const PROBLEM_COLUMNS = [
  'source',
  'record',
  'line',
  'column',
  'rule',
  'severity',
  'value',
  'message',
  'remedy',
] as const

/** One line of problems.csv; a finding on a whole file has neither record nor line. */
export interface ProblemLine {
  readonly source: string
  readonly record: number | null
  readonly line: number | null
  readonly column: string
  readonly rule: string
  readonly severity: string
  readonly value: string
  readonly message: string
  readonly remedy: string
}

/** The name of a file or a column, with what would hide in it or turn it round shown as `<U+202E>`. */
const nameCell = (name: string): string => neutralCell(printable(name))

export const problemHeader = (): string => csvHeader(PROBLEM_COLUMNS)

export const problemLine = (problem: ProblemLine): string =>
  csvLine([
    nameCell(problem.source),
    problem.record === null ? '' : String(problem.record),
    problem.line === null ? '' : String(problem.line),
    nameCell(problem.column),
    problem.rule,
    problem.severity,
    messageCell(problem.value),
    messageCell(problem.message),
    messageCell(problem.remedy),
  ])

/** The text of problems.csv piece by piece, header first: for any number of problems, in memory for one. */
export async function* problemsCsv(
  problems: Iterable<ProblemLine> | AsyncIterable<ProblemLine>,
): AsyncGenerator<string, void, undefined> {
  yield problemHeader()
  for await (const problem of problems) yield problemLine(problem)
}

/** Every decision of the ledger in the order in which it was recorded. */
export const DECISIONS_FILE = 'decisions.csv'

/** What somebody typed, with account numbers masked once more. */
const typedCell = (text: string): string => neutralCell(maskedText(text))

const DECISION_CELLS = [
  ['id', ({ id }) => String(id)],
  ['row', ({ rowId }) => String(rowId)],
  ['attempt', ({ attemptId }) => (attemptId === null ? '' : String(attemptId))],
  ['time', ({ at }) => at],
  ['by', ({ by }) => typedCell(by)],
  ['as', ({ as }) => typedCell(as ?? '')],
  ['decision', ({ decision }) => decision],
  ['from', ({ from }) => from],
  ['to', ({ to }) => to],
  ['reason', ({ reason }) => typedCell(reason)],
  ['evidence', ({ evidence }) => messageCell(evidence ?? '')],
] as const satisfies readonly (readonly [name: string, cell: (decision: DecisionRecord) => string])[]

/** In the order of the hash; `hash` stands behind them. */
const DECISION_COLUMN_NAMES = DECISION_CELLS.map(([name]) => name)

/** All of decisions.csv. */
export const DECISION_FILE_COLUMNS = [...DECISION_COLUMN_NAMES, 'hash'] as const

/** The cells of a decision as they stand in the file, under `DECISION_COLUMN_NAMES`. */
const decisionCells = (decision: DecisionRecord): readonly string[] =>
  DECISION_CELLS.map(([, cell]) => cell(decision))

/** How many decisions a chain has, and the hash of the last one: 64 hexadecimal digits. */
export interface ChainEnd {
  readonly count: number
  readonly head: string
}

/** SHA-256 of the JSON array of these texts without blanks, as UTF-8. */
const hashOf = (texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex')

/** The first decision stands behind the ledger: a chain of another ledger is another chain. */
const chainStart = (ledgerId: string): string => hashOf([ledgerId])

/**
 * Each decision is hashed with the hash of the one before it, so that none can go, change or move without changing all
 * behind it.
 */
const chainLink = (before: string, cells: readonly string[]): string => hashOf([before, ...cells])

interface DecisionLines {
  /** The line of the next decision. */
  readonly next: (decision: DecisionRecord) => string
  readonly end: () => ChainEnd
}

export const decisionHeader = (): string => BYTE_ORDER_MARK + csvHeader(DECISION_FILE_COLUMNS)

export function decisionLines(ledgerId: string): DecisionLines {
  let count = 0
  let head = chainStart(ledgerId)
  return {
    next: (decision) => {
      const cells = decisionCells(decision)
      count += 1
      head = chainLink(head, cells)
      return csvLine([...cells, head])
    },
    end: () => ({ count, head }),
  }
}

/** Written only where registered rows were read back. */
export const VERIFICATION_FILE = 'verification.csv'

const VERIFICATION_COLUMNS = [
  'migration_row',
  'customer_no',
  'iban_masked',
  'assigned_mandate_reference',
  'assigned_creditor_identifier',
  'verification',
  'verified_at',
  'payment_sources',
  'payment_source_statuses',
  'may_be_cancelled',
  'explanation',
] as const

export const verificationHeader = (): string => BYTE_ORDER_MARK + csvHeader(VERIFICATION_COLUMNS)

/** Ids and statuses stand in one cell each, in the same order, between blanks. */
export const verificationLine = (row: VerifiedRow): string =>
  csvLine([
    String(row.id),
    String(row.customerNo),
    row.ibanMasked ?? '',
    editableCell(row.assignedMandateReference),
    editableCell(row.assignedCreditorIdentifier),
    verificationWord(row.verdict),
    row.answeredAt,
    messageCell(row.sources.map(({ id }) => id ?? '-').join(' ')),
    messageCell(row.sources.map(({ status }) => status ?? '-').join(' ')),
    messageCell(row.cancellable.join(' ')),
    messageCell(explainVerified(row)),
  ])

/** Files that have the same columns, and what these mean. */
interface ExplainedColumns {
  readonly files: readonly string[]
  readonly columns: readonly (readonly [column: string, meaning: string])[]
}

type Column =
  | (typeof REGISTERED_COLUMN_NAMES)[number]
  | (typeof IN_DOUBT_COLUMNS)[number]
  | (typeof PROBLEM_COLUMNS)[number]
  | (typeof DECISION_FILE_COLUMNS)[number]
  | (typeof VERIFICATION_COLUMNS)[number]

/** A column that its label does not explain has a line of its own. */
const MEANINGS: Readonly<Record<Column, TextKey>> = {
  customer_no: 'label.customer',
  iban_masked: 'label.account',
  signed_date: 'label.signed',
  original_creditor_identifier: 'label.previousCreditor',
  original_mandate_reference: 'label.previousReference',
  assigned_creditor_identifier: 'label.assignedCreditor',
  assigned_mandate_reference: 'label.assignedReference',
  registered_at: 'label.registeredAt',
  latest_first_debit: 'column.latest_first_debit',
  source: 'label.source',
  record: 'label.record',
  line: 'label.line',
  column: 'label.column',
  value: 'label.value',
  rule: 'label.rule',
  severity: 'column.severity',
  message: 'label.message',
  remedy: 'label.remedy',
  attempts: 'label.attempts',
  migration_row: 'column.migration_row',
  migration_state: 'label.state',
  migration_rule: 'label.rule',
  migration_status: 'label.status',
  migration_message: 'label.message',
  migration_remedy: 'label.remedy',
  migration_sent_at: 'column.migration_sent_at',
  migration_sent_ago: 'column.migration_sent_ago',
  migration_resend_from: 'column.migration_resend_from',
  migration_request_id: 'label.lastRequest',
  migration_proposal: 'column.migration_proposal',
  migration_proposal_evidence: 'label.evidence',
  migration_ledger: 'column.migration_ledger',
  migration_attempt: 'column.migration_attempt',
  migration_decision: 'column.migration_decision',
  migration_reason: 'label.reason',
  migration_by: 'label.by',
  migration_assigned_creditor_identifier: 'label.assignedCreditor',
  migration_assigned_mandate_reference: 'label.assignedReference',
  id: 'column.id',
  row: 'label.row',
  attempt: 'label.attempts',
  time: 'column.time',
  by: 'label.by',
  as: 'label.asUser',
  decision: 'label.decision',
  from: 'column.from',
  to: 'column.to',
  reason: 'label.reason',
  evidence: 'label.evidence',
  hash: 'column.hash',
  verification: 'column.verification',
  verified_at: 'column.time',
  payment_sources: 'label.paymentSources',
  payment_source_statuses: 'label.paymentSources',
  may_be_cancelled: 'label.cancellable',
  explanation: 'label.message',
}

const { registered, refused, corrections, inDoubt, notSent } = PLACE_OF_PART
const OPEN_ROW: ReadonlySet<string> = new Set(OPEN_ROW_COLUMNS)

/**
 * Every column that this program writes, as the headers have them, file by file.
 * @param isVerified whether there is a file of what was read back
 */
export function explainedColumns({ say }: Texts, isVerified: boolean): readonly ExplainedColumns[] {
  const explained = (files: readonly string[], columns: readonly Column[]): ExplainedColumns => ({
    files,
    columns: columns.map((column) => [column, say(MEANINGS[column])]),
  })
  return [
    explained([registered], REGISTERED_COLUMN_NAMES),
    explained([inDoubt, refused, corrections, notSent], OPEN_ROW_COLUMNS),
    explained(
      [inDoubt],
      IN_DOUBT_COLUMNS.filter((column) => !OPEN_ROW.has(column)),
    ),
    explained(['problems.csv'], PROBLEM_COLUMNS),
    explained([DECISIONS_FILE], DECISION_FILE_COLUMNS),
    ...(isVerified ? [explained([VERIFICATION_FILE], VERIFICATION_COLUMNS)] : []),
  ]
}
