import { mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { PACK_FILES } from '../../src/report/pack/pack.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { type Place, placeForAll, placeForEach, placeOfTest, type Told } from '../support/place.js'
import { CANNOT_MOUNT, PROGRAM, runShell, startCommand, type Started } from '../support/program.js'

/**
 * The numbers are those of test/faults.md, which also says where the others are played.
 */

const open = (sandbox: SandboxOptions, rows: number): Promise<Place> => placeOfTest({ sandbox, rows })

const run = (place: Place, ...args: string[]): Started =>
  place.start('run', 'export.csv', '--no-report', ...args)

async function untilReceived({ sandbox }: Place, count: number): Promise<void> {
  while (sandbox().requests().received.migrate < count) await setImmediate()
}

const HANG_ALL: SandboxOptions = { faults: [{ fault: { kind: 'hang', applied: true } }] }

describe('36: a signal', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)(
    '%s once lets what is under way finish, and the next run goes on',
    async (signal) => {
      const place = await open({ latencyMs: 20 }, 40)
      const started = run(place, '--concurrency', '4')
      await untilReceived(place, 5)
      started.child.kill(signal)
      const ended = await started.ended
      expect(ended.status).toBe(143)
      expect(ended.stdout).toMatch(/Control totals/)
      expect(place.totals()).toMatchObject({ inDoubt: 0, sending: 0 })
      expect(place.totals().ready).toBeGreaterThan(0)
      await place.ends(0, 'run', '--no-report')
      expect(place.sandbox().mandates()).toHaveLength(40)
    },
  )

  it('SIGQUIT leaves at once, and the next start finds the row in doubt', async () => {
    const place = await open(HANG_ALL, 20)
    const started = run(place)
    await untilReceived(place, 1)
    started.child.kill('SIGQUIT')
    expect((await started.ended).status).toBe(131)
    expect(place.totals()).toMatchObject({ sending: 1 })
    const next = await place.program('run', '--limit', '1', '--timeout', '0.2', '--no-report')
    expect(next.stderr).toMatch(/1 row was being sent when the last run ended, and is in doubt now/)
    expect(place.held().filter((customer) => customer === 1)).toHaveLength(1)
  })
})

it('37, 48: a program that is stopped and goes on keeps its lock meanwhile, and its request becomes in doubt when its time is over', async () => {
  const place = await open(HANG_ALL, 1)
  const started = run(place, '--timeout', '1')
  await untilReceived(place, 1)
  started.child.kill('SIGSTOP')
  const second = await place.ends(8, 'run', 'export.csv')
  expect(second.stderr).toMatch(/has held it since/)
  started.child.kill('SIGCONT')
  expect((await started.ended).status).toBe(4)
  expect(place.totals()).toMatchObject({ inDoubt: 1 })
})

it.each([' | true', ' >&-'])('55: a reader that goes away does not stop the run: %s', async (suffix) => {
  const place = await open({ latencyMs: 5 }, 30)
  const line = `"$0" "$1" run export.csv --verbose --no-report${suffix}`
  const command = ['bash', '-o', 'pipefail', '-c', line, process.execPath, PROGRAM]
  const { status, stderr } = await startCommand(command, { cwd: place.folder(), env: place.env() }).ended
  expect(status).toBe(0)
  expect(stderr).not.toMatch(/EPIPE|EBADF|Unexpected|at .*\.js/)
  expect(place.totals()).toMatchObject({ registered: 30 })
})

describe('a disk that fills up', () => {
  const { folder, path, env, read } = placeForEach({ rows: 200, sandbox: {} })

  it.skipIf(CANNOT_MOUNT)(
    'a log whose disk fills up keeps what fits, and every answer; it is told once, and counted',
    async () => {
      mkdirSync(path('small'))
      const ran = await runShell(
        [
          'mount -t tmpfs -o size=64k none small; head -c 61000 /dev/zero > small/filler',
          '"$NODE" "$PROGRAM" run export.csv --log-file small/run.log --concurrency 4 --json; status=$?',
          'cp small/run.log kept.log; exit $status',
        ].join('; '),
        { cwd: folder(), env: env() },
      )
      expect(ran.status, ran.stderr).toBe(0)
      const told = JSON.parse(ran.stdout) as Told
      expect(told.totals).toMatchObject({ registered: 200, inDoubt: 0 })
      expect(ran.stderr.match(/log file/g)?.length).toBe(1)
      expect(ran.stderr).toContain('Cannot write the log file "small/run.log" (ENOSPC)')
      const whole = read('kept.log').split('\n').slice(0, -1)
      expect(whole.length).toBeGreaterThan(5)
      for (const line of whole) expect(() => JSON.parse(line) as unknown).not.toThrow()
      expect(told.warnings.join()).toContain(`${400 - whole.length} lines are missing from the log file`)
    },
  )

  it.skipIf(CANNOT_MOUNT)('says before it sends where the disk of the ledger may be too small', async () => {
    mkdirSync(path('small'))
    const command = 'run export.csv --no-report --ledger small/a.db'
    const commands = `mount -t tmpfs -o size=8m,mode=0700 none small; "$NODE" "$PROGRAM" ${command}`
    const { stderr } = await runShell(commands, { cwd: folder(), env: env() })
    const warning =
      /^Warning: The disk of the ledger has [\d,]+ bytes free, and this run may take 8,580,000\..*$/gm
    expect(stderr.match(warning), stderr).toHaveLength(2)
    expect(stderr.search(warning)).toBeLessThan(stderr.indexOf('Sending 200 rows'))
  })

  it.skipIf(CANNOT_MOUNT)(
    'a disk that fills up while a report is written leaves the earlier pack whole, wherever that happens',
    async () => {
      const { folder, path, env } = await placeOfTest({ rows: 800, truth: {} })
      mkdirSync(path('small'))
      const program = (command: string): string =>
        `"$NODE" "$PROGRAM" ${command} --ledger small/a.db --out small/report --json`
      // So much is left; the files of a report of these rows take half of a MB, what is kept aside meanwhile some more.
      const fill = [
        'free=$(df -k --output=avail small | tail -1)',
        'head -c $(( (free - kb) * 1024 )) /dev/zero > small/filler',
      ].join('; ')
      const seen = 'sha256sum --quiet -c ../../before && ls -A | tr "\\n" " "'
      const ran = await runShell(
        [
          'mount -t tmpfs -o size=16m,mode=0700 none small',
          `${program('run export.csv --concurrency 16')} > /dev/null`,
          '(cd small/report; find . -type f -exec sha256sum {} + > ../../before)',
          `for kb in 60 150 250 400 600 900 3000; do ${fill}; ${program('report')} > out.json`,
          `echo "$kb $? $(cd small/report; ${seen}) $(grep -c 'no space left' out.json)"; rm small/filler; done`,
        ].join('; '),
        { cwd: folder(), env: env() },
      )
      const results = ran.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/ +/))
      expect(results, ran.stderr).toHaveLength(7)
      for (const [kb = '', status, ...rest] of results) {
        const names = rest.slice(0, -1).sort()
        expect(names, `${kb} kB left`).toEqual([...PACK_FILES, 'to-do'].sort())
        expect([status, rest.at(-1)]).toEqual(status === '0' ? ['0', '0'] : ['2', '1'])
      }
      const statuses = results.map(([, status]) => status)
      expect([statuses[0], statuses.at(-1)]).toEqual(['2', '0'])
      expect(statuses.filter((status) => status !== '0').length).toBeGreaterThan(2)
    },
  )

  it.skipIf(CANNOT_MOUNT)(
    'a register whose disk fills up says so, and what was sent; nothing is sent twice',
    async () => {
      const { folder, path, env, read, totals, truth } = await placeOfTest({
        rows: 120,
        truth: { isReal: true },
      })
      mkdirSync(path('state'))
      const run = '"$NODE" "$PROGRAM" run export.csv --yes --concurrency 4 > out.txt 2>'
      // Into 0 kB not even its index fits; into 120 the claim, and some groups of attempts.
      const fill = (kb: number): string =>
        `head -c $((($(df -k --output=avail state | tail -1) - ${kb}) * 1024)) /dev/zero > state/filler`
      const full = (kb: number): string => `${fill(kb)}; ${run} "full-${kb}.txt"; echo $?; rm state/filler`
      const ran = await runShell(
        [
          'mount -t tmpfs -o size=2m,mode=0700 none state; export XDG_STATE_HOME="$PWD/state"',
          ...[`${run} first.txt --limit 1; echo $?`, full(0), full(120), `${run} last.txt; echo $?`],
        ].join('; '),
        { cwd: folder(), env: env() },
      )
      expect(ran.stdout.split('\n'), ran.stderr).toEqual(['5', '8', '8', '0', ''])
      const full0 =
        'the disk is full. Without it an export could be sent twice; nothing was sent\n  To do: Free some space'
      expect(read('full-0.txt')).toContain(full0)
      const [, sent] =
        /the disk is full\..*; nothing further was sent after (\d+) requests\n/.exec(read('full-120.txt')) ??
        []
      expect(Number(sent)).toBeGreaterThan(0)
      expect(Number(sent)).toBeLessThan(119)
      expect([truth().posts(), truth().twice(), totals()['registered']]).toEqual([120, [], 120])
    },
  )
})

describe('a report', () => {
  const { path, ends, start } = placeForAll({ rows: 8_000, truth: {} })
  const REPORT = ['report', '--ledger', 'a.db', '--out', 'killed', '--quiet']

  /** Names in the hidden folder of a report that is being written; none before and after. */
  function hiddenIn(out: string): string[] {
    try {
      const workshop = readdirSync(out).find((name) => name.startsWith('.'))
      return workshop === undefined ? [] : readdirSync(join(out, workshop))
    } catch {
      return []
    }
  }

  it('a report that is killed leaves nothing to be seen, and the next one takes away what it hid', async () => {
    await ends(5, 'run', 'export.csv', '--ledger', 'a.db', '--limit', '10', '--no-report')
    const { child, ended } = start(...REPORT)
    while (!hiddenIn(path('killed')).some((name) => name.startsWith('.sheet-'))) {
      expect(child.exitCode, 'it was not killed in time').toBe(null)
      await setImmediate()
    }
    child.kill('SIGKILL')
    expect((await ended).signal).toBe('SIGKILL')
    const left = readdirSync(path('killed'))
    expect(left).toEqual([expect.stringMatching(/^\.sepa-migrate-report-/)])
    const longAgo = new Date(Date.now() - 2 * 3_600_000)
    utimesSync(path(`killed/${left[0] ?? ''}`), longAgo, longAgo)
    await ends(5, ...REPORT)
    expect(readdirSync(path('killed')).sort()).toEqual([...PACK_FILES, 'to-do'].sort())
  })
})
