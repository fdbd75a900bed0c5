import { describe, expect, it } from 'vitest'
import {
  admit,
  decide,
  expectStates,
  holding,
  inDoubt,
  open,
  OTHER_IBAN,
  played,
  refused,
  registered,
  runningAt,
  send,
  stoppedClock,
} from '../campaign-setup.js'
import { problemsOf, statesOf } from '../ledger-views.js'
import { LATE_REQUEST_MS } from '../../../src/domain/row/row-state.js'

/** The same customer, account and date under another reference: a typing error that was corrected in the export. */
const RENAMED = { reference: 'M-01' } as const

describe('8.3.5 a mandate whose reference was corrected without its row number', () => {
  it.each([
    ['registered', registered('NEW-1')],
    ['in_doubt', inDoubt()],
  ] as const)('waits for a person where the first is %s', async (state, outcome) => {
    const { file } = await played([{}], outcome, [RENAMED])
    expect(statesOf(file)).toEqual([state, 'conflict'])
    const [problem] = problemsOf(file)
    expect(problem).toMatchObject({ rule: 'MANDATE_RESEMBLES_SENT', severity: 'error' })
    expect(problem?.message).toContain('Compare it with record 1 of "export.csv"')
    expect(problem?.remedy).toContain('write "send" into migration_decision')
  })

  const MENDED = { iban: OTHER_IBAN } as const
  it('waits where the first was registered with a corrected account, and comes back as it was before', () =>
    expectStates('superseded registered conflict', [{}], [MENDED], registered('NEW-1'), [RENAMED]))

  it('waits where the first was replaced under another reference, and that one was registered', () => {
    const [second, third] = ['M-02', 'M-03'].map((reference, at) => ({
      ...MENDED,
      reference,
      corrects: at + 1,
    }))
    const states = 'superseded superseded registered conflict'
    return expectStates(states, [{}], [second!], [third!], registered('NEW-1'), [RENAMED])
  })

  it('goes where what took its place was refused by the service', () =>
    expectStates('superseded refused ready', [{}], [MENDED], refused(), [RENAMED]))

  it('waits where the first is still to be sent by an earlier command', () =>
    expectStates('ready conflict', [{}], [RENAMED]))

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

  it('goes where the first was refused by the service itself', () =>
    expectStates('refused ready', [{}], refused(), [RENAMED]))

  it('stays a warning for two rows of one command', () => {
    const { file } = holding([{}, RENAMED])
    expect(statesOf(file)).toEqual(['ready', 'ready'])
    expect(found(file, 'CUSTOMER_MULTIPLE_MANDATES')).toEqual([1, 2].map((row) => [row, 'warning']))
  })

  it.each([{ iban: OTHER_IBAN }, { signedDate: '2020-02-01' }, { customerNo: 1001 }])(
    'goes with %j',
    (other) => expectStates('registered ready', [{}], registered('NEW-1'), [{ ...RENAMED, ...other }]),
  )

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

describe('CUSTOMER_MULTIPLE_MANDATES', () => {
  const rows = [{}, { reference: 'M-2' }, { reference: 'M-3', customerNo: 7 }]

  it('makes all rows of that customer invalid where it is an error', () => {
    const ledger = open()
    admit(ledger, rows, { severities: { CUSTOMER_MULTIPLE_MANDATES: 'error' } })
    expect(statesOf(ledger.file)).toEqual(['invalid', 'invalid', 'ready'])
    expect(found(ledger.file, 'CUSTOMER_MULTIPLE_MANDATES')).toEqual([
      [1, 'error'],
      [2, 'error'],
    ])
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

describe('MANDATE_NEAR_DUPLICATE', () => {
  const spelled = (from: number, references: readonly string[]) =>
    references.map((reference, index) => ({ reference, customerNo: from + index }))

  it.each([
    [['M 1', 'M1', 'M2'], [], [1, 2]],
    [['M 12', 'M1 2'], [], [1, 2]],
    [['M 1', 'M 2', 'M3'], [], []],
    [['M 1'], ['M1'], [2]],
    [['M1'], ['M 1'], [2]],
    [['M 12'], ['M1 2'], [2]],
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

  it('is off by default', () => {
    expect(problemsOf(holding(family).file)).toEqual([])
  })

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
