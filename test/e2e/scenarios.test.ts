import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { placeOfTest, type Place } from '../support/place.js'
import { PROGRAM, startCommand, type Started } from '../support/program.js'

/**
 * The numbers are those of test/faults.md, which also says where the others are played.
 */

const open = (sandbox: SandboxOptions, rows: number): Promise<Place> => placeOfTest({ sandbox, rows })

const run = (place: Place, ...args: string[]): Started =>
  place.start('run', 'export.csv', '--no-report', ...args)

async function untilReceived({ sandbox }: Place, count: number): Promise<void> {
  while (sandbox().requests().received.migrate < count) await new Promise((resolve) => setImmediate(resolve))
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
      expect((await place.program('run', '--no-report')).status).toBe(0)
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

describe('37, 48: a program that is stopped and goes on', () => {
  it('keeps its lock meanwhile, and its request becomes in doubt when its time is over', async () => {
    const place = await open(HANG_ALL, 1)
    const started = run(place, '--timeout', '1')
    await untilReceived(place, 1)
    started.child.kill('SIGSTOP')
    const second = await place.program('run', 'export.csv')
    expect(second.status).toBe(8)
    expect(second.stderr).toMatch(/has held it since/)
    started.child.kill('SIGCONT')
    expect((await started.ended).status).toBe(4)
    expect(place.totals()).toMatchObject({ inDoubt: 1 })
  })
})

describe('55: a reader that goes away', () => {
  it.each([' | true', ' >&-'])('does not stop the run: %s', async (suffix) => {
    const place = await open({ latencyMs: 5 }, 30)
    const line = `"$0" "$1" run export.csv --verbose --no-report${suffix}`
    const command = ['bash', '-o', 'pipefail', '-c', line, process.execPath, PROGRAM]
    const { status, stderr } = await startCommand(command, { cwd: place.folder(), env: place.env() }).ended
    expect(status).toBe(0)
    expect(stderr).not.toMatch(/EPIPE|EBADF|Unexpected|at .*\.js/)
    expect(place.totals()).toMatchObject({ registered: 30 })
  })
})
