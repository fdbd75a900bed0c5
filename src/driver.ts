import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { versions } from 'node:process'
import { fileURLToPath } from 'node:url'
import { UsageError } from './errors.js'

/**
 * The SQLite drivers; no other file knows that there are two. better-sqlite3 12 aborts the whole process on newer
 * Nodes when an object is collected at a bad moment; better-sqlite3 13 does not, brings its binary along, and dies on
 * Node 20. npm installs the one that suits the Node at hand (package.json, package-lock.json).
 */
export type DriverName = 'better-sqlite3' | 'better-sqlite3-node20'

type Driver = new (file: string | Buffer, options?: DatabaseOptions) => Database

let loaded: Driver | null = null

/**
 * A connection to a SQLite file; `''` is a private temporary one, `':memory:'` one without a file, a buffer the bytes
 * of one.
 * @throws {UsageError} when no driver can be loaded
 */
export const openDatabase = (file: string | Buffer, options?: DatabaseOptions): Database =>
  new (driver())(file, options)

/**
 * Loads the driver, so that a broken installation is told before anything is read.
 * @throws {UsageError} with the cause and the command that mends it
 */
export const requireDriver = (): void => void driver()

/** The driver for a Node version such as `24.21.0`, or null where the program does not run. */
export function driverFor(nodeVersion: string): DriverName | null {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  if (major === 20) return minor >= 19 ? 'better-sqlite3-node20' : null
  if (major === 22) return minor >= 14 ? 'better-sqlite3' : null
  return major >= 24 ? 'better-sqlite3' : null
}

function driver(): Driver {
  if (loaded !== null) return loaded
  const name = driverFor(versions.node)
  if (name === null)
    throw new UsageError(
      `Cannot run on Node ${versions.node}: it has no SQLite driver`,
      'Nothing was read or sent. Install Node 24',
    )
  try {
    const found = createRequire(import.meta.url)(name) as Driver
    new found(':memory:').close() // 12 looks for its binary only now
    return (loaded = found)
  } catch (cause) {
    throw explainDriverError(cause, name, { node: versions.node, program: PROGRAM })
  }
}

/** The folder of package.json. */
const PROGRAM = fileURLToPath(new URL('..', import.meta.url))

/** Why a driver could not be loaded, in one sentence, and the one command that mends it. */
export function explainDriverError(
  cause: unknown,
  name: DriverName,
  { node, program }: { readonly node: string; readonly program: string },
): UsageError {
  const text = (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ')
  const isAbsent = text.startsWith(`Cannot find module '${name}'`)
  const isNotCompiled = text.startsWith('Could not locate the bindings file')
  const why = isAbsent
    ? `${name} is not installed for Node ${node}`
    : isNotCompiled
      ? `${name} was not compiled for Node ${node}`
      : `${name} does not load on Node ${node} (${text.slice(0, 200)})`
  return new UsageError(
    `Cannot open any ledger: ${why}`,
    `Nothing was read or sent. Run: ${repairOf(program, name, isNotCompiled)}`,
    { cause },
  )
}

/** In a checkout the lock file decides what is installed; elsewhere this package's own dependency does. */
function repairOf(program: string, name: DriverName, isNotCompiled: boolean): string {
  const here = `--prefix ${JSON.stringify(program)}`
  if (isNotCompiled) return `npm rebuild ${name} --ignore-scripts=false ${here}`
  return existsSync(`${program}package-lock.json`)
    ? `npm ci --include=optional ${here}`
    : `npm install --include=optional --omit=dev --no-save --no-package-lock ${here}`
}

/**
 * What both drivers offer and the program uses. Written here rather than taken from a package of types, so that a
 * program that embeds the library needs none. All calls are synchronous and throw errors with a `code` such as
 * `SQLITE_BUSY`.
 */
export interface Database {
  readonly name: string
  readonly open: boolean
  readonly inTransaction: boolean
  prepare<Bound extends unknown[] | object = unknown[], Row = unknown>(
    sql: string,
  ): Statement<Bound extends unknown[] ? Bound : [Bound], Row>
  transaction<Given extends unknown[], Result>(body: (...given: Given) => Result): Transaction<Given, Result>
  exec(sql: string): this
  /** A list of rows, or with `simple` the first value of the first row. */
  pragma(text: string, options?: { readonly simple?: boolean }): unknown
  function(name: string, body: (...values: unknown[]) => unknown): this
  function(
    name: string,
    options: { readonly deterministic?: boolean },
    body: (...values: unknown[]) => unknown,
  ): this
  /** The bytes of the whole file. */
  serialize(): Buffer
  close(): this
}

export interface DatabaseOptions {
  readonly readonly?: boolean
  readonly fileMustExist?: boolean
  /** Milliseconds to wait for a lock. */
  readonly timeout?: number
}

export interface Statement<Bound extends unknown[], Row> {
  readonly reader: boolean
  run(...bound: Bound): { readonly changes: number; readonly lastInsertRowid: number | bigint }
  get(...bound: Bound): Row | undefined
  all(...bound: Bound): Row[]
  iterate(...bound: Bound): IterableIterator<Row>
  /** From now on the first column alone. */
  pluck(): this
  /** From now on rows as arrays. */
  raw(): this
}

/** A function that runs its body in one transaction, under the lock that its name says. */
interface Transaction<Given extends unknown[], Result> {
  (...given: Given): Result
  immediate(...given: Given): Result
  exclusive(...given: Given): Result
}
