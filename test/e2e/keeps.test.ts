import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PACK_FILES } from '../../src/report/pack/pack.js'
import { placeForEach, placeOfTest, type Told } from '../support/place.js'
import { CANNOT_MOUNT, runShell } from '../support/program.js'

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
        `echo "$kb $? $(cd small/report; ${seen}) $(grep -c 'no space is left' out.json)"; rm small/filler; done`,
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
      /the disk is full\..*; nothing further was sent after (\d+) requests\n/.exec(read('full-120.txt')) ?? []
    expect(Number(sent)).toBeGreaterThan(0)
    expect(Number(sent)).toBeLessThan(119)
    expect([truth().posts(), truth().twice(), totals()['registered']]).toEqual([120, [], 120])
  },
)
