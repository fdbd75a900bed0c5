import { existsSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { loadPeople } from './people-connections.js'
import { GUARDS_OF_LEDGERS } from './people-guards-ledgers.js'
import { GUARDS_OF_DECISIONS, GUARDS_OF_EXPORTS, GUARDS_OF_FILES } from './people-guards-rows.js'
import { type Guard, switchOff, withGuards } from './people-guards.js'
import { folder } from './seeds.js'

/**
 * One guard, or more, for each point that was mended and by which a mandate could be registered twice, wrongly or not
 * at all. What cannot be played here, because it takes other users, mounts or a spoiled screen, has tests of its own:
 *
 *   a single file that was mounted, another name of the ledger
 *         ledger/safety/holder.test.ts, e2e/trusted-files.test.ts
 *   side files and folders of others: ledger/safety/side-files.test.ts, e2e/trusted-files.test.ts
 *   the file of another ledger with the same mandates, of which no two can be here: decisions/read-decisions.test.ts
 *   an assigned reference with a blank behind it: ledger/decide/resolution.test.ts; what `reconcile --apply` could not
 *         record: e2e/given-back.test.ts
 */
const GUARDS: Readonly<Record<string, Guard>> = {
  ...GUARDS_OF_LEDGERS,
  ...GUARDS_OF_DECISIONS,
  ...GUARDS_OF_FILES,
  ...GUARDS_OF_EXPORTS,
}

/** Modules of the program that have a guard. */
const GUARDED = new Set(Object.values(GUARDS).flatMap(({ off }) => Object.keys(off)))

for (const module of GUARDED) {
  // A mock of what is not there would do nothing.
  if (!existsSync(new URL(`../../src/${module}`, import.meta.url))) throw new Error(`There is no ${module}`)
  vi.doMock(`../../src/${module.replace(/ts$/, 'js')}`, (original) =>
    withGuards(GUARDS, module)(original as () => Promise<object>),
  )
}

const { kindOf, play, plotOf } = await loadPeople()

afterEach(() => switchOff(null))

/** Where a change of the program or of the people lets the named seed miss it, the next ones are tried. */
const MOST_SEEDS = 400

/** Every guard stands for a mistake that was made: without it somebody of the simulation makes it again. */
it.each(Object.entries(GUARDS).map(([name, guard]) => [name, guard.without, guard] as const))(
  'a guard that is switched off is missed %s: the program %s',
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
