import { once } from 'node:events'
import { crc32, createDeflateRaw } from 'node:zlib'
import type { ScratchFile } from '../pack/pack-folder.js'
import type { ArchiveEntry } from './archive.js'

/** What is encoded at a time: about a page of rows, so that V8 need not keep their texts for longer. */
const PAGE = 65_536
/** What is deflated at a time. */
const PIECE = 524_288

/** The first level takes a third of the time of the usual one, for a file a quarter larger. */
const LEVEL = 1
/** What comes back at a time, in bytes: more than a piece mostly becomes. */
const PACKED_PIECE = 65_536

/** An entry of an archive that is written while others are. */
export interface GrowingEntry {
  /** Keeps the text, which is ASCII alone, until `drain`. */
  readonly put: (text: string) => void
  /**
   * Gives what was put to a thread that deflates it, once it is worth that. It waits for the piece before, so that memory
   * holds no more than two.
   */
  readonly drain: () => Promise<void>
  /** Before they are deflated; of what was drained. */
  readonly bytes: () => number
  readonly packedBytes: () => number
  /** Nothing may be put any more. */
  readonly end: (name: string) => Promise<ArchiveEntry>
}

/** One stream of deflated bytes, made piece by piece in a thread. */
interface Deflation {
  readonly write: (piece: readonly Buffer[]) => Promise<void>
  readonly end: (piece: readonly Buffer[]) => Promise<void>
  /** What came since the last time. */
  readonly packed: () => readonly Buffer[]
}

function deflation(): Deflation {
  let chunks: Buffer[] = []
  const stream = createDeflateRaw({ level: LEVEL, chunkSize: PACKED_PIECE })
  stream.on('error', () => undefined) // told to who waits for the piece
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return {
    write: (piece) =>
      new Promise((resolve, reject) => {
        for (const page of piece) stream.write(page)
        stream.write('', (error) => {
          if (error) reject(error)
          else resolve()
        })
      }),
    end: async (piece) => {
      for (const page of piece) stream.write(page)
      stream.end()
      await once(stream, 'end')
    },
    packed: () => {
      const come = chunks
      chunks = []
      return come
    },
  }
}

const sizeOf = (chunks: readonly Buffer[]): number => chunks.reduce((sum, { length }) => sum + length, 0)

/** Texts as pages of bytes, with what an archive says of them. */
interface Encoded {
  crc: number
  bytes: number
  /** Those that are not deflated yet, and their bytes. */
  pages: Buffer[]
  pending: number
}

function encodeInto(encoded: Encoded, text: string): void {
  const page = Buffer.from(text, 'latin1')
  encoded.crc = crc32(page, encoded.crc)
  encoded.bytes += page.length
  encoded.pending += page.length
  encoded.pages.push(page)
}

function takePages(encoded: Encoded): readonly Buffer[] {
  const { pages } = encoded
  encoded.pages = []
  encoded.pending = 0
  return pages
}

/** @param openScratch where it is kept until all is known; asked once, when there is more than a piece */
export function growingEntry(openScratch: () => Promise<ScratchFile>): GrowingEntry {
  const deflating = deflation()
  const encoded: Encoded = { crc: 0, bytes: 0, pages: [], pending: 0 }
  let waiting = ''
  let packedBytes = 0
  let scratch: ScratchFile | null = null
  let underWay = Promise.resolve()

  function encode(): void {
    encodeInto(encoded, waiting)
    waiting = ''
  }

  async function keep(piece: readonly Buffer[]): Promise<void> {
    await deflating.write(piece)
    scratch ??= await openScratch()
    const chunks = deflating.packed()
    packedBytes += sizeOf(chunks)
    for (const chunk of chunks) await scratch.write(chunk)
  }

  async function drain(): Promise<void> {
    if (waiting.length >= PAGE) encode()
    if (encoded.pending < PIECE) return
    await underWay
    underWay = keep(takePages(encoded))
    underWay.catch(() => undefined) // told by the next drain, or the end
  }

  async function end(name: string): Promise<ArchiveEntry> {
    await underWay
    encode()
    await deflating.end(takePages(encoded))
    const kept = scratch
    const last = deflating.packed()
    packedBytes += sizeOf(last)
    async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
      if (kept !== null) yield* kept.chunks()
      await kept?.remove()
      yield* last
    }
    return { name, crc32: encoded.crc, bytes: encoded.bytes, packedBytes, chunks }
  }

  return {
    put: (text) => void (waiting += text),
    drain,
    bytes: () => encoded.bytes,
    packedBytes: () => packedBytes,
    end,
  }
}
