import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Dispatcher } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MIGRATE_PATH, toMigrateRequest } from '../../src/contract/mandates.js'
import { openConnections, exchangeOnce } from '../../src/service/exchange.js'
import type { Fault, FaultScript } from '../support/fault-server-faults.js'
import { message } from '../support/fault-server.js'
import type { ClientOptions } from '../../src/service/client.js'
import { clock, mandateOf, openClient, openServer, optionsOf, send } from './sending.js'
import { readBaseUrl } from '../../src/service/checked-service.js'

/**
 * The error matrix (service/README.md#error-matrix) on real sockets: an undici release that changes a line of it must
 * fail here (scenario 58). The numbers in the names are those of test/faults.md.
 */
type Limits = Pick<ClientOptions, 'deadlineMs' | 'headersTimeoutMs' | 'bodyTimeoutMs'>
/** The code of the error, and how many mandates the server holds afterwards. */
type Line = readonly [
  name: string,
  fault: Fault,
  expected: Readonly<Record<string, unknown>>,
  code?: string | RegExp | null,
  applied?: number,
  limits?: Partial<Limits>,
]

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes that are still referred to; the resident size also counts what was merely not collected yet. */
function held(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const otherwise = (fault: Fault): FaultScript => ({ otherwise: fault })
const hangUp = (how: 'fin' | 'rst', applied: boolean): Fault => ({ kind: 'hang_up', how, applied })
const cut = (framing: 'length' | 'chunked' | 'close', how: 'fin' | 'rst'): Fault => {
  return { kind: 'cut_body', framing, how }
}
const reply = (status: number, applied: boolean, body = ''): Fault => {
  return { kind: 'reply', status, applied, body }
}
const SILENCE: Fault = { kind: 'silence', applied: true }
const UNKNOWN = { kind: 'in_doubt', hint: 'unknown', status: null }
const LIKELY = { kind: 'in_doubt', hint: 'probably_registered', status: 200 }
const REFUSED = { kind: 'refused', status: 413 }
const [HEADERS, BODY] = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']
const CUT = /^(UND_ERR_SOCKET|ECONNRESET)$/
const SOON = { headersTimeoutMs: 100, bodyTimeoutMs: 100 }
const LATER = { bodyTimeoutMs: 300, deadlineMs: 700 }
const slow = (kind: 'slow_headers' | 'slow_body'): Fault => ({ kind, everyMs: 10, applied: true })
const SHIFTED = { ...UNKNOWN, halt: 'echo_mismatch', status: 200 }

const MATRIX: readonly Line[] = [
  ['8: read, then FIN, not applied', hangUp('fin', false), UNKNOWN, 'UND_ERR_SOCKET', 0],
  ['9: read, then RST, not applied', hangUp('rst', false), UNKNOWN, 'ECONNRESET', 0],
  ['10: applied, then RST', hangUp('rst', true), UNKNOWN, 'ECONNRESET'],
  ['11: silence until the headers timeout', SILENCE, UNKNOWN, HEADERS, 1, SOON],
  ['11: silence until the deadline', SILENCE, UNKNOWN, 'DEADLINE', 1, { deadlineMs: 100 }],
  ['12: headers that trickle, until the headers timeout', slow('slow_headers'), UNKNOWN, HEADERS, 1, SOON],
  // They put off the body timeout.
  ['13: a body that trickles, until the deadline', slow('slow_body'), LIKELY, 'DEADLINE', 1, LATER],
  ['13: headers, half a body, then silence', { kind: 'stalled_body', applied: true }, LIKELY, BODY, 1, SOON],
  ['14: half a body with Content-Length, then FIN', cut('length', 'fin'), LIKELY, 'UND_ERR_SOCKET'],
  ['14: half a body with Content-Length, then RST', cut('length', 'rst'), LIKELY, CUT],
  ['14: half a chunk, then FIN', cut('chunked', 'fin'), LIKELY, 'UND_ERR_SOCKET'],
  ['15: half a body that ends by close raises no error, the JSON tells', cut('close', 'fin'), LIKELY],
  ['15: half a body that ends by RST raises no error either', cut('close', 'rst'), LIKELY],
  ['16: 200 with HTML', reply(200, true, '<html>200 OK</html>'), LIKELY],
  ['17: 204', reply(204, true), { ...LIKELY, status: 204 }],
  ['17: 200 without a reference', { kind: 'alter', without: ['unique_mandate_reference'] }, LIKELY],
  ["18: 200 with another row's customer", { kind: 'alter', fields: { customer_no: 2 } }, SHIFTED],
  ['28: 401', reply(401, false), { kind: 'turned_away', halt: 'credentials', status: 401 }, null, 0],
  ['21: an unsolicited 100', { kind: 'unsolicited_100' }, UNKNOWN, 'UND_ERR_SOCKET'],
  ['21: 103, then 200', { kind: 'early_hints' }, { kind: 'registered', status: 200 }],
  ['22: a garbage status line, an error without a code', { kind: 'garbage' }, UNKNOWN, 'HTTPParserError'],
  ['23: 70 KB of headers', { kind: 'large_headers', bytes: 70_000 }, UNKNOWN, 'UND_ERR_HEADERS_OVERFLOW'],
  ['23: a body of 10 MB', { kind: 'large_body', bytes: 10_000_000 }, LIKELY, 'UND_ERR_RES_EXCEEDED_MAX_SIZE'],
  ['an early 413, before the body was read', { kind: 'early_413' }, REFUSED, null, 0],
  ['31: 408, after the request was delivered', reply(408, true), { ...UNKNOWN, status: 408 }],
  ['26: 503', reply(503, true), { ...UNKNOWN, status: 503 }],
]

async function expectLine(script: FaultScript, [, , expected, code = null, applied = 1, limits = {}]: Line) {
  const server = await openServer({ script })
  const outcome = await send(openClient(server.url, limits))
  const { started, status, errorCode } = outcome.evidence
  expect({ ...outcome, status }).toMatchObject({ halt: null, ...expected })
  expect(started).toBe(true)
  if (code instanceof RegExp) expect(errorCode).toMatch(code)
  else expect(errorCode).toBe(code)
  expect(server.truth.applications).toHaveLength(applied)
  expect(server.truth.requests.length).toBeLessThanOrEqual(1)
}

describe('the error matrix, each line on a real socket', () => {
  it.each(MATRIX.map((line) => [line[0], line] as const))('scenario %s', async (_name, line) =>
    expectLine(otherwise(line[1]), line),
  )

  it('scenario 8: accepted, then RST when the first bytes arrive', async () => {
    const line: Line = ['', { kind: 'none' }, UNKNOWN, 'ECONNRESET', 0]
    await expectLine({ everyConnection: { kind: 'reset_at_first_bytes' } }, line)
  })
})

describe('requests that do not leave', () => {
  it('scenario 1: the connection is refused', async () => {
    const server = await openServer()
    const client = openClient(server.url)
    await server.stopListening()
    const refused = await send(client)
    expect(refused).toMatchObject({ kind: 'not_sent', halt: null, evidence: { errorCode: 'ECONNREFUSED' } })
    expect(refused.evidence.started).toBe(false)
    await server.listenAgain()
    expect(await send(client)).toMatchObject({ kind: 'registered' })
    expect(server.truth.applications).toHaveLength(1)
  })

  it('scenario 2: the host name is not known', async () => {
    // A label of more than 63 characters is no name, so the resolver refuses it without asking anybody.
    const client = openClient(`https://${'a'.repeat(64)}.invalid`)
    const outcome = await send(client)
    expect(outcome).toMatchObject({ kind: 'not_sent', halt: null, evidence: { started: false } })
    expect(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']).toContain(outcome.evidence.errorCode)
  })

  // Other systems queue connections differently, so the fault cannot be made there.
  it.skipIf(process.platform !== 'linux')('scenario 3: nobody answers the attempt to connect', async () => {
    const port = await startDeafListener()
    const client = openClient(`http://127.0.0.1:${port}`, { connectTimeoutMs: 100 })
    expect(await send(client)).toMatchObject({
      kind: 'not_sent',
      halt: null,
      evidence: { started: false, errorCode: 'UND_ERR_CONNECT_TIMEOUT', status: null },
    })
  })

  it('a run that was broken off before sends nothing', async () => {
    const server = await openServer()
    const outcome = await send(openClient(server.url), mandateOf(), AbortSignal.abort())
    expect(outcome).toMatchObject({ kind: 'not_sent', halt: null, evidence: { errorCode: 'ABORTED' } })
    expect(server.truth.connections).toBe(0)
  })

  it('a request that ends while it waits for a connection, by its deadline or a signal, is never written', async () => {
    const server = await openServer({ script: { byOrdinal: { 1: SILENCE } } })
    const connections = openConnections(readBaseUrl(server.url), optionsOf(server.url))
    onTestFinished(() => connections.close())
    const headers = { 'content-type': 'application/json' }
    const exchange = (customerNo: number, deadlineMs: number, { signal } = new AbortController()) => {
      const body = JSON.stringify(toMigrateRequest(mandateOf(customerNo)))
      const request = { method: 'POST', path: MIGRATE_PATH, headers, body } as const
      return exchangeOnce(connections, request, { deadlineMs, freshConnections: false }, clock, signal)
    }
    const [giveUp, queued] = [new AbortController(), new AbortController()]
    const first = exchange(1, 60_000, giveUp)
    const second = exchange(2, 60_000, queued)
    const unsent = { started: false, response: null }
    expect(await exchange(3, 200)).toMatchObject({ ...unsent, error: { code: 'DEADLINE' } })
    await server.until((truth) => truth.requests.length === 1)
    queued.abort()
    expect(await second).toMatchObject({ ...unsent, error: { code: 'ABORTED' } })
    giveUp.abort()
    expect(await first).toMatchObject({ started: true, response: null, error: { code: 'ABORTED' } })
    // Once the slot is free, the next request shows that the queue is empty.
    expect(await exchange(4, 60_000)).toMatchObject({ started: true, response: { complete: true } })
    expect(server.truth.requests.map((request) => request.customerNo)).toEqual([1, 4])
  })

  it('a header that cannot be sent is our own fault, stops the run, and keeps no connection', async () => {
    const server = await openServer()
    const client = openClient(server.url, { concurrency: 1, deadlineMs: 5_000 })
    const outcome = await client.migrateMandate(mandateOf(), { requestId: 'a\nb' })
    expect(outcome).toMatchObject({
      kind: 'not_sent',
      halt: 'request_rejected_locally',
      evidence: { started: false, errorCode: 'ERR_INVALID_CHAR' },
    })
    expect(server.truth.connections).toBe(0)
    expect(await client.migrateMandate(mandateOf(), { requestId: 'c' })).toMatchObject({ kind: 'registered' })
  })
})

describe('requests in flight', () => {
  it('scenario 8: accepted, then FIN before reading: the flag decides', async () => {
    const server = await openServer({ script: { everyConnection: { kind: 'hang_up', how: 'fin' } } })
    const outcome = await send(openClient(server.url, { deadlineMs: 500 }))
    expect(outcome.kind).toBe(outcome.evidence.started ? 'in_doubt' : 'not_sent')
    expect(server.truth.applications).toEqual([])
  })

  it('scenario 11: applied only after the client gave up, so in doubt is right', async () => {
    const script = otherwise({ kind: 'silence', applied: 'once_alone' })
    const server = await openServer({ script })
    const outcome = await send(openClient(server.url, { deadlineMs: 100 }))
    expect(outcome).toMatchObject({ kind: 'in_doubt', hint: 'unknown' })
    await server.until((truth) => truth.ended === 1)
    expect(server.truth.applications).toHaveLength(1)
  })

  it('a client that is closed breaks them off: in doubt', async () => {
    const server = await openServer({ script: otherwise(SILENCE) })
    const client = openClient(server.url)
    const sending = send(client)
    await server.until((truth) => truth.applications.length === 1)
    await client.close()
    expect(await sending).toMatchObject({ kind: 'in_doubt', evidence: { errorCode: 'UND_ERR_DESTROYED' } })
  })

  it('a slot is free again after every fault of the matrix', async () => {
    const server = await openServer()
    const client = openClient(server.url, { deadlineMs: 300 })
    for (const [, fault] of MATRIX) {
      server.setScript(otherwise(fault))
      await send(client)
    }
    server.setScript({})
    expect(await send(client, mandateOf(99))).toMatchObject({ kind: 'registered' })
  })

  it('scenario 23: a flood of large answers does not stay in memory', async () => {
    const server = await openServer({ script: otherwise({ kind: 'large_body', bytes: 10_000_000 }) })
    const client = openClient(server.url)
    await send(client)
    const before = held()
    for (let n = 0; n < 20; n += 1) expect(await send(client)).toMatchObject({ kind: 'in_doubt' })
    expect(held() - before).toBeLessThan(20_000_000)
  })

  it('scenario 47: a wall clock that jumps moves neither the deadline nor the duration', async () => {
    const server = await openServer()
    let jumps = 0
    const jumping = { now: () => ((jumps += 1) % 2 === 0 ? 0 : 4e12), monotonic: clock.monotonic }
    const outcome = await send(openClient(server.url, { clock: jumping }))
    expect(outcome.kind).toBe('registered')
    expect(outcome.evidence.durationMs).toBeGreaterThanOrEqual(0)
    expect(outcome.evidence.durationMs).toBeLessThan(5_000)
  })

  it('scenario 49: an event loop that was blocked past the deadline never makes it "not sent"', async () => {
    const server = await openServer({ script: otherwise(SILENCE) })
    const sending = send(openClient(server.url, { deadlineMs: 100 }))
    await server.until((truth) => truth.requests.length === 1)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    expect(await sending).toMatchObject({ kind: 'in_doubt' })
    expect(server.truth.requests).toHaveLength(1)
  })
})

describe('what undici must never do', () => {
  const request = { method: 'POST', path: '/', headers: {}, body: '{}' } as const
  const limits = { deadlineMs: 5_000, freshConnections: false }
  const controller = () => {
    const aborts: Error[] = []
    const given = { aborted: false, paused: false, reason: null, pause: noop, resume: noop }
    return { aborts, given: { ...given, abort: (reason: Error) => void aborts.push(reason) } }
  }
  const noop = (): void => undefined
  const exchangeOver = (dispatch: Dispatcher['dispatch'], signal = new AbortController().signal) =>
    exchangeOnce({ dispatcher: { dispatch }, origin: 'http://127.0.0.1:1' }, request, limits, clock, signal)

  it('write one request twice: the second writing is aborted before it happens', async () => {
    const [first, second] = [controller(), controller()]
    const exchange = await exchangeOver((_options, handler) => {
      handler.onRequestStart?.(first.given, null)
      handler.onRequestStart?.(second.given, null)
      handler.onResponseError?.(second.given, new Error('aborted'))
      return true
    })
    expect(first.aborts).toEqual([])
    expect(second.aborts).toHaveLength(1)
    expect(exchange).toMatchObject({ started: true, response: null, error: { message: 'aborted' } })
  })

  it('write a request that ended while it waited', async () => {
    const late = controller()
    const interrupt = new AbortController()
    let begin = noop
    const exchanging = exchangeOver((_options, handler) => {
      begin = () => handler.onRequestStart?.(late.given, null)
      return true
    }, interrupt.signal)
    interrupt.abort()
    expect(await exchanging).toMatchObject({ started: false, error: { code: 'ABORTED' } })
    begin()
    expect(late.aborts).toHaveLength(1)
  })

  it.each([
    [new TypeError('broken'), { code: null, name: 'TypeError', message: 'broken' }],
    [Object.assign(new Error('x'), { code: 'E_TEXT' }), { code: 'E_TEXT', name: 'Error', message: 'x' }],
    [Object.assign(new Error('x'), { code: 20 }), { code: null, name: 'Error', message: 'x' }],
  ])('throw: %s becomes a value, too', async (thrown, error) => {
    const exchange = await exchangeOver(() => {
      throw thrown
    })
    expect(exchange).toMatchObject({ started: false, response: null, error })
  })
})

describe('connections that are kept', () => {
  it.each([
    ['carry one request after another', {}, {}, 1],
    ['scenario 33: are given up by the client before the service does', {}, { keepAliveMs: 50 }, 3],
    ['scenario 33: are replaced when the service ended them idle', { idleCloseMs: 20 }, {}, 3],
    ['scenario 33: are not kept at all when fresh ones are asked for', {}, { freshConnections: true }, 3],
  ])('%s', async (_name, service, options, connections) => {
    const server = await openServer(service)
    const client = openClient(server.url, options)
    for (let n = 1; n <= 3; n += 1) {
      expect(await send(client, mandateOf(n))).toMatchObject({ kind: 'registered' })
      if (connections > 1) await server.until((truth) => truth.ended === n)
    }
    expect(server.truth.connections).toBe(connections)
  })

  it.each([
    ['on the idle connection', true],
    ['together with the answer', false],
  ])('scenario 20: an extra answer %s is never credited to the next row', async (_when, isIdle) => {
    const stolen = {
      customer_no: 2,
      iban: 'DE89370400440532013000',
      signed_date: '2020-02-29',
      sepa_creditor_identifier: 'DE79ZZZ01234567890',
      unique_mandate_reference: 'STOLEN',
    }
    const bytes = message(200, {}, JSON.stringify({ status: 'OK', data: stolen }))
    const server = await openServer({ script: { byOrdinal: { 1: { kind: 'stray_bytes', bytes } } } })
    const client = openClient(server.url)
    expect(await send(client, mandateOf(1))).toMatchObject({ value: { mandateReference: 'NEW-00000001' } })
    if (isIdle) await server.until((truth) => truth.ended === 1)
    const next = await send(client, mandateOf(2))
    expect(next).toMatchObject({ kind: 'registered', value: { mandateReference: 'NEW-00000002' } })
  })
})

it('scenario 32: a redirect to another host is not followed', async () => {
  const elsewhere = await openServer()
  const headers = { location: `${elsewhere.url}/api/v2/sepa_dd_mandate/migrate` }
  const server = await openServer({ script: otherwise({ kind: 'reply', status: 307, headers }) })
  const expected = { kind: 'in_doubt', hint: 'unknown', halt: 'redirect', evidence: { status: 307 } }
  expect(await send(openClient(server.url))).toMatchObject(expected)
  expect(elsewhere.truth.connections).toBe(0)
})

/**
 * A listener whose queue of connections is full, so that nobody answers the next attempt to connect: a stopped
 * process accepts nothing, and Linux queues one connection more than the backlog.
 */
async function startDeafListener(): Promise<number> {
  const program =
    "const s=require('net').createServer();s.listen({port:0,host:'127.0.0.1',backlog:1},()=>console.log(s.address().port))"
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  child.kill('SIGSTOP')
  for (let n = 0; n < 2; n += 1) {
    const filler = connect(port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void filler.destroy())
    await once(filler, 'connect')
  }
  return port
}
