import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { problemOf } from '../ledger-value.js'
import { PROBLEM_LIST } from '../../../src/report/files/lists.js'

it('leaves record and line empty for a problem of a whole file', () => {
  const [line] = parse<Record<string, string>>(
    PROBLEM_LIST.header + PROBLEM_LIST.line(problemOf({ record: null, line: null })),
    {
      columns: true,
    },
  )
  expect(line).toMatchObject({ record: '', line: '', rule: 'IBAN_CHECKSUM', value: 'DE…3001' })
})

it('runs no formula, whoever wrote it: file, column or cell', () => {
  const line = PROBLEM_LIST.line(problemOf({ source: '=1.csv', column: '@x', value: '=2', message: '+3' }))
  const [cells = []] = parse(line)
  expect(cells.filter((cell) => /^[=+@-]/.test(cell))).toEqual([])
})

it('26.3 shows what hides in the name of a file or a column, or turns it round', () => {
  const line = PROBLEM_LIST.line(problemOf({ source: 'export\u202Evsc.\n.csv', column: 'IB\u200BAN\u0007' }))
  const [[source, , , column] = []] = parse(line)
  expect([source, column]).toEqual(['export<U+202E>vsc.<U+000A>.csv', 'IB<U+200B>AN<U+0007>'])
})
