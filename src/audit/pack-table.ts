import { SourceError } from '../errors.js'
import { openTable } from '../source/formats.js'
import type { Tell } from './discrepancies.js'

/** The records of a list, each cell under the name of its column; the first of columns of one name counts. */
interface PackTable {
  readonly columns: readonly string[]
  /** Every record with its cells as they stand in the file. Once. */
  readonly records: () => AsyncGenerator<readonly (readonly string[])[]>
}

/** As much as a reason that somebody typed, or the sources of a customer, can take; memory follows from it. */
const LIMITS = {
  recordLength: 16 * 1024 * 1024,
  fieldLength: 8 * 1024 * 1024,
  columns: 10_000,
  unpackedBytes: Number.MAX_SAFE_INTEGER,
  crosswalkLines: 1,
}

const LAYOUT = { skipLines: 0, skipFooterLines: 0, multilineColumns: [] }

/** @throws {SourceError} for a file that is no such list */
async function openPackTable(path: string, expected: readonly string[]): Promise<PackTable> {
  const known = new Set(expected)
  const table = await openTable(path, {
    layout: LAYOUT,
    limits: LIMITS,
    isKnown: (name) => known.has(name),
    trustsOwnQuotes: true,
  })
  async function* records(): AsyncGenerator<readonly (readonly string[])[]> {
    for await (const batch of table.read()) yield batch.map(({ cells }) => cells)
  }
  return { columns: table.headerCells, records }
}

export interface TableReading {
  readonly file: string
  readonly path: string
  /** Columns that must be there; `take` gets their cells in this order. */
  readonly expected: readonly string[]
  readonly tell: Tell
}

/**
 * Hands every record over.
 * @returns how many there are; null where the file is no such list, which is told
 */
export async function readPackTable(
  { file, path, expected, tell }: TableReading,
  take: (cells: readonly string[]) => void,
): Promise<number | null> {
  const unreadable = (why: string): null => {
    tell({
      kind: 'unreadable',
      file,
      message: `${file} is not the list that a report writes: ${why}. Nothing that it says of rows can be compared`,
      next: 'Write the report again, and ask where this file came from',
    })
    return null
  }
  try {
    const { columns, records } = await openPackTable(path, expected)
    const places = expected.map((name) => columns.indexOf(name))
    const missing = expected.find((_, index) => places[index] === -1)
    if (missing !== undefined) return unreadable(`it has no column "${missing}"`)
    let count = 0
    for await (const batch of records())
      for (const cells of batch) {
        count += 1
        take(places.map((place) => cells[place] ?? ''))
      }
    return count
  } catch (error) {
    if (error instanceof SourceError) return unreadable(error.message)
    throw error
  }
}
