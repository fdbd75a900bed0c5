import { isTruthWord } from '../../domain/row/resaved.js'
import { cleanCell } from '../../domain/text/text.js'
import { plainText } from '../page/plain-text.js'

/** What a spreadsheet may run, also behind blanks it skips: = + - @, their full-width and small forms, controls. */
const RUNNABLE = /^(?:[\t\r\n]|[\s\p{Cf}]*[\0=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B])/u

/** The same behind a character at which a spreadsheet with other settings splits a line, quotes or not. */
const RUNNABLE_AFTER_SPLIT =
  /([;\t\r\n|])(?=[\s\p{Cf}"]*[\0=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B])/gu

/**
 * The same behind a comma. A legal reference may hold one and a sign behind it, so there a sign counts only where the
 * rest could do more than calculate, with characters that no field may hold.
 */
const RUNNABLE_AFTER_COMMA =
  /(,)(?=[\s\p{Cf}"]*(?:[\0=@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B]|[+-].*[|!]))/gsu

/** What most references and identifiers are, and none of the patterns above touches; they take their time. */
const HARMLESS = /^[A-Za-z0-9][\w./-]*$/

const neutralInside = (text: string): string =>
  text.replace(RUNNABLE_AFTER_SPLIT, "$1'").replace(RUNNABLE_AFTER_COMMA, "$1'")

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

/**
 * A line of values, each in quotes so that no reader splits or trims it. Joined at once: a line put together piece by
 * piece takes three times as long to write.
 */
export const csvLine = (cells: readonly string[], delimiter = ','): string =>
  cells.some((cell) => cell.includes('"'))
    ? `${cells.map(quoted).join(delimiter)}\n`
    : `"${cells.join(`"${delimiter}"`)}"\n`

/** A header, in quotes only where it needs them: scripts compare this line as text. */
export const csvHeader = (names: readonly string[], delimiter = ','): string =>
  `${names.map((name) => (/^[\p{L}\p{N}_. ()-]*$/u.test(name) ? name : quoted(name))).join(delimiter)}\n`

/** A spreadsheet reads a file as UTF-8 only where it begins with this. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** A cell for people: what a spreadsheet would run begins with an apostrophe instead. */
export const neutralCell = (text: string): string =>
  RUNNABLE.test(text) ? `'${neutralInside(text)}` : neutralInside(text)

/** Text of others for people: one plain line that is no formula. */
export const messageCell = (text: string): string =>
  HARMLESS.test(text) ? text : neutralCell(plainText(text))

/**
 * A cell for people that the program reads back as one of its fields. An apostrophe would become part of a
 * reference such as `-17`, so such a value is written as `="-17"`: a spreadsheet shows the text and runs nothing,
 * and the reader of cells takes the marker off again (report/README.md#text-of-others).
 * Only a value with a quote or a control character inside, legal in no field, takes the apostrophe.
 */
export function editableCell(text: string): string {
  if (HARMLESS.test(text)) return text
  // No field may hold a character to split at, so such a value is wrong already and need not come back exactly.
  if (!RUNNABLE.test(text)) return neutralInside(text)
  const value = neutralInside(cleanCell(text))
  if (value === '') return ''
  return /["\p{Cc}]/u.test(value) ? `'${value}` : `="${value}"`
}

const MONTHS =
  'jan|gen|ene|sty|feb|fev|fév|lut|mar|mär|mrz|mrt|kwi|apr|avr|abr|ma[iyje]|mag|jun|giu|cze|jul|juil|lug|lip|aug|aoû|aou|' +
  'ago|sie|sep|set|wrz|oct|okt|ott|out|paź|paz|nov|lis|dec|déc|dez|des|dic|gru'

/** What a spreadsheet, in one language or another, takes for a number, an amount, a date, a time or a truth value. */
const REWRITTEN = [
  // Digits and signs: 0012, 1,552 (1552 in English), 100.50, 1-2, 1:30, 5%, €5, (5), 1 000.
  /^[^\p{L}]*[0-9][^\p{L}]*$/u,
  /^[^\p{L}]*[0-9][^\p{L}]*[eE][+-]?[0-9]+$/u,
  /^[^\p{L}]*[0-9][^\p{L}]* ?(?:EUR|USD|GBP|CHF|SEK|DKK|NOK|PLN|kr\.?|zł|Kč|Fr\.?|[ap]m?)$/iu,
  /^(?:EUR|USD|GBP|CHF|SEK|DKK|NOK|PLN|kr\.?|zł|Kč|Fr\.?) ?[0-9][^\p{L}]*$/iu,
  new RegExp(`^[0-9]{0,4}[ ./-]*(?:${MONTHS})\\p{L}*[ .,/-]*[0-9]{0,2}[ .,/-]*[0-9]{0,4}$`, 'iu'),
]

/** A number that every spreadsheet leaves as it is, and one of any length that none does. */
const KEPT_NUMBER = /^(?:0|[1-9][0-9]{0,10})$/
const DIGITS = /^[0-9]+$/
/** No value of a field is longer, and the patterns above take their time with long ones. */
const LONGEST = 64

const isRewritten = (value: string): boolean =>
  !KEPT_NUMBER.test(value) &&
  (DIGITS.test(value) ||
    isTruthWord(value) ||
    (value.length <= LONGEST && REWRITTEN.some((pattern) => pattern.test(value))))

/** The same for a value that a spreadsheet would turn into another one: `="00123"` is shown, and kept, as 00123. */
export const keptCell = (text: string): string => {
  const value = cleanCell(text)
  return isRewritten(value) && !/["\p{Cc}]/u.test(value) ? `="${neutralInside(value)}"` : editableCell(text)
}
