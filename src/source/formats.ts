import { openBytes } from './bytes/byte-source.js'
import type { SourceInput } from './bytes/input.js'
import { CSV } from './csv/csv.js'
import { NOT_READ } from './not-read.js'
import type { InputFormat, Table, TableOptions } from './table.js'

/** The first that recognises a source reads it. A further format stands first. */
export const INPUT_FORMATS: readonly InputFormat[] = [...NOT_READ, CSV]

/** @throws {SourceError} for a source that cannot be opened, or whose format or header is in doubt */
export async function openTable(
  input: SourceInput,
  options: TableOptions,
  signal?: AbortSignal,
  formats = INPUT_FORMATS,
): Promise<Table> {
  const bytes = await openBytes(input, { maxUnpackedBytes: options.limits.unpackedBytes, signal })
  const format = formats.find(({ recognises }) => recognises(bytes.evidence.head)) ?? CSV
  return format.open(bytes, options)
}
