import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/driver.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/index.js'
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
})
