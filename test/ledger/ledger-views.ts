import { type Database, openDatabase } from '../../src/driver.js'
import { type RowState, ROW_STATES } from '../../src/domain/row/row-state.js'
import { openLedgerReader, type LedgerReader } from '../../src/ledger/read/open-reader.js'
import { HELD_WHATEVER_THE_TIME, KEYS_OF_HELD } from '../../src/ledger/deliver/gate.js'
import type { ProblemRecord, RowRecord } from '../../src/ledger/read/reader.js'

/** Asks a reader of its own, as a second process would, and closes it. */
export function look<Value>(file: string, ask: (reader: LedgerReader) => Value): Value {
  const reader = openLedgerReader(file)
  try {
    return ask(reader)
  } finally {
    reader.close()
  }
}

export const rowsOf = (file: string): RowRecord[] =>
  look(file, (reader) => reader.rows(ROW_STATES, 0, 10_000))

/** The states of all rows, in order of id. */
export const statesOf = (file: string): RowState[] => rowsOf(file).map(({ state }) => state)

export const problemsOf = (file: string): ProblemRecord[] =>
  look(file, (reader) => reader.problems(0, 10_000))

/** A second program with a hand on the file, such as any SQLite tool. */
export function byHand<Value>(file: string, ask: (connection: Database) => Value): Value {
  const connection = openDatabase(file)
  try {
    connection.pragma('foreign_keys = ON')
    connection.function('mask_accounts', String)
    return ask(connection)
  } finally {
    connection.close()
  }
}

/** What one statement reads, or the error with which the file refuses it. */
export const query = <Row = unknown>(file: string, sql: string): Row[] =>
  byHand(file, (db) => db.prepare<[], Row>(sql).all())

/** As somebody who owns the file and knows its guards: they are there again when it is opened. */
export const forge = (file: string, sql: string): void =>
  byHand(file, (db) => {
    const guards = db
      .prepare<[], { name: string; text: string }>(
        `select name, sql as text from sqlite_schema where type = 'trigger'`,
      )
      .all()
    db.pragma('foreign_keys = OFF')
    db.exec(
      [...guards.map(({ name }) => `drop trigger "${name}"`), sql, ...guards.map(({ text }) => text)].join(
        ';',
      ),
    )
  })

export const execute = (file: string, sql: string): void => byHand(file, (db) => void db.exec(sql))

/** Rows, in whatever state, that the gate would hold and that the keys of what may be held leave out. */
export const heldOutsideOfKeys = (file: string): unknown[] =>
  byHand(file, (connection) =>
    connection
      .prepare(
        `select id from row where mandate_key is not null and ${HELD_WHATEVER_THE_TIME} and mandate_key not in (${KEYS_OF_HELD})`,
      )
      .all(),
  )
