import type { Connection } from './connection.js'
import { LedgerError, type Way } from '../../errors.js'

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const isCode = (code: string, ...names: string[]): boolean =>
  names.some((name) => code === name || code.startsWith(`${name}_`))

const RUN_AGAIN =
  'What is committed is safe. Run the same command again; a row whose answer was not recorded will be in doubt'

/**
 * Says what a fault of SQLite or of the file system means for the ledger. What is no such fault is given back as it
 * is: a refused guard, for one, is a bug of ours.
 * @param action what was tried, such as `write`
 */
export function explainStorageError(error: unknown, action: string, file: string): unknown {
  if (error instanceof LedgerError) return error
  const code = codeOf(error)
  const because = (
    problem: LedgerError['problem'],
    why: string,
    next: string,
    ways: readonly Way[] = [],
  ): LedgerError =>
    new LedgerError(problem, `Cannot ${action} the ledger "${file}": ${why}`, next, { cause: error, ways })
  if (isCode(code, 'SQLITE_NOTADB')) {
    return because('foreign', 'the file is not an SQLite database', 'Give another file', ['name_ledger'])
  }
  if (isCode(code, 'SQLITE_CORRUPT')) {
    return because(
      'damaged',
      'its content is damaged',
      'Send nothing from it. Keep the file and its -wal, restore a backup, and compare it with the service',
    )
  }
  if (isCode(code, 'SQLITE_FULL', 'ENOSPC', 'EDQUOT')) {
    return because('unwritable', 'the disk is full', `Free some space. ${RUN_AGAIN}`)
  }
  if (isCode(code, 'SQLITE_BUSY', 'SQLITE_LOCKED')) {
    return because('locked', 'another program writes to it', `Close the other program. ${RUN_AGAIN}`)
  }
  if (isCode(code, 'SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM', 'SQLITE_AUTH')) {
    return because(
      'unwritable',
      'it cannot be opened for writing',
      'Check the permissions of the file and of its folder',
    )
  }
  if (isCode(code, 'SQLITE_IOERR')) {
    return because('unwritable', `the disk reports an error (${code})`, `Check the disk. ${RUN_AGAIN}`)
  }
  if (isCode(code, 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EIO', 'ENAMETOOLONG', 'EISDIR')) {
    return because(
      'unwritable',
      `the system says ${code}`,
      'Check the path and the permissions of its folder',
    )
  }
  return error
}

/** Runs `body` and explains what it throws. */
export function explaining<Value>(action: string, file: string, body: () => Value): Value {
  try {
    return body()
  } catch (error) {
    throw explainStorageError(error, action, file)
  }
}

/** Writes to the ledger until the disk fails once; from then on every write is refused with the first fault. */
export interface Storage {
  /** One IMMEDIATE transaction. */
  readonly write: <Value>(body: () => Value) => Value
  /** The same, but whatever it throws is final: somebody may act on what was not committed. */
  readonly writeOrBreak: <Value>(body: () => Value) => Value
  /** Storage work without a transaction of its own. */
  readonly guard: <Value>(body: () => Value) => Value
  readonly assertSound: () => void
}

export function createStorage(connection: Connection, file: string): Storage {
  let fault: { readonly error: unknown } | null = null

  function assertSound(): void {
    if (fault !== null) throw fault.error
  }

  function guard<Value>(body: () => Value): Value {
    assertSound()
    try {
      return body()
    } catch (error) {
      const explained = explainStorageError(error, 'write', file)
      if (explained !== error) fault = { error: explained }
      throw explained
    }
  }

  function write<Value>(body: () => Value): Value {
    return guard(() => {
      // Inside an admission this would be a savepoint: not durable until the admission is committed.
      if (connection.inTransaction) throw new Error('Cannot write while an admission is open')
      return connection.transaction(body).immediate()
    })
  }

  return {
    write,
    writeOrBreak: (body) => {
      try {
        return write(body)
      } catch (error) {
        fault ??= { error }
        throw error
      }
    },
    guard,
    assertSound,
  }
}
