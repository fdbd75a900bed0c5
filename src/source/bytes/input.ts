import { OPEN_PROBLEMS } from '../../trust/trusted-file.js'
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { codeOf, SourceError, refuse, unreadable } from '../../errors.js'
import { isAscii, isUtf8 } from 'node:buffer'

/** A path, or a stream such as standard input together with the name that reports show for it. */
export type SourceInput = string | { readonly name: string; readonly stream: Readable }

export const isSourceInput = (input: unknown): input is SourceInput =>
  typeof input === 'string' ||
  (typeof input === 'object' &&
    input !== null &&
    'name' in input &&
    typeof input.name === 'string' &&
    'stream' in input &&
    input.stream instanceof Readable)

/** What is known of a source once it was read to its end: size and hash of the file as given. */
export interface ReadEnd {
  readonly sha256: string
  readonly bytes: number
}

/** The file as it was when it was read first; it must be the same when it is read again. */
interface FileEnd extends ReadEnd {
  readonly modifiedMs: number
}

interface ReadOptions {
  /** Most bytes that a compressed source may unpack to; null leaves it packed. */
  readonly maxUnpackedBytes: number | null
  readonly signal?: AbortSignal | undefined
}

const CHUNK_BYTES = 262_144

/** Name that reports show: the file's own, without the folders of this machine. */
export const nameOf = (input: SourceInput): string =>
  typeof input === 'string' ? basename(input) : input.name

/** The name of what is piped in; it is read again only where it is given as a file. */
export const STANDARD_INPUT = 'standard input'

/** A file as it is named in a command to type. */
export const typedName = (name: string): string => (name === STANDARD_INPUT ? 'FILE' : `"${name}"`)

/** Null for what is no regular file that can be looked at; opening it tells why. */
export async function sizeOf(path: string): Promise<number | null> {
  const stats = await stat(path).catch(() => null)
  return stats?.isFile() === true ? stats.size : null
}

/** The hash of a file as given, and nothing else of it. @throws {SourceError} where it cannot be read, or changes */
export const fileDigest = async (path: string, signal?: AbortSignal): Promise<string> =>
  (await readWhole(path, { maxUnpackedBytes: null, signal }, () => undefined)).sha256

async function readWhole(path: string, options: ReadOptions, look: (chunk: Uint8Array) => void) {
  const bytes = piecesOf(readFileBytes(path, options))
  for await (const chunk of bytes) look(chunk)
  return bytes.end()
}

/**
 * The unpacked bytes of a file, hashed as given on the way.
 * @param known of the file when it was read before
 * @throws {SourceError} FILE_CHANGED, after the last chunk at the latest
 */
async function* readFileBytes(
  path: string,
  options: ReadOptions,
  known?: FileEnd,
): AsyncGenerator<Uint8Array, FileEnd> {
  const handle = await openRegularFile(path)
  try {
    const { size, mtimeMs } = await handle.stat()
    if (known !== undefined && (size !== known.bytes || mtimeMs !== known.modifiedMs)) throw changed(path)
    const stream = handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false })
    const end = yield* readHashed(path, stream, options, 'Check the disk, then start again.')
    const after = await handle.stat()
    const isUnchanged = after.size === size && after.mtimeMs === mtimeMs && end.bytes === size
    if (!isUnchanged || end.sha256 !== (known ?? end).sha256) throw changed(path)
    return { ...end, modifiedMs: mtimeMs }
  } finally {
    await handle.close()
  }
}

async function openRegularFile(path: string): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer for ever.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw unreadable(path, openProblem(error), 'Check the name of the file and the right to read it.', error)
  })
  const stats = await handle.stat()
  if (stats.isFile()) return handle
  await handle.close()
  const what = stats.isDirectory() ? 'it is a directory' : 'it is not a regular file'
  throw unreadable(path, what, 'Give a file, or - to read standard input.')
}

const openProblem = (error: unknown): string =>
  OPEN_PROBLEMS.get(codeOf(error)) ??
  (error instanceof Error ? error.message : 'the operating system refused')

/**
 * The unpacked bytes, hashed and counted as they came. An unpacker may leave some, which the hash would not cover.
 * @param next what to do where it cannot be read
 */
async function* readHashed(
  source: string,
  stream: Readable,
  options: ReadOptions,
  next: string,
): AsyncGenerator<Uint8Array, ReadEnd> {
  const { signal } = options
  const hash = createHash('sha256')
  let bytes = 0
  const origin = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array | string, undefined>
  const take = async () => {
    try {
      const { done, value } = await origin.next()
      if (done === true) return null
      signal?.throwIfAborted()
      return typeof value === 'string' ? Buffer.from(value) : value
    } catch (error) {
      stream.destroy()
      if (signal?.aborted === true || error instanceof SourceError) throw error
      throw unreadable(source, 'reading it failed', next, error)
    }
  }
  // Whoever stops early must not end the origin.
  async function* passing(): AsyncGenerator<Uint8Array> {
    for (let chunk = await take(); chunk !== null; chunk = await take()) {
      bytes += chunk.length
      hash.update(chunk)
      yield chunk
    }
  }
  yield* unpack(source, passing(), options)
  if ((await take()) === null) return { sha256: hash.digest('hex'), bytes }
  const what = 'it goes on after the end of its gzip data'
  throw unreadable(source, what, 'Unpack it, then give the file in it.')
}

const changed = (path: string): SourceError => refuse(path, 'FILE_CHANGED', 'it changed while it was read')

/** Unpacks what starts with the magic bytes of gzip, and passes on everything else, chunks as they come. */
async function* unpack(
  source: string,
  chunks: AsyncGenerator<Uint8Array>,
  { maxUnpackedBytes }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const start = await takeBytes(chunks, 2)
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* start.chunks
    yield* chunks
  }
  const [first, second] = Buffer.concat(start.chunks)
  if (maxUnpackedBytes === null || first !== 0x1f || second !== 0x8b) {
    yield* all()
    return
  }
  let unpackedBytes = 0
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  // The reason of a failure arrives by the iteration below.
  pipeline(Readable.from(all(), { objectMode: false }), gunzip, () => undefined)
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      unpackedBytes += chunk.length
      if (unpackedBytes > maxUnpackedBytes)
        throw unreadable(
          source,
          `it unpacks to more than ${maxUnpackedBytes} bytes`,
          'Raise limits.unpackedBytes if the file can be trusted, or split the export.',
        )
      yield chunk
    }
  } catch (error) {
    if (!/^Z_(?:DATA|BUF)_ERROR$/.test(codeOf(error))) throw error
    throw unreadable(source, 'its gzip data is damaged or cut off', 'Copy or create the file again.', error)
  }
}

/** The first chunks that make up so many bytes, or all there are: a pipe may deliver them one by one. */
async function takeBytes<End>(from: AsyncGenerator<Uint8Array, End>, bytes: number) {
  const chunks: Uint8Array[] = []
  for (let length = 0; length < bytes;) {
    const next = await from.next()
    if (next.done === true) return { chunks, end: next.value }
    chunks.push(next.value)
    length += next.value.length
  }
  return { chunks, end: null }
}

/** A source whose bytes can be read, whatever is written in them. */
export interface ByteSource {
  /** The file's own name, without the folders of this machine. */
  readonly name: string
  /** The name that messages show. */
  readonly label: string
  /** Null for a stream, whose hash is only known at its end. */
  readonly sha256: string | null
  /** The first unpacked bytes, and what all of them (of a stream: the first) say about an encoding. */
  readonly evidence: EncodingEvidence
  /** The unpacked bytes in pieces; of a stream only once. */
  readonly read: (signal?: AbortSignal) => AsyncGenerator<Uint8Array, ReadEnd>
}

const STREAM_HEAD_BYTES = 65_536

/** Opens a source; a file is read once from start to end for its hash and its encoding. @throws {SourceError} */
export const openBytes = (input: SourceInput, options: ReadOptions): Promise<ByteSource> =>
  typeof input === 'string' ? openFile(input, options) : openStream(input, options)

async function openFile(path: string, options: ReadOptions): Promise<ByteSource> {
  const { add, evidence } = examineBytes()
  const known = await readWhole(path, options, add)
  return {
    name: nameOf(path),
    label: path,
    sha256: known.sha256,
    evidence: evidence(),
    read: (signal) => readFileBytes(path, { ...options, signal }, known),
  }
}

async function openStream(input: Exclude<SourceInput, string>, options: ReadOptions): Promise<ByteSource> {
  const origin = readHashed(input.name, input.stream, options, 'Start again, or give a file instead.')
  const { chunks, end } = await takeBytes(origin, STREAM_HEAD_BYTES)
  const examiner = examineBytes()
  for (const chunk of chunks) examiner.add(chunk)
  let isRead = false
  return {
    name: nameOf(input),
    label: input.name,
    sha256: null,
    // To guess another encoding takes the whole stream, so what is not UTF-8 has to be declared.
    evidence: { ...examiner.evidence(), isUtf8: true },
    read: async function* () {
      if (isRead) throw refuse(input.name, 'FILE_CHANGED', 'a stream can be read only once')
      isRead = true
      yield* chunks.splice(0)
      return end ?? (yield* origin)
    },
  }
}

/** Pieces that are read one by one; what is known only behind the last of them is the end. */
export interface Pieces<Piece, End> extends AsyncIterable<Piece> {
  /** @throws {Error} before the last piece was read */
  readonly end: () => End
}

/** Keeps what a generator returns, which `for await` drops. It is read once, as the generator is. */
export function piecesOf<Piece, End>(pieces: AsyncGenerator<Piece, End>): Pieces<Piece, End> {
  let reached: { readonly end: End } | null = null
  async function* passing(): AsyncGenerator<Piece> {
    reached = { end: yield* pieces }
  }
  return {
    [Symbol.asyncIterator]: passing,
    end: () => {
      if (reached === null) throw new Error('The end is not known before everything was read')
      return reached.end
    },
  }
}

/** A source whose bytes are known well enough to be read as text. */
export type TextSource = ReturnType<typeof textOf>

/** The records of larger pieces would outlive young garbage, and collecting them cost as much as reading. */
const PIECE = 8_192

/** The bytes of a source as text. */
export function textOf({ label, evidence, read }: ByteSource) {
  const { head } = evidence
  /** @throws {SourceError} FILE_ENCODING where the bytes are not of this encoding */
  function attempt(encoding: Encoding, decoding: () => string): string {
    try {
      return decoding()
    } catch (cause) {
      throw refuse(label, 'FILE_ENCODING', `its bytes are not text in ${encoding}`, {
        next: `Declare the right source.encoding (${ENCODINGS.join(', ')}), or export as UTF-8.`,
        cause,
      })
    }
  }
  return {
    /** The name that messages show. */
    label,
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

/** Gathers the evidence chunk by chunk; keeps the head, and at most one cut character between chunks. */
export function examineBytes() {
  const head: Uint8Array[] = []
  let headBytes = 0
  let cut = Buffer.alloc(0)
  let isText = true
  const keepHead = (chunk: Uint8Array): void => {
    const part = chunk.subarray(0, HEAD_BYTES - headBytes)
    head.push(Buffer.from(part))
    headBytes += part.length
  }
  return {
    add: (chunk: Uint8Array): void => {
      if (headBytes < HEAD_BYTES) keepHead(chunk)
      if (!isText) return
      const bytes = cut.length === 0 ? chunk : Buffer.concat([cut, chunk])
      const end = bytes.length - cutCharacterBytes(bytes)
      isText = isUtf8(bytes.subarray(0, end))
      cut = Buffer.from(bytes.subarray(end))
    },
    evidence: () => {
      /** The first bytes, at most 256 KiB. */
      const first: Uint8Array = Buffer.concat(head)
      return {
        head: first,
        mark: MARKS.find(([, bytes]) => bytes.every((byte, index) => first[index] === byte))?.[0] ?? null,
        /** A character that is cut at the end is none. */
        isUtf8: isText && cut.length === 0,
        isBinary: isBinary(first.subarray(0, JUDGED_BYTES)),
      }
    },
  }
}

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

/** One stray control character is the fault of its row; one in a hundred bytes is no text. */
const isBinary = (head: Uint8Array): boolean =>
  head.filter((byte) => byte < 0x20 && byte !== 0x09 && byte !== LF && byte !== CR).length > head.length / 100

/**
 * What is declared, a byte order mark, strict UTF-8, then what its letters look like (source/README.md#formats).
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
  if (evidence.isBinary && (mark ?? declared)?.startsWith('utf-16') !== true)
    throw refused(
      'it holds binary data, or UTF-16 without a byte order mark',
      'Give the CSV export itself, not an archive or a database file; of UTF-16 declare source.encoding (utf-16le or utf-16be).',
    )
  // Some encodings take any bytes, so what contradicts the mark would be read as rubbish.
  if (declared !== undefined && mark !== null && mark !== declared)
    throw refused(
      `it is declared as ${declared}, and has the byte order mark of ${mark}`,
      `Declare source.encoding as ${mark}, or export as ${declared}.`,
    )
  if (declared !== undefined) return { encoding: declared, by: 'declared' }
  if (mark !== null) return { encoding: mark, by: 'byte order mark' }
  if (evidence.isUtf8) return { encoding: 'utf-8', by: 'strict UTF-8' }
  return { encoding: likeliest(evidence.head), by: 'assumed' }
}

/** The letters beside a to z of each language, German, Finnish and Swedish (with å) first. */
const WESTERN =
  'äöüß àâæçéèêëîïôœùûüÿ àèéìíîòóùú áéíóúüñçªº àáâãçéêíóôõúü àçèéíïòóúü· äöåéæøü äöåšž äöõüšž áðéíóúýþæö äéëïöüáíóú çë'
const CENTRAL = 'áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž ąćęłńóśźż áéíóöőúüű čćđšž ăâîşţșț äöüß çë'
/** In the order in which they are taken where several fit as well. */
const GUESSED: readonly (readonly [Encoding, readonly string[]])[] = [
  ['windows-1252', WESTERN.split(' ')],
  ['windows-1250', CENTRAL.split(' ')],
  ['iso-8859-15', WESTERN.split(' ')],
  ['iso-8859-2', CENTRAL.split(' ')],
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
    const isOf = (word: string, letters: string) =>
      Array.from(word).every((letter) => letter <= '\u007f' || letters.includes(letter))
    const foreign = words.filter((word) => !alphabets.some((letters) => isOf(word, letters)))
    return { encoding, foreign: foreign.length }
  })
  return guessed.toSorted((a, b) => a.foreign - b.foreign)[0]?.encoding ?? 'windows-1252'
}

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
