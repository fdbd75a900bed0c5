import type { RowState } from '../../domain/row/row-state.js'
import { totalsOf, type Totals } from '../../domain/row/totals.js'
import { REST, type WaveFilter, type WaveRecord, type WaveRecords } from '../../domain/wave/wave.js'
import type { Connection } from '../file/connection.js'

interface StoredWave {
  readonly id: number
  readonly name: string
  readonly position: number | null
  readonly held: 0 | 1
  readonly filter: string
}

interface Count {
  /** Null for the rest. */
  readonly waveId: number | null
  readonly state: RowState
  readonly count: number
}

/**
 * The waves in their order, those that the latest run did not have any more behind them where rows were sent with them,
 * and the rest; null where no run had waves. One transaction, so that a run beside us does not come between two counts.
 */
export function prepareWaves(connection: Connection, totals: () => Totals): () => WaveRecords | null {
  const waves = connection.prepare<[], StoredWave>(
    'select id, name, position, held, filter from wave order by position is null, position, id',
  )
  // As the control totals of the campaign: by the index of states, less the few rows that count nowhere.
  const byState = connection.prepare<[], Count>(
    `select waveId, state, sum(n) as count from (
       select wave_id as waveId, state, count(*) as n from row left join wave_row on row_id = row.id group by 1, 2
       union all select wave_id, state, -count(*) from row left join wave_row on row_id = row.id where place = 0 group by 1, 2)
     group by 1, 2`,
  )
  const read = connection.prepare<[], { waveId: number | null; count: number }>(
    `select wave_id as waveId, count(*) as count from row left join wave_row on row_id = row.id where place is not 0 group by 1`,
  )
  return connection.transaction(() => {
    const stored = waves.all()
    if (stored.length === 0) return null
    const states = byState.all()
    const reads = new Map(read.all().map(({ waveId, count }) => [waveId, count]))
    const countsOf = (id: number | null): WaveRecord['totals'] => {
      const own = new Map(
        states.filter(({ waveId }) => waveId === id).map(({ state, count }) => [state, count]),
      )
      const { resubmitted: _, ...counted } = totalsOf(reads.get(id) ?? 0, own)
      return counted
    }
    const records = stored
      .map(({ id, name, position, held, filter }): WaveRecord => ({
        name,
        position,
        isHeld: position !== null && held === 1,
        filter: JSON.parse(filter) as WaveFilter,
        totals: countsOf(id),
      }))
      .filter(({ position, totals: { read: rows } }) => position !== null || rows > 0)
    const rest = { name: REST, position: null, isHeld: false, filter: null, totals: countsOf(null) }
    return { totals: totals(), waves: [...records, rest] }
  })
}
