import { printable, cleanCell, fold, isScientific, upperCase, plural, said } from '../text/text.js'
import { ORDERED, readDate, splitTime, type DecidedFormat } from '../mandate/date.js'
import type { LocalDate, Field } from '../mandate/mandate.js'
import type { ReadableValues, SourceReading } from '../rule/verdict.js'
import { maskedText } from '../text/accounts.js'

/** A row that somebody gave back with other values, as it stands among the decisions of people. */
export const CORRECTED = 'corrected'

/** What is recorded where neither the line nor the command says why. */
export const NO_REASON: string = 'no reason given'

/** Who corrected, and why, where the line does not say it itself. */
export interface Corrector {
  readonly by: string
  readonly reason: string | null
}

export const NOBODY_NAMED: Corrector = { by: 'operator', reason: null }

/** A value before and after, as a report may show it. */
export interface FieldChange {
  /** A field that is read, or the column of ours in which a person spoke. */
  readonly field: string
  readonly before: string
  readonly after: string
}

const shown = (value: string): string => `"${printable(value).replaceAll('"', "'")}"`

/** `iban "DE…3000" → "DE…4000", signed_date "" → "2024-03-15"`: no words, so that it reads the same in every language. */
export const changesText = (changes: readonly FieldChange[]): string =>
  changes.map(({ field, before, after }) => `${field} ${shown(before)} → ${shown(after)}`).join(', ')

/** What such a text tells of each field; nothing of what a purge has left of it. */
export const changesIn = (text: string): FieldChange[] =>
  [...text.matchAll(/([a-z_]+) "([^"]*)" → "([^"]*)"/g)].map(([, field = '', before = '', after = '']) => ({
    field,
    before,
    after,
  }))

/** A row that waits to be sent with corrected values. */
export interface CorrectedRow {
  /** The row that was given back. */
  readonly row: number
  readonly by: string
  /** ISO 8601. */
  readonly at: string
  readonly reason: string
  readonly changes: string
}

/** Rows that wait to be sent with corrected values. */
export interface Corrections {
  readonly rows: number
  readonly fields: readonly { readonly field: string; readonly count: number }[]
  /** In the order in which they were corrected. */
  readonly first: readonly CorrectedRow[]
}

/** How often each field was changed, the most frequent first. */
export function countFields(texts: Iterable<string>): Corrections['fields'] {
  const counts = new Map<string, number>()
  for (const text of texts)
    for (const { field } of changesIn(text)) counts.set(field, (counts.get(field) ?? 0) + 1)
  return [...counts]
    .map(([field, count]) => ({ field, count }))
    .sort((a, b) => b.count - a.count || (a.field < b.field ? -1 : 1))
}

/**
 * What spreadsheets and table libraries make of a cell that nobody touched: zeros in front are lost, whole numbers get
 * decimals, dates take the notation of the machine, truth values its language.
 *
 *   same       the very cell, or what only a re-saving makes of it
 *   perhaps    a rounded number, or a date whose day and month may be exchanged: it may have been corrected, too
 *   different  somebody changed it
 */
export type Likeness = 'same' | 'perhaps' | 'different'

const DIGITS = /^[0-9]+$/
const WITH_DECIMALS = /^([0-9]+)[.,]0{1,2}$/
/** A spreadsheet keeps 15 digits of a number, and shows at most 11 of them. */
const MOST_DIGITS_SHOWN = 11
const MOST_DIGITS_KEPT = 15

/** Cells that table libraries read as "nothing". */
const ABSENT: ReadonlySet<string> = new Set('#N/A #NA <NA> N/A n/a NA NaN nan None NULL null NaT'.split(' '))
const TRUE: ReadonlySet<string> = new Set('true wahr vrai waar vero verdadero sant sand prawda'.split(' '))
const FALSE: ReadonlySet<string> = new Set(
  'false falsch faux onwaar falso falskt falsk fałsz'.split(' ').map(fold),
)

const withoutZeros = (digits: string): string => digits.replace(/^0+(?=[0-9])/, '')

/** A number was put in the place of one with zeros in front, and is shorter: a spreadsheet may have taken its own zeros. */
export const mayLackZeros = (original: string, returned: string): boolean =>
  [original, returned].every((text) => DIGITS.test(text)) &&
  withoutZeros(original) !== original &&
  withoutZeros(returned) === returned &&
  returned.length < original.length

/** A whole number without the decimals that a column of numbers gives it, else the text itself. */
export const withoutDecimals = (text: string): string => WITH_DECIMALS.exec(text)?.[1] ?? text

/** True for a word that a spreadsheet takes for a truth value. */
export const isTruthWord = (text: string): boolean => TRUE.has(fold(text)) || FALSE.has(fold(text))

const isTruth = (one: string, other: string): boolean =>
  [TRUE, FALSE].some((words) => words.has(fold(one)) && words.has(fold(other)))

/** A save in an old code page turns what it lacks into question marks. */
const isWithoutLetters = (original: string, returned: string): boolean =>
  returned.includes('?') &&
  original.length === returned.length &&
  Array.from({ length: returned.length }, (_, at) => at).every(
    (at) => original[at] === returned[at] || (returned[at] === '?' && original.charCodeAt(at) > 0xff),
  )

function isRounded(original: string, returned: string): boolean {
  if (!DIGITS.test(original) || withoutZeros(original).length <= MOST_DIGITS_SHOWN) return false
  if (isScientific(returned)) {
    const [mantissa = ''] = returned.split(/[eE]/)
    const decimals = mantissa.replace(/^[+-]?[0-9][.,]?/, '').length
    return Number(Number(original).toExponential(decimals)) === Number(returned.replace(',', '.'))
  }
  const [before, after] = [withoutZeros(original), withoutDecimals(returned)]
  if (!DIGITS.test(after) || after.length <= MOST_DIGITS_KEPT || after.length !== before.length) return false
  const isCut = /^0+$/.test(after.slice(MOST_DIGITS_KEPT))
  return Number(after) === Number(before) || (isCut && after.startsWith(before.slice(0, MOST_DIGITS_KEPT)))
}

/** Our own files write an apostrophe before what a spreadsheet would run, at the start or where it may split a cell. */
const withoutApostrophes = (text: string): string => cleanCell(text.replace(/(^|[,;|\t\r\n])'/g, '$1'))

/** Compares a cell that is no date. */
export function likenessOf(original: string, returned: string): Likeness {
  const before = cleanCell(original)
  const after = cleanCell(returned)
  if (before === after || (after.includes("'") && withoutApostrophes(after) === withoutApostrophes(before)))
    return 'same'
  if (after === '' && ABSENT.has(before)) return 'same'
  if (isTruth(before, after) || isWithoutLetters(before, after)) return 'same'
  if (DIGITS.test(before)) {
    const number = withoutDecimals(after)
    if (number === before || number === withoutZeros(before)) return 'same'
  }
  return isRounded(before, after) ? 'perhaps' : 'different'
}

const MIDNIGHT = /[ T]00:00(?::00(?:[.,]0+)?)?$/
const DOTTED = /^[0-9]{1,2}\.[0-9]{1,2}\.([0-9]{2}|[0-9]{4})$/
const SLASHED = /^[0-9]{1,2}\/[0-9]{1,2}\/[0-9]{4}$/
const HYPHENATED = /^[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}$/

/** The date cell without the midnight that a spreadsheet or a table library adds to it. */
export const withoutMidnight = (cell: string): string => cleanCell(cell).replace(MIDNIGHT, '')

/**
 * How a date of a file that was saved again is written. Dots always mean that the day comes first; of slashes and
 * hyphens only a value that has one reading is clear, unless the export itself is written so.
 */
export function notationOf(written: string, declared: DecidedFormat, today: LocalDate): DecidedFormat {
  const text = splitTime(written).bare
  const dotted = DOTTED.exec(text)
  if (dotted !== null) return dotted[1]?.length === 2 ? 'dd.mm.yy' : 'dd.mm.yyyy'
  const { slashed, hyphenated } = ORDERED
  const ordered = SLASHED.test(text) ? slashed : HYPHENATED.test(text) ? hyphenated : null
  if (ordered === null) return dateOf(text, 'iso', today) === null ? declared : 'iso'
  const [dayFirst, monthFirst] = ordered
  if (declared === slashed[0] || declared === hyphenated[0]) return dayFirst
  if (declared === slashed[1] || declared === hyphenated[1]) return monthFirst
  const fits = ordered.filter((format) => dateOf(text, format, today) !== null)
  return fits.length === 1 ? (fits[0] ?? 'unsettled') : 'unsettled'
}

const SHORT_YEAR = /^([0-9]{1,2}[/-][0-9]{1,2}[/-])([0-9]{2})$/

/** A spreadsheet may show two digits of the year: the other two are those that the date had before. */
const withWholeYear = (text: string, before: LocalDate): string =>
  text.replace(SHORT_YEAR, (whole, start: string, year: string) =>
    before.slice(2, 4) === year ? start + before.slice(0, 4) : whole,
  )

/** The same numbers in the same order, but for a year that is written with two digits in one of them; they may be read as different dates. */
function hasSameNumbers(one: string, other: string): boolean {
  const [ours, theirs] = [one, other].map((text) => text.match(/[0-9]+/g) ?? [])
  if (ours === undefined || theirs === undefined || ours.length < 3 || ours.length !== theirs.length)
    return false
  return ours.every((part, at) => {
    const returned = theirs[at] ?? ''
    const isShortened =
      part.length + returned.length === 6 && (part.endsWith(returned) || returned.endsWith(part))
    return isShortened || withoutZeros(part) === withoutZeros(returned)
  })
}

interface DateCell {
  readonly text: string
  readonly format: DecidedFormat
  /** What was read from it, where that is known. */
  readonly date: LocalDate | null
}

/** Compares a date with the one that the row had before. */
export function dateLikeness(original: DateCell, returned: string, today: LocalDate): Likeness {
  const plain = likenessOf(original.text, returned)
  if (plain === 'same') return plain
  const before = withoutMidnight(original.text)
  const date = original.date ?? dateOf(before, original.format, today)
  // What nobody could read is not settled by a program that shows it otherwise.
  if (date === null) return hasSameNumbers(before, withoutMidnight(returned)) ? 'same' : plain
  const after = withWholeYear(withoutMidnight(returned), date)
  const format = notationOf(after, original.format, today)
  const isSwapped = hasSameNumbers(before, after) && before !== after
  if (format === 'unsettled') {
    const fits = Object.values(ORDERED).flat()
    return fits.some((each) => dateOf(after, each, today) === date) ? 'perhaps' : plain
  }
  if (dateOf(after, format, today) === date || dateOf(after, 'excel', today) === date) return 'same'
  return isSwapped ? 'perhaps' : plain
}

function dateOf(text: string, format: DecidedFormat, today: LocalDate): LocalDate | null {
  const read = readDate(text, format, today)
  return read.kind === 'date' ? read.date : null
}

const RUN_OF_BLANKS = /[\s\u00A0\u2000-\u200A\u202F\u205F\u3000]+/gu
const WHOLE_NUMBER = /^0*([1-9][0-9]{0,14})(?:[.,]0{1,2})?$/

function withoutMarks(cell: string): string {
  const text = cleanCell(cell)
  const bare = text.startsWith("'") ? text.slice(1) : text
  const isQuoted = bare.length > 1 && bare.startsWith('"') && bare.endsWith('"')
  return cleanCell(isQuoted ? bare.slice(1, -1) : bare)
}

/**
 * Reads a whole number from 1 on as spreadsheets and table libraries write it: `2`, `2.0`, `2,00`, `0002`, `'2`, `="2"`.
 * Three zeros behind a point are not clear: they may be thousands.
 * @returns null for anything else
 */
export function readWhole(cell: string): number | null {
  const digits = WHOLE_NUMBER.exec(withoutMarks(cell))?.[1]
  return digits === undefined ? null : Number(digits)
}

/** `0012`, `12`, `12.0`, `1 2` and `12,00` as `12`; null for anything but a whole number. */
function wholeDigits(text: string): string | null {
  const digits = withoutDecimals(text.replace(RUN_OF_BLANKS, ''))
  return DIGITS.test(digits) ? withoutZeros(digits) : null
}

/**
 * True when `found` names the same customer or mandate as `original`: other blanks, quotes, letter case, zeros in front
 * or behind a separator. A number that was rounded or made a date has lost what counts, and is another name. Unlike
 * `likenessOf` it does not ask whether a person changed the cell.
 */
export function isSameName(original: string, found: string): boolean {
  const [a, b] = [original, found].map((cell) => upperCase(withoutMarks(cell)).replace(RUN_OF_BLANKS, ' '))
  if (a === undefined || b === undefined) return false
  if (a === b || withoutApostrophes(a) === withoutApostrophes(b)) return true
  const digits = wholeDigits(a)
  return digits !== null && digits === wholeDigits(b)
}

/** A row of the ledger as this program's own files show it, to tell a corrected cell from a re-saved one. */
export interface EarlierRow {
  /** The cell that feeds each field; with a crosswalk, `customer_no` is fed by the old key. */
  readonly fields: Readonly<Partial<Record<Field, string>>>
  /** Every cell by the folded name of its column. */
  readonly columns: ReadonlyMap<string, string>
  /** The column of its source that fed each field, by its name there. */
  readonly mapped: Readonly<Partial<Record<Field, string>>>
  /** A rule of the configuration kept it back. */
  readonly isKeptByRule: boolean
  /** How the source it came from writes its dates. */
  readonly formats: { readonly signedDate: DecidedFormat; readonly lastCollection: DecidedFormat }
  /** The configuration by which it was read, and what that said. */
  readonly readBy: Pick<SourceReading, 'configuration' | 'fromLedger' | 'said'>
  /** It was given back itself, so its dates may be written as a spreadsheet does. */
  readonly isCorrection: boolean
  /** Its own checks kept it back. */
  readonly wasHeldBack: boolean
  /** What was read from those cells; null once the account number was removed. */
  readonly values: ReadableValues | null
  /** Whether these values were read from it, which can be told without the account number too. */
  readonly had: (values: ReadableValues) => boolean
}

/** The row of that number, and the one that took its place since; none where the ledger has no such row. */
export type EarlierRows = (row: number) => readonly EarlierRow[]

export const correctedTitle = ({ rows, fields }: Corrections): string =>
  `${plural(rows, 'row was', 'rows were')} corrected${fields.length === 0 ? '' : `: ${fields.map(({ field, count }) => `${field}: ${count}`).join(', ')}`}`

export const correctedText = ({ row, changes, by, reason }: CorrectedRow): string =>
  maskedText(`row ${row}: ${changes === '' ? 'no field' : changes} (${by}: ${reason})`)

/** As many as a person reads before a question. */
export const CORRECTIONS_SHOWN = 10

/** What people changed in the rows that are to be sent: how often, and the first of them field by field. */
export function correctionLines(corrections: Corrections): string[] {
  if (corrections.rows === 0) return []
  const shown = corrections.first.slice(0, CORRECTIONS_SHOWN)
  return said([
    correctedTitle(corrections),
    ...shown.map((corrected) => `  ${correctedText(corrected)}`),
    corrections.rows > shown.length && `  and ${corrections.rows - shown.length} more`,
  ])
}
