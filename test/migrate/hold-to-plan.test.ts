import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { migrate } from '../../src/migrate/migrate.js'
import type { MigrateOptions, MigrationPlan } from '../../src/migrate/options.js'
import { validExport } from '../support/export.js'
import { decide } from '../ledger/campaign-setup.js'
import { forge } from '../ledger/ledger-views.js'
import { thisMachine } from '../../src/machine.js'
import { placeWith, type Place } from './place.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { newKey, signed, type Pair } from '../ledger/plan/approvals.js'
import { textOfPlan, type PlanDocument } from '../../src/domain/plan/plan.js'
import { planDigestOf } from '../../src/ledger/plan/plans.js'
import { approved, atLedger, planned, signedBeside } from './planned.js'

const ROWS = 6

interface Scene {
  readonly place: Place
  readonly options: MigrateOptions
  readonly posts: () => number
}

/** A plan of them that is made and approved, and the run under it. */
async function scene(more: Partial<MigrateOptions> = {}, faults: SandboxOptions = {}): Promise<Scene> {
  const { place, asked, posts } = await placeWith(ROWS, faults)
  approved(place, await planned(place, asked(more)))
  return { place, posts, options: asked({ ...more, plan: place.at('plan.json') }) }
}

/** Nothing left, nothing came in. */
async function expectRefused({ place, options, posts }: Scene, message: RegExp | string, more?: object) {
  const before = posts()
  const records = place.look((ledger) => ledger.totals().read)
  await expect(migrate({ ...options, ...more })).rejects.toThrow(message)
  expect(posts()).toBe(before)
  expect(place.look((ledger) => ledger.totals().read)).toBe(records)
}

describe('a run under a plan', () => {
  it('sends exactly what was planned and approved, and the ledger knows under which plan', async () => {
    const { place, options, posts } = await scene()
    const shown: MigrationPlan[] = []
    const end = await migrate({ ...options, confirm: (plan) => shown.push(plan) === 1 })
    expect(end).toMatchObject({ exitCode: 0, totals: { registered: ROWS } })
    expect(posts()).toBe(ROWS)
    expect(shown[0]?.approved).toMatchObject({ approvedBy: 'Grace', key: null, reference: 'mail of 15 June' })
    const [runs, [plan]] = place.look((ledger) => [ledger.runs(), ledger.plans()] as const)
    expect(runs.map(({ settings }) => [settings.plan, settings.approval])).toEqual([[plan?.digest, 1]])
  })

  it('goes on with the same plan after a stop, and says nothing of drift once all is sent', async () => {
    const { options, posts } = await scene()
    expect(await migrate({ ...options, limit: 2 })).toMatchObject({ exitCode: 5, totals: { registered: 2 } })
    const pilot = { ...options, limit: 1, spread: true, files: [] }
    expect(await migrate(pilot)).toMatchObject({ stop: { kind: 'limit' }, totals: { registered: 3 } })
    expect(await migrate(options)).toMatchObject({ exitCode: 0, totals: { registered: ROWS } })
    expect(await migrate(options)).toMatchObject({ exitCode: 0 })
    expect(posts()).toBe(ROWS)
  })

  const customers = (...values: string[]) => [{ column: 'customer_no', values }]

  it('of some rows sends those alone, in as many runs with a choice of their own as it takes', async () => {
    const { place, options, posts } = await scene({ only: customers('1', '2', '3', '4') })
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
    const runs = place.look((ledger) => ledger.runs())
    expect(runs.map(({ settings: { only, countries } }) => [only, countries])).toEqual([
      [[...customers('1', '2', '3', '4'), ...customers('2', '4', '6')], undefined],
      [customers('1', '2', '3', '4'), undefined],
      [customers('1', '2', '3', '4'), ['AT']],
    ])
    const only = [{ column: 'segment', values: ['A'] }]
    await expectRefused({ place, posts, options: bare }, /no file has a column "segment"/, { only })
  })

  it('sends nothing where plan and run are for other countries', async () => {
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
    const { place, asked } = await placeWith(3, {
      faults: [{ operation: 'migrate', times: 3, fault: { kind: 'refuse' } }],
    })
    expect(await migrate(asked())).toMatchObject({ totals: { refused: 3 } })
    const plain = asked({ files: [] })
    approved(place, await planned(place, plain))
    const run = { ...plain, retryRefusedBy: 'Ada', plan: place.at('plan.json') }
    await expect(migrate(run)).rejects.toThrow(/refused rows are to be sent once more, which was not planned/)
    const again = { ...plain, retryRefusedBy: 'Ada' }
    const plan = await planned(place, again)
    expect(plan).toMatchObject({ retriesRefused: true, rows: { count: 3 } })
    expect(place.look((ledger) => ledger.totals())).toMatchObject({ refused: 3, ready: 0 })
    approved(place, plan)
    expect(await migrate(run)).toMatchObject({ exitCode: 0, totals: { registered: 3 } })
  })
})

describe('a plan that is run on a later day', () => {
  const header =
    'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,last_collection_date'
  /** Planned on 15 June, run on the 18th. */
  async function laterDay(lastCollection: string) {
    const { place, asked, posts } = await placeWith(0)
    const line = (customer: number, last: string): string =>
      `${customer},DE89370400440532013000,2020-01-02,DE98ZZZ09999999999,M-${customer},${last}\n`
    writeFileSync(place.at('export.csv'), `${header}\n${line(1, '2026-01-01')}${line(2, lastCollection)}`, {
      mode: 0o600,
    })
    const document = await planned(place, asked())
    approved(place, document)
    return { document, place, posts, options: asked({ asOf: '2026-06-18', plan: place.at('plan.json') }) }
  }

  it.each([
    ['a lapse is near by then', '2023-08-15', 0],
    ['a planned collection was made by then', '2026-06-16', 1],
  ])('is held to its rows, and not to warnings that days bring and take: %s', async (_, last, warnings) => {
    const { document, options } = await laterDay(last)
    expect(document.warnings).toHaveLength(warnings)
    expect(await migrate(options)).toMatchObject({ exitCode: 0, totals: { registered: 2 } })
  })

  it('is refused where a row of it has lapsed, and where other warnings are hidden', async () => {
    const lapsed = await laterDay('2023-06-15')
    await expectRefused(lapsed, /: rows changed: 2 rows \(\w+\) planned, 1 row \(\w+\) now/)
    const given = await laterDay('2026-01-01')
    forged(given.place, () => ({ warnings: [{ rule: 'IBAN_SHARED', count: 1 }] }))
    await expectRefused(given, ': the plan shows something else than there is: warnings. Nothing')
  })
})

/** Options of the run that are others by then, if any. */
type Change = (given: Scene) => unknown

const service = ({ options }: Scene, more: Partial<MigrateOptions['service']>) => ({
  service: { ...options.service, ...more },
})

/** Each drift alone: what is done between plan and run, and what the refusal says, a text as all that drifted; the texts are those of domain/plan. */
const DRIFTS: readonly (readonly [string, Change, RegExp | string])[] = [
  [
    'a byte of a source',
    ({ place }) => appendFileSync(place.at('export.csv'), '\n'), // a blank line: the rows stay the same
    /source changed: "export\.csv" is not the file that was planned\. Nothing was admitted/,
  ],
  ['a setting', (given) => service(given, { concurrency: 3 }), 'setting changed: concurrency from 8 to 3'],
  [
    'how the file is read',
    () => ({ reading: { source: { fillerDates: [] } } }),
    /: setting changed: source from /,
  ],
  [
    'several at once',
    ({ place }) => {
      appendFileSync(place.at('export.csv'), '\n')
      return { zone: 'Europe/Lisbon', machine: { ...place.machine(), version: '9' } }
    },
    /: version changed: planned with \S+, this is 9; setting changed: zone from .* to "Europe\/Lisbon"; source changed: /,
  ],
  [
    'the user at the service',
    (given) => ({ ...service(given, { username: 'other' }), confirm: () => true }),
    /: target changed: from \S+ as sandbox to \S+ as other\. /,
  ],
]

const laterBy = (laterMs: () => number) => ({
  clock: { ...thisMachine().clock, now: () => Date.now() + laterMs() },
})

/** The plan as its maker changed it, in the ledger and in the file, with a digest that fits, and approved so. */
function forged(place: Place, change: (document: PlanDocument) => Partial<PlanDocument>): void {
  const { digest: _, ...made } = JSON.parse(readFileSync(place.at('plan.json'), 'utf8')) as PlanDocument
  const body = { ...made, ...change({ digest: '', ...made }) }
  const document = { digest: planDigestOf(body), ...body }
  atLedger(place, (ledger) => ledger.plans.record(document))
  writeFileSync(place.at('plan.json'), textOfPlan(document))
  approved(place, document)
}

describe('a plan that shows the approver something else is refused', () => {
  it.each<[string, Partial<MigrateOptions>, (document: PlanDocument) => Partial<PlanDocument>]>([
    ['changedSettings', { rules: { IBAN_SHARED: 'off' } }, () => ({ changedSettings: [] })],
    ['creditors', {}, () => ({ creditors: [] })],
    ['corrections', {}, () => ({ corrections: { rows: 3, fields: [], first: [] } })],
    ['totals', {}, ({ totals }) => ({ totals: { ...totals, refused: 1 } })],
    ['warnings', {}, () => ({ warnings: [{ rule: 'IBAN_SHARED', count: 1 }] })],
    ['staysBehind', {}, () => ({ staysBehind: [{ state: 'refused', rule: null, count: 1 }] })],
    ['sources', {}, ({ sources }) => ({ sources: sources.map((source) => ({ ...source, records: 9 })) })],
    ['treatedAsActive', {}, () => ({ treatedAsActive: ['other.csv'] })],
    ['readAs', {}, () => ({ readAs: ['export.csv: as it stands'] })],
    ['choice', { countries: ['DE'] }, ({ choice }) => ({ choice: choice && { ...choice, left: 7 } })],
    ['expectedMs', {}, () => ({ expectedMs: 1 })],
    ['ledgerId', {}, () => ({ ledgerId: 'another' })],
  ])('in %s', async (name, more, change) => {
    const given = await scene(more)
    forged(given.place, change)
    await expectRefused(given, `: the plan shows something else than there is: ${name}. Nothing was admitted`)
  })

  it('in what sending does not change, also where a hand on the ledger says that some of it was sent', async () => {
    const given = await scene({ rules: { IBAN_SHARED: 'off' } })
    expect(await migrate({ ...given.options, limit: 1 })).toMatchObject({ exitCode: 5 })
    forged(given.place, ({ totals }) => ({ changedSettings: [], totals: { ...totals, read: 9 } }))
    forge(
      given.place.at('campaign.db'),
      `update run set settings = json_set(settings, '$.plan', (select max(digest) from plan where id = 2))`,
    )
    await expectRefused(given, ': the plan shows something else than there is: changedSettings. Nothing')
  })
})

describe('each drift alone is refused with its name', () => {
  it.each(DRIFTS)('%s', async (_, change, says) => {
    const given = await scene()
    const changed = (await change(given)) as object | undefined
    await expectRefused(given, typeof says === 'string' ? `: ${says}. ` : says, changed)
  })

  it('the service', async () => {
    const given = await scene()
    const other = await given.place.sandbox()
    const posts = () => given.posts() + other.requests().received.migrate
    await expectRefused({ ...given, posts }, /: target changed: /, service(given, { baseUrl: other.url }))
  })

  it('a row that a person decided to send once more', async () => {
    const lost = { operation: 'migrate', times: 1, fault: { kind: 'reset', applied: false } } as const
    const given = await scene({}, { faults: [lost] })
    // The very first row gets no answer: it is in doubt, and the plan is the same.
    expect(await migrate({ ...given.options, limit: 1 })).toMatchObject({ totals: { inDoubt: 1 } })
    atLedger(given.place, (ledger) => decide(ledger, 1, 'resend', { attempt: 1, force: true }))
    await expectRefused(given, /: rows changed: 1 row was decided to be sent once more since\. /)
    const { plan: _, ...unplanned } = given.options
    approved(given.place, await planned(given.place, unplanned))
    expect(await migrate(given.options)).toMatchObject({ totals: { registered: ROWS } })
  })

  it('an approval that expires while the question waits for its answer', async () => {
    const given = await scene()
    let laterMs = 0
    const confirm = (): boolean => (laterMs = 2 * 86_400_000) > 0
    const machine = { ...given.place.machine(), ...laterBy(() => laterMs) }
    await expectRefused(given, /: approval expired: at \d/, { confirm, machine })
  })
})

describe('a plan', () => {
  it.each([
    ['a byte', (text: string) => text.replace('"Ada"', '"Ade"')],
    ['a blank at its end', (text: string) => `${text} `],
    ['a blank in it', (text: string) => text.replace('"rows": {', '"rows":  {')],
    ['nothing that is left', () => ''],
  ])('that was changed by %s is refused', async (_, change) => {
    const given = await scene()
    const file = given.place.at('plan.json')
    writeFileSync(file, change(readFileSync(file, 'utf8')))
    const why = /This ledger did not record the plan .*, or the file was changed since; nothing was sent/
    await expectRefused(given, why)
  })

  it('of another ledger is refused', async () => {
    const given = await scene()
    const other = await scene()
    copyFileSync(other.place.at('plan.json'), given.place.at('plan.json'))
    await expectRefused(given, /This ledger did not record the plan .*: another one did/)
  })

  it('that is older and approved still counts while nothing drifted; a newer one without approval does not', async () => {
    const given = await scene()
    const { plan: _, ...unplanned } = given.options
    await planned(given.place, unplanned, 'newer.json')
    await expectRefused(given, /not approved/, { plan: given.place.at('newer.json') })
    expect(await migrate(given.options)).toMatchObject({ exitCode: 0, totals: { registered: ROWS } })
  })

  it('needs files that can be compared with it', async () => {
    const given = await scene()
    const stream = { name: 'standard input', stream: Readable.from([validExport(ROWS)]) }
    await expectRefused(given, /a stream cannot be read a second time/, { files: [stream] })
    await expectRefused(given, /nowhere\.csv/, { files: [given.place.at('nowhere.csv')] })
  })
})

describe('an approval with a key', () => {
  const [GRACE, EVE] = [newKey(), newKey()]

  /** A plan for Grace's key, as the options say, and the run under it. */
  async function bound(approvers: Readonly<Record<string, string>> = { Grace: GRACE.pem }) {
    const { place, posts, ...scene } = await placeWith(ROWS)
    const asked = scene.asked({ approvers })
    const document = await planned(place, asked)
    return { place, asked, posts, document, options: { ...asked, plan: place.at('plan.json') } }
  }

  it('counts from beside the plan, is put on record once, and the run says under which one it went', async () => {
    const { place, options, document, posts } = await bound()
    signedBeside(place, document, GRACE)
    expect(await migrate({ ...options, limit: 2 })).toMatchObject({ totals: { registered: 2 } })
    expect(await migrate(options)).toMatchObject({ exitCode: 0, totals: { registered: ROWS } })
    expect(posts()).toBe(ROWS)
    const [approvals, sent] = place.look((ledger) => [ledger.plans()[0]?.approvals, ledger.sentByApproval()])
    expect(approvals).toMatchObject([{ id: 1, approvedBy: 'Grace', key: GRACE.key, reference: null }])
    expect(sent).toMatchObject([{ approval: 1, rows: ROWS }])
  })

  it('does not count by the key of anybody else, nor without one', async () => {
    const given = await bound()
    await expectRefused(given, /not approved: nobody has approved this plan/)
    signedBeside(given.place, given.document, EVE)
    const why = `not approved: Grace approved with the key ${EVE.key}, .* Grace \\(key ${GRACE.key}\\)`
    await expectRefused(given, new RegExp(why))
    expect(() => approved(given.place, given.document)).toThrow('with the key of an approver alone')
  })

  it('is of this plan and this ledger alone, to the byte', async () => {
    const given = await bound()
    const file = signedBeside(given.place, given.document, GRACE)
    const text = readFileSync(file, 'utf8')
    const { signature } = signed(given.document.digest, EVE)
    for (const change of [
      text.replace('Grace', 'Linus'),
      text.replace(/"expiresAt": "\d{4}/, '"expiresAt": "2999'),
      `${text} `,
      text.replace('{', '{ "x": 1,'),
      JSON.stringify({ ...(JSON.parse(text) as object), signature }),
      '{}',
    ]) {
      writeFileSync(file, change)
      await expectRefused(given, 'no approval as this program writes it, or was changed since it was signed')
    }
    const other = await bound()
    copyFileSync(signedBeside(other.place, other.document, GRACE), file)
    await expectRefused(given, /approves another plan \(\w{12}\) than/)
    const limited = await planned(given.place, { ...given.asked, limit: 2 }, 'other.json')
    writeFileSync(file, readFileSync(signedBeside(given.place, limited, GRACE, { name: 'other.json' })))
    await expectRefused(given, /approves another plan/)
  })

  it('does not count from the future, nor once the ledger knows a later time than the clock says', async () => {
    const given = await bound()
    const at = (ms: number): string => new Date(Date.now() + ms).toISOString()
    signedBeside(given.place, given.document, GRACE, { approvedAt: at(3_600_000), expiresAt: at(7_200_000) })
    await expectRefused(given, /not approved yet: the approval is from/)
    const day = 86_400_000
    const machine = { ...given.place.machine(), ...laterBy(() => -day) }
    signedBeside(given.place, given.document, GRACE, { approvedAt: at(-2 * day), expiresAt: at(-day / 2) })
    await expectRefused(given, /approval expired/, { machine })
  })

  it.each<[string, Readonly<Record<string, string>>]>([
    ['another key', { Grace: EVE.pem }],
    ['another approver', { Grace: GRACE.pem, Eve: EVE.pem }],
    ['none', {}],
  ])(
    'is held to the approvers of the first plan: a configuration with %s is refused',
    async (_, approvers) => {
      const given = await bound()
      signedBeside(given.place, given.document, EVE)
      await expectRefused(given, /setting changed: approvers from \{"Grace":/, { approvers })
      await expect(planned(given.place, { ...given.asked, approvers }, 'other.json')).rejects.toThrow(
        /not those that this ledger was bound to/,
      )
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
    const [plan] = place.look((ledger) => ledger.plans())
    expect(plan?.approvals).toMatchObject([{ key: EVE.key }])
  })
})

const privatePem = ({ privateKey }: Pair): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

describe('where an approval is required', () => {
  const REQUIRED = { approval: 'required' } as const
  const ANOTHER = /not approved: Ada planned it, and somebody else has to approve it/

  it('the planner does not approve, whatever name is signed', async () => {
    const { place, posts, ...scene } = await placeWith(1)
    const key = newKey()
    const asked = scene.asked({ ...REQUIRED, approvers: { Ada: key.pem } })
    const document = await planned(place, asked)
    signedBeside(place, document, key, { approvedBy: 'Grace' })
    const given = { place, posts, options: { ...asked, plan: place.at('plan.json') } }
    await expectRefused(given, ANOTHER)
  })

  it('the ledger remembers it before there is a plan, once, and a plan of another configuration is held to it', async () => {
    const { place, asked, posts } = await placeWith(3)
    await migrate(asked({ limit: 1 }))
    for (let n = 0; n < 2; n += 1)
      await expect(migrate(asked(REQUIRED))).rejects.toThrow(
        /needs an approved plan, and none was given; nothing was sent/,
      )
    await expect(migrate(asked())).rejects.toThrow(/This campaign needs an approved plan/)
    expect(posts()).toBe(1)
    const runs = place.look((ledger) => ledger.runs())
    expect(runs.map(({ stoppedBy, exitCode }) => [stoppedBy, exitCode]).slice(1)).toEqual([
      ['approval_required', 2],
    ])
    approved(place, await planned(place, asked()), { approvedBy: 'Ada' })
    await expectRefused({ place, posts, options: asked({ plan: place.at('plan.json') }) }, ANOTHER)
  })

  it('no service gets rows without a plan, the sandbox neither, whatever a later configuration says', async () => {
    const { place, asked, posts } = await placeWith(1)
    await expect(migrate(asked(REQUIRED))).rejects.toThrow(/needs an approved plan, and none was given/)
    expect(existsSync(place.at('campaign.db'))).toBe(false)
    await planned(place, asked(REQUIRED))
    await expect(migrate(asked())).rejects.toThrow(/This campaign needs an approved plan/)
    expect(posts()).toBe(0)
  })
})
