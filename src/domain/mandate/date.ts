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

export const LAST_DATE = '9999-12-31' as LocalDate

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
  return later.getUTCFullYear() <= 9999 ? (later.toISOString().slice(0, 10) as LocalDate) : null
}

/** To make one takes some ten times as long as to use it. */
const calendars = new Map<string, Intl.DateTimeFormat>()

/**
 * The calendar date in an IANA zone at a moment given in milliseconds since 1970.
 * @throws {RangeError} for a zone that does not exist
 */
export function todayIn(zone: string, nowMs: number): LocalDate {
  const format =
    calendars.get(zone) ??
    new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
  calendars.set(zone, format)
  const parts = new Map(format.formatToParts(nowMs).map((part) => [part.type, Number(part.value)]))
  return write(parts.get('year') ?? 0, parts.get('month') ?? 0, parts.get('day') ?? 0)
}

/** How the dates of a column are written (domain/rulebook.md#signature-date), and how one of them is read. */

/** Formats that can be declared. The two with hyphens are what `auto` may decide on; declaring them is possible too. */
export const DATE_FORMATS = [
  'iso',
  'dd.mm.yyyy',
  'mm.dd.yyyy',
  'dd/mm/yyyy',
  'mm/dd/yyyy',
  'dd-mm-yyyy',
  'mm-dd-yyyy',
  'yyyy/mm/dd',
  'yyyymmdd',
  'ddmmyyyy',
  'dd-MON-yyyy',
  'dd-MON-yy',
  'dd.mm.yy',
  'dd/mm/yy',
  'mm/dd/yy',
  'dd-mm-yy',
  'mm-dd-yy',
  'yy-mm-dd',
  'ddmmyy',
  'mmddyy',
  'yymmdd',
  'excel',
  'excel1904',
] as const
export type DateFormat = (typeof DATE_FORMATS)[number]

/** What a column is read with. `unsettled`, a word that ledgers hold: `auto` could not decide, only ISO is clear. */
export type DecidedFormat = DateFormat | 'unsettled'

interface DateRead {
  readonly kind: 'date'
  readonly date: LocalDate
  readonly hasAssumedCentury: boolean
  /** Seconds of the day behind the date; null where there are none, at midnight, and at an offset that is not that of UTC. */
  readonly time: number | null
  /** Written as 21, 22 or 23 o'clock sharp: perhaps local midnight of the next day. */
  readonly isNearMidnightUtc: boolean
}
type ReadDate = DateRead | { readonly kind: 'ambiguous' } | { readonly kind: 'invalid' }

const INVALID: ReadDate = { kind: 'invalid' }
const AMBIGUOUS: ReadDate = { kind: 'ambiguous' }

const EARLIEST_YEAR = 1900
/** A time behind a date: `T23:00:00Z`, ` 0:00`, `, 12:00:00 AM`, ` 12.00.00 Uhr`. */
const TIMED =
  /^(.{6,18}?)(?:T|,?\s{1,2})([0-9]{1,2})[:.h]([0-9]{2})(?:[:.]([0-9]{2})(?:[.,][0-9]+)?)?(?:\s?([AaPp])\.?\s?[Mm]\.?)?(?:\s?Uhr)?\s?(Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)?$/u
const TIMED_DIGITS = /^([0-9]{8})[T ]?([0-9]{2})([0-9]{2})([0-9]{2})?()(Z)?$/
const OF_UTC = /^(?:Z|UTC|GMT|[+-]00(?::?00)?)?$/
/** Programs that write a day as midnight are off by so much where they reckon with the local time of 1900. */
const DRIFT_S = 60
const EVENING_S = 21 * 3600 - DRIFT_S

/** `Feb 11 2015`, as database servers write a day by default. */
const MONTH_FIRST = /^(\p{L}{3,6})\.? {1,2}([0-9]{1,2}),? (?=[0-9]{4}(?:$|,? ))/u

/** The date of a text, a day in front of a month that has a name, and the time behind it. */
export function splitTime(whole: string): { readonly bare: string; readonly time: number | null } {
  const text = whole.replace(MONTH_FIRST, '$2-$1-')
  const parts = TIMED.exec(text) ?? TIMED_DIGITS.exec(text)
  if (parts === null) return { bare: text, time: null }
  const [, bare = '', hours = '', minutes, seconds, half = '', zone = ''] = parts
  const written = Number(hours)
  const isHour = half === '' ? written < 24 : written >= 1 && written <= 12
  if (!isHour || Number(minutes) > 59 || Number(seconds ?? 0) > 60) return { bare: text, time: null }
  const hour = half === '' ? written : (written % 12) + (/p/i.test(half) ? 12 : 0)
  const time = hour * 3600 + Number(minutes) * 60 + Number(seconds ?? 0)
  return { bare, time: OF_UTC.test(zone) && time > 0 ? time : null }
}

/** True where a day that is written in UTC may be that before the local one. */
const isEvening = (time: number | null): boolean => time !== null && time >= EVENING_S

/** Formats that allow for more than their names say. */
const NOTATIONS: Readonly<Partial<Record<DateFormat, RegExp>>> = {
  iso: /^(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})$/,
  'yyyy/mm/dd': /^(?<year>[0-9]{4})([./]) ?(?<month>[0-9]{1,2})\2 ?(?<day>[0-9]{1,2})\.?$/,
  'dd-MON-yyyy': /^(?<day>[0-9]{1,2})[-./ ] ?(?<month>\p{L}{3,6})(?:\.|\.?[-/ ])(?<year>[0-9]{4})$/u,
  'dd-MON-yy': /^(?<day>[0-9]{1,2})[-./ ] ?(?<month>\p{L}{3,6})(?:\.|\.?[-/ ])(?<year>[0-9]{2})$/u,
}

/** Day, month and year as the name of a format has them; only between separators may a day or month have one digit. */
function patternOf(format: DateFormat): RegExp {
  const digits = /^\w+$/.test(format) ? '{2}' : '{1,2}'
  const parts = format
    .replaceAll('.', String.raw`\. ?`)
    .replace(/yy+/, (years) => `(?<year>[0-9]{${years.length}})`)
    .replace('dd', `(?<day>[0-9]${digits})`)
    .replace('mm', `(?<month>[0-9]${digits})`)
  return new RegExp(`^${parts}$`)
}

const PATTERNS = Object.fromEntries(
  DATE_FORMATS.map((format) => [format, NOTATIONS[format] ?? patternOf(format)]),
) as Readonly<Record<DateFormat, RegExp>>

/** How languages shorten the twelve months, as far as no two of them mean different ones by it. */
const MONTHS = [
  'jan ene gen janv jän led tammi ian',
  'feb fev fév févr febr helmi úno',
  'mar mär mrz mrt mars märz marz bře maalis',
  'apr abr avr huhti dub kwi',
  'may mai mei maj mag touko kvě',
  'jun giu juin juni kesä čvn cze',
  'jul lug juil juli heinä čvc',
  'aug ago aoû aou août aout elo sie',
  'sep set sept syys zář wrz',
  'oct okt ott out loka říj paź',
  'nov marras',
  'dec dez dic déc des joulu pro gru',
].map((names) => new Set(names.split(' ')))

/** 1 to 12, or 0 for what is no month. */
export const monthOf = (name: string): number =>
  MONTHS.findIndex((names) => names.has(name.toLowerCase().normalize('NFC'))) + 1

const SERIAL = /^[1-9][0-9]{1,6}(?:[.,][0-9]+)?$/
const SECONDS_OF_DAY = 86_400
/** Below it, Excel counts a 29 February 1900 that never was. */
const FIRST_SERIAL = 61
export const EXCEL_EPOCH = '1899-12-30' as LocalDate
export const EXCEL_1904_EPOCH = '1904-01-01' as LocalDate

const asRead = (date: LocalDate | null, time: number | null, hasAssumedCentury = false): ReadDate =>
  date === null || Number(date.slice(0, 4)) < EARLIEST_YEAR
    ? INVALID
    : {
        kind: 'date',
        date,
        hasAssumedCentury,
        time,
        isNearMidnightUtc: isEvening(time) && Number(time) % 3600 === 0,
      }

function calendarDate(year?: string, month = '', day?: string): LocalDate | null {
  const number = Number(month)
  return localDate(Number(year), Number.isNaN(number) ? monthOf(month) : number, Number(day))
}

/** Of two digits of a year 20yy, unless that is after today: then 19yy. */
function readParts(pattern: RegExp, text: string, today: LocalDate): ReadDate {
  const whole = pattern.exec(text)
  const { bare, time } = whole === null ? splitTime(text) : { bare: text, time: null }
  const { year, month, day } = (whole ?? pattern.exec(bare))?.groups ?? {}
  if (year?.length !== 2) return asRead(calendarDate(year, month, day), time)
  const recent = calendarDate(`20${year}`, month, day)
  const isPast = recent !== null && recent <= today
  return asRead(isPast ? recent : calendarDate(`19${year}`, month, day), time, true)
}

/** The day that a spreadsheet counts, and the seconds behind it: of a fraction the last digits are lost. */
export function dayOfSerial(serial: number, epoch: LocalDate) {
  const seconds = Math.round(serial * SECONDS_OF_DAY)
  return { day: addDays(epoch, Math.floor(seconds / SECONDS_OF_DAY)), time: seconds % SECONDS_OF_DAY }
}

function readSerial(text: string, epoch: LocalDate): ReadDate {
  const serial = SERIAL.test(text) ? Number(text.replace(',', '.')) : 0
  const { day, time } = dayOfSerial(serial, epoch)
  return serial < FIRST_SERIAL ? INVALID : asRead(day, time === 0 ? null : time)
}

/** Reads one cleaned, not empty value. `today` only decides the century of a two-digit year. */
export function readDate(text: string, format: DecidedFormat, today: LocalDate): ReadDate {
  switch (format) {
    case 'excel':
      return readSerial(text, EXCEL_EPOCH)
    case 'excel1904':
      return readSerial(text, EXCEL_1904_EPOCH)
    case 'iso': {
      const plain = parseLocalDate(text)
      return plain === null ? readParts(PATTERNS.iso, text, today) : asRead(plain, null)
    }
    case 'unsettled':
      return PATTERNS.iso.test(splitTime(text).bare) ? readParts(PATTERNS.iso, text, today) : AMBIGUOUS
    default:
      return readParts(PATTERNS[format], text, today)
  }
}

/**
 * What the times behind dates mean: written in UTC, to be read in a zone, or nothing. Undefined where nobody has said so;
 * then a date with a time that looks like midnight of another zone is in doubt.
 */
export type TimesOfDay = 'written' | { readonly zone: string } | undefined

const EVENING_MS = 3 * 3_600_000

/**
 * The day that is meant, whether it was taken for the next one by less than a minute, and whether even so the time is one
 * at which the day may be that before.
 */
export function meantBy({ date, time }: DateRead, times: TimesOfDay) {
  if (time === null || typeof times !== 'object')
    return { date, isRounded: false, isEvening: times === undefined && isEvening(time) }
  const moment = Date.parse(date) + time * 1000
  const day = todayIn(times.zone, moment + DRIFT_S * 1000)
  return {
    date: day,
    isRounded: day !== todayIn(times.zone, moment),
    isEvening: day !== todayIn(times.zone, moment + EVENING_MS),
  }
}

const HASHES = /^#{2,}$/
/** Days of the years 1996 to 2063: what a spreadsheet counts where a mandate was signed or collected. */
const LIKELY_SERIAL = /^(?:3[5-9]|4[0-9]|5[0-9])[0-9]{3}(?:[.,][0-9]+)?$/

/** With dots, the month stands first only where nothing else can be meant. */
export const isLikely = (format: DateFormat, fitting: readonly unknown[]): boolean =>
  format !== 'mm.dd.yyyy' || fitting.length === 1

/** What each format makes of a value that it can read; of digits alone, a number of days is likely in some years only. */
export function readingsOf(text: string, today: LocalDate, formats: readonly DateFormat[] = DATE_FORMATS) {
  const readings = formats.flatMap((format) => {
    if (format.startsWith('excel') && !LIKELY_SERIAL.test(text)) return []
    const read = readDate(text, format, today)
    return read.kind === 'date' ? [{ ...read, format }] : []
  })
  return readings.map((read) => ({ ...read, isLikely: isLikely(read.format, readings) }))
}

/** The formats that read a value; what is digits alone may be anything. */
const formatsOf = (text: string, today: LocalDate): readonly DateFormat[] =>
  /[^0-9]/.test(text) ? readingsOf(text, today).flatMap((read) => (read.isLikely ? read.format : [])) : []

const AS_ISO = 'as YYYY-MM-DD into corrections.csv, and give it back'

/** Why a date cannot be read in the declared format, and how to go on; without a detail where nothing is known. */
export function explainDate(
  text: string,
  format: DecidedFormat,
  today: LocalDate,
): { readonly detail?: string; readonly remedy: string } {
  if (HASHES.test(text))
    return {
      detail:
        'A spreadsheet saved what it showed, because its column was too narrow. The date is not in the file.',
      remedy: 'Widen the column and save again, or export again without opening the file in a spreadsheet.',
    }
  if (LIKELY_SERIAL.test(text)) {
    const read = readSerial(text, EXCEL_EPOCH)
    const day = read.kind === 'date' ? ` (${read.date}, or four years later on an old Mac)` : ''
    return {
      detail: `A spreadsheet saved the date as a number of days${day}.`,
      remedy:
        'Declare the format "excel" for this column, compare a few dates with the source, and check again.',
    }
  }
  const fits = formatsOf(text, today)
  if (fits.length === 0) {
    const isCalendar = format !== 'unsettled' && text.length > 5
    const remedy = isCalendar ? `If the date is right, no format reads it: write it ${AS_ISO}.` : ''
    return { remedy: `Correct the date. ${remedy}`.trim() }
  }
  const asWhich = fits.join(' or ')
  if (format !== 'unsettled')
    return {
      detail: `It is written as ${asWhich}.`,
      remedy: `If all dates of this column are, declare that format for it. If the column mixes formats, write this one ${AS_ISO}.`,
    }
  return {
    detail: `It can be read as ${asWhich}.`,
    remedy: `Declare the format of this column; where it mixes formats, write this date ${AS_ISO}.`,
  }
}

/** Writes a date as a column of that format has it, so that `readDate` reads it again. */
export function writeDate(date: LocalDate, format: DecidedFormat): string {
  if (format === 'iso' || format === 'unsettled') return date
  if (format === 'excel') return String(daysBetween(EXCEL_EPOCH, date))
  if (format === 'excel1904') return String(daysBetween(EXCEL_1904_EPOCH, date))
  const [year = '', month = '', day = ''] = date.split('-')
  const [name = ''] = MONTHS[Number(month) - 1] ?? []
  return format
    .replace('MON', name.toUpperCase())
    .replace('yyyy', year)
    .replace('yy', year.slice(2))
    .replace('mm', month)
    .replace('dd', day)
}

const UNDECLARED = /^[0-9]+(?:[.,][0-9]+)?$|^[0-9]{1,2}([./-])(?:[0-9]{1,2}|\p{L}{3,4})\1[0-9]{2}$/u
const ZEROS = /^0[-0./: TZ]*$/

/** A cell without a date: empty, a dash, or zeros in any notation, such as `0000-00-00`. */
export const isZeroDate = (text: string): boolean => text === '' || text === '-' || ZEROS.test(text)

/** The day-first and the month-first format of the notations that do not tell the order by themselves. */
export const ORDERED = {
  slashed: ['dd/mm/yyyy', 'mm/dd/yyyy'],
  hyphenated: ['dd-mm-yyyy', 'mm-dd-yyyy'],
} as const

const IN_ORDER: readonly DateFormat[] = Object.values(ORDERED).flat()
/** What `auto` may decide on. */
const DECIDABLE = [
  'iso',
  'dd.mm.yyyy',
  'yyyy/mm/dd',
  'dd-MON-yyyy',
  ...ORDERED.slashed,
  ...ORDERED.hyphenated,
] as const

/**
 * Decides the format of a column declared `auto` (domain/rulebook.md#signature-date). It is told every value of the
 * column before the first is read, and keeps only the formats that fit all of them, so a column of any length fits.
 * @param isAbsent cleaned values that stand for no date, and so say nothing about the format
 */
export function startDeciding(isAbsent: (text: string) => boolean = isZeroDate) {
  let fitting: readonly (typeof DECIDABLE)[number][] = DECIDABLE
  let isTold = false
  return {
    note: (raw: string): void => {
      const text = cleanCell(raw)
      if (isAbsent(text)) return
      const { bare } = splitTime(text)
      const has = (format: (typeof DECIDABLE)[number]): boolean => PATTERNS[format].test(bare)
      // What is no date in any notation is wrong by itself; it does not make the others doubtful.
      if (!UNDECLARED.test(bare) && !DECIDABLE.some(has)) return
      isTold = true
      fitting = fitting.filter(
        (format) =>
          has(format) &&
          (!IN_ORDER.includes(format) || readParts(PATTERNS[format], text, LAST_DATE).kind === 'date'),
      )
    },
    decided: (): DecidedFormat => {
      const [format = 'unsettled', ...others] = fitting
      // Where both orders fit, no value proves one.
      if (others.length > 0) return isTold ? 'unsettled' : 'iso'
      return format
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

/** Calls `wake` after so many milliseconds; the returned function takes that back. */
export type After = (delayMs: number, wake: () => void) => () => void

/** As it is written down: ISO 8601 in UTC. */
export const timeOf = (clock: Clock): string => new Date(clock.now()).toISOString()

/** As long as a date without a time. */
const DAY_LENGTH = 10

/** Whether the times of a column of dates are those of another zone (domain/rulebook.md#signature-date). */
export function watchDates(declared: DecidedFormat, today: LocalDate, times: TimesOfDay) {
  const isSerial = declared.startsWith('excel')
  let filled = 0
  let timed = 0
  let evening = 0
  let drifted = 0
  let late = ''

  function noteTime(cell: string, format: DecidedFormat): void {
    const read = readDate(cleanCell(cell), format, today)
    if (read.kind !== 'date' || read.time === null) return
    timed += 1
    if (!meantBy(read, times).isEvening) return
    evening += 1
    if (!read.isNearMidnightUtc) drifted += 1
    late ||= cell.trim()
  }

  const where = typeof times === 'object' ? `lie in ${times.zone}, too,` : 'lie'
  return {
    /** @param isDay it is a day whatever the format of the column */
    note: (cell: string, isDay: boolean): void => {
      filled += 1
      if (cell.length > DAY_LENGTH || isSerial) noteTime(cell, isDay ? 'iso' : declared)
    },
    /**
     * That most values, or most times where some are not on the hour, lie before midnight; null where they do not. A
     * single one on the hour is told by its row (DATE_UTC_SHIFT).
     */
    shifted: (answers: string): string | null =>
      evening * 2 <= (drifted > 0 ? timed : filled)
        ? null
        : `${evening} of ${timed} times ${where} between 21:00 and 24:00, such as "${late}". ${answers}`,
  }
}

/** The numbers of a date up to its third, behind an apostrophe, which is looked at by nobody. */
const FIRST_NUMBERS = /^[\s']*([0-9]{1,4})([-./])([0-9]{1,2})(?:[-./]([0-9]{1,2}))?/
const DAY = 'day'
/** So many dates in each of two spellings are no chance. */
const FEWEST_SPELT = 3

/** How many dates of one spelling prove the order of day and month, could be read in both, or are the same in both. */
type Spelling = Record<'high' | 'low' | 'equal', number> & { shown: string }

/**
 * A program that reads 03/04 as 4 March leaves 25/04 as it is. So a column is in doubt in which no date of one spelling,
 * and each of the others, shows a number above 12 that proves its order: one of each where a workbook holds days beside
 * texts that spreadsheets turn into days, else several.
 */
export function watchOrder(isTyped: boolean) {
  const spellings = new Map<string, Spelling>()
  return {
    /** @param placeOf what people call the cell, where they call it anything */
    note: (cell: string, placeOf: () => string | undefined): void => {
      let end = 0
      while (cell.charCodeAt(end) >= 0x30 && cell.charCodeAt(end) <= 0x39) end += 1
      const usual = spellings.get(end === 4 ? DAY : (cell[end] ?? ''))
      if (usual !== undefined && usual.high > 0 && usual.low > 0) return
      const [, first = '', sign = '', second = '', third = ''] = FIRST_NUMBERS.exec(cell) ?? []
      const isDay = first.length === 4
      const [one, other] = (isDay ? [second, third] : [first, second]).map(Number)
      if (!one || !other) return
      const key = isDay ? DAY : sign
      const spelling = spellings.get(key) ?? { high: 0, low: 0, equal: 0, shown: '' }
      spellings.set(key, spelling)
      const kind = one > 12 || other > 12 ? 'high' : one === other ? 'equal' : 'low'
      spelling[kind] += 1
      if (kind === 'equal' || spelling.shown !== '') return
      const place = placeOf()
      spelling.shown = `"${cell.replace(/^[\s']+/, '').trim()}"${place === undefined ? '' : ` in ${place}`}`
    },
    /** What speaks for days that were taken for months; null where nothing does. */
    swapped: (): string | null => {
      for (const [key, { high, low, shown }] of spellings) {
        const isPair = isTyped && key === DAY && (spellings.has('/') || spellings.has('-'))
        const others = [...spellings].filter(([other]) => other !== key && !(isPair && other === '.'))
        const sure = others.flatMap(([, other]) => (other.low + other.equal === 0 ? other : []))
        const proven = sure.reduce((sum, other) => sum + other.high, 0)
        if (
          high === 0 &&
          sure.length === others.length &&
          Math.min(low, proven) >= (isPair ? 1 : FEWEST_SPELT)
        )
          return `it holds dates, none after the 12th of its month, such as ${shown}, and others in another spelling, none of which can be read with day and month swapped, such as ${sure.map((other) => other.shown).join(' and ')}.`
      }
      return null
    },
  }
}
