import { piecesOf, textOf, type TextSource } from '../bytes/input.js'
import { type InputFormat, type RawRecord, type TableEnd, type TableOptions, isRuleLine } from '../table.js'
import { holdsIban } from '../../domain/text/accounts.js'
import { SourceError, refuse } from '../../errors.js'
import { isResultHeader, readHeader, refuseUnclearList } from '../columns/header.js'
import { DEFAULT_SOURCE_OPTIONS, DELIMITERS, type LayoutOptions, type LimitOptions } from '../options.js'
import { refuseStrayQuote, type QuoteLayout } from './stray-quote.js'
import { CsvError, type Options } from 'csv-parse'
import { parse } from 'csv-parse/sync'

/**
 * How a CSV file is written: finds encoding, delimiter and header; what is declared wins.
 * @throws {SourceError} FILE_ENCODING, FILE_DELIMITER, FILE_EMPTY or FILE_RECORD_TOO_LONG
 */
function detectLayout(source: TextSource, options: TableOptions) {
  const { limits, isKnown } = options
  const isResultFile = isWrittenByUs(source)
  // Our own files repeat the cells of the export, those over several lines too.
  const { multilineColumns } = options.layout
  const declared = isResultFile ? { ...DEFAULT_SOURCE_OPTIONS.source, multilineColumns } : options.layout
  const { head, ...encoding } = source.choose(declared.encoding)
  const { skipLines, sep } = skipPreamble(head, declared.skipLines)
  const firstLine = skipLines + 1
  const start = startOfLine(head, firstLine)
  const body = head.slice(start)
  const delimiter = chooseDelimiter(declared, sep, () =>
    detectDelimiter(source.label, firstRecord(body), firstLine, isKnown),
  )
  const how = { delimiter: delimiter.delimiter, limits, firstLine, quotes: null }
  const split = splitRecords(source.label, how)
  const isFilled = ({ cells }: RawRecord): boolean => !isBlankRecord(cells)
  const record = split.take(body).find(isFilled) ?? split.end().find(isFilled)
  if (record === undefined) throw refuse(source.label, 'FILE_EMPTY', 'it has no header line')
  refuseUnclearList(source.label, record.line, record.cells)
  const header = readHeader(record.cells)
  const isSpaced = firstRecord(body).includes(`${delimiter.delimiter} `)
  const quotes = { header, delimiter: delimiter.delimiter, isSpaced, multilineColumns }
  // A quote too many in the header would show as columns that are missing.
  if (record.cells.some((cell) => LINE_END.test(cell))) refuseStrayQuote(source.label, record, quotes)
  const { skipFooterLines } = declared
  return {
    written: { encoding, delimiter, skipLines, skipFooterLines },
    /** Characters in front of the header. */
    start,
    quotes,
    isResultFile,
    headed: { headerLine: record.line, header, headerCells: record.cells },
    preamble: head.slice(0, startOfLine(head, record.line)),
  }
}

function chooseDelimiter({ delimiter }: LayoutOptions, sep: Delimiter | null, detect: () => Delimiter) {
  if (delimiter !== undefined) return { delimiter: DELIMITERS[delimiter], by: 'declared' } as const
  if (sep !== null) return { delimiter: sep, by: 'sep= line' } as const
  return { delimiter: detect(), by: 'header line' } as const
}

/** Result files may come back from a spreadsheet in another encoding and with another separator. */
function isWrittenByUs(source: TextSource): boolean {
  try {
    const first = lineAt(source.choose(undefined).head, 1)
    return Object.values(DELIMITERS).some((delimiter) => isResultHeader(splitLine(first, delimiter)))
  } catch (error) {
    if (error instanceof SourceError) return false
    throw error
  }
}

const LINE_END = /\r\n|\n|\r/

/** Offset at which a physical line begins, or the end of the text. */
function startOfLine(text: string, line: number): number {
  const pattern = new RegExp(LINE_END, 'g')
  for (let number = 1; number < line; number += 1) if (pattern.exec(text) === null) return text.length
  return pattern.lastIndex
}

const lineAt = (text: string, line: number): string => text.split(LINE_END, line)[line - 1] ?? ''

const MOST_BLANK = 3

/** A `sep=` line decides at the top of the file, and right behind the declared preamble, where it is skipped. */
function skipPreamble(head: string, declared: number): { skipLines: number; sep: Delimiter | null } {
  const next = readSepLine(lineAt(head, declared + 1))
  if (next !== null) return { skipLines: declared + 1, sep: next }
  // A table in a box is ruled off above its header too.
  let line = declared + 1
  while (line <= declared + MOST_BLANK && lineAt(head, line).trim() === '') line += 1
  return { skipLines: isRuleLine([lineAt(head, line)]) ? line : declared, sep: readSepLine(lineAt(head, 1)) }
}

/** The text after so many characters. */
export async function* dropStart(text: AsyncIterable<string>, length: number): AsyncGenerator<string> {
  let left = length
  for await (const piece of text) {
    if (left < piece.length) yield left === 0 ? piece : piece.slice(left)
    left = Math.max(0, left - piece.length)
  }
}

/**
 * The text without its last physical lines, which are its end. Holds back no more than those lines, or `maxHeld`
 * characters: what is longer is left for the reader to refuse.
 */
export async function* dropLastLines(
  text: AsyncIterable<string>,
  { count, maxHeld }: { count: number; maxHeld: number },
): AsyncGenerator<string, string> {
  if (count === 0) {
    yield* text
    return ''
  }
  let held = ''
  for await (const piece of text) {
    held += piece
    const start = Math.max(startOfLastLines(held, count), held.length - maxHeld)
    if (start > 0) yield held.slice(0, start)
    held = held.slice(start)
  }
  const start = startOfLastLines(held, count)
  if (start > 0) yield held.slice(0, start)
  return held.slice(start)
}

/** Behind each line end; a line end at the very end begins no further line. */
const LINE_STARTS = /(?<=\n|\r(?!\n))(?!$)/g

/** The offset at which the last `count` lines begin. */
const startOfLastLines = (text: string, count: number): number =>
  Array.from(text.matchAll(LINE_STARTS), ({ index }) => index).at(-count) ?? 0

const QUOTED = '"[^"]*(?:"|$)'
/** Up to the line end outside quotes. */
const FIRST_RECORD = new RegExp(`^\\s*((?:[^"\\r\\n]+|${QUOTED})*)`)

/** The text of the first record that is not blank. */
const firstRecord = (body: string): string => FIRST_RECORD.exec(body)?.[1] ?? ''

const CANDIDATES = [',', ';', '\t', '|'] as const
type Delimiter = (typeof CANDIDATES)[number]

const SEP_LINE = /^\s*"?sep=([,;|\t])"?\s*$/i

/** The separator that a spreadsheet's `sep=;` line names, or null for any other line. */
const readSepLine = (line: string): Delimiter | null =>
  CANDIDATES.find((delimiter) => delimiter === SEP_LINE.exec(line)?.[1]) ?? null

/**
 * Decides by the header line: the one separator outside quotes or, of several, the one that gives the most column
 * names that `isKnown` recognises. @throws {SourceError} FILE_DELIMITER
 */
function detectDelimiter(source: string, headerLine: string, line: number, isKnown: TableOptions['isKnown']) {
  const plausible = CANDIDATES.map((delimiter) => ({ delimiter, names: splitLine(headerLine, delimiter) }))
    .filter(({ names }) => names.length > 1)
    .map(({ delimiter, names }) => ({ delimiter, known: names.filter(isKnown).length }))
  if (headerLine === '') throw refuse(source, 'FILE_EMPTY', 'it has no header line')
  const [best, second] = plausible.toSorted((a, b) => b.known - a.known)
  if (best === undefined)
    throw refuse(source, 'FILE_DELIMITER', `its header line ${line} has no comma, semicolon, tab or pipe`, {
      line,
      next: 'Declare source.delimiter, and source.skipLines if the header is not on this line.',
    })
  if (best.known !== second?.known) return best.delimiter
  throw refuse(source, 'FILE_DELIMITER', `its header line ${line} can be split in several ways`, { line })
}

/** Splits one line outside quotes, for a look ahead of the real parser; cells keep their blanks. */
function splitLine(line: string, delimiter: string): string[] {
  const cells = new RegExp(`[${delimiter}]((?:[^"${delimiter}]+|${QUOTED})*)`, 'g')
  return Array.from((delimiter + line).matchAll(cells), ([, cell = '']) => cell.replaceAll('"', ''))
}

const SEARCHED_LINES = 60

/**
 * The header is where most names are known, above the first account below such names; failing that, the first line as wide
 * as most lines are.
 * @param known how many known names each line holds, `widths` how many cells, and whether it has an account
 * @param numberOf what the file calls the line of that index, from 1
 */
export function findHeader(
  known: readonly number[],
  widths: readonly number[],
  accounts: readonly boolean[],
  numberOf: (index: number) => number = (index) => index + 1,
) {
  const named = known.findIndex((count, at) => count >= 2 && count * 2 > (widths[at] ?? 0))
  const row = accounts.findIndex((has, at) => has && named >= 0 && at > named)
  const best = Math.max(...(row < 0 ? known : known.slice(0, row)))
  const isKnown = best >= 2
  const usual = mostFrequent(widths.filter((width) => width > 1))
  const line = numberOf(Math.max(0, isKnown ? known.indexOf(best) : widths.indexOf(usual)))
  const why = isKnown ? `holds ${best} known column names` : 'is the first as wide as most lines'
  return { lines: line - 1, evidence: `line ${line} ${why}` }
}

function guessPreamble(head: string, { layout, isKnown }: TableOptions): ReturnType<typeof findHeader> {
  const { skipLines, delimiter: declared } = layout
  if (skipLines > 0) return { lines: skipLines, evidence: 'declared' }
  const lines = head.split(LINE_END, SEARCHED_LINES)
  const delimiters = declared === undefined ? Object.values(DELIMITERS) : [DELIMITERS[declared]]
  const most = (count: (cells: readonly string[]) => number): number[] =>
    lines.map((line) => Math.max(...delimiters.map((delimiter) => count(splitLine(line, delimiter)))))
  return findHeader(
    most((cells) => cells.filter(isKnown).length),
    most((cells) => cells.length),
    lines.map(holdsIban),
  )
}

function mostFrequent(values: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0
}

/** Text in records and cells. It recognises whatever no other format does, and refuses what is no text. */
export const CSV: InputFormat = {
  recognises: () => true,
  open: (bytes, options) => {
    const text = textOf(bytes)
    const { layout: declared, limits, seeksHeader, trustsOwnQuotes } = options
    const preamble =
      seeksHeader === true
        ? guessPreamble(text.choose(declared.encoding).head, options)
        : { lines: declared.skipLines, evidence: 'declared' }
    const layout = detectLayout(text, { ...options, layout: { ...declared, skipLines: preamble.lines } })
    const { start, quotes, written, headed, isResultFile } = layout
    const { encoding, delimiter, skipLines, skipFooterLines } = written
    const { name, label, sha256 } = bytes

    async function* read(signal?: AbortSignal): AsyncGenerator<RawRecord[], TableEnd> {
      const isTrusted = trustsOwnQuotes === true && isResultFile
      const pieces = piecesOf(text.read(encoding.encoding, signal))
      // Between preamble and footer, the header included; its end is the footer.
      const footer = { count: skipFooterLines, maxHeld: (skipFooterLines + 2) * limits.recordLength }
      const body = piecesOf(dropLastLines(dropStart(pieces, start), footer))
      const how = { delimiter: delimiter.delimiter, limits, firstLine: skipLines + 1 }
      const records = piecesOf(readRecords(label, body, { ...how, quotes: isTrusted ? null : quotes }))
      // The header is none.
      let blankLines = -1
      for await (const batch of records) {
        const kept = batch.filter(({ line, cells }) => line > headed.headerLine && !isBlankRecord(cells))
        blankLines += batch.length - kept.length
        yield kept
      }
      const end = records.end()
      return { ...pieces.end(), ...end, footer: body.end(), blankLines: blankLines + end.blankLines }
    }

    const isAssumed = encoding.by === 'assumed'
    const detail = `It is not UTF-8, so it was read as ${encoding.encoding}.`
    return {
      ...{ name, label, sha256, written, isResultFile, ...headed },
      preamble: layout.preamble,
      evidence: { preamble },
      assumed: isAssumed ? [{ rule: 'FILE_ENCODING_ASSUMED', value: encoding.encoding, detail }] : [],
      split: (line) => splitLine(line, delimiter.delimiter),
      read,
    }
  },
}

/** What is known of the lines once the text was read to its end. */
type RecordsEnd = Pick<TableEnd, 'blankLines' | 'lines' | 'openLine'>

/** The largest shapes that are still believed to be a mandate export. Lengths are in characters. */
const LONG_CELL =
  'Fix the quote in that line. Where the cell is that long, allow it in the configuration (limits: { fieldLength: 65536 })'

type RecordLimits = Pick<LimitOptions, 'recordLength' | 'fieldLength' | 'columns'>

interface RecordSettings {
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

/** What stands in every cell that says "nothing" in words. */
const NOTHING = ['ULL', 'ull', String.raw`\N`]
/** In every cell that was decoded wrong. */
const MAY_BE_DAMAGED = /[\0-\u0008\u000E-\u001F\u007F-\u009FÃÂ\uFFFD]/

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
function splitRecords(source: string, { delimiter, limits, firstLine, quotes }: RecordSettings) {
  const separator = delimiter.charCodeAt(0)
  const options = parserOptions(delimiter, limits)
  let rest = ''
  let line = firstLine
  let blankLines = 0
  let openLine: number | null = null
  let text = ''
  let isLast = false
  let isOpen = false

  const refuseRecord = (detail: string, more: { readonly next?: string } = {}): never => {
    throw refuse(source, 'FILE_RECORD_TOO_LONG', `the record that starts on line ${line} ${detail}`, {
      line,
      ...more,
    })
  }

  function checkLength(start: number, end: number): void {
    if (end - start <= limits.recordLength) return
    checkCell(0, text.slice(start, end).split(delimiter).length)
    refuseRecord(`is longer than ${limits.recordLength} characters; a quote is probably missing`)
  }

  function checkCell(length: number, columns: number): void {
    if (length > limits.fieldLength)
      refuseRecord(`has a cell of more than ${limits.fieldLength} characters; a quote is probably missing`, {
        next: LONG_CELL,
      })
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
    const isClean = !MAY_BE_DAMAGED.test(text) && !NOTHING.some((sign) => text.includes(sign))
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
