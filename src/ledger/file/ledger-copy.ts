import { openScratch, type Connection } from './connection.js'
import { guardsSql } from '../schema/guards.js'
import { makeTables } from '../schema/schema.js'

/** What rules across rows look at, in an order in which every row finds the rows it refers to. */
const TABLES = ['campaign', 'source', 'row', 'run', 'attempt'] as const

/**
 * Copies what files are admitted beside into a private temporary database. All of it is read in one transaction; nothing
 * is written to the ledger.
 */
export function copyOf(ledger: Connection): Connection {
  const copy = openScratch()
  try {
    makeTables(copy)
    copy.pragma('foreign_keys = OFF')
    ledger.transaction(() => {
      for (const table of TABLES) copyTable(ledger, copy, table)
    })()
    copy.pragma('foreign_keys = ON')
    copy.exec(guardsSql())
    return copy
  } catch (error) {
    copy.close()
    throw error
  }
}

function copyTable(from: Connection, to: Connection, table: string): void {
  const columns = from.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table)
  const insert = to.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  const rows = from.prepare<[], unknown[]>(`select ${columns.join(', ')} from ${table}`).raw()
  to.transaction(() => {
    for (const row of rows.iterate()) insert.run(...row)
  })()
}
