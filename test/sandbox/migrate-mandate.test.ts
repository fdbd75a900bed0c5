import { describe, expect, it, onTestFinished } from 'vitest'
import { connectService } from '../../src/migrate/migrate.js'
import {
  customerResponse,
  readPaymentSources,
  paymentSourceResponse,
  paymentSourcesResponse,
} from '../../src/contract/mandates.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { exchange, start, migrate as migrateAs } from './exchange.js'
import { samples } from '../contract/wire-samples.js'
import { freshFolder } from '../support/folder.js'
import { join } from 'node:path'

const get = (sandbox: Sandbox, customerNo: number | string = 1007) =>
  exchange(sandbox, 'GET', `/api/v2/customer/${customerNo}`)
const nameOf = async (sandbox: Sandbox, customerNo?: number) =>
  customerResponse.parse((await get(sandbox, customerNo)).json).data.name

describe('GET /api/v2/customer/{customer_no}', () => {
  it('answers in the published form with those of the file, and knows nobody else', async () => {
    const sandbox = await start({
      customers: [
        { customer_no: 1007, name: 'Nordwind AB', org_no: '556123-4567', contact_name: 'Åsa Sjöberg' },
        { customer_no: 1008, name: 'Jürgen Müller' },
      ],
    })
    const { data } = customerResponse.parse((await get(sandbox)).json)
    expect(data).toMatchObject({ customer_no: 1007, name: 'Nordwind AB', org_no: '556123-4567' })
    expect(data.contact).toMatchObject({ name: 'Åsa Sjöberg' })
    expect(await nameOf(sandbox, 1008)).toBe('Jürgen Müller')
    expect(await get(sandbox, 1009)).toMatchObject({ status: 404, json: { status: 'NOT_FOUND' } })
  })

  it('knows everybody without a file, by names that the seed decides', async () => {
    const [one, same, other] = [await start({ seed: 5 }), await start({ seed: 5 }), await start({ seed: 6 })]
    const namesOf = (sandbox: Sandbox) => Promise.all([1, 2, 3, 4, 5].map((no) => nameOf(sandbox, no)))
    const names = await namesOf(one)
    expect(await namesOf(same)).toEqual(names)
    expect(await namesOf(other)).not.toEqual(names)
    expect(new Set(names).size).toBeGreaterThan(2)
  })

  it('makes many wait at once without a word of warning', async () => {
    const warnings: string[] = []
    const heard = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', heard)
    onTestFinished(() => void process.off('warning', heard))
    const sandbox = await start({ latencyMs: 30 })
    const answers = await Promise.all(Array.from({ length: 24 }, (_, at) => get(sandbox, at + 1)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 24 }, () => 200))
    expect(warnings).toEqual([])
  })

  it('refuses what is no number', async () => {
    const sandbox = await start()
    for (const wrong of ['0', '-1', 'abc', '1.5', '9007199254740992'])
      expect(await get(sandbox, wrong), wrong).toMatchObject({ status: 400 })
  })

  it('has another name where it is scripted so', async () => {
    const fault = { kind: 'nonsense', answer: 'another_name' } as const
    const sandbox = await start({ faults: [{ operation: 'customer', match: { customer_no: 1 }, fault }] })
    expect(await nameOf(sandbox, 1)).not.toBe(await nameOf(await start(), 1))
    expect(await nameOf(sandbox, 2)).toBe(await nameOf(await start(), 2))
  })
})

describe('the typed client', () => {
  it('reads who a customer is', async () => {
    const sandbox = await start({ customers: [{ customer_no: 1007, name: 'Nordwind AB' }] })
    const client = connectService({ baseUrl: sandbox.url, username: 'sandbox', password: 'sandbox' })
    onTestFinished(() => client.close())
    const ask = (customerNo: number) => client.getCustomer(customerNo, { requestId: 'id-1' })
    const names = ['Nordwind AB', 'Nordwind AB']
    expect(await ask(1007)).toMatchObject({ kind: 'registered', value: { names } })
    expect(await ask(1008)).toMatchObject({ kind: 'refused', evidence: { status: 404 } })
    expect(await ask(0)).toMatchObject({ kind: 'not_sent' })
    expect(sandbox.requests().received.customer).toBe(2)
  })

  it('lists the payment sources of a customer, asks for no impossible one, and never rejects', async () => {
    const sandbox = await start()
    const client = connectService({ baseUrl: sandbox.url, username: 'sandbox', password: 'sandbox' })
    onTestFinished(() => client.close())
    await migrate(sandbox, { customer_no: 7 })
    const list = (customerNo: number) => client.listPaymentSources(customerNo, { requestId: 'id-1' })
    const signedAt = `${samples.migrateMandate.request.signed_date}T00:00:00`
    expect(await list(7)).toMatchObject({ kind: 'listed', status: 200, sources: [{ signedAt }] })
    expect(await list(8)).toMatchObject({ kind: 'listed', sources: [] })
    expect(await list(1.5)).toMatchObject({ kind: 'not_read', started: false, canRepeat: false })
    await sandbox.close()
    expect(await list(7)).toMatchObject({ kind: 'not_read', canRepeat: true })
  })
})

const { amendment } = samples.migrateMandate.request
const PATH = '/api/v2/payment_source'

let references = 0
const migrate = (sandbox: Sandbox, change: object = {}) =>
  migrateAs(sandbox, {
    amendment: { ...amendment, unique_mandate_reference: `OLD-${(references += 1)}` },
    ...change,
  })
const list = (sandbox: Sandbox, customerNo: number | string = 1042) =>
  exchange(sandbox, 'GET', `${PATH}?customer_no=${customerNo}`)
const cancel = (sandbox: Sandbox, id: string) =>
  exchange(sandbox, 'POST', `${PATH}/${id}/cancel`, { body: {} })
const idsOf = async (sandbox: Sandbox, customerNo?: number) => {
  const reading = readPaymentSources((await list(sandbox, customerNo)).json)
  return reading.kind === 'read' ? reading.sources.map(({ id }) => id ?? '') : []
}

describe('GET /api/v2/payment_source', () => {
  it('choice 6: lists both mandates that the sandbox truly holds of a customer, in the published form', async () => {
    const sandbox = await start()
    await migrate(sandbox)
    await migrate(sandbox, { customer_no: 7 })
    await migrate(sandbox, { signed_date: '2018-01-31' })
    const answer = await list(sandbox)
    expect(answer.status).toBe(200)
    const [first, , third] = sandbox.mandates()
    const { data } = paymentSourcesResponse.parse(answer.json)
    expect(data).toMatchObject([
      {
        status: 'PENDING',
        scheme: 'SEPA_DIRECT_DEBIT',
        details: {
          reference: first?.unique_mandate_reference,
          iban: 'DE89370400440532013000',
          signed_at: '2017-03-09T00:00:00',
        },
      },
      { details: { reference: third?.unique_mandate_reference, signed_at: '2018-01-31T00:00:00' } },
    ])
    expect(new Set(data.map(({ id }) => id)).size).toBe(2)
  })

  it('answers 204 for a customer without any, and refuses what is no such question', async () => {
    const sandbox = await start()
    expect(await list(sandbox, 1)).toMatchObject({ status: 204, text: '' })
    const json = { status: 'INVALID_PARAMETER', data: { field: 'customer_no' } }
    for (const wrong of ['', '0', '-1', 'abc', '1.5', '9007199254740992'])
      expect(await list(sandbox, wrong), wrong).toMatchObject({ status: 400, json })
    expect((await exchange(sandbox, 'GET', PATH)).status).toBe(400)
  })

  it('shows a new mandate only after the lag', async () => {
    let now = Date.parse('2025-01-01T00:00:00Z')
    const sandbox = await start({ readBackLagMs: 5_000, now: () => new Date(now) })
    await migrate(sandbox)
    expect((await list(sandbox)).status).toBe(204)
    now += 4_999
    expect((await list(sandbox)).status).toBe(204)
    now += 1
    expect(await idsOf(sandbox)).toHaveLength(1)
  })

  it('is not there where nothing beyond the interface is, and neither are customers', async () => {
    const sandbox = await start({ readBack: 'off' })
    await migrate(sandbox)
    const unknown = await exchange(sandbox, 'GET', '/api/v2/elsewhere')
    expect(await list(sandbox)).toMatchObject({ status: 404, json: unknown.json })
    expect((await exchange(sandbox, 'GET', '/api/v2/customer/1042')).status).toBe(404)
  })
})

describe('POST /api/v2/payment_source/{id}/cancel', () => {
  it('cancels, answers with the source, lists it as cancelled, and keeps that in the file', async () => {
    const dataFile = join(freshFolder(), 'state.db')
    const sandbox = await start({ dataFile })
    await migrate(sandbox)
    const [id = ''] = await idsOf(sandbox)
    const answer = await cancel(sandbox, id)
    expect(answer.status).toBe(200)
    expect(paymentSourceResponse.parse(answer.json).data).toMatchObject({ id, status: 'CANCELLED' })
    const { data } = paymentSourcesResponse.parse((await list(sandbox)).json)
    expect(data).toMatchObject([{ id, status: 'CANCELLED' }])
    expect(sandbox.mandates()[0]?.cancelled_at).not.toBe(null)
    await sandbox.close()
    const again = await cancel(await start({ dataFile }), id)
    expect(again).toMatchObject({ status: 400, json: { status: 'INVALID_OBJECT_STATE' } })
  })

  it('lets a cancelled one vanish by choice, and knows no id that it did not give', async () => {
    const sandbox = await start({ choices: { cancelledSources: 'gone' } })
    await migrate(sandbox)
    const [id = ''] = await idsOf(sandbox)
    await cancel(sandbox, id)
    expect((await list(sandbox)).status).toBe(204)
    for (const gone of [id, 'ps-x', 'x', 'ps-', '%20'])
      expect((await cancel(sandbox, gone)).status, gone).toBe(404)
  })
})

describe('the same mandate a second time', () => {
  const same = { amendment }

  it.each([
    ['refuse', 400, 'INVALID_OBJECT_STATE', 1],
    ['conflict', 409, 'CONFLICT', 1],
    ['register', 200, 'OK', 2],
  ] as const)('%s: %i %s, and %i held', async (repeatedMandate, status, word, held) => {
    const sandbox = await start({ choices: { repeatedMandate } })
    expect((await migrate(sandbox, same)).status).toBe(200)
    expect(await migrate(sandbox, same)).toMatchObject({ status, json: { status: word } })
    expect(await idsOf(sandbox)).toHaveLength(held)
  })

  it('may be migrated again once it was cancelled', async () => {
    const sandbox = await start({ choices: { repeatedMandate: 'refuse' } })
    await migrate(sandbox, same)
    const [id = ''] = await idsOf(sandbox)
    await cancel(sandbox, id)
    expect((await migrate(sandbox, same)).status).toBe(200)
  })
})
