import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/driver.js'
import { germanIban } from '../support/export.js'
import { listed, placeOfTest, type Place } from '../support/place.js'

const holdsAccounts = ({ path }: Place): boolean =>
  ['sepa-migrate.db', 'sepa-migrate.db-wal']
    .filter((name) => existsSync(path(name)))
    .some((name) => {
      const bytes = readFileSync(path(name))
      return [3, 4, 5].some((account) => bytes.includes(germanIban(account)))
    })

/** Another program in the middle of reading. */
function openViewer({ path }: Place) {
  const viewer = openDatabase(path('sepa-migrate.db'), { readonly: true })
  viewer.exec('begin')
  viewer.prepare('select count(*) from row').get()
  return viewer
}

describe('9.2.3 a program that reads the ledger while a run ends', () => {
  it('is told of, with the command that finishes, which then does; without one nothing is said', async () => {
    const place = await placeOfTest({ rows: 5, sandbox: {} })
    const { program, json, held } = place
    const pilot = await program('run', 'export.csv', '--limit', '2')
    expect([pilot.status, pilot.stderr.includes('Warning')]).toEqual([5, false])

    const viewer = openViewer(place)
    const ended = await program('run')
    expect(ended.status).toBe(0)
    expect(holdsAccounts(place)).toBe(true)
    expect(ended.stderr).toMatch(/Warning: Another program is reading the ledger.*sepa-migrate\.db-wal/)
    expect(ended.stderr).toContain('sepa-migrate run --no-report')
    expect((await json('run')).warnings[0]).toContain('Another program is reading the ledger')

    viewer.close()
    const finished = await program('run', '--no-report')
    expect([finished.status, finished.stderr]).toEqual([0, ''])
    expect(holdsAccounts(place)).toBe(false)
    expect(held()).toHaveLength(5)
  })

  it('is told of by reconcile --apply too, which removes the account of a proven row', async () => {
    const fault = { kind: 'reset', applied: true } as const
    const place = await placeOfTest({
      rows: 1,
      sandbox: { faults: [{ match: { customer_no: 1 }, times: 1, fault }] },
    })
    expect((await place.program('run', 'export.csv')).status).toBe(4)
    place.save('list.csv', place.sandbox().mandates().map(listed))
    const viewer = openViewer(place)
    const told = await place.json('resolve', '--against', 'list.csv', '--apply', '--by', 'ops', '--quiet')
    viewer.close()
    expect(told).toMatchObject({ exitCode: 0, totals: { registered: 1, inDoubt: 0 } })
    expect(told.warnings.join()).toContain('Another program is reading the ledger')
  })
})
