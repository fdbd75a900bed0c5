import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { simulate, type Simulated, type Weakness } from './simulation.js'
import { SIGHTS } from './simulation-reading.js'

/** `READING_SEED=17` replays one seed and prints what happened; `READING_SEEDS=20000` runs more of them. */
const ONE_SEED = process.env['READING_SEED']
const SEEDS = Number(process.env['READING_SEEDS'] ?? 200)
const PART = 100

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'simulation-'))
afterAll(() => rmSync(folder, { recursive: true }))

const play = (seed: number, weakness?: Weakness): Promise<Simulated> =>
  simulate(seed, { folder, readsBack: true, ...(weakness === undefined ? {} : { weakness }) })

async function expectSound(seed: number): Promise<Simulated> {
  const simulated = await play(seed)
  const { violations, history } = simulated
  if (violations.length > 0)
    expect.fail(
      [
        `Seed ${seed} breaks ${violations.length} invariants; replay it with READING_SEED=${seed}`,
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
  describe('a campaign whose doubts are settled by what is read back', () => {
    const seen: Simulated[] = []

    it.each(range(0, Math.ceil(SEEDS / PART)).map((part) => part * PART + 1))(
      'registers nothing twice, calls nothing registered that is not there, and comes to its end, seeds from %d',
      async (from) => {
        for (const seed of range(from, PART)) seen.push(await expectSound(seed))
      },
      300_000,
    )

    it.runIf(SEEDS >= 1_000)('met everything that becomes of a question, and settled most by it', () => {
      const met = new Set(seen.flatMap(({ readFates }) => readFates))
      expect(met).toEqual(new Set(SIGHTS.flatMap((sight) => Object.keys(sight))))
      const stops = new Set(seen.flatMap((each) => each.stops))
      expect([...stops]).toEqual(
        expect.arrayContaining(['signal', 'no_connection', 'disk_full'].map((kind) => `asking: ${kind}`)),
      )
      const sum = (by: keyof Simulated['settled']): number =>
        seen.reduce((total, { settled }) => total + settled[by], 0)
      const [presence, absence, looking] = [sum('presence'), sum('absence'), sum('looking')]
      expect(presence).toBeGreaterThan(SEEDS)
      expect(absence).toBeGreaterThan(SEEDS / 20)
      expect(looking).toBeLessThan(presence + absence)
    })

    it('gives the same campaign again for the same seed', async () => {
      for (const seed of [3, 33]) expect((await play(seed)).history).toEqual((await play(seed)).history)
    })
  })

  describe('a rule broken on purpose is found', () => {
    it.each<[string, Weakness, RegExp, number]>([
      ['sending again what was absent once', 'absence_resends', /^I1/, 16],
      ['taking a question without an answer for an empty list', 'silence_is_absence', /^I1/, 5],
      [
        '26.1 taking a list that is not understood in whole for an empty one',
        'unreadable_is_absence',
        /^I1/,
        273,
      ],
      ['matching by customer alone', 'match_by_customer', /^I4.*reference that the service did not give/, 41],
    ])(
      '%s',
      async (_name, weakness, found, first) => {
        for (const seed of range(first, first + 399)) {
          const { violations } = await play(seed, weakness)
          if (!violations.some((violation) => found.test(violation))) continue
          process.stdout.write(`${weakness}: found by seed ${seed}\n`)
          await expectSound(seed)
          return
        }
        expect.fail(`None of 400 seeds found the weakness "${weakness}"`)
      },
      300_000,
    )
  })
}
