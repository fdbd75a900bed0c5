import { refuse } from './refusal.js'

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
  const separator = delimiter.charCodeAt(0)
  const lines: number[] = []
  const spanning = new Set<number>()
  let taken = 0
  let state = BETWEEN
  let line = firstLine
  let recordLine = firstLine
  let afterCr = false
  let records = 0
  let blankLines = 0
  let columns = 0
  // Lengths of what was begun in earlier pieces; starts are offsets in the current piece.
  let recordStart = 0
  let fieldStart = 0

  const refuseRecord = (detail: string): never => {
    throw refuse(source, 'FILE_RECORD_TOO_LONG', `the record that starts on line ${recordLine} ${detail}`, {
      line: recordLine,
    })
  }
  const endField = (at: number): void => {
    if (at - fieldStart > limits.fieldLength)
      refuseRecord(`has a cell of more than ${limits.fieldLength} characters; a quote is probably missing`)
    fieldStart = at + 1
    columns += 1
    if (columns > limits.columns) refuseRecord(`has more than ${limits.columns} columns`)
  }
  const checkLength = (at: number): void => {
    if (at - recordStart > limits.recordLength)
      refuseRecord(`is longer than ${limits.recordLength} characters; a quote is probably missing`)
  }
  const endRecord = (at: number): void => {
    endField(at)
    checkLength(at)
    lines.push(recordLine)
    if (line !== recordLine) spanning.add(recordLine)
    records += 1
    state = BETWEEN
  }
  const beginLine = (at: number): void => {
    line += 1
    recordLine = line
    recordStart = at + 1
    fieldStart = at + 1
    columns = 0
  }
  const endLine = (at: number): void => {
    if (state === BETWEEN) {
      checkLength(at)
      blankLines += 1
    } else endRecord(at)
    beginLine(at)
  }

  const scan = (text: string): void => {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === LF || code === CR) {
        // The second half of a CRLF ends nothing; csv-parse takes both as one line end.
        const isSecondHalf = code === LF && afterCr
        afterCr = code === CR
        if (state === QUOTED) {
          if (!isSecondHalf) line += 1
        } else if (isSecondHalf) {
          recordStart = at + 1
          fieldStart = at + 1
        } else endLine(at)
        continue
      }
      afterCr = false
      if (state === PLAIN) {
        if (code === separator) {
          endField(at)
          state = FIELD
        }
      } else if (state === QUOTED) {
        if (code === QUOTE) state = QUOTE_SEEN
      } else if (code === separator) {
        endField(at)
        state = FIELD
      } else if (code === QUOTE && state !== CLOSED) {
        state = QUOTED
      } else if (state === QUOTE_SEEN || state === CLOSED) {
        // Behind a quote csv-parse trips over blanks of several bytes, such as U+00A0.
        if (!isPlainBlank(code)) refuseRecord(`has text after a closing quote on line ${line}`)
        state = CLOSED
      } else if (!isTrimmed(code)) state = PLAIN
    }
    checkLength(text.length)
    recordStart -= text.length
    fieldStart -= text.length
  }

  return {
    scan,
    end: () => {
      if (state === QUOTED) refuseRecord('opens a quote that is never closed')
      if (state !== BETWEEN) endRecord(0)
    },
    takeLine: () => {
      const next = lines[taken]
      taken += 1
      if (taken === lines.length) {
        lines.length = 0
        taken = 0
      }
      return next
    },
    spansLines: (first) => spanning.delete(first),
    records: () => records,
    blankLines: () => blankLines,
    line: () => line,
    // What ended exactly with a line end has no further line.
    lines: () => (recordStart === 0 ? line - 1 : line),
  }
}
