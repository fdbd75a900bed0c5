import { describe, expect, it, beforeEach } from 'vitest'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { howReadLines, readingLines, confirmRun } from '../../src/cli/before-sending.js'
import { wordsOf, lineProgress } from '../../src/cli/terminal/world.js'
import { admitted, exportOf, fileOf, CHECK, optionsOf } from '../support/sources.js'
import { IS_ROOT, listenAs } from '../support/listener.js'
import { contextOf } from '../../src/cli/command.js'
import { noLog } from '../../src/cli/main.js'
import { readSettings, type Flags } from '../../src/cli/settings/settings.js'
import { openDatabase } from '../../src/driver.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import { migrate } from '../../src/migrate/migrate.js'
import type { MigrateOptions, MigrationPlan } from '../../src/migrate/options.js'
import { admitSources, sourceOpeners } from '../../src/run/admit-sources.js'
import { admit, SETTINGS, summaryOf } from '../ledger/campaign-setup.js'
import { freshFolder } from '../support/folder.js'
import { worldOf } from './world.js'

/** How `check` would tell what it read of this text. */
const told = (text: string, yaml = '', linesOf: typeof howReadLines = readingLines): Promise<string[]> =>
  admitted([fileOf(text)], (ledger) => ledger.sources().flatMap(linesOf).map(wordsOf), yaml)

const withColumn = (name: string, ...cells: string[]): string => {
  const [header = '', ...rows] = exportOf(cells.length).trimEnd().split('\n')
  return [`${header},${name}`, ...rows.map((row, index) => `${row},${cells[index] ?? ''}`), ''].join('\n')
}

it('what a person has to see of how a file was read is nothing where nothing was left out or interpreted', async () => {
  expect(await told(withColumn('status', 'active', 'active'))).toEqual([])
})

describe('how a file was read', () => {
  const EXPORT = exportOf(2)
  const lines = (text: string, yaml = '') => told(text, yaml, howReadLines)

  it('names what was found out and by what, so that a wrong guess shows', async () => {
    const [first, second] = await lines(EXPORT.replace('Person 1', 'Müller'))
    expect(first).toContain('export.csv: 2 records')
    expect(second).toContain('utf-8 (strict UTF-8), separator "," (header line), header in line 1')
  })

  it('names the column of each field, and the creditor that stands for every row', async () => {
    const text = EXPORT.replace('iban', 'Konto-IBAN').replace(',sepa_creditor_identifier', ',x')
    const constant = 'sepa_creditor_identifier: { constant: DE98ZZZ09999999999 }'
    const yaml = `columns: { iban: Konto-IBAN, ${constant} }\nsource: { ignoreColumns: [x] }`
    const shown = (await lines(text, yaml)).join('\n')
    expect(shown).toContain('iban from "Konto-IBAN"')
    expect(shown).toContain('sepa_creditor_identifier DE98ZZZ09999999999 for every row')
  })
})

let folder: string
beforeEach(() => {
  folder = freshFolder()
})

/** So many of the register: mandates, or ledgers that claimed what they may send. */
function inRegister(what: 'mandate' | 'ledger where mark is not null'): unknown {
  const file = join(folder, 'state/register.db')
  if (!existsSync(file)) return 0
  const connection = openDatabase(file, { readonly: true })
  try {
    return connection.prepare(`select count(*) from ${what}`).pluck().get()
  } finally {
    connection.close()
  }
}
const claimed = (): unknown => inRegister('ledger where mark is not null')

/** A ledger with three rows that are ready, made where there is none. */
function makeLedger(name: string, more?: (ledger: Ledger) => void): void {
  if (existsSync(join(folder, name))) return
  const ledger = openLedger({ file: join(folder, name), clock: { now: () => 0, monotonic: () => 0 } })
  ledger.startRun(SETTINGS)
  admit(
    ledger,
    [1, 2, 3].map((customerNo) => ({ customerNo, reference: `M-${customerNo}` })),
  )
  more?.(ledger)
  ledger.close()
}

interface Given extends Pick<MigrateOptions, 'anotherLedger' | 'checkBeforeSend' | 'files'> {
  readonly now?: number
  readonly ledger?: string
  readonly username?: string
  readonly plan?: Partial<MigrationPlan>
  readonly flags?: Flags
}

/** A run as the command asks for it. Once it is answered it is stopped, so that nothing leaves. */
async function confirm(target: string, typed: string | null, given: Given = {}) {
  const { ledger = 'march.db', username = 'migration', plan: other = {}, flags = {}, now, ...options } = given
  makeLedger(ledger)
  const world = { ...worldOf(now === undefined ? {} : { now }), stateFolder: join(folder, 'state') }
  const settings = readSettings({ ...flags, ledger: join(folder, ledger) }, world)
  const notes: string[] = []
  const questions: string[] = []
  const progress = lineProgress(world, (line) => void notes.push(wordsOf(line)))
  const own = { checkBeforeSend: options.checkBeforeSend }
  const context = contextOf({ world, settings, progress, args: [], own, log: noLog })
  const trusted = {
    configuration: '/campaign/sepa-migrate.yaml',
    proxy: 'https://proxy.example:3128',
    extraCertificates: ['/campaign/ca.pem'],
    clientCertificate: '/campaign/client.pem',
  }
  const ask = (_world: unknown, question: string): Promise<string | null> => {
    questions.push(question)
    return Promise.resolve(typed)
  }
  const stop = new AbortController()
  const answers: boolean[] = []
  const { stop: ended } = await migrate({
    ...options,
    ledger: settings.ledger,
    service: { baseUrl: target, username, password: 'never sent' },
    signal: stop.signal,
    machine: world,
    confirm: async (plan) => {
      answers.push(await confirmRun(context, { ...plan, ...other }, { trusted, left: [], ask }))
      stop.abort()
      return answers.includes(true)
    },
  })
  const isConfirmed = answers.includes(true)
  expect(ended?.kind).toBe(isConfirmed ? 'signal' : 'declined')
  return { isConfirmed, notes: notes.join('\n'), questions }
}

const SERVICE = 'https://service.example'
const HOST = 'service.example'
/** What is shown before a question that nobody answers. */
const notesOf = async (given?: Given): Promise<string> => (await confirm(SERVICE, '', given)).notes

describe('a run against a real service', () => {
  it('shows in the plan what was left out of the files, kept back and not understood', async () => {
    const file = join(folder, 'export.csv')
    const row = (customer: number, status: string): string =>
      `${customer},DE89370400440532013000,2024-03-01,DE98ZZZ09999999999,M-${customer},${status}`
    const header = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,status'
    writeFileSync(file, [header, row(1, 'active'), row(2, 'ended'), row(3, 'hocus'), 'Total: 3'].join('\n'))
    const { signal } = new AbortController()
    const ledger = openLedger({ file: join(folder, 'march.db'), clock: { now: () => 0, monotonic: () => 0 } })
    ledger.startRun(SETTINGS)
    const files = sourceOpeners([file], optionsOf('source: { skipFooterLines: 1 }'), CHECK, signal)
    await admitSources(ledger, files, { severities: {}, signal, watch: () => undefined })
    ledger.close()
    const notes = await notesOf()
    expect(notes).toContain('left out at the end: Total: 3')
    expect(notes).toContain('1 ended will not be migrated, going by column "status": "ended" 1')
    expect(notes).toContain('not understood in column "status": "hocus" 1')
  })

  it('shows what check knows: rows by outcome, previous creditors, user and pace', async () => {
    expect(await notesOf()).toMatch(
      /^The plan\nTarget: https:\/\/service\.example\nUser at the service: migration\nControl totals\n {2}read {9}3 {3}records of the exports\n {2}ready {8}3 {3}waiting to be sent[^]*To send in this run: 3 rows\n {2}previous creditor \S+: 3 rows\nPace: no limit set, 8 requests at a time, about 1 s/m,
    )
  })

  it('names of a pilot that is spread why each row was taken, the first of many, with no account number', async () => {
    const because = ['country DE', 'references as DE89370400440532013000']
    const pilot = Array.from({ length: 25 }, (_, at) => ({ id: at + 1, customerNo: 1_001 + at, because }))
    const notes = await notesOf({ plan: { pilot, toSend: 40 } })
    expect(notes).toMatch(
      /To send in this run: 40 rows\nA pilot that is spread:\n {2}row 1, customer 1001: country DE, references as DE…3000\n[^]* {2}row 10, customer 1010: [^\n]+\n {2}and 30 rows more\n/,
    )
  })

  it('says under which approved plan it goes, and what is proven of its approval', async () => {
    const times = { approvedAt: '2026-06-15T09:00:00.000Z', expiresAt: '2026-06-18T09:00:00.000Z' }
    const by = { approvedBy: 'Grace', key: 'cd'.repeat(32), reference: null }
    const approved = { digest: 'ab'.repeat(32), ...by, ...times }
    const line =
      'Approved plan: abababababab, by Grace at 2026-06-15 09:00:00 UTC, until 2026-06-18 09:00:00 UTC'
    expect(await notesOf({ plan: { approved } })).toContain(`${line}\n  proven for the key ${approved.key}`)
    const mail = { ...approved, key: null, reference: 'mail of 12 June' }
    const warning = 'Warning: that approval is recorded, not proven (mail of 12 June)'
    expect(await notesOf({ plan: { approved: mail } })).toContain(`${line}\n${warning}`)
  })

  it('says that the newest export is old, since mandates ended meanwhile, unless a newer one comes in with it', async () => {
    const old =
      'Warning: the newest export came in or was compared at 1970-01-01 00:00:00 UTC, and what ended since would be'
    const days = (count: number): number => count * 24 * 60 * 60_000
    expect(await notesOf({ now: days(3) })).not.toContain('the newest export')
    expect(await notesOf({ now: days(3) + 1 })).toContain(old)
    const later = openLedger({
      file: join(folder, 'march.db'),
      clock: { now: () => days(9), monotonic: () => 0 },
    })
    const { reading } = summaryOf(1)
    admit(later, [{ reference: 'M-4' }], { reading: { ...reading, collections: 'pain.008.001.02' } })
    later.close()
    expect(await notesOf({ now: days(10) })).toContain(old)
    const export_ = join(folder, 'new.csv')
    writeFileSync(export_, exportOf(5).replaceAll('M-', 'N-').replaceAll(/^(\d)/gm, '10$1'))
    expect(await notesOf({ now: days(30), files: [export_] })).not.toContain('the newest export')
  })

  it('says which refused rows are not sent again', async () => {
    expect(await notesOf({ ledger: 'usual.db' })).not.toMatch(/Warning|stay refused/)
    expect(await notesOf({ plan: { leftRefused: 2 } })).toMatch(/2 refused rows stay [^]*"written-off"/)
  })

  it('shows the plan and goes on when the host name is typed', async () => {
    const { isConfirmed, notes, questions } = await confirm(SERVICE, HOST)
    expect([isConfirmed, claimed()]).toEqual([true, 1])
    expect(questions).toEqual([`Type the host name "${HOST}" to send`])
    // 8.4.3
    expect(notes).toMatch(
      /Target: https:\/\/service\.example[^]*Configuration: \/campaign\/sepa-migrate\.yaml\nProxy: https:\/\/proxy\.example:3128\nExtra certificates: \/campaign\/ca\.pem\nClient certificate: \/campaign\/client\.pem/,
    )
  })

  it.each(['service', '', null])('does not when "%s" is typed, and is not noted as sent', async (typed) => {
    expect(await confirm(SERVICE, typed)).toMatchObject({ isConfirmed: false })
    expect(claimed()).toBe(0)
  })

  it('is not asked about with --yes, but noted', async () => {
    const answered = await confirm(SERVICE, null, { flags: { yes: '1' } })
    expect(answered).toMatchObject({ isConfirmed: true, questions: [] })
    expect(claimed()).toBe(1)
  })

  it('is asked about whatever --yes says where the register knows nothing of a ledger that has sent, until it does', async () => {
    const yes = { flags: { yes: '1' } }
    await confirm(SERVICE, HOST)
    rmSync(join(folder, 'state'), { recursive: true })
    const unknown =
      /not as this user on this machine: if it is an older copy, what went out since would be sent twice/
    for (const times of ['once', 'and once more']) {
      const refused = confirm(SERVICE, null, yes)
      await expect(refused, times).rejects.toThrow(unknown)
      await expect(refused, times).rejects.toMatchObject({
        exitCode: 2,
        next: expect.stringContaining('(sepa-migrate run FILE --all-in-doubt') as string,
      })
    }
    expect((await confirm(SERVICE, HOST)).notes).toMatch(unknown)
    expect(await confirm(SERVICE, null, yes)).toMatchObject({ isConfirmed: true, questions: [] })
  })

  it('is refused where the register knows the mandates of a new ledger, and the plan says whose place it takes', async () => {
    await confirm(SERVICE, HOST)
    await expect(confirm(SERVICE, null, { flags: { yes: '1' }, ledger: 'second.db' })).rejects.toMatchObject({
      next: expect.stringMatching(
        /Only where it is lost, or was purged, go on with this one.*\(--ledger FILE; sepa-migrate run FILE --another-ledger/,
      ) as string,
    })
    const anotherLedger = { by: 'Kim', reason: 'the disk is lost' }
    const notes = await notesOf({ ledger: 'second.db', anotherLedger })
    expect(notes).toMatch(/Takes the place of the ledger ".*march\.db"/)
  })

  it('says what asking first means, how long it takes, and when a later run does not ask', async () => {
    const { notes } = await confirm(SERVICE, HOST, { checkBeforeSend: true, flags: { rate: '1' } })
    expect(notes).toContain('The service is asked about each row before it is sent')
    expect(notes).toContain('at most 1 a second, 8 requests at a time, about 6 s')
    expect(await notesOf()).toContain('an earlier run asked the service about each row before it was sent')
  })
})

describe('a run against a service on this machine', () => {
  const LOCAL = 'http://127.0.0.1:8080'

  it.runIf(IS_ROOT)('is asked about like any other where another user listens', async () => {
    const { port } = await listenAs(65_534)
    const [at, host] = [`http://127.0.0.1:${port}`, `127.0.0.1:${port}`]
    const { questions, notes, isConfirmed } = await confirm(at, '')
    expect([questions, isConfirmed]).toEqual([[`Type the host name "${host}" to send`], false])
    expect(notes).toContain(`Target: ${at}\nUser at the service: migration\n`)
    expect(await confirm(at, host)).toMatchObject({ isConfirmed: true })
    const sandbox = await confirm(at, null, { username: 'sandbox', ledger: 'second.db' })
    expect(sandbox).toMatchObject({ isConfirmed: true, questions: [] })
  })

  it('of this user is neither asked about nor claimed beside other ledgers', async () => {
    expect(await confirm(LOCAL, null)).toMatchObject({ isConfirmed: true, notes: '', questions: [] })
    expect(inRegister('mandate')).toBe(0)
    expect((await confirm(LOCAL, null, { ledger: 'second.db' })).isConfirmed).toBe(true)
    expect((await confirm(SERVICE, null, { ledger: 'third.db' })).isConfirmed).toBe(false)
  })
})
