import { expect, it } from 'vitest'
import { seedChance } from '../support/chance.js'
import { placeOfTest } from '../support/place.js'

const ROWS = 800
const KILLS = 4
const CONCURRENCY = 16
const SEED = Number(process.env['KILL_SEED'] ?? 20_261_120)

it(`34: survives ${KILLS} kills in ${ROWS} rows: nothing is lost and nothing is posted twice (seed ${SEED})`, async () => {
  const chance = seedChance(SEED)
  const { start, truth, totals, ledger } = await placeOfTest({ rows: ROWS, truth: {} })
  const run = () =>
    start(
      ...['run', 'export.csv', '--concurrency', `${CONCURRENCY}`, '--quiet', '--no-report'],
      ...['--max-in-doubt', '100000'],
    )
  let doubts = 0
  let seen = 0

  /** Balanced after every start; at most as many new doubts as there were slots. */
  function judge(): void {
    const { read, ...states } = totals()
    expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(read)
    expect(read).toBe(ROWS)
    expect(states.inDoubt + states.sending - doubts).toBeLessThanOrEqual(CONCURRENCY)
    doubts = states.inDoubt + states.sending
  }

  for (let kill = 0; kill < KILLS; kill += 1) {
    const { child, ended } = run()
    await truth().whenReceived(seen + chance.between(1, 180))
    child.kill('SIGKILL')
    expect((await ended).signal).toBe('SIGKILL')
    seen = truth().posts()
    judge()
  }
  const { status } = await run().ended
  judge()
  expect(status).toBe(doubts > 0 ? 4 : 0)

  expect(truth().twice()).toEqual([])
  const registered = ledger((reader) => reader.rows(['registered'], 0, ROWS))
  expect(registered.length + doubts).toBe(ROWS)
  const received = truth().received()
  for (const { customerNo } of registered) expect(received.get(customerNo ?? 0)).toBe(1)
}, 240_000)
