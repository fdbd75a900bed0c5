import type { RowState } from '../../domain/row/row-state.js'
import type { Wave } from '../../domain/wave/wave.js'
import type { Connection } from '../file/connection.js'

/** A row that was never sent and still holds its cells: it follows the waves of the present run. */
export interface UnsentRow {
  readonly id: number
  readonly sourceId: number
  /** The source that it counts in, where it has taken the place of a row of another one. */
  readonly countedIn: number
  readonly state: RowState
  /** Begins with the country of the account. */
  readonly ibanMasked: string | null
  readonly mandateKey: string | null
  /** JSON; null where they were not asked for. */
  readonly cells: string | null
  readonly waveId: number | null
}

/** A wave as it is on record. */
export interface DeclaredWave {
  readonly id: number
  /** Rows of it that were sent, or may have been: they stay in it, and count towards its number. */
  readonly sent: number
}

/** Rows that stay where they are: a person holds their wave. */
export const HELD_ROWS = `(select row_id from wave_row join wave on wave.id = wave_id where position is not null and held = 1)`

export interface WaveRows {
  /** The latest run that sent had waves. */
  readonly areUsed: () => boolean
  /** These are the waves from now on, in this order. @returns what is known of each */
  readonly declare: (waves: readonly Wave[]) => readonly DeclaredWave[]
  /** A page of the rows that are to be allotted, behind the given id. */
  readonly unsent: (after: number, limit: number, withCells: boolean) => readonly UnsentRow[]
  /** The row belongs to this wave from now on; null: to the rest. */
  readonly allot: (rowId: number, waveId: number | null) => void
}

export function prepareWaveRows(connection: Connection): WaveRows {
  const used = connection.prepare<[]>('select 1 from wave where position is not null limit 1')
  const unsent = connection.prepare<[{ after: number; limit: number; withCells: 0 | 1 }], UnsentRow>(
    `select row.id as id, row.source_id as sourceId,
       coalesce((select own.source_id from row as own where row.place > 0 and own.id = row.place), row.source_id) as countedIn,
       row.state as state, row.iban_masked as ibanMasked, row.mandate_key as mandateKey,
       case when :withCells then row.cells end as cells, wave_id as waveId
     from row left join wave_row on row_id = row.id
     where row.id > :after and attempts = 0 and row.cells is not null order by row.id limit :limit`,
  )
  const put = connection.prepare<[number, number]>(
    'insert into wave_row (row_id, wave_id) values (?, ?) on conflict (row_id) do update set wave_id = excluded.wave_id',
  )
  const remove = connection.prepare<[number]>('delete from wave_row where row_id = ?')
  return {
    areUsed: () => used.get() !== undefined,
    declare: (waves) => declare(connection, waves),
    unsent: (after, limit, withCells) => unsent.all({ after, limit, withCells: withCells ? 1 : 0 }),
    allot: (rowId, waveId) => {
      if (waveId === null) remove.run(rowId)
      else put.run(rowId, waveId)
    },
  }
}

/** A correction that took the place of a row that was sent frees its place in the number. */
function declare(connection: Connection, waves: readonly Wave[]): DeclaredWave[] {
  connection.exec('update wave set position = null')
  const write = connection.prepare<[string, number, number, string], { id: number }>(
    `insert into wave (name, position, held, filter) values (?, ?, ?, ?)
     on conflict (name) do update set position = excluded.position, held = excluded.held, filter = excluded.filter
     returning id`,
  )
  const counts = connection
    .prepare<[], { waveId: number; sent: number }>(
      `select wave_id as waveId, count(*) as sent from wave_row join row on row.id = row_id
        where attempts > 0 and state <> 'superseded' group by 1`,
    )
    .all()
  const sent = new Map(counts.map((count) => [count.waveId, count.sent]))
  return waves.map(({ name, held = false, ...filter }, index) => {
    const { id } = write.get(name, index + 1, held ? 1 : 0, JSON.stringify(filter)) ?? { id: 0 }
    return { id, sent: sent.get(id) ?? 0 }
  })
}
