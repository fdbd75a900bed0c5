import { holdsIban } from '../../domain/text/masking.js'
import { cleanCell } from '../../domain/text/text.js'
import {
  type Finding,
  showValue,
  type SourceReading,
  type SeverityOverrides,
  findingOf,
} from '../../domain/rule/verdict.js'
import { isTotalsLine, statedCounts } from './totals.js'

/** Lines that the configuration leaves out before the header and behind the last record. */

interface LeftOutColumns {
  readonly split: (line: string) => readonly string[]
  /** Positions of customer number (or old key), reference and account; of a crosswalk, of its two columns. */
  readonly keys: readonly number[]
  readonly account: number | null
}

const LINE_END = /[\r\n]+/
const MOST_SHOWN = 20

const linesOf = (text: string): string[] => text.split(LINE_END).filter((line) => line.trim() !== '')

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

const cellsOf = (line: string, { split }: LeftOutColumns): string[] => split(line).map(cleanCell)

const filledOf = (cells: readonly string[], { keys, account }: LeftOutColumns) => ({
  keys: keys.map((position) => cells[position] ?? '').filter((cell) => cell !== ''),
  account: account === null ? '' : (cells[account] ?? ''),
})

/** A mandate may have any mistake, so a footer line has to look like a footer to be left out. */
function couldBeRow(line: string, columns: LeftOutColumns): boolean {
  const cells = cellsOf(line, columns)
  const { keys, account } = filledOf(cells, columns)
  if (cells.some(isAccount)) return true
  const filled = keys.length + (account === '' ? 0 : 1)
  if (isTotalsLine(cells)) return filled > 2
  return filled > 1 || keys.some(isToken) || /\d/.test(account)
}

/** A preamble may name the creditor's own account, so there a row shows by two of its values. */
function couldBeEarlyRow(line: string, columns: LeftOutColumns): boolean {
  const { keys, account } = filledOf(cellsOf(line, columns), columns)
  const values = [...keys.filter(isToken), ...(isAccount(account) || /\d{5}/.test(account) ? [account] : [])]
  return values.length > 1
}

interface LeftOut {
  /** Of the configuration, where it says what is left out. */
  readonly section: string
  readonly preamble: string
  readonly footer: string
  readonly columns: LeftOutColumns
  readonly records: number
  readonly severities: SeverityOverrides
}

/** What speaks against leaving those lines out. */
export function leftOutFindings(leftOut: LeftOut): readonly Finding[] {
  const { section, preamble, footer, columns, records, severities } = leftOut
  const before = linesOf(preamble)
  const after = linesOf(footer)
  const lost = [
    ...before.filter((line) => couldBeEarlyRow(line, columns)).map((line) => ['skipLines', line] as const),
    ...after.filter((line) => couldBeRow(line, columns)).map((line) => ['skipFooterLines', line] as const),
  ]
  return [
    ...lost.flatMap(([key, line]) =>
      findingOf('FILE_ROW_LEFT_OUT', severities, {
        value: line,
        detail: `${section}.${key} leaves out "${showValue(line)}".`,
      }),
    ),
    ...[...before, ...after].flatMap((line) => countFindings(cellsOf(line, columns), records, severities)),
  ]
}

/** A count that the file states of itself, against the records that were read. */
export function countFindings(
  cells: readonly string[],
  records: number,
  severities: SeverityOverrides,
): readonly Finding[] {
  const stated = statedCounts(cells)
  if (stated.length === 0 || stated.includes(records)) return []
  const line = cells.filter((cell) => cell !== '').join(' ')
  return findingOf('FILE_COUNT_MISMATCH', severities, {
    value: line,
    detail: `It says "${showValue(line)}", and ${records} records were read.`,
  })
}
