import { once } from 'node:events'
import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../../src/migrate/migrate.js'
import type { MigrateOptions, MigrationPlan } from '../../../src/migrate/options.js'
import { germanIban, validExport } from '../../support/export.js'
import { look } from '../../ledger/ledger-views.js'
import { newPlace, type Place } from '../place.js'
import { newKey, signed, type Pair } from '../../ledger/plan/approvals.js'
import { approved, atLedger, planned, signedBeside } from './planned.js'

const ROWS = 6

interface Scene {
  readonly place: Place
  readonly options: MigrateOptions
  readonly posts: () => number
  readonly url: string
}

/** A plan of six rows that is made and approved, and what the run under it is asked. */
async function scene(
  more: Partial<MigrateOptions> = {},
  faults: { times: number } | null = null,
): Promise<Scene> {
  const place = newPlace()
  const sandbox = await place.sandbox(
    faults === null
      ? {}
      : { faults: [{ operation: 'migrate', times: faults.times, fault: { kind: 'reset', applied: false } }] },
  )
  place.exported(ROWS)
  const options = place.asked(sandbox.url, more)
  approved(place, await planned(place, options))
  return {
    place,
    options: { ...options, plan: place.at('plan.json') },
    posts: () => sandbox.requests().received.migrate,
    url: sandbox.url,
  }
}

/** Nothing left, nothing came in. */
async function expectRefused({ place, options, posts }: Scene, message: RegExp): Promise<void> {
  const before = posts()
  const records = look(place.at('campaign.db'), (ledger) => ledger.totals().read)
  await expect(migrate(options)).rejects.toThrow(message)
  expect(posts()).toBe(before)
  expect(look(place.at('campaign.db'), (ledger) => ledger.totals().read)).toBe(records)
}

describe('a run under a plan', () => {
  it('sends exactly what was planned and approved, and the ledger knows under which plan', async () => {
    const { place, options, posts } = await scene()
    const shown: MigrationPlan[] = []
    const end = await migrate({ ...options, confirm: (plan) => shown.push(plan) === 1 })
    expect(end).toMatchObject({ exitCode: 0, totals: { registered: ROWS } })
    expect(posts()).toBe(ROWS)
    expect(shown[0]?.approved).toMatchObject({ approvedBy: 'Grace', key: null, reference: 'mail of 15 June' })
    const { runs, plans } = look(place.at('campaign.db'), (ledger) => ({
      runs: ledger.runs(),
      plans: ledger.plans(),
    }))
    expect(runs.map(({ settings: { plan, approval } }) => [plan, approval])).toEqual([[plans[0]?.digest, 1]])
  })

  it('goes on with the same plan after a stop, and says nothing of drift once all is sent', async () => {
    const { options, posts } = await scene()
    expect(await migrate({ ...options, limit: 2 })).toMatchObject({ exitCode: 5, totals: { registered: 2 } })
    expect(await migrate({ ...options, limit: 1, files: [] })).toMatchObject({ totals: { registered: 3 } })
    expect(await migrate(options)).toMatchObject({ exitCode: 0, totals: { registered: ROWS } })
    expect(await migrate(options)).toMatchObject({ exitCode: 0 })
    expect(posts()).toBe(ROWS)
  })

  const customers = (...values: string[]) => [{ column: 'customer_no', values }]

  it('25.2 of some rows sends those alone, in as many runs with a choice of their own as it takes', async () => {
    const { place, options, posts, url } = await scene({ only: customers('1', '2', '3', '4') })
    // The run is not told: what it may send stands in the plan.
    const { only: _, ...bare } = options
    const one = await migrate({ ...bare, only: customers('2', '4', '6') })
    expect(one).toMatchObject({ stop: { kind: 'choice' }, exitCode: 5, totals: { registered: 2 } })
    const two = await migrate({ ...bare, files: [] })
    expect(two).toMatchObject({
      stop: { kind: 'choice' },
      choice: { only: customers('1', '2', '3', '4'), countries: null, left: 2 },
      totals: { registered: 4, ready: 2 },
    })
    expect(await migrate({ ...bare, countries: ['AT'] })).toMatchObject({ totals: { registered: 4 } })
    expect(posts()).toBe(4)
    const runs = look(place.at('campaign.db'), (ledger) => ledger.runs())
    expect(runs.map(({ settings: { only, countries } }) => [only, countries])).toEqual([
      [[...customers('1', '2', '3', '4'), ...customers('2', '4', '6')], undefined],
      [customers('1', '2', '3', '4'), undefined],
      [customers('1', '2', '3', '4'), ['AT']],
    ])
    const wrong = { ...bare, only: [{ column: 'segment', values: ['A'] }] }
    await expectRefused({ place, posts, url, options: wrong }, /no file has a column "segment"/)
  })

  it('25.2 sends nothing where plan and run are for other countries', async () => {
    const { options, posts } = await scene({ countries: ['DE', 'AT'] })
    const { countries: _, ...bare } = options
    const none = await migrate({ ...bare, countries: ['FR'] })
    expect(none).toMatchObject({ choice: { countries: [], left: ROWS }, exitCode: 5 })
    expect(posts()).toBe(0)
    expect(await migrate({ ...bare, countries: ['DE', 'FR'] })).toMatchObject({ exitCode: 0 })
    expect(posts()).toBe(ROWS)
  })

  it('sends no more rows than the plan is for, in all its runs together', async () => {
    const planScene = await scene({ limit: 3 })
    const { options, posts } = planScene
    const run = { ...options, limit: null }
    expect(await migrate({ ...run, limit: 2 })).toMatchObject({ totals: { registered: 2 } })
    expect(await migrate(run)).toMatchObject({ exitCode: 5, totals: { registered: 3 } })
    expect(posts()).toBe(3)
    await expectRefused({ ...planScene, options: run }, /used up: the plan is for 3 rows/)
  })

  it('sends refused rows once more only where that was planned, and only those', async () => {
    const place = newPlace()
    const sandbox = await place.sandbox({
      faults: [{ operation: 'migrate', times: 3, fault: { kind: 'refuse' } }],
    })
    place.exported(3)
    expect(await migrate(place.asked(sandbox.url))).toMatchObject({ totals: { refused: 3 } })
    const plain = place.asked(sandbox.url, { files: [] })
    approved(place, await planned(place, plain))
    const run = { ...plain, retryRefusedBy: 'Ada', plan: place.at('plan.json') }
    await expect(migrate(run)).rejects.toThrow(/refused rows are to be sent once more, which was not planned/)
    const again = { ...plain, retryRefusedBy: 'Ada' }
    const plan = await planned(place, again)
    expect(plan).toMatchObject({ retriesRefused: true, rows: { count: 3 } })
    expect(look(place.at('campaign.db'), (ledger) => ledger.totals())).toMatchObject({ refused: 3, ready: 0 })
    approved(place, plan)
    expect(await migrate(run)).toMatchObject({ exitCode: 0, totals: { registered: 3 } })
  })
})

/** Each drift alone: what is done between plan and run, and what the refusal says. */
const DRIFTS: Readonly<Record<string, { make: (scene: Scene) => Scene | Promise<Scene>; says: RegExp }>> = {
  'a byte of a source': {
    make: (given) => {
      appendFileSync(given.place.at('export.csv'), '\n') // a blank line: the rows stay the same
      return given
    },
    says: /source changed: "export\.csv" is not the file that was planned\. Nothing was admitted/,
  },
  'a source that is missing': {
    make: ({ place, options, ...given }) => {
      writeFileSync(place.at('other.csv'), validExport(2, 90), { mode: 0o600 })
      return { ...given, place, options: { ...options, files: [place.at('other.csv')] } }
    },
    says: /source missing: "export\.csv".*source added: "other\.csv"/,
  },
  'a further file': {
    make: ({ place, options, ...given }) => {
      writeFileSync(place.at('more.csv'), validExport(2, 90), { mode: 0o600 })
      return {
        ...given,
        place,
        options: { ...options, files: [place.at('export.csv'), place.at('more.csv')] },
      }
    },
    says: /: source added: "more\.csv" was not planned\. /,
  },
  'a setting': {
    make: (given) => ({
      ...given,
      options: { ...given.options, service: { ...given.options.service, concurrency: 3 } },
    }),
    says: /: setting changed: concurrency from 8 to 3\. Nothing/,
  },
  'a rule': {
    make: (given) => ({ ...given, options: { ...given.options, rules: { IBAN_SHARED: 'off' } } }),
    says: /: setting changed: rules from \{\} to \{"IBAN_SHARED":"off"\}\. /,
  },
  'an answer that is read in another way': {
    make: (given) => ({
      ...given,
      options: {
        ...given.options,
        service: { ...given.options.service, outcomes: { '503': 'turned_away' } },
      },
    }),
    says: /: setting changed: outcomes from \{\} to \{"503":"turned_away"\}\. /,
  },
  'how the file is read': {
    make: (given) => ({ ...given, options: { ...given.options, reading: { source: { fillerDates: [] } } } }),
    says: /: setting changed: source from .* to /,
  },
  'the version': {
    make: (given) => ({
      ...given,
      options: { ...given.options, machine: { ...given.place.machine(), version: '9.9.9' } },
    }),
    says: /: version changed: planned with \S+, this is 9\.9\.9\. /,
  },
  'the user at the service': {
    make: (given) => ({
      ...given,
      options: { ...given.options, service: { ...given.options.service, username: 'other' } },
    }),
    says: /: target changed: from \S+ as test to \S+ as other\. /,
  },
  'the service': {
    make: async (given) => {
      const other = await given.place.sandbox()
      return {
        ...given,
        options: { ...given.options, service: { ...given.options.service, baseUrl: other.url } },
        posts: () => given.posts() + other.requests().received.migrate,
      }
    },
    says: /: target changed: /,
  },
  'an approval that expired': {
    make: (given) => {
      const machine = given.place.machine()
      const clock = { ...machine.clock, now: () => Date.now() + 86_400_000 + 1 }
      return { ...given, options: { ...given.options, machine: { ...machine, clock } } }
    },
    says: /: approval expired: at \d.* UTC\. /,
  },
  'no approval': {
    make: async (given) => {
      await planned(given.place, { ...given.options, limit: 4 }) // a later plan that nobody approved
      return given
    },
    says: /: not approved: nobody has approved this plan\. /,
  },
  'a row that was closed': {
    make: async (given) => {
      // One row is sent first, so that there is something to close.
      await migrate({ ...given.options, limit: 1 })
      atLedger(given.place, (ledger) =>
        ledger.resolve(
          [
            {
              rowId: 3,
              decision: 'written_off',
              reason: 'left',
              by: 'Ada',
              assigned: null,
              evidence: null,
              attempt: null,
            },
          ],
          { dryRun: false },
        ),
      )
      return given
    },
    says: /: rows changed: 6 rows \(\w+\) planned, 5 rows \(\w+\) now\. /,
  },
  'a file that another run admitted': {
    make: async (given) => {
      await migrate({ ...given.options, limit: 1 })
      writeFileSync(given.place.at('more.csv'), validExport(2, 90), { mode: 0o600 })
      await migrate({ ...given.options, plan: null, files: [given.place.at('more.csv')], limit: 1 })
      return given
    },
    says: /: source added: "more\.csv" was not planned\. /,
  },
}

describe('each drift alone is refused with its name', () => {
  it.each(Object.entries(DRIFTS))('%s', async (_, { make, says }) => {
    await expectRefused(await make(await scene()), says)
  })

  it('a row that a person decided to send once more', async () => {
    const given = await scene({}, { times: 1 })
    // The very first row gets no answer: it is in doubt, and the plan is the same.
    expect(await migrate({ ...given.options, limit: 1 })).toMatchObject({ totals: { inDoubt: 1 } })
    atLedger(given.place, (ledger) =>
      ledger.resolve(
        [
          {
            rowId: 1,
            decision: 'resend',
            reason: 'not there',
            by: 'Ada',
            assigned: null,
            evidence: null,
            attempt: 1,
          },
        ],
        { dryRun: false, force: true },
      ),
    )
    await expectRefused(given, /: rows changed: 1 row was decided to be sent once more since\. /)
    const { plan: _, ...unplanned } = given.options
    approved(given.place, await planned(given.place, unplanned))
    expect(await migrate(given.options)).toMatchObject({ totals: { registered: ROWS } })
  })

  it('a row whose values are others, in a file that was written over another', async () => {
    const given = await scene()
    const text = readFileSync(given.place.at('export.csv'), 'utf8')
    writeFileSync(given.place.at('export.csv'), text.replace(germanIban(2), germanIban(77)))
    await expectRefused(given, /source changed: "export\.csv"/)
  })

  it('an approval that expires while the question waits for its answer', async () => {
    const given = await scene()
    const machine = given.place.machine()
    let laterMs = 0
    const clock = { ...machine.clock, now: () => Date.now() + laterMs }
    const confirm = (): boolean => {
      laterMs = 2 * 86_400_000
      return true
    }
    const options = { ...given.options, confirm, machine: { ...machine, clock } }
    await expectRefused({ ...given, options }, /: approval expired: at \d/)
  })

  it('several at once are all named', async () => {
    const given = await scene()
    appendFileSync(given.place.at('export.csv'), '\n')
    const options = {
      ...given.options,
      zone: 'Europe/Lisbon',
      machine: { ...given.place.machine(), version: '9' },
    }
    await expectRefused(
      { ...given, options },
      /version changed: .*; setting changed: zone from .* to "Europe\/Lisbon"; source changed: /,
    )
  })
})

describe('a plan', () => {
  it.each([
    ['a byte', (text: string) => text.replace('"Ada"', '"Ade"')],
    ['a blank at its end', (text: string) => `${text} `],
    ['a blank in it', (text: string) => text.replace('"rows": {', '"rows":  {')],
  ])('that was changed by %s is refused', async (_, change) => {
    const given = await scene()
    const file = given.place.at('plan.json')
    writeFileSync(file, change(readFileSync(file, 'utf8')))
    await expectRefused(given, /was changed since it was recorded; nothing was sent/)
  })

  it('of another ledger is refused', async () => {
    const given = await scene()
    const other = await scene()
    copyFileSync(other.place.at('plan.json'), given.place.at('plan.json'))
    await expectRefused(given, /Another ledger recorded the plan .*, or none did; nothing was sent/)
  })

  it.each(['{', '', 'null', '[]', '{"digest": 7}'])('that is none (%s) is refused', async (text) => {
    const given = await scene()
    writeFileSync(given.place.at('plan.json'), text)
    await expectRefused(given, /Another ledger recorded the plan/)
  })

  it('that is older and approved still counts while nothing drifted; a newer one without approval does not', async () => {
    const given = await scene()
    const { plan: _, ...unplanned } = given.options
    await planned(given.place, unplanned, 'newer.json')
    await expectRefused(
      { ...given, options: { ...given.options, plan: given.place.at('newer.json') } },
      /not approved/,
    )
    expect(await migrate(given.options)).toMatchObject({ exitCode: 0, totals: { registered: ROWS } })
  })

  it('needs files that can be compared with it', async () => {
    const given = await scene()
    const stream = { name: 'standard input', stream: Readable.from([validExport(ROWS)]) }
    await expectRefused(
      { ...given, options: { ...given.options, files: [stream] } },
      /a stream cannot be compared/,
    )
    await expectRefused(
      { ...given, options: { ...given.options, files: [given.place.at('nowhere.csv')] } },
      /Cannot read ".*nowhere\.csv", which the plan is compared with/,
    )
  })
})

describe('an approval with a key', () => {
  const [GRACE, EVE] = [newKey(), newKey()]

  /** A plan for Grace's key, as the options say, and the run under it. */
  async function bound(approvers: Readonly<Record<string, string>> = { Grace: GRACE.pem }) {
    const place = newPlace()
    const sandbox = await place.sandbox()
    place.exported(ROWS)
    const asked = place.asked(sandbox.url, { approvers })
    const document = await planned(place, asked)
    const options = { ...asked, plan: place.at('plan.json') }
    return {
      place,
      asked,
      options,
      document,
      url: sandbox.url,
      posts: () => sandbox.requests().received.migrate,
    }
  }

  it('counts from beside the plan, is put on record once, and the run says under which one it went', async () => {
    const { place, options, document, posts } = await bound()
    signedBeside(place, document, GRACE)
    expect(await migrate({ ...options, limit: 2 })).toMatchObject({ totals: { registered: 2 } })
    expect(await migrate(options)).toMatchObject({ exitCode: 0, totals: { registered: ROWS } })
    expect(posts()).toBe(ROWS)
    const seen = look(place.at('campaign.db'), (ledger) => ({
      approvals: ledger.plans()[0]?.approvals,
      sent: ledger.sentByApproval(),
    }))
    expect(seen).toMatchObject({
      approvals: [{ id: 1, approvedBy: 'Grace', key: GRACE.key, reference: null }],
      sent: [{ approval: 1, rows: ROWS }],
    })
  })

  it('does not count by the key of anybody else, nor without one', async () => {
    const given = await bound()
    await expectRefused(given, /not approved: nobody has approved this plan/)
    signedBeside(given.place, given.document, EVE)
    await expectRefused(
      given,
      new RegExp(`not approved: Grace approved with the key ${EVE.key}, .* Grace \\(key ${GRACE.key}\\)`),
    )
    expect(() => approved(given.place, given.document)).toThrow('with the key of an approver alone')
  })

  it('is of this plan and this ledger alone, to the byte', async () => {
    const given = await bound()
    const file = signedBeside(given.place, given.document, GRACE)
    const text = readFileSync(file, 'utf8')
    for (const change of [
      text.replace('Grace', 'Linus'),
      text.replace(/"expiresAt": "\d{4}/, '"expiresAt": "2999'),
      `${text} `,
      text.replace('{', '{ "x": 1,'),
      JSON.stringify({
        ...(JSON.parse(text) as object),
        signature: signed(given.document.digest, EVE).signature,
      }),
      '{}',
    ]) {
      writeFileSync(file, change)
      await expectRefused(
        given,
        /is no approval as this program writes it, or was changed since it was signed/,
      )
    }
    const other = await bound()
    copyFileSync(signedBeside(other.place, other.document, GRACE), file)
    await expectRefused(given, /approves another plan \(\w{12}\) than/)
    const limited = await planned(given.place, { ...given.asked, limit: 2 }, 'other.json')
    writeFileSync(file, readFileSync(signedBeside(given.place, limited, GRACE, { name: 'other.json' })))
    await expectRefused(given, /approves another plan/)
  })

  it('does not count for a plan that was changed after it was signed', async () => {
    const given = await bound()
    signedBeside(given.place, given.document, GRACE)
    const file = given.place.at('plan.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"limit": null', '"limit": 2'))
    await expectRefused(given, /was changed since it was recorded/)
  })

  it('expires when its approver said, and another one makes up for it', async () => {
    const given = await bound()
    const [approvedAt, expiresAt] = ['2026-06-14T00:00:00.000Z', '2026-06-14T01:00:00.000Z']
    signedBeside(given.place, given.document, GRACE, { approvedAt, expiresAt })
    await expectRefused(given, /approval expired: at 2026-06-14 01:00:00 UTC/)
    signedBeside(given.place, given.document, GRACE)
    expect(await migrate(given.options)).toMatchObject({ exitCode: 0 })
  })

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['another key', { Grace: EVE.pem }, /"Grace" has another key/],
    ['another approver', { Grace: GRACE.pem, Eve: EVE.pem }, /"Eve" was added/],
    ['none', {}, /"Grace" is missing/],
  ])(
    'is held to the approvers of the first plan: a configuration with %s is refused',
    async (_, approvers, why) => {
      const given = await bound()
      signedBeside(given.place, given.document, EVE)
      const options = { ...given.options, approvers }
      await expectRefused({ ...given, options }, /setting changed: approvers from \{"Grace":/)
      await expect(planned(given.place, { ...given.asked, approvers }, 'other.json')).rejects.toThrow(why)
    },
  )

  it('is needed from somebody whose key can be read, each with their own', async () => {
    const wrong = async (approvers: Readonly<Record<string, string>>): Promise<void> =>
      expect(bound(approvers)).rejects.toThrow(/Cannot use the key of the approver "Eve": it is/)
    await wrong({ Eve: 'not a key' })
    await wrong({ Eve: privatePem(EVE) })
    await wrong({ Grace: GRACE.pem, Eve: GRACE.pem })
  })

  it('needs no approvers in the configuration: then any key is proven, as that key', async () => {
    const { place, options, document } = await bound({})
    signedBeside(place, document, EVE)
    expect(await migrate(options)).toMatchObject({ exitCode: 0 })
    const [plan] = look(place.at('campaign.db'), (ledger) => ledger.plans())
    expect(plan?.approvals).toMatchObject([{ key: EVE.key }])
  })
})

const privatePem = ({ privateKey }: Pair): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

describe('where an approval is required', () => {
  const required = (place: Place, url: string): MigrateOptions => place.asked(url, { approval: 'required' })

  it('the sandbox itself gets rows without a plan', async () => {
    const place = newPlace()
    const sandbox = await place.sandbox()
    place.exported(1)
    expect(await migrate(required(place, sandbox.url))).toMatchObject({ totals: { registered: 1 } })
    await planned(place, required(place, sandbox.url))
    expect(await migrate(place.asked(sandbox.url))).toMatchObject({ exitCode: 0 })
  })

  it.each<[string, (sandbox: string) => (path: string) => Promise<Response>]>([
    ['a service that answers everything', () => () => Promise.resolve(new Response('{"status":"OK"}'))],
    ['one that passes the question on to a sandbox', (url) => (path) => fetch(`${url}${path}`)],
  ])('nothing else on this machine does, such as %s', async (_, answering) => {
    const place = newPlace()
    const sandbox = await place.sandbox()
    place.exported(1)
    const answer = answering(sandbox.url)
    const asked: string[] = []
    const tunnel = createServer((request, response) => {
      asked.push(`${request.method ?? ''} ${request.headers.authorization ?? ''}`)
      void answer(request.url ?? '').then(async (said) => response.end(await said.text()))
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void tunnel.close())
    await once(tunnel, 'listening')
    const url = `http://127.0.0.1:${(tunnel.address() as AddressInfo).port}`
    await expect(migrate(required(place, url))).rejects.toThrow(/needs an approved plan, and none was given/)
    expect(existsSync(place.at('campaign.db'))).toBe(false)
    await planned(place, required(place, url))
    await expect(migrate(place.asked(url))).rejects.toThrow(/This campaign needs an approved plan/)
    expect(asked).toEqual(['GET ', 'GET '])
    expect(sandbox.requests().received.migrate).toBe(0)
  })

  it('nor a sandbox with another password', async () => {
    const place = newPlace()
    const sandbox = await place.sandbox({ password: 'another' })
    place.exported(1)
    await expect(migrate(required(place, sandbox.url))).rejects.toThrow(/needs an approved plan/)
  })
})
