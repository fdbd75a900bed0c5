import { openScratch, type Connection } from './connection.js'
import { dropGuards, hasTable, makeGuards, takeSteps, versionOf } from '../schema/migration.js'
import { SCHEMA } from '../schema/schema.js'

const TABLES = [
  'campaign',
  'holder',
  'source',
  'row',
  'run',
  'attempt',
  'decision',
  'problem',
  'read_back',
  'question',
  'proof',
  'plan',
  'approval',
] as const
type Table = (typeof TABLES)[number]

/**
 * Copies a ledger, of an older version too, into a private temporary database of the newest schema. All of it is read in
 * one transaction; nothing is written to the ledger.
 * @param tables in an order in which every row finds the rows it refers to; those that it does not have yet are left out
 */
export function copyOf(ledger: Connection, tables: readonly Table[] = TABLES): Connection {
  const copy = openScratch()
  try {
    takeSteps(copy, SCHEMA.slice(0, versionOf(ledger)))
    dropGuards(copy) // they let nobody write history
    copy.pragma('foreign_keys = OFF')
    ledger.transaction(() => {
      for (const table of tables) if (hasTable(ledger, table)) copyTable(ledger, copy, table)
    })()
    copy.pragma('foreign_keys = ON')
    takeSteps(copy, SCHEMA)
    makeGuards(copy)
    return copy
  } catch (error) {
    copy.close()
    throw error
  }
}

function copyTable(from: Connection, to: Connection, table: Table): void {
  const columns = from.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table)
  const insert = to.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  const rows = from.prepare<[], unknown[]>(`select ${columns.join(', ')} from ${table}`).raw()
  to.transaction(() => {
    for (const row of rows.iterate()) insert.run(...row)
  })()
}
