import { describe, expect, it } from 'vitest'
import * as library from '../src/index.js'
import type { MigrateOptions, RawValues, ReportOptions, ServiceOptions } from '../src/index.js'
import { mandateOf } from './run/mandate-samples.js'
import { newPlace, placeWith } from './migrate/place.js'

const TODAY = library.todayIn('Europe/Berlin', 0)
const RAW = { customer_no: '1' } as RawValues

/** Every option that the types know, so that none is forgotten where names are checked. */
const OF_SERVICE: Record<keyof (ServiceOptions & library.Credentials), undefined> = {
  baseUrl: undefined,
  concurrency: undefined,
  timeoutMs: undefined,
  connectTimeoutMs: undefined,
  freshConnections: undefined,
  outcomes: undefined,
  ca: undefined,
  clientCertificate: undefined,
  clientKey: undefined,
  proxy: undefined,
  username: undefined,
  password: undefined,
}
const OF_MIGRATE: Record<keyof Omit<MigrateOptions, 'ledger' | 'files' | 'service' | 'machine'>, undefined> =
  {
    newer: undefined,
    evidence: undefined,
    confirm: undefined,
    watch: undefined,
    signal: undefined,
    giveUp: undefined,
    signalStatus: undefined,
    limit: undefined,
    spread: undefined,
    maxDurationMs: undefined,
    maxInDoubt: undefined,
    maxRefused: undefined,
    decisions: undefined,
    expected: undefined,
    retryRefusedBy: undefined,
    corrected: undefined,
    only: undefined,
    countries: undefined,
    reading: undefined,
    rules: undefined,
    asOf: undefined,
    zone: undefined,
    readingFlags: undefined,
    dormantSoonDays: undefined,
    newCreditorIdentifier: undefined,
    sharedFolder: undefined,
    anotherLedger: undefined,
    allInDoubt: undefined,
    checkBeforeSend: undefined,
    who: undefined,
    testHost: undefined,
    plan: undefined,
    approval: undefined,
    approvers: undefined,
    writes: undefined,
    configuration: undefined,
  }
const OF_REPORT: Record<keyof Omit<ReportOptions, 'out'>, undefined> = {
  forbidden: undefined,
  signal: undefined,
  absentAfterMs: undefined,
  sharedFolder: undefined,
  signWith: undefined,
  toCancel: undefined,
  told: undefined,
  language: undefined,
}

describe('11.3 what a program without types passes', () => {
  it('knows each option that the types know, where it is left undefined', async () => {
    const { place, asked } = await placeWith(1)
    const options = asked()
    const service = { ...OF_SERVICE, rate: undefined, ...options.service }
    await library.migrate({ ...OF_MIGRATE, ...options, service })
    const { rate: _, ...own } = service
    await library.connectService(own).close()
    await library.writeReport(place.at('campaign.db'), { ...OF_REPORT, out: place.at('report') } as never)
  })

  it.each<[string, () => unknown, RegExp]>([
    [
      'connectService',
      () => library.connectService({ baseUrl: 'x', rate: 1 } as never),
      /connectService has no option "rate"/,
    ],
    [
      'openLedgerReader',
      () => library.openLedgerReader('x.db', { shareFolder: true } as never),
      /"shareFolder"; the nearest is "sharedFolder"/,
    ],
    [
      'writeReport',
      () => library.writeReport('x.db', { out: 'x', langage: 'de' } as never),
      /"langage"; the nearest is "language"/,
    ],
    [
      'what it is told',
      () => library.writeReport('x.db', { out: 'x', told: { compny: '' } } as never),
      /told has no option "compny"; .*"company"/,
    ],
    [
      'a language',
      () => library.writeReport('x.db', { out: 'x', language: 'pt' } as never),
      /no language "pt"/,
    ],
    [
      'readSourceOptions',
      () => library.readSourceOptions({ source: { delimter: ',' } } as never),
      /source: .*"delimter"; the nearest is "delimiter"/,
    ],
    [
      'checkMandate',
      () => library.checkMandate(RAW, { ...library.usualChecks(TODAY), dormantSonDays: 3 } as never),
      /"dormantSonDays"; the nearest is "dormantSoonDays"/,
    ],
    [
      'openSource',
      () => library.openSource('x.csv', { sourse: {} } as never, library.usualChecks(TODAY)),
      /"sourse"; the nearest is "source"/,
    ],
    [
      'its checks',
      () => library.openSource('x.csv', library.readSourceOptions({}), { tody: 1 } as never),
      /the checks has no option "tody"; .*"today"/,
    ],
  ])('is refused by %s under a name that does not exist', async (_what, call, message) => {
    const refused = Promise.resolve().then(call)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toThrow(library.UsageError)
  })

  it('is refused by a call of the client, before anything leaves', async () => {
    const sandbox = await newPlace().sandbox()
    const { url: baseUrl, username, password } = sandbox
    const client = library.connectService({ baseUrl, username, password })
    const call = client.migrateMandate(mandateOf(17), { requestID: 'r', signl: undefined } as never)
    await expect(call).rejects.toThrow(/call has no option "requestID"; the nearest is "requestId"/)
    expect(sandbox.requests().received.migrate).toBe(0)
    await client.close()
  })

  it('is refused by a ledger where it names no state and no row', async () => {
    const { place, asked } = await placeWith(2)
    await library.migrate(asked())
    const ledger = library.openLedgerReader(place.at('campaign.db'))
    const read = ledger as unknown as Record<string, (...given: unknown[]) => unknown>
    expect(ledger.rows(['registered'], 0, 9)).toHaveLength(2)
    expect(() => read['rows']?.(['indoubt'], 0, 9)).toThrow(
      /no row state "indoubt"; the nearest is "in_doubt"/,
    )
    expect(() => read['rows']?.('ready', 0, 9)).not.toThrow(/state/)
    for (const wrong of [
      ['rows', ['ready']],
      ['rows', ['ready'], 0, '9'],
      ['row', '1'],
      ['row'],
      ['attempts', NaN],
      ['page', 0],
      ['problemsOfRow', 1.5],
      ['rowsOfCustomer', '1'],
      ['decisions', null, 1],
    ] as const) {
      const [name, ...given] = wrong
      expect(() => read[name]?.(...given), `${name}(${given.join(', ')})`).toThrow(library.UsageError)
    }
    ledger.close()
  })
})
