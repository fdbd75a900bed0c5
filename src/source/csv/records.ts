import { refuse } from '../refusal.js'
import type { LimitOptions } from '../options.js'
import type { RawRecord, RecordsEnd } from '../table.js'
import { refuseStrayQuote, type QuoteLayout } from './stray-quote.js'

/** The largest shapes that are still believed to be a mandate export. Lengths are in characters. */
type RecordLimits = Pick<LimitOptions, 'recordLength' | 'fieldLength' | 'columns'>

export interface RecordSettings {
  readonly delimiter: string
  readonly limits: RecordLimits
  /** The number of the first line of the text, where a preamble was cut off. */
  readonly firstLine: number
  /** Null where a cell over several lines is never in doubt. */
  readonly quotes: QuoteLayout | null
}

/**
 * Reads text as CSV, the header included, and yields the records of each piece of text.
 * @throws {SourceError} FILE_RECORD_TOO_LONG or FILE_QUOTE_STRAY when the structure cannot be trusted
 */
export async function* readRecords(
  source: string,
  text: AsyncIterable<string>,
  settings: RecordSettings,
): AsyncGenerator<RawRecord[], RecordsEnd> {
  const split = splitRecords(source, settings)
  for await (const piece of text) yield split.take(piece)
  yield split.end()
  return split.told()
}

/** What stands in every cell that says "nothing" in words, or that was decoded wrong. */
const UNUSUAL = ['ULL', 'ull', String.raw`\N`, 'Ã', 'Â', '\uFFFD']

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

/**
 * Splits text into records, piece by piece. Quotes are read as csv-parse reads them, which the tests hold this against;
 * what it would have to guess about is refused.
 */
export function splitRecords(source: string, { delimiter, limits, firstLine, quotes }: RecordSettings) {
  const separator = delimiter.charCodeAt(0)
  let rest = ''
  let line = firstLine
  let blankLines = 0
  let openLine: number | null = null
  let text = ''
  let isLast = false
  let isOpen = false

  const refuseRecord = (detail: string): never => {
    throw refuse(source, 'FILE_RECORD_TOO_LONG', `the record that starts on line ${line} ${detail}`, { line })
  }

  function checkLength(start: number, end: number): void {
    if (end - start <= limits.recordLength) return
    checkCell(0, text.slice(start, end).split(delimiter).length)
    refuseRecord(`is longer than ${limits.recordLength} characters; a quote is probably missing`)
  }

  function checkCell(length: number, columns: number): void {
    if (length > limits.fieldLength)
      refuseRecord(`has a cell of more than ${limits.fieldLength} characters; a quote is probably missing`)
    if (columns > limits.columns) refuseRecord(`has more than ${limits.columns} columns`)
  }

  function cellsOf(record: string): string[] {
    const cells = record.split(delimiter)
    for (let index = 0; index < cells.length; index += 1) {
      const cell = cells[index] ?? ''
      checkCell(cell.length, index + 1)
      if (hasOuterBlank(cell)) cells[index] = cell.trim()
    }
    return cells
  }

  /**
   * The cell that begins here, in a record with quotes, where it ends, and how many line ends it holds; null where the text
   * ends before it is known.
   */
  function cellAt(start: number, lineOfCell: number) {
    let at = start
    while (at < text.length && isOuterBlank(text.charCodeAt(at))) at += 1
    if (text.charCodeAt(at) !== QUOTE) {
      while (at < text.length && !isCellEnd(text.charCodeAt(at))) at += 1
      return at === text.length && !isLast ? null : { cell: text.slice(start, at).trim(), end: at, breaks: 0 }
    }
    const close = closingQuote(text, at)
    if (close < 0 && isLast) refuseRecord('opens a quote that is never closed')
    if (close < 0) return null
    const cell = text.slice(at + 1, close)
    const breaks = cell.match(/\r\n|\n|\r/g)?.length ?? 0
    let end = close + 1
    // Blanks of several bytes, such as U+00A0, are text there.
    while (end < text.length && !isCellEnd(text.charCodeAt(end)) && isPlainBlank(text.charCodeAt(end)))
      end += 1
    if (end === text.length && !isLast) return null
    if (end < text.length && !isCellEnd(text.charCodeAt(end)))
      refuseRecord(`has text after a closing quote on line ${lineOfCell + breaks}`)
    return { cell: cell.replaceAll('""', '"'), end, breaks }
  }

  const isCellEnd = (code: number): boolean => code === separator || code === LF || code === CR
  const isOuterBlank = (code: number): boolean => !isCellEnd(code) && isBlank(code)

  /** Null where the text ends before it is known where the record does. */
  function quotedRecord(start: number) {
    const cells: string[] = []
    let breaks = 0
    for (let at = start; ; at += 1) {
      const read = cellAt(at, line + breaks)
      if (read === null) return null
      cells.push(read.cell)
      checkCell(read.end - at, cells.length)
      breaks += read.breaks
      at = read.end
      if (text.charCodeAt(at) !== separator) return { cells, end: at, breaks }
    }
  }

  /** The records of `text` up to the last line end; what follows is kept for the next piece. */
  function records(): RawRecord[] {
    const found: RawRecord[] = []
    let quote = -1
    let lf = -1
    let cr = -1
    let start = 0
    // Looked for in each cell, these took a tenth of the time.
    const isClean = !UNUSUAL.some((sign) => text.includes(sign))
    while (start < text.length) {
      if (quote < start) quote = positionOf('"', start)
      if (lf < start) lf = positionOf('\n', start)
      if (cr < start) cr = positionOf('\r', start)
      const lineEnd = Math.min(lf, cr)
      const quoted = quote < lineEnd ? quotedRecord(start) : null
      const end = quote < lineEnd ? (quoted?.end ?? text.length) : lineEnd
      // Behind a CR at the end of a piece its LF may follow.
      const isEnded = end < text.length && (isLast || end + 1 < text.length || text.charCodeAt(end) === LF)
      checkLength(start, end)
      if (!isEnded && !isLast) break
      const breaks = quoted?.breaks ?? 0
      const cells = quoted?.cells ?? cellsOf(text.slice(start, end))
      const record = { line, cells, isClean }
      if (breaks > 0 && quotes !== null) refuseStrayQuote(source, record, quotes)
      if (quoted !== null || cells.length > 1 || cells[0] !== '') found.push(record)
      else if (isEnded) blankLines += 1
      isOpen = !isEnded
      if (isOpen && found.at(-1)?.line === line) openLine = line
      line += breaks + (isEnded ? 1 : 0)
      start = end + (text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? 2 : 1)
    }
    rest = text.slice(start)
    return found
  }

  const positionOf = (character: string, from: number): number => {
    const at = text.indexOf(character, from)
    return at < 0 ? text.length : at
  }

  return {
    take: (piece: string): RawRecord[] => {
      text = rest + piece
      return records()
    },
    end: (): RawRecord[] => {
      text = rest
      isLast = true
      return records()
    },
    told: (): RecordsEnd => ({ blankLines, lines: isOpen ? line : line - 1, openLine }),
  }
}

const isPlainBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

/** The blanks that csv-parse trims, which are those of `trim`; ahead of a quote they do not make the cell plain. */
const isBlank = (code: number): boolean =>
  isPlainBlank(code) || (code > 0x7f && /\s/.test(String.fromCharCode(code)))

const mayBeBlank = (code: number): boolean => code <= 0x20 || code > 0x7f

const hasOuterBlank = (cell: string): boolean =>
  cell !== '' && (mayBeBlank(cell.charCodeAt(0)) || mayBeBlank(cell.charCodeAt(cell.length - 1)))

/** Where the quote that opens at `open` closes; below 0 where the text ends before that is known. */
function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1)
  while (close >= 0 && text.charCodeAt(close + 1) === QUOTE) close = text.indexOf('"', close + 2)
  return close
}

/** A line of separators only; like an empty line it is no record. */
export const isBlankRecord = (cells: readonly string[]): boolean => cells.every((cell) => cell === '')
