import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { LIES, startLiar, type Lie } from '../support/lies.js'
import { placeOfTest, type Place } from '../support/place.js'
import { movableTime, typeIn, type Time, type Typed, doubtLines } from '../support/typed.js'

const HOUR = 60 * 60_000
/** So few that no brake ends a run. */
const AT_ONCE = 8

let place: Place
let time: Time

beforeEach(() => void (time = movableTime()))

const path = (name: string): string => place.path(name)
const type = (...args: string[]): Promise<Typed> => typeIn(place.folder(), time, args, { isHurried: true })
const run = (...more: string[]): Promise<Typed> => type('run', path('export.csv'), '--no-report', ...more)

/** Each customer with a lie; the last one with none. */
type Told = readonly (readonly [title: string, lie: Lie])[]

const PARTS: readonly (readonly [titles: string, told: Told])[] = Array.from(
  { length: Math.ceil(Object.keys(LIES).length / AT_ONCE) },
  (_, n) => {
    const told = Object.entries(LIES).slice(n * AT_ONCE, (n + 1) * AT_ONCE)
    return [told.map(([title]) => title).join(', '), told] as const
  },
)

/** A service that loses the answers about the customers whom it lies about. */
async function startService(told: Told): Promise<string> {
  place = await placeOfTest({
    rows: told.length + 1,
    sandbox: {
      faults: [
        {
          operation: 'migrate',
          match: { customer_no: told.map((_, n) => n + 1) },
          times: told.length,
          fault: { kind: 'reset', applied: true },
        },
      ],
      choices: { repeatedMandate: 'register' },
      now: () => new Date(time.now()),
    },
  })
  const liar = await startLiar(place.sandbox().url, (customerNo) => told[customerNo - 1]?.[1])
  onTestFinished(liar.close)
  return liar.url
}

const held = (): number[] => place.held().sort((a, b) => a - b)

/** What the ledger has of the rows of the customers that are lied about: state, and what was read back. */
function rowsOf(told: Told): Readonly<Record<string, readonly string[]>> {
  return place.ledger((reader) => {
    const rows = reader.rows(['ready', 'in_doubt', 'registered'], 0, 20)
    return Object.fromEntries(
      told.map(([title], n) => {
        const row = rows.find(({ customerNo }) => customerNo === n + 1)
        const verdicts = reader.proofsOfRow(row?.id ?? 0).map(({ verdict }) => verdict)
        return [title, [row?.state ?? 'none', ...new Set(verdicts)]]
      }),
    )
  })
}

const expected = (told: Told, of: (is: Lie['is']) => readonly string[]) =>
  Object.fromEntries(told.map(([title, { is }]) => [title, of(is)]))

describe('a mandate that is there, and a list that says otherwise', () => {
  it.each(PARTS)('is asked about, not proven, and not proposed to be sent again: %s', async (_, told) => {
    const url = await startService(told)
    await run('--base-url', url)
    const all = [...told, null].map((_each, n) => n + 1)
    expect(held()).toEqual(all)
    for (const hours of [1, 26, 2]) {
      time.pass(hours * HOUR)
      await type('resolve', '--ask', '--dry-run', '--of', 'all', '--base-url', url)
    }
    await type('resolve', '--ask', '--yes', '--reason', 'read back')
    expect(rowsOf(told)).toEqual(expected(told, (is) => ['in_doubt', is]))
    await type('report', '--out', path('pack'))
    const lines = doubtLines(path('pack/to-do/in-doubt.csv'))
    expect(lines.map((line) => line['migration_proposal'])).toEqual(told.map(() => ''))
  })

  it.each(PARTS)('is not sent where it is asked about first: %s', async (_, told) => {
    const url = await startService(told)
    await run('--base-url', place.sandbox().url, '--ledger', path('by-another.db'))
    const all = held()
    const { status, stderr } = await run('--base-url', url, '--read-back', '--check-before-send')
    expect(held(), stderr).toEqual(all)
    expect(status).toBeGreaterThan(3)
    expect(rowsOf(told)).toEqual(expected(told, (is) => (is === 'unreadable' ? ['ready'] : ['in_doubt', is])))
  })
})
