import { z } from 'zod'
import { parseJson } from '../domain/text/text.js'
import type { ListedSource } from '../domain/proof/match-sources.js'
import { API_PREFIX, envelopeOf, unreadable, unreadableBy, wireDateTime } from './envelope.js'
/** Reads the payment sources of a customer back (contract/README.md#payment-sources). */
export const PAYMENT_SOURCE_PATH = `${API_PREFIX}/payment_source`

export const paymentSourcesPath = (customerNo: number): string =>
  `${PAYMENT_SOURCE_PATH}?customer_no=${customerNo}`

/** A customer number in a query: digits, from 1, exact as a JSON number. */
export const customerNoQuery = z
  .string()
  .regex(/^[0-9]{1,16}$/, 'must be an integer')
  .transform(Number)
  .pipe(z.int().min(1))

/** One source, as the service must write it. */
const paymentSource = z.strictObject({
  id: z.string().min(1),
  status: z.string(),
  scheme: z.string(),
  details: z.strictObject({
    /** The assigned mandate reference. */
    reference: z.string(),
    iban: z.string(),
    signed_at: wireDateTime,
  }),
})
export type PaymentSource = z.infer<typeof paymentSource>

export const paymentSourcesResponse = envelopeOf(z.array(paymentSource))
export const paymentSourceResponse = envelopeOf(paymentSource)

const visibleText = z.string().regex(/\S/).nullable().catch(null)

const looseDetails = z
  .looseObject({ reference: visibleText, iban: visibleText, signed_at: visibleText })
  .nullable()
  .catch(null)

const looseSource = z.looseObject(
  { id: visibleText, status: visibleText, scheme: visibleText, details: looseDetails },
  'is not an object',
)

/** A list that is not called OK may be what was found until something went wrong. */
const looseResponse = z.looseObject({
  status: z.literal('OK', 'is not OK'),
  data: z.array(looseSource, 'is not a list'),
})

/**
 * Reads the list tolerantly: unknown fields pass, what has another shape is null. What is no list of objects cannot be
 * counted, and is unreadable as a whole; so is one beside which errors or signs of further pages stand, since absence
 * is told from a whole list alone.
 */
export function readPaymentSources(json: unknown) {
  const parsed = looseResponse.safeParse(json)
  if (!parsed.success) return unreadableBy(parsed.error)
  const { data, ...beside } = parsed.data
  const error = findSign(beside, (words, value) => hasAny(words, ERRORS) && says(value))
  if (error !== null) return unreadable(`${error}: errors beside the list`)
  const more = findSign(beside, isMore(data.length))
  if (more !== null) return unreadable(`${more}: ${MAY_BE_MORE}`)
  const sources = data.map(({ id, status, scheme, details }): ListedSource => ({
    id,
    status,
    scheme,
    reference: details?.reference ?? null,
    iban: details?.iban ?? null,
    signedAt: details?.signed_at ?? null,
  }))
  return { kind: 'read' as const, sources }
}

/**
 * What stands beside a list and says that it is not all of it. None of these signs is published for this service, so
 * each word that such answers usually have counts: a list that is called whole too often hides a mandate, one that is
 * called unreadable too often is asked for again.
 */

/** Read so deep; a sign below that is none that anybody writes. */
const DEEPEST = 6

/** `hasMore`, `has_more` and `Has-More` are the same three words, `has`, `more`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

const ERRORS = ['error', 'errors', 'fault', 'faults', 'failure', 'failures', 'failed', 'warning', 'warnings']
const FURTHER = ['next', 'more', 'cursor', 'continuation', 'continue', 'prev', 'previous', 'remaining']
const CUT = ['truncated', 'partial', 'incomplete', 'cut']
const WHOLE = ['complete', 'last', 'final']
const COUNTS = ['total', 'totals', 'count', 'found', 'matched', 'available']
/** Of a rate limit, which counts requests. */
const OF_REQUESTS = ['rate', 'ratelimit', 'quota', 'retry', 'request', 'requests', 'retries']

type Sign = (words: readonly string[], value: unknown) => boolean

const MAY_BE_MORE = 'may not be the whole list'

/** Names of headers that may speak of pages; any other may hold such a word by chance. */
const OF_PAGES = [...FURTHER, ...CUT, 'total', 'page', 'pages', 'pagination']
/** What a `Link` header may point at without saying anything of the list. */
const HARMLESS_LINKS = new Set(['self', 'help', 'describedby', 'service-doc', 'service-desc', 'deprecation'])

/**
 * The first sign in the headers of an answer, whose names are in lower case, that there are more; null where there is none.
 * @param shown how many entries the list has
 */
export function headerOfMore(headers: Readonly<Record<string, string>>, shown: number): string | null {
  for (const [name, value] of Object.entries(headers)) {
    const words = wordsOf(name)
    const isSignOf = isMore(shown)
    // Some services write the pages of a list as JSON into a header.
    const pages = value.startsWith('{') ? parseJson(value) : null
    const isSign =
      name === 'link'
        ? !isHarmless(value)
        : name === 'content-range'
          ? value.replace(/^.*\//, '').trim() !== String(shown)
          : hasAny(words, OF_PAGES) && (isSignOf(words, value) || findSign(pages, isSignOf) !== null)
    if (isSign) return `header ${name}: ${MAY_BE_MORE}`
  }
  return null
}

function isHarmless(link: string): boolean {
  const relations = [...link.matchAll(/;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/gi)]
  const links = link.match(/<[^<>]*>/g)?.length ?? 0
  const words = relations.flatMap(([, quoted, plain]) => (quoted ?? plain ?? '').toLowerCase().split(/\s+/))
  return relations.length >= links && words.length > 0 && words.every((word) => HARMLESS_LINKS.has(word))
}

function findSign(value: unknown, isSign: Sign, depth = 0): string | null {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return null
  for (const [name, member] of Object.entries(value)) {
    const words = wordsOf(name)
    if (hasAny(words, OF_REQUESTS)) continue
    if (isSign(words, member)) return name
    const within = findSign(member, isSign, depth + 1)
    if (within !== null) return `${name}.${within}`
  }
  return null
}

const isMore =
  (shown: number): Sign =>
  (words, value) => {
    if (hasAny(words, OF_REQUESTS)) return false
    if (words.includes('rel')) return hasAny(wordsOf(String(value)), FURTHER)
    if (hasAny(words, FURTHER) || hasAny(words, CUT)) return says(value)
    if (hasAny(words, WHOLE) && (value === false || value === 'false')) return true
    const number = numberOf(value)
    if (number === null) return false
    // A page that is full may have another behind it; one that is not the first has one before it.
    if (words.includes('pages') || words.includes('page'))
      return hasAny(words, ['size', 'limit', 'per']) ? number > 0 && shown >= number : number > 1
    if (words.includes('offset') || words.includes('skip')) return number > 0
    if (words.includes('limit')) return number > 0 && shown >= number
    return hasAny(words, COUNTS) && number > shown
  }

const hasAny = (words: readonly string[], wanted: readonly string[]): boolean =>
  words.some((word) => wanted.includes(word))

/** A name alone says nothing: `"next": null` is the end of a list. */
function says(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0) return false
  if (typeof value === 'string')
    return !['', 'false', 'null', 'none', '0'].includes(value.trim().toLowerCase())
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : null
}
