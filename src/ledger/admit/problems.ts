import type { RuleId } from '../../domain/rule/rules.js'
import type { Finding } from '../../domain/rule/verdict.js'
import type { Connection } from '../file/connection.js'

export interface ProblemWriter {
  /** `columns` names the header that feeds each field of the source. */
  readonly write: (sourceId: number, rowId: number | null, finding: Finding) => void
}

export function prepareProblems(
  connection: Connection,
  columns: Readonly<Record<string, string>>,
): ProblemWriter {
  const insert = connection.prepare(
    `insert into problem (source_id, row_id, rule, severity, field, column_name, value, message, remedy)
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
  unique_mandate_reference: `mask_accounts(coalesce(original_mandate_reference, ''))`,
} as const

export interface NoticeWriter {
  /** Writes one problem for each row that `where` (SQL over `row`) selects. Call it before their state changes. */
  readonly write: (notice: Notice, where: string, values: Readonly<Record<string, unknown>>) => void
}

export function prepareNotices(
  connection: Connection,
  columns: Readonly<Record<string, string>>,
): NoticeWriter {
  const prepared = new Map<string, ReturnType<Connection['prepare']>>()
  return {
    write: ({ rule, severity, field, message, remedy }, where, values) => {
      const sql = `insert into problem (source_id, row_id, rule, severity, field, column_name, value, message, remedy)
        select source_id, id, :rule, :severity, :field, :column, ${VALUE_OF[field]}, :message, :remedy
        from row where ${where} order by id`
      const statement = prepared.get(sql) ?? connection.prepare(sql)
      prepared.set(sql, statement)
      statement.run({
        ...values,
        rule,
        severity,
        field,
        column: columns[field] ?? field,
        message,
        remedy,
      })
    },
  }
}
