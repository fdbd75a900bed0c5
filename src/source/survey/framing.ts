import type { Encoding } from '../bytes/encoding.js'
import type { RecordLimits } from '../csv/record-scanner.js'

/** What stands at a place of the bytes. */
export const RECORD = 0
export const BLANK_LINE = 1
/** The bytes end before the record does. */
export const MORE = 2
export const END = 3
/** Written in a way that only the full reading may judge. */
export const UNSURE = 4

/** The record that was found last. Offsets are into the bytes that were handed over. */
export interface Frame {
  /** Behind its last byte, without the line end. */
  end: number
  /** Where the next record begins. */
  next: number
  /** Physical lines it takes. */
  lines: number
  cells: number
  /** Its cells are not just the bytes between `starts` and `ends`, or may hold what a watch over the file looks for. */
  isOdd: boolean
  /** Where the text of the quoted cell ends that was found last. */
  quotedEnd: number
  readonly starts: Int32Array
  readonly ends: Int32Array
}

export interface Framing {
  readonly frame: Frame
  /** @returns RECORD, BLANK_LINE, MORE, END or UNSURE @param isLast nothing follows `to` */
  readonly find: (bytes: Uint8Array, at: number, to: number, isLast: boolean) => number
}

const UNCLOSED = -2

const ORDINARY = 0
const ODD = 1
const SEPARATOR = 2
const QUOTE = 3
const LINE_END = 4

const LF = 0x0a
const CR = 0x0d
const QUOTE_MARK = 0x22

const isBlankByte = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0b || byte === 0x0c

/**
 * What each byte means. Odd are control characters, and all bytes with which a control character, U+FFFD or a UTF-8
 * character that was read byte by byte may begin.
 */
function kindsOf(delimiter: string, encoding: Encoding): Uint8Array {
  const kinds = new Uint8Array(256)
  for (let byte = 0; byte < 0x20; byte += 1) kinds[byte] = ODD
  kinds[0x09] = ORDINARY
  kinds[0x7f] = ODD
  if (encoding !== 'utf-8') kinds.fill(ODD, 0x80, 0xa0)
  for (const byte of encoding === 'utf-8' ? [0xc2, 0xef] : [0xc2, 0xc3]) kinds[byte] = ODD
  kinds[LF] = LINE_END
  kinds[CR] = LINE_END
  kinds[QUOTE_MARK] = QUOTE
  kinds[delimiter.charCodeAt(0)] = SEPARATOR
  return kinds
}

/**
 * Finds records in bytes as `record-scanner.ts` does in text, and where their cells are. It refuses nothing: whatever the
 * scanner or the parser might not take is UNSURE.
 */
export function frameRecords(delimiter: string, encoding: Encoding, limits: RecordLimits): Framing {
  const kinds = kindsOf(delimiter, encoding)
  const most = limits.columns
  // A character takes at least one byte, so what is shorter in bytes is within both limits.
  const longest = Math.min(limits.fieldLength, limits.recordLength)
  const frame = newFrame(most + 1)
  const { starts, ends } = frame
  const tooLong = (length: number): number => (length > longest ? UNSURE : MORE)
  const endQuotes = quoteEnder(kinds, delimiter.charCodeAt(0), frame)

  function find(bytes: Uint8Array, at: number, to: number, isLast: boolean): number {
    let cells = 0
    let start = at
    let isQuoted = false
    let p = at
    frame.isOdd = false
    frame.lines = 1
    for (; p < to; p += 1) {
      const kind = kinds[bytes[p] ?? 0] ?? 0
      if (kind === ORDINARY) continue
      if (kind === LINE_END) break
      if (kind === ODD) frame.isOdd = true
      else if (kind === QUOTE) {
        const close = endQuotes(bytes, start, p, to)
        if (close === UNCLOSED || (close === to && !isLast)) return isLast ? UNSURE : tooLong(p - at)
        if (close < 0) return UNSURE
        if (close > p + 1) {
          starts[cells] = p + 1
          ends[cells] = frame.quotedEnd
          isQuoted = true
          p = close - 1
        }
      } else {
        if (!isQuoted) {
          starts[cells] = start
          ends[cells] = p
        }
        isQuoted = false
        cells += 1
        start = p + 1
        if (cells >= most) return UNSURE
      }
    }
    if (p === to && !isLast) return tooLong(p - at)
    if (p === at && p === to) return END
    if (p - at > longest) return UNSURE
    if (!isQuoted) {
      starts[cells] = start
      ends[cells] = p
    }
    if (p + 1 === to && bytes[p] === CR && !isLast) return MORE
    frame.end = p
    frame.cells = cells + 1
    frame.next = nextAfter(bytes, p, to)
    if (cells > 0 || !isBlank(bytes, at, p)) return RECORD
    return p === to ? END : BLANK_LINE
  }

  return { frame, find }
}

const newFrame = (cells: number): Frame => ({
  end: 0,
  next: 0,
  lines: 1,
  cells: 0,
  isOdd: false,
  quotedEnd: 0,
  starts: new Int32Array(cells),
  ends: new Int32Array(cells),
})

/** Behind `to` older bytes may stand. */
function nextAfter(bytes: Uint8Array, lineEnd: number, to: number): number {
  const isPair = bytes[lineEnd] === CR && lineEnd + 1 < to && bytes[lineEnd + 1] === LF
  return Math.min(isPair ? lineEnd + 2 : lineEnd + 1, to)
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (!isBlankByte(bytes[at] ?? 0)) return false
  return true
}

/**
 * From a quote at `p` in a cell that begins at `start` to the end of that cell. `p + 1` for a quote that is text, `to`
 * where the cell ends with the bytes, UNCLOSED where they end before a closing quote, -1 where it is not sure.
 */
function quoteEnder(kinds: Uint8Array, separator: number, frame: Frame) {
  return (bytes: Uint8Array, start: number, p: number, to: number): number => {
    if (p > start) {
      frame.isOdd = true
      const before = bytes.subarray(start, p)
      if (before.some((byte) => byte < 0x80 && !isBlankByte(byte))) return p + 1
      if (!before.every(isBlankByte)) return -1
    }
    let q = p + 1
    for (; q < to; q += 1) {
      const byte = bytes[q] ?? 0
      const kind = kinds[byte] ?? 0
      if (kind === ODD) frame.isOdd = true
      else if (kind === LINE_END) {
        frame.isOdd = true
        if (byte === CR || bytes[q - 1] !== CR) frame.lines += 1
      } else if (byte === QUOTE_MARK) {
        if (bytes[q + 1] !== QUOTE_MARK || q + 1 >= to) break
        frame.isOdd = true
        q += 1
      }
    }
    if (q >= to) return UNCLOSED
    frame.quotedEnd = q
    return afterQuotes(bytes, q + 1, to)
  }

  function afterQuotes(bytes: Uint8Array, from: number, to: number): number {
    let q = from
    for (; q < to; q += 1) {
      const byte = bytes[q] ?? 0
      if (byte === separator || byte === LF || byte === CR) return q
      if (!isBlankByte(byte)) return -1
      frame.isOdd = true
    }
    return to
  }
}
