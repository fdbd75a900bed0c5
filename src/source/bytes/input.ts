import { OPEN_PROBLEMS } from '../../trust/trusted-file.js'
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { codeOf, SourceError, refuse, unreadable } from '../../errors.js'
import {
  examineBytes,
  type EncodingEvidence,
  chooseEncoding,
  createDecoder,
  type Encoding,
} from './encoding.js'

/** A path, or a stream such as standard input together with the name that reports show for it. */
export type SourceInput = string | { readonly name: string; readonly stream: Readable }

export const isSourceInput = (input: unknown): input is SourceInput =>
  typeof input === 'string' ||
  (typeof input === 'object' &&
    input !== null &&
    'name' in input &&
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
  const examine = async (countsLines: boolean) => {
    const { add, evidence } = examineBytes(countsLines)
    return { known: await readWhole(path, options, add), evidence: evidence() }
  }
  const first = await examine(false)
  const { known, evidence } = first.evidence.notUtf8At === null ? first : await examine(true)
  return {
    name: nameOf(path),
    label: path,
    sha256: known.sha256,
    evidence,
    read: (signal) => readFileBytes(path, { ...options, signal }, known),
  }
}

async function openStream(input: Exclude<SourceInput, string>, options: ReadOptions): Promise<ByteSource> {
  const origin = readHashed(input.name, input.stream, options, 'Start again, or give a file instead.')
  const { chunks, end } = await takeBytes(origin, STREAM_HEAD_BYTES)
  const examiner = examineBytes(false)
  for (const chunk of chunks) examiner.add(chunk)
  let isRead = false
  return {
    name: nameOf(input),
    label: input.name,
    sha256: null,
    // To guess another encoding takes the whole stream, so what is not UTF-8 has to be declared.
    evidence: { ...examiner.evidence(), notUtf8At: null },
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
