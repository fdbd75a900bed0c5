import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { confirmRun } from '../../src/cli/confirm.js'
import { noLog } from '../../src/cli/log.js'
import { silentProgress } from '../../src/cli/progress.js'
import { readSettings } from '../../src/cli/settings.js'
import {
  openLedger,
  openLedgerReader,
  readBaseUrl,
  readRegister,
  totalsOf,
  type DeliveryPolicy,
  admitSources,
  DEFAULT_SOURCE_OPTIONS,
  parseLocalDate,
  sourceOpeners,
} from '../../src/index.js'
import { worldOf } from './world.js'

const POLICY: DeliveryPolicy = {
  concurrency: 8,
  rate: null,
  limit: null,
  maxDurationMs: null,
  maxInDoubt: 10,
  maxRefused: null,
}
const PLAN = { totals: totalsOf(3, new Map([['ready', 3]])), toSend: 3 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'confirm-'))
  const ledger = openLedger({ file: join(folder, 'march.db'), clock: { now: () => 0, monotonic: () => 0 } })
  ledger.startRun({ version: '0.0.0', host: 'test', pid: 1, asOf: '2026-06-15', zone: 'UTC', settings: {} })
  ledger.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

const registered = (): number => readRegister(join(folder, 'state', 'campaigns.jsonl')).length

async function confirm(target: string, typed: string | null, flags: { yes?: string } = {}) {
  const world = { ...worldOf(), stateFolder: join(folder, 'state') }
  const settings = readSettings({ ...flags, ledger: join(folder, 'march.db') }, world)
  const notes: string[] = []
  const questions: string[] = []
  const progress = { ...silentProgress, note: (text: string) => void notes.push(text) }
  const ledger = openLedgerReader(join(folder, 'march.db'))
  const isConfirmed = await confirmRun(
    { world, settings, progress, args: [], own: {}, log: noLog },
    readBaseUrl(target),
    {
      plan: { ...PLAN, ledger },
      policy: POLICY,
      trusted: {
        configuration: '/campaign/sepa-migrate.yaml',
        proxy: 'https://proxy.example:3128',
        extraCertificates: ['/campaign/ca.pem'],
        clientCertificate: '/campaign/client.pem',
      },
      ask: (question) => {
        questions.push(question)
        return Promise.resolve(typed)
      },
    },
  ).finally(() => ledger.close())
  return { isConfirmed, notes: notes.join('\n'), questions }
}

/** Admits an export with a footer and a status column into the ledger. */
async function admitExport(): Promise<void> {
  const file = join(folder, 'export.csv')
  const row = (customer: number, status: string): string =>
    `${customer},DE89370400440532013000,2024-03-01,DE98ZZZ09999999999,M-${customer},${status}`
  const header = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,status'
  const lines = [header, row(1, 'active'), row(2, 'ended'), row(3, 'waiting'), 'Total: 3']
  writeFileSync(file, lines.join('\n'))
  const { source } = DEFAULT_SOURCE_OPTIONS
  const options = { ...DEFAULT_SOURCE_OPTIONS, source: { ...source, skipFooterLines: 1 } }
  const today = parseLocalDate('2026-06-15')
  if (today === null) throw new Error('no date')
  const check = { today, severities: {}, newCreditorIdentifier: null, dormantSoonDays: 60 }
  const { signal } = new AbortController()
  const ledger = openLedger({ file: join(folder, 'march.db'), clock: { now: () => 0, monotonic: () => 0 } })
  await admitSources(ledger, sourceOpeners([file], options, check, signal), {
    severities: {},
    signal,
    watch: () => undefined,
  })
  ledger.close()
}

describe('a run against a real service', () => {
  it('8.3.3 and 8.3.4 shows in the plan what was left out of the files, kept back and not understood', async () => {
    await admitExport()
    const { notes } = await confirm('https://service.example', '')
    expect(notes).toContain('left out at the end: Total: 3')
    expect(notes).toContain('1 ended stays behind by column "status": "ended" 1')
    expect(notes).toContain('not understood in column "status": "waiting" 1')
  })

  it('shows the plan and goes on when the host name is typed', async () => {
    const { isConfirmed, notes, questions } = await confirm('https://service.example', 'service.example')
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
    expect(await confirm('https://service.example', typed)).toMatchObject({ isConfirmed: false })
    expect(registered()).toBe(0)
  })

  it('is not asked about with --yes, but noted', async () => {
    expect(await confirm('https://service.example', null, { yes: '1' })).toMatchObject({
      isConfirmed: true,
      questions: [],
    })
    expect(registered()).toBe(1)
  })
})

describe('a rehearsal on this machine', () => {
  it('is neither asked about nor noted', async () => {
    expect(await confirm('http://127.0.0.1:8080', null)).toMatchObject({
      isConfirmed: true,
      notes: '',
      questions: [],
    })
    expect(registered()).toBe(0)
  })
})
