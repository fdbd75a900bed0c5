import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Dispatcher } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MIGRATE_PATH, toMigrateRequest } from '../../src/contract/migrate-mandate.js'
import { openConnections } from '../../src/service/connections.js'
import { exchangeOnce } from '../../src/service/exchange.js'
import type { Fault, FaultScript } from '../support/fault-server-faults.js'
import { message } from '../support/fault-server.js'
import { clock, mandateOf, openClient, openServer, send } from './sending.js'
import { readBaseUrl } from '../../src/service/checked-service.js'

/**
 * The error matrix (service/README.md#error-matrix) on real sockets: an undici release that changes a line of it must
 * fail here (scenario 58). The numbers in the names are those of test/faults.md.
 */
interface Line {
  readonly name: string
  readonly script: FaultScript
  readonly limits?: { deadlineMs?: number; headersTimeoutMs?: number; bodyTimeoutMs?: number }
  readonly kind: 'registered' | 'refused' | 'turned_away' | 'not_sent' | 'in_doubt'
  readonly hint?: 'probably_registered' | 'unknown'
  readonly started?: boolean
  readonly status?: number | null
  readonly errorCode?: string | readonly string[] | null
  /** How many mandates the server holds afterwards. */
  readonly applied: number
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes that are still referred to; the resident size also counts what was merely not collected yet. */
function held(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const otherwise = (fault: Fault): FaultScript => ({ otherwise: fault })

const MATRIX: readonly Line[] = [
  {
    name: '8: accepted, then RST when the first bytes arrive',
    script: { everyConnection: { kind: 'reset_at_first_bytes' } },
    kind: 'in_doubt',
    errorCode: 'ECONNRESET',
    applied: 0,
  },
  {
    name: '8: read, then FIN, not applied',
    script: otherwise({ kind: 'hang_up', how: 'fin', applied: false }),
    kind: 'in_doubt',
    errorCode: 'UND_ERR_SOCKET',
    applied: 0,
  },
  {
    name: '9: read, then RST, not applied',
    script: otherwise({ kind: 'hang_up', how: 'rst', applied: false }),
    kind: 'in_doubt',
    errorCode: 'ECONNRESET',
    applied: 0,
  },
  {
    name: '10: applied, then RST',
    script: otherwise({ kind: 'hang_up', how: 'rst', applied: true }),
    kind: 'in_doubt',
    errorCode: 'ECONNRESET',
    applied: 1,
  },
  {
    name: '11: applied, then silence until the headers timeout',
    script: otherwise({ kind: 'silence', applied: true }),
    limits: { headersTimeoutMs: 100 },
    kind: 'in_doubt',
    errorCode: 'UND_ERR_HEADERS_TIMEOUT',
    applied: 1,
  },
  {
    name: '11: applied, then silence until the deadline',
    script: otherwise({ kind: 'silence', applied: true }),
    limits: { deadlineMs: 100 },
    kind: 'in_doubt',
    errorCode: 'DEADLINE',
    applied: 1,
  },
  {
    name: '12: header bytes that trickle do not put off the headers timeout',
    script: otherwise({ kind: 'slow_headers', everyMs: 10, applied: true }),
    limits: { headersTimeoutMs: 100 },
    kind: 'in_doubt',
    errorCode: 'UND_ERR_HEADERS_TIMEOUT',
    applied: 1,
  },
  {
    name: '13: body bytes that trickle put off the body timeout, but not the deadline',
    script: otherwise({ kind: 'slow_body', everyMs: 10, applied: true }),
    limits: { bodyTimeoutMs: 300, deadlineMs: 700 },
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    errorCode: 'DEADLINE',
    applied: 1,
  },
  {
    name: '13: headers, half a body, then silence',
    script: otherwise({ kind: 'stalled_body', applied: true }),
    limits: { bodyTimeoutMs: 100 },
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    errorCode: 'UND_ERR_BODY_TIMEOUT',
    applied: 1,
  },
  {
    name: '14: half a body with Content-Length, then FIN',
    script: otherwise({ kind: 'cut_body', framing: 'length', how: 'fin' }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    errorCode: 'UND_ERR_SOCKET',
    applied: 1,
  },
  {
    name: '14: half a body with Content-Length, then RST',
    script: otherwise({ kind: 'cut_body', framing: 'length', how: 'rst' }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    errorCode: ['UND_ERR_SOCKET', 'ECONNRESET'],
    applied: 1,
  },
  {
    name: '14: half a chunk, then FIN',
    script: otherwise({ kind: 'cut_body', framing: 'chunked', how: 'fin' }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    errorCode: 'UND_ERR_SOCKET',
    applied: 1,
  },
  {
    name: '15: half a body that ends by close raises no error, the JSON tells',
    script: otherwise({ kind: 'cut_body', framing: 'close', how: 'fin' }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    errorCode: null,
    applied: 1,
  },
  {
    name: '15: half a body that ends by RST raises no error either',
    script: otherwise({ kind: 'cut_body', framing: 'close', how: 'rst' }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    errorCode: null,
    applied: 1,
  },
  {
    name: '16: 200 with HTML',
    script: otherwise({ kind: 'reply', status: 200, body: '<html>200 OK</html>', applied: true }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    applied: 1,
  },
  {
    name: '16: 200 with nothing',
    script: otherwise({ kind: 'reply', status: 200, applied: true }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    applied: 1,
  },
  {
    name: '16: 200 with null',
    script: otherwise({ kind: 'reply', status: 200, body: 'null', applied: true }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    applied: 1,
  },
  {
    name: '16: 200 with an array',
    script: otherwise({ kind: 'reply', status: 200, body: '[]', applied: true }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    applied: 1,
  },
  {
    name: '17: 204',
    script: otherwise({ kind: 'reply', status: 204, applied: true }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 204,
    applied: 1,
  },
  {
    name: '17: 200 without a reference',
    script: otherwise({ kind: 'alter', without: ['unique_mandate_reference'] }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    applied: 1,
  },
  {
    name: '17: 200 with a blank identifier',
    script: otherwise({ kind: 'alter', fields: { sepa_creditor_identifier: ' ' } }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    applied: 1,
  },
  {
    name: '21: an unsolicited 100',
    script: otherwise({ kind: 'unsolicited_100' }),
    kind: 'in_doubt',
    errorCode: 'UND_ERR_SOCKET',
    applied: 1,
  },
  {
    name: '21: 103, then 200',
    script: otherwise({ kind: 'early_hints' }),
    kind: 'registered',
    status: 200,
    applied: 1,
  },
  {
    name: '22: a garbage status line, an error without a code',
    script: otherwise({ kind: 'garbage' }),
    kind: 'in_doubt',
    errorCode: 'HTTPParserError',
    applied: 1,
  },
  {
    name: '23: 70 KB of headers',
    script: otherwise({ kind: 'large_headers', bytes: 70_000 }),
    kind: 'in_doubt',
    errorCode: 'UND_ERR_HEADERS_OVERFLOW',
    applied: 1,
  },
  {
    name: '23: a body of 10 MB',
    script: otherwise({ kind: 'large_body', bytes: 10_000_000 }),
    kind: 'in_doubt',
    hint: 'probably_registered',
    status: 200,
    errorCode: 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
    applied: 1,
  },
  {
    name: 'an early 413, before the body was read',
    script: otherwise({ kind: 'early_413' }),
    kind: 'refused',
    status: 413,
    applied: 0,
  },
  {
    name: '31: 409',
    script: otherwise({ kind: 'reply', status: 409, applied: false }),
    kind: 'in_doubt',
    status: 409,
    applied: 0,
  },
  {
    name: '31: 408, after the request was delivered',
    script: otherwise({ kind: 'reply', status: 408, applied: true }),
    kind: 'in_doubt',
    status: 408,
    applied: 1,
  },
  {
    name: '26: 503',
    script: otherwise({ kind: 'reply', status: 503, applied: true }),
    kind: 'in_doubt',
    status: 503,
    applied: 1,
  },
  {
    name: '24: 429',
    script: otherwise({ kind: 'reply', status: 429, headers: { 'retry-after': '2' } }),
    kind: 'turned_away',
    status: 429,
    applied: 0,
  },
]

describe('the error matrix, each line on a real socket', () => {
  it.each(MATRIX.map((line) => [line.name, line] as const))('scenario %s', async (_name, line) => {
    const server = await openServer({ script: line.script })
    const outcome = await send(openClient(server.url, line.limits))

    expect(outcome.kind).toBe(line.kind)
    expect(outcome.halt).toBeNull()
    if (outcome.kind === 'in_doubt') expect(outcome.hint).toBe(line.hint ?? 'unknown')
    expect(outcome.evidence.started).toBe(line.started ?? true)
    expect(outcome.evidence.status).toBe(line.status ?? null)
    expect([line.errorCode ?? null].flat()).toContain(outcome.evidence.errorCode)
    expect(server.truth.applications).toHaveLength(line.applied)
    expect(server.truth.requests.length).toBeLessThanOrEqual(1)
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

  it('a request that waits for a connection ends at its own deadline and is never written', async () => {
    const server = await openServer({ script: { byOrdinal: { 1: { kind: 'silence', applied: true } } } })
    const connections = openConnections(readBaseUrl(server.url), { concurrency: 1 })
    onTestFinished(() => connections.close())
    const exchange = (customerNo: number, deadlineMs: number, signal = new AbortController().signal) =>
      exchangeOnce(
        connections,
        {
          method: 'POST',
          path: MIGRATE_PATH,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(toMigrateRequest(mandateOf(customerNo))),
        },
        { deadlineMs, freshConnections: false },
        clock,
        signal,
      )
    const giveUp = new AbortController()
    const first = exchange(1, 60_000, giveUp.signal)
    const second = await exchange(2, 200)
    expect(second).toMatchObject({ started: false, response: null, error: { code: 'DEADLINE' } })
    giveUp.abort()
    expect(await first).toMatchObject({ started: true, response: null, error: { code: 'ABORTED' } })
    // Once the slot is free, the next request shows that the queue is empty.
    expect(await exchange(3, 60_000)).toMatchObject({ started: true, response: { complete: true } })
    expect(server.truth.requests.map((request) => request.customerNo)).toEqual([1, 3])
  })

  it('a request broken off while it waits for a connection is never written', async () => {
    const server = await openServer({ script: { byOrdinal: { 1: { kind: 'silence', applied: true } } } })
    const client = openClient(server.url)
    const slow = new AbortController()
    const queued = new AbortController()
    const first = send(client, mandateOf(1), slow.signal)
    const second = send(client, mandateOf(2), queued.signal)
    await server.until((truth) => truth.requests.length === 1)
    queued.abort()
    expect(await second).toMatchObject({ kind: 'not_sent', evidence: { errorCode: 'ABORTED' } })
    slow.abort()
    expect(await first).toMatchObject({
      kind: 'in_doubt',
      hint: 'unknown',
      evidence: { errorCode: 'ABORTED' },
    })
    expect(await send(client, mandateOf(3))).toMatchObject({ kind: 'registered' })
    expect(server.truth.requests.map((request) => request.customerNo)).toEqual([1, 3])
  })

  it('a closed client sends nothing', async () => {
    const server = await openServer()
    const client = openClient(server.url)
    await client.close()
    expect(await send(client)).toMatchObject({
      kind: 'not_sent',
      evidence: { errorCode: 'UND_ERR_DESTROYED' },
    })
    expect(server.truth.connections).toBe(0)
  })

  it('an argument that undici refuses is our own fault and stops the run', async () => {
    const server = await openServer()
    const outcome = await openClient(server.url).migrateMandate(mandateOf(), { requestId: 'a\nb' })
    expect(outcome).toMatchObject({
      kind: 'not_sent',
      halt: 'request_rejected_locally',
      evidence: { started: false, errorCode: 'UND_ERR_INVALID_ARG' },
    })
    expect(server.truth.connections).toBe(0)
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

  it('a second signal breaks off a request in flight: in doubt', async () => {
    const server = await openServer({ script: otherwise({ kind: 'silence', applied: true }) })
    const interrupt = new AbortController()
    const sending = send(openClient(server.url), mandateOf(), interrupt.signal)
    await server.until((truth) => truth.applications.length === 1)
    interrupt.abort()
    expect(await sending).toMatchObject({
      kind: 'in_doubt',
      hint: 'unknown',
      evidence: { errorCode: 'ABORTED' },
    })
  })

  it('a client that is closed breaks them off: in doubt', async () => {
    const server = await openServer({ script: otherwise({ kind: 'silence', applied: true }) })
    const client = openClient(server.url)
    const sending = send(client)
    await server.until((truth) => truth.applications.length === 1)
    await client.close()
    expect(await sending).toMatchObject({ kind: 'in_doubt', evidence: { errorCode: 'UND_ERR_DESTROYED' } })
  })

  it('any number of them may share one signal', async () => {
    const server = await openServer()
    const client = openClient(server.url, { concurrency: 32 })
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 32 }, (_, at) => send(client, mandateOf(at + 1), signal)))
    expect(warnings).toEqual([])
  })

  it('a slot is free again after every fault of the matrix', async () => {
    const server = await openServer()
    const client = openClient(server.url, { deadlineMs: 300 })
    for (const { script } of MATRIX) {
      server.setScript(script)
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
    const server = await openServer({ script: otherwise({ kind: 'silence', applied: true }) })
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
  it('carry one request after another', async () => {
    const server = await openServer()
    const client = openClient(server.url)
    for (let n = 1; n <= 5; n += 1)
      expect(await send(client, mandateOf(n))).toMatchObject({ kind: 'registered' })
    expect(server.truth.connections).toBe(1)
  })

  it('scenario 20: an extra answer on the idle connection is never credited to the next row', async () => {
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
    expect(await send(client, mandateOf(1))).toMatchObject({ kind: 'registered' })
    await server.until((truth) => truth.ended === 1)
    const next = await send(client, mandateOf(2))
    expect(next).toMatchObject({ kind: 'registered', value: { mandateReference: 'NEW-00000002' } })
    expect(server.truth.connections).toBe(2)
  })

  it('scenario 20: nor when it arrives together with the answer', async () => {
    const bytes = message(200, {}, '{"status":"OK","data":{}}')
    const server = await openServer({ script: { byOrdinal: { 1: { kind: 'stray_bytes', bytes } } } })
    const client = openClient(server.url)
    const [first, second] = [await send(client, mandateOf(1)), await send(client, mandateOf(2))]
    expect(first).toMatchObject({ kind: 'registered', value: { mandateReference: 'NEW-00000001' } })
    expect(second).toMatchObject({ kind: 'registered', value: { mandateReference: 'NEW-00000002' } })
  })

  it('scenario 33: are given up by the client before the service does', async () => {
    const server = await openServer()
    const client = openClient(server.url, { keepAliveMs: 50 })
    expect(await send(client, mandateOf(1))).toMatchObject({ kind: 'registered' })
    await server.until((truth) => truth.ended === 1)
    expect(await send(client, mandateOf(2))).toMatchObject({ kind: 'registered' })
  })

  it('scenario 33: are replaced when the service ended them while they were idle', async () => {
    const server = await openServer({ idleCloseMs: 20 })
    const client = openClient(server.url)
    for (let n = 1; n <= 5; n += 1) {
      expect(await send(client, mandateOf(n))).toMatchObject({ kind: 'registered' })
      await server.until((truth) => truth.ended === n)
    }
    expect(server.truth.connections).toBe(5)
  })

  it('scenario 33: are not kept at all when fresh ones are asked for', async () => {
    const server = await openServer()
    const client = openClient(server.url, { freshConnections: true })
    for (let n = 1; n <= 3; n += 1)
      expect(await send(client, mandateOf(n))).toMatchObject({ kind: 'registered' })
    expect(server.truth.connections).toBe(3)
    expect(server.truth.requests.map(({ headers }) => headers['connection'])).toEqual([
      'close',
      'close',
      'close',
    ])
  })
})

describe('answers that stop the run', () => {
  it('scenario 32: a redirect to another host is not followed', async () => {
    const elsewhere = await openServer()
    const headers = { location: `${elsewhere.url}/api/v2/sepa_dd_mandate/migrate` }
    const server = await openServer({ script: otherwise({ kind: 'reply', status: 307, headers }) })
    expect(await send(openClient(server.url))).toMatchObject({
      kind: 'in_doubt',
      hint: 'unknown',
      halt: 'redirect',
      evidence: { status: 307 },
    })
    expect(elsewhere.truth.connections).toBe(0)
  })

  it.each([
    ['customer_no', { customer_no: 2 }],
    ['iban', { iban: 'NO9386011117947' }],
    ['signed_date', { signed_date: '2020-03-01' }],
  ])("scenario 18: 200 with another row's %s", async (field, fields) => {
    const server = await openServer({ script: otherwise({ kind: 'alter', fields }) })
    const outcome = await send(openClient(server.url))
    expect(outcome).toMatchObject({ kind: 'in_doubt', hint: 'unknown', halt: 'echo_mismatch' })
    expect(outcome.reason).toContain(`its ${field} is not the one that was sent`)
  })

  it.each([401, 403, 407])('scenario 28: %d leaves the row ready', async (status) => {
    const server = await openServer({ script: otherwise({ kind: 'reply', status }) })
    expect(await send(openClient(server.url))).toMatchObject({
      kind: 'turned_away',
      halt: 'credentials',
      evidence: { status },
    })
  })

  it('scenario 28: wrong credentials are refused by a server that checks them', async () => {
    const server = await openServer({ credentials: { username: 'rehearsal', password: 'other' } })
    expect(await send(openClient(server.url))).toMatchObject({ kind: 'turned_away', halt: 'credentials' })
    expect(server.truth.applications).toEqual([])
  })
})

describe('answers that tell more', () => {
  it.each([
    ['2', 2_000],
    ['86400', 86_400_000],
    ['soon', null],
  ])('scenario 25: Retry-After: %s', async (text, retryAfterMs) => {
    const headers = { 'retry-after': text }
    const server = await openServer({ script: otherwise({ kind: 'reply', status: 429, headers }) })
    expect((await send(openClient(server.url))).evidence.retryAfterMs).toBe(retryAfterMs)
  })

  it.each([3_600_000, -3_600_000])(
    "scenario 25: a date counts by the service's clock, %d ms off",
    async (skewMs) => {
      const now = Math.floor(Date.now() / 1000) * 1000 + skewMs
      const headers = {
        date: new Date(now).toUTCString(),
        'retry-after': new Date(now + 30_000).toUTCString(),
      }
      const server = await openServer({ script: otherwise({ kind: 'reply', status: 429, headers }) })
      expect((await send(openClient(server.url))).evidence.retryAfterMs).toBe(30_000)
    },
  )

  it.each([422, 400, 404])(
    'scenarios 29 and 30: %d is a refusal, its message kept and masked',
    async (status) => {
      const body = JSON.stringify({
        status: 'INVALID_PARAMETER',
        data: { message: 'no account DE89 3704 0044 0532 0130 00', field_path: ['mandate', 'iban'] },
      })
      const server = await openServer({ script: otherwise({ kind: 'reply', status, body }) })
      const outcome = await send(openClient(server.url))
      expect(outcome).toMatchObject({
        kind: 'refused',
        halt: null,
        evidence: {
          status,
          serviceCode: 'INVALID_PARAMETER',
          field: 'mandate.iban',
          message: 'no account DE…3000',
        },
      })
      expect(outcome.reason).toBe(
        `The service answered ${status} (INVALID_PARAMETER, field mandate.iban, no account DE…3000): refused`,
      )
    },
  )
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
