import { decideRow, give, isErased, noticeOf, PROGRAM } from '../admit/problems.js'
import { ruleOf } from '../../domain/rule/verdict.js'
import { transition } from '../../domain/row/row-state.js'
import { removePrivate, REPEATS_REGISTERED } from '../deliver/delivery.js'
import { IS_LATEST } from '../deliver/gate.js'
import { sql, sqlValue, type Connection } from '../file/connection.js'
import { SAID_DONE, SHOWN } from './comparison-reads.js'

/**
 * Records that say something else of a mandate than what was sent of it. They are one line of the cut-over, whether a run or
 * a comparison met them first: in conflict as long as it is open, and repetitions of the mandate once it is closed.
 */
const CONTRADICTS = `row.state = 'conflict' and row.rule = 'CONTRADICTS_SENT'`

/** SQL over `compared`: the bank, the service or a lost ledger opened the line, so that no export can answer it. */
export const IS_OF_OTHERS = `(why glob 'collected_*' or why in ('begun', '${SHOWN}'))`

/** SQL: rows whose mandates a person had changed or cancelled at the service because an export said so. */
export const CHANGED_THERE = `select row_id from (${SAID_DONE}) where not ${IS_OF_OTHERS}`

const DIGEST = 'coalesce(content_key, raw)'

/** SQL: class and `why` of what the record `:record` says of the row `:sent`, in the words of a comparison. */
const MET = `select case
      when record.why = 'lapsed' then 'dormant'
      when sent.state <> 'registered' then 'in_doubt_changed'
      when record.why = 'ended' then 'ended_after_registration' else 'changed_after_registration' end as class,
    record.why, sent.state <> 'registered' or record.why in ('ended', 'lapsed') as isHeld
  from row as sent, (select coalesce(nullif(trim(
        iif(said.content_key is not null, iif(said.customer_no is not held.customer_no, 'customer ', '')
          || iif(said.iban_key is not held.iban_key and not ${isErased('held')}, 'account ', '') || iif(said.signed_date is not held.signed_date, 'date ', ''), '')
        || iif(said.was = 'excluded', iif(said.own_rule = 'MANDATE_DORMANT', 'lapsed', 'ended'), '')), ''),
        iif(said.content_key is not null and said.mandate_key is not held.mandate_key, 'reference',
          iif(said.content_key is held.content_key, 'back', 'unclear'))) as why
      from (select row.*, :was as was, :rule as own_rule from row where row.id = :record) as said, row as held where held.id = :sent) as record
  where sent.id = :sent`

export interface Contradicting {
  /** The row that was sent. */
  readonly sent: number
  /** Each with the state and the rule that its own checks gave it, in order of id. */
  readonly records: readonly { readonly id: number; readonly was: string; readonly rule: string | null }[]
  readonly at: string
}

/** Records that are being imported, selected by `where` (SQL over `row`), become conflicts with the row that was sent, and open its line. */
export function contradict(
  connection: Connection,
  { where, values = {}, sent, at }: Omit<Contradicting, 'records'> & Contradicted,
): void {
  const records = sql(connection)<Contradicting['records'][number]>`
    select row.id, row.state as was, row.rule from row where ${where} order by row.id`.all(values)
  const message = `${ruleOf('CONTRADICTS_SENT').message} It is {row}.`
  const notice = noticeOf('CONTRADICTS_SENT', { message, other: sent, isBeside: true })
  give(connection, 'conflict', notice, where, values)
  noteContradicting(connection, { sent, records, at })
}

interface Contradicted {
  readonly where: string
  readonly values?: Readonly<Record<string, unknown>>
}

/**
 * Opens a line for the mandate, or one in the place of the open line that says what the records say besides; where one that
 * says the same was closed before, nothing is open.
 */
function noteContradicting(connection: Connection, { sent, records, at }: Contradicting): void {
  const isClosed = sql(connection)`
    select 1 from compared join row on row.id = :record where row_id = :sent and final is ${DIGEST} and decision_id is not null
      and not (row.content_key is (select content_key from row as held where held.id = :sent) and :sent in (${CHANGED_THERE}))`
  const open = records.filter(({ id }) => isClosed.get({ sent, record: id }) === undefined)
  if (open.length < records.length)
    answer(
      connection,
      records.filter((record) => !open.includes(record)).map(({ id }) => id),
      { by: PROGRAM, reason: 'A person closed a line of the cut-over that said the same', at },
    )
  const lineOf = sql(connection)<{ class: string; why: string }>`
    select class, why from compared where row_id = ? and ${IS_LATEST} and decision_id is null
      and (coalesce(met_by, row_id) = row_id or (select state from row as met where met.id = met_by) = 'conflict') order by id desc limit 1`
  for (const { id: record, was, rule } of open) {
    const line = lineOf.get(sent)
    const met = sql(connection)<Readonly<Record<'class' | 'why', string> & { isHeld: 0 | 1 }>>`${MET}`.get({
      ...{ sent, record, was, rule },
    })
    if (met === undefined) throw new Error(`Row ${sent} was not sent`)
    const said = new Set(line?.why.split(' '))
    const why = [...said, ...met.why.split(' ').filter((change) => !said.has(change))].join(' ')
    if (why === line?.why) continue
    const isEnded = line?.class === 'ended_after_registration'
    sql(connection)`
      insert into compared (comparison_id, row_id, class, why, is_held, final, met_by)
       select (select max(id) from comparison), :sent, :class, :why, :isHeld, ${DIGEST}, id from row where id = :record`.run(
      { ...met, ...(isEnded && { class: line.class }), why, sent, record },
    )
  }
}

/** Once the line of a row is closed, or a newer comparison finds the mandate as it was sent. `cross`: from that row on. */
export function answerContradicting(
  connection: Connection,
  row: number,
  answered: { readonly by: string; readonly reason: string; readonly at: string },
): void {
  const records = sqlValue(connection)<number>`
    select row.id from row as sent cross join row on row.mandate_key = sent.mandate_key
      where sent.id = :row and ${CONTRADICTS}
    union select row.id from compared join row on row.id = met_by where row_id = :row and ${CONTRADICTS}
    union select row.id from row as sent cross join row as theirs on theirs.mandate_key = sent.mandate_key
      cross join kin on other_id = theirs.id cross join row as mine on mine.id = kin.row_id
      cross join row on row.mandate_key = mine.mandate_key where sent.id = :row and ${CONTRADICTS} order by 1`
  answer(connection, records.all({ row }), answered)
}

function answer(
  connection: Connection,
  records: readonly number[],
  { by, reason, at }: { readonly by: string; readonly reason: string; readonly at: string },
): void {
  const [to, rule] = [transition('conflict', 'answered'), 'DUPLICATE_MANDATE'] as const
  for (const row of records) {
    decideRow(connection, { row, at, by, decision: 'answered', from: 'conflict', to, rule, reason })
    const ofMandate = `row.mandate_key = (select mandate_key from row where id = :row) and ${REPEATS_REGISTERED}`
    removePrivate(connection, `row.id = :row or ${ofMandate}`, { row })
  }
}

/** SQL: each record that contradicts a row that was sent, with that row; `isOwn`: under the same mandate key, else as its kin. */
const PAIRS = `(select row.id, sent.id as sent, 1 as isOwn from row join row as sent using (mandate_key) where ${CONTRADICTS}
      union select row.id, sent.id, 0 from row join row as mine using (mandate_key) join kin on kin.row_id = mine.id
        join row as theirs on theirs.id = kin.other_id join row as sent on sent.mandate_key = theirs.mandate_key where ${CONTRADICTS})`

/** SQL: those of them that this comparison does not answer, with the state and rule that their own checks gave them. */
const OPEN_RECORDS = `select sent.id as sent, row.id, iif(row.content_key is null, 'excluded', 'ready') as was,
    (select own.rule from problem as own where own.row_id = row.id and own.rule <> 'CONTRADICTS_SENT' order by own.id limit 1) as rule
  from ${PAIRS} as met
    join row using (id) join row as sent on sent.id = met.sent left join temp.verdict on verdict.id = sent.id
   where sent.state in ('registered', 'in_doubt', 'sending')
     and sent.id not in (select row_id from compared where comparison_id = :comparison)
     and (row.mandate_key <> sent.mandate_key or verdict.class is not 'unchanged' or row.content_key is null and not :doTellEnds)
   order by 1, 2`

/**
 * What runs met stays open until somebody has done something about it, or the last export answers it: by a line of its own, or
 * as it has the mandate as it was sent. One without the column that says ends answers no end, and none says that another
 * spelling is alive.
 */
export function keepContradicting(
  connection: Connection,
  { at, ...values }: { readonly comparison: number; readonly doTellEnds: number; readonly at: string },
): void {
  const records = sql(connection)<Contradicting['records'][number] & { sent: number }>`${OPEN_RECORDS}`
  for (const { sent, ...record } of records.all(values))
    noteContradicting(connection, { sent, records: [record], at })
}

/** A comparison that finds the mandate as it was sent, or repeats what a person has dealt with, answers what runs met before. */
export function answerByComparison(connection: Connection, at: string): void {
  const sent = sqlValue(connection)<number>`
    select distinct sent.id from ${PAIRS} as met join row as sent on sent.id = met.sent
      and sent.state in ('registered', 'in_doubt', 'sending')
      left join compared on compared.row_id = sent.id and ${IS_LATEST}
     where compared.id is null and isOwn or decision_id is not null`
  const reason = 'The last export has the mandate as it was sent, or somebody has dealt with what it says'
  for (const row of sent.all()) answerContradicting(connection, row, { by: PROGRAM, reason, at })
}
