import {
  chooseEncoding,
  createDecoder,
  type Encoding,
  type EncodingChoice,
  type EncodingEvidence,
} from './encoding.js'
import type { ByteSource } from './byte-source.js'
import type { ReadEnd } from './input.js'
import { piecesOf, type Pieces } from './pieces.js'
import { refuse } from '../refusal.js'
import type { SourceError } from '../../errors.js'

/** A source whose bytes are known well enough to be read as text. */
export interface TextSource {
  /** The name that messages show. */
  readonly label: string
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

/** The records of larger pieces would outlive young garbage, and collecting them cost as much as reading. */
const PIECE = 8_192

/** The bytes of a source as text. */
export const textOf = ({ label, evidence, read }: ByteSource): TextSource => ({
  label,
  notUtf8At: evidence.notUtf8At,
  choose: (declared) => {
    const choice = chooseEncoding(label, evidence, declared)
    return { ...choice, head: decodeHead(label, evidence, choice.encoding) }
  },
  read: (encoding, signal) => decode(label, evidence, piecesOf(read(signal)), encoding),
})

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
  bytes: Pieces<Uint8Array, ReadEnd>,
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
    for (let at = 0; at < text.length; at += PIECE) yield text.slice(at, at + PIECE)
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
