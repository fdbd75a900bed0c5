import type { SourceReading } from '../domain/rule/verdict.js'
import type { SourceOptions } from './options.js'
import { openRecognised } from './read-source.js'
import type { CheckedAgainst } from './record-check.js'
import { tableOf, type RawRecord, type TableEnd } from './table.js'

/** An export as the ledger keeps it: what its records were, and how they were read. */
export interface StoredSource {
  readonly name: string
  readonly header: readonly string[]
  readonly reading: SourceReading
  /** Lines that somebody gave back: days may be written in any way there. */
  readonly isList: boolean
}

/** @returns the records once more, in batches, from the first one on */
export type StoredRecords = () => Iterable<
  readonly { readonly line: number; readonly cells: readonly string[] }[]
>

const NO_TABLE_END: TableEnd = { sha256: '', bytes: 0, blankLines: 0, lines: 0, footer: '' }

/**
 * Reads records of an export once more, from their cells, as a configuration says now. What the layout of the file decided
 * (sheet, encoding, separator, lines that were skipped) stays as it was.
 * @throws {SourceError} where the configuration names a column that the export does not have
 */
export function openStored(
  { name, header, reading, isList }: StoredSource,
  records: StoredRecords,
  { options, against, signal }: { options: SourceOptions; against: CheckedAgainst; signal: AbortSignal },
) {
  const { headerLine = 1, sheet, collections } = reading
  const isTyped = isList || sheet !== undefined || collections !== undefined
  async function* read(): AsyncGenerator<RawRecord[], TableEnd> {
    await Promise.resolve()
    for (const batch of records()) yield batch.map(({ line, cells }) => ({ line, cells: [...cells] }))
    return NO_TABLE_END
  }
  const table = tableOf({
    ...{ name, label: name, sha256: '', headerCells: header, headerLine, read },
    decidedFormats: reading.dateFormats ?? {},
    ...(isTyped
      ? { cellName: (line: number, position: number) => `${header[position] ?? ''} of line ${line}` }
      : {}),
  })
  const { inLists } = against
  const named = isList && inLists !== undefined ? { header: { ...table.header, inLists } } : {}
  return openRecognised({ ...table, ...named }, options, against, signal)
}
