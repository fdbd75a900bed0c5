import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { samples } from '../contract/wire-samples.js'
import { exchange, type Call } from './exchange.js'
import { sandboxStarter } from './running-sandbox.js'

const start = sandboxStarter()
const MIGRATE = '/api/v2/sepa_dd_mandate/migrate'
const operations = [
  ['POST', '/api/v2/offer', samples.createOffer.request],
  ['PUT', '/api/v2/billogram/SANDBOX1', samples.updateBillogram.request],
  ['POST', MIGRATE, samples.migrateMandate.request],
] as const

const migrate = (sandbox: Sandbox, call: Call) => exchange(sandbox, 'POST', MIGRATE, call)
const body = samples.migrateMandate.request

describe('every answer', () => {
  it('1, 4: is JSON with status and data, for a yes and for every no', async () => {
    const sandbox = await start()
    const answers = [
      await migrate(sandbox, { body }),
      await migrate(sandbox, { body: {} }),
      await migrate(sandbox, { body, credentials: null }),
      await migrate(sandbox, { bytes: 'x' }),
      await migrate(sandbox, { body, headers: { 'content-type': 'text/plain' } }),
      await exchange(sandbox, 'GET', MIGRATE),
      await exchange(sandbox, 'GET', '/api/v2/nothing'),
      await exchange(sandbox, 'GET', '/nothing'),
      await exchange(sandbox, 'POST', '/api/v1/sepa_dd_mandate/migrate', { body }),
    ]
    expect(answers.map((answer) => answer.status)).toEqual([200, 400, 401, 400, 415, 405, 404, 404, 404])
    for (const answer of answers) {
      expect(answer.headers['content-type']).toBe('application/json')
      expect(Object.keys(answer.json as object)).toEqual(['status', 'data'])
      expect(answer.json).toMatchObject({
        status: expect.any(String) as string,
        data: expect.any(Object) as object,
      })
    }
  })
})

describe('every request', () => {
  it.each(operations)('5: %s %s carries Basic credentials', async (method, path, sample) => {
    const sandbox = await start({ username: 'erika', password: 'pass:word ü' })
    const send = (call: Call) => exchange(sandbox, method, path, { body: sample, ...call })
    await exchange(sandbox, 'POST', '/api/v2/offer', {
      body: { ...samples.createOffer.request, offer_id: path === '/api/v2/offer' ? 'Other' : 'Spring2025' },
      credentials: 'erika:pass:word ü',
    })
    expect((await send({ credentials: 'erika:pass:word ü' })).status).toBe(200)

    const missing = await send({ credentials: null })
    expect(missing.status).toBe(401)
    expect(missing.headers['www-authenticate']).toBe('Basic realm="sandbox"')
    expect(missing.json).toMatchObject({ status: 'MISSING_AUTH' })
    for (const credentials of ['erika:wrong', 'Erika:pass:word ü', 'erika', ':', 'sandbox:sandbox']) {
      const answer = await send({ credentials })
      expect(answer.status, credentials).toBe(401)
      expect(answer.json).toMatchObject({ status: 'INVALID_AUTH' })
    }
  })

  it('5: is of the Basic scheme, in any case', async () => {
    const sandbox = await start()
    const token = Buffer.from('sandbox:sandbox').toString('base64')
    const statusFor = async (authorization: string) =>
      (await migrate(sandbox, { body, credentials: null, headers: { authorization } })).status
    expect(await statusFor(`basic ${token}`)).toBe(200)
    for (const header of [`Bearer ${token}`, token, 'Basic', 'Basic !!!', `Basic ${token}, Basic ${token}`]) {
      expect(await statusFor(header), header).toBe(401)
    }
  })

  it('5: is refused without credentials before anything of it is looked at', async () => {
    const sandbox = await start()
    expect((await migrate(sandbox, { bytes: 'x', credentials: null })).status).toBe(401)
    expect((await exchange(sandbox, 'GET', '/api/v2/nothing', { credentials: null })).status).toBe(401)
    expect(sandbox.requests().received.migrate).toBe(0)
  })

  it('1, 4: has the content type application/json', async () => {
    const sandbox = await start()
    const statusFor = async (type: string) =>
      (await migrate(sandbox, { body, headers: { 'content-type': type } })).status
    const right = ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']
    for (const type of right) expect(await statusFor(type), type).toBe(200)
    for (const type of ['text/plain', 'application/json-patch+json', 'application/json; charset=latin1', ''])
      expect(await statusFor(type), type).toBe(415)
  })

  const latin = Buffer.from(JSON.stringify(body).replace('ALT', '\xc4LT'), 'latin1')
  it.each(['', '{', '{"customer_no": 1042', 'null', '[]', '"text"', '7', '{} {}', latin])(
    '4: is refused when its body is %j',
    async (bytes) => {
      const answer = await migrate(await start(), { bytes })
      expect(answer.status).toBe(400)
      expect(answer.json).toMatchObject({
        status: 'INVALID_PARAMETER',
        data: { message: expect.stringMatching(/^The request body /) as string, field: null },
      })
    },
  )

  it('choice 11: is refused above the size limit, announced or chunked, and the answer arrives', async () => {
    const sandbox = await start({ choices: { bodyLimitBytes: 2_000 } })
    const bytes = JSON.stringify(body).padEnd(5_000_000)
    for (const chunked of [false, true]) {
      const answer = await migrate(sandbox, { bytes, chunked })
      expect(answer.status).toBe(413)
      expect(answer.json).toMatchObject({ status: 'BODY_TOO_LARGE' })
    }
    expect((await migrate(sandbox, { bytes: JSON.stringify(body).padEnd(2_000) })).status).toBe(200)
  })

  it.each([
    ['POST', '/api/v2/offer', 'PUT'],
    ['PUT', '/api/v2/billogram/SANDBOX1', 'DELETE'],
    ['POST', MIGRATE, 'GET'],
  ])('4: only %s is allowed on %s', async (allowed, path, method) => {
    const answer = await exchange(await start(), method, path)
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe(allowed)
  })

  it('is logged with path and status, never with an account number or a credential', async () => {
    const lines: string[] = []
    const sandbox = await start({ log: (line) => lines.push(line) })
    await migrate(sandbox, { body })
    await migrate(sandbox, { body: { ...body, iban: 'DE00370400440532013000' } })
    expect(lines).toEqual([`POST ${MIGRATE} 200`, `POST ${MIGRATE} 400`])
  })

  it.each(['%00', '%0A%1b[31m', '%E0%A4%A', '%2e%2e', 'a%2Fb', '__proto__', 'constructor', "';--"])(
    '4.2: has any id, %s, without harm to the service or its log',
    async (id) => {
      const lines: string[] = []
      const sandbox = await start({ log: (line) => lines.push(line) })
      const update = { customer: {}, items: [] }
      const answer = await exchange(sandbox, 'PUT', `/api/v2/billogram/${id}`, { body: update })
      expect(answer.status).toBe(404)
      expect(lines.join('')).toMatch(/^PUT [\x21-\x7e]+ 404$/)
    },
  )
})
