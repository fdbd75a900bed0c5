import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '../errors.js'
import { emptyLog, type Connection } from './connection.js'
import type { PurgeReport } from './ledger.js'
import { isBackupOf } from './migration.js'

/**
 * Takes every account number and cell out of the tables, and the secret with which fingerprints could be tried.
 * @returns how many rows held some
 * @throws {UsageError} while the campaign is not over
 */
export function removeAccounts(
  connection: Connection,
  { by, reason }: { by: string; reason: string },
  at: string,
): number {
  const open = connection
    .prepare<[], { state: string; count: number }>(
      `select state, count(*) as count from row where state in ('ready', 'sending', 'in_doubt') group by state`,
    )
    .all()
  if (open.length > 0) {
    const counts = open.map(({ state, count }) => `${count} ${state.replace('_', ' ')}`).join(', ')
    throw new UsageError(
      `Cannot purge the ledger while rows are open: ${counts}`,
      'Send what is ready with "sepa-migrate run" or write it off, and settle what is in doubt with "sepa-migrate resolve"',
    )
  }
  const { changes } = connection
    .prepare('update row set iban = null, cells = null where iban is not null or cells is not null')
    .run()
  connection
    .prepare<[{ at: string; by: string; reason: string }]>(
      `update campaign set purged_at = coalesce(purged_at, :at), purged_by = coalesce(purged_by, :by),
         purge_reason = coalesce(purge_reason, :reason), secret = null, changed_at = :at`,
    )
    .run({ at, by, reason })
  return changes
}

/** Rewrites the file without its free pages and empties the log: what was removed is in neither any more. */
export function erase(connection: Connection, file: string, rows: number): PurgeReport {
  connection.exec('vacuum')
  const folder = dirname(file)
  const backups = readdirSync(folder).filter((name) => isBackupOf(basename(file), name))
  for (const name of backups) rmSync(join(folder, name))
  return { rows, removedBackups: backups, isErased: emptyLog(connection) }
}
