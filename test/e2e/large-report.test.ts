import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { PACK_FILES } from '../../src/report/pack/pack.js'
import { sheetsOf } from '../report/workbook-value.js'
import { placeForAll } from '../support/place.js'

const ROWS = 30_000
const SENT = 100
const { path, read, program, start } = placeForAll({ rows: ROWS, truth: {} })
const reported = (out: string) => ['report', '--ledger', 'a.db', '--out', out, '--quiet']

beforeAll(async () => {
  const pilot = ['--limit', String(SENT), '--no-report', '--quiet']
  const run = await program('run', 'export.csv', '--ledger', 'a.db', ...pilot)
  expect(run.status, run.stderr).toBe(5)
})

/** Names in the hidden folder of a report that is being written; none before and after. */
function hiddenIn(out: string): string[] {
  try {
    const workshop = readdirSync(out).find((name) => name.startsWith('.'))
    return workshop === undefined ? [] : readdirSync(join(out, workshop))
  } catch {
    return []
  }
}

describe('a report of many rows', () => {
  it('has each of them in its workbook', async () => {
    const { status, stderr } = await program(...reported('pack'))
    expect(status, stderr).toBe(5)
    const summary = JSON.parse(read('pack/summary.json')) as { distinct: unknown }
    expect(summary.distinct).toEqual({ customers: ROWS, mandates: ROWS, accounts: ROWS })
    const sheets = sheetsOf(readFileSync(path('pack/reconciliation.xlsx')))
    const customersIn = (sheet: string, column: number): number[] =>
      (sheets.get(sheet) ?? []).slice(2).map((cells) => Number(cells[column]?.value))
    const registered = customersIn('Registered', 1)
    const notSent = customersIn('Not sent', 2)
    expect([registered.length, notSent.length]).toEqual([SENT, ROWS - SENT])
    expect(new Set([...registered, ...notSent]).size).toBe(ROWS)
    expect(sheets.get('Not sent')?.[0]?.[0]?.value).toBe('Not sent: 29,900')
  })

  it('that is killed leaves nothing to be seen, and the next one takes away what it hid', async () => {
    const { child, ended } = start(...reported('killed'))
    while (!hiddenIn(path('killed')).some((name) => name.startsWith('.sheet-'))) {
      expect(child.exitCode, 'it was not killed in time').toBe(null)
      await setImmediate()
    }
    child.kill('SIGKILL')
    expect((await ended).signal).toBe('SIGKILL')
    const left = readdirSync(path('killed'))
    expect(left).toEqual([expect.stringMatching(/^\.sepa-migrate-report-/)])
    const longAgo = new Date(Date.now() - 2 * 3_600_000)
    utimesSync(path(`killed/${left[0] ?? ''}`), longAgo, longAgo)
    expect((await program(...reported('killed'))).status).toBe(5)
    expect(readdirSync(path('killed')).sort()).toEqual([...PACK_FILES, 'to-do'].sort())
  })
})
