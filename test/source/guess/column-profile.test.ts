import { expect, it } from 'vitest'
import { profileColumn } from '../../../src/source/guess/column-profile.js'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'

it.each([
  ['of days that stand for none', (n: number) => `2099-12-31 00:${String(n).padStart(5, '0')}`],
  ['of ends', (n: number) => `2024-01-01 ${n}`],
])('keeps no more values of a column %s than are looked at, and counts them all', (_, cell) => {
  const column = profileColumn('Ende', '2026-11-26' as LocalDate)
  for (let n = 0; n < 60_000; n += 1) column.note(cell(n))
  const { filled, values } = column.profile(60_000)
  expect([filled, values.size]).toEqual([60_000, 20_000])
})
