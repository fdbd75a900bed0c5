import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { PACK_FILES } from '../../src/report/pack/pack.js'
import { placeForAll } from '../support/place.js'

const { path, program, start } = placeForAll({ rows: 8_000, truth: {} })
const REPORT = ['report', '--ledger', 'a.db', '--out', 'killed', '--quiet']

/** Names in the hidden folder of a report that is being written; none before and after. */
function hiddenIn(out: string): string[] {
  try {
    const workshop = readdirSync(out).find((name) => name.startsWith('.'))
    return workshop === undefined ? [] : readdirSync(join(out, workshop))
  } catch {
    return []
  }
}

it('a report that is killed leaves nothing to be seen, and the next one takes away what it hid', async () => {
  const pilot = await program('run', 'export.csv', '--ledger', 'a.db', '--limit', '10', '--no-report')
  expect(pilot.status, pilot.stderr).toBe(5)
  const { child, ended } = start(...REPORT)
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
  expect((await program(...REPORT)).status).toBe(5)
  expect(readdirSync(path('killed')).sort()).toEqual([...PACK_FILES, 'to-do'].sort())
})
