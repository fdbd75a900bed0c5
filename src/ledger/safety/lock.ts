import { openDatabase } from '../../driver.js'
import { LedgerError } from '../../errors.js'
import { createPrivateFile } from './file-safety.js'

export interface Lock {
  readonly release: () => void
}

/** Of two that start at once each may see the other's first step; one of them gives up, and the other must not. */
const WAIT_MS = 250

export const lockFileOf = (file: string): string => `${file}.lock`

/**
 * One writer per ledger: an exclusive transaction on a second tiny SQLite file, held for life. The operating system
 * frees it when the process dies, however it dies (ledger/README.md#how-it-is-written).
 *
 * Never open, copy, rename or delete the lock file by other means: closing any descriptor of it drops the lock, and a
 * second file of the name would let a second run in. It stays behind on purpose.
 * @throws {LedgerError} `locked`
 */
export function acquireLock(file: string, describeHolder: () => string): Lock {
  const path = lockFileOf(file)
  createPrivateFile(path)
  const connection = openDatabase(path, { timeout: WAIT_MS })
  try {
    connection.pragma('journal_mode = DELETE')
    connection.exec('begin exclusive')
  } catch (error) {
    connection.close()
    throw isBusy(error) ? lockedBy(file, describeHolder(), error) : error
  }
  return { release: () => connection.close() }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')

const lockedBy = (file: string, holder: string, cause: unknown): LedgerError =>
  new LedgerError(
    'locked',
    `Cannot open the ledger "${file}": ${holder}`,
    'Wait until it has ended, or stop it. How far it is can be looked at meanwhile',
    { cause, ways: ['status'] },
  )
