import { z } from 'zod'
import {
  API_PREFIX,
  envelopeOf,
  wireDate,
  writtenAt,
  base64Text,
  textUpTo,
  tolerantReader,
} from './envelope.js'

/** Creates an offer (contract/README.md#offer). */
export const OFFER_PATH = `${API_PREFIX}/offer`

/** The discriminator of an offer. */
export const OFFER_TYPES = ['banner', 'sale', 'info'] as const

/** At most 30 letters and digits, so never blank. Unique without regard to case: the service checks that. */
const offerId = textUpTo(30).regex(/^[A-Za-z0-9]+$/, 'must be letters and digits, at least one')

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
export const offer = z.strictObject({ type: z.enum(OFFER_TYPES), ...common, ...writtenAt })
export type Offer = z.infer<typeof offer>

/** The whole answer, as the service must write it. */
export const offerResponse = envelopeOf(offer)

/** Reads the answer tolerantly; only `offer_id` must be there. */
export const readOfferAnswer = tolerantReader(offer, 'offer_id')

/** Updates a billogram (contract/README.md#billogram). */
export const BILLOGRAM_PATH = `${API_PREFIX}/billogram`
export const billogramPath = (id: string): string => `${BILLOGRAM_PATH}/${encodeURIComponent(id)}`

/** Billing currencies; which one is allowed follows from the creditor's country. */
const CURRENCIES = ['SEK', 'NOK', 'DKK', 'EUR', 'USD', 'CNY', 'RUB', 'TRY'] as const

const text = z.string().optional()
const integer = z.int().optional()
const amount = z.number().optional()
const flag = z.boolean().optional()
const day = wireDate.optional()

/** Several optional fields of one type in one object. */
const all =
  <Type extends z.ZodType>(type: Type) =>
  <const Name extends string>(...names: Name[]) =>
    Object.fromEntries(names.map((name) => [name, type])) as Record<Name, Type>
const [texts, integers, amounts] = [all(text), all(integer), all(amount)]
const nullableTexts = all(z.string().nullable())

/** An object that may be left out. */
const part = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.strictObject(shape).optional()

const addressLines = {
  ...texts('address_line_1', 'address_line_2', 'address_line_3', 'administrative_area'),
  ...texts('dependent_locality', 'organization', 'sorting_code'),
}
const place = texts('zipcode', 'city', 'country')

export const customer = z.strictObject({
  customer_no: integer,
  ...texts('org_no', 'name', 'email', 'vat_no', 'phone'),
  address: part({
    ...texts('careof', 'attention'),
    use_careof_as_attention: flag,
    ...addressLines,
    ...place,
  }),
  delivery_address: part({ ...texts('name', 'careof', 'attention'), ...addressLines, ...place }),
  permanent_establishment_address: part({
    ...texts('name', 'additional_name', 'family_name'),
    ...addressLines,
    ...place,
  }),
  edi: part({ electronic_id: integer, ...texts('operator', 'reference', 'note') }),
})

const electricityCollection = z.strictObject({
  kommunkod: integer,
  naringsidkare: flag,
  avflyttad: flag,
  avflyttad_datum: day,
  frankopplad: flag,
  frankopplad_datum: day,
  ...texts('anladr', 'natom'),
  arsforb: integer,
  ...texts('anlid', 'kravmall', 'plombkod'),
  slutfaktura: flag,
  ...integers('objtyp', 'faktforb', 'faktfrek'),
  nyttighet: text,
})

const billogramItem = z.strictObject({
  ...texts('item_no', 'title', 'description', 'unit'),
  ...amounts('count', 'price', 'vat', 'discount'),
  start_date: day,
  end_date: day,
  external_id: z.string().nullable().optional(),
  bookkeeping: part({
    ...texts('income_account', 'vat_account'),
    objects: z
      .array(
        z.strictObject({ dimension_id: integer, ...texts('object_id', 'dimension_name', 'object_name') }),
      )
      .optional(),
  }),
  regional_sweden: part({ rotavdrag: flag, electricity_collection: electricityCollection.optional() }),
})
export type BillogramItem = z.infer<typeof billogramItem>

/** The shape of `data` depends on the event, so any object passes. */
export const billogramEvent = z.strictObject({
  type: z.string(),
  created_at: z.string(),
  event_uuid: z.uuid(),
  billogram_id: z.string(),
  data: z.looseObject({}),
})
export type BillogramEvent = z.infer<typeof billogramEvent>

/** `data` of the event of a failed direct debit. */
export const failedDirectDebit = z.strictObject({ amount: z.number(), full_status: z.string() })

const reminder = z.strictObject({ delay_days: integer, ...texts('message', 'type') })
export type Reminder = z.infer<typeof reminder>

/** `creditor_unique_value`: these characters and no other, at most 40, or a number; null when it was left out. */
const uniqueValue = z
  .union([
    textUpTo(40).regex(/^[a-zA-Z0-9 ,.;:/()[\]&%!#^'"*+=?_<>-]*$/, 'holds a character that is not allowed'),
    z.number(),
  ])
  .nullable()

/** The fields that travel in both directions with one shape. */
const shared = {
  invoice_no: integer,
  ocr_number: text,
  customer,
  items: z.array(billogramItem),
  invoice_date: day,
  due_date: day,
  ...integers('due_days', 'reminder_due_days'),
  respite_date: day,
  ...amounts('invoice_fee', 'invoice_fee_vat', 'reminder_fee', 'interest_rate'),
  currency: z.enum(CURRENCIES).optional(),
  info: part({
    order_no: text,
    order_date: day,
    ...texts('our_reference', 'your_reference', 'shipping_date', 'delivery_date'),
    ...texts('reference_number', 'footer_text', 'message'),
  }),
  regional_sweden: part({
    rotavdrag: integer,
    ...texts('rotavdrag_personal_number', 'rotavdrag_description', 'rotavdrag_description_of_property'),
    ...texts('rotavdrag_apartment_designation', 'rotavdrag_housing_association_org_no'),
    autogiro_betalarnummer: text,
    autogiro_payment_date: day,
    ...texts('autogiro_status', 'autogiro_full_status'),
    autogiro_total_sum: amount,
  }),
  automatic_reminders: flag,
  automatic_collection: part({ delay_days: integer, amount, use_default_settings: flag }),
  /** `sign_key` is a secret. */
  callbacks: part(texts('url', 'custom', 'sign_key')),
  contract: part({ start_date: day, end_date: day }),
  detailed_sums: part({
    ...amounts('collector_paid_sum', 'credited_sum', 'gross_sum', 'interest_fee', 'invoice_fee'),
    ...amounts('invoice_fee_vat', 'net_sum', 'paid_sum', 'remaining_sum', 'reminder_fee'),
    ...amounts('rounding', 'vat_sum'),
    regional_sweden: part({ rotavdrag_sum: amount }),
  }),
  attachment_content: base64Text.optional(),
  reference_invoice_no: text,
  reference_invoice_date: day,
  reversed_vat: flag,
  ...texts('reversed_vat_reason', 'reversed_vat_reason_reference'),
  self_billing_invoice: part(texts('type', 'serial_number')),
  offer_invoice_info: part(texts('message', 'asset_id')),
  dunning: part(texts('requested_segment')),
  pdf: part(texts('template', 'slip_style')),
  offers: z.array(z.strictObject({ offer_id: offerId })).optional(),
  on_success: part(texts('command', 'method')),
}

/** Request only. */
const registeredPayments = z.strictObject({
  payments: z.array(z.strictObject({ type: z.string(), payment_amount: z.number(), payment_date: wireDate })),
})

/** The request body: `customer` and `items` are required, every other field is optional. */
export const billogramRequest = z.strictObject({
  ...shared,
  creditor_unique_value: uniqueValue.optional(),
  /** Null means the business account's default settings. */
  automatic_reminders_settings: z.array(reminder).nullable().optional(),
  attachment: z.string().nullable().optional(),
  registered_payments: registeredPayments.optional(),
  return_data: text,
})
export type BillogramRequest = z.infer<typeof billogramRequest>

/** What only the service sets. */
const responseOnly = {
  id: z.string(),
  interest_fee: z.number(),
  delivery_method: z.string(),
  state: z.string(),
  ...nullableTexts('url', 'recipient_url', 'recipient_overview_url'),
  flags: z.array(z.string()),
  events: z.array(billogramEvent),
  remaining_sum: z.number(),
  total_sum: z.number(),
  rounding_value: z.number(),
  reminder_count: z.int(),
  ...writtenAt,
  /** Missing until the billogram is attested: null is not shown for it. */
  attested_at: text,
}
export const RESPONSE_ONLY_FIELDS: ReadonlySet<string> = new Set(Object.keys(responseOnly))

/** `data` of the answer, response-only fields included, request-only ones left out. */
export const billogram = z.strictObject({
  ...responseOnly,
  ...shared,
  creditor_unique_value: uniqueValue,
  automatic_reminders_settings: z.array(reminder),
  /** Null if there is no attachment. */
  attachment: z.string().nullable(),
})
export type Billogram = z.infer<typeof billogram>

/** The whole answer, as the service must write it. */
export const billogramResponse = envelopeOf(billogram)

/** Reads the answer tolerantly; only `id` must be there. */
export const readBillogramAnswer = tolerantReader(billogram, 'id')
