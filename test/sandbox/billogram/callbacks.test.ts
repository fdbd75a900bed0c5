import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/sandbox.js'
import { verifyCallback } from '../../../src/contract/callback.js'
import { act, start, update } from '../exchange.js'

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver on a free port that answers with these, the last of them for good; null leaves a callback without one. */
async function receiver(...statuses: (number | null)[]) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
        const status = statuses.length > 1 ? statuses.shift() : statuses[0]
        if (status !== null) response.writeHead(status ?? 204).end()
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  let open = 0
  server.on('connection', (socket) => {
    open += 1
    socket.on('close', () => (open -= 1))
  })
  return { received, port: (server.address() as AddressInfo).port, connections: () => open }
}

/** Two events at once. */
const payments = [5, 6].map((amount) => ({
  type: 'manual',
  payment_amount: amount,
  payment_date: '2025-01-05',
}))
const pay = (sandbox: Sandbox, callbacks: object, count = 1) =>
  update(sandbox, {
    ...{ customer: {}, items: [], callbacks },
    registered_payments: { payments: payments.slice(0, count) },
  })

describe('2.2, 6: callbacks', () => {
  it('6, choice 15: an event is posted to callbacks.url with custom, signed with sign_key', async () => {
    const { received, port } = await receiver()
    const sandbox = await start({ now: () => new Date('2025-02-03T04:05:06Z') })
    const url = `http://127.0.0.1:${port}/hook?x=1`
    const callbacks = { url, custom: 'order-77', sign_key: 'very secret' }
    await pay(sandbox, callbacks)
    await expect.poll(() => received).toHaveLength(1)
    const [callback] = received as [Received]
    const [billogram] = sandbox.billograms()
    expect(JSON.parse(callback.body)).toEqual({
      callback_id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      callback_timestamp: '2025-02-03T04:05:06.000Z',
      callback_type: 'BillogramEvent',
      custom: 'order-77',
      event: billogram?.events[0],
    })
    expect(callback.headers['billogram-signature']).toMatch(/^[\da-f]{64}$/)
    expect(verifyCallback(callback, 'very secret').kind).toBe('verified')
    expect(callback.body).not.toContain('very secret')
  })

  it('6: every event calls back, the failed direct debit too', async () => {
    const { received, port } = await receiver()
    const sandbox = await start()
    await pay(sandbox, { url: `http://localhost:${port}/` }, 2)
    await act(sandbox, 'billograms/SANDBOX1/failed-direct-debit', { amount: 5, full_status: 'No cover' })
    const types = () =>
      received.map(({ body }) => (JSON.parse(body) as { event: { type: string } }).event.type)
    await expect.poll(() => types().sort()).toEqual(['DirectDebitFailed', 'Payment', 'Payment'])
    for (const { headers } of received) expect(headers).not.toHaveProperty('billogram-signature')
  })

  it('2.2: the placeholder of the key, sent back, keeps the key', async () => {
    const { received, port } = await receiver()
    const sandbox = await start()
    const url = `http://127.0.0.1:${port}/`
    await pay(sandbox, { url, sign_key: 'very secret' })
    await pay(sandbox, { url, sign_key: '<SIGNING_SECRET>' })
    await expect.poll(() => received).toHaveLength(2)
    for (const callback of received) expect(verifyCallback(callback, 'very secret').kind).toBe('verified')
  })

  it('is repeated as it was until it is answered with success', async () => {
    const { received, port } = await receiver(503, 204)
    const lines: string[] = []
    const sandbox = await start({ log: (line) => lines.push(line) })
    await pay(sandbox, { url: `http://127.0.0.1:${port}/`, sign_key: 'very secret' })
    const answered = () => lines.filter((line) => line.startsWith('callback'))
    await expect
      .poll(answered, { timeout: 10_000 })
      .toEqual([
        'callback Payment of billogram SANDBOX1: answered 503',
        'callback Payment of billogram SANDBOX1: answered 204',
      ])
    expect(received).toHaveLength(2)
    expect(received[1]).toEqual(received[0])
  })

  it('never make the answer wait, nor the sandbox when it closes', async () => {
    const { received, port, connections } = await receiver(null)
    const sandbox = await start()
    const answer = await pay(sandbox, { url: `http://127.0.0.1:${port}/` })
    expect(answer.status).toBe(200)
    await expect.poll(() => received).toHaveLength(1)
    await sandbox.close()
    await expect.poll(connections).toBe(0)
  })

  it('that fail are logged and change nothing', async () => {
    const lines: string[] = []
    const sandbox = await start({ log: (line) => lines.push(line) })
    const { status } = await pay(sandbox, { url: 'http://127.0.0.1:1/' })
    expect(status).toBe(200)
    await expect
      .poll(() => lines.join('\n'))
      .toMatch(/callback Payment of billogram SANDBOX1: .*ECONNREFUSED/)
  })

  it('never leave this computer', async () => {
    const lines: string[] = []
    const sandbox = await start({ log: (line) => lines.push(line) })
    for (const url of [
      ...['http://203.0.113.1/', 'https://127.0.0.1/', 'http://127.0.0.1.example/', 'not a url', ''],
      ...['http://user:pass@127.0.0.1/', 'http://user@127.0.0.1/', 'http://127.0.0.1@203.0.113.1/'],
      'file:///etc/hosts',
    ]) {
      await pay(sandbox, { url })
      expect(lines.splice(0), url).toContain(
        'callback Payment of billogram SANDBOX1: not sent, only loopback addresses over http are called',
      )
    }
  })
})
