import { describe, expect, it } from 'vitest'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'
import type { ReadableValues } from '../../../src/domain/rule/verdict.js'
import { watchFile } from '../../../src/source/watch/source-watch.js'
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

describe('one date in many rows', () => {
  it('counts rows whose date cannot be read among all', () => {
    const unread = Array.from({ length: 6 }, () => ({}))
    expect(rules([...signed(...times(5, '2020-05-05')), ...unread])).toEqual([])
  })
})

describe('a reference that is the customer', () => {
  it('or where it is the old key', () => {
    const reference = { mandateReference: 'K-4' }
    expect(rules([reference, reference], { oldKey: 'K-4' })).toEqual(['FILE_UMR_EQUALS_CUSTOMER'])
  })
})

describe('creditors', () => {
  it('are the same whatever their business code says', () => {
    expect(rules([{ creditorIdentifier: 'DE98ABC09999999999' }, {}])).toEqual([])
  })
})
