import { describe, expect, it } from 'vitest'
import { folder, partsOf, range } from './seeds.js'
import { simulate, type Simulated, type SimulationOptions, type Weakness } from './simulation.js'

const PART = 20

/** Campaigns of one kind: `NAME_SEED=17` replays a seed and prints what happened, `NAME_SEEDS=20000` plays more of them. */
export function campaignsFrom(name: string, options: Omit<SimulationOptions, 'folder'>) {
  const replayed = process.env[`${name}_SEED`]
  const seeds = Number(process.env[`${name}_SEEDS`] ?? 60)
  const play = (seed: number, more: Partial<SimulationOptions> = {}): Promise<Simulated> =>
    simulate(seed, { folder, ...options, ...more })

  async function expectSound(seed: number, more?: Partial<SimulationOptions>): Promise<Simulated> {
    const simulated = await play(seed, more)
    const { violations, history } = simulated
    if (violations.length > 0)
      expect.fail(
        [
          `Seed ${seed} breaks ${violations.length} invariants; replay it with ${name}_SEED=${seed}`,
          ...violations.slice(0, 10),
          ...history.slice(-60),
        ].join('\n'),
      )
    return simulated
  }

  /** Plays all seeds, then whatever shall be said of them together and beside them. */
  function playAll(title: string, beside: (seen: readonly Simulated[], count: number) => void): void {
    if (replayed !== undefined) {
      it(`seed ${replayed}`, async () => {
        const { history, violations } = await play(Number(replayed))
        process.stdout.write(`${history.join('\n')}\n`)
        expect(violations).toEqual([])
      })
      return
    }
    const seen: Simulated[] = []
    describe(title, () => {
      it.each(partsOf(seeds, PART))(
        'keeps every invariant and comes to its end, seeds from %d',
        async (from) => {
          for (const seed of range(from, PART)) seen.push(await expectSound(seed))
        },
        300_000,
      )
      it('gives the same campaign again for the same seed', async () => {
        for (const seed of [3, 33]) expect((await play(seed)).history).toEqual((await play(seed)).history)
      })
      beside(seen, seeds)
    })
  }

  /** Tries seeds from the one that is known to find it. */
  const expectFound = async (weakness: Weakness, found: RegExp, first = 1): Promise<void> => {
    for (const seed of range(first, 400)) {
      const { violations } = await play(seed, { weakness })
      if (!violations.some((violation) => found.test(violation))) continue
      process.stdout.write(`${weakness}: found by seed ${seed}\n`)
      await expectSound(seed)
      return
    }
    expect.fail(`None of 400 seeds found the weakness "${weakness}"`)
  }

  return { playAll, expectSound, expectFound }
}
