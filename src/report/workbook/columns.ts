import { verificationWord } from '../../domain/proof/verification.js'
import type {
  CampaignRecord,
  DecisionRecord,
  ProblemRecord,
  RegisteredRow,
  RunRecord,
  SourceRecord,
  VerifiedRow,
} from '../../ledger/read/reader.js'
import { type ListedRow, REPORT_ORDER } from '../facts/facts.js'
import type { ReportFacts } from '../facts/row-walk.js'
import type { TextKey, Texts } from '../text/texts.js'
import { explainVerified } from '../facts/explanation.js'
import { maskedText, type OriginalColumns } from '../files/cells.js'
import {
  CUT_OVER_OWN,
  type CutOverLine,
  explainedColumns,
  type OpenRow,
  type OwnColumn,
  ownColumns,
} from '../files/lists.js'
import { proofText, decisionWord, hashTotalLines } from '../page/annex-rows.js'
import { toSend } from '../../domain/plan/plan.js'
import { runsUnder } from '../page/annex-runs.js'
import { freeSheet, oneCell, STYLES, type CellValue, type SheetColumn } from './xlsx.js'
import { isBalanced, TOTAL_OF_STATE } from '../../domain/row/row-state.js'

/** A column of a list: the text of its header, its width in characters, and what stands in it of an entry. */
type ListColumn<Entry> = readonly [
  header: TextKey,
  width: number,
  value: (entry: Entry, texts: Texts) => CellValue,
  wrapped?: 'wrapped',
]

export type ListColumns<Entry> = readonly ListColumn<Entry>[]

/** The columns of a list in one language. */
export const columnsIn = <Entry>(columns: ListColumns<Entry>, texts: Texts): SheetColumn<Entry>[] =>
  columns.map(([header, width, value, wrapped]) => ({
    header: texts.say(header),
    width,
    value: (entry) => value(entry, texts),
    isWrapped: wrapped !== undefined,
  }))

/** As text: a spreadsheet rounds what has more than 15 digits. */
const customerOf = ({ customerNo }: Pick<RegisteredRow, 'customerNo'>): string | null =>
  customerNo === null ? null : String(customerNo)

const masked = (text: string | null): string | null => (text === null ? null : maskedText(text))

/** Of so many columns that a sheet can still be read when it is printed one page across. */
export const REGISTERED: ListColumns<RegisteredRow> = [
  ['label.row', 9, (row) => row.id],
  ['label.customer', 14, customerOf],
  ['label.account', 15, (row) => row.ibanMasked],
  ['label.signed', 11, (row) => row.signedDate],
  ['label.previousCreditor', 22, (row) => row.originalCreditorIdentifier],
  ['label.previousReference', 28, (row) => row.originalMandateReference],
  ['label.assignedCreditor', 22, (row) => row.assignedCreditorIdentifier],
  ['label.assignedReference', 28, (row) => row.assignedMandateReference],
  ['label.registeredAt', 25, (row) => row.registeredAt],
  ['label.firstDebitBy', 13, (row) => row.latestFirstDebit],
  ['label.source', 24, (row) => row.source],
  ['label.record', 9, (row) => row.record],
]

const WHOSE: ListColumns<ListedRow> = [
  ['label.row', 9, ({ row }) => row.id],
  ['label.state', 12, ({ row }, { say }) => say(`state.${row.state}`)],
  ['label.customer', 14, ({ row }) => customerOf(row)],
  ['label.account', 15, ({ row }) => row.ibanMasked],
  ['label.previousCreditor', 22, ({ row }) => row.originalCreditorIdentifier],
  ['label.previousReference', 28, ({ row }) => row.originalMandateReference],
]

const WHAT_TO_DO: ListColumns<ListedRow> = [
  ['label.message', 48, ({ explanation }, { translated }) => translated(explanation), 'wrapped'],
  ['label.remedy', 48, ({ explanation }) => explanation.remedy, 'wrapped'],
]

/** What the service is asked about. */
export const IN_DOUBT: ListColumns<ListedRow> = [
  ...WHOSE,
  ['label.lastRequest', 38, ({ row }) => row.lastAttempt?.requestId ?? null],
  ['label.at', 25, ({ row }) => row.lastAttempt?.startedAt ?? null],
  ['label.status', 11, ({ explanation }) => explanation.status],
  ...WHAT_TO_DO,
]

/** What is looked up in the export. */
export const OPEN: ListColumns<ListedRow> = [
  ...WHOSE,
  ['label.source', 24, ({ row }) => row.source],
  ['label.record', 9, ({ row }) => row.record],
  ['label.line', 9, ({ row }) => row.line],
  ['label.status', 11, ({ explanation }) => explanation.status],
  ...WHAT_TO_DO,
  ['label.rule', 24, ({ explanation }) => explanation.rule],
]

export const PROBLEMS: ListColumns<ProblemRecord> = [
  ['label.source', 24, (problem) => problem.source],
  ['label.record', 9, (problem) => problem.record],
  ['label.line', 9, (problem) => problem.line],
  ['label.column', 22, (problem) => problem.column],
  ['label.severity', 9, ({ severity }, { say }) => say(`severity.${severity}`)],
  ['label.value', 28, (problem) => problem.value],
  ['label.message', 48, (problem, { translated }) => translated(problem), 'wrapped'],
  ['label.remedy', 48, (problem) => problem.remedy, 'wrapped'],
  ['label.rule', 28, (problem) => problem.rule],
]

export const VERIFIED: ListColumns<VerifiedRow> = [
  ['label.row', 9, (row) => row.id],
  ['label.verification', 12, ({ verdict }, { say }) => say(`proof.${verificationWord(verdict)}`)],
  ['label.customer', 14, (row) => String(row.customerNo)],
  ['label.account', 15, (row) => row.ibanMasked],
  ['label.assignedReference', 28, (row) => row.assignedMandateReference],
  ['label.at', 25, (row) => row.answeredAt],
  ['label.paymentSources', 40, ({ sources }) => sources.map(({ id }) => id ?? '-').join(' ')],
  ['label.cancellable', 30, (row) => row.cancellable.join(' ')],
  ['label.message', 48, explainVerified, 'wrapped'],
]

export const DECISIONS: ListColumns<DecisionRecord> = [
  ['label.row', 9, (decision) => decision.rowId],
  ['label.at', 25, (decision) => decision.at],
  ['label.by', 20, (decision) => decision.by],
  ['label.decision', 14, ({ decision }, texts) => decisionWord(decision, texts)],
  ['label.reason', 48, ({ reason }) => maskedText(reason), 'wrapped'],
  ['label.evidence', 48, (decision) => decision.evidence, 'wrapped'],
]

/** A plan with one of its approvals, or the only line of one that nobody approved. */
type PlanLine = ReturnType<typeof linesOfPlans>[number]

export const linesOfPlans = ({ plans, runs }: ReportFacts) =>
  plans.flatMap((plan) => {
    const approvals = plan.approvals.length === 0 ? [null] : plan.approvals
    return approvals.map((approval) => ({ plan, approval, runs: runsUnder(plan, runs) }))
  })

export const PLANS: ListColumns<PlanLine> = [
  ['label.plan', 68, ({ plan }) => plan.digest],
  ['label.at', 25, ({ plan }) => plan.plannedAt],
  ['cover.plannedBy', 20, ({ plan }) => maskedText(plan.plannedBy)],
  ['label.asUser', 14, ({ plan }) => plan.plannedAs],
  ['label.rows', 10, ({ plan }) => toSend(plan.document)],
  ['label.at', 25, ({ approval }) => approval?.approvedAt ?? null],
  ['cover.approvedBy', 20, ({ approval }) => masked(approval?.approvedBy ?? null)],
  ['plans.key', 68, ({ approval }) => approval?.key ?? null],
  ['plans.reference', 48, ({ approval }) => masked(approval?.reference ?? null), 'wrapped'],
  ['label.asUser', 14, ({ approval }) => approval?.recordedAs ?? null],
  ['label.expires', 25, ({ approval }) => approval?.expiresAt ?? null],
  ['runs.title', 14, ({ runs }) => runs],
]

export const SOURCES: ListColumns<SourceRecord> = [
  ['label.source', 30, (source) => source.name],
  ['label.at', 25, (source) => source.admittedAt],
  ['label.bytes', 12, (source) => source.bytes],
  ['cover.read', 10, (source) => source.totals.read],
  ['label.resubmitted', 12, (source) => source.totals.resubmitted],
  ...REPORT_ORDER.map((state): ListColumn<SourceRecord> => [
    `state.${state}`,
    11,
    ({ totals }) => totals[TOTAL_OF_STATE[state]],
  ]),
  // What does not add up must be seen.
  [
    'label.balanced',
    10,
    ({ totals }, { say }) => (isBalanced(totals) ? say('yes') : say('no').toUpperCase()),
  ],
  ['label.sha256', 68, (source) => source.sha256],
]

export const RUNS: ListColumns<RunRecord> = [
  ['label.number', 6, (run) => run.id],
  ['label.started', 25, (run) => run.startedAt],
  ['label.ended', 25, (run) => run.endedAt],
  ['state.registered', 11, (run) => run.attempts.registered],
  ['state.refused', 11, (run) => run.attempts.refused],
  ['state.in_doubt', 11, (run) => run.attempts.in_doubt],
  ['label.turnedAway', 12, (run) => run.attempts.turned_away],
  ['cover.notSent', 11, (run) => run.attempts.not_sent],
  ['label.open', 8, (run) => run.attempts.open],
  ['label.stoppedBy', 40, (run) => masked(run.stoppedBy)],
  ['label.exit', 6, (run) => run.exitCode],
  // As it was recorded.
  [
    'label.settings',
    80,
    ({ version, asOf, zone, settings }) => JSON.stringify({ version, asOf, zone, ...settings }),
  ],
]

/** A column of a file with its meaning, for a person who has the workbook alone. */
type ColumnLine = ReturnType<typeof columnLines>[number]

export const columnLines = ({ verification, cutOver }: ReportFacts, texts: Texts) =>
  explainedColumns(texts, verification !== null, (cutOver?.open ?? 0) > 0).flatMap(({ files, columns }) =>
    columns.map(([column, meaning]) => ({ files: files.join(', '), column, meaning })),
  )

export const FILE_COLUMNS: ListColumns<ColumnLine> = [
  ['label.file', 30, ({ files }) => files, 'wrapped'],
  ['label.column', 40, ({ column }) => column],
  ['label.meaning', 90, ({ meaning }) => meaning, 'wrapped'],
]

/** The words of `migration_decision` in each list. */
export const DECISION_WORDS = {
  inDoubt: ['registered', 'refused', 'resend', 'written-off'],
  corrections: ['send', 'written-off'],
  // All that were refused are sent again by `run --retry-refused`.
  refused: ['written-off'],
  cutOver: ['done', 'written-off'],
} as const

/** A sheet of to-do.xlsx: what is wrong, the original columns, what a person fills in, and hidden what the program needs. */
function workedColumns<Of>(
  own: readonly OwnColumn<Of>[],
  choices: readonly string[],
  originals: readonly SheetColumn<Of>[],
): SheetColumn<Of>[] {
  const those = (wanted: string, how: Partial<SheetColumn<Of>>): SheetColumn<Of>[] =>
    own
      .filter(({ kind }) => kind === wanted)
      .map(({ name, value }) => ({
        ...{ header: name, width: /message|remedy|change|action/.test(name) ? 48 : 16, value, ...how },
        ...(name === 'migration_decision' ? { choices } : {}),
      }))
  return [
    ...those('said', { isWrapped: true }),
    ...originals,
    ...those('filled in', { isRead: true, isEdited: true }),
    ...those('mark', { isRead: true, isHidden: true }),
  ]
}

/** @param cellsOf as they stand under the names */
function originalColumns<Of>(
  names: readonly string[],
  cellsOf: (of: Of) => readonly string[],
  isEdited: boolean,
): SheetColumn<Of>[] {
  let last: { readonly of: Of; readonly cells: readonly string[] } | null = null
  return names.map((header, at) => ({
    ...{ header, width: 14, isRead: true, isEdited },
    value: (of) => {
      if (last?.of !== of) last = { of, cells: cellsOf(of) }
      return last.cells[at] ?? ''
    },
  }))
}

export const toDoColumns = (
  originals: OriginalColumns,
  campaign: CampaignRecord,
  part: 'inDoubt' | 'corrections' | 'refused',
): SheetColumn<OpenRow>[] =>
  workedColumns(
    ownColumns(originals, campaign, part === 'inDoubt'),
    DECISION_WORDS[part],
    originalColumns(originals.plainNames, ({ row }) => originals.plainCellsOf(row), part !== 'inDoubt'),
  )

/** The same of the cut-over, where nothing is corrected. */
export const cutOverColumns = ({
  identityNames,
  identityCells,
}: OriginalColumns): SheetColumn<CutOverLine>[] =>
  workedColumns(
    CUT_OVER_OWN,
    DECISION_WORDS.cutOver,
    originalColumns(identityNames, ({ row }) => identityCells(row), false),
  )

/** The first sheet: what finance signs, as far as figures say it. */
export function summarySheet(facts: ReportFacts, texts: Texts): string {
  const { campaign, totals, distinct, balanced } = facts
  const { say } = texts
  const line = (label: string, value: CellValue): string[] => [oneCell(label), oneCell(value)]
  const heading = (...words: readonly string[]): string[] =>
    words.map((word) => oneCell(word, STYLES.heading))
  return freeSheet(
    [{ width: 44 }, { width: 70 }],
    [
      [oneCell(say('page.title'), STYLES.title)],
      line(say('label.target'), campaign.baseUrl),
      line(say('label.user'), campaign.username),
      line(say('label.ledger'), facts.ledger),
      line(say('label.ledgerId'), campaign.ledgerId),
      line(say('label.ledgerAsOf'), campaign.changedAt),
      line(say('label.balanced'), balanced ? say('yes') : say('verdict.notBalanced').toUpperCase()),
      line(say('proof.title'), proofText(facts, texts)),
      [],
      heading(say('totals.title'), say('label.rows')),
      line(say('cover.read'), totals.read),
      ...REPORT_ORDER.map((state) => line(say(`state.${state}`), totals[TOTAL_OF_STATE[state]])),
      line(say('label.resubmitted'), totals.resubmitted),
      line(say('label.notTaken'), facts.notTaken),
      [],
      line(say('hash.customers'), distinct.customers),
      line(say('hash.mandates'), distinct.mandates),
      line(say('hash.accounts'), distinct.accounts),
      [],
      heading(say('hash.title'), say('label.value')),
      ...hashTotalLines(facts, texts).map(({ name, value }) => line(name, value)),
    ],
  )
}
