import { nameOf, type ReadEnd, type SourceInput } from '../bytes/input.js'
import { bodyOf, detectLayout, recordSettings, type DetectOptions, type Layout } from './layout.js'
import type { LimitOptions } from '../options.js'
import { readingOf, type Reading } from '../bytes/reading.js'
import { isBlankRecord, readRecords, type RawRecord, type RecordsEnd } from './records.js'
import { refuse } from '../refusal.js'
import { openText, type TextSource } from '../bytes/decoded-text.js'

/** Any CSV whose header was found: an export, a crosswalk, a list, decisions of a person. */
export interface Table {
  readonly name: string
  readonly text: TextSource
  readonly layout: Layout
  /** Records in batches, without preamble, header, blank lines and footer; of a stream only once. */
  readonly read: (signal?: AbortSignal) => Reading<RawRecord[], TableEnd>
}

export interface TableEnd extends ReadEnd, RecordsEnd {
  /** The lines that `skipFooterLines` left out. */
  readonly footer: string
}

export interface TableOptions extends Omit<DetectOptions, 'limits'> {
  readonly limits: LimitOptions
  /** Our own files repeat what an export holds; where that is not declared, no cell over several lines is in doubt. */
  readonly trustsOwnQuotes?: boolean
}

/** @throws {SourceError} for a file that cannot be opened, or whose encoding, delimiter or header are in doubt */
export async function openTable(
  input: SourceInput,
  options: TableOptions,
  signal?: AbortSignal,
): Promise<Table> {
  const text = await openText(input, { maxUnpackedBytes: options.limits.unpackedBytes, signal })
  return tableOf(nameOf(input), text, options)
}

/** The table of a text that was looked at before. @throws {SourceError} as `openTable` */
export async function tableOf(name: string, text: TextSource, options: TableOptions): Promise<Table> {
  const layout = await detectLayout(text, options)
  return { name, text, layout, read: (signal) => readingOf(readTable(text, layout, options, signal)) }
}

async function* readTable(
  text: TextSource,
  layout: Layout,
  { limits, trustsOwnQuotes }: TableOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<RawRecord[], TableEnd> {
  const { judge, ...settings } = recordSettings(layout, limits)
  const isTrusted = trustsOwnQuotes === true && layout.isResultFile
  const pieces = readingOf(text.read(layout.encoding.encoding, signal))
  const body = readingOf(bodyOf(pieces, layout, limits))
  const records = readingOf(readRecords(text.label, body, { ...settings, judge: isTrusted ? null : judge }))
  let blankLines = 0
  for await (const batch of records) {
    const kept = batch.filter(({ line, cells }) => line > layout.headerLine && !isBlankRecord(cells))
    const isHeaderIn = batch.some(({ line }) => line === layout.headerLine)
    blankLines += batch.length - kept.length - (isHeaderIn ? 1 : 0)
    yield kept
  }
  const { lines, ...end } = records.end()
  return { ...pieces.end(), footer: body.end(), lines, blankLines: blankLines + end.blankLines }
}

/** A ragged line of a list or a crosswalk could name the wrong person. @throws {SourceError} ROW_FIELD_COUNT */
export function refuseRagged({ text, layout }: Table, { line, cells }: RawRecord, what: string): void {
  if (cells.length === layout.header.width) return
  throw refuse(
    text.label,
    'ROW_FIELD_COUNT',
    `${what} has ${cells.length} columns instead of ${layout.header.width}`,
    { line },
  )
}
