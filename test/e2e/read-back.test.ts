import { describe, expect, it, onTestFinished } from 'vitest'
import type {
  CreditorIdentifier,
  Iban,
  LocalDate,
  Mandate,
  MandateReference,
} from '../../src/domain/mandate/mandate.js'
import { matchSources, type AskedRow, type Verdict } from '../../src/domain/proof/match-sources.js'
import { maskIban } from '../../src/domain/text/masking.js'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { readBaseUrl } from '../../src/service/base-url.js'
import { createClient } from '../../src/service/client.js'
import type { SourcesSeen } from '../../src/service/read-back/classify-sources.js'
import { createSourceReader } from '../../src/service/read-back/source-reader.js'
import { germanIban } from '../support/export.js'

const CUSTOMERS = 60
const SEEDS = [1, 2, 3, 4]

const clock = { now: () => Date.now(), monotonic: () => performance.now() }

const mandateOf = (customerNo: number): Mandate => ({
  customerNo,
  iban: germanIban(customerNo) as Iban,
  signedDate: '2020-02-29' as LocalDate,
  original: {
    creditorIdentifier: 'DE98ZZZ09999999999' as CreditorIdentifier,
    mandateReference: `OLD-${customerNo}` as MandateReference,
  },
})

/** A row as the ledger would know it once its outcome is settled. */
const askedOf = (mandate: Mandate, reference: string | null): AskedRow => ({
  rowId: mandate.customerNo,
  isAccount: (iban) => iban === mandate.iban,
  accountKey: mandate.iban,
  accountMasked: maskIban(mandate.iban),
  signedDate: mandate.signedDate,
  reference,
})

async function world(options: SandboxOptions) {
  const sandbox = await startSandbox(options)
  const { username, password } = sandbox
  const given = { baseUrl: readBaseUrl(sandbox.url), username, password, version: '0', clock, concurrency: 8 }
  const client = createClient({ ...given, deadlineMs: 1_000 })
  const reader = createSourceReader({ ...given, deadlineMs: 1_000 })
  onTestFinished(async () => {
    await Promise.all([client.close(), reader.close()])
    await sandbox.close()
  })
  return { sandbox, client, reader }
}
type World = Awaited<ReturnType<typeof world>>

/** Asks until there is an answer, as the command will; never for ever. */
async function ask({ reader }: World, customerNo: number): Promise<SourcesSeen> {
  let seen: SourcesSeen | null = null
  for (let n = 1; n <= 8; n += 1) {
    seen = await reader.listPaymentSources(customerNo, { requestId: `read-${customerNo}-${n}` })
    if (seen.kind === 'listed' || !seen.canRepeat) break
  }
  if (seen === null) throw new Error('Nothing was asked')
  return seen
}

/** Sends every mandate once and reads every customer back. */
async function play(there: World): Promise<Map<number, { sent: string; verdict: Verdict }>> {
  const verdicts = new Map<number, { sent: string; verdict: Verdict }>()
  const one = async (customerNo: number): Promise<void> => {
    const mandate = mandateOf(customerNo)
    const outcome = await there.client.migrateMandate(mandate, { requestId: `send-${customerNo}` })
    const reference = outcome.kind === 'registered' ? outcome.value.mandateReference : null
    const seen = await ask(there, customerNo)
    const answer = seen.kind === 'listed' ? seen : ({ kind: 'unreadable', reason: seen.reason } as const)
    const [verdict] = matchSources([askedOf(mandate, reference)], answer)
    if (verdict !== undefined) verdicts.set(customerNo, { sent: outcome.kind, verdict })
  }
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < CUSTOMERS) await one((next += 1))
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return verdicts
}

const heldOf = (sandbox: Sandbox, customerNo: number): number =>
  sandbox.mandates().filter((mandate) => mandate.customer_no === customerNo).length

describe('what is read back, against what the service truly holds', () => {
  it.each(SEEDS)(
    'every lost answer is told, with faults in sending and in reading: seed %i',
    async (seed) => {
      const there = await world({ seed, chaos: 0.4 })
      const verdicts = await play(there)
      expect(verdicts.size).toBe(CUSTOMERS)
      const kinds = new Set<string>()
      for (const [customerNo, { sent, verdict }] of verdicts) {
        const held = heldOf(there.sandbox, customerNo)
        const told = verdict.kind === 'unreadable' ? 'unreadable' : `${held} held`
        expect([customerNo, told, verdict.kind]).toEqual([
          customerNo,
          told,
          told === 'unreadable' ? 'unreadable' : held === 1 ? 'proven' : 'absent',
        ])
        kinds.add(`${sent} ${verdict.kind}`)
      }
      expect(kinds).toContain('registered proven')
      expect(kinds).toContain('in_doubt proven')
      expect([...kinds].some((kind) => kind.endsWith(' absent'))).toBe(true)
    },
  )

  it('a mandate that is there twice, and one that was cancelled, are found', async () => {
    const there = await world({ seed: 1 })
    const { client, sandbox } = there
    const send = async (customerNo: number, n: number): Promise<string | null> => {
      const outcome = await client.migrateMandate(mandateOf(customerNo), { requestId: `${customerNo}-${n}` })
      return outcome.kind === 'registered' ? outcome.value.mandateReference : null
    }
    const reference = await send(1, 1)
    await send(1, 2)
    await send(2, 1)
    const verdictOf = async (customerNo: number, own: string | null) => {
      const seen = await ask(there, customerNo)
      if (seen.kind !== 'listed') throw new Error(seen.reason)
      return matchSources([askedOf(mandateOf(customerNo), own)], seen)[0]
    }
    const twice = await verdictOf(1, reference)
    expect(twice).toMatchObject({ kind: 'twice', sources: [{ reference }, {}] })
    expect(await verdictOf(1, null)).toMatchObject({ kind: 'twice' })
    const [, double] = twice?.kind === 'twice' ? twice.sources : []
    const cancelled = await fetch(`${sandbox.url}/api/v2/payment_source/${double?.id ?? ''}/cancel`, {
      method: 'POST',
      body: '{}',
      headers: {
        authorization: `Basic ${btoa(`${sandbox.username}:${sandbox.password}`)}`,
        'content-type': 'application/json',
      },
    })
    expect(cancelled.status).toBe(200)
    expect(await verdictOf(1, reference)).toMatchObject({ kind: 'proven', source: { reference } })
    expect(await verdictOf(3, null)).toEqual({ kind: 'absent' })
  })

  it('within the lag a mandate is absent, which proves nothing; behind it it is proven', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const faults = [{ operation: 'migrate', fault: { kind: 'reset', applied: true } }] as const
    const there = await world({ seed: 1, readBackLagMs: 5_000, faults, now: () => new Date(now) })
    const outcome = await there.client.migrateMandate(mandateOf(1), { requestId: '1' })
    expect(outcome.kind).toBe('in_doubt')
    const verdict = async () => {
      const seen = await ask(there, 1)
      return seen.kind === 'listed' ? matchSources([askedOf(mandateOf(1), null)], seen)[0]?.kind : seen.cause
    }
    expect(await verdict()).toBe('absent')
    now += 5_000
    expect(await verdict()).toBe('proven')
  })

  it('a service without it says so, and it is not asked twice', async () => {
    const there = await world({ seed: 1, readBack: 'off' })
    expect(await ask(there, 1)).toMatchObject({
      kind: 'not_read',
      cause: 'missing',
      canRepeat: false,
      status: 404,
    })
    expect(there.sandbox.requests().answered).toEqual({ '404': 1 })
  })
})
