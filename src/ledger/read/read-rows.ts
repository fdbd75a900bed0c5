import type { RowState, Outcome } from '../../domain/row/row-state.js'
import { sql, sqlValue, type Connection } from '../file/connection.js'
import type {
  AttemptRecord,
  FormerDoubt,
  RegisteredRow,
  RowPage,
  RowRecord,
  RunRecord,
  SourceRecord,
} from './reader.js'
import type { RunTerms } from '../../domain/row/choice.js'
import type { SourceReading } from '../../domain/rule/verdict.js'
import { VOUCHED } from '../admit/collected.js'
import { READ_COLUMNS } from '../schema/row-columns.js'

/** Rows of the tables as SQLite gives them, and what a reader makes of them. Only the ledger writes those tables. */

export interface StoredAttempt extends Omit<AttemptRecord, 'started'> {
  readonly started: number | null
}

export const ATTEMPT_COLUMNS = `attempt.id as id, attempt.n as n, run_id as runId, request_id as requestId,
  attempt.started_at as startedAt, attempt.ended_at as endedAt, duration_ms as durationMs, started, outcome, hint,
  attempt.reason as reason, status, error_code as errorCode, service_code as serviceCode, field, message, answer`

const hasStarted = ({ started }: Pick<StoredAttempt, 'started'>): boolean | null =>
  started === null ? null : started === 1

export const toAttempt = (stored: StoredAttempt): AttemptRecord => ({
  ...stored,
  started: hasStarted(stored),
})

interface StoredRow extends Omit<RowRecord, 'lastAttempt' | 'formerDoubt' | 'cells'> {
  readonly cells: string | null
}

/** A row without a place counts nowhere, one in its own place, as nearly all are, in its own source. */
export const COUNTED_IN = `case when place is null then source_id when place = 0 then null
  else coalesce((select own.source_id from row as own where own.id = row.place), source_id) end`

const ROW_COLUMNS = `${READ_COLUMNS}, source.name as source, ${COUNTED_IN} as countedIn,
  ${VOUCHED} as vouchedOn`

const toRow = (
  stored: StoredRow,
  lastAttempt: AttemptRecord | null,
  formerDoubt: FormerDoubt | null,
): RowRecord => ({
  ...stored,
  lastAttempt,
  formerDoubt,
  cells: stored.cells === null ? null : (JSON.parse(stored.cells) as string[]),
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
  for (const { outcome, count } of counts)
    attempts[outcome === 'released' ? 'in_doubt' : (outcome ?? 'open')] += count
  return { ...stored, settings: JSON.parse(stored.settings) as RunTerms, attempts }
}

export const PROBLEM_COLUMNS = `problem.id as id, source.name as source, row_id as rowId, record, line, problem.rule as rule,
  severity, field, column_name as "column", value, message, remedy`

type OfRow = StoredAttempt & { readonly rowId: number }

/** Behind which everything is read by one range of ids, without and with the rows that a list of registrations takes. */
const ALL = `row.id > ? and row.id <= ?`
const BRIEF = `state = 'registered' and place is not 0`

/** The row that has this assigned reference, in any case of letters. */
export const ownerOf = (connection: Connection, reference: string): number | undefined =>
  sqlValue(connection)<number>`
    select id from row where assigned_mandate_reference = ? collate nocase`.get(reference)

/**
 * Rows with their latest attempts and with the latest doubt over their mandate that a person has decided. A page takes
 * one statement for its rows and one for their attempts, inside one transaction: a run may be writing beside it.
 */
export function rowReads(connection: Connection) {
  const range = rangeOf(connection, ALL)
  const others = rangeOf(connection, `${ALL} and not (${BRIEF})`)
  const one = (id: number): RowRecord | null => range(id - 1, id)[0] ?? null
  const each = (wanted: readonly number[]): RowRecord[] => wanted.flatMap((id) => one(id) ?? [])
  const idsOf = (state: RowState, after: number, limit: number): number[] =>
    sqlValue(connection)<number>`
      select id from row where state = ? and id > ? order by id limit ?`.all(state, after, limit)
  return {
    one,
    /** In the order of the ids. */
    each,
    /** One range of the index for each state, then merged: no page has to look at rows of other states. */
    ofStates: (states: readonly RowState[], after: number, limit: number): RowRecord[] =>
      connection.transaction(() =>
        each(
          [...new Set(states)]
            .flatMap((state) => idsOf(state, after, limit))
            .sort((a, b) => a - b)
            .slice(0, limit),
        ),
      )(),
    /** Registered rows whose latest attempt is of this run, whether its answer or a person said later what became of it. */
    registeredBy: (runId: number, after: number, limit: number) =>
      sql(connection)<RegisteredRow>`
        select ${ROW_COLUMNS} from row join source on source.id = source_id where row.id > ? and state = 'registered'
          and exists (select 1 from attempt where row_id = row.id and n = row.attempts and run_id = ?)
          order by row.id limit ?`.all(after, runId, limit),
    /**
     * Rows of all states behind the given id: at least one, at most `limit`. Those that are registered, and count, come
     * without their requests.
     */
    page: (after: number, limit: number): RowPage =>
      connection.transaction(() => {
        const from =
          sqlValue(connection)<number | null>`select min(id) from row where id > ?`.get(after) ?? null
        if (from === null) return { last: null, rows: [], registered: [] }
        const last = from + limit - 1
        const registered = sql(connection)<RegisteredRow>`
          select ${ROW_COLUMNS} from row join source on source.id = source_id
            where ${ALL} and ${BRIEF} order by row.id`.all(after, last)
        return { last, rows: registered.length === limit ? [] : others(after, last), registered }
      })(),
  }
}

/** The rows behind the first id up to the second one that meet the condition. */
function rangeOf(connection: Connection, condition: string): (after: number, to: number) => RowRecord[] {
  const rows = `select ${ROW_COLUMNS} from row join source on source.id = source_id where ${condition} order by row.id`
  const attempts = `select row_id as rowId, ${ATTEMPT_COLUMNS}
    from row cross join attempt on row_id = row.id and n = row.attempts where ${condition}`
  // Few rows have a former doubt. Only those are asked that replaced another row, or whose mandate was released.
  const doubted = `select id, coalesce(heir, id) as heir, mandate_key as key from row where ${condition} and (
    exists (select 1 from attempt where outcome = 'released' and attempt.mandate_key = row.mandate_key)
    or exists (select 1 from attempt where outcome = 'released' and row_id = row.id)
    or exists (select 1 from row as older where older.heir = coalesce(row.heir, row.id) and older.id < row.id))`
  return (after, to) => {
    const stored = sql(connection)<StoredRow>`${rows}`.all(after, to)
    if (stored.length === 0) return []
    const latest = new Map<number, AttemptRecord>()
    for (const { rowId, ...attempt } of sql(connection)<OfRow>`${attempts}`.all(after, to))
      latest.set(rowId, toAttempt(attempt))
    const former = new Map<number, FormerDoubt>()
    if (sql(connection)`${ANY_RELEASED}`.get() !== undefined)
      for (const row of sql(connection)<{ id: number; heir: number; key: string | null }>`${doubted}`.all(
        after,
        to,
      )) {
        const doubt = sql(connection)<StoredDoubt>`${FORMER_DOUBT}`.get(row)
        if (doubt !== undefined) former.set(row.id, { ...doubt, started: hasStarted(doubt) })
      }
    return stored.map((row) => toRow(row, latest.get(row.id) ?? null, former.get(row.id) ?? null))
  }
}

type StoredDoubt = Omit<FormerDoubt, 'started'> & Pick<StoredAttempt, 'started'>

const ANY_RELEASED = `select 1 from run cross join attempt on run_id = run.id and outcome = 'released' limit 1`

const FORMER_DOUBT = `select row_id as rowId, started_at as startedAt, request_id as requestId, started from attempt
  where outcome = 'released' and (mandate_key = :key or row_id = :id
    or row_id in (select id from row where heir = :heir and id < :id)) order by id desc limit 1`
