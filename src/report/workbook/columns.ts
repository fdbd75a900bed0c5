import { verificationWord } from '../../domain/proof/verification.js'
import { isBalanced, TOTAL_OF_STATE } from '../../domain/row/totals.js'
import type {
  ApprovalRecord,
  DecisionRecord,
  PlanRecord,
  ProblemRecord,
  RegisteredRow,
  RunRecord,
  SourceRecord,
  VerifiedRow,
} from '../../ledger/read/reader.js'
import { type ListedRow, type ReportFacts, REPORT_ORDER } from '../facts/facts.js'
import type { Texts } from '../text/texts.js'
import { explainVerified } from '../facts/explanation.js'
import { maskedText } from '../files/cells.js'
import { explainedColumns } from '../files/lists.js'
import { proofText, decisionWord, hashTotalLines } from '../page/annex-rows.js'
import { runsUnder } from '../page/annex-runs.js'
import { freeSheet, oneCell, STYLES, type CellValue, type SheetColumn } from './xlsx.js'

/** Of so many columns that a sheet can still be read when it is printed one page across. */
export function registeredColumns(texts: Texts): readonly SheetColumn<RegisteredRow>[] {
  const { say } = texts
  return [
    { header: say('label.row'), width: 9, value: (row) => row.id },
    { header: say('label.customer'), width: 14, value: customerOf },
    { header: say('label.account'), width: 15, value: (row) => row.ibanMasked },
    { header: say('label.signed'), width: 11, value: (row) => row.signedDate },
    { header: say('label.previousCreditor'), width: 22, value: (row) => row.originalCreditorIdentifier },
    { header: say('label.previousReference'), width: 28, value: (row) => row.originalMandateReference },
    { header: say('label.assignedCreditor'), width: 22, value: (row) => row.assignedCreditorIdentifier },
    { header: say('label.assignedReference'), width: 28, value: (row) => row.assignedMandateReference },
    { header: say('label.registeredAt'), width: 25, value: (row) => row.registeredAt },
    { header: say('label.firstDebitBy'), width: 13, value: (row) => row.latestFirstDebit },
    { header: say('label.source'), width: 24, value: (row) => row.source },
    { header: say('label.record'), width: 9, value: (row) => row.record },
  ]
}

/** As text: a spreadsheet rounds what has more than 15 digits. */
function customerOf({ customerNo }: Pick<RegisteredRow, 'customerNo'>): string | null {
  return customerNo === null ? null : String(customerNo)
}

function whose(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { say } = texts
  return [
    { header: say('label.row'), width: 9, value: ({ row }) => row.id },
    { header: say('label.state'), width: 12, value: ({ row }) => texts.say(`state.${row.state}`) },
    { header: say('label.customer'), width: 14, value: ({ row }) => customerOf(row) },
    { header: say('label.account'), width: 15, value: ({ row }) => row.ibanMasked },
    { header: say('label.previousCreditor'), width: 22, value: ({ row }) => row.originalCreditorIdentifier },
    { header: say('label.previousReference'), width: 28, value: ({ row }) => row.originalMandateReference },
  ]
}

function status(texts: Texts): SheetColumn<ListedRow> {
  const { say } = texts
  return {
    header: say('label.status'),
    width: 11,
    value: ({ explanation }) => explanation.status,
  }
}

function whatToDo(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { say } = texts
  return [
    {
      header: say('label.message'),
      width: 48,
      value: ({ explanation }) => explanation.message,
      isWrapped: true,
    },
    {
      header: say('label.remedy'),
      width: 48,
      value: ({ explanation }) => explanation.remedy,
      isWrapped: true,
    },
  ]
}

/** What the service is asked about. */
export function inDoubtColumns(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { say } = texts
  return [
    ...whose(texts),
    { header: say('label.lastRequest'), width: 38, value: ({ row }) => row.lastAttempt?.requestId ?? null },
    { header: say('label.at'), width: 25, value: ({ row }) => row.lastAttempt?.startedAt ?? null },
    status(texts),
    ...whatToDo(texts),
  ]
}

/** What is looked up in the export. */
export function openColumns(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { say } = texts
  return [
    ...whose(texts),
    { header: say('label.source'), width: 24, value: ({ row }) => row.source },
    { header: say('label.record'), width: 9, value: ({ row }) => row.record },
    { header: say('label.line'), width: 9, value: ({ row }) => row.line },
    status(texts),
    { header: say('label.rule'), width: 24, value: ({ explanation }) => explanation.rule },
    ...whatToDo(texts),
  ]
}

export function problemColumns(texts: Texts): readonly SheetColumn<ProblemRecord>[] {
  const { say } = texts
  return [
    { header: say('label.source'), width: 24, value: (problem) => problem.source },
    { header: say('label.record'), width: 9, value: (problem) => problem.record },
    { header: say('label.line'), width: 9, value: (problem) => problem.line },
    { header: say('label.column'), width: 22, value: (problem) => problem.column },
    { header: say('label.rule'), width: 28, value: (problem) => problem.rule },
    { header: say('label.severity'), width: 9, value: (problem) => say(`severity.${problem.severity}`) },
    { header: say('label.value'), width: 28, value: (problem) => problem.value },
    { header: say('label.message'), width: 48, value: (problem) => problem.message, isWrapped: true },
    { header: say('label.remedy'), width: 48, value: (problem) => problem.remedy, isWrapped: true },
  ]
}

export function verifiedColumns(texts: Texts): readonly SheetColumn<VerifiedRow>[] {
  const { say } = texts
  return [
    { header: say('label.row'), width: 9, value: (row) => row.id },
    {
      header: say('label.verification'),
      width: 12,
      value: (row) => say(`proof.${verificationWord(row.verdict)}`),
    },
    { header: say('label.customer'), width: 14, value: (row) => String(row.customerNo) },
    { header: say('label.account'), width: 15, value: (row) => row.ibanMasked },
    { header: say('label.assignedReference'), width: 28, value: (row) => row.assignedMandateReference },
    { header: say('label.at'), width: 25, value: (row) => row.answeredAt },
    {
      header: say('label.paymentSources'),
      width: 40,
      value: ({ sources }) => sources.map(({ id }) => id ?? '-').join(' '),
    },
    { header: say('label.cancellable'), width: 30, value: (row) => row.cancellable.join(' ') },
    { header: say('label.message'), width: 48, value: explainVerified, isWrapped: true },
  ]
}

export function decisionColumns(texts: Texts): readonly SheetColumn<DecisionRecord>[] {
  const { say } = texts
  return [
    { header: say('label.row'), width: 9, value: (decision) => decision.rowId },
    { header: say('label.at'), width: 25, value: (decision) => decision.at },
    { header: say('label.by'), width: 20, value: (decision) => decision.by },
    { header: say('label.decision'), width: 14, value: ({ decision }) => decisionWord(decision, texts) },
    {
      header: say('label.reason'),
      width: 48,
      value: ({ reason }) => maskedText(reason),
      isWrapped: true,
    },
    { header: say('label.evidence'), width: 48, value: (decision) => decision.evidence, isWrapped: true },
  ]
}

/** A plan with one of its approvals, or the only line of one that nobody approved. */
interface PlanLine {
  readonly plan: PlanRecord
  readonly approval: ApprovalRecord | null
  readonly runs: string
}

export const linesOfPlans = (plans: readonly PlanRecord[], runs: readonly RunRecord[]): readonly PlanLine[] =>
  plans.flatMap((plan) => {
    const ids = runsUnder(plan, runs)
      .map(({ id }) => id)
      .join(', ')
    const approvals = plan.approvals.length === 0 ? [null] : plan.approvals
    return approvals.map((approval) => ({ plan, approval, runs: ids }))
  })

const ofApproval =
  (value: (approval: ApprovalRecord) => string | null) =>
  ({ approval }: PlanLine): string | null =>
    approval === null ? null : value(approval)

export function planColumns(texts: Texts): readonly SheetColumn<PlanLine>[] {
  const { say } = texts
  return [
    { header: say('label.plan'), width: 68, value: ({ plan }) => plan.digest },
    { header: say('label.at'), width: 25, value: ({ plan }) => plan.plannedAt },
    { header: say('cover.plannedBy'), width: 20, value: ({ plan }) => maskedText(plan.plannedBy) },
    { header: say('label.asUser'), width: 14, value: ({ plan }) => plan.plannedAs },
    { header: say('label.rows'), width: 10, value: ({ plan }) => plannedRows(plan) },
    { header: say('label.at'), width: 25, value: ofApproval(({ approvedAt }) => approvedAt) },
    {
      header: say('cover.approvedBy'),
      width: 20,
      value: ofApproval(({ approvedBy }) => maskedText(approvedBy)),
    },
    { header: say('plans.key'), width: 68, value: ofApproval(({ key }) => key) },
    {
      header: say('plans.reference'),
      width: 48,
      value: ofApproval(({ reference }) => (reference === null ? null : maskedText(reference))),
      isWrapped: true,
    },
    { header: say('label.asUser'), width: 14, value: ofApproval(({ recordedAs }) => recordedAs) },
    { header: say('label.expires'), width: 25, value: ofApproval(({ expiresAt }) => expiresAt) },
    { header: say('runs.title'), width: 14, value: ({ runs }) => runs },
  ]
}

/** As many as a run under the plan may send. */
const plannedRows = ({ document: { rows, limit } }: PlanRecord): number =>
  Math.min(rows.count, limit ?? rows.count)

const stateColumns = (texts: Texts): readonly SheetColumn<SourceRecord>[] =>
  REPORT_ORDER.map((state) => ({
    header: texts.say(`state.${state}`),
    width: 11,
    value: ({ totals }) => totals[TOTAL_OF_STATE[state]],
  }))

export function sourceColumns(texts: Texts): readonly SheetColumn<SourceRecord>[] {
  const { say } = texts
  return [
    { header: say('label.source'), width: 30, value: (source) => source.name },
    { header: say('label.at'), width: 25, value: (source) => source.admittedAt },
    { header: say('label.bytes'), width: 12, value: (source) => source.bytes },
    { header: say('cover.read'), width: 10, value: (source) => source.totals.read },
    { header: say('label.resubmitted'), width: 12, value: (source) => source.totals.resubmitted },
    ...stateColumns(texts),
    {
      header: say('label.balanced'),
      width: 10,
      value: (source) => yesOrNo(isBalanced(source.totals), texts),
    },
    { header: 'SHA-256', width: 68, value: (source) => source.sha256 },
  ]
}

/** What does not add up must be seen. */
const yesOrNo = (isBalanced: boolean, { say }: Texts): string =>
  isBalanced ? say('yes') : say('no').toUpperCase()

export function runColumns(texts: Texts): readonly SheetColumn<RunRecord>[] {
  const { say } = texts
  return [
    { header: '#', width: 6, value: (run) => run.id },
    { header: say('label.started'), width: 25, value: (run) => run.startedAt },
    { header: say('label.ended'), width: 25, value: (run) => run.endedAt },
    { header: say('state.registered'), width: 11, value: (run) => run.attempts.registered },
    { header: say('state.refused'), width: 11, value: (run) => run.attempts.refused },
    { header: say('state.in_doubt'), width: 11, value: (run) => run.attempts.in_doubt },
    { header: say('label.turnedAway'), width: 12, value: (run) => run.attempts.turned_away },
    { header: say('cover.notSent'), width: 11, value: (run) => run.attempts.not_sent },
    { header: say('label.open'), width: 8, value: (run) => run.attempts.open },
    {
      header: say('label.stoppedBy'),
      width: 40,
      value: (run) => (run.stoppedBy === null ? null : maskedText(run.stoppedBy)),
    },
    { header: say('label.exit'), width: 6, value: (run) => run.exitCode },
    { header: say('label.settings'), width: 80, value: settingsText },
  ]
}

/** What a run was made with, as it was recorded. */
const settingsText = ({ version, asOf, zone, settings }: RunRecord): string =>
  JSON.stringify({ version, asOf, zone, ...settings })

/** A column of a file with its meaning, for a person who has the workbook alone. */
interface ColumnLine {
  readonly files: string
  readonly column: string
  readonly meaning: string
}

export const columnLines = ({ verification }: ReportFacts, texts: Texts): readonly ColumnLine[] =>
  explainedColumns(texts, verification !== null).flatMap(({ files, columns }) =>
    columns.map(([column, meaning]) => ({ files: files.join(', '), column, meaning })),
  )

export function fileColumns(texts: Texts): readonly SheetColumn<ColumnLine>[] {
  const { say } = texts
  return [
    { header: say('label.file'), width: 30, value: ({ files }) => files, isWrapped: true },
    { header: say('label.column'), width: 40, value: ({ column }) => column },
    { header: say('label.meaning'), width: 90, value: ({ meaning }) => meaning, isWrapped: true },
  ]
}

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
