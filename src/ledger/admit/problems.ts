import type { RuleId, SeverityOverrides } from '../../domain/rule/rules.js'
import type { Finding } from '../../domain/rule/verdict.js'
import type { Connection } from '../file/connection.js'
import { transition } from '../../domain/row/row-state.js'
import type { Fingerprints } from './fingerprints.js'

/** SQL that is true for a row of an erased customer, whose account can be compared with none any more. */
export const isErased = (row: string): string =>
  `exists (select 1 from decision where decision.row_id = ${row}.id and decision.decision = 'erased')`

/** The source that is being admitted. Its rows are those from `first` on; every older row has a lower id. */
export interface Scope {
  readonly connection: Connection
  readonly fingerprints: Fingerprints
  readonly severities: SeverityOverrides
  readonly sourceId: number
  readonly first: number
  /** The first row of the whole admission: of all files of the command. */
  readonly firstOfAll: number
  readonly header: readonly string[]
  /** The header name that feeds each field; a constant has none. */
  readonly columns: Readonly<Record<string, string>>
}

export interface ProblemWriter {
  /** `columns` names the header that feeds each field of the source. */
  readonly write: (sourceId: number, rowId: number | null, finding: Finding) => void
}

export function prepareProblems(
  connection: Connection,
  columns: Readonly<Record<string, string>>,
): ProblemWriter {
  const insert = connection.prepare(
    `insert into problem (${PROBLEM_INSERT})
     values (:sourceId, :rowId, :rule, :severity, :field, :column, :value, :message, :remedy)`,
  )
  return {
    write: (sourceId, rowId, { rule, severity, field, value, message, remedy }) => {
      const column = field === null ? '' : (columns[field] ?? field)
      insert.run({ sourceId, rowId, rule, severity, field, column, value, message, remedy })
    },
  }
}

/** A decision of the ledger about rows of the source being admitted, in words. */
export interface Notice {
  readonly rule: RuleId
  readonly severity: 'error' | 'warning'
  readonly field: 'customer_no' | 'iban' | 'unique_mandate_reference'
  readonly message: string
  readonly remedy: string
}

/** What the notice says about a row instead of an account number: the reference, the customer, the masked account. */
const VALUE_OF = {
  customer_no: `coalesce(cast(customer_no as text), '')`,
  iban: `coalesce(iban_masked, '')`,
  // What is shorter than the shortest run of digits that is masked need not be looked at.
  unique_mandate_reference: `case when length(original_mandate_reference) < 12 then original_mandate_reference
    else mask_accounts(coalesce(original_mandate_reference, '')) end`,
} as const

const PROBLEM_INSERT = 'source_id, row_id, rule, severity, field, column_name, value, message, remedy'

/** SQL that writes a problem for each row that `from` gives, a part of a statement that begins with FROM. */
const noticeSql = (field: Notice['field'], message: string, from: string): string =>
  `insert into problem (${PROBLEM_INSERT})
    select row.source_id, row.id, :rule, :severity, :field, :column, ${VALUE_OF[field]}, ${message}, :remedy ${from}`

export interface NoticeWriter {
  /** Writes one problem for each row that `where` (SQL over `row`) selects. Call it before their state changes. */
  readonly write: (notice: Notice, where: string, values: Readonly<Record<string, unknown>>) => void
  /** The same for rows that `from` gives in their order; NAMED in the message stands for what `named` (SQL) gives. */
  readonly writeNaming: (
    notice: Notice,
    sql: { readonly from: string; readonly named: string },
    values: Readonly<Record<string, unknown>>,
  ) => void
}

/** No message holds it by itself. */
export const NAMED = '\u0000'

export function prepareNotices(
  connection: Connection,
  columns: Readonly<Record<string, string>>,
): NoticeWriter {
  const prepared = new Map<string, ReturnType<Connection['prepare']>>()
  function run(
    sql: string,
    notice: Omit<Notice, 'message'>,
    values: Readonly<Record<string, unknown>>,
  ): void {
    const statement = prepared.get(sql) ?? connection.prepare(sql)
    prepared.set(sql, statement)
    const { rule, severity, field, remedy } = notice
    statement.run({ ...values, rule, severity, field, column: columns[field] ?? field, remedy })
  }
  return {
    write: ({ message, ...notice }, where, values) =>
      run(noticeSql(notice.field, ':message', `from row where ${where} order by id`), notice, {
        ...values,
        message,
      }),
    writeNaming: ({ message, ...notice }, { from, named }, values) => {
      const [before = '', after = ''] = message.split(NAMED)
      const text = `:before || ${named} || :after`
      run(noticeSql(notice.field, text, from), notice, { ...values, before, after })
    },
  }
}

interface Named {
  readonly id: number
  readonly record: number
  readonly state: string
  readonly source: string
}

/** A row of the file at hand. */
export const recordName = (record: number | string): string => `record ${record}`

/** Names a row for the operator. Rows from `first` on belong to the file at hand, whose name goes without saying. */
export function describeRow(connection: Connection, first: number): (id: number | null) => string {
  const read = connection.prepare<[number], Named>(
    `select row.id, record, state, source.name as source from row join source on source.id = source_id
      where row.id = ?`,
  )
  return (id) => {
    const row = id === null ? undefined : read.get(id)
    if (row === undefined) return 'another row'
    if (row.id >= first) return recordName(row.record)
    return `${recordName(row.record)} of "${row.source}", which is ${row.state.replace('_', ' ')} (row ${row.id})`
  }
}

/** Makes a row that is ready, and never left, wait for a person: a decision of the program, on record with its reason. */
export function prepareHoldRow(
  connection: Connection,
  at: string,
): (row: number, rule: RuleId, reason: string) => void {
  const decide = connection.prepare(
    `insert into decision (row_id, decided_at, decided_by, decision, from_state, to_state, reason)
     values (?, ?, 'sepa-migrate', 'held', 'ready', 'conflict', ?)`,
  )
  const hold = connection.prepare<[string, string, number]>('update row set state = ?, rule = ? where id = ?')
  return (row, rule, reason) => {
    decide.run(row, at, reason)
    hold.run(transition('ready', 'held'), rule, row)
  }
}
