import { closeSync, fchmodSync, lstatSync, openSync, statfsSync, type Stats } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { LedgerError } from '../errors.js'

/** The owner may read and write, nobody else may do anything. */
export const PRIVATE = 0o600
const OTHERS = 0o077

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

/** The entry at a path, or null where there is none. A link is not followed. */
export const entryAt = (path: string): Stats | null => lstatSync(path, { throwIfNoEntry: false }) ?? null

/** @throws {LedgerError} `unsafe` where the folder is on another machine */
export function assertLocalFolder(file: string, typeOf = (folder: string) => statfsSync(folder).type): void {
  const type = NETWORK_FILE_SYSTEMS.get(typeOf(dirname(file)) >>> 0)
  if (type === undefined) return
  throw new LedgerError(
    'unsafe',
    `Cannot keep the ledger "${file}" on a network file system (${type}): its locks do not hold there, two runs could send the same mandates`,
    'Give a path on a local disk with --ledger',
  )
}

function ownUserId(): number | null {
  try {
    return userInfo().uid
  } catch {
    return null // a container may run under a number that has no name
  }
}

function faultOf(entry: Stats): { why: string; next: string } | null {
  if (entry.isSymbolicLink())
    return { why: 'it is a symbolic link', next: 'Give the path of the file itself' }
  if (!entry.isFile()) return { why: 'it is not a regular file', next: 'Give the path of a file' }
  if ((entry.mode & OTHERS) !== 0) {
    const mode = (entry.mode & 0o777).toString(8).padStart(4, '0')
    return {
      why: `other users may open it (mode ${mode})`,
      next: 'Make it private with "chmod 600", and ask who may have read it',
    }
  }
  if (entry.nlink > 1) {
    return {
      why: 'it has a second name (a hard link), so its lock does not protect it',
      next: 'Remove the other name',
    }
  }
  const own = ownUserId()
  if (own !== null && own >= 0 && entry.uid !== own) {
    return { why: 'it belongs to another user', next: 'Run the command as the user who owns it' }
  }
  return null
}

/** @throws {LedgerError} `unsafe` for a file that others can read or put in the place of ours (engineering-facts.md 8) */
export function assertPrivateFile(path: string, entry: Stats): void {
  const fault = faultOf(entry)
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
  const descriptor = openSync(path, 'wx', PRIVATE)
  try {
    fchmodSync(descriptor, PRIVATE)
  } finally {
    closeSync(descriptor)
  }
}
