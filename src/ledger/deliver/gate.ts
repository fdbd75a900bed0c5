import { OPTIONAL_FIELDS } from '../../domain/mandate/mandate.js'
import { LATE_REQUEST_MS } from '../../domain/row/row-state.js'
import { privateOf } from '../file/connection.js'

/**
 * The one gate: what must not be true of a row that is ready, or of its mandate, before a request of it may leave. Import,
 * plan, check, status and report count by these conditions, `begin` asks them once more in the transaction of the intent,
 * and a trigger repeats those that need no clock. Take-overs write doubts and send nothing; they are exempt by name.
 *
 * "Later" is the order of decisions, never the clock: each export notes the latest decision when it came in.
 */

const TAKES_ANOTHERS = ['REFERENCE', 'ACCOUNT', 'CUSTOMER', 'DATE']
  .map((what) => `'CORRECTION_TAKES_${what}'`)
  .join(', ')

/**
 * False for a row whose correction took the reference of another mandate. It carries the key of that mandate until a person has
 * decided, and takes no part in what is decided about it.
 */
export const HAS_ITS_KEY = `rule is not 'CORRECTION_TAKES_REFERENCE'`

/** SQL that is true for a row that waits because its correction took a value of another row: nobody has agreed to what it says. */
export const isTaking = (row: string): string => `coalesce(${row}.rule, '') in (${TAKES_ANOTHERS})`

/**
 * SQL over `row`: one of these decisions was taken on any row of its mandate, after the decision with the number `since`. Rows
 * that wait with a value of another row do not count.
 * @param more a further condition over `decision`
 */
const isNamed = (decisions: string, since: string, more = ''): string => `exists (select 1 from row as named
    join decision on decision.row_id = named.id
    where named.mandate_key = row.mandate_key and coalesce(named.rule, '') not in (${TAKES_ANOTHERS})
      and decision.id > ${since} and decision.decision in (${decisions})${more})`
/** SQL: the decision came from the word "send" in a list, not from changed values alone. */
const IS_SEND = ` and instr(decision.evidence, 'migration_decision') > 0`

/** SQL: the number of the latest comparison with a last export; null before the first. */
const LATEST = '(select max(id) from comparison)'
/** SQL over `compared`: the line belongs to the latest comparison, or a run has added it since. */
export const IS_LATEST = `comparison_id is ${LATEST}`

/** SQL: the SHA-256 of the exports that were last compared with the ledger, the newest that there are. */
export const COMPARED_FILES = `(select file.value ->> 'sha256' from comparison, json_each(comparison.sources) as file
  where comparison.id = ${LATEST})`

/** SQL of exports that somebody called newer since. */
export const NEWER_SINCE = `select 1 from source as newer join source as export on export.id = newer.origin
  where newer.is_newer and newer.kind <> 'list' and export.sha256 not in ${COMPARED_FILES}
    and newer.id > (select last_source from comparison where id = ${LATEST})`

/**
 * SQL: the sources of exports that were imported after the latest comparison, are of a system that it compared, were not part of
 * it, and that nobody has called newer. Such an export may be older than the last one: whether its mandates still exist is unknown.
 */
const CAME_IN_LATE = `(select part.id from comparison join source as export on export.id > last_source
    join source as part on part.origin = export.id
  where comparison.id = ${LATEST} and export.kind = 'export' and instr(comparison.sources, export.sha256) = 0
    and exists (select 1 from json_each(comparison.sources) as file
      where file.value ->> 'configuration' is export.reading ->> '$.configuration')
    and not exists (select 1 from source as newer where newer.origin = export.id and newer.is_newer))`

/** SQL: a row and all rows that it has replaced. */
export const formerOf = (row: string): string =>
  `(select ${row} union all select former.id from row as former where former.heir = ${row})`

/** SQL over `row`: it was written off by closing a line of a comparison which said that it is gone or has ended. */
export const IS_CLOSED_AS_GONE = `(row.state = 'written_off' and exists (select 1 from compared
  where row_id in ${formerOf('row.id')} and class = 'gone_unsent' and decision_id is not null))`

/** SQL over `compared`: a line that holds its row. One that a run added holds only until it is closed. */
const HOLDS = `${IS_LATEST} and is_held and (met_by is null
    or decision_id is null and (select met.state from row as met where met.id = met_by) = 'conflict')`
/**
 * SQL over `compared`: the last export has other values for the mandate, and they are to replace those of the row: one that was
 * not sent, or one in doubt that turns out not to have been sent. The row waits only with its former values.
 */
export const HAS_OTHER_VALUES = `(class = 'changed_before_sending' or class = 'in_doubt_changed' and met_by is null
  and trim(replace(replace(replace(replace(why, 'customer', ''), 'account', ''), 'date', ''), 'unclear', '')) = '')`

/**
 * SQL over `row` and a line about it: a list or a corrected configuration gave the row values that are not those of the last
 * export either, and no newer export has replaced it since.
 */
const STILL_DIFFERS = `(final is not row.content_key and (select kind from source where id = row.source_id) <> 'export'
  and not exists (select 1 from row as former join source on source.id = former.source_id where former.id in ${formerOf('row.id')}
    and kind = 'export' and source.id > (select last_source from comparison where id = ${LATEST})))`

/**
 * SQL over `row` and a record `ended` of the last export whose mandate the ledger did not know then: the row is that very record,
 * or its correction. Where records of that export contradict each other, only the correction of a person counts.
 */
const IS_THAT_RECORD = `((not ended.is_contradictory or (select kind from source where id = row.source_id) = 'list')
  and exists (select 1 from row as own cross join source as reading_of on reading_of.id = own.source_id
    cross join source as file on file.id = reading_of.origin
  where own.id in ${formerOf('row.id')} and own.mandate_key = ended.mandate_key
    and instr((select sources from comparison where id = ${LATEST}), file.sha256) > 0))`

/**
 * SQL over `row`: the latest comparison holds it. Either the last export calls its mandate, which the ledger did not know then,
 * ended (`ended_elsewhere`; there is no line before the next comparison); or a line holds a row of its mandate, or one that it
 * replaced. "send" from a person after that comparison lets it go. `exists` comes first, so that nothing of the row is read where
 * nothing is held; `cross` makes SQLite start from the row, not from all lines.
 */
const IS_HELD_BY_COMPARISON = `(exists (select 1 from ended_elsewhere) and (
    exists (select 1 from ended_elsewhere as ended where ${IS_LATEST} and ended.mandate_key = row.mandate_key and not ${IS_THAT_RECORD})
    or exists (select 1 from ended_elsewhere as ended where ended.spelling = row.spelling
      and ${IS_LATEST} and ended.customer_no = row.customer_no and not ${IS_THAT_RECORD}))
  or exists (select 1 from compared where ${IS_LATEST} and is_held) and (
  exists (select 1 from row as same cross join compared on row_id = same.id
    where same.mandate_key = row.mandate_key and ${HOLDS} and (not ${HAS_OTHER_VALUES} or same.id = row.id or ${STILL_DIFFERS}))
  or row.corrects is not null and exists (select 1 from compared
    where ${HOLDS} and (not ${HAS_OTHER_VALUES} or ${STILL_DIFFERS}) and row_id in ${formerOf('row.id')})))
  and not ${isNamed(`'corrected'`, `coalesce((select last_decision from comparison where id = ${LATEST}), 0)`, IS_SEND)}`

/** SQL: a row that is invalid or waits, and of which the column is unreadable that says whether it has ended, so that it may have. */
export const mayHaveEnded = (
  row: string,
): string => `(${row}.state in ('invalid', 'conflict') and exists (select 1 from problem
  where row_id = ${row}.id and severity = 'error' and (field in (${OPTIONAL_FIELDS.map((name) => `'${name}'`).join(', ')}) or problem.rule in ('EXCLUDED_BY_CONFIGURATION', 'STATUS_UNKNOWN'))))`

/** SQL over a mandate key: a request of it is under way, registered or in doubt. */
export const hasLiveAttempt = (key: string): string =>
  `exists (select 1 from attempt where attempt.mandate_key = ${key} and (outcome is null or outcome in ('registered', 'in_doubt')))`

/** SQL over a mandate key: a request of it left, or may have left, also where a person has decided since that it did not arrive. */
export const hasLeft = (key: string): string =>
  `(${hasLiveAttempt(key)} or exists (select 1 from attempt where attempt.mandate_key = ${key} and outcome = 'released'))`

/** SQL over a mandate key: its rows were refused or cannot be read, and no request of it may have arrived, so that kin need not wait. */
const isNoObstacle = (
  key: string,
): string => `(not exists (select 1 from row as theirs where theirs.mandate_key = ${key}
      and (theirs.state not in ('refused', 'invalid', 'duplicate', 'superseded') or ${mayHaveEnded('theirs')}))
    and not ${hasLeft(key)})`

/**
 * SQL over `row`: its mandate is kin of another one.
 * @param mine on which side of the link the mandate of `row` stands: `row_id` came in later
 * @param isSuch a condition over the other side, `linked`
 * @param isOpen a condition over the link
 */
const isLinked = (
  mine: 'row_id' | 'other_id',
  isSuch: string,
  isOpen = 'separated is null',
): string => `exists (select 1 from row as mine
    join kin on kin.${mine} = mine.id and ${isOpen}
    join row as linked on linked.id = kin.${mine === 'row_id' ? 'other_id' : 'row_id'}
    where mine.mandate_key = row.mandate_key and ${isSuch})`

/**
 * The other side was sent, may have been, or waits too. Where a person decided to resend this mandate after the link was made,
 * they knew of the other one.
 */
const IS_OBSTACLE = `not ${isNoObstacle('linked.mandate_key')} and not ${isNamed(
  `'resend'`,
  '(select last_decision from source join row as younger on younger.source_id = source.id where younger.id = kin.row_id)',
)}`
export const IS_LINKED = `(${isLinked('row_id', IS_OBSTACLE)} or ${isLinked('other_id', IS_OBSTACLE)})`

/** A person said of this mandate that it is sent, after everything by which the other side could be. */
const IS_NAMED_SINCE = isNamed(
  `'resend', 'corrected'`,
  `(select max(coalesce(decision.id, 0), source.last_decision) from row as theirs join source on source.id = theirs.source_id
      left join decision on decision.row_id = theirs.id and decision.decision in ('resend', 'corrected')
     where theirs.mandate_key = linked.mandate_key order by 1 desc limit 1)`,
  ` and (decision.decision = 'resend' or instr(decision.evidence, 'migration_decision') > 0)`,
)
/** A person may have separated the link by "send" on the other side, which says nothing about this one. */
const NOT_BY_RULE = `separated is not 'rules'`
const MAY_STAND_FOR_IT = `(separated is null or not ${IS_NAMED_SINCE})`

/** SQL over `row` and another record `beside` of its mandate: that is a waiting correction of a row of its kin. */
const IS_OF_KIN = `exists (select 1 from kin join row as linked on linked.id in (kin.row_id, kin.other_id)
  join row as former on former.id in (kin.row_id, kin.other_id) and former.heir = beside.id
  where separated is null and linked.mandate_key = row.mandate_key)`

/**
 * SQL over `row`, each with why a row is held for which it is true. Whether there is anything at all is asked first, once for
 * a statement, since a million rows are asked about before the first is sent.
 */
const CLAUSES = {
  sent: [
    `exists (select 1 from attempt) and ${hasLiveAttempt('row.mandate_key')}`,
    'its mandate is under way, registered or in doubt',
  ],
  arrived: [
    `exists (select 1 from attempt where outcome = 'released')
      and exists (select 1 from attempt as late where late.mandate_key = row.mandate_key and late.outcome = 'released'
      and not ${isNamed(
        `'resend', 'corrected', 'retry_refused'`,
        `(select max(said.id) - 1 from decision as said
        where said.attempt_id = late.id and said.decision <> 'held')`,
      )})`,
    'an earlier request of its mandate may have arrived, and nobody has decided since that it is sent',
  ],
  kin: [
    `exists (select 1 from kin where separated is null) and ${IS_LINKED}`,
    'it may be a mandate that is written otherwise',
  ],
  contradicted: [
    `exists (select 1 from row indexed by row_beside where state in ('conflict', 'excluded', 'invalid'))
      and exists (select 1 from row as beside indexed by row_beside join source on source.id = beside.source_id
      where beside.mandate_key = row.mandate_key and beside.id <> row.id and beside.state in ('conflict', 'excluded', 'invalid')
        and (coalesce(beside.rule, '') not in (${TAKES_ANOTHERS}) or ${IS_OF_KIN})
        and not ${isNamed(`'corrected', 'resend'`, 'source.last_decision')})`,
    'another record says something else of its mandate',
  ],
  compared: [
    IS_HELD_BY_COMPARISON,
    'the latest comparison with the last export says that it has ended, is gone or was changed',
  ],
  late_export: [
    `exists ${CAME_IN_LATE} and exists (select 1 from row as own where own.id in ${formerOf('row.id')} and own.source_id in ${CAME_IN_LATE})
      and not exists (select 1 from row as same join source as part on part.id = same.source_id join source as export on export.id = part.origin
        where same.mandate_key = row.mandate_key and same.content_key = row.content_key and export.sha256 in ${COMPARED_FILES})
      and not ${isNamed(`'corrected'`, `(select last_decision from comparison where id = ${LATEST})`, IS_SEND)}`,
    'its export came in after the last one was compared, and nobody has said that it is newer',
  ],
} as const

export type HeldBecause = keyof typeof CLAUSES | 'late'

export const heldText = (because: HeldBecause): string =>
  because === 'late'
    ? 'an earlier request of its mandate, or of one that may be the same, may still arrive'
    : CLAUSES[because][1]

/** SQL over `row` that is true where it is held, whatever the time. */
export const HELD_WHATEVER_THE_TIME = `(${Object.values(CLAUSES)
  .map(([clause]) => `(${clause})`)
  .join('\n or ')})`

/** SQL: the keys of all mandates that a clause may hold. It may give more keys than are held, and some twice. */
export const KEYS_OF_HELD = `
  select mandate_key from attempt where outcome is null or outcome in ('registered', 'in_doubt')
  union all select mandate_key from attempt where outcome = 'released'
  union all select mandate_key from kin join row on row.id in (row_id, other_id) where separated is null
  union all select mandate_key from row indexed by row_beside where state in ('conflict', 'excluded', 'invalid')
  union all select mandate_key from compared join row on row.id = row_id or row.id = (select heir from row where id = row_id)
    where ${IS_LATEST} and is_held
  union all select row.mandate_key from source cross join row as own on own.id between first_row and last_row
    cross join row on row.id = coalesce(own.heir, own.id) where source.id in ${CAME_IN_LATE}
  union all select mandate_key from ended_elsewhere where ${IS_LATEST}
  union all select row.mandate_key from ended_elsewhere join row using (spelling) where ${IS_LATEST}`

const PART_OF_READY = `(select count(*) / 4 from row where state = 'ready')`
/** Usually few of many ready rows are held: then only rows of mandates that may be held are examined. */
const ARE_FEW_HELD = `${PART_OF_READY} > (select count(*) from (select 1 from (${KEYS_OF_HELD}) limit ${PART_OF_READY}))`

const HELD_ROWS = `select id from row where +state = 'ready' and mandate_key in (${KEYS_OF_HELD}) and ${HELD_WHATEVER_THE_TIME}`

/** How many ready rows are held. */
export const COUNT_HELD = `select case when ${ARE_FEW_HELD} then (select count(*) from (${HELD_ROWS}))
  else (select count(*) from row where state = 'ready' and ${HELD_WHATEVER_THE_TIME}) end`

/** SQL over a refused `row`: kin of its mandate was sent or waits, and nobody has decided for this one since. */
const IS_HELD_FOR_KIN = `(${isLinked('row_id', `${IS_OBSTACLE} and ${MAY_STAND_FOR_IT}`, NOT_BY_RULE)}
  or ${isLinked('other_id', MAY_STAND_FOR_IT, NOT_BY_RULE)})`

/**
 * The clauses for refused rows under --retry-refused, which names no row: of two kin the later one is sent, unless a person has
 * named the earlier one since.
 */
const HOLDS_REFUSED = [
  CLAUSES.sent,
  [IS_HELD_FOR_KIN, 'a mandate that may be the same was sent, or waits'],
  CLAUSES.contradicted,
  CLAUSES.compared,
] as const
export const HELD_THOUGH_REFUSED = `(${HOLDS_REFUSED.map(([clause]) => `(${clause})`).join('\n or ')})`

/** SQL over a refused `row`: why --retry-refused leaves it as it is; null where it is sent again. */
export const REFUSED_BECAUSE = `case ${HOLDS_REFUSED.map(([clause, why]) => `when ${clause} then '${why}'`).join('\n')}
  when ${privateOf('row', 'iban')} is null then 'its account was erased' end`

/**
 * Rows that may not leave yet: a request of their mandate, of a row they replaced or of kin was in doubt and may still
 * arrive, whatever it is called now, and nobody decided to resend it all the same. `:since` is that long ago.
 */
export const LATE = `
  with late (key, heir, started_at) as materialized (
    select attempt.mandate_key, coalesce(heir, row.id), started_at from attempt join row on row.id = row_id
     where outcome = 'released' and started_at > :since
       and not exists (select 1 from decision where attempt_id = attempt.id and decision = 'resend')),
  known (id, started_at) as (select row.id, started_at from late
    join row on row.mandate_key = late.key or row.id = late.heir or row.heir = late.heir)
  select id, started_at from known
  union select kin.row_id, started_at from known join kin on kin.other_id = known.id
  union select kin.other_id, started_at from known join kin on kin.row_id = known.id`

/** A request that left before this time will not arrive any more. */
export const lateSince = (nowMs: number): string => new Date(nowMs - LATE_REQUEST_MS).toISOString()

/** SQL over `row`: by this one condition rows are counted, planned and given out. */
export const MAY_BE_SENT = `state = 'ready' and not ${HELD_WHATEVER_THE_TIME}`
/** The same where all rows are looked at. */
export const ALL_THAT_MAY_BE_SENT = `state = 'ready' and iif(${ARE_FEW_HELD}, row.id not in (${HELD_ROWS}), not ${HELD_WHATEVER_THE_TIME})`

/** SQL that names the first condition by which a row is held; null where it may be sent. `:since` as in `LATE`. */
export const HELD_BECAUSE = `case
  when exists (select 1 from attempt where outcome = 'released' and started_at > :since)
    and row.id in (select id from (${LATE})) then 'late'
  ${Object.entries(CLAUSES)
    .map(([name, [clause]]) => `when ${clause} then '${name}'`)
    .join('\n  ')}
  end`
