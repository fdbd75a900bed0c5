import {
  breaks,
  plainlyUsable,
  startCheck,
  unusable,
  usable,
  type Checked,
  type ValueCheck,
} from '../rule/finding.js'
import type { MandateReference } from '../mandate/mandate.js'
import type { SeverityOverrides } from '../rule/rules.js'
import { cleanCell, hasBlank, isScientific, upperCase } from '../text/text.js'

const NOT_ALLOWED = /[^A-Za-z0-9/\-?:().,'+ ]/
const LONGEST = 35
const ONLY_DIGITS = /^[0-9]{16,}$/
const ONLY_ZEROS = /^0+$/
/** Digits a spreadsheet keeps. */
const PRECISION = 15

const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'NOTPROVIDED',
  'NOT PROVIDED',
  'N/A',
  'NA',
  'NONE',
  'NULL',
  'UNKNOWN',
  'UNBEKANNT',
  '-',
  '0',
])

/**
 * Letters and digits, both, are no placeholder and no rounded number; with hyphens they are no date, month or power of ten
 * where they are longer than any of these, or where no two and no four digits follow.
 */
const PLAIN =
  /^(?:(?=.*[0-9])(?=.*[A-Za-z])(?:[A-Za-z0-9]{2,35}|[A-Za-z0-9-]{10,35})|[0-9]{2,15}|[A-Za-z]{1,9}-(?:[0-9]{3}|[0-9]{5,20}))$/

/** Short month names as spreadsheets write them in English, German, Dutch, French, Spanish and Italian. */
const MONTHS: ReadonlySet<string> = new Set(
  (
    'JAN FEB MAR APR MAY JUN JUL AUG SEP SEPT OCT NOV DEC MRZ MAI OKT DEZ MRT MEI ' +
    'JANV FEVR MARS AVR JUIN JUIL AOUT ENE ABR AGO DIC GEN MAG GIU LUG SET OTT'
  ).split(' '),
)
const NUMBERS = /^([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{2}|[0-9]{4})$/
const YEAR_FIRST = /^[0-9]{4}-([0-9]{1,2})-([0-9]{1,2})$/
const DAY_MONTH_NAME = /^([0-9]{1,2})(?:-|\. )([A-Z]+)$/
const MONTH_NAME_YEAR = /^([A-Z]+)-(?:[0-9]{2}|[0-9]{4})$/

const isBetween = (text: string | undefined, lowest: number, highest: number): boolean => {
  const value = Number(text)
  return value >= lowest && value <= highest
}

/** Day and month in either order: the spreadsheet's language is not known. */
const isDayAndMonth = (a: string | undefined, b: string | undefined): boolean =>
  (isBetween(a, 1, 31) && isBetween(b, 1, 12)) || (isBetween(a, 1, 12) && isBetween(b, 1, 31))

function looksLikeDate(reference: string): boolean {
  const text = upperCase(reference)
  const numbers = NUMBERS.exec(text)
  if (numbers !== null) return isDayAndMonth(numbers[1], numbers[3])
  const yearFirst = YEAR_FIRST.exec(text)
  if (yearFirst !== null) return isDayAndMonth(yearFirst[1], yearFirst[2])
  const dayMonth = DAY_MONTH_NAME.exec(text)
  if (dayMonth !== null) return isBetween(dayMonth[1], 1, 31) && MONTHS.has(dayMonth[2] ?? '')
  return MONTHS.has(MONTH_NAME_YEAR.exec(text)?.[1] ?? '')
}

const charsetDetail = (reference: string): string | undefined =>
  reference.startsWith('#') ? 'It starts with #, like an error cell of a spreadsheet.' : undefined

const hasOddSlash = (reference: string): boolean =>
  reference.startsWith('/') || reference.endsWith('/') || reference.includes('//')

/** Characters, length and slashes. Like the next, true when an error ended the checks. */
function endsAtForm(check: ValueCheck, reference: string): boolean {
  const isTooLong = reference.length > LONGEST && Array.from(reference).length > LONGEST
  return (
    (NOT_ALLOWED.test(reference) && breaks(check, 'UMR_CHARSET', charsetDetail(reference))) ||
    (isTooLong && breaks(check, 'UMR_LENGTH')) ||
    (hasOddSlash(reference) && breaks(check, 'UMR_SLASH'))
  )
}

/** What a bank takes, but a person should look at. */
const endsAtOddity = (check: ValueCheck, reference: string): boolean =>
  (hasBlank(reference) && breaks(check, 'UMR_SPACE')) ||
  (PLACEHOLDERS.has(upperCase(reference)) && breaks(check, 'UMR_PLACEHOLDER')) ||
  (ONLY_DIGITS.test(reference) &&
    ONLY_ZEROS.test(reference.slice(PRECISION)) &&
    breaks(check, 'UMR_PRECISION')) ||
  (looksLikeDate(reference) && breaks(check, 'UMR_LOOKS_LIKE_DATE')) ||
  (reference.startsWith("'") && breaks(check, 'UMR_APOSTROPHE'))

/**
 * Checks the previous reference (domain/rulebook.md#mandate-reference). It is sent exactly as the debtor's bank knows
 * it.
 */
export function checkMandateReference(
  raw: string,
  severities: SeverityOverrides = {},
): Checked<MandateReference, string> {
  if (PLAIN.test(raw)) return plainlyUsable(raw as MandateReference)
  const check = startCheck('unique_mandate_reference', raw, severities)
  const reference = cleanCell(raw)
  if (reference === '') {
    breaks(check, 'UMR_EMPTY')
    return unusable(check, null)
  }
  if (isScientific(reference) && breaks(check, 'EXCEL_SCIENTIFIC')) return unusable(check, null)
  const ended = endsAtForm(check, reference) || endsAtOddity(check, reference)
  return ended ? unusable(check, reference) : usable(check, reference as MandateReference)
}
