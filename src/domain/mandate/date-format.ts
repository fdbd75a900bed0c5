import { addDays, compareDates, daysBetween, localDate } from './local-date.js'
import type { LocalDate } from './mandate.js'

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

export type ReadDate =
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
const COMPACT = /^([0-9]{4})([0-9]{2})([0-9]{2})$/
const SHORT_DOTTED = /^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{2})$/
const SHORT_COMPACT = /^([0-9]{2})([0-9]{2})([0-9]{2})$/
const SERIAL = /^([1-9][0-9]{1,6})(?:[.,][0-9]+)?$/
/** Below it, Excel counts a 29 February 1900 that never was. */
const FIRST_SERIAL = 61
const EXCEL_EPOCH = '1899-12-30' as LocalDate
const EXCEL_1904_EPOCH = '1904-01-01' as LocalDate

const separated = (separator: string): RegExp =>
  new RegExp(`^([0-9]{1,2})${separator}([0-9]{1,2})${separator}([0-9]{4})$`)
const DOTTED = separated('\\.')
const SLASHED = separated('/')
const HYPHENATED = separated('-')

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

function readDayFirst(pattern: RegExp, text: string): ReadDate {
  const parts = pattern.exec(text)
  return parts === null ? INVALID : asRead(calendarDate(parts[3], parts[2], parts[1]))
}

function readMonthFirst(pattern: RegExp, text: string): ReadDate {
  const parts = pattern.exec(text)
  return parts === null ? INVALID : asRead(calendarDate(parts[3], parts[1], parts[2]))
}

function readCompact(text: string): ReadDate {
  const parts = COMPACT.exec(text)
  return parts === null ? INVALID : asRead(calendarDate(parts[1], parts[2], parts[3]))
}

/** 20yy, unless that is after today: then 19yy. */
function readTwoDigitYear(pattern: RegExp, text: string, today: LocalDate): ReadDate {
  const parts = pattern.exec(text)
  if (parts === null) return INVALID
  const [, day, month, year = ''] = parts
  const recent = calendarDate(`20${year}`, month, day)
  const isPast = recent !== null && compareDates(recent, today) <= 0
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
    case 'dd.mm.yyyy':
      return readDayFirst(DOTTED, text)
    case 'dd/mm/yyyy':
      return readDayFirst(SLASHED, text)
    case 'mm/dd/yyyy':
      return readMonthFirst(SLASHED, text)
    case 'dd-mm-yyyy':
      return readDayFirst(HYPHENATED, text)
    case 'mm-dd-yyyy':
      return readMonthFirst(HYPHENATED, text)
    case 'yyyymmdd':
      return readCompact(text)
    case 'dd.mm.yy':
      return readTwoDigitYear(SHORT_DOTTED, text, today)
    case 'ddmmyy':
      return readTwoDigitYear(SHORT_COMPACT, text, today)
    case 'excel':
      return readSerial(text, EXCEL_EPOCH)
    case 'excel1904':
      return readSerial(text, EXCEL_1904_EPOCH)
    case 'unsettled':
      return ISO.test(text) ? readIso(text) : AMBIGUOUS
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
  const [year = '', month = '', day = ''] = date.split('-')
  switch (format) {
    case 'iso':
    case 'unsettled':
      return date
    case 'dd.mm.yyyy':
      return `${day}.${month}.${year}`
    case 'dd/mm/yyyy':
      return `${day}/${month}/${year}`
    case 'mm/dd/yyyy':
      return `${month}/${day}/${year}`
    case 'dd-mm-yyyy':
      return `${day}-${month}-${year}`
    case 'mm-dd-yyyy':
      return `${month}-${day}-${year}`
    case 'yyyymmdd':
      return `${year}${month}${day}`
    case 'dd.mm.yy':
      return `${day}.${month}.${year.slice(2)}`
    case 'ddmmyy':
      return `${day}${month}${year.slice(2)}`
    case 'excel':
      return String(daysBetween(EXCEL_EPOCH, date))
    case 'excel1904':
      return String(daysBetween(EXCEL_1904_EPOCH, date))
  }
}

const UNDECLARED = /^[0-9]+(?:[.,][0-9]+)?$|^[0-9]{1,2}([./-])[0-9]{1,2}\1[0-9]{2}$/
const ZEROS = /^0[-0./: TZ]*$/

/** A cell without a date: empty, a dash, or zeros in any notation, such as `0000-00-00`. */
export const isZeroDate = (text: string): boolean => text === '' || text === '-' || ZEROS.test(text)

/** The notation of a value, before it is known whether day or month comes first. */
export type Notation = 'iso' | 'dotted' | 'slashed' | 'hyphenated' | 'undeclared' | 'none'

export interface NotedDate {
  readonly notation: Notation
  readonly fitsDayFirst: boolean
  readonly fitsMonthFirst: boolean
}

const noted = (notation: Notation, text = '', pattern?: RegExp): NotedDate => ({
  notation,
  fitsDayFirst: pattern !== undefined && readDayFirst(pattern, text).kind === 'date',
  fitsMonthFirst: pattern !== undefined && readMonthFirst(pattern, text).kind === 'date',
})

/** What `auto` can tell from one value alone. */
export function noteDate(text: string): NotedDate {
  if (ISO.test(text)) return noted('iso')
  if (DOTTED.test(text)) return noted('dotted')
  if (SLASHED.test(text)) return noted('slashed', text, SLASHED)
  if (HYPHENATED.test(text)) return noted('hyphenated', text, HYPHENATED)
  return noted(UNDECLARED.test(text) ? 'undeclared' : 'none')
}
