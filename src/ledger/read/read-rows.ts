import type { RowState } from '../../domain/row/row-state.js'
import { sql, sqlWithJson, sqlValue, type Connection } from '../file/connection.js'
import type { AttemptRecord, RegisteredRow, RowPage, RowRecord } from './reader.js'
import { ownerOf } from '../deliver/delivery.js'
import { VOUCHED } from '../admit/collected.js'
import { createFingerprints } from '../admit/fingerprints.js'
import { READ_COLUMNS } from '../schema/row-columns.js'

/** Rows of the tables as SQLite gives them, and what a reader makes of them. Only the ledger writes those tables. */

const STARTED = `iif(started is null, null, json(iif(started, 'true', 'false')))`

/** An attempt as JSON. */
const ATTEMPT = `json_object('id', attempt.id, 'n', attempt.n, 'runId', run_id, 'requestId', request_id,
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

/** A cell that says nothing but this number, however a spreadsheet padded it. */
const holdsNumber = (cells: string, customerNo: number): boolean =>
  (JSON.parse(cells) as string[]).some(
    (cell) => cell.replace(/[^\p{L}\p{N}]+/gu, '').replace(/^0+/, '') === String(customerNo),
  )

/**
 * Rows with their latest attempts and with the latest doubt over their mandate that a person has decided. A page takes
 * one statement for its rows and one for their attempts, inside one transaction: a run may be writing beside it.
 */
export function rowReads(connection: Connection) {
  const value = sqlValue(connection)
  const range = (after: number, to: number, more = ''): RowRecord[] =>
    sqlWithJson<RowRecord>(connection, 'lastAttempt', 'formerDoubt', 'cells')`
      select ${WHOLE} from row join source on source.id = source_id where ${ALL}${more} order by row.id`.all(
      after,
      to,
    )
  const row = (id: number): RowRecord | null => range(id - 1, id)[0] ?? null
  const each = (ids: readonly number[]): RowRecord[] => ids.flatMap((id) => row(id) ?? [])
  const ofCustomer = (customerNo: number): number[] =>
    value<number>`select id from row where customer_no = ? order by id`.all(customerNo)
  return {
    row,
    /** In the order of the ids. One range of the index for each state, then merged: no page has to look at rows of other states. */
    rows: (states: readonly RowState[], after: number, limit: number): RowRecord[] =>
      connection.transaction(() => {
        const ids = [...new Set(states)].flatMap((state) =>
          value<number>`select id from row where state = ? and id > ? order by id limit ?`.all(
            state,
            after,
            limit,
          ),
        )
        return each(ids.sort((a, b) => a - b).slice(0, limit))
      })(),
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
        const from = value<number | null>`select min(id) from row where id > ?`.get(after) ?? null
        if (from === null) return { last: null, rows: [], registered: [] }
        const last = from + limit - 1
        const registered = sql(connection)<RegisteredRow>`
          select ${ROW_COLUMNS} from row join source on source.id = source_id
            where ${ALL} and ${BRIEF} order by row.id`.all(after, last)
        const rows = registered.length === limit ? [] : range(after, last, ` and not (${BRIEF})`)
        return { last, rows, registered }
      })(),
    /** The row to which the service gave this reference, in any case of letters. */
    rowOfReference: (reference: string): RowRecord | null => row(ownerOf(connection, reference) ?? 0),
    rowsOfCustomer: (customerNo: number) => each(ofCustomer(customerNo)),
    /** Those, and rows without a readable customer number in whose cells it stands. */
    rowsAbout: (customerNo: number) => {
      const unreadable = sql(connection)<{ id: number; cells: string }>`
        select id, cells from row where customer_no is null and cells like ? order by id`
        .all(`%${customerNo}%`)
        .filter(({ cells }) => holdsNumber(cells, customerNo))
      return each([...ofCustomer(customerNo), ...unreadable.map(({ id }) => id)])
    },
    /** Rows whose mandate has it, as its old or its new one, in whatever case; and unread ones with it in a cell of its own. */
    rowsWithReference: (reference: string) =>
      each(
        value<number>`
          select id from row
           where :reference collate nocase in (original_mandate_reference, assigned_mandate_reference)
              or original_mandate_reference is null and cells is not null and exists
                 (select 1 from json_each(cells) where trim(value) = :reference collate nocase)
           order by id`.all({ reference }),
      ),
    /**
     * Whether a row holds, or held, this cleaned account number, by the fingerprint, which outlives it; null where nothing is
     * left to compare it with: a purge takes the secret of the fingerprints too.
     */
    isAccountOf: (rowId: number, iban: string): boolean | null => {
      const known = sql(connection)<{ key: Buffer; secret: Buffer }>`
        select iban_key as key, secret from row, campaign
          where row.id = ? and iban_key is not null and secret is not null`.get(rowId)
      return known === undefined ? null : createFingerprints(known.secret).account(iban).equals(known.key)
    },
    attempts: (rowId: number): AttemptRecord[] =>
      value<string>`select ${ATTEMPT} from attempt where row_id = ? order by n`
        .all(rowId)
        .map((attempt) => JSON.parse(attempt) as AttemptRecord),
  }
}
