import { describe, expect, it } from 'vitest'
import { billogramResponse, readBillogramAnswer, RESPONSE_ONLY_FIELDS } from '../../src/contract/billogram.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { samples } from '../contract/wire-samples.js'
import { createOffer, start, update as put } from './exchange.js'

const { request } = samples.updateBillogram
const smallest = { customer: { name: 'Erika' }, items: [] }

async function updated(sandbox: Sandbox, change: object) {
  const answer = await put(sandbox, { ...smallest, ...change })
  expect(answer.status, answer.text).toBe(200)
  return billogramResponse.parse(answer.json).data
}

async function expectRefusal(sandbox: Sandbox, change: object, field: string) {
  const answer = await put(sandbox, { ...smallest, ...change })
  expect(answer).toMatchObject({ status: 400, json: { status: 'INVALID_PARAMETER', data: { field } } })
}

const paying = (payment_amount: number) => {
  const payment = { type: 'manual', payment_amount, payment_date: '2025-01-05' }
  return { registered_payments: { payments: [payment] } }
}

describe('PUT /api/v2/billogram/{id}', () => {
  it('returns the billogram with every field that was sent, but for the request-only ones', async () => {
    const sandbox = await start()
    await createOffer(sandbox)
    const answer = await put(sandbox, request)
    const { registered_payments: _payments, return_data: _selection, detailed_sums, ...stored } = request
    expect(billogramResponse.parse(answer.json)).toMatchObject({ status: 'OK', data: stored })
    expect(readBillogramAnswer(answer.json)).toMatchObject({ kind: 'read', leftOut: [] })
    expect(answer.json).not.toHaveProperty('data.registered_payments')
    expect(answer.json).not.toHaveProperty('data.return_data')
    expect(answer.json).toHaveProperty('data.detailed_sums', detailed_sums)
  })

  it('answers the response-only fields', async () => {
    const billogram = await updated(await start(), {})
    const missing = [...RESPONSE_ONLY_FIELDS].filter((name) => !(name in billogram))
    expect(missing).toEqual(['attested_at'])
    expect(billogram.id).toBe('SANDBOX1')
  })

  it('refuses a response-only field by its name', async () => {
    const sandbox = await start()
    for (const field of RESPONSE_ONLY_FIELDS) {
      const answer = await put(sandbox, { ...smallest, [field]: 'x' })
      expect(answer).toMatchObject({ status: 400, json: { status: 'READ_ONLY_PARAMETER', data: { field } } })
    }
  })

  it('does not know a billogram that does not exist', async () => {
    const answer = await put(await start(), smallest, 'NOBODY')
    expect(answer).toMatchObject({ status: 404, json: { status: 'NOT_FOUND', data: { field: null } } })
  })

  it('referenced offers must exist, in any case, and come back as they were created', async () => {
    const sandbox = await start()
    await expectRefusal(sandbox, { offers: [{ offer_id: 'Spring2025' }] }, 'offers.0.offer_id')
    await createOffer(sandbox)
    const billogram = await updated(sandbox, { offers: [{ offer_id: 'SPRING2025' }] })
    expect(billogram.offers).toEqual([{ offer_id: 'Spring2025' }])
    const offers = [{ offer_id: 'spring2025' }, { offer_id: 'Other' }]
    await expectRefusal(sandbox, { offers }, 'offers.1.offer_id')
  })

  it('creditor_unique_value is null when it was never given, a number when it was one', async () => {
    const sandbox = await start()
    expect((await updated(sandbox, {})).creditor_unique_value).toBeNull()
    expect((await updated(sandbox, { creditor_unique_value: 77 })).creditor_unique_value).toBe(77)
    expect((await updated(sandbox, { creditor_unique_value: null })).creditor_unique_value).toBeNull()
  })

  it('creditor_unique_value belongs to one billogram, whatever its case', async () => {
    const sandbox = await start()
    await updated(sandbox, { creditor_unique_value: 'Order A' })
    await updated(sandbox, { creditor_unique_value: 'ORDER a' })
    const answer = await put(sandbox, { ...smallest, creditor_unique_value: 'order a' }, 'SANDBOX2')
    expect(answer).toMatchObject({ status: 400, json: { data: { field: 'creditor_unique_value' } } })
  })

  it('choice 9: the currency is that of the creditor', async () => {
    await expectRefusal(await start(), { currency: 'SEK' }, 'currency')
    expect((await updated(await start(), { currency: 'EUR' })).currency).toBe('EUR')
  })

  it('attachment is null where there is none', async () => {
    const sandbox = await start()
    expect((await updated(sandbox, {})).attachment).toBeNull()
    const withFile = await updated(sandbox, { attachment: 'a.pdf', attachment_content: 'JVBERi0xLjQK' })
    expect(withFile).toMatchObject({ attachment: 'a.pdf', attachment_content: 'JVBERi0xLjQK' })
    expect((await updated(sandbox, { attachment: null })).attachment).toBeNull()
  })

  it('choice 34: null for an object or a list is refused, or leaves it as it is stored', async () => {
    const names = 'offers info regional_sweden automatic_collection callbacks contract detailed_sums'
    const parts = names.split(' ')
    for (const part of parts) await expectRefusal(await start(), { [part]: null }, part)
    const sandbox = await start({ choices: { nullParts: 'keep' } })
    await createOffer(sandbox)
    const { events: _, updated_at: _at, ...stored } = await updated(sandbox, { ...request, ...smallest })
    const kept = await updated(sandbox, Object.fromEntries(parts.map((part) => [part, null])))
    expect(kept).toMatchObject(stored)
    expect(stored.info).toEqual(request.info)
    for (const field of ['customer', 'items', 'due_days', 'currency'])
      await expectRefusal(sandbox, { [field]: null }, field)
    const { automatic_reminders } = await updated(sandbox, { automatic_reminders_settings: null })
    expect(automatic_reminders).toBe(true)
  })

  it('a signing key is kept nowhere and never comes back', async () => {
    const sandbox = await start()
    const first = await put(sandbox, { ...smallest, callbacks: { custom: 'c', sign_key: 'very secret' } })
    expect(first.text).not.toContain('very secret')
    expect(first.json).toMatchObject({ data: { callbacks: { custom: 'c', sign_key: '<SIGNING_SECRET>' } } })
    expect(JSON.stringify(sandbox.billograms())).not.toContain('very secret')
    const cleared = await updated(sandbox, { callbacks: { custom: 'd' } })
    expect(cleared.callbacks).toEqual({ custom: 'd' })
  })

  it('follows the three reminder rules', async () => {
    const sandbox = await start()
    const own = [{ delay_days: 5, message: 'Please pay', type: 'Email' }]
    const account = [{ delay_days: 14, message: 'Your invoice is overdue', type: 'Email' }]
    for (const [change, expected] of [
      [{ automatic_reminders: false }, [false, account]],
      [{ automatic_reminders_settings: own }, [true, own]],
      [{ automatic_reminders_settings: [], automatic_reminders: true }, [false, []]],
      [{ automatic_reminders_settings: null }, [true, account]],
    ] as const) {
      const billogram = await updated(sandbox, change)
      expect([billogram.automatic_reminders, billogram.automatic_reminders_settings]).toEqual(expected)
    }
  })

  it('choice 8: keeps optional fields that an update leaves out', async () => {
    const sandbox = await start()
    await updated(sandbox, { due_days: 10, info: { message: 'a', order_no: '1' } })
    const billogram = await updated(sandbox, { info: { message: 'b' } })
    expect(billogram).toMatchObject({ due_days: 10, invoice_no: 1 })
    expect(billogram.info).toEqual({ message: 'b' })
  })
})

describe('events of a billogram', () => {
  it('every registered payment adds one, with its time, UUID and billogram id', async () => {
    const sandbox = await start({ now: () => new Date('2025-02-03T04:05:06Z') })
    await updated(sandbox, paying(1))
    expect((await updated(sandbox, {})).events).toHaveLength(1)
    const { events } = await updated(sandbox, paying(1))
    expect(events).toHaveLength(2)
    expect(new Set(events.map((event) => event.event_uuid)).size).toBe(2)
    expect(events[1]).toMatchObject({
      type: 'Payment',
      created_at: '2025-02-03T04:05:06.000Z',
      billogram_id: 'SANDBOX1',
      data: paying(1).registered_payments.payments[0],
    })
  })

  it('choice 12: registered payments reduce what remains, change the state and add events', async () => {
    const sandbox = await start()
    const items = [{ count: 2, price: 50, discount: 10, vat: 19 }, { price: 10 }]
    const fees = { items, invoice_fee: 2.5, invoice_fee_vat: 0.48 }
    const payment = (amount: number) => ({ ...fees, ...paying(amount) })
    const partly = await updated(sandbox, payment(100))
    expect(partly).toMatchObject({ state: 'Unpaid', total_sum: 120.08, remaining_sum: 20.08 })
    const sums = { net_sum: 100, vat_sum: 17.1, gross_sum: 117.1, paid_sum: 100 }
    expect(partly.detailed_sums).toMatchObject(sums)
    const paid = await updated(sandbox, payment(20.08))
    expect(paid).toMatchObject({ state: 'Paid', remaining_sum: 0 })
    expect(paid.events.filter((event) => event.type === 'Payment')).toHaveLength(2)
  })

  it.each([
    { items: [{ count: 1e200, price: 1e200 }] },
    { items: [{ price: 1e308 }, { price: -1e308 }] },
    { invoice_fee: 1e300, invoice_fee_vat: -1e300 },
    { reminder_fee: 1e300 },
    { items: [{ price: 1, vat: 1e308 }] },
  ])('choice 12: refuses sums that a JSON number cannot keep exact: %j', async (change) => {
    await expectRefusal(await start(), change, 'items')
  })
})
