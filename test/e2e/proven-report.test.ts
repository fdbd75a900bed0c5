import { readdirSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { stoppedClock } from '../ledger/campaign-setup.js'
import { mandate } from '../support/mandates.js'
import { placeForEach } from '../support/place.js'

const { folder, path, read, save, write, program, json } = placeForEach({ rows: 6, sandbox: {} })

const HOLDS = { exitCode: 0, pack: { holds: true, notProven: [], ledger: 'unchanged', discrepancies: [] } }
const verify = () => json('report', 'verify', 'sepa-migrate-report', '--ledger', 'sepa-migrate.db')

it('compares the totals of the former provider with the export that they belong to, in every command', async () => {
  save(
    'final.csv',
    [11, 12, 13].map((n) => mandate(n)),
  )
  save(
    'other.csv',
    [14, 15].map((n) => mandate(n)),
  )
  expect((await program('run', 'export.csv', '--expected-records', '6')).status).toBe(0)
  // The newest export is another one now, and was not counted by anybody.
  const second = await program('run', 'final.csv', 'other.csv', '--yes')
  expect([second.status, second.stdout]).toEqual([
    3,
    expect.stringContaining('1 total of the former provider that differs'),
  ])
  expect((await program('report', '--expected-records', '5')).status).toBe(0)
  expect((await json('status')).exitCode).toBe(0)
  expect((await program('report', '--expected-records', 'final.csv=3')).status).toBe(0)
  const summed = await program('report', '--expected-records', 'other.csv=3')
  expect(summed.status).toBe(3)
  expect(read('report.html')).toContain('(other.csv, Records read: 3) DIFFER from the records read (2).')
  expect(read('report.html')).toContain('(final.csv, Records read: 3) agree with the records read (3).')
  for (const command of [['status'], ['report'], ['run', '--yes']])
    expect([command, (await json(...command)).exitCode]).toEqual([command, 3])
  const unknown = await program('report', '--expected-records', 'last.csv=3')
  expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining('no export "last.csv"')])
  expect((await program('run', 'new.csv', '--expected-records', 'x=3')).status).not.toBe(0)
  const held = openLedger({ file: path('sepa-migrate.db'), clock: stoppedClock(), pid: 1 })
  expect((await program('report', '--expected-records', '2')).status).toBe(8)
  held.close()
})

it('a report lies in its own folder, compares with the totals of the former provider, and holds', async () => {
  const none = await json('report', 'verify', 'nowhere')
  expect(none).toMatchObject({ exitCode: 7, errors: [{ kind: 'source' }] })
  const run = await json('run', 'export.csv', '--yes', '--expected-records', '7')
  expect(run).toMatchObject({ exitCode: 3, cutOver: { unexpected: 1 } })
  expect(read('report.html')).toContain('DIFFER from the records read (6)')
  expect(await verify()).toMatchObject(HOLDS)
  expect(statSync(path('sepa-migrate-report')).mode & 0o777).toBe(0o700)
  const beside = readdirSync(folder()).filter((name) => /\.(?:csv|html|json|xlsx)$/.test(name))
  expect(beside).toEqual(['export.csv'])
  const file = await program('run', '--expected', 'expected.yaml')
  expect(file.stderr).toContain('--expected-records 400')

  write('registered.csv', read('registered.csv').replace('DE…', 'FR…'))
  const { status, stdout } = await program('report', 'verify', 'sepa-migrate-report')
  expect(status).toBe(3)
  expect(stdout).toMatch(
    /^Does NOT hold: 1 difference .*\n {2}registered\.csv was changed since .*\n {4}Write the report again/,
  )
})
