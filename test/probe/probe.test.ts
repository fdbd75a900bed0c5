import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LedgerError, UsageError } from '../../src/errors.js'
import { probe, type ProbeOptions, type ProbePlan } from '../../src/probe/probe.js'
import { openRegister } from '../../src/register/campaign-register.js'
import { admit, open, SETTINGS } from '../ledger/campaign-setup.js'
import { newPlace, type Place } from '../migrate/place.js'

const ELSEWHERE = 'https://test.example'

/** A probe that asks nothing once it was confirmed: this machine sends nothing elsewhere. */
function asked(place: Place, more: Partial<ProbeOptions> = {}): ProbeOptions {
  return {
    service: { baseUrl: ELSEWHERE, username: 'test', password: 'of the test' },
    customers: [1001],
    unknownCustomer: 9,
    waitMs: 1_000,
    confirm: () => true,
    watch: () => undefined,
    signal: AbortSignal.abort(),
    giveUp: AbortSignal.abort(),
    machine: place.machine(),
    ...more,
  }
}

/** What a run leaves behind that was confirmed for this address. */
function sendCampaign(place: Place, baseUrl: string): string {
  const ledger = open()
  ledger.startRun(SETTINGS)
  admit(ledger, [{ customerNo: 1, reference: 'M-1' }])
  openRegister({
    folder: place.at('state'),
    baseUrl,
    ledger: ledger.file,
    claims: ledger.claims,
    guardsMandates: true,
    allowsOthers: false,
    sharedFolder: false,
  }).claim()
  return ledger.file
}

describe('a host that a campaign was sent to', () => {
  it.each(['https://test.example', 'https://test.example/other/path', 'https://TEST.example:8443/api/v2'])(
    'is refused before anybody is asked: %s',
    async (baseUrl) => {
      const place = newPlace()
      const ledger = sendCampaign(place, 'https://test.example/creditor')
      let isAsked = false
      const confirm = (): boolean => (isAsked = true)
      const service = { ...asked(place).service, baseUrl }
      const refused = probe(asked(place, { service, confirm }))
      await expect(refused).rejects.toThrow(UsageError)
      await expect(refused).rejects.toThrow(`from the ledger "${ledger}"`)
      await expect(refused).rejects.toThrow(/nothing was sent/)
      expect(isAsked).toBe(false)
    },
  )

  it('is refused after the question too, which may have stood for an hour', async () => {
    const place = newPlace()
    const confirm = (): boolean => {
      sendCampaign(place, ELSEWHERE)
      return true
    }
    await expect(probe(asked(place, { confirm }))).rejects.toThrow(/A campaign was sent to "test.example"/)
  })

  it('is no other host, and no sandbox on this machine', async () => {
    const place = newPlace()
    sendCampaign(place, 'https://service.example')
    expect(await probe(asked(place))).toMatchObject({ observations: { ended: 'signal', posted: [] } })
    const sandbox = await place.sandbox()
    sendCampaign(place, sandbox.url)
    const service = { ...asked(place).service, baseUrl: sandbox.url }
    const confirm = (): boolean => false
    const { signal } = new AbortController()
    const probed = await probe(asked(place, { service, confirm, signal, giveUp: signal }))
    expect(probed?.findings.duplicate.finding).toBe('second_mandate')
  })

  it('cannot be told by a register that is damaged, and nothing is asked', async () => {
    const place = newPlace()
    mkdirSync(place.at('state'), { mode: 0o700 })
    writeFileSync(join(place.at('state'), 'campaigns.jsonl'), '{"baseUrl":', { mode: 0o600 })
    await expect(probe(asked(place))).rejects.toThrow(LedgerError)
  })
})

describe('the question', () => {
  it('shows where to, for whom and how much', async () => {
    const plans: ProbePlan[] = []
    const confirm = (plan: ProbePlan): boolean => plans.push(plan) === 0
    expect(await probe(asked(newPlace(), { confirm, customers: [1, 2] }))).toBe(null)
    expect(plans).toMatchObject([
      {
        service: { host: 'test.example', href: 'https://test.example' },
        customers: [1, 2],
        unknownCustomer: 9,
        usualPosts: 7,
        mostPosts: 21,
        burstReads: 50,
      },
    ])
  })

  it.each([0, 1, 2, 3])('is never about fewer requests than leave: %i faults of four', async (nth) => {
    const place = newPlace()
    const match = { request: [1, 2, 3, 4, 5, 6].filter((n) => n % 4 === nth) }
    const sandbox = await place.sandbox({
      faults: [{ operation: 'migrate', match, fault: { kind: 'reset' } }],
    })
    const service = { ...asked(place).service, baseUrl: sandbox.url }
    const { signal } = new AbortController()
    const after: ProbeOptions['machine']['after'] = (_delayMs, wake) => {
      const timer = setImmediate(wake)
      return () => clearImmediate(timer)
    }
    const machine = { ...place.machine(), after }
    await probe(asked(place, { service, signal, giveUp: signal, machine, customers: [1, 2] }))
    expect(sandbox.requests().received.migrate).toBeLessThanOrEqual(21)
    expect(sandbox.requests().received.migrate).toBeGreaterThanOrEqual(7)
  })
})

describe('what is asked', () => {
  it.each<[string, Partial<ProbeOptions>, RegExp]>([
    ['no customer', { customers: [] }, /needs an existing test customer/],
    ['six customers', { customers: [1, 2, 3, 4, 5, 6] }, /at most 5 customers/],
    ['one twice', { customers: [1, 1] }, /each once/],
    ['half a customer', { customers: [1.5] }, /whole number/],
    ['a known unknown one', { customers: [9] }, /cannot be both/],
  ])('refuses %s', async (_what, more, message) => {
    await expect(probe(asked(newPlace(), more))).rejects.toThrow(message)
  })
})
