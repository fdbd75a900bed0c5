import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { simulate, type Simulated, type Weakness } from './simulation.js'

/** `WAVES_SEED=17` replays one seed and prints what happened; `WAVES_SEEDS=20000` runs more of them. */
const ONE_SEED = process.env['WAVES_SEED']
const SEEDS = Number(process.env['WAVES_SEEDS'] ?? 500)
const PART = 100

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'simulation-'))
afterAll(() => rmSync(folder, { recursive: true }))

const play = (seed: number, weakness?: Weakness): Promise<Simulated> =>
  simulate(seed, { folder, inWaves: true, ...(weakness === undefined ? {} : { weakness }) })

async function expectSound(seed: number): Promise<Simulated> {
  const simulated = await play(seed)
  const { violations, history } = simulated
  if (violations.length > 0)
    expect.fail(
      [
        `Seed ${seed} breaks ${violations.length} invariants; replay it with WAVES_SEED=${seed}`,
        ...violations.slice(0, 10),
        ...history.slice(-60),
      ].join('\n'),
    )
  return simulated
}

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from + n)

if (ONE_SEED !== undefined) {
  it(`seed ${ONE_SEED}`, async () => {
    const { history, violations } = await play(Number(ONE_SEED))
    process.stdout.write(`${history.join('\n')}\n`)
    expect(violations).toEqual([])
  })
} else {
  describe('a campaign in waves that change with each run, under faults and deaths', () => {
    it.each(range(0, Math.ceil(SEEDS / PART)).map((part) => part * PART + 1))(
      'sends no row of a wave that is held or was not asked for, and its waves balance at each moment, seeds from %d',
      async (from) => {
        for (const seed of range(from, PART)) await expectSound(seed)
      },
      300_000,
    )

    it('is found wrong where a held wave is sent', async () => {
      for (const seed of range(1, 100)) {
        const { violations } = await play(seed, 'held_is_sent')
        if (violations.some((violation) => violation.includes('is held'))) return
      }
      expect.fail('None of 100 seeds found that a held wave was sent')
    })
  })
}
