import { REPLACEABLE_STATES, transition, type RowState } from '../../domain/row/row-state.js'
import {
  ruleOf,
  type Finding,
  type RuleId,
  type Severity,
  type SeverityOverrides,
} from '../../domain/rule/verdict.js'
import { sql, sqlValue, type Connection } from '../file/connection.js'
import { sqlList } from '../schema/schema.js'
import type { Fingerprints, HeaderColumns } from './stored-row.js'

/** SQL that is true for a row of an erased customer, whose account can be compared with none any more. */
export const isErased = (row: string): string =>
  `exists (select 1 from decision where decision.row_id = ${row}.id and decision.decision = 'erased')`

/** SQL that is true for a collection that was the last one of its mandate, or none of a Core mandate. */
export const isLast = (
  row: string,
): string => `(${row}.state in ('excluded', 'invalid') and exists (select 1 from problem
  where row_id = ${row}.id and severity = 'error' and problem.rule in ('SEQUENCE_FINAL', 'SEQUENCE_ONE_OFF', 'SCHEME_B2B'))
  and (select reading -> '$.collections' from source where source.id = ${row}.source_id) is not null)`

/** SQL: the row is a record of an export, and no line that somebody gave back. */
export const IS_OF_EXPORT = `(row.corrects is null or (select origin.kind from source as again join source as origin
  on origin.id = again.origin where again.id = row.source_id) = 'export')`

/** All that one command brings in. Its rows are those from `first` on; every older row has a lower id. */
export interface Scope {
  readonly connection: Connection
  readonly fingerprints: Fingerprints
  readonly severities: SeverityOverrides
  readonly first: number
}

/** One source of it, while its records come in. */
export interface SourceScope extends Scope, HeaderColumns {
  readonly sourceId: number
}

const PROBLEM_INSERT = 'source_id, row_id, rule, severity, field, column_name, value, message, remedy'
/** The header that feeds the field in that source. */
const columnIn = (source: string): string =>
  `coalesce((select columns ->> :field from source where id = ${source}), :field, '')`

export const writeProblem = (
  connection: Connection,
  sourceId: number,
  rowId: number | null,
  finding: Finding,
): void =>
  void sql(connection)`
    insert into problem (${PROBLEM_INSERT})
     values (:sourceId, :rowId, :rule, :severity, :field, ${columnIn(':sourceId')}, :value, :message, :remedy)`.run(
    { ...finding, sourceId, rowId },
  )

/** A decision of the ledger about rows that come in, in words. */
export interface ProblemText extends Omit<Finding, 'value' | 'field' | 'severity'> {
  readonly severity: Severity
  readonly field: keyof typeof VALUE_OF
  /** The row that `{row}` in the message stands for, or SQL that gives it. */
  readonly other?: number | string | null
  /** A row of the same source is named by its record alone. */
  readonly isBeside?: boolean
}

/** Begins what is said of a line that names a row which cannot be the one that it corrects. */
export const NAMES_ROW = 'The migration_row column says that this corrects row'

/** What the rule says of a row, at its reference and as an error; `more` is what is said otherwise. */
export const noticeOf = (rule: RuleId, more: Partial<Omit<ProblemText, 'rule'>> = {}): ProblemText => {
  const { message, remedy } = ruleOf(rule)
  return { rule, severity: 'error', field: 'unique_mandate_reference', message, remedy, ...more }
}

/** What the notice says about a row instead of an account number: the reference, the customer, the masked account, the date. */
const VALUE_OF = {
  customer_no: `coalesce(cast(customer_no as text), '')`,
  iban: `coalesce(iban_masked, '')`,
  signed_date: `coalesce(signed_date, '')`,
  // What is shorter than the shortest run of digits that is masked need not be looked at.
  unique_mandate_reference: `case when length(original_mandate_reference) < 12 then original_mandate_reference
    else mask_accounts(coalesce(original_mandate_reference, '')) end`,
} as const

/** One problem for each row that `where` (SQL over `row`) selects, unless the rule is off. Call it before their state changes. */
export function writeNotice(
  connection: Connection,
  { field, other, isBeside = false, ...words }: ProblemText,
  where: string,
  values: Readonly<Record<string, unknown>> = {},
): void {
  if (words.severity === 'off') return
  const name = nameBeside(typeof other === 'string' ? other : ':other', isBeside ? 'row.source_id' : 'null')
  const message = other === undefined ? ':message' : `replace(:message, '{row}', ${name})`
  sql(connection)`
    insert into problem (${PROBLEM_INSERT})
     select row.source_id, row.id, :rule, :severity, :field, ${columnIn('row.source_id')}, ${VALUE_OF[field]}, ${message}, :remedy
       from row where ${where} order by id`.run({ ...values, ...words, field, other })
}

/** Rows that come in get a state that holds them back, and say why. */
export function give(
  connection: Connection,
  state: 'conflict' | 'duplicate' | 'invalid',
  notice: ProblemText,
  where: string,
  values: Readonly<Record<string, unknown>> = {},
): void {
  writeNotice(connection, notice, where, values)
  sql(connection)`update row set state = '${state}', rule = '${notice.rule}' where ${where}`.run(values)
}

/**
 * SQL that names the row `other` for the operator beside a row of the source `beside`. Where it stands is said as far as that
 * will not change: most that are ready and are compared are held in the same transaction, and a doubt is settled later.
 */
export const nameBeside = (other: string, beside: string): string => `coalesce((select case
    when named.source_id = ${beside} then 'line ' || named.line
    when named_source.admitted_at is null then 'line ' || named.line || ' of "' || named_source.name || '"'
    else 'line ' || named.line || ' of "' || named_source.name || '"' || case when named.state in ('ready', 'sending', 'in_doubt') then ''
      when named.state = 'conflict' then ', which is in conflict'
      when named.state = 'written_off' and exists (select 1 from attempt where row_id = named.id and outcome in ('in_doubt', 'released'))
        then ', which was written off, and whose request may have been applied'
      else ', which is ' || replace(named.state, '_', ' ') end
      || ' (row ' || named.id || ')' end
  from row as named join source as named_source on named_source.id = named.source_id where named.id = ${other}), 'another row')`

/** Of each pair that `pairs` (SQL) gives, the row `new` takes the place of the row `old`, if that came in before it and was not sent. @returns how many gave way */
export const replaceRows = (
  connection: Connection,
  pairs: string,
  values: Readonly<Record<string, unknown>>,
): number =>
  sql(connection)`
    update row set state = 'superseded', superseded_by = pair.new from (${pairs}) as pair
     where row.id = pair.old and pair.new > pair.old and row.state in (${sqlList(REPLACEABLE_STATES)})`.run(
    values,
  ).changes

/** Who decides where no person does. */
export const PROGRAM = 'sepa-migrate'

/** What a person, or the program by itself, decided about a row. */
interface Decided {
  readonly row: number
  readonly at: string
  readonly by: string
  readonly decision: string
  readonly from: string
  readonly to: string
  readonly reason: string | null
  readonly evidence?: string | null
}

/** Puts it on record beside the latest attempt. @returns its number */
export const recordDecision = (connection: Connection, decided: Decided): number =>
  Number(
    sql(connection)`
      insert into decision (row_id, attempt_id, decided_at, decided_by, decision, from_state, to_state, reason, evidence)
       values (:row, (select id from attempt where row_id = :row order by n desc limit 1), :at, :by, :decision, :from, :to,
         :reason, :evidence)`.run({ evidence: null, ...decided }).lastInsertRowid,
  )

/** The same, and the row takes the state that was decided, with the rule that it has from then on. */
export function decideRow(
  connection: Connection,
  { rule = null, ...decided }: Decided & { readonly to: RowState; readonly rule?: string | null },
): void {
  recordDecision(connection, decided)
  sql(connection)`update row set state = :to, rule = coalesce(:rule, rule) where id = :row`.run({
    ...decided,
    rule,
  })
}

/** Makes a row that is ready wait for a person: a decision of the program, on record with what its problem of that rule says. */
export function holdRow(connection: Connection, row: number, rule: RuleId, at: string): void {
  const reason = sqlValue(connection)<string>`
    select message from problem where row_id = ? and rule = ? order by id desc limit 1`.get(row, rule)
  const held = { by: PROGRAM, decision: 'held', from: 'ready', to: transition('ready', 'held') } as const
  decideRow(connection, { ...held, row, at, rule, reason: reason ?? null })
}

/** The same, with a problem that says why. */
export function holdWith(connection: Connection, notice: ProblemText, row: number, at: string): void {
  writeNotice(connection, notice, 'id = :row', { row })
  holdRow(connection, row, notice.rule, at)
}

/** It was told of the row as a warning, which a row that is held back gets as an error. */
export const isSettled = (connection: Connection, row: number, rule: RuleId): boolean =>
  sql(connection)`
    select 1 from problem where row_id = ? and rule = ? and severity = 'warning'`.get(row, rule) !== undefined

/**
 * What was found of a ready row, as far as the rule is an error and nobody said that it is sent all the same.
 * @param said SQL over the row `named` that a line names, which tells whether "send" beside it is about this
 * @returns whether the row waits for a person
 */
export function holdFound(
  connection: Connection,
  row: number,
  notice: Omit<ProblemText, 'severity'>,
  { severity, at, said = 'true' }: { severity: Severity; at: string; said?: string },
): boolean {
  const { rule } = notice
  if (severity === 'off' || isSettled(connection, row, rule)) return false
  const isSaid = sql(connection)`
    select 1 from temp.given_back join row using (id) left join row as named on named.id = row.corrects
     where row.id = ? and is_decided = 1 and ${said}`
  const isSent = severity === 'warning' || isSaid.get(row) !== undefined
  writeNotice(connection, { ...notice, severity: isSent ? 'warning' : 'error' }, 'id = :row', { row })
  if (!isSent) holdRow(connection, row, rule, at)
  return !isSent
}

/** The row that took the place of another since, or the row itself. */
export const latestOf = (connection: Connection, id: number): number =>
  sqlValue(connection)<number>`select coalesce(heir, id) from row where id = ?`.get(id) ?? id
