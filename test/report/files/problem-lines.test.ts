import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { problemOf } from '../ledger-value.js'
import { problemLine, problemsCsv } from '../../../src/report/files/lists.js'

async function textOf(problems: Iterable<ReturnType<typeof problemOf>>): Promise<string> {
  let text = ''
  for await (const piece of problemsCsv(problems)) text += piece
  return text
}

it('has a header even where there is no problem', async () => {
  expect((await textOf([])).trim().split('\n')).toHaveLength(1)
})

it('leaves record and line empty for a problem of a whole file', async () => {
  const [line] = parse<Record<string, string>>(await textOf([problemOf({ record: null, line: null })]), {
    columns: true,
  })
  expect(line).toMatchObject({ record: '', line: '', rule: 'IBAN_CHECKSUM', value: 'DE…3001' })
})

it('runs no formula, whoever wrote it: file, column or cell', () => {
  const line = problemLine(problemOf({ source: '=1.csv', column: '@x', value: '=2', message: '+3' }))
  const [cells = []] = parse(line)
  expect(cells.filter((cell) => /^[=+@-]/.test(cell))).toEqual([])
})

it('26.3 shows what hides in the name of a file or a column, or turns it round', () => {
  const line = problemLine(problemOf({ source: 'export\u202Evsc.\n.csv', column: 'IB\u200BAN\u0007' }))
  const [[source, , , column] = []] = parse(line)
  expect([source, column]).toEqual(['export<U+202E>vsc.<U+000A>.csv', 'IB<U+200B>AN<U+0007>'])
})

it('takes problems one by one, not all of them into memory', async () => {
  let made = 0
  function* endless() {
    for (;;) {
      made += 1
      yield problemOf({ id: made })
    }
  }
  const pieces = problemsCsv(endless())
  for (let count = 0; count < 4; count += 1) await pieces.next()
  await pieces.return()
  expect(made).toBe(3)
})
