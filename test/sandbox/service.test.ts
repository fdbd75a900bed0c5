import { describe, expect, it } from 'vitest'
import { offerResponse } from '../../src/contract/billogram.js'
import { migrateResponse, readMigrateAnswer } from '../../src/contract/mandates.js'
import { isOwnHost } from '../../src/sandbox/refusal.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { samples } from '../contract/wire-samples.js'
import { createOffer, exchange, MIGRATE, migrate, start, update, type Call } from './exchange.js'

const { request: offer } = samples.createOffer
const { request } = samples.migrateMandate
const now = () => new Date('2025-03-01T09:30:00Z')

it('every answer is JSON with status and data, for a yes and for every no', async () => {
  const sandbox = await start()
  const answers = [
    await migrate(sandbox),
    await migrate(sandbox, {}, { body: {} }),
    await migrate(sandbox, {}, { credentials: null }),
    await migrate(sandbox, {}, { bytes: 'x' }),
    await migrate(sandbox, {}, { headers: { 'content-type': 'text/plain' } }),
    await exchange(sandbox, 'GET', MIGRATE),
    await exchange(sandbox, 'GET', '/api/v2/nothing'),
    await exchange(sandbox, 'GET', '/nothing'),
    await exchange(sandbox, 'POST', '/api/v1/sepa_dd_mandate/migrate', { body: request }),
  ]
  expect(answers.map((answer) => answer.status)).toEqual([200, 400, 401, 400, 415, 405, 404, 404, 404])
  for (const answer of answers) {
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.json).toEqual({ status: expect.any(String) as string, data: expect.any(Object) as object })
  }
})

describe('every request', () => {
  it('carries Basic credentials, in UTF-8', async () => {
    const credentials = 'erika:pass:word ü'
    const sandbox = await start({ username: 'erika', password: 'pass:word ü' })
    const send = (call: Call) => migrate(sandbox, {}, call)
    expect((await send({ credentials })).status).toBe(200)
    const token = Buffer.from(credentials).toString('base64')
    const statusFor = async (authorization: string) =>
      (await send({ credentials: null, headers: { authorization } })).status
    expect(await statusFor(`basic ${token}`)).toBe(200)
    for (const header of [`Bearer ${token}`, token, 'Basic', 'Basic !!!', `Basic ${token}, Basic ${token}`])
      expect(await statusFor(header), header).toBe(401)
    for (const wrong of ['erika:wrong', 'Erika:pass:word ü', 'erika', ':', 'sandbox:sandbox']) {
      const { status, json } = await send({ credentials: wrong })
      expect([status, json], wrong).toMatchObject([401, { status: 'INVALID_AUTH' }])
    }
  })

  it.each([
    ...[`POST ${MIGRATE}`, 'POST /api/v2/offer', 'PUT /api/v2/billogram/SANDBOX1', 'GET /api/v2/nothing'],
    ...['GET /api/v2/payment_source?customer_no=1', 'GET /api/v2/customer/1'],
  ])('is refused without credentials before anything of it is looked at: %s', async (call) => {
    const sandbox = await start()
    const [method = '', path = ''] = call.split(' ')
    const bytes = method === 'GET' ? {} : { bytes: 'x' }
    const answer = await exchange(sandbox, method, path, { ...bytes, credentials: null })
    expect(answer).toMatchObject({ status: 401, json: { status: 'MISSING_AUTH' } })
    expect(answer.headers['www-authenticate']).toBe('Basic realm="sandbox"')
    expect(Object.values(sandbox.requests().received)).toEqual([0, 0, 0, 0, 0, 0])
  })

  it('has the content type application/json', async () => {
    const sandbox = await start()
    const statusFor = async (type: string) =>
      (await migrate(sandbox, {}, { headers: { 'content-type': type } })).status
    const right = ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']
    for (const type of right) expect(await statusFor(type), type).toBe(200)
    for (const type of ['text/plain', 'application/json-patch+json', 'application/json; charset=latin1', ''])
      expect(await statusFor(type), type).toBe(415)
  })

  it('is refused when its body is no JSON object in UTF-8', async () => {
    const sandbox = await start()
    const latin = Buffer.from(JSON.stringify(request).replace('ALT', '\xc4LT'), 'latin1')
    for (const bytes of ['', '{', '{"customer_no": 1042', 'null', '[]', '"text"', '7', '{} {}', latin]) {
      const message: unknown = expect.stringMatching(/^The request body /)
      const json = { status: 'INVALID_PARAMETER', data: { message, field: null } }
      expect(await migrate(sandbox, {}, { bytes })).toMatchObject({ status: 400, json })
    }
  })

  it('choice 11: is refused above the size limit, announced or chunked, and the answer arrives', async () => {
    const sandbox = await start()
    const limit = 8 * 1024 * 1024
    const bytes = JSON.stringify(request).padEnd(limit + 5_000_000)
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const answer = await migrate(sandbox, {}, { bytes, headers })
      expect(answer).toMatchObject({ status: 413, json: { status: 'BODY_TOO_LARGE' } })
    }
    const small = JSON.stringify(request).padEnd(limit)
    expect((await migrate(sandbox, {}, { bytes: small })).status).toBe(200)
  })

  it.each([
    ['POST', '/api/v2/offer', 'PUT'],
    ['PUT', '/api/v2/billogram/SANDBOX1', 'DELETE'],
    ['POST', MIGRATE, 'GET'],
    ['GET', '/api/v2/payment_source', 'DELETE'],
    ['GET', '/api/v2/customer/1', 'DELETE'],
  ])('only %s is allowed on %s', async (allow, path, method) => {
    expect(await exchange(await start(), method, path)).toMatchObject({ status: 405, headers: { allow } })
  })

  it('is logged with path and status, never with an account number or a credential', async () => {
    const lines: string[] = []
    const sandbox = await start({ log: (line) => lines.push(line) })
    await migrate(sandbox)
    await migrate(sandbox, { iban: 'DE00370400440532013000' })
    expect(lines).toEqual([`POST ${MIGRATE} 200`, `POST ${MIGRATE} 400`])
  })

  it('has any id, without harm to the service or its log', async () => {
    const lines: string[] = []
    const sandbox = await start({ log: (line) => lines.push(line) })
    const ids = "%00 %0A%1b[31m %E0%A4%A %2e%2e a%2Fb __proto__ constructor ';--"
    for (const id of ids.split(' ')) {
      expect((await update(sandbox, { customer: {}, items: [] }, id)).status, id).toBe(404)
      expect(lines.splice(0).join('')).toMatch(/^PUT [\x21-\x7e]+ 404$/)
    }
  })
})

describe('the Host header', () => {
  const own = (listensOn: string, host: string | undefined, port = 8080) =>
    isOwnHost(host, { listensOn, port })
  const [ours, name] = ['127.0.0.1:8080', 'rebound.example:8080']

  it.each([
    [
      '127.0.0.1',
      [ours, 'localhost:8080', 'LOCALHOST:8080', '127.0.0.9:8080'],
      [
        ...[name, '127.0.0.1.example:8080', 'localhost.example:8080', '192.0.2.7:8080', '127.0.0.1:8081'],
        ...['127.0.0.1', `user@${ours}`, `${ours}, rebound.example`, '', undefined],
      ],
    ],
    ['::1', ['[::1]:8080'], []],
    ['localhost', [ours], []],
    ['0.0.0.0', ['192.0.2.7:8080', '[2001:db8::7]:8080'], [name]],
    ['sandbox.example', ['sandbox.example:8080'], [name]],
  ])('of a sandbox on %s may be %j, and not %j', (listensOn, right, wrong) => {
    for (const host of right) expect(own(listensOn, host), host).toBe(true)
    for (const host of wrong) expect(own(listensOn, host), host).toBe(false)
  })

  it('may leave out the usual port', () => expect(own('127.0.0.1', 'localhost', 80)).toBe(true))
})

describe('POST /api/v2/offer', () => {
  it('creates the offer and returns the created object in the envelope', async () => {
    const sandbox = await start({ now })
    const answer = await createOffer(sandbox)
    const at = '2025-03-01T09:30:00.000Z'
    const data = { ...offer, created_at: at, updated_at: at }
    expect(offerResponse.parse(answer.json)).toEqual({ status: 'OK', data })
    expect(sandbox.offers()).toEqual([data])
    const bare = await createOffer(sandbox, { offer_id: 'B', link_text: undefined })
    expect(bare.status).toBe(200)
    expect(bare.json).not.toHaveProperty('data.link_text')
  })

  it('refuses an offer_id that exists, whatever its case', async () => {
    const sandbox = await start()
    await createOffer(sandbox)
    for (const offer_id of ['Spring2025', 'SPRING2025', 'spring2025']) {
      const json = { status: 'INVALID_PARAMETER', data: { field: 'offer_id' } }
      expect(await createOffer(sandbox, { offer_id })).toMatchObject({ status: 400, json })
    }
    expect(sandbox.offers()).toHaveLength(1)
  })
})

describe('POST /api/v2/sepa_dd_mandate/migrate', () => {
  const mandate = (as: string) => ({ amendment: { ...request.amendment, unique_mandate_reference: as } })
  const refused = async (sandbox: Sandbox, change: object, field: string, status: string) =>
    expect(await migrate(sandbox, change)).toMatchObject({ status: 400, json: { status, data: { field } } })

  it('echoes the request, assigns both identifiers, and holds what was registered', async () => {
    const sandbox = await start({ now })
    const answer = await migrate(sandbox, {}, { headers: { 'x-request-id': 'attempt-1' } })
    expect(answer.status).toBe(200)
    const assigned = {
      sepa_creditor_identifier: 'DE84ZZZ09876543210',
      unique_mandate_reference: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
    }
    const { amendment: _, ...echo } = request
    const parsed = migrateResponse.parse(answer.json)
    expect(parsed).toEqual({ status: 'OK', data: { ...echo, ...assigned } })
    expect(readMigrateAnswer(answer.json).kind).toBe('read')
    expect(answer.text).not.toContain('amendment')
    const at = { registered_at: '2025-03-01T09:30:00.000Z', finalised_at: null, cancelled_at: null }
    const held = { ...request, ...parsed.data, ...at, request_id: 'attempt-1', finalised: false }
    expect(sandbox.mandates()).toEqual([held])
  })

  it('refuses customer numbers below 1 and beyond what JSON keeps exact', async () => {
    const sandbox = await start()
    for (const number of ['0', '-1', '1.5', '9007199254740993', '1e400', '"7"']) {
      const bytes = JSON.stringify(request).replace('1042', number)
      const answer = await migrate(sandbox, {}, { bytes })
      expect(answer, number).toMatchObject({ status: 400, json: { data: { field: 'customer_no' } } })
    }
    expect((await migrate(sandbox, { customer_no: 1 })).status).toBe(200)
  })

  it('choice 5: can refuse a mandate it holds, whatever the case of its reference', async () => {
    const sandbox = await start({ choices: { repeatedMandate: 'refuse' } })
    await migrate(sandbox)
    const again = { customer_no: 7, ...mandate('alt-2017/000123') }
    await refused(sandbox, again, 'amendment', 'INVALID_OBJECT_STATE')
    expect((await migrate(sandbox, mandate('ALT-2'))).status).toBe(200)
  })

  it('choice 7: refuses a wrong account number without quoting it, and blank identifiers', async () => {
    const sandbox = await start()
    const wrong = ['DE88370400440532013000', 'DE89 3704 0044 0532 0130 00', 'de89370400440532013000', '']
    for (const iban of wrong)
      expect((await migrate(sandbox, { iban })).json).toEqual({
        status: 'INVALID_PARAMETER',
        data: { message: 'iban is not a valid account number', field: 'iban', field_path: ['iban'] },
      })
    for (const name of ['sepa_creditor_identifier', 'unique_mandate_reference']) {
      const amendment = { ...request.amendment, [name]: ' ' }
      await refused(sandbox, { amendment }, `amendment.${name}`, 'INVALID_PARAMETER')
    }
  })
})
