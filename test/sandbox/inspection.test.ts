import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { samples } from '../contract/wire-samples.js'
import { act, createOffer, exchange, MIGRATE, migrate, start } from './exchange.js'

const body = samples.migrateMandate.request
const read = (sandbox: Sandbox, path: string) => exchange(sandbox, 'GET', path)

describe('what the sandbox holds, under /_sandbox', () => {
  it('is three JSON arrays, the same as the started sandbox returns', async () => {
    const sandbox = await start({ showAccounts: true })
    expect((await read(sandbox, '/_sandbox/mandates')).json).toEqual([])
    await createOffer(sandbox)
    await migrate(sandbox)
    await migrate(sandbox, { customer_no: 7 })
    expect((await read(sandbox, '/_sandbox/mandates')).json).toEqual(sandbox.mandates())
    expect((await read(sandbox, '/_sandbox/offers')).json).toEqual(sandbox.offers())
    expect((await read(sandbox, '/_sandbox/billograms')).json).toEqual(sandbox.billograms())
    expect(sandbox.mandates().map((mandate) => mandate.customer_no)).toEqual([1042, 7])
    expect(sandbox.offers()).toHaveLength(1)
    expect(sandbox.billograms().map(({ id }) => id)).toEqual(['SANDBOX1', 'SANDBOX2', 'SANDBOX3'])
  })

  it('counts what was asked, and names what was asked twice', async () => {
    const sandbox = await start({ faults: [{ match: { customer_no: 8 }, fault: { kind: 'reset' } }] })
    await migrate(sandbox)
    await migrate(sandbox)
    await migrate(sandbox, {}, { credentials: 'no:no' })
    await migrate(sandbox, { customer_no: 0 })
    await migrate(sandbox, { customer_no: 8 }).catch(() => undefined)
    expect((await read(sandbox, '/_sandbox/requests')).json).toEqual({
      received: { migrate: 4, offer: 0, billogram: 0, read_back: 0, cancel: 0, customer: 0 },
      answered: { '200': 2, '401': 1, '400': 1, none: 1 },
      faults: { reset: 1 },
      repeated: [{ operation: 'migrate', subject: '1042', requests: 2 }],
    })
    expect(sandbox.requests().received.migrate).toBe(4)
  })

  it('masks account numbers unless it was told to show them, in every answer', async () => {
    const sandbox = await start()
    await migrate(sandbox)
    const [held] = sandbox.mandates()
    expect(held?.iban).toBe('DE89370400440532013000')
    const mandates = await read(sandbox, '/_sandbox/mandates')
    expect(mandates.json).toEqual([{ ...held, iban: 'DE…3000' }])
    const paid = await act(sandbox, `mandates/${held?.unique_mandate_reference ?? ''}/first-payment`, {})
    expect(paid.json).toMatchObject({ data: { iban: 'DE…3000' } })
    for (const path of ['/_sandbox/mandates', '/_sandbox/requests'])
      expect((await read(sandbox, path)).text).not.toContain('370400440532013000')
  })

  it('is closed to whoever has no credentials, also on this computer; no action is done', async () => {
    const sandbox = await start()
    await migrate(sandbox)
    const reference = sandbox.mandates()[0]?.unique_mandate_reference ?? ''
    const pages = ['mandates', 'offers', 'billograms', 'requests'].map((name) => `GET /_sandbox/${name}`)
    const pay = `POST /_sandbox/mandates/${reference}/first-payment`
    for (const call of ['GET /', 'GET /openapi.json', 'GET /nothing', ...pages, pay])
      for (const credentials of [null, 'sandbox:wrong', 'wrong:sandbox']) {
        const [method = '', path = ''] = call.split(' ')
        const body = method === 'POST' ? { body: {} } : {}
        const answer = await exchange(sandbox, method, path, { credentials, ...body })
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Basic realm="sandbox"'])
      }
    expect(sandbox.mandates()[0]?.finalised).toBe(false)
  })

  it('has a page for people, all of whose links answer', async () => {
    const sandbox = await start()
    const page = await read(sandbox, '/')
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=UTF-8'])
    const links = [...page.text.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link)
    expect(links).toContain('/_sandbox/mandates')
    for (const link of links) expect((await read(sandbox, link)).status, link).toBe(200)
  })

  it('says that it is there without credentials, and nothing else', async () => {
    const answer = await exchange(await start(), 'GET', '/health', { credentials: null })
    expect([answer.status, answer.json]).toEqual([200, { status: 'OK' }])
  })

  it('answers nobody who calls it by another name, credentials or not', async () => {
    const sandbox = await start()
    const headers = { host: `rebound.example:${sandbox.port}` }
    for (const path of ['/', '/health', '/_sandbox/mandates', '/openapi.json'])
      expect((await exchange(sandbox, 'GET', path, { headers })).status, path).toBe(421)
    expect((await migrate(sandbox, {}, { headers })).status).toBe(421)
    expect(sandbox.mandates()).toEqual([])
    const other = { host: '127.0.0.1:1' }
    expect((await exchange(sandbox, 'GET', '/_sandbox/mandates', { headers: other })).status).toBe(421)
    const nameless = httpRequest(`${sandbox.url}/_sandbox/mandates`, { setHost: false, agent: false }).end()
    const [{ statusCode }] = (await once(nameless, 'response')) as [{ statusCode: number }]
    expect(statusCode).toBe(400)
  })
})

describe('a request that changes something', () => {
  const actionsOf = (sandbox: Sandbox): string[] => {
    const reference = sandbox.mandates()[0]?.unique_mandate_reference ?? ''
    return [`/_sandbox/mandates/${reference}/first-payment`, '/api/v2/payment_source/SRC/cancel', MIGRATE]
  }

  it('is answered with a JSON body alone, which no form of a web page sends', async () => {
    const sandbox = await start()
    await migrate(sandbox)
    for (const path of actionsOf(sandbox)) {
      expect((await exchange(sandbox, 'POST', path)).status, path).toBe(415)
      const form = { bytes: '{}', headers: { 'content-type': 'text/plain' } }
      expect((await exchange(sandbox, 'POST', path, form)).status, path).toBe(415)
      expect((await exchange(sandbox, 'POST', path, { bytes: 'no=json' })).status, path).toBe(400)
    }
    expect(sandbox.mandates()).toMatchObject([{ finalised: false, cancelled_at: null }])
  })

  it('is not answered for a page of another origin; one of its own, and reading, are', async () => {
    const sandbox = await start()
    await migrate(sandbox)
    const own = { origin: sandbox.url }
    for (const origin of ['https://evil.example', 'null', `http://localhost:${sandbox.port + 1}`])
      for (const path of actionsOf(sandbox)) {
        const answer = await exchange(sandbox, 'POST', path, { body, headers: { origin } })
        expect([answer.status, answer.json], path).toMatchObject([403, { status: 'FOREIGN_ORIGIN' }])
      }
    expect(sandbox.mandates()).toMatchObject([{ finalised: false }])
    const [pay = ''] = actionsOf(sandbox)
    expect((await exchange(sandbox, 'POST', pay, { body: {}, headers: own })).status).toBe(200)
    const read = { headers: { origin: 'https://evil.example' } }
    expect((await exchange(sandbox, 'GET', '/_sandbox/mandates', read)).status).toBe(200)
  })
})

describe('the actions under /_sandbox', () => {
  it('the migration is final once a first payment is initiated, and only once', async () => {
    let clock = new Date('2025-01-01T00:00:00Z')
    const sandbox = await start({ now: () => clock, showAccounts: true })
    await migrate(sandbox)
    const [mandate] = sandbox.mandates()
    expect(mandate).toMatchObject({ finalised: false, finalised_at: null })
    const action = `mandates/${mandate?.unique_mandate_reference ?? ''}/first-payment`
    const answer = await act(sandbox, action, {})
    expect(answer.json).toEqual({ status: 'OK', data: sandbox.mandates()[0] })
    clock = new Date('2025-01-02T00:00:00Z')
    expect((await act(sandbox, action, {})).status).toBe(200)
    const finalised = { finalised: true, finalised_at: '2025-01-01T00:00:00.000Z' }
    expect(sandbox.mandates()[0]).toMatchObject(finalised)
    expect((await act(sandbox, 'mandates/NONE/first-payment', {})).status).toBe(404)
  })

  it('a failed direct debit adds its event', async () => {
    const sandbox = await start()
    const details = { amount: 119, full_status: 'Insufficient funds' }
    const action = 'billograms/SANDBOX1/failed-direct-debit'
    const answer = await act(sandbox, action, details)
    const events = [{ type: 'DirectDebitFailed', data: details }]
    expect(answer.json).toMatchObject({ data: { id: 'SANDBOX1', events } })
    expect((await act(sandbox, action, { amount: 1 })).status).toBe(400)
    expect((await act(sandbox, action)).status).toBe(415)
    expect((await act(sandbox, action.replace('SANDBOX1', 'NONE'), details)).status).toBe(404)
  })
})
