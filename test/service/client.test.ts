import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import type { BillogramRequest, OfferRequest } from '../../src/contract/billogram.js'
import type { ServiceClient } from '../../src/service/client.js'
import type { Fault } from '../support/fault-server-faults.js'
import { mandateOf, openClient, openServer, send } from './sending.js'

const sample = (name: string): unknown => JSON.parse(readFileSync(`samples/wire/${name}.json`, 'utf8'))

const reply = (status: number, body: string, applied = false) =>
  ({ otherwise: { kind: 'reply', status, body, applied } satisfies Fault }) as const

describe('the request for a mandate', () => {
  it('holds the five values, the credentials and its own id, and nothing else', async () => {
    const server = await openServer({ credentials: { username: 'rehearsal', password: 'correct horse' } })
    const client = openClient(`${server.url}/billing`)
    expect(await client.migrateMandate(mandateOf(7), { requestId: 'id-1' })).toMatchObject({
      kind: 'registered',
    })

    const [request] = server.truth.requests
    expect(request).toMatchObject({ method: 'POST', path: '/billing/api/v2/sepa_dd_mandate/migrate' })
    expect(JSON.parse(request?.body ?? '')).toEqual({
      customer_no: 7,
      iban: 'DE89370400440532013000',
      signed_date: '2020-02-29',
      amendment: { sepa_creditor_identifier: 'DE98ZZZ09999999999', unique_mandate_reference: 'OLD-7' },
    })
    expect(request?.headers).toEqual({
      host: `127.0.0.1:${server.port}`,
      connection: 'keep-alive',
      authorization: `Basic ${btoa('rehearsal:correct horse')}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'sepa-mandate-migrator/0.0.0-test',
      'x-request-id': 'id-1',
      'content-length': String(request?.body.length),
    })
  })

  it('has the shape of the sample that was typed from the interface', async () => {
    const server = await openServer()
    const wire = sample('migrate-mandate.request') as {
      customer_no: number
      iban: string
      signed_date: string
      amendment: { sepa_creditor_identifier: string; unique_mandate_reference: string }
    }
    const mandate = {
      customerNo: wire.customer_no,
      iban: wire.iban,
      signedDate: wire.signed_date,
      original: {
        creditorIdentifier: wire.amendment.sepa_creditor_identifier,
        mandateReference: wire.amendment.unique_mandate_reference,
      },
    } as ReturnType<typeof mandateOf>
    await send(openClient(server.url), mandate)
    expect(JSON.parse(server.truth.requests[0]?.body ?? '')).toEqual(wire)
  })

  it('carries credentials in UTF-8', async () => {
    const credentials = { username: 'zoë', password: 'pässwörd:with:colons' }
    const server = await openServer({ credentials })
    expect(await send(openClient(server.url, credentials))).toMatchObject({ kind: 'registered' })
  })

  it('keeps many requests apart on several connections', async () => {
    const server = await openServer()
    const client = openClient(server.url, { concurrency: 4 })
    const numbers = Array.from({ length: 60 }, (_, at) => at + 1)
    const outcomes = await Promise.all(numbers.map((number) => send(client, mandateOf(number))))
    const references = new Map(
      server.truth.applications.map((one) => [one.customerNo, one.assignedMandateReference]),
    )
    outcomes.forEach((outcome, at) => {
      expect(outcome).toMatchObject({
        kind: 'registered',
        value: { mandateReference: references.get(at + 1) },
      })
    })
    expect(server.truth.connections).toBeLessThanOrEqual(4)
    expect(new Set(server.truth.requests.map(({ headers }) => headers['x-request-id'])).size).toBe(60)
  })

  it.each([
    ['customer_no', { customerNo: 0 }],
    ['customer_no', { customerNo: 1.5 }],
    ['customer_no', { customerNo: 2 ** 53 }],
    ['signed_date', { signedDate: '2023-02-29' }],
  ])('is not sent when our own %s is wrong, and the run stops', async (field, wrong) => {
    const server = await openServer()
    const mandate = { ...mandateOf(), ...wrong } as ReturnType<typeof mandateOf>
    expect(await send(openClient(server.url), mandate)).toMatchObject({
      kind: 'not_sent',
      halt: 'request_rejected_locally',
      reason: `The request was not well formed: ${field} (REQUEST_INVALID): nothing was sent`,
      evidence: { started: false, errorCode: 'REQUEST_INVALID', durationMs: 0 },
    })
    expect(server.truth.connections).toBe(0)
  })

  it('leaves no password in the evidence when the service repeats it', async () => {
    const token = btoa('rehearsal:correct horse')
    const server = await openServer({ script: reply(500, `Basic ${token} is rehearsal:correct horse`) })
    const outcome = await send(openClient(server.url))
    expect(outcome.evidence.answer).toBe('Basic [secret] is rehearsal:[secret]')
  })
})

describe('credentials and limits', () => {
  it.each([
    [{ username: '' }, 'the user name is empty'],
    [{ username: 'a:b' }, 'the user name holds a colon'],
    [{ username: 'a\n' }, 'the user name or the password holds a control character'],
    [{ password: 'hunter2\n' }, 'the user name or the password holds a control character'],
  ])('%j cannot be used', (options, problem) => {
    const attempt = () => openClient('http://127.0.0.1:1', options)
    expect(attempt).toThrow(UsageError)
    expect(attempt).toThrow(`Cannot use the credentials: ${problem}`)
    expect(attempt).not.toThrow('hunter2')
  })

  it.each([0, -1, Number.NaN, 2 ** 31, Infinity])('a time limit of %d ms cannot be used', (deadlineMs) => {
    const attempt = () => openClient('http://127.0.0.1:1', { deadlineMs })
    expect(attempt).toThrow(UsageError)
    expect(attempt).toThrow(`Cannot use the time limit ${deadlineMs}`)
  })
})

describe('creating an offer', () => {
  const offer = sample('create-offer.request') as OfferRequest
  const create = (client: ServiceClient, request = offer) =>
    client.createOffer(request, { requestId: 'offer-1' })

  it('posts it and returns what the service described', async () => {
    const answer = sample('create-offer.response') as { data: object }
    const server = await openServer({ script: reply(200, JSON.stringify(answer)) })
    const outcome = await create(openClient(server.url))
    expect(outcome).toMatchObject({
      kind: 'registered',
      value: { content: answer.data, leftOut: [] },
      notes: [],
      halt: null,
    })
    const [request] = server.truth.requests
    expect(request).toMatchObject({ method: 'POST', path: '/api/v2/offer' })
    expect(request?.headers['x-request-id']).toBe('offer-1')
    expect(JSON.parse(request?.body ?? '')).toEqual(offer)
  })

  it('takes its id in any case for the same id', async () => {
    const body = JSON.stringify({ status: 'CREATED', data: { offer_id: offer.offer_id.toUpperCase() } })
    const server = await openServer({ script: reply(200, body) })
    expect(await create(openClient(server.url))).toMatchObject({
      kind: 'registered',
      notes: ['RESPONSE_STATUS_WORD'],
    })
  })

  it('is in doubt and stops when the answer is for another offer', async () => {
    const server = await openServer({ script: reply(200, '{"status":"OK","data":{"offer_id":"other"}}') })
    expect(await create(openClient(server.url))).toMatchObject({ kind: 'in_doubt', halt: 'echo_mismatch' })
  })

  it('is in doubt when the answer does not name it', async () => {
    const server = await openServer({ script: reply(200, '{"status":"OK","data":{}}') })
    const outcome = await create(openClient(server.url))
    expect(outcome).toMatchObject({ kind: 'in_doubt', hint: 'probably_registered', halt: null })
    expect(outcome.reason).toContain('data.offer_id')
  })

  it('is not sent when it breaks a rule of the interface', async () => {
    const server = await openServer()
    const outcome = await create(openClient(server.url), { ...offer, offer_id: 'not allowed' })
    expect(outcome).toMatchObject({ kind: 'not_sent', halt: 'request_rejected_locally' })
    expect(outcome.reason).toContain('offer_id')
    expect(server.truth.connections).toBe(0)
  })
})

describe('updating a billogram', () => {
  const update = sample('update-billogram.request') as BillogramRequest
  const answer = sample('update-billogram.response') as { data: { id: string } }
  const { id } = answer.data
  const put = (client: ServiceClient, at = id, request = update) =>
    client.updateBillogram(at, request, { requestId: 'update-1' })

  it('puts it and returns what the service described', async () => {
    const server = await openServer({ script: reply(200, JSON.stringify(answer)) })
    const outcome = await put(openClient(server.url))
    expect(outcome).toMatchObject({
      kind: 'registered',
      value: { content: answer.data, leftOut: [] },
      notes: [],
    })
    const [request] = server.truth.requests
    expect(request).toMatchObject({ method: 'PUT', path: `/api/v2/billogram/${id}` })
    expect(JSON.parse(request?.body ?? '')).toEqual(update)
  })

  it('says which fields came in another shape', async () => {
    const odd = { ...answer, data: { ...answer.data, total_sum: 'much' } }
    const server = await openServer({ script: reply(200, JSON.stringify(odd)) })
    expect(await put(openClient(server.url))).toMatchObject({
      kind: 'registered',
      value: { leftOut: ['total_sum'] },
    })
  })

  it('is in doubt and stops when the answer is for another billogram', async () => {
    const server = await openServer({ script: reply(200, JSON.stringify(answer)) })
    const outcome = await put(openClient(server.url), 'other')
    expect(outcome).toMatchObject({ kind: 'in_doubt', halt: 'echo_mismatch' })
    expect(outcome.reason).toContain('its id is not the one that was sent')
  })

  it('keeps its id one segment of the path', async () => {
    const server = await openServer({ script: reply(404, '') })
    expect(await put(openClient(server.url), '../offer?x=1')).toMatchObject({ kind: 'refused' })
    expect(server.truth.requests[0]?.path).toBe('/api/v2/billogram/..%2Foffer%3Fx%3D1')
  })

  it.each(['', '.', '..'])('is not sent for the id "%s"', async (at) => {
    const server = await openServer()
    const outcome = await put(openClient(server.url), at)
    expect(outcome).toMatchObject({ kind: 'not_sent', halt: 'request_rejected_locally' })
    expect(outcome.reason).toContain('not well formed: id')
    expect(server.truth.connections).toBe(0)
  })

  it('is not sent without customer and items', async () => {
    const server = await openServer()
    const outcome = await put(openClient(server.url), id, { items: update.items } as BillogramRequest)
    expect(outcome).toMatchObject({ kind: 'not_sent', halt: 'request_rejected_locally' })
    expect(outcome.reason).toContain('customer')
    expect(server.truth.connections).toBe(0)
  })

  it('leaves no signing key in the evidence', async () => {
    const callbacks = { sign_key: 'top-secret-key' }
    const server = await openServer({ script: reply(500, '{"sign_key":"top-secret-key"}') })
    const outcome = await put(openClient(server.url), id, { ...update, callbacks })
    expect(outcome.evidence.answer).toBe('{"sign_key":"[secret]"}')
  })
})
