import { hash } from 'node:crypto'
import type { RowRecord } from '../../ledger/read/reader.js'

/**
 * Totals that show a lost, doubled or altered row where a count alone would not. They do not depend on the order
 * of rows and those of parts add up to that of the whole (sums and digests alike, the digests modulo 2^256).
 * How to compute them again is written in DEFINITIONS.
 */
export interface HashTotals {
  readonly rows: number
  /** Rows with a readable customer number, and the sum of these numbers in decimal. */
  readonly customerNoRows: number
  readonly customerNoSum: string
  /** Rows with a mandate key, and the digest of their keys: 64 hexadecimal digits. */
  readonly oldKeyRows: number
  readonly oldKeyDigest: string
  /** Rows with assigned identifiers, and the digest of old and new together. */
  readonly pairRows: number
  readonly pairDigest: string
}

/** Part of summary.json, so that a third party needs nothing but the pack. */
export const DEFINITIONS = {
  customerNoSum: 'Sum of customer_no over the rows that have one, in decimal.',
  oldKey:
    'First two characters of original_creditor_identifier, "|", its characters from the eighth on, "|", original_mandate_reference with a to z in upper case.',
  oldKeyDigest:
    'Sum modulo 2^256 of the SHA-256 of each old key (UTF-8, read as a big-endian number), as 64 hexadecimal digits.',
  pairDigest:
    'The same over the old key, a line feed, assigned_creditor_identifier, a line feed and assigned_mandate_reference.',
} as const

interface Sums {
  rows: number
  customerNoRows: number
  customerNo: bigint
  oldKeyRows: number
  readonly oldKeys: DigestSum
  pairRows: number
  readonly pairs: DigestSum
}

/**
 * A sum of digests by their 16 words of 16 bits, the first word counting most. They are carried at the end: no word
 * leaves the exact numbers before 2^37 rows, and numbers are added in a fraction of the time that a bigint takes.
 */
type DigestSum = Float64Array

const WORDS = 16
const MODULUS_BITS = 256

function addDigest(sum: DigestSum, text: string): void {
  const digest = hash('sha256', text, 'binary')
  for (let word = 0; word < WORDS; word += 1)
    sum[word] = (sum[word] ?? 0) + digest.charCodeAt(2 * word) * 256 + digest.charCodeAt(2 * word + 1)
}

const addSum = (sum: DigestSum, part: DigestSum): void =>
  part.forEach((value, word) => (sum[word] = (sum[word] ?? 0) + value))

const hex = (sum: DigestSum): string =>
  BigInt.asUintN(
    MODULUS_BITS,
    sum.reduce((total, value) => (total << 16n) + BigInt(value), 0n),
  )
    .toString(16)
    .padStart(64, '0')

export const noSums = (): Sums => ({
  rows: 0,
  customerNoRows: 0,
  customerNo: 0n,
  oldKeyRows: 0,
  oldKeys: new Float64Array(WORDS),
  pairRows: 0,
  pairs: new Float64Array(WORDS),
})

/** The values of a row that its totals are made from. */
type SummedRow = Pick<
  RowRecord,
  'customerNo' | 'mandateKey' | 'assignedCreditorIdentifier' | 'assignedMandateReference'
>

export function addRow(sums: Sums, row: SummedRow): void {
  sums.rows += 1
  if (row.customerNo !== null) {
    sums.customerNoRows += 1
    sums.customerNo += BigInt(row.customerNo)
  }
  if (row.mandateKey === null) return
  sums.oldKeyRows += 1
  addDigest(sums.oldKeys, row.mandateKey)
  if (row.assignedCreditorIdentifier === null || row.assignedMandateReference === null) return
  sums.pairRows += 1
  addDigest(
    sums.pairs,
    `${row.mandateKey}\n${row.assignedCreditorIdentifier}\n${row.assignedMandateReference}`,
  )
}

export const sumsOf = (parts: Iterable<Sums>): Sums => {
  const all = noSums()
  for (const part of parts) {
    all.rows += part.rows
    all.customerNoRows += part.customerNoRows
    all.customerNo += part.customerNo
    all.oldKeyRows += part.oldKeyRows
    addSum(all.oldKeys, part.oldKeys)
    all.pairRows += part.pairRows
    addSum(all.pairs, part.pairs)
  }
  return all
}

export const hashTotalsOf = (sums: Sums): HashTotals => ({
  rows: sums.rows,
  customerNoRows: sums.customerNoRows,
  customerNoSum: sums.customerNo.toString(),
  oldKeyRows: sums.oldKeyRows,
  oldKeyDigest: hex(sums.oldKeys),
  pairRows: sums.pairRows,
  pairDigest: hex(sums.pairs),
})
