import { printable } from '../../domain/text/text.js'
import { csvHeader, csvLine, messageCell, neutralCell } from './csv.js'

/** Header of problems.csv. */
export const PROBLEM_COLUMNS = [
  'source',
  'record',
  'line',
  'column',
  'rule',
  'severity',
  'value',
  'message',
  'remedy',
] as const

/** One line of problems.csv; a finding on a whole file has neither record nor line. */
export interface ProblemLine {
  readonly source: string
  readonly record: number | null
  readonly line: number | null
  readonly column: string
  readonly rule: string
  readonly severity: string
  readonly value: string
  readonly message: string
  readonly remedy: string
}

/** The name of a file or a column, with what would hide in it or turn it round shown as `<U+202E>`. */
const nameCell = (name: string): string => neutralCell(printable(name))

export const problemHeader = (): string => csvHeader(PROBLEM_COLUMNS)

export const problemLine = (problem: ProblemLine): string =>
  csvLine([
    nameCell(problem.source),
    problem.record === null ? '' : String(problem.record),
    problem.line === null ? '' : String(problem.line),
    nameCell(problem.column),
    problem.rule,
    problem.severity,
    messageCell(problem.value),
    messageCell(problem.message),
    messageCell(problem.remedy),
  ])

/** The text of problems.csv piece by piece, header first: for any number of problems, in memory for one. */
export async function* problemsCsv(
  problems: Iterable<ProblemLine> | AsyncIterable<ProblemLine>,
): AsyncGenerator<string, void, undefined> {
  yield problemHeader()
  for await (const problem of problems) yield problemLine(problem)
}
