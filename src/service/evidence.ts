import type { Iban } from '../domain/mandate/mandate.js'
import { maskAccounts, maskIban } from '../domain/text/masking.js'
import { oneLine } from '../domain/text/text.js'
/** Makes text of the service fit to be kept: no account number, nothing that a terminal would obey, bounded. */
export type Cleaner = (text: string, maxBytes: number) => string

/** What is kept of an answer: little, because it is personal data on disk (service/README.md#evidence). */
export const KEPT_ANSWER_BYTES = 2048
/** What is kept of one word or sentence of the service. */
export const MAX_MESSAGE_BYTES = 512

/** So many characters in a row that also stand in a row in the account number give it away. */
const TELLING_LENGTH = 8

/** What may stand between them. */
const OTHERS = /[^A-Za-z0-9]*/g

/** Shorter ones would blot out half of every answer. */
const SHORTEST_SECRET = 4

/** Of a flood of text only so much is looked at for each byte that is kept. */
const READ_PER_KEPT = 32

/** A cleaner that also knows the account number that was sent, in whatever spelling it comes back, and secrets. */
export function createCleaner(known: { iban: Iban | null; secrets: readonly string[] }): Cleaner {
  let spellings: readonly string[] | null = null // most answers are never cleaned
  const blotOut = (text: string): string =>
    (spellings ??= spellingsOf(known.secrets)).reduce(
      (blotted, secret) => blotted.replaceAll(secret, '[secret]'),
      text,
    )
  return (text, maxBytes) => {
    const readable = blotOut(toReadable(blotOut(text.slice(0, READ_PER_KEPT * maxBytes))))
    const masked = known.iban === null ? readable : maskByValue(readable, known.iban)
    return cutToBytes(maskAccounts(masked), maxBytes)
  }
}

const spellingsOf = (secrets: readonly string[]): string[] =>
  secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), toReadable(secret)])

const toReadable = (text: string): string => toVisible(decodeEscapes(text))

/** Letters, digits and blanks written as JSON, URL or HTML escapes would slip past the masks. */
const decodeEscapes = (text: string): string =>
  text
    .replace(
      /\\u00([2-7][0-9a-f])|%([2-7][0-9a-f])/gi,
      (_, json: string | undefined, url: string | undefined) =>
        String.fromCharCode(Number.parseInt(json ?? url ?? '', 16)),
    )
    .replace(/&nbsp;|&#160;|&#xa0;/gi, ' ')

/** Without terminal sequences, control, bidirectional and other invisible characters. */
const toVisible = (text: string): string =>
  oneLine(text)
    .replace(/\p{Cs}/gu, '')
    .normalize('NFKC')

/** Masks every part of the account number of at least eight characters, whatever stands between them. */
function maskByValue(text: string, iban: Iban): string {
  const letters = Array.from(iban.replace(OTHERS, ''))
  const parts = letters.map((_, at) => letters.slice(at)).filter(({ length }) => length >= TELLING_LENGTH)
  if (parts.length === 0) return text
  const patterns = parts.map((part) => {
    const further = part.slice(TELLING_LENGTH)
    const more = further.reduceRight((rest, letter) => `(?:${OTHERS.source}${letter}${rest})?`, '')
    return part.slice(0, TELLING_LENGTH).join(OTHERS.source) + more
  })
  return text.replace(new RegExp(patterns.join('|'), 'gi'), maskIban(iban))
}

function cutToBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= maxBytes) return text
  // A character that the cut would split is left out whole.
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true })
}
