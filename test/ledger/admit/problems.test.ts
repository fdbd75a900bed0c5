import { describe, expect, it, onTestFinished } from 'vitest'
import { configureForWriting, openForWriting } from '../../../src/ledger/file/connection.js'
import { nameOf, writeNotice } from '../../../src/ledger/admit/problems.js'
import { admit, holding, IBAN, inDoubt, open, send, SETTINGS } from '../campaign-setup.js'
import { byHand, problemsOf } from '../ledger-views.js'

const COLUMNS = { iban: 'Konto', unique_mandate_reference: 'Referenz' }
const NOTICE = {
  rule: 'CONFLICT_MANDATE',
  severity: 'error',
  message: 'Two differ.',
  remedy: 'Decide.',
} as const

function writing() {
  const ledger = holding([{ reference: IBAN }, { reference: 'M-2', customerNo: 2 }])
  ledger.close()
  const connection = openForWriting(ledger.file)
  configureForWriting(connection)
  onTestFinished(() => void connection.close())
  return { file: ledger.file, connection }
}

describe('a notice about rows', () => {
  it('is written for each row that is selected, and shows an account masked, a reference that is one too', () => {
    const { file, connection } = writing()
    for (const field of ['iban', 'unique_mandate_reference', 'customer_no'] as const)
      writeNotice({ connection, columns: COLUMNS }, { ...NOTICE, field }, 'id = :id', { id: 1 })
    const problems = problemsOf(file).slice(-3)
    expect(problems.map(({ column }) => column)).toEqual(['Konto', 'Referenz', 'customer_no'])
    expect(problems.map(({ value }) => value)).toEqual(['DE…3000', 'DE…3000', '1000'])
  })
})

it('names a row by its record, and one of an older file by file, state and number too', async () => {
  const ledger = open()
  admit(ledger, [{}, { reference: 'M-2', customerNo: 2 }], { name: 'may.csv' })
  admit(ledger, [{ reference: 'M-3', customerNo: 3 }])
  ledger.startRun(SETTINGS)
  await send(ledger, inDoubt())
  const names = byHand(ledger.file, (connection) =>
    [1, 2, 3, 99, null].map((id) => nameOf({ connection, first: 3 }, id)),
  )
  expect(names).toEqual([
    'record 1 of "may.csv", which is in doubt (row 1)',
    'record 2 of "may.csv", which is ready (row 2)',
    'record 1',
    'another row',
    'another row',
  ])
})
