import { describe, expect, it } from 'vitest'
import {
  admit,
  holding,
  IBAN,
  inDoubt,
  open,
  OTHER_IBAN,
  refused,
  registered,
  running,
  send,
  stoppedClock,
  runningAt,
  decide,
} from '../campaign-setup.js'
import { problemsOf, statesOf } from '../ledger-views.js'
import { LATE_REQUEST_MS } from '../../../src/domain/row/row-state.js'

/** The same customer, account and date under another reference: a typing error that was corrected in the export. */
const RENAMED = { reference: 'M-01' } as const

async function sent(outcome: Parameters<typeof send>[1], clock = stoppedClock()) {
  const ledger = runningAt(clock, [{}])
  await send(ledger, outcome)
  return ledger
}

describe('8.3.5 a mandate whose reference was corrected without its row number', () => {
  it.each([
    ['registered', registered('NEW-1')],
    ['in_doubt', inDoubt()],
  ] as const)('waits for a person where the first is %s', async (state, outcome) => {
    const ledger = await sent(outcome)
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual([state, 'conflict'])
    const [problem] = problemsOf(ledger.file)
    expect(problem).toMatchObject({ rule: 'MANDATE_RESEMBLES_SENT', severity: 'error' })
    expect(problem?.message).toContain('Compare it with record 1 of "export.csv"')
    expect(problem?.remedy).toContain('write "send" into migration_decision')
  })

  it('waits where the first was registered with a corrected account, and comes back as it was before', async () => {
    const ledger = running([{}], [{ iban: OTHER_IBAN }])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'registered', 'conflict'])
  })

  it('waits where the first was replaced under another reference, and that one was registered', async () => {
    const ledger = running(
      [{}],
      [{ iban: OTHER_IBAN, reference: 'M-02', corrects: 1 }],
      [{ iban: OTHER_IBAN, reference: 'M-03', corrects: 2 }],
    )
    await send(ledger, registered('NEW-1'))
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'registered', 'conflict'])
  })

  it('goes where what took its place was refused by the service', async () => {
    const ledger = running([{}], [{ iban: OTHER_IBAN }])
    await send(ledger, refused())
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'refused', 'ready'])
  })

  it('waits where the first is still to be sent by an earlier command', () => {
    const ledger = holding([{}], [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['ready', 'conflict'])
  })

  it('waits where the first was in doubt before somebody called it refused', async () => {
    const clock = stoppedClock()
    const ledger = await sent(inDoubt(), clock)
    clock.advance(LATE_REQUEST_MS)
    expect(decide(ledger, 1, 'refused').isApplied).toBe(true)
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['refused', 'conflict'])
    admit(ledger, [{ reference: 'M-02', corrects: 1 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'conflict', 'conflict'])
  })

  it('goes where the first was refused by the service itself', async () => {
    const ledger = await sent(refused())
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['refused', 'ready'])
  })

  it('stays a warning for two rows of one command', () => {
    const ledger = holding([{}, RENAMED])
    expect(statesOf(ledger.file)).toEqual(['ready', 'ready'])
    expect(problemsOf(ledger.file).map(({ rule }) => rule)).toContain('CUSTOMER_MULTIPLE_MANDATES')
  })

  it.each([
    ['account', { iban: OTHER_IBAN }],
    ['date', { signedDate: '2020-02-01' }],
    ['customer', { customerNo: 1001 }],
  ])('goes with another %s', async (_, other) => {
    const ledger = await sent(registered('NEW-1'))
    admit(ledger, [{ ...RENAMED, ...other }])
    expect(statesOf(ledger.file)).toEqual(['registered', 'ready'])
  })

  it('goes once a person wrote that it is a second mandate, and not by giving it back as it is', async () => {
    const ledger = await sent(registered('NEW-1'))
    admit(ledger, [RENAMED])
    admit(ledger, [{ ...RENAMED, corrects: 2, isUnchanged: true }])
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

  it('warns each row of a customer with two mandates', () => {
    const ledger = holding(rows)
    expect(found(ledger.file, 'CUSTOMER_MULTIPLE_MANDATES')).toEqual([
      [1, 'warning'],
      [2, 'warning'],
    ])
    expect(statesOf(ledger.file)).toEqual(['ready', 'ready', 'ready'])
  })

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
    ['ready', null, [[2, 'warning']]],
    ['registered', registered('NEW-1'), [[2, 'warning']]],
    ['in doubt', inDoubt(), [[2, 'warning']]],
    ['refused', refused(), []],
  ])('sees a mandate of an earlier file that is %s', async (_, outcome, problems) => {
    const ledger = running([{}])
    if (outcome !== null) await send(ledger, outcome)
    admit(ledger, [{ reference: 'M-2', signedDate: '2021-02-28' }])
    expect(found(ledger.file, 'CUSTOMER_MULTIPLE_MANDATES')).toEqual(problems)
  })
})

describe('MANDATE_NEAR_DUPLICATE', () => {
  const spelled = (...references: string[]) =>
    references.map((reference, index) => ({ reference, customerNo: 100 + index }))

  it.each([
    ['with and without a blank', ['M 1', 'M1', 'M2'], [1, 2]],
    ['with blanks in different places', ['M 12', 'M1 2'], [1, 2]],
    ['that really differ', ['M 1', 'M 2', 'M3'], []],
  ])('looks at references %s', (_, references, rows) => {
    const ledger = holding(spelled(...references))
    expect(found(ledger.file, 'MANDATE_NEAR_DUPLICATE').map(([row]) => row)).toEqual(rows)
  })

  it.each([
    ['M 1', 'M1'],
    ['M1', 'M 1'],
    ['M 12', 'M1 2'],
  ])('sees the other spelling in an earlier file (%s, then %s)', (earlier, later) => {
    const ledger = holding(spelled(earlier), [{ reference: later, customerNo: 500 }])
    expect(found(ledger.file, 'MANDATE_NEAR_DUPLICATE')).toEqual([[2, 'warning']])
  })

  it('holds the rows back where it is an error', () => {
    const ledger = open()
    admit(ledger, spelled('M 1', 'M1', 'M2'), { severities: { MANDATE_NEAR_DUPLICATE: 'error' } })
    expect(statesOf(ledger.file)).toEqual(['invalid', 'invalid', 'ready'])
  })

  it('does not take duplicates of one spelling for two', () => {
    const ledger = holding([{ reference: 'M 1' }, { reference: 'm 1' }])
    expect(statesOf(ledger.file)).toEqual(['ready', 'duplicate'])
    expect(found(ledger.file, 'MANDATE_NEAR_DUPLICATE')).toEqual([])
  })
})

describe('IBAN_SHARED', () => {
  const family = [
    {},
    { reference: 'M-2', customerNo: 2 },
    { reference: 'M-3', customerNo: 3, iban: OTHER_IBAN },
  ]

  it('is off by default', () => {
    const ledger = holding(family)
    expect(problemsOf(ledger.file)).toEqual([])
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
    const ledger = running([{}])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [{ iban: IBAN, reference: 'M-2', customerNo: 2 }], {
      severities: { IBAN_SHARED: 'warning' },
    })
    expect(found(ledger.file, 'IBAN_SHARED')).toEqual([[2, 'warning']])
  })
})
