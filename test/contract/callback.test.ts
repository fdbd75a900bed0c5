import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCallback, verifyCallback } from '../../src/contract/callback.js'
import { samples } from './wire-samples.js'

const [failed] = samples.updateBillogram.response.data.events
const sent = { callback_id: 'cb-1', callback_timestamp: '2025-01-02T08:00:00' }
const published = { ...sent, callback_type: 'BillogramEvent', custom: 'order-77' }
const read = (json: unknown) => readCallback(JSON.stringify(json))

describe('reading a callback (src/contract/README.md#callbacks)', () => {
  it.each([
    ...['BillogramCreated', 'BillogramSent', 'DeliveryFailed', 'Resent', 'ReminderSent'],
    ...['Payment', 'BillogramEnded', 'Credit', 'A word of tomorrow'],
  ])('has the event %s with its fields', (type) => {
    const event = { ...failed, type, data: { amount: 5 } }
    const callback = { ...published, event }
    expect(read(callback)).toEqual({ kind: 'read', callback, failedDirectDebit: null, leftOut: [] })
  })

  it('knows a failed direct debit by its fields, whatever its type is called', () => {
    const data = { amount: 119, full_status: 'Insufficient funds', more: 1 }
    const reading = read({ ...published, event: { type: 'Unknown', data } })
    const failedDirectDebit = { amount: 119, full_status: 'Insufficient funds' }
    expect(reading).toMatchObject({ callback: { event: { type: 'Unknown', data } }, failedDirectDebit })
    expect(read({ ...published, event: failed })).toMatchObject({ failedDirectDebit: failed?.data })
  })

  it.each([{ amount: '119', full_status: 'x' }, { amount: 119 }, { full_status: 'x' }, {}, null])(
    'takes no other data for one: %j',
    (data) => expect(read({ ...published, event: { data } })).toMatchObject({ failedDirectDebit: null }),
  )

  it.each(['PaymentRecalled', 'RecipientUpdated'])('keeps what a %s brings', (callback_type) => {
    const callback = { ...sent, callback_timestamp: 1735804800, callback_type, custom: null, more: {} }
    expect(read(callback)).toEqual({ kind: 'read', callback, failedDirectDebit: null, leftOut: [] })
  })

  it('names what has another shape, and reads the rest', () => {
    expect(read({ ...published, custom: 7, event: { ...failed, event_uuid: 'x' } })).toMatchObject({
      callback: { callback_type: 'BillogramEvent', event: { type: failed?.type } },
      leftOut: ['custom', 'event.event_uuid'],
    })
  })

  it('takes bytes, with a mark at their beginning too', () => {
    const body = Buffer.from(`\uFEFF${JSON.stringify(published)}`)
    expect(readCallback(body)).toMatchObject({ callback: published })
  })

  it.each([
    ['', 'the body is not JSON'],
    [Buffer.from([0x22, 0xff, 0x22]), 'the body is not JSON'],
    ['{"callback_type":" "}', 'callback_type is missing or blank'],
    ['[]', 'callback_type is missing or blank'],
    ['null', 'callback_type is missing or blank'],
  ])('cannot read %s', (body, reason) => expect(readCallback(body)).toEqual({ kind: 'unreadable', reason }))

  it.each(['toString', 'constructor', '__proto__'])('keeps a field that is called %s', (name) => {
    const body = JSON.stringify({ ...published, event: {} }).replace('"event":{}', `"event":{"${name}":[]}`)
    const reading = readCallback(body)
    expect(reading).toMatchObject({ kind: 'read', leftOut: [] })
    expect(JSON.stringify(reading)).toContain(`"${name}":[]`)
  })

  it('never throws', () => {
    const isRead = (event: unknown) => read({ ...published, event }).kind === 'read'
    fc.assert(fc.property(fc.jsonValue(), isRead))
  })
})

// Signed by hand: printf '%s' "1735804800:$BODY" | openssl dgst -sha256 -hmac 'very secret'
const KEY = 'very secret'
const BODY =
  '{"callback_id":"cb-1","callback_timestamp":"2025-01-02T08:00:00","callback_type":"BillogramEvent","custom":"order-77","event":{"type":"Payment"}}'
const HEX = '8256f2fcc255fa20011e130865d92dc6aa892f14c18cb6187e6dab6447fb2f1b'
const BASE64 = 'glby/MJV+iABHhMIZdktxqqJLxTBjLYYfm2rZEf7Lxs='
const TIME = '1735804800'

const headersOf = (at: string, by: string) => ({
  'billogram-request-timestamp': at,
  'billogram-signature': by,
})
const headers = headersOf(TIME, HEX)

describe('verifying a callback', () => {
  it.each([HEX, HEX.toUpperCase(), BASE64])('takes the published signature, written as %s', (text) => {
    const verified = { kind: 'verified', timestamp: TIME }
    for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY)])
      expect(verifyCallback({ headers: headersOf(TIME, text), body }, KEY)).toEqual(verified)
  })

  it('finds the headers in any case', () => {
    const given = { Host: 'a', 'Billogram-Request-Timestamp': TIME, 'BILLOGRAM-SIGNATURE': [HEX] }
    expect(verifyCallback({ headers: given, body: BODY }, KEY).kind).toBe('verified')
    const fetched = new Headers(headers)
    expect(verifyCallback({ headers: Object.fromEntries(fetched), body: BODY }, KEY).kind).toBe('verified')
  })

  it.each([
    ['time', headersOf('1735804801', HEX), BODY, KEY],
    ['body', headers, `${BODY} `, KEY],
    ['key', headers, BODY, 'very secret '],
    ['border of time and body', headersOf('173580480', HEX), `0:${BODY}`, KEY],
    ['digit of the signature', headersOf(TIME, HEX.replace(/b$/, 'c')), BODY, KEY],
    // With the empty key anybody could sign; what somebody parsed is not what was signed.
    ['key, the empty one', headers, BODY, '', 'the signing key is empty'],
    ['body, a parsed one', headers, JSON.parse(BODY) as string, KEY, 'not what was received'],
  ])(
    'refuses another %s',
    (_what, given, body, key, why = 'its signature is not of this time, body and key') => {
      const reason = expect.stringContaining(why) as string
      expect(verifyCallback({ headers: given, body }, key)).toEqual({ kind: 'refused', reason })
    },
  )

  it.each([
    ['no header Billogram-Request-Timestamp', { 'billogram-signature': HEX }, 'Billogram-Request-Timestamp'],
    ['an empty one', headersOf('', HEX), 'Billogram-Request-Timestamp'],
    ['no signature', { 'billogram-request-timestamp': TIME }, 'Billogram-Signature'],
    ['two signatures', { ...headers, 'Billogram-Signature': HEX }, 'Billogram-Signature'],
    ['a list of two', { ...headers, 'billogram-signature': [HEX, HEX] }, 'Billogram-Signature'],
    ['half of one', headersOf(TIME, HEX.slice(0, 32)), 'Billogram-Signature'],
    ['an algorithm in front', headersOf(TIME, `sha256=${HEX}`), 'Billogram-Signature'],
  ])('says so of %s', (_what, given, named) => {
    const verdict = verifyCallback({ headers: given, body: BODY }, KEY)
    expect(verdict).toMatchObject({ kind: 'refused', reason: expect.stringContaining(named) as string })
    expect(JSON.stringify(verdict)).not.toContain(HEX.slice(0, 8))
  })

  it('verifies nothing by chance, and never throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.uint8Array(), fc.string(), (time, signature, body, key) => {
        expect(verifyCallback({ headers: headersOf(time, signature), body }, key).kind).toBe('refused')
      }),
    )
  })
})
