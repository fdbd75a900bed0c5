import { execFileSync, spawnSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { placeOfTest } from '../support/place.js'
import type { Ended } from '../support/program.js'

/** Nothing here takes long; what waits for somebody else waits for ever. */
const SOON_MS = 60_000
const NAME = `smm-${process.pid}`
const isRoot = process.getuid?.() === 0
const hasUser = isRoot && spawnSync('useradd', ['--no-create-home', NAME]).status === 0
const needsUser = hasUser ? false : 'only root can make another user with useradd, and act as one'
const needsLists =
  hasUser && spawnSync('setfacl', ['--version']).status === 0
    ? false
    : 'setfacl (package acl) and another user are needed'
const userId = hasUser ? Number(execFileSync('id', ['-u', NAME], { encoding: 'utf8' })) : 0

afterAll(() => {
  if (hasUser) execFileSync('userdel', [NAME])
})

async function open() {
  const place = await placeOfTest({ rows: 6, truth: {}, ownState: true })
  const run = async (...args: string[]): Promise<Ended> => {
    const { child, ended } = place.start(...args)
    const timer = setTimeout(() => child.kill('SIGKILL'), SOON_MS)
    return ended.finally(() => clearTimeout(timer))
  }
  return { ...place, path: (...names: string[]): string => join(place.folder(), ...names), run }
}

describe('26.3 what is given is a file', () => {
  it('a pipe in the place of a configuration, password, plan or list of decisions is refused at once', async () => {
    const { path, run, truth } = await open()
    execFileSync('mkfifo', ['-m', '600', path('pipe')])
    expect((await run('run', 'export.csv', '--limit', '1')).status).toBe(5)
    for (const args of [
      ['rules', '--config', 'pipe'],
      ['run', '--password-file', 'pipe'],
      ['run', '--plan', 'pipe'],
      ['approve', 'pipe', '--by', 'Eve', '--reference', 'x'],
      ['resolve', '--from', 'pipe'],
    ]) {
      const { status, stderr } = await run(...args)
      expect(stderr, args.join(' ')).toContain('it is not a regular file')
      expect(status, args.join(' ')).toBe(2)
    }
    expect(truth().posts()).toBe(1)
  })

  it('a manifest of 3 GB is told, and no bug', async () => {
    const { path, run } = await open()
    await run('run', 'export.csv', '--limit', '1')
    truncateSync(path('sepa-migrate-report', 'manifest.json'), 3 * 1024 ** 3)
    const { status, stderr } = await run('report', 'verify', 'sepa-migrate-report')
    expect(stderr).toContain('manifest.json cannot be read (it has 3221225472 bytes)')
    expect(status).toBe(7)
  })

  it('a place that cannot be made, below /proc, is refused at once', async () => {
    const { run, truth } = await open()
    for (const [command, says] of [
      ['check', 'no folder can be made there (ENOENT)'],
      [
        'run',
        'Cannot write a report to the folder "/proc/sepa-migrate/made": it cannot be made, or not be written to (ENOENT)',
      ],
    ] as const) {
      const { status, stderr } = await run(command, 'export.csv', '--out', '/proc/sepa-migrate/made')
      expect(stderr).toContain(says)
      expect(status).toBe(2)
    }
    expect(truth().posts()).toBe(0)
  })
})

describe('26.3 other users of the machine', () => {
  it.skipIf(needsUser)(
    'a configuration that another user owns brings no columns and no crosswalk, and what it may say is told',
    async () => {
      const { path, run, truth } = await open()
      for (const [key, text] of [
        ['columns', 'columns:\n  iban: iban\n'],
        ['crosswalk', 'crosswalk:\n  file: customers.csv\n  from: old\n  key: old\n'],
      ] as const) {
        writeFileSync(path('sepa-migrate.yaml'), text)
        chownSync(path('sepa-migrate.yaml'), userId, userId)
        for (const command of ['run', 'plan']) {
          const { status, stderr } = await run(command, 'export.csv')
          expect(stderr).toMatch(
            new RegExp(`sets "${key}", but it belongs to another user.*nothing was sent`),
          )
          expect(status).toBe(2)
        }
        expect((await run('check', 'export.csv')).stderr).not.toContain('but it belongs')
      }
      expect(truth().posts()).toBe(0)
    },
  )

  it.skipIf(needsLists)(
    'a folder that an access list opens to another user is refused, with nothing sent',
    async () => {
      const { path, run, truth } = await open()
      mkdirSync(path('shared'), { mode: 0o700 })
      execFileSync('setfacl', ['-m', `u:${NAME}:rwx`, path('shared')])
      const { status, stderr } = await run('run', 'export.csv', '--ledger', 'shared/campaign.db')
      expect(stderr).toContain('its access list may let others write to it (mode 0770+)')
      expect(status).toBe(8)
      expect(truth().posts()).toBe(0)
    },
  )

  it.skipIf(needsUser)('a report folder of another user is refused before anything is sent', async () => {
    const { path, run, truth } = await open()
    mkdirSync(path('theirs'), { mode: 0o755 })
    chownSync(path('theirs'), userId, userId)
    for (const args of [
      ['run', 'export.csv', '--out', 'theirs'],
      ['check', 'export.csv', '--out', 'theirs'],
    ]) {
      const { status, stderr } = await run(...args)
      expect(stderr).toMatch(/Cannot write a report to the folder .*: it belongs to another user/)
      expect(status).toBe(2)
    }
    expect(readdirSync(path('theirs'))).toEqual([])
    expect(truth().posts()).toBe(0)
  })
})

describe('26.3 purge --remove-files', () => {
  it('leaves the signed report of another campaign, a list made by hand and what lies behind a link, and says so', async () => {
    const [one, other] = [await open(), await open()]
    const all = ['--max-refused', '100']
    expect((await one.run('run', 'export.csv', ...all)).status).toBe(0)
    expect((await other.run('run', 'export.csv', ...all)).status).toBe(0)
    cpSync(other.path('sepa-migrate-report'), one.path('theirs'), { recursive: true })
    writeFileSync(one.path('refused.csv'), 'customer_no,note\n1,called twice\n')
    await one.run('report', '--out', 'own')
    renameSync(one.path('own'), one.path('moved'))
    symlinkSync(one.path('moved'), one.path('own'))
    const { status, stdout } = await one.run('purge', '--yes', '--remove-files')
    expect(status).toBe(0)
    const theirs = readdirSync(other.path('sepa-migrate-report')).sort()
    expect(readdirSync(one.path('theirs')).sort()).toEqual(theirs)
    expect(existsSync(one.path('refused.csv'))).toBe(true)
    expect(stdout).toMatch(/Left .*theirs\/problems\.csv: it lies in the report of another ledger/)
    expect(stdout).toMatch(/Left .*refused\.csv: nothing proves that it is of this ledger/)
    expect(stdout).toMatch(/Left .*own\/problems\.csv: its folder is reached by a link/)
    expect(existsSync(one.path('sepa-migrate-report', 'problems.csv'))).toBe(false)
  })
})
