import { sql, type Connection } from '../file/connection.js'
import type { RowState } from '../../domain/row/row-state.js'

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
