import { closeSync, fchmodSync, openSync, statfsSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { LedgerError } from '../../errors.js'
import { distrustPrivateFile, entryAt } from '../../trust/entry.js'

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
    'Give a path on a local disk',
    { ways: ['name_ledger'] },
  )
}

/** @throws {LedgerError} `unsafe` for a file that others can read or put in the place of ours */
export function assertPrivateFile(path: string, entry: Stats): void {
  const fault = distrustPrivateFile(entry)
  if (fault === null) return
  throw new LedgerError('unsafe', `Cannot trust the file "${path}": ${fault.why}`, fault.next)
}

/** Null when another process was faster. */
function openNew(path: string): number | null {
  try {
    return openSync(path, 'wx', PRIVATE)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return null
    throw error
  }
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
  const descriptor = openNew(path)
  if (descriptor === null) {
    createPrivateFile(path)
    return
  }
  try {
    fchmodSync(descriptor, PRIVATE)
  } finally {
    closeSync(descriptor)
  }
}
