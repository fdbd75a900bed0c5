import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { simulate, type Simulated, type Weakness } from './simulation.js'
import { WEATHERS } from './simulation-service.js'

/**
 * `SIMULATION_SEED=17` replays one seed and prints what happened; `SIMULATION_SEEDS=20000` runs more of them.
 * One seed takes about 20 ms.
 */
const ONE_SEED = process.env['SIMULATION_SEED']
const SEEDS = Number(process.env['SIMULATION_SEEDS'] ?? 200)
const PART = 100

/** Memory, where there is a file system in memory: each start makes and removes a small file. */
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'simulation-'))
afterAll(() => rmSync(folder, { recursive: true }))

const report = (seed: number, { violations, history }: Simulated): string =>
  [
    `Seed ${seed} breaks ${violations.length} invariants; replay it with SIMULATION_SEED=${seed}`,
    ...violations.slice(0, 10),
    ...history.slice(-60),
  ].join('\n')

async function expectSound(seed: number, onFiles = false): Promise<Simulated> {
  const simulated = await simulate(seed, { folder, onFiles })
  if (simulated.violations.length > 0) expect.fail(report(seed, simulated))
  return simulated
}

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from + n)

if (ONE_SEED !== undefined) {
  it(`seed ${ONE_SEED}`, async () => {
    const simulated = await simulate(Number(ONE_SEED), { folder })
    process.stdout.write(`${simulated.history.join('\n')}\n`)
    expect(simulated.violations).toEqual([])
  })
} else {
  describe('a campaign under faults, deaths, power failures and decisions', () => {
    const seen: Simulated[] = []

    it.each(range(0, Math.ceil(SEEDS / PART)).map((part) => part * PART + 1))(
      'keeps every invariant and comes to its end, seeds from %d',
      async (from) => {
        for (const seed of range(from, PART)) seen.push(await expectSound(seed))
      },
      300_000,
    )

    it.runIf(SEEDS >= 1_000)('met every fault, every way to stop and every kind of death', () => {
      const all = (pick: (simulated: Simulated) => readonly string[]): Set<string> =>
        new Set(seen.flatMap((simulated) => [...pick(simulated)]))
      const fates = new Set(WEATHERS.flatMap((weather) => Object.keys(weather)))
      expect(all(({ fates: met }) => met)).toEqual(fates)
      const stops = [
        'signal',
        'limit',
        'max_duration',
        'max_in_doubt',
        'max_refused',
        'no_connection',
        'retry_after',
        'turned_away',
        'credentials',
        'echo_mismatch',
        'reference_repeated',
        'disk_full',
        'overtaken',
      ]
      expect([...all(({ stops: met }) => met)]).toEqual(expect.arrayContaining(stops))
      expect([...all(({ deaths: met }) => met)].length).toBeGreaterThanOrEqual(12)
    })
  })

  describe('a seed', () => {
    it('gives the same campaign again', async () => {
      for (const seed of [3, 33, 333]) {
        const { history } = await simulate(seed, { folder })
        expect((await simulate(seed, { folder })).history).toEqual(history)
      }
    })

    it('holds on real files too', async () => {
      let deaths = 0
      for (const seed of range(1, 15)) deaths += (await expectSound(seed, true)).deaths.length
      expect(deaths).toBeGreaterThan(5)
    }, 300_000)
  })

  describe('a rule broken on purpose is found', () => {
    it.each<[string, Weakness]>([
      ['sending before the intent is on disk', 'send_before_intent'],
      ['sending again after a restart what was under way', 'resend_after_restart'],
      ['commits that are not flushed when the power fails', 'normal_instead_of_full'],
      ['taking a lost answer for a request that never left', 'lost_answer_is_not_sent'],
      ['taking a server error for a request that was not applied', 'server_error_is_turned_away'],
    ])('%s posts a mandate twice', async (_name, weakness) => {
      for (const seed of range(1, 100)) {
        const { violations } = await simulate(seed, { folder, weakness })
        if (!violations.some((violation) => violation.startsWith('I1'))) continue
        await expectSound(seed)
        return
      }
      expect.fail(`None of 100 seeds found the weakness "${weakness}"`)
    })
  })
}
