import { ROW_STATES, type RowState } from '../../domain/row/row-state.js'
import { totalsOf, type Totals } from '../../domain/row/totals.js'
import type { Connection } from '../file/connection.js'

interface Count {
  /** Null for what the sources say of their records. */
  readonly state: RowState | null
  readonly count: number
  readonly resubmitted: number
}

function toTotals(counts: readonly Count[]): Totals {
  const byState = new Map<RowState, number>()
  let read = 0
  let givenBack = 0
  for (const { state, count, resubmitted } of counts) {
    if (state !== null) byState.set(state, (byState.get(state) ?? 0) + count)
    else {
      read = count - resubmitted
      givenBack = resubmitted
    }
  }
  return totalsOf(read, byState, givenBack)
}

/**
 * All sources together, in one statement so that a writer beside us cannot come between two counts. Rows without a
 * place are few; they are taken off.
 */
export function prepareTotals(connection: Connection): () => Totals {
  const counts = connection.prepare<[], Count>(
    `select state, count(*) as count, 0 as resubmitted from row group by state
     union all select state, -count(*), 0 from row where place = 0 group by state
     union all select null, coalesce(sum(records), 0), coalesce(sum(resubmitted), 0) from source`,
  )
  return () => toTotals(counts.all())
}

/**
 * One source: its records, in the states of the rows that hold their places. They are one range of ids, so that the
 * indexes on state and place are all that is read.
 */
export function prepareSourceTotals(connection: Connection): (sourceId: number) => Totals {
  const counts = connection.prepare<[{ id: number }], Count>(
    `with span as (select records, resubmitted, first_row, last_row from source where id = :id),
     states (state) as (values ${ROW_STATES.map((state) => `('${state}')`).join(', ')})
     select state,
       (select count(*) from row, span where row.state = states.state
          and row.id between span.first_row and span.last_row)
       - (select count(*) from row, span where row.state = states.state and row.place >= 0
            and row.id between span.first_row and span.last_row)
       + (select count(*) from row, span where row.state = states.state
            and row.place between span.first_row and span.last_row) as count, 0 as resubmitted from states
     union all select null, records, resubmitted from span`,
  )
  return (id) => toTotals(counts.all({ id }))
}
