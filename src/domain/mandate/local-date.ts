import type { LocalDate } from './mandate.js'

/**
 * Calendar dates without time or zone (domain/rulebook.md#today). No `Date` is involved, so nothing can shift by a
 * zone.
 */

const ISO = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const daysInMonth = (year: number, month: number): number =>
  month === 2 && isLeapYear(year) ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0)

const twoDigits = (n: number): string => (n < 10 ? `0${n}` : `${n}`)

const write = (year: number, month: number, day: number): LocalDate =>
  `${year < 1000 ? `${year}`.padStart(4, '0') : year}-${twoDigits(month)}-${twoDigits(day)}` as LocalDate

/** The date of year, month (1 to 12) and day, or null when the calendar has no such day. Years 1 to 9999. */
export function localDate(year: number, month: number, day: number): LocalDate | null {
  const exists = year >= 1 && year <= 9999 && day >= 1 && day <= daysInMonth(year, month)
  return exists ? write(year, month, day) : null
}

/** Reads exactly `YYYY-MM-DD`; null for anything else. */
export function parseLocalDate(text: string): LocalDate | null {
  const parts = ISO.exec(text)
  return parts === null ? null : localDate(Number(parts[1]), Number(parts[2]), Number(parts[3]))
}

interface Parts {
  readonly year: number
  readonly month: number
  readonly day: number
}

const partsOf = (date: LocalDate): Parts => ({
  year: twoDigitsAt(date, 0) * 100 + twoDigitsAt(date, 2),
  month: twoDigitsAt(date, 5),
  day: twoDigitsAt(date, 8),
})

const twoDigitsAt = (date: LocalDate, at: number): number =>
  (date.charCodeAt(at) - 48) * 10 + date.charCodeAt(at + 1) - 48

/** Negative, zero or positive, as `a` is before, on or after `b`. */
export const compareDates = (a: LocalDate, b: LocalDate): number => (a < b ? -1 : a > b ? 1 : 0)

const LAST_DATE = '9999-12-31' as LocalDate

/** Calendar months later, same day, clamped to the end of a shorter month and to the year 9999. */
export function addMonths(date: LocalDate, months: number): LocalDate {
  const { year, month, day } = partsOf(date)
  const count = year * 12 + (month - 1) + months
  const newYear = Math.floor(count / 12)
  const newMonth = (count % 12) + 1
  // A five-digit year would compare as text before every other date.
  return newYear > 9999 ? LAST_DATE : write(newYear, newMonth, Math.min(day, daysInMonth(newYear, newMonth)))
}

/** Days since 0000-03-01: March first, so that the leap day ends the year. */
function dayNumber(date: LocalDate): number {
  const { year, month, day } = partsOf(date)
  const shiftedYear = month > 2 ? year : year - 1
  const shiftedMonth = month > 2 ? month - 3 : month + 9
  const leapDays = Math.floor(shiftedYear / 4) - Math.floor(shiftedYear / 100) + Math.floor(shiftedYear / 400)
  return shiftedYear * 365 + leapDays + Math.floor((shiftedMonth * 153 + 2) / 5) + day - 1
}

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export const daysBetween = (from: LocalDate, to: LocalDate): number => dayNumber(to) - dayNumber(from)

/** The date a number of days later, or null after the year 9999. The inverse of `dayNumber`, in eras of 400 years. */
export function addDays(date: LocalDate, days: number): LocalDate | null {
  const target = dayNumber(date) + days
  const era = Math.floor(target / 146_097)
  const dayOfEra = target - era * 146_097
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365)
  const dayOfYear = dayOfEra - (yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((dayOfYear * 5 + 2) / 153)
  const day = dayOfYear - Math.floor((shiftedMonth * 153 + 2) / 5) + 1
  const year = era * 400 + yearOfEra
  return shiftedMonth < 10
    ? localDate(year, shiftedMonth + 3, day)
    : localDate(year + 1, shiftedMonth - 9, day)
}

/**
 * The calendar date in an IANA zone at a moment given in milliseconds since 1970.
 * @throws {RangeError} for a zone that does not exist
 */
export function todayIn(zone: string, nowMs: number): LocalDate {
  const format = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const parts = new Map(format.formatToParts(nowMs).map((part) => [part.type, Number(part.value)]))
  return write(parts.get('year') ?? 0, parts.get('month') ?? 0, parts.get('day') ?? 0)
}
