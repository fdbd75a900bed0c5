import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Mandate } from '../../src/domain/mandate/mandate.js'
import type { Choice } from '../../src/domain/row/choice.js'
import type { Outcome } from '../../src/domain/row/row-state.js'
import { UsageError } from '../../src/errors.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import type { SourceRecord } from '../../src/ledger/read/reader.js'
import { assertChoosable, type OpenRun, readChoice } from '../../src/run/campaign.js'
import type { OpenedSource } from '../../src/source/read-source.js'
import { IBAN_EXAMPLES } from '../domain/iban-examples.js'
import { type Chance, seedChance } from '../support/chance.js'
import { registeredNo, runOn, WIDE_POLICY } from './delivery-world.js'
import { mandateOf, recordOf, sourceOf } from './mandate-samples.js'
import { inDoubt, notAvailableYet, refused } from './outcome-samples.js'
import { startVirtualTime } from './virtual-time.js'

const IBAN = 'DE89370400440532013000'

describe('a choice that is given', () => {
  it('is nothing where nothing is named, and is read without blanks and without repeats', () => {
    expect(readChoice({})).toBeNull()
    expect(readChoice({ only: [], countries: [] })).toBeNull()
    expect(readChoice({ countries: [' at', 'AT', 'de '] })).toEqual({ only: [], countries: ['AT', 'DE'] })
    expect(readChoice({ only: [{ column: ' Segment ', values: ['A ', 'A', '1'] }] })).toEqual({
      only: [{ column: 'Segment', values: ['A', '1'] }],
      countries: null,
    })
  })

  it.each([
    [{ countries: ['US'] }, '"US" is no country of SEPA'],
    [{ countries: [''] }, '"" is no country of SEPA'],
    [{ countries: ['Austria'] }, '"AUSTRIA" is no country of SEPA'],
    [{ only: [{ column: 'Segment', values: [] }] }, 'a column without values'],
    [{ only: [{ column: 'Segment', values: ['A', ' '] }] }, '"Segment" with an empty name or value'],
    [{ only: [{ column: ' ', values: ['A'] }] }, '"" with an empty name or value'],
    [{ only: [{ column: 'iban', values: [IBAN] }] }, 'an account number stands in it'],
    [{ only: [{ column: IBAN, values: ['A'] }] }, 'an account number stands in it'],
    [{ only: 'Segment=A' as never }, 'only and countries are lists'],
    [{ countries: 'AT' as never }, 'only and countries are lists'],
  ])('is refused: %j', (given, what) => {
    const act = (): unknown => readChoice(given)
    expect(act).toThrow(UsageError)
    expect(act).toThrow(`Cannot choose rows: ${what}; nothing was sent`)
    expect(act).not.toThrow(IBAN)
  })
})

describe('the columns of a choice', () => {
  const sourceOf = (name: string, ...header: string[]) => ({ name, header }) as unknown as SourceRecord
  const at = (...sources: SourceRecord[]) => ({ sources: () => sources })
  const choice = { only: [{ column: 'segment', values: ['A'] }], countries: null }

  it('are found as the columns of a file are, in one file at least', () => {
    expect(() => assertChoosable(null, at())).not.toThrow()
    expect(() => assertChoosable({ only: [], countries: ['AT'] }, at())).not.toThrow()
    for (const name of ['segment', 'SEGMENT', 'Seg-ment', ' segment '])
      expect(() => assertChoosable(choice, at(sourceOf('a', 'iban'), sourceOf('b', name)))).not.toThrow()
    // As it is written it is one of the two.
    expect(() => assertChoosable(choice, at(sourceOf('a', 'segment', 'Segment')))).not.toThrow()
  })

  it('are asked for where there is none of the name', () => {
    expect(() => assertChoosable(choice, at(sourceOf('a', 'Region', IBAN, '')))).toThrow(
      expect.objectContaining({
        message: 'Cannot choose rows: no file has a column "segment"; nothing was sent',
        next: 'Name a column of the export and the values that its rows have',
      }),
    )
  })

  it('are refused where one file has two of the name', () => {
    for (const names of [
      ['segment', 'segment'],
      ['Segment', 'SEGMENT'],
    ])
      expect(() => assertChoosable(choice, at(sourceOf('a.csv', ...names)))).toThrow(
        'Cannot choose rows: "a.csv" has more than one column "segment"; nothing was sent',
      )
  })
})

/** `CHOICE_SEED=17` plays one seed. */
const ONE = process.env['CHOICE_SEED']
const SEEDS = ONE === undefined ? Array.from({ length: 20 }, (_, n) => n + 1) : [Number(ONE)]

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'chosen-'))
afterAll(() => rmSync(folder, { recursive: true }))

const NAMES = ['Segment', 'Tier', 'Sales region'] as const
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  Segment: ['Segment', 'SEGMENT', ' segment'],
  Tier: ['Tier', 'tier'],
  'Sales region': ['Sales region', 'sales_region', 'SALES-REGION'],
}
const VALUES = ['A', 'B', 'a', 'AB', '1', '01', '']
const COUNTRIES = ['AT', 'DE', 'NL', 'FR']

/** What a row is, as the test knows it without the program. */
interface Known {
  readonly values: Readonly<Record<string, string>>
  readonly country: string
}

/** Files with some of the columns each, in an order and a spelling of their own. */
function drawSource(chance: Chance, name: string, first: number, known: Map<number, Known>): OpenedSource {
  const columns = NAMES.filter(() => chance.happens(0.7)).toSorted(() => chance.between(0, 1) * 2 - 1)
  const header = [...columns.map((column) => chance.pick(WRITTEN[column] ?? [])), 'customer_no', 'iban']
  const records = Array.from({ length: chance.between(1, 12) }, (_, index) => {
    const n = first + index
    const country = chance.pick(COUNTRIES)
    const iban = (country === 'DE' ? mandateOf(n).iban : IBAN_EXAMPLES[country]) as Mandate['iban']
    const values = Object.fromEntries(columns.map((column) => [column, chance.pick(VALUES)]))
    known.set(n, { values, country })
    const record = recordOf({ ...mandateOf(n), iban }, index + 1)
    const cells = columns.map((column) => chance.pick(['', ' ', '\u00a0']) + (values[column] ?? ''))
    return { ...record, cells: [...cells, ...record.cells] }
  })
  return sourceOf(name, records, { header })
}

function drawChoice(chance: Chance): Choice | null {
  const only = NAMES.filter(() => chance.happens(0.4)).map((column) => ({
    column: chance.pick(WRITTEN[column] ?? []),
    values: VALUES.filter((value) => value !== '' && chance.happens(0.4)).concat('Z'),
  }))
  const countries = chance.happens(0.4) ? COUNTRIES.filter(() => chance.happens(0.5)) : null
  return only.length === 0 && countries === null ? null : { only, countries }
}

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '')

function takes(choice: Choice | null, { values, country }: Known): boolean {
  if (choice === null) return true
  return (
    (choice.countries === null || choice.countries.includes(country)) &&
    choice.only.every(({ column, values: wanted }) => {
      const named = NAMES.find((name) => letters(name) === letters(column)) ?? ''
      const value = values[named]
      return value !== undefined && wanted.includes(value)
    })
  )
}

const readyIn = (ledger: Ledger): number[] =>
  ledger.view.rows(['ready'], 0, 1_000).flatMap(({ customerNo }) => (customerNo === null ? [] : [customerNo]))

/** A service that does anything but register twice. */
function answer(chance: Chance, customerNo: number): Outcome {
  if (chance.happens(0.6)) return registeredNo(customerNo)
  return chance.pick([refused({ message: `${customerNo}` }), notAvailableYet(), inDoubt()])
}

async function play(seed: number): Promise<{ sent: number; left: number }> {
  const chance = seedChance(seed)
  const time = startVirtualTime()
  const known = new Map<number, Known>()
  const ledger = openLedger({ file: join(folder, `${seed}.db`), clock: time.clock, defer: time.defer })
  ledger.bind({ baseUrl: 'http://127.0.0.1/', username: 'test' })
  const counts = { sent: 0, left: 0 }
  const registrations = new Set<number>()
  try {
    for (let run = 0; run < chance.between(2, 6); run += 1) {
      const source = drawSource(chance, `${run}.csv`, run * 100 + 1, known)
      const files = chance.happens(0.6) ? [() => Promise.resolve(source)] : []
      if (files.length === 0) for (const n of known.keys()) if (n > run * 100) known.delete(n)
      const headers = [
        ...ledger.view.sources().map(({ header }) => header),
        ...(files.length > 0 ? [source.header] : []),
      ]
      const has = (column: string): boolean =>
        headers.some((names) => names.some((name) => letters(name) === letters(column)))
      const drawn = drawChoice(chance)
      const choice =
        drawn === null ? null : { ...drawn, only: drawn.only.filter(({ column }) => has(column)) }
      const limit = chance.happens(0.4) ? chance.between(1, 5) : null
      const spread = limit !== null && seed % 2 === 0
      const asked: number[] = []
      const send: OpenRun['send'] = async ({ customerNo }) => {
        const row = known.get(customerNo)
        expect(row !== undefined && takes(choice, row), `customer ${customerNo} was not chosen`).toBe(true)
        expect(registrations).not.toContain(customerNo)
        if (!asked.includes(customerNo)) asked.push(customerNo)
        await time.sleep(chance.between(1, 50))
        const outcome = answer(chance, customerNo)
        if (outcome.kind === 'registered') registrations.add(customerNo)
        return outcome
      }
      let planned = 0
      const end = await runOn(time, ledger, {
        files,
        choice,
        spread,
        retryRefusedBy: chance.happens(0.2) ? 'Ada' : null,
        confirm: (plan) => {
          const ready = readyIn(ledger).filter((n) => takes(choice, known.get(n) ?? NOTHING))
          planned = Math.min(ready.length, limit ?? ready.length)
          expect(plan.toSend).toBe(planned)
          expect(plan.pilot.length).toBeLessThanOrEqual(planned)
          expect(plan.pilot.length > 0).toBe(spread)
          return Promise.resolve(true)
        },
        send,
        random: chance.next,
        policy: { ...WIDE_POLICY, concurrency: chance.between(1, 4), limit },
      })
      expect(asked, 'the order of the ids').toEqual(asked.toSorted((a, b) => a - b))
      expect(asked.length).toBeLessThanOrEqual(planned)
      const left = readyIn(ledger).filter((n) => !takes(choice, known.get(n) ?? NOTHING)).length
      expect(end.choice?.left ?? 0).toBe(left)
      if (end.stop === null && choice !== null) expect(left).toBe(0)
      if (left > 0 && end.totals.inDoubt === 0) expect(end.exitCode).toBe(5)
      counts.sent += asked.length
      counts.left += left
    }
  } finally {
    ledger.close()
  }
  return counts
}

const NOTHING: Known = { values: {}, country: '' }

it(`a run never sends a row outside of its choice, and counts what it leaves (${ONE === undefined ? `seeds 1 to ${SEEDS.length}` : `seed ${ONE}`})`, async () => {
  const all = { sent: 0, left: 0 }
  for (const seed of SEEDS) {
    try {
      const { sent, left } = await play(seed)
      all.sent += sent
      all.left += left
    } catch (error) {
      throw new Error(`Seed ${seed} fails; CHOICE_SEED=${seed} plays it alone`, { cause: error })
    }
  }
  if (ONE !== undefined) return
  expect(all.sent).toBeGreaterThan(100)
  expect(all.left).toBeGreaterThan(100)
}, 120_000)
