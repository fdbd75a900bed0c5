import { isSameName, readWhole } from '../domain/row/resaved.js'
import { cleanCell, fold } from '../domain/text/text.js'
import { UsageError } from '../errors.js'
import type { Decision, Resolution } from '../ledger/ledger.js'
import type { LedgerReader } from '../ledger/read/reader.js'
import { mergeColumns, type OriginalColumns } from '../report/files/cells.js'
import { DECISION_COLUMNS, ledgerMark } from '../report/files/lists.js'
import { DEFAULT_SOURCE_OPTIONS } from '../source/options.js'
import { openList, type ListRow } from '../source/list.js'
import { assertGiven, MOST_BYTES } from '../trust/given-file.js'
import { showValue } from '../domain/rule/verdict.js'

/** How a decision is written, on the command line and in the in-doubt file. */
const DECISIONS: ReadonlyMap<string, Decision> = new Map([
  ['registered', 'registered'],
  ['refused', 'refused'],
  ['resend', 'resend'],
  ['written-off', 'written_off'],
  ['written_off', 'written_off'],
])

/** @throws {UsageError} for anything but one of the four decisions */
export function readDecision(text: string): Decision {
  const decision = DECISIONS.get(text.trim().toLowerCase())
  if (decision !== undefined) return decision
  throw new UsageError(
    `"${showValue(text)}" is not a decision`,
    'Use registered, refused, resend or written-off; nothing was recorded',
  )
}

/** The word of corrections.csv that `run` reads: this row is right as it stands. */
const isForRun = (decision: string): boolean => fold(decision) === 'send'

const MOST_SHOWN = 5

/**
 * Reads a result file that a person filled in; lines without a decision, or with one for `run`, are left open, so there
 * may be none. A row number alone proves
 * nothing: columns are sorted apart and files are mixed up, so every line must name this ledger and show the
 * customer, the reference and the creditor of its row.
 * @throws {SourceError} for a file that cannot be read
 * @throws {UsageError} for a line that is not the row's, or a decision that cannot be read; nothing of the file
 * counts then
 */
export async function readDecisions(
  reader: LedgerReader,
  file: string,
  usualBy: string,
): Promise<readonly Resolution[]> {
  assertGiven(file, {
    what: 'decisions',
    nothing: 'nothing was recorded',
    mostBytes: MOST_BYTES.decisions,
  })
  const table = await openList(file, DEFAULT_SOURCE_OPTIONS.limits, DECISION_COLUMNS)
  const differencesOf = compareLines(reader)
  const resolutions: Resolution[] = []
  const differences: string[] = []
  let forRun = 0
  for await (const row of table.rows()) {
    const rowId = readWhole(row.cell('migration_row') ?? '')
    const decision = row.cell('migration_decision') ?? ''
    if (rowId !== null) differences.push(...differencesOf(row, rowId))
    if (isForRun(decision)) forRun += 1
    else if (decision !== '') resolutions.push(readLine(row, rowId, file, usualBy))
  }
  if (differences.length > 0) throw notTheRows(file, differences)
  if (resolutions.length === 0 && forRun > 0)
    throw new UsageError(
      `"${file}" holds no decision but "send" (${forRun} ${forRun === 1 ? 'line' : 'lines'}), which is a word for run`,
      'Give the file to a run; nothing was recorded',
      { ways: ['run_file'] },
    )
  const evidence = `${table.name} (SHA-256 ${table.sha256()})`
  return resolutions.map((resolution) => ({ ...resolution, evidence }))
}

function notTheRows(file: string, differences: readonly string[]): UsageError {
  const shown = differences.slice(0, MOST_SHOWN).join('; ')
  const rest = differences.length > MOST_SHOWN ? `; and ${differences.length - MOST_SHOWN} more` : ''
  return new UsageError(
    `"${file}" does not show the rows of this ledger as they are: ${shown}${rest}`,
    'Nothing of the file was recorded. Its columns may be sorted apart, or it was written from another ledger: ' +
      'write the report anew and fill in the new file, with columns as text',
    { ways: ['report'] },
  )
}

/** Says of a line in which cells it is not the row that it names. */
function compareLines(reader: LedgerReader): (line: ListRow, rowId: number) => readonly string[] {
  const columns = mergeColumns(reader.sources())
  const mark = fold(ledgerMark(reader.campaign()))
  return (line, rowId) => {
    const at = (column: string, what: string): string => `line ${line.line}, column ${column}: ${what}`
    const ledger = line.cell('migration_ledger')
    if (ledger === null) return [at('migration_ledger', 'the file has no such column')]
    if (fold(ledger) !== mark) return [at('migration_ledger', 'the line names another ledger, or none')]
    const row = reader.row(rowId)
    if (row === null) return [at('migration_row', `there is no row ${rowId}`)]
    return columns.identityOf(row).flatMap((cell) => differenceIn(line, rowId, cell, at))
  }
}

function differenceIn(
  line: ListRow,
  rowId: number,
  { name, nth, value }: ReturnType<OriginalColumns['identityOf']>[number],
  at: (column: string, what: string) => string,
): string[] {
  const found = line.cells(name)[nth]
  const column = `"${showValue(name)}"`
  if (found === undefined) return [at(column, 'the file has no such column')]
  if (value === null || isSameName(value, found)) return []
  return [at(column, `row ${rowId} has "${showValue(value)}", the line has "${showValue(cleanCell(found))}"`)]
}

function readLine(row: ListRow, rowId: number | null, file: string, usualBy: string): Resolution {
  const at = `in line ${row.line} of "${file}"`
  const decision = readDecision(row.cell('migration_decision') ?? '')
  const attemptCell = row.cell('migration_attempt') ?? ''
  const attempt = readWhole(attemptCell)
  const reason = row.cell('migration_reason') ?? ''
  // Only what is closed for good may be decided without having looked at the latest attempt.
  const mayLackAttempt = decision === 'written_off' && attemptCell === ''
  if (rowId === null || (attempt === null && !mayLackAttempt))
    throw new UsageError(
      `Cannot read the number of the row or of its attempt ${at}`,
      'Leave migration_row and migration_attempt as they were; nothing was recorded',
    )
  if (reason === '')
    throw new UsageError(
      `There is no reason ${at}`,
      'Say in migration_reason how you know; nothing was recorded',
    )
  const creditorIdentifier = row.cell('migration_assigned_creditor_identifier') ?? ''
  const mandateReference = row.cell('migration_assigned_mandate_reference') ?? ''
  const isAssigned = creditorIdentifier !== '' || mandateReference !== ''
  return {
    rowId,
    decision,
    reason,
    by: row.cell('migration_by') || usualBy,
    assigned: isAssigned ? { creditorIdentifier, mandateReference } : null,
    evidence: null,
    attempt,
  }
}
