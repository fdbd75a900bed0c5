import { describe, expect, it } from 'vitest'
import type { Choice } from '../../../src/domain/row/choice.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { COLUMNS, HEADER, IBAN, open, OTHER_IBAN, recordOf, summaryOf } from '../campaign-setup.js'
import { byHand, look } from '../ledger-views.js'

let last = 0

/** Ready rows, one for each list of further cells; every second account is Dutch. */
function admitCells(ledger: Ledger, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const admission = ledger.admit({ severities: {} })
  const source = admission.open({ name: 'a.csv', header: [...columns, ...HEADER], columns: COLUMNS })
  source.add(
    rows.map((cells, index) => {
      const n = (last += 1)
      const iban = index % 2 === 0 ? IBAN : OTHER_IBAN
      const record = recordOf({ customerNo: n, reference: `M-${n}`, iban }, index + 1)
      return { ...record, cells: [...cells, ...record.cells] }
    }),
  )
  source.close(summaryOf(rows.length))
  admission.commit()
}

const only = (...columns: [string, ...string[]][]): Choice => ({
  only: columns.map(([column, ...values]) => ({ column, values })),
  countries: null,
})

/** Page by page; the counts must say the same, whoever asks. */
function idsOf(ledger: Ledger, choice: Choice | null, page = 2): number[] {
  const ids: number[] = []
  for (let after = 0; ; after = ids.at(-1) ?? 0) {
    const rows = ledger.ready(after, page, choice)
    if (rows.length === 0) break
    expect(rows.length).toBeLessThanOrEqual(page)
    ids.push(...rows.map(({ id }) => id))
  }
  expect(ledger.countReady(choice)).toBe(ids.length)
  expect([...ledger.claims.toSend(null, choice)].map(({ row }) => row)).toEqual(ids)
  expect([...ledger.claims.toSend(1, choice)].map(({ row }) => row)).toEqual(ids.slice(0, 1))
  if (choice === null) return ids
  const left = ledger.totals().ready - ids.length
  expect(ledger.view.leftBy(choice)).toBe(left)
  expect(look(ledger.file, (reader) => reader.leftBy(choice))).toBe(left)
  const planned = look(ledger.file, (reader) => reader.plannedRows(null, choice))
  expect(planned.count).toBe(ids.length)
  const byCreditor = look(ledger.file, (reader) => reader.creditorsOfReady(choice))
  expect(byCreditor.reduce((sum, { count }) => sum + count, 0)).toBe(ids.length)
  return ids
}

describe('25.2 the ready rows that a choice takes, sent and claimed alike,', () => {
  it('are those with one of the values in the column, in the order of their ids', () => {
    const ledger = open()
    admitCells(ledger, ['Segment'], [['A'], ['B'], [' A\t'], ['a'], ['C'], ['\u00a0B'], ['AB'], ['']])
    expect(idsOf(ledger, null)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(idsOf(ledger, only(['Segment', 'A']))).toEqual([1, 3])
    expect(idsOf(ledger, only(['segment', 'B', 'A ', 'nobody']))).toEqual([1, 2, 3, 6])
    expect(idsOf(ledger, only(['SEG-MENT', 'a']))).toEqual([4])
    expect(idsOf(ledger, only(['Segment', 'none']))).toEqual([])
  })

  it('are looked for in the column of their own file, wherever it stands there', () => {
    const ledger = open()
    admitCells(ledger, ['Segment'], [['A'], ['B']])
    admitCells(ledger, ['Region'], [['A'], ['A']])
    admitCells(ledger, ['Region', 'segment'], [['B', 'A'], ['A', 'B']]) // prettier-ignore
    expect(idsOf(ledger, only(['Segment', 'A']))).toEqual([1, 5])
    expect(idsOf(ledger, only(['Region', 'A']))).toEqual([3, 4, 6])
  })

  it('do not include a row whose cells are gone', () => {
    const ledger = open()
    admitCells(ledger, ['Segment'], [['A'], ['A'], ['A']])
    byHand(ledger.file, (connection) => connection.exec('update row set cells = null where id = 2'))
    expect(idsOf(ledger, only(['Segment', 'A']))).toEqual([1, 3])
    expect(idsOf(ledger, { only: [], countries: ['NL'] })).toEqual([2])
  })
})
