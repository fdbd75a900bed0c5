import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/sandbox.js'
import { samples } from '../../contract/wire-samples.js'
import { exchange } from '../exchange.js'
import { sandboxStarter } from '../running-sandbox.js'

const start = sandboxStarter()
const MIGRATE = '/api/v2/sepa_dd_mandate/migrate'
const body = samples.migrateMandate.request
const read = (sandbox: Sandbox, path: string) => exchange(sandbox, 'GET', path)

describe('what the sandbox holds, under /_sandbox', () => {
  it('is three JSON arrays, the same as the started sandbox returns', async () => {
    const sandbox = await start({ showAccounts: true })
    expect((await read(sandbox, '/_sandbox/mandates')).json).toEqual([])
    await exchange(sandbox, 'POST', '/api/v2/offer', { body: samples.createOffer.request })
    await exchange(sandbox, 'POST', MIGRATE, { body })
    await exchange(sandbox, 'POST', MIGRATE, { body: { ...body, customer_no: 7 } })
    expect((await read(sandbox, '/_sandbox/mandates')).json).toEqual(sandbox.mandates())
    expect((await read(sandbox, '/_sandbox/offers')).json).toEqual(sandbox.offers())
    expect((await read(sandbox, '/_sandbox/billograms')).json).toEqual(sandbox.billograms())
    expect(sandbox.mandates().map((mandate) => mandate.customer_no)).toEqual([1042, 7])
    expect(sandbox.offers()).toHaveLength(1)
    expect(
      sandbox
        .billograms()
        .map(({ id }) => id)
        .join(),
    ).toBe('SANDBOX1,SANDBOX2,SANDBOX3')
  })

  it('counts what was asked, and names what was asked twice', async () => {
    const sandbox = await start({ faults: [{ match: { customer_no: 8 }, fault: { kind: 'reset' } }] })
    await exchange(sandbox, 'POST', MIGRATE, { body })
    await exchange(sandbox, 'POST', MIGRATE, { body })
    await exchange(sandbox, 'POST', MIGRATE, { body, credentials: 'no:no' })
    await exchange(sandbox, 'POST', MIGRATE, { body: { ...body, customer_no: 0 } })
    await exchange(sandbox, 'POST', MIGRATE, { body: { ...body, customer_no: 8 } }).catch(() => undefined)
    expect((await read(sandbox, '/_sandbox/requests')).json).toEqual({
      received: { migrate: 4, offer: 0, billogram: 0, read_back: 0, cancel: 0 },
      answered: { '200': 2, '401': 1, '400': 1, none: 1 },
      faults: { reset: 1 },
      repeated: [{ operation: 'migrate', subject: '1042', requests: 2 }],
    })
    expect(sandbox.requests().received.migrate).toBe(4)
  })

  it('9.2.5 masks account numbers unless it was told to show them, in every answer', async () => {
    const sandbox = await start()
    await exchange(sandbox, 'POST', MIGRATE, { body })
    const [held] = sandbox.mandates()
    expect(held?.iban).toBe('DE89370400440532013000')
    const mandates = await read(sandbox, '/_sandbox/mandates')
    expect(mandates.json).toEqual([{ ...held, iban: 'DE…3000' }])
    const action = `/_sandbox/mandates/${held?.unique_mandate_reference ?? ''}/first-payment`
    expect((await exchange(sandbox, 'POST', action, { body: {} })).json).toMatchObject({
      data: { iban: 'DE…3000' },
    })
    for (const path of ['/_sandbox/mandates', '/_sandbox/requests'])
      expect((await read(sandbox, path)).text).not.toContain('370400440532013000')
  })

  it('9.2.5 is closed to whoever has no credentials, also on this computer; no action is done', async () => {
    const sandbox = await start()
    await exchange(sandbox, 'POST', MIGRATE, { body })
    const reference = sandbox.mandates()[0]?.unique_mandate_reference ?? ''
    const pages = ['mandates', 'offers', 'billograms', 'requests'].map((name) => `GET /_sandbox/${name}`)
    const pay = `POST /_sandbox/mandates/${reference}/first-payment`
    for (const call of ['GET /', 'GET /openapi.json', 'GET /nothing', ...pages, pay])
      for (const credentials of [null, 'sandbox:wrong', 'wrong:sandbox']) {
        const [method = '', path = ''] = call.split(' ')
        const answer = await exchange(sandbox, method, path, {
          credentials,
          ...(method === 'POST' ? { body: {} } : {}),
        })
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Basic realm="sandbox"'])
      }
    expect(sandbox.mandates()[0]?.finalised).toBe(false)
  })

  it('9.2.5 says that it is there without credentials, and nothing else', async () => {
    const answer = await exchange(await start(), 'GET', '/health', { credentials: null })
    expect([answer.status, answer.json]).toEqual([200, { status: 'OK' }])
  })

  it('9.2.5 answers nobody who calls it by another name, credentials or not', async () => {
    const sandbox = await start()
    const headers = { host: `rebound.example:${sandbox.port}` }
    for (const path of ['/', '/health', '/_sandbox/mandates', '/openapi.json'])
      expect((await exchange(sandbox, 'GET', path, { headers })).status, path).toBe(421)
    expect((await exchange(sandbox, 'POST', MIGRATE, { body, headers })).status).toBe(421)
    expect(sandbox.mandates()).toEqual([])
    const other = { host: '127.0.0.1:1' }
    expect((await exchange(sandbox, 'GET', '/_sandbox/mandates', { headers: other })).status).toBe(421)
  })
})

describe('26.3 a request that changes something', () => {
  const actionsOf = (sandbox: Sandbox): string[] => {
    const reference = sandbox.mandates()[0]?.unique_mandate_reference ?? ''
    return [`/_sandbox/mandates/${reference}/first-payment`, '/api/v2/payment_source/SRC/cancel', MIGRATE]
  }

  it('is answered with a JSON body alone, which no form of a web page sends', async () => {
    const sandbox = await start()
    await exchange(sandbox, 'POST', MIGRATE, { body })
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
    await exchange(sandbox, 'POST', MIGRATE, { body })
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
  it('4.3: the migration is final once a first payment is initiated, and only once', async () => {
    let clock = new Date('2025-01-01T00:00:00Z')
    const sandbox = await start({ now: () => clock, showAccounts: true })
    await exchange(sandbox, 'POST', MIGRATE, { body })
    const [mandate] = sandbox.mandates()
    expect(mandate).toMatchObject({ finalised: false, finalised_at: null })
    const action = `/_sandbox/mandates/${mandate?.unique_mandate_reference ?? ''}/first-payment`
    const answer = await exchange(sandbox, 'POST', action, { body: {} })
    expect(answer.json).toEqual({ status: 'OK', data: sandbox.mandates()[0] })
    clock = new Date('2025-01-02T00:00:00Z')
    expect((await exchange(sandbox, 'POST', action, { body: {} })).status).toBe(200)
    const finalised = { finalised: true, finalised_at: '2025-01-01T00:00:00.000Z' }
    expect(sandbox.mandates()[0]).toMatchObject(finalised)
    const unknown = '/_sandbox/mandates/NONE/first-payment'
    expect((await exchange(sandbox, 'POST', unknown, { body: {} })).status).toBe(404)
  })

  it('2.2.3, 6: a failed direct debit adds its event', async () => {
    const sandbox = await start()
    const details = { amount: 119, full_status: 'Insufficient funds' }
    const action = '/_sandbox/billograms/SANDBOX1/failed-direct-debit'
    const answer = await exchange(sandbox, 'POST', action, { body: details })
    expect(answer.json).toMatchObject({
      data: { id: 'SANDBOX1', events: [{ type: 'DirectDebitFailed', data: details }] },
    })
    expect((await exchange(sandbox, 'POST', action, { body: { amount: 1 } })).status).toBe(400)
    expect((await exchange(sandbox, 'POST', action)).status).toBe(415)
    const unknown = await exchange(sandbox, 'POST', action.replace('SANDBOX1', 'NONE'), { body: details })
    expect(unknown.status).toBe(404)
  })
})

describe('a request without a host', () => {
  it('does not reach what is held', async () => {
    const sandbox = await start()
    const status = await new Promise<number | undefined>((resolve, reject) => {
      httpRequest(`${sandbox.url}/_sandbox/mandates`, { setHost: false, agent: false })
        .on('response', (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(400)
  })
})
