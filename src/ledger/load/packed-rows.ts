import { FINGERPRINT_BYTES } from '../admit/fingerprints.js'
import type { ReadyRow } from '../schema/row-columns.js'
import { spareKeys } from './ready-row.js'

/** Rows that another thread has prepared, in the few pieces that cost least to hand over. */
export interface PackedRows {
  readonly rows: number
  /** Record, line and customer number of each row. */
  readonly numbers: Float64Array<ArrayBuffer>
  /** The fingerprint of the content of each row. Those of accounts are made where the rows are unpacked: see `unpackRows`. */
  readonly keys: Uint8Array<ArrayBuffer>
  /** All texts of all rows, one behind the other. */
  readonly text: string
  /** Where each of the TEXTS of each row ends in `text`. */
  readonly ends: Uint32Array<ArrayBuffer>
}

const NUMBERS = 3
const TEXTS = 8

export interface RowPacker {
  readonly add: (row: ReadyRow) => void
  readonly rows: () => number
  /** What was added since the last time. */
  readonly take: () => PackedRows
}

/** @param most rows that are ever added before they are taken */
export function packRows(most: number): RowPacker {
  let rows = 0
  let texts: string[] = []
  let length = 0
  let numbers = new Float64Array(most * NUMBERS)
  let keys = new Uint8Array(most * FINGERPRINT_BYTES)
  let ends = new Uint32Array(most * TEXTS)

  function addText(at: number, text: string): void {
    texts.push(text)
    length += text.length
    ends[at] = length
  }

  function add(row: ReadyRow): void {
    const number = rows * NUMBERS
    numbers[number] = row.record
    numbers[number + 1] = row.line
    numbers[number + 2] = row.customerNo
    keys.set(row.contentKey, rows * FINGERPRINT_BYTES)
    const text = rows * TEXTS
    addText(text, row.iban)
    addText(text + 1, row.ibanMasked)
    addText(text + 2, row.signedDate)
    addText(text + 3, row.originalCreditorIdentifier)
    addText(text + 4, row.originalMandateReference)
    addText(text + 5, row.mandateKey)
    addText(text + 6, row.latestFirstDebit ?? '')
    addText(text + 7, row.cells)
    rows += 1
  }

  return {
    add,
    rows: () => rows,
    take: () => {
      const packed = { rows, numbers, keys, text: texts.join(''), ends }
      rows = 0
      texts = []
      length = 0
      numbers = new Float64Array(most * NUMBERS)
      keys = new Uint8Array(most * FINGERPRINT_BYTES)
      ends = new Uint32Array(most * TEXTS)
      return packed
    },
  }
}

/** The buffers of packed rows, which go to the other thread without being copied. */
export const buffersOf = ({ numbers, keys, ends }: PackedRows): ArrayBuffer[] => [
  numbers.buffer,
  keys.buffer,
  ends.buffer,
]

/**
 * @param accountKey makes the fingerprints of accounts: of the two of a row that is the one for which this thread has time
 *   while the other reads and checks
 * @returns gives each row of packed rows in order; its fingerprints are good for the next rows at once only
 */
export function unpackRows(
  accountKey: (iban: string) => Uint8Array,
): (packed: PackedRows, give: (row: ReadyRow) => void) => void {
  const nextSpare = spareKeys()
  return ({ rows, numbers, keys, text, ends }, give) => {
    const keyAt = (at: number): Buffer => {
      const key = nextSpare()
      for (let byte = 0; byte < FINGERPRINT_BYTES; byte += 1) key[byte] = keys[at + byte] ?? 0
      return key
    }
    let from = 0
    for (let row = 0; row < rows; row += 1) {
      const at = row * TEXTS
      const textAt = (which: number): string => {
        const start = from
        from = ends[at + which] ?? 0
        return text.slice(start, from)
      }
      const number = row * NUMBERS
      const iban = textAt(0)
      give({
        record: numbers[number] ?? 0,
        line: numbers[number + 1] ?? 0,
        customerNo: numbers[number + 2] ?? 0,
        iban,
        ibanMasked: textAt(1),
        ibanKey: accountKey(iban),
        signedDate: textAt(2),
        originalCreditorIdentifier: textAt(3),
        originalMandateReference: textAt(4),
        mandateKey: textAt(5),
        latestFirstDebit: textAt(6) || null,
        cells: textAt(7),
        contentKey: keyAt(row * FINGERPRINT_BYTES),
      })
    }
  }
}
