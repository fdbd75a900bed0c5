import type { Fingerprints } from '../admit/fingerprints.js'
import { fingerprintsOf, noteChange } from '../deliver/campaign-rows.js'
import { sql, sqlValue, type Connection, type LedgerWork } from '../file/connection.js'
import type { HeardAnswer, HeldRow, ReadBackTerms } from '../ledger.js'
import type { Scope } from '../schema/schema.js'
import { isErased } from '../admit/problems.js'

/** A read-back that was broken off is gone on with for so long; later its first answers say too little. */
const CONTINUED_WITHIN_MS = 24 * 60 * 60_000

const IN_DOUBT = `
  insert or ignore into temp.to_ask (customer_no)
  select customer_no from row join attempt on row_id = row.id and n = attempts
   where state = 'in_doubt' and customer_no is not null
   group by customer_no order by max(attempt.id) desc`

const ofState = (state: 'registered' | 'ready'): string => `
  insert or ignore into temp.to_ask (customer_no)
  select customer_no from row where customer_no is not null and state = '${state}' order by row.id`

/**
 * Registered rows without which no absence counts (domain/README.md#read-back): of each run that left a row in doubt, and
 * of any where a decision put rows in doubt whose sending no run of this ledger knows.
 */
const VOUCHERS = `
  insert or ignore into temp.to_ask (customer_no)
  select customer_no from
    (select customer_no, run_id, row_number() over (partition by run_id order by row.id desc) as place,
       row_number() over (order by row.id desc) as place_of_all
       from row join attempt on row_id = row.id and n = attempts
      where state = 'registered' and customer_no is not null)
   where place <= 3 and run_id in
       (select run_id from row join attempt on row_id = row.id and n = attempts where state = 'in_doubt')
     or place_of_all <= 3 and exists
       (select 1 from row join attempt on attempt.row_id = row.id and n = attempts
          join decision on decision.row_id = row.id and attempt_id = attempt.id and to_state = 'in_doubt'
         where state = 'in_doubt')`

/** Whom to ask first, and in which states a sample is drawn. */
const QUEUES: Readonly<Record<Scope, readonly string[]>> = {
  in_doubt: [IN_DOUBT, VOUCHERS],
  registered: [ofState('registered')],
  ready: [ofState('ready')],
  all: [IN_DOUBT, ofState('registered'), ofState('ready')],
}
const statesOf = (scope: Scope): string =>
  scope === 'all' ? `('in_doubt', 'registered', 'ready')` : `('${scope}')`

export function readBackVerbs({ connection, file, clock, now, storage }: LedgerWork) {
  let position: number | null = null
  let fingerprints: Fingerprints | null = null
  const begin = <Value>(body: () => Value): Value => {
    fingerprints = fingerprintsOf(connection, file, 'read back the mandates of')
    return storage.write(body)
  }
  return {
    /**
     * One that goes along with a run, which asks about each row before it is sent; nobody is put in order, and it is never
     * gone on with. `rowsOf` and `record` are for it too.
     * @returns its id
     */
    startBeforeSending: ({ settings, ...terms }: Omit<ReadBackTerms, 'scope' | 'sample'>) =>
      begin(() => {
        const own = { scope: 'ready', sample: null, settings: { ...settings, beforeSending: true } } as const
        return insertReadBack(connection, { ...terms, ...own }, now())
      }),
    /** @throws {LedgerError} `unwritable` once the ledger was purged: there is nothing left to compare */
    start: (terms: ReadBackTerms) => {
      position = 0
      return begin(() => startReadBack(connection, terms, clock.now()))
    },
    /** The next customers to ask, in their order and each once; empty at the end. */
    next: (limit: number): number[] =>
      storage.guard(() => {
        if (position === null) return []
        const found = sql(connection)<{ position: number; customerNo: number }>`
          select position, customer_no as customerNo from temp.to_ask where position > ? order by position limit ?`.all(
          position,
          limit,
        )
        position = found.at(-1)?.position ?? position
        return found.map(({ customerNo }) => customerNo)
      }),
    rowsOf: (customerNo: number) =>
      storage.guard(() => (fingerprints === null ? [] : heldRowsOf(connection, fingerprints, customerNo))),
    record: (id: number, answers: readonly HeardAnswer[]) =>
      storage.write(() => recordAnswers(connection, id, answers)),
    /** One that was stopped stays open, to be gone on with. */
    end: (id: number, stoppedBy: string | null): void =>
      storage.write(() => {
        const at = now()
        noteChange(connection, at)
        const end = sql(connection)`update read_back set ended_at = ?, stopped_by = ? where id = ?`
        end.run(stoppedBy === null ? at : null, stoppedBy, id)
      }),
  }
}

/**
 * Finds the read-back to go on with, one of the last 24 hours that was broken off, or begins one, and puts the customers that
 * are still to be asked in their order.
 */
function startReadBack(connection: Connection, terms: ReadBackTerms, nowMs: number) {
  const { scope, sample } = terms
  const unended = sqlValue(connection)<number>`
    select id from read_back where scope = ? and sample is null and ended_at is null and started_at > ?
      and settings ->> '$.beforeSending' is null
      order by id desc limit 1`
  const since = new Date(nowMs - CONTINUED_WITHIN_MS).toISOString()
  const earlier = sample === null ? unended.get(scope, since) : undefined
  const id = earlier ?? insertReadBack(connection, terms, new Date(nowMs).toISOString())
  if (earlier !== undefined) sql(connection)`update read_back set stopped_by = null where id = ?`.run(id)
  connection.exec(`drop table if exists temp.to_ask;
    create temp table to_ask (position integer primary key, customer_no integer not null unique)`)
  if (sample === null) for (const queue of QUEUES[scope]) connection.exec(queue)
  else
    sql(connection)`
      insert or ignore into temp.to_ask (customer_no) select customer_no from row
        where state in ${statesOf(scope)} and customer_no is not null order by random() limit ?`.run(sample)
  sql(connection)`
    delete from temp.to_ask where customer_no in
       (select customer_no from question where read_back_id = ? and answer = 'listed')`.run(id)
  const customers = sqlValue(connection)<number>`select count(*) from temp.to_ask`.get() ?? 0
  return { id, isContinued: earlier !== undefined, customers }
}

function insertReadBack(connection: Connection, terms: ReadBackTerms, at: string): number {
  noteChange(connection, at)
  const { lastInsertRowid } = sql(connection)`
    insert into read_back (scope, sample, version, host, pid, settings, started_at)
       values (:scope, :sample, :version, :host, :pid, :settings, :at)`.run({
    ...terms,
    settings: JSON.stringify(terms.settings),
    at,
  })
  return Number(lastInsertRowid)
}

/**
 * Rows of a customer that the service may hold, or is yet to be sent: they are told apart from each other. A row whose
 * every request was refused or never left is none of them.
 */
const heldRowsOf = (connection: Connection, fingerprints: Fingerprints, customerNo: number): HeldRow[] =>
  sql(connection)<Omit<HeldRow, 'accountKey' | 'isAccount'> & { readonly key: Buffer }>`
    select id as rowId, attempts, iban_key as key, iban_masked as accountMasked,
       signed_date as signedDate, assigned_mandate_reference as reference
     from row where customer_no = ? and iban_key is not null and signed_date is not null
       and (state in ('ready', 'sending', 'registered', 'in_doubt') or exists
         (select 1 from attempt where row_id = row.id
           and (outcome is null or outcome in ('registered', 'in_doubt', 'released'))))
     order by id`
    .all(customerNo)
    .map(({ key, ...row }) => ({
      ...row,
      accountKey: key.toString('hex'),
      isAccount: (iban) => fingerprints.account(iban).equals(key),
    }))

/** Changes the state of no row. */
function recordAnswers(connection: Connection, readBackId: number, answers: readonly HeardAnswer[]): void {
  const question = sql(connection)`
    insert into question
       (read_back_id, customer_no, request_id, asked_at, answered_at, tries, answer, status, error_code, reason, sources)
     values (:readBackId, :customerNo, :requestId, :askedAt, :answeredAt, :tries, :answer, :status, :errorCode, :reason,
       :sources)`
  // The account of an erased row cannot be compared, so that no answer says anything of it.
  const proof = sql(connection)`
    insert into proof (question_id, row_id, attempts, verdict, why, sources)
     select :questionId, row.id, :attempts, :verdict, :why, :sources from row where id = :rowId and not ${isErased('row')}`
  for (const { proofs, ...answer } of answers) {
    const { lastInsertRowid } = question.run({ ...answer, readBackId })
    for (const { rowId, attempts, evidence } of proofs) {
      const sources = evidence.sources.length === 0 ? null : JSON.stringify(evidence.sources)
      const { verdict, why } = evidence
      proof.run({ questionId: Number(lastInsertRowid), rowId, attempts, verdict, why, sources })
    }
  }
  const last = answers.at(-1)
  if (last !== undefined) noteChange(connection, last.answeredAt)
}
