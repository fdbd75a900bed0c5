import { expect, it } from 'vitest'
import { mandateOf, openClient, openServer, send } from './sending.js'
import type { Outcome } from '../../src/domain/row/row-state.js'

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
