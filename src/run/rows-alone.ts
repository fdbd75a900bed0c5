import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { type CheckedRecord, severityOf } from '../domain/rule/verdict.js'
import type { OpenedSource } from '../source/read-source.js'
import type { AdmitOptions, AdmittableSource, OpenNext } from './admit-sources.js'

/**
 * Reads all files of a command before they are admitted to a ledger that nobody keeps. A record of which its own checks say
 * nothing, and of whose keys no other record has any, is ready whatever the others are: it is counted and not admitted.
 * All others are read once more and go the way of every record, with the number that they have in the whole file, so that
 * the rules across rows stand in one place only. Beyond two million rows every record is admitted: memory does not grow.
 * @throws {SourceError} for a file that cannot be read whole
 */
export async function withoutRowsAlone(
  files: readonly OpenNext[],
  options: AdmitOptions,
): Promise<readonly OpenNext[]> {
  // A stream can be read only once.
  if (!files.every(({ path }) => path !== undefined)) return files
  /** For each row, whether it is looked at together with others. */
  const together = new Uint8Array(MOST_ROWS)
  const keys = createSharedKeys(severityOf('IBAN_SHARED', options.severities) !== 'off')
  const parts: Part[] = []
  let rows = 0
  for (const open of files) {
    const source = await open()
    // Beside a wrong creditor a collection may be of any mandate of its reference.
    if (source.reading.collections !== undefined) return files
    const first = rows
    if (!parts.some((part) => part.source.sha256 === source.sha256))
      for await (const batch of source.records(options.signal)) {
        for (const record of batch) {
          if (rows === MOST_ROWS) return files
          keys.put(rows, record)
          if (!mayBeAlone(record)) together[rows] = 1
          rows += 1
        }
        options.watch(source.name, rows - first)
      }
    parts.push({ source, together: together.subarray(first, rows) })
  }
  keys.markShared(together)
  return parts.map((part) => () => Promise.resolve(sourceOf(part)))
}

interface Part {
  readonly source: OpenedSource
  /** Of its rows; none for a file that was given twice. */
  readonly together: Uint8Array
}

const mayBeAlone = ({ verdict, findings, corrects, mandateKey }: CheckedRecord): boolean =>
  verdict.kind === 'sendable' && findings.length === 0 && corrects === null && mandateKey !== null

function sourceOf({ source, together }: Part): AdmittableSource {
  if (together.length === 0) return source
  const summary = source.summary()
  const counted = together.reduce((alone, isTogether) => alone + 1 - isTogether, 0)
  return {
    ...source,
    counted,
    records: (signal) =>
      counted === together.length
        ? Readable.from([])
        : source.records(signal, (record) => together[record - 1] === 1),
    summary: () => summary,
  }
}

const MOST_ROWS = 2 ** 21

/**
 * What rules across rows compare of the rows of a command, and which rows share it.
 * Three keys are all that admission compares in rows that no older row precedes: the mandate without its blanks (repeated
 * mandates and near ones), the customer, and the account. Keys that a rule takes for equal have equal hashes; a chance
 * meeting of others costs a closer look and nothing else. The hashes are made with a number that is drawn anew each time.
 * @param hasAccount whether rows that share an account are compared: not where IBAN_SHARED is off
 */
export function createSharedKeys(hasAccount: boolean) {
  const seed = randomBytes(4).readInt32LE()
  /** 43 bits of hash and the row for each key; the system gives what is used of 50 MB. */
  const entries = new BigUint64Array(3 * MOST_ROWS)
  const words = new Uint32Array(entries.buffer)
  let used = 0

  function putText(row: number, kind: number, text: string): void {
    let one = spread(seed ^ kind)
    let other = ~one
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === SPACE) continue
      one = Math.imul(one ^ code, 0x01000193)
      other = ((other << 5) - other + code) | 0
    }
    words[used] = (spread(other) & -MOST_ROWS) | row
    words[used + 1] = spread(one)
    used += 2
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
    /** Marks each row that has a key of another one. Nothing can be put in afterwards. */
    markShared: (shared: Uint8Array): void => {
      entries.subarray(0, used / 2).sort()
      for (let at = 2; at < used; at += 2) {
        const [before = 0, low = 0] = [words[at - 2], words[at]]
        if (words[at + 1] !== words[at - 1] || (before & -MOST_ROWS) !== (low & -MOST_ROWS)) continue
        for (const entry of [before, low]) shared[entry & (MOST_ROWS - 1)] = 1
      }
    },
  }
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
