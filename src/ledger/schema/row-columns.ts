import type { Connection } from '../file/connection.js'

/** What may become of a value that came in with its row. */
type Fate =
  | 'stays' // never changes
  | 'identity' // stays, until a purge masks account numbers that stand where references should be
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
  ibanKey: 'stays',
  signedDate: 'stays',
  originalCreditorIdentifier: 'identity',
  originalMandateReference: 'identity',
  mandateKey: 'identity',
  raw: 'stays',
  corrects: 'stays',
  place: 'moves',
  latestFirstDebit: 'stays',
  cells: 'goes',
  contentKey: 'stays',
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

const ONE_ROW = `(${NAMES.map(() => '?').join(', ')})`
const insertOf = (rows: number): string =>
  `insert into row (${NAMES.map(inSql).join(', ')}) values ${Array.from({ length: rows }, () => ONE_ROW).join(', ')}`

/** A statement for so many rows costs a third less than one for each; fewer than these wait. */
export const ROWS_AT_ONCE = 50

export interface RowInsert {
  readonly add: (row: AdmittedRow) => void
  /** Until then some of the rows may wait to be inserted. */
  readonly flush: () => void
}

/** Values go to SQLite in the order of the list; to look their names up there costs a microsecond a row more. */
export function prepareRowInsert(connection: Connection): RowInsert {
  const many = connection.prepare(insertOf(ROWS_AT_ONCE))
  const one = connection.prepare(insertOf(1))
  const width = NAMES.length
  const values = new Array<unknown>(ROWS_AT_ONCE * width).fill(null)
  let filled = 0
  return {
    add: (row) => {
      for (const name of NAMES) {
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

/** What a reader selects of `row`. */
export const READ_COLUMNS = [...NAMES.filter((name) => !INWARD.has(name)), ...LATER]
  .map((name) => `row.${inSql(name)} as ${name}`)
  .join(', ')
