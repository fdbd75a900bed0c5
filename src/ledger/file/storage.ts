import type { Clock } from '../../domain/mandate/date.js'
import type { Connection } from './connection.js'
import { codeOf, LedgerError, type Suggestion } from '../../errors.js'

const RUN_AGAIN =
  'What is committed is safe. Run the same command again; a row whose answer was not recorded will be in doubt'

/** A journal is left of the one write before the write-ahead log is on; whoever only reads cannot roll it back. */
const ONLY_BEGUN = /^SQLITE_READONLY_ROLLBACK$/

/** Also where the index of a write-ahead log finds no room. */
export const DISK_FULL = /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)(_|$)/

/** By the beginning of their code: what is wrong, why, and what to do. `CODE` stands for the code. */
const FAULTS: readonly (readonly [
  RegExp,
  LedgerError['problem'],
  why: string,
  next: string,
  ...Suggestion[],
])[] = [
  [
    /^SQLITE_NOTADB(_|$)/,
    'foreign',
    'the file is not an SQLite database',
    'Give another file',
    'name_ledger',
  ],
  [
    /^SQLITE_CORRUPT(_|$)/,
    'damaged',
    'its content is damaged',
    'Send nothing from it. Keep the file and its -wal, restore a backup, and compare it with the service',
  ],
  [DISK_FULL, 'unwritable', 'the disk is full', `Free some space. ${RUN_AGAIN}`],
  [
    /^SQLITE_(BUSY|LOCKED)(_|$)/,
    'locked',
    'another program writes to it',
    `Close the other program. ${RUN_AGAIN}`,
  ],
  [ONLY_BEGUN, 'unwritable', 'its first start was killed', 'Run again: that makes it anew', 'run_file'],
  [
    /^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)(_|$)/,
    'unwritable',
    'it cannot be opened for writing',
    'Check the permissions of the file and of its folder',
  ],
  [/^SQLITE_IOERR(_|$)/, 'unwritable', 'the disk reports an error (CODE)', `Check the disk. ${RUN_AGAIN}`],
  [
    /^(EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EIO|ENAMETOOLONG|EISDIR)$/,
    'unwritable',
    'the system says CODE',
    'Check the path and the permissions of its folder',
  ],
]

/**
 * Says what a fault of SQLite or of the file system means for the ledger. What is no such fault is given back as it
 * is: a refused guard, for one, is a bug of ours.
 * @param action what was tried, such as `write`
 */
export function explainStorageError(error: unknown, action: string, file: string): unknown {
  const code = codeOf(error)
  const fault = error instanceof LedgerError ? undefined : FAULTS.find(([codes]) => codes.test(code))
  if (fault === undefined) return error
  const [, problem, why, next, ...suggestions] = fault
  const what = `Cannot ${action} the ledger "${file}": ${why.replace('CODE', code)}`
  return new LedgerError(problem, what, next, { cause: error, suggestions })
}

/** True for the fault of a reader of a ledger that has only been begun: a writer rolls that back. */
export const isOnlyBegun = (error: unknown): boolean => ONLY_BEGUN.test(codeOf(error))

/** Runs `body` and explains what it throws. */
export function explaining<Value>(action: string, file: string, body: () => Value): Value {
  try {
    return body()
  } catch (error) {
    throw explainStorageError(error, action, file)
  }
}

type Storage = ReturnType<typeof createStorage>

/** Writes to the ledger until the disk fails once; from then on every write is refused with the first fault. */
export function createStorage(connection: Connection, file: string) {
  let fault: { readonly error: unknown } | null = null

  function assertSound(): void {
    if (fault !== null) throw fault.error
  }

  /** Storage work without a transaction of its own. */
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

  /** One IMMEDIATE transaction. */
  function write<Value>(body: () => Value): Value {
    return guard(() => {
      // Inside an admission this would be a savepoint: not durable until the admission is committed.
      if (connection.inTransaction) throw new Error('Cannot write while an admission is open')
      return connection.transaction(body).immediate()
    })
  }

  return {
    write,
    /** The same, but while an admission is open it is part of it. */
    join: <Value>(body: () => Value): Value => (connection.inTransaction ? guard(body) : write(body)),
    /** The same, but whatever it throws is final: somebody may act on what was not committed. */
    writeOrBreak: <Value>(body: () => Value): Value => {
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

/** What the verbs of a ledger that is held for writing work with. */
export interface LedgerWork {
  readonly connection: Connection
  readonly file: string
  readonly clock: Clock
  /** The time in ISO 8601. */
  readonly now: () => string
  readonly storage: Storage
}
