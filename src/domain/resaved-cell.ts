import { cleanCell, upperCase } from './text.js'

/** What a spreadsheet makes of cells when it opens and saves a file, and what can still be read with certainty. */

const RUN_OF_BLANKS = /[\s\u00A0\u2000-\u200A\u202F\u205F\u3000]+/gu
const WHOLE = /^([0-9]+)(?:[.,]0+)?$/
const ONLY_DIGITS = /^[0-9]+$/

function withoutMarks(cell: string): string {
  const text = cleanCell(cell)
  const bare = text.startsWith("'") ? text.slice(1) : text
  const isQuoted = bare.length > 1 && bare.startsWith('"') && bare.endsWith('"')
  return cleanCell(isQuoted ? bare.slice(1, -1) : bare)
}

/** `0012`, `12`, `12.0` and `12,00` as `12`; null for anything but a whole number. */
function wholeDigits(text: string): string | null {
  const digits = WHOLE.exec(text.replace(RUN_OF_BLANKS, ''))?.[1]
  return digits === undefined ? null : digits.replace(/^0+(?=[0-9])/, '')
}

/**
 * True when `found` is `original` as a spreadsheet may have left it: other blanks, quotes, case, zeros in front or
 * behind a separator. A number that was rounded or made a date has lost what counts, and is another value.
 */
export function isSameCell(original: string, found: string): boolean {
  const [a, b] = [original, found].map((cell) => upperCase(withoutMarks(cell)).replace(RUN_OF_BLANKS, ' '))
  if (a === undefined || b === undefined) return false
  if (a === b) return true
  const digits = wholeDigits(a)
  return digits !== null && digits === wholeDigits(b)
}

/** A whole number from 1 on that this program wrote: `2`, but also `2.0`, `2,00`, `0002`, `'2`; null for the rest. */
export function readWhole(cell: string): number | null {
  const digits = wholeDigits(withoutMarks(cell))
  if (digits === null || !ONLY_DIGITS.test(digits) || digits.length > 15 || digits === '0') return null
  return Number(digits)
}
