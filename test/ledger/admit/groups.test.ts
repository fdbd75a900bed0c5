import { describe, expect, it } from 'vitest'
import {
  admit,
  holding,
  IBAN,
  open,
  OTHER_IBAN,
  registered,
  running,
  send,
  type Values,
} from '../campaign-setup.js'
import { look, problemsOf, rowsOf, statesOf } from '../ledger-views.js'
import { isProtected, OLD_STATES, reach, type OldState } from '../old-rows.js'
import { isBalanced } from '../../../src/domain/row/row-state.js'

const VERDICTS = ['sendable', 'invalid', 'excluded'] as const

/** The rules for one newcomer of the mandate of an older row, written down a second time. */
function expectedStates(old: OldState, verdict: (typeof VERDICTS)[number], isSame: boolean) {
  if (verdict !== 'sendable') {
    const isRepeat = isSame && (old === 'invalid' || old === 'excluded')
    if (isRepeat) return { old, newcomer: 'duplicate' }
    return { old: isProtected(old) ? old : 'superseded', newcomer: verdict }
  }
  if (isProtected(old)) return { old, newcomer: isSame ? 'duplicate' : 'conflict' }
  if (isSame && (old === 'ready' || old === 'refused')) return { old, newcomer: 'duplicate' }
  return { old: 'superseded', newcomer: 'ready' }
}

const CELLS = OLD_STATES.flatMap((old) =>
  VERDICTS.flatMap((verdict) =>
    [true, false].flatMap((isSame) => [null, 1].map((corrects) => ({ old, verdict, isSame, corrects }))),
  ),
)

describe('a newcomer of a mandate that the ledger holds', () => {
  it.each(CELLS)(
    'old row $old, newcomer $verdict, same data: $isSame, says that it corrects row $corrects',
    async ({ old, verdict, isSame, corrects }) => {
      const ledger = running()
      await reach(ledger, old)
      expect(statesOf(ledger.file)[0]).toBe(old)
      admit(ledger, [
        {
          verdict,
          ...(isSame ? {} : { signedDate: '2021-07-01' }),
          ...(corrects === null ? {} : { corrects }),
        },
      ])
      const states = statesOf(ledger.file)
      expect({ old: states[0], newcomer: states.at(-1) }).toEqual(expectedStates(old, verdict, isSame))
      expect(isBalanced(ledger.totals())).toBe(true)
    },
  )

  it('gives every replaced row the one that replaced it', () => {
    const ledger = holding([{}, {}], [{ signedDate: '2021-07-01' }, { signedDate: '2021-07-01' }])
    const rows = rowsOf(ledger.file)
    expect(rows.map(({ state }) => state)).toEqual(['superseded', 'superseded', 'ready', 'duplicate'])
    expect(rows.map(({ supersededBy }) => supersededBy)).toEqual([3, 3, null, null])
  })

  it('removes the account of a duplicate whose mandate is registered, at once', async () => {
    const ledger = running([{}])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [{}, { iban: OTHER_IBAN }])
    const [, duplicate, conflict] = rowsOf(ledger.file)
    expect(duplicate).toMatchObject({ state: 'duplicate', cells: null, ibanMasked: 'DE…3000' })
    expect(conflict).toMatchObject({ state: 'conflict' })
    expect(conflict?.cells).toContain(OTHER_IBAN)
  })
})

/** What becomes of two rows of one file. */
const TABLE: { name: string; rows: Values[]; states: string[] }[] = [
  {
    name: 'references that differ in case only, same content',
    rows: [{ reference: 'abc-1' }, { reference: 'ABC-1' }],
    states: ['ready', 'duplicate'],
  },
  {
    name: 'creditor identifiers that differ in the business code only',
    rows: [{ creditor: 'DE98ZZZ09999999999' }, { creditor: 'DE98ABC09999999999' }],
    states: ['ready', 'duplicate'],
  },
  {
    name: 'creditor identifiers of different national parts',
    rows: [{ creditor: 'DE98ZZZ09999999999' }, { creditor: 'DE52ZZZ00000000123', customerNo: 2000 }],
    states: ['ready', 'ready'],
  },
  { name: 'a row twice', rows: [{}, {}], states: ['ready', 'duplicate'] },
  { name: 'two accounts', rows: [{ iban: IBAN }, { iban: OTHER_IBAN }], states: ['conflict', 'conflict'] },
  {
    name: 'two dates',
    rows: [{ signedDate: '2020-01-31' }, { signedDate: '2020-02-29' }],
    states: ['conflict', 'conflict'],
  },
  { name: 'two customers', rows: [{ customerNo: 1 }, { customerNo: 2 }], states: ['conflict', 'conflict'] },
  {
    name: 'a filler reference on several rows',
    rows: [1, 2, 3].map((customerNo) => ({ customerNo, reference: 'NOTPROVIDED' })),
    states: ['conflict', 'conflict', 'conflict'],
  },
  {
    name: 'one line per collection',
    rows: [{}, {}, {}, { reference: 'M-2', customerNo: 2 }],
    states: ['ready', 'duplicate', 'duplicate', 'ready'],
  },
  ...[{ signedDate: '2021-01-01' }, { iban: OTHER_IBAN }, { customerNo: 77 }].map((other) => ({
    name: `an identical pair and a third with another ${Object.keys(other).join()}`,
    rows: [{}, {}, other],
    states: ['conflict', 'conflict', 'conflict'],
  })),
  {
    name: 'an identical pair beside an invalid one',
    rows: [{}, {}, { verdict: 'invalid' }],
    states: ['conflict', 'conflict', 'invalid'],
  },
  {
    name: 'a row beside an invalid one',
    rows: [{}, { verdict: 'invalid' }],
    states: ['conflict', 'invalid'],
  },
  {
    name: 'a row beside an excluded one that comes first',
    rows: [{ verdict: 'excluded' }, {}],
    states: ['excluded', 'conflict'],
  },
]

describe('rows of one file', () => {
  it.each(TABLE)('$name', ({ rows, states }) => {
    const ledger = holding(rows)
    expect(statesOf(ledger.file)).toEqual(states)
  })

  it('reports each decision with the row it collides with', () => {
    const ledger = holding([
      {},
      { signedDate: '2021-01-01' },
      { reference: 'M-2', customerNo: 2 },
      { reference: 'm-2', customerNo: 2 },
    ])
    expect(problemsOf(ledger.file).map(({ record, rule, message }) => ({ record, rule, message }))).toEqual([
      {
        record: 1,
        rule: 'CONFLICT_MANDATE',
        message:
          'The same mandate occurs with different data. None of the rows is sent. Compare it with record 2.',
      },
      {
        record: 2,
        rule: 'CONFLICT_MANDATE',
        message:
          'The same mandate occurs with different data. None of the rows is sent. Compare it with record 1.',
      },
      {
        record: 4,
        rule: 'DUPLICATE_MANDATE',
        message: 'The mandate is already in the file. The first row is sent. It is record 3.',
      },
    ])
    expect(rowsOf(ledger.file).map(({ rule }) => rule)).toEqual([
      'CONFLICT_MANDATE',
      'CONFLICT_MANDATE',
      null,
      'DUPLICATE_MANDATE',
    ])
  })

  it('says why a registered mandate is not changed by a later file', async () => {
    const ledger = running()
    admit(ledger, [{}], { name: 'march.csv' })
    await send(ledger, registered('NEW-1'))
    admit(ledger, [{ iban: OTHER_IBAN }], { name: 'april.csv' })
    expect(problemsOf(ledger.file)).toMatchObject([
      {
        source: 'april.csv',
        rule: 'CONFLICT_MANDATE',
        severity: 'error',
        value: 'M-1',
        message:
          'The ledger holds this mandate with other data, and a file cannot replace it: record 1 of "march.csv", which is registered (row 1).',
        remedy: 'Change the mandate at the service if the new data are right.',
      },
    ])
  })

  it('masks a reference that is an account number', () => {
    for (const [second, rows] of [
      [{ customerNo: 7 }, 2],
      [{}, 1],
    ] as const) {
      const { view } = holding([{ reference: IBAN }, { reference: IBAN, ...second }])
      expect(view.problems(0, 9).map(({ value }) => value)).toEqual(Array<string>(rows).fill('DE…3000'))
    }
  })
})

describe('severities that were changed', () => {
  const rows: Values[] = [{}, { signedDate: '2021-01-01' }, {}]

  it.each(['warning', 'off'] as const)('sends only the first row with CONFLICT_MANDATE at %s', (severity) => {
    const ledger = open()
    admit(ledger, rows, { severities: { CONFLICT_MANDATE: severity } })
    expect(statesOf(ledger.file)).toEqual(['ready', 'duplicate', 'duplicate'])
    const conflicts = problemsOf(ledger.file).filter(({ rule }) => rule === 'CONFLICT_MANDATE')
    expect(conflicts.map(({ severity: level }) => level)).toEqual(
      severity === 'warning' ? ['warning', 'warning', 'warning'] : [],
    )
  })

  it.each(['warning', 'off'] as const)(
    'sends only the first row with DUPLICATE_MANDATE at %s',
    (severity) => {
      const ledger = open()
      admit(ledger, [{}, {}], { severities: { DUPLICATE_MANDATE: severity } })
      expect(statesOf(ledger.file)).toEqual(['ready', 'duplicate'])
      expect(problemsOf(ledger.file).map(({ severity: level }) => level)).toEqual(
        severity === 'warning' ? ['warning'] : [],
      )
    },
  )

  it('still protects a registered mandate with CONFLICT_MANDATE off', async () => {
    const ledger = running([{}])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [{ iban: OTHER_IBAN }], { severities: { CONFLICT_MANDATE: 'off' } })
    expect(statesOf(ledger.file)).toEqual(['registered', 'conflict'])
    expect(problemsOf(ledger.file)).toMatchObject([{ rule: 'CONFLICT_MANDATE', severity: 'error' }])
  })
})

describe('rows whose mandate cannot be told', () => {
  const unreadable: Values = { verdict: 'invalid', mandateKey: null, reference: '' }

  it('are recognised when a file comes again with the same values', () => {
    const ledger = holding([unreadable, unreadable], [unreadable, { ...unreadable, customerNo: 7 }])
    expect(statesOf(ledger.file)).toEqual(['invalid', 'invalid', 'duplicate', 'invalid'])
    expect(problemsOf(ledger.file)).toMatchObject([{ rowId: 3, rule: 'DUPLICATE_MANDATE' }])
  })

  it('are never sent twice where the rules let them be sent at all', () => {
    const ledger = holding([
      { creditor: 'odd', mandateKey: null },
      { creditor: 'odd', mandateKey: null, reference: 'm-1' },
    ])
    expect(statesOf(ledger.file)).toEqual(['ready', 'duplicate'])
  })
})

it('balances a file in which every row shares one reference', () => {
  const ledger = holding(
    Array.from({ length: 3_000 }, (_, n) => ({ customerNo: n + 1, reference: 'NOTPROVIDED' })),
  )
  expect(ledger.totals()).toMatchObject({ read: 3_000, conflict: 3_000 })
  expect(look(ledger.file, (reader) => reader.problemCounts())).toEqual([
    { rule: 'CONFLICT_MANDATE', severity: 'error', count: 3_000 },
  ])
})

describe('12 repeats that are decided in one go', () => {
  const twin = (reference: string, more: Values = {}): Values => ({
    reference,
    customerNo: 1_000 + reference.length * 10 + Number(reference.slice(-1)),
    ...more,
  })
  const problems = (file: string) =>
    problemsOf(file).map(({ rowId, rule, value, message }) => ({ rowId, rule, value, message }))

  it('12 stand in the order of their mandates among those that are decided by themselves', () => {
    const ledger = open()
    // Mandates A to D, of which B contradicts itself: row 2 is its first.
    const rows = ['D-1', 'B-2', 'A-3', 'C-4'].map((reference) => twin(reference))
    admit(ledger, [
      ...rows,
      ...rows.map((row, at) => (at === 1 ? { ...row, signedDate: '2021-07-01' } : row)),
    ])
    expect(statesOf(ledger.file)).toEqual([
      'ready',
      'conflict',
      'ready',
      'ready',
      'duplicate',
      'conflict',
      'duplicate',
      'duplicate',
    ])
    const repeat = (rowId: number, value: string, record: number) => ({
      rowId,
      rule: 'DUPLICATE_MANDATE',
      value,
      message: `The mandate is already in the file. The first row is sent. It is record ${record}.`,
    })
    expect(problems(ledger.file).filter(({ rule }) => rule.endsWith('_MANDATE'))).toEqual([
      repeat(7, 'A-3', 3),
      expect.objectContaining({ rowId: 2, rule: 'CONFLICT_MANDATE' }),
      expect.objectContaining({ rowId: 6, rule: 'CONFLICT_MANDATE' }),
      repeat(8, 'C-4', 4),
      repeat(5, 'D-1', 1),
    ])
  })

  it('12 repeat an older row too', () => {
    expect(statesOf(holding([{}], [{}, {}]).file)).toEqual(['ready', 'duplicate', 'duplicate'])
  })

  it('12 of more mandates than a page holds are all decided', () => {
    const ledger = open()
    const rows = Array.from({ length: 1_203 }, (_, at) => ({ reference: `R${at}`, customerNo: 10_000 + at }))
    admit(ledger, [...rows, ...rows, ...rows])
    expect(ledger.totals()).toMatchObject({ ready: 1_203, duplicate: 2_406 })
  })
})
