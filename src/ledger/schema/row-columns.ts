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
  countedIn: 'moves',
  latestFirstDebit: 'stays',
  cells: 'goes',
  contentKey: 'key',
  spelling: 'identity',
} as const satisfies Readonly<Record<string, Fate>>

type AdmittedColumn = keyof typeof ADMITTED
const NAMES = Object.keys(ADMITTED) as ['id', 'sourceId', ...Exclude<AdmittedColumn, 'id' | 'sourceId'>[]]

/** What a row gets later: by a newer file, by its attempts, by its registration. */
const LATER = [
  'supersededBy',
  'attempts',
  'assignedCreditorIdentifier',
  'assignedMandateReference',
  'registeredAt',
] as const

/** What only the ledger itself looks at. */
const INWARD: ReadonlySet<AdmittedColumn> = new Set(['iban', 'ibanKey', 'raw', 'contentKey', 'spelling'])

/** `customerNo` is `customer_no` in SQL. */
const inSql = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Names in SQL of the columns with this fate. */
export const columnsThat = (fate: Fate): string[] =>
  NAMES.filter((name) => ADMITTED[name] === fate).map(inSql)

/** Values of one row, by name. */
type AdmittedRow = Readonly<Record<AdmittedColumn, unknown>>

/** A statement for so many rows costs a third less than one for each; fewer than these wait. */
const ROWS_AT_ONCE = 50

/**
 * Takes rows of one source until there are enough of them for one statement. Values go to SQLite in the order of the
 * list; to look their names up there costs a microsecond a row more.
 */
export function prepareRowInsert(connection: Connection, sourceId: number) {
  const [, , ...names] = NAMES // behind the id and the source
  const oneRow = `(?, ${sourceId}, ${names.map(() => '?').join(', ')})`
  const insertOf = (rows: number): string =>
    `insert into row (${NAMES.map(inSql).join(', ')}) values ${Array.from({ length: rows }, () => oneRow).join(', ')}`
  const many = connection.prepare(insertOf(ROWS_AT_ONCE))
  const one = connection.prepare(insertOf(1))
  const width = 1 + names.length
  const values = new Array<unknown>(ROWS_AT_ONCE * width).fill(null)
  let filled = 0
  return {
    add: (id: number, row: Omit<AdmittedRow, 'id' | 'sourceId'>): void => {
      // A copy of the row with its id would cost as much as a tenth of the insert.
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
    /** Until then some of the rows may wait to be inserted. */
    flush: (): void => {
      const until = filled
      filled = 0
      for (let at = 0; at < until; at += width) one.run(values.slice(at, at + width))
    },
  }
}

/** What a reader selects of `row`. */
export const READ_COLUMNS = [...NAMES.filter((name) => !INWARD.has(name)), ...LATER]
  .map((name) => `row.${inSql(name)} as ${name}`)
  .join(', ')
