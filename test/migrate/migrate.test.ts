import {
  appendFileSync,
  copyFileSync,
  createReadStream,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LedgerError, UsageError } from '../../src/errors.js'
import { openForReading } from '../../src/ledger/file/connection.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { openDatabase } from '../../src/driver.js'
import { migrate } from '../../src/migrate/migrate.js'
import type { MigrationEvent, MigrationPlan } from '../../src/migrate/options.js'
import { look } from '../ledger/ledger-views.js'
import { newPlace, placeWith, type Place } from './place.js'
import { planned } from './planned.js'
import { writeReport } from '../../src/report/pack/pack.js'
import { validLine } from '../support/export.js'
import { serving } from '../support/listener.js'
import { readWritten } from '../../src/ledger/safety/side-files.js'

const SERVICE = 'https://service.example'

/** Free for the next run: the lock is released, nothing of the last one is under way. */
function expectClosed(file: string): void {
  const ledger = openLedger({ file, clock: { now: () => 0, monotonic: () => 0 }, create: false })
  expect(ledger.recovered).toBe(0)
  ledger.close()
}

/** A service that shows what it finds when a request arrives, before it answers. */
async function looking(look: () => void): Promise<string> {
  const { url, close } = await serving((request, response) => {
    look()
    request.resume()
    response.writeHead(422, { 'content-type': 'application/json' })
    response.end('{"status":"INVALID_PARAMETER","data":{"message":"No"}}')
  })
  onTestFinished(close)
  return url
}

const runsOf = (place: Place): number => place.look((ledger) => ledger.standing().runs)

const inRegister = (place: Place, sql: string, ...given: string[]): unknown => {
  const connection = openDatabase(place.at('state', 'register.db'), { readonly: true })
  try {
    return connection.prepare<string[]>(sql).get(...given)
  } finally {
    connection.close()
  }
}

describe('migrate, with a file, a service and a ledger', () => {
  it('keeps who ran, and that the host was declared a test environment, only where it is that host', async () => {
    const { place, sandbox, asked } = await placeWith(2)
    await migrate(asked({ testHost: `test.example, ${new URL(sandbox.url).host}` }))
    await migrate(asked({ testHost: 'test.example' }))
    const { user } = place.machine()
    const runs = place.look((ledger) => ledger.runs())
    expect(runs.map(({ startedAs, settings }) => [startedAs, settings.testHost])).toEqual([
      [user, new URL(sandbox.url).host],
      [user, undefined],
    ])
  })

  it('registers each mandate once, and a second call adds and sends nothing', async () => {
    const { place, sandbox, asked, posts } = await placeWith(20)
    const first = await migrate(asked())
    expect(first).toMatchObject({ exitCode: 0, stop: null, warnings: [], holdsOldPages: false })
    expect(first.totals).toMatchObject({ read: 20, registered: 20 })
    expect(first.campaign).toMatchObject({ baseUrl: sandbox.url, username: 'sandbox' })
    expect(first.admitted).toMatchObject([{ name: 'export.csv', kind: 'admitted', records: 20 }])
    const again = await migrate(asked())
    expect([again.exitCode, again.admitted[0]?.kind]).toEqual([0, 'known'])
    expect(await migrate(asked({ files: [] }))).toMatchObject({ exitCode: 0 })
    expect(sandbox.mandates()).toHaveLength(20)
    expect(posts()).toBe(20)
    expect(statSync(place.at('campaign.db')).mode & 0o777).toBe(0o600)
  })

  it('takes an export for the newer one where that is said', async () => {
    const { place, sandbox, asked } = await placeWith(2)
    expect(await migrate(asked({ limit: 1 }))).toMatchObject({ exitCode: 5 })
    const text = readFileSync(place.exported(2, 'newer.csv'), 'utf8').replace('2024-03-03', '2024-04-30')
    writeFileSync(place.at('newer.csv'), text, { mode: 0o600 })
    const newer = { files: [place.at('newer.csv')] }
    expect(await migrate(asked(newer))).toMatchObject({ exitCode: 3, totals: { registered: 1 } })
    expect(await migrate(asked({ ...newer, newer: true }))).toMatchObject({ exitCode: 0 })
    expect(sandbox.mandates().map((one) => one.signed_date)).toEqual(['2024-03-02', '2024-04-30'])
  })

  it('tells what happens, from the opening to the closing', async () => {
    const { asked } = await placeWith(3)
    const events: MigrationEvent[] = []
    await migrate(asked({ watch: (event) => void events.push(event) }))
    const kinds = events.map(({ kind }) => kind)
    expect(kinds.slice(0, 5)).toEqual(['opened', 'reading', 'sending', 'intent', 'outcome'])
    expect(kinds.filter((kind) => kind === 'outcome')).toHaveLength(3)
    expect(events.at(-1)).toMatchObject({ kind: 'closed', totals: { registered: 3 }, warnings: [] })
    expect(events[2]).toEqual({ kind: 'sending', rows: 3, warning: null })
  })

  it('keeps the options that decide outcomes with the run, and where its caller writes', async () => {
    const { place, sandbox, asked } = await placeWith(3)
    await migrate(
      asked({
        service: { ...asked().service, rate: 50, timeoutMs: 9_000, outcomes: { '503': 'turned_away' } },
        limit: 2,
        maxRefused: { kind: 'percent', value: 5 },
        rules: { MANDATE_DORMANT_SOON: 'off' },
        zone: 'Europe/Lisbon',
        writes: [{ kind: 'report', path: place.at('report') }],
      }),
    )
    const [run] = place.look((ledger) => ledger.runs())
    expect(run).toMatchObject({ asOf: '2026-06-15', zone: 'Europe/Lisbon', stoppedBy: 'limit', exitCode: 5 })
    expect(run?.settings).toEqual({
      concurrency: 8,
      rate: 50,
      limit: 2,
      maxDurationMs: null,
      maxInDoubt: 10,
      maxRefused: { kind: 'percent', value: 5 },
      stopAtCanaryDoubt: false,
      timeoutMs: 9_000,
      outcomes: { '503': 'turned_away' },
      rules: { MANDATE_DORMANT_SOON: 'off' },
      configuration: null,
      proxy: null,
      extraCertificates: [],
      clientCertificate: null,
    })
    expect(JSON.stringify(run)).not.toContain(sandbox.password)
    expect(readWritten(place.at('campaign.db'))).toEqual([{ kind: 'report', path: place.at('report') }])
  })
})

it('a list of a report that somebody filled in is taken with its decisions, and refused where it can be read only once', async () => {
  const { place, asked, posts } = await placeWith(1)
  appendFileSync(place.at('export.csv'), validLine(2).replace(/[A-Z]{2}[0-9]{20}/, 'DE00'))
  await migrate(asked())
  await writeReport(place.at('campaign.db'), { out: place.at('pack') })
  const list = place.at('pack', 'to-do', 'corrections.csv')
  const decided = { migration_decision: 'written-off', migration_reason: 'left' }
  const lines = parse<object>(readFileSync(list), { bom: true, columns: true })
  const filledIn = lines.map((line) => ({ ...line, ...decided }))
  writeFileSync(list, stringify(filledIn, { header: true, quoted: true }))
  await expect(planned(place, asked({ files: [list] }))).rejects.toThrow(/^A plan records no decisions/)
  const stream = createReadStream(list)
  const piped = migrate(asked({ files: [{ name: 'standard input', stream }] }))
  await expect(piped).rejects.toThrow(/is a list of this program.*can be read only once; nothing was sent/)
  expect(await migrate(asked({ files: [list] }))).toMatchObject({ decided: 1, totals: { writtenOff: 1 } })
  expect(posts()).toBe(1)
})

describe('before anything is sent', () => {
  it('the place of another ledger is taken at a service elsewhere alone: here no mandate is claimed', async () => {
    const { sandbox, asked } = await placeWith(3)
    const anotherLedger = { by: 'Kim', reason: 'the disk is lost' }
    await expect(migrate(asked({ anotherLedger }))).rejects.toThrow(
      /nobody knows which ones.*Nothing was sent/,
    )
    expect(sandbox.mandates()).toEqual([])
  })

  it('a service that is not this machine needs a confirmation: without one no ledger is even made', async () => {
    const place = newPlace()
    place.exported(3)
    const refused = migrate(place.asked(SERVICE))
    await expect(refused).rejects.toThrow(/"service\.example" needs a confirmation.*nothing was sent/)
    await expect(refused).rejects.toThrow(UsageError)
    expect(readdirSync(place.at())).toEqual(['export.csv'])
  })

  it('the plan is shown once, with where it goes to and as whom', async () => {
    const place = newPlace()
    place.exported(3)
    const plans: Omit<MigrationPlan, 'ledger'>[] = []
    const confirm = ({ ledger, ...plan }: MigrationPlan): boolean => {
      expect(ledger.creditorsOfReady()).toEqual([{ creditorIdentifier: 'DE98ZZZ09999999999', count: 3 }])
      return plans.push(plan) === 0
    }
    const { stop, totals } = await migrate(place.asked(SERVICE, { limit: 2, confirm }))
    expect(plans).toMatchObject([
      {
        toSend: 2,
        totals: { read: 3, ready: 3 },
        service: { href: SERVICE, host: 'service.example', isLoopback: false, username: 'sandbox' },
        isLedgerKnown: true,
      },
    ])
    expect([stop?.kind, totals.read]).toEqual(['declined', 0])
  })

  it.each([false, undefined, null, 1, 'yes', {}])(
    'nothing but true sends: %j leaves ledger and service as they were',
    async (answer) => {
      const { place, asked, posts } = await placeWith(3)
      const end = await migrate(asked({ confirm: () => answer as boolean }))
      expect([end.stop?.kind, end.exitCode, end.admitted]).toEqual(['declined', 2, []])
      expect(posts()).toBe(0)
      place.look((ledger) => {
        expect(ledger.totals().read).toBe(0)
        expect(ledger.campaign().baseUrl).toBeNull()
      })
      const claims = 'select 1 from mandate join ledger on ledger.n = mandate.ledger or mark is not null'
      expect(inRegister(place, claims)).toBeUndefined()
    },
  )

  it('mandates that another ledger claimed are refused before the question, and nothing is sent after an answer that came too late', async () => {
    const place = newPlace()
    place.exported(3)
    /** Claims for a real service and is stopped before anything leaves. */
    const claim = async (ledger: string, meanwhile?: () => Promise<unknown>): Promise<void> => {
      const stop = new AbortController()
      const confirm = async (): Promise<boolean> => {
        asked.push(ledger)
        await meanwhile?.()
        stop.abort()
        return true
      }
      await migrate(place.asked(SERVICE, { ledger: place.at(ledger), confirm, signal: stop.signal }))
    }
    const asked: string[] = []
    const late = claim('late.db', () => claim('first.db'))
    await expect(late).rejects.toThrow(
      /^3 mandates .*already claimed for the same service by the ledger ".*first\.db"; nothing was sent/,
    )
    await expect(claim('last.db')).rejects.toThrow(/already claimed for the same service .*nothing was sent/)
    expect(asked).toEqual(['late.db', 'first.db'])
    expect(inRegister(place, 'select count(*) as n from ledger where mark is not null')).toEqual({ n: 1 })
    for (const [name, read] of Object.entries({ 'first.db': 3, 'late.db': 3, 'last.db': 0 }))
      expect(look(place.at(name), (ledger) => ledger.totals().read)).toBe(read)
  })

  it('when a request arrives its intent is in the ledger and counted in the register, in this order', async () => {
    const place = newPlace()
    place.exported(1)
    const seen: unknown[] = []
    const url = await looking(() =>
      place.look((ledger) => {
        const { ledgerId, attempts } = ledger.standing()
        const sql = 'select attempts, mark from ledger where id = ?'
        const noted = inRegister(place, sql, ledgerId) as { attempts: number; mark: string }
        seen.push([ledger.totals().sending, attempts, noted.attempts, ledger.hasMark(noted.mark)])
      }),
    )
    expect(await migrate(place.asked(url))).toMatchObject({ exitCode: 3, totals: { refused: 1 } })
    expect(seen).toEqual([[1, 1, 1, true]])
  })

  it('an older copy of the ledger is refused before a run is counted', async () => {
    const { place, posts, ...scene } = await placeWith(4)
    await migrate(scene.asked({ limit: 1 }))
    copyFileSync(place.at('campaign.db'), place.at('copy.db'))
    await migrate(scene.asked())
    for (const name of readdirSync(place.at()).filter((file) => /^campaign\.db-/.test(file)))
      rmSync(place.at(name))
    copyFileSync(place.at('copy.db'), place.at('campaign.db'))
    const runs = runsOf(place)
    const asked: unknown[] = []
    const confirm = (plan: unknown): boolean => asked.push(plan) > 0
    await expect(migrate(scene.asked({ confirm }))).rejects.toMatchObject({
      problem: 'older',
      message: expect.stringMatching(/Nothing was sent/) as string,
    })
    expect([runsOf(place), asked, posts()]).toEqual([runs, [], 4])
    expectClosed(place.at('campaign.db'))
  })

  it('a ledger of another service, or one that holds nothing, is refused', async () => {
    const { place, asked } = await placeWith(1)
    await expect(migrate(asked({ files: [] }))).rejects.toThrow(/there is no such file/)
    await migrate(asked({ confirm: () => false }))
    await expect(migrate(asked({ files: [] }))).rejects.toThrow(/holds no mandates yet/)
    await migrate(asked())
    const other = await place.sandbox()
    const foreign = migrate(place.asked(other.url))
    await expect(foreign).rejects.toThrow(LedgerError)
    await expect(foreign).rejects.toMatchObject({ problem: 'other_campaign' })
    expect(other.requests().received.migrate).toBe(0)
  })
})

describe('whatever happens', () => {
  it('a signal that aborts with a reason of its own stops it like any other', async () => {
    const { asked, posts } = await placeWith(3)
    const signal = AbortSignal.abort(new DOMException('too late', 'TimeoutError'))
    expect([(await migrate(asked({ signal }))).exitCode, posts()]).toEqual([130, 0])
  })

  it('whoever watches and throws ends the run; every answer is settled, and the next call goes on', async () => {
    const { place, sandbox, asked } = await placeWith(30)
    const tired = new Error('the watcher is tired')
    let outcomes = 0
    const watch = ({ kind }: MigrationEvent): void => {
      outcomes += kind === 'outcome' ? 1 : 0
      if (outcomes >= 10) throw tired // of the closing too
    }
    await expect(migrate(asked({ watch }))).rejects.toBe(tired)
    const { registered, sending } = place.look((ledger) => ledger.totals())
    expect([sending, registered]).toEqual([0, sandbox.mandates().length])
    expect(registered).toBeLessThan(30)
    expectClosed(place.at('campaign.db'))
    expect(await migrate(asked())).toMatchObject({ exitCode: 0, totals: { registered: 30 } })
    expect(sandbox.mandates()).toHaveLength(30)
  })

  it('of two calls on one ledger at once the second is refused, and nothing is sent twice', async () => {
    const { asked, posts } = await placeWith(20)
    const calls = await Promise.allSettled([1, 2].map(() => migrate(asked())))
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(calls[1]).toMatchObject({ reason: { problem: 'locked' } })
    expect(posts()).toBe(20)
  })

  it('the next call after a death says what was under way', async () => {
    const { place, asked } = await placeWith(3)
    await migrate(asked({ limit: 1 }))
    const dying = openLedger({ file: place.at('campaign.db'), clock: { now: () => 0, monotonic: () => 0 } })
    dying.startRun({ version: '0', host: 'h', pid: 1, asOf: '2026-06-15', zone: 'UTC', settings: {} })
    dying.claims.begin('ab'.repeat(16), () => undefined)
    await dying.begin(dying.ready(0, 1)[0]!)
    dying.close()
    rmSync(place.at('state'), { recursive: true })
    const events: MigrationEvent[] = []
    const end = await migrate(asked({ watch: (event) => void events.push(event) }))
    expect(events[0]).toEqual({ kind: 'opened', recovered: 1, allowed: [], notNoted: [] })
    expect([end.exitCode, end.totals.inDoubt, end.totals.registered]).toEqual([4, 1, 2])
  })

  it('says so when another program kept account numbers from leaving the disk', async () => {
    const { place, asked } = await placeWith(3)
    await migrate(asked({ limit: 1 }))
    const viewer = openForReading(place.at('campaign.db'))
    viewer.exec('begin')
    viewer.prepare('select count(*) from row').get()
    const end = await migrate(asked())
    viewer.close()
    expect([end.exitCode, end.holdsOldPages]).toEqual([0, true])
    expect(await migrate(asked({ files: [] }))).toMatchObject({ holdsOldPages: false })
  })

  it('a register that cannot be used is a warning on this machine', async () => {
    const { place, asked } = await placeWith(2)
    writeFileSync(place.at('state'), 'a file where the folder should be')
    const end = await migrate(asked())
    expect(end.totals.registered).toBe(2)
    expect(end.warnings).toEqual([
      expect.stringMatching(/register.*A run against a real service would be refused/),
    ])
    await expect(
      migrate(place.asked(SERVICE, { ledger: place.at('b.db'), confirm: () => true })),
    ).rejects.toMatchObject({ problem: 'register' })
  })
})
