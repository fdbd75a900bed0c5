import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, inReport, makeFolder, runProgram, runShell, type Ended } from '../support/program.js'

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

const program = (...args: string[]): Promise<Ended> =>
  runProgram([...args, '--base-url', sandbox.url], { cwd: place.folder, env: CREDENTIALS })

/** Why this machine cannot give a process a full disk of its own, or false. */
const NO_MOUNT =
  spawnSync('unshare', ['-m', 'true']).status === 0 ? false : 'a mount of one’s own needs root on Linux'

/** Starts the program between two lines of shell that see mounts of their own. */
const inMount = (before: string, args: string, after = 'true'): Promise<Ended> =>
  runShell(
    `${before} && "$NODE" "$PROGRAM" ${args} --base-url ${sandbox.url}; status=$?; ${after}; exit $status`,
    { cwd: place.folder, env: CREDENTIALS },
  )

const totalsOf = (ended: Ended): Record<string, number> =>
  (JSON.parse(ended.stdout) as { totals: Record<string, number> }).totals

describe('a log that cannot be written', () => {
  it.skipIf(NO_MOUNT !== false)(
    '8.4.1 on a full disk takes no answer with it; it is told once, and counted at the end',
    async () => {
      writeFileSync(join(place.folder, 'export.csv'), validExport(40))
      mkdirSync(join(place.folder, 'full'))
      const ran = await inMount(
        'mount -t tmpfs -o size=4k,mode=0700 none full && head -c 4096 /dev/zero > full/filler',
        'run export.csv --log-file full/run.log --json',
      )
      expect(ran.status, ran.stderr).toBe(0)
      expect(totalsOf(ran)).toMatchObject({ registered: 40, inDoubt: 0 })
      expect(ran.stderr.match(/log file/g)?.length).toBe(1)
      expect(ran.stderr).toContain('Cannot write the log file "full/run.log" (ENOSPC)')
      const { warnings } = JSON.parse(ran.stdout) as { warnings: string[] }
      expect(warnings).toEqual([
        expect.stringMatching(/^80 lines are missing from the log file "full\/run.log"/),
      ])
    },
  )

  it.skipIf(NO_MOUNT !== false)(
    '8.4.1 whose disk fills up on the way keeps what fits, and every answer',
    async () => {
      writeFileSync(join(place.folder, 'export.csv'), validExport(200))
      mkdirSync(join(place.folder, 'small'))
      const ran = await inMount(
        'mount -t tmpfs -o size=64k none small && head -c 61000 /dev/zero > small/filler; true',
        'run export.csv --log-file small/run.log --concurrency 4 --json',
        'cp small/run.log kept.log',
      )
      expect(ran.status, ran.stderr).toBe(0)
      expect(totalsOf(ran)).toMatchObject({ registered: 200, inDoubt: 0 })
      const whole = readFileSync(join(place.folder, 'kept.log'), 'utf8').split('\n').slice(0, -1)
      expect(whole.length).toBeGreaterThan(5)
      for (const line of whole) expect(() => JSON.parse(line) as unknown).not.toThrow()
      expect(ran.stdout).toContain(`${400 - whole.length} lines are missing from the log file`)
    },
  )
})

describe('a configuration in the folder that others can change', () => {
  const foreign = (text: string): void => {
    const file = join(place.folder, 'sepa-migrate.yaml')
    writeFileSync(file, text)
    // Another user's where this machine lets us give files away, else one that anybody can write.
    if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534)
    else chmodSync(file, 0o666)
  }

  it('8.4.3 takes no traffic: proxy and authority are refused, with the line, and nothing is sent', async () => {
    writeFileSync(join(place.folder, 'export.csv'), validExport(3))
    foreign('source: { delimiter: "," }\nservice:\n  proxy: https://elsewhere.example\n  ca: theirs.pem\n')
    for (const command of ['check', 'run']) {
      const ran = await runProgram([command, 'export.csv', '--json'], {
        cwd: place.folder,
        env: { ...CREDENTIALS, SEPA_MIGRATE_BASE_URL: sandbox.url },
      })
      expect(ran.status).toBe(2)
      const { errors } = JSON.parse(ran.stdout) as { errors: { message: string; next: string }[] }
      expect(errors[0]?.message).toMatch(
        /^The configuration file "sepa-migrate.yaml", line 3, sets "service.proxy"/,
      )
      expect(errors[0]?.next).toContain('nothing was sent')
    }
    expect(existsSync(join(place.folder, 'sepa-migrate.db'))).toBe(false)
  })

  it('8.4.3 says how a file is read, which run and report show', async () => {
    writeFileSync(join(place.folder, 'export.csv'), validExport(3).replaceAll(',', '|'))
    foreign('source: { delimiter: "|" }\n')
    const ran = await program('run', 'export.csv', '--json')
    expect(ran.status, ran.stdout).toBe(0)
    const { trusted, warnings } = JSON.parse(ran.stdout) as { trusted: object; warnings: string[] }
    const configuration = join(realpathSync(place.folder), 'sepa-migrate.yaml')
    expect(trusted).toEqual({ configuration, proxy: null, extraCertificates: [], clientCertificate: null })
    expect(warnings).toEqual([
      expect.stringMatching(/^Others can change the configuration file .* It only says how files are read$/),
    ])
    expect(readFileSync(join(place.folder, inReport('report.html')), 'utf8')).toContain('configuration: ')
    expect((await program('run')).stdout).toContain(`Configuration: ${configuration}`)
  })

  it('8.4.3 extra certificates of the environment are shown, and refused when others can change them', async () => {
    writeFileSync(join(place.folder, 'export.csv'), validExport(3))
    const authority = join(place.folder, 'authority.pem')
    writeFileSync(authority, '')
    const env = { ...CREDENTIALS, NODE_EXTRA_CA_CERTS: authority, SEPA_MIGRATE_BASE_URL: sandbox.url }
    const ran = await runProgram(['run', 'export.csv'], { cwd: place.folder, env })
    expect(ran.stdout).toContain(`Extra certificates: ${authority}`)
    chmodSync(authority, 0o666)
    const refused = await runProgram(['run', 'export.csv'], { cwd: place.folder, env })
    expect(refused.status).toBe(2)
    expect(refused.stderr).toContain(`Cannot trust the certificate file "${authority}"`)
  })
})

describe('a mandate that is there already', () => {
  it('8.2.7 is in doubt, not refused, when it is sent again after its answer was lost', async () => {
    await sandbox.close()
    sandbox = await startSandbox({
      seed: 1,
      choices: { repeatedMandate: 'refuse' },
      faults: [{ match: { customer_no: 2, request: [1, 2, 3] }, fault: { kind: 'reset', applied: true } }],
    })
    writeFileSync(join(place.folder, 'export.csv'), validExport(3))
    expect(totalsOf(await program('run', 'export.csv', '--json'))).toMatchObject({
      registered: 2,
      inDoubt: 1,
    })
    const decided = ['--row', '2', '--as', 'resend', '--reason', 'a test', '--yes-resend', 'MANDATE-2']
    await runProgram(['resolve', ...decided], { cwd: place.folder, env: CREDENTIALS })
    const again = await program('run', '--json')
    expect(again.status).toBe(4)
    expect(totalsOf(again)).toMatchObject({ registered: 2, refused: 0, inDoubt: 1 })
    expect(readFileSync(join(place.folder, inReport('report.html')), 'utf8')).toContain('may already exist')
    expect(readFileSync(join(place.folder, inReport('in-doubt.csv')), 'utf8')).toContain(
      'the mandate may already exist there',
    )
  })
})
