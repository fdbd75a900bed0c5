import { mkdtempSync, rmSync } from 'node:fs'
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

describe('a run against a real service', () => {
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
