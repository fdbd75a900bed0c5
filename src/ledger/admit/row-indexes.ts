import type { Connection } from '../file/connection.js'

/** With more rows than these it is no gain any more, and lookups by older rows would go through all of them. */
const FEW_ROWS = 1_000

/**
 * Takes the indexes of all rows away while a source is read into a ledger of few, as one made of all rows at once costs half
 * of what its entries cost one by one. Both are part of the admission: without its commit nothing has happened.
 * @returns makes them again, and must be called before any rule compares rows; the unique ones refuse what they always refuse
 */
export function withoutIndexes(connection: Connection, rowsBefore: number): () => void {
  if (rowsBefore > FEW_ROWS) return () => undefined
  // What the schema says now is what is made again; an index that belongs to a constraint has no text. One of few rows
  // costs less to keep: making it walks over all of them.
  const indexes = connection
    .prepare<[], { name: string; sql: string }>(
      `select name, sql from sqlite_schema where type = 'index' and tbl_name = 'row'
        and name in (select name from pragma_index_list('row') where origin = 'c' and partial = 0) order by rowid`,
    )
    .all()
  for (const { name } of indexes) connection.exec(`drop index "${name}"`)
  return () => {
    for (const { sql } of indexes) connection.exec(sql)
  }
}
