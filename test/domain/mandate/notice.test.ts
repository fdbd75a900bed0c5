import { describe, expect, it } from 'vitest'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'
import { lapsesBefore, shortNotice } from '../../../src/domain/mandate/notice.js'

const date = (text: string): LocalDate => text as LocalDate

describe('shortNotice', () => {
  it.each([
    ['2026-12-01', '2026-12-01', 0],
    ['2026-12-01', '2026-12-14', 13],
    ['2026-12-01', '2026-12-15', null],
    ['2026-12-20', '2027-01-02', 13],
    ['2024-02-20', '2024-03-05', null],
    ['2025-02-20', '2025-03-05', 13],
  ])('on %s, for a debit on %s, leaves %s', (today, debit, days) => {
    expect(shortNotice(date(today), date(debit))).toBe(days)
  })
})

describe('lapsesBefore', () => {
  it.each([
    [null, false],
    ['2026-12-31', true],
    ['2027-01-01', false],
    ['2027-01-02', false],
  ])('of a mandate that has to be used by %s, for a debit on 2027-01-01, is %s', (latest, lapses) => {
    expect(lapsesBefore(latest, date('2027-01-01'))).toBe(lapses)
  })
})
