import { absenceText, type Absence } from '../../domain/proof/absence.js'
import { verificationWord } from '../../domain/proof/verification.js'
import { printable, ageText, timeText } from '../../domain/text/text.js'
import type {
  AttemptRecord,
  CampaignRecord,
  DecisionRecord,
  ProblemRecord,
  RegisteredRow,
  RowRecord,
  VerifiedRow,
} from '../../ledger/read/reader.js'
import { type Explanation, explainVerified } from '../facts/explanation.js'
import { CUT_OVER_FILE, PLACE_OF_PART } from '../facts/facts.js'
import { actionOf, changeText } from '../../domain/row/cut-over.js'
import type { ComparedLine } from '../../ledger/compare/comparison-reads.js'
import type { TextKey, Texts } from '../text/texts.js'
import {
  BYTE_ORDER_MARK,
  csvHeader,
  csvLine,
  editableCell,
  keptCell,
  maskedText,
  messageCell,
  neutralCell,
  type OriginalColumns,
} from './cells.js'
import { LATE_REQUEST_MS } from '../../domain/row/row-state.js'

/** A column of a list: its name, what says in each language what it means, and the cell of an entry. */
type Column<Of> = readonly [name: string, meaning: TextKey, cell: (of: Of) => string]

const namesOf = (columns: readonly Column<never>[]): string[] => columns.map(([name]) => name)
const cellsOf = <Of>(columns: readonly Column<Of>[], of: Of): string[] =>
  columns.map(([, , cell]) => cell(of))

/** A list as a file: its header, and the line of an entry. */
export interface List<Of> {
  readonly header: string
  readonly line: (of: Of) => string
}

const listOf = <Of>(columns: readonly Column<Of>[], mark = ''): List<Of> => ({
  header: mark + csvHeader(namesOf(columns)),
  line: (of) => csvLine(cellsOf(columns, of)),
})

const text = (value: string | number | null): string => (value === null ? '' : String(value))
const paymentSources = (of: Pick<CutOverLine, 'paymentSources'>): string =>
  messageCell(of.paymentSources.join(' '))
const editable =
  <Name extends string>(name: Name) =>
  (row: Readonly<Record<Name, string | null>>): string =>
    editableCell(row[name] ?? '')

const ofRow =
  (cell: (row: RowRecord) => string) =>
  ({ row }: OpenLineOf): string =>
    cell(row)

/** registered.csv, old to new. A reference that a spreadsheet would run is written as `="…"`, as in files to be edited. */
const REGISTERED_COLUMNS: readonly Column<RegisteredRow>[] = [
  ['customer_no', 'label.customer', (row) => text(row.customerNo)],
  ['iban_masked', 'label.account', (row) => text(row.ibanMasked)],
  ['signed_date', 'label.signed', (row) => text(row.signedDate)],
  ['original_creditor_identifier', 'label.previousCreditor', editable('originalCreditorIdentifier')],
  ['original_mandate_reference', 'label.previousReference', editable('originalMandateReference')],
  ['assigned_creditor_identifier', 'label.assignedCreditor', editable('assignedCreditorIdentifier')],
  ['assigned_mandate_reference', 'label.assignedReference', editable('assignedMandateReference')],
  ['registered_at', 'label.registeredAt', (row) => text(row.registeredAt)],
  ['source', 'label.source', (row) => messageCell(row.source)],
  ['record', 'label.record', (row) => String(row.record)],
  ['attempts', 'label.attempts', (row) => String(row.attempts)],
  ['latest_first_debit', 'column.latest_first_debit', (row) => text(row.latestFirstDebit)],
  ['last_collected', 'column.last_collected', (row) => text(row.vouchedOn)],
]

export const REGISTERED_LIST = listOf(REGISTERED_COLUMNS)

/** to-cancel.csv: the same of one run, with what the service calls each where a read-back showed it. */
export const TO_CANCEL_LIST = listOf<RegisteredRow & Pick<CutOverLine, 'paymentSources'>>(
  [...REGISTERED_COLUMNS, ['payment_sources', 'label.paymentSources', paymentSources]],
  BYTE_ORDER_MARK,
)

export interface OpenRow {
  readonly row: RowRecord
  readonly explanation: Explanation
  /** Null where the service was not asked about it. */
  readonly absence: Absence | null
}

interface OpenLineOf {
  readonly row: RowRecord
  readonly campaign: CampaignRecord
}

interface OpenLine extends OpenRow, OpenLineOf {
  /** A record of the wrong shape as it was read; null for every other. */
  readonly stray: string | null
}

/** The column by which a line says which row it corrects. */
const ROW_NUMBER = 'migration_row'

/** What the result files add to the original columns (report/README.md#the-files). */
const MIGRATION_COLUMNS: readonly Column<OpenLine>[] = [
  [ROW_NUMBER, 'column.migration_row', ({ row }) => String(row.id)],
  ['migration_state', 'label.state', ({ row }) => row.state],
  ['migration_rule', 'label.rule', ({ explanation }) => messageCell(explanation.rule)],
  ['migration_status', 'label.status', ({ explanation }) => explanation.status],
  [
    'migration_message',
    'label.message',
    ({ explanation, stray }) => messageCell(explanation.message + asRead(stray)),
  ],
  ['migration_remedy', 'label.remedy', ({ explanation }) => messageCell(explanation.remedy)],
]

/** A source may have cells of 8,192 characters at most, and this file is to be a source again. */
const LONGEST_STRAY = 4_000

function asRead(stray: string | null): string {
  if (stray === null) return ''
  const shown = stray.length <= LONGEST_STRAY ? stray : `${stray.slice(0, LONGEST_STRAY)}… (cut)`
  return ` The record as it was read: ${shown}`
}

const ofAttempt =
  (cell: (attempt: AttemptRecord, campaign: CampaignRecord) => string) =>
  ({ row: { lastAttempt }, campaign }: OpenLine): string =>
    lastAttempt === null ? '' : cell(lastAttempt, campaign)

/** What in-doubt.csv says of the request that left, for asking the service about it. */
const REQUEST_COLUMNS: readonly Column<OpenLine>[] = [
  ['migration_sent_at', 'column.migration_sent_at', ofAttempt(({ startedAt }) => timeText(startedAt))],
  ['migration_sent_ago', 'column.migration_sent_ago', ofAttempt(agoText)],
  ['migration_resend_from', 'column.migration_resend_from', ofAttempt(resendFrom)],
  ['migration_request_id', 'label.lastRequest', ofAttempt(({ requestId }) => requestId)],
]

/** Counted up to the ledger's latest change, and says so: two reports of a ledger are identical. */
function agoText({ startedAt }: AttemptRecord, { changedAt }: CampaignRecord): string {
  const ago = ageText(startedAt, changedAt)
  return ago === '' ? '' : `${ago} before ${timeText(changedAt)}`
}

function resendFrom({ startedAt }: AttemptRecord): string {
  return timeText(new Date(Date.parse(startedAt) + LATE_REQUEST_MS).toISOString())
}

/** What in-doubt.csv proposes for a row that was read back as absent. A person who agrees copies it as the decision. */
const PROPOSAL_COLUMNS: readonly Column<OpenLine>[] = [
  [
    'migration_proposal',
    'column.migration_proposal',
    ({ absence }) => (absence?.kind === 'resend' ? 'resend' : ''),
  ],
  [
    'migration_proposal_evidence',
    'label.evidence',
    ({ absence }) => (absence === null ? '' : messageCell(sentence(absenceText(absence)))),
  ],
]

const sentence = (words: string): string =>
  words === '' ? '' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

const nothing = (): string => ''

/**
 * What `resolve --from` reads. The program fills `migration_ledger`, so that a file is never applied to another
 * ledger, and `migration_attempt` (`Resolution.attempt`), so that a file filled in before the row moved on is
 * refused; a person fills in the others.
 */
const CLOSING_COLUMNS: readonly Column<OpenLineOf>[] = [
  ['migration_ledger', 'column.migration_ledger', ({ campaign }) => ledgerMark(campaign)],
  ['migration_attempt', 'column.migration_attempt', ({ row }) => text(row.lastAttempt?.n ?? null)],
  ['migration_decision', 'column.migration_decision', nothing],
  ['migration_reason', 'label.reason', nothing],
  ['migration_by', 'label.by', nothing],
]

/** What in-doubt.csv has besides: the only file in which a row may be called registered. */
const ASSIGNED_COLUMNS: readonly Column<OpenLine>[] = [
  ['migration_assigned_creditor_identifier', 'label.assignedCreditor', nothing],
  ['migration_assigned_mandate_reference', 'label.assignedReference', nothing],
]

/** How a file names its ledger: never a number, which a spreadsheet would round. */
export const ledgerMark = ({ ledgerId }: Pick<CampaignRecord, 'ledgerId'>): string => `L-${ledgerId}`

/** What stands behind the original columns in every result file. */
const OPEN_COLUMNS = [...MIGRATION_COLUMNS, ...CLOSING_COLUMNS]

/** The same for in-doubt.csv. */
const IN_DOUBT_COLUMNS = [
  ...MIGRATION_COLUMNS,
  ...REQUEST_COLUMNS,
  ...PROPOSAL_COLUMNS,
  ...CLOSING_COLUMNS,
  ...ASSIGNED_COLUMNS,
]

/** Every column that `resolve --from` looks at. */
export const DECISION_COLUMNS = [ROW_NUMBER, ...namesOf([...CLOSING_COLUMNS, ...ASSIGNED_COLUMNS])]

/** A list to work in, as the spreadsheet of a person wants it: in-doubt.csv, or one of the others. */
export function openList(
  originals: OriginalColumns,
  campaign: CampaignRecord,
  isInDoubt: boolean,
): List<OpenRow> {
  const columns = isInDoubt ? IN_DOUBT_COLUMNS : OPEN_COLUMNS
  const { names, delimiter } = originals
  return {
    header: BYTE_ORDER_MARK + csvHeader([...names, ...namesOf(columns)], delimiter),
    line: (open) => {
      const line = { ...open, campaign, stray: originals.strayRecord(open.row) }
      return csvLine([...originals.cellsOf(open.row), ...cellsOf(columns, line)], delimiter)
    },
  }
}

/** On a sheet to work in: what a person fills in, and what the program alone needs of a line that comes back. */
const FILLED_IN = /^migration_(?:decision|reason|by|assigned_.*)$/
const MARK = /^migration_(?:row|state|rule|status|ledger|attempt|line)$/

/** What a list has besides the original columns, as a person works through it. */
const worked = <Of, Line>(columns: readonly Column<Line>[], lineOf: (of: Of) => Line) =>
  columns.map(([name, , cell]) => ({
    name,
    kind: FILLED_IN.test(name) ? 'filled in' : MARK.test(name) ? 'mark' : 'said',
    value: (of: Of) => cell(lineOf(of)),
  }))
export type OwnColumn<Of> = ReturnType<typeof worked<Of, never>>[number]

export const ownColumns = (originals: OriginalColumns, campaign: CampaignRecord, isInDoubt: boolean) =>
  worked(isInDoubt ? IN_DOUBT_COLUMNS : OPEN_COLUMNS, (open: OpenRow) => ({
    ...open,
    campaign,
    stray: originals.strayRecord(open.row),
  }))

/** A line of a comparison that nobody has closed. */
export interface CutOverLine extends OpenLineOf {
  readonly compared: ComparedLine
  /** Ids of payment sources that a read-back showed of it. */
  readonly paymentSources: readonly string[]
}

/** What cut-over.csv says of a mandate besides whose it is, and what a person fills in as in the other lists. */
const CUT_OVER_COLUMNS: readonly Column<CutOverLine>[] = [
  [ROW_NUMBER, 'column.migration_row', ({ row }) => String(row.id)],
  ['migration_class', 'column.migration_class', ({ compared }) => compared.listed],
  ['migration_change', 'column.migration_change', ({ compared }) => messageCell(changeText(compared.why))],
  [
    'migration_action',
    'column.migration_action',
    ({ compared, row }) => messageCell(actionOf(compared.listed, row.state)),
  ],
  ['migration_state', 'label.state', ({ row }) => row.state],
  ['iban_masked', 'label.account', ({ row }) => text(row.ibanMasked)],
  ['assigned_creditor_identifier', 'label.assignedCreditor', ofRow(editable('assignedCreditorIdentifier'))],
  ['assigned_mandate_reference', 'label.assignedReference', ofRow(editable('assignedMandateReference'))],
  ['payment_sources', 'label.paymentSources', paymentSources],
  ['migration_line', 'column.migration_line', ({ compared }) => compared.mark],
  ...CLOSING_COLUMNS,
]

/** Without account numbers, since nothing in it is corrected. */
export const cutOverList = (originals: OriginalColumns): List<CutOverLine> => ({
  header:
    BYTE_ORDER_MARK +
    csvHeader(
      [...originals.identityNames.map(editableCell), ...namesOf(CUT_OVER_COLUMNS)],
      originals.delimiter,
    ),
  line: (of) =>
    csvLine(
      [...originals.identityCells(of.row).map(keptCell), ...cellsOf(CUT_OVER_COLUMNS, of)],
      originals.delimiter,
    ),
})

/** The same on a sheet. */
export const CUT_OVER_OWN = worked(CUT_OVER_COLUMNS, (line: CutOverLine) => line)

/** The name of a file or a column, with what would hide in it or turn it round shown as `<U+202E>`. */
const nameCell = (name: string): string => neutralCell(printable(name))

/** A finding on a whole file has neither record nor line. */
const PROBLEM_COLUMNS: readonly Column<ProblemRecord>[] = [
  ['source', 'label.source', ({ source }) => nameCell(source)],
  ['record', 'label.record', ({ record }) => text(record)],
  ['line', 'label.line', ({ line }) => text(line)],
  ['column', 'label.column', ({ column }) => nameCell(column)],
  ['rule', 'label.rule', ({ rule }) => rule],
  ['severity', 'column.severity', ({ severity }) => severity],
  ['value', 'label.value', ({ value }) => messageCell(value)],
  ['message', 'label.message', ({ message }) => messageCell(message)],
  ['remedy', 'label.remedy', ({ remedy }) => messageCell(remedy)],
]

export const PROBLEM_LIST = listOf(PROBLEM_COLUMNS)

/** Written only where registered rows were read back. */
export const VERIFICATION_FILE = 'verification.csv'

/** Ids and statuses stand in one cell each, in the same order, between blanks. */
const VERIFICATION_COLUMNS: readonly Column<VerifiedRow>[] = [
  ['migration_row', 'column.migration_row', ({ id }) => String(id)],
  ['customer_no', 'label.customer', (row) => String(row.customerNo)],
  ['iban_masked', 'label.account', (row) => text(row.ibanMasked)],
  ['assigned_mandate_reference', 'label.assignedReference', editable('assignedMandateReference')],
  ['assigned_creditor_identifier', 'label.assignedCreditor', editable('assignedCreditorIdentifier')],
  ['verification', 'column.verification', ({ verdict }) => verificationWord(verdict)],
  ['verified_at', 'column.time', (row) => row.answeredAt],
  [
    'payment_sources',
    'label.paymentSources',
    ({ sources }) => messageCell(sources.map(({ id }) => id ?? '-').join(' ')),
  ],
  [
    'payment_source_statuses',
    'label.paymentSources',
    ({ sources }) => messageCell(sources.map(({ status }) => status ?? '-').join(' ')),
  ],
  ['may_be_cancelled', 'label.cancellable', (row) => messageCell(row.cancellable.join(' '))],
  ['explanation', 'label.message', (row) => messageCell(explainVerified(row))],
]

export const VERIFICATION_LIST = listOf(VERIFICATION_COLUMNS, BYTE_ORDER_MARK)

/** Every decision of the ledger in the order in which it was recorded. */
export const DECISIONS_FILE = 'decisions.csv'

/** What somebody typed, with account numbers masked once more. */
const typedCell = (words: string | null): string => neutralCell(maskedText(words ?? ''))

const DECISION_LINE: readonly Column<DecisionRecord>[] = [
  ['id', 'column.id', ({ id }) => String(id)],
  ['row', 'label.row', ({ rowId }) => String(rowId)],
  ['attempt', 'label.attempts', ({ attemptId }) => text(attemptId)],
  ['time', 'column.time', ({ at }) => at],
  ['by', 'label.by', ({ by }) => typedCell(by)],
  ['as', 'label.asUser', ({ as }) => typedCell(as)],
  ['decision', 'label.decision', ({ decision }) => decision],
  ['from', 'column.from', ({ from }) => from],
  ['to', 'column.to', ({ to }) => to],
  ['reason', 'label.reason', ({ reason }) => typedCell(reason)],
  ['evidence', 'label.evidence', ({ evidence }) => messageCell(evidence ?? '')],
]

export const DECISION_LIST = listOf(DECISION_LINE, BYTE_ORDER_MARK)

/**
 * Every column that this program writes, as the headers have them, and what it means; files with the same ones together.
 * @param isVerified whether there is a file of what was read back
 * @param isCutOver whether there is a list of what the last export changed
 */
export function explainedColumns({ say }: Texts, isVerified: boolean, isCutOver = false) {
  const { registered, refused, corrections, inDoubt, notSent } = PLACE_OF_PART
  const explained = (files: readonly string[], columns: readonly Column<never>[]) => ({
    files,
    columns: columns.map(([column, meaning]) => [column, say(meaning)] as const),
  })
  return [
    explained([registered], REGISTERED_COLUMNS),
    explained([inDoubt, refused, corrections, notSent], OPEN_COLUMNS),
    explained([inDoubt], [...REQUEST_COLUMNS, ...PROPOSAL_COLUMNS, ...ASSIGNED_COLUMNS]),
    explained(['problems.csv'], PROBLEM_COLUMNS),
    explained([DECISIONS_FILE], DECISION_LINE),
    ...(isVerified ? [explained([VERIFICATION_FILE], VERIFICATION_COLUMNS)] : []),
    ...(isCutOver ? [explained([CUT_OVER_FILE], CUT_OVER_COLUMNS)] : []),
  ]
}
