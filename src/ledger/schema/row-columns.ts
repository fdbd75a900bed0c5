import type { Connection } from '../file/connection.js'

/** What may become of a value that came in with its row. */
type Fate =
  | 'stays' // never changes
  | 'identity' // stays, until a purge masks account numbers that stand where references should be
  | 'key' // stays, until an erasure puts random bytes in its place
  | 'goes' // is removed, never changed
  | 'moves' // changes, by guards of its own

/** Every column of `row` that an admission fills. Insert, select and guards are made from this one list. */
const ADMITTED = {
  id: 'stays',
  sourceId: 'stays',
  record: 'stays',
  line: 'stays',
  state: 'moves',
  rule: 'moves',
  customerNo: 'stays',
  iban: 'goes',
  ibanMasked: 'stays',
  ibanKey: 'key',
  signedDate: 'stays',
  originalCreditorIdentifier: 'identity',
  originalMandateReference: 'identity',
  mandateKey: 'identity',
  raw: 'key',
  corrects: 'stays',
  place: 'moves',
  latestFirstDebit: 'stays',
  cells: 'goes',
  contentKey: 'key',
} as const satisfies Readonly<Record<string, Fate>>

type AdmittedColumn = keyof typeof ADMITTED
const NAMES = Object.keys(ADMITTED) as AdmittedColumn[]

/** What a row gets later: by a newer file, by its attempts, by its registration. */
const LATER = [
  'supersededBy',
  'attempts',
  'assignedCreditorIdentifier',
  'assignedMandateReference',
  'registeredAt',
] as const

/** What only the ledger itself looks at. */
const INWARD: ReadonlySet<AdmittedColumn> = new Set(['iban', 'ibanKey', 'raw', 'place', 'contentKey'])

/** `customerNo` is `customer_no` in SQL. */
const inSql = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Names in SQL of the columns with this fate. */
export const columnsThat = (fate: Fate): string[] =>
  NAMES.filter((name) => ADMITTED[name] === fate).map(inSql)

/** Values of one row, by name. */
type AdmittedRow = Readonly<Record<AdmittedColumn, unknown>>

/** What a row that is ready when it comes in says in the statement itself: each value less is a tenth of a microsecond. */
const READY: Readonly<Partial<Record<AdmittedColumn, string>>> = {
  state: "'ready'",
  rule: 'null',
  raw: 'null',
  corrects: 'null',
  place: 'null',
}

type Said = 'state' | 'rule' | 'raw' | 'corrects' | 'place'

/** A statement for so many rows costs a third less than one for each; fewer than these wait. */
export const ROWS_AT_ONCE = 50

/** Takes rows until there are enough of them for one statement. */
interface Insert<Row> {
  readonly add: (id: number, row: Row) => void
  /** Until then some of the rows may wait to be inserted. */
  readonly flush: () => void
}

/**
 * Values go to SQLite in the order of the list; to look their names up there costs a microsecond a row more.
 * @param columns `id` first
 * @param said what each row says in the statement itself, as SQL
 */
function prepareInsert<Name extends string, Row extends Readonly<Partial<Record<Name, unknown>>>>(
  connection: Connection,
  table: string,
  columns: readonly Name[],
  said?: Readonly<Partial<Record<Name, string>>>,
): Insert<Row> {
  const names = columns.filter((name) => name !== 'id' && said?.[name] === undefined)
  const oneRow = `(${columns.map((name) => said?.[name] ?? '?').join(', ')})`
  const insertOf = (rows: number): string =>
    `insert into ${table} (${columns.map(inSql).join(', ')}) values ${Array.from({ length: rows }, () => oneRow).join(', ')}`
  const many = connection.prepare(insertOf(ROWS_AT_ONCE))
  const one = connection.prepare(insertOf(1))
  const width = 1 + names.length
  const values = new Array<unknown>(ROWS_AT_ONCE * width).fill(null)
  let filled = 0
  return {
    add: (id, row) => {
      // The first of the list; a copy of the row with its id would cost as much as a tenth of the insert.
      values[filled] = id
      filled += 1
      for (const name of names) {
        values[filled] = row[name]
        filled += 1
      }
      if (filled < values.length) return
      filled = 0
      many.run(values)
    },
    flush: () => {
      const until = filled
      filled = 0
      for (let at = 0; at < until; at += width) one.run(values.slice(at, at + width))
    },
  }
}

/** A row that no check objects to and that corrects nothing. */
export interface ReadyRow extends Omit<AdmittedRow, Said | 'id' | 'sourceId'> {
  readonly record: number
  readonly line: number
  readonly customerNo: number
  readonly iban: string
  readonly ibanMasked: string
  readonly ibanKey: Uint8Array
  readonly signedDate: string
  readonly originalCreditorIdentifier: string
  readonly originalMandateReference: string
  readonly mandateKey: string
  readonly latestFirstDebit: string | null
  /** JSON. */
  readonly cells: string
  readonly contentKey: Uint8Array
}

export interface RowInsert {
  readonly add: (id: number, row: Omit<AdmittedRow, 'id' | 'sourceId'>) => void
  readonly addReady: (id: number, row: ReadyRow) => void
  /** Until then some of the rows may wait to be inserted; of each kind fewer than ROWS_AT_ONCE. */
  readonly flush: () => void
}

/** @param sourceId the source of all of them */
export function prepareRowInsert(connection: Connection, sourceId: number): RowInsert {
  const said = { sourceId: String(sourceId) }
  const any: Insert<Omit<AdmittedRow, 'id' | 'sourceId'>> = prepareInsert(connection, 'row', NAMES, said)
  const ready: Insert<ReadyRow> = prepareInsert(connection, 'row', NAMES, { ...said, ...READY })
  return {
    add: any.add,
    addReady: ready.add,
    flush: () => {
      any.flush()
      ready.flush()
    },
  }
}

/** What a reader selects of `row`. */
export const READ_COLUMNS = [...NAMES.filter((name) => !INWARD.has(name)), ...LATER]
  .map((name) => `row.${inSql(name)} as ${name}`)
  .join(', ')
