import { expect, it } from 'vitest'
import { collectionFile } from '../support/collections.js'
import { germanIban } from '../support/export.js'
import { listed, placeForEach } from '../support/place.js'

const { rows, save, write, edit, held, mandateOf, sandbox, json, program } = placeForEach({
  rows: 9,
  sandbox: {
    faults: [
      { match: { customer_no: 7 }, times: 1, fault: { kind: 'refuse', status: 422 } },
      { match: { customer_no: 8 }, times: 1, fault: { kind: 'reset', applied: true } },
      { match: { customer_no: 9 }, times: 1, fault: { kind: 'reset', applied: false } },
    ],
  },
})
const BY = ['--by', 'ops']
const expectEachOnce = (customers: readonly number[]): void =>
  expect(held().sort((a, b) => a - b)).toEqual(customers)

it('a corrected file replaces a refused row, and neither one that is registered nor one in doubt', async () => {
  await program('run', 'export.csv')
  for (const [name, customer] of [
    ['refused.csv', 7],
    ['in-doubt.csv', 8],
  ] as const)
    save(
      `corrected-${name}`,
      rows(name).map((row) => ({ ...row, iban: germanIban(4700 + customer) })),
    )
  const { totals } = await json('run', 'corrected-refused.csv', 'corrected-in-doubt.csv')
  expect(totals).toMatchObject({ read: 9, resubmitted: 3, registered: 7, inDoubt: 2 })
  expectEachOnce([1, 2, 3, 4, 5, 6, 7, 8])
})

it('doubts are resolved by the filled-in file: one registered, one sent again, each held once', async () => {
  expect((await json('run', 'export.csv')).totals).toMatchObject({ registered: 6, refused: 1, inDoubt: 2 })
  const decided = rows('in-doubt.csv').map((row) => {
    const found = mandateOf(Number(row['customer_no']))
    return {
      ...row,
      migration_decision: found === undefined ? 'resend' : 'registered',
      migration_reason: 'the service was asked',
      migration_assigned_creditor_identifier: found?.sepa_creditor_identifier ?? '',
      migration_assigned_mandate_reference: found?.unique_mandate_reference ?? '',
    }
  })
  save('decided.csv', decided)
  const resolve = (...args: string[]) => json('resolve', '--from', 'decided.csv', ...BY, ...args)
  const tooEarly = await resolve()
  expect([tooEarly.exitCode, tooEarly.errors[0]?.message]).toEqual([2, expect.stringMatching(/15 minutes/)])
  const force = ['--yes-resend', 'MANDATE-9']
  expect((await resolve(...force, '--dry-run')).totals).toMatchObject({ inDoubt: 2 })
  expect(await resolve(...force)).toMatchObject({ exitCode: 5, totals: { registered: 7, ready: 1 } })
  expect((await resolve(...force)).exitCode).toBe(2)
  expect(await json('run', '--retry-refused')).toMatchObject({ exitCode: 0, totals: { registered: 9 } })
  expectEachOnce([1, 2, 3, 4, 5, 6, 7, 8, 9])
})

it('doubts that a list from the service proves are proposed and recorded, and no others', async () => {
  await program('run', 'export.csv')
  const list = sandbox().mandates().map(listed)
  const eighth = list.find((entry) => entry['customer_no'] === '8')!
  save('wrong.csv', [eighth, { ...eighth, customer_no: '9', iban: germanIban(9), signed_date: '2024-03-10' }])
  const wrong = await json('resolve', '--against', 'wrong.csv', '--apply', ...BY)
  expect(wrong).toMatchObject({ exitCode: 2, totals: { inDoubt: 2 }, reconciliation: { isApplied: false } })
  expect(wrong.errors[0]?.message).toContain('Row 9 cannot have the assigned reference')

  save('list.csv', list)
  const figures = { listed: 7, matched: 6, missingThere: 0, unknownHere: 0, differs: 0, proposals: 1 }
  expect(await json('resolve', '--against', 'list.csv')).toMatchObject({
    reconciliation: { ...figures, stillInDoubt: 1, isApplied: false },
  })
  const applied = await json('resolve', '--against', 'list.csv', '--apply', ...BY)
  expect(applied.totals).toMatchObject({ registered: 7, refused: 1, inDoubt: 1 })
  await program('report')
  const told = rows('registered.csv').find(({ customer_no }) => customer_no === '8')
  expect(told?.['assigned_mandate_reference']).toBe(mandateOf(8)?.unique_mandate_reference)
})

it('what collections contradict is held when it would go out once more, until a person says so', async () => {
  const debits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => ({
    reference: `MANDATE-${n}`,
    iban: germanIban(n < 7 ? n : n + 50),
    signed: `2024-03-${String(n + 1).padStart(2, '0')}`,
  }))
  write('january.xml', collectionFile(debits))
  await program('run', 'export.csv')
  const beside = await json('run', '--evidence', 'january.xml')
  expect(beside.totals).toMatchObject({ registered: 6, refused: 1, inDoubt: 2 })
  const said = ['--yes-resend', 'MANDATE-9', ...BY, '--reason', 'the service was asked']
  await json('resolve', '--row', '9', '--as', 'resend', ...said)
  expect(await json('run', '--retry-refused')).toMatchObject({
    exitCode: 4,
    totals: { registered: 6, refused: 0, conflict: 2, inDoubt: 1 },
  })
  const word = { migration_decision: 'send', migration_reason: 'moved' }
  edit('corrections.csv', (row) => ({ ...row, ...word }), 'back.csv')
  expect((await json('run', 'back.csv')).totals).toMatchObject({ registered: 8, conflict: 0, inDoubt: 1 })
  expectEachOnce([1, 2, 3, 4, 5, 6, 7, 8, 9])
})
