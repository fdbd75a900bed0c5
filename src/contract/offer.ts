import { z } from 'zod'
import { API_PREFIX, envelopeOf, writtenAt } from './envelope.js'
import { base64Text, textUpTo } from './text-fields.js'
import { tolerantReader } from './tolerant-reader.js'

/** Creates an offer (contract/README.md#offer). */
export const OFFER_PATH = `${API_PREFIX}/offer`

/** The discriminator of an offer. */
export const OFFER_TYPES = ['banner', 'sale', 'info'] as const

/** At most 30 letters and digits, so never blank. Unique without regard to case: the service checks that. */
export const offerId = textUpTo(30).regex(/^[A-Za-z0-9]+$/, 'must be letters and digits, at least one')

/** `picture` is base64, `picture_type` a media type; which types and sizes are allowed is not described. */
const media = z.strictObject({
  picture: base64Text,
  picture_type: z.string().regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type such as image/png'),
})

const common = {
  offer_id: offerId,
  title: textUpTo(200),
  text: textUpTo(1000),
  info_link: textUpTo(1000).regex(/^https?:\/\//, 'must begin with http:// or https://'),
  media,
  /** Returned if it was given. */
  link_text: z.string().optional(),
}

const requestOf = <Type extends (typeof OFFER_TYPES)[number]>(type: Type) =>
  z.strictObject({ type: z.literal(type), ...common })

/** The request body. The three types have the same fields today; the discriminator is checked first. */
export const offerRequest = z.discriminatedUnion(
  'type',
  [requestOf('banner'), requestOf('sale'), requestOf('info')],
  { error: 'must be one of banner, sale, info' },
)
export type OfferRequest = z.infer<typeof offerRequest>

/** `data` of the answer. */
export const offer = z.strictObject({
  type: z.enum(OFFER_TYPES),
  ...common,
  ...writtenAt,
})
export type Offer = z.infer<typeof offer>

/** The whole answer, as the service must write it. */
export const offerResponse = envelopeOf(offer)

/** Reads the answer tolerantly; only `offer_id` must be there. */
export const readOfferAnswer = tolerantReader(offer, 'offer_id')
