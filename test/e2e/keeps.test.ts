import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { validExport } from '../support/export.js'
import { placeForEach, type Told } from '../support/place.js'
import { runShell } from '../support/program.js'

const { folder, path, env, read, write, json } = placeForEach({ rows: 200, sandbox: {} })

/** Why this machine cannot give a process a full disk of its own, or false. */
const NO_MOUNT =
  spawnSync('unshare', ['-m', 'true']).status === 0 ? false : 'a mount of one’s own needs root on Linux'

it.skipIf(NO_MOUNT !== false)(
  '8.4.1 a log whose disk fills up keeps what fits, and every answer; it is told once, and counted',
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

it('8.4.3 a configuration that others can change takes no traffic: the line is named, and nothing is sent', async () => {
  const file = path('sepa-migrate.yaml')
  write('export.csv', validExport(3))
  writeFileSync(
    file,
    'source: { delimiter: "," }\nservice:\n  proxy: https://elsewhere.example\n  ca: theirs.pem\n',
  )
  // Another user's where this machine lets us give files away, else one that anybody can write.
  if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534)
  else chmodSync(file, 0o666)
  for (const command of ['check', 'run']) {
    const { exitCode, errors } = await json(command, 'export.csv')
    expect(exitCode).toBe(2)
    expect(errors[0]?.message).toMatch(
      /^The configuration file "sepa-migrate.yaml", line 3, sets "service.proxy"/,
    )
    expect(errors[0]?.next).toContain('nothing was sent')
  }
  expect(existsSync(path('sepa-migrate.db'))).toBe(false)
})
