import { resolve } from 'node:path'
import { configureForWriting, openForReading, openForWriting } from './connection.js'
import { assertLocalFolder, createPrivateFile } from '../safety/file-safety.js'
import { entryAt } from '../../trust/entry.js'
import type { Ledger } from '../ledger.js'
import { assertUndamaged } from './damage.js'
import { acquireLock, type Lock } from '../safety/lock.js'
import { assertOurs, missing } from '../schema/ours.js'
import { assertNotHeld } from '../safety/holder.js'
import { makeSchema } from '../schema/schema.js'
import { assertNoLeftovers, assertSafePlace, isLogGone } from '../safety/side-files.js'
import { explaining } from './storage-error.js'
import { createLedger, type LedgerOptions } from './writer.js'

/**
 * Opens the ledger for the one process that may write it, and recovers what an earlier one left behind.
 * @throws {LedgerError} `locked`, `damaged`, `foreign`, `newer`, `earlier`, `unsafe`, `unwritable`
 * @throws {UsageError} where there is none and it may not be made
 */
export function openLedger(options: LedgerOptions): Ledger {
  const file = resolve(options.file)
  return explaining('open', file, () => {
    const isNew = assertUsable(file, options)
    const isLogMissing = !isNew && isLogGone(file)
    const lock = acquireLock(file, () => describeHolder(file))
    try {
      if (isNew) createPrivateFile(file)
      return openLocked(file, lock, { ...options, isLogMissing })
    } catch (error) {
      lock.release()
      throw error
    }
  })
}

/** Everything that can be refused before a lock file is put beside a file that may not be ours. */
function assertUsable(file: string, { create = true, sharedFolder = false }: LedgerOptions): boolean {
  const isNew = entryAt(file) === null
  if (isNew && !create) throw missing(file)
  assertSafePlace(file, { sharedFolder })
  assertLocalFolder(file)
  if (isNew) {
    assertNoLeftovers(file)
    return true
  }
  const reader = openForReading(file)
  try {
    assertOurs(reader, file)
  } finally {
    reader.close()
  }
  return false
}

function describeHolder(file: string): string {
  try {
    const reader = openForReading(file)
    try {
      const holder = reader
        .prepare<[], { pid: number | null; host: string; since: string }>(
          'select pid, host, since from holder',
        )
        .get()
      if (holder === undefined) return 'another run holds it'
      const who = holder.pid === null ? '' : ` (process ${holder.pid} on ${holder.host})`
      return `another run${who} has held it since ${holder.since}, it must end first`
    } finally {
      reader.close()
    }
  } catch {
    return 'another run holds it' // it may be about to create the ledger
  }
}

function openLocked(
  file: string,
  lock: Lock,
  options: LedgerOptions & { readonly isLogMissing: boolean },
): Ledger {
  const connection = openForWriting(file)
  try {
    const isEmpty = assertOurs(connection, file)
    if (!isEmpty) assertUndamaged(connection, file)
    configureForWriting(connection)
    if (isEmpty) makeSchema(connection)
    assertNotHeld(connection, file)
    return createLedger({ ...options, connection, file, lock })
  } catch (error) {
    connection.close()
    throw error
  }
}
