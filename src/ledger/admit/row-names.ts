import type { Connection } from '../file/connection.js'

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
