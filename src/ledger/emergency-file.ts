import { closeSync, constants, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { assertPrivateFile, PRIVATE } from './file-safety.js'
import { entryAt } from '../trust/entry.js'

/**
 * Where outcomes go that the ledger could not take, because the disk was full for one (engineering-facts.md 3.6).
 * A person may read it as evidence; the program never applies it, and works the same without it.
 */
export interface EmergencyFile {
  readonly path: string
  /** True when the line reached the disk. Never throws: this is the last resort. */
  readonly append: (line: Readonly<Record<string, unknown>>) => boolean
  /** Closes the file, and removes it where it holds no outcome. */
  readonly close: () => void
}

export const emergencyPathOf = (file: string): string => `${file}.emergency.jsonl`

/** Larger than any run can leave behind with a sane number of requests under way. */
const MAX_EVIDENCE_BYTES = 16 * 1024 * 1024

const HEADER = {
  kind: 'header',
  note: 'Outcomes that the ledger could not record. Their rows are in doubt. The program never applies this file.',
}

/** Created before the first request: on a full disk a new file takes nothing, one that holds a line takes some more. */
export function openEmergencyFile(file: string): EmergencyFile {
  const path = emergencyPathOf(file)
  const entry = entryAt(path)
  if (entry !== null) assertPrivateFile(path, entry)
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants
  const descriptor = openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, PRIVATE)
  let holdsOutcome = entry !== null && entry.size > 0
  let isClosed = false

  function append(line: Readonly<Record<string, unknown>>): boolean {
    try {
      writeSync(descriptor, `${JSON.stringify(line)}\n`)
      fsyncSync(descriptor)
      return true
    } catch {
      return false
    }
  }

  if (!holdsOutcome) append(HEADER)
  return {
    path,
    append: (line) => {
      holdsOutcome = true
      return append(line)
    },
    close: () => {
      if (isClosed) return
      isClosed = true
      closeSync(descriptor)
      if (!holdsOutcome) rmSync(path, { force: true })
    },
  }
}

/** The attempts whose outcome the file holds. Lines that are cut or foreign are passed over. */
export function attemptsInEmergencyFile(file: string): ReadonlySet<string> {
  const path = emergencyPathOf(file)
  const entry = entryAt(path)
  if (entry === null || !entry.isFile() || entry.size > MAX_EVIDENCE_BYTES) return new Set()
  const requests = readFileSync(path, 'utf8').split('\n').map(requestOf)
  return new Set(requests.filter((request) => request !== null))
}

function requestOf(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line)
    const isOutcome = typeof value === 'object' && value !== null && 'requestId' in value
    return isOutcome && typeof value.requestId === 'string' ? value.requestId : null
  } catch {
    return null
  }
}
