import { expect, it } from 'vitest'
import { loadPeople, playSeeds, SEEDS } from './people-seeds.js'
import { folder, range } from './seeds.js'

/**
 * `SIMULATION_SEED=17` replays one seed with as few steps as still fail and prints what happened; `PEOPLE_FROM` names
 * the first seed, `PEOPLE_SURVEY=1` goes on after a failure and counts what is broken.
 */
const ONE_SEED = process.env['SIMULATION_SEED']
const FROM = Number(process.env['PEOPLE_FROM'] ?? 1)

const people = await loadPeople()
const { kindOf, play, plotOf, shrink } = people

if (ONE_SEED !== undefined) {
  it(`seed ${ONE_SEED}`, async () => {
    const least = await shrink(plotOf(Number(ONE_SEED)), folder)
    const { violations, history } = await play(least, folder)
    process.stdout.write(`${[...history, ...violations].join('\n')}\n`)
    expect(violations).toEqual([])
  }, 300_000)
} else if (process.env['PEOPLE_SURVEY'] !== undefined) {
  it('counts what is broken', async () => {
    const found = new Map<string, number[]>()
    for (const seed of range(FROM, SEEDS)) {
      const { violations, history } = await play(plotOf(seed), folder)
      if (violations.length === 0) continue
      const act = history.findLast((line) => /^\w+$|^at the end$/.test(line)) ?? ''
      const key = `${kindOf(violations[0])} in ${act}`
      found.set(key, [...(found.get(key) ?? []), seed])
    }
    for (const [key, seeds] of [...found].sort())
      process.stdout.write(`${key}: ${seeds.length}, seeds ${seeds.slice(0, 10).join(' ')}\n`)
  }, 3_600_000)
} else {
  playSeeds(people, { from: FROM, count: SEEDS })

  it('gives the same again for the same seed', async () => {
    for (const seed of range(1, 5)) {
      const { history } = await play(plotOf(seed), folder)
      expect((await play(plotOf(seed), folder)).history).toEqual(history)
    }
  }, 300_000)
}
