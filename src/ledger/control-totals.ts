import { ROW_STATES, type RowState } from '../domain/row-state.js'
import { totalsOf, type Totals } from '../domain/totals.js'
import type { Connection } from './connection.js'

interface Count {
  /** Null for the number of records that the sources say they had. */
  readonly state: RowState | null
  readonly count: number
}

function toTotals(counts: readonly Count[]): Totals {
  const byState = new Map<RowState, number>()
  let read = 0
  for (const { state, count } of counts) {
    if (state === null) read = count
    else byState.set(state, count)
  }
  return totalsOf(read, byState)
}

/** All sources together, in one statement so that a writer beside us cannot come between two counts. */
export function prepareTotals(connection: Connection): () => Totals {
  const counts = connection.prepare<[], Count>(
    `select state, count(*) as count from row group by state
     union all select null, coalesce(sum(records), 0) from source`,
  )
  return () => toTotals(counts.all())
}

/** One source. Its rows are one range of ids, so that the index on the state is all that is read. */
export function prepareSourceTotals(connection: Connection): (sourceId: number) => Totals {
  const counts = connection.prepare<[{ id: number }], Count>(
    `with span as (select records, first_row, last_row from source where id = :id),
     states (state) as (values ${ROW_STATES.map((state) => `('${state}')`).join(', ')})
     select state, (select count(*) from row, span where row.state = states.state
                      and row.id between span.first_row and span.last_row) as count from states
     union all select null, records from span`,
  )
  return (id) => toTotals(counts.all({ id }))
}
