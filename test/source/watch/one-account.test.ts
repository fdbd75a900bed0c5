import { describe, expect, it } from 'vitest'
import { csv, OWN } from '../../support/columns.js'
import { germanIban } from '../../support/export.js'
import { AS_OF, CHECK, optionsOf, readAll, refusal } from '../../support/sources.js'
import { draftConfiguration, inspectSource } from '../../../src/source/guess/inspect.js'

describe('one account for different customers', () => {
  const file =
    (rows: number, account: (n: number) => number, customer = (n: number) => n): (() => string) =>
    () =>
      csv(rows, [
        ['customer_no', (n) => `${customer(n)}`],
        ['IBAN', (n) => germanIban(account(n))],
        ...OWN.slice(2),
      ])
  const shared = (share: number) => (n: number) => (n <= share ? 1 : n)
  it.each([
    ['3 of 20 rows', file(20, shared(3)), true],
    ['2 of 20', file(20, shared(2)), false],
    ['all of 19', file(19, () => 1), false],
    ['all of 500', file(500, () => 1), true],
    ['40 of 300, the last ones', file(300, (n) => (n > 260 ? 1 : n)), true],
    ['30 of 300, scattered', file(300, (n) => (n % 10 === 0 ? 10 : n)), false],
    ['60 of 300, of one customer', file(300, shared(60), (n) => (n <= 60 ? 1 : n)), false],
    ['400 of 3,000, the last ones', file(3000, (n) => (n > 2600 ? 1 : n)), true],
  ])('%s: %s', async (_, made, isTold) => {
    const path = made()
    if (!isTold) {
      const { summary } = await readAll(path)
      expect(summary.findings.map(({ rule }) => rule)).not.toContain('FILE_ACCOUNT_DOMINANT')
      return
    }
    const error = await refusal(readAll(path))
    expect(error).toMatchObject({ rule: 'FILE_ACCOUNT_DOMINANT', exitCode: 7 })
    expect(error.message).not.toContain(germanIban(1))
    const looked = await readAll(path, undefined, { ...CHECK, undecided: 'tell' })
    expect(looked.summary.findings).toContainEqual(
      expect.objectContaining({ rule: 'FILE_ACCOUNT_DOMINANT', severity: 'error' }),
    )
    const lowered = { ...CHECK, severities: { FILE_ACCOUNT_DOMINANT: 'warning' } } as const
    const { summary } = await readAll(path, undefined, lowered)
    expect(summary.findings.map(({ rule }) => rule)).toContain('FILE_ACCOUNT_DOMINANT')
  })
})

describe('a second account in few rows', () => {
  const made = (): string =>
    csv(30, [...OWN, ['abw. Zahler IBAN', (n) => (n % 15 === 0 ? germanIban(n + 500) : '')]])
  const named = 'columns: { customer_no: customer_no, iban: IBAN }'

  it('is that of another payer, whichever column is the account of the others', async () => {
    const path = made()
    for (const yaml of ['', named]) {
      const error = await refusal(readAll(path, optionsOf(yaml)))
      expect(error).toMatchObject({ rule: 'FILE_COLUMN_UNDECIDED' })
      expect(error.message).toContain('2 different accounts in 2 rows, as other payers have')
      expect(error.message).toContain('filled: true')
    }
    const kept = `exclude: [{ column: abw. Zahler IBAN, filled: true, reason: another payer }]`
    const { records } = await readAll(path, optionsOf(kept))
    expect(records.filter(({ verdict }) => verdict.kind === 'excluded').map(({ record }) => record)).toEqual([
      15, 30,
    ])
    expect(
      (await readAll(path, optionsOf('source: { ignoreColumns: [abw. Zahler IBAN] }'))).records,
    ).toHaveLength(30)
  })

  it('stands in the one list of init, beside the account of all', async () => {
    const draft = draftConfiguration(await inspectSource(made(), { today: AS_OF }))
    expect(draft).toContain('\n  iban: IBAN ')
    expect(draft).toContain('# ignoreColumns: [abw. Zahler IBAN]')
  })
})
