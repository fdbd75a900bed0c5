import { transition } from '../../domain/row/row-state.js'
import type { Finding, RuleId, SeverityOverrides } from '../../domain/rule/verdict.js'
import { sql, type Connection } from '../file/connection.js'
import type { Fingerprints, HeaderColumns } from './fingerprints.js'

/** SQL that is true for a row of an erased customer, whose account can be compared with none any more. */
export const isErased = (row: string): string =>
  `exists (select 1 from decision where decision.row_id = ${row}.id and decision.decision = 'erased')`

/** The source that is being admitted. Its rows are those from `first` on; every older row has a lower id. */
export interface Scope extends HeaderColumns {
  readonly connection: Connection
  readonly fingerprints: Fingerprints
  readonly severities: SeverityOverrides
  readonly sourceId: number
  readonly first: number
  /** The first row of the whole admission: of all files of the command. */
  readonly firstOfAll: number
}

/** `columns` names the header that feeds each field of the source. */
type ColumnsOf = Pick<Scope, 'connection' | 'columns'>

const PROBLEM_INSERT = 'source_id, row_id, rule, severity, field, column_name, value, message, remedy'

export function writeProblem(
  { connection, columns }: ColumnsOf,
  sourceId: number,
  rowId: number | null,
  finding: Finding,
): void {
  const { field } = finding
  const column = field === null ? '' : (columns[field] ?? field)
  sql(connection)`
    insert into problem (${PROBLEM_INSERT})
     values (:sourceId, :rowId, :rule, :severity, :field, :column, :value, :message, :remedy)`.run({
    ...finding,
    sourceId,
    rowId,
    column,
  })
}

/** A decision of the ledger about rows of the source being admitted, in words. */
export interface ProblemText extends Omit<Finding, 'value' | 'field'> {
  readonly field: keyof typeof VALUE_OF
}

/** What the notice says about a row instead of an account number: the reference, the customer, the masked account. */
const VALUE_OF = {
  customer_no: `coalesce(cast(customer_no as text), '')`,
  iban: `coalesce(iban_masked, '')`,
  // What is shorter than the shortest run of digits that is masked need not be looked at.
  unique_mandate_reference: `case when length(original_mandate_reference) < 12 then original_mandate_reference
    else mask_accounts(coalesce(original_mandate_reference, '')) end`,
} as const

/** One problem for each row that `where` (SQL over `row`) selects. Call it before their state changes. */
export const writeNotice = (
  { connection, columns }: ColumnsOf,
  { rule, severity, field, message, remedy }: ProblemText,
  where: string,
  values: Readonly<Record<string, unknown>>,
): void =>
  void sql(connection)`
    insert into problem (${PROBLEM_INSERT})
     select row.source_id, row.id, :rule, :severity, :field, :column, ${VALUE_OF[field]}, :message, :remedy
       from row where ${where} order by id`.run({
    ...values,
    rule,
    severity,
    field,
    column: columns[field] ?? field,
    message,
    remedy,
  })

/** Names a row for the operator. Rows from `first` on belong to the file at hand, whose name goes without saying. */
export function nameOf(
  { connection, first }: Pick<Scope, 'connection' | 'first'>,
  id: number | null,
): string {
  const row = sql(connection)<{ id: number; record: number; state: string; source: string }>`
    select row.id, record, state, source.name as source from row join source on source.id = source_id
      where row.id = ?`.get(id)
  if (row === undefined) return 'another row'
  if (row.id >= first) return `record ${row.record}`
  return `record ${row.record} of "${row.source}", which is ${row.state.replace('_', ' ').replace(/^(?=conflict)/, 'in ')} (row ${row.id})`
}

/** Makes a row that is ready wait for a person: a decision of the program, on record with its reason. */
export function holdRow(
  connection: Connection,
  { row, rule, reason, at }: { row: number; rule: RuleId; reason: string; at: string },
): void {
  sql(connection)`
    insert into decision (row_id, attempt_id, decided_at, decided_by, decision, from_state, to_state, reason)
     values (:row, (select id from attempt where row_id = :row order by n desc limit 1), :at, 'sepa-migrate', 'held', 'ready',
       'conflict', :reason)`.run({ row, at, reason })
  const hold = sql(connection)`update row set state = ?, rule = ? where id = ?`
  hold.run(transition('ready', 'held'), rule, row)
}

/** The same, with a problem that says why. */
export function holdWith(scope: ColumnsOf, notice: ProblemText, row: number, at: string): void {
  writeNotice(scope, notice, 'id = :row', { row })
  holdRow(scope.connection, { row, rule: notice.rule, reason: notice.message, at })
}
