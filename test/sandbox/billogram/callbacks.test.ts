import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { exchange } from '../exchange.js'
import { sandboxStarter } from '../running-sandbox.js'

const start = sandboxStarter()

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A receiver on a free port; `answers` false leaves every callback without an answer. */
async function receiver(answers = true) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
        if (answers) response.end()
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
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

const update = (callbacks: object) => ({ customer: {}, items: [], callbacks })
const PATH = '/api/v2/billogram/SANDBOX1'

describe('2.2, 6: callbacks', () => {
  it('6, choice 15: an event is posted to callbacks.url with custom, signed with sign_key', async () => {
    const { received, port } = await receiver()
    const sandbox = await start()
    const callbacks = {
      url: `http://127.0.0.1:${port}/hook?x=1`,
      custom: 'order-77',
      sign_key: 'very secret',
    }
    await exchange(sandbox, 'PUT', PATH, { body: update(callbacks) })
    await expect.poll(() => received).toHaveLength(1)
    const [callback] = received
    const [billogram] = sandbox.billograms()
    expect(JSON.parse(callback?.body ?? '')).toEqual({ event: billogram?.events[0], custom: 'order-77' })
    const hmac = createHmac('sha256', 'very secret')
      .update(callback?.body ?? '')
      .digest('hex')
    expect(callback?.headers['x-sandbox-signature']).toBe(`sha256=${hmac}`)
    expect(callback?.body).not.toContain('very secret')
  })

  it('6: every event calls back, the failed direct debit too', async () => {
    const { received, port } = await receiver()
    const sandbox = await start()
    const payments = [{ type: 'manual', payment_amount: 5, payment_date: '2025-01-05' }]
    await exchange(sandbox, 'PUT', PATH, {
      body: { ...update({ url: `http://localhost:${port}/` }), registered_payments: { payments } },
    })
    await exchange(sandbox, 'POST', '/_sandbox/billograms/SANDBOX1/failed-direct-debit', {
      body: { amount: 5, full_status: 'No cover' },
    })
    const types = () =>
      received.map(({ body }) => (JSON.parse(body) as { event: { type: string } }).event.type)
    await expect.poll(() => types().sort()).toEqual(['DirectDebitFailed', 'Payment', 'Updated'])
    for (const { headers } of received) expect(headers).not.toHaveProperty('x-sandbox-signature')
  })

  it('2.2: the placeholder of the key, sent back, keeps the key', async () => {
    const { received, port } = await receiver()
    const sandbox = await start()
    const url = `http://127.0.0.1:${port}/`
    await exchange(sandbox, 'PUT', PATH, { body: update({ url, sign_key: 'very secret' }) })
    await exchange(sandbox, 'PUT', PATH, { body: update({ url, sign_key: '<SIGNING_SECRET>' }) })
    await expect.poll(() => received).toHaveLength(2)
    for (const { body, headers } of received) {
      const hmac = createHmac('sha256', 'very secret').update(body).digest('hex')
      expect(headers['x-sandbox-signature']).toBe(`sha256=${hmac}`)
    }
  })

  it('never make the answer wait, nor the sandbox when it closes', async () => {
    const { received, port, connections } = await receiver(false)
    const sandbox = await start()
    const answer = await exchange(sandbox, 'PUT', PATH, {
      body: update({ url: `http://127.0.0.1:${port}/` }),
    })
    expect(answer.status).toBe(200)
    await expect.poll(() => received).toHaveLength(1)
    await sandbox.close()
    await expect.poll(connections).toBe(0)
  })

  it('that fail are logged and change nothing', async () => {
    const lines: string[] = []
    const sandbox = await start({ log: (line) => lines.push(line) })
    const { status } = await exchange(sandbox, 'PUT', PATH, { body: update({ url: 'http://127.0.0.1:1/' }) })
    expect(status).toBe(200)
    await expect
      .poll(() => lines.join('\n'))
      .toMatch(/callback Updated of billogram SANDBOX1: .*ECONNREFUSED/)
  })

  it.each([
    'http://203.0.113.1/',
    'https://127.0.0.1/',
    'http://127.0.0.1.example/',
    'http://user:pass@127.0.0.1/',
    'http://user@127.0.0.1/',
    'http://127.0.0.1@203.0.113.1/',
    'file:///etc/hosts',
    'not a url',
    '',
  ])('never leave this computer: %s is not called', async (url) => {
    const lines: string[] = []
    const sandbox = await start({ log: (line) => lines.push(line) })
    await exchange(sandbox, 'PUT', PATH, { body: update({ url }) })
    expect(lines).toContain(
      'callback Updated of billogram SANDBOX1: not sent, only loopback addresses over http are called',
    )
  })
})
