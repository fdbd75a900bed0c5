import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { validExport } from '../support/export.js'
import { placeForEach, placeOfTest, type Told } from '../support/place.js'
import { runShell, type Ended } from '../support/program.js'

const { folder, path, env, read, write, program, programWith } = placeForEach({ sandbox: {} })

/** Why this machine cannot give a process a full disk of its own, or false. */
const NO_MOUNT =
  spawnSync('unshare', ['-m', 'true']).status === 0 ? false : 'a mount of one’s own needs root on Linux'

/** Starts the program between two lines of shell that see mounts of their own. */
const inMount = (before: string, args: string, after = 'true'): Promise<Ended> =>
  runShell(`${before} && "$NODE" "$PROGRAM" ${args}; status=$?; ${after}; exit $status`, {
    cwd: folder(),
    env: env(),
  })

const told = ({ stdout }: Ended): Told => JSON.parse(stdout) as Told

describe('a log that cannot be written', () => {
  it.skipIf(NO_MOUNT !== false)(
    '8.4.1 on a full disk takes no answer with it; it is told once, and counted at the end',
    async () => {
      write('export.csv', validExport(40))
      mkdirSync(path('full'))
      const ran = await inMount(
        'mount -t tmpfs -o size=4k,mode=0700 none full && head -c 4096 /dev/zero > full/filler',
        'run export.csv --log-file full/run.log --json',
      )
      expect(ran.status, ran.stderr).toBe(0)
      expect(told(ran).totals).toMatchObject({ registered: 40, inDoubt: 0 })
      expect(ran.stderr.match(/log file/g)?.length).toBe(1)
      expect(ran.stderr).toContain('Cannot write the log file "full/run.log" (ENOSPC)')
      expect(told(ran).warnings).toEqual([
        expect.stringMatching(/^80 lines are missing from the log file "full\/run.log"/),
      ])
    },
  )

  it.skipIf(NO_MOUNT !== false)(
    '8.4.1 whose disk fills up on the way keeps what fits, and every answer',
    async () => {
      write('export.csv', validExport(200))
      mkdirSync(path('small'))
      const ran = await inMount(
        'mount -t tmpfs -o size=64k none small && head -c 61000 /dev/zero > small/filler; true',
        'run export.csv --log-file small/run.log --concurrency 4 --json',
        'cp small/run.log kept.log',
      )
      expect(ran.status, ran.stderr).toBe(0)
      expect(told(ran).totals).toMatchObject({ registered: 200, inDoubt: 0 })
      const whole = read('kept.log').split('\n').slice(0, -1)
      expect(whole.length).toBeGreaterThan(5)
      for (const line of whole) expect(() => JSON.parse(line) as unknown).not.toThrow()
      expect(ran.stdout).toContain(`${400 - whole.length} lines are missing from the log file`)
    },
  )
})

describe('a configuration in the folder that others can change', () => {
  const foreign = (text: string): void => {
    const file = path('sepa-migrate.yaml')
    writeFileSync(file, text)
    // Another user's where this machine lets us give files away, else one that anybody can write.
    if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534)
    else chmodSync(file, 0o666)
  }

  it('8.4.3 takes no traffic: proxy and authority are refused, with the line, and nothing is sent', async () => {
    write('export.csv', validExport(3))
    foreign('source: { delimiter: "," }\nservice:\n  proxy: https://elsewhere.example\n  ca: theirs.pem\n')
    for (const command of ['check', 'run']) {
      const ran = await program(command, 'export.csv', '--json')
      expect(ran.status).toBe(2)
      const { errors } = told(ran)
      expect(errors[0]?.message).toMatch(
        /^The configuration file "sepa-migrate.yaml", line 3, sets "service.proxy"/,
      )
      expect(errors[0]?.next).toContain('nothing was sent')
    }
    expect(existsSync(path('sepa-migrate.db'))).toBe(false)
  })

  it('8.4.3 says how a file is read, which run and report show', async () => {
    write('export.csv', validExport(3).replaceAll(',', '|'))
    foreign('source: { delimiter: "|" }\n')
    const ran = await program('run', 'export.csv', '--json')
    expect(ran.status, ran.stdout).toBe(0)
    const { trusted, warnings } = told(ran) as Told & { trusted: object }
    const configuration = join(realpathSync(folder()), 'sepa-migrate.yaml')
    expect(trusted).toEqual({ configuration, proxy: null, extraCertificates: [], clientCertificate: null })
    expect(warnings).toEqual([
      expect.stringMatching(/^Others can change the configuration file .* It only says how files are read$/),
    ])
    expect(read('report.html')).toContain('configuration: ')
    expect((await program('run')).stdout).toContain(`Configuration: ${configuration}`)
  })

  it('8.4.3 extra certificates of the environment are shown, and refused when others can change them', async () => {
    write('export.csv', validExport(3))
    const authority = path('authority.pem')
    writeFileSync(authority, '')
    const run = (): Promise<Ended> => programWith({ NODE_EXTRA_CA_CERTS: authority }, 'run', 'export.csv')
    const ran = await run()
    expect(ran.stdout).toContain(`Extra certificates: ${authority}`)
    chmodSync(authority, 0o666)
    const refused = await run()
    expect(refused.status).toBe(2)
    expect(refused.stderr).toContain(`Cannot trust the certificate file "${authority}"`)
  })
})

describe('a mandate that is there already', () => {
  it('8.2.7 is in doubt, not refused, when it is sent again after its answer was lost', async () => {
    const { program, json, read } = await placeOfTest({
      rows: 3,
      sandbox: {
        choices: { repeatedMandate: 'refuse' },
        faults: [{ match: { customer_no: 2, request: [1, 2, 3] }, fault: { kind: 'reset', applied: true } }],
      },
    })
    expect((await json('run', 'export.csv')).totals).toMatchObject({ registered: 2, inDoubt: 1 })
    const decided = ['--row', '2', '--as', 'resend', '--reason', 'a test', '--yes-resend', 'MANDATE-2']
    await program('resolve', ...decided)
    expect(await json('run')).toMatchObject({
      exitCode: 4,
      totals: { registered: 2, refused: 0, inDoubt: 1 },
    })
    expect(read('report.html')).toContain('may already exist')
    expect(read('in-doubt.csv')).toContain('the mandate may already exist there')
  })
})
