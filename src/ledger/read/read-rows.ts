import type { RowState } from '../../domain/row/row-state.js'
import type { Connection } from '../file/connection.js'
import type { AttemptRecord, FormerDoubt, RegisteredRow, RowPage, RowRecord } from './reader.js'
import {
  ATTEMPT_COLUMNS,
  hasStarted,
  REGISTERED_COLUMNS,
  ROW_COLUMNS,
  toAttempt,
  toRegistered,
  toRow,
  type StoredAttempt,
  type StoredRegistered,
  type StoredRow,
} from './stored-rows.js'

interface RowReads {
  readonly one: (id: number) => RowRecord | null
  /** In the order of the ids. */
  readonly each: (ids: readonly number[]) => RowRecord[]
  readonly ofStates: (states: readonly RowState[], after: number, limit: number) => RowRecord[]
  readonly page: (after: number, limit: number) => RowPage
  /** By the reference that the service gave, in any case of letters. */
}

type OfRow = StoredAttempt & { readonly rowId: number }

/** Behind which everything is read by one range of ids, without and with the rows that a list of registrations takes. */
const ALL = `row.id > ? and row.id <= ?`
const BRIEF = `state = 'registered' and place is not 0`

/**
 * Rows with their latest attempts and with the latest doubt over their mandate that a person has decided. A page takes
 * one statement for its rows and one for their attempts, inside one transaction: a run may be writing beside it.
 */
export function prepareRowReads(connection: Connection): RowReads {
  const first = connection.prepare<[number], number | null>('select min(id) from row where id > ?').pluck()
  const ids = connection
    .prepare<[RowState, number, number], number>(
      'select id from row where state = ? and id > ? order by id limit ?',
    )
    .pluck()
  const range = prepareRange(connection, ALL)
  const others = prepareRange(connection, `${ALL} and not (${BRIEF})`)
  const brief = connection
    .prepare<[number, number], StoredRegistered>(
      `select ${REGISTERED_COLUMNS} from row where ${ALL} and ${BRIEF} order by row.id`,
    )
    .raw()
  const nameOf = prepareNames(connection)
  const one = (id: number): RowRecord | null => range(id - 1, id)[0] ?? null
  const each = (wanted: readonly number[]): RowRecord[] => wanted.flatMap((id) => one(id) ?? [])

  const briefPage = (after: number, to: number): RegisteredRow[] => {
    const source = nameOf()
    return brief.all(after, to).map((stored) => toRegistered(stored, source))
  }
  return {
    one,
    each,
    /** One range of the index for each state, then merged: no page has to look at rows of other states. */
    ofStates: connection.transaction(
      (states: readonly RowState[], after: number, limit: number): RowRecord[] =>
        each(
          [...new Set(states)]
            .flatMap((state) => ids.all(state, after, limit))
            .sort((a, b) => a - b)
            .slice(0, limit),
        ),
    ),
    page: connection.transaction((after: number, limit: number): RowPage => {
      const from = first.get(after) ?? null
      if (from === null) return { last: null, rows: [], registered: [] }
      const last = from + limit - 1
      const registered = briefPage(after, last)
      return { last, rows: registered.length === limit ? [] : others(after, last), registered }
    }),
  }
}

/** The source by its id. New ones appear beside a reader, so the names are read for every page. */
function prepareNames(connection: Connection): () => (sourceId: number) => string {
  const read = connection.prepare<[], readonly [number, string]>('select id, name from source').raw()
  return () => {
    const names = new Map(read.all())
    return (sourceId) => names.get(sourceId) ?? ''
  }
}

/** The rows behind the first id up to the second one that meet the condition. */
function prepareRange(connection: Connection, condition: string): (after: number, to: number) => RowRecord[] {
  const rows = connection.prepare<[number, number], StoredRow>(
    `select ${ROW_COLUMNS} from row join source on source.id = source_id where ${condition} order by row.id`,
  )
  const attempts = connection.prepare<[number, number], OfRow>(
    `select row_id as rowId, ${ATTEMPT_COLUMNS} from row cross join attempt on row_id = row.id and n = row.attempts
      where ${condition}`,
  )
  const formerDoubts = prepareFormerDoubts(connection, condition)
  return (after, to) => {
    const stored = rows.all(after, to)
    if (stored.length === 0) return []
    const latest = new Map<number, AttemptRecord>()
    for (const { rowId, ...attempt } of attempts.all(after, to)) latest.set(rowId, toAttempt(attempt))
    const former = formerDoubts(after, to)
    return stored.map((row) => toRow(row, latest.get(row.id) ?? null, former.get(row.id) ?? null))
  }
}

/** Few rows have one. Only those are asked that replaced another row, or whose mandate was released. */
function prepareFormerDoubts(
  connection: Connection,
  condition: string,
): (after: number, to: number) => ReadonlyMap<number, FormerDoubt> {
  const isAny = connection.prepare<[]>(
    `select 1 from run cross join attempt on run_id = run.id and outcome = 'released' limit 1`,
  )
  const candidates = connection.prepare<[number, number], { id: number; key: string | null }>(
    `select id, mandate_key as key from row where ${condition} and (
       exists (select 1 from attempt where outcome = 'released' and attempt.mandate_key = row.mandate_key)
       or exists (select 1 from attempt where outcome = 'released' and row_id = row.id)
       or exists (select 1 from row as older where older.superseded_by = row.id))`,
  )
  type StoredDoubt = Omit<FormerDoubt, 'started'> & Pick<StoredAttempt, 'started'>
  const former = connection.prepare<[{ id: number; key: string | null }], StoredDoubt>(
    `with recursive earlier (id) as (
       values (:id) union select row.id from row join earlier on row.superseded_by = earlier.id),
     released (id) as (
       select id from attempt where outcome = 'released' and mandate_key = :key
       union select id from attempt where outcome = 'released' and row_id in (select id from earlier))
     select row_id as rowId, started_at as startedAt, request_id as requestId, started
       from attempt where id = (select max(id) from released)`,
  )
  return (after, to) => {
    const found = new Map<number, FormerDoubt>()
    if (isAny.get() === undefined) return found
    for (const row of candidates.all(after, to)) {
      const doubt = former.get(row)
      if (doubt !== undefined) found.set(row.id, { ...doubt, started: hasStarted(doubt) })
    }
    return found
  }
}
