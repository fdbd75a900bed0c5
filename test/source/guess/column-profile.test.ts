import { expect, it } from 'vitest'
import { profileColumn } from '../../../src/source/guess/column-profile.js'
import { addDays } from '../../../src/domain/mandate/date.js'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'

const TODAY = '2026-11-26' as LocalDate

it.each([
  ['of days that stand for none', '2080-01-01'],
  ['of ends', '1900-01-01'],
])('keeps no more values of a column %s than are looked at, and counts them all', (_, first) => {
  const column = profileColumn('Ende')
  for (let n = 0; n < 60_000; n += 1) column.note(addDays(first as LocalDate, n) ?? '')
  const { filled, values } = column.profile(60_000, TODAY)
  expect([filled, values.size]).toEqual([60_000, 12_000])
})

it.each([
  ['ISO', '2025-03-01 ', '2027-03-01 '],
  ['with a T', '2025-03-01T', '2027-03-01T'],
  ['German', '01.03.2025 ', '01.03.2027 '],
])('finds one day to come behind any number of different times: %s', (_, past, future) => {
  const timeOf = (n: number): string => new Date(n * 1000).toISOString().slice(11, 19)
  const column = profileColumn('Zzq')
  for (let n = 0; n < 40_000; n += 1) column.note(`${past}${timeOf(n)}`)
  column.note(`${future}${timeOf(1)}`)
  const { filled, ends } = column.profile(40_001, TODAY)
  expect([filled, ends.past, ends.future]).toEqual([40_001, 40_000, 1])
})
