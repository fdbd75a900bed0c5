import { REST, type Selection, type SendingOrder } from '../../domain/wave/wave.js'
import type { Connection } from '../file/connection.js'
import type { ReadyRow } from '../ledger.js'
import { READY_COLUMNS, type StoredReady, WAITING } from './ready-rows.js'

/** A wave that the configuration does not have any more goes with the rest, whatever it was when it had it. */
const IS_SELECTED = `state = 'ready' and (position is null or held = 0)
  and (:only is null or coalesce(case when position is not null then name end, '${REST}') in (select value from json_each(:only)))
  and row.id not in (select id from (${WAITING}))`

const ROWS_IN_WAVES = `row left join wave_row on row_id = row.id left join wave on wave.id = wave_id`

/** What has no such date is in no hurry. */
const WITHIN: Readonly<Record<SendingOrder, string>> = {
  row: 'row.id',
  'first-debit-by': 'latest_first_debit is null, latest_first_debit, row.id',
}

type Asked = Readonly<{ only: string | null; since: string }>

interface SelectedRows {
  readonly count: (selection: Selection) => number
  /** Puts the rows in order, once; the returned function gives the next page of them each time. */
  readonly start: (selection: Selection) => (limit: number) => readonly ReadyRow[]
}

/**
 * One statement puts the ids of all selected rows in order into a table of this connection that SQLite keeps in a file
 * without a name: memory stays flat, no page sorts, and the ledger has no index for it.
 */
export function prepareSelectedRows(
  connection: Connection,
  { since, toRow }: { since: () => string; toRow: (stored: StoredReady) => ReadyRow },
): SelectedRows {
  const asked = ({ only }: Selection): Asked => ({
    only: only === null ? null : JSON.stringify(only),
    since: since(),
  })
  return {
    count: (selection) =>
      connection
        .prepare<[Asked], number>(`select count(*) from ${ROWS_IN_WAVES} where ${IS_SELECTED}`)
        .pluck()
        .get(asked(selection)) ?? 0,
    start: (selection) => {
      connection.exec(
        'drop table if exists temp.sending; create temp table sending (n integer primary key, row_id integer not null)',
      )
      connection
        .prepare<[Asked]>(
          `insert into temp.sending (row_id) select row.id from ${ROWS_IN_WAVES} where ${IS_SELECTED}
           order by position is null, position, ${WITHIN[selection.order]}`,
        )
        .run(asked(selection))
      const page = connection.prepare<
        [{ after: number; limit: number; since: string }],
        StoredReady & { readonly n: number }
      >(
        `select sending.n as n, ${READY_COLUMNS} from temp.sending cross join row on row.id = row_id
          where sending.n > :after and state = 'ready' and row.id not in (select id from (${WAITING}))
          order by sending.n limit :limit`,
      )
      let after = 0
      return (limit) => {
        const stored = page.all({ after, limit, since: since() })
        after = stored.at(-1)?.n ?? after
        return stored.map(toRow)
      }
    },
  }
}
