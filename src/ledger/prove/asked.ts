import { type Fingerprints, prepareColumns, type HeaderColumns } from '../admit/stored-row.js'
import { doubtShown, fingerprintsOf, noteChange } from '../deliver/campaign-rows.js'
import {
  type LedgerWork,
  sql,
  sqlValue,
  type Connection,
  IS_CHOSEN,
  placedChoice,
  privateOf,
  rowsOf,
} from '../file/connection.js'
import type { HeardAnswer, HeldRow, ReadBackTerms, ShownList } from '../ledger.js'
import type { Scope } from '../schema/schema.js'
import { isErased, holdFound, noticeOf, PROGRAM } from '../admit/problems.js'
import type { Choice } from '../../domain/row/choice.js'
import { PAYER_FIELDS } from '../../domain/mandate/mandate.js'
import { severityOf, type SeverityOverrides } from '../../domain/rule/verdict.js'
import { cleanCell, namesInTemplate } from '../../domain/text/text.js'
import { isStranger, STRANGERS, type PayerClaim, type WhoVerdict } from '../../domain/who/names.js'
import { beforeSending, heldBackBecause } from '../../domain/proof/match-sources.js'
import type { RowState } from '../../domain/row/row-state.js'
import { hasLiveAttempt, MAY_BE_SENT } from '../deliver/gate.js'

/** A read-back that was broken off is gone on with for so long; later its first answers say too little. */
const CONTINUED_WITHIN_MS = 24 * 60 * 60_000

const IN_DOUBT = `
  insert or ignore into temp.to_ask (customer_no)
  select customer_no from row join attempt on row_id = row.id and n = attempts
   where state = 'in_doubt' and customer_no is not null
   group by customer_no order by max(attempt.id) desc`

const customersOf = (such: string): string => `
  insert or ignore into temp.to_ask (customer_no)
  select customer_no from row where customer_no is not null and (${such}) order by row.id`
/** With what a person closed in doubt: it may be there all the same. */
const REGISTERED = customersOf(`state = 'registered' or state = 'written_off'
    and exists (select 1 from attempt where row_id = row.id and n = attempts and outcome = 'in_doubt')`)
/** With what a person called refused: the service never said so. */
const READY = customersOf(`state = 'ready' or state = 'refused'
    and exists (select 1 from attempt where row_id = row.id and outcome = 'released')`)

/** Registered rows without which no absence counts (domain/README.md#read-back). */
const VOUCHERS = `
  insert or ignore into temp.to_ask (customer_no)
  select customer_no from row where state = 'registered' and customer_no is not null
      and exists (select 1 from row where state = 'in_doubt') order by id desc limit 3`

/** Whom to ask first, and in which states a sample is drawn. */
const QUEUES: Readonly<Record<Scope, readonly string[]>> = {
  in_doubt: [IN_DOUBT, VOUCHERS],
  registered: [REGISTERED],
  ready: [READY],
  all: [IN_DOUBT, REGISTERED, READY],
}
const statesOf = (scope: Scope): string =>
  scope === 'all' ? `('in_doubt', 'registered', 'ready')` : `('${scope}')`

const LISTED = { answer: 'listed', status: null, errorCode: null, reason: null } as const

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
    /** A list that a person laid beside the ledger is as one that was asked for and came at once. */
    keepList: (
      { name, evidence, rows }: ShownList,
      { version, host, pid }: Pick<ReadBackTerms, 'version' | 'host' | 'pid'>,
    ): void =>
      begin(() => {
        const [any] = rows
        if (any === undefined) return
        const at = now()
        const list = { version, host, pid, scope: 'all', sample: null, settings: { list: name } } as const
        const id = insertReadBack(connection, list, at)
        const heard = { requestId: evidence, askedAt: at, answeredAt: at, tries: 1, ...LISTED }
        function* answers(): Generator<HeardAnswer> {
          for (const { customerNo, ...proof } of rows)
            yield { ...heard, customerNo, sources: proof.evidence.sources.length, proofs: [proof] }
        }
        recordAnswers(connection, id, answers())
        sql(connection)`update read_back set ended_at = ? where id = ?`.run(at, id)
      }),
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

/** A row that a run might send, and that the service shows, becomes in doubt, as if it had been asked about just before it was sent. */
function recordAnswers(connection: Connection, readBackId: number, answers: Iterable<HeardAnswer>): void {
  const question = sql(connection)`
    insert into question
       (read_back_id, customer_no, request_id, asked_at, answered_at, tries, answer, status, error_code, reason, sources)
     values (:readBackId, :customerNo, :requestId, :askedAt, :answeredAt, :tries, :answer, :status, :errorCode, :reason,
       :sources)`
  // The account of an erased row cannot be compared, so that no answer says anything of it.
  const proof = sql(connection)`
    insert into proof (question_id, row_id, attempts, verdict, why, sources)
     select :questionId, row.id, :attempts, :verdict, :why, :sources from row where id = :rowId and not ${isErased('row')}`
  const unsent = sqlValue(connection)<RowState>`
    select state from row where id = ? and state in ('ready', 'refused') and not ${isErased('row')} and not ${hasLiveAttempt('row.mandate_key')}`
  let last: string | null = null
  for (const { proofs, ...answer } of answers) {
    last = answer.answeredAt
    const { lastInsertRowid } = question.run({ ...answer, readBackId })
    for (const { rowId, attempts, evidence } of proofs) {
      const sources = evidence.sources.length === 0 ? null : JSON.stringify(evidence.sources)
      const { verdict, why } = evidence
      const state = beforeSending(evidence) === 'hold_back' ? unsent.get(rowId) : undefined
      if (state !== undefined) {
        const because = heldBackBecause(evidence)
        const doubted = {
          row: rowId,
          state,
          at: answer.answeredAt,
          by: PROGRAM,
          reason: because,
          why: because,
        }
        doubtShown(connection, { ...doubted, decision: 'shown', isShown: true })
      }
      const n = attempts + Number(state !== undefined)
      proof.run({ questionId: Number(lastInsertRowid), rowId, attempts: n, verdict, why, sources })
    }
  }
  if (last !== null) noteChange(connection, last)
}

/** Whom to ask, in order, and what the export says of them. In memory alone: some 250 bytes a customer. */
export type WhoList = ReadonlyMap<number, readonly Claim[]>
export type WhoVerbs = ReturnType<typeof createWho>

interface Claim extends PayerClaim {
  /** Says that a row is the one that was compared, once its name is gone: made with the secret of the ledger. */
  readonly key: string
}

/** What came of a claim: what is kept of it, and no name. */
export interface Judged extends Pick<Claim, 'key'> {
  readonly customerNo: number
  readonly verdict: WhoVerdict
  readonly answeredAt: string
}

interface PayerRow {
  readonly id: number
  readonly sourceId: number
  readonly customerNo: number
  readonly cells: string
}

const PAYER_ROW = `row.id as id, source_id as sourceId, customer_no as customerNo, ${privateOf('row', 'cells')} as cells`
export const BY_NAME = `('${Object.values(STRANGERS).join(`', '`)}')`

/** Fewer may have moved or married, however short the file is. */
const FEWEST_STRANGERS = 3

/** Of several columns all count together. */
function payerCell({ header, columns }: HeaderColumns, cells: readonly string[], field: string): string {
  const { [field]: column } = columns
  // A column may have no name, and is none of these for that.
  const names = column === undefined ? [] : header.includes(column) ? [column] : namesInTemplate(column)
  return names
    .map((name) => cleanCell(cells[header.indexOf(name)] ?? ''))
    .join(' ')
    .trim()
}

type WhoParts = Omit<LedgerWork, 'clock'>

const latestOf = (connection: Connection, key: string): WhoVerdict | undefined =>
  sqlValue(connection)<WhoVerdict>`
    select verdict from who where claim = unhex(?) order by id desc limit 1`.get(key)

function claimsIn({ connection, file }: WhoParts, baseUrl: string): (row: PayerRow) => Claim {
  const columnsOf = prepareColumns(connection)
  const { raw } = fingerprintsOf(connection, file, 'compare the customers of')
  return ({ sourceId, customerNo, cells }) => {
    const read = JSON.parse(cells) as string[]
    const [name = '', orgNo = ''] = PAYER_FIELDS.map((field) => payerCell(columnsOf(sourceId), read, field))
    return { name, orgNo, key: raw(['who', baseUrl, String(customerNo), name, orgNo]).toString('hex') }
  }
}

/**
 * The customers of what would be sent, with what the export says of each, but for those of whom it is known that they
 * agree. Who differed before comes last, so that an asking that is broken off again and again comes to its end.
 */
function listCustomers(parts: WhoParts, baseUrl: string, choice: Choice | null): WhoList {
  const { connection } = parts
  const [list, fresh] = [new Map<number, Claim[]>(), new Set<number>()]
  const claimOf = claimsIn(parts, baseUrl)
  const page = sql(connection)<PayerRow>`
    select ${PAYER_ROW} from row where row.id > :after and ${MAY_BE_SENT} and ${IS_CHOSEN} order by row.id limit :limit`
  for (const row of rowsOf(page, { choice: placedChoice(connection, choice) })) {
    const [{ customerNo }, claim] = [row, claimOf(row)]
    const verdict = latestOf(connection, claim.key)
    const claims = list.get(customerNo) ?? []
    if (verdict === 'agrees' || verdict === 'no_name' || claims.some(({ key }) => key === claim.key)) continue
    list.set(customerNo, [...claims, claim])
    if (verdict === undefined) fresh.add(customerNo)
  }
  return new Map([...list].sort(([one], [other]) => Number(fresh.has(other)) - Number(fresh.has(one))))
}

/** Who the customers of the rows are, as far as the service was asked (ledger/README.md#evidence). */
export function createWho(parts: WhoParts) {
  const { connection, storage, now } = parts
  return {
    list: (baseUrl: string, choice: Choice | null) => listCustomers(parts, baseUrl, choice),
    record: (judged: readonly Judged[]): void =>
      storage.write(() => {
        const keep = sql(connection)`
          insert into who (customer_no, claim, verdict, answered_at) values (?, unhex(?), ?, ?)`
        for (const { customerNo, key, verdict, answeredAt } of judged)
          keep.run(customerNo, key, verdict, answeredAt)
        noteChange(connection, now())
      }),
    /**
     * Ready rows of other customers than the service has become conflicts, as far as the rules are errors and nobody said
     * that they are sent all the same. While an admission is open it is part of it.
     * @returns the first source that is refused for it
     */
    hold: (baseUrl: string, severities: SeverityOverrides) =>
      storage.join(() => {
        const [claimOf, sources] = [claimsIn(parts, baseUrl), new Set<number>()]
        const [at, said] = [now(), `named.rule in ${BY_NAME}`]
        for (const row of sql(connection)<PayerRow>`
          select ${PAYER_ROW} from row where +state = 'ready'
            and customer_no in (select customer_no from who where verdict in ('differs', 'unknown')) order by row.id`.all()) {
          const verdict = latestOf(connection, claimOf(row).key)
          if (!isStranger(verdict)) continue
          const notice = noticeOf(STRANGERS[verdict], { field: 'customer_no' })
          const severity = severityOf(STRANGERS[verdict], severities)
          if (holdFound(connection, row.id, notice, { severity, at, said })) sources.add(row.sourceId)
        }
        if (severityOf('FILE_CUSTOMERS_DIFFER', severities) !== 'error') return null
        const counted = [...sources].map((source) => countStrangers(connection, source))
        return counted.find(({ rows, compared }) => rows >= FEWEST_STRANGERS && rows * 10 > compared) ?? null
      }),
  }
}

/** How many rows of a source are held, of those whose customers were compared. */
function countStrangers(connection: Connection, sourceId: number) {
  const counted = sql(connection)<{ source: string; rows: number; compared: number }>`
    select (select name from source where id = :sourceId) as source, count(*) as compared,
      count(*) filter (where state = 'conflict' and rule in ${BY_NAME}) as rows
     from row where source_id = :sourceId and state not in ('duplicate', 'superseded', 'excluded', 'invalid')
      and customer_no in (select customer_no from who where verdict in ('agrees', 'differs', 'unknown'))`
  return counted.get({ sourceId }) ?? { source: '', rows: 0, compared: 0 }
}
