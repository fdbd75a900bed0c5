import { describe, expect, it, onTestFinished } from 'vitest'
import { connectService } from '../../src/migrate/migrate.js'
import { customerResponse, readCustomer } from '../../src/contract/mandates.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { exchange, start } from './exchange.js'

const PATH = '/api/v2/customer'
const get = (sandbox: Sandbox, customerNo: number | string = 1007) =>
  exchange(sandbox, 'GET', `${PATH}/${customerNo}`)
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

describe('a customer as it is read', () => {
  const answer = (data: unknown) => ({ status: 'OK', data })
  it('by name, contact and numbers, whatever else is there or missing', () => {
    expect(readCustomer(answer({ customer_no: 7, name: 'A', more: 1 }), 7)).toEqual({
      kind: 'read',
      customer: { names: ['A', ''], orgNos: ['', ''] },
    })
    const whole = { customer_no: '7', name: null, org_no: 5, vat_no: 'X1', contact: { name: 'B' } }
    expect(readCustomer(answer(whole), 7)).toEqual({
      kind: 'read',
      customer: { names: ['', 'B'], orgNos: ['', 'X1'] },
    })
  })

  it.each([
    ['another customer', answer({ customer_no: 8, name: 'A' })],
    ['no data', { status: 'OK' }],
    ['a list', answer([])],
    ['nothing', undefined],
  ])('not from %s', (_, json) => {
    expect(readCustomer(json, 7).kind).toBe('unreadable')
  })
})

describe('the typed client', () => {
  it('reads who a customer is', async () => {
    const sandbox = await start({ customers: [{ customer_no: 1007, name: 'Nordwind AB' }] })
    const client = connectService({ baseUrl: sandbox.url, username: 'sandbox', password: 'sandbox' })
    onTestFinished(() => client.close())
    const ask = (customerNo: number) => client.getCustomer(customerNo, { requestId: 'id-1' })
    expect(await ask(1007)).toMatchObject({
      kind: 'registered',
      value: { names: ['Nordwind AB', 'Nordwind AB'] },
    })
    expect(await ask(1008)).toMatchObject({ kind: 'refused', evidence: { status: 404 } })
    expect(await ask(0)).toMatchObject({ kind: 'not_sent' })
    expect(sandbox.requests().received.customer).toBe(2)
  })
})
