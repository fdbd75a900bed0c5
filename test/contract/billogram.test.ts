import { describe, expect, it } from 'vitest'
import {
  billogram,
  billogramEvent,
  billogramPath,
  billogramRequest,
  failedDirectDebit,
  readBillogramAnswer,
  RESPONSE_ONLY_FIELDS,
} from '../../src/contract/billogram.js'
import { samples } from './wire-samples.js'

const { request, response } = samples.updateBillogram
const smallest = { customer: {}, items: [] }
const accepts = (change: object) => billogramRequest.safeParse({ ...smallest, ...change }).success

describe('a billogram update (src/contract/README.md#billogram)', () => {
  it('has the path of the description, the id percent-encoded', () => {
    expect(billogramPath('EXAMPLE1')).toBe('/api/v2/billogram/EXAMPLE1')
    expect(billogramPath('a/b')).toBe('/api/v2/billogram/a%2Fb')
  })

  it('needs customer and items, and nothing else', () => {
    expect(accepts({})).toBe(true)
    expect(accepts({ customer: undefined })).toBe(false)
    expect(accepts({ items: undefined })).toBe(false)
    for (const field of Object.keys(request).filter((name) => name !== 'customer' && name !== 'items')) {
      expect(billogramRequest.safeParse({ ...request, [field]: undefined }).success, field).toBe(true)
    }
  })

  it('refuses the response-only fields', () => {
    expect([...RESPONSE_ONLY_FIELDS].sort()).toEqual(
      [
        ...[
          'id',
          'interest_fee',
          'delivery_method',
          'state',
          'url',
          'recipient_url',
          'recipient_overview_url',
        ],
        ...['flags', 'events', 'remaining_sum', 'total_sum', 'rounding_value', 'reminder_count'],
        ...['created_at', 'updated_at', 'attested_at'],
      ].sort(),
    )
    const answered: Record<string, unknown> = response.data
    for (const field of RESPONSE_ONLY_FIELDS) expect(accepts({ [field]: answered[field] }), field).toBe(false)
  })

  it('leaves the request-only fields out of the answer', () => {
    expect(billogram.safeParse({ ...response.data, return_data: 'complete' }).success).toBe(false)
    expect(
      billogram.safeParse({ ...response.data, registered_payments: request.registered_payments }).success,
    ).toBe(false)
  })

  it.each(['SEK', 'NOK', 'DKK', 'EUR', 'USD', 'CNY', 'RUB', 'TRY'])('currency may be %s', (currency) => {
    expect(accepts({ currency })).toBe(true)
  })

  it.each(['eur', 'GBP', '', null])('currency may not be %j', (currency) => {
    expect(accepts({ currency })).toBe(false)
  })

  it('creditor_unique_value has at most 40 characters of the list', () => {
    const listed = `azAZ09 ,.;:/()[]&%!#^'"*+=?_<>-`
    for (const value of [listed, '', null, undefined, 77, 'x'.repeat(40)]) {
      expect(accepts({ creditor_unique_value: value }), String(value)).toBe(true)
    }
    for (const value of ['x'.repeat(41), true, {}, []]) {
      expect(accepts({ creditor_unique_value: value }), JSON.stringify(value)).toBe(false)
    }
  })

  it.each(Array.from('{}\\@$~`äß€\t\n§°'))('creditor_unique_value may not hold %j', (character) => {
    expect(accepts({ creditor_unique_value: `a${character}b` })).toBe(false)
  })

  it('is null in the answer where the description says so', () => {
    for (const field of [
      'creditor_unique_value',
      'attachment',
      'url',
      'recipient_url',
      'recipient_overview_url',
    ]) {
      expect(billogram.safeParse({ ...response.data, [field]: null }).success, field).toBe(true)
      expect(billogram.safeParse({ ...response.data, [field]: undefined }).success, field).toBe(false)
    }
  })

  it('keeps shipping_date and delivery_date plain texts, order_date a date', () => {
    expect(accepts({ info: { shipping_date: 'soon', delivery_date: '' } })).toBe(true)
    expect(accepts({ info: { order_date: 'soon' } })).toBe(false)
  })

  it('takes base64 as the content of an attachment', () => {
    expect(accepts({ attachment_content: 'JVBERi0xLjQK' })).toBe(true)
    expect(accepts({ attachment_content: '%PDF' })).toBe(false)
  })

  it('external_id is text or null', () => {
    expect(accepts({ items: [{ external_id: null }, { external_id: 'x' }, {}] })).toBe(true)
    expect(accepts({ items: [{ external_id: 1 }] })).toBe(false)
  })

  it('an event has a UUID and any object as its data', () => {
    const [event] = response.data.events
    expect(billogramEvent.safeParse({ ...event, data: { anything: [1] } }).success).toBe(true)
    expect(billogramEvent.safeParse({ ...event, event_uuid: 'x' }).success).toBe(false)
    expect(billogramEvent.safeParse({ ...event, data: 'x' }).success).toBe(false)
  })

  it('a failed direct debit holds amount and full_status', () => {
    expect(failedDirectDebit.safeParse(response.data.events[0]?.data).success).toBe(true)
    expect(failedDirectDebit.safeParse({ amount: '1', full_status: 'x' }).success).toBe(false)
    expect(failedDirectDebit.safeParse({ amount: 1 }).success).toBe(false)
  })

  it('automatic_reminders_settings is a list, empty or null', () => {
    for (const settings of [[], null, [{ delay_days: 5, message: 'x', type: 'Email' }]]) {
      expect(accepts({ automatic_reminders_settings: settings })).toBe(true)
    }
    for (const settings of [{}, [{ delay_days: 1.5 }], [{ channel: 'x' }], [null]]) {
      expect(accepts({ automatic_reminders_settings: settings })).toBe(false)
    }
  })
})

describe('the tolerant reader of an updated billogram', () => {
  it('reads the hand-typed answer as it is', () => {
    expect(readBillogramAnswer(response)).toEqual({
      kind: 'read',
      status: 'OK',
      content: response.data,
      leftOut: [],
    })
  })

  it('reads an answer that holds only the id', () => {
    expect(readBillogramAnswer({ data: { id: 'EXAMPLE1' } })).toMatchObject({ kind: 'read', status: null })
  })
})
