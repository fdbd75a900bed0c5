import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { driverFor, explainDriverError, openDatabase, requireDriver } from '../src/driver.js'
import { UsageError } from '../src/errors.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NAME = driverFor(process.versions.node)!

describe('driverFor', () => {
  it.each([
    ['20.19.0', 'better-sqlite3-node20'],
    ['20.20.2', 'better-sqlite3-node20'],
    ['22.14.0', 'better-sqlite3'],
    ['22.23.3', 'better-sqlite3'],
    ['24.0.0', 'better-sqlite3'],
    ['26.10.0', 'better-sqlite3'],
    ['20.18.3', null],
    ['21.7.3', null],
    ['22.13.1', null],
    ['23.11.0', null],
    ['18.20.8', null],
  ])('gives Node %s %s', (version, name) => {
    expect(driverFor(version)).toBe(name)
  })
})

describe('the driver of this Node', () => {
  it('is the one for its version', () => {
    requireDriver()
    const connection = openDatabase(':memory:')
    expect(connection.prepare('select 1').pluck().get()).toBe(1)
    connection.close()
    expect(readdirSync(join(ROOT, 'node_modules'))).toContain(NAME)
  })
})

describe('explainDriverError', () => {
  it('names the lock file’s own command in a checkout, and an installation elsewhere', () => {
    const absent = new Error("Cannot find module 'better-sqlite3'\nRequire stack:\n- /x")
    const inCheckout = explainDriverError(absent, 'better-sqlite3', { node: '24.1.0', program: ROOT })
    expect(inCheckout).toBeInstanceOf(UsageError)
    expect(inCheckout.exitCode).toBe(2)
    expect(inCheckout.message).toBe('Cannot open any ledger: better-sqlite3 is not installed for Node 24.1.0')
    expect(inCheckout.next).toBe(
      `Nothing was read or sent. Run: npm ci --include=optional --prefix ${JSON.stringify(ROOT)}`,
    )
    const installed = explainDriverError(absent, 'better-sqlite3', { node: '24.1.0', program: '/opt/x/' })
    expect(installed.next).toContain('Run: npm install --include=optional --omit=dev')
  })
})

/** The built program without the driver's folder, as an installation that went wrong leaves it. */
const folder = mkdtempSync(join(tmpdir(), 'sepa driver '))
const DRIVER = join(folder, 'node_modules', NAME)
beforeAll(() => {
  for (const name of ['dist', 'samples', 'package.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('better-sqlite3'))
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: string[]): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, [join(folder, 'dist', 'cli.js'), ...args], { cwd: folder, encoding: 'utf8' })

describe('the program', () => {
  it.each(['check', 'run', 'status', 'report', 'demo', 'sandbox'])(
    'says in one sentence that the driver is missing, before %s reads anything',
    (command) => {
      const { status, stdout, stderr } = run(command, ...(command === 'check' ? ['no-such-file.csv'] : []))
      expect(stderr).toContain(
        `Error: Cannot open any ledger: ${NAME} is not installed for Node ${process.versions.node}\n`,
      )
      expect(stderr).toContain('To do: Nothing was read or sent. Run: npm ')
      expect(stderr).not.toContain('no-such-file')
      expect(stdout).toBe('')
      expect(status).toBe(2)
    },
  )

  it('needs no driver for what opens no ledger', () => {
    expect(run('--version')).toMatchObject({ status: 0 })
    for (const command of ['inspect', 'init'])
      expect(run(command, 'samples/clean.csv')).toMatchObject({ status: 0, stderr: '' })
  })

  it('tells a program that reads JSON the same', () => {
    const { status, stdout } = run('status', '--json')
    expect(status).toBe(2)
    expect(JSON.parse(String(stdout))).toMatchObject({
      exitCode: 2,
      errors: [{ kind: 'usage', message: expect.stringContaining('is not installed') as string }],
    })
  })

  it.each([
    ['without its binary', null, /Cannot open any ledger: \S+ (was not compiled|does not load)/],
    ['of another system', 'not a binary', new RegExp(`any ledger: ${NAME} does not load on Node`)],
  ])('says that a driver %s does not load', (_, binary, says) => {
    for (const name of ['lib', 'package.json'])
      cpSync(join(ROOT, 'node_modules', NAME, name), join(DRIVER, name), { recursive: true })
    if (binary !== null) {
      mkdirSync(join(DRIVER, 'build', 'Release'), { recursive: true })
      writeFileSync(join(DRIVER, 'build', 'Release', 'better_sqlite3.node'), binary)
    }
    const { status, stderr } = run('status')
    expect([status, stderr]).toEqual([2, expect.stringMatching(says)])
    expect(stderr).toContain('Run: npm ')
    expect(String(stderr).split('\n').length).toBeLessThan(4)
  })
})
