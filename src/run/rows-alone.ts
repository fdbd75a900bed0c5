import { Readable } from 'node:stream'
import { severityOf } from '../domain/rule/rules.js'
import type { CheckedRecord } from '../domain/rule/verdict.js'
import type { OpenedSource } from '../source/read-source.js'
import type { AdmitOptions, AdmittableSource, OpenNext } from './admit-sources.js'
import { createSharedKeys, NoRoomForKeys } from './shared-keys.js'

/**
 * Reads all files of a command before they are admitted to a ledger that nobody keeps. A record of which its own checks say
 * nothing, and of whose keys no other record has any, is ready whatever the others are: it is counted and not admitted.
 * All others are read once more and go the way of every record, with the number that they have in the whole file, so that
 * the rules across rows stand in one place only.
 * @throws {SourceError} for a file that cannot be read whole
 */
export async function withoutRowsAlone(
  files: readonly OpenNext[],
  options: Pick<AdmitOptions, 'severities' | 'signal' | 'watch'>,
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

interface Reading extends Pick<AdmitOptions, 'signal' | 'watch'> {
  readonly first: number
  readonly keys: ReturnType<typeof createSharedKeys>
  readonly together: RowSet
}

async function readOnce(
  { name, records }: OpenedSource,
  { signal, watch, first, keys, together }: Reading,
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
