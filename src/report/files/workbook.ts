import type { CellObject, Row } from 'write-excel-file/node'
import { isBalanced, TOTAL_OF_STATE } from '../../domain/row/totals.js'
import { isFormer, isWaveBalanced, type WaveRecord } from '../../domain/wave/wave.js'
import { verificationWord } from '../../domain/proof/verification.js'
import type {
  DecisionRecord,
  ProblemRecord,
  RunRecord,
  SourceRecord,
  VerifiedRow,
} from '../../ledger/read/reader.js'
import { FILE_OF_PART, type Capped, type ListedRow, type ReportFacts } from '../facts/facts.js'
import { explainVerified } from '../facts/verification.js'
import { proofText } from '../page/page-verification.js'
import { maskedText, plainText } from '../page/plain-text.js'
import { stateTitle } from '../../domain/row/state-words.js'
import { REPORT_ORDER } from '../page/report-order.js'
import { printedSheets, type TableRange } from './printed-sheets.js'
import { VERIFICATION_FILE } from './verification-lines.js'
import { freezeZipTimes } from './zip-times.js'

/** A spreadsheet takes no more than 32,767 characters in a cell. */
const LONGEST_CELL = 32_000
/** A code point that means nothing and that the writer drops from every text. */
const DROPPED = '\uFDD0'

interface SheetColumn<Entry> {
  readonly header: string
  /** In characters. */
  readonly width: number
  readonly value: (entry: Entry) => string | number | null
  /** A sentence, shown on as many lines as it takes. */
  readonly isWrapped?: true
}

interface WorkSheet {
  readonly sheet: string
  readonly data: Row[]
  readonly columns: { readonly width: number }[]
  readonly stickyRowsCount: number
}

/** What stands above a table and is no part of it. */
const TITLE_ROWS = 1

/** Null for the first sheet, which is no table. */
const rangeOf = ({ data, columns, stickyRowsCount }: WorkSheet): TableRange | null =>
  stickyRowsCount <= TITLE_ROWS
    ? null
    : { headerRow: TITLE_ROWS + 1, lastRow: data.length, columns: columns.length }

/**
 * A text cell in text format: never a formula, never a number. The writer looks its texts up in a plain object,
 * where "constructor" is found without having been put there, so such a name gets a character that it drops later.
 */
function textCell(text: string): CellObject {
  const shown = text.slice(0, LONGEST_CELL)
  return { value: shown in Object.prototype ? shown + DROPPED : shown, type: String, format: '@' }
}

const cell = (value: string | number | null, isWrapped = false): CellObject | null => {
  if (value === null || value === '') return null
  if (typeof value === 'number') return { value, type: Number }
  return isWrapped ? { ...textCell(value), wrap: true } : textCell(value)
}

const bold = (text: string): CellObject => ({ ...textCell(text), fontWeight: 'bold' })

const heading = (text: string): CellObject => ({ ...bold(text), backgroundColor: '#E4E7EB' })

/** In points; a spreadsheet does not make a row higher by itself that another program wrote. */
const LINE_HEIGHT = 13

/** As many lines as the longest of its sentences takes; no height where that is one. */
function entryRow<Entry>(columns: readonly SheetColumn<Entry>[], entry: Entry): Row {
  const values = columns.map(({ value }) => value(entry))
  const lines = columns.map(({ width, isWrapped }, index) =>
    isWrapped === true ? Math.ceil(String(values[index] ?? '').length / width) : 1,
  )
  const highest = Math.max(...lines)
  return columns.map(({ isWrapped = false }, index) => {
    const shown = cell(values[index] ?? null, isWrapped)
    return shown === null || highest < 2
      ? shown
      : { ...shown, height: highest * LINE_HEIGHT, alignVertical: 'top' }
  })
}

function tableSheet<Entry>(
  sheet: string,
  title: string,
  columns: readonly SheetColumn<Entry>[],
  entries: readonly Entry[],
): WorkSheet {
  return {
    sheet,
    columns: columns.map(({ width }) => ({ width })),
    stickyRowsCount: 2,
    data: [
      [bold(title)],
      columns.map((column) => heading(column.header)),
      ...entries.map((entry) => entryRow(columns, entry)),
    ],
  }
}

const titleOf = (what: string, list: Capped<unknown>, whereAllAre: string): string =>
  list.first.length === list.total
    ? `${what}: ${list.total}`
    : `${what}: the first ${list.first.length} of ${list.total}. ${whereAllAre}`

const text = (value: string | null): string | null => (value === null ? null : plainText(value))

const ROW_COLUMNS: readonly SheetColumn<ListedRow>[] = [
  { header: 'Row', width: 9, value: ({ row }) => row.id },
  { header: 'State', width: 12, value: ({ row }) => stateTitle(row.state) },
  {
    header: 'Customer',
    width: 14,
    value: ({ row }) => (row.customerNo === null ? null : String(row.customerNo)),
  },
  { header: 'IBAN (masked)', width: 15, value: ({ row }) => row.ibanMasked },
  { header: 'Signed', width: 11, value: ({ row }) => row.signedDate },
  { header: 'Previous creditor', width: 22, value: ({ row }) => text(row.originalCreditorIdentifier) },
  { header: 'Previous reference', width: 28, value: ({ row }) => text(row.originalMandateReference) },
  { header: 'Assigned creditor', width: 22, value: ({ row }) => text(row.assignedCreditorIdentifier) },
  { header: 'Assigned reference', width: 28, value: ({ row }) => text(row.assignedMandateReference) },
  { header: 'Registered at', width: 25, value: ({ row }) => row.registeredAt },
  { header: 'First debit by', width: 13, value: ({ row }) => row.latestFirstDebit },
  { header: 'Source', width: 24, value: ({ row }) => text(row.source) },
  { header: 'Record', width: 9, value: ({ row }) => row.record },
  { header: 'Line', width: 9, value: ({ row }) => row.line },
  { header: 'Last request', width: 38, value: ({ row }) => row.lastAttempt?.requestId ?? null },
  { header: 'Last attempt at', width: 25, value: ({ row }) => row.lastAttempt?.startedAt ?? null },
  { header: 'HTTP status', width: 11, value: ({ explanation }) => explanation.status },
  { header: 'Rule', width: 24, value: ({ explanation }) => text(explanation.rule) },
  { header: 'Message', width: 48, value: ({ explanation }) => text(explanation.message), isWrapped: true },
  { header: 'What to do', width: 48, value: ({ explanation }) => text(explanation.remedy), isWrapped: true },
]

/** Of so many columns that a sheet can still be read when it is printed one page across. */
const columnsOf = (...headers: readonly string[]): readonly SheetColumn<ListedRow>[] =>
  ROW_COLUMNS.filter(({ header }) => headers.includes(header))

const REGISTERED_SHEET = columnsOf(
  'Row',
  'Customer',
  'IBAN (masked)',
  'Signed',
  'Previous creditor',
  'Previous reference',
  'Assigned creditor',
  'Assigned reference',
  'Registered at',
  'First debit by',
  'Source',
  'Record',
)

const IN_DOUBT_SHEET = columnsOf(
  'Row',
  'State',
  'Customer',
  'IBAN (masked)',
  'Previous creditor',
  'Previous reference',
  'Last request',
  'Last attempt at',
  'HTTP status',
  'Message',
  'What to do',
)

/** What is looked up in the export. */
const OPEN_SHEET = columnsOf(
  'Row',
  'State',
  'Customer',
  'IBAN (masked)',
  'Previous creditor',
  'Previous reference',
  'Source',
  'Record',
  'Line',
  'HTTP status',
  'Rule',
  'Message',
  'What to do',
)

const PROBLEM_COLUMNS: readonly SheetColumn<ProblemRecord>[] = [
  { header: 'Source', width: 24, value: (problem) => text(problem.source) },
  { header: 'Record', width: 9, value: (problem) => problem.record },
  { header: 'Line', width: 9, value: (problem) => problem.line },
  { header: 'Column', width: 22, value: (problem) => text(problem.column) },
  { header: 'Rule', width: 28, value: (problem) => problem.rule },
  { header: 'Severity', width: 9, value: (problem) => problem.severity },
  { header: 'Value', width: 28, value: (problem) => text(problem.value) },
  { header: 'Message', width: 48, value: (problem) => text(problem.message), isWrapped: true },
  { header: 'What to do', width: 48, value: (problem) => text(problem.remedy), isWrapped: true },
]

const VERIFIED_COLUMNS: readonly SheetColumn<VerifiedRow>[] = [
  { header: 'Row', width: 9, value: (row) => row.id },
  { header: 'Verification', width: 12, value: (row) => verificationWord(row.verdict) },
  { header: 'Customer', width: 14, value: (row) => String(row.customerNo) },
  { header: 'IBAN (masked)', width: 15, value: (row) => row.ibanMasked },
  { header: 'Assigned reference', width: 28, value: (row) => text(row.assignedMandateReference) },
  { header: 'Verified at', width: 25, value: (row) => row.answeredAt },
  {
    header: 'Payment sources',
    width: 40,
    value: ({ sources }) => text(sources.map(({ id }) => id ?? '-').join(' ')),
  },
  { header: 'May be cancelled', width: 30, value: (row) => text(row.cancellable.join(' ')) },
  { header: 'What was seen', width: 48, value: (row) => text(explainVerified(row)), isWrapped: true },
]

const DECISION_COLUMNS: readonly SheetColumn<DecisionRecord>[] = [
  { header: 'Row', width: 9, value: (decision) => decision.rowId },
  { header: 'At', width: 25, value: (decision) => decision.at },
  { header: 'By', width: 20, value: (decision) => text(decision.by) },
  { header: 'Decision', width: 14, value: (decision) => decision.decision },
  { header: 'Reason', width: 48, value: (decision) => maskedText(decision.reason), isWrapped: true },
  { header: 'Evidence', width: 48, value: (decision) => text(decision.evidence), isWrapped: true },
]

const SOURCE_COLUMNS: readonly SheetColumn<SourceRecord>[] = [
  { header: 'Source', width: 30, value: (source) => text(source.name) },
  { header: 'Admitted at', width: 25, value: (source) => source.admittedAt },
  { header: 'Bytes', width: 12, value: (source) => source.bytes },
  { header: 'Read', width: 10, value: (source) => source.totals.read },
  { header: 'Resubmitted', width: 12, value: (source) => source.totals.resubmitted },
  ...REPORT_ORDER.map((state) => ({
    header: stateTitle(state),
    width: 11,
    value: (source: SourceRecord) => source.totals[TOTAL_OF_STATE[state]],
  })),
  { header: 'Balanced', width: 10, value: (source) => (isBalanced(source.totals) ? 'yes' : 'NO') },
  { header: 'SHA-256', width: 68, value: (source) => source.sha256 },
]

const WAVE_COLUMNS: readonly SheetColumn<WaveRecord>[] = [
  { header: 'Wave', width: 30, value: (wave) => maskedText(wave.name) },
  { header: 'Order', width: 8, value: (wave) => wave.position },
  { header: 'Standing', width: 16, value: waveStanding },
  { header: 'Read', width: 10, value: ({ totals }) => totals.read },
  ...REPORT_ORDER.map((state) => ({
    header: stateTitle(state),
    width: 11,
    value: ({ totals }: WaveRecord) => totals[TOTAL_OF_STATE[state]],
  })),
  { header: 'Balanced', width: 10, value: ({ totals }) => (isWaveBalanced(totals) ? 'yes' : 'NO') },
  {
    header: 'Takes',
    width: 60,
    value: ({ filter }) => (filter === null ? null : maskedText(JSON.stringify(filter))),
  },
]

function waveStanding(wave: WaveRecord): string | null {
  if (wave.isHeld) return 'held'
  return isFormer(wave) ? 'of an earlier run' : null
}

/** None where no run had waves. */
const wavesSheet = ({ waves }: ReportFacts): WorkSheet[] =>
  waves === null ? [] : [tableSheet('Waves', `Waves: ${waves.waves.length}`, WAVE_COLUMNS, waves.waves)]

const RUN_COLUMNS: readonly SheetColumn<RunRecord>[] = [
  { header: 'Run', width: 6, value: (run) => run.id },
  { header: 'Started', width: 25, value: (run) => run.startedAt },
  { header: 'Ended', width: 25, value: (run) => run.endedAt },
  { header: 'Version', width: 10, value: (run) => run.version },
  { header: 'As of', width: 11, value: (run) => run.asOf },
  { header: 'Zone', width: 18, value: (run) => run.zone },
  { header: 'Registered', width: 11, value: (run) => run.attempts.registered },
  { header: 'Refused', width: 11, value: (run) => run.attempts.refused },
  { header: 'In doubt', width: 11, value: (run) => run.attempts.in_doubt },
  { header: 'Turned away', width: 12, value: (run) => run.attempts.turned_away },
  { header: 'Not sent', width: 11, value: (run) => run.attempts.not_sent },
  { header: 'Open', width: 8, value: (run) => run.attempts.open },
  {
    header: 'Stopped by',
    width: 40,
    value: (run) => (run.stoppedBy === null ? null : maskedText(run.stoppedBy)),
  },
  { header: 'Exit', width: 6, value: (run) => run.exitCode },
  { header: 'Settings', width: 80, value: (run) => plainText(JSON.stringify(run.settings)) },
]

function summarySheet(facts: ReportFacts): WorkSheet {
  const { campaign, totals, hashTotals, distinct } = facts
  const line = (label: string, value: string | number | null): Row => [textCell(label), cell(value)]
  return {
    sheet: 'Summary',
    columns: [{ width: 44 }, { width: 70 }],
    stickyRowsCount: 1,
    data: [
      [bold('SEPA mandate migration: reconciliation')],
      line('Target', campaign.baseUrl),
      line('User', campaign.username),
      line('Ledger', facts.ledger),
      line('Ledger id', campaign.ledgerId),
      line('State of the ledger as of', campaign.changedAt),
      line('Result', facts.balanced ? 'The control totals balance' : 'THE CONTROL TOTALS DO NOT BALANCE'),
      line('Proof at the service', proofText(facts)),
      [],
      [heading('Control totals'), heading('Rows')],
      line('Read', totals.read),
      ...REPORT_ORDER.map((state) => line(stateTitle(state), totals[TOTAL_OF_STATE[state]])),
      line('Resubmitted, counted in the place of the rows they correct', totals.resubmitted),
      line('Of these not taken', facts.notTaken),
      [],
      [heading('Distinct'), heading('Count')],
      line('Customers', distinct.customers),
      line('Mandates', distinct.mandates),
      line('Accounts', distinct.accounts),
      [],
      [heading('Hash totals'), heading('Value')],
      line('Sum of customer numbers, all mandates', hashTotals.read.customerNoSum),
      line('Digest of old keys, all mandates', hashTotals.read.oldKeyDigest),
      line(
        'Sum of customer numbers, registered',
        hashTotals.byState.get('registered')?.customerNoSum ?? null,
      ),
      line('Digest of old keys, registered', hashTotals.byState.get('registered')?.oldKeyDigest ?? null),
      line('Digest of old and new, registered', hashTotals.byState.get('registered')?.pairDigest ?? null),
    ],
  }
}

function inDoubtSheet({ parts: { inDoubt }, proposals }: ReportFacts): WorkSheet {
  const title = titleOf('In doubt', inDoubt, `All are in ${FILE_OF_PART.inDoubt}.`)
  const proposed = proposals === 0 ? '' : ` (${FILE_OF_PART.inDoubt} proposes to send again: ${proposals})`
  return tableSheet('In doubt', title + proposed, IN_DOUBT_SHEET, inDoubt.first)
}

/** What is not proven; none where nobody asked. */
function verificationSheet({ verification }: ReportFacts): WorkSheet[] {
  if (verification === null) return []
  const { unproven } = verification
  const title = titleOf('Not proven at the service', unproven, `All are in ${VERIFICATION_FILE}.`)
  return [tableSheet('Verification', title, VERIFIED_COLUMNS, unproven.first)]
}

/** reconciliation.xlsx: the lists of the pack as sheets, all identifiers as text; the same bytes for the same facts. */
export async function renderWorkbook(facts: ReportFacts): Promise<Buffer> {
  // Loaded here, because the other lists of this room are written by commands that need no workbook.
  const { default: writeXlsxFile } = await import('write-excel-file/node')
  const { parts } = facts
  const rows = (
    sheet: string,
    list: Capped<ListedRow>,
    whereAllAre: string,
    columns = OPEN_SHEET,
  ): WorkSheet => tableSheet(sheet, titleOf(sheet, list, whereAllAre), columns, list.first)
  const sheets = [
    summarySheet(facts),
    ...verificationSheet(facts),
    inDoubtSheet(facts),
    rows('Refused', parts.refused, `All are in ${FILE_OF_PART.refused}.`),
    rows('To correct', parts.corrections, `All are in ${FILE_OF_PART.corrections}.`),
    rows('Not sent', parts.notSent, `All are in ${FILE_OF_PART.notSent}.`),
    rows('Registered', parts.registered, `All are in ${FILE_OF_PART.registered}.`, REGISTERED_SHEET),
    rows('Closed', parts.closed, 'All are in the ledger, table of rows.'),
    tableSheet(
      'Problems',
      titleOf('Problems', facts.problems, 'All are in problems.csv.'),
      PROBLEM_COLUMNS,
      facts.problems.first,
    ),
    tableSheet(
      'Decisions',
      titleOf('Decisions', facts.decisions, 'All are in the ledger, table of decisions.'),
      DECISION_COLUMNS,
      facts.decisions.first,
    ),
    tableSheet('Sources', `Sources: ${facts.sources.length}`, SOURCE_COLUMNS, facts.sources),
    ...wavesSheet(facts),
    tableSheet('Runs', `Runs: ${facts.runs.length}`, RUN_COLUMNS, facts.runs),
  ]
  return freezeZipTimes(
    await writeXlsxFile(sheets, { features: [printedSheets(sheets.map(rangeOf))] }).toBuffer(),
  )
}
