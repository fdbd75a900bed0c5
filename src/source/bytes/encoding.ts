import { isAscii, isUtf8 } from 'node:buffer'
import { refuse } from '../../errors.js'
import alphabets from './alphabets.json' with { type: 'json' }

const bufferOver = (bytes: Uint8Array, length = bytes.length): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.length))

export const latin1 = (bytes: Uint8Array, length?: number): string =>
  bufferOver(bytes, length).toString('latin1')

export const beginsWith = (start: Uint8Array, mark: string): boolean => latin1(start, mark.length) === mark

/** Some first letters of a text, whether or not two bytes stand for each. */
export const opening = (start: Uint8Array): string =>
  latin1(start, 4096)
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '')
    .replaceAll('\u0000', '')
    .trimStart()

export const isZip = (start: Uint8Array): boolean => beginsWith(start, 'PK\u0003\u0004')

export const isXml = (start: Uint8Array): boolean =>
  /^<(?:\?xml|(?:\w+:)?(?:Document|conxml)\b)/.test(opening(start))

/** A collection file of a bank (pain.008), also of a kind that is refused by its name. */
export const isCollections = (start: Uint8Array): boolean =>
  isXml(start) && /pain\.008|urn:iso:std:iso:20022|urn:CBI|urn:conxml/.test(opening(start))

/** The encodings a source may have, by the names that the configuration uses. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'iso-8859-1',
  'windows-1250',
  'iso-8859-2',
  'iso-8859-15',
] as const
export type Encoding = (typeof ENCODINGS)[number]

/** What the bytes of a source say about its encoding. */
export type EncodingEvidence = ReturnType<ReturnType<typeof examineBytes>['evidence']>

const MARKS: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

const HEAD_BYTES = 262_144
const JUDGED_BYTES = 65_536
const LF = 0x0a
const CR = 0x0d

/**
 * Gathers the evidence chunk by chunk; keeps the head, and at most one cut character between chunks.
 * @param countsLines what is not UTF-8 is told by its line, which takes as long as all else
 */
export function examineBytes(countsLines: boolean) {
  const head: Uint8Array[] = []
  let headBytes = 0
  let cut = Buffer.alloc(0)
  let notUtf8At: number | null = null
  let lines = 0
  let last = 0
  const keepHead = (chunk: Uint8Array): void => {
    const part = chunk.subarray(0, HEAD_BYTES - headBytes)
    head.push(Buffer.from(part))
    headBytes += part.length
  }
  const findLine = (bytes: Uint8Array): number => {
    const all = latin1(bytes).match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []
    return lines + all.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1'))) + 1
  }
  return {
    add: (chunk: Uint8Array): void => {
      if (headBytes < HEAD_BYTES) keepHead(chunk)
      if (notUtf8At !== null) return
      const bytes = cut.length === 0 ? chunk : Buffer.concat([cut, chunk])
      const end = bytes.length - cutCharacterBytes(bytes)
      const whole = bytes.subarray(0, end)
      if (isUtf8(whole)) {
        if (countsLines) lines += countLineEnds(whole, last)
        last = whole.at(-1) ?? last
        cut = Buffer.from(bytes.subarray(end))
      } else notUtf8At = findLine(bytes)
    },
    evidence: () => {
      if (notUtf8At === null && cut.length > 0) notUtf8At = lines + 1
      /** The first bytes, at most 256 KiB. */
      const first: Uint8Array = Buffer.concat(head)
      return {
        head: first,
        mark: byteOrderMark(first),
        /** The first physical line that is not UTF-8, or null when all of it is. */
        notUtf8At,
        isBinary: isBinary(first.subarray(0, JUDGED_BYTES)),
      }
    },
  }
}

const countLineEnds = (bytes: Uint8Array, before: number): number =>
  (latin1(bytes).match(/\r\n|\n|\r/g)?.length ?? 0) - (before === CR && bytes[0] === LF ? 1 : 0)

/** How many bytes at the end belong to a UTF-8 character whose rest is in the next chunk. */
function cutCharacterBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? back : 0
  }
  return 0
}

const byteOrderMark = (head: Uint8Array): Encoding | null =>
  MARKS.find(([, bytes]) => bytes.every((byte, index) => head[index] === byte))?.[0] ?? null

/** One stray control character is the fault of its row; one in a hundred bytes is no text. */
const isBinary = (head: Uint8Array): boolean =>
  head.filter((byte) => byte < 0x20 && byte !== 0x09 && byte !== LF && byte !== CR).length > head.length / 100

/**
 * A byte order mark, strict UTF-8, then what its letters look like, in this order (source/README.md#formats).
 * @returns `by`: how it was found; `assumed` brings the warning FILE_ENCODING_ASSUMED
 * @throws {SourceError} FILE_ENCODING
 */
export function chooseEncoding(
  source: string,
  evidence: EncodingEvidence,
  declared: Encoding | undefined,
): { readonly encoding: Encoding; readonly by: 'byte order mark' | 'declared' | 'strict UTF-8' | 'assumed' } {
  const { mark } = evidence
  const refused = (what: string, next: string): Error => refuse(source, 'FILE_ENCODING', what, { next })
  if (declared !== undefined && mark !== null && mark !== declared)
    throw refused(
      `its encoding is declared as ${declared}, but it starts with the byte order mark of ${mark}`,
      `Declare source.encoding as ${mark}, or remove the declaration.`,
    )
  if (evidence.isBinary && (declared ?? mark)?.startsWith('utf-16') !== true)
    throw refused(
      'it holds binary data, or UTF-16 without a byte order mark',
      'Give the CSV export itself, not an archive or a database file; of UTF-16 declare source.encoding (utf-16le or utf-16be).',
    )
  if (declared !== undefined) return { encoding: declared, by: 'declared' }
  if (mark !== null) return { encoding: mark, by: 'byte order mark' }
  if (evidence.notUtf8At === null) return { encoding: 'utf-8', by: 'strict UTF-8' }
  return { encoding: likeliest(evidence.head), by: 'assumed' }
}

/**
 * The letters beside a to z that one language writes, German, Finnish and Swedish (with å) first; a text is in one
 * language word by word. In the order in which they are taken where several fit as well.
 */
const GUESSED: readonly (readonly [Encoding, readonly string[]])[] = [
  ['windows-1252', alphabets.western],
  ['windows-1250', alphabets.central],
  ['iso-8859-15', alphabets.western],
  ['iso-8859-2', alphabets.central],
]

/** What stands between words, signs that any text may hold among it. */
const BETWEEN_WORDS = /[\0-@[-`{-\u007f\s€§°–—‘’‚“”„«»…•]+/

/** The encoding in which the fewest words have letters that no language writes side by side. */
function likeliest(head: Uint8Array): Encoding {
  const text = head.subarray(0, JUDGED_BYTES)
  // UTF-8 but for a few words: read so, the others show that they are broken (FILE_MOJIBAKE).
  const runs = latin1(text).match(/[\u0080-\u00ff]+/g) ?? []
  if (runs.filter((run) => isUtf8(Buffer.from(run, 'latin1'))).length * 2 > runs.length) return 'windows-1252'
  const guessed = GUESSED.map(([encoding, alphabets]) => {
    const words = createDecoder(encoding).decode(text).toLowerCase().split(BETWEEN_WORDS)
    const isForeign = (word: string) => !alphabets.some((letters) => isWrittenWith(word, letters))
    return { encoding, foreign: words.filter(isForeign).length }
  })
  return guessed.toSorted((a, b) => a.foreign - b.foreign)[0]?.encoding ?? 'windows-1252'
}

const isWrittenWith = (word: string, letters: string): boolean =>
  Array.from(word).every((letter) => letter <= '\u007f' || letters.includes(letter))

/** What Windows-1252 has in 0x80 to 0x9F; the five unused codes stay control characters, which fail per field. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * Turns chunks of bytes into text without ever replacing a character: what is not of the encoding, or cut at the end, is a
 * TypeError.
 */
export function createDecoder(encoding: Encoding) {
  if (encoding === 'utf-8') return utf8Decoder()
  const end = (): string => ''
  if (encoding === 'iso-8859-1') return { decode: (chunk: Uint8Array): string => latin1(chunk), end }
  // Not TextDecoder: some Node releases decode its Windows-1252 as plain Latin-1.
  const decodeWindows = (chunk: Uint8Array): string =>
    latin1(chunk).replaceAll(/[\u0080-\u009f]/g, (c) => WINDOWS_1252.charAt(c.charCodeAt(0) - 0x80))
  if (encoding === 'windows-1252') return { decode: decodeWindows, end }
  // In the others every byte is a character, control characters among them, which fail per field.
  const stream = encoding === 'utf-16le' || encoding === 'utf-16be'
  const decoder = new TextDecoder(encoding, { fatal: true })
  const decode = (chunk: Uint8Array): string => decoder.decode(chunk, { stream })
  return { decode, end: stream ? () => decoder.decode() : end }
}

/** Text of ASCII alone takes half of the memory and of the time where it is not decoded as a stream. */
function utf8Decoder() {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let cut = Buffer.alloc(0)
  let isStart = true
  return {
    decode: (chunk: Uint8Array): string => {
      const bytes = cut.length === 0 ? bufferOver(chunk) : Buffer.concat([cut, chunk])
      const end = bytes.length - cutCharacterBytes(bytes)
      const whole = bytes.subarray(0, end)
      cut = Buffer.from(bytes.subarray(end))
      const text = isAscii(whole) ? whole.toString('latin1') : decoder.decode(whole)
      const hasMark = isStart && text.startsWith('\uFEFF')
      isStart &&= text === ''
      return hasMark ? text.slice(1) : text
    },
    end: (): string => decoder.decode(cut),
  }
}
