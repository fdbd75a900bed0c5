import { FILE_OF_PART } from '../facts/facts.js'
import { DECISION_FILE_COLUMNS, DECISIONS_FILE } from '../files/decision-lines.js'
import { PROBLEM_COLUMNS } from '../files/problem-lines.js'
import { IN_DOUBT_COLUMNS, OPEN_ROW_COLUMNS, REGISTERED_COLUMN_NAMES } from '../files/row-lines.js'
import { VERIFICATION_COLUMNS, VERIFICATION_FILE } from '../files/verification-lines.js'
import type { Texts } from './en.js'

/** Files that have the same columns, and what these mean. */
interface ExplainedColumns {
  readonly files: readonly string[]
  readonly columns: readonly (readonly [column: string, meaning: string])[]
}

const explained = <Column extends string>(
  files: readonly string[],
  columns: readonly Column[],
  meanings: Readonly<Record<Column, string>>,
): ExplainedColumns => ({ files, columns: columns.map((column) => [column, meanings[column]]) })

const { registered, refused, corrections, inDoubt, notSent } = FILE_OF_PART
const OPEN_ROW: ReadonlySet<string> = new Set(OPEN_ROW_COLUMNS)

/**
 * Every column that this program writes, as the headers have them, file by file.
 * @param isVerified whether there is a file of what was read back
 */
export function explainedColumns({ columns }: Texts, isVerified: boolean): readonly ExplainedColumns[] {
  const besides = IN_DOUBT_COLUMNS.filter((column) => !OPEN_ROW.has(column))
  return [
    explained([registered], REGISTERED_COLUMN_NAMES, columns.registered),
    explained([inDoubt, refused, corrections, notSent], OPEN_ROW_COLUMNS, columns.result),
    explained([inDoubt], besides, columns.result),
    explained(['problems.csv'], PROBLEM_COLUMNS, columns.problems),
    explained([DECISIONS_FILE], DECISION_FILE_COLUMNS, columns.decisions),
    ...(isVerified ? [explained([VERIFICATION_FILE], VERIFICATION_COLUMNS, columns.verification)] : []),
  ]
}
