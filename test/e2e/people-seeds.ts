import { describe, expect, it, vi } from 'vitest'
import { emptyPage, emptyWorkbook, withoutSockets } from './people-connections.js'
import type { Played, Plot } from './people.js'
import { folder, partsOf, range } from './seeds.js'

/**
 * The program with the people who use it: without sockets, pages and workbooks. Call it once everything else is mocked.
 */
export function loadPeople() {
  vi.doMock('../../src/service/connections.js', withoutSockets)
  vi.doMock('../../src/report/page/page.js', () => emptyPage)
  vi.doMock('../../src/report/workbook/workbook.js', () => emptyWorkbook)
  return import('./people.js')
}

type People = Awaited<ReturnType<typeof loadPeople>>

/** `PEOPLE_SEEDS=20000` plays more of them. */
export const SEEDS = Number(process.env['PEOPLE_SEEDS'] ?? 100)
const PART = 50

const report = ({ seed, steps }: Plot, { violations, history }: Played): string =>
  [
    `Seed ${seed} breaks a promise; replay it with SIMULATION_SEED=${seed}. These ${steps.length} steps are enough:`,
    ...history,
    ...violations,
  ].join('\n')

async function expectSound({ play, plotOf, shrink }: People, seed: number): Promise<void> {
  const { violations } = await play(plotOf(seed), folder)
  if (violations.length === 0) return
  const least = await shrink(plotOf(seed), folder)
  expect.fail(report(least, await play(least, folder)))
}

/** Plays seeds one after the other, in parts that say how far they are. */
export function playSeeds(people: People, { from, count }: { from: number; count: number }): void {
  describe('a campaign in the hands of people', () => {
    it.each(partsOf({ from, count, part: PART }))(
      'registers each mandate once and with its own account, seeds from %d',
      async (first) => {
        for (const seed of range(first, Math.min(PART, from + count - first))) await expectSound(people, seed)
      },
      600_000,
    )
  })
}
