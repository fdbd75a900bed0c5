import { writeDate, type DecidedFormat } from '../../domain/mandate/date.js'
import { type SourceReading, type ReadableValues, severityOf } from '../../domain/rule/verdict.js'
import type { EarlierRow, EarlierRows } from '../../domain/row/correction.js'
import type { Field } from '../../domain/mandate/mandate.js'
import type { RowState } from '../../domain/row/row-state.js'
import { fold, namesInTemplate } from '../../domain/text/text.js'
import { emptyTables, rowsOf, sql, sqlValue, sqlWithJson, type Connection } from '../file/connection.js'
import type { Fingerprints, HeaderColumns } from './fingerprints.js'
import { sqlList } from '../schema/schema.js'
import { give, holdWith, noticeOf, writeNotice, type Scope } from './problems.js'

const NEWCOMER = `id >= :first and state = 'ready'`
/** Rows whose mandate is, or will be, at the service. */
const SENT_OR_TO_SEND = `state in (${sqlList(['ready', 'sending', 'registered', 'in_doubt'])})`

/** Reports every row that a rule finds; as an error, the rule makes them invalid. */
export function decideCrossChecks({ connection, severities, first }: Scope): void {
  for (const { rule, field, select } of CROSS_CHECKS) {
    const severity = severityOf(rule, severities)
    if (severity === 'off') continue
    emptyTables(connection, { found: 'id integer primary key' })
    sql(connection)`insert into temp.found (id) ${select}`.run({ first })
    const where = 'id in (select id from temp.found)'
    if (severity === 'error') give(connection, 'invalid', noticeOf(rule, { field }), where)
    else writeNotice(connection, noticeOf(rule, { severity, field }), where)
  }
}

/** `select` is SQL that gives the newcomers which break the rule, as `id`. */
const CROSS_CHECKS = [
  {
    // Rows that will be sent never share a key here, so two of them are two mandates.
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
  },
  {
    // One of the two spellings has a blank, and neither customer nor account says that they are one.
    rule: 'MANDATE_NEAR_DUPLICATE',
    field: 'unique_mandate_reference',
    select: `
      with shared (spelling) as materialized (
        select spelling from row where spelling is not null group by spelling having count(*) > 1 and max(id) >= :first),
      member (squeezed, id, mandate_key) as materialized (
        select replace(mandate_key, ' ', ''), id, mandate_key from row
          where spelling in (select spelling from shared) and instr(mandate_key, ' ') > 0 and state not in ('superseded', 'duplicate')
        union all
        select mandate_key, id, mandate_key from row
          where spelling in (select spelling from row where instr(mandate_key, ' ') > 0 and spelling in (select spelling from shared))
            and instr(mandate_key, ' ') = 0 and state not in ('superseded', 'duplicate')),
      twin (squeezed) as materialized (
        select squeezed from member group by squeezed having min(mandate_key) <> max(mandate_key))
      select id from row where ${NEWCOMER} and id in
        (select member.id from member where member.squeezed in (select squeezed from twin))`,
  },
  {
    // Over fingerprints: it still sees an account whose row is registered.
    rule: 'IBAN_SHARED',
    field: 'iban',
    select: `
      with shared as (
        select iban_key from row where iban_key is not null and ${SENT_OR_TO_SEND}
          group by iban_key having min(customer_no) <> max(customer_no))
      select id from row where ${NEWCOMER} and iban_key in (select iban_key from shared)`,
  },
] as const

/** Ready rows of earlier commands whose mandate lapsed while they waited: a check of this day would keep them back. */
export function holdLapsed({
  connection,
  severities,
  asOf,
  before,
  at,
}: Pick<Scope, 'connection' | 'severities'> & { asOf: string; before: number; at: string }): void {
  const rule = 'MANDATE_DORMANT'
  if (severityOf(rule, severities) !== 'error') return
  const page = sql(connection)<{ id: number }>`
    select id from row where state = 'ready' and latest_first_debit < :asOf and id > :after and id < :before
      order by id limit :limit`
  for (const { id } of rowsOf(page, { asOf, before })) holdWith(connection, noticeOf(rule), id, at)
}

interface Stored extends ReadableValues, HeaderColumns {
  readonly state: RowState
  readonly rule: string | null
  readonly isCorrection: 0 | 1
  readonly wasHeldBack: 0 | 1
  readonly cells: readonly string[] | null
  readonly ibanMasked: string | null
  readonly account: Buffer | null
  readonly reading: SourceReading
}

/** The row that took the place of another since, or the row itself. */
export const latestOf = (connection: Connection, id: number): number =>
  sqlValue(connection)<number>`select coalesce(heir, id) from row where id = ?`.get(id) ?? id

/** Looks rows of admitted sources up as this program's files show them. */
export function earlierRows(connection: Connection, fingerprints: Fingerprints): EarlierRows {
  const read = sqlWithJson<Stored>(connection, 'cells', 'header', 'columns', 'reading')`
    select state, rule, corrects is not null as isCorrection, raw is not null or state in ('invalid', 'excluded') as wasHeldBack,
       cells, iban, iban_masked as ibanMasked, iban_key as account, customer_no as customerNo, signed_date as signedDate,
       original_creditor_identifier as creditorIdentifier, original_mandate_reference as mandateReference, header, columns, reading
     from row join source on source.id = source_id where row.id = ? and sha256 is not null`
  return (number) => {
    const ids = new Set([number, latestOf(connection, number)])
    return [...ids].flatMap((id) => read.get(id) ?? []).map(earlierOf(fingerprints))
  }
}

const earlierOf =
  (fingerprints: Fingerprints) =>
  (row: Stored): EarlierRow => {
    const { dateFormats, crosswalk } = row.reading
    const formats = {
      signedDate: dateFormats?.signedDate ?? 'iso',
      lastCollection: dateFormats?.lastCollection ?? 'iso',
    } as const
    return {
      formats,
      mapped: row.columns,
      isKeptByRule: row.state === 'excluded' && row.rule === 'EXCLUDED_BY_CONFIGURATION',
      readBy: row.reading,
      isCorrection: row.isCorrection === 1,
      wasHeldBack: row.wasHeldBack === 1,
      had: hadBy(row, fingerprints),
      ...(row.cells === null
        ? removed(row, formats.signedDate, (crosswalk ?? null) !== null)
        : kept(row, row.cells)),
    }
  }

const COMPARED = ['customerNo', 'signedDate', 'creditorIdentifier', 'mandateReference'] as const

const hadBy =
  (row: Stored, fingerprints: Fingerprints) =>
  ({ iban, ...values }: ReadableValues): boolean =>
    COMPARED.every((name) => values[name] === row[name]) &&
    (iban === null
      ? row.account === null
      : row.account !== null && fingerprints.account(iban).equals(row.account))

type Cells = Pick<EarlierRow, 'fields' | 'columns' | 'values'>

function kept(row: Stored, cells: readonly string[]): Cells {
  const { header, columns: mapped } = row
  const columns = new Map<string, string>()
  header.forEach((name, index) => {
    if (!columns.has(fold(name))) columns.set(fold(name), cells[index] ?? '')
  })
  const fields = Object.fromEntries(
    Object.entries(mapped).map(([field, name]) => [field, cells[header.indexOf(name)] ?? '']),
  ) as EarlierRow['fields']
  const { customerNo, iban, signedDate, creditorIdentifier, mandateReference } = row
  const values = { customerNo, iban, signedDate, creditorIdentifier, mandateReference }
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
