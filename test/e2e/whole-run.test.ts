import { statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { validExport, validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'

const { path, read, write, rows, json, program, sandbox, held } = placeForEach({ sandbox: {} })

const TOTALS = [
  ...['read', 'resubmitted', 'invalid', 'duplicate', 'conflict', 'excluded', 'superseded', 'ready'],
  ...['sending', 'registered', 'refused', 'inDoubt', 'writtenOff'],
]

it('registers every row of a clean export once, and running it again sends nothing', async () => {
  write('export.csv', validExport(30))
  const { stdout, stderr } = await program('run', 'export.csv')
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  expect(stderr).toMatch(/^Sending 30 rows$/m)
  const again = await json('run', 'export.csv')
  expect(Object.keys(again.totals)).toEqual(TOTALS)
  expect(again).toMatchObject({
    ...{ ok: true, exitCode: 0, balanced: true, warnings: [] },
    totals: { read: 30, registered: 30 },
    admitted: [{ name: 'export.csv', kind: 'known' }],
  })
  expect(held().sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))

  const told = rows('registered.csv').map((row) =>
    [
      'customer_no',
      'original_mandate_reference',
      'assigned_creditor_identifier',
      'assigned_mandate_reference',
    ].map((name) => row[name]),
  )
  const there = sandbox()
    .mandates()
    .map((mandate) => [
      String(mandate.customer_no),
      `MANDATE-${mandate.customer_no}`,
      mandate.sepa_creditor_identifier,
      mandate.unique_mandate_reference,
    ])
  expect(told.sort()).toEqual(there.sort())
})

it('checks without network or ledger and agrees with run on what would be sent', async () => {
  const broken = '7,DE00370400440000000060,2024-01-01,DE98ZZZ09999999999,X'
  write('export.csv', `${validExport(5)}${validLine(3)}\n${broken}\n`)
  expect(await json('check', 'export.csv', '--out', 'checked')).toMatchObject({
    exitCode: 3,
    balanced: true,
    totals: { read: 7, ready: 5, duplicate: 1, invalid: 1, registered: 0 },
  })
  expect(read('checked/problems.csv')).toContain('IBAN_CHECK_RANGE')
  expect(() => statSync(path('sepa-migrate.db'))).toThrow()
  expect((await json('run', 'export.csv')).totals).toMatchObject({
    ...{ read: 7, registered: 5, duplicate: 1, invalid: 1 },
  })
  expect(await json('status')).toMatchObject({ exitCode: 3, balanced: true, totals: { registered: 5 } })
})
