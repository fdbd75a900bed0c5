import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { migrate, connectService } from '../../src/migrate/migrate.js'
import { type MigrateOptions, checkOptions } from '../../src/migrate/options.js'
import { newPlace } from './place.js'
import { mandateOf } from '../run/mandate-samples.js'

describe('the typed client', () => {
  it('speaks to the service with an address, a user and a password alone', async () => {
    const place = newPlace()
    const sandbox = await place.sandbox()
    const { url: baseUrl, username, password } = sandbox
    const client = connectService({ baseUrl, username, password })
    try {
      const outcome = await client.migrateMandate(mandateOf(17), { requestId: 'r-1' })
      expect(outcome).toMatchObject({ kind: 'registered' })
      expect(sandbox.mandates()).toMatchObject([{ customer_no: 17 }])
    } finally {
      await client.close()
    }
  })

  it('is refused what a run is refused', () => {
    const { machine } = newPlace()
    const options = { baseUrl: 'https://service.example', username: 'u', password: 'p' }
    expect(() => connectService({ ...options, baseUrl: 'http://service.example' })).toThrow(
      /"service\.example" is not this machine/,
    )
    expect(() => connectService(options, machine({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }))).toThrow(
      /NODE_TLS_REJECT_UNAUTHORIZED=0 is set/,
    )
    expect(() => connectService({ ...options, username: 'a:b' })).toThrow(/a colon/)
  })
})

const HERE = 'http://127.0.0.1:1'
const confirm = (): boolean => true

type Service = Partial<MigrateOptions['service']>

async function expectRefused(
  change: (options: MigrateOptions) => MigrateOptions,
  message: RegExp,
): Promise<void> {
  const place = newPlace()
  place.exported(1)
  const refused = migrate(change(place.asked(HERE)))
  await expect(refused).rejects.toThrow(UsageError)
  await expect(refused).rejects.toThrow(message)
  const { message: said, next } = (await refused.catch((error: unknown) => error)) as UsageError
  expect(`${said} ${next}`).toMatch(/nothing was sent/i)
  expect(readdirSync(place.at())).toEqual(['export.csv'])
}

describe('what migrate is asked to do', () => {
  it('has defaults for everything but the service and the ledger', () => {
    const { asOf: _day, ...options } = newPlace().asked(HERE)
    const asked = checkOptions({ ...options, zone: 'Europe/Berlin' })
    expect(asked.policy).toEqual({
      concurrency: 8,
      rate: null,
      limit: null,
      maxDurationMs: null,
      maxInDoubt: 10,
      maxRefused: null,
      stopAtCanaryDoubt: false,
    })
    expect(asked.service.timeoutMs).toBe(150_000)
    expect(asked.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(asked.confirm({} as never)).toBe(true)
  })

  it.each<[string, Service, RegExp]>([
    ['an address in clear', { baseUrl: 'http://service.example' }, /"service\.example" is not this machine/],
    ['no address', { baseUrl: undefined as never }, /the base URL is missing or empty/],
    ['no user', { username: '' }, /the user name is missing or empty/],
    ['a password that is not set', { password: undefined as never }, /the password is missing or empty/],
    ['a password of two lines', { password: 'one\ntwo' }, /a control character, such as a line end/],
    ['a thousand requests at a time', { concurrency: 1_000 }, /the concurrency 1000/],
    ['a concurrency that is a text', { concurrency: '8' as never }, /the concurrency 8: it must be a whole/],
    ['no request a second', { rate: 0 }, /Cannot use rate: 0/],
    ['an endless rate', { rate: Infinity }, /Cannot use rate/],
    ['no time', { timeoutMs: 0 }, /the time limit 0|timeout 0/],
    ['a certificate that is not there', { ca: '/nowhere/ca.pem' }, /certificate file "\/nowhere\/ca\.pem"/],
    ['an outcome that is none', { outcomes: { '503': 'again' } }, /outcomes": "503: again"/],
  ])('refuses %s before a ledger is made, and says that nothing was sent', (_what, service, message) =>
    expectRefused(
      (options) => ({ ...options, confirm, service: { ...options.service, ...service } }),
      message,
    ),
  )

  it.each<[string, Partial<MigrateOptions>, RegExp]>([
    ['no ledger', { ledger: undefined as never }, /the ledger is a path/],
    ['an empty path', { ledger: '' }, /the ledger is a path/],
    ['a file that is no list', { files: 'export.csv' as never }, /the files are a list/],
    ['a limit of none', { limit: 0 }, /Cannot use limit: 0/],
    ['a spread pilot of all', { spread: true }, /limit: null is not a whole number from 1, as spread needs/],
    ['half a row', { limit: 1.5 }, /Cannot use limit: 1\.5/],
    ['no time at all', { maxDurationMs: 0 }, /Cannot use maxDurationMs: 0/],
    ['fewer than no doubt', { maxInDoubt: -1 }, /Cannot use maxInDoubt: -1/],
    ['what is no number', { maxInDoubt: NaN }, /Cannot use maxInDoubt: NaN/],
    ['twice everything', { maxRefused: { kind: 'percent', value: 200 } }, /Cannot use maxRefused: 200/],
    ['nobody', { retryRefusedBy: ' ' }, /Cannot use retryRefusedBy/],
    ['a day that no calendar has', { asOf: '2026-02-30' }, /"2026-02-30" is not a calendar date/],
    ['a zone that nobody knows', { zone: 'Europe/Nowhere' }, /time zone "Europe\/Nowhere" is not known/],
    ['a rule that is none', { rules: { IBAN_CHEKSUM: 'off' } as never }, /nearest is "IBAN_CHECKSUM"/],
    ['a severity that is none', { rules: { IBAN_CHECKSUM: 'no' } as never }, /no severity "no"/],
    ['a part of reading', { reading: { sorce: {} } as never }, /options of the source: .*sorce/],
    ['a wrong option of the source', { reading: { source: { skipLines: -1 } } }, /source\.skipLines/],
    ['a misspelt option', { limt: 3 } as never, /migrate has no option "limt"; the nearest is "limit"/],
    ['a former name', { readBackFirst: true } as never, /has no option "readBackFirst"/],
    ['one of the service', { service: { ratte: 1 } as never }, /service has no option "ratte"; .*"rate"/],
    ['one of a correction', { corrected: { reson: '' } as never }, /no option "reson"; .*"reason"/],
    ['one of a takeover', { allInDoubt: { bye: '' } as never }, /allInDoubt has no option "bye"; .*"by"/],
    ['one of a bound', { maxRefused: { count: 1 } as never }, /maxRefused has no option "count"/],
    ['a bound of no kind', { maxRefused: { kind: 'share' } as never }, /no kind of maxRefused "share"/],
    ['one of a choice', { only: [{ colum: 'a' }] as never }, /only has no option "colum"; .*"column"/],
  ])('refuses %s before a ledger is made, and says that nothing was sent', (_what, more, message) =>
    expectRefused((options) => ({ ...options, ...more }), message),
  )

  it('refuses an environment that takes any certificate, or one that others can put there', () => {
    const place = newPlace()
    const asked = (env: Readonly<Record<string, string>>) => () =>
      checkOptions(place.asked('https://service.example', { confirm, machine: place.machine(env) }))
    expect(asked({})).not.toThrow()
    expect(asked({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toThrow(/NODE_TLS_REJECT_UNAUTHORIZED=0 is set/)
    writeFileSync(place.at('ca.pem'), 'x')
    chmodSync(place.at('ca.pem'), 0o666)
    expect(asked({ NODE_EXTRA_CA_CERTS: place.at('ca.pem') })).toThrow(/Cannot trust the certificate file/)
  })
})

describe('an approval that is required', () => {
  const REAL = 'https://service.example'
  const required = (more: Partial<MigrateOptions>): MigrateOptions => ({
    ...newPlace().asked(REAL, { confirm, approval: 'required' }),
    ...more,
  })

  it('lets nothing go without a plan, and says what to do', async () => {
    const refused = migrate(required({}))
    await expect(refused).rejects.toThrow('Sending to "service.example" needs an approved plan')
    await expect(refused).rejects.toMatchObject({
      next: expect.stringMatching(/sepa-migrate plan .*sepa-migrate approve .*sepa-migrate run /) as string,
      exitCode: 2,
    })
  })

  it('holds on this machine too, and leaves a run that has a plan to those who compare it', () => {
    expect(() => checkOptions(required({ service: newPlace().asked(HERE).service }))).toThrow(
      /needs an approved/,
    )
    expect(() => checkOptions(required({ plan: 'plan.json' }))).not.toThrow()
    expect(() => checkOptions(required({ approval: null }))).not.toThrow()
  })

  it.each<[string, Partial<MigrateOptions>]>([
    ['another word', { approval: 'optional' as never }],
    ['a plan without a name', { plan: '' }],
    ['a plan that is no path', { plan: {} as never }],
  ])('is told apart from %s', (_, more) => {
    expect(() => checkOptions(required(more))).toThrow(/Cannot use (approval|plan)/)
  })
})
