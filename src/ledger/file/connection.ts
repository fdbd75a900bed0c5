import { maskAccounts } from '../../domain/text/accounts.js'
import { type Database, type Statement, openDatabase } from '../../driver.js'
import { LedgerError, codeOf } from '../../errors.js'
import type { Choice } from '../../domain/row/choice.js'
import { cleanCell, findName } from '../../domain/text/text.js'
import { wordOf } from '../../domain/value/words.js'
import type { Clock } from '../../domain/mandate/date.js'

/** Enough for each statement to pay, and few enough in memory. */
export const PAGE = 500

/**
 * Page by page, in order of id: a statement that is stepped through blocks writes on its connection, and a long reader
 * pins the log.
 */
export function* pagesOf<Row>(
  page: (after: number, limit: number) => readonly Row[],
  idOf: (row: Row) => number,
  size = PAGE,
): Generator<readonly Row[], void, undefined> {
  for (let after = 0; ;) {
    const rows = page(after, size)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = idOf(last)
  }
}

/** The same row by row, for rows with an id. */
export function* rowsById<Row extends { readonly id: number }>(
  page: (after: number, limit: number) => readonly Row[],
): Generator<Row, void, undefined> {
  for (const rows of pagesOf(page, ({ id }) => id)) yield* rows
}

/** The same of a statement that takes `:after` and `:limit` beside these values. */
export const rowsOf = <Row extends { readonly id: number }>(
  statement: Pick<Statement<unknown[], Row>, 'all'>,
  values: Readonly<Record<string, unknown>> = {},
): Generator<Row, void, undefined> => rowsById((after, limit) => statement.all({ ...values, after, limit }))

export type Connection = Database

/** Closes the connection, whatever comes of it. */
export function closing<Value>(connection: Connection, body: (connection: Connection) => Value): Value {
  try {
    return body(connection)
  } finally {
    connection.close()
  }
}

/** Closes the connection where `body` throws; else whoever gets its value goes on with it. */
export function keeping<Value>(connection: Connection, body: (connection: Connection) => Value): Value {
  try {
    return body(connection)
  } catch (error) {
    connection.close()
    throw error
  }
}

type Statements = Map<string, Statement<unknown[], unknown>>

/**
 * Statements, each made when it is first needed and kept with its connection: a process needs few of all. What stands in
 * `${…}` is SQL of our own and becomes part of the text; values are bound when it runs.
 */
function tagFor(make: (connection: Connection, text: string) => Statement<unknown[], unknown>) {
  const made = new WeakMap<Connection, Statements>()
  return (connection: Connection) => {
    const known: Statements = made.get(connection) ?? new Map<string, Statement<unknown[], unknown>>()
    if (known.size === 0) made.set(connection, known)
    return <Row>(raw: TemplateStringsArray, ...parts: readonly (string | number)[]) => {
      const text = String.raw({ raw }, ...parts)
      let statement = known.get(text)
      if (statement === undefined) known.set(text, (statement = make(connection, text)))
      return statement as Statement<unknown[], Row>
    }
  }
}

export const sql = tagFor((connection, text) => connection.prepare(text))

/** Tables of this connection alone, by name with their columns, and without rows. */
export const emptyTables = (connection: Connection, tables: Readonly<Record<string, string>>): void =>
  void connection.exec(
    Object.entries(tables)
      .map(
        ([name, columns]) => `create temp table if not exists ${name} (${columns}); delete from temp.${name}`,
      )
      .join(';'),
  )

/** Statements of which the first column alone counts. */
export const sqlValue = tagFor((connection, text) => connection.prepare(text).pluck())

/** The same, with JSON in these columns, which is read. */
export const sqlWithJson =
  <Row>(connection: Connection, ...columns: readonly (keyof Row)[]) =>
  (text: TemplateStringsArray, ...parts: readonly (string | number)[]) => {
    const statement = sql(connection)<Row>(text, ...parts)
    const read = (row: Row): Row => ({
      ...row,
      ...Object.fromEntries(columns.map((column) => [column, JSON.parse(row[column] as string) as unknown])),
    })
    return {
      all: (...values: unknown[]): Row[] => statement.all(...values).map(read),
      get: (...values: unknown[]): Row | undefined => {
        const row = statement.get(...values)
        return row === undefined ? undefined : read(row)
      },
    }
  }

/** Tables, indexes and triggers by kind and name. */
export const schemaOf = (connection: Connection): Map<string, string> =>
  new Map(
    sql(connection)<{ name: string; text: string }>`
      select type || ' ' || name as name, sql as text from sqlite_schema where name not like 'sqlite~_%' escape '~'`
      .all()
      .map(({ name, text }) => [name, text.replace(/\s+/g, ' ')]),
  )

/** Those that the connection has otherwise than they are made, or has not. */
export function schemaDifferences(connection: Connection, made: () => ReadonlyMap<string, string>): string[] {
  const [here, there] = [schemaOf(connection), made()]
  return [...new Set([...here.keys(), ...there.keys()])].filter((name) => here.get(name) !== there.get(name))
}

const BUSY_TIMEOUT_MS = 5_000
/** A million rows are admitted as fast as with twice as much, and the whole process stays below 250 MB. */
const CACHE_KIB = 32 * 1024
const JOURNAL_LIMIT_BYTES = 64 * 1024 * 1024
const FULL = 2

/** The only connection that may write. */
export const openForWriting = (file: string): Connection => openFile(file, false)

/** Run once the file is known to be ours: the first of them writes to it. */
export function configureForWriting(connection: Connection): void {
  const mode = connection.pragma('journal_mode = WAL', { simple: true })
  if (mode !== 'wal') {
    throw new LedgerError(
      'unsafe',
      `Cannot keep a write-ahead log here: SQLite fell back to "${String(mode)}"`,
      'Give a path on a local disk (--ledger FILE)',
    )
  }
  for (const setting of [
    'synchronous = FULL',
    'fullfsync = ON',
    'checkpoint_fullfsync = ON',
    `journal_size_limit = ${JOURNAL_LIMIT_BYTES}`,
    'wal_autocheckpoint = 1000',
    ...COMMON_SETTINGS,
  ]) {
    connection.pragma(setting)
  }
  assertFullSync(connection)
  addFunctions(connection)
}

/** `mask_accounts(text)`: a mandate reference may be, or may hold, an account number. */
export const addFunctions = (connection: Connection): void =>
  void connection
    .function('mask_accounts', { deterministic: true }, (text) => maskAccounts(String(text)))
    .function('clean_cell', { deterministic: true }, (text) =>
      cleanCell(typeof text === 'string' ? text : ''),
    )
    .function('is_silent', { deterministic: true }, (cell) =>
      Number(wordOf(typeof cell === 'string' ? cell : '') === ''),
    )

const COMMON_SETTINGS = [
  'foreign_keys = ON',
  'trusted_schema = OFF',
  'cell_size_check = ON',
  'secure_delete = ON',
  'recursive_triggers = ON',
  `cache_size = -${CACHE_KIB}`,
]

/**
 * This build opens such ledgers with NORMAL, where a power cut may take back an intent whose request had left. The
 * table is read first because the pragma tells the truth only after that (ledger/README.md#how-it-is-written).
 */
export function assertFullSync(connection: Connection): void {
  connection.prepare('select count(*) from sqlite_schema').get()
  if (connection.pragma('synchronous', { simple: true }) === FULL) return
  throw new LedgerError(
    'unsafe',
    'Cannot make the ledger durable: SQLite did not accept synchronous=FULL',
    'Report this; nothing was sent',
  )
}

/** A connection of its own for a reader beside the writer. */
export function openForReading(file: string): Connection {
  const connection = openFile(file, true)
  for (const setting of ['query_only = ON', 'trusted_schema = OFF', 'cell_size_check = ON'])
    connection.pragma(setting)
  addFunctions(connection)
  return connection
}

const openFile = (file: string, readonly: boolean): Connection =>
  openDatabase(file, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })

/** A private temporary database that no name leads to; SQLite removes it when it is closed or the process dies. */
export function openScratch(): Connection {
  const connection = openDatabase('')
  for (const setting of ['synchronous = OFF', ...COMMON_SETTINGS]) connection.pragma(setting)
  addFunctions(connection)
  return connection
}

/**
 * Moves the write-ahead log into the file and empties it, so that removed account numbers are in neither.
 * Never waits: a reader that pins the log must not stop the run.
 * @returns false when a reader kept some of it; try again later
 */
export function emptyLog(connection: Connection): boolean {
  connection.pragma('busy_timeout = 0')
  try {
    const result = connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    return result.every(({ busy }) => busy === 0)
  } finally {
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

/** SQL of what names a person in a row: its account number and its cells as they were read; null once they were removed. */
export const privateOf = (row: string, what: 'iban' | 'cells'): string =>
  `(select ${what} from private where row_id = ${row}.id)`

/** SQL over `row`: such a column of its source tells which mandates have ended, and of this one it says nothing. */
export const isSilent = (
  such: string,
): string => `(row.source_id in (select id from source where reading -> '$.silent' is not null)
  and exists (select 1 from source as told, json_each(told.reading -> '$.silent') as silent where told.id = row.source_id and ${such}
    and is_silent(${privateOf('row', 'cells')} ->> ('$[' || (silent.value ->> 'at') || ']'))))`

/** Where the column of a part of a choice stands in the cells of the source. */
const PLACE = `(part.value ->> ('$.at.' || row.source_id))`
/**
 * SQL that is true for a row that `:choice` takes: the one condition by which rows are counted, planned and sent. Without
 * a choice it looks at nothing of the row.
 */
export const IS_CHOSEN = `(:choice is null
  or (:choice ->> '$.rows' is null or row.id in (select value from json_each(:choice -> '$.rows')))
  and (:choice ->> '$.countries' is null or coalesce(substr(${privateOf('row', 'iban')}, 1, 2), '') in (select value from json_each(:choice -> '$.countries')))
  and row.source_id not in (select value from json_each(:choice -> '$.without'))
  and not exists (select 1 from json_each(:choice -> '$.only') as part where ${privateOf('row', 'cells')} is null or ${PLACE} is null
    or clean_cell(${privateOf('row', 'cells')} ->> ${PLACE}) not in (select value from json_each(part.value -> '$.values'))))`

/** What `:choice` is; null for every row. */
export function placedChoice(connection: Database, choice: Choice | null): string | null {
  if (choice === null) return null
  const sources = sqlWithJson<{ id: number; header: string[]; sha256: string }>(connection, 'header')`
    select id, header, (select sha256 from source as read where read.id = source.origin) as sha256
     from source`.all()
  const only = choice.only.map(({ column, values }) => ({
    at: Object.fromEntries(sources.map(({ id, header }) => [id, findName(header, column)])),
    values: values.map(cleanCell),
  }))
  const without = sources.flatMap(({ id, sha256 }) => (sha256 in (choice.waiting ?? {}) ? [id] : []))
  return JSON.stringify({ ...choice, only, without })
}

const RUN_AGAIN =
  'What is committed is safe. Run the same command again; a row whose answer was not recorded will be in doubt'

/** A journal is left of the one write before the write-ahead log is on; whoever only reads cannot roll it back. */
const ONLY_BEGUN = /^SQLITE_READONLY_ROLLBACK$/

/** Also where the index of a write-ahead log finds no room. */
export const DISK_FULL = /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)(_|$)/

/** By the beginning of their code: what is wrong, why, and what to do. `CODE` stands for the code. */
const FAULTS: readonly (readonly [RegExp, LedgerError['problem'], why: string, next: string])[] = [
  [/^SQLITE_NOTADB(_|$)/, 'foreign', 'it is not an SQLite database', 'Give another file (--ledger FILE)'],
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
  [
    ONLY_BEGUN,
    'unwritable',
    'its first start was killed',
    'Run again: that makes it anew (sepa-migrate run FILE)',
  ],
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
  const [, problem, why, next] = fault
  const what = `Cannot ${action} the ledger "${file}": ${why.replace('CODE', code)}`
  return new LedgerError(problem, what, next, { cause: error })
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
