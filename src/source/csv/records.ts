import { CsvError, type Options } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { refuse } from '../refusal.js'
import type { LimitOptions } from '../options.js'
import type { RawRecord, TableEnd } from '../table.js'
import { refuseStrayQuote, type QuoteLayout } from './stray-quote.js'

/** What is known of the lines once the text was read to its end. */
type RecordsEnd = Pick<TableEnd, 'blankLines' | 'lines' | 'openLine'>

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

type Quoted = { index: number; text: string; spansLines: boolean }[]

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

/**
 * Splits text into records, piece by piece. A record without a quote is split here. One with a quote is only measured
 * here: all of a piece go through one csv-parse, which decides about quotes, and both must count the same records. Lines
 * and caps are counted here too: csv-parse tells the line where a record ends, counts a CRLF inside quotes twice, caps no
 * columns and skips a gigabyte of blanks without a word (all measured).
 */
export function splitRecords(source: string, { delimiter, limits, firstLine, quotes }: RecordSettings) {
  const separator = delimiter.charCodeAt(0)
  const options = parserOptions(delimiter, limits)
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

  /** Where the cell that begins here ends, and how many line ends it holds; null where the text ends before it is known. */
  function endOfCell(start: number) {
    let at = start
    while (at < text.length && isOuterBlank(text.charCodeAt(at))) at += 1
    if (text.charCodeAt(at) !== QUOTE) {
      while (at < text.length && !isCellEnd(text.charCodeAt(at))) at += 1
      return at === text.length && !isLast ? null : { at, breaks: 0 }
    }
    const close = closingQuote(text, at)
    if (close < 0 && isLast) refuseRecord('opens a quote that is never closed')
    if (close < 0) return null
    const breaks = lineEndsIn(text, at, close)
    at = close + 1
    // Behind a quote csv-parse trips over blanks of several bytes, such as U+00A0.
    while (at < text.length && !isCellEnd(text.charCodeAt(at)) && isPlainBlank(text.charCodeAt(at))) at += 1
    if (at === text.length) return isLast ? { at, breaks } : null
    return isCellEnd(text.charCodeAt(at)) ? { at, breaks } : { at: -1, breaks }
  }

  const isCellEnd = (code: number): boolean => code === separator || code === LF || code === CR
  const isOuterBlank = (code: number): boolean => !isCellEnd(code) && isBlank(code)

  /** The same of a record; null where the text ends before it is known where the record does. */
  function endOfQuoted(start: number) {
    let breaks = 0
    let columns = 0
    for (let at = start; ; at += 1) {
      const end = endOfCell(at)
      if (end === null) return null
      breaks += end.breaks
      if (end.at < 0) refuseRecord(`has text after a closing quote on line ${line + breaks}`)
      columns += 1
      checkCell(end.at - at, columns)
      at = end.at
      if (text.charCodeAt(at) !== separator) return { at, breaks }
    }
  }

  /** The records of `text` up to the last line end; what follows is kept for the next piece. */
  function records(): RawRecord[] {
    const found: RawRecord[] = []
    /** What csv-parse reads, each with its place among those of the piece. */
    const quoted: Quoted = []
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
      const measured = quote < lineEnd ? endOfQuoted(start) : null
      const end = quote < lineEnd ? (measured?.at ?? text.length) : lineEnd
      // Behind a CR at the end of a piece its LF may follow.
      const isEnded = end < text.length && (isLast || end + 1 < text.length || text.charCodeAt(end) === LF)
      checkLength(start, end)
      if (!isEnded && !isLast) break
      const record = text.slice(start, end)
      if (measured !== null) {
        quoted.push({ index: found.length, text: record, spansLines: measured.breaks > 0 })
        found.push({ line, cells: [], isClean })
      } else {
        const cells = cellsOf(record)
        if (cells.length > 1 || cells[0] !== '') found.push({ line, cells, isClean })
        else if (isEnded) blankLines += 1
      }
      isOpen = !isEnded
      if (isOpen && found.at(-1)?.line === line) openLine = line
      line += (measured?.breaks ?? 0) + (isEnded ? 1 : 0)
      start = end + (text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? 2 : 1)
    }
    rest = text.slice(start)
    parseQuoted(found, quoted)
    return found
  }

  const positionOf = (character: string, from: number): number => {
    const at = text.indexOf(character, from)
    return at < 0 ? text.length : at
  }

  function parseQuoted(found: RawRecord[], quoted: Quoted): void {
    const [first] = quoted
    if (first === undefined) return
    const parsed = parsedCells(
      quoted.map((record) => record.text).join('\n'),
      found[first.index]?.line ?? line,
    )
    if (parsed.length !== quoted.length)
      throw refuse(source, 'FILE_RECORD_TOO_LONG', 'two counts of its records differ', {
        next: 'Report it to the developers, with the shape of the file.',
      })
    for (const [order, { index, spansLines }] of quoted.entries()) {
      const record = { line, ...found[index], cells: parsed[order] ?? [] }
      if (spansLines && quotes !== null) refuseStrayQuote(source, record, quotes)
      found[index] = record
    }
  }

  function parsedCells(joined: string, firstOfThem: number): string[][] {
    try {
      return parse(joined, options)
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      throw refuse(source, 'FILE_RECORD_TOO_LONG', `a record cannot be read: ${error.code}`, {
        line: firstOfThem,
        cause: error,
      })
    }
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

function lineEndsIn(text: string, from: number, to: number): number {
  let breaks = 0
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at)
    if (code === CR || (code === LF && text.charCodeAt(at - 1) !== CR)) breaks += 1
  }
  return breaks
}

const parserOptions = (delimiter: string, limits: RecordLimits): Options => ({
  delimiter,
  relax_column_count: true,
  // A quote inside a cell that does not begin with one is text, as in ="00012345".
  relax_quotes: true,
  skip_empty_lines: true,
  trim: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  // In bytes, where characters are counted here: it only has to hold when that is wrong.
  max_record_size: limits.recordLength * 4,
})

/** A line of separators only; like an empty line it is no record. */
export const isBlankRecord = (cells: readonly string[]): boolean => cells.every((cell) => cell === '')
