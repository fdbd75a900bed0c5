import { z } from 'zod'
import type { ListedSource } from '../domain/proof/match-sources.js'
import { API_PREFIX, envelopeOf, wireDateTime } from './envelope.js'
import { signOfError, signOfMore } from './list-signs.js'

/** Reads the payment sources of a customer back (contract/README.md#payment-sources). */
export const PAYMENT_SOURCE_PATH = `${API_PREFIX}/payment_source`

export const paymentSourcesPath = (customerNo: number): string =>
  `${PAYMENT_SOURCE_PATH}?customer_no=${customerNo}`

/** The one scheme that a migrated mandate has; others are listed beside it. */
export const SEPA_SCHEME = 'SEPA_DIRECT_DEBIT'

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

export type SourcesReading =
  | { readonly kind: 'read'; readonly sources: readonly ListedSource[] }
  /** `reason` names the place and never quotes a value. */
  | { readonly kind: 'unreadable'; readonly reason: string }

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
export function readPaymentSources(json: unknown): SourcesReading {
  const parsed = looseResponse.safeParse(json)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const place = issue === undefined || issue.path.length === 0 ? 'the answer' : issue.path.join('.')
    return { kind: 'unreadable', reason: `${place}: ${issue?.message ?? 'is unreadable'}` }
  }
  const { data, ...beside } = parsed.data
  const error = signOfError(beside)
  if (error !== null) return { kind: 'unreadable', reason: error }
  const more = signOfMore(beside, data.length)
  if (more !== null) return { kind: 'unreadable', reason: more }
  const sources = data.map(({ id, status, scheme, details }) => ({
    id,
    status,
    scheme,
    reference: details?.reference ?? null,
    iban: details?.iban ?? null,
    signedAt: details?.signed_at ?? null,
  }))
  return { kind: 'read', sources }
}
