import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  connectService,
  startSandbox,
  type Sandbox,
  type SandboxOptions,
  type ServiceClient,
} from '../../src/index.js'

const smallest = { customer: { name: 'Erika' }, items: [{ title: 'Water', price: 119 }] }

const closers: (() => Promise<void> | void)[] = []
let sandbox: Sandbox
let client: ServiceClient
async function begin(options: SandboxOptions = {}): Promise<void> {
  const started = await startSandbox({ seed: 1, ...options })
  const { url: baseUrl, username, password } = started
  const connected = connectService({ baseUrl, username, password })
  closers.push(() => started.close(), connected.close)
  ;[sandbox, client] = [started, connected]
}
beforeEach(() => begin())
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** What the client hands out of an update that went well. */
async function update(change: object, id = 'SANDBOX1') {
  const outcome = await client.updateBillogram(id, { ...smallest, ...change }, { requestId: 'update' })
  if (outcome.kind !== 'registered') throw new Error(outcome.reason)
  expect(outcome.value.leftOut).toEqual([])
  return outcome.value.content
}

describe('27.1 creditor_unique_value', () => {
  it.each([77, 7.25, 'Order 77'])('27.1 is sent, kept and read as it is: %j', async (value) => {
    expect((await update({ creditor_unique_value: value })).creditor_unique_value).toBe(value)
    expect(sandbox.billograms()[0]?.creditor_unique_value).toBe(value)
    expect((await update({})).creditor_unique_value).toBe(value)
  })

  it('27.1 is the same value as a number and as text', async () => {
    await update({ creditor_unique_value: 77 })
    const second = { ...smallest, creditor_unique_value: '77' }
    expect(await client.updateBillogram('SANDBOX2', second, { requestId: 'second' })).toMatchObject({
      kind: 'refused',
      evidence: { field: 'creditor_unique_value' },
    })
  })
})

describe('27.2 a time without an offset', () => {
  it.each(['2025-01-02T08:00:00', '2025-01-02T08:00:00.123', '2025-01-02T08:00:00+01:00'])(
    '27.2 is handed out as the service wrote it: %s',
    async (time) => {
      const data = { id: 'SANDBOX1', offer_id: 'Spring2025', created_at: time, updated_at: time }
      const answered = { kind: 'answer', status: 200, body: { status: 'OK', data } } as const
      await begin({ faults: [{ fault: answered }] })
      expect(await update({})).toMatchObject({ created_at: time, updated_at: time })
      const offer = {
        type: 'info' as const,
        ...{ offer_id: 'Spring2025', title: 'a', text: 'b', info_link: 'https://example.com/' },
        media: { picture: 'iVBORw0KGgo=', picture_type: 'image/png' },
      }
      expect(await client.createOffer(offer, { requestId: 'offer' })).toMatchObject({
        kind: 'registered',
        value: { content: { created_at: time, updated_at: time }, leftOut: [] },
      })
    },
  )
})
