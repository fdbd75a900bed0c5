import { cleanCell, firstOf, said } from '../domain/text/text.js'
import {
  isNull,
  isPlainStart,
  isRuleLine,
  judgeHeaders,
  isPageBreak,
  isTotalsLine,
  statedCounts,
  sumIn,
} from '../domain/text/no-record.js'
import {
  type Finding,
  findingOf,
  showValue,
  type RuleId,
  type SeverityOverrides,
  type SourceReading,
} from '../domain/rule/verdict.js'
import { isHeading, usualMeaning } from './columns/header.js'
import { piecesOf, type Pieces } from './bytes/input.js'
import { refuse } from './refusal.js'
import type { NoRecords, RawRecord, Table, TableEnd } from './table.js'
import { holdsIban } from '../domain/text/accounts.js'

/** What is found of a whole file; nothing where there is no detail. */
export type Report = (rule: RuleId, value: string, detail: string | false) => readonly Finding[]

export const reportWith =
  (severities: SeverityOverrides): Report =>
  (rule, value, detail) =>
    detail === false ? [] : findingOf(rule, severities, { value, detail })

/** So many lines of totals may stand at the end. */
export const MOST_TOTALS = 8

/** A table whose records are records: what is none is left out and told, and what says "nothing" is empty. */
export const withoutNoRecords = (table: Table): Table => ({
  ...table,
  read: (signal) => piecesOf(judge(table, table.read(signal))),
})

async function* judge(
  { label, header: names, headerCells, preamble, split }: Table,
  batches: Pieces<RawRecord[], TableEnd>,
): AsyncGenerator<RawRecord[], TableEnd> {
  const noRecords: NoRecords = { lines: { rule: [], header: [], page: [] }, counts: [] }
  const headerOf = judgeHeaders(headerCells, usualMeaning)
  const filledIn = (cells: readonly string[]): string[] => cells.map(cleanCell).filter((cell) => cell !== '')
  const above = new Set(linesOf(preamble).map((line) => filledIn(split(line)).join('\n')))
  let records = 0
  let sinceCount = 0
  /** What sums up the rows above it, until it is known whether rows follow; those at the end are judged with the mapping. */
  const sums: { record: RawRecord; isOfAll: boolean; told: NoRecords['counts'][number] }[] = []
  const tellSums = (some: typeof sums): number => noRecords.counts.push(...some.map(({ told }) => told))

  function isRecord(record: RawRecord): boolean {
    const { line, cells, isClean } = record
    if (isHeading(names, cells)) return false
    const isLeftOutAs = (what: keyof NoRecords['lines']): boolean => noRecords.lines[what].push(line) > 0
    let filled = 0
    for (const cell of cells) if (cell !== '') filled += 1
    const first = cells[0] === '' ? (cells.find((cell) => cell !== '') ?? '') : (cells[0] ?? '')
    if (!isPlainStart(first.charCodeAt(0)) && isRuleLine(cells)) return !isLeftOutAs('rule')
    const header = headerOf(cells)
    if (header === 'same') return !isLeftOutAs('header')
    if (header === 'other') {
      const what = `its line ${line} is a second header, with other columns or another order`
      throw refuse(label, 'FILE_HEADER_SECOND', what, { line })
    }
    if (filled > 0 && headerCells.length > 1 && filled * 2 <= headerCells.length) {
      const few = filledIn(cells)
      if (isPageBreak(few) || above.has(few.join('\n'))) return !isLeftOutAs('page')
      const sum = sumIn(few, records, sinceCount)
      if (sum !== null) {
        const { isOfAll, isRight } = sum
        sums.push({
          record,
          isOfAll,
          told: { line, text: showValue(few.join(' ')), isRight, records: sinceCount },
        })
        sinceCount = 0
        return false
      }
    }
    tellSums(sums.splice(0))
    records += 1
    sinceCount += 1
    if (isClean !== true)
      for (let at = 0; at < cells.length; at += 1) if (isNull(cells[at] ?? '')) cells[at] = ''
    return true
  }

  for await (const batch of batches) yield batch.filter(isRecord)
  tellSums(sums.filter(({ isOfAll }) => !isOfAll))
  yield sums.flatMap(({ record, isOfAll }) => (isOfAll ? record : []))
  return { ...batches.end(), noRecords }
}

const MOST_TOLD = 5

function linesText(lines: readonly number[], one: string, several: string): string | false {
  if (lines.length <= 1) return lines.length === 1 && `Line ${lines.join()} ${one}.`
  return `Lines ${firstOf(lines.map(String), MOST_TOLD)} ${several}.`
}

/** What is told of the lines that were left out, and where one states another count than was read. */
export function noRecordFindings({ lines, counts }: NoRecords, report: Report): readonly Finding[] {
  const told = said([
    linesText(lines.rule, 'rules off the table', 'rule off the table'),
    linesText(lines.header, 'repeats the header', 'repeat the header'),
    linesText(lines.page, 'belongs to a page break', 'belong to page breaks'),
    ...counts.map(({ line, text }) => `Line ${line} sums up: "${text}".`),
  ])
  return [
    ...counts.flatMap(({ text, records, isRight }) => (isRight ? [] : otherCount(text, records, report))),
    ...report('FILE_LINES_LEFT_OUT', '', told.length > 0 && told.slice(0, MOST_TOLD).join(' ')),
  ]
}

const MOST_SHOWN = 20

const linesOf = (text: string): string[] => text.split(/[\r\n]+/).filter((line) => line.trim() !== '')

/** What was left out, as a report may show it: accounts masked, capped; empty where nothing was. */
export function showLeftOut(preamble: string, footer: string): NonNullable<SourceReading['leftOut']> {
  const shown = { beforeHeader: showLines(preamble), atEnd: showLines(footer) }
  return Object.fromEntries(Object.entries(shown).filter(([, lines]) => lines.length > 0))
}

function showLines(text: string): string[] {
  const lines = linesOf(text)
  const shown = lines.slice(0, MOST_SHOWN).map((line) => showValue(line.trim()))
  return lines.length > MOST_SHOWN ? [...shown, `and ${lines.length - MOST_SHOWN} more`] : shown
}

const isToken = (cell: string): boolean => /^(?=\D*\d)\S*$/.test(cell)
const isAccount = (cell: string): boolean => /^\p{L}{2}\s?\d\d/u.test(cell) && holdsIban(cell)

/** A mandate may have any mistake, so a footer line has to look like a footer to be left out. */
function couldBeRow(cells: readonly string[], keys: readonly string[], account: string): boolean {
  if (cells.some(isAccount)) return true
  const filled = keys.length + (account === '' ? 0 : 1)
  if (isTotalsLine(cells)) return filled > 2
  return filled > 1 || keys.some(isToken) || /\d/.test(account)
}

/** A preamble may name the creditor's own account, so there a row shows by two of its values. */
const couldBeEarlyRow: typeof couldBeRow = (_, keys, account) =>
  keys.filter(isToken).length + (isAccount(account) || /\d{5}/.test(account) ? 1 : 0) > 1

interface LeftOut extends Pick<Table, 'preamble' | 'split'> {
  /** Of the configuration, where it says what is left out. */
  readonly section: string
  readonly footer: string
  /** Positions of customer number (or old key), reference and account; of a crosswalk, of its two columns. */
  readonly keys: readonly (number | undefined)[]
  readonly account: number | undefined
}

/** What speaks against leaving those lines out before the header and behind the last record. */
export function leftOutFindings(leftOut: LeftOut, records: number, report: Report): readonly Finding[] {
  const { section, preamble, footer, split, keys, account } = leftOut
  const judged = (text: string, key: string, isLost: typeof couldBeRow) =>
    linesOf(text).map((line) => {
      const cells = split(line).map(cleanCell)
      const at = (position = -1): string => cells[position] ?? ''
      const detail = `${section}.${key} leaves out "${showValue(line)}".`
      const filled = keys.map((key) => at(key)).filter((cell) => cell !== '')
      const isRow = isLost(cells, filled, at(account))
      return { cells, lost: report('FILE_ROW_LEFT_OUT', line, isRow && detail) }
    })
  const lines = [
    ...judged(preamble, 'skipLines', couldBeEarlyRow),
    ...judged(footer, 'skipFooterLines', couldBeRow),
  ]
  return [
    ...lines.flatMap(({ lost }) => lost),
    ...lines.flatMap(({ cells }) => countFindings(cells, records, report)),
  ]
}

/** A count that the file states of itself, against the records that were read. */
export function countFindings(cells: readonly string[], records: number, report: Report): readonly Finding[] {
  const stated = statedCounts(cells)
  if (stated.length === 0 || stated.includes(records)) return []
  return otherCount(cells.filter((cell) => cell !== '').join(' '), records, report)
}

const otherCount = (value: string, records: number, report: Report): readonly Finding[] =>
  report('FILE_COUNT_MISMATCH', value, `It says "${showValue(value)}", and ${records} records were read.`)
