import { describe, expect, it, onTestFinished } from 'vitest'
import { configureForWriting, openForWriting } from '../../../src/ledger/file/connection.js'
import { prepareNotices, prepareProblems } from '../../../src/ledger/admit/problems.js'
import { admit, IBAN, open } from '../campaign-setup.js'
import { problemsOf } from '../ledger-views.js'

const COLUMNS = { iban: 'Konto', unique_mandate_reference: 'Referenz' }
const NOTICE = {
  rule: 'CONFLICT_MANDATE',
  severity: 'error',
  message: 'Two differ.',
  remedy: 'Decide.',
} as const

function writing() {
  const ledger = open()
  admit(ledger, [{ reference: IBAN }, { reference: 'M-2', customerNo: 2 }])
  ledger.close()
  const connection = openForWriting(ledger.file)
  configureForWriting(connection)
  onTestFinished(() => void connection.close())
  return { file: ledger.file, connection }
}

describe('a problem', () => {
  it('names the column by which the file calls the field, else the field itself', () => {
    const { file, connection } = writing()
    const problem = {
      rule: 'IBAN_CHECKSUM',
      severity: 'error',
      value: 'DE…1',
      message: 'm',
      remedy: 'r',
    } as const
    const { write } = prepareProblems(connection, COLUMNS)
    write(1, 1, { ...problem, field: 'iban' })
    write(1, 1, { ...problem, field: 'signed_date' })
    write(1, null, { ...problem, field: null })
    expect(
      problemsOf(file)
        .slice(-3)
        .map(({ column, rowId, record }) => [column, rowId, record]),
    ).toEqual([
      ['Konto', 1, 1],
      ['signed_date', 1, 1],
      ['', null, null],
    ])
  })
})

describe('a notice about rows', () => {
  it('is written for each row that is selected, and shows an account masked, a reference that is one too', () => {
    const { file, connection } = writing()
    const { write } = prepareNotices(connection, COLUMNS)
    for (const field of ['iban', 'unique_mandate_reference', 'customer_no'] as const)
      write({ ...NOTICE, field }, 'id = :id', { id: 1 })
    const problems = problemsOf(file).slice(-3)
    expect(problems.map(({ column }) => column)).toEqual(['Konto', 'Referenz', 'customer_no'])
    expect(problems.map(({ value }) => value)).toEqual(['DE…3000', 'DE…3000', '1000'])
  })

  it('is none where no row is', () => {
    const { file, connection } = writing()
    const before = problemsOf(file).length
    prepareNotices(connection, COLUMNS).write({ ...NOTICE, field: 'iban' }, 'id > :id', { id: 2 })
    expect(problemsOf(file)).toHaveLength(before)
  })
})
