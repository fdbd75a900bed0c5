import { CHANGED_THERE, contradict } from '../compare/contradicting.js'
import { LIVE_STATES, type RowState } from '../../domain/row/row-state.js'
import { whenSeen, type Says, type Sighted, type Standing, type Then } from '../../domain/row/across-rows.js'
import { OPTIONAL_FIELDS } from '../../domain/mandate/mandate.js'
import { ruleOf, severityOf, type RuleId } from '../../domain/rule/verdict.js'
import {
  IS_CLOSED_AS_GONE,
  COMPARED_FILES,
  HAS_ITS_KEY,
  HELD_THOUGH_REFUSED,
  hasLeft,
  mayHaveEnded,
} from '../deliver/gate.js'
import { emptyTables, isSilent, rowsOf, sql, sqlValue } from '../file/connection.js'
import { sqlList } from '../schema/schema.js'
import { isCorrected } from './again.js'
import {
  give,
  holdWith,
  IS_OF_EXPORT,
  isErased,
  isLast,
  NAMES_ROW,
  noticeOf,
  latestOf,
  replaceRows,
  writeNotice,
  type ProblemText,
  type Scope,
} from './problems.js'

/**
 * What becomes of the records of a command whose mandate occurs more than once, in the command or in the ledger. For each such
 * mandate `decide` gathers facts from SQL (`Older`, `Counts`, `Sighted`), `whenSeen` says what follows from them, and `apply`
 * writes it.
 *
 * The sources of a command are decided in three turns: records that are read again, lists that people give back, then exports.
 * All exports of a command have one rank, so what they say of a mandate is taken together.
 */
export type Turn = 0 | 1 | 2
/** Records of former commands that are read again: they are as old as their exports. */
export const AGAIN: Turn = 0
export const LISTS: Turn = 1
export const EXPORTS: Turn = 2

const IS_NEW = `row.source_id in (select id from temp.incoming where turn = :turn)`
const IS_OLD = `row.source_id not in (select id from temp.incoming where turn >= :turn)`
const SPEAKS = `row.state not in ('duplicate', 'superseded') and row.${HAS_ITS_KEY}`
const SENDABLE = `${IS_NEW} and row.state = 'ready'`

/**
 * SQL: all that a record says of its mandate as one text; two records that say the same have the same. The account by its
 * fingerprint, which stays when the account is gone.
 */
const saidIn = (
  row: string,
): string => `iif(${row}.content_key is not null, ${row}.customer_no || ' ' || ${row}.signed_date
  || ' ' || hex(${row}.iban_key), coalesce(${row}.rule, '') || ' ' || hex(${row}.raw))`
const SAID = saidIn('row')
/** For a customer whose account was erased: customer and date alone. Only records that could be sent are compared so. */
const WHO = `row.customer_no || ' ' || row.signed_date`
const IS_KNOWN = `(${SAID} in (select value from json_each(:known)) or row.content_key is not null and ${WHO} = :who)`

/** SQL over `row`: its own checks hold it back, and an older row had the same values and the same fault, or was written off with them. */
const REPEATED = `row.state in ('invalid', 'excluded') and (exists (select 1 from row as older
    where older.raw = row.raw and older.rule is row.rule and older.id < :first
      and (older.state in ('invalid', 'excluded') or ${isCorrected('older')}))
  or exists (select 1 from row as closed where closed.raw = row.raw and closed.id < :first and closed.state = 'written_off'))`

/** Rows without a mandate key that say what an older one said: the file was given again, with other rows changed. */
export function decideRepeats({ connection, first }: Scope): void {
  const where = `row.id >= :first and mandate_key is null and corrects is null and ${REPEATED}`
  give(connection, 'duplicate', REPEATED_NOTICE, where, { first })
}

const REPEATED_NOTICE = noticeOf('DUPLICATE_MANDATE', {
  message: 'The row was read before with the same values.',
  remedy: 'Nothing to do here: what is open is the row that was read first.',
})

/** Rows of the reference of a collection whose creditor is wrong, that ends its mandate or is of their day or later. */
const MAY_HAVE_ENDED = `
  with unclear (reference, due) as materialized (
    select upper(original_mandate_reference), max(iif(${isLast('row')}, '9', coalesce(latest_first_debit, '9'))) from row
      join source on source.id = source_id and source.reading -> '$.collections' is not null
      where state not in ('superseded', 'written_off') and row.id in (
        select row_id from problem where field = 'sepa_creditor_identifier' and severity = 'error') group by 1)
  select row.id from row cross join unclear on reference = upper(original_mandate_reference)
    where state = 'ready' and ${IS_OF_EXPORT} and due >= coalesce(latest_first_debit, '')`

/** For mandates that come from collection files: a collection with an unreadable creditor may have been the last one of any. */
export function holdUnclear({ connection }: Scope, at: string): void {
  const message =
    'A collection of this reference has a wrong creditor identifier, and is of that day or later, or ends its mandate. It may be the last one of this mandate.'
  for (const row of sqlValue(connection)<number>`${MAY_HAVE_ENDED}`.all())
    holdWith(connection, noticeOf('CONFLICT_MANDATE', { message }), row, at)
}

/**
 * Decides every mandate key of the command that occurs more than once, in it or in the ledger. Groups are counted by SQL
 * and read page by page: a file in which a million rows share one filler reference needs no memory.
 */
export function decideGroups(scope: Scope, turn: Turn, at: string): void {
  const { connection, first } = scope
  emptyTables(connection, { collision: 'id integer primary key, key text not null' })
  const isOfTurn =
    turn === EXPORTS
      ? 'true'
      : `exists (select 1 from row as mine join temp.incoming on incoming.id = mine.source_id
      where mine.mandate_key = row.mandate_key and turn = ${turn})`
  sql(connection)`
    insert into temp.collision (key) select mandate_key from row where mandate_key is not null
      group by mandate_key having count(*) > 1 and max(id) >= :first and ${isOfTurn}`.run({ first })
  if (turn === EXPORTS) repeatAsBefore(scope)
  const page = sql(connection)<{ id: number; key: string }>`
    select id, key from temp.collision where id > :after order by id limit :limit`
  for (const { key } of rowsOf(page)) decide({ ...scope, turn, at, key })
}

/**
 * Most records of a later export repeat the one older record of their mandate, value by value. They are decided all at once here,
 * and only the others one by one.
 */
function repeatAsBefore(scope: Scope): void {
  const { connection, first } = scope
  emptyTables(connection, { repeat: 'id integer primary key, older integer not null, key text not null' })
  sql(connection)`
    insert into temp.repeat select row.id, older.id, collision.key from temp.collision
      cross join row on row.mandate_key = collision.key and row.id >= :first and row.state = 'ready' and row.corrects is null
      cross join row as older on older.mandate_key = collision.key and older.id < :first and older.content_key = row.content_key
        and older.state in ('ready', 'registered', 'sending', 'in_doubt') and older.latest_first_debit is row.latest_first_debit
        and older.id not in (select row_id from compared where decision_id is not null)
      where not exists (select 1 from row as third where third.mandate_key = collision.key
        and third.id not in (row.id, older.id)
        and third.state not in ('duplicate', 'superseded'))`.run({ first })
  const notice = asRepeat(scope, HELD_ALREADY, '(select older from temp.repeat where repeat.id = row.id)')
  give(connection, 'duplicate', notice, 'row.id in (select id from temp.repeat)')
  connection.exec('delete from temp.collision where key in (select key from temp.repeat)')
}

const HELD_ALREADY = 'The ledger holds this mandate already, with the same data: {row}.'
const HELD_ERASED =
  'The ledger holds this mandate already: {row}. Its customer was erased, so the account was not compared.'

interface Deciding extends Scope {
  readonly turn: Turn
  readonly at: string
  readonly key: string
}

/** A row of the mandate that came in before; SQLite's truth values. */
type Older = Readonly<
  { id: number; state: RowState; kind: 'export' | 'list'; said: string } & Record<
    'rule' | 'who' | 'day',
    string | null
  > &
    Record<
      'isCollection' | 'isLast' | 'isErased' | 'isClosedAsGone' | 'isClosedUnsent' | 'mayHaveEnded',
      0 | 1
    >
>

/** SQL: what the source of a row was when it first came in, an export or a list. */
const KIND = `(select first.kind from source as first where first.id = source.origin)`

const OLDER = `select row.id, row.state, row.rule, ${SAID} as said, ${WHO} as who, ${KIND} as kind, latest_first_debit as day,
    reading -> '$.collections' is not null as isCollection, ${isLast('row')} as isLast, ${isErased('row')} as isErased,
    ${IS_CLOSED_AS_GONE} as isClosedAsGone, row.state = 'written_off' and not ${hasLeft('row.mandate_key')} as isClosedUnsent,
    ${mayHaveEnded('row')} as mayHaveEnded
  from row join source on source.id = row.source_id`
/** More rows of one mandate than these need not be read: the first ones show already that they contradict each other. */
const MOST_OLDER = 50

/**
 * What was read of the newcomers. `dates`: different dates of signature; `areNewer`: 1 where the latest comparison says so, 2
 * where somebody does.
 */
type Counts = Readonly<
  Record<'count' | 'sendable' | 'ended' | 'unreadable' | 'unclear' | 'dates' | 'known' | 'named', number> &
    Record<'first' | 'firstHeld', number | null> &
    Record<'lowest' | 'highest' | 'latest', string | null> & { areNewer: 0 | 1 | 2 }
>

const COUNTS = `select count(*) as count, count(*) filter (where row.state = 'ready') as sendable,
    min(${SAID}) filter (where row.state = 'ready') as lowest, max(${SAID}) filter (where row.state = 'ready') as highest,
    min(row.id) filter (where row.state = 'ready') as first,
    count(*) filter (where row.state = 'excluded') as ended, count(*) filter (where row.state = 'invalid') as unreadable,
    count(*) filter (where row.state = 'conflict') as unclear, min(row.id) filter (where row.state <> 'ready') as firstHeld,
    count(distinct row.signed_date) as dates,
    count(*) filter (where ${IS_KNOWN}) as known, count(corrects) as named, min(is_newer) as areNewer,
    max(latest_first_debit) as latest
  from row join temp.incoming on incoming.id = row.source_id
  where mandate_key = :key and turn = :turn and ${SPEAKS}`

function decide(group: Deciding): void {
  const { connection, key, turn } = group
  const older = sql(connection)<Older>`
    ${OLDER} where mandate_key = :key and ${IS_OLD} and ${SPEAKS}
      order by row.state not in (${sqlList(LIVE_STATES)}), row.state = 'written_off', row.id desc
      limit ${MOST_OLDER}`.all({ key, turn })
  if (turn === EXPORTS) repeatCorrected(group)
  const { standing, live } = standingOf(group, older)
  if (turn === EXPORTS) keepLatestDay(group, older)
  // What a person gives back is held against what was or may be sent; an export, against all that counts.
  const compared = turn === LISTS && live !== null ? [live] : older
  const known = compared.map(({ said }) => said)
  const who = live?.isErased === 1 && standing === 'sent' ? live.who : null
  const values = { key, turn, known: JSON.stringify(known), who }
  const counts = sql(connection)<Counts>`${COUNTS}`.get(values)
  if (counts === undefined || counts.count === 0) return
  const seen = seenOf(group, older, { standing, live }, counts, values)
  // A line that names no row is nobody's word on one: it is a record like those of exports.
  if (turn === LISTS && counts.named > 0) applyList(seen, standing)
  else apply(seen, whenSeen(standing, seen.sighted))
}

type Seen = ReturnType<typeof seenOf>

/** SQL over `row` and an older row `old`: both have the same fault and the same readable values; the unreadable ones may differ. */
const READS_ALIKE = `(old.content_key is null and row.content_key is null and old.rule is row.rule
  and old.customer_no is row.customer_no and old.iban_key is row.iban_key and old.signed_date is row.signed_date)`

/** SQL: the records of the mandate, and all that they replaced, also under another key. */
const FORMER = `(select id from row where mandate_key = :key
  union all select old.id from row as heir cross join row as old on old.heir = heir.id where heir.mandate_key = :key)`

/** Records that say what a row said before a person corrected it say nothing new, and become duplicates. */
function repeatCorrected(group: Deciding): void {
  const { key, turn } = group
  // Asked once: a million rows may share one reference.
  if (!holds(group, `select 1 from row where id in ${FORMER} and ${isCorrected('row')}`)) return
  const said = `mandate_key = :key and ${IS_NEW} and ${SPEAKS} and exists (select 1 from row as old
    where old.id in ${FORMER} and ${isCorrected('old')} and (${saidIn('old')} = ${SAID} or ${READS_ALIKE}))`
  give(group.connection, 'duplicate', asRepeat(group, CORRECTED_SINCE), said, { key, turn })
}

const CORRECTED_SINCE = 'The record is as it was before somebody corrected it, and the correction counts.'

/**
 * Collection files may be given in any order: of several days the latest counts, record by record. What ended earlier and was
 * collected once more contradicts itself.
 */
function keepLatestDay(group: Deciding, older: readonly Older[]): void {
  const { connection, key, turn } = group
  const day = sqlValue(connection)<string>`
    select max(latest_first_debit) from row join source on source.id = row.source_id
     where mandate_key = :key and ${IS_NEW} and ${SPEAKS}
       and reading -> '$.collections' is not null`.get({ key, turn })
  if (day == null) return
  const days = older.flatMap((row) => (row.isCollection === 1 && row.day !== null ? [row.day] : []))
  const latest = [day, ...days].sort().at(-1)
  const isEarlier = `mandate_key = :key and ${IS_NEW} and ${SPEAKS} and latest_first_debit < :latest
    and (select reading -> '$.collections' from source where source.id = row.source_id) is not null
    and (not ${isLast('row')} or exists (select 1 from row as latest where latest.mandate_key = :key
      and latest.latest_first_debit = :latest and ${isLast('latest')}))
    and not (select count(distinct signed_date) > 1 from row as dated join source as file on file.id = dated.source_id
      where dated.mandate_key = :key and file.reading -> '$.collections' is not null)`
  const notice = asRepeat(group, 'A later collection of this mandate came in, and it counts.')
  give(connection, 'duplicate', notice, isEarlier, { key, turn, latest })
}

const isEnd = (row: Older): boolean => row.state === 'excluded' || row.mayHaveEnded === 1

function standingOf(group: Deciding, older: readonly Older[]): { standing: Standing; live: Older | null } {
  const own = older.find(({ state }) => isLive(state)) ?? null
  const live = own ?? (group.turn === EXPORTS ? heirOf(group, older) : null)
  if (live === null) {
    // A record that may be cut is no word of its own: the whole file takes its place.
    const states = new Set(older.map(({ state, rule }) => (rule === 'ROW_MAY_BE_CUT' ? 'invalid' : state)))
    if (states.size === 0) return { standing: 'none', live }
    if (states.has('excluded')) return { standing: 'ended', live }
    // Two people corrected it, each otherwise.
    const isCorrected =
      older.some(
        ({ state, rule, kind }) => state === 'conflict' && rule !== 'CONTRADICTS_SENT' && kind === 'list',
      ) && !holds(group, NAMED_A_ROW)
    if (states.has('conflict')) return { standing: isCorrected ? 'corrected' : 'unsent', live }
    return { standing: older.some(isEnd) ? 'unreadable_end' : 'unreadable', live }
  }
  const isMoved = !older.includes(live)
  if (live.state === 'sending' || live.state === 'registered' || live.state === 'in_doubt')
    return { standing: 'sent', live }
  // Nothing tells any more what a refused row of an erased customer held.
  if (live.state === 'written_off' || (live.state === 'refused' && live.isErased === 1))
    return { standing: 'written_off', live }
  if (isMoved || live.kind === 'list') return { standing: 'corrected', live }
  if (
    live.state === 'refused' &&
    holds(group, `select 1 from attempt where mandate_key = :key and outcome = 'released'`)
  )
    return { standing: 'arrived', live }
  return { standing: older.some(({ state }) => state === 'excluded') ? 'ended' : 'unsent', live }
}

const isLive = (state: RowState): boolean => LIVE_STATES.some((name) => name === state)

/** Whether this (SQL over `:key` and `:turn`) gives any row. */
const holds = ({ connection, key, turn }: Deciding, such: string): boolean =>
  sqlValue(connection)`select exists (${such})`.get({ key, turn }) === 1

/** The row that stands for a mandate whose creditor or reference was corrected, under its new key; null where there is none. */
function heirOf({ connection, key, turn }: Deciding, older: readonly Older[]): Older | null {
  if (older.length > 0) return null
  const last = sqlValue(connection)<number>`
    select max(row.id) from row where mandate_key = :key and ${IS_OLD}
      and ${isCorrected('row')}`.get({ key, turn })
  const heir = latestOf(connection, last ?? 0)
  const moved = sql(connection)<Older>`${OLDER} where row.id = ? and mandate_key is not ?`.get(heir, key)
  return moved ?? null
}

/** @param live the row that was or may be sent, or that a person closed */
function seenOf(
  group: Deciding,
  older: readonly Older[],
  { standing, live }: ReturnType<typeof standingOf>,
  counts: Counts,
  values: Readonly<Record<string, unknown>>,
) {
  const { sendable, ended, unreadable, unclear, known, count } = counts
  const isOneKind = [sendable, ended, unreadable, unclear].filter((each) => each > 0).length === 1
  const agree =
    isOneKind && (sendable === 0 || counts.lowest === counts.highest) && !holds(group, HAS_TWO_DATES)
  const says: Says = !agree
    ? 'contradictory'
    : sendable > 0
      ? 'lives'
      : ended > 0
        ? 'ended'
        : unreadable > 0
          ? 'unreadable'
          : 'unclear'
  const [collection = null] = older.filter(({ isCollection }) => isCollection === 1)
  const isLaterDay =
    collection?.day != null &&
    counts.latest !== null &&
    counts.latest > collection.day &&
    (says === 'ended' || older.every((row) => row.isLast === 0))
  // The same once more, and collected later: what waits would lapse too early.
  const isLonger = older.some(({ state, day }) => state === 'ready' && (counts.latest ?? '') > (day ?? '9'))
  // Beside what waits or has ended, the same of a later day is news.
  const isNews = isLaterDay && !older.some(({ state }) => isLive(state))
  const tellsEnds = standing === 'none' || says !== 'lives' || !holds(group, LACKS_COLUMN)
  const areNewer =
    (counts.areNewer === 2 || (counts.areNewer === 1 && !holds(group, WERE_COMPARED_WITH))) &&
    !holds(group, WERE_GIVEN_WITH)
  // What is read again says nothing that was not known when it was closed.
  const isBack =
    group.turn === EXPORTS &&
    says === 'lives' &&
    (live?.isClosedAsGone === 1 || (standing === 'sent' && areNewer && isChangedThere(group, live)))
  // Of two records that differ the newest export repeats one, and so says which is right.
  const isSettled =
    areNewer &&
    tellsEnds &&
    (standing === 'unsent' || standing === 'ended') &&
    (says === 'lives' || says === 'ended') &&
    new Set(older.map(({ said }) => said)).size > 1
  const isAnswered =
    known === count &&
    standing === 'unsent' &&
    says === 'lives' &&
    (holds(group, WAITED_FOR_IT) || (group.turn === LISTS && holds(group, NAMED_A_ROW)))
  const isKnown = known === count && !isLonger && !isNews && !isBack && !isSettled && !isAnswered
  const isNewer = areNewer || isLaterDay || (known === count && isLonger) || isAnswered
  const differs = standing === 'unreadable' && holds(group, DIFFERS)
  const isOfOthers = !isKnown && group.turn === EXPORTS && holds(group, IS_OF_OTHERS)
  const sighted: Sighted = { says, isKnown, isNewer, tellsEnds, differs, isOfOthers }
  return { group, older, live, counts, values, sighted }
}

/** Somebody had the mandate changed or cancelled at the service. */
const isChangedThere = ({ connection }: Deciding, live: Older | null): boolean =>
  sqlValue(connection)`select 1 from (${CHANGED_THERE}) where row_id = ?`.get(live?.id) !== undefined

const differsIn = (column: string, field = column): string => `former.${column} <> row.${column}
  and not exists (select 1 from problem where row_id in (former.id, row.id) and severity = 'error' and field = '${field}')`

/** A record differs from an older one that has a fault, in a value that could be read in both. A record that may be cut has no values. */
const DIFFERS = `select 1 from row as former join row on row.mandate_key = former.mandate_key
  where former.mandate_key = :key and former.state = 'invalid' and former.rule is not 'ROW_MAY_BE_CUT' and ${IS_NEW} and row.state in ('ready', 'invalid')
    and former.source_id not in (select id from temp.incoming where turn >= :turn)
    and (${differsIn('customer_no')} or ${differsIn('iban_key', 'iban')} or ${differsIn('signed_date')})`

/**
 * Records of one creditor and reference, read by two configurations, that differ in customer, account and date: they may be two
 * mandates of two systems, and neither is a newer version of the other.
 */
const IS_OF_OTHERS = `select 1 from row as other join source as theirs on theirs.id = other.source_id
  join row on row.mandate_key = other.mandate_key join source on source.id = row.source_id
  where other.mandate_key = :key and other.source_id not in (select id from temp.incoming where turn >= :turn) and other.state in ('ready', 'refused', 'conflict')
    and ${SENDABLE} and theirs.reading ->> '$.configuration' is not source.reading ->> '$.configuration'
    and other.customer_no <> row.customer_no and other.iban_key <> row.iban_key and other.signed_date <> row.signed_date`

const LATEST_DIFFERS = 'Another record of this mandate says something else, and neither is sent.'

/** All older records of the mandate wait only because of the record that is now read again, and that now says what they say. */
const WAITED_FOR_IT = `select 1 where not exists (select 1 from row where mandate_key = :key and ${IS_OLD} and ${SPEAKS}
  and not (row.state = 'conflict' and row.rule = 'CONFLICT_MANDATE' and exists (select 1 from row as now
    join temp.incoming on incoming.id = now.source_id join row as former on former.id = now.corrects
    join source as came on came.id = former.source_id join decision on decision.decided_at = came.admitted_at
    where now.mandate_key = :key and turn = :turn and former.superseded_by = now.id
      and decision.row_id = row.id and decision = 'held' and reason like '${LATEST_DIFFERS} Compare it with %')))`

/** All older records of the mandate are waiting lines of lists that named a row which is not theirs. */
const NAMED_A_ROW = `select 1 where not exists (select 1 from row where mandate_key = :key and ${IS_OLD} and ${SPEAKS}
  and not exists (select 1 from problem where row_id = row.id and row.state = 'conflict' and message glob '${NAMES_ROW} *'))`

/** SQL over `row`: its source says something of the mandate, be it that it repeats another record. */
const IS_SEEN = `row.state <> 'superseded' and row.${HAS_ITS_KEY}`

/** An older record of the mandate is of another export of the comparison by which this export counts as newer: they have one rank. */
const WERE_COMPARED_WITH = `select 1 from row join source on source.id = row.source_id
    join source as file on file.id = source.origin
  where mandate_key = :key and ${IS_OLD} and ${IS_SEEN} and file.sha256 in ${COMPARED_FILES}`

/** An older record of the mandate is of a file that the command names once more: it has the rank of the command. */
const WERE_GIVEN_WITH = `select 1 from row join source on source.id = row.source_id
    join temp.given_again on given_again.id = source.origin
  where mandate_key = :key and ${IS_OLD} and ${IS_SEEN}`

/** Collections of one mandate that differ in its date of signature: one of them is the day of the file. */
const HAS_TWO_DATES = `select 1 from row join source on source.id = row.source_id
  where mandate_key = :key and reading -> '$.collections' is not null and signed_date is not null
  group by mandate_key having count(distinct signed_date) > 1 and max(${IS_NEW})`

/**
 * An earlier record was kept back because of a column, and the source of a newcomer lacks that column or has nothing in it, so
 * that this newcomer cannot say that the mandate lives.
 */
const LACKS_COLUMN = `select 1 from row as former where mandate_key = :key and former.state in ('excluded', 'conflict', 'invalid') and former.${HAS_ITS_KEY}
       and former.source_id not in (select id from temp.incoming where turn >= :turn)
       and exists (select 1 from row join temp.incoming on incoming.id = row.source_id where row.mandate_key = :key and turn = :turn
         and ${SPEAKS} and (
           exists (select 1 from problem where row_id = former.id and (problem.rule = former.rule or former.state = 'invalid')
             and severity = 'error' and field in (${sqlList(OPTIONAL_FIELDS)})
             and (not exists (select 1 from json_each(names) where value in (field, column_name))
               or ${isSilent(`(silent.value ->> 'field' = field or silent.value ->> 'column' = column_name)`)}
               or field = 'status' and exists (select 1 from source as own, json_each(reading -> '$.joined') as file
                 where own.id = row.source_id and file.value ->> 'hasNoWord')))
           or former.rule in ('EXCLUDED_BY_CONFIGURATION', 'STATUS_UNKNOWN') and exists (select 1 from source, json_each(reading -> '$.exclude') as kept
             where source.id = former.source_id and (typeof(kept.value ->> 'column') = 'text' and not exists (
               select 1 from json_each(names) as has where lower(has.value) = lower(kept.value ->> 'column'))
               or ${isSilent(`lower(silent.value ->> 'column') = lower(kept.value ->> 'column')`)}))))
`

/** Lines of lists: the word of a person is newer than every export. Only what was sent, written off, or has ended stands against it. */
function applyList(seen: Seen, standing: Standing): void {
  const { group, live, counts, values } = seen
  const isSame = counts.known === counts.count
  if (standing === 'sent') {
    apply(seen, { kind: 'contradicts' })
    return
  }
  if (standing === 'written_off') {
    // The service said no to what was erased, and this is another word on it.
    const isOpen = live?.isClosedAsGone === 1 || live?.isClosedUnsent === 1 || live?.state === 'refused'
    if (isOpen && counts.count === 1 && holds(group, NAMES_WAITING)) {
      apply(seen, { kind: 'counts', replaces: true })
      return
    }
    repeat(seen, `${SENDABLE} and ${IS_KNOWN}`)
    if (live?.isClosedAsGone === 0) answerNamed(seen)
    if (live !== null)
      give(group.connection, 'conflict', blocked(live), `mandate_key = :key and ${SENDABLE}`, values)
    return
  }
  if (isSame && (live !== null || counts.sendable === 0) && !goesByWord(seen)) {
    repeat(seen, `${IS_NEW} and ${SPEAKS}`)
    answerNamed(seen)
  } else if (seen.older.some(isEnd) && !holds(seen.group, NAMES_ENDED))
    apply(seen, { kind: 'waits', rule: 'MANDATE_ENDED_ELSEWHERE' })
  else apply(seen, { kind: 'counts', replaces: true })
}

/** "send" beside a refused row that --retry-refused would leave as it is: it is to be sent although nothing has changed. */
const goesByWord = ({ group, live }: Seen): boolean =>
  live?.state === 'refused' &&
  holds(
    group,
    `select 1 from row join temp.given_back using (id) where mandate_key = :key and ${IS_NEW} and is_decided = 1`,
  ) &&
  holds(group, `select 1 from row where mandate_key = :key and state = 'refused' and ${HELD_THOUGH_REFUSED}`)

/** A line was corrected to the values that the mandate has already: the record that it names is settled by that. */
const answerNamed = ({ group: { connection }, values }: Seen): void =>
  void replaceRows(
    connection,
    `select named.id as old, min(row.id) as new from temp.given_back join row using (id) join row as named on named.id = about
      where row.mandate_key = :key and ${IS_NEW} and row.state = 'duplicate' and row.content_key is not null
        and named.mandate_key = :key and named.state in ('conflict', 'invalid') group by named.id`,
    values,
  )

/** The person knew that the mandate may have ended: they gave back the very row that says so, or wrote "send". */
const NAMES_ENDED = `select 1 from row left join temp.given_back using (id) where mandate_key = :key and ${IS_NEW}
  and row.state <> 'duplicate' and (is_decided = 1 or exists (select 1 from row as ended where ended.id = row.corrects and (ended.state = 'excluded' or ${mayHaveEnded('ended')})))`

/** "send" beside a record of the mandate that waits. */
const NAMES_WAITING = `select 1 from row join temp.given_back using (id) join row as named on named.id = row.corrects
  where row.mandate_key = :key and ${IS_NEW} and is_decided = 1
    and named.mandate_key = :key and named.state = 'conflict' and named.counted_in is not null`

function apply(seen: Seen, then: Then): void {
  const { group, counts, values } = seen
  const isContradictory = seen.sighted.says === 'contradictory' && !(isLowered(group) && counts.sendable > 0)
  switch (then.kind) {
    case 'repeats':
      repeat(seen, `${IS_NEW} and ${SPEAKS}`)
      return
    case 'contradicts':
      // All of it is known where the mandate is as it was before somebody had it changed there.
      if (counts.known < counts.count || seen.sighted.isKnown)
        repeat(seen, `${IS_NEW} and ${SPEAKS} and ${IS_KNOWN}`)
      if (seen.live !== null)
        contradict(group.connection, {
          ...{ sent: seen.live.id, at: group.at, values },
          where: `mandate_key = :key and ${IS_NEW} and ${SPEAKS}`,
        })
      return
    case 'waits':
      wait(seen, then.rule, isContradictory)
      return
    case 'counts':
      if (isContradictory) conflictInside(seen)
      else repeatInside(seen)
      if (then.replaces) replaceOlder(group, values)
  }
}

const isLowered = ({ severities }: Scope): boolean => severityOf('CONFLICT_MANDATE', severities) !== 'error'

function repeat(seen: Seen, where: string): void {
  const { group, live, older, values, counts } = seen
  const of = live ?? older[0] ?? null
  const text = of?.isErased === 1 ? HELD_ERASED : HELD_ALREADY
  const notice = counts.sendable > 0 ? asRepeat(group, text, of?.id) : REPEATED_NOTICE
  give(group.connection, 'duplicate', notice, `mandate_key = :key and ${where}`, values)
}

function wait(seen: Seen, rule: RuleId, isContradictory: boolean): void {
  const { group, live, older, counts, values } = seen
  const { connection, at } = group
  if (isContradictory) conflictInside(seen)
  const other = live ?? older.find(({ state }) => state === 'excluded') ?? older[0] ?? null
  const text = `${rule === 'CONFLICT_MANDATE' ? LATEST_DIFFERS : ruleOf(rule).message} Compare it with {row}.`
  const isBlocked = live !== null && live.state !== 'ready' && rule === 'CONFLICT_MANDATE'
  const notice = isBlocked ? blocked(live) : say(rule, text, other?.id)
  give(connection, 'conflict', notice, `mandate_key = :key and ${SENDABLE}`, values)
  const newcomer = sqlValue(connection)<number>`
    select min(row.id) from row where mandate_key = :key and ${IS_NEW} and ${SPEAKS}`.get(values)
  const said = say(rule, text, newcomer)
  if (live?.state === 'ready') holdWith(connection, said, live.id, at)
  // What has ended has no line to decide beside: what waits for another reason says it.
  else if (counts.ended > 0)
    writeNotice(connection, said, `mandate_key = :key and ${IS_OLD} and row.state = 'conflict'`, values)
}

/** The rows that were not sent give way to the first newcomer, whatever became of it. */
function replaceOlder({ connection }: Deciding, values: Readonly<Record<string, unknown>>): void {
  const first = `(select min(newer.id) from row as newer join temp.incoming on incoming.id = newer.source_id
    where newer.mandate_key = :key and turn = :turn and newer.state <> 'duplicate' and newer.${HAS_ITS_KEY})`
  const older = `mandate_key = :key and ${IS_OLD} and row.${HAS_ITS_KEY}`
  replaceRows(connection, `select id as old, ${first} as new from row where ${older}`, values)
}

function conflictInside({ group, counts, values }: Seen): void {
  const dates = counts.dates > 1 ? ' They name different dates of signature.' : ''
  const text = `${ruleOf('CONFLICT_MANDATE').message}${dates} Compare it with {row}.`
  const where = `mandate_key = :key and ${SENDABLE}`
  // The first one is compared with one that differs from it, all others with the first.
  const differing = `select min(row.id) from row where ${where} and ${SAID} <> (select ${SAID} from row where id = :one)`
  const other = `coalesce(:firstHeld, iif(row.id = :one, (${differing}), :one))`
  const all = { ...values, one: counts.first, firstHeld: counts.firstHeld }
  give(group.connection, 'conflict', say('CONFLICT_MANDATE', text, other), where, all)
}

function repeatInside(seen: Seen): void {
  const { group, counts, values } = seen
  if (counts.sendable < 2) return
  const { connection, severities } = group
  const one = counts.first
  const where = `mandate_key = :key and ${SENDABLE}`
  if (counts.lowest !== counts.highest && severityOf('CONFLICT_MANDATE', severities) === 'warning')
    writeNotice(
      connection,
      noticeOf('CONFLICT_MANDATE', { severity: 'warning', message: FIRST_IS_SENT, other: one }),
      where,
      values,
    )
  const { remedy, message } = ruleOf('DUPLICATE_MANDATE')
  const notice = asRepeat(group, `${message} It is {row}.`, one, remedy)
  give(connection, 'duplicate', notice, `${where} and row.id > :one`, { ...values, one })
}

const FIRST_IS_SENT = 'The same mandate occurs with different data. Only the first row is sent: {row}.'

const say = (
  rule: RuleId,
  message: string,
  other: ProblemText['other'] = null,
  more: Partial<ProblemText> = {},
): ProblemText => noticeOf(rule, { message, other, isBeside: true, ...more })

const asRepeat = (
  { severities }: Scope,
  message: string,
  other: ProblemText['other'] = null,
  remedy = 'Nothing to do.',
): ProblemText =>
  say('DUPLICATE_MANDATE', message, other, { severity: severityOf('DUPLICATE_MANDATE', severities), remedy })

function blocked({ id, state, isClosedAsGone, isClosedUnsent, kind }: Older): ProblemText {
  if (isClosedAsGone === 1 || isClosedUnsent === 1)
    return say('CONFLICT_MANDATE', isClosedAsGone === 1 ? CLOSED_AS_GONE : HELD_OTHERWISE, id, {
      remedy: BACK_REMEDY,
    })
  const why =
    kind === 'list' ? 'A person corrected it. ' : state === 'refused' ? 'Its request was in doubt once. ' : ''
  const remedy = state === 'written_off' ? CLOSED_REMEDY : why + WAITS_REMEDY
  return say('CONFLICT_MANDATE', HELD_OTHERWISE, id, { remedy })
}

const HELD_OTHERWISE = 'The ledger holds this mandate with other data, and a file cannot replace it: {row}.'
const CLOSED_AS_GONE =
  'It was written off because an export did not have it any more, or as ended, and this export has it: {row}.'
const BACK_REMEDY =
  'If it lives, write "send" into migration_decision of this line and give it back; else write this one off, too.'

const WAITS_REMEDY =
  'If these data are right, write "send" into migration_decision of the line and give it back.'
const CLOSED_REMEDY =
  'A person closed that row. Write this one off, too, or ask them how the mandate is to be migrated.'
