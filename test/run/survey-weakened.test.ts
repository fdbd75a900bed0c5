import { afterEach, describe, expect, it, vi } from 'vitest'
import type * as Repeats from '../../src/run/exact-repeats.js'
import type * as Keys from '../../src/run/repeated-keys.js'
import type * as Framing from '../../src/source/survey/framing.js'
import type * as Lanes from '../../src/source/survey/key-lanes.js'
import type * as Accounts from '../../src/source/survey/plain-accounts.js'
import type * as Dates from '../../src/source/survey/plain-dates.js'
import type * as References from '../../src/source/survey/plain-references.js'
import type * as Words from '../../src/source/survey/plain-words.js'
import type * as Watch from '../../src/source/watch/source-watch.js'
import { createRowSet, type RowSet } from '../../src/source/survey/row-set.js'
import { drawExports } from './survey-exports.js'
import { loadBothWays } from './two-ways.js'

type Weakness = keyof typeof WEAKNESSES

const WEAKNESSES = {
  accounts: 'takes every account of a known country for a good one',
  references: 'takes every reference for a good one',
  dates: 'takes every date for a good one',
  words: 'does not look at words',
  marks: 'does not look for control characters and damaged letters',
  customers: 'leaves the hash of the customer out',
  sharedAccounts: 'leaves the hash of the account out',
  mandates: 'hashes the mandates of plain and of other records in two ways',
  spelling: 'hashes a letter in another way each time',
  repeats: 'does not tell which keys were repeated',
  groups: 'takes rows for mere repeats that share a key with other rows',
  contents: 'takes rows of one mandate for repeats without comparing what they say',
  watch: 'does not count plain records for the whole file',
} as const

let weakness: Weakness | null = null
afterEach(() => (weakness = null))
const is = (name: Weakness): boolean => weakness === name
/** All hashes of contents are one, and how often it was noticed. */
let allMeet = false
let met = 0
afterEach(() => (allMeet = false))
const isMeeting = (): boolean => allMeet || is('contents')
const ALIKE = Buffer.from('alike')

let drawn = 0
/** Never twice the same, so that no two keys meet. */
const unlike = (): number => Math.imul((drawn += 1), 0x9e3779b1)

function weaken<Module extends object>(path: string, change: (real: Module) => Partial<Module>): void {
  vi.doMock(`../../src/${path}`, async (original) => {
    const real = await (original as () => Promise<Module>)()
    return { ...real, ...change(real) }
  })
}

weaken<typeof Accounts>('source/survey/plain-accounts.js', (real) => ({
  isPlainAccount: (...given) => is('accounts') || real.isPlainAccount(...given),
}))
weaken<typeof References>('source/survey/plain-references.js', (real) => ({
  isPlainReference: (...given) => is('references') || real.isPlainReference(...given),
}))
weaken<typeof Dates>('source/survey/plain-dates.js', (real) => ({
  countPlainDates: (read) =>
    real.countPlainDates((cell) => read(cell) ?? (is('dates') ? (cell as never) : null)),
}))
weaken<typeof Words>('source/survey/plain-words.js', (real) => ({
  judgeWords: (...given) => {
    const words = real.judgeWords(...given)
    return { ...words, judge: (...cells) => (is('words') ? 0 : words.judge(...cells)) }
  },
}))
weaken<typeof Framing>('source/survey/framing.js', (real) => ({
  frameRecords: (...given) => {
    const { frame, find } = real.frameRecords(...given)
    return {
      frame,
      find: (...bytes) => {
        const found = find(...bytes)
        if (is('marks')) frame.isOdd = false
        return found
      },
    }
  },
}))
weaken<typeof Lanes>('source/survey/key-lanes.js', (real) => ({
  customerA: (...given) => (is('customers') ? unlike() : real.customerA(...given)),
  accountSeed: (seed) => (is('sharedAccounts') ? unlike() : real.accountSeed(seed)),
  mandateSeed: (seed) => (is('mandates') ? unlike() : real.mandateSeed(seed)),
  stepA: (lane, code) => real.stepA(lane, is('spelling') && code >= 0x41 && code <= 0x5a ? unlike() : code),
}))
weaken<typeof Keys>('run/repeated-keys.js', (real) => ({
  compareKeys: (folder) => {
    const keys = real.compareKeys(folder)
    const { mandate, other } = keys.compare
    return {
      ...keys,
      compare: {
        mandate: (row, a, b, hash) => mandate(row, a, b, isMeeting() && hash !== 0 ? 1 : hash),
        other,
      },
      tell: (look, rows) => keys.tell(is('repeats') ? createRowSet() : look, rows),
    }
  },
}))
weaken<typeof Repeats>('run/exact-repeats.js', (real) => ({
  createRepeatGroups: (rows) => {
    const groups = real.createRepeatGroups(rows)
    const settle = (look: RowSet) => groups.settle(is('groups') ? createRowSet() : look)
    return {
      ...groups,
      settle: (look) => {
        const repeats = settle(look)
        return {
          ...repeats,
          take: (row, cells, record) => {
            try {
              return repeats.take(row, is('contents') ? ALIKE : cells, record)
            } catch (error) {
              if (error instanceof real.HashesMet) met += 1
              throw error
            }
          },
        }
      },
    }
  },
}))
weaken<typeof Watch>('source/watch/source-watch.js', (real) => ({
  watchSource: (source) => {
    const watch = real.watchSource(source)
    return { ...watch, notePlain: (...plain) => (is('watch') ? undefined : watch.notePlain(...plain)) }
  },
}))

const bothWays = await loadBothWays()

const MOST_SEEDS = 400

/** The comparison of both ways has to find each of these faults, or it would prove nothing. */
describe('12 a weakened survey is found out', () => {
  it.each(Object.entries(WEAKNESSES) as [Weakness, string][])(
    '12 %s: the survey %s',
    async (name) => {
      for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
        const exports = drawExports(seed)
        weakness = name
        const { full, quick } = await bothWays(exports)
        weakness = null
        if (JSON.stringify(full) === JSON.stringify(quick)) continue
        const sound = await bothWays(exports)
        expect(sound.quick, `seed ${seed}, not weakened`).toEqual(sound.full)
        process.stdout.write(`${name}: found by seed ${seed}\n`)
        return
      }
      expect.fail(`None of ${MOST_SEEDS} seeds found "${name}"`)
    },
    600_000,
  )
})

it('12 where hashes of contents meet that are not the same, the files are read in full (seeds 1 to 60)', async () => {
  allMeet = true
  for (let seed = 1; seed <= 60; seed += 1) {
    const { full, quick } = await bothWays(drawExports(seed))
    expect(quick, `exports of ${seed}`).toEqual(full)
  }
  expect(met).toBeGreaterThan(3)
}, 600_000)
