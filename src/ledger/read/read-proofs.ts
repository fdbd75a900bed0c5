import {
  absenceOf,
  mayShow,
  shownOf,
  type Absence,
  type Heard,
  cancellableOf,
} from '../../domain/proof/read-back.js'
import { ENDED } from '../../domain/proof/match-sources.js'
import type { RowState, VerdictCount, VerifiedVerdict } from '../../domain/row/row-state.js'
import { pagesOf, sql, sqlWithJson, sqlValue, type Connection } from '../file/connection.js'
import { BEGUN_FOR } from '../deliver/campaign-rows.js'
import { ownerOf } from '../deliver/delivery.js'
import { STRANGERS, WHO_VERDICTS, type WhoVerdict } from '../../domain/who/names.js'
import { BY_NAME } from '../prove/asked.js'
import { SAID_DONE, SHOWN } from '../compare/comparison-reads.js'
import { sqlList } from '../schema/schema.js'
import type { ProofRecord, ReadBackRecord, ShownDoubt, StatusCount, VerifiedRow } from './reader.js'

const COLUMNS = `proof.row_id as rowId, proof.attempts, question.answered_at as answeredAt,
  question.request_id as requestId, read_back_id as readBackId, verdict, why, coalesce(proof.sources, '[]') as sources`

const TABLES = 'proof join question on question.id = question_id'

const LATEST_OF_ROW = `row join proof on proof.id =
    (select max(latest.id) from proof as latest where latest.row_id = row.id)
  join question on question.id = question_id`

/**
 * The latest answer about each registered row, where it counts. Presence does from the row's latest request on, since
 * a doubt is settled by it; what contradicts a registration only where it was asked behind it, or the look before a
 * mandate was sent would contradict it. In this order, so that the rows without an answer are never looked at.
 */
const COUNTED = `proof cross join row on row.id = proof.row_id cross join question on question.id = question_id
  left join (${SAID_DONE}) as said on said.row_id = row.id`
const IS_MOVED = `said.why glob '*customer*'`
const IS_ENDED = `said.class is 'ended_after_registration'`
/** Something that the service shows was to be another. */
const IS_TO_DIFFER = `(${IS_ENDED} or ${IS_MOVED} or said.why glob '*account*' or said.why glob '*date*')`
const IS_COUNTED = `proof.id = (select max(latest.id) from proof as latest where latest.row_id = proof.row_id)
  and state = 'registered' and proof.attempts = row.attempts
  and (verdict in ('proven', 'twice') or asked_at > registered_at)
  and not (verdict = 'proven' and coalesce(asked_at < decided_at, false) and ${IS_TO_DIFFER})`

/** One of the sources shown, none of another row, is alive with the account that was sent, and with its date where it was to be changed. */
const LIVES = `exists (select 1 from json_each(proof.sources) where value ->> 'accountMasked' is iban_masked
  and upper(trim(coalesce(value ->> 'status', ''))) not in (${sqlList([...ENDED])})
  and (${IS_ENDED} or value ->> 'signedDate' is signed_date)
  and not exists (select 1 from row as other where other.id <> row.id
    and other.assigned_mandate_reference = trim(value ->> 'reference') collate nocase))`

/** What an answer says once somebody said that the mandate was cancelled or changed there: as it was sent, it is neither. */
const JUDGED = `case when said.class is null or verdict = 'unreadable' then verdict
  when said.why = '${SHOWN}' and verdict in ('absent', 'other') then 'decided'
  when verdict in ('proven', 'twice') then iif(asked_at >= decided_at and ${IS_TO_DIFFER}, 'other', verdict)
  when verdict = 'absent' and not (${IS_ENDED} or ${IS_MOVED}) or ${LIVES} then verdict
  else 'decided' end`
const IS_AS_SENT = `${IS_TO_DIFFER} and (verdict = 'proven' or ${LIVES})`
/**
 * SQL: as what a line about it would be called that the service shows no more, otherwise than it was sent, or as it was sent where
 * somebody said that it was changed, which then was ordered once more; `:id` is the row.
 */
export const SHOWN_OTHERWISE = `select case when ${IS_AS_SENT} then said.class
      when verdict = 'absent' or proof.why is 'ended' then 'ended_after_registration' else 'changed_after_registration' end as class,
    iif(${IS_AS_SENT}, said.why, '${SHOWN}') as why
  from ${COUNTED} where ${IS_COUNTED} and verdict in ('absent', 'other', 'proven') and ${JUDGED} in ('absent', 'other') and row.id = :id`
const JUDGED_WHY = `iif(verdict <> 'other' and ${JUDGED} = 'other', iif(${IS_ENDED}, 'not_ended', 'not_changed'), proof.why)`

/** What was read back of the service, by row and in all. The latest answer about a row counts. */
export function proofReads(connection: Connection) {
  let present: ReturnType<typeof readPresent> | null = null
  return {
    readBacks: () =>
      sql(connection)<ReadBackRecord>`
        select id, scope, sample, started_at as startedAt, ended_at as endedAt, stopped_by as stoppedBy,
           (select count(*) from question where read_back_id = read_back.id) as questions,
           (select count(*) from question where read_back_id = read_back.id and answer <> 'listed') as unanswered
         from read_back order by id`.all(),
    /** Name of the list that was laid beside the ledger after whatever was asked; null where there is none. */
    askedList: (): string | null =>
      sqlValue(connection)<string | null>`
        select settings ->> '$.list' from read_back order by id desc limit 1`.get() ?? null,
    /** Rows that were in doubt when somebody wrote them off, and that the latest answer shows. */
    shownClosed: (): number =>
      sqlValue(connection)<number>`
        select count(*) from row where state = 'written_off' and exists (select 1 from proof where proof.id =
          (select max(latest.id) from proof as latest where latest.row_id = row.id) and proof.attempts = row.attempts
            and verdict in ('proven', 'twice'))`.get() ?? 0,
    /** Who the customers are; null where nobody was asked. */
    who: () => readWho(connection),
    /** In the order in which it was asked. */
    proofsOfRow: (rowId: number) =>
      sqlWithJson<ProofRecord>(connection, 'sources')`
        select ${COLUMNS} from ${TABLES} where proof.row_id = ? order by proof.id`.all(rowId),
    /** The latest about each row in this state that was asked about, in order of row. */
    proofs: (state: RowState, after: number, limit: number) =>
      sqlWithJson<ProofRecord>(connection, 'sources')`
        select ${COLUMNS} from ${LATEST_OF_ROW} where state = ? and row.id > ? order by row.id limit ?`.all(
        state,
        after,
        limit,
      ),
    /** Rows by state and latest verdict, with the first and the last time of these answers. */
    proofCounts: () =>
      sql(connection)<VerdictCount & { state: RowState }>`
        select state, verdict, count(*) as count, min(question.answered_at) as firstAt, max(question.answered_at) as lastAt
           from ${LATEST_OF_ROW} group by state, verdict order by state, verdict`.all(),
    /** The creditor identifiers that the service assigned, two at most: more than one is all there is to know. */
    assignedCreditors: () =>
      sqlValue(connection)<string>`
        select distinct assigned_creditor_identifier from row where state = 'registered' order by 1 limit 2`.all(),
    /** Rows in doubt that were ever asked about, in order of row, with what was shown since their latest request. */
    shown: (after: number, limit: number) => {
      if (present === null || after === 0) present = readPresent(connection)
      return readShown(connection, present, after, limit)
    },
    /** Registered rows by the latest answer about them that counts; of one read-back alone where it is named. */
    verificationCounts: (readBack?: number) =>
      // Where nobody asked, no row is looked at.
      sql(connection)`select 1 from proof limit 1`.get() === undefined
        ? []
        : sql(connection)<VerdictCount>`
          select ${JUDGED} as verdict, count(*) as count, min(answered_at) as firstAt, max(answered_at) as lastAt from ${COUNTED}
              where ${IS_COUNTED} and (:readBack is null or read_back_id = :readBack) group by 1 order by 1`.all(
            { readBack: readBack ?? null },
          ),
    /** What the latest answer that counts says of a registered row. */
    verdictOf: (rowId: number): VerifiedVerdict | undefined =>
      sqlValue(connection)<VerifiedVerdict>`
        select ${JUDGED} from ${COUNTED} where ${IS_COUNTED} and proof.row_id = ?`.get(rowId),
    /** The registered rows of which it says so, in order of id. */
    verifiedRows: (verdict: VerifiedVerdict, after: number, limit: number): VerifiedRow[] =>
      sqlWithJson<Omit<VerifiedRow, 'cancellable'> & { hasOpenSibling: 0 | 1 }>(connection, 'sources')`
        select row.id as id, row.customer_no as customerNo, iban_masked as ibanMasked, signed_date as signedDate,
           assigned_creditor_identifier as assignedCreditorIdentifier,
           assigned_mandate_reference as assignedMandateReference, ${JUDGED} as verdict, ${JUDGED_WHY} as why, answered_at as answeredAt, coalesce(proof.sources, '[]') as sources,
           verdict = 'twice' and exists (select 1 from row as other where other.customer_no = row.customer_no and other.id <> row.id
             and other.state in ('in_doubt', 'sending') and other.iban_key is row.iban_key and other.signed_date is row.signed_date) as hasOpenSibling
          from ${COUNTED} where ${IS_COUNTED} and ${JUDGED} = ? and proof.row_id > ? order by proof.row_id limit ?`
        .all(verdict, after, limit)
        .map(({ hasOpenSibling, ...row }) => {
          const twice = { rowId: row.id, sources: row.sources, hasOpenSibling: hasOpenSibling === 1 }
          const cancellable =
            verdict === 'twice' ? cancellableOf(twice, (name) => ownerOf(connection, name) ?? null) : []
          return { ...row, cancellable }
        }),
    /** Rows that somebody had cancelled or changed at the service. `isToDiffer`: what a list shows was to be another. */
    saidDone: () =>
      new Map(
        sql(connection)<SaidDone & { rowId: number }>`
          select row_id as rowId, ${IS_ENDED} as isEnded, ${IS_MOVED} as isMoved, ${IS_TO_DIFFER} as isToDiffer from (${SAID_DONE}) as said`
          .all()
          .map(({ rowId, ...said }) => [rowId, said]),
      ),
    /** Distinct payment sources that are kept with these answers, by their status word as it was shown, the most first. */
    sourceStatuses: () =>
      sql(connection)<StatusCount>`
        select value ->> '$.status' as status,
           count(distinct coalesce(value ->> '$.id', row.id || ' ' || key)) as sources
          from ${COUNTED} cross join json_each(proof.sources) where ${IS_COUNTED}
          group by 1 order by 2 desc, 1`.all(),
    /** How many rows were drawn by the latest read-back of registered rows; null for all, and where there was none. */
    latestSample: (): number | null =>
      sqlValue(connection)<number | null>`
        select sample from read_back where scope in ('registered', 'all')
           and exists (select 1 from question where read_back_id = read_back.id) order by id desc limit 1`.get() ??
      null,
  }
}

/**
 * How many customers were compared; null where nobody was asked. Of several rows of one customer a held one counts, else one
 * that differed when the service was last asked.
 */
function readWho(connection: Connection): (Record<WhoVerdict, number> & { asked: number }) | null {
  const of = (verdict: WhoVerdict): string => `count(*) filter (where verdict = '${verdict}') as ${verdict}`
  const counts = sql(connection)<Record<WhoVerdict, number> & { asked: number }>`
    select count(*) as asked, ${WHO_VERDICTS.map(of).join(', ')} from
      (select verdict, max(answered_at || (verdict = 'differs') || (verdict <> 'agrees')) from
        (select customer_no, verdict, answered_at from who union all
         select customer_no, iif(rule = '${STRANGERS.differs}', 'differs', 'unknown'), 'held' from row
          where state = 'conflict' and rule in ${BY_NAME}) group by customer_no)`.get()
  return counts === undefined || counts.asked === 0 ? null : counts
}

type SaidDone = Readonly<Record<'isEnded' | 'isMoved' | 'isToDiffer', 0 | 1>>

type StoredDoubt = Omit<ShownDoubt, 'shown' | 'wasEverShown'> & {
  readonly heard: readonly (Omit<Heard, 'present'> &
    Pick<ProofRecord, 'why' | 'readBackId'> & { readonly isSince: boolean })[]
}

/** JSON of what was heard of a row in doubt. A question that was put before the latest request left, within its attempt, says nothing of it. */
const HEARD = `select json_group_array(json_object('askedAt', asked_at, 'answeredAt', answered_at, 'verdict', verdict, 'why', why,
    'readBackId', read_back_id, 'isListed', json(iif(answer = 'listed', 'true', 'false')), 'isSince', json(iif(proof.attempts = row.attempts
      and asked_at > coalesce(attempt.ended_at, attempt.started_at), 'true', 'false'))) order by proof.id)
  from ${TABLES} where row_id = row.id`

const readShown = (
  connection: Connection,
  presentIn: ReturnType<typeof readPresent>,
  after: number,
  limit: number,
): ShownDoubt[] =>
  sqlWithJson<StoredDoubt>(connection, 'heard')`
    select row.id as rowId, attempt.started_at as sentAt, ${BEGUN_FOR} as begunFor, (${HEARD}) as heard
       from row join attempt on row_id = row.id and n = attempts
      where state = 'in_doubt' and row.id > ? and exists (select 1 from proof where proof.row_id = row.id)
      order by row.id limit ?`
    .all(after, limit)
    .map(({ heard, ...doubt }) => {
      const all = heard.map(({ readBackId, ...one }) => ({ ...one, present: presentIn(readBackId) }))
      const wasEverShown = all.some(({ verdict, why, isListed }) => mayShow(verdict, why, isListed))
      return { ...doubt, shown: shownOf(all.filter(({ isSince }) => isSince)), wasEverShown }
    })

/** How many registered rows each read-back asked about and showed. */
function readPresent(connection: Connection): (readBackId: number) => number {
  const found = sql(connection)<{ readBackId: number; count: number }>`
    select read_back_id as readBackId, count(distinct row.id) as count
       from ${TABLES} join row on row.id = proof.row_id and state = 'registered'
      where verdict = 'proven' group by read_back_id`
  const counts = new Map(found.all().map(({ readBackId, count }) => [readBackId, count]))
  return (readBackId) => counts.get(readBackId) ?? 0
}

type Showing = Pick<ReturnType<typeof proofReads>, 'shown'>

/**
 * Rows in doubt that were ever asked about, in order of row, each with whether sending it again is proposed. The same ledger gives the same, whenever it is asked.
 * @param absentAfterMs how long after its latest request a row must still be absent
 */
export function* absences(reader: Showing, absentAfterMs: number) {
  for (const page of pagesOf(reader.shown, ({ rowId }) => rowId))
    for (const { rowId, ...facts } of page) yield { rowId, absence: absenceOf(facts, absentAfterMs) }
}

/** The same for a walk over rows in order of their numbers: null for a row that nothing is known of. */
export function absencesAlong(reader: Showing, absentAfterMs: number): (rowId: number) => Absence | null {
  const rest = absences(reader, absentAfterMs)
  let next = rest.next()
  return (rowId) => {
    while (next.done !== true && next.value.rowId < rowId) next = rest.next()
    return next.done !== true && next.value.rowId === rowId ? next.value.absence : null
  }
}
