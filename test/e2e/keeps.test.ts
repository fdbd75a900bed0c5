import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/index.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, runProgram, runShell, type Ended } from '../support/program.js'

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
const inMount = (before: string, args: string, after = ''): Promise<Ended> =>
  runShell(
    `${before} && "$NODE" "$PROGRAM" ${args} --base-url ${sandbox.url}; status=$?; ${after}; exit $status`,
    { cwd: place.folder, env: CREDENTIALS },
  )

const totalsOf = (ended: Ended): Record<string, number> =>
  (JSON.parse(ended.stdout) as { totals: Record<string, number> }).totals

describe('a log that cannot be written', () => {
  it.skipIf(!existsSync('/dev/full'))(
    '8.4.1 on a full disk takes no answer with it; it is told once, and counted at the end',
    async () => {
      writeFileSync(join(place.folder, 'export.csv'), validExport(40))
      const ran = await program('run', 'export.csv', '--log-file', '/dev/full', '--json')
      expect(ran.status, ran.stderr).toBe(0)
      expect(totalsOf(ran)).toMatchObject({ registered: 40, inDoubt: 0 })
      expect(ran.stderr.match(/log file/g)?.length).toBe(1)
      expect(ran.stderr).toContain('Cannot write the log file "/dev/full" (ENOSPC)')
      const { warnings } = JSON.parse(ran.stdout) as { warnings: string[] }
      expect(warnings).toEqual([
        expect.stringMatching(/^80 lines are missing from the log file "\/dev\/full"/),
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
