import { HELD_THOUGH_REFUSED, MAY_BE_SENT } from '../deliver/gate.js'
import { sql, type Connection } from '../file/connection.js'

/** What is not collected in a month has not left. */
const IS_WHOLE = `kind = 'export' and reading -> '$.collections' is null`

/** Each export of the command beside each other one of its configuration, with how many mandates of that it repeats. */
const REPEATED = `
  with given as materialized (select id, name, first_row, last_row, reading ->> '$.configuration' as configuration
      from source where first_row >= :first and ${IS_WHOLE}),
  other as materialized (select source.id, given.id as own, source.name = given.name as isSame, source.first_row >= :first as isBeside
    from given join source on source.reading ->> '$.configuration' is configuration where source.id <> given.id and ${IS_WHOLE}),
  fresh as materialized (select distinct given.id as own, mandate_key from given
    cross join row on row.id between first_row and last_row where exists (select 1 from other) and mandate_key is not null),
  former as materialized (select distinct origin as id, mandate_key from source
    cross join row on row.id between first_row and last_row
    where origin in (select id from other) and mandate_key is not null and state <> 'excluded'),
  shared as materialized (select id, own, mandate_key from former join fresh using (mandate_key) join other using (id, own))
  select id, own, isSame, isBeside, (select count(*) from shared where shared.id = other.id and shared.own = other.own) as hits,
    (select count(distinct mandate_key) from shared where shared.id = other.id) as together,
    (select count(*) from former where former.id = other.id) as size, (select count(*) from fresh where fresh.own = other.own) as ownSize
  from other`

type Repeated = Readonly<
  Record<'id' | 'own' | 'hits' | 'together' | 'size' | 'ownSize', number> &
    Record<'isSame' | 'isBeside', 0 | 1>
>

/** Most of it under its name, or nearly all of what was not to stay behind; of an earlier one the exports of the command together. */
const isRepeated = ({ isSame, isBeside, hits, together, size, ownSize }: Repeated): boolean =>
  (isSame === 1 && hits * 2 > Math.min(size, ownSize)) || (isBeside === 1 ? hits : together) * 4 > size * 3

/**
 * Once `decide` has spoken: what another export brought in, before or beside those of the command, and may be sent, where they
 * repeat that one and lack it, as does every other export; null where there is nothing. What a person corrected is in them as it
 * was before. At most five rows are named.
 * @param first row of the command
 */
export function lackedBy(connection: Connection, first: number) {
  const repeated = sql(connection)<Repeated>`${REPEATED}`.all({ first }).filter(isRepeated)
  const owns = new Set(repeated.map(({ own }) => own))
  const groups = [
    repeated.filter(({ isBeside }) => isBeside === 0),
    ...[...owns].map((own) => repeated.filter((one) => one.isBeside === 1 && one.own === own)),
  ]
  const lacking = sql(connection)<Readonly<Record<'id' | 'origin' | 'count', number> & { name: string }>>`
    select row.id, here.origin, export.name, count(*) over () as count from row
      join source as here on here.id = counted_in join source as export on export.id = here.origin
     where here.origin in (select value from json_each(:ids))
       and (${MAY_BE_SENT} or state = 'refused' and not ${HELD_THOUGH_REFUSED})
       and not exists (select 1 from row as same join source on source.id = same.source_id where kind <> 'list'
         and origin not in (select value from json_each(:ids)) and (same.mandate_key = row.mandate_key or same.spelling = row.spelling))
       and not exists (select 1 from row as former where former.heir = row.id and coalesce(former.content_key, former.raw)
         in (select coalesce(content_key, raw) from row where id >= :first))
     order by row.id limit 5`
  for (const group of groups) {
    const rows = lacking.all({ first, ids: JSON.stringify(group.map(({ id }) => id)) })
    const [one] = rows
    if (one === undefined) continue
    const by = group.filter(({ id }) => id === one.origin)
    return {
      ...{ name: one.name, count: one.count, rows: rows.map(({ id }) => id) },
      /** Sources of the command. */
      by: by.map(({ own }) => own),
      isBeside: by.some(({ isBeside }) => isBeside === 1),
    }
  }
  return null
}
