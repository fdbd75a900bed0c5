import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { codeOf, UsageError } from '../errors.js'
import type { Distrust } from './entry.js'

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
