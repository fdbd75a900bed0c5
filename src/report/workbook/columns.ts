import type { CampaignRecord, RunRecord, SourceRecord } from '../../ledger/read/reader.js'
import { REPORT_ORDER } from '../facts/facts.js'
import type { ReportFacts } from '../facts/row-walk.js'
import type { Texts } from '../text/texts.js'
import { maskedText, type OriginalColumns } from '../files/cells.js'
import {
  column,
  type Column,
  type Columns,
  CUT_OVER_COLUMNS,
  type CutOverLine,
  explainedColumns,
  openColumns,
  openLine,
  type OpenRow,
  SENTENCE,
} from '../files/lists.js'
import { proofText, hashTotalLines } from '../page/annex-rows.js'
import { toSend } from '../../domain/plan/plan.js'
import { runsUnder } from '../page/annex-runs.js'
import { freeSheet, oneCell, STYLES, type CellValue, type SheetColumn } from './xlsx.js'
import { isBalanced, TOTAL_OF_STATE } from '../../domain/row/row-state.js'

/** The columns of a list on its sheet, in one language. */
export const columnsIn = <Entry>(columns: Columns<Entry>, texts: Texts): SheetColumn<Entry>[] =>
  columns.flatMap(({ label, width, value, shown }) =>
    width === null
      ? []
      : {
          ...{ header: texts.say(label), width, isWrapped: width >= SENTENCE },
          value: shown === undefined ? value : (entry) => shown(entry, texts),
        },
  )

const masked = (text: string | null): string | null => (text === null ? null : maskedText(text))

/** A plan with one of its approvals, or the only line of one that nobody approved. */
type PlanLine = ReturnType<typeof linesOfPlans>[number]

export const linesOfPlans = ({ plans, runs }: ReportFacts) =>
  plans.flatMap((plan) => {
    const approvals = plan.approvals.length === 0 ? [null] : plan.approvals
    return approvals.map((approval) => ({ plan, approval, runs: runsUnder(plan, runs) }))
  })

export const PLANS: Columns<PlanLine> = [
  column(null, 'label.plan', 68, ({ plan }) => plan.digest),
  column(null, 'label.at', 25, ({ plan }) => plan.plannedAt),
  column(null, 'cover.plannedBy', 20, ({ plan }) => maskedText(plan.plannedBy)),
  column(null, 'label.asUser', 14, ({ plan }) => plan.plannedAs),
  column(null, 'label.rows', 10, ({ plan }) => toSend(plan.document)),
  column(null, 'label.at', 25, ({ approval }) => approval?.approvedAt ?? null),
  column(null, 'cover.approvedBy', 20, ({ approval }) => masked(approval?.approvedBy ?? null)),
  column(null, 'plans.key', 68, ({ approval }) => approval?.key ?? null),
  column(null, 'plans.reference', SENTENCE, ({ approval }) => masked(approval?.reference ?? null)),
  column(null, 'label.asUser', 14, ({ approval }) => approval?.recordedAs ?? null),
  column(null, 'label.expires', 25, ({ approval }) => approval?.expiresAt ?? null),
  column(null, 'runs.title', 14, ({ runs }) => runs),
]

export const SOURCES: Columns<SourceRecord> = [
  column(null, 'label.source', 30, ({ name }) => name),
  column(null, 'label.at', 25, ({ admittedAt }) => admittedAt),
  column(null, 'label.bytes', 12, ({ bytes }) => bytes),
  column(null, 'cover.read', 10, ({ totals }) => totals.read),
  column(null, 'label.resubmitted', 12, ({ totals }) => totals.resubmitted),
  ...REPORT_ORDER.map((state) =>
    column<SourceRecord>(null, `state.${state}`, 11, ({ totals }) => totals[TOTAL_OF_STATE[state]]),
  ),
  // What does not add up must be seen.
  column(null, 'label.balanced', 10, () => null, {
    shown: ({ totals }, { say }) => (isBalanced(totals) ? say('yes') : say('no').toUpperCase()),
  }),
  column(null, 'label.sha256', 68, ({ sha256 }) => sha256),
]

export const RUNS: Columns<RunRecord> = [
  column(null, 'label.number', 6, ({ id }) => id),
  column(null, 'label.started', 25, ({ startedAt }) => startedAt),
  column(null, 'label.ended', 25, ({ endedAt }) => endedAt),
  column(null, 'state.registered', 11, ({ attempts }) => attempts.registered),
  column(null, 'state.refused', 11, ({ attempts }) => attempts.refused),
  column(null, 'state.in_doubt', 11, ({ attempts }) => attempts.in_doubt),
  column(null, 'label.turnedAway', 12, ({ attempts }) => attempts.turned_away),
  column(null, 'cover.notSent', 11, ({ attempts }) => attempts.not_sent),
  column(null, 'label.open', 8, ({ attempts }) => attempts.open),
  column(null, 'label.stoppedBy', SENTENCE, ({ stoppedBy }) => masked(stoppedBy)),
  column(null, 'label.exit', 6, ({ exitCode }) => exitCode),
  // As it was recorded.
  column(null, 'label.settings', 80, ({ version, asOf, zone, settings }) =>
    JSON.stringify({ version, asOf, zone, ...settings }),
  ),
]

/** A column of a file with its meaning, for a person who has the workbook alone. */
type ColumnLine = ReturnType<typeof columnLines>[number]

export const columnLines = ({ verification, cutOver }: ReportFacts, texts: Texts) =>
  explainedColumns(texts, verification !== null, (cutOver?.open ?? 0) > 0).flatMap(({ files, columns }) =>
    columns.map(([column, meaning]) => ({ files: files.join(', '), column, meaning })),
  )

export const FILE_COLUMNS: Columns<ColumnLine> = [
  column(null, 'label.file', SENTENCE, ({ files }) => files),
  column(null, 'label.column', 40, ({ column }) => column),
  column(null, 'label.meaning', 90, ({ meaning }) => meaning),
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
function workedColumns<Of, Line>(
  columns: Columns<Line>,
  lineOf: (of: Of) => Line,
  choices: readonly string[],
  originals: readonly SheetColumn<Of>[],
): SheetColumn<Of>[] {
  const those = (wanted: Column<Line>['role'], how: Partial<SheetColumn<Of>>): SheetColumn<Of>[] =>
    columns.flatMap(({ key, role, width, value }) =>
      key === null || role !== wanted
        ? []
        : {
            ...{ header: key, width: width ?? 16, value: (of) => String(value(lineOf(of)) ?? ''), ...how },
            ...(key === 'migration_decision' ? { choices } : {}),
          },
    )
  return [
    ...those(undefined, { isWrapped: true }),
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
    openColumns(part === 'inDoubt'),
    openLine(originals, campaign),
    DECISION_WORDS[part],
    originalColumns(originals.plainNames, ({ row }) => originals.plainCellsOf(row), part !== 'inDoubt'),
  )

/** The same of the cut-over, where nothing is corrected. */
export const cutOverColumns = ({
  identityNames,
  identityCells,
}: OriginalColumns): SheetColumn<CutOverLine>[] =>
  workedColumns(
    CUT_OVER_COLUMNS,
    (line) => line,
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
