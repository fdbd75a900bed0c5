import { basename, dirname, resolve } from 'node:path'
import { LedgerError } from '../../errors.js'
import { distrustFolder, entryAt } from '../../trust/entry.js'
import { isMountPoint } from '../../trust/mount.js'
import { assertPrivateFile } from './file-safety.js'
import { lockFileOf } from './lock.js'
import { ledgerFiles } from './written-files.js'

const logFileOf = (file: string): string => `${file}-wal`

/** What SQLite puts beside a file of its own. */
const besideSqlite = (file: string): string[] => ['-wal', '-shm', '-journal'].map((ending) => file + ending)

const sideFilesOf = (file: string): string[] => [...ledgerFiles(file), ...besideSqlite(lockFileOf(file))]

/** Why others could change what lies in the folder of a ledger, or null. */
export const distrustLedgerFolder = (file: string): string | null =>
  distrustFolder(dirname(resolve(file)))?.why ?? null

/**
 * Everything that can be told of a ledger's place before SQLite opens anything there: who may change the folder, and
 * who owns and may open the ledger and each file beside it.
 * @throws {LedgerError} `unsafe`
 */
export function assertSafePlace(file: string, { sharedFolder }: { readonly sharedFolder: boolean }): void {
  const fault = sharedFolder ? null : distrustFolder(dirname(file))
  if (fault !== null)
    throw new LedgerError(
      'unsafe',
      `Cannot trust the folder "${dirname(file)}" of the ledger: ${fault.why}. Others could read account numbers or put their own in place`,
      `${fault.next}, or give a folder of your own. Where you know better (a container's mount), allow the folder`,
      { ways: ['name_ledger', 'shared_folder'] },
    )
  for (const path of sideFilesOf(file)) {
    const entry = entryAt(path)
    if (entry === null) continue
    assertPrivateFile(path, entry)
    if (isMountPoint(path))
      throw new LedgerError(
        'unsafe',
        `Cannot trust the file "${path}": it is mounted by itself, so its lock and its log are not beside the original, and two runs could send the same mandates`,
        'Mount the folder of the ledger instead of the single file',
      )
  }
}

/**
 * Beside a ledger that is about to be made there is no log: it would be taken for its own.
 * A log of no length is left by every reader and holds nothing. Where the ledger is there by now, another process is
 * making it, and the log is its own: the lock tells that.
 * @throws {LedgerError} `unsafe`
 */
export function assertNoLeftovers(file: string): void {
  const left = [logFileOf(file), `${file}-journal`].find((path) => (entryAt(path)?.size ?? 0) > 0)
  if (left === undefined || entryAt(file) !== null) return
  throw new LedgerError(
    'unsafe',
    `Cannot make the ledger "${file}": "${basename(left)}" is there without it, left by another ledger`,
    'If the ledger was moved or removed, bring it back: what the file holds is its latest part. Otherwise move the file away',
  )
}

/** True where the write-ahead log is gone that a process leaves behind when it dies; a reader may have put an empty one. */
export const isLogGone = (file: string): boolean => (entryAt(logFileOf(file))?.size ?? 0) === 0
