import { IS_OF_EXPORT } from './again.js'
import type { Amendment } from '../../domain/mandate/mandate.js'
import { emptyTables, sql, type Connection } from '../file/connection.js'
import { REMOVE_CELLS } from '../deliver/delivery.js'
import { give, holdWith, isErased, isLast, noticeOf, replaceRows, type Scope } from './problems.js'

/** Mandates that had another key before, as collections of their successors say. */

/** Keeps that a mandate was amended, for the files that come later. What came of one key twice was the earlier one first. */
export function amendIn(connection: Connection) {
  const keep = sql(connection)`
    insert into amended (former, successor, day)
      with other as (select successor as key, day as since from amended where former = :former and successor <> :successor)
      select :former, :successor, :day where true
      union all select key, :successor, :day from other where since <= :day
      union all select :successor, key, since from other where since >= :day
      on conflict do update set day = max(day, excluded.day)`
  return (amendment: Amendment): void => void keep.run({ ...amendment })
}

/** SQL that is true for what was `collected` under a key that the mandate had no more behind that day. */
export const isAmended = (collected: string): string =>
  `exists (select 1 from amended where former = ${collected}.mandate_key and amended.day >= ${collected}.day)`

/**
 * Rows under a former key that no row has behind that day, each beside every row of the same mandate under a later key,
 * over any number of amendments.
 */
const PAIRS = `
  with recursive heir (former, successor, until, day) as (
    select former, successor, day, day from amended
    union select heir.former, amended.successor, until, amended.day
      from heir join amended on amended.former = heir.successor and amended.day >= heir.day)
  select distinct old.id, new.id from heir join row as old on old.mandate_key = former and old.state <> 'duplicate'
    and not exists (select 1 from row as later where later.mandate_key = former
      and later.latest_first_debit > date(until, '+36 months', 'floor'))
    join row as new on new.mandate_key = successor and new.mandate_key <> former and new.state <> 'superseded'`

/** Sent, maybe sent, ended before it was amended, or closed by a person; what was in doubt once may have arrived. */
const IS_BARRED = `(old.state in ('sending', 'registered', 'in_doubt', 'written_off') or ${isLast('old')}
  or old.state = 'refused' and ${isErased('old')}
  or exists (select 1 from attempt where row_id = old.id and outcome in ('in_doubt', 'released')))`

const IS_BACK = 'exists (select 1 from temp.heir as back where back.old = heir.new and back.new = heir.old)'

function pair(connection: Connection): boolean {
  emptyTables(connection, { heir: 'old integer, new integer, primary key (old, new)' })
  return sql(connection)`insert into temp.heir ${PAIRS}`.run().changes > 0
}

/** Only the last form of an amended mandate is sent: a row under an earlier key gives way, in whatever order they come. */
export function decideAmended(scope: Pick<Scope, 'connection' | 'first'>, at: string): void {
  const { connection, first } = scope
  if (!pair(connection)) return
  const where = `id >= :first and ${IS_OF_EXPORT} and state in ('ready', 'invalid', 'excluded')
    and id in (select old from temp.heir where not ${IS_BACK}) and not ${isLast('row')}`
  give(connection, 'duplicate', AMENDED, where, { first })
  // No registration of the other key finds the account here.
  sql(
    connection,
  )`${REMOVE_CELLS} id >= ? and state = 'duplicate' and id in (select old from temp.heir where not ${IS_BACK})`.run(
    first,
  )
  replaceRows(
    connection,
    `select old, min(new) as new from temp.heir join row as old on old.id = heir.old
      where new > old.id and old.id < :first and not ${IS_BACK} and not ${IS_BARRED} group by old.id`,
    { first },
  )
  holdAmended(scope, at)
}

const AMENDED = noticeOf('DUPLICATE_MANDATE', {
  message:
    'A collection says that this mandate was amended since. The row of its new reference or creditor counts.',
  remedy: 'Nothing to do.',
})

const IS_SAID = `(select 1 from temp.given_back join row as named on named.id = row.corrects
  where given_back.id = row.id and is_decided = 1 and named.rule = 'MANDATE_RESEMBLES_SENT')`

/**
 * A successor of what was or may be sent waits for a person, and so does what is ready under a former key still. Not where
 * a person said to send it.
 */
export function holdAmended({ connection, first }: Pick<Scope, 'connection' | 'first'>, at: string): void {
  if (!pair(connection)) return
  const held = sql(connection)<{ id: number; other: number }>`
    select row.id as id, min(other) as other from row join (select old as id, new as other from temp.heir
        union all select new, old.id from temp.heir join row as old on old.id = heir.old where ${IS_BARRED}) as found on found.id = row.id
      where state = 'ready' and (corrects is null or row.id >= :first and not exists ${IS_SAID}) group by row.id`
  for (const { id, other } of held.all({ first })) {
    const message =
      'A collection says that this mandate had another reference or creditor once, and both are here. Compare it with {row}.'
    holdWith(connection, noticeOf('MANDATE_RESEMBLES_SENT', { message, other }), id, at)
  }
}
