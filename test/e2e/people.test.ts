import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { kindOf, play, plotOf, shrink, type Played, type Plot } from './people.js'

vi.mock('../../src/service/connections.js', async (original) =>
  (await import('./people-connections.js')).withoutSockets(original),
)
vi.mock('../../src/report/page.js', async () => (await import('./people-connections.js')).emptyPage)
vi.mock('../../src/report/workbook.js', async () => (await import('./people-connections.js')).emptyWorkbook)

/**
 * `SIMULATION_SEED=17` replays one seed with as few steps as still fail and prints what happened; `PEOPLE_SEEDS=20000`
 * runs more of them, `PEOPLE_SURVEY=1` goes on after a failure and counts what is broken.
 */
const ONE_SEED = process.env['SIMULATION_SEED']
const SEEDS = Number(process.env['PEOPLE_SEEDS'] ?? 1_000)
const PART = 100

/** Memory, where there is a file system in memory: a seed makes and removes some dozens of files. */
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'people-'))
afterAll(() => rmSync(folder, { recursive: true }))

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from + n)

const report = ({ seed, steps }: Plot, { violations, history }: Played): string =>
  [
    `Seed ${seed} breaks a promise; replay it with SIMULATION_SEED=${seed}. These ${steps.length} steps are enough:`,
    ...history,
    ...violations,
  ].join('\n')

async function expectSound(seed: number): Promise<void> {
  const { violations } = await play(plotOf(seed), folder)
  if (violations.length === 0) return
  const least = await shrink(plotOf(seed), folder)
  expect.fail(report(least, await play(least, folder)))
}

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
    for (const seed of range(Number(process.env['PEOPLE_FROM'] ?? 1), SEEDS)) {
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
  describe('a campaign in the hands of people', () => {
    it.each(range(0, Math.ceil(SEEDS / PART)).map((part) => part * PART + 1))(
      'registers each mandate once and with its own account, seeds from %d',
      async (from) => {
        for (const seed of range(from, PART)) await expectSound(seed)
      },
      600_000,
    )

    it('gives the same again for the same seed', async () => {
      for (const seed of range(1, 20)) {
        const { history } = await play(plotOf(seed), folder)
        expect((await play(plotOf(seed), folder)).history).toEqual(history)
      }
    }, 300_000)
  })
}
