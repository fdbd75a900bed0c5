import { afterEach, describe, expect, it, vi } from 'vitest'
import { GUARDED, GUARDS, switchOff, withGuards } from './people-guards.js'
import { loadPeople } from './people-connections.js'
import { folder } from './seeds.js'

for (const module of GUARDED)
  vi.doMock(`../../src/${module.replace(/ts$/, 'js')}`, (original) =>
    withGuards(module)(original as () => Promise<object>),
  )

const { kindOf, play, plotOf } = await loadPeople()

afterEach(() => switchOff(null))

/** Where a change of the program or of the people lets the named seed miss it, the next ones are tried. */
const MOST_SEEDS = 400

/** Every guard stands for a mistake that was made: without it somebody of the simulation makes it again. */
describe('a guard that is switched off is missed', () => {
  it.each(Object.entries(GUARDS).map(([name, guard]) => [name, guard.without, guard] as const))(
    '%s: the program %s',
    async (name, _without, { finds, seed: first, ...kind }) => {
      for (let n = 0; n < MOST_SEEDS; n += 1) {
        const seed = 1 + ((first - 1 + n) % MOST_SEEDS)
        const plot = plotOf(seed, kind)
        switchOff(name)
        const { violations } = await play(plot, folder)
        switchOff(null)
        if (!finds.includes(kindOf(violations[0]))) continue
        const sound = await play(plot, folder)
        expect(sound.violations, `Seed ${seed} with the guard:\n${sound.history.join('\n')}`).toEqual([])
        if (seed !== first) process.stdout.write(`${name}: found by seed ${seed}, not by ${first}\n`)
        return
      }
      expect.fail(`None of ${MOST_SEEDS} seeds missed the guard "${name}"`)
    },
    300_000,
  )
})
