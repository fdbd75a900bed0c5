import { cleanCell, fold } from '../domain/text/text.js'
import type { SourceInput } from './bytes/input.js'
import { DEFAULT_SOURCE_OPTIONS } from './options.js'
import { refuse } from './refusal.js'
import { refuseRagged, type Table } from './table.js'
import { openTable } from './formats.js'

export type ListRow = ReturnType<typeof rowOf>

/**
 * @param expected names that may be asked for; none of them may occur twice
 * @throws {SourceError} for a file that cannot be read, has no header, or has an expected column twice
 */
export async function openList(input: SourceInput, expected: readonly string[], sheet?: string) {
  const names = new Set(expected.map(fold))
  const { source, limits } = DEFAULT_SOURCE_OPTIONS
  const table = await openTable(input, {
    layout: { ...source, sheet },
    limits,
    isKnown: (name) => names.has(fold(name)),
    trustsOwnQuotes: true,
  })
  const positions = positionsOf(table, expected)
  let sha256 = ''

  async function* rows(signal?: AbortSignal): AsyncGenerator<ListRow> {
    const batches = table.read(signal)
    for await (const records of batches)
      for (const record of records) {
        refuseRagged(table, record, `line ${record.line}`)
        yield rowOf(record.line, record.cells, positions)
      }
    sha256 = batches.end().sha256
  }

  return {
    name: table.name,
    /** The sheet that was asked for, and all that a workbook of ours has. */
    sheet,
    sheets: table.sheets ?? [],
    /** Every record but the header. @throws {SourceError} for a file that cannot be trusted or a ragged record */
    rows,
    /** Hash of the bytes, known after the last row. */
    sha256: (): string => sha256,
  }
}

/**
 * The same for each sheet of a workbook of ours.
 * @param open anew for each of them
 */
export async function openLists(open: () => SourceInput, expected: readonly string[]) {
  const first = await openList(open(), expected)
  if (first.sheets.length === 0) return [first]
  const lists: (typeof first)[] = []
  for (const sheet of first.sheets) lists.push(await openList(open(), expected, sheet))
  return lists
}

function positionsOf(
  { label, headerCells, headerLine }: Table,
  expected: readonly string[],
): ReadonlyMap<string, readonly number[]> {
  const positions = new Map<string, number[]>()
  for (const [index, name] of headerCells.entries())
    positions.set(fold(name), [...(positions.get(fold(name)) ?? []), index])
  const twice = expected.find((name) => (positions.get(fold(name))?.length ?? 0) > 1)
  if (twice === undefined) return positions
  throw refuse(label, 'FILE_HEADER_DUPLICATE', `it has the column "${twice}" twice`, { line: headerLine })
}

const rowOf = (
  line: number,
  cells: readonly string[],
  positions: ReadonlyMap<string, readonly number[]>,
) => ({
  /** Physical line on which the record begins, from 1. */
  line,
  /** The cell of the first of these columns that the file has, cleaned; null where it has none. Names are folded. */
  cell: (...wanted: readonly string[]): string | null => {
    const position = wanted.map((name) => positions.get(fold(name))?.[0]).find((at) => at !== undefined)
    return position === undefined ? null : cleanCell(cells[position] ?? '')
  },
  /** The cells of every column of that name as they stand in the file; none where it has no such column. */
  cells: (name: string): readonly string[] =>
    (positions.get(fold(name)) ?? []).map((position) => cells[position] ?? ''),
})
