import { cleanCell, fold } from '../domain/text.js'
import { nameOf, type ReadEnd, type SourceInput } from './input.js'
import { bodyOf, detectLayout, recordSettings } from './layout.js'
import type { LimitOptions } from './options.js'
import { isBlankRecord, readRecords } from './records.js'
import { refuse } from './refusal.js'
import { openText } from './text.js'

/** A CSV that is no export: decisions of a person, or a list from the service. Detected like any source. */
export interface Table {
  readonly name: string
  /** Every record but the header. @throws {SourceError} for a file that cannot be trusted or a ragged record */
  readonly rows: (signal?: AbortSignal) => AsyncGenerator<TableRow>
  /** Hash of the bytes, known after the last row. */
  readonly sha256: () => string
}

export interface TableRow {
  /** Physical line on which the record begins, from 1. */
  readonly line: number
  /** The cell of the first of these columns that the file has, cleaned; null where it has none. Names are folded. */
  readonly cell: (...names: readonly string[]) => string | null
  /** The cells of every column of that name as they stand in the file; none where it has no such column. */
  readonly cells: (name: string) => readonly string[]
}

const ignoreBlank = (): void => undefined

/**
 * @param expected names that may be asked for; none of them may occur twice
 * @throws {SourceError} for a file that cannot be read or has no header
 */
export async function openTable(
  input: SourceInput,
  limits: LimitOptions,
  expected: readonly string[],
): Promise<Table> {
  const text = await openText(input, { maxUnpackedBytes: limits.unpackedBytes })
  const names = new Set(expected.map(fold))
  const layout = await detectLayout(text, {
    layout: { skipLines: 0, skipFooterLines: 0, multilineColumns: [] },
    limits,
    isKnown: (name) => names.has(fold(name)),
  })
  const positions = new Map<string, number[]>()
  let end: ReadEnd = { sha256: '', bytes: 0 }

  async function* rows(signal?: AbortSignal): AsyncGenerator<TableRow> {
    const pieces = text.read(layout.encoding.encoding, (reached) => (end = reached), signal)
    const body = bodyOf(pieces, layout, limits)
    const { judge, ...unjudged } = recordSettings(layout, limits)
    // Our own files repeat remarks over several lines that the configuration of the export allowed.
    const settings = layout.isResultFile || judge === undefined ? unjudged : { ...unjudged, judge }
    for await (const records of readRecords(text.label, body, settings, ignoreBlank)) {
      for (const { line, cells } of records) {
        if (line === layout.headerLine) noteHeader(cells, line)
        if (line === layout.headerLine || isBlankRecord(cells)) continue
        if (cells.length !== layout.header.width)
          throw refuse(
            text.label,
            'ROW_FIELD_COUNT',
            `line ${line} has ${cells.length} columns instead of ${layout.header.width}`,
            { line },
          )
        yield { line, cell: cellOf(cells), cells: cellsOf(cells) }
      }
    }
  }

  function noteHeader(header: readonly string[], line: number): void {
    for (const [index, name] of header.entries())
      positions.set(fold(name), [...(positions.get(fold(name)) ?? []), index])
    const twice = expected.find((name) => (positions.get(fold(name))?.length ?? 0) > 1)
    if (twice !== undefined)
      throw refuse(text.label, 'FILE_HEADER_DUPLICATE', `it has the column "${twice}" twice`, { line })
  }

  const cellOf =
    (cells: readonly string[]): TableRow['cell'] =>
    (...wanted) => {
      const position = wanted.map((name) => positions.get(fold(name))?.[0]).find((at) => at !== undefined)
      return position === undefined ? null : cleanCell(cells[position] ?? '')
    }
  const cellsOf =
    (cells: readonly string[]): TableRow['cells'] =>
    (name) =>
      (positions.get(fold(name)) ?? []).map((position) => cells[position] ?? '')

  return { name: nameOf(input), rows, sha256: () => end.sha256 }
}
