import { writeDate, type DecidedFormat } from '../../domain/mandate/date.js'
import {
  findingOf,
  type SourceReading,
  type ReadableValues,
  type CheckedRecord,
  type RuleId,
  ruleOf,
  severityOf,
} from '../../domain/rule/verdict.js'
import type { EarlierRow, EarlierRows } from '../../domain/row/resaved.js'
import type { Field, LocalDate } from '../../domain/mandate/mandate.js'
import type { RowState } from '../../domain/row/row-state.js'
import { fold, namesInTemplate } from '../../domain/text/text.js'
import { sql, sqlValue, type Connection, rowsById } from '../file/connection.js'
import type { Fingerprints } from './fingerprints.js'
import { sqlList } from '../schema/schema.js'
import { holdWith, isErased, nameOf, writeNotice, type ProblemText, type Scope } from './problems.js'

const NEWCOMER = `id >= :first and state = 'ready'`
/** Rows whose mandate is, or will be, at the service. */
const SENT_OR_TO_SEND = `state in (${sqlList(['ready', 'sending', 'registered', 'in_doubt'])})`

interface CrossCheck {
  readonly rule: Extract<RuleId, 'CUSTOMER_MULTIPLE_MANDATES' | 'MANDATE_NEAR_DUPLICATE' | 'IBAN_SHARED'>
  readonly field: ProblemText['field']
  /** SQL that gives the newcomers which break the rule, as `id`. */
  readonly select: string
}

/** Reports every row that the rule finds; as an error, the rule makes them invalid. */
function decide(scope: Scope, { rule, field, select }: CrossCheck): void {
  const { connection, severities, first } = scope
  const severity = severityOf(rule, severities)
  if (severity === 'off') return
  connection.exec('create temp table if not exists found (id integer primary key)')
  connection.exec('delete from temp.found')
  sql(connection)`insert into temp.found (id) ${select}`.run({ first })
  const { message, remedy } = ruleOf(rule)
  const where = 'id in (select id from temp.found)'
  writeNotice(scope, { rule, severity, field, message, remedy }, where, {})
  if (severity === 'error')
    sql(connection)`update row set state = 'invalid', rule = ? where ${where}`.run(rule)
  connection.exec('delete from temp.found')
}

/** CUSTOMER_MULTIPLE_MANDATES. Rows that will be sent never share a key here, so two of them are two mandates. */
export const decideCustomers = (scope: Scope): void =>
  decide(scope, {
    rule: 'CUSTOMER_MULTIPLE_MANDATES',
    field: 'customer_no',
    select: `
      with repeated as materialized (
        select customer_no from row where customer_no is not null
          group by customer_no having count(*) > 1 and max(id) >= :first),
      crowded as materialized (
        select repeated.customer_no from repeated cross join row on row.customer_no = repeated.customer_no
          where ${SENT_OR_TO_SEND} group by repeated.customer_no having count(*) > 1)
      select id from row where ${NEWCOMER} and customer_no in (select customer_no from crowded)`,
  })

/** MANDATE_NEAR_DUPLICATE. One of the two spellings has a blank, and an index holds just the keys that have one. */
export const decideNearDuplicates = (scope: Scope): void =>
  decide(scope, {
    rule: 'MANDATE_NEAR_DUPLICATE',
    field: 'unique_mandate_reference',
    select: `
      with blank (squeezed, id, mandate_key) as materialized (
        select replace(mandate_key, ' ', ''), id, mandate_key from row
          where instr(mandate_key, ' ') > 0 and state not in ('superseded', 'duplicate')),
      spelling (squeezed) as materialized (select distinct squeezed from blank),
      member (squeezed, id, mandate_key) as materialized (
        select * from blank
        union all
        select squeezed, row.id, row.mandate_key from spelling cross join row on row.mandate_key = squeezed
          where state not in ('superseded', 'duplicate')),
      twin (squeezed) as materialized (
        select squeezed from member group by squeezed having min(mandate_key) <> max(mandate_key))
      select id from row where ${NEWCOMER} and id in
        (select member.id from member where member.squeezed in (select squeezed from twin))`,
  })

/** IBAN_SHARED, over fingerprints: it still sees an account whose row is registered. */
export const decideSharedAccounts = (scope: Scope): void =>
  decide(scope, {
    rule: 'IBAN_SHARED',
    field: 'iban',
    select: `
      with shared as (
        select iban_key from row where iban_key is not null and ${SENT_OR_TO_SEND}
          group by iban_key having min(customer_no) <> max(customer_no))
      select id from row where ${NEWCOMER} and iban_key in (select iban_key from shared)`,
  })

const RULE = 'MANDATE_RESEMBLES_SENT'
/** Where both are held. */
const CHOOSE =
  'Neither was sent. Write "send" into migration_decision of the line with the right reference in corrections.csv, or of both if these are two mandates, and give the file back.'
const PAGE = 500

/**
 * Rows that are, will be or may be at the service. Whatever a row that once was in doubt is called now, its mandate may
 * have arrived. Rows of one export are compared by people: they get the warning on several mandates.
 */
const isSent = (row: string): string => `(${row}.state in ('sending', 'registered', 'in_doubt')
  or (${row}.state = 'ready' and ${row}.id < :firstOfAll)
  or exists (select 1 from attempt where attempt.row_id = ${row}.id and outcome in ('in_doubt', 'released')))`

/** A row that was replaced is the same mandate as what took its place, with the values of before. */
const SENT = `(${isSent('older')} or older.state = 'superseded' and exists (
  with recursive heir (id) as (
    select older.superseded_by
    union select row.superseded_by from row join heir on row.id = heir.id where row.superseded_by is not null)
  select 1 from heir join row as last on last.id = heir.id where last.superseded_by is null and ${isSent('last')}))`

/** The export from which a correction came, step by step. */
const exportOf = (row: string): string => `(select origin.source_id from row as origin where origin.id = (
  with recursive former (id) as (select ${row}.id
    union select before.corrects from row as before join former on before.id = former.id where before.corrects > 0)
  select min(id) from former))`

const creditorOf = (row: string): string =>
  `(substr(${row}.original_creditor_identifier, 1, 2) || substr(${row}.original_creditor_identifier, 8))`
const spelled = (row: string): string =>
  `ltrim(replace(replace(replace(replace(upper(${row}.original_mandate_reference), ' ', ''), '-', ''), '.', ''), '/', ''), '0')`
const HAS_ITS_CREDITOR = `${creditorOf('older')} = ${creditorOf('row')}`
const HAS_ITS_REFERENCE = `${spelled('older')} = ${spelled('row')}`
/** One reference that a spreadsheet or another system writes without zeros in front, blanks or marks. */
const IS_RESPELLED = `${HAS_ITS_CREDITOR} and ${HAS_ITS_REFERENCE}`

/** Rows of two exports of one command, or that it corrects to the same: nobody compared them, as those of one export are. */
const IS_OF_THIS_COMMAND = `older.id >= :firstOfAll and older.state in ('ready', 'conflict') and iif(older.corrects > 0 and row.corrects > 0,
  older.state = 'ready' and ${exportOf('older')} <> ${exportOf('row')},
  ${IS_RESPELLED} or older.id < :first and (${HAS_ITS_CREDITOR} or ${HAS_ITS_REFERENCE}))`

/**
 * A mandate is known by creditor and reference, so one whose reference was corrected in the export is another one, and
 * the customer would be debited twice. Customer, account and date tell it; the account by its fingerprint, which
 * outlives it, though not an erasure: then customer and date must do; or customer and the reference in another spelling,
 * also of a row that was closed. Such a row waits for a person, whose word on a row that was held for something else says
 * nothing of other mandates.
 */
export function decideResemblances(scope: Scope, at: string): void {
  const { connection, first, firstOfAll, severities } = scope
  const severity = severityOf(RULE, severities)
  if (severity === 'off') return
  connection.exec(
    'create temp table if not exists resembling (id integer primary key, older integer not null)',
  )
  connection.exec('delete from temp.resembling')
  sql(connection)`
    insert into temp.resembling select row.id, min(older.id)
      from (select customer_no from row group by customer_no having count(*) > 1) as shared
       cross join row on row.customer_no = shared.customer_no
       join row as older on older.customer_no = row.customer_no and older.mandate_key <> row.mandate_key
         and ((older.iban_key = row.iban_key or ${isErased('older')}) and older.signed_date = row.signed_date or ${IS_RESPELLED})
         and older.id < iif(row.corrects > 0, ${Number.MAX_SAFE_INTEGER}, row.id)
      where row.id >= :first and row.state = 'ready'
        and (older.id < :first and (${SENT} or older.state = 'written_off' and ${IS_RESPELLED}) or ${IS_OF_THIS_COMMAND})
        and not exists (select 1 from temp.given_back where given_back.id = row.id and is_decided = 1
          and exists (select 1 from row as named where named.id = row.corrects and named.rule = '${RULE}'))
      group by row.id`.run({ first, firstOfAll })
  // Nobody knows which of both is right.
  sql(connection)`
    insert or ignore into temp.resembling select older, resembling.id from temp.resembling join row on row.id = older
      where older >= :firstOfAll and state = 'ready'`.run({ firstOfAll })
  const page = sql(connection)<{ id: number; older: number }>`
    select id, older from temp.resembling where id > ? order by id limit ?`
  const { message, remedy } = ruleOf(RULE)
  for (const { id, older } of rowsById((after) => page.all(after, PAGE))) {
    const text = `${message} Compare it with ${nameOf({ connection, first: id < first ? Infinity : first }, older)}.`
    const areHeld = severity === 'error' && older >= firstOfAll
    const what = { message: text, remedy: areHeld ? CHOOSE : remedy }
    const notice = { rule: RULE, severity, field: 'unique_mandate_reference', ...what } as const
    if (severity === 'error') holdWith(scope, notice, id, at)
    else writeNotice(scope, notice, 'id = :id', { id })
  }
  connection.exec('delete from temp.resembling')
}

/** Ready rows of earlier commands whose mandate lapsed while they waited: a check of this day would keep them back. */
export function holdLapsed({
  connection,
  severities,
  asOf,
  before,
  at,
}: Pick<Scope, 'connection' | 'severities'> & { asOf: string; before: number; at: string }): void {
  const rule = 'MANDATE_DORMANT'
  const [finding] = findingOf(rule, severities, {})
  if (finding?.severity !== 'error') return
  const page = sql(connection)<{ id: number }>`
    select id from row where state = 'ready' and latest_first_debit < ? and id > ? and id < ? order by id limit ?`
  const notice = { ...finding, field: 'unique_mandate_reference' } as const
  for (const { id } of rowsById((after) => page.all(asOf, after, before, PAGE)))
    holdWith({ connection, columns: {} }, notice, id, at)
}

interface Stored {
  readonly id: number
  readonly state: RowState
  readonly rule: string | null
  readonly corrects: number | null
  readonly isHeldBack: 0 | 1
  readonly cells: string | null
  readonly iban: string | null
  readonly ibanMasked: string | null
  readonly account: Buffer | null
  readonly customerNo: number | null
  readonly signedDate: LocalDate | null
  readonly creditorIdentifier: string | null
  readonly mandateReference: string | null
  readonly header: string
  readonly columns: string
  readonly reading: string
}

/** The row that took the place of another since, or the row itself. */
const LATEST = `with recursive replacement (id, next) as (
    select id, superseded_by from row where id = ?
    union all select row.id, row.superseded_by from row join replacement on row.id = replacement.next)
  select id from replacement where next is null`

export const latestOf = (connection: Connection, id: number): number | undefined =>
  sqlValue(connection)<number>`${LATEST}`.get(id)

/** Looks rows of admitted sources up as this program's files show them. */
export function earlierRows(connection: Connection, fingerprints: Fingerprints): EarlierRows {
  const read = `select row.id, state, rule, corrects, raw is not null as isHeldBack, cells, iban, iban_masked as ibanMasked, iban_key as account,
       customer_no as customerNo, signed_date as signedDate, original_creditor_identifier as creditorIdentifier,
       original_mandate_reference as mandateReference, header, columns, reading
     from row join source on source.id = source_id where row.id = ? and sha256 is not null`
  return (number) => {
    const row = sql(connection)<Stored>`${read}`
    const ids = new Set([number, latestOf(connection, number) ?? number])
    return [...ids].flatMap((id) => row.get(id) ?? []).map(earlierOf(fingerprints))
  }
}

const earlierOf =
  (fingerprints: Fingerprints) =>
  (row: Stored): EarlierRow => {
    const { dateFormats, crosswalk } = JSON.parse(row.reading) as SourceReading
    const formats = {
      signedDate: dateFormats?.signedDate ?? 'iso',
      lastCollection: dateFormats?.lastCollection ?? 'iso',
    } as const
    const shared = {
      formats,
      mapped: JSON.parse(row.columns) as EarlierRow['mapped'],
      isKeptByRule: row.state === 'excluded' && row.rule === 'EXCLUDED_BY_CONFIGURATION',
      isCorrection: row.corrects !== null,
      wasHeldBack: row.isHeldBack === 1 || row.state === 'invalid' || row.state === 'excluded',
      had: hadBy(row, fingerprints),
    }
    return row.cells === null
      ? { ...shared, ...removed(row, formats.signedDate, (crosswalk ?? null) !== null) }
      : { ...shared, ...kept(row, JSON.parse(row.cells) as string[]) }
  }

const hadBy =
  (row: Stored, fingerprints: Fingerprints) =>
  ({ customerNo, iban, signedDate, creditorIdentifier, mandateReference }: ReadableValues): boolean =>
    customerNo === row.customerNo &&
    signedDate === row.signedDate &&
    creditorIdentifier === row.creditorIdentifier &&
    mandateReference === row.mandateReference &&
    (iban === null
      ? row.account === null
      : row.account !== null && fingerprints.account(iban).equals(row.account))

type Cells = Pick<EarlierRow, 'fields' | 'columns' | 'values'>

function kept(row: Stored, cells: readonly string[]): Cells {
  const header = JSON.parse(row.header) as string[]
  const columns = new Map<string, string>()
  header.forEach((name, index) => {
    if (!columns.has(fold(name))) columns.set(fold(name), cells[index] ?? '')
  })
  const mapped = JSON.parse(row.columns) as Record<string, string>
  const fields = Object.fromEntries(
    Object.entries(mapped).map(([field, name]) => [field, cells[header.indexOf(name)] ?? '']),
  ) as EarlierRow['fields']
  const values = {
    customerNo: row.customerNo,
    iban: row.iban,
    signedDate: row.signedDate,
    creditorIdentifier: row.creditorIdentifier,
    mandateReference: row.mandateReference,
  }
  // A record of the wrong shape: our files leave its account empty, or what that is looked up by; nothing was read from it.
  if (Object.values(values).every((value) => value === null)) {
    for (const name of namesInTemplate(mapped['iban'] ?? '')) columns.set(fold(name), '')
    return { fields: { ...fields, iban: '' }, columns, values: null }
  }
  return { fields, columns, values }
}

/** Once the account number was removed, our files show what is left of the row. */
function removed(row: Stored, format: DecidedFormat, hasCrosswalk: boolean): Cells {
  const fields: Partial<Record<Field, string>> = {
    customer_no: hasCrosswalk || row.customerNo === null ? '' : String(row.customerNo),
    iban: row.ibanMasked ?? '',
    signed_date: row.signedDate === null ? '' : writeDate(row.signedDate, format),
    sepa_creditor_identifier: row.creditorIdentifier ?? '',
    unique_mandate_reference: row.mandateReference ?? '',
  }
  return { fields, columns: new Map(), values: null }
}

/** What a record by itself leaves to a person; the other conflicts lie between rows. */
const OF_ONE_RECORD = [
  'STATUS_UNKNOWN',
  'SEQUENCE_UNKNOWN',
  'SCHEME_UNKNOWN',
  'ROW_MAY_BE_CUT',
] as const satisfies readonly RuleId[]

/** Held by what its own record says, whatever other rows say; SQL over `row`. */
const IS_HELD = `rule in (${sqlList(OF_ONE_RECORD)})`

/** The row that a record of a file came in as, where it waits there for a word of a person; else null. */
export type HeldRecord = (record: CheckedRecord) => number | null

/**
 * Rows of a file that came in before, which another reading may understand. One is the same only with the five values
 * that it came in with: its words alone may be read anew. Rows of one mandate that contradict each other stay with a
 * person, and what was erased stays away.
 */
export function heldRowsIn(connection: Connection, sha256: string): HeldRecord | null {
  const known = sql(connection)<{ id: number; first: number }>`
    select id, first_row as first from source where sha256 = ? and exists (
       select 1 from row where state = 'conflict' and ${IS_HELD} and row.id between first_row and last_row)`.get(
    sha256,
  )
  if (known === undefined) return null
  const { id: sourceId, first } = known
  const held = sqlValue(connection)<number>`
    select id from row where id = :id and source_id = :sourceId and record = :record and state = 'conflict'
       and ${IS_HELD} and customer_no = :customerNo and iban = :iban and signed_date = :signedDate
       and original_creditor_identifier = :creditorIdentifier and original_mandate_reference = :mandateReference
       and not exists (select 1 from row as other where other.mandate_key = row.mandate_key
         and other.id <> row.id and other.state = 'conflict')`
  return ({ record, values }) => held.get({ ...values, id: first + record - 1, sourceId, record }) ?? null
}
