import type { Connection } from '../file/connection.js'

/**
 * Whether the service gave a mandate reference before. A question to SQLite is a read transaction with its locks, ten
 * times what the search itself costs, so a Bloom filter (CACM 13/7, 1970) says first that it certainly did not. Where it
 * cannot say so, the ledger decides: about one question in two hundred.
 */
export interface AssignedReferences {
  readonly has: (mandateReference: string) => boolean
  /** It is about to be recorded. Whether it is in the ledger, the ledger says. */
  readonly note: (mandateReference: string) => void
  /** Some were recorded without a word; they are read anew. */
  readonly forget: () => void
}

/** SQLite compares references without case for the letters a to z; so does this. */
export const foldCase = (text: string): string =>
  /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text

const BITS_A_REFERENCE = 16
const FEWEST_BITS = 2 ** 16
/** Of a filter; 512 MiB would be for two hundred and fifty million rows. */
const MOST_BITS = 2 ** 32

/**
 * Reads every reference of the ledger once, at the first question. Takes two bytes for each row that the ledger holds.
 */
export function createAssignedReferences(connection: Connection): AssignedReferences {
  const ask = connection
    .prepare<[string], number>('select 1 from row where assigned_mandate_reference = ? collate nocase')
    .pluck()
  let filter: BloomFilter | null = null
  const known = (): BloomFilter => (filter ??= filterOf(connection))
  return {
    has: (reference) => known().mayHold(foldCase(reference)) && ask.get(reference) !== undefined,
    note: (reference) => known().add(foldCase(reference)),
    forget: () => void (filter = null),
  }
}

function filterOf(connection: Connection): BloomFilter {
  const rows = connection.prepare<[], number | null>('select max(id) from row').pluck().get() ?? 0
  const filter = createBloomFilter(rows)
  const references = connection
    .prepare<[], string>(
      'select assigned_mandate_reference from row where assigned_mandate_reference is not null',
    )
    .pluck()
  for (const reference of references.iterate()) filter.add(foldCase(reference))
  return filter
}

export interface BloomFilter {
  readonly add: (text: string) => void
  /** False is certain. */
  readonly mayHold: (text: string) => boolean
}

/** @param count how many texts there may be; more make it say `mayHold` more often */
export function createBloomFilter(count: number): BloomFilter {
  let size = FEWEST_BITS
  while (size < count * BITS_A_REFERENCE && size < MOST_BITS) size *= 2
  const bits = new Uint32Array(size / 32)
  const mask = size - 1
  /** Four places from two hashes (Kirsch and Mitzenmacher, 2006). */
  const places = [0, 0, 0, 0]
  function place(text: string): void {
    let one = 0x811c9dc5
    let two = 0x9747b28c
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      one = Math.imul(one ^ code, 0x01000193)
      two = Math.imul(two ^ code, 0x5bd1e995)
      two ^= two >>> 13
    }
    one ^= one >>> 15
    for (let n = 0; n < places.length; n += 1) places[n] = ((one + Math.imul(n, two)) & mask) >>> 0
  }
  return {
    add: (text) => {
      place(text)
      for (const at of places) bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31))
    },
    mayHold: (text) => {
      place(text)
      return places.every((at) => (((bits[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1)
    },
  }
}
