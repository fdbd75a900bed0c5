import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  billogram,
  billogramEvent,
  billogramPath,
  billogramRequest,
  billogramResponse,
  failedDirectDebit,
  offer,
  OFFER_PATH,
  OFFER_TYPES,
  offerRequest,
  offerResponse,
  readBillogramAnswer,
  readOfferAnswer,
  RESPONSE_ONLY_FIELDS,
} from '../../src/contract/billogram.js'
import { migrateRequest, migrateResponse } from '../../src/contract/mandates.js'
import { namesOf, placesIn, samples } from './wire-samples.js'

describe.each<[string, z.ZodType, unknown]>([
  ['create-offer.request', offerRequest, samples.createOffer.request],
  ['create-offer.response', offerResponse, samples.createOffer.response],
  ['update-billogram.request', billogramRequest, samples.updateBillogram.request],
  ['update-billogram.response', billogramResponse, samples.updateBillogram.response],
  ['migrate-mandate.request', migrateRequest, samples.migrateMandate.request],
  ['migrate-mandate.response', migrateResponse, samples.migrateMandate.response],
])('the hand-typed sample %s', (_, schema, sample) => {
  it('passes the strict schema unchanged, and shows exactly the fields that it knows: a walk over it forgets none', () => {
    expect(schema.parse(sample)).toEqual(sample)
    const shown = new Set(placesIn(sample).map(({ path }) => namesOf(path)))
    const bound = [...shown].filter((name) => !name.startsWith('data.events.[].data.'))
    expect(bound.sort()).toEqual([...new Set(fieldsOf(z.toJSONSchema(schema)))].sort())
  })
})

/** Every documented name of a JSON schema, `[]` for list elements. */
function fieldsOf(schema: z.core.JSONSchema._JSONSchema, prefix = ''): string[] {
  if (typeof schema === 'boolean') return []
  const { properties = {}, items, anyOf = [], oneOf = [] } = schema
  const children = Object.entries(properties)
  if (items !== undefined && !Array.isArray(items)) children.push(['[]', items])
  const named = children.flatMap(([name, child]) => [prefix + name, ...fieldsOf(child, `${prefix}${name}.`)])
  return [...named, ...[...anyOf, ...oneOf].flatMap((option) => fieldsOf(option, prefix))]
}

/** Which of these values of a field a request may hold, beside what it needs. */
const taken = (schema: z.ZodType, whole: object, field: string, values: readonly unknown[]): unknown[] =>
  values.filter((value) => schema.safeParse({ ...whole, [field]: value }).success)

describe('a billogram update (src/contract/README.md#billogram)', () => {
  const { request, response } = samples.updateBillogram
  const accepts = (change: object) =>
    billogramRequest.safeParse({ customer: {}, items: [], ...change }).success
  const answers = (change: object) => billogram.safeParse({ ...response.data, ...change }).success

  it('has the path of the description, the id percent-encoded', () => {
    expect(billogramPath('EXAMPLE1')).toBe('/api/v2/billogram/EXAMPLE1')
    expect(billogramPath('a/b')).toBe('/api/v2/billogram/a%2Fb')
  })

  it('needs customer and items, and nothing else', () => {
    expect(accepts({})).toBe(true)
    const needed = Object.keys(request).filter((name) => {
      const { [name]: _, ...rest }: Record<string, unknown> = request
      return !billogramRequest.safeParse(rest).success
    })
    expect(needed.sort()).toEqual(['customer', 'items'])
  })

  it('refuses the response-only fields, and the answer the request-only ones', () => {
    const known =
      'id interest_fee delivery_method state url recipient_url recipient_overview_url flags events remaining_sum ' +
      'total_sum rounding_value reminder_count created_at updated_at attested_at'
    expect([...RESPONSE_ONLY_FIELDS].sort()).toEqual(known.split(' ').sort())
    const answered: Record<string, unknown> = response.data
    expect([...RESPONSE_ONLY_FIELDS].filter((field) => accepts({ [field]: answered[field] }))).toEqual([])
    expect(answers({})).toBe(true)
    expect(answers({ return_data: 'complete' })).toBe(false)
    expect(answers({ registered_payments: request.registered_payments })).toBe(false)
  })

  const listed = `azAZ09 ,.;:/()[]&%!#^'"*+=?_<>-`
  const unlisted = Array.from('{}\\@$~`äß€\t\n§°', (character) => `a${character}b`)
  it.each<[string, may: unknown[], mayNot: unknown[]]>([
    ['currency', ['SEK', 'NOK', 'DKK', 'EUR', 'USD', 'CNY', 'RUB', 'TRY'], ['eur', 'GBP', '', null]],
    ['creditor_unique_value', [listed, '', null, undefined, 77, 'x'.repeat(40)], ['x'.repeat(41), true, {}]],
    ['creditor_unique_value', [], [[], ...unlisted]],
    ['info', [{ shipping_date: 'soon', delivery_date: '' }], [{ order_date: 'soon' }]],
    ['attachment_content', ['JVBERi0xLjQK'], ['%PDF']],
    ['items', [[{ external_id: null }, { external_id: 'x' }, {}]], [[{ external_id: 1 }]]],
    ['automatic_reminders_settings', [[], null, [{ delay_days: 5, message: 'x', type: 'Email' }]], [{}]],
    ['automatic_reminders_settings', [], [[{ delay_days: 1.5 }], [{ channel: 'x' }], [null]]],
  ])('%s may be some values and no others', (field, may, mayNot) => {
    expect(taken(billogramRequest, { customer: {}, items: [] }, field, [...may, ...mayNot])).toEqual(may)
  })

  it.each(['creditor_unique_value', 'attachment', 'url', 'recipient_url', 'recipient_overview_url'])(
    '%s is null in the answer where there is none, and never missing',
    (field) => expect(taken(billogram, response.data, field, [null, undefined])).toEqual([null]),
  )

  it('an event has a UUID and any object as its data; a failed direct debit amount and full_status', () => {
    const [event] = response.data.events
    expect(taken(billogramEvent, event!, 'data', [{ anything: [1] }, 'x'])).toEqual([{ anything: [1] }])
    expect(taken(billogramEvent, event!, 'event_uuid', ['x'])).toEqual([])
    expect(failedDirectDebit.safeParse(event?.data).success).toBe(true)
    expect(failedDirectDebit.safeParse({ amount: '1', full_status: 'x' }).success).toBe(false)
    expect(failedDirectDebit.safeParse({ amount: 1 }).success).toBe(false)
  })

  it('is read as it is, and where the answer holds only the id', () => {
    const read = { kind: 'read', status: 'OK', content: response.data, leftOut: [] }
    expect(readBillogramAnswer(response)).toEqual(read)
    expect(readBillogramAnswer({ data: { id: 'EXAMPLE1' } })).toMatchObject({ kind: 'read', status: null })
  })
})

describe('an offer (src/contract/README.md#offer)', () => {
  const { request, response } = samples.createOffer
  const { media } = request
  const link = 'https://a.example/'.padEnd(1000, 'x')

  it('is created under the path of the description, with the types of it', () => {
    expect([OFFER_PATH, ...OFFER_TYPES]).toEqual(['/api/v2/offer', 'banner', 'sale', 'info'])
  })

  it.each<[string, may: unknown[], mayNot: unknown[]]>([
    ['type', ['banner', 'sale', 'info'], ['Banner', '', 'offer', null, undefined, 1]],
    ['offer_id', ['A', 'a1', 'x'.repeat(30), '0'], ['', ' ', 'x'.repeat(31), 'a b', 'a-b', 'a_b', 'ä']],
    ['offer_id', [], ['abc\n', '\u0660', null, 7, undefined]],
    ['title', ['x'.repeat(200), '🙂'.repeat(200)], ['x'.repeat(201), undefined]],
    ['text', ['x'.repeat(1000), '🙂'.repeat(1000)], ['x'.repeat(1001), undefined]],
    ['info_link', ['http://a.example', link], [`${link}x`, 'ftp://a.example', 'https:a.example']],
    ['info_link', [], ['https:/a.example', 'HTTPS://a.example', ' https://a.example', '', undefined]],
    ['media', [{ ...media, picture: 'AAA=' }], [undefined, {}, { picture: media.picture }]],
    ['media', [], [{ picture_type: 'image/png' }, { ...media, picture: 'not base64!' }]],
    [
      'media',
      [],
      [
        { ...media, picture_type: 'png' },
        { ...media, size: 1 },
      ],
    ],
    ['link_text', [undefined], []],
    ['colour', [], ['red']],
    ['created_at', [], ['2025-03-01T09:30:00Z']],
  ])('%s may be some values and no others', (field, may, mayNot) => {
    expect(taken(offerRequest, request, field, [...may, ...mayNot])).toEqual(may)
  })

  it('is read as it is, without its link_text too, and not without an offer_id', () => {
    const read = { kind: 'read', status: 'OK', content: response.data, leftOut: [] }
    expect(readOfferAnswer(response)).toEqual(read)
    const { link_text: _, ...rest } = response.data
    expect(offer.safeParse(rest).success).toBe(true)
    const reason = 'data.offer_id is missing or blank'
    for (const offer_id of [undefined, '', ' ', 7, null]) {
      const reading = readOfferAnswer({ ...response, data: { ...response.data, offer_id } })
      expect(reading).toEqual({ kind: 'unreadable', reason })
    }
  })
})
