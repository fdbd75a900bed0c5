import { LedgerError, UsageError } from '../../errors.js'
import type { Connection } from '../file/connection.js'
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.js'

/**
 * Looks whether the file is a ledger of this version, without changing it.
 * @returns true for an empty file, which may become a ledger
 * @throws {LedgerError} `foreign`, `newer`, `earlier`
 */
export function assertOurs(connection: Connection, file: string): boolean {
  const applicationId = Number(connection.pragma('application_id', { simple: true }))
  const version = Number(connection.pragma('user_version', { simple: true }))
  const tables = connection.prepare<[], number>('select count(*) from sqlite_schema').pluck().get()
  if (applicationId === 0 && version === 0 && tables === 0) return true
  if (applicationId !== APPLICATION_ID)
    throw new LedgerError(
      'foreign',
      `Cannot use "${file}" as a ledger: it is an SQLite file of another program`,
      'Give another file',
      { ways: ['name_ledger'] },
    )
  if (version > SCHEMA_VERSION)
    throw new LedgerError(
      'newer',
      `Cannot open the ledger "${file}": a newer version of this program wrote it (schema ${version}, this one has ${SCHEMA_VERSION})`,
      'Install the newer version. Nothing was changed',
    )
  if (version < SCHEMA_VERSION) throw earlier(connection, file, version)
  return false
}

function earlier(connection: Connection, file: string, version: number): LedgerError {
  const wrote = connection
    .prepare<[], string>('select version from run order by id desc limit 1')
    .pluck()
    .get()
  return new LedgerError(
    'earlier',
    `Cannot open the ledger "${file}": an earlier version of this program wrote it (${wrote === undefined ? '' : `version ${wrote}, `}schema ${version}, this one has ${SCHEMA_VERSION}), and ledgers are not converted`,
    'Finish the campaign and write its report with the checkout or package that made the ledger. Nothing was changed, and nothing was sent',
  )
}

export const missing = (file: string): UsageError =>
  new UsageError(
    `Cannot open the ledger "${file}": there is no such file`,
    'Give its path, or start a campaign',
    { ways: ['name_ledger', 'run_file'] },
  )
