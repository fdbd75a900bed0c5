import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { UsageError } from '../errors.js'
import { distrustPrivateFile, entryAt, leadsTo } from './entry.js'

const PRIVATE = 0o600

export interface OutputRequest {
  /** `append` goes on with a file of ours; `create` wants a name that is free. */
  readonly mode: 'append' | 'create'
  /** What the file is, for the error: `log file`. */
  readonly what: string
  /** Files that are read or kept in the same command: the inputs, the ledger and what belongs to it. */
  readonly forbidden?: readonly string[]
}

/** Where a path leads once its folder's links are followed; the name itself is not. */
function placeOf(path: string): string {
  const full = resolve(path)
  try {
    return join(realpathSync(dirname(full)), basename(full))
  } catch {
    return full
  }
}

const isSameFile = (a: Stats, b: Stats): boolean => a.dev === b.dev && a.ino === b.ino

/** By name, also where there is no file yet, and by what the name leads to. */
function isForbidden(path: string, entry: Stats | null, forbidden: string): boolean {
  if (placeOf(path) === placeOf(forbidden)) return true
  const other = entry === null ? null : leadsTo(forbidden)
  return entry !== null && other !== null && isSameFile(entry, other)
}

/** @throws {UsageError} for a path where the same command reads or keeps something else */
export function assertNotTaken(
  path: string,
  { what, forbidden = [] }: Omit<OutputRequest, 'mode'>,
  entry: Stats | null = entryAt(path),
): void {
  const taken = forbidden.find((other) => isForbidden(path, entry, other))
  if (taken === undefined) return
  throw new UsageError(
    `Cannot write the ${what} "${path}": this command reads or keeps "${taken}" there; nothing was sent`,
    `Name another place for the ${what}`,
  )
}

/**
 * The check for everything that the program writes to: no link, a regular file of this user alone with one name (mode
 * 0600 or less), none of the inputs, not the ledger.
 * @throws {UsageError} that says which of these it is not
 */
export function assertTrustedOutput(path: string, request: Omit<OutputRequest, 'mode'>): void {
  const entry = entryAt(path)
  assertNotTaken(path, request, entry)
  const fault = entry === null ? null : distrustPrivateFile(entry)
  if (fault !== null) refuse(path, request.what, fault)
}

function refuse(path: string, what: string, { why, next }: { why: string; next: string }): never {
  throw new UsageError(`Cannot write the ${what} "${path}": ${why}; nothing was sent`, next)
}

/**
 * Opens a file that passes the check, made with mode 0600 where there is none.
 * @returns its descriptor, open for writing at its end
 * @throws {UsageError} as `assertTrustedOutput`, and where it cannot be opened or, for `create`, exists
 */
export function openTrusted(path: string, request: OutputRequest): number {
  const { mode, what } = request
  if (mode === 'create' && entryAt(path) !== null)
    throw new UsageError(`"${path}" exists and is not overwritten`, 'Rename it, or name another file')
  assertTrustedOutput(path, request)
  const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants
  // Not blocking: a pipe put there meanwhile must not hold the program up.
  const flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | (mode === 'create' ? O_EXCL : 0)
  let descriptor: number
  try {
    descriptor = openSync(path, flags, PRIVATE)
  } catch (cause) {
    throw new UsageError(
      `Cannot open the ${what} "${path}"`,
      'Name a file in a folder that exists and can be written; nothing was sent',
      { cause },
    )
  }
  try {
    assertAsChecked(descriptor, path, what)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** Writes a new file that passes the check; it is on disk then. @throws as `openTrusted`, and the error of the system */
export function createTrusted(path: string, what: string, text: string): void {
  closingFile(openTrusted(path, { mode: 'create', what }), (descriptor) => {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  })
}

/** What was written is on disk then; of a folder, the names in it. */
export const flush = (path: string): void => closingFile(openSync(path, 'r'), fsyncSync)

/** Closes what was opened, whatever comes of it. */
export function closingFile(descriptor: number, body: (descriptor: number) => void): void {
  try {
    body(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Again on what was opened: it may have been exchanged since it was looked at. */
function assertAsChecked(descriptor: number, path: string, what: string): void {
  const opened = fstatSync(descriptor)
  if (opened.size === 0) fchmodSync(descriptor, PRIVATE)
  const fault = distrustPrivateFile(fstatSync(descriptor))
  if (fault !== null) refuse(path, what, fault)
  const entry = entryAt(path)
  if (entry === null || !isSameFile(entry, opened))
    refuse(path, what, {
      why: 'it was exchanged while it was opened',
      next: 'Look who else writes to its folder',
    })
}
