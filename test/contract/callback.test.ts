import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCallback } from '../../src/contract/callback.js'
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
    expect(reading).toMatchObject({
      callback: { event: { type: 'Unknown', data } },
      failedDirectDebit: { amount: 119, full_status: 'Insufficient funds' },
    })
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
  ])('cannot read %s', (body, reason) => {
    expect(readCallback(body)).toEqual({ kind: 'unreadable', reason })
  })

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
