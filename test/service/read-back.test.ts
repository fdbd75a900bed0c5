import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { connectReader } from '../../src/service/client.js'
import { type NotRead } from '../../src/service/classify.js'
import { CREDENTIALS, MACHINE } from './sending.js'
import { checkService } from '../../src/service/checked-service.js'
import { serving } from '../support/listener.js'

const SOURCE = {
  id: 's1',
  status: 'PENDING',
  scheme: 'SEPA_DIRECT_DEBIT',
  details: { reference: 'NEW-1', iban: 'DE89370400440532013000', signed_at: '2020-02-29T00:00:00' },
}
const { details, ...named } = SOURCE
const { signed_at: signedAt, ...paid } = details
const READ = { ...named, ...paid, signedAt }
const listOf = (...data: unknown[]): string => JSON.stringify({ status: 'OK', data })

/** A service that answers so, and a reader of it. */
async function reading(listener: RequestListener, deadlineMs = 5_000) {
  const seen: IncomingMessage[] = []
  const { url, close } = await serving((request, response) => {
    seen.push(request)
    listener(request, response)
  })
  const reader = readerOf(url, deadlineMs)
  onTestFinished(close)
  return { reader, seen, list: () => reader.listPaymentSources(1042, { requestId: 'id-1' }) }
}

function readerOf(baseUrl: string, timeoutMs = 5_000, username = CREDENTIALS.username) {
  const service = checkService({ baseUrl, concurrency: 2, timeoutMs }, {})
  const reader = connectReader(service, { ...CREDENTIALS, username }, MACHINE)
  onTestFinished(() => reader.close())
  return reader
}

const answering =
  (status: number, body = '', headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)

describe('the question', () => {
  it('is a GET with the customer, the credentials and an id, and nothing else', async () => {
    const { seen, list } = await reading(answering(200, listOf(SOURCE)))
    expect(await list()).toMatchObject({ kind: 'listed', sources: [READ], status: 200 })
    const [request] = seen
    expect([request?.method, request?.url]).toEqual(['GET', '/api/v2/payment_source?customer_no=1042'])
    const names = 'accept accept-encoding authorization connection host user-agent x-request-id'
    expect(Object.keys(request?.headers ?? {}).sort()).toEqual(names.split(' '))
    const told = { authorization: `Basic ${btoa('rehearsal:correct horse')}`, 'x-request-id': 'id-1' }
    expect(request?.headers).toMatchObject(told)
  })

  it.each([0, -1, 1.5, NaN, 2 ** 53])('is not asked for %s', async (customerNo) => {
    const reader = readerOf('http://127.0.0.1:1')
    await expect(reader.listPaymentSources(customerNo, { requestId: 'x' })).rejects.toThrow(RangeError)
    await expect(reader.getCustomer(customerNo, { requestId: 'x' })).rejects.toThrow(RangeError)
  })

  it('is not asked with credentials that cannot be sent', () => {
    expect(() => readerOf('http://127.0.0.1:1', 5_000, 'a:b')).toThrow(UsageError)
  })
})

describe('an answer that lists', () => {
  it.each<[string, number, string, unknown[]]>([
    ['204: the customer has none', 204, '', []],
    ['an empty list', 200, listOf(), []],
    ['two', 200, listOf(SOURCE, { ...SOURCE, id: 's2' }), [READ, { ...READ, id: 's2' }]],
  ])('%s', async (_, status, body, sources) => {
    const { list } = await reading(answering(status, body))
    expect(await list()).toMatchObject({ kind: 'listed', sources, status })
  })

  it('ten thousand, which is more than any other answer may be', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({ ...SOURCE, id: `00000000-0000-0000-0000-${n}` }))
    const { list } = await reading(answering(200, listOf(...many)))
    const seen = await list()
    expect(seen.kind === 'listed' && seen.sources.length).toBe(10_000)
  })
})

describe('an answer that does not', () => {
  const refusal = JSON.stringify({ status: 'INVALID_PARAMETER', data: { message: 'No' } })
  const later = { canRepeat: true, halt: null }
  const never = { canRepeat: false, halt: null }
  it.each<[string, RequestListener, Partial<NotRead>]>([
    ['400', answering(400, refusal), { cause: 'refused', ...never, status: 400 }],
    ['401', answering(401), { cause: 'refused', canRepeat: false, halt: 'credentials' }],
    ['403', answering(403), { cause: 'refused', canRepeat: false, halt: 'credentials' }],
    ['404', answering(404), { cause: 'missing', ...never }],
    ['409', answering(409), { cause: 'refused', ...never }],
    ['429', answering(429, '', { 'retry-after': '3' }), { cause: 'not_now', ...later, retryAfterMs: 3_000 }],
    ['503', answering(503), { cause: 'not_now', ...later, retryAfterMs: null }],
    ['501', answering(501), { cause: 'missing', ...never }],
    ['302', answering(302, '', { location: '/elsewhere' }), { cause: 'refused', halt: 'redirect' }],
    ['202', answering(202, listOf(SOURCE)), { cause: 'unreadable', ...later }],
    ['no JSON', answering(200, '<html>'), { cause: 'unreadable', ...later }],
    ['nothing', answering(200), { cause: 'unreadable', ...later }],
    ['more, by its header', answering(200, listOf(), { link: '</x>; rel=next' }), { cause: 'unreadable' }],
    ['one source, no list', answering(200, JSON.stringify({ data: SOURCE })), { cause: 'unreadable' }],
    ['a list that cannot be counted', answering(200, listOf(SOURCE, 7)), { cause: 'unreadable' }],
    ['silence', () => undefined, { cause: 'no_answer', ...later, errorCode: 'DEADLINE' }],
    ['a reset', ({ socket }) => socket.resetAndDestroy(), { cause: 'no_answer', ...later, started: true }],
    ['more than is read', answering(200, listOf('x'.repeat(9 << 20))), { cause: 'unreadable', ...never }],
    [
      'a cut list',
      (_, response) => {
        const body = listOf(SOURCE)
        response.writeHead(200, { 'content-length': body.length })
        response.write(body.slice(0, -5), () => response.destroy())
      },
      { cause: 'no_answer', ...later, status: 200 },
    ],
    [
      'a list that ends by close, cut',
      (_, response) => {
        const body = listOf(SOURCE)
        response.socket?.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${body.slice(0, -5)}`)
      },
      { cause: 'unreadable', canRepeat: true, status: 200 },
    ],
  ])('%s', async (_, listener, expected) => {
    const { list, seen } = await reading(listener, expected.errorCode === 'DEADLINE' ? 100 : undefined)
    expect(await list()).toMatchObject({ kind: 'not_read', ...expected })
    expect(seen).toHaveLength(1) // asking again is for the caller, who knows the pace
  })

  it('nobody there', async () => {
    const seen = await readerOf('http://127.0.0.1:1').listPaymentSources(1, { requestId: 'x' })
    const expected = { cause: 'no_answer', canRepeat: true, started: false, status: null }
    expect(seen).toMatchObject({ ...expected, errorCode: 'ECONNREFUSED' })
  })

  it('says what the service said, without accounts and credentials', async () => {
    const message = 'No DE89370400440532013000 for correct horse\u001b[2J'
    const body = JSON.stringify({ status: 'INVALID_PARAMETER', data: { message } })
    const { list } = await reading(answering(400, body))
    const seen = await list()
    const why = /^The service answered 400 \(INVALID_PARAMETER, No DE…3000/
    expect(seen.kind === 'not_read' && seen.reason).toMatch(why)
    expect(JSON.stringify(seen)).not.toMatch(/370400|correct horse|\u001b/)
  })
})

describe('who a customer is', () => {
  const said = JSON.stringify({ status: 'OK', data: { customer_no: 1042, name: 'Nordwind AB' } })
  const asking = async (listener: RequestListener) => {
    const { reader, seen } = await reading(listener)
    return { seen, answer: await reader.getCustomer(1042, { requestId: 'id-1' }) }
  }

  it('is a GET of its number, and says the names', async () => {
    const { seen, answer } = await asking(answering(200, said))
    expect([seen[0]?.method, seen[0]?.url]).toEqual(['GET', '/api/v2/customer/1042'])
    expect(answer).toMatchObject({ kind: 'listed', status: 200, customer: { names: ['Nordwind AB', ''] } })
  })

  it('is nobody where there is none, which is an answer', async () => {
    expect((await asking(answering(404))).answer).toMatchObject({ kind: 'listed', customer: null })
  })

  it.each<[string, RequestListener, Partial<NotRead>]>([
    ['405', answering(405), { cause: 'missing', canRepeat: false }],
    ['204', answering(204), { cause: 'unreadable', canRepeat: true }],
    ['HTML', answering(200, '<html>'), { cause: 'unreadable', canRepeat: true }],
    ['another customer', answering(200, said.replace('1042', '1043')), { cause: 'unreadable' }],
    ['a reset', ({ socket }) => socket.resetAndDestroy(), { cause: 'no_answer', canRepeat: true }],
  ])('%s does not say it', async (_, listener, expected) => {
    const { answer } = await asking(listener)
    expect(answer).toMatchObject({ kind: 'not_read', ...expected })
    expect(JSON.stringify(answer)).not.toContain('Nordwind')
  })
})
