import type { LocalDate } from './mandate.js'
import { cleanCell } from '../text/text.js'

/**
 * Calendar dates without time or zone (domain/rulebook.md#today). Days are counted in UTC, so nothing can shift by a
 * zone.
 */

const PLAIN_DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/
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
  const parts = PLAIN_DATE.exec(text)
  return parts === null ? null : localDate(Number(parts[1]), Number(parts[2]), Number(parts[3]))
}

const LAST_DATE = '9999-12-31' as LocalDate

/** Calendar months later, same day, clamped to the end of a shorter month and to the year 9999. */
export function addMonths(date: LocalDate, months: number): LocalDate {
  const count = Number(date.slice(0, 4)) * 12 + (Number(date.slice(5, 7)) - 1) + months
  const newYear = Math.floor(count / 12)
  const newMonth = (count % 12) + 1
  const day = Math.min(Number(date.slice(8)), daysInMonth(newYear, newMonth))
  // A five-digit year would compare as text before every other date.
  return newYear > 9999 ? LAST_DATE : write(newYear, newMonth, day)
}

const DAY_MS = 86_400_000

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export const daysBetween = (from: LocalDate, to: LocalDate): number =>
  (Date.parse(to) - Date.parse(from)) / DAY_MS

/** The date a number of days later, or null after the year 9999. */
export function addDays(date: LocalDate, days: number): LocalDate | null {
  const later = new Date(Date.parse(date) + days * DAY_MS)
  return later.getUTCFullYear() > 9999 ? null : (later.toISOString().slice(0, 10) as LocalDate)
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

/** How the dates of a column are written (domain/rulebook.md#signature-date), and how one of them is read. */

/** Formats that can be declared. The two with hyphens are what `auto` may decide on; declaring them is possible too. */
export const DATE_FORMATS = [
  'iso',
  'dd.mm.yyyy',
  'dd/mm/yyyy',
  'mm/dd/yyyy',
  'dd-mm-yyyy',
  'mm-dd-yyyy',
  'yyyymmdd',
  'dd.mm.yy',
  'ddmmyy',
  'excel',
  'excel1904',
] as const
export type DateFormat = (typeof DATE_FORMATS)[number]

/** What a column is read with. `unsettled`, a word that ledgers hold: `auto` could not decide, only ISO is clear. */
export type DecidedFormat = DateFormat | 'unsettled'

type ReadDate =
  | {
      readonly kind: 'date'
      readonly date: LocalDate
      readonly hasAssumedCentury: boolean
      /** Written as 22 or 23 o'clock UTC: probably local midnight of the next day. */
      readonly isNearMidnightUtc: boolean
    }
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'invalid' }

const INVALID: ReadDate = { kind: 'invalid' }
const AMBIGUOUS: ReadDate = { kind: 'ambiguous' }

const EARLIEST_YEAR = 1900
const ISO =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]|60)(?:[.,]([0-9]+))?)?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?$/
const NEAR_MIDNIGHT = /[T ]2[23]:00(?::00(?:[.,]0+)?)?(?:Z|[+-]00(?::?00)?)$/
/** Where day, month and year stand, in the formats that say no more. */
const PATTERNS = {
  'dd.mm.yyyy': /^(?<day>[0-9]{1,2})\.(?<month>[0-9]{1,2})\.(?<year>[0-9]{4})$/,
  'dd/mm/yyyy': /^(?<day>[0-9]{1,2})\/(?<month>[0-9]{1,2})\/(?<year>[0-9]{4})$/,
  'mm/dd/yyyy': /^(?<month>[0-9]{1,2})\/(?<day>[0-9]{1,2})\/(?<year>[0-9]{4})$/,
  'dd-mm-yyyy': /^(?<day>[0-9]{1,2})-(?<month>[0-9]{1,2})-(?<year>[0-9]{4})$/,
  'mm-dd-yyyy': /^(?<month>[0-9]{1,2})-(?<day>[0-9]{1,2})-(?<year>[0-9]{4})$/,
  yyyymmdd: /^(?<year>[0-9]{4})(?<month>[0-9]{2})(?<day>[0-9]{2})$/,
  'dd.mm.yy': /^(?<day>[0-9]{1,2})\.(?<month>[0-9]{1,2})\.(?<year>[0-9]{2})$/,
  ddmmyy: /^(?<day>[0-9]{2})(?<month>[0-9]{2})(?<year>[0-9]{2})$/,
} as const
const SERIAL = /^([1-9][0-9]{1,6})(?:[.,][0-9]+)?$/
/** Below it, Excel counts a 29 February 1900 that never was. */
const FIRST_SERIAL = 61
const EXCEL_EPOCH = '1899-12-30' as LocalDate
const EXCEL_1904_EPOCH = '1904-01-01' as LocalDate

const asRead = (date: LocalDate | null, flags?: { century?: boolean; midnight?: boolean }): ReadDate =>
  date === null || Number(date.slice(0, 4)) < EARLIEST_YEAR
    ? INVALID
    : {
        kind: 'date',
        date,
        hasAssumedCentury: flags?.century ?? false,
        isNearMidnightUtc: flags?.midnight ?? false,
      }

const calendarDate = (year?: string, month?: string, day?: string): LocalDate | null =>
  localDate(Number(year), Number(month), Number(day))

function readIso(text: string): ReadDate {
  const parts = ISO.exec(text)
  if (parts === null) return INVALID
  const midnight = parts[4] !== undefined && NEAR_MIDNIGHT.test(text)
  return asRead(calendarDate(parts[1], parts[2], parts[3]), { midnight })
}

/** Of two digits of a year 20yy, unless that is after today: then 19yy. */
function readParts(pattern: RegExp, text: string, today: LocalDate): ReadDate {
  const { year, month, day } = pattern.exec(text)?.groups ?? {}
  if (year?.length !== 2) return asRead(calendarDate(year, month, day))
  const recent = calendarDate(`20${year}`, month, day)
  const isPast = recent !== null && recent <= today
  return asRead(isPast ? recent : calendarDate(`19${year}`, month, day), { century: true })
}

function readSerial(text: string, epoch: LocalDate): ReadDate {
  const serial = Number(SERIAL.exec(text)?.[1] ?? 0)
  return serial < FIRST_SERIAL ? INVALID : asRead(addDays(epoch, serial))
}

/** Reads one cleaned, not empty value. `today` only decides the century of a two-digit year. */
export function readDate(text: string, format: DecidedFormat, today: LocalDate): ReadDate {
  switch (format) {
    case 'iso':
      return readIso(text)
    case 'excel':
      return readSerial(text, EXCEL_EPOCH)
    case 'excel1904':
      return readSerial(text, EXCEL_1904_EPOCH)
    case 'unsettled':
      return ISO.test(text) ? readIso(text) : AMBIGUOUS
    default:
      return readParts(PATTERNS[format], text, today)
  }
}

const HASHES = /^#{2,}$/
/** Days of the years 1996 to 2063: what a spreadsheet counts where a mandate was signed or collected. */
const LIKELY_SERIAL = /^(?:3[5-9]|4[0-9]|5[0-9])[0-9]{3}(?:[.,][0-9]+)?$/

/** What a spreadsheet made of a date that cannot be read in the declared format, or null. */
export function explainDate(text: string): { readonly detail: string; readonly remedy: string } | null {
  if (HASHES.test(text))
    return {
      detail:
        'A spreadsheet saved what it showed, because its column was too narrow. The date is not in the file.',
      remedy: 'Widen the column and save again, or export again without opening the file in a spreadsheet.',
    }
  if (!LIKELY_SERIAL.test(text)) return null
  const read = readSerial(text, EXCEL_EPOCH)
  const day = read.kind === 'date' ? ` (${read.date}, or four years later on an old Mac)` : ''
  return {
    detail: `A spreadsheet saved the date as a number of days${day}.`,
    remedy:
      'Declare the format "excel" for this column, compare a few dates with the source, and check again.',
  }
}

/** Writes a date as a column of that format has it, so that `readDate` reads it again. */
export function writeDate(date: LocalDate, format: DecidedFormat): string {
  if (format === 'iso' || format === 'unsettled') return date
  if (format === 'excel') return String(daysBetween(EXCEL_EPOCH, date))
  if (format === 'excel1904') return String(daysBetween(EXCEL_1904_EPOCH, date))
  const [year = '', month = '', day = ''] = date.split('-')
  return format.replace('yyyy', year).replace('yy', year.slice(2)).replace('mm', month).replace('dd', day)
}

const UNDECLARED = /^[0-9]+(?:[.,][0-9]+)?$|^[0-9]{1,2}([./-])[0-9]{1,2}\1[0-9]{2}$/
const ZEROS = /^0[-0./: TZ]*$/

/** A cell without a date: empty, a dash, or zeros in any notation, such as `0000-00-00`. */
export const isZeroDate = (text: string): boolean => text === '' || text === '-' || ZEROS.test(text)

/** The day-first and the month-first format of the notations that do not tell the order by themselves. */
export const ORDERED = {
  slashed: ['dd/mm/yyyy', 'mm/dd/yyyy'],
  hyphenated: ['dd-mm-yyyy', 'mm-dd-yyyy'],
} as const

/** The notation of a value, before it is known whether day or month comes first; null for what is no date in any. */
function notationOf(text: string): 'iso' | 'dotted' | keyof typeof ORDERED | 'undeclared' | null {
  if (ISO.test(text)) return 'iso'
  if (PATTERNS['dd.mm.yyyy'].test(text)) return 'dotted'
  if (PATTERNS['dd/mm/yyyy'].test(text)) return 'slashed'
  if (PATTERNS['dd-mm-yyyy'].test(text)) return 'hyphenated'
  return UNDECLARED.test(text) ? 'undeclared' : null
}

/**
 * Decides the format of a column declared `auto` (domain/rulebook.md#signature-date). It is told every value of the
 * column before the first is read, and keeps only what it learned, so a column of any length fits.
 * @param isAbsent cleaned values that stand for no date, and so say nothing about the format
 */
export function startDeciding(isAbsent: (text: string) => boolean = isZeroDate) {
  const notations = new Set<NonNullable<ReturnType<typeof notationOf>>>()
  let allFitDayFirst = true
  let allFitMonthFirst = true

  const fits = (text: string, format: keyof typeof PATTERNS): boolean =>
    readParts(PATTERNS[format], text, LAST_DATE).kind === 'date'

  return {
    note: (raw: string): void => {
      const text = cleanCell(raw)
      if (isAbsent(text)) return
      const notation = notationOf(text)
      // What is no date in any notation is wrong by itself; it does not make the others doubtful.
      if (notation === null) return
      notations.add(notation)
      if (notation !== 'slashed' && notation !== 'hyphenated') return
      const [dayFirst, monthFirst] = ORDERED[notation]
      allFitDayFirst &&= fits(text, dayFirst)
      allFitMonthFirst &&= fits(text, monthFirst)
    },
    decided: (): DecidedFormat => {
      const [notation = 'iso', ...others] = notations
      if (others.length > 0 || notation === 'undeclared') return 'unsettled'
      if (notation === 'iso') return 'iso'
      if (notation === 'dotted') return 'dd.mm.yyyy'
      // All fit one order and not all fit the other: at least one value proves the order.
      if (allFitDayFirst === allFitMonthFirst) return 'unsettled'
      const [dayFirst, monthFirst] = ORDERED[notation]
      return allFitDayFirst ? dayFirst : monthFirst
    },
  }
}

/** Wall clock for what is written down, monotonic clock for what is waited for; only cli.ts makes the real one. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds from any origin, never stepping back. */
  readonly monotonic: () => number
}
