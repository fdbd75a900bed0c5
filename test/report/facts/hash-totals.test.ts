import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { RowRecord } from '../../../src/ledger/read/reader.js'
import { registeredRow, rowOf } from '../ledger-value.js'
import { addRow, hashTotalsOf, noSums, allSums } from '../../../src/report/facts/facts.js'

const sumOf = (rows: readonly RowRecord[]) => {
  const sums = noSums()
  for (const row of rows) addRow(sums, row)
  return sums
}
const totalsOf = (...rows: RowRecord[]) => hashTotalsOf(sumOf(rows))

/** The sum of digests as DEFINITIONS describes it, by another way. */
function digest(...texts: string[]): string {
  const sum = texts.reduce((all, text) => {
    const hash = createHash('sha256').update(text).digest()
    return all + hash.reduce((number, byte) => number * 256n + BigInt(byte), 0n)
  }, 0n)
  return (sum % 2n ** 256n).toString(16).padStart(64, '0')
}

describe('hash totals', () => {
  it('can be computed again by their definition', () => {
    const totals = totalsOf(registeredRow(1), registeredRow(2), rowOf(3))
    expect(totals).toMatchObject({ rows: 3, customerNoSum: '3006', oldKeyRows: 3, pairRows: 2 })
    expect(totals.oldKeyDigest).toBe(digest('DE|09999999999|M-1', 'DE|09999999999|M-2', 'DE|09999999999|M-3'))
    expect(totals.pairDigest).toBe(
      digest('DE|09999999999|M-1\nSE97ZZZ5560000001\nNEW-1', 'DE|09999999999|M-2\nSE97ZZZ5560000001\nNEW-2'),
    )
  })

  it('do not depend on the order of rows', () => {
    expect(totalsOf(registeredRow(1), rowOf(2))).toEqual(totalsOf(rowOf(2), registeredRow(1)))
  })

  it('of parts add up to that of the whole', () => {
    const rows = Array.from({ length: 60 }, (_, index) => registeredRow(index + 1))
    const parts = [rows.slice(0, 20), rows.slice(20, 21), [], rows.slice(21)].map(sumOf)
    expect(hashTotalsOf(allSums(parts))).toEqual(totalsOf(...rows))
  })

  it('show a row that is there twice in place of another, where a count does not', () => {
    const [whole, doubled] = [totalsOf(rowOf(1), rowOf(2)), totalsOf(rowOf(2), rowOf(2))]
    expect(doubled.rows).toBe(whole.rows)
    expect(doubled.oldKeyDigest).not.toBe(whole.oldKeyDigest)
    expect(doubled.customerNoSum).not.toBe(whole.customerNoSum)
  })

  it('show two new references that were exchanged', () => {
    const [one, two] = [registeredRow(1), registeredRow(2)]
    const exchanged = totalsOf(
      { ...one, assignedMandateReference: 'NEW-2' },
      { ...two, assignedMandateReference: 'NEW-1' },
    )
    expect(exchanged.oldKeyDigest).toBe(totalsOf(one, two).oldKeyDigest)
    expect(exchanged.pairDigest).not.toBe(totalsOf(one, two).pairDigest)
  })

  it('count rows whose values cannot be read as rows, and nowhere else', () => {
    expect(totalsOf(rowOf(1, { customerNo: null, mandateKey: null }))).toMatchObject({
      rows: 1,
      customerNoRows: 0,
      customerNoSum: '0',
      oldKeyRows: 0,
      oldKeyDigest: '0'.repeat(64),
      pairRows: 0,
    })
  })

  it('stay exact for more customers than a number of JavaScript holds', () => {
    const large = rowOf(1, { customerNo: Number.MAX_SAFE_INTEGER })
    expect(totalsOf(large, large, large).customerNoSum).toBe('27021597764222973')
  })
})
