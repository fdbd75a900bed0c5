import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { placeOfTest, postElsewhere, type Place } from '../support/place.js'
import type { Ended } from '../support/program.js'

const SEED = Number(process.env['BY_HAND_SEED'] ?? 20_261_122)

/** A service that takes a second mandate, so that one would show. */
const startService = (rows: number, options: SandboxOptions = {}): Promise<Place> =>
  placeOfTest({ rows, sandbox: { choices: { repeatedMandate: 'register' }, ...options } })

const run = ({ program }: Place, ...args: string[]): Promise<Ended> =>
  program('run', ...args, '--timeout', '2')

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)
const heldBy = ({ held }: Place): number[] => held().sort((a, b) => a - b)

/** Somebody did these with another program, one by one, until each was there. */
async function postByHand(place: Place, customers: readonly number[]): Promise<void> {
  for (const n of customers)
    while (!place.held().includes(n)) await postElsewhere(place, n).catch(() => undefined)
}

const resolve = ({ program }: Place): Promise<Ended> =>
  program('resolve', '--ask', '--yes', '--reason', 'begun by hand', '--by', 'Ada')

const FIRST = ['--read-back', '--check-before-send']

describe('a campaign that somebody began by hand', () => {
  it('is finished with none twice: what is there is held back, then recorded', async () => {
    const there = await startService(12)
    await postByHand(there, [1, 3, 5, 7, 9, 11])
    const unsaid = await run(there, 'export.csv', '--check-before-send')
    expect(unsaid.status).toBe(2)
    expect(unsaid.stderr).toContain('Nobody has said that this service can be asked what it holds')

    const pilot = await run(there, 'export.csv', ...FIRST, '--limit', '4')
    expect(pilot.status, pilot.stderr).toBe(4)
    expect(pilot.stdout).toContain('Already at the service, not sent: 2 rows of this run')
    // Whoever pastes it asks first again, although it is not `resolve` that takes the flag.
    expect(pilot.stdout).toContain('Next: sepa-migrate resolve --ask')
    const recorded = await resolve(there)
    expect(recorded.status, recorded.stderr).toBe(5)
    expect(recorded.stdout).toMatch(/Next: sepa-migrate run .*--read-back --check-before-send$/m)

    const rest = await run(there, ...FIRST)
    expect(rest.stdout).toContain('Already at the service, not sent: 4 rows')
    expect(rest.stderr).not.toContain('Row ') // one line in all, not one for each
    expect(there.read('report.html')).toContain('already at the service, not sent')
    expect((await resolve(there)).status).toBe(0)
    expect((await run(there, ...FIRST)).status).toBe(0)
    expect(there.totals()).toMatchObject({ registered: 12, inDoubt: 0 })
    expect(heldBy(there)).toEqual(upTo(12))
    for (const { stdout, stderr } of [pilot, recorded, rest])
      for (const { iban } of there.sandbox().mandates()) expect(stdout + stderr).not.toContain(iban)
  })

  it(`holds against a service with faults in asking and in sending (seed ${SEED})`, async () => {
    const there = await startService(60, { chaos: 0.1, seed: SEED })
    await postByHand(
      there,
      upTo(60).filter((n) => n % 3 === 0),
    )
    const ended = await run(there, 'export.csv', ...FIRST, '--max-in-doubt', '1000', '--no-report')
    expect([4, 5]).toContain(ended.status)
    const held = heldBy(there)
    expect(new Set(held).size).toBe(held.length)
    there.ledger((reader) => {
      for (const row of reader.rows(['in_doubt'], 0, 200))
        if (row.lastAttempt?.started === false) expect((row.customerNo ?? 0) % 3).toBe(0)
      for (const row of reader.rows(['registered'], 0, 200)) expect((row.customerNo ?? 0) % 3).not.toBe(0)
    })
  })
})
