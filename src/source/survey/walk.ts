import type { Encoding } from '../bytes/encoding.js'
import type { ReadEnd } from '../bytes/input.js'
import { piecesOf } from '../bytes/pieces.js'
import type { RecordLimits } from '../csv/record-scanner.js'
import type { TableBytes } from '../table.js'
import { BLANK_LINE, END, frameRecords, MORE, UNSURE, type Frame } from './framing.js'

/** A file, or a part of one, that only the full reading may judge. It says nothing about the file. */
export class Unsure extends Error {
  override readonly name = 'Unsure'
}

/** Where the header is, and how large a record may be. */
export interface Walked {
  readonly headerLine: number
  readonly options: { readonly limits: RecordLimits }
}

/** Takes the records behind the header, one by one, each before the next is looked for. @param to where the bytes end */
export type Visit = (bytes: Buffer, at: number, frame: Frame, line: number, to: number) => void

interface WalkEnd extends ReadEnd {
  /** Lines without any cell, and what stands before the header. */
  readonly blankLines: number
}

const LF = 0x0a
const CR = 0x0d
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Walks over all records behind the header, and stops after each piece of the bytes.
 * @throws {Unsure} where records cannot be told apart as surely as the parser tells them
 */
export async function* walkRecords(
  written: TableBytes,
  source: Walked,
  visit: Visit,
  signal?: AbortSignal,
): AsyncGenerator<undefined, WalkEnd> {
  const step = stepper(written, source, visit)
  const bytes = piecesOf(written.read(signal))
  let room = Buffer.alloc(0)
  let held = 0
  for await (const chunk of bytes) {
    const to = held + chunk.length
    if (to > room.length) {
      const larger = Buffer.allocUnsafe(to * 2)
      room.copy(larger, 0, 0, held)
      room = larger
    }
    room.set(chunk, held)
    const done = step.take(room, to, false)
    room.copyWithin(0, done, to)
    held = to - done
    yield
  }
  step.take(room, held, true)
  yield
  return { ...bytes.end(), blankLines: step.blankLines() }
}

function stepper(
  { encoding, delimiter, skipLines }: TableBytes,
  { headerLine, options }: Walked,
  visit: Visit,
) {
  const { frame, find } = frameRecords(delimiter, encoding, options.limits)
  const skip = preambleSkipper(encoding, skipLines)
  let line = skipLines + 1
  let blankLines = 0

  /** @returns where to go on once there are more bytes */
  function take(bytes: Buffer, to: number, isLast: boolean): number {
    let at = skip(bytes, to, isLast)
    if (at < 0) return -at - 1
    for (;;) {
      const found = find(bytes, at, to, isLast)
      if (found === MORE || found === END) return at
      if (found === UNSURE) throw new Unsure()
      // A line of separators only that stands before the header.
      if (found === BLANK_LINE || line < headerLine) blankLines += 1
      else if (line > headerLine) visit(bytes, at, frame, line, to)
      line += frame.lines
      at = frame.next
    }
  }

  return { take, blankLines: () => blankLines }
}

/** Leaves out the byte order mark and the preamble, once. @returns where the text begins, below 0 while it is not known */
function preambleSkipper(encoding: Encoding, skipLines: number) {
  let left = skipLines
  let isMarkLeft = encoding === 'utf-8'
  return (bytes: Buffer, to: number, isLast: boolean): number => {
    let at = 0
    if (isMarkLeft) {
      if (to < MARK.length && !isLast) return -1
      isMarkLeft = false
      if (bytes.subarray(0, MARK.length).equals(MARK)) at = MARK.length
    }
    for (; left > 0; left -= 1) {
      let p = at
      while (p < to && bytes[p] !== LF && bytes[p] !== CR) p += 1
      if (!isLast && (p === to || (bytes[p] === CR && p + 1 === to))) return -at - 1
      at = bytes[p] === CR && p + 1 < to && bytes[p + 1] === LF ? p + 2 : p + 1
    }
    return Math.min(at, to)
  }
}
