import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type CheckedRecord, severityOf } from '../domain/rule/verdict.js'
import type { OpenedSource } from '../source/read-source.js'
import type { AdmitOptions, AdmittableSource, OpenNext } from './admit-sources.js'

/**
 * Reads all files of a command before they are admitted to a ledger that nobody keeps. A record of which its own checks say
 * nothing, and of whose keys no other record has any, is ready whatever the others are: it is counted and not admitted.
 * All others are read once more and go the way of every record, with the number that they have in the whole file, so that
 * the rules across rows stand in one place only.
 * @throws {SourceError} for a file that cannot be read whole
 */
export async function withoutRowsAlone(
  files: readonly OpenNext[],
  options: AdmitOptions,
): Promise<readonly OpenNext[]> {
  // A stream can be read only once.
  if (!files.every(({ path }) => path !== undefined)) return files
  const keys = createSharedKeys({ hasAccount: severityOf('IBAN_SHARED', options.severities) !== 'off' })
  try {
    const together = createRowSet()
    const parts: Part[] = []
    let rows = 0
    for (const open of files) {
      const source = await open()
      // Beside a wrong creditor a collection may be of any mandate of its reference.
      if (source.reading.collections !== undefined) return files
      const isAgain = parts.some((part) => part.source.sha256 === source.sha256)
      const records = isAgain ? 0 : await readOnce(source, { ...options, first: rows, keys, together })
      parts.push({ source, first: rows, records })
      rows += records
    }
    keys.tell((first, row) => {
      together.add(first)
      together.add(row)
    })
    return parts.map((part) => () => Promise.resolve(sourceOf(part, together)))
  } catch (error) {
    // Then every record is admitted.
    if (error instanceof NoRoomForKeys) return files
    throw error
  } finally {
    keys.close()
  }
}

interface Part {
  readonly source: OpenedSource
  /** Rows of the files before it. */
  readonly first: number
  /** None for a file that was given twice. */
  readonly records: number
}

interface FileReading extends Pick<AdmitOptions, 'signal' | 'watch'> {
  readonly first: number
  readonly keys: ReturnType<typeof createSharedKeys>
  readonly together: RowSet
}

async function readOnce(
  { name, records }: OpenedSource,
  { signal, watch, first, keys, together }: FileReading,
): Promise<number> {
  let row = first
  for await (const batch of records(signal)) {
    for (const record of batch) {
      keys.put(row, record)
      if (!mayBeAlone(record)) together.add(row)
      row += 1
    }
    watch(name, row - first)
  }
  return row - first
}

const mayBeAlone = ({ verdict, findings, corrects, mandateKey }: CheckedRecord): boolean =>
  verdict.kind === 'sendable' && findings.length === 0 && corrects === null && mandateKey !== null

function sourceOf({ source, first, records }: Part, together: RowSet): AdmittableSource {
  if (records === 0) return source
  const summary = source.summary()
  const counted = records - together.count(first, first + records)
  return {
    ...source,
    counted,
    records: (signal) =>
      counted === records
        ? Readable.from([])
        : source.records(signal, (record) => together.has(first + record - 1)),
    summary: () => summary,
  }
}

/** Numbers of rows, one bit for each: five million rows in 640 KB. */
type RowSet = ReturnType<typeof createRowSet>

function createRowSet() {
  let bits = new Uint8Array(4096)
  const has = (row: number): boolean => ((bits[row >>> 3] ?? 0) & (1 << (row & 7))) !== 0
  return {
    add: (row: number): void => {
      const at = row >>> 3
      if (at >= bits.length) {
        const larger = new Uint8Array(Math.max(bits.length * 2, at + 1))
        larger.set(bits)
        bits = larger
      }
      bits[at] = (bits[at] ?? 0) | (1 << (row & 7))
    },
    has,
    count: (from: number, to: number): number => {
      let rows = 0
      for (let row = from; row < to; row += 1) if (has(row)) rows += 1
      return rows
    },
  }
}

/** The temporary folder keeps no more, or cannot be used. */
export class NoRoomForKeys extends Error {}

const PARTS = 256
/** Keys of one part that are kept before they go to the file. */
const KEPT = 2048
/** An entry is a hash of two words and its row. */
const WORDS = 3
const BLOCK_BYTES = KEPT * WORDS * 4

/**
 * What rules across rows compare of the rows of a command, and which rows share it. Memory does not grow with their number.
 * Three keys are all that admission compares in rows that no older row precedes: the mandate without its blanks (repeated
 * mandates and near ones), the customer, and the account. Keys that a rule takes for equal have equal hashes of 64 bits; a
 * chance meeting of others costs a closer look and nothing else. They are spread over parts; what a part
 * cannot keep goes to a temporary file that no name leads to. The hashes are made with a number that is
 * drawn anew each time.
 */
export function createSharedKeys({ hasAccount, folder = tmpdir() }: SharedKeysOptions) {
  const seed = randomBytes(4).readInt32LE()
  const kept = new Uint32Array(PARTS * KEPT * WORDS)
  const counts = new Uint32Array(PARTS)
  const blocks: number[][] = Array.from({ length: PARTS }, () => [])
  let file: number | null = null
  let written = 0

  function spill(part: number): void {
    const block = new Uint8Array(kept.buffer, part * BLOCK_BYTES, BLOCK_BYTES)
    try {
      file ??= openUnnamed(folder)
      if (writeSync(file, block, 0, BLOCK_BYTES, written * BLOCK_BYTES) !== BLOCK_BYTES)
        throw new Error('The temporary folder is full')
    } catch (cause) {
      throw new NoRoomForKeys('The temporary folder cannot be written', { cause })
    }
    blocks[part]?.push(written)
    written += 1
    counts[part] = 0
  }

  function putText(row: number, kind: number, text: string): void {
    let one = spread(seed ^ kind)
    let other = ~one
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === SPACE) continue
      one = Math.imul(one ^ code, 0x01000193)
      other = ((other << 5) - other + code) | 0
    }
    const second = spread(other)
    const part = second & (PARTS - 1)
    const at = (part * KEPT + (counts[part] ?? 0)) * WORDS
    kept[at] = spread(one)
    kept[at + 1] = second
    kept[at + 2] = row
    counts[part] = (counts[part] ?? 0) + 1
    if (counts[part] === KEPT) spill(part)
  }

  let entries = new Uint32Array(0)
  /** All of a part; good until the next part is asked for. */
  function entriesOf(part: number): Uint32Array {
    const spilled = blocks[part] ?? []
    const rest = counts[part] ?? 0
    const words = (spilled.length * KEPT + rest) * WORDS
    if (entries.length < words) entries = new Uint32Array(Math.ceil(words * 1.5))
    for (const [index, block] of spilled.entries())
      readBlock(file ?? -1, new Uint8Array(entries.buffer, index * BLOCK_BYTES, BLOCK_BYTES), block)
    const from = part * KEPT * WORDS
    entries.set(kept.subarray(from, from + rest * WORDS), spilled.length * KEPT * WORDS)
    return entries.subarray(0, words)
  }

  return {
    put: (
      row: number,
      { mandateKey, values: { customerNo, iban } }: Pick<CheckedRecord, 'mandateKey' | 'values'>,
    ): void => {
      if (mandateKey !== null) putText(row, MANDATE, mandateKey)
      if (customerNo !== null) putText(row, CUSTOMER, `${customerNo}`)
      if (hasAccount && iban !== null) putText(row, ACCOUNT, iban)
    },
    /** Tells of each row that has a key of an earlier one, and of that one. Nothing can be put in afterwards. */
    tell: (share: (first: number, row: number) => void): void => {
      for (let part = 0; part < PARTS; part += 1) tellShared(entriesOf(part), share)
    },
    close: (): void => {
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

interface SharedKeysOptions {
  /** Whether rows that share an account are compared: not where IBAN_SHARED is off. */
  readonly hasAccount: boolean
  readonly folder?: string
}

const SPACE = 0x20
const MANDATE = 1
const CUSTOMER = 2
const ACCOUNT = 3

/** Spreads what a number holds over all of its bits. */
function spread(number: number): number {
  let mixed = number ^ (number >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

function tellShared(entries: Uint32Array, share: (first: number, row: number) => void): void {
  let slots = 16
  while (slots < entries.length) slots *= 2
  /** Where the first entry with a hash stands, and 1. */
  const table = new Uint32Array(slots)
  for (let at = 0; at < entries.length; at += WORDS) {
    const [one, other] = [entries[at] ?? 0, entries[at + 1] ?? 0]
    let slot = one & (slots - 1)
    for (let first = table[slot] ?? 0; first !== 0; first = table[slot] ?? 0) {
      if (entries[first - 1] === one && entries[first] === other) break
      slot = (slot + 1) & (slots - 1)
    }
    const first = table[slot] ?? 0
    if (first === 0) table[slot] = at + 1
    else share(entries[first + 1] ?? 0, entries[at + 2] ?? 0)
  }
}

function readBlock(file: number, into: Uint8Array, block: number): void {
  if (readSync(file, into, 0, into.length, block * into.length) !== into.length)
    throw new Error('The temporary file is shorter than it was written')
}

function openUnnamed(folder: string): number {
  const path = join(folder, `sepa-migrate-${randomBytes(12).toString('hex')}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}
