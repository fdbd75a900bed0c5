import { describe, expect, it } from 'vitest'
import { choiceLine, choiceText, narrowed, spreadPilot } from '../../../src/domain/row/choice.js'
import type { Choice, PilotCandidate } from '../../../src/domain/row/choice.js'
import { seedChance } from '../../support/chance.js'
import { IBAN_EXAMPLES } from '../iban-examples.js'

const SEGMENT = { column: 'Segment', values: ['A', 'B'] }
const TIER = { column: 'Tier', values: ['1'] }
const taking = (only: Choice['only'], countries: Choice['countries']): Choice => ({ only, countries })

describe('a choice', () => {
  it('is told in words, with what it leaves', () => {
    const choice = taking([SEGMENT, TIER], ['AT', 'DE'])
    expect(choiceText(choice)).toBe('Segment: A or B; Tier: 1; country: AT or DE')
    expect(choiceText(taking([], []))).toBe('country: none')
    const told = 'Of the ready rows only Segment: A or B; Tier: 1; country: AT or DE; 1 other row stays ready'
    expect(choiceLine({ ...choice, left: 1 })).toBe(told)
  })

  it.each<[Choice | null, Choice | null, Choice | null]>([
    [null, null, null],
    [taking([SEGMENT], null), null, taking([SEGMENT], null)],
    [null, taking([], ['AT']), taking([], ['AT'])],
    [taking([SEGMENT], ['AT', 'DE']), taking([TIER], ['DE', 'FR']), taking([SEGMENT, TIER], ['DE'])],
    [taking([], ['AT']), taking([], ['DE']), taking([], [])],
    [taking([], ['AT']), taking([TIER], null), taking([TIER], ['AT'])],
  ])('narrowed by another: %j and %j', (wide, narrow, both) => expect(narrowed(wide, narrow)).toEqual(both))
})

const row = (id: number, more: Partial<PilotCandidate> = {}): PilotCandidate => ({
  id,
  customerNo: 1_000 + id,
  iban: IBAN_EXAMPLES['DE'] ?? '',
  creditorIdentifier: 'DE98ZZZ09999999999',
  mandateReference: `M-${id}`,
  warnings: null,
  ...more,
})
const USUAL = ['country DE', 'bank DE 37040044', 'references as A-9', 'previous creditor DE98ZZZ09999999999']

it('takes first what shows most, another bank last, and fills up in order', () => {
  const otherBank = 'DE75512108001245126199'
  const rows = [
    row(1),
    row(2),
    row(3, { iban: otherBank }),
    row(4, { iban: IBAN_EXAMPLES['AT'] ?? '' }),
    row(5, { mandateReference: 'KD 2024/0017-x' }),
    row(6, { warnings: 'LAPSES_SOON,REFERENCE_ODD' }),
    row(7),
  ]
  expect(spreadPilot(rows, 6)).toEqual({
    rows: [1, 6, 4, 5, 3, 2],
    told: [
      { id: 1, customerNo: 1_001, because: USUAL },
      { id: 6, customerNo: 1_006, because: ['warning LAPSES_SOON', 'warning REFERENCE_ODD'] },
      { id: 4, customerNo: 1_004, because: ['country AT', 'bank AT 19043'] },
      { id: 5, customerNo: 1_005, because: ['references as A 9/9-A'] },
      { id: 3, customerNo: 1_003, because: ['bank DE 51210800'] },
    ],
  })
  expect(spreadPilot(rows, 2).rows).toEqual([1, 6])
  expect(spreadPilot(rows, 100).rows).toEqual([1, 6, 4, 5, 3, 2, 7])
  expect(spreadPilot([], 3)).toEqual({ rows: [], told: [] })
})

it('shows each country, bank, pattern, creditor and warning where there is room for it, whatever the order', () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const chance = seedChance(seed)
    const countries = Object.keys(IBAN_EXAMPLES)
    const rows = Array.from({ length: chance.between(1, 300) }, (_, at) =>
      row(at + 1, {
        iban: IBAN_EXAMPLES[chance.pick(countries)] ?? '',
        mandateReference: chance.pick(['M-1', 'K 2', 'x/3', '44', 'ÄB-7-7']),
        creditorIdentifier: `DE98ZZZ0000000000${chance.between(0, 3)}`,
        warnings: chance.happens(0.1) ? chance.pick(['A', 'B', 'A,C']) : null,
      }),
    )
    const limit = chance.between(1, 80)
    const { rows: taken, told } = spreadPilot(rows, limit)
    expect(taken).toHaveLength(Math.min(limit, rows.length))
    expect(new Set(taken).size).toBe(taken.length)
    expect(spreadPilot(rows, limit)).toEqual({ rows: taken, told })
    const named = told.flatMap(({ because }) => because)
    expect(new Set(named).size).toBe(named.length)
    const every = new Set(spreadPilot(rows, rows.length).told.flatMap(({ because }) => because))
    expect(every.size).toBe(
      new Set(
        rows.flatMap(({ iban, mandateReference, creditorIdentifier, warnings }) => [
          iban.slice(0, 2),
          `bank ${iban}`,
          mandateReference,
          creditorIdentifier,
          ...(warnings?.split(',') ?? []),
        ]),
      ).size,
    )
    if (told.length < limit) expect(named.length, `seed ${seed}`).toBe(every.size)
  }
})

it('holds no more than so many values of a file in which every reference looks otherwise', () => {
  const mark = (n: number): string => n.toString(2).replaceAll('0', '-').replaceAll('1', '/')
  const rows = (function* () {
    for (let id = 1; id <= 30_000; id += 1) yield row(id, { mandateReference: mark(id) })
  })()
  const { rows: taken, told } = spreadPilot(rows, 30_000)
  expect(taken).toHaveLength(30_000)
  expect(told.length).toBeLessThanOrEqual(10_000)
})
