import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/driver.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import { germanIban, validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, runProgram, type Ended } from '../support/program.js'

let place: ReturnType<typeof makeFolder>
let sandbox: Sandbox

beforeEach(async () => {
  place = makeFolder()
  sandbox = await startSandbox({ seed: 1 })
})
afterEach(async () => {
  await sandbox.close()
  place.remove()
})

const at = (name: string): string => join(place.folder, name)
const run = (...args: string[]): Promise<Ended> =>
  runProgram(['run', '--base-url', sandbox.url, ...args], { cwd: place.folder, env: CREDENTIALS })

const holdsAccounts = (): boolean =>
  ['sepa-migrate.db', 'sepa-migrate.db-wal']
    .filter((name) => existsSync(at(name)))
    .some((name) => {
      const bytes = readFileSync(at(name))
      return [3, 4, 5].some((account) => bytes.includes(germanIban(account)))
    })

describe('9.2.3 a program that reads the ledger while a run ends', () => {
  it('is told of, with the command that finishes, which then does; without one nothing is said', async () => {
    writeFileSync(at('export.csv'), validExport(5))
    const pilot = await run('export.csv', '--limit', '2')
    expect([pilot.status, pilot.stderr.includes('Warning')]).toEqual([5, false])

    const viewer = openDatabase(at('sepa-migrate.db'), { readonly: true })
    viewer.exec('begin')
    viewer.prepare('select count(*) from row').get()
    const ended = await run()
    expect(ended.status).toBe(0)
    expect(holdsAccounts()).toBe(true)
    expect(ended.stderr).toMatch(/Warning: Another program is reading the ledger.*sepa-migrate\.db-wal/)
    expect(ended.stderr).toContain('sepa-migrate run --no-report')
    expect((JSON.parse((await run('--json')).stdout) as { warnings: string[] }).warnings[0]).toContain(
      'Another program is reading the ledger',
    )

    viewer.close()
    const finished = await run('--no-report')
    expect([finished.status, finished.stderr]).toEqual([0, ''])
    expect(holdsAccounts()).toBe(false)
    expect(sandbox.mandates()).toHaveLength(5)
  })

  it('is told of by reconcile --apply too, which removes the account of a proven row', async () => {
    await sandbox.close()
    const fault = { kind: 'reset', applied: true } as const
    sandbox = await startSandbox({ seed: 1, faults: [{ match: { customer_no: 1 }, times: 1, fault }] })
    writeFileSync(at('export.csv'), validExport(1))
    expect((await run('export.csv')).status).toBe(4)
    const [held] = sandbox.mandates()
    writeFileSync(
      at('list.csv'),
      `customer_no,iban,sepa_creditor_identifier,unique_mandate_reference\n1,${germanIban(1)},${held?.sepa_creditor_identifier ?? ''},${held?.unique_mandate_reference ?? ''}\n`,
    )
    const viewer = openDatabase(at('sepa-migrate.db'), { readonly: true })
    viewer.exec('begin')
    viewer.prepare('select count(*) from row').get()
    const args = ['reconcile', 'list.csv', '--apply', '--by', 'ops', '--json', '--quiet']
    const { status, stdout } = await runProgram(args, { cwd: place.folder, env: CREDENTIALS })
    viewer.close()
    const told = JSON.parse(stdout) as { warnings: string[]; totals: unknown }
    expect([status, told.totals]).toEqual([0, expect.objectContaining({ registered: 1, inDoubt: 0 })])
    expect(told.warnings.join()).toContain('Another program is reading the ledger')
  })
})
