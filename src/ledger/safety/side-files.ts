import { basename, dirname, resolve } from 'node:path'
import { codeOf, LedgerError } from '../../errors.js'
import {
  distrustFolder,
  entryAt,
  distrustPrivateFile,
  isMountPoint,
  closingFile,
  openTrusted,
} from '../../trust/trusted-file.js'
import {
  closeSync,
  existsSync,
  readFileSync,
  writeSync,
  fchmodSync,
  openSync,
  statfsSync,
  type Stats,
  type StatsFs,
  constants,
  fsyncSync,
  ftruncateSync,
  rmSync,
} from 'node:fs'
import { openDatabase } from '../../driver.js'
import { closing } from '../file/connection.js'
import { countText } from '../../domain/text/text.js'

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
const PRIVATE = 0o600

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

/** Bytes of a row: its attempt with indexes, and what was just admitted in log and file. Measured: 630 and 720 at most. */
const SENT_ROW = 1_700
/** Twice the pages after which the log is moved into the file. */
const LOG = 2 * 1_000 * 4_120

/** What to say where the disk of the ledger has less room than sending so many rows takes; null also where it does not tell. */
export function roomWarning(
  ledger: string,
  rows: number,
  lookUp: (folder: string) => Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'> = (folder) => statfsSync(folder),
): string | null {
  const { bavail, blocks, bsize } = lookUp(dirname(ledger))
  const [free, needed] = [bavail * bsize, rows * SENT_ROW + LOG]
  if (blocks === 0 || free >= needed) return null
  return `The disk of the ledger has ${countText(free)} bytes free, and this run may take ${countText(needed)}. Should it fill up, the run stops, and rows whose answers could not be recorded are in doubt. Free some space`
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
    closingFile(openSync(path, 'wx', PRIVATE), (descriptor) => fchmodSync(descriptor, PRIVATE))
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
    const list = openTrusted(writtenListOf(resolve(ledger)), { mode: 'append', what: 'list of files' })
    closingFile(list, (descriptor) => void writeSync(descriptor, `${JSON.stringify(entry)}\n`))
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
function jsonLines(path: string, mostBytes = Infinity): Readonly<Record<string, unknown>>[] {
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

/**
 * Where outcomes go that the ledger could not take, because the disk was full for one.
 * A person may read it as evidence; the program never applies it, and works the same without it.
 *
 * Its lines are written over blanks that were on disk before the first request, so that a full disk still takes them.
 * What is left of the blanks goes at the end; after a crash it stays, as one line of blanks behind the others.
 */
export type EmergencyFile = ReturnType<typeof openEmergencyFile>

/** Larger than any run can leave behind with a sane number of requests under way. */
const MAX_EVIDENCE_BYTES = 16 * 1024 * 1024

/** No line takes more: an answer is kept up to 2 KiB, its words up to 512 bytes, and JSON at most doubles them. */
const LARGEST_LINE = 16 * 1024

const HEADER = {
  kind: 'header',
  note: 'Outcomes that the ledger could not record. Their rows are in doubt. The program never applies this file.',
}

const BLANK = 0x20
const LINE_END = 0x0a

/**
 * Takes the room for the answers that may be lost at once, before the first request leaves.
 * @param underWay how many requests may be under way
 * @throws the system's error where the disk has no such room, or LedgerError `unsafe`
 */
export function openEmergencyFile(file: string, underWay: number) {
  const path = emergencyPathOf(file)
  const entry = entryAt(path)
  if (entry !== null) assertPrivateFile(path, entry)
  const { O_CREAT, O_RDWR, O_NOFOLLOW } = constants
  const descriptor = openSync(path, O_CREAT | O_RDWR | O_NOFOLLOW, PRIVATE)
  let end = endOfLines(readFileSync(descriptor))
  let holdsOutcome = end > 0
  let isClosed = false

  function write(line: Readonly<Record<string, unknown>>): void {
    const bytes = Buffer.from(`${textOf(line)}\n`)
    writeAt(descriptor, bytes, end)
    end += bytes.length
    fsyncSync(descriptor)
  }

  /** Removes the file where it holds no outcome. */
  function close(): void {
    if (isClosed) return
    isClosed = true
    try {
      if (holdsOutcome) ftruncateSync(descriptor, end)
    } catch {
      // the blanks stay, which harms nobody
    }
    closeSync(descriptor)
    if (!holdsOutcome) rmSync(path, { force: true })
  }

  try {
    reserve(descriptor, end, underWay * LARGEST_LINE)
    if (!holdsOutcome) write(HEADER)
  } catch (error) {
    close()
    throw error
  }
  return {
    path,
    /** True when the line reached the disk. Never throws: this is the last resort. */
    append: (line: Readonly<Record<string, unknown>>): boolean => {
      holdsOutcome = true
      try {
        write(line)
        return true
      } catch {
        return false
      }
    },
    close,
  }
}

/** Behind the last line; a line that was cut is ended first, so that it spoils no other. */
function endOfLines(content: Buffer): number {
  let last = content.length - 1
  while (last >= 0 && (content[last] === BLANK || content[last] === LINE_END)) last -= 1
  if (last === -1) return 0
  const behind = content.indexOf(LINE_END, last)
  return behind === -1 ? content.length : behind + 1
}

/** Real blanks rather than a hole, which a full disk would not fill. */
function reserve(descriptor: number, from: number, bytes: number): void {
  const blanks = Buffer.alloc(LARGEST_LINE, BLANK)
  for (let at = 0; at < bytes; at += blanks.length) writeAt(descriptor, blanks, from + at)
  writeAt(descriptor, Buffer.of(LINE_END), from + bytes)
  fsyncSync(descriptor)
}

function writeAt(descriptor: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length;)
    at += writeSync(descriptor, bytes, at, bytes.length - at, position + at)
}

/** What is said at length goes first where a line would be too large for its share of the room. */
function textOf(line: Readonly<Record<string, unknown>>): string {
  let kept = line
  for (const long of ['answer', 'message', 'reason']) {
    const text = JSON.stringify(kept)
    if (Buffer.byteLength(text) < LARGEST_LINE) return text
    if (long in kept) kept = { ...kept, [long]: 'left out: too long' }
  }
  return JSON.stringify(kept)
}

/** The attempts whose outcome the file holds. */
export const attemptsInEmergencyFile = (file: string): ReadonlySet<string> =>
  new Set(
    jsonLines(emergencyPathOf(file), MAX_EVIDENCE_BYTES).flatMap(({ requestId }) =>
      typeof requestId === 'string' ? [requestId] : [],
    ),
  )
