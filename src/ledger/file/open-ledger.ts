import { readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pid as ownPid } from 'node:process'
import { LedgerError } from '../../errors.js'
import {
  closing,
  configureForWriting,
  keeping,
  openForReading,
  openForWriting,
  sql,
  sqlValue,
  type Connection,
  explaining,
  isOnlyBegun,
} from './connection.js'
import { entryAt } from '../../trust/trusted-file.js'
import { type Ledger, createLedger, type LedgerOptions, type LedgerParts } from './writer.js'
import { makeSchema, assertOurs, missing } from '../schema/schema.js'
import {
  assertNoLeftovers,
  assertSafePlace,
  isLogGone,
  assertLocalFolder,
  createPrivateFile,
  acquireLock,
} from '../safety/side-files.js'

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
      return openLocked({ ...options, file, lock, isLogMissing })
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
  try {
    closing(openForReading(file), (reader) => assertOurs(reader, file))
  } catch (error) {
    if (!isOnlyBegun(error)) throw error // looked at once more under the lock
  }
  return false
}

function describeHolder(file: string): string {
  try {
    const holder = closing(openForReading(file), (reader) =>
      sql(reader)<{
        pid: number | null
        host: string
        since: string
      }>`select pid, host, since from holder`.get(),
    )
    if (holder === undefined) return 'another run holds it'
    const who = holder.pid === null ? '' : ` (process ${holder.pid} on ${holder.host})`
    return `another run${who} has held it since ${holder.since}, it must end first`
  } catch {
    return 'another run holds it' // it may be about to create the ledger
  }
}

const openLocked = (parts: Omit<LedgerParts, 'connection'>): Ledger =>
  keeping(openForWriting(parts.file), (connection) => {
    const { file } = parts
    const isEmpty = assertOurs(connection, file)
    if (!isEmpty) assertUndamaged(connection, file)
    configureForWriting(connection)
    if (isEmpty) makeSchema(connection)
    assertNotHeld(connection, file)
    return createLedger({ ...parts, connection })
  })

/**
 * Every page and every record is looked at. Conditions on values are held when they are written, and rows are compared
 * with what was admitted before they leave: to try them all again takes three quarters of the time.
 * @throws {LedgerError} `damaged`
 */
function assertUndamaged(connection: Connection, file: string): void {
  connection.pragma('ignore_check_constraints = ON')
  const verdict = connection.pragma('quick_check(1)', { simple: true })
  connection.pragma('ignore_check_constraints = OFF')
  if (verdict === 'ok') return
  throw new LedgerError(
    'damaged',
    `Cannot open the ledger "${file}": its content is damaged (${String(verdict).split('\n')[0] ?? ''})`,
    'Send nothing from it. Keep the file and its -wal, restore a backup, and compare it with the service',
  )
}

/** Whether a process of this machine has that very file open; false where the system does not say. */
function hasOpen(pid: number, file: string): boolean {
  const { dev, ino } = statSync(file)
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((name) => {
      const open = statSync(`${folder}/${name}`, { throwIfNoEntry: false })
      return open?.dev === dev && open.ino === ino
    })
  } catch {
    return false // it has ended, or it is of another user
  }
}

/**
 * The lock of a ledger lies beside it, so it stays behind where the file is moved away while a run goes on. The ledger
 * names the process that opened it last; where that one still has the file open, it came by another name.
 * @throws {LedgerError} `locked`
 */
function assertNotHeld(connection: Connection, file: string): void {
  const pid = sqlValue(connection)<number | null>`select pid from holder`.get() ?? null
  if (pid === null || pid === ownPid || !hasOpen(pid, file)) return
  throw new LedgerError(
    'locked',
    `Cannot open the ledger "${file}": process ${pid} uses the same file under another name, where its lock is not seen`,
    'End that process, and give every run the same path of the ledger. Nothing was sent',
  )
}
