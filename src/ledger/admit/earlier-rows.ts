import { writeDate, type DecidedFormat } from '../../domain/mandate/date.js'
import type { SourceReading, ReadableValues, CheckedRecord } from '../../domain/rule/verdict.js'
import type { EarlierRow, EarlierRows } from '../../domain/row/resaved.js'
import type { Field, LocalDate } from '../../domain/mandate/mandate.js'
import type { RowState } from '../../domain/row/row-state.js'
import { fold } from '../../domain/text/text.js'
import { sql, sqlValue, type Connection } from '../file/connection.js'
import type { Fingerprints } from './fingerprints.js'
import type { RuleId } from '../../domain/rule/rules.js'
import { sqlList } from '../schema/schema.js'

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
    const toEarlier = earlierOf(fingerprints)
    const named = number === 0 ? undefined : sql(connection)<Stored>`${read}`.get(number)
    if (named === undefined) return []
    const current = latestOf(connection, number)
    const since =
      current === undefined || current === number
        ? undefined
        : sql(connection)<Stored>`
        ${read}`.get(current)
    return since === undefined ? [toEarlier(named)] : [toEarlier(named), toEarlier(since)]
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
  const fields = Object.fromEntries(
    Object.entries(JSON.parse(row.columns) as Record<string, string>).map(([field, name]) => [
      field,
      cells[header.indexOf(name)] ?? '',
    ]),
  ) as EarlierRow['fields']
  const values = {
    customerNo: row.customerNo,
    iban: row.iban,
    signedDate: row.signedDate,
    creditorIdentifier: row.creditorIdentifier,
    mandateReference: row.mandateReference,
  }
  // A record of the wrong shape: our files leave its account empty, and nothing was read from it.
  if (Object.values(values).every((value) => value === null))
    return { fields: { ...fields, iban: '' }, columns, values: null }
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
export const IS_HELD = `rule in (${sqlList(OF_ONE_RECORD)})`

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
