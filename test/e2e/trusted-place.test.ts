import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/driver.js'
import { germanIban, validExport } from '../support/export.js'
import { CREDENTIALS, inReport, makeFolder, runProgram, type Ended } from '../support/program.js'
import { startTruth, type TruthServer } from '../support/truth-server.js'

const ROWS = 12
const ANOTHER_USER = 65_534
const needsRoot = process.getuid?.() === 0 ? false : 'only root can act as another user'
const canMount =
  spawnSync('unshare', ['-m', 'true']).status === 0 ? false : 'unshare cannot make a mount namespace here'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

interface Place {
  readonly folder: string
  readonly server: TruthServer
  readonly path: (name: string) => string
  readonly command: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ended>
  readonly run: (...args: string[]) => Promise<Ended>
}

async function open(delayMs = 0): Promise<Place> {
  const { folder, remove } = makeFolder()
  const server = await startTruth({ delayMs })
  opened.push(async () => {
    await server.close()
    remove()
  })
  const path = (name: string): string => join(folder, name)
  writeFileSync(path('export.csv'), validExport(ROWS))
  const command: Place['command'] = (args, env = {}) =>
    runProgram(args, {
      cwd: folder,
      env: { ...CREDENTIALS, SEPA_MIGRATE_BASE_URL: server.baseUrl, XDG_STATE_HOME: path('state'), ...env },
    })
  return { folder, server, path, command, run: (...args) => command(['run', ...args]) }
}

describe('8.1.4 a folder that others can write', () => {
  it('is refused by every command that opens the ledger, and nothing is sent', async () => {
    const { folder, run, command, server } = await open()
    expect((await run('export.csv', '--limit', '2')).status).toBe(5)
    chmodSync(folder, 0o777)
    for (const args of [
      ['run'],
      ['status'],
      ['report'],
      ['resolve', '--row', '1', '--as', 'refused', '--reason', 'x'],
      ['resolve', '--adopt-older-copy', '--reason', 'x'],
      ['reconcile', 'export.csv'],
      ['purge', '--yes'],
      ['show', '--customer', '1'],
      ['erase', '--customer', '1', '--yes', '--reason', 'x'],
    ]) {
      const { status, stderr } = await command(args)
      expect(stderr).toMatch(
        /Cannot trust the folder .* anybody on this machine can write to it[^]*--shared-folder/,
      )
      expect(status).toBe(8)
    }
    expect(server.posts()).toBe(2)
  })

  it('is allowed by a flag or its environment variable, and the run, its warnings and the report say so', async () => {
    const { folder, path, run, command } = await open()
    chmodSync(folder, 0o777)
    const first = await run('export.csv', '--limit', '2', '--shared-folder')
    expect(first.status).toBe(5)
    expect(first.stderr).toMatch(
      /Others can change the folder of the ledger \(anybody .*--shared-folder allowed it/,
    )
    expect(readFileSync(path(inReport('report.html')), 'utf8')).toMatch(
      /shared folder: .*Others can change the folder/,
    )
    const second = await command(['run', '--json'], { SEPA_MIGRATE_SHARED_FOLDER: '1' })
    expect(second.status).toBe(0)
    expect((JSON.parse(second.stdout) as { warnings: string[] }).warnings[0]).toMatch(
      /--shared-folder allowed it/,
    )
    expect((await command(['status', '--shared-folder'])).status).toBe(0)
  })

  it('a folder of one’s own needs no flag, and the flag says nothing there', async () => {
    const { run, path } = await open()
    expect((await run('export.csv', '--shared-folder')).stderr).not.toMatch(/Others can change/)
    expect(readFileSync(path(inReport('report.html')), 'utf8')).not.toMatch(/shared folder/)
  })

  it('cannot be allowed by the configuration file, which may be of others', async () => {
    const { path, run } = await open()
    writeFileSync(path('sepa-migrate.yaml'), 'sharedFolder: true\n')
    expect((await run('export.csv')).status).toBe(2)
  })
})

describe('8.1.4 another user beside the ledger', () => {
  it.skipIf(needsRoot)(
    'who made its log and shared memory beforehand reads and changes nothing',
    async () => {
      const { folder, path, run, server } = await open()
      chmodSync(folder, 0o1777) // nobody removes what is not theirs, everybody makes what they like
      for (const name of ['sepa-migrate.db-wal', 'sepa-migrate.db-shm']) {
        writeFileSync(path(name), '')
        chmodSync(path(name), 0o666)
        chownSync(path(name), ANOTHER_USER, ANOTHER_USER)
      }
      for (const flags of [[], ['--shared-folder']]) {
        const { status, stderr } = await run('export.csv', ...flags)
        expect(status).toBe(8)
        expect(stderr).toMatch(
          flags.length === 0 ? /Cannot trust the folder/ : /sepa-migrate\.db-(wal|shm)": other users/,
        )
      }
      expect(server.posts()).toBe(0)
    },
  )

  it('who put another account into a row finds that row not sent', async () => {
    const { path, run, server } = await open()
    expect((await run('export.csv', '--limit', '2')).status).toBe(5)
    const file = openDatabase(path('sepa-migrate.db'))
    file.exec('drop trigger row_account_only_goes')
    file.prepare('update row set iban = ? where id = 3').run(germanIban(4_711))
    file.close()
    for (let n = 0; n < 2; n += 1) {
      const { status, stdout } = await run('--json')
      expect(status).toBe(8)
      expect(stdout).toMatch(/Cannot send row 3 of the ledger .* no longer holds what was admitted/)
      expect(stdout).not.toContain(germanIban(4_711))
    }
    expect(server.posts()).toBe(2)
  })
})

describe('8.1.3 a single ledger file that was mounted', () => {
  it.skipIf(canMount)(
    'is refused while another run holds it, and when none does: nothing goes out twice',
    async () => {
      const { folder, path, run, server } = await open(20)
      mkdirSync(path('second'), { mode: 0o700 })
      writeFileSync(path('second/sepa-migrate.db'), '', { mode: 0o600 })
      expect((await run('export.csv', '--limit', '1')).status).toBe(5)
      const program = join(process.cwd(), 'dist/cli.js')
      const mountedRun = async (): Promise<{ status: number | null; stderr: string }> => {
        const child = spawn(
          'unshare',
          [
            '-m',
            'sh',
            '-c',
            'mount --bind "$1/sepa-migrate.db" "$1/second/sepa-migrate.db" && cd "$1/second" && exec "$2" "$3" run',
            'sh',
            folder,
            process.execPath,
            program,
          ],
          {
            env: {
              PATH: process.env['PATH'],
              ...CREDENTIALS,
              SEPA_MIGRATE_BASE_URL: server.baseUrl,
              XDG_STATE_HOME: path('state'),
            },
            stdio: ['ignore', 'ignore', 'pipe'],
          },
        )
        const parts: Buffer[] = []
        child.stderr.on('data', (part: Buffer) => parts.push(part))
        const [status] = (await once(child, 'close')) as [number | null]
        return { status, stderr: Buffer.concat(parts).toString() }
      }
      const [first, second] = await Promise.all([run(), mountedRun()])
      expect(first.status).toBe(0)
      expect(second.status).toBe(8)
      expect(second.stderr).toMatch(/it is mounted by itself/)
      expect((await mountedRun()).status).toBe(8)
      expect(server.twice()).toEqual([])
    },
  )
})
