import {
  decideGroup,
  LIVE_STATES,
  REPLACEABLE_STATES,
  type GroupFacts,
  type GroupPlan,
  type LiveState,
} from '../../domain/row/row-state.js'
import { holdWith, isErased, nameOf, writeNotice, type ProblemText, type Scope } from './problems.js'
import { sqlList } from '../schema/schema.js'
import { removeOfMandate } from '../deliver/delivery.js'
import { rowsById, sql, sqlValue } from '../file/connection.js'
import { HAS_ITS_KEY } from '../correct/corrected-rows.js'
import { OPTIONAL_FIELDS } from '../../domain/mandate/mandate.js'
import { ruleOf, severityOf } from '../../domain/rule/verdict.js'

const PAGE = 500

const SENDABLE = `id >= :first and state = 'ready'`
/** A row that came back as it was is `duplicate` by now, and says nothing; one with the key of another says nothing of it. */
const HELD_BACK = `id >= :first and state not in ('ready', 'duplicate') and ${HAS_ITS_KEY}`
/** Held back by its own checks, as an older row was with the very same values, which a person may have closed since. */
const REPEATED = `state in ('invalid', 'excluded') and (exists (select 1 from row as older
    where older.raw = row.raw and older.id < :first and older.state in ('invalid', 'excluded'))
  or exists (select 1 from row as closed
    where closed.raw = row.raw and closed.raw is not null and closed.id < :first and closed.state = 'written_off'))`
/** What would be sent besides the identity; the account by its fingerprint, which outlives it. */
const contentIn = (row: string): string =>
  `(${row}.customer_no || ' ' || ${row}.signed_date || ' ' || hex(${row}.iban_key))`
const CONTENT = contentIn('row')

/** Rows without a mandate key that say what an older one said: the file was given again, with other rows changed. */
export function decideRepeats(scope: Scope): void {
  const { connection, first } = scope
  const where = `id >= :first and mandate_key is null and ${REPEATED}`
  writeNotice(scope, REPEATED_NOTICE, where, { first })
  sql(connection)`
    update row set state = 'duplicate', rule = 'DUPLICATE_MANDATE' where ${where}`.run({
    first,
  })
}

const REPEATED_NOTICE: ProblemText = {
  rule: 'DUPLICATE_MANDATE',
  severity: 'error',
  field: 'unique_mandate_reference',
  message: 'The row was read before with the same values, and they are still wrong.',
  remedy: 'Correct the values, then give the file again.',
}

/** SQL that is true for a newcomer of whose mandate an older row says something that `such` selects. */
const beside = (such: string): string => `row.id >= :first and row.corrects is null and exists (
  select 1 from row as older join source on source.id = older.source_id
    where older.mandate_key = row.mandate_key and older.id < :first and ${such})`
const IS_COLLECTED = `source.reading -> '$.collections' is not null`

/** Rows of the reference of a collection whose creditor is wrong, of their day or later: it may be the last one of them. */
const MAY_HAVE_ENDED = `
  with unclear (reference, due) as materialized (
    select upper(original_mandate_reference), max(coalesce(latest_first_debit, '9')) from row
      join source on source.id = source_id and (source_id = :sourceId or ${IS_COLLECTED})
      where state not in ('superseded', 'written_off') and row.id in (
        select row_id from problem where field = 'sepa_creditor_identifier' and severity = 'error') group by 1)
  select row.id from row cross join unclear on reference = upper(original_mandate_reference)
    where state = 'ready' and corrects is null and due >= coalesce(latest_first_debit, '')`

/**
 * Collection files may be given in any order. A row of a day before one that came in says nothing any more. One of the
 * same day, or beside a file of another kind, takes the place of no row that says something else: the mandate may have
 * ended there.
 */
export function decideDays(scope: Scope, at: string): void {
  const { connection, first, sourceId } = scope
  const field = 'unique_mandate_reference'
  const hold = (
    state: 'duplicate' | 'conflict',
    where: string,
    text: Pick<ProblemText, 'message' | 'remedy'>,
  ): void => {
    const rule = state === 'conflict' ? 'CONFLICT_MANDATE' : 'DUPLICATE_MANDATE'
    writeNotice(scope, { rule, severity: 'error', field, ...text }, where, { first })
    sql(connection)`update row set state = '${state}', rule = '${rule}' where ${where}`.run({ first })
  }
  const isLater = beside(`${IS_COLLECTED} and older.latest_first_debit > row.latest_first_debit`)
  hold('duplicate', `${isLater} and row.state in ('ready', 'invalid', 'excluded')`, {
    message: 'A later collection of this mandate came in before, and it counts.',
    remedy: 'Nothing to do.',
  })
  // One that repeats an ended mandate is `duplicate` too, and is no sign of life.
  const isAlive = `exists (select 1 from row as alive where alive.mandate_key = row.mandate_key
    and alive.id < :first and alive.state in (${sqlList(LIVE_STATES)}) and ${contentIn('alive')} = ${contentIn('row')})`
  const isOther = beside(`older.state <> 'superseded'
      and not coalesce(${IS_COLLECTED} and older.latest_first_debit < row.latest_first_debit, 0)
      and not coalesce(older.state in ('duplicate', ${sqlList(LIVE_STATES)}) and ${contentIn('older')} = ${contentIn('row')} and ${isAlive}, 0)`)
  const { message, remedy } = ruleOf('CONFLICT_MANDATE')
  hold('conflict', `${isOther} and row.state = 'ready'`, { message, remedy })
  const notice = {
    rule: 'CONFLICT_MANDATE',
    severity: 'error',
    field,
    message:
      'A collection of this reference on that day or later has a wrong creditor identifier. It may be the last one of this mandate.',
    remedy,
  } as const
  for (const row of sqlValue(connection)<number>`${MAY_HAVE_ENDED}`.all({ sourceId }))
    holdWith(scope, notice, row, at)
}

interface Collision {
  readonly id: number
  readonly key: string
  readonly hasOlder: 0 | 1
}

interface Counts {
  readonly sendable: number
  readonly lowest: string | null
  readonly highest: string | null
  readonly likeLive: number
  readonly firstSendable: number | null
  readonly heldBack: number
  readonly firstHeldBack: number | null
  readonly unchanged: number
}

interface LiveRow {
  readonly id: number
  readonly state: LiveState
  readonly content: string
  readonly day: string | null
}

/** A mandate key with what the ledger knows of its rows. */
interface Group {
  readonly key: string
  readonly hasOlder: boolean
  readonly counts: Counts
  readonly live: LiveRow | null
  readonly facts: GroupFacts
}

/**
 * Decides every mandate key of the new source that occurs more than once, in it or in the ledger. Groups are counted
 * by SQL and read page by page: a file in which a million rows share one filler reference needs no memory.
 */
export function decideGroups(scope: Scope): void {
  const { connection, first } = scope
  connection.exec(
    `create temp table if not exists collision
       (id integer primary key, key text not null, has_older integer not null)`,
  )
  connection.exec('delete from temp.collision')
  sql(connection)`
    insert into temp.collision (key, has_older) select mandate_key, min(id) < :first from row where mandate_key is not null
      group by mandate_key having count(*) > 1 and max(id) >= :first`.run({ first })
  const deciding: Deciding = { ...scope, words: wordsOf(scope) }
  const page = sql(connection)<Collision>`
    select id, key, has_older as hasOlder from temp.collision where id > ? order by id limit ?`
  for (const collision of rowsById((after) => page.all(after, PAGE))) {
    const group = readGroup(scope, collision)
    if (!isRevived(deciding, group)) apply(deciding, group, decideGroup(group.facts))
  }
  connection.exec('delete from temp.collision')
}

/**
 * Holds rows of a mandate that an earlier export kept back by a column that this one does not have: it says nothing of
 * whether the mandate lives.
 */
function isRevived(deciding: Deciding, { key, hasOlder, counts }: Group): boolean {
  if (!hasOlder || counts.sendable === 0) return false
  const { connection, columns, header, first, words } = deciding
  // What stands in its header somebody has decided about.
  const known = [...Object.keys(columns), ...header]
  const former = sqlValue(connection)<number>`
    select id from row where mandate_key = :key and id < :first and state in ('excluded', 'conflict', 'invalid') and ${HAS_ITS_KEY}
       and (exists (select 1 from problem where row_id = row.id and problem.rule = row.rule
           and field in (${sqlList(OPTIONAL_FIELDS)})
           and not exists (select 1 from json_each(:known) where value in (field, column_name)))
         or rule = 'EXCLUDED_BY_CONFIGURATION' and exists (select 1 from source, json_each(reading -> '$.exclude') as kept
           where source.id = source_id and typeof(kept.value ->> 'column') = 'text' and not exists (
             select 1 from json_each(:known) as has where lower(has.value) = lower(kept.value ->> 'column'))))
       and not exists (select 1 from temp.given_back as word join row as said on said.id = word.id
         where is_decided = 1 and said.mandate_key = :key) limit 1`.get({
    key,
    first,
    known: JSON.stringify(known),
  })
  if (former === undefined) return false
  give(deciding, 'conflict', SENDABLE, { key, first }, words.revived(nameOf(deciding, former)))
  return true
}

/** A refused row of an erased customer bars its mandate like one that a person closed: nothing tells any more what it held. */
const LIVE_OF_MANDATE = `select id, iif(state = 'refused' and ${isErased('row')}, 'written_off', state) as state,
    ${CONTENT} as content, latest_first_debit as day from row
  where mandate_key = :key and id < :first and state in (${sqlList(LIVE_STATES)})
  order by state = 'written_off', id desc limit 1`

const COUNTS_OF_MANDATE = `select count(*) filter (where ${SENDABLE}) as sendable,
    min(${CONTENT}) filter (where ${SENDABLE}) as lowest,
    max(${CONTENT}) filter (where ${SENDABLE}) as highest,
    count(*) filter (where ${SENDABLE} and ${CONTENT} = :content) as likeLive,
    min(id) filter (where ${SENDABLE}) as firstSendable,
    count(*) filter (where ${HELD_BACK}) as heldBack,
    min(id) filter (where ${HELD_BACK}) as firstHeldBack,
    count(*) filter (where ${HELD_BACK} and ${REPEATED}) as unchanged
  from row where mandate_key = :key`

function readGroup({ connection, first, severities }: Scope, { key, hasOlder }: Collision): Group {
  const live =
    hasOlder === 1 ? (sql(connection)<LiveRow>`${LIVE_OF_MANDATE}`.get({ key, first }) ?? null) : null
  const content = live?.content ?? null
  const counts = sql(connection)<Counts>`${COUNTS_OF_MANDATE}`.get({ key, first, content })
  if (counts === undefined) throw new Error('A count gave no row')
  const newcomer = sql(connection)<Omit<LiveRow, 'state'>>`
    select id, ${CONTENT} as content, latest_first_debit as day from row where id = ?`.get(
    counts.firstSendable,
  )
  // The same once more, and collected later: what waits would lapse too early.
  const isLater =
    live?.state === 'ready' && newcomer?.content === content && (newcomer.day ?? '') > (live.day ?? '9')
  return {
    key,
    hasOlder: hasOlder === 1,
    counts,
    live,
    facts: {
      sendable: {
        count: counts.sendable,
        agree: counts.lowest === counts.highest,
        likeLive: counts.likeLive,
        firstIsLikeLive:
          content !== null &&
          !isLater &&
          [content, ...correctedBy(connection, live)].includes(newcomer?.content ?? ''),
      },
      heldBack: { count: counts.heldBack, unchanged: counts.unchanged },
      live: live?.state ?? null,
      conflictHolds: severityOf('CONFLICT_MANDATE', severities) === 'error',
    },
  }
}

/** What a row said before people corrected it: the former system may go on exporting it as it was. */
const correctedBy = (connection: Scope['connection'], live: LiveRow | null): string[] =>
  sqlValue(connection)<string>`
    with recursive former (id) as (select :id
      union select old.id from former join row as here on here.id = former.id and here.corrects > 0
        join row as old on old.superseded_by = here.id)
    select ${CONTENT} from former join row using (id)`.all({ id: live?.id ?? 0 })

/** The source at hand, with what is said of its groups. */
interface Deciding extends Scope {
  readonly words: ReturnType<typeof wordsOf>
}

function apply(deciding: Deciding, group: Group, plan: GroupPlan): void {
  const { connection, first } = deciding
  const { key, live } = group
  if (plan.heldBack === 'duplicate') repeatHeldBack(deciding, group)
  switch (plan.sendable) {
    case 'first_goes':
      repeatInside(deciding, group)
      break
    case 'conflict':
      conflictInside(deciding, group)
      break
    case 'duplicate':
      repeatLive(deciding, group)
      break
    case 'against_live':
      if (live !== null) against(deciding, live, group)
      break
  }
  if (plan.supersede && group.hasOlder)
    sql(connection)`
      update row set state = 'superseded', superseded_by =
         (select min(newer.id) from row as newer
           where newer.mandate_key = :key and newer.id >= :first and newer.state <> 'duplicate' and newer.${HAS_ITS_KEY})
       where mandate_key = :key and id < :first and state in (${sqlList(REPLACEABLE_STATES)}) and ${HAS_ITS_KEY}
         and not (state = 'refused' and ${isErased('row')})`.run({ key, first })
  if (live?.state === 'registered') removeOfMandate(connection, key)
}

/** Gives rows of the mandate a state that holds them back, and says why. */
function give(
  deciding: Deciding,
  state: 'conflict' | 'duplicate',
  where: string,
  values: Readonly<Record<string, unknown>>,
  notice: ProblemText | null,
): void {
  if (notice !== null) writeNotice(deciding, notice, `mandate_key = :key and ${where}`, values)
  const rule = state === 'conflict' ? 'CONFLICT_MANDATE' : 'DUPLICATE_MANDATE'
  sql(deciding.connection)`
    update row set state = '${state}', rule = '${rule}' where mandate_key = :key and ${where}`.run(values)
}

function repeatHeldBack(deciding: Deciding, { key, counts }: Group): void {
  if (counts.heldBack === 0) return
  const values = { key, first: deciding.first }
  give(deciding, 'duplicate', `id >= :first and state in ('invalid', 'excluded')`, values, REPEATED_NOTICE)
}

function conflictInside(deciding: Deciding, { key, counts }: Group): void {
  const { connection, words, first } = deciding
  const one = counts.firstSendable
  const values = { key, first, one }
  const differing = sqlValue(connection)<number>`
    select min(id) from row where mandate_key = :key and ${SENDABLE}
       and ${CONTENT} <> (select ${CONTENT} from row where id = :one)`
  const other = counts.firstHeldBack ?? differing.get(values) ?? null
  give(deciding, 'conflict', `${SENDABLE} and id = :one`, values, words.conflict(nameOf(deciding, other)))
  const name = nameOf(deciding, counts.firstHeldBack ?? one)
  give(deciding, 'conflict', SENDABLE, values, words.conflict(name))
}

function repeatInside(deciding: Deciding, { key, counts, facts }: Group): void {
  if (counts.sendable < 2) return
  const { words, first } = deciding
  const values = { key, first, one: counts.firstSendable }
  const name = nameOf(deciding, counts.firstSendable)
  const loweredConflict = words.loweredConflict(name)
  if (!facts.sendable.agree && loweredConflict !== null)
    writeNotice(deciding, loweredConflict, `mandate_key = :key and ${SENDABLE}`, values)
  give(deciding, 'duplicate', `${SENDABLE} and id > :one`, values, words.duplicateInFile(name))
}

function repeatLive(deciding: Deciding, { key, live }: Group): void {
  const notice = deciding.words.duplicateInLedger(nameOf(deciding, live?.id ?? null))
  give(deciding, 'duplicate', SENDABLE, { key, first: deciding.first }, notice)
}

function against(deciding: Deciding, live: LiveRow, { key, counts }: Group): void {
  if (counts.sendable === 0) return
  const { words, first } = deciding
  const values = { key, first, content: live.content }
  const name = nameOf(deciding, live.id)
  const isLikeLive = `${SENDABLE} and ${CONTENT} = :content`
  give(deciding, 'duplicate', isLikeLive, values, words.duplicateInLedger(name))
  give(deciding, 'conflict', SENDABLE, values, words.blocked(live.state, name))
}

/** What the operator reads. `name` says which other row it is about. */
function wordsOf({ severities }: Scope) {
  const say = (
    rule: 'DUPLICATE_MANDATE' | 'CONFLICT_MANDATE',
    severity: ProblemText['severity'],
    message: string,
    remedy = ruleOf(rule).remedy,
  ): ProblemText => ({ rule, severity, field: 'unique_mandate_reference', message, remedy })
  const duplicate = severityOf('DUPLICATE_MANDATE', severities)
  const asDuplicate = (message: string, remedy?: string): ProblemText | null =>
    duplicate === 'off' ? null : say('DUPLICATE_MANDATE', duplicate, message, remedy)
  return {
    duplicateInFile: (name: string) => asDuplicate(`${ruleOf('DUPLICATE_MANDATE').message} It is ${name}.`),
    duplicateInLedger: (name: string) =>
      asDuplicate(`The ledger holds this mandate already, with the same data: ${name}.`, 'Nothing to do.'),
    conflict: (name: string) =>
      say('CONFLICT_MANDATE', 'error', `${ruleOf('CONFLICT_MANDATE').message} Compare it with ${name}.`),
    revived: (name: string) =>
      say(
        'CONFLICT_MANDATE',
        'error',
        `An earlier export kept this mandate back by a column that this one does not have: ${name}.`,
        'Export again with that column, or write "send" into migration_decision of the line if the mandate lives.',
      ),
    loweredConflict: (name: string) => {
      const message = `The same mandate occurs with different data. Only the first row is sent: ${name}.`
      const isLowered = severityOf('CONFLICT_MANDATE', severities) === 'warning'
      return isLowered ? say('CONFLICT_MANDATE', 'warning', message) : null
    },
    blocked: (state: LiveState, name: string) => {
      const message = `The ledger holds this mandate with other data, and a file cannot replace it: ${name}.`
      return say('CONFLICT_MANDATE', 'error', message, BLOCKED_REMEDY[state])
    },
  }
}

const AT_THE_SERVICE = 'Change the mandate at the service if the new data are right.'
const BLOCKED_REMEDY: Readonly<Record<LiveState, string>> = {
  ready: AT_THE_SERVICE,
  refused: AT_THE_SERVICE,
  sending: 'Wait for its outcome, then give the file again.',
  registered: AT_THE_SERVICE,
  in_doubt: 'Resolve that row first, then give the file again.',
  written_off: 'That row was closed by a person. Ask them before this mandate is migrated another way.',
}
