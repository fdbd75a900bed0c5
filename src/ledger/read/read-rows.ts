import type { RowState } from '../../domain/row/row-state.js'
import { sql, sqlWithJson, sqlValue, type Connection } from '../file/connection.js'
import type { RegisteredRow, RowPage, RowRecord } from './reader.js'
import { VOUCHED } from '../admit/collected.js'
import { READ_COLUMNS } from '../schema/row-columns.js'

/** Rows of the tables as SQLite gives them, and what a reader makes of them. Only the ledger writes those tables. */

const STARTED = `iif(started is null, null, json(iif(started, 'true', 'false')))`

/** An attempt as JSON. */
export const ATTEMPT = `json_object('id', attempt.id, 'n', attempt.n, 'runId', run_id, 'requestId', request_id,
  'startedAt', attempt.started_at, 'endedAt', attempt.ended_at, 'durationMs', duration_ms, 'started', ${STARTED}, 'outcome', outcome,
  'hint', hint, 'reason', attempt.reason, 'status', status, 'errorCode', error_code, 'serviceCode', service_code, 'field', field,
  'message', message, 'answer', answer)`

const ROW_COLUMNS = `${READ_COLUMNS}, source.name as source,
  ${VOUCHED} as vouchedOn`

/** With its latest attempt, and with the latest doubt over its mandate that a person has decided. */
const WHOLE = `${ROW_COLUMNS},
  (select ${ATTEMPT} from attempt where row_id = row.id and n = row.attempts) as lastAttempt,
  iif(exists (select 1 from attempt where outcome = 'released'), (select json_object('rowId', row_id, 'startedAt', started_at,
    'requestId', request_id, 'started', ${STARTED}) from attempt where id = (select max(id) from (
      select id from attempt where outcome = 'released' and mandate_key = row.mandate_key
      union all select id from attempt where outcome = 'released' and row_id = row.id
      union all select attempt.id from row as older join attempt on row_id = older.id and outcome = 'released'
        where older.heir = coalesce(row.heir, row.id) and older.id < row.id))), null) as formerDoubt`

export const PROBLEM_COLUMNS = `problem.id as id, source.name as source, row_id as rowId, record, line, problem.rule as rule,
  severity, field, column_name as "column", value, message, remedy`

/** Behind which everything is read by one range of ids, without and with the rows that a list of registrations takes. */
const ALL = `row.id > ? and row.id <= ?`
const BRIEF = `state = 'registered' and counted_in is not null`

/** The row that has this assigned reference, in any case of letters. */
export const ownerOf = (connection: Connection, reference: string): number | undefined =>
  sqlValue(connection)<number>`
    select id from row where assigned_mandate_reference = ? collate nocase`.get(reference)

/**
 * Rows with their latest attempts and with the latest doubt over their mandate that a person has decided. A page takes
 * one statement for its rows and one for their attempts, inside one transaction: a run may be writing beside it.
 */
export function rowReads(connection: Connection) {
  const range = (after: number, to: number, more = ''): RowRecord[] =>
    sqlWithJson<RowRecord>(connection, 'lastAttempt', 'formerDoubt', 'cells')`
      select ${WHOLE} from row join source on source.id = source_id where ${ALL}${more} order by row.id`.all(
      after,
      to,
    )
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
        return {
          last,
          rows: registered.length === limit ? [] : range(after, last, ` and not (${BRIEF})`),
          registered,
        }
      })(),
  }
}
