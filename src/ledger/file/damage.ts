import { LedgerError } from '../../errors.js'
import type { Connection } from './connection.js'

function lookForDamage(connection: Connection): unknown {
  connection.pragma('ignore_check_constraints = ON')
  try {
    return connection.pragma('quick_check(1)', { simple: true })
  } finally {
    connection.pragma('ignore_check_constraints = OFF')
  }
}

/**
 * Every page and every record is looked at. Conditions on values are held when they are written, and rows are compared
 * with what was admitted before they leave: to try them all again takes three quarters of the time.
 * @throws {LedgerError} `damaged`
 */
export function assertUndamaged(connection: Connection, file: string): void {
  const verdict = lookForDamage(connection)
  if (verdict === 'ok') return
  throw new LedgerError(
    'damaged',
    `Cannot open the ledger "${file}": its content is damaged (${String(verdict).split('\n')[0] ?? ''})`,
    'Send nothing from it. Keep the file and its -wal, restore a backup, and compare it with the service',
  )
}
