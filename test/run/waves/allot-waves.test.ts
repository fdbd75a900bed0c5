import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Wave } from '../../../src/domain/wave/wave.js'
import { UsageError } from '../../../src/errors.js'
import type { Ledger } from '../../../src/ledger/ledger.js'
import { allotWaves } from '../../../src/run/waves/allot-waves.js'
import {
  admit,
  COLUMNS,
  HEADER,
  IBAN,
  open,
  OTHER_IBAN,
  recordOf,
  registered,
  refused,
  send,
  SETTINGS,
  summaryOf,
  type Values,
} from '../../ledger/campaign-setup.js'
import { byHand } from '../../ledger/ledger-views.js'

/** As a run does it: within the transaction of its admission. */
function allot(ledger: Ledger, waves: readonly Wave[]): void {
  const admission = ledger.admit({ severities: {} })
  try {
    allotWaves(waves, { rows: ledger.waves, sources: ledger.view.sources() })
    admission.commit()
  } catch (error) {
    admission.rollback()
    throw error
  }
}

/** The wave of each row, in order of id; null for the rest. */
const wavesOf = (ledger: Ledger): (string | null)[] =>
  byHand(ledger.file, (db) =>
    db
      .prepare<[], string | null>(
        'select name from row left join wave_row on row_id = row.id left join wave on wave.id = wave_id order by row.id',
      )
      .pluck()
      .all(),
  )

const mandates = (count: number, first = 1): Values[] =>
  Array.from({ length: count }, (_, index) => ({
    reference: `M-${first + index}`,
    customerNo: first + index,
  }))

/** A file with a column besides. */
function admitWith(ledger: Ledger, name: string, segments: readonly string[], first = 1): void {
  const admission = ledger.admit({ severities: {} })
  const header = [...HEADER, 'Kunden Segment']
  const source = admission.open({ name, header, columns: COLUMNS })
  source.add(
    segments.map((segment, index) => {
      const values = { reference: `M-${first + index}`, customerNo: first + index }
      const cells = [
        String(values.customerNo),
        IBAN,
        '2020-01-31',
        'DE98ZZZ09999999999',
        values.reference,
        segment,
      ]
      return recordOf({ ...values, cells }, index + 1)
    }),
  )
  source.close(summaryOf(segments.length))
  admission.commit()
}

describe('a wave takes', () => {
  it('rows by the country of their account, by file and by previous creditor', () => {
    const ledger = open()
    admit(ledger, [
      { customerNo: 1, reference: 'A' },
      { customerNo: 2, reference: 'B', iban: OTHER_IBAN },
    ])
    admit(ledger, [{ customerNo: 3, reference: 'C' }], { name: 'second.csv' })
    admit(ledger, [{ customerNo: 4, reference: 'D', creditor: 'DE98ABC09999999999' }], { name: 'third.csv' })
    admit(ledger, [{ customerNo: 5, reference: 'E', creditor: 'AT61ZZZ01234567890' }], { name: 'fourth.csv' })
    allot(ledger, [
      { name: 'dutch', country: ['NL'] },
      { name: 'second', source: ['second.csv'] },
      { name: 'first creditor', creditor: ['de98 zzz 0999 9999 999'] },
    ])
    // The business code is no part of a creditor.
    expect(wavesOf(ledger)).toEqual(['first creditor', 'dutch', 'second', 'first creditor', null])
  })

  it('rows by a column of the export, folded as a header and a value are, or by a field', () => {
    const ledger = open()
    admitWith(ledger, 'a.csv', ['Groß', 'klein', 'GROSS', ''])
    allot(ledger, [
      { name: 'large', columns: [{ column: 'kundensegment', equals: ['gross'] }] },
      { name: 'second customer', columns: [{ column: 'customer_no', equals: [2] }] },
    ])
    expect(wavesOf(ledger)).toEqual(['large', 'second customer', 'large', null])
  })

  it('only what meets all that it names, and the first of two that do', () => {
    const ledger = open()
    admitWith(ledger, 'a.csv', ['x', 'x', 'y'])
    allot(ledger, [
      {
        name: 'both',
        source: ['a.csv'],
        columns: [
          { column: 'Kunden Segment', equals: ['x'] },
          { column: 'customer_no', equals: ['2'] },
        ],
      },
      { name: 'x', columns: [{ column: 'Kunden Segment', equals: ['x'] }] },
      { name: 'left', held: true },
    ])
    expect(wavesOf(ledger)).toEqual(['x', 'both', 'left'])
  })

  it('so many rows that can be sent, however many were sent already', async () => {
    const ledger = open()
    admit(ledger, [{ verdict: 'invalid', reference: 'M-0', customerNo: 9 }, ...mandates(5)])
    const waves = [
      { name: 'two', number: 2 },
      { name: 'next two', number: 2 },
    ]
    allot(ledger, waves)
    expect(wavesOf(ledger)).toEqual([null, 'two', 'two', 'next two', 'next two', null])
    ledger.startRun(SETTINGS)
    await send(ledger, registered('NEW-1'))
    allot(ledger, waves)
    expect(wavesOf(ledger)).toEqual([null, 'two', 'two', 'next two', 'next two', null])
  })
})

describe('a sample', () => {
  it('of so many rows draws the same mandates whatever their order, and what it leaves goes on to the next', () => {
    const drawn = (customers: readonly number[]): number[] => {
      const ledger = open()
      admit(
        ledger,
        customers.map((customerNo) => ({ customerNo, reference: `M-${customerNo}` })),
      )
      allot(ledger, [
        { name: 'sample', sample: { rows: 5, seed: 42 } },
        { name: 'second sample', sample: { rows: 5, seed: 43 } },
        { name: 'all others' },
      ])
      const waves = wavesOf(ledger)
      for (const name of ['sample', 'second sample'])
        expect(waves.filter((wave) => wave === name)).toHaveLength(5)
      expect(waves).not.toContain(null)
      return customers.filter((_, index) => waves[index] === 'sample').toSorted((a, b) => a - b)
    }
    const all = Array.from({ length: 40 }, (_, index) => index + 1)
    const first = drawn(all)
    expect(drawn(all.toReversed())).toEqual(first)
    expect(drawn([...all.slice(17), ...all.slice(0, 17)])).toEqual(first)
  })

  it('in percent draws about as many, and by another seed others', () => {
    const ledger = open()
    admit(ledger, mandates(2_000))
    const share = (seed: number): (string | null)[] => {
      allot(ledger, [{ name: 'tenth', sample: { percent: 10, seed } }])
      return wavesOf(ledger)
    }
    const [one, other] = [share(1), share(2)]
    const count = (waves: readonly (string | null)[]): number => waves.filter((wave) => wave !== null).length
    // 200 of 2,000 are expected with a spread of 13; the seeds are fixed.
    for (const waves of [one, other]) expect(Math.abs(count(waves) - 200)).toBeLessThan(60)
    expect(other).not.toEqual(one)
    expect(share(1)).toEqual(one)
  })

  it('of more rows than there are draws all', () => {
    const ledger = open()
    admit(ledger, mandates(3))
    allot(ledger, [{ name: 'sample', sample: { rows: 1_000, seed: 'x' } }])
    expect(wavesOf(ledger)).toEqual(['sample', 'sample', 'sample'])
  })
})

describe('a later run', () => {
  it('allots what was never sent anew, and leaves what was sent where it was', async () => {
    const ledger = open()
    admit(ledger, mandates(4))
    allot(ledger, [{ name: 'one', number: 2 }])
    ledger.startRun(SETTINGS)
    await send(ledger, refused())
    allot(ledger, [{ name: 'two', held: true }])
    expect(wavesOf(ledger)).toEqual(['one', 'two', 'two', 'two'])
    expect(ledger.view.waves()?.waves.map(({ name, position, isHeld }) => [name, position, isHeld])).toEqual([
      ['two', 1, true],
      ['one', null, false],
      ['rest', null, false],
    ])
    allot(ledger, [])
    expect(wavesOf(ledger)).toEqual(['one', null, null, null])
    expect(ledger.waves.areUsed()).toBe(false)
  })

  it('takes nothing back of a run that was declined', () => {
    const ledger = open()
    admit(ledger, mandates(2))
    allot(ledger, [{ name: 'one' }])
    const admission = ledger.admit({ severities: {} })
    allotWaves([{ name: 'other', held: true }], { rows: ledger.waves, sources: ledger.view.sources() })
    admission.rollback()
    expect(wavesOf(ledger)).toEqual(['one', 'one'])
    expect(ledger.view.waves()?.waves.map(({ name }) => name)).toEqual(['one', 'rest'])
  })
})

describe('a column that a file does not have', () => {
  const waves: Wave[] = [{ name: 'large', held: true, columns: [{ column: 'Kunden Segmnt', equals: ['x'] }] }]

  it('is refused, since what was to be held would be sent', () => {
    const ledger = open()
    admitWith(ledger, 'a.csv', ['x'])
    expect(() => allot(ledger, waves)).toThrow(UsageError)
    expect(() => allot(ledger, waves)).toThrow(
      'Cannot allot the wave "large": "a.csv" has no column "Kunden Segmnt"; nothing was sent',
    )
    expect(ledger.waves.areUsed()).toBe(false)
  })

  it('need not be in a file that the wave is not about', () => {
    const ledger = open()
    admitWith(ledger, 'a.csv', ['x'])
    admit(ledger, mandates(1, 50), { name: 'b.csv' })
    const wave = { name: 'large', columns: [{ column: 'Kunden Segment', equals: ['x'] }] }
    expect(() => allot(ledger, [wave])).toThrow('"b.csv" has no column')
    allot(ledger, [{ ...wave, source: ['a.csv'] }])
    expect(wavesOf(ledger)).toEqual(['large', null])
  })
})

describe('every row', () => {
  it('is in one wave or in the rest, and the totals of the waves are those of the campaign', () => {
    const wave = fc.record(
      {
        columns: fc
          .uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1 })
          .map((equals) => [{ column: 'customer_no', equals }]),
        number: fc.integer({ min: 1, max: 8 }),
        sample: fc.oneof(
          fc.record({ rows: fc.integer({ min: 1, max: 8 }), seed: fc.nat(9) }),
          fc.record({ percent: fc.integer({ min: 1, max: 100 }), seed: fc.nat(9) }),
        ),
        held: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    const ledger = open()
    admit(ledger, [
      ...mandates(10),
      { verdict: 'invalid', customerNo: 11, reference: 'M-11' },
      { verdict: 'excluded', customerNo: 12, reference: 'M-12' },
    ])
    fc.assert(
      fc.property(fc.array(wave, { maxLength: 4 }), (filters) => {
        const waves = filters.map((filter, index) => ({ name: `w${index}`, ...filter }))
        allot(ledger, waves)
        const records = ledger.view.waves()
        if (records === null) return
        const inWaves = wavesOf(ledger)
        for (const { name, totals } of records.waves)
          expect(totals.read).toBe(inWaves.filter((of) => (of ?? 'rest') === name).length)
        for (const [index, { number = Infinity }] of waves.entries())
          expect(records.waves[index]?.totals.read).toBeLessThanOrEqual(number)
        expect(records.waves.reduce((sum, { totals }) => sum + totals.read, 0)).toBe(12)
      }),
      { numRuns: 60 },
    )
  })
})
