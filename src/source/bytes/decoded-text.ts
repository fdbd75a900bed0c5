import {
  chooseEncoding,
  createDecoder,
  examineBytes,
  type Encoding,
  type EncodingChoice,
  type EncodingEvidence,
} from './encoding.js'
import { hashSource, readFileBytes, readStreamBytes, type ReadEnd, type SourceInput } from './input.js'
import { readingOf, type Reading } from './reading.js'
import { refuse } from '../refusal.js'
import type { SourceError } from '../../errors.js'

/** A source whose bytes are known well enough to be read as text. */
export interface TextSource {
  /** The name that messages show. */
  readonly label: string
  /** Null for a stream, whose hash is only known at its end. */
  readonly sha256: string | null
  /** The first physical line that is not UTF-8; null when there is none, and for a stream. */
  readonly notUtf8At: number | null
  /** Decides the encoding and shows the beginning of the text in it. @throws {SourceError} FILE_ENCODING */
  readonly choose: (declared: Encoding | undefined) => TextChoice
  /** The whole text in pieces; of a stream only once. */
  readonly read: (encoding: Encoding, signal?: AbortSignal) => AsyncGenerator<string, ReadEnd>
}

interface TextChoice extends EncodingChoice {
  /** The first characters, from at most 256 KiB. */
  readonly head: string
}

interface TextOptions {
  readonly maxUnpackedBytes: number
  readonly signal?: AbortSignal | undefined
}

type ByteReader = (signal?: AbortSignal) => AsyncGenerator<Uint8Array, ReadEnd>

const STREAM_HEAD_BYTES = 65_536

/** Opens a source; a file is read once from start to end for its hash and its encoding. @throws {SourceError} */
export const openText = (input: SourceInput, options: TextOptions): Promise<TextSource> =>
  typeof input === 'string' ? openFile(input, options) : openStream(input, options)

async function openFile(path: string, options: TextOptions): Promise<TextSource> {
  const { encoding, ...identity } = await hashSource(path, options)
  return describe(path, identity.sha256, encoding, (signal) =>
    readFileBytes(path, identity, { ...options, signal }),
  )
}

async function openStream(input: Exclude<SourceInput, string>, options: TextOptions): Promise<TextSource> {
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
  const bytes: ByteReader = async function* () {
    if (isRead) throw refuse(input.name, 'FILE_CHANGED', 'a stream can be read only once')
    isRead = true
    yield* chunks.splice(0)
    return ended ?? (yield* origin)
  }
  // To guess another encoding takes the whole stream, so what is not UTF-8 has to be declared.
  return describe(input.name, null, { ...examiner.evidence(), notUtf8At: null }, bytes)
}

function describe(
  label: string,
  sha256: string | null,
  evidence: EncodingEvidence,
  bytes: ByteReader,
): TextSource {
  return {
    label,
    sha256,
    notUtf8At: evidence.notUtf8At,
    choose: (declared) => {
      const choice = chooseEncoding(label, evidence, declared)
      return { ...choice, head: decodeHead(label, evidence, choice.encoding) }
    },
    read: (encoding, signal) => decode(label, evidence, readingOf(bytes(signal)), encoding),
  }
}

function decodeHead(label: string, evidence: EncodingEvidence, encoding: Encoding): string {
  try {
    return createDecoder(encoding).decode(evidence.head)
  } catch (error) {
    throw undecodable(label, evidence, encoding, error)
  }
}

async function* decode(
  label: string,
  evidence: EncodingEvidence,
  bytes: Reading<Uint8Array, ReadEnd>,
  encoding: Encoding,
): AsyncGenerator<string, ReadEnd> {
  const decoder = createDecoder(encoding)
  const attempt = (decoding: () => string): string => {
    try {
      return decoding()
    } catch (error) {
      throw undecodable(label, evidence, encoding, error)
    }
  }
  for await (const chunk of bytes) {
    const text = attempt(() => decoder.decode(chunk))
    if (text !== '') yield text
  }
  const rest = attempt(() => decoder.end())
  if (rest !== '') yield rest
  return bytes.end()
}

function undecodable(
  label: string,
  { notUtf8At }: EncodingEvidence,
  encoding: Encoding,
  cause: unknown,
): SourceError {
  const line = encoding === 'utf-8' ? notUtf8At : null
  return refuse(
    label,
    'FILE_ENCODING',
    line === null ? `its bytes are not text in ${encoding}` : `line ${line} is not text in ${encoding}`,
    {
      ...(line === null ? {} : { line }),
      next: 'Declare the right source.encoding (utf-8, utf-16le, utf-16be, windows-1252 or iso-8859-1), or export as UTF-8.',
      cause,
    },
  )
}
