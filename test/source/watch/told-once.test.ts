import { describe, expect, it } from 'vitest'
import type { CheckedRecord, Finding } from '../../../src/domain/rule/verdict.js'
import { recordOf } from '../../ledger/campaign-setup.js'
import { tellOnce } from '../../../src/source/watch/source-watch.js'

const finding = (change: Partial<Finding> = {}): Finding => ({
  rule: 'CI_LENGTH_UNCONFIRMED',
  severity: 'warning',
  field: 'sepa_creditor_identifier',
  value: 'GB1',
  message: 'm',
  remedy: 'r',
  ...change,
})
const record = (...findings: Finding[]): CheckedRecord => recordOf({ findings })
const toldOf = (records: readonly CheckedRecord[]): number[] => {
  const tell = tellOnce()
  return records.map((checked) => tell(checked).findings.length)
}

describe('what is said of a creditor', () => {
  it('is left to its first record, for each creditor and each rule', () => {
    const other = finding({ value: 'GB2' })
    expect(toldOf([record(finding()), record(finding(), other), record(other, finding())])).toEqual([1, 1, 0])
    expect(toldOf([record(finding()), record(finding({ rule: 'CI_LENGTH_UNKNOWN' }))])).toEqual([1, 1])
  })

  it('stays with every row where it is an error: that row is not sent', () => {
    const error = record(finding({ severity: 'error' }))
    expect(toldOf([error, error])).toEqual([1, 1])
  })

  it('of anything else nothing is left out', () => {
    const other = record(finding({ rule: 'CI_LENGTH' }))
    expect(toldOf([other, other])).toEqual([1, 1])
  })
})
