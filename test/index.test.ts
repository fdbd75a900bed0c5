import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import * as library from '../src/index.js'
import type { MigrateOptions, RawValues, ReportOptions, ServiceOptions } from '../src/index.js'
import { mandateOf } from './run/mandate-samples.js'
import { newPlace, placeWith } from './migrate/place.js'

const TODAY = library.todayIn('Europe/Berlin', 0)
const RAW = { customer_no: '1' } as RawValues

type Names<Text extends string> = Text extends `${infer Name} ${infer Rest}` ? Name | Names<Rest> : Text
const leftUndefined = <Text extends string>(...lines: readonly Text[]) => {
  const names = lines.flatMap((line) => line.split(' '))
  return Object.fromEntries(names.map((name) => [name, undefined])) as Record<Names<Text>, undefined>
}

/** Every option that the types know, so that none is forgotten where names are checked. */
const OF_SERVICE: Record<keyof (ServiceOptions & library.Credentials), undefined> = leftUndefined(
  'baseUrl concurrency timeoutMs connectTimeoutMs freshConnections outcomes ca clientCertificate clientKey proxy',
  'username password',
)
const OF_MIGRATE: Record<keyof Omit<MigrateOptions, 'ledger' | 'files' | 'service' | 'machine'>, undefined> =
  leftUndefined(
    'newer evidence confirm watch signal giveUp signalStatus limit spread maxDurationMs maxInDoubt maxRefused',
    'expected retryRefusedBy corrected only countries reading rules asOf zone readWith readingFlags',
    'dormantSoonDays newCreditorIdentifier sharedFolder anotherLedger allInDoubt checkBeforeSend who testHost',
    'plan approval approvers writes configuration',
  )
const OF_REPORT: Record<keyof Omit<ReportOptions, 'out'>, undefined> = leftUndefined(
  'forbidden signal absentAfterMs sharedFolder signWith toCancel told language',
)

describe('what a program without types passes', () => {
  it('knows each option that the types know, where it is left undefined', async () => {
    const { place, asked } = await placeWith(1)
    const options = asked()
    const service = { ...OF_SERVICE, rate: undefined, ...options.service }
    await library.migrate({ ...OF_MIGRATE, ...options, service })
    const { rate: _, ...own } = service
    await library.connectService(own).close()
    await library.writeReport(place.at('campaign.db'), { ...OF_REPORT, out: place.at('report') } as never)
  })

  const CHECKS = library.usualChecks(TODAY)
  const SOURCE = library.readSourceOptions({})
  const CELLS = {
    customer_no: '1',
    iban: 'DE89370400440532013001',
    signed_date: '2020-01-02',
    sepa_creditor_identifier: 'DE98ZZZ09999999999',
    unique_mandate_reference: 'M-1',
  }
  it.each<[string, (wrong: never) => unknown, unknown, RegExp]>([
    // Under a name that does not exist.
    ['an option', library.connectService, { baseUrl: 'x', rate: 1 }, /connectService has no option "rate"/],
    ['one of a ledger', (o) => library.openLedgerReader('x', o), { shareFolder: 1 }, /"sharedFolder"/],
    ['one of a report', (o) => library.writeReport('x', o), { out: 'x', langage: 'de' }, /"language"/],
    ['a fact', (o) => library.writeReport('x', o), { out: 'x', told: { compny: '' } }, /told .*"company"/],
    ['one of a source', library.readSourceOptions, { source: { delimter: ',' } }, /source: .*"delimter"/],
    [
      'one of a check',
      (o) => library.checkMandate(RAW, o),
      { ...CHECKS, dormantSonDays: 3 },
      /"dormantSoonDays"/,
    ],
    ['a section', (o) => library.openSource('x.csv', o, CHECKS), { sourse: {} }, /nearest is "source"/],
    ['one of its checks', (o) => library.openSource('x.csv', SOURCE, o), { tody: 1 }, /the checks .*"today"/],
    // With a value that cannot be.
    ['a language', (o) => library.writeReport('x', o), { out: 'x', language: 'pt' }, /no language "pt"/],
    ['no day', library.usualChecks, undefined, /not a calendar date/],
    ['a day in German', library.usualChecks, '26.11.2026', /not a calendar date/],
    ['a Date', library.usualChecks, new Date(0), /not a calendar date/],
    [
      'a severity',
      (wrong) => library.checkMandate(CELLS, { ...CHECKS, severities: wrong }),
      { IBAN_CHECKSUM: 'of' },
      /no severity "of"; the nearest is "off"/,
    ],
    [
      'a rule',
      (wrong) => library.checkIban(CELLS.iban, wrong),
      { IBAN_CHEKSUM: 'off' },
      /no rule "IBAN_CHEKSUM"; the nearest is "IBAN_CHECKSUM"/,
    ],
    ['a day', (today) => library.checkMandate(CELLS, { ...CHECKS, today }), 'today', /calendar date/],
    [
      'a format',
      (wrong) => library.checkMandate(CELLS, { ...CHECKS, signedDateFormat: wrong }),
      'isoo',
      /no format "isoo"; the nearest is "iso"/,
    ],
    ['a mandate without an account', (raw) => library.checkMandate(raw, CHECKS), RAW, /iban of the mandate/],
    ['no mandate', (raw) => library.checkMandate(raw, CHECKS), null, /the mandate: it is not an object/],
    ['no checks', (checks) => library.checkMandate(CELLS, checks), undefined, /not an object/],
    ['a number as an account', library.checkIban, 5, /not a text/],
    ['no creditor', library.checkCreditorIdentifier, undefined, /not a text/],
    [
      'a setting of it',
      (wrong) => library.checkCreditorIdentifier('x', wrong),
      { constnt: 'x' },
      /"constnt"; the nearest is "constant"/,
    ],
    ['no customer', library.checkCustomerNo, null, /not a text/],
    ['no reference', library.checkMandateReference, null, /not a text/],
    ['a format of a date', (f) => library.checkSignedDate('x', f, TODAY), 'isoo', /nearest is "iso"/],
    ['no day for it', (day) => library.checkSignedDate('x', 'iso', day), undefined, /calendar date/],
    ['a zone', (zone) => library.todayIn(zone, 0), 'Mars/X', /time zone or time/],
    ['nothing to mask', library.maskIban, undefined, /not a text/],
    ['nothing to migrate', library.migrate, undefined, /migrate: it is not an object/],
    ['a service', (service) => library.migrate({ ledger: 'x', service }), undefined, /service: it is not/],
    ['its options', library.connectService, undefined, /connectService: it is not an object/],
    ['plain options', (o) => library.openSource('x', o, CHECKS), {}, /they have no \w+/],
    ['a file', (file) => library.openSource(file, SOURCE, CHECKS), 5, /no path and no stream/],
    [
      'a signal',
      (signal) => library.openSource('x', SOURCE, CHECKS, signal),
      {},
      /signal: it is not an AbortSignal/,
    ],
    [
      'its severities',
      (severities) => library.openSource('x', SOURCE, { ...CHECKS, severities }),
      { IBAN_CHECKSUM: 'of' },
      /no severity "of"/,
    ],
    ['a path', library.openLedgerReader, 5, /not a text/],
    ['no report', (options) => library.writeReport('x', options), undefined, /not an object/],
    ['no ledger', (ledger) => library.writeReport(ledger, { out: 'x' }), {}, /no path and no reader/],
    ['a path for a key', (o) => library.writeReport('x', o), { out: 'x', signWith: 'k.pem' }, /private key/],
    ['no folder', (options) => library.writeReport('x', options), {}, /out of writeReport: it is not a text/],
    ['a sandbox', library.startSandbox, 5, /startSandbox: it is not an object/],
    ['its log', (log) => library.startSandbox({ log }), 5, /log of startSandbox: it is not a function/],
    ['its port', (port) => library.startSandbox({ port }), 99_999, /port: must be at most 65535/],
    [
      'a missing reason',
      library.readSourceOptions,
      { exclude: [{ column: 'a', equals: ['x'] }] },
      /exclude\.0\.reason: is required/,
    ],
    [
      'a text for a list',
      library.readSourceOptions,
      { exclude: [{ column: 'a', equals: 'x', reason: 'r' }] },
      /exclude\.0\.equals: must be a list/,
    ],
  ])('%s is refused in words', async (_what, call, wrong, message) => {
    const refused = Promise.resolve(wrong as never).then(call)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toThrow(library.UsageError)
  })

  it.each<[string, unknown]>([
    ['watch', 1],
    ['signal', {}],
    ['retryRefusedBy', true],
    ['confirm', 'yes'],
    ['decisions', {}],
    ['evidence', 'x.xml'],
    ['writes', 5],
    ['files', [5]],
    ['files', [{ name: null, stream: Readable.from([]) }]],
    ['machine', 5],
    ['corrected', 5],
    ['corrected', { by: 5 }],
    ['anotherLedger', { by: 5, reason: 'lost' }],
    ['evidence', [null]],
    ['expected', { records: 'x' }],
    ['service', { ca: 5 }],
  ])('a migration is refused where %s is of another kind, before anything leaves', async (name, wrong) => {
    const { asked, sandbox } = await placeWith(1)
    const refused = library.migrate({ ...asked(), [name]: wrong })
    await expect(refused).rejects.toThrow(library.UsageError)
    await expect(refused).rejects.toThrow(name)
    expect(sandbox.requests().received.migrate).toBe(0)
  })

  it('is null for what is left out', async () => {
    const { place, asked } = await placeWith(1)
    const nothing = { watch: null, signal: null, giveUp: null, evidence: null, corrected: null, writes: null }
    const { service, ...options } = asked()
    const given = { ...options, ...nothing, expected: { records: 1 }, service: { ...service, ca: null } }
    expect(await library.migrate(given as never)).toMatchObject({ exitCode: 0 })
    const report = { out: place.at('report'), language: null, told: null }
    await library.writeReport(place.at('campaign.db'), report as never)
    for (const half of [{ reason: 'lost' }, { by: 'Ada' }])
      await expect(library.migrate({ ...asked(), anotherLedger: half } as never)).rejects.toThrow(
        'there is no name or no reason',
      )
  })

  it('is a callback that is refused, and never an exception', () => {
    for (const given of [undefined, null, {}, { headers: null, body: '' }])
      expect(library.verifyCallback(given as never, 'key')).toMatchObject({ kind: 'refused' })
    expect(library.verifyCallback({ headers: {}, body: '' }, undefined as never)).toMatchObject({
      kind: 'refused',
    })
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
      ['rows', ['ready'], -1, -1],
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
