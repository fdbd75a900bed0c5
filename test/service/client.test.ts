import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { UsageError } from '../../src/errors.js'
import type { BillogramRequest, OfferRequest } from '../../src/contract/billogram.js'
import type { ServiceClient } from '../../src/service/client.js'
import type { Fault } from '../support/fault-server-faults.js'
import { mandateOf, openClient, openServer, send } from './sending.js'
import type { Outcome } from '../../src/domain/row/row-state.js'

const sample = (name: string): unknown => JSON.parse(readFileSync(`samples/wire/${name}.json`, 'utf8'))

const BILLOGRAM = sample('update-billogram.response') as { data: { id: string } }

const reply = (status: number, body: string, applied = false) =>
  ({ otherwise: { kind: 'reply', status, body, applied } satisfies Fault }) as const

describe('the request for a mandate', () => {
  it('holds the five values, the credentials and its own id, and nothing else', async () => {
    const server = await openServer({ credentials: { username: 'rehearsal', password: 'correct horse' } })
    const client = openClient(`${server.url}/billing`)
    const outcome = await client.migrateMandate(mandateOf(7), { requestId: 'id-1' })
    expect(outcome.kind).toBe('registered')

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
      'accept-encoding': 'identity',
      'user-agent': 'sepa-mandate-migrator/0.0.0-test',
      'x-request-id': 'id-1',
      'content-length': String(request?.body.length),
    })
  })

  it('carries credentials in UTF-8', async () => {
    const credentials = { username: 'zoë', password: 'pässwörd:with:colons' }
    const server = await openServer({ credentials })
    expect(await send(openClient(server.url, credentials))).toMatchObject({ kind: 'registered' })
  })

  it('keeps many requests under one signal apart on several connections', async () => {
    const server = await openServer()
    const client = openClient(server.url, { concurrency: 4 })
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const { signal } = new AbortController()
    const numbers = Array.from({ length: 60 }, (_, at) => at + 1)
    const outcomes = await Promise.all(numbers.map((number) => send(client, mandateOf(number), signal)))
    expect(warnings).toEqual([])
    const { applications, requests, connections } = server.truth
    const references = new Map(applications.map((one) => [one.customerNo, one.assignedMandateReference]))
    outcomes.forEach((outcome, at) => {
      const mandateReference = references.get(at + 1)
      expect(outcome).toMatchObject({ kind: 'registered', value: { mandateReference } })
    })
    expect(connections).toBeLessThanOrEqual(4)
    expect(new Set(requests.map(({ headers }) => headers['x-request-id'])).size).toBe(60)
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

  it.each([null, undefined, 'mandate', {}, { original: null }])(
    'is not sent for %j, which is no mandate, and the run stops',
    async (given) => {
      const server = await openServer()
      const client = openClient(server.url)
      expect(await client.migrateMandate(given as never, { requestId: 'id-1' })).toMatchObject({
        kind: 'not_sent',
        halt: 'request_rejected_locally',
        reason: 'The request was not well formed: customer_no (REQUEST_INVALID): nothing was sent',
      })
      expect(server.truth.connections).toBe(0)
    },
  )

  it('leaves no password in the evidence when the service repeats it', async () => {
    const token = btoa('rehearsal:correct horse')
    const server = await openServer({ script: reply(500, `Basic ${token} is rehearsal:correct horse`) })
    const outcome = await send(openClient(server.url))
    expect(outcome.evidence.answer).toBe('Basic [secret] is rehearsal:[secret]')
  })
})

it.each([
  [{ username: '' }, 'credentials: the user name is empty'],
  [{ username: 'a:b' }, 'credentials: the user name holds a colon'],
  [{ username: 'a\n' }, 'credentials: the user name or the password holds a control character'],
  [{ password: 'hunter2\n' }, 'credentials: the user name or the password holds a control character'],
  ...[0, -1, NaN, 2 ** 31, Infinity].map((ms) => [{ deadlineMs: ms }, `time limit ${ms}`] as const),
] as const)('%j cannot be used', (options, problem) => {
  const attempt = () => openClient('http://127.0.0.1:1', options)
  expect(attempt).toThrow(UsageError)
  expect(attempt).toThrow(`Cannot use the ${problem}`)
  expect(attempt).not.toThrow('hunter2')
})

const CALLS = {
  'creating an offer': {
    request: sample('create-offer.request') as OfferRequest,
    answer: sample('create-offer.response') as { data: { offer_id: string } },
    id: 'offer_id',
    route: { method: 'POST', path: '/api/v2/offer' },
    ask: (client: ServiceClient, request: unknown) =>
      client.createOffer(request as OfferRequest, { requestId: 'id-1' }),
    wrong: [{ offer_id: 'not allowed' }, 'offer_id'],
  },
  'updating a billogram': {
    request: sample('update-billogram.request') as BillogramRequest,
    answer: BILLOGRAM,
    id: 'id',
    route: { method: 'PUT', path: `/api/v2/billogram/${BILLOGRAM.data.id}` },
    ask: (client: ServiceClient, request: unknown, id = BILLOGRAM.data.id) =>
      client.updateBillogram(id, request as BillogramRequest, { requestId: 'id-1' }),
    wrong: [{ customer: undefined }, 'customer'],
  },
} as const

describe.each(Object.entries(CALLS))('%s', (_, { request, answer, id, route, ask, wrong }) => {
  const answered = (data: object) =>
    reply(200, JSON.stringify({ ...answer, data: { ...answer.data, ...data } }))

  it('sends it and returns what the service described', async () => {
    const server = await openServer({ script: answered({}) })
    expect(await ask(openClient(server.url), request)).toMatchObject({
      kind: 'registered',
      value: { content: answer.data, leftOut: [] },
      notes: [],
      halt: null,
    })
    const [seen] = server.truth.requests
    expect(seen).toMatchObject({ ...route, headers: { 'x-request-id': 'id-1' } })
    expect(JSON.parse(seen?.body ?? '')).toEqual(request)
  })

  it.each([
    ['is for another', 'other', 'unknown', 'echo_mismatch', `its ${id} is not the one that was sent`],
    ['does not name it', undefined, 'probably_registered', null, `data.${id}`],
  ])('is in doubt when the answer %s', async (_how, named, hint, halt, why) => {
    const server = await openServer({ script: answered({ [id]: named }) })
    const outcome = await ask(openClient(server.url), request)
    expect(outcome).toMatchObject({ kind: 'in_doubt', hint, halt })
    expect(outcome.reason).toContain(why)
  })

  it('is not sent when it breaks a rule of the interface', async () => {
    const server = await openServer()
    const outcome = await ask(openClient(server.url), { ...request, ...wrong[0] })
    expect(outcome).toMatchObject({ kind: 'not_sent', halt: 'request_rejected_locally' })
    expect(outcome.reason).toContain(wrong[1])
    expect(server.truth.connections).toBe(0)
  })
})

it('the id of an offer counts in any case', async () => {
  const { request, ask } = CALLS['creating an offer']
  const body = JSON.stringify({ status: 'CREATED', data: { offer_id: request.offer_id.toUpperCase() } })
  const server = await openServer({ script: reply(200, body) })
  const expected = { kind: 'registered', notes: ['RESPONSE_STATUS_WORD'] }
  expect(await ask(openClient(server.url), request)).toMatchObject(expected)
})

describe('a billogram', () => {
  const { request, ask } = CALLS['updating a billogram']

  it('says which fields came in another shape', async () => {
    const odd = { ...BILLOGRAM, data: { ...BILLOGRAM.data, total_sum: 'much' } }
    const server = await openServer({ script: reply(200, JSON.stringify(odd)) })
    const expected = { kind: 'registered', value: { leftOut: ['total_sum'] } }
    expect(await ask(openClient(server.url), request)).toMatchObject(expected)
  })

  it('keeps its id one segment of the path', async () => {
    const server = await openServer({ script: reply(404, '') })
    expect(await ask(openClient(server.url), request, '../offer?x=1')).toMatchObject({ kind: 'refused' })
    expect(server.truth.requests[0]?.path).toBe('/api/v2/billogram/..%2Foffer%3Fx%3D1')
  })

  it.each(['', '.', '..'])('is not sent for the id "%s"', async (at) => {
    const server = await openServer()
    const outcome = await ask(openClient(server.url), request, at)
    expect(outcome).toMatchObject({ kind: 'not_sent', halt: 'request_rejected_locally' })
    expect(outcome.reason).toContain('not well formed: id')
    expect(server.truth.connections).toBe(0)
  })

  it('leaves no signing key in the evidence', async () => {
    const server = await openServer({ script: reply(500, '{"sign_key":"top-secret-key"}') })
    const signed = { ...request, callbacks: { sign_key: 'top-secret-key' } }
    const outcome = await ask(openClient(server.url), signed)
    expect(outcome.evidence.answer).toBe('{"sign_key":"[secret]"}')
  })
})

const SEED = 20250107

it(`what an outcome says is true at a server that misbehaves by chance (seed ${SEED})`, async () => {
  const server = await openServer({ script: { chaos: { seed: SEED, share: 0.5 } } })
  const client = openClient(server.url, { concurrency: 16, deadlineMs: 400 })
  const outcomes: Outcome[] = []
  const waiting = Array.from({ length: 300 }, (_, at) => at)
  const sendOneByOne = async (): Promise<void> => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift())
      outcomes[at] = await send(client, mandateOf(at + 1))
  }
  await Promise.all(Array.from({ length: 16 }, sendOneByOne))
  await client.close()
  await server.until((truth) => truth.ended === truth.connections)

  const kinds = new Set<string>()
  outcomes.forEach((outcome, at) => {
    kinds.add(outcome.kind)
    const applied = server.truth.applications.filter(({ customerNo }) => customerNo === at + 1)
    const received = server.truth.requests.filter(({ customerNo }) => customerNo === at + 1)
    expect(received.length).toBeLessThanOrEqual(1)
    expect(applied.length).toBeLessThanOrEqual(1)
    if (outcome.kind === 'registered') {
      const { assignedCreditorIdentifier, assignedMandateReference } = applied[0]!
      expect(outcome.value).toEqual({
        creditorIdentifier: assignedCreditorIdentifier,
        mandateReference: assignedMandateReference,
      })
    }
    if (outcome.kind === 'not_sent') expect(received).toEqual([])
    if (outcome.kind !== 'registered' && outcome.kind !== 'in_doubt') expect(applied).toEqual([])
  })
  expect([...kinds].sort()).toEqual(
    expect.arrayContaining(['in_doubt', 'refused', 'registered', 'turned_away']),
  )
})
