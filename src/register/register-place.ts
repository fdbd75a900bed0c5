import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type HaltOptions, LedgerError } from '../errors.js'
import { distrustFolder, distrustOwnFile, distrustPrivateFile, entryAt } from '../trust/entry.js'

const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600
const KEY_BYTES = 32
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR, O_EXCL } = constants

/** The register cannot be used as it is; whatever the caller wanted to send is not sent. */
export const registerFault = (path: string, why: string, next: string, options?: HaltOptions): LedgerError =>
  new LedgerError(
    'register',
    `Cannot use the register of campaigns "${path}": ${why}. Without it an export could be sent twice; nothing was sent`,
    next,
    options,
  )

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'an error'

/** Says what a fault of the system means; faults of our own pass through. */
export function explainingRegister<Value>(path: string, body: () => Value): Value {
  try {
    return body()
  } catch (error) {
    if (error instanceof LedgerError || codeOf(error) === 'an error') throw error
    throw registerFault(
      path,
      `the system says ${codeOf(error)}`,
      'Make its folder writable for this user, or name another one with XDG_STATE_HOME. Do not delete the register',
      { cause: error },
    )
  }
}

/** Makes the folder where it is missing. @throws {LedgerError} `register` where others could change what is in it */
export function ensureFolder(folder: string, { sharedFolder }: { readonly sharedFolder: boolean }): void {
  explainingRegister(folder, () => mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER }))
  const fault = sharedFolder ? null : distrustFolder(folder)
  if (fault !== null) throw registerFault(folder, fault.why, fault.next)
}

/** @throws {LedgerError} `register` for a file that others own or may write */
function assertOwn(path: string, distrust = distrustOwnFile): void {
  const entry = entryAt(path)
  const fault = entry === null ? null : distrust(entry)
  if (fault !== null) throw registerFault(path, fault.why, fault.next)
}

/** The text of a file, or null where there is none. */
export function readOwn(path: string): string | null {
  return explainingRegister(path, () => {
    if (entryAt(path) === null) return null
    assertOwn(path)
    return readFileSync(path, 'utf8')
  })
}

/** Opens a private file for reading and writing, and makes it, durably, where it is missing. */
export function openOwn(path: string): number {
  return explainingRegister(path, () => {
    assertOwn(path)
    const isNew = entryAt(path) === null
    const descriptor = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | (isNew ? O_EXCL : 0), PRIVATE_FILE)
    if (isNew) flushFolder(dirname(path))
    return descriptor
  })
}

/** Makes the names in it safe from a power cut. */
export function flushFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Adds one line and waits until it is on the disk; a line that does not fit is taken back. Call it under the lock. */
export function appendLine(path: string, line: string): void {
  explainingRegister(path, () => {
    assertOwn(path)
    const descriptor = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, PRIVATE_FILE)
    const { size } = statSync(path)
    try {
      writeAll(descriptor, Buffer.from(`${line}\n`))
      fsyncSync(descriptor)
    } catch (error) {
      ftruncateSync(descriptor, size)
      throw error
    } finally {
      closeSync(descriptor)
    }
    flushFolder(dirname(path))
  })
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done)
}

/** The key of this user's sketches, made at the first use. Call it under the lock when it may have to be made. */
export function keyOf(folder: string, { mayMake }: { readonly mayMake: boolean }): Uint8Array | null {
  const path = join(folder, 'register.key')
  explainingRegister(path, () => assertOwn(path, distrustPrivateFile))
  const known = readOwn(path)?.trim() ?? ''
  if (known !== '') {
    if (/^[0-9a-f]{64}$/.test(known)) return Buffer.from(known, 'hex')
    throw registerFault(path, 'it is not a key', 'Bring it back from a backup, or ask who changed it')
  }
  if (!mayMake) return null
  const key = randomBytes(KEY_BYTES)
  appendLine(path, key.toString('hex'))
  return key
}
