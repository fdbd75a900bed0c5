import {
  CORRECTED,
  changesText,
  NO_REASON,
  type Corrector,
  type FieldChange,
} from '../../domain/row/correction.js'
import { type Field, FIELDS } from '../../domain/mandate/mandate.js'
import { showValue, type RuleId, ruleOf } from '../../domain/rule/verdict.js'
import { cleanCell, cleanIban } from '../../domain/text/text.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { prepareColumns, requiredCells } from '../admit/fingerprints.js'
import { rowsById, sql, sqlValue, type Connection } from '../file/connection.js'
import { holdWith, writeNotice, type ProblemText, type Scope } from '../admit/problems.js'
import { latestOf } from '../admit/earlier-rows.js'
import { isTaking } from '../deliver/gate.js'

const PAGE = 500
/** Rows of one line at the most are passed over, and it is one row that is looked for. */
const BEARERS_AT_ONCE = 100

/** Hold a correction back that has what belongs to another row. */
const TAKES_REFERENCE = 'CORRECTION_TAKES_REFERENCE'
const TAKES_ACCOUNT = 'CORRECTION_TAKES_ACCOUNT'
const TAKES_CUSTOMER = 'CORRECTION_TAKES_CUSTOMER'
const TAKEN = {
  [TAKES_REFERENCE]: 'unique_mandate_reference',
  [TAKES_ACCOUNT]: 'iban',
  [TAKES_CUSTOMER]: 'customer_no',
} as const satisfies Partial<Record<RuleId, Field>>

interface Changed {
  readonly id: number
  readonly former: number
  readonly isDecided: 0 | 1
}

interface Found {
  readonly rule: keyof typeof TAKEN
  /** Null where it is not known whose it is. */
  readonly other: number | null
}

/**
 * A column that moved by a line gives each row what belongs to its neighbour. So a reference that any other row of the
 * ledger ever had, an account that another customer has, or a customer number that another line of the file had and lost
 * waits for a person. Beside their word only a row that still claims the very mandate counts: one of both must be wrong.
 * Where two lines show that the accounts moved, those of the others are their neighbours', which the ledger need not know.
 */
export function holdAnothersValues(scope: Scope, at: string): void {
  const { connection, first } = scope
  if (!gatherBearers(scope)) return
  const page = sql(connection)<Changed>`
    select changed.id, former, is_decided as isDecided from temp.changed
       join temp.correction on correction.id = changed.id
       join temp.given_back on given_back.id = changed.id
      where changed.id > ? order by changed.id limit ?`
  const movedIn = new Set(sqlValue(connection)<number>`${MOVED_FILES}`.all(first))
  const customers = new Map(
    sql(connection)<{ id: number; other: number | null }>`${MOVED_CUSTOMERS}`
      .all()
      .map(({ id, other }) => [id, other]),
  )
  const gotAccountIn = sqlValue(connection)<number>`
    select source_id from temp.changed join row on row.id = changed.id where changed.id = ? and account is not null`
  for (const line of rowsById((after) => page.all(after, PAGE))) {
    const moved = (): Found | null => {
      if (line.isDecided === 1) return null
      if (movedIn.has(gotAccountIn.get(line.id) ?? 0)) return { rule: TAKES_ACCOUNT, other: null }
      const other = customers.get(line.id)
      return other === undefined ? null : { rule: TAKES_CUSTOMER, other }
    }
    const found = look(connection, line) ?? moved()
    if (found !== null) hold(scope, line, found, at)
  }
}

const SHORTEST_IBAN = 15

/**
 * Accounts that cannot be read are compared without their check digits, which are what is usually wrong.
 * @returns false where no reference, account or customer was changed
 */
function gatherBearers({ connection, first }: Scope): boolean {
  connection.exec(`
    create temp table if not exists changed (id integer primary key, reference text, spelling integer, account blob, digits text,
      customer_no integer, was_customer integer);
    create temp table if not exists bearer
      (id integer primary key, reference text, spelling integer, account blob, digits text, customer_no integer);
    create index if not exists temp.changed_customer on changed (was_customer);
    create index if not exists temp.bearer_digits on bearer (digits);
    create index if not exists temp.bearer_reference on bearer (reference);
    create index if not exists temp.bearer_spelling on bearer (spelling);
    create index if not exists temp.bearer_account on bearer (account);
    delete from temp.changed; delete from temp.bearer`)
  const columnsOf = prepareColumns(connection)
  // While a statement runs, nothing else can be asked.
  for (const source of sqlValue(connection)<number>`select id from source`.all()) columnsOf(source)
  connection.function('digits_of', (source, cells, iban) => {
    if (iban === null && cells === null) return null
    const [cell = ''] =
      typeof iban === 'string'
        ? [iban]
        : requiredCells(columnsOf(Number(source)), JSON.parse(String(cells)) as string[], ['iban'])
    const account = cleanIban(cell)
    return account.length < SHORTEST_IBAN ? null : account.slice(0, 2) + account.slice(4)
  })
  const changed = sql(connection)`
    insert into temp.changed
       select now.id,
              iif(upper(now.original_mandate_reference) is upper(base.original_mandate_reference), null,
                upper(now.original_mandate_reference)),
              iif(now.spelling is base.spelling, null, now.spelling),
              iif(now.iban_key is base.iban_key, null, now.iban_key),
              nullif(digits_of(now.source_id, now.cells, now.iban), digits_of(base.source_id, base.cells, base.iban)),
              now.customer_no, base.customer_no
         from temp.correction join row as now on now.id = correction.id
         join row as base on base.id = correction.base
        where upper(now.original_mandate_reference) is not upper(base.original_mandate_reference)
           or now.iban_key is not base.iban_key or now.customer_no <> base.customer_no`.run().changes
  if (changed === 0) return false
  // One walk over all rows. What was given back and not taken is no row of the campaign.
  sql(connection)`
    insert into temp.bearer
       select id, upper(original_mandate_reference), spelling, iban_key,
           iif(content_key is null, digits_of(source_id, cells, iban), null), customer_no from row
        where (upper(original_mandate_reference) in (select reference from temp.changed)
            or spelling in (select spelling from temp.changed)
            or iban_key in (select account from temp.changed)
            or content_key is null and digits_of(source_id, cells, iban) in (select digits from temp.changed))
          and not (counted_in is null and state <> 'superseded' and id < ?) and state <> 'duplicate'`.run(
    first,
  )
  return true
}

/** A spreadsheet takes zeros in front away. */
const HAS_REFERENCE = '(bearer.reference = changed.reference or bearer.spelling = changed.spelling)'
const HAS_MANDATE = `${HAS_REFERENCE} and other.mandate_key = now.mandate_key
  and other.state not in ('superseded', 'written_off')`
const HAS_ACCOUNT = `(bearer.account = changed.account or bearer.digits = changed.digits)
  and (bearer.customer_no is not changed.customer_no or changed.customer_no is not was_customer)`

/** Files with two lines beside each other that have one account, new in one of them, and nobody said that this is right. */
const MOVED_FILES = `select distinct now.source_id from temp.changed join row as now on now.id = changed.id
      join row as beside on beside.id in (changed.id - 1, changed.id + 1) and beside.source_id = now.source_id
    where beside.id >= ? and beside.iban_key = changed.account and beside.customer_no is not changed.customer_no
      and not exists (select 1 from temp.given_back as said where said.id in (changed.id, beside.id) and is_decided = 1)`

/** Lines with a customer number that another line of their file lost, or that such a line next to them had; and as they were held before. */
const MOVED_CUSTOMERS = `
  with line as materialized (select changed.id, source_id, base, former, changed.customer_no, was_customer
      from temp.changed join row using (id) join temp.correction using (id) where changed.customer_no is not was_customer),
    moved as (select line.id, line.source_id, min(other.base) as other from line join temp.changed as lost on lost.was_customer = line.customer_no and lost.customer_no is not lost.was_customer join line as other on other.id = lost.id
        and other.source_id = line.source_id and other.id <> line.id group by 1)
  select id, other from moved
  union all select line.id, named.id from line join row as beside on beside.id in (line.id - 1, line.id + 1)
      and beside.source_id = line.source_id join row as named on named.id = beside.corrects and named.customer_no = line.customer_no
    where line.source_id in (select source_id from moved) and line.id not in (select id from moved)
  union all select line.id, null from line join row as held on held.id = former and held.rule = '${TAKES_CUSTOMER}'
      and held.customer_no = line.customer_no where line.id not in (select id from moved)`

/** Finds another row that has the reference or the account; null where there is none. */
function look(connection: Connection, { id, former, isDecided }: Changed): Found | null {
  const formerOf = sqlValue(connection)<number>`
    select former from temp.correction where id = ?`
  const found = (isBearer: string): number | undefined =>
    sqlValue(connection)<number>`
      select bearer.id from temp.changed join temp.bearer on ${isBearer}
         join row as other on other.id = bearer.id join row as now on now.id = changed.id
        where changed.id = ? and bearer.id <> changed.id
          and (other.content_key is null or other.content_key is not now.content_key)
        order by bearer.id limit ?`
      .all(id, BEARERS_AT_ONCE)
      .find((row) => {
        const last = latestOf(connection, row)
        return last !== id && last !== former && formerOf.get(row) !== former
      })
  const reference = found(isDecided === 1 ? HAS_MANDATE : HAS_REFERENCE)
  if (reference !== undefined) return { rule: TAKES_REFERENCE, other: reference }
  const account = isDecided === 1 ? undefined : found(HAS_ACCOUNT)
  return account === undefined ? null : { rule: TAKES_ACCOUNT, other: account }
}

function hold(scope: Scope, { id, former, isDecided }: Changed, { rule, other }: Found, at: string): void {
  const { connection } = scope
  // The row number may be that of another mandate of the customer, and the account the new one of this.
  const shown = sqlValue(connection)<number>`
    select other.id from row as now join row as other on other.mandate_key = now.mandate_key
      where now.id = ? and other.id < now.id and other.id <> ? and other.customer_no = now.customer_no
        and other.state = 'ready' and other.attempts = 0`
  for (const row of shown.all(id, former)) {
    const message = `A line that was given back shows this mandate and names row ${former}. It may be meant for either row.`
    const remedy = 'Give the line back with this row in migration_row, and the other row as it should be.'
    const field = 'unique_mandate_reference'
    holdWith(connection, { rule: 'CONFLICT_MANDATE', severity: 'error', field, message, remedy }, row, at)
  }
  const { message, remedy } = ruleOf(rule)
  const notice: ProblemText = {
    rule,
    severity: 'error',
    field: TAKEN[rule],
    message:
      other !== null ? `${message} It is that of {row}.` : rule === TAKES_ACCOUNT ? MAY_HAVE_MOVED : message,
    remedy: isDecided === 1 ? BOTH_CLAIM_IT : remedy,
    other,
  }
  const give = sql(connection)`
    update row set rule = ?, state = iif(state = 'ready', 'conflict', state)
      where id = ? and state in ('ready', 'invalid', 'excluded')`
  if (give.run(rule, id).changes > 0) writeNotice(connection, notice, 'id = :id', { id })
}

const MAY_HAVE_MOVED =
  'Two other lines of the file, beside each other, give one account to two customers. The column may have moved, and this account may be that of a neighbour.'

const BOTH_CLAIM_IT =
  'Two rows claim one mandate, and only one of them can be sent. Correct the other row or write it off, then give this line back with "send" in migration_decision.'

/**
 * Remembers which row a line corrects, while its source is being admitted, and the row with whose values it is compared:
 * what was held back meanwhile was never agreed to.
 */
export function noteFormer(connection: Connection, id: number, former: number, state: string): void {
  const before = sqlValue(connection)<number | null>`
    select (select max(older.id) from row as older where older.heir = coalesce(row.heir, row.id) and older.superseded_by = row.id)
       from row where id = ? and ${isTaking('row')}`
  let base = former
  for (let next = before.get(base); typeof next === 'number'; next = before.get(base)) base = next
  sql(connection)`insert into temp.correction values (?, ?, ?, ?)`.run(id, former, base, state)
}

/** The line is about this row; it takes its place if that is replaced. */
export const isAbout = (connection: Connection, newcomer: number, row: number): void =>
  void sql(connection)`insert or replace into temp.about values (?, ?)`.run(newcomer, row)

/**
 * Control totals count mandates of the campaign. Every record of an export counts in its source, and a correction in the
 * place of the row that it replaces, in whose source it counts from then on. What is left over counts nowhere. Once all
 * rules across rows have spoken.
 */
export function decidePlaces({ connection, first }: Scope): void {
  const pairs = sql(connection)<{ newcomer: number; row: number }>`
    select newcomer, row from (
      select newcomer, about.row, 0 as isReplaced, state = 'duplicate' as isRepeat, newcomer as n
        from temp.about join row on row.id = newcomer
      union all select row.id, corrects, 0, state = 'duplicate', row.id from row join source on source.id = source_id
        where row.id >= :first and kind = 'again' and corrects > 0
      union all select superseded_by, id, 1, 0, id from row where heir >= :first and superseded_by >= :first and id < :first)
     order by isReplaced, isRepeat, n`
  const placeOf = sqlValue(connection)<number | null>`
    select counted_in from row where id = :row and state = 'superseded'
      and (select counted_in from row where id = :newcomer) is null`
  const count = sql(connection)`update row set counted_in = ? where id = ?`
  for (const { newcomer, row } of pairs.all({ first })) {
    const place = placeOf.get({ newcomer, row })
    if (typeof place !== 'number') continue
    count.run(null, row)
    count.run(place, newcomer)
  }
  const lost = sqlValue(connection)<number>`
    select count(*) from row where id >= ? and counted_in is null and state = 'ready'`
  if (lost.get(first) !== 0) throw new Error('A correction would be sent that no total counts')
}

interface Taken {
  readonly id: number
  readonly base: number
  readonly from: string
  readonly to: string
  readonly isDecided: 0 | 1
  readonly reason: string | null
  readonly by: string | null
}

/** The five values under the names of their fields, an account as its fingerprint. */
interface Stored extends Readonly<Partial<Record<Field, string | null>>> {
  readonly sourceId: number
  readonly ibanMasked: string | null
  readonly cells: string | null
}

/**
 * Puts each correction that took the place of a row on record as what it is: a decision of a person, with the fields that
 * it changed. It is on the new row, so that what is erased of a customer is erased there too.
 */
export function recordCorrections({ connection }: Scope, corrector: Corrector, at: string): void {
  const page = sql(connection)<Taken>`
    select row.id, base, from_state as "from", state as "to", is_decided as isDecided,
       given_back.reason, decided_by as "by"
       from temp.correction join row on row.id = correction.id join temp.given_back on given_back.id = row.id
      where row.id > ? and counted_in is not null order by row.id limit ?`
  const insert = sql(connection)`
    insert into decision (row_id, decided_at, decided_by, decision, from_state, to_state, reason, evidence)
     values (:id, :at, :by, '${CORRECTED}', :from, :to, :reason, :evidence)`
  const changesOf = prepareChanges(connection)
  for (const { id, base, from, to, isDecided, reason, by } of rowsById((after) => page.all(after, PAGE))) {
    const changes = [...changesOf(base, id), ...(isDecided === 1 ? [SENT_BY_WORD] : [])]
    // A row that was kept back as excluded goes out by a cell that feeds none of the fields.
    if (changes.length === 0 && from !== 'excluded') continue
    insert.run({
      id,
      at,
      by: maskAccounts(by ?? corrector.by),
      from,
      to,
      reason: maskAccounts(reason ?? corrector.reason ?? NO_REASON),
      evidence: changes.length === 0 ? null : changesText(changes),
    })
  }
}

const SENT_BY_WORD: FieldChange = { field: 'migration_decision', before: '', after: 'send' }

/**
 * What differs is what was read. Where nothing could be read before or after, the cells say whether somebody changed
 * them: a changed configuration reads the same cell in another way.
 */
function prepareChanges(connection: Connection): (before: number, after: number) => FieldChange[] {
  const read = sql(connection)<Stored>`
    select source_id as sourceId, cells, iban_masked as ibanMasked, cast(customer_no as text) as customer_no,
       iif(iban_key is null, null, hex(iban_key)) as iban, signed_date,
       original_creditor_identifier as sepa_creditor_identifier,
       original_mandate_reference as unique_mandate_reference from row where id = ?`
  const columnsOf = prepareColumns(connection)
  const cellsOf = (row: Stored, fields: readonly Field[]): readonly string[] =>
    row.cells === null
      ? []
      : requiredCells(columnsOf(row.sourceId), JSON.parse(row.cells) as string[], fields)
  return (before, after) => {
    const [old, now] = [read.get(before), read.get(after)]
    if (old === undefined || now === undefined) return []
    // A word that was read only before, or only after, may have stood there all the time.
    const isRead = (field: Field): boolean =>
      [old, now].every(({ sourceId, cells }) => cells !== null && field in columnsOf(sourceId).columns)
    const fields = FIELDS.filter((field) => field in now || isRead(field))
    const [oldCells, cells] = [cellsOf(old, fields), cellsOf(now, fields)]
    return fields.flatMap((field, index): FieldChange[] => {
      const [was = null, is = null] = [old[field], now[field]]
      const [oldCell = '', cell = ''] = [oldCells[index], cells[index]]
      const isSame = was !== null && is !== null ? was === is : cleanCell(oldCell) === cleanCell(cell)
      if (isSame) return []
      return [{ field, before: shownValue(field, old, oldCell), after: shownValue(field, now, cell) }]
    })
  }
}

const shownValue = (field: Field, row: Stored, cell: string): string =>
  field === 'iban' ? (row.ibanMasked ?? showValue(cell, field)) : showValue(row[field] ?? cell)
