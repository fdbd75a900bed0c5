import type { CheckedRecord } from '../../domain/rule/verdict.js'
import type { RuleId } from '../../domain/rule/rules.js'
import type { Connection } from '../file/connection.js'
import { sqlList } from '../schema/sql-list.js'

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
export function prepareHeldRows(connection: Connection): (sha256: string) => HeldRecord | null {
  const source = connection.prepare<[string], { id: number; first: number }>(
    `select id, first_row as first from source where sha256 = ? and exists (
       select 1 from row where state = 'conflict' and ${IS_HELD} and row.id between first_row and last_row)`,
  )
  const held = connection
    .prepare<[Readonly<Record<string, unknown>>], number>(
      `select id from row where id = :id and source_id = :sourceId and record = :record and state = 'conflict'
         and ${IS_HELD} and customer_no = :customerNo and iban = :iban and signed_date = :signedDate
         and original_creditor_identifier = :creditorIdentifier and original_mandate_reference = :mandateReference
         and not exists (select 1 from row as other where other.mandate_key = row.mandate_key
           and other.id <> row.id and other.state = 'conflict')`,
    )
    .pluck()
  return (sha256) => {
    const known = source.get(sha256)
    if (known === undefined) return null
    const { id: sourceId, first } = known
    return ({ record, values }) => held.get({ ...values, id: first + record - 1, sourceId, record }) ?? null
  }
}
