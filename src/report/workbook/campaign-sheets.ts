import { isBalanced, TOTAL_OF_STATE } from '../../domain/row/totals.js'
import type { RunRecord, SourceRecord } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import { proofText } from '../page/page-verification.js'
import { maskedText } from '../page/plain-text.js'
import { REPORT_ORDER } from '../page/report-order.js'
import type { Texts } from '../text/en.js'
import { explainedColumns } from '../text/explained-columns.js'
import { stateTitle } from '../text/state-title.js'
import { freeSheet, oneCell, type CellValue, type SheetColumn } from './sheet-xml.js'
import { STYLES } from './styles.js'

const stateColumns = (texts: Texts): readonly SheetColumn<SourceRecord>[] =>
  REPORT_ORDER.map((state) => ({
    header: stateTitle(state, texts),
    width: 11,
    value: ({ totals }) => totals[TOTAL_OF_STATE[state]],
  }))

export function sourceColumns(texts: Texts): readonly SheetColumn<SourceRecord>[] {
  const { headers } = texts.workbook
  return [
    { header: headers.source, width: 30, value: (source) => source.name },
    { header: headers.admittedAt, width: 25, value: (source) => source.admittedAt },
    { header: headers.bytes, width: 12, value: (source) => source.bytes },
    { header: headers.read, width: 10, value: (source) => source.totals.read },
    { header: headers.resubmitted, width: 12, value: (source) => source.totals.resubmitted },
    ...stateColumns(texts),
    { header: headers.balanced, width: 10, value: (source) => yesOrNo(isBalanced(source.totals), texts) },
    { header: 'SHA-256', width: 68, value: (source) => source.sha256 },
  ]
}

/** What does not add up must be seen. */
const yesOrNo = (isBalanced: boolean, { addsUp, doesNotAddUp }: Texts): string =>
  isBalanced ? addsUp : doesNotAddUp

export function runColumns(texts: Texts): readonly SheetColumn<RunRecord>[] {
  const { headers } = texts.workbook
  return [
    { header: headers.run, width: 6, value: (run) => run.id },
    { header: headers.started, width: 25, value: (run) => run.startedAt },
    { header: headers.ended, width: 25, value: (run) => run.endedAt },
    { header: headers.version, width: 10, value: (run) => run.version },
    { header: headers.asOf, width: 11, value: (run) => run.asOf },
    { header: headers.zone, width: 18, value: (run) => run.zone },
    { header: headers.registered, width: 11, value: (run) => run.attempts.registered },
    { header: headers.refused, width: 11, value: (run) => run.attempts.refused },
    { header: headers.inDoubt, width: 11, value: (run) => run.attempts.in_doubt },
    { header: headers.turnedAway, width: 12, value: (run) => run.attempts.turned_away },
    { header: headers.notSent, width: 11, value: (run) => run.attempts.not_sent },
    { header: headers.open, width: 8, value: (run) => run.attempts.open },
    {
      header: headers.stoppedBy,
      width: 40,
      value: (run) => (run.stoppedBy === null ? null : maskedText(run.stoppedBy)),
    },
    { header: headers.exit, width: 6, value: (run) => run.exitCode },
    { header: headers.settings, width: 80, value: (run) => JSON.stringify(run.settings) },
  ]
}

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
  const { headers } = texts.workbook
  return [
    { header: headers.file, width: 30, value: ({ files }) => files, isWrapped: true },
    { header: headers.column, width: 40, value: ({ column }) => column },
    { header: headers.meaning, width: 90, value: ({ meaning }) => meaning, isWrapped: true },
  ]
}

/** The first sheet: what finance signs, as far as figures say it. */
export function summarySheet(facts: ReportFacts, texts: Texts): string {
  const { campaign, totals, hashTotals, distinct } = facts
  const { metadata, workbook } = texts
  const registered = hashTotals.byState.get('registered')
  const line = (label: string, value: CellValue): string[] => [oneCell(label), oneCell(value)]
  const heading = (...words: readonly string[]): string[] =>
    words.map((word) => oneCell(word, STYLES.heading))
  return freeSheet(
    [{ width: 44 }, { width: 70 }],
    [
      [oneCell(workbook.title, STYLES.title)],
      line(metadata.target, campaign.baseUrl),
      line(workbook.user, campaign.username),
      line(metadata.ledger, facts.ledger),
      line(metadata.ledgerId, campaign.ledgerId),
      line(workbook.asOf, campaign.changedAt),
      line(workbook.result, facts.balanced ? workbook.balanced : workbook.notBalanced),
      line(texts.verification.title, proofText(facts, texts)),
      [],
      heading(texts.totals.title, texts.totals.rows),
      line(workbook.headers.read, totals.read),
      ...REPORT_ORDER.map((state) => line(stateTitle(state, texts), totals[TOTAL_OF_STATE[state]])),
      line(workbook.resubmitted, totals.resubmitted),
      line(workbook.notTaken, facts.notTaken),
      [],
      heading(workbook.distinct, workbook.count),
      line(workbook.customers, distinct.customers),
      line(workbook.mandates, distinct.mandates),
      line(workbook.accounts, distinct.accounts),
      [],
      heading(texts.hashTotals.title, texts.hashTotals.value),
      line(workbook.sumOfAll, hashTotals.read.customerNoSum),
      line(workbook.oldKeysOfAll, hashTotals.read.oldKeyDigest),
      line(workbook.sumOfRegistered, registered?.customerNoSum ?? null),
      line(workbook.oldKeysOfRegistered, registered?.oldKeyDigest ?? null),
      line(workbook.pairsOfRegistered, registered?.pairDigest ?? null),
    ],
  )
}
