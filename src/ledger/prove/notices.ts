import { maskAccounts } from '../../domain/text/masking.js'
import { noteChange } from '../deliver/campaign-rows.js'
import type { Connection } from '../file/connection.js'
import type { MadeNotices } from '../ledger.js'

/** Puts on record that a merge file was made, with the user of the operating system. */
export function noteNotices(connection: Connection, made: MadeNotices, at: string): void {
  noteChange(connection, at)
  connection
    .prepare(
      `insert into notice (made_at, made_by, made_as, version, first_debit, file, sha256, bytes, rows)
       values (:at, :by, (select user from holder), :version, :firstDebit, :file, :sha256, :bytes, :rows)`,
    )
    .run({ ...made, by: maskAccounts(made.by), at })
}
