import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dateOf } from '../clean-row.js'
import {
  addDays,
  addMonths,
  compareDates,
  daysBetween,
  localDate,
  parseLocalDate,
  todayIn,
} from '../../../src/domain/mandate/date.js'

const anyDate = fc
  .tuple(fc.integer({ min: 1, max: 9990 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, day]) => localDate(year, month, day)!)

/** The same day by JavaScript's own calendar, in UTC, as a second opinion. */
function utcDay(date: string): number {
  const [year, month, day] = date.split('-').map(Number)
  const moment = new Date(0)
  moment.setUTCFullYear(year!, month! - 1, day)
  return moment.getTime() / 86_400_000
}

describe('reading a date', () => {
  test.each(['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])('%s is a date', (text) => {
    expect(parseLocalDate(text)).toBe(text)
  })

  test.each([
    ...['2023-02-29', '1900-02-29', '2022-04-31', '2022-13-01', '2022-00-10', '2022-01-00', '0000-01-01'],
    ...['22-01-01', '2022-1-01', ' 2022-01-01', '2022-01-01T00:00', '２０２２-01-01', ''],
  ])('%j is none', (text) => expect(parseLocalDate(text)).toBeNull())

  test('fractions and what is no number make no date', () => {
    expect(localDate(2022, NaN, 1)).toBeNull()
    expect(localDate(2022, 1, NaN)).toBeNull()
  })
})

describe('months', () => {
  test.each([
    ['2024-02-29', 36, '2027-02-28'],
    ['2024-02-29', 48, '2028-02-29'],
    ['2023-06-15', 36, '2026-06-15'],
    ['2024-01-31', 1, '2024-02-29'],
    ['2023-12-31', 1, '2024-01-31'],
    ['2023-12-31', 2, '2024-02-29'],
    ['2024-03-31', -1, '2024-02-29'],
    ['9998-01-01', 36, '9999-12-31'],
  ])('%s and %i months is %s', (date, months, later) => {
    expect(addMonths(dateOf(date), months)).toBe(later)
  })
})

describe('days', () => {
  test('a count of days agrees with another calendar, and leads from one date to the other', () => {
    fc.assert(
      fc.property(anyDate, anyDate, (a, b) => {
        expect(daysBetween(a, b)).toBe(utcDay(b) - utcDay(a))
        expect(addDays(a, daysBetween(a, b))).toBe(b)
      }),
    )
  })

  test('every day of four centuries follows the one before', () => {
    let date = dateOf('1899-12-30')
    const outOfOrder: string[] = []
    for (let i = 0; i < 146_097; i += 1) {
      const next = addDays(date, 1)!
      if (compareDates(date, next) !== -1 || parseLocalDate(next) !== next) outOfOrder.push(next)
      date = next
    }
    expect(outOfOrder).toEqual([])
    expect(date).toBe('2299-12-30')
  })

  test('there is no date after the year 9999', () => {
    expect(addDays(dateOf('9999-12-30'), 1)).toBe('9999-12-31')
    expect(addDays(dateOf('9999-12-31'), 1)).toBeNull()
  })
})

describe('today', () => {
  test.each([
    ['UTC', Date.UTC(2026, 5, 14, 22, 30), '2026-06-14'],
    ['America/New_York', Date.UTC(2026, 5, 14, 22, 30), '2026-06-14'],
    ['Pacific/Kiritimati', Date.UTC(2026, 5, 14, 22, 30), '2026-06-15'],
    ['Europe/Berlin', Date.UTC(2026, 5, 14, 21, 59, 59), '2026-06-14'],
    ['Europe/Berlin', Date.UTC(2026, 5, 14, 22, 0, 0), '2026-06-15'],
    ['Europe/Berlin', Date.UTC(2026, 0, 14, 22, 59, 59), '2026-01-14'],
    ['Europe/Berlin', Date.UTC(2026, 0, 14, 23, 0, 0), '2026-01-15'],
  ])('is the date in the zone %s, which turns at local midnight', (zone, moment, today) => {
    expect(todayIn(zone, moment)).toBe(today)
  })

  test('needs a zone that exists', () => {
    expect(() => todayIn('Europe/Atlantis', 0)).toThrow(RangeError)
  })
})
