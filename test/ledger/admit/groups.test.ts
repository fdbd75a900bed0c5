import { describe, expect, it } from 'vitest'
import {
  admit,
  admitTogether,
  expectStates,
  holding,
  open,
  running,
  send,
  type Step,
  decide,
  played,
  runningAt,
  stoppedClock,
} from '../campaign-setup.js'
import { registered, inDoubt, refused } from '../outcomes.js'
import { COLUMNS, HEADER, mandates, OTHER_IBAN, type Values } from '../records.js'
import { creditorIdentifierOf, inventIban, seeded } from '../../support/sample-values.js'
import { problemsOf, rowsOf, statesOf } from '../ledger-views.js'
import { isProtected, OLD_STATES, reach, type OldState } from '../old-rows.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'
import { findingOf } from '../../../src/domain/rule/verdict.js'
import { isBalanced, LATE_REQUEST_MS } from '../../../src/domain/row/row-state.js'

const VERDICTS = ['sendable', 'invalid', 'excluded'] as const

const BY = ['an export', 'a newer export', 'a list'] as const

interface Cell {
  readonly old: OldState
  readonly verdict: (typeof VERDICTS)[number]
  readonly isSame: boolean
  readonly by: (typeof BY)[number]
}

/** The rules for one newcomer of the mandate of an older row, written down a second time. */
function expectedStates({ old, verdict, isSame, by }: Cell) {
  const isSendable = verdict === 'sendable'
  const own = isSendable ? 'ready' : verdict
  const repeats = { old, newcomer: 'duplicate' }
  const waits = { old, newcomer: isSendable ? 'conflict' : verdict }
  const replaces = { old: 'superseded', newcomer: own }
  if (isSame && old === verdict) return repeats
  // Two records differ, and the newest export says which is right.
  if (old === 'conflict' && by === 'a newer export' && verdict !== 'invalid') return replaces
  if (by === 'a list') {
    if (isSendable && isSame && (isProtected(old) || old === 'ready' || old === 'refused')) return repeats
    if (old === 'written_off') return waits
    if (isProtected(old)) return { old, newcomer: 'conflict' }
    // What stands by then has ended, and the line names another row.
    return old === 'superseded' && isSendable ? waits : replaces
  }
  if (isSame && isSendable && old !== 'invalid' && old !== 'excluded' && old !== 'superseded') return repeats
  if (old === 'written_off') return waits
  if (isProtected(old)) return { old, newcomer: 'conflict' }
  // What could be read of it differs.
  if (old === 'invalid' && verdict !== 'excluded' && by === 'an export' && !isSame) return waits
  if (old === 'invalid') return replaces
  if (by === 'a newer export' && verdict !== 'invalid') return replaces
  return old === 'ready' ? { ...waits, old: 'conflict' } : waits
}

const CELLS: Cell[] = OLD_STATES.flatMap((old) =>
  VERDICTS.flatMap((verdict) =>
    [true, false].flatMap((isSame) => BY.map((by) => ({ old, verdict, isSame, by }))),
  ),
)

describe('a newcomer of a mandate that the ledger holds', () => {
  it.each(CELLS)('old row $old, newcomer $verdict, same data: $isSame, in $by', async (cell) => {
    const { old, verdict, isSame, by } = cell
    const ledger = running()
    await reach(ledger, old)
    expect(statesOf(ledger.file)[0]).toBe(old)
    const data = isSame ? {} : { signedDate: '2021-07-01' }
    admit(ledger, [{ verdict, ...data, ...(by === 'a list' ? { corrects: 1 } : {}) }], {
      isNewer: by === 'a newer export',
    })
    const states = statesOf(ledger.file)
    expect({ old: states[0], newcomer: states.at(-1) }).toEqual(expectedStates(cell))
    expect(isBalanced(ledger.totals())).toBe(true)
  })

  it.each<[string, Values, string]>([
    ['an end', { verdict: 'excluded' }, 'excluded'],
    ['another account', { iban: OTHER_IBAN }, 'ready'],
  ])('settles what two exports say of it where the newest one repeats %s', (_, second, state) => {
    const ledger = holding([{}], [second])
    expect(statesOf(ledger.file)).toEqual(['conflict', state === 'ready' ? 'conflict' : state])
    admit(ledger, [second])
    expect(statesOf(ledger.file)[0]).toBe('conflict')
    admit(ledger, [second], { isNewer: true })
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'superseded', state])
  })

  it('gives every replaced row the one that replaced it', () => {
    const ledger = holding([{}, {}])
    admit(ledger, [{ signedDate: '2021-07-01' }, { signedDate: '2021-07-01' }], { isNewer: true })
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

describe('rows of one file', () => {
  it.each<[string, Values[], string]>([
    ['references in another case', [{ reference: 'abc-1' }, { reference: 'ABC-1' }], 'ready duplicate'],
    ['another business code of the creditor', [{}, { creditor: 'DE98ABC09999999999' }], 'ready duplicate'],
    ['another creditor', [{}, { creditor: 'DE52ZZZ00000000123', customerNo: 2000 }], 'ready ready'],
    ['two accounts', [{}, { iban: OTHER_IBAN }], 'conflict conflict'],
    ['two dates', [{}, { signedDate: '2020-02-29' }], 'conflict conflict'],
    ['two customers', [{}, { customerNo: 2 }], 'conflict conflict'],
    ['a line per collection', [{}, {}, {}, { reference: 'M-2' }], 'ready duplicate duplicate ready'],
    ['an identical pair and a third', [{}, {}, { iban: OTHER_IBAN }], 'conflict conflict conflict'],
    ['a pair beside an invalid one', [{}, {}, { verdict: 'invalid' }], 'conflict conflict invalid'],
    ['a row beside an invalid one', [{}, { verdict: 'invalid' }], 'conflict invalid'],
    ['a row behind an excluded one', [{ verdict: 'excluded' }, {}], 'excluded conflict'],
  ])('%s', (_, rows, states) => expectStates(states, rows))

  it('reports each decision with the row it collides with', () => {
    const ledger = holding([
      {},
      { signedDate: '2021-01-01' },
      { reference: 'M-2', customerNo: 2 },
      { reference: 'm-2', customerNo: 2 },
    ])
    const told = problemsOf(ledger.file).map(
      ({ record, rule, message }) => `${record ?? ''} ${rule}: ${message}`,
    )
    const differs =
      'The same mandate occurs with different data. None of the rows is sent. They name different dates of signature.'
    expect(told).toEqual([
      `1 CONFLICT_MANDATE: ${differs} Compare it with line 3.`,
      `2 CONFLICT_MANDATE: ${differs} Compare it with line 2.`,
      '4 DUPLICATE_MANDATE: The mandate occurs more than once. It is sent at most once. It is line 4.',
    ])
    const [conflict, repeat] = ['CONFLICT_MANDATE', 'DUPLICATE_MANDATE']
    expect(rowsOf(ledger.file).map(({ rule }) => rule)).toEqual([conflict, conflict, null, repeat])
  })

  it('tells what waits that another export calls it ended', () => {
    const ledger = holding([{}, { iban: OTHER_IBAN }])
    admit(ledger, [{ verdict: 'excluded' }], { name: 'february.csv' })
    const told = problemsOf(ledger.file).filter(({ rule }) => rule === 'EXPORT_ORDER_UNKNOWN')
    expect(told.map(({ record }) => record)).toEqual([1, 2])
    expect(told[0]?.message).toContain('Compare it with line 2 of "february.csv"')
  })

  it('says why a registered mandate is not changed by a later file', async () => {
    const ledger = running()
    admit(ledger, [{}], { name: 'march.csv' })
    await send(ledger, registered('NEW-1'))
    admit(ledger, [{ iban: OTHER_IBAN }], { name: 'april.csv' })
    expect(problemsOf(ledger.file)).toMatchObject([
      {
        ...{ source: 'april.csv', rule: 'CONTRADICTS_SENT', severity: 'error', value: 'M-1' },
        message:
          'The mandate was sent already, and this record says something else of it. It is line 2 of "march.csv", which is registered (row 1).',
        remedy:
          'Act on its line in to-do/cut-over.csv and close it with done. The record repeats the mandate from then on. Where the mandate was not sent after all, there is no such line: write "send" into migration_decision of this one if it is right, or write it off.',
      },
    ])
  })
})

describe('severities that were changed', () => {
  it.each([
    ['CONFLICT_MANDATE', [{}, { signedDate: '2021-01-01' }, {}]],
    ['DUPLICATE_MANDATE', [{}, {}]],
  ] as const)('sends only the first row with %s at warning or off', (rule, rows) => {
    for (const severity of ['warning', 'off'] as const) {
      const ledger = open()
      admit(ledger, rows, { severities: { [rule]: severity } })
      expect(statesOf(ledger.file)).toEqual(['ready', ...rows.slice(1).map(() => 'duplicate')])
      const told = problemsOf(ledger.file).filter((problem) => problem.rule === rule)
      const warned = rule === 'CONFLICT_MANDATE' ? rows : rows.slice(1)
      expect(told.map((problem) => problem.severity)).toEqual(
        severity === 'off' ? [] : warned.map(() => severity),
      )
    }
  })

  it('still protects a registered mandate with CONFLICT_MANDATE off', async () => {
    const ledger = running([{}])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [{ iban: OTHER_IBAN }], { severities: { CONFLICT_MANDATE: 'off' } })
    expect(statesOf(ledger.file)).toEqual(['registered', 'conflict'])
    expect(problemsOf(ledger.file)).toMatchObject([{ rule: 'CONTRADICTS_SENT', severity: 'error' }])
  })
})

it('a record that may be cut is no word of its own: the whole file takes its place', () =>
  expectStates('superseded ready', [{ verdict: 'conflict', rule: 'ROW_MAY_BE_CUT', iban: OTHER_IBAN }], [{}]))

/** M-1 became NEW-1. */
const AMENDED = {
  ...{ former: 'DE|09999999999|M-1', successor: 'DE|09999999999|NEW-1' },
  day: '2026-01-01' as LocalDate,
}

it('nothing tells what was refused of an erased customer, so another name of that mandate waits', async () => {
  const ledger = await played([{}], refused())
  ledger.erase({ by: 'Ada', reason: 'asked', customerNo: 1000, rowIds: [1], withOpenRows: true })
  admit(ledger, [{ reference: 'NEW-1', customerNo: 2 }], { amendments: [AMENDED] })
  expect(statesOf(ledger.file)).toEqual(['refused', 'conflict'])
})

it('what was sent under a name that a person corrected stands for the name before, too', async () => {
  const ledger = running([{ reference: 'NEW-1' }])
  admit(ledger, [{ reference: 'NEW-9', corrects: 1 }])
  await send(ledger, registered('ASSIGNED-1'))
  admit(ledger, [{ reference: 'M-1', iban: OTHER_IBAN }], { amendments: [AMENDED] })
  expect(statesOf(ledger.file)).toEqual(['superseded', 'registered', 'duplicate'])
})

it('one name that two systems have for two mandates waits, whatever is newer', () => {
  const by = (configuration: string) => ({ reading: { configuration } as never })
  const other = { customerNo: 7, iban: OTHER_IBAN, signedDate: '2020-02-02' }
  for (const isNewer of [false, true]) {
    const ledger = open()
    admit(ledger, [{}], by('a.yaml'))
    admit(ledger, [other], { ...by('b.yaml'), isNewer })
    expect(statesOf(ledger.file)).toEqual(['conflict', 'conflict'])
    expect(rowsOf(ledger.file).at(-1)).toMatchObject({ rule: 'CONFLICT_MANDATE' })
    const same = open()
    admit(same, [{}], by('a.yaml'))
    admit(same, [other], { ...by('a.yaml'), isNewer })
    expect(same.totals()).toMatchObject(isNewer ? { ready: 1 } : { conflict: 2 })
  }
})

describe('rows whose mandate cannot be told', () => {
  const unreadable: Values = { verdict: 'invalid', mandateKey: null, reference: '' }

  it('are recognised when a file comes again with the same values', () => {
    const ledger = holding([unreadable, unreadable], [unreadable, { ...unreadable, customerNo: 7 }])
    expect(statesOf(ledger.file)).toEqual(['invalid', 'invalid', 'duplicate', 'invalid'])
    expect(problemsOf(ledger.file)).toMatchObject([{ rowId: 3, rule: 'DUPLICATE_MANDATE' }])
    // One that a person closed is not open again.
    decide(ledger, 4, 'written_off')
    admit(ledger, [{ ...unreadable, customerNo: 7 }])
    expect(statesOf(ledger.file).at(-1)).toBe('duplicate')
  })

  it('are never sent twice where the rules let them be sent at all', () => {
    const odd = { creditor: 'odd', mandateKey: null }
    return expectStates('ready duplicate', [odd, { ...odd, reference: 'm-1' }])
  })
})

it('balances a file in which every row shares one reference', () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => ({ customerNo: n + 1, reference: 'NOTPROVIDED' }))
  const ledger = holding(rows)
  expect(ledger.totals()).toMatchObject({ read: 3_000, conflict: 3_000 })
  expect(ledger.view.problemCounts()).toEqual([{ rule: 'CONFLICT_MANDATE', severity: 'error', count: 3_000 }])
})

describe('12 repeats that are decided in one go', () => {
  it('12 stand in the order of their mandates among those that are decided by themselves', () => {
    const ledger = open()
    // Mandates A to D, of which B contradicts itself: row 2 is its first.
    const rows = ['D-1', 'B-2', 'A-3', 'C-4'].map((reference, at) => ({ reference, customerNo: 1_000 + at }))
    admit(ledger, [
      ...rows,
      ...rows.map((row, at) => (at === 1 ? { ...row, signedDate: '2021-07-01' } : row)),
    ])
    const [first, again] = ['ready conflict ready ready', 'duplicate conflict duplicate duplicate']
    expect(statesOf(ledger.file).join(' ')).toBe(`${first} ${again}`)
    const told = problemsOf(ledger.file).filter(({ rule }) => rule.endsWith('_MANDATE'))
    const lines = told.map(
      ({ rowId, value, message }) => `${rowId ?? 0} ${value} ${/line \d/.exec(message)?.[0] ?? ''}`,
    )
    const conflicts = ['2 B-2 line 7', '6 B-2 line 3']
    expect(lines).toEqual(['7 A-3 line 4', ...conflicts, '8 C-4 line 5', '5 D-1 line 2'])
  })

  it('12 of more mandates than a page holds are all decided', () => {
    const ledger = open()
    const rows = Array.from({ length: 1_203 }, (_, at) => ({ reference: `R${at}`, customerNo: 10_000 + at }))
    admit(ledger, [...rows, ...rows, ...rows])
    expect(ledger.totals()).toMatchObject({ ready: 1_203, duplicate: 2_406 })
  })
})

/** The same customer, account and date under another reference: a typing error that was corrected in the export. */
const RENAMED = { reference: 'M-01' } as const

describe('a mandate whose reference was corrected without its row number', () => {
  it.each([
    ['registered', registered('NEW-1')],
    ['in_doubt', inDoubt()],
  ] as const)('waits for a person where the first is %s', async (state, outcome) => {
    const { file } = await played([{}], outcome, [RENAMED])
    expect(statesOf(file)).toEqual([state, 'conflict'])
    const [problem] = problemsOf(file)
    expect(problem).toMatchObject({ rule: 'MANDATE_RESEMBLES_SENT', severity: 'error' })
    expect(problem?.message).toContain('Compare it with line 2 of "export.csv"')
    expect(problem?.remedy).toContain('write "send" into migration_decision')
  })

  it('says what else differs', () => {
    const { file } = holding([{ reference: '00M-1' }], [{ iban: OTHER_IBAN, signedDate: '2020-02-02' }])
    expect(statesOf(file)).toEqual(['conflict', 'conflict'])
    expect(problemsOf(file).at(-1)?.message).toMatch(
      /Compare it with line 2 .*\. They differ in account, date\.$/,
    )
  })

  const again = (reference: string, corrects: number): Values[] => [{ reference, corrects, iban: OTHER_IBAN }]
  const [MENDED, SENT] = [again('M-1', 1), registered('NEW-1')]
  const [A1, A3]: Values[] = [{ reference: 'A-1' }, { reference: 'A-3' }]
  it.each<[string, string, ...Step[]]>([
    ['sent with a corrected account', 'superseded registered conflict', [{}], MENDED, SENT, [RENAMED]],
    [
      'renamed twice, and sent',
      'superseded superseded registered conflict',
      ...[[{}], again('M-02', 1), again('M-03', 2), SENT, [RENAMED]],
    ],
    ['corrected, and refused so', 'superseded refused conflict', [{}], MENDED, refused(), [RENAMED]],
    ['refused with the same values', 'refused ready', [{}], refused(), [RENAMED]],
    ['still to be sent', 'conflict conflict', [{}], [RENAMED]],
    ['another reference, and has a twin', 'conflict conflict conflict', [A1!, A3!], [{ reference: '00A-3' }]],
  ])('beside a first one that is %s: %s', (_, states, ...steps) => expectStates(states, ...steps))

  it('waits where the first was in doubt before somebody called it refused', async () => {
    const clock = stoppedClock()
    const ledger = runningAt(clock, [{}])
    await send(ledger, inDoubt())
    clock.advance(LATE_REQUEST_MS)
    expect(decide(ledger, 1, 'refused').isApplied).toBe(true)
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['refused', 'conflict'])
    admit(ledger, [{ reference: 'M-02', corrects: 1 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'conflict', 'conflict'])
  })

  it('stays a warning for two rows of one command', () => {
    const { file } = holding([{}, RENAMED])
    expect(statesOf(file)).toEqual(['ready', 'ready'])
    expect(found(file, 'CUSTOMER_MULTIPLE_MANDATES')).toEqual([1, 2].map((row) => [row, 'warning']))
  })

  it('waits, each of them, where files of one command have it under different references', () => {
    const ledger = open()
    const statesAfter = (...files: readonly Values[]): readonly string[] => {
      admitTogether(ledger, ...files.map((values) => [values]))
      return statesOf(ledger.file).slice(-files.length)
    }
    const states = (...references: readonly string[]) =>
      statesAfter(...references.map((reference) => ({ reference, customerNo: references.length })))
    expect(states('00471', '471', '0471')).toEqual(['conflict', 'conflict', 'conflict'])
    const beside = /(?<=it with line 2 of ")\d(?=\.csv"\.$)/
    const told = problemsOf(ledger.file).map(({ rowId, message }) =>
      [rowId, beside.exec(message)?.[0]].join(': '),
    )
    expect(told).toEqual(['1: 1', '2: 0', '3: 0'])
    expect(states('00472', '4720')).toEqual(['conflict', 'conflict'])
    admit(ledger, [{ reference: '471', customerNo: 3, corrects: 2, isDecided: true }])
    expect(statesOf(ledger.file).slice(0, 3)).toEqual(['conflict', 'superseded', 'conflict'])
    expect(statesOf(ledger.file).at(-1)).toBe('ready')
    // Of another creditor it may be one under whatever reference.
    const creditor = creditorIdentifierOf('DE', '01234567890')
    const twice = (reference: string) =>
      statesAfter({ customerNo: 9, reference: 'M-9' }, { customerNo: 9, reference, creditor })
    expect(twice('M-9')).toEqual(['conflict', 'conflict'])
    expect(twice('M-10')[1]).toBe('conflict')
  })

  it('waits where a reference comes in another spelling, whatever account and date say', () => {
    const changed = { reference: '1471', iban: OTHER_IBAN, signedDate: '2020-01-01' } as const
    const first = { reference: '01/4.71' }
    // In one file both wait; beside what was sent, or closed by a person, the newcomer does.
    expect(statesOf(holding([first, changed]).file)).toEqual(['conflict', 'conflict'])
    expect(statesOf(holding([{ ...first, customerNo: 9 }, changed]).file)).toEqual(['ready', 'ready'])
    const ledger = holding([first])
    decide(ledger, 1, 'written_off')
    admit(ledger, [changed])
    expect(statesOf(ledger.file)).toEqual(['written_off', 'conflict'])
  })

  const contracts = (prefix: string, from: number, more: Values = {}): Values[] =>
    mandates(20).map(({ customerNo }, at) => ({
      customerNo: customerNo!,
      reference: `${prefix}-${from + at * 3}`,
      ...more,
    }))
  const LOWERED = { severities: { SECOND_CONTRACT: 'warning' } } as const

  it.each([
    ['of one creditor', {}],
    ['of two creditors', { creditor: creditorIdentifierOf('DE', '01234567890') }],
  ])('is told once where a large part of an export may be second contracts, %s', (_, more) => {
    const ledger = holding(contracts('GAS', 100))
    admit(ledger, [...contracts('POWER', 7_000, more), ...mandates(5, 900)], { name: 'power.csv' })
    const held = rowsOf(ledger.file).filter(({ state }) => state === 'conflict')
    expect(held).toHaveLength(40)
    const [told, ...rest] = problemsOf(ledger.file).filter(({ rule }) => rule === 'SECOND_CONTRACT')
    expect(rest).toEqual([])
    expect(told).toMatchObject({ rowId: null, source: 'power.csv', severity: 'warning' })
    expect(told?.message).toMatch(/20 of 25 rows .*"POWER-7000" .*line 2 of "export\.csv"/)
    expect(told?.remedy).toContain('rules: { SECOND_CONTRACT: warning }')
  })

  it('lets second contracts go where somebody said so, each with a warning, and holds what may be one reference', () => {
    const ledger = holding(contracts('GAS', 100), [{ customerNo: 99, reference: 'M-4-88' }])
    const respelt = [
      { customerNo: 1, reference: 'gas 0100' },
      { customerNo: 2, reference: '103' },
      { customerNo: 3, reference: '2024/GAS/106' },
      { customerNo: 4, reference: 'GAS-109', creditor: creditorIdentifierOf('DE', '01234567890') },
      { customerNo: 99, reference: '88' },
    ]
    admit(ledger, [...respelt, ...contracts('POWER', 7_000).slice(4)], LOWERED)
    const gone = Array.from({ length: 16 }, (_, at) => 27 + at)
    const states = [...respelt.map(() => 'conflict'), ...gone.map(() => 'ready')]
    expect(statesOf(ledger.file).slice(21)).toEqual(states)
    expect(found(ledger.file, 'SECOND_CONTRACT')).toEqual(gone.map((row) => [row, 'warning']))
    // The oldest one is another contract, and a younger one is the same.
    admit(ledger, [{ customerNo: 9, reference: '7024' }], LOWERED)
    expect(statesOf(ledger.file).at(-1)).toBe('conflict')
  })

  it.each(['invalid', 'conflict', 'excluded'] as const)(
    'beside a row that somebody gave another reference, and that is %s, "send" lets the former one go, as it is told',
    (verdict) => {
      const ledger = holding([{}], [{ reference: 'B-9', corrects: 1, verdict }], [{ iban: OTHER_IBAN }])
      expect(statesOf(ledger.file)).toEqual(['superseded', verdict, 'conflict'])
      const { message, remedy } = problemsOf(ledger.file).findLast(({ rowId }) => rowId === 3)!
      expect(message).toContain('The ledger holds this mandate with other data')
      expect(remedy).toBe(
        'A person corrected it. If these data are right, write "send" into migration_decision of the line and give it back.',
      )
      admit(ledger, [{ iban: OTHER_IBAN, corrects: 3, isDecided: true }])
      expect(statesOf(ledger.file)).toEqual(['superseded', verdict, 'superseded', 'ready'])
    },
  )

  it('lets them go where that is said later, and they are read again', () => {
    const ledger = holding(contracts('GAS', 100))
    const power = [...contracts('POWER', 7_000).slice(1), { customerNo: 1, reference: 'GAS/100' }]
    admit(ledger, power)
    expect(statesOf(ledger.file)).toEqual(Array.from({ length: 40 }, () => 'conflict'))
    const again = (rows: readonly Values[], from: number, source: number): unknown =>
      admit(
        ledger,
        rows.map((row, at) => ({ ...row, corrects: from + at })),
        { ...LOWERED, kind: 'export', again: source },
      )
    again(power, 21, 2)
    expect(statesOf(ledger.file).slice(40)).toEqual([...power.slice(1).map(() => 'ready'), 'conflict'])
    again(contracts('GAS', 100), 1, 1)
    expect(statesOf(ledger.file).slice(60)).toEqual(['conflict', ...power.slice(1).map(() => 'ready')])
  })

  it('says nothing of the file where few resemble others, or as another spelling', () => {
    const ledger = holding(contracts('GAS', 100), [
      ...contracts('POWER', 7_000).slice(18),
      ...mandates(18, 900),
    ])
    expect(problemsOf(ledger.file).filter(({ rule }) => rule === 'SECOND_CONTRACT')).toEqual([])
    const respelt = contracts('gas', 100).map((row) => ({
      ...row,
      reference: row.reference!.replace('-', '/'),
    }))
    const spelt = holding(contracts('GAS', 100), respelt)
    expect(statesOf(spelt.file)).not.toContain('ready')
    expect(problemsOf(spelt.file).filter(({ rule }) => rule === 'SECOND_CONTRACT')).toEqual([])
  })

  const wrong = (values: Values): Values => ({ ...values, verdict: 'invalid', values: { iban: null } })

  it('waits, each of them, where one file corrects rows of two exports to the same, until a person says which', () => {
    const ledger = open()
    for (const row of [{}, RENAMED]) admit(ledger, [wrong(row)])
    admit(ledger, [{ corrects: 1 }, { ...RENAMED, corrects: 2 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'conflict', 'conflict'])
    expect(found(ledger.file, 'MANDATE_RESEMBLES_SENT')).toEqual([3, 4].map((row) => [row, 'error']))
    admit(ledger, [{ corrects: 3, isDecided: true }])
    expect(statesOf(ledger.file).slice(2)).toEqual(['superseded', 'conflict', 'ready'])
  })

  const INVALID = { verdict: 'invalid', values: { iban: null } } as const
  const LATER = [{ reference: '0M1', signedDate: '2020-02-01' }]
  it.each<[string, string, Step[]]>([
    ['cannot be read', 'invalid registered', [[INVALID], [{ reference: 'M1' }], SENT, LATER]],
    [
      'was refused',
      'refused registered',
      [[{}], refused(), [{ reference: 'M1' }], SENT, [{ reference: '0M1' }]],
    ],
    [
      'was corrected to one that was sent',
      'superseded registered duplicate',
      [[INVALID, { reference: 'OLD' }], [{ reference: 'OLD', corrects: 1 }], SENT, LATER],
    ],
  ])('waits beside the next one that was sent, where the first spelling of it %s', (_, states, steps) =>
    expectStates(`${states} conflict`, ...steps),
  )

  it('tells that a mandate which was sent has ended under another name, though a third one had before', async () => {
    const ended = (reference: string): Values[] => [{ reference, verdict: 'excluded' }]
    const ledger = await played(ended('M-1'), [{ reference: 'M1' }])
    admit(ledger, [{ reference: 'M1', corrects: 2, isDecided: true }])
    await send(ledger, registered('NEW-1'))
    admit(ledger, ended('0M1'))
    expect(rowsOf(ledger.file).at(-1)).toMatchObject({ state: 'conflict', rule: 'CONTRADICTS_SENT' })
  })

  const SPELT: Values = { reference: '00m1', customerNo: 7, signedDate: '2020-02-01' }

  it('goes in the place of one that was refused once it is called newer', async () => {
    const waiting = await played([{}], refused(), [SPELT])
    expect(rowsOf(waiting.file).at(-1)).toMatchObject({ state: 'conflict', rule: 'EXPORT_ORDER_UNKNOWN' })
    expect(waiting.retryRefused('Ada')).toBe(0)
    const ledger = await played([{}], refused())
    admit(ledger, [SPELT], { isNewer: true })
    expect(statesOf(ledger.file)).toEqual(['refused', 'ready'])
    expect(ledger.retryRefused('Ada')).toBe(0)
    await send(ledger, registered('NEW-1'))
    expect(ledger.retryRefused('Ada')).toBe(0)
    // The refused one goes beside it by the word of a person alone.
    admit(ledger, [{ signedDate: '2020-05-15', corrects: 1 }])
    expect(statesOf(ledger.file).at(-1)).toBe('conflict')
    admit(ledger, [{ signedDate: '2020-05-15', corrects: 3, isDecided: true }])
    expect(statesOf(ledger.file).at(-1)).toBe('ready')
  })

  it('waits beside one that was sent after all, or closed in doubt', async () => {
    const ledger = await played([{}], refused())
    ledger.retryRefused('Ada')
    await send(ledger, registered('NEW-1'))
    const closed = await played([{}], inDoubt())
    decide(closed, 1, 'written_off')
    for (const isNewer of [false, true])
      for (const held of [ledger, closed]) {
        admit(held, [SPELT], { isNewer })
        expect(held.totals()).toMatchObject({ ready: 0, conflict: 1 })
      }
  })

  it('waits for a person where one of them has ended', async () => {
    const ended: Values[] = [{ verdict: 'excluded' }]
    for (const files of [
      [ended, [SPELT]],
      [[SPELT], ended],
    ]) {
      const ledger = holding(...files)
      const waits = rowsOf(ledger.file).find(({ state }) => state === 'conflict')
      expect([waits?.rule, ledger.totals().ready]).toEqual(['MANDATE_ENDED_ELSEWHERE', 0])
      admit(ledger, [{ ...SPELT, corrects: waits!.id, isDecided: true }])
      expect(ledger.totals()).toMatchObject({ ready: 1, conflict: 0 })
    }
    const sent = await played([SPELT], registered('NEW-1'), ended)
    expect(rowsOf(sent.file).at(-1)).toMatchObject({ state: 'conflict', rule: 'CONTRADICTS_SENT' })
  })

  it('goes under a lowered rule, with a warning', () => {
    const ledger = open()
    const twins = [{}, { reference: 'M1', customerNo: 7 }]
    admit(ledger, twins, { severities: { MANDATE_RESEMBLES_SENT: 'warning' } })
    expect(statesOf(ledger.file)).toEqual(['ready', 'ready'])
    expect(found(ledger.file, 'MANDATE_RESEMBLES_SENT')).toEqual([1, 2].map((row) => [row, 'warning']))
  })

  it('stays a warning where one file corrects two rows of one export', () => {
    const ledger = open()
    admit(ledger, [wrong({}), wrong(RENAMED)])
    admit(ledger, [{ corrects: 1 }, { ...RENAMED, corrects: 2 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'ready', 'ready'])
  })

  it('goes once a person wrote that it is a second mandate, and not by giving it back as it is', async () => {
    const again = { ...RENAMED, corrects: 2, isUnchanged: true }
    const ledger = await played([{}], registered('NEW-1'), [RENAMED], [again])
    expect(statesOf(ledger.file)).toEqual(['registered', 'conflict', 'duplicate'])
    admit(ledger, [{ ...RENAMED, corrects: 2, isDecided: true }])
    expect(statesOf(ledger.file)).toEqual(['registered', 'superseded', 'superseded', 'ready'])
    expect(ledger.totals()).toMatchObject({ read: 2, resubmitted: 2, registered: 1, ready: 1, conflict: 0 })
  })
})

const found = (file: string, rule: string) =>
  problemsOf(file)
    .filter((problem) => problem.rule === rule)
    .map(({ rowId, severity }) => [rowId, severity])

describe('a record with a value that cannot be read', () => {
  const NO_DATE: Values = { verdict: 'invalid', values: { signedDate: null } }

  it('gives way to one that can be read, and keeps its place beside another one with another account', async () => {
    for (const values of [{ iban: null }, { signedDate: null }, { customerNo: null }])
      await expectStates('superseded ready duplicate', [{ verdict: 'invalid', values }], [{}], [{}])
    await expectStates('invalid invalid', [{ ...NO_DATE, iban: OTHER_IBAN }], [NO_DATE])
  })

  it.each<[string, Values, 'export' | 'list']>([
    ['account', { iban: OTHER_IBAN }, 'export'],
    ['customer', { customerNo: 7 }, 'export'],
    ['account, in a list that names no row', { iban: OTHER_IBAN }, 'list'],
  ])('is replaced by none with another %s, until somebody says that it is newer', (_, other, kind) => {
    const ledger = holding([{ ...NO_DATE, ...other }])
    admit(ledger, [{}], { kind })
    expect(rowsOf(ledger.file).at(-1)).toMatchObject({ state: 'conflict', rule: 'EXPORT_ORDER_UNKNOWN' })
    if (kind === 'list') return
    admit(ledger, [{}], { isNewer: true })
    expect(ledger.totals()).toMatchObject({ ready: 1, invalid: 0, conflict: 0 })
  })
})

describe('CUSTOMER_MULTIPLE_MANDATES', () => {
  const rows = [{}, { reference: 'M-2' }, { reference: 'M-3', customerNo: 7 }]

  it('makes all rows of that customer invalid where it is an error', () => {
    const ledger = open()
    admit(ledger, rows, { severities: { CUSTOMER_MULTIPLE_MANDATES: 'error' } })
    expect(statesOf(ledger.file)).toEqual(['invalid', 'invalid', 'ready'])
    expect(found(ledger.file, 'CUSTOMER_MULTIPLE_MANDATES')).toEqual([1, 2].map((row) => [row, 'error']))
  })

  it('counts only rows that would be sent', () => {
    const ledger = holding([
      {},
      {},
      { reference: 'M-2', verdict: 'invalid' },
      { reference: 'M-3', verdict: 'excluded' },
    ])
    expect(found(ledger.file, 'CUSTOMER_MULTIPLE_MANDATES')).toEqual([])
  })

  it.each([
    ['ready', [], [[2, 'warning']]],
    ['registered', [registered('NEW-1')], [[2, 'warning']]],
    ['in doubt', [inDoubt()], [[2, 'warning']]],
    ['refused', [refused()], []],
  ])('sees a mandate of an earlier file that is %s', async (_, outcomes, problems) => {
    const { file } = await played([{}], ...outcomes, [{ reference: 'M-2', signedDate: '2021-02-28' }])
    expect(found(file, 'CUSTOMER_MULTIPLE_MANDATES')).toEqual(problems)
  })
})

describe('an export without a column by which an earlier one kept rows back', () => {
  const ended: Values = {
    verdict: 'excluded',
    findings: findingOf('STATUS_NOT_ACTIVE', {}, { field: 'status', value: 'ended' }),
  }
  const withStatus = { header: [...HEADER, 'status'], columns: { ...COLUMNS, status: 'status' } }

  it('does not bring their mandates back; one that has it does', () => {
    const ledger = open()
    admit(ledger, [ended], withStatus)
    admit(ledger, [{}])
    expect(statesOf(ledger.file)).toEqual(['excluded', 'conflict'])
    admit(ledger, [{}], { isNewer: true })
    expect(statesOf(ledger.file)).toEqual(['excluded', 'conflict', 'duplicate'])
    admit(ledger, [{}], { ...withStatus, isNewer: true })
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'superseded', 'ready'])
  })

  it('does not bring back what an exclude rule kept back, or what a value in it made invalid', () => {
    const ledger = open()
    const header = [...HEADER, 'austritt']
    const reading = { exclude: [{ column: 'Austritt', reason: 'left' }] }
    const [first, second] = mandates(2)
    const left = { verdict: 'excluded', rule: 'EXCLUDED_BY_CONFIGURATION' } as const
    const gone = mandates(2).map((row) => ({ ...row, ...left }))
    admit(ledger, gone, { header, reading })
    admit(ledger, [first!])
    admit(ledger, [second!], { header, reading, isNewer: true })
    expect(statesOf(ledger.file)).toEqual(['excluded', 'superseded', 'conflict', 'ready'])
    // A column that is told by its position has no name that could be gone.
    const numbered = { header, reading: { exclude: [{ column: 6, reason: 'left' }] } }
    const ledgerOf6 = open()
    admit(ledgerOf6, [left], numbered)
    admit(ledgerOf6, [{}], { ...numbered, isNewer: true })
    expect(statesOf(ledgerOf6.file)).toEqual(['superseded', 'ready'])
    const before = findingOf('LAST_COLLECTION_BEFORE_SIGNATURE', {}, { field: 'last_collection_date' })
    const dated = { header: [...HEADER, 'last'], columns: { ...COLUMNS, last_collection_date: 'last' } }
    admit(ledger, [{ customerNo: 3, reference: 'M-3', verdict: 'invalid', findings: before }], dated)
    admit(ledger, [{ customerNo: 3, reference: 'M-3' }])
    expect(statesOf(ledger.file).slice(4)).toEqual(['invalid', 'conflict'])
  })

  it('lets them go where the column is there, and somebody said that it means something else', () => {
    const ledger = open()
    admit(ledger, [ended], withStatus)
    admit(ledger, [{}], { header: withStatus.header, isNewer: true })
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready'])
  })

  const UNKNOWN = findingOf('STATUS_UNKNOWN', {}, { field: 'status', value: 'XK7' })
  it('brings none back whose record cannot be read and may have ended, before it is called newer', () => {
    const ledger = open()
    const unread: Values = { verdict: 'invalid', iban: OTHER_IBAN, values: { iban: null }, findings: UNKNOWN }
    admit(ledger, [unread], withStatus)
    admit(ledger, [{}], withStatus)
    expect(rowsOf(ledger.file).at(-1)).toMatchObject({ state: 'conflict', rule: 'MANDATE_ENDED_ELSEWHERE' })
    admit(ledger, [{}], { ...withStatus, isNewer: true })
    expect(ledger.totals()).toMatchObject({ ready: 1, invalid: 0, conflict: 0 })
  })

  it.each<[string, Values]>([
    ['has a word that nobody knows', { verdict: 'conflict', findings: UNKNOWN }],
    ['has ended', ended],
  ])('nor what somebody corrects beside a record that %s, without "send"', (_, beside) => {
    const ledger = open()
    admit(ledger, [beside], withStatus)
    admit(ledger, [{ verdict: 'invalid', signedDate: '2029-01-01' }])
    admit(ledger, [{ corrects: 2 }])
    expect(rowsOf(ledger.file).at(-1)).toMatchObject({ state: 'conflict', rule: 'MANDATE_ENDED_ELSEWHERE' })
    admit(ledger, [{ corrects: 2, isDecided: true }])
    expect(ledger.totals()).toMatchObject({ ready: 1, conflict: 0, excluded: 0 })
    const renamed = open()
    admit(renamed, [beside], withStatus)
    admit(renamed, [{}])
    admit(renamed, [{ reference: 'REF-4711', corrects: 2 }])
    expect(renamed.totals()).toMatchObject({ ready: 0 })
  })

  it('lets one go beside which a person wrote so', () => {
    const ledger = open()
    admit(ledger, [ended], withStatus)
    admit(ledger, [{}])
    admit(ledger, [{ corrects: 2, isDecided: true }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'ready'])
  })
})

describe('a row that was corrected', () => {
  const corrected = { iban: OTHER_IBAN, corrects: 1 }

  it('stays so where the next export has what it was before', () => {
    expect(statesOf(holding([{}], [corrected], [{}]).file)).toEqual(['superseded', 'ready', 'duplicate'])
  })

  it.each([false, true])('waits where an export has something else again, newer: %s', (isNewer) => {
    const ledger = holding([{}], [corrected])
    admit(ledger, [{ signedDate: '2019-01-01' }], { isNewer })
    expect(statesOf(ledger.file)).toEqual(['superseded', 'conflict', 'conflict'])
  })
})

/** It was collected so that it lapses after this day. */
const admitDue = (ledger: Ledger, day: string, values: Values = {}) =>
  admit(ledger, [{ ...values, latestFirstDebit: day as LocalDate }])

/** What lapses by a day is held. */
function holdLapsed(ledger: Ledger, day: string): void {
  const admission = ledger.admit({ severities: {} })
  admission.compareEarlier(day)
  admission.commit()
}

describe('a row that says the same of its mandate as one that waits', () => {
  it('takes its place where the mandate was collected later', () => {
    const ledger = open()
    for (const day of ['2027-01-10', '2027-03-10', '2027-02-10']) admitDue(ledger, day)
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready', 'duplicate'])
  })

  it('does not bring a refused row or what was corrected back', async () => {
    const ledger = running()
    admitDue(ledger, '2027-01-10')
    admitDue(ledger, '2027-01-11', { customerNo: 2, reference: 'M-2' })
    await send(ledger, refused())
    admit(ledger, [{ customerNo: 2, reference: 'M-2', iban: OTHER_IBAN, corrects: 2 }])
    admitDue(ledger, '2027-03-10')
    admitDue(ledger, '2027-03-11', { customerNo: 2, reference: 'M-2' })
    expect(statesOf(ledger.file)).toEqual(['refused', 'superseded', 'ready', 'duplicate', 'duplicate'])
  })
})

it('a row that lapses while it waits does not leave', () => {
  const ledger = open()
  admitDue(ledger, '2027-01-10')
  holdLapsed(ledger, '2027-01-10')
  expect(statesOf(ledger.file)).toEqual(['ready'])
  holdLapsed(ledger, '2027-01-11')
  expect(statesOf(ledger.file)).toEqual(['conflict'])
  expect(found(ledger.file, 'MANDATE_DORMANT')).toEqual([[1, 'error']])
})

it('a row that nobody is known to have collected does not lapse by its signature', () => {
  const ledger = open()
  admitDue(ledger, '2027-01-31', { signedDate: '2024-01-31' })
  holdLapsed(ledger, '2027-02-01')
  expect(statesOf(ledger.file)).toEqual(['ready'])
})

describe('a record that could not be read and is read again', () => {
  const BAD = { values: { iban: null }, verdict: 'invalid' } as const
  const again = (ledger: Ledger): string[] => {
    admit(ledger, [{ corrects: 2 }], { again: 2, sha256: 'again' })
    return statesOf(ledger.file)
  }

  it('lets go what waited for it alone', () => {
    const ledger = holding([{}], [BAD])
    expect(statesOf(ledger.file)).toEqual(['conflict', 'invalid'])
    expect(again(ledger)).toEqual(['superseded', 'superseded', 'ready'])
    const beside = holding([{}], [BAD], [{ iban: OTHER_IBAN }])
    expect(again(beside)).toEqual(['conflict', 'superseded', 'conflict', 'duplicate'])
  })
})

describe('a correction to what the ledger holds already', () => {
  it.each([
    ['', false, 1],
    ['send', true, 0],
  ])('answers the record that said something else of a refused one (%s)', async (_, isDecided, retried) => {
    const ledger = await played([{}], refused(), [{ iban: OTHER_IBAN }])
    expect([statesOf(ledger.file)[1], ledger.retryRefused('Ada')]).toEqual(['conflict', 0])
    admit(ledger, [{ corrects: 2, isDecided }])
    expect(ledger.totals()).toMatchObject({ conflict: 0, ready: isDecided ? 1 : 0 })
    expect(ledger.retryRefused('Ada')).toBe(retried)
  })

  it.each<[string, Values]>([
    ['another date', { signedDate: '2020-02-02' }],
    ['a typing error, too', { signedDate: '2020-02-02', verdict: 'invalid', values: { iban: null } }],
  ])('answers the record that said something else of one that was written off (%s)', async (_, said) => {
    const ledger = await played([{}], refused())
    decide(ledger, 1, 'written_off')
    admit(ledger, [said])
    admit(ledger, [{ corrects: 2 }])
    expect(ledger.totals()).toMatchObject({ writtenOff: 1, conflict: 0, invalid: 0, ready: 0 })
    expect(ledger.retryRefused('Ada')).toBe(0)
  })

  it('decides nothing about a conflict whose reference it gives to another row', () => {
    const files: Values[][] = [[{}], [{ verdict: 'conflict' }], [{ reference: '00M-1' }]]
    for (const order of [files, files.toReversed()]) {
      const ledger = holding(...order)
      admit(ledger, [{ corrects: order.indexOf(files[2]!) + 1 }])
      expect(ledger.totals()).toMatchObject({ ready: 0 })
    }
  })
})

it.each([false, true])(
  'a record that cannot be read, of a status that nobody knows, speaks under its other spelling, first: %s',
  (isFirst) => {
    const wrong: Values = { verdict: 'invalid', values: { iban: null } }
    const findings = findingOf('STATUS_UNKNOWN', {}, { field: 'status', value: 'S' })
    const unclear: Values[] = [{ ...wrong, reference: '00M-1', findings }]
    const ledger = isFirst ? holding(unclear, [wrong]) : holding([wrong], unclear)
    expect(statesOf(holding([{}], unclear).file)).toEqual(['conflict', 'invalid'])
    admit(ledger, [{ corrects: isFirst ? 2 : 1 }])
    expect(rowsOf(ledger.file).at(-1)).toMatchObject({ state: 'conflict', rule: 'MANDATE_ENDED_ELSEWHERE' })
  },
)

it('what was refused and erased goes as a newer export has it, by the word of a person', async () => {
  const ledger = await played([{}], refused())
  ledger.erase({ by: 'Ada', reason: 'asked', customerNo: 1000, rowIds: [1], withOpenRows: true })
  admit(ledger, [{}], { isNewer: true })
  expect(statesOf(ledger.file)).toEqual(['refused', 'conflict'])
  admit(ledger, [{ corrects: 2, isDecided: true }])
  expect(ledger.totals()).toMatchObject({ ready: 1, conflict: 0 })
})

it('the word beside a row that contradicts another says nothing of a mandate that was sent since under another reference', async () => {
  const rows = [{}, { iban: OTHER_IBAN }]
  const ledger = await played([{ reference: 'NEW-M-1' }], registered('NEW-1'), rows)
  expect(statesOf(ledger.file)).toEqual(['registered', 'conflict', 'conflict'])
  admit(ledger, [{ corrects: 2, isDecided: true }])
  expect(statesOf(ledger.file).at(-1)).toBe('conflict')
  expect(found(ledger.file, 'MANDATE_RESEMBLES_SENT')).toEqual([[4, 'error']])
})

describe('MANDATE_NEAR_DUPLICATE', () => {
  const random = seeded(7)
  const spelled = (from: number, references: readonly string[]) =>
    references.map((reference, index) => ({ reference, customerNo: from + index, iban: inventIban(random) }))

  it.each([
    [['M 1', 'M1', 'M2'], [], [1, 2]],
    [['M 12', 'M1 2'], [], [1, 2]],
    [['M 1', 'M 2', 'M3'], [], []],
    [['M 1'], ['M1'], [2]],
  ])('of the references %j, then %j: the rows %j', (earlier, later, rows) => {
    const { file } = holding(spelled(100, earlier), spelled(500, later))
    expect(found(file, 'MANDATE_NEAR_DUPLICATE')).toEqual(rows.map((row) => [row, 'warning']))
  })

  it('holds the rows back where it is an error', () => {
    const ledger = open()
    admit(ledger, spelled(100, ['M 1', 'M1', 'M2']), { severities: { MANDATE_NEAR_DUPLICATE: 'error' } })
    expect(statesOf(ledger.file)).toEqual(['invalid', 'invalid', 'ready'])
  })

  it('does not take duplicates of one spelling for two', () => {
    const { file } = holding([{ reference: 'M 1' }, { reference: 'm 1' }])
    expect(statesOf(file)).toEqual(['ready', 'duplicate'])
    expect(found(file, 'MANDATE_NEAR_DUPLICATE')).toEqual([])
  })
})

describe('IBAN_SHARED', () => {
  const family = [
    {},
    { reference: 'M-2', customerNo: 2 },
    { reference: 'M-3', customerNo: 3, iban: OTHER_IBAN },
  ]

  it('names the rows of customers who share an account, masked', () => {
    const ledger = open()
    admit(ledger, family, { severities: { IBAN_SHARED: 'warning' } })
    expect(problemsOf(ledger.file)).toMatchObject([
      { rowId: 1, rule: 'IBAN_SHARED', column: 'iban', value: 'DE…3000' },
      { rowId: 2, rule: 'IBAN_SHARED', column: 'iban', value: 'DE…3000' },
    ])
  })

  it('still sees an account whose row is registered', async () => {
    const ledger = await played([{}], registered('NEW-1'))
    admit(ledger, [{ reference: 'M-2', customerNo: 2 }], { severities: { IBAN_SHARED: 'warning' } })
    expect(found(ledger.file, 'IBAN_SHARED')).toEqual([[2, 'warning']])
  })
})
