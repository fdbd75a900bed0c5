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

/** Such a row stands under the key of another mandate, and must not take part in what is decided of that. */
export const HAS_ITS_KEY = `rule is not 'CORRECTION_TAKES_REFERENCE'`

/** What it says was never agreed to. */
export const isTaking = (row: string): string => `coalesce(${row}.rule, '') in (${TAKES_ANOTHERS})`

/** SQL that is true where one of these decisions on a row of the mandate came behind another one. What takes another's name and waits is no word on that. */
const isNamed = (decisions: string, since: string, more = ''): string => `exists (select 1 from row as named
    join decision on decision.row_id = named.id
    where named.mandate_key = row.mandate_key and coalesce(named.rule, '') not in (${TAKES_ANOTHERS})
      and decision.id > ${since} and decision.decision in (${decisions})${more})`
/** The word "send" beside a line, and not a correction alone. */
const IS_SEND = ` and instr(decision.evidence, 'migration_decision') > 0`

/** The other side of the latest comparison. */
const LATEST = '(select max(id) from comparison)'
/** SQL that is true for a line of the latest comparison, and for what a run met since. */
export const IS_LATEST = `comparison_id is ${LATEST}`

/** SQL: the SHA-256 of the exports that were last compared with the ledger, the newest that there are. */
export const COMPARED_FILES = `(select file.value ->> 'sha256' from comparison, json_each(comparison.sources) as file
  where comparison.id = ${LATEST})`

/** SQL of exports that somebody called newer since. */
export const NEWER_SINCE = `select 1 from source as newer join source as export on export.id = newer.origin
  where newer.is_newer and newer.kind <> 'list' and export.sha256 not in ${COMPARED_FILES}
    and newer.id > (select last_source from comparison where id = ${LATEST})`

/**
 * SQL: what was read of exports of the systems that were last compared, which came in since and of which nobody has said that
 * they are newer. That the last export lacks their mandates, or has others of them, is not known of one that is older.
 */
const CAME_IN_LATE = `(select part.id from comparison join source as export on export.id > last_source
    join source as part on part.origin = export.id
  where comparison.id = ${LATEST} and export.kind = 'export' and instr(comparison.sources, export.sha256) = 0
    and exists (select 1 from json_each(comparison.sources) as file
      where file.value ->> 'configuration' is export.reading ->> '$.configuration')
    and not exists (select 1 from source as newer where newer.origin = export.id and newer.is_newer))`

/** SQL of the rows in whose place a row came, and itself. */
export const formerOf = (row: string): string =>
  `(select ${row} union all select former.id from row as former where former.heir = ${row})`

/** SQL over `row`: somebody closed the line which said that it is gone or has ended. */
export const IS_CLOSED_AS_GONE = `(row.state = 'written_off' and exists (select 1 from compared
  where row_id in ${formerOf('row.id')} and class = 'gone_unsent' and decision_id is not null))`

/** What a run met holds as long as it is open. */
const HOLDS = `${IS_LATEST} and is_held and (met_by is null
    or decision_id is null and (select met.state from row as met where met.id = met_by) = 'conflict')`
/**
 * SQL that is true for a line whose export has other values of the mandate, which take the place of the former ones: of a
 * row that was not sent, or of a doubt that turns out to be none.
 */
export const HAS_OTHER_VALUES = `(class = 'changed_before_sending' or class = 'in_doubt_changed' and met_by is null
  and trim(replace(replace(replace(replace(why, 'customer', ''), 'account', ''), 'date', ''), 'unclear', '')) = '')`

/**
 * SQL over `row` and a line about it: what a list or a corrected configuration made of what was changed there, with other
 * values than that export has, as long as no newer export came in its place.
 */
const STILL_DIFFERS = `(final is not row.content_key and (select kind from source where id = row.source_id) <> 'export'
  and not exists (select 1 from row as former join source on source.id = former.source_id where former.id in ${formerOf('row.id')}
    and kind = 'export' and source.id > (select last_source from comparison where id = ${LATEST})))`

/**
 * SQL over `row` and what had `ended`: it came with that very record of the export that was compared, or corrects it. Of records
 * that contradict each other none is right by itself.
 */
const IS_THAT_RECORD = `((not ended.is_contradictory or (select kind from source where id = row.source_id) = 'list')
  and exists (select 1 from row as own cross join source as reading_of on reading_of.id = own.source_id
    cross join source as file on file.id = reading_of.origin
  where own.id in ${formerOf('row.id')} and own.mandate_key = ended.mandate_key
    and instr((select sources from comparison where id = ${LATEST}), file.sha256) > 0))`

/**
 * What the latest comparison holds: its line, what took its place since, and whatever other row has its mandate. Where
 * nothing is held it looks at nothing of the row; else `cross` has it look the mandate up, where SQLite would go through
 * all that is held for every row. What was changed waits only as it was. A mandate that the ledger did not know then, and that
 * had ended there, has no line before the next comparison.
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

/** SQL that is true for a row that cannot be read whole, or waits for a person, and may have ended all the same. */
export const mayHaveEnded = (
  row: string,
): string => `(${row}.state in ('invalid', 'conflict') and exists (select 1 from problem
  where row_id = ${row}.id and severity = 'error' and (field in (${OPTIONAL_FIELDS.map((name) => `'${name}'`).join(', ')}) or problem.rule in ('EXCLUDED_BY_CONFIGURATION', 'STATUS_UNKNOWN'))))`

/** SQL that is true for a key that is under way, registered or in doubt. */
export const hasLiveAttempt = (key: string): string =>
  `exists (select 1 from attempt where attempt.mandate_key = ${key} and (outcome is null or outcome in ('registered', 'in_doubt')))`

/** SQL that is true for a key of which a request left or may have, whatever its rows are called now. */
export const hasLeft = (key: string): string =>
  `(${hasLiveAttempt(key)} or exists (select 1 from attempt where attempt.mandate_key = ${key} and outcome = 'released'))`

/** SQL that is true for a key of which nothing was sent, or a definite no was said: it stands in the way of no other mandate. */
const isNoObstacle = (
  key: string,
): string => `(not exists (select 1 from row as theirs where theirs.mandate_key = ${key}
      and (theirs.state not in ('refused', 'invalid', 'duplicate', 'superseded') or ${mayHaveEnded('theirs')}))
    and not ${hasLeft(key)})`

/** SQL that is true for a mandate that is linked to another one, seen from one side, where the link and the other side are such. */
const isLinked = (
  mine: 'row_id' | 'other_id',
  isSuch: string,
  isOpen = 'separated is null',
): string => `exists (select 1 from row as mine
    join kin on kin.${mine} = mine.id and ${isOpen}
    join row as linked on linked.id = kin.${mine === 'row_id' ? 'other_id' : 'row_id'}
    where mine.mandate_key = row.mandate_key and ${isSuch})`

/**
 * On the other side a mandate was sent, may have been, or waits as this one does. A doubt that a person decided to resend since
 * is their word on this mandate.
 */
const IS_OBSTACLE = `not ${isNoObstacle('linked.mandate_key')} and not ${isNamed(
  `'resend'`,
  '(select last_decision from source join row as younger on younger.source_id = source.id where younger.id = kin.row_id)',
)}`
export const IS_LINKED = `(${isLinked('row_id', IS_OBSTACLE)} or ${isLinked('other_id', IS_OBSTACLE)})`

/** Everything by which the other side could be sent came before a word of a person on this mandate. */
const IS_NAMED_SINCE = isNamed(
  `'resend', 'corrected'`,
  `(select max(coalesce(decision.id, 0), source.last_decision) from row as theirs join source on source.id = theirs.source_id
      left join decision on decision.row_id = theirs.id and decision.decision in ('resend', 'corrected')
     where theirs.mandate_key = linked.mandate_key order by 1 desc limit 1)`,
  ` and (decision.decision = 'resend' or instr(decision.evidence, 'migration_decision') > 0)`,
)
/** A link that was separated by a word on the other side names not this one. */
const NOT_BY_RULE = `separated is not 'rules'`
const MAY_STAND_FOR_IT = `(separated is null or not ${IS_NAMED_SINCE})`

/** A correction that gives kin of this mandate its very name, and waits. */
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

/** SQL of the keys of all mandates that any of them may hold, and of more; some twice. */
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
/** Of many rows that are ready few are held, as a rule: then only those of such mandates are looked at. */
const ARE_FEW_HELD = `${PART_OF_READY} > (select count(*) from (select 1 from (${KEYS_OF_HELD}) limit ${PART_OF_READY}))`

const HELD_ROWS = `select id from row where +state = 'ready' and mandate_key in (${KEYS_OF_HELD}) and ${HELD_WHATEVER_THE_TIME}`

/** How many ready rows are held. */
export const COUNT_HELD = `select case when ${ARE_FEW_HELD} then (select count(*) from (${HELD_ROWS}))
  else (select count(*) from row where state = 'ready' and ${HELD_WHATEVER_THE_TIME}) end`

/** SQL over `row`, one that was refused. */
const IS_HELD_FOR_KIN = `(${isLinked('row_id', `${IS_OBSTACLE} and ${MAY_STAND_FOR_IT}`, NOT_BY_RULE)}
  or ${isLinked('other_id', MAY_STAND_FOR_IT, NOT_BY_RULE)})`

/**
 * The same for a row that is refused, before somebody says that all of them are sent again, which names none: of kin the later
 * one goes, unless somebody named this one since.
 */
const HOLDS_REFUSED = [
  CLAUSES.sent,
  [IS_HELD_FOR_KIN, 'a mandate that may be the same was sent, or waits'],
  CLAUSES.contradicted,
  CLAUSES.compared,
] as const
export const HELD_THOUGH_REFUSED = `(${HOLDS_REFUSED.map(([clause]) => `(${clause})`).join('\n or ')})`

/** SQL over `row`, one that was refused: why it stays so; null where it does not. */
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
