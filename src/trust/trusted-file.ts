import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  type Stats,
  fchmodSync,
  fsyncSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { codeOf, UsageError } from '../errors.js'
import { type Distrust, distrustPrivateFile, entryAt, leadsTo } from './entry.js'
import { basename, dirname, join, resolve } from 'node:path'

/** A file that somebody gives the program to read whole: a configuration, a secret, a plan, decisions. */
export interface GivenRequest {
  /** What the file is, for the error: `plan`. */
  readonly what: string
  /** What it means that it is not read: `nothing was sent`. */
  readonly nothing: string
  readonly mostBytes: number
  /** A link in the place of the file is refused. */
  readonly noLink?: boolean
  /** Why its owner or its mode does not do; asked of what was opened, which nobody can exchange any more. */
  readonly distrust?: (path: string, opened: Stats) => Distrust | null
}

const KIB = 1024
const MIB = KIB * KIB

/** Many times what such a file ever takes. */
export const MOST_BYTES = {
  secret: 64 * KIB,
  approval: 64 * KIB,
  configuration: 4 * MIB,
  certificates: 16 * MIB,
  plan: 16 * MIB,
  manifest: 16 * MIB,
  decisions: KIB * MIB,
} as const

/** Why a file cannot be opened, by the code of the system. */
export const OPEN_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'there is no such file'],
  ['EACCES', 'this user may not read it'],
  ['EPERM', 'this user may not read it'],
  ['ELOOP', 'it is a symbolic link'],
  ['EISDIR', 'it is a directory'],
  ['ENXIO', 'it is not a regular file'],
])

const refusal = (path: string, { what, nothing }: GivenRequest, why: string, cause?: unknown): UsageError =>
  new UsageError(
    `Cannot read the ${what} "${path}": ${why}; ${nothing}`,
    'Check the path, and give the file itself',
    { cause },
  )

/**
 * Opens without waiting, since a named pipe would hold the program up for ever, and judges what was opened: a regular file,
 * no larger than such a file is, that can be trusted.
 */
function openGiven(path: string, request: GivenRequest): { descriptor: number; entry: Stats } {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants
  const flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (request.noLink === true ? O_NOFOLLOW : 0)
  let descriptor: number
  try {
    descriptor = openSync(path, flags)
  } catch (cause) {
    throw refusal(path, request, OPEN_PROBLEMS.get(codeOf(cause)) ?? 'the system refused', cause)
  }
  try {
    const entry = fstatSync(descriptor)
    if (!entry.isFile()) throw refusal(path, request, 'it is not a regular file')
    if (entry.size > request.mostBytes) throw tooLarge(path, request)
    const fault = request.distrust?.(path, entry) ?? null
    if (fault !== null)
      throw new UsageError(
        `Cannot trust the ${request.what} "${path}": ${fault.why}; ${request.nothing}`,
        fault.next,
      )
    return { descriptor, entry }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

const tooLarge = (path: string, request: GivenRequest): UsageError =>
  refusal(path, request, `it is larger than ${request.mostBytes / KIB} KiB, which no such file is`)

/**
 * Its bytes, and the entry that was opened.
 * @throws {UsageError} for anything but a regular file of a sensible size that can be read and trusted
 */
export function readGiven(path: string, request: GivenRequest): { bytes: Buffer; entry: Stats } {
  const { descriptor, entry } = openGiven(path, request)
  try {
    const chunks: Buffer[] = []
    for (let size = 0; ;) {
      const chunk = Buffer.allocUnsafe(64 * KIB)
      const read = readSync(descriptor, chunk)
      if (read === 0) return { bytes: Buffer.concat(chunks), entry }
      size += read
      // It may have grown since it was looked at; a file of /proc has no size at all.
      if (size > request.mostBytes) throw tooLarge(path, request)
      chunks.push(chunk.subarray(0, read))
    }
  } finally {
    closeSync(descriptor)
  }
}

/** The same as text. @throws {UsageError} as `readGiven` */
export const readGivenText = (path: string, request: GivenRequest): string =>
  readGiven(path, request).bytes.toString('utf8')

/** For a file that others read piece by piece. @throws {UsageError} as `readGiven` */
export const assertGiven = (path: string, request: GivenRequest): void =>
  closeSync(openGiven(path, request).descriptor)

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
