import { createHmac } from 'node:crypto'
import { type Mandate, REQUIRED_FIELDS } from '../../domain/mandate/mandate.js'
import { cleanCell } from '../../domain/text/text.js'

const BYTES = 16
const SEPARATOR = '\u001f'

/**
 * Keyed with a secret of the ledger: account numbers are few enough to try them all against a plain hash. They say
 * whether two rows hold the same after the account number itself is gone.
 */
export interface Fingerprints {
  readonly account: (iban: string) => Buffer
  /** The five values that are sent. */
  readonly content: (mandate: Mandate) => Buffer
  /** The five required cells as they were read. */
  readonly raw: (cells: readonly string[]) => Buffer
}

export function createFingerprints(secret: Uint8Array): Fingerprints {
  const fingerprint = (kind: string, values: readonly string[]): Buffer =>
    createHmac('sha256', secret)
      .update([kind, ...values].join(SEPARATOR))
      .digest()
      .subarray(0, BYTES)
  return {
    account: (iban) => fingerprint('account', [iban]),
    content: ({ customerNo, iban, signedDate, original }) =>
      fingerprint('content', [
        String(customerNo),
        iban,
        signedDate,
        original.creditorIdentifier,
        original.mandateReference,
      ]),
    raw: (cells) => fingerprint('raw', cells),
  }
}

/** How a source's cells lie: its header, and the header name that feeds each field. */
export interface HeaderColumns {
  readonly header: readonly string[]
  readonly columns: Readonly<Record<string, string>>
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
