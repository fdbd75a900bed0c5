import type { CampaignRecord, RunRecord, SourceRecord } from '../../ledger/read/reader.js'
import { CUSTOMER_COLUMN, DECISION_WORDS, HEADINGS } from '../../domain/row/list-words.js'
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
import { CUT_OVER_CLASSES } from '../../domain/row/cut-over.js'
import { proofText, hashTotalLines } from '../page/annex-rows.js'
import { comparedText, rehearsalText } from '../page/page.js'
import { toSend } from '../../domain/plan/plan.js'
import { runsUnder } from '../page/annex-runs.js'
import { freeSheet, oneCell, STYLES, type CellValue, type SheetColumn } from './xlsx.js'
import { isBalanced, notSentOf, TOTAL_OF_STATE } from '../../domain/row/row-state.js'

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

/** What a text calls a column or a list is called otherwise here. */
const inWords = (text: string): string =>
  text
    .replace(/\bmigration_[a-z_]+/g, (name) => `"${HEADINGS.get(name) ?? name}"`)
    .replace(/\b(?:corrections|refused|in-doubt|cut-over)\.csv/g, 'this workbook')

/** A sheet of to-do.xlsx: what is wrong, the original columns, what a person fills in, and hidden what the program needs. */
function workedColumns<Of, Line>(
  columns: Columns<Line>,
  lineOf: (of: Of) => Line,
  choices: readonly string[],
  originals: readonly SheetColumn<Of>[],
): SheetColumn<Of>[] {
  const those = (
    wanted: Column<Line>['role'],
    how: Partial<SheetColumn<Of>>,
    shown: (text: string) => string = String,
  ): SheetColumn<Of>[] =>
    columns.flatMap(({ key, role, width, value }) =>
      key === null || role !== wanted
        ? []
        : {
            ...{ header: key, heading: HEADINGS.get(key) ?? key, width: width ?? 16 },
            ...{ value: (of) => shown(String(value(lineOf(of)) ?? '')), ...how },
            ...(key === 'migration_decision' ? { choices } : {}),
          },
    )
  return [
    ...those(undefined, { isWrapped: true }, inWords),
    ...originals,
    ...those('filled in', { isRead: true, isEdited: true }),
    ...those('mark', { isRead: true, isHidden: true }),
  ]
}

/** What takes a while to find of an entry is found once, for all of its cells. */
function onceFor<Of, Found>(find: (of: Of) => Found): (of: Of) => Found {
  let last: { readonly of: Of; readonly found: Found } | null = null
  return (of) => (last?.of === of ? last : (last = { of, found: find(of) })).found
}

/** @param cellsOf as they stand under the names */
function originalColumns<Of>(
  names: readonly string[],
  cellsOf: (of: Of) => readonly string[],
  how: (at: number) => Partial<SheetColumn<Of>> = () => ({}),
): SheetColumn<Of>[] {
  const cells = onceFor(cellsOf)
  return names.map((header, at) => ({
    ...{ header, heading: HEADINGS.get(header) ?? header, width: 14, isRead: true },
    ...{ value: (of) => cells(of)[at] ?? '', ...how(at) },
  }))
}

/** Of a whole account in groups of four. */
const ACCOUNT = 44

export function toDoColumns(
  originals: OriginalColumns,
  campaign: CampaignRecord,
  part: 'inDoubt' | 'corrections' | 'refused',
): SheetColumn<OpenRow>[] {
  const { plainNames, plainCellsOf, accounts, wrongOf } = originals
  const isEdited = part !== 'inDoubt'
  const wrong = onceFor(({ row, explanation }: OpenRow) => wrongOf(row, explanation.wrong))
  const own = originalColumns(
    plainNames,
    ({ row }: OpenRow) => plainCellsOf(row),
    (at) => ({
      ...{ isEdited, ...(accounts.has(at) ? { width: ACCOUNT } : {}) },
      ...(isEdited ? { isWrong: (open) => wrong(open).has(at) } : {}),
    }),
  ).filter(({ header }) => isEdited || header !== CUSTOMER_COLUMN)
  return workedColumns(
    openColumns(part === 'inDoubt'),
    openLine(originals, campaign),
    DECISION_WORDS[part],
    own,
  )
}

/** The same of the cut-over, where nothing is corrected. */
export const cutOverColumns = ({
  identityNames,
  identityCells,
}: OriginalColumns): SheetColumn<CutOverLine>[] =>
  workedColumns(
    CUT_OVER_COLUMNS,
    (line) => line,
    DECISION_WORDS.cutOver,
    originalColumns(identityNames, ({ row }) => identityCells(row)),
  )

const HOW_TO_WORK = [
  'Each sheet lists what is open: its first columns say what is wrong and what to do, and a red cell is the one that is wrong.',
  'Type into yellow and red cells alone: correct the value, or choose a word under "Your decision" and say under "Your reason" how you know.',
  'Leave everything else as it is; to sort, take the protection of the sheet off (there is no password) and sort all of its columns together.',
  'Save the file as .xlsx and give it back with "sepa-migrate run to-do.xlsx": that takes all of it, or names every fault and takes nothing.',
]

/** The first sheet of to-do.xlsx. In one column, by which it is known for no list. */
export const howToWorkSheet = (): string =>
  freeSheet(
    [{ width: 110 }],
    [
      [oneCell('How to work in this file', STYLES.title)],
      ...HOW_TO_WORK.map((text) => [oneCell(text, STYLES.sentence)]),
    ],
  )

/** The first sheet: what finance signs, as far as figures say it. */
export function summarySheet(facts: ReportFacts, texts: Texts): string {
  const { campaign, told, totals, mandates, distinct, balanced, cutOver } = facts
  const { say } = texts
  const rehearsal = rehearsalText(facts, texts)
  const line = (label: string, value: CellValue): string[] => [oneCell(label), oneCell(value)]
  const heading = (...words: readonly string[]): string[] =>
    words.map((word) => oneCell(word, STYLES.heading))
  return freeSheet(
    [{ width: 44 }, { width: 70 }],
    [
      [oneCell(say('page.title'), STYLES.title)],
      ...(rehearsal === null ? [] : [line(say('cover.rehearsal'), rehearsal)]),
      ...(told.company === null ? [] : [[oneCell(maskedText(told.company))]]),
      ...(told.from === null ? [] : [line(say('cover.formerProvider'), maskedText(told.from))]),
      line(say('label.target'), campaign.baseUrl),
      line(say('label.user'), campaign.username),
      line(say('label.ledger'), facts.ledger),
      line(say('label.ledgerId'), campaign.ledgerId),
      line(say('label.ledgerAsOf'), campaign.changedAt),
      line(say('label.balanced'), balanced ? say('yes') : say('verdict.notBalanced').toUpperCase()),
      line(say('proof.title'), proofText(facts, texts)),
      line(say('cover.signOff'), comparedText(facts, texts)),
      [],
      line(say('label.mandates'), mandates.total),
      line(say('state.registered'), mandates.registered),
      line(say('state.in_doubt'), mandates.inDoubt + mandates.sending),
      line(say('state.refused'), mandates.refused),
      line(say('cover.notSent'), notSentOf(mandates)),
      [],
      ...(cutOver === null
        ? []
        : [
            heading(say('cutOver.title'), say('label.mandates')),
            ...CUT_OVER_CLASSES.map((name) => line(say(`cutOver.${name}`), cutOver.classes[name])),
            [],
          ]),
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
