import type { Connection } from './connection.js'
import { explainStorageError } from './storage-error.js'

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
