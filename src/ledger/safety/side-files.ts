import { basename, dirname, resolve } from 'node:path'
import { codeOf, LedgerError } from '../../errors.js'
import { distrustFolder, entryAt, distrustPrivateFile, isMountPoint } from '../../trust/entry.js'
import {
  closeSync,
  existsSync,
  readFileSync,
  writeSync,
  fchmodSync,
  openSync,
  statfsSync,
  type Stats,
} from 'node:fs'
import { openTrusted } from '../../trust/output.js'
import { openDatabase } from '../../driver.js'
import { closing } from '../file/connection.js'

export interface Lock {
  readonly release: () => void
}

/** Of two that start at once each may see the other's first step; one of them gives up, and the other must not. */
const WAIT_MS = 250

const lockFileOf = (file: string): string => `${file}.lock`

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
    throw codeOf(error).startsWith('SQLITE_BUSY') ? lockedBy(file, describeHolder(), error) : error
  }
  return { release: () => connection.close() }
}

/** Whether a writer holds the lock now. A reader of the lock file waits for nobody and keeps nobody waiting. */
export function isBeingWritten(file: string): boolean {
  const path = lockFileOf(file)
  if (!existsSync(path)) return false
  try {
    closing(openDatabase(path, { readonly: true, timeout: 0 }), (lock) =>
      lock.prepare('select count(*) from sqlite_master').get(),
    )
    return false
  } catch (error) {
    if (codeOf(error).startsWith('SQLITE_BUSY')) return true
    throw error
  }
}

const lockedBy = (file: string, holder: string, cause: unknown): LedgerError =>
  new LedgerError(
    'locked',
    `Cannot open the ledger "${file}": ${holder}`,
    'Wait until it has ended, or stop it. How far it is can be looked at meanwhile (sepa-migrate status)',
    { cause },
  )

/** The owner may read and write, nobody else may do anything. */
export const PRIVATE = 0o600

/**
 * Types of file systems that live on another machine, as Linux numbers them: their locks and their shared memory do
 * not hold between hosts, and SQLite's write-ahead log needs both. FUSE and 9p are let through, because containers and
 * virtual machines mount local folders by them.
 */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
])

/** @throws {LedgerError} `unsafe` where the folder is on another machine */
export function assertLocalFolder(file: string, typeOf = (folder: string) => statfsSync(folder).type): void {
  const type = NETWORK_FILE_SYSTEMS.get(typeOf(dirname(file)) >>> 0)
  if (type === undefined) return
  throw new LedgerError(
    'unsafe',
    `Cannot keep the ledger "${file}" on a network file system (${type}): its locks do not hold there, two runs could send the same mandates`,
    'Give a path on a local disk (--ledger FILE)',
  )
}

/** @throws {LedgerError} `unsafe` for a file that others can read or put in the place of ours */
export function assertPrivateFile(path: string, entry: Stats): void {
  const fault = distrustPrivateFile(entry)
  if (fault === null) return
  throw new LedgerError('unsafe', `Cannot trust the file "${path}": ${fault.why}`, fault.next)
}

/**
 * Creates an empty private file; what SQLite puts beside it copies its mode.
 * An existing file is only looked at, never opened: closing it would drop the locks this process holds on it.
 */
export function createPrivateFile(path: string): void {
  const entry = entryAt(path)
  if (entry !== null) {
    assertPrivateFile(path, entry)
    return
  }
  try {
    const descriptor = openSync(path, 'wx', PRIVATE)
    try {
      fchmodSync(descriptor, PRIVATE)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    createPrivateFile(path) // another process was faster
  }
}

/** `report`: a folder with result files; `log`: a log file; `plan`: a plan, its page, or where its approval lies. */
const KINDS = ['report', 'log', 'plan'] as const

export interface WrittenPath {
  readonly kind: (typeof KINDS)[number]
  /** Absolute. */
  readonly path: string
}

/**
 * Which folders and logs the commands of a campaign wrote, one JSON line each, beside the ledger: a report is written
 * beside a run and cannot take the ledger's lock. `purge` reads it.
 */
const writtenListOf = (ledger: string): string => `${ledger}.files.jsonl`

/** Where outcomes go that the ledger could not take. */
export const emergencyPathOf = (file: string): string => `${file}.emergency.jsonl`

/** Everything that belongs to a ledger: no other output may be written there. */
export function ledgerFiles(ledger: string): readonly string[] {
  const file = resolve(ledger)
  return [file, ...besideSqlite(file), lockFileOf(file), emergencyPathOf(file), writtenListOf(file)]
}

/** What SQLite puts beside a file of its own. */
const besideSqlite = (file: string): string[] => ['-wal', '-shm', '-journal'].map((ending) => file + ending)

/** @returns false where the list cannot be written; the command goes on, and a purge knows less */
export function noteWritten(ledger: string, { kind, path }: WrittenPath): boolean {
  const entry = { kind, path: resolve(path) }
  const known = readWritten(ledger)
  if (known.some((other) => other.kind === kind && other.path === entry.path)) return true
  try {
    const descriptor = openTrusted(writtenListOf(resolve(ledger)), { mode: 'append', what: 'list of files' })
    try {
      writeSync(descriptor, `${JSON.stringify(entry)}\n`)
    } finally {
      closeSync(descriptor)
    }
    return true
  } catch {
    return false
  }
}

export const readWritten = (ledger: string): readonly WrittenPath[] =>
  jsonLines(writtenListOf(resolve(ledger))).flatMap(({ kind, path }) => {
    const known = KINDS.find((each) => each === kind)
    return known !== undefined && typeof path === 'string' ? [{ kind: known, path }] : []
  })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** What stands in a file with an object on each line; none of a larger one. Lines that are cut or foreign are passed over. */
export function jsonLines(path: string, mostBytes = Infinity): Readonly<Record<string, unknown>>[] {
  const entry = entryAt(path)
  if (entry?.isFile() !== true || entry.size > mostBytes) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown].filter(isObject)
    } catch {
      return []
    }
  })
}

const logFileOf = (file: string): string => `${file}-wal`

/** Why others could change what lies in the folder of a ledger, or null. */
export function distrustLedgerFolder(file: string): string | null {
  const folder = dirname(resolve(file))
  return existsSync(folder) ? (distrustFolder(folder)?.why ?? null) : null
}

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
      `${fault.next}, or give a folder of your own. Where you know better (a container's mount), allow the folder (--ledger FILE; --shared-folder allows it)`,
    )
  for (const path of [...ledgerFiles(file), ...besideSqlite(lockFileOf(file))]) {
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
