import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openLedgerReader } from '../../src/ledger/read/open-reader.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, start } from '../support/program.js'
import { startTruth, type TruthServer } from '../support/truth-server.js'
import { seedChance } from '../support/chance.js'

const ROWS = 1_500
const KILLS = 6
const CONCURRENCY = 16
const SEED = Number(process.env['KILL_SEED'] ?? 20_261_120)

let place: ReturnType<typeof makeFolder>
let server: TruthServer

beforeEach(async () => {
  place = makeFolder()
  server = await startTruth()
})
afterEach(async () => {
  await server.close()
  place.remove()
})

it(`34: survives ${KILLS} kills in ${ROWS} rows: nothing is lost and nothing is posted twice (seed ${SEED})`, async () => {
  const chance = seedChance(SEED)
  const ledger = join(place.folder, 'sepa-migrate.db')
  writeFileSync(join(place.folder, 'export.csv'), validExport(ROWS))
  const run = () =>
    start(
      [
        'run',
        'export.csv',
        '--base-url',
        server.baseUrl,
        '--concurrency',
        `${CONCURRENCY}`,
        '--quiet',
        '--no-report',
        '--max-in-doubt',
        '100000',
      ],
      { cwd: place.folder, env: CREDENTIALS },
    )
  let doubts = 0
  let seen = 0

  /** Balanced after every start; at most as many new doubts as there were slots. */
  function judge(): void {
    const reader = openLedgerReader(ledger)
    const totals = reader.totals()
    reader.close()
    const { read, ...states } = totals
    expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(read)
    expect(read).toBe(ROWS)
    expect(totals.inDoubt + totals.sending - doubts).toBeLessThanOrEqual(CONCURRENCY)
    doubts = totals.inDoubt + totals.sending
  }

  for (let kill = 0; kill < KILLS; kill += 1) {
    const { child, ended } = run()
    await server.whenReceived(seen + chance.between(1, 230))
    child.kill('SIGKILL')
    expect((await ended).signal).toBe('SIGKILL')
    seen = server.posts()
    judge()
  }
  const { status } = await run().ended
  judge()
  expect(status).toBe(doubts > 0 ? 4 : 0)

  expect(server.twice()).toEqual([])
  const reader = openLedgerReader(ledger)
  const registered = reader.rows(['registered'], 0, ROWS)
  const inDoubt = reader.rows(['in_doubt'], 0, ROWS)
  reader.close()
  expect(registered.length + inDoubt.length).toBe(ROWS)
  for (const { customerNo } of registered) expect(server.received.get(customerNo ?? 0)).toBe(1)
}, 240_000)
