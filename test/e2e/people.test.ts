import { describe, expect, it } from 'vitest'
import { loadPeople } from './people-connections.js'
import { folder, partsOf, range } from './seeds.js'

/**
 * `SIMULATION_SEED=17` replays one seed with as few steps as still fail and prints what happened, in both kinds of campaign;
 * `PEOPLE_SEEDS=20000` plays more of them, `PEOPLE_FROM` names the first.
 */
const ONE_SEED = process.env['SIMULATION_SEED']
const FROM = Number(process.env['PEOPLE_FROM'] ?? 1)
const SEEDS = Number(process.env['PEOPLE_SEEDS'] ?? 25)
const PART = 50

const { EXPORTS, play, plotOf, shrink } = await loadPeople()

const CAMPAIGNS = [
  { campaign: 'one export each', kind: undefined },
  { campaign: 'the exports of two systems', kind: EXPORTS },
]
type Campaign = (typeof CAMPAIGNS)[number]

/** With as few steps as still fail. */
async function shortest(seed: number, { kind }: Campaign) {
  const { steps, ...plot } = await shrink(plotOf(seed, kind), folder)
  const { violations, history } = await play({ ...plot, steps }, folder)
  return { violations, text: [`${steps.length} steps:`, ...history, ...violations].join('\n') }
}

if (ONE_SEED !== undefined) {
  it.each(CAMPAIGNS)(
    `seed ${ONE_SEED} with $campaign`,
    async (given) => {
      const { violations, text } = await shortest(Number(ONE_SEED), given)
      process.stdout.write(`${text}\n`)
      expect(violations).toEqual([])
    },
    300_000,
  )
} else {
  describe.each(CAMPAIGNS)('a campaign in the hands of people, with $campaign', (given) => {
    it.each(partsOf(SEEDS, PART, FROM))(
      'registers each mandate once and with its own account, seeds from %d',
      async (first) => {
        for (const seed of range(first, Math.min(PART, FROM + SEEDS - first))) {
          if ((await play(plotOf(seed, given.kind), folder)).violations.length === 0) continue
          const { text } = await shortest(seed, given)
          expect.fail(`Seed ${seed} breaks a promise; replay it with SIMULATION_SEED=${seed}. ${text}`)
        }
      },
      600_000,
    )
  })

  it.each(CAMPAIGNS)('gives the same again for the same seed, with $campaign', async ({ kind }) => {
    for (const seed of range(1, 3)) {
      const { history } = await play(plotOf(seed, kind), folder)
      expect((await play(plotOf(seed, kind), folder)).history).toEqual(history)
    }
  })
}
