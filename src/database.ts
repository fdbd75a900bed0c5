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
