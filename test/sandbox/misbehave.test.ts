import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { readMigrateAnswer } from '../../src/contract/mandates.js'
import type { FaultRuleInput } from '../../src/sandbox/faults.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { samples } from '../contract/wire-samples.js'
import { createOffer, MIGRATE, migrate, start, update } from './exchange.js'

type Fault = FaultRuleInput['fault']
const startWith = (fault: Fault) => start({ faults: [{ operation: 'migrate', times: 1, fault }] })

/** A request as bytes, so that a broken answer can be seen as it is. */
function rawRequest({ port }: Sandbox) {
  const text = JSON.stringify(samples.migrateMandate.request)
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST ${MIGRATE} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `Authorization: Basic ${Buffer.from('sandbox:sandbox').toString('base64')}\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return socket
}

/** The bytes of the raw answer and how the connection ended. */
async function rawExchange(sandbox: Sandbox): Promise<{ bytes: string; ended: 'end' | 'reset' }> {
  const chunks: Buffer[] = []
  let ended: 'end' | 'reset' = 'end'
  const socket = rawRequest(sandbox)
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => (ended = 'reset'))
  await new Promise((resolve) => socket.once('close', resolve))
  return { bytes: Buffer.concat(chunks).toString(), ended }
}

describe('faults that are plain answers', () => {
  const field = 'amendment.unique_mandate_reference'
  const refused = { kind: 'refuse', status: 422, code: 'WORD', field, message: 'no' } as const
  const elsewhere = { location: 'http://127.0.0.1:9/', 'content-type': 'text/plain' }
  const later = 'Fri, 01 Jan 2100 00:00:00 GMT'
  it.each<[Fault, object, number]>([
    [
      refused,
      { status: 422, json: { status: 'WORD', data: { message: 'no', field, field_path: field.split('.') } } },
      0,
    ],
    [{ kind: 'throttle' }, { status: 429, headers: { 'retry-after': '1' } }, 0],
    [{ kind: 'throttle', retry_after: later }, { status: 429, headers: { 'retry-after': later } }, 0],
    [{ kind: 'throttle', status: 503, retry_after: null }, { status: 503 }, 0],
    [{ kind: 'server_error' }, { status: 500 }, 0],
    [{ kind: 'server_error', status: 503, applied: true }, { status: 503 }, 1],
    [
      { kind: 'answer', status: 307, headers: elsewhere, body: 'elsewhere' },
      { status: 307, text: 'elsewhere', headers: elsewhere },
      0,
    ],
    [{ kind: 'answer', status: 409, body: { a: [1] } }, { status: 409, json: { a: [1] } }, 0],
    [{ kind: 'answer', status: 204, body: 'x' }, { status: 204, text: '' }, 0],
  ])('%j, once', async (fault, expected, held) => {
    const sandbox = await startWith(fault)
    const answer = await migrate(sandbox)
    expect(answer).toMatchObject(expected)
    if ('retry_after' in fault && fault.retry_after === null)
      expect(answer.headers).not.toHaveProperty('retry-after')
    expect(sandbox.mandates()).toHaveLength(held)
    expect((await migrate(sandbox)).status).toBe(200)
  })

  it('delay: the usual answer, later', async () => {
    const sandbox = await startWith({ kind: 'delay', for_ms: 5 })
    expect((await migrate(sandbox)).status).toBe(200)
    expect(sandbox.requests().faults).toEqual({ delay: 1 })
  })
})

describe('nonsense with status 200', () => {
  it.each([
    ['html', '<!doctype html>', 200],
    ['empty', '', 200],
    ['no_content', '', 204],
    ['null', 'null', 200],
    ['array', '[', 200],
    ['no_data', '{"status":"OK"}', 200],
    ['no_references', '{"status":"OK","data":{"customer_no":1042', 200],
  ] as const)('%s cannot be read, though the mandate is registered', async (answer, begin, status) => {
    const sandbox = await startWith({ kind: 'nonsense', answer })
    const seen = await migrate(sandbox)
    expect(seen.status).toBe(status)
    expect(seen.text.startsWith(begin)).toBe(true)
    expect(readMigrateAnswer(seen.json).kind).toBe('unreadable')
    expect(sandbox.mandates()).toHaveLength(1)
  })

  it('can come without effect', async () => {
    const sandbox = await startWith({ kind: 'nonsense', answer: 'null', applied: false })
    await migrate(sandbox)
    expect(sandbox.mandates()).toEqual([])
  })

  it('wrong_echo: names another customer', async () => {
    const answer = await migrate(await startWith({ kind: 'nonsense', answer: 'wrong_echo' }))
    expect(readMigrateAnswer(answer.json)).toMatchObject({ kind: 'read', data: { customer_no: 1043 } })
  })

  it('repeated_reference: gives the reference of the first mandate again, but holds another', async () => {
    const fault = { kind: 'nonsense', answer: 'repeated_reference' } as const
    const sandbox = await start({ faults: [{ operation: 'migrate', match: { request: 2 }, fault }] })
    const answers = [await migrate(sandbox), await migrate(sandbox, { customer_no: 7 })]
    const [first] = sandbox.mandates()
    for (const { json } of answers)
      expect(json).toMatchObject({ data: { unique_mandate_reference: first?.unique_mandate_reference } })
    expect(new Set(sandbox.mandates().map((mandate) => mandate.unique_mandate_reference)).size).toBe(2)
  })
})

describe('faults of the connection', () => {
  it.each([
    [true, 1],
    [false, 0],
  ])('reset: no byte of an answer, with effect %s', async (applied, held) => {
    const sandbox = await startWith({ kind: 'reset', applied })
    expect(await rawExchange(sandbox)).toEqual({ bytes: '', ended: 'reset' })
    expect(sandbox.mandates()).toHaveLength(held)
    expect((await migrate(sandbox)).status).toBe(200)
  })

  it.each([
    ['content_length', /\r\nContent-Length: \d+\r\n/],
    ['chunked', /\r\nTransfer-Encoding: chunked\r\n/],
  ] as const)('cut: a client sees that a %s body is not whole', async (framing, header) => {
    const sandbox = await startWith({ kind: 'cut', framing })
    const { bytes } = await rawExchange(sandbox)
    expect(bytes).toMatch(header)
    expect(bytes).toContain('"customer_no":1042')
    expect(bytes).not.toContain('unique_mandate_reference')
    expect(sandbox.mandates()).toHaveLength(1)
    const other = await startWith({ kind: 'cut', framing })
    await expect(migrate(other)).rejects.toThrow()
  })

  it('cut: with close the client cannot see it, but half the JSON is no JSON', async () => {
    const sandbox = await startWith({ kind: 'cut', framing: 'close' })
    const answer = await migrate(sandbox)
    expect(answer.status).toBe(200)
    expect(answer.json).toBeUndefined()
    expect(answer.text).toContain('"customer_no":1042')
  })

  it('hang: answers nothing until the client leaves, the mandate being registered', async () => {
    const sandbox = await startWith({ kind: 'hang' })
    const socket = rawRequest(sandbox)
    await expect.poll(() => sandbox.mandates()).toHaveLength(1)
    expect(socket.bytesRead).toBe(0)
    socket.destroy()
    await once(socket, 'close')
    await expect.poll(() => sandbox.requests().answered).toEqual({ none: 1 })
  })

  it('hang: may end by a closed connection after its time', async () => {
    const sandbox = await startWith({ kind: 'hang', for_ms: 5, applied: false })
    expect((await rawExchange(sandbox)).bytes).toBe('')
    expect(sandbox.mandates()).toEqual([])
  })

  it('hang: does not keep the sandbox from closing', async () => {
    const sandbox = await startWith({ kind: 'hang' })
    const broken = expect(migrate(sandbox)).rejects.toThrow()
    await expect.poll(() => sandbox.requests().faults).toEqual({ hang: 1 })
    await sandbox.close()
    await broken
  })
})

describe('a fault on a request that the service would refuse', () => {
  it('gives way to the refusal when it comes after the effect', async () => {
    const sandbox = await startWith({ kind: 'reset', applied: true })
    const answer = await migrate(sandbox, { customer_no: 0 })
    expect(answer.json).toMatchObject({ status: 'INVALID_PARAMETER', data: { field: 'customer_no' } })
  })
})

describe('faults of the other operations', () => {
  it('are planned per operation', async () => {
    const sandbox = await start({
      faults: [
        { operation: 'offer', fault: { kind: 'reset', applied: true } },
        { operation: 'billogram', match: { billogram_id: 'SANDBOX2' }, fault: { kind: 'throttle' } },
      ],
    })
    await expect(createOffer(sandbox)).rejects.toThrow()
    expect(sandbox.offers()).toHaveLength(1)
    const change = { customer: {}, items: [] }
    expect((await update(sandbox, change)).status).toBe(200)
    expect((await update(sandbox, change, 'SANDBOX2')).status).toBe(429)
    expect((await migrate(sandbox)).status).toBe(200)
  })
})

describe('latency', () => {
  it('comes after the effect, so that a client that gives up leaves a registered mandate behind', async () => {
    const sandbox = await start({ latencyMs: 3_600_000 })
    const broken = expect(migrate(sandbox)).rejects.toThrow()
    await expect.poll(() => sandbox.mandates()).toHaveLength(1)
    await sandbox.close()
    await broken
  })
})
