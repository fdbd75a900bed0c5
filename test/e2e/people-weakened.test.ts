import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { GUARDS, switchOff, type Guard, type GuardName } from './people-guards.js'
import { kindOf, play, plotOf } from './people.js'

vi.mock('../../src/service/connections.js', async (original) =>
  (await import('./people-connections.js')).withoutSockets(original),
)
vi.mock('../../src/report/page.js', async () => (await import('./people-connections.js')).emptyPage)
vi.mock('../../src/report/workbook.js', async () => (await import('./people-connections.js')).emptyWorkbook)
vi.mock('../../src/run/tide.js', async (original) =>
  (await import('./people-guards.js')).withGuards('run/tide.ts')(original),
)
vi.mock('../../src/run/campaign-register.js', async (original) =>
  (await import('./people-guards.js')).withGuards('run/campaign-register.ts')(original),
)
vi.mock('../../src/run/mandate-sketch.js', async (original) =>
  (await import('./people-guards.js')).withGuards('run/mandate-sketch.ts')(original),
)
vi.mock('../../src/service/base-url.js', async (original) =>
  (await import('./people-guards.js')).withGuards('service/base-url.ts')(original),
)
vi.mock('../../src/domain/resaved-cell.js', async (original) =>
  (await import('./people-guards.js')).withGuards('domain/resaved-cell.ts')(original),
)
vi.mock('../../src/run/listed-mandate.js', async (original) =>
  (await import('./people-guards.js')).withGuards('run/listed-mandate.ts')(original),
)
vi.mock('../../src/domain/late-request.js', async (original) =>
  (await import('./people-guards.js')).withGuards('domain/late-request.ts')(original),
)
vi.mock('../../src/ledger/admission.js', async (original) =>
  (await import('./people-guards.js')).withGuards('ledger/admission.ts')(original),
)
vi.mock('../../src/source/stray-quote.js', async (original) =>
  (await import('./people-guards.js')).withGuards('source/stray-quote.ts')(original),
)
vi.mock('../../src/source/left-out.js', async (original) =>
  (await import('./people-guards.js')).withGuards('source/left-out.ts')(original),
)
vi.mock('../../src/domain/resaved.js', async (original) =>
  (await import('./people-guards.js')).withGuards('domain/resaved.ts')(original),
)
vi.mock('../../src/ledger/connection.js', async (original) =>
  (await import('./people-guards.js')).withGuards('ledger/connection.ts')(original),
)

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'people-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => switchOff(null))

const MOST_SEEDS = 400
const source = fileURLToPath(new URL('../../src/', import.meta.url))

const isThere = ({ off }: Guard): boolean =>
  Object.entries(off).every(
    ([module, members]) =>
      existsSync(join(source, module)) &&
      Object.keys(members).every((member) => readFileSync(join(source, module), 'utf8').includes(member)),
  )

/** Every guard stands for a mistake that was made: without it somebody of the simulation makes it again. */
describe('a guard that is switched off is missed', () => {
  it.each(
    (Object.entries(GUARDS) as [GuardName, Guard][])
      .filter(([, guard]) => isThere(guard))
      .map(([name, guard]) => [name, guard.without, guard] as const),
  )(
    '%s: the program %s',
    async (name, _without, { acts, finds }) => {
      for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
        const plot = plotOf(seed, acts)
        switchOff(name)
        const { violations } = await play(plot, folder)
        switchOff(null)
        if (!finds.includes(kindOf(violations[0]))) continue
        const sound = await play(plot, folder)
        expect(sound.violations.filter((one) => finds.includes(kindOf(one)))).toEqual([])
        process.stdout.write(`${name}: found by seed ${seed}\n`)
        return
      }
      expect.fail(`None of ${MOST_SEEDS} seeds missed the guard "${name}"`)
    },
    300_000,
  )
})
