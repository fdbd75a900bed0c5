import { transition } from '../../domain/row/row-state.js'
import type { RuleId } from '../../domain/rule/rules.js'
import type { Connection } from '../file/connection.js'

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
