import { refuse } from '../refusal.js'

/** The largest shapes that are still believed to be a mandate export. Lengths are in characters. */
export interface RecordLimits {
  readonly recordLength: number
  readonly fieldLength: number
  readonly columns: number
}

export interface RecordScanner {
  /** Walks over the next piece of text. @throws {SourceError} when its structure cannot be trusted */
  readonly scan: (text: string) => void
  /** Ends the last record. @throws {SourceError} for a quote that was never closed */
  readonly end: () => void
  /** The physical line on which the next record begins, in file order; undefined when all were taken. */
  readonly takeLine: () => number | undefined
  /** True for a record that began on this line and ended on a later one; ask once, when it was taken. */
  readonly spansLines: (line: number) => boolean
  /** Records completed so far. */
  readonly records: () => number
  /** Lines without any cell so far. */
  readonly blankLines: () => number
  /** The physical line the scan has reached. */
  readonly line: () => number
  /** Physical lines of the text, once it has ended. */
  readonly lines: () => number
  /** Where the record begins that the text ended within, once it has; null where a line end stands behind it. */
  readonly openLine: () => number | null
}

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

const BETWEEN = 0 // before the first cell of a record
const FIELD = 1 // before the first character of a cell
const PLAIN = 2 // inside a cell without quotes
const QUOTED = 3 // inside quotes
const QUOTE_SEEN = 4 // after a quote inside quotes: the end of it, or one half of a doubled quote
const CLOSED = 5 // after the closing quote

const isPlainBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

/** The blanks that csv-parse trims; ahead of a quote they do not make the cell plain. */
const isTrimmed = (code: number): boolean =>
  isPlainBlank(code) || (code > 0x7f && /\s/.test(String.fromCharCode(code)))

/** Where a scan stands. The functions below change it; nobody else sees it. */
interface Scan {
  readonly source: string
  readonly separator: number
  readonly limits: RecordLimits
  /** First lines of the records that were completed and not taken yet, from `taken` on. */
  readonly lines: number[]
  readonly spanning: Set<number>
  taken: number
  state: number
  /** The last piece ended with a CR, whose LF may follow. */
  isAfterCr: boolean
  line: number
  recordLine: number
  openLine: number | null
  records: number
  blankLines: number
  columns: number
  // Offsets in the current piece; below 0 for what was begun in an earlier one.
  recordStart: number
  fieldStart: number
}

/**
 * Finds where records begin and refuses what no export would hold, ahead of csv-parse and over the same text.
 * csv-parse tells the line where a record ends, counts a CRLF inside quotes twice, caps no columns and skips a
 * gigabyte of blanks without a word (all measured), so the line numbers and the caps are taken here. As both count
 * the records, neither can lose one silently.
 */
export function scanRecords(
  source: string,
  delimiter: string,
  limits: RecordLimits,
  firstLine = 1,
): RecordScanner {
  const scan = startScan(source, delimiter, limits, firstLine)
  return {
    scan: (text) => walk(scan, text),
    end: () => endText(scan),
    takeLine: () => takeLine(scan),
    spansLines: (first) => scan.spanning.delete(first),
    records: () => scan.records,
    blankLines: () => scan.blankLines,
    line: () => scan.line,
    // What ended exactly with a line end has no further line.
    lines: () => (scan.recordStart === 0 ? scan.line - 1 : scan.line),
    openLine: () => scan.openLine,
  }
}

const startScan = (source: string, delimiter: string, limits: RecordLimits, firstLine: number): Scan => ({
  source,
  separator: delimiter.charCodeAt(0),
  limits,
  lines: [],
  spanning: new Set(),
  taken: 0,
  state: BETWEEN,
  isAfterCr: false,
  line: firstLine,
  recordLine: firstLine,
  openLine: null,
  records: 0,
  blankLines: 0,
  columns: 0,
  recordStart: 0,
  fieldStart: 0,
})

/** Sees every character of a source, so what most characters need is here, on local values. */
function walk(scan: Scan, text: string): void {
  const { separator } = scan
  let { state } = scan
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === LF || code === CR) {
      const isAfterCr = at === 0 ? scan.isAfterCr : text.charCodeAt(at - 1) === CR
      state = breakLine(scan, state, code === LF && isAfterCr, at)
    } else if (state === PLAIN) {
      if (code !== separator) continue
      endField(scan, at)
      state = FIELD
    } else if (state === QUOTED) {
      if (code === QUOTE) state = QUOTE_SEEN
    } else state = stateAfter(scan, state, code, at)
  }
  scan.state = state
  checkLength(scan, text.length)
  if (text !== '') scan.isAfterCr = text.charCodeAt(text.length - 1) === CR
  scan.recordStart -= text.length
  scan.fieldStart -= text.length
}

/** A character at the edge of a cell: ahead of its text, or behind a quote. */
function stateAfter(scan: Scan, state: number, code: number, at: number): number {
  if (code === scan.separator) {
    endField(scan, at)
    return FIELD
  }
  if (code === QUOTE && state !== CLOSED) return QUOTED
  if (state === QUOTE_SEEN || state === CLOSED) {
    // Behind a quote csv-parse trips over blanks of several bytes, such as U+00A0.
    if (!isPlainBlank(code)) refuseRecord(scan, `has text after a closing quote on line ${scan.line}`)
    return CLOSED
  }
  return isTrimmed(code) ? state : PLAIN
}

/** The second half of a CRLF ends nothing; csv-parse takes both as one line end. */
function breakLine(scan: Scan, state: number, isSecondHalf: boolean, at: number): number {
  if (state === QUOTED) {
    if (!isSecondHalf) scan.line += 1
    return QUOTED
  }
  if (!isSecondHalf) {
    if (state === BETWEEN) endBlankLine(scan, at)
    else endRecord(scan, at)
    scan.line += 1
    scan.recordLine = scan.line
    scan.columns = 0
    state = BETWEEN
  }
  scan.recordStart = at + 1
  scan.fieldStart = at + 1
  return state
}

function endBlankLine(scan: Scan, at: number): void {
  checkLength(scan, at)
  scan.blankLines += 1
}

function endRecord(scan: Scan, at: number): void {
  endField(scan, at)
  checkLength(scan, at)
  scan.lines.push(scan.recordLine)
  if (scan.line !== scan.recordLine) scan.spanning.add(scan.recordLine)
  scan.records += 1
}

function endField(scan: Scan, at: number): void {
  const { fieldLength, columns } = scan.limits
  if (at - scan.fieldStart > fieldLength)
    refuseRecord(scan, `has a cell of more than ${fieldLength} characters; a quote is probably missing`)
  scan.fieldStart = at + 1
  scan.columns += 1
  if (scan.columns > columns) refuseRecord(scan, `has more than ${columns} columns`)
}

function checkLength(scan: Scan, at: number): void {
  const { recordLength } = scan.limits
  if (at - scan.recordStart > recordLength)
    refuseRecord(scan, `is longer than ${recordLength} characters; a quote is probably missing`)
}

function refuseRecord({ source, recordLine }: Scan, detail: string): never {
  throw refuse(source, 'FILE_RECORD_TOO_LONG', `the record that starts on line ${recordLine} ${detail}`, {
    line: recordLine,
  })
}

function endText(scan: Scan): void {
  if (scan.state === QUOTED) refuseRecord(scan, 'opens a quote that is never closed')
  if (scan.state !== BETWEEN) {
    endRecord(scan, 0)
    scan.openLine = scan.recordLine
  }
  scan.state = BETWEEN
}

function takeLine(scan: Scan): number | undefined {
  const next = scan.lines[scan.taken]
  scan.taken += 1
  if (scan.taken === scan.lines.length) {
    scan.lines.length = 0
    scan.taken = 0
  }
  return next
}
