import type { SeverityOverrides } from '../../domain/rule/rules.js'
import { cleanCell } from '../../domain/text/text.js'
import { checkMandateReference } from '../../domain/value/mandate-reference.js'

/** The longest text that a month name makes a date of, such as `SEPT-2020`, or that looks like `1E-100`. */
const LONGEST_ODD = 9
/** Digits from which a spreadsheet rounds. */
const MANY_DIGITS = 16
const LONGEST_REFERENCE = 35

const DIGIT = 1
const UPPER = 2
export const LOWER = 4
const HYPHEN = 8
/** What a reference may hold, and a closer look is taken at. */
const SIGN = 16
export const OTHER = 32

/** What a reference consists of, by byte; together they are the kinds of a reference. */
export const REFERENCE_KINDS = new Uint8Array(256).fill(OTHER)
for (const sign of "/?:().,'+ ") REFERENCE_KINDS[sign.charCodeAt(0)] = SIGN
REFERENCE_KINDS.fill(DIGIT, 0x30, 0x3a)
REFERENCE_KINDS.fill(UPPER, 0x41, 0x5b)
REFERENCE_KINDS.fill(LOWER, 0x61, 0x7b)
REFERENCE_KINDS[0x2d] = HYPHEN

/**
 * Letters and digits with a digit among them are no placeholder; without a letter they may be a rounded number; with a
 * hyphen they may be a date, a month or a power of ten, unless they are longer than any of these.
 */
function isCertainlyPlain(kinds: number, length: number): boolean {
  if ((kinds & ~(DIGIT | UPPER | LOWER | HYPHEN)) !== 0 || (kinds & DIGIT) === 0) return false
  if (length < 2 || length > LONGEST_REFERENCE) return false
  if ((kinds & HYPHEN) !== 0) return (kinds & (UPPER | LOWER)) !== 0 && length > LONGEST_ODD
  return (kinds & (UPPER | LOWER)) !== 0 || length < MANY_DIGITS
}

/** True for a reference that no rule says anything about. @param kinds what it consists of */
export function isPlainReference(
  bytes: Buffer,
  start: number,
  end: number,
  kinds: number,
  severities: SeverityOverrides,
): boolean {
  if (isCertainlyPlain(kinds, end - start)) return true
  if ((kinds & OTHER) !== 0) return false
  const text = bytes.toString('latin1', start, end)
  if (cleanCell(text) !== text) return false
  const { usable, value, findings } = checkMandateReference(text, severities)
  return usable && value === text && findings.length === 0
}
