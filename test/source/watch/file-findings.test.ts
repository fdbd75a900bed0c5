import { describe, expect, it } from 'vitest'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'
import type { ReadableValues } from '../../../src/domain/rule/verdict.js'
import { watchFile } from '../../../src/source/watch/file-findings.js'

const VALUES: ReadableValues = {
  customerNo: 17,
  iban: 'DE89370400440532013000',
  signedDate: null,
  creditorIdentifier: 'DE98ZZZ09999999999',
  mandateReference: null,
}

function rules(
  rows: readonly Partial<ReadableValues>[],
  { oldKey = null, hasLastCollection = true }: { oldKey?: string | null; hasLastCollection?: boolean } = {},
) {
  const watch = watchFile({
    today: '2026-06-15' as LocalDate,
    severities: {},
    fillerDates: ['2014-02-01'],
    hasLastCollection,
  })
  for (const [order, row] of rows.entries()) watch.note({ ...VALUES, ...row }, oldKey, order)
  return watch.findings().map(({ rule, value }) => `${rule} ${value}`.trim())
}

const signed = (...dates: string[]) => dates.map((date) => ({ signedDate: date as LocalDate }))
const times = (count: number, date: string): string[] => Array.from({ length: count }, () => date)
const others = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `2025-01-${String(index + 1).padStart(2, '0')}`)

describe('one date in many rows', () => {
  it('is told from half of ten rows on, a filler date from a tenth on', () => {
    expect(rules(signed(...times(5, '2020-05-05'), ...others(5)))).toEqual(['FILE_DATE_DOMINANT 2020-05-05'])
    expect(rules(signed(...times(4, '2020-05-05'), ...others(6)))).toEqual([])
    expect(rules(signed('2014-02-01', ...others(9)))).toEqual(['FILE_DATE_DOMINANT 2014-02-01'])
  })

  it('says nothing of a file with fewer rows', () => {
    expect(rules(signed(...times(9, '2020-05-05')))).toEqual([])
  })

  it('counts rows whose date cannot be read among all', () => {
    const unread = Array.from({ length: 6 }, () => ({}))
    expect(rules([...signed(...times(5, '2020-05-05')), ...unread])).toEqual([])
  })
})

describe('a reference that is the customer', () => {
  it('is told where every row with a reference has it so', () => {
    expect(rules([{ mandateReference: '17' }, {}, { mandateReference: '17' }])).toEqual([
      'FILE_UMR_EQUALS_CUSTOMER',
    ])
  })

  it('or where it is the old key', () => {
    const reference = { mandateReference: 'K-4' }
    expect(rules([reference, reference], { oldKey: 'K-4' })).toEqual(['FILE_UMR_EQUALS_CUSTOMER'])
  })

  it('but not for a single row, nor where one row has another', () => {
    expect(rules([{ mandateReference: '17' }])).toEqual([])
    expect(rules([{ mandateReference: '17' }, { mandateReference: 'M-1' }])).toEqual([])
  })
})

describe('creditors', () => {
  it('are the same whatever their business code says', () => {
    expect(rules([{ creditorIdentifier: 'DE98ABC09999999999' }, {}])).toEqual([])
  })

  it('several are told, by country and national part', () => {
    expect(rules([{ creditorIdentifier: 'NL79ZZZ999999990000' }, {}])[0]).toContain('FILE_CI_MIXED')
  })
})

describe('mandates that may have lapsed', () => {
  it('are told where no column says when they were last used', () => {
    const old = signed('2023-06-14', '2023-06-15', '2026-06-01')
    expect(rules(old, { hasLastCollection: false })).toEqual(['FILE_DORMANCY_UNKNOWN 1'])
    expect(rules(old)).toEqual([])
  })
})
