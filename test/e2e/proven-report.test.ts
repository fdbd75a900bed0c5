import { readdirSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { placeForEach } from '../support/place.js'

const { folder, path, read, write, program, json } = placeForEach({ rows: 6, sandbox: {} })

const TOLD = 'what the report was told of companies and totals'
const COMPARED = { ledger: 'unchanged', discrepancies: [] }
const HOLDS = { exitCode: 0, pack: { holds: true, notProven: [], ...COMPARED } }
const ALL_BUT_TOLD = { exitCode: 3, pack: { holds: false, notProven: [TOLD], ...COMPARED } }
const verify = () => json('report', 'verify', 'sepa-migrate-report', '--ledger', 'sepa-migrate.db')

it('29.4 a report lies in its own folder, compares with the totals of the former provider, and holds', async () => {
  const none = await json('report', 'verify', 'nowhere')
  expect(none).toMatchObject({ exitCode: 7, errors: [{ kind: 'source' }] })
  write('expected.yaml', 'records: 7\n')
  const { warnings } = await json('run', 'export.csv', '--yes', '--expected', 'expected.yaml')
  expect(warnings.join()).toContain('differ from the totals of the former provider')
  expect(read('report.html')).toContain('DIFFER from the records read (6)')
  expect(await verify()).toMatchObject(ALL_BUT_TOLD)
  expect(statSync(path('sepa-migrate-report')).mode & 0o777).toBe(0o700)
  const beside = readdirSync(folder()).filter((name) => /\.(?:csv|html|json|xlsx)$/.test(name))
  expect(beside).toEqual(['export.csv'])

  await program('report', '--expected-records', '6')
  expect(read('report.html')).toContain('agree with the records read (6)')
  expect(await verify()).toMatchObject(ALL_BUT_TOLD)
  await program('report')
  expect(await verify()).toMatchObject(HOLDS)
  await program('report', '--expected-records', '6')
  // What the ledger does not hold can be said otherwise by whoever writes a pack, so it is named.
  const proven = await program('report', 'verify', 'sepa-migrate-report', '--ledger', 'sepa-migrate.db')
  expect(proven.stdout).toMatch(/^Not proven: .*what the report was told/)
  expect(proven.stdout).toMatch(/^Not in the ledger, so ask who wrote it: 6 records expected\.$/m)
  write('expected.yaml', 'records: many\n')
  const many = await program('run', '--expected', 'expected.yaml')
  expect(many.stderr).toContain('Cannot read the expected totals')

  write('registered.csv', read('registered.csv').replace('DE…', 'FR…'))
  const { status, stdout } = await program('report', 'verify', 'sepa-migrate-report')
  expect(status).toBe(3)
  expect(stdout).toMatch(
    /^Does NOT hold: 1 difference .*\n {2}registered\.csv was changed since .*\n {4}Write the report again/,
  )
})
