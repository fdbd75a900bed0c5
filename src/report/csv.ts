import { cleanCell } from '../domain/text.js'
import { plainText } from './plain-text.js'

/** What a spreadsheet may run, also behind blanks it skips: = + - @, their full-width and small forms, controls. */
const RUNNABLE = /^(?:[\t\r\n]|[\s\p{Cf}]*[\0=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B])/u

/** The same behind a character at which a spreadsheet with other settings splits a line, quotes or not. */
const RUNNABLE_AFTER_SPLIT =
  /([;\t\r\n|])(?=[\s\p{Cf}"]*[\0=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B])/gu

const neutralInside = (text: string): string => text.replace(RUNNABLE_AFTER_SPLIT, "$1'")

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

/** A line of values, each in quotes so that no reader splits or trims it. */
export const csvLine = (cells: readonly string[], delimiter = ','): string =>
  `${cells.map(quoted).join(delimiter)}\n`

/** A header, in quotes only where it needs them: scripts compare this line as text. */
export const csvHeader = (names: readonly string[], delimiter = ','): string =>
  `${names.map((name) => (/^[\p{L}\p{N}_. ()-]*$/u.test(name) ? name : quoted(name))).join(delimiter)}\n`

/** A spreadsheet reads a file as UTF-8 only where it begins with this. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** A cell for people: what a spreadsheet would run begins with an apostrophe instead. */
export const neutralCell = (text: string): string =>
  RUNNABLE.test(text) ? `'${neutralInside(text)}` : neutralInside(text)

/** Text of others for people: one plain line that is no formula. */
export const messageCell = (text: string): string => neutralCell(plainText(text))

/**
 * A cell for people that the program reads back as one of its fields. An apostrophe would become part of a
 * reference such as `-17`, so such a value is written as `="-17"`: a spreadsheet shows the text and runs nothing,
 * and the reader of cells takes the marker off again (report/README.md#text-of-others).
 * Only a value with a quote or a control character inside, legal in no field, takes the apostrophe.
 */
export function editableCell(text: string): string {
  // No field may hold a character to split at, so such a value is wrong already and need not come back exactly.
  if (!RUNNABLE.test(text)) return neutralInside(text)
  const value = neutralInside(cleanCell(text))
  if (value === '') return ''
  return /["\p{Cc}]/u.test(value) ? `'${value}` : `="${value}"`
}

/** Zeros in front, more digits than a spreadsheet shows, exponents, dates and truth values that are none. */
const REWRITTEN = [
  /^0[0-9]+$/,
  /^[0-9]{12,}$/,
  /^[0-9]+[.,]?[0-9]*[eE][+-]?[0-9]+$/,
  /^[0-9]+(?:[./:-][0-9]+)+$/,
  /^[0-9]{0,4}[ ./-]?(?:jan|feb|m[aä]r|mrz|apr|ma[iyj]|juni?|juli?|aug|sept?|o[ck]t|nov|de[czs])[a-zä]*[ ./-]?[0-9]{0,4}$/i,
  /^(?:true|false|wahr|falsch|vrai|faux)$/i,
]

/** The same for a value that a spreadsheet would turn into another one: `="00123"` is shown, and kept, as 00123. */
export const keptCell = (text: string): string => {
  const value = cleanCell(text)
  return REWRITTEN.some((pattern) => pattern.test(value)) ? `="${value}"` : editableCell(text)
}
