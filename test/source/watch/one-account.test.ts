import { describe, expect, it } from 'vitest'
import { csv, OWN } from '../../support/columns.js'
import { germanIban } from '../../support/export.js'
import { CHECK, readAll, refusal } from '../../support/sources.js'

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
