import { examineBytes, type EncodingEvidence } from './encoding.js'
import {
  hashSource,
  nameOf,
  readFileBytes,
  readStreamBytes,
  type ReadEnd,
  type SourceInput,
} from './input.js'
import { refuse } from '../refusal.js'

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

interface ByteOptions {
  readonly maxUnpackedBytes: number
  readonly signal?: AbortSignal | undefined
}

const STREAM_HEAD_BYTES = 65_536

/** Opens a source; a file is read once from start to end for its hash and its encoding. @throws {SourceError} */
export const openBytes = (input: SourceInput, options: ByteOptions): Promise<ByteSource> =>
  typeof input === 'string' ? openFile(input, options) : openStream(input, options)

async function openFile(path: string, options: ByteOptions): Promise<ByteSource> {
  const { encoding, ...identity } = await hashSource(path, options)
  return {
    name: nameOf(path),
    label: path,
    sha256: identity.sha256,
    evidence: encoding,
    read: (signal) => readFileBytes(path, identity, { ...options, signal }),
  }
}

async function openStream(input: Exclude<SourceInput, string>, options: ByteOptions): Promise<ByteSource> {
  const origin = readStreamBytes(input, options)
  let ended: ReadEnd | null = null
  const examiner = examineBytes()
  const chunks: Uint8Array[] = []
  for (let length = 0; length < STREAM_HEAD_BYTES;) {
    const next = await origin.next()
    if (next.done === true) {
      ended = next.value
      break
    }
    chunks.push(next.value)
    examiner.add(next.value)
    length += next.value.length
  }
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
      return ended ?? (yield* origin)
    },
  }
}
