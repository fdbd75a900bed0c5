import { z } from 'zod'
import type { Mandate } from '../domain/mandate/mandate.js'
import {
  API_PREFIX,
  envelopeOf,
  looseEnvelopeOf,
  unreadableBy,
  wireDate,
  unreadable,
  wireDateTime,
  writtenAt,
} from './envelope.js'
import { parseJson } from '../domain/text/text.js'
import type { ListedSource } from '../domain/proof/match-sources.js'
import type { CustomerSaid } from '../domain/who/names.js'
import { customer as invoiced } from './billogram.js'

/** Registers a migrated mandate (contract/README.md#mandate). */
export const MIGRATE_PATH = `${API_PREFIX}/sepa_dd_mandate/migrate`

/** The mandate at the previous creditor. */
const amendment = z.strictObject({
  sepa_creditor_identifier: z.string(),
  unique_mandate_reference: z.string(),
})

const echoed = { customer_no: z.int().min(1), iban: z.string(), signed_date: wireDate }

/** The request body: every field is required, no other is known. */
export const migrateRequest = z.strictObject({ ...echoed, amendment })
export type MigrateRequest = z.infer<typeof migrateRequest>

/** `data` of the answer. The two identifiers are the assigned ones. */
const migratedMandate = z.strictObject({
  ...echoed,
  sepa_creditor_identifier: z.string(),
  unique_mandate_reference: z.string(),
})
export type MigratedMandate = z.infer<typeof migratedMandate>

/** The whole answer, as the service must write it. */
export const migrateResponse = envelopeOf(migratedMandate)

/** The request for one mandate: the five values and nothing else. */
export const toMigrateRequest = (mandate: Mandate): MigrateRequest => ({
  customer_no: mandate.customerNo,
  iban: mandate.iban,
  signed_date: mandate.signedDate,
  amendment: {
    sepa_creditor_identifier: mandate.original.creditorIdentifier,
    unique_mandate_reference: mandate.original.mandateReference,
  },
})

const visibleText = z.string().regex(/\S/, 'is blank')

/** The five fields as they came; the identifiers are the assigned ones, whose form is not checked. */
const readableMandate = z.object({
  /** A JSON integer, or text of digits (RESPONSE_CUSTOMER_TEXT). */
  customer_no: z.union([z.int(), z.string().regex(/^\d+$/, 'is not a number')], 'is not a customer number'),
  iban: visibleText,
  /** Compared as text, never parsed. */
  signed_date: visibleText,
  sepa_creditor_identifier: visibleText,
  unique_mandate_reference: visibleText,
})
const looseMigrateResponse = looseEnvelopeOf(readableMandate)

/**
 * Reads the answer tolerantly: unknown fields are ignored, the five of `data` must be there. Whether the echo equals the
 * request is for the caller to decide. `status` is the envelope's word, `OK` when all is well; null when it is missing.
 */
export function readMigrateAnswer(json: unknown) {
  const parsed = looseMigrateResponse.safeParse(json)
  if (!parsed.success) return unreadableBy(parsed.error)
  const { status, data } = parsed.data
  return { kind: 'read' as const, status, data }
}

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

const textOrNull = z.string().regex(/\S/).nullable().catch(null)

const looseDetails = z
  .looseObject({ reference: textOrNull, iban: textOrNull, signed_at: textOrNull })
  .nullable()
  .catch(null)

const looseSource = z.looseObject(
  { id: textOrNull, status: textOrNull, scheme: textOrNull, details: looseDetails },
  'is not an object',
)

/** A list that is not called OK may be what was found until something went wrong. */
const looseList = z.looseObject({
  status: z.literal('OK', 'is not OK'),
  data: z.array(looseSource, 'is not a list'),
})

/**
 * Reads the list tolerantly: unknown fields pass, what has another shape is null. What is no list of objects cannot be
 * counted, and is unreadable as a whole; so is one beside which errors or signs of further pages stand, since absence
 * is told from a whole list alone.
 */
export function readPaymentSources(json: unknown) {
  const parsed = looseList.safeParse(json)
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

/** Reads a customer (contract/README.md#customers). */
export const CUSTOMER_PATH = `${API_PREFIX}/customer`
export const customerPath = (customerNo: number): string => `${CUSTOMER_PATH}/${customerNo}`

const text = z.string().optional()
const { address, delivery_address, permanent_establishment_address, edi } = invoiced.shape

/** As the service must write it. What the published page does not describe further may hold anything. */
const customer = z.strictObject({
  customer_no: z.int().min(1),
  name: z.string(),
  ...{ org_no: text, vat_no: text, language: text, company_type: text, notes: text },
  contact: z.strictObject({ name: text, email: text, phone: text }).optional(),
  ...{ address, delivery_address, permanent_establishment_address, edi },
  payment_settings: z.looseObject({}).optional(),
  links: z.looseObject({}).optional(),
  ...writtenAt,
})
export type Customer = z.infer<typeof customer>

export const customerResponse = envelopeOf(customer)

const loose = z.string().catch('')
const looseCustomer = z.looseObject({
  data: z.looseObject({
    customer_no: z.coerce.number(),
    ...{ name: loose, org_no: loose, vat_no: loose },
    contact: z.looseObject({ name: loose }).catch({ name: '' }),
  }),
})

/** Reads who it is tolerantly; an answer about another customer says nothing. */
export function readCustomer(json: unknown, customerNo: number) {
  const parsed = looseCustomer.safeParse(json)
  if (!parsed.success) return unreadableBy(parsed.error)
  const { customer_no, name, contact, org_no, vat_no } = parsed.data.data
  if (customer_no !== customerNo) return unreadable('data.customer_no is another one')
  const said: CustomerSaid = { names: [name, contact.name], orgNos: [org_no, vat_no] }
  return { kind: 'read' as const, customer: said }
}
