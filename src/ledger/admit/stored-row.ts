import { type Connection, sqlWithJson } from '../file/connection.js'
import { CUSTOMER_COLUMN } from '../../domain/row/list-columns.js'
import { hash } from 'node:crypto'
import { type Field, type Mandate, REQUIRED_FIELDS } from '../../domain/mandate/mandate.js'
import { cleanCell, fillTemplate, findName, namesInTemplate, upperCase } from '../../domain/text/text.js'
import type { CheckedRecord } from '../../domain/rule/verdict.js'

/** What may become of a value that came in with its row. */
type Fate =
  | 'stays' // never changes
  | 'identity' // stays, until a purge masks account numbers that stand where references should be
  | 'key' // stays, until an erasure puts random bytes in its place
  | 'moves' // changes, by guards of its own

/** Every column of `row` that an admission fills; what names a person lies in `private`. Insert, select and guards are made from this one list. */
const ADMITTED = {
  id: 'stays',
  sourceId: 'stays',
  record: 'stays',
  line: 'stays',
  state: 'moves',
  rule: 'moves',
  customerNo: 'stays',
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
const INWARD: ReadonlySet<AdmittedColumn> = new Set(['ibanKey', 'raw', 'contentKey', 'spelling'])

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
 * Takes rows of one source, with what names a person in them, until there are enough of them for one statement. Values go to
 * SQLite in the order of the list; to look their names up there costs a microsecond a row more.
 */
export function prepareRowInsert(connection: Connection, sourceId: number) {
  const [, , ...names] = NAMES // behind the id and the source
  const rows = inGroups(connection, `row (${NAMES.map(inSql).join(', ')})`, [
    '?',
    String(sourceId),
    ...names.map(() => '?'),
  ])
  const privates = inGroups(connection, 'private (row_id, iban, cells)', ['?', '?', '?'])
  return {
    /** `json`: of its cells. */
    add: (id: number, row: Omit<AdmittedRow, 'id' | 'sourceId'>, iban: string | null, json: string): void => {
      rows.push(id)
      for (const name of names) rows.push(row[name])
      privates.push(id)
      privates.push(iban)
      privates.push(json)
      if (rows.isFull()) {
        rows.flush()
        privates.flush()
      }
    },
    /** Until then some of the rows may wait to be inserted. */
    flush: (): void => {
      rows.flush()
      privates.flush()
    },
  }
}

/** Values of so many rows of a table at once, each after the other. */
function inGroups(connection: Connection, into: string, places: readonly string[]) {
  const insertOf = (rows: number): string =>
    `insert into ${into} values ${Array.from({ length: rows }, () => `(${places.join(', ')})`).join(', ')}`
  const many = connection.prepare(insertOf(ROWS_AT_ONCE))
  const one = connection.prepare(insertOf(1))
  const width = places.filter((place) => place === '?').length
  const values = new Array<unknown>(ROWS_AT_ONCE * width).fill(null)
  let filled = 0
  return {
    push: (value: unknown): void => {
      values[filled] = value
      filled += 1
    },
    isFull: (): boolean => filled === values.length,
    flush: (): void => {
      const until = filled
      filled = 0
      if (until === values.length) many.run(values)
      else for (let at = 0; at < until; at += width) one.run(values.slice(at, at + width))
    },
  }
}

/** What a reader selects of `row`. */
export const READ_COLUMNS = [...NAMES.filter((name) => !INWARD.has(name)), ...LATER]
  .map((name) => `row.${inSql(name)} as ${name}`)
  .join(', ')

const FINGERPRINT_BYTES = 16
const SEPARATOR = '\u001f'
const ACCOUNT = `account${SEPARATOR}`
const CONTENT = `content${SEPARATOR}`

/**
 * Keyed with a secret of the ledger: account numbers are few enough to try them all against a plain hash. They say
 * whether two rows hold the same after the account number itself is gone.
 */
export type Fingerprints = ReturnType<typeof createFingerprints>

/**
 * SHA-256 of key and text in one call, of which half the bytes are kept, so that nothing can be put behind the text
 * (Bellare, Bernstein, Tessaro 2016). An HMAC of node:crypto takes 5 µs more, twice a row.
 */
export function createFingerprints(secret: Uint8Array) {
  const key = Buffer.from(secret).toString('hex')
  const fingerprint = (text: string): Buffer => {
    const into = Buffer.allocUnsafe(FINGERPRINT_BYTES)
    // Text of one byte a character ('binary') is the form in which a hash is handed over quickest.
    into.write(hash('sha256', key + text, 'binary'), 'binary')
    return into
  }
  return {
    account: (iban: string) => fingerprint(ACCOUNT + iban),
    /** The five values that are sent. */
    content: ({ customerNo, iban, signedDate, original }: Mandate) => {
      const { creditorIdentifier, mandateReference } = original
      const values = [customerNo, iban, signedDate, creditorIdentifier, mandateReference]
      return fingerprint(CONTENT + values.join(SEPARATOR))
    },
    /** The five required cells as they were read. */
    raw: (cells: readonly string[]) => fingerprint(['raw', ...cells].join(SEPARATOR)),
  }
}

/** How a source's cells lie: its header, and the header name that feeds each field. */
export interface HeaderColumns {
  readonly header: readonly string[]
  readonly columns: Readonly<Record<string, string>>
}

/** How the cells of each source lie. */
export function prepareColumns(connection: Connection): (sourceId: number) => HeaderColumns {
  const read = sqlWithJson<HeaderColumns>(connection, 'header', 'columns')`
    select header, columns from source where id = ?`
  const known = new Map<number, HeaderColumns>()
  return (sourceId) => {
    const seen = known.get(sourceId)
    if (seen !== undefined) return seen
    const columns = read.get(sourceId)
    if (columns === undefined) throw new Error(`The ledger has no source ${sourceId}`)
    known.set(sourceId, columns)
    return columns
  }
}

/**
 * The cell that feeds each of the five required fields, cleaned, or what a template makes of several; empty for a
 * constant and for a short record.
 */
export const requiredCells = (
  { header, columns }: HeaderColumns,
  cells: readonly string[],
  fields: readonly Field[] = REQUIRED_FIELDS,
): string[] =>
  fields.map((field) => {
    // What a person said of the customer counts before the key of a crosswalk.
    const said = field === 'customer_no' ? cleanCell(cells[header.indexOf(CUSTOMER_COLUMN)] ?? '') : ''
    if (said !== '') return said
    const { [field]: column = '' } = columns
    return header.includes(column) || namesInTemplate(column).length === 0
      ? cleanCell(cells[header.indexOf(column)] ?? '')
      : fillTemplate(column, (name) => cells[findName(header, name) ?? -1] ?? '')
  })

/**
 * What a row says that may not be sent: each value that could be read, and the cell of one that could not, so that another
 * notation of a day is no other value. A record of the wrong length has its values anywhere, so that all its cells count.
 */
export function fingerprintRaw(
  fingerprints: Fingerprints,
  columns: HeaderColumns,
  { cells, values }: Pick<CheckedRecord, 'cells' | 'values'>,
): Buffer {
  if (cells.length !== columns.header.length) return fingerprints.raw(cells.map(cleanCell))
  const { customerNo, iban, signedDate, creditorIdentifier, mandateReference } = values
  const read = [customerNo, iban, signedDate, creditorIdentifier, mandateReference]
  if (!read.includes(null)) return fingerprints.raw(read.map(String))
  const own = requiredCells(columns, cells)
  return fingerprints.raw(read.map((value, at) => (value === null ? `?${own[at] ?? ''}` : String(value))))
}

/** A number for what two spellings of a mandate share; chance meetings of others are told apart by their texts. */
export function spellingNumber(spelling: string): number {
  let one = 0x811c9dc5
  let other = 0x9747b28c
  for (let at = 0; at < spelling.length; at += 1) {
    const code = spelling.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    other = (Math.imul(other, 31) + code) | 0
  }
  return (one >>> 0) * 2 ** 20 + (other >>> 12)
}

/**
 * With the rules on the creditor identifier lowered, a row may be sent although its key cannot be told. Its two
 * values as they are then stand in for it, so that it is not sent twice either.
 */
export const keyOf = (key: string | null, { original }: Mandate): string =>
  key ?? `?|${original.creditorIdentifier}|${upperCase(original.mandateReference)}`
