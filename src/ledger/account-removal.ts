import type { Connection } from './connection.js'

/**
 * The account number and the cells of a registered mandate go with the commit that records it, and
 * those of every row that holds the same account for certain: its duplicates, and the rows it replaced.
 */
export function prepareAccountRemoval(connection: Connection): (rowId: number, mandateKey: string) => void {
  const duplicates = connection.prepare<[string]>(
    `update row set iban = null, cells = null
      where mandate_key = ? and state in ('duplicate', 'superseded') and (iban is not null or cells is not null)`,
  )
  const replaced = connection.prepare<[number]>(
    `update row set iban = null, cells = null where (iban is not null or cells is not null) and id in (
       with recursive earlier (id) as (
         select id from row where superseded_by = ?
         union select row.id from row join earlier on row.superseded_by = earlier.id)
       select id from earlier)`,
  )
  return (rowId, mandateKey) => {
    duplicates.run(mandateKey)
    replaced.run(rowId)
  }
}
