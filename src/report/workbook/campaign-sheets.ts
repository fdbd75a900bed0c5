import { isBalanced, TOTAL_OF_STATE } from '../../domain/row/totals.js'
import type { RunRecord, SourceRecord } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import { hashTotalLines } from '../page/page-record.js'
import { proofText } from '../page/page-verification.js'
import { maskedText } from '../page/plain-text.js'
import { REPORT_ORDER } from '../page/report-order.js'
import type { Texts } from '../text/texts.js'
import { explainedColumns } from '../text/explained-columns.js'
import { freeSheet, oneCell, type CellValue, type SheetColumn } from './sheet-xml.js'
import { STYLES } from './styles.js'

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
