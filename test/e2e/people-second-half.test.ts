import { loadPeople, playSeeds, SEEDS } from './people-seeds.js'

const FROM = Number(process.env['PEOPLE_FROM'] ?? 1)
const FIRST_HALF = Math.ceil(SEEDS / 2)

/** Beside people.test.ts, so that two processors share the seeds. One seed is replayed there. */
const isReplay = process.env['SIMULATION_SEED'] !== undefined || process.env['PEOPLE_SURVEY'] !== undefined

playSeeds(await loadPeople(), { from: FROM + FIRST_HALF, count: isReplay ? 0 : SEEDS - FIRST_HALF })
