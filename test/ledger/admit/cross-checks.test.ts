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
} from '../campaign-setup.js'
import { problemsOf, statesOf } from '../ledger-views.js'

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

  it('says nothing where it is off', () => {
    const ledger = open()
    admit(ledger, rows, { severities: { CUSTOMER_MULTIPLE_MANDATES: 'off' } })
    expect(problemsOf(ledger.file)).toEqual([])
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
