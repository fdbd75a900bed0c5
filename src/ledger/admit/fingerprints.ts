import { hash } from 'node:crypto'
import { type Mandate, REQUIRED_FIELDS } from '../../domain/mandate/mandate.js'
import { cleanCell, upperCase } from '../../domain/text/text.js'
import type { CheckedRecord } from '../../domain/rule/verdict.js'
import { maskIban } from '../../domain/text/masking.js'
import { sql, type Connection } from '../file/connection.js'
import { ROWS_AT_ONCE, type ReadyRow } from '../schema/row-columns.js'

const FINGERPRINT_BYTES = 16
const SEPARATOR = '\u001f'
const ACCOUNT = `account${SEPARATOR}`
const CONTENT = `content${SEPARATOR}`

/**
 * Keyed with a secret of the ledger: account numbers are few enough to try them all against a plain hash. They say
 * whether two rows hold the same after the account number itself is gone. `into` is written over and given back, where
 * somebody has a buffer of FINGERPRINT_BYTES to spare.
 */
export interface Fingerprints {
  readonly account: (iban: string, into?: Buffer) => Buffer
  /** The five values that are sent. */
  readonly content: (mandate: Mandate, into?: Buffer) => Buffer
  /** The five required cells as they were read. */
  readonly raw: (cells: readonly string[]) => Buffer
}

/**
 * SHA-256 of key and text in one call, of which half the bytes are kept, so that nothing can be put behind the text
 * (Bellare, Bernstein, Tessaro 2016). An HMAC of node:crypto takes 5 µs more, twice a row.
 */
export function createFingerprints(secret: Uint8Array): Fingerprints {
  const key = Buffer.from(secret).toString('hex')
  const fingerprint = (text: string, into: Buffer = Buffer.allocUnsafe(FINGERPRINT_BYTES)): Buffer => {
    // Text of one byte a character ('binary') is the form in which a hash is handed over quickest.
    into.write(hash('sha256', key + text, 'binary'), 'binary')
    return into
  }
  return {
    account: (iban, into) => fingerprint(ACCOUNT + iban, into),
    content: ({ customerNo, iban, signedDate, original }, into) => {
      const { creditorIdentifier, mandateReference } = original
      const values = [customerNo, iban, signedDate, creditorIdentifier, mandateReference]
      return fingerprint(CONTENT + values.join(SEPARATOR), into)
    },
    raw: (cells) => fingerprint(['raw', ...cells].join(SEPARATOR)),
  }
}

/** How a source's cells lie: its header, and the header name that feeds each field. */
export interface HeaderColumns {
  readonly header: readonly string[]
  readonly columns: Readonly<Record<string, string>>
}

/** How the cells of each source lie. */
export function prepareColumns(connection: Connection): (sourceId: number) => HeaderColumns {
  const read = sql(connection)<{ header: string; columns: string }>`
    select header, columns from source where id = ?`
  const known = new Map<number, HeaderColumns>()
  return (sourceId) => {
    const seen = known.get(sourceId)
    if (seen !== undefined) return seen
    const row = read.get(sourceId)
    if (row === undefined) throw new Error(`The ledger has no source ${sourceId}`)
    const columns: HeaderColumns = {
      header: JSON.parse(row.header) as string[],
      columns: JSON.parse(row.columns) as Record<string, string>,
    }
    known.set(sourceId, columns)
    return columns
  }
}

/** The cell that feeds each of the five required fields, cleaned; empty for a constant and for a short record. */
export const requiredCells = ({ header, columns }: HeaderColumns, cells: readonly string[]): string[] =>
  REQUIRED_FIELDS.map((field) => {
    const column = columns[field]
    return column === undefined ? '' : cleanCell(cells[header.indexOf(column)] ?? '')
  })

/** A record of the wrong length has its values anywhere, so that all its cells count. */
export const fingerprintRaw = (
  fingerprints: Fingerprints,
  columns: HeaderColumns,
  { cells }: { readonly cells: readonly string[] },
): Buffer =>
  fingerprints.raw(
    cells.length === columns.header.length ? requiredCells(columns, cells) : cells.map(cleanCell),
  )

/**
 * With the rules on the creditor identifier lowered, a row may be sent although its key cannot be told. Its two
 * values as they are then stand in for it, so that it is not sent twice either.
 */
export const keyOf = (key: string | null, { original }: Mandate): string =>
  key ?? `?|${original.creditorIdentifier}|${upperCase(original.mandateReference)}`

/** Buffers of a fingerprint that are written over in turn: a row waits together with fewer than ROWS_AT_ONCE others. */
function spareKeys(): () => Buffer {
  const spare = Array.from({ length: 2 * ROWS_AT_ONCE }, () => Buffer.allocUnsafe(FINGERPRINT_BYTES))
  let used = 0
  return () => spare[(used = (used + 1) % spare.length)] ?? Buffer.allocUnsafe(FINGERPRINT_BYTES)
}

/** @returns null for a record that is held back or corrects a row; fingerprints are good for the next rows at once only */
export function prepareReadyRow({
  account,
  content,
}: Fingerprints): (record: CheckedRecord) => ReadyRow | null {
  const accountKey = spareKeys()
  const contentKey = spareKeys()
  return ({ record, line, verdict, corrects, mandateKey, latestFirstDebit, cells }) => {
    if (verdict.kind !== 'sendable' || corrects !== null) return null
    const { mandate } = verdict
    const { customerNo, iban, signedDate, original } = mandate
    return {
      record,
      line,
      customerNo,
      iban,
      ibanMasked: maskIban(iban),
      ibanKey: account(iban, accountKey()),
      signedDate,
      originalCreditorIdentifier: original.creditorIdentifier,
      originalMandateReference: original.mandateReference,
      mandateKey: keyOf(mandateKey, mandate),
      latestFirstDebit,
      cells: JSON.stringify(cells),
      contentKey: content(mandate, contentKey()),
    }
  }
}
