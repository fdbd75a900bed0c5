import { UsageError } from '../errors.js'
import type { Decision, Resolution } from '../ledger/ledger.js'
import { DECISION_COLUMNS } from '../report/row-lines.js'
import { DEFAULT_SOURCE_OPTIONS } from '../source/options.js'
import { openTable, type TableRow } from '../source/table.js'

/** How a decision is written, on the command line and in the in-doubt file (product.md 2). */
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
    `"${text}" is not a decision`,
    'Use registered, refused, resend or written-off; nothing was recorded',
  )
}

/**
 * Reads the in-doubt file that a person filled in. Rows without a decision are left open.
 * @throws {SourceError} for a file that cannot be read
 * @throws {UsageError} for a decision that cannot be read; nothing of the file counts then
 */
export async function readDecisions(file: string, usualBy: string): Promise<readonly Resolution[]> {
  const table = await openTable(file, DEFAULT_SOURCE_OPTIONS.limits, ['migration_row', ...DECISION_COLUMNS])
  const resolutions: Resolution[] = []
  for await (const row of table.rows()) {
    const resolution = readRow(row, file, usualBy)
    if (resolution !== null) resolutions.push(resolution)
  }
  if (resolutions.length === 0)
    throw new UsageError(
      `"${file}" holds no decision`,
      'Fill in migration_decision and migration_reason for the rows you have settled; nothing was recorded',
    )
  const evidence = `${table.name} (SHA-256 ${table.sha256()})`
  return resolutions.map((resolution) => ({ ...resolution, evidence }))
}

function readRow(row: TableRow, file: string, usualBy: string): Resolution | null {
  const decision = row.cell('migration_decision') ?? ''
  if (decision === '') return null
  const at = `in line ${row.line} of "${file}"`
  const rowId = row.cell('migration_row') ?? ''
  const attempt = row.cell('migration_attempt') ?? ''
  const reason = row.cell('migration_reason') ?? ''
  if (!WHOLE.test(rowId) || (attempt !== '' && !WHOLE.test(attempt)))
    throw new UsageError(
      `Cannot read the row number ${at}`,
      'Leave migration_row and migration_attempt as they were',
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
    rowId: Number(rowId),
    decision: readDecision(decision),
    reason,
    by: row.cell('migration_by') || usualBy,
    assigned: isAssigned ? { creditorIdentifier, mandateReference } : null,
    evidence: null,
    attempt: attempt === '' ? null : Number(attempt),
  }
}

const WHOLE = /^[1-9]\d{0,14}$/
