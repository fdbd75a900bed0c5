import type { Outcome } from '../../domain/row/outcome.js'
import type { RuleId } from '../../domain/rule/rules.js'
import type {
  AttemptRecord,
  FormerDoubt,
  RegisteredRow,
  RowRecord,
  RunRecord,
  SourceRecord,
} from './reader.js'
import { READ_COLUMNS } from '../schema/row-columns.js'
import type { SourceReading } from '../../domain/rule/verdict.js'
import type { RunTerms } from '../../domain/row/choice.js'

/** Rows of the tables as SQLite gives them, and what a reader makes of them. Only the ledger writes those tables. */

export interface StoredAttempt extends Omit<AttemptRecord, 'started' | 'notes'> {
  readonly started: number | null
  readonly notes: string | null
}

export const ATTEMPT_COLUMNS = `attempt.id as id, attempt.n as n, run_id as runId, request_id as requestId,
  attempt.started_at as startedAt, attempt.ended_at as endedAt, duration_ms as durationMs, started, outcome, hint,
  attempt.reason as reason, status, error_code as errorCode, service_code as serviceCode, field, message, answer, notes`

export const hasStarted = ({ started }: Pick<StoredAttempt, 'started'>): boolean | null =>
  started === null ? null : started === 1

export const toAttempt = (stored: StoredAttempt): AttemptRecord => ({
  ...stored,
  started: hasStarted(stored),
  notes: stored.notes === null ? [] : (JSON.parse(stored.notes) as RuleId[]),
})

export interface StoredRow extends Omit<RowRecord, 'lastAttempt' | 'formerDoubt' | 'cells'> {
  readonly cells: string | null
}

/** A row without a place counts nowhere, one in its own place, as nearly all are, in its own source. */
const COUNTED_IN = `case when place is null then source_id when place = 0 then null
  else coalesce((select own.source_id from row as own where own.id = row.place), source_id) end`

export const ROW_COLUMNS = `${READ_COLUMNS}, source.name as source, ${COUNTED_IN} as countedIn`

export const toRow = (
  stored: StoredRow,
  lastAttempt: AttemptRecord | null,
  formerDoubt: FormerDoubt | null,
): RowRecord => ({
  ...stored,
  lastAttempt,
  formerDoubt,
  cells: stored.cells === null ? null : (JSON.parse(stored.cells) as string[]),
})

/** As an array, in this order: there are as many as mandates, and an object with names takes SQLite twice as long. */
export type StoredRegistered = readonly [
  id: number,
  sourceId: number,
  countedIn: number,
  record: number,
  attempts: number,
  customerNo: number,
  ibanMasked: string | null,
  signedDate: string,
  originalCreditorIdentifier: string,
  originalMandateReference: string,
  mandateKey: string,
  assignedCreditorIdentifier: string,
  assignedMandateReference: string,
  registeredAt: string,
  latestFirstDebit: string | null,
]

export const REGISTERED_COLUMNS = `id, source_id, ${COUNTED_IN}, record, attempts, customer_no, iban_masked, signed_date,
  original_creditor_identifier, original_mandate_reference, mandate_key, assigned_creditor_identifier,
  assigned_mandate_reference, registered_at, latest_first_debit`

export const toRegistered = (
  stored: StoredRegistered,
  nameOf: (sourceId: number) => string,
): RegisteredRow => ({
  id: stored[0],
  sourceId: stored[1],
  source: nameOf(stored[1]),
  countedIn: stored[2],
  record: stored[3],
  attempts: stored[4],
  customerNo: stored[5],
  ibanMasked: stored[6],
  signedDate: stored[7],
  originalCreditorIdentifier: stored[8],
  originalMandateReference: stored[9],
  mandateKey: stored[10],
  assignedCreditorIdentifier: stored[11],
  assignedMandateReference: stored[12],
  registeredAt: stored[13],
  latestFirstDebit: stored[14],
})

export interface StoredSource extends Omit<SourceRecord, 'header' | 'columns' | 'reading' | 'totals'> {
  readonly header: string
  readonly columns: string
  readonly reading: string
}

export const toSource = (stored: StoredSource, totals: SourceRecord['totals']): SourceRecord => ({
  ...stored,
  header: JSON.parse(stored.header) as string[],
  columns: JSON.parse(stored.columns) as Record<string, string>,
  reading: JSON.parse(stored.reading) as SourceReading,
  totals,
})

export interface StoredRun extends Omit<RunRecord, 'settings' | 'attempts'> {
  readonly settings: string
}

/** A released attempt was in doubt in its run; what a person decided later does not change that run. */
export const toRun = (
  stored: StoredRun,
  counts: readonly { outcome: AttemptRecord['outcome']; count: number }[],
): RunRecord => {
  const attempts: Record<Outcome['kind'] | 'open', number> = {
    registered: 0,
    refused: 0,
    turned_away: 0,
    not_sent: 0,
    in_doubt: 0,
    open: 0,
  }
  for (const { outcome, count } of counts) {
    attempts[outcome === 'released' ? 'in_doubt' : (outcome ?? 'open')] += count
  }
  return { ...stored, settings: JSON.parse(stored.settings) as RunTerms, attempts }
}

export const PROBLEM_COLUMNS = `problem.id as id, source.name as source, row_id as rowId, record, line, problem.rule as rule,
  severity, field, column_name as "column", value, message, remedy`
