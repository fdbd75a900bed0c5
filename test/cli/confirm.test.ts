import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSettings } from '../../src/cli/settings/settings.js'
import { openDatabase } from '../../src/driver.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { admitSources, sourceOpeners } from '../../src/run/admit-sources.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import type { MigrationPlan, MigrateOptions } from '../../src/migrate/options.js'
import { migrate } from '../../src/migrate/migrate.js'
import { admit, SETTINGS } from '../ledger/campaign-setup.js'
import { worldOf } from './world.js'
import { type Line, wordsOf } from '../../src/cli/terminal/world.js'
import { noLog, silentProgress } from '../../src/cli/main.js'
import { confirmRun } from '../../src/cli/run-options.js'
import { parseLocalDate } from '../../src/domain/mandate/date.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'confirm-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const REGISTER = 'state/register.db'
function claimed(): unknown {
  const connection = openDatabase(join(folder, REGISTER), { readonly: true })
  try {
    return connection.prepare('select count(*) from mandate').pluck().get()
  } finally {
    connection.close()
  }
}

/** Ledgers that claimed what they may send. */
function registered(): unknown {
  if (!existsSync(join(folder, REGISTER))) return 0
  const connection = openDatabase(join(folder, REGISTER), { readonly: true })
  try {
    return connection.prepare('select count(*) from ledger where mark is not null').pluck().get()
  } finally {
    connection.close()
  }
}

/** A ledger with three rows that are ready, made where there is none. */
function makeLedger(name: string, firstCustomer = 1, more?: (ledger: Ledger) => void): void {
  if (existsSync(join(folder, name))) return
  const ledger = openLedger({ file: join(folder, name), clock: { now: () => 0, monotonic: () => 0 } })
  ledger.startRun(SETTINGS)
  admit(
    ledger,
    [0, 1, 2].map((n) => ({ customerNo: firstCustomer + n, reference: `M-${firstCustomer + n}` })),
  )
  more?.(ledger)
  ledger.close()
}

interface Given {
  readonly yes?: string
  readonly rate?: string
  readonly ledger?: string
  readonly firstCustomer?: number
  readonly anotherLedger?: { readonly by: string; readonly reason: string } | null
  readonly checkBeforeSend?: boolean
  readonly plan?: Partial<MigrationPlan>
  readonly only?: MigrateOptions['only']
  readonly between?: string
  readonly outside?: string
  /** Text of a configuration that anybody can change. */
  readonly openConfiguration?: string
}

/** A run as the command asks for it. Once it is answered it is stopped, so that nothing leaves. */
async function confirm(
  target: string,
  typed: string | null | Promise<string | null>,
  {
    ledger = 'march.db',
    firstCustomer,
    anotherLedger = null,
    checkBeforeSend = false,
    only,
    plan: other = {},
    openConfiguration,
    ...flags
  }: Given = {},
) {
  makeLedger(ledger, firstCustomer)
  const world = { ...worldOf(), stateFolder: join(folder, 'state') }
  const config = join(folder, 'open.yaml')
  if (openConfiguration !== undefined) {
    writeFileSync(config, openConfiguration)
    chmodSync(config, 0o666)
  }
  const given = openConfiguration === undefined ? flags : { ...flags, config }
  const settings = readSettings({ ...given, ledger: join(folder, ledger) }, world)
  const notes: string[] = []
  const questions: string[] = []
  const progress = { ...silentProgress, note: (line: Line) => void notes.push(wordsOf(line)) }
  const context = { world, settings, progress, args: [], own: { checkBeforeSend }, log: noLog }
  const trusted = {
    configuration: '/campaign/sepa-migrate.yaml',
    proxy: 'https://proxy.example:3128',
    extraCertificates: ['/campaign/ca.pem'],
    clientCertificate: '/campaign/client.pem',
  }
  const ask = (question: string): Promise<string | null> => {
    questions.push(question)
    return Promise.resolve(typed)
  }
  const stop = new AbortController()
  const confirmed: boolean[] = []
  const { stop: ended } = await migrate({
    ledger: settings.ledger,
    service: { baseUrl: target, username: 'migration', password: 'never sent' },
    anotherLedger,
    checkBeforeSend,
    only,
    signal: stop.signal,
    machine: world,
    confirm: async (plan) => {
      confirmed.push(await confirmRun(context, { service: { trusted }, plan: { ...plan, ...other }, ask }))
      stop.abort()
      return confirmed.includes(true)
    },
  })
  const isConfirmed = confirmed.includes(true)
  expect(ended?.kind).toBe(isConfirmed ? 'signal' : 'declined')
  return { isConfirmed, notes: notes.join('\n'), questions }
}

/** Admits an export with a footer and a status column into the ledger. */
async function admitExport(): Promise<void> {
  const file = join(folder, 'export.csv')
  const row = (customer: number, status: string): string =>
    `${customer},DE89370400440532013000,2024-03-01,DE98ZZZ09999999999,M-${customer},${status}`
  const header = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,status'
  const lines = [header, row(1, 'active'), row(2, 'ended'), row(3, 'hocus'), 'Total: 3']
  writeFileSync(file, lines.join('\n'))
  const { source } = DEFAULT_SOURCE_OPTIONS
  const options = { ...DEFAULT_SOURCE_OPTIONS, source: { ...source, skipFooterLines: 1 } }
  const today = parseLocalDate('2026-06-15')
  if (today === null) throw new Error('no date')
  const check = { today, severities: {}, newCreditorIdentifier: null, dormantSoonDays: 60 }
  const { signal } = new AbortController()
  const ledger = openLedger({ file: join(folder, 'march.db'), clock: { now: () => 0, monotonic: () => 0 } })
  ledger.startRun(SETTINGS)
  await admitSources(ledger, sourceOpeners([file], options, check, signal), {
    severities: {},
    signal,
    watch: () => undefined,
  })
  ledger.close()
}

const SERVICE = 'https://service.example'

describe('a run against a real service', () => {
  it('8.3.3 and 8.3.4 shows in the plan what was left out of the files, kept back and not understood', async () => {
    await admitExport()
    const { notes } = await confirm('https://service.example', '')
    expect(notes).toContain('left out at the end: Total: 3')
    expect(notes).toContain('1 ended stays behind by column "status": "ended" 1')
    expect(notes).toContain('not understood in column "status": "hocus" 1')
  })

  it('26.3 says before the question why a configuration is distrusted', async () => {
    const openConfiguration = 'dormantSoonDays: 30\n'
    const { notes, questions, isConfirmed } = await confirm(SERVICE, '', { openConfiguration })
    expect(notes).toMatch(
      /Warning: Others can change the configuration file ".*open\.yaml": anybody on this machine can write to it \(mode 0666\)/,
    )
    expect([questions.length, isConfirmed]).toEqual([1, false])
    expect((await confirm(SERVICE, '')).notes).not.toContain('Others can change')
  })

  it('10.3.3 shows what check knows: rows by outcome, previous creditors, user and pace', async () => {
    const { notes } = await confirm(SERVICE, '')
    expect(notes).toContain(
      [
        'The plan',
        'Target: https://service.example',
        'User at the service: migration',
        'Control totals',
        '  read         3   records of the exports',
        '  ready        3   waiting to be sent',
      ].join('\n'),
    )
    expect(notes).toMatch(
      /To send in this run: 3 rows\n {2}previous creditor \S+: 3 rows\nPace: no limit set, 8 requests at a time, about 1 s/,
    )
  })

  it('says under which approved plan it goes, and what is proven of its approval', async () => {
    const approved = {
      digest: 'ab'.repeat(32),
      approvedBy: 'Grace',
      approvedAt: '2026-06-15T09:00:00.000Z',
      expiresAt: '2026-06-18T09:00:00.000Z',
      key: 'cd'.repeat(32),
      reference: null,
    }
    const line =
      'Approved plan: abababababab, by Grace at 2026-06-15 09:00:00 UTC, until 2026-06-18 09:00:00 UTC'
    const { notes } = await confirm(SERVICE, '', { plan: { approved } })
    expect(notes).toContain(`${line}\n  proven for the key ${approved.key}`)
    const mail = { ...approved, key: null, reference: 'mail of 12 June' }
    const unproven = await confirm(SERVICE, '', { plan: { approved: mail } })
    expect(unproven.notes).toContain(
      `${line}\nWarning: that approval is recorded, not proven (mail of 12 June)`,
    )
  })

  it('25.2 names the rows that it was told to send alone, and how many that leaves', async () => {
    const only = [{ column: 'customer_no', values: ['2', '3'] }]
    const { notes } = await confirm(SERVICE, '', { only })
    expect(notes).toContain(
      [
        'To send in this run: 2 rows',
        'Of the ready rows only customer_no: 2 or 3; 1 other row stays ready',
        '  previous creditor DE98ZZZ09999999999: 2 rows',
      ].join('\n'),
    )
  })

  it('10.3.3 warns of what hits most rows, and says which refused rows are not sent again', async () => {
    const usual = await confirm(SERVICE, '', { ledger: 'usual.db' })
    expect(usual.notes).not.toMatch(/Warning|stay refused/)
    const old = {
      rule: 'DATE_TWO_DIGIT_YEAR',
      severity: 'warning',
      field: 'signed_date',
      value: '',
      message: 'old',
      remedy: 'look',
    } as const
    makeLedger('march.db', 1, (ledger) =>
      admit(
        ledger,
        Array.from({ length: 9 }, (_, n) => ({
          customerNo: 100 + n,
          reference: `M-${100 + n}`,
          findings: n < 7 ? [old] : [],
        })),
      ),
    )
    const { notes } = await confirm(SERVICE, '', { plan: { leftRefused: 2 } })
    expect(notes).toContain(
      'Warning: DATE_TWO_DIGIT_YEAR was found in 7 of 12 rows: is the right column mapped?',
    )
    expect(notes).toContain('2 refused rows stay refused: a later file has other values for their mandates')
  })

  it('shows the plan and goes on when the host name is typed', async () => {
    const { isConfirmed, notes, questions } = await confirm(SERVICE, 'service.example')
    expect(isConfirmed).toBe(true)
    expect(notes).toMatch(/Target: https:\/\/service\.example[^]*To send in this run: 3/)
    // 8.4.3
    expect(notes).toContain(
      [
        'Configuration: /campaign/sepa-migrate.yaml',
        'Proxy: https://proxy.example:3128',
        'Extra certificates: /campaign/ca.pem',
        'Client certificate: /campaign/client.pem',
      ].join('\n'),
    )
    expect(questions).toEqual(['Type the host name "service.example" to send'])
    expect(registered()).toBe(1)
  })

  it.each(['service', '', null])('does not when "%s" is typed, and is not noted as sent', async (typed) => {
    expect(await confirm(SERVICE, typed)).toMatchObject({ isConfirmed: false })
    expect(registered()).toBe(0)
  })

  it('is not asked about with --yes, but noted', async () => {
    expect(await confirm(SERVICE, null, { yes: '1' })).toMatchObject({ isConfirmed: true, questions: [] })
    expect(registered()).toBe(1)
  })
})

describe('8.1.2 two ledgers with the same mandates', () => {
  it('asked about in two terminals: the one that answers first sends, the other is refused after its answer', async () => {
    let answerSlow: (typed: string) => void = () => undefined
    const slow = new Promise<string>((resolve) => (answerSlow = resolve))
    const waiting = confirm(SERVICE, slow, { ledger: 'second.db' })
    expect(await confirm(SERVICE, 'service.example')).toMatchObject({ isConfirmed: true })
    answerSlow('service.example')
    await expect(waiting).rejects.toThrow(/3 mandates .* by the ledger ".*march\.db"; nothing was sent/)
    expect(registered()).toBe(1)
  })
})

const LOST = { by: 'Kim', reason: 'the disk is lost' }

describe('what may have been sent before', () => {
  it('25.2 is refused where the register knows the mandates of a new ledger, and the plan says whose place it takes', async () => {
    await confirm(SERVICE, 'service.example')
    await expect(confirm(SERVICE, null, { yes: '1', ledger: 'second.db' })).rejects.toMatchObject({
      next: expect.stringMatching(/Only where it is lost, go on with this one/) as string,
      ways: ['name_ledger', 'another_ledger'],
    })
    const { notes } = await confirm(SERVICE, '', { ledger: 'second.db', anotherLedger: LOST })
    expect(notes).toMatch(/Takes the place of the ledger ".*march\.db", which is refused from then on/)
  })

  it('says what asking first means, how long it takes, and when a later run does not ask', async () => {
    const asking = await confirm(SERVICE, 'service.example', { checkBeforeSend: true, rate: '1' })
    expect(asking.notes).toContain('The service is asked about each row before it is sent')
    expect(asking.notes).toContain('at most 1 a second, 8 requests at a time, about 6 s')
    const { notes } = await confirm(SERVICE, '')
    expect(notes).toContain(
      'Warning: an earlier run asked the service about each row before it was sent, and this one does not (--check-before-send)',
    )
  })
})

describe('a rehearsal on this machine', () => {
  it('is neither asked about nor claimed beside other ledgers', async () => {
    const rehearsal = 'http://127.0.0.1:8080'
    expect(await confirm(rehearsal, null)).toMatchObject({ isConfirmed: true, notes: '', questions: [] })
    expect(claimed()).toBe(0)
    expect((await confirm(rehearsal, null, { ledger: 'second.db' })).isConfirmed).toBe(true)
  })
})
