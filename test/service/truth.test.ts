import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../src/domain/row/outcome.js'
import { CHAOS_FAULTS, chooseFault } from '../support/fault-server-faults.js'
import { mandateOf, openClient, openServer, send } from './sending.js'

const SEED = 20250107

it(`what an outcome says is true at a server that misbehaves by chance (seed ${SEED})`, async () => {
  const server = await openServer({ script: { chaos: { seed: SEED, share: 0.5 } } })
  const client = openClient(server.url, { concurrency: 16, deadlineMs: 400 })
  const outcomes: Outcome[] = []
  const waiting = Array.from({ length: 300 }, (_, at) => at)
  const sendOneByOne = async (): Promise<void> => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      outcomes[at] = await send(client, mandateOf(at + 1))
    }
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

describe('the script of the fault server', () => {
  const request = (ordinal: number, customerNo: number | null = 1, seen = 1) => ({
    ordinal,
    customerNo,
    seen,
  })
  const refuse = { kind: 'reply', status: 422 } as const
  const silence = { kind: 'silence', applied: true } as const
  const none = { kind: 'none' } as const

  it('goes by ordinal, then customer, then count, then chance, then the rest', () => {
    const script = {
      byOrdinal: { 3: silence },
      byCustomer: { 7: [refuse, silence] },
      after: { requests: 10, fault: refuse },
      chaos: { seed: 1, share: 0 },
      otherwise: silence,
    }
    expect(chooseFault(script, request(3, 7))).toEqual(silence)
    expect(chooseFault(script, request(4, 7, 1))).toEqual(refuse)
    expect(chooseFault(script, request(5, 7, 2))).toEqual(silence)
    expect(chooseFault(script, request(6, 7, 3))).toEqual(none)
    expect(chooseFault(script, request(11))).toEqual(refuse)
    expect(chooseFault(script, request(10))).toEqual(silence)
    expect(chooseFault({}, request(1, null))).toEqual(none)
  })

  it('draws the same faults from the same seed, whatever the order of the requests', () => {
    const draw = (seed: number, ordinal: number) =>
      Array.from({ length: 200 }, (_, at) =>
        chooseFault({ chaos: { seed, share: 0.5 } }, request(ordinal + at, at + 1, 1)),
      )
    expect(draw(1, 1)).toEqual(draw(1, 500))
    expect(draw(1, 1)).not.toEqual(draw(2, 1))
    const share = draw(1, 1).filter(({ kind }) => kind !== 'none').length / 200
    expect(share).toBeGreaterThan(0.4)
    expect(share).toBeLessThan(0.6)
  })

  it('draws every fault sooner or later, and a new one when a customer comes back', () => {
    const script = { chaos: { seed: 3, share: 1 } }
    const drawn = Array.from({ length: 2_000 }, (_, at) => chooseFault(script, request(1, at, 1)))
    expect(new Set(drawn).size).toBe(CHAOS_FAULTS.length)
    const again = Array.from({ length: 20 }, (_, at) => chooseFault(script, request(1, 1, at + 1)))
    expect(new Set(again).size).toBeGreaterThan(5)
  })
})
