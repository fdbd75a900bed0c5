import { describe, expect, it } from 'vitest'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import { REPORT_ORDER } from '../../../src/report/facts/facts.js'
import { addRow, addTo, hashTotalsOf, noSums, tallyValues } from '../../../src/report/facts/row-walk.js'
import { many, registeredRow, rowOf } from '../ledger-value.js'

it('a report shows every state once: one that is missing would hide its rows', () => {
  expect([...REPORT_ORDER].sort()).toEqual([...ROW_STATES].sort())
})

it('a list keeps the first entries and counts the others', () => {
  const list = { total: 0, first: [] as number[] }
  for (const entry of many(51, Number)) addTo(list, entry)
  expect(list).toEqual({ total: 51, first: many(50, Number) })
})

it('values are counted, the most frequent first; so many different ones are kept, the others counted together', () => {
  const tallied = (most: number, texts: string) => {
    const tally = tallyValues(most)
    for (const value of texts) tally.add(value)
    const { values, others } = tally.result()
    return [...values.map(({ value, count }) => `${value}${count}`), others]
  }
  expect(tallied(10, 'bacc')).toEqual(['c2', 'a1', 'b1', 0])
  expect(tallied(2, 'abcda')).toEqual(['a2', 'b1', 2])
})

describe('hash totals', () => {
  const sumOf = (rows: readonly ReturnType<typeof rowOf>[]) => {
    const sums = noSums()
    for (const row of rows) addRow(sums, row)
    return sums
  }
  const totalsOf = (...rows: ReturnType<typeof rowOf>[]) => hashTotalsOf(sumOf(rows))

  it('of parts, in any order, add up to that of the whole', () => {
    const rows = many(60, registeredRow)
    const parts = [rows.slice(21), rows.slice(0, 20), [], rows.slice(20, 21)].map(sumOf)
    expect(hashTotalsOf(...parts)).toEqual(totalsOf(...rows))
  })

  it('show a row that is there twice in place of another', () => {
    const [whole, doubled] = [totalsOf(rowOf(1), rowOf(2)), totalsOf(rowOf(2), rowOf(2))]
    expect(doubled.rows).toBe(whole.rows)
    expect(doubled.customerNoSum).not.toBe(whole.customerNoSum)
  })

  it('count rows whose values cannot be read as rows, and nowhere else', () => {
    const none = { customerNoRows: 0, customerNoSum: '0' }
    expect(totalsOf(rowOf(1, { customerNo: null }))).toMatchObject({ rows: 1, ...none })
  })

  it('stay exact for more customers than a number of JavaScript holds', () => {
    const large = rowOf(1, { customerNo: Number.MAX_SAFE_INTEGER })
    expect(totalsOf(large, large, large).customerNoSum).toBe('27021597764222973')
  })
})
