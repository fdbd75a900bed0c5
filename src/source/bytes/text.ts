import { chooseEncoding, createDecoder, type Encoding } from './encoding.js'
import { piecesOf, type ReadEnd, type ByteSource } from './input.js'
import { refuse } from '../refusal.js'

/** A source whose bytes are known well enough to be read as text. */
export type TextSource = ReturnType<typeof textOf>

/** The records of larger pieces would outlive young garbage, and collecting them cost as much as reading. */
const PIECE = 8_192

/** The bytes of a source as text. */
export function textOf({ label, evidence, read }: ByteSource) {
  const { notUtf8At, head } = evidence
  /** @throws {SourceError} FILE_ENCODING where the bytes are not of this encoding */
  function attempt(encoding: Encoding, decoding: () => string): string {
    try {
      return decoding()
    } catch (cause) {
      const line = encoding === 'utf-8' ? notUtf8At : null
      const what = line === null ? 'its bytes are' : `line ${line} is`
      throw refuse(label, 'FILE_ENCODING', `${what} not text in ${encoding}`, {
        ...(line === null ? {} : { line }),
        next: 'Declare the right source.encoding (utf-8, utf-16le, utf-16be, windows-1252 or iso-8859-1), or export as UTF-8.',
        cause,
      })
    }
  }
  return {
    /** The name that messages show. */
    label,
    /** The first physical line that is not UTF-8; null when there is none, and for a stream. */
    notUtf8At,
    /** Decides the encoding and shows the text of the first 256 KiB at most in it. @throws {SourceError} FILE_ENCODING */
    choose: (declared: Encoding | undefined) => {
      const choice = chooseEncoding(label, evidence, declared)
      const { encoding } = choice
      return { ...choice, head: attempt(encoding, () => createDecoder(encoding).decode(head)) }
    },
    /** The whole text in pieces; of a stream only once. */
    read: async function* (encoding: Encoding, signal?: AbortSignal): AsyncGenerator<string, ReadEnd> {
      const decoder = createDecoder(encoding)
      const bytes = piecesOf(read(signal))
      for await (const chunk of bytes) {
        const text = attempt(encoding, () => decoder.decode(chunk))
        for (let at = 0; at < text.length; at += PIECE) yield text.slice(at, at + PIECE)
      }
      const rest = attempt(encoding, decoder.end)
      if (rest !== '') yield rest
      return bytes.end()
    },
  }
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
