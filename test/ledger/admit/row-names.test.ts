import { expect, it } from 'vitest'
import { admit, inDoubt, open, send, SETTINGS } from '../campaign-setup.js'
import { byHand } from '../ledger-views.js'
import { describeRow } from '../../../src/ledger/admit/problems.js'

it('names a row by its record, and one of an older file by file, state and number too', async () => {
  const ledger = open()
  admit(ledger, [{}, { reference: 'M-2', customerNo: 2 }], { name: 'may.csv' })
  admit(ledger, [{ reference: 'M-3', customerNo: 3 }])
  ledger.startRun(SETTINGS)
  await send(ledger, inDoubt())
  const names = byHand(ledger.file, (connection) => [1, 2, 3].map(describeRow(connection, 3)))
  expect(names).toEqual([
    'record 1 of "may.csv", which is in doubt (row 1)',
    'record 2 of "may.csv", which is ready (row 2)',
    'record 1',
  ])
})

it('says as much where nothing is known of it', () => {
  const ledger = open()
  expect(byHand(ledger.file, (connection) => [null, 99].map(describeRow(connection, 1)))).toEqual([
    'another row',
    'another row',
  ])
})
