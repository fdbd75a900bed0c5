import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
  statfsSync,
  statSync,
  type StatsFs,
} from 'node:fs'
import { entryAt } from '../../trust/entry.js'
import { assertPrivateFile, emergencyPathOf, jsonLines, PRIVATE } from './side-files.js'
import { dirname } from 'node:path'
import { bytesText } from '../../domain/text/text.js'

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

/** An attempt with its indexes, and what the row gains. Measured: 550 to 630. */
const SENT_ROW = 900
/** A row that was just admitted may be in memory only, and goes into the log and the file. Measured: 360, twice. */
const ADMITTED_ROW = 800
/** Of the cache of the ledger, twice. */
const MOST_IN_MEMORY = 2 * 32 * 1024 * 1024
/** Twice the pages after which the log is moved into the file. */
const LOG = 2 * 1_000 * 4_120

/**
 * A disk that fills up in the middle of a run leaves rows in doubt whose answers came.
 * @param ledger its file; what stands in its log goes into the file
 * @returns what to say where the disk has less room than sending so many rows takes; null also where it does not tell
 */
export function roomWarning(
  ledger: string,
  rows: number,
  lookUp: (folder: string) => Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'> = (folder) => statfsSync(folder),
): string | null {
  const free = freeBytesAt(dirname(ledger), lookUp)
  const admitted = statSync(`${ledger}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const needed = admitted + Math.min(rows * ADMITTED_ROW, MOST_IN_MEMORY) + rows * SENT_ROW + LOG
  if (free === null || free >= needed) return null
  return `The disk of the ledger has ${bytesText(free, 'down')} free, and this run may take ${bytesText(needed)}. Should it fill up, the run stops and says so, and rows whose answers could not be recorded are in doubt. Free some space before going on`
}

/** Null where the file system has no statfs, or reports no blocks at all, as some that are put together from others do. */
function freeBytesAt(folder: string, lookUp: NonNullable<Parameters<typeof roomWarning>[2]>): number | null {
  try {
    const { bavail, blocks, bsize } = lookUp(folder)
    const free = bavail * bsize
    return blocks > 0 && bsize > 0 && bavail >= 0 && Number.isFinite(free) ? free : null
  } catch {
    return null
  }
}
