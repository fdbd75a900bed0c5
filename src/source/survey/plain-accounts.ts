/**
 * Accounts that are checked as bytes: countries of the European Economic Area whose accounts are so many letters and then
 * so many digits, and have no check of their own inside. All others are checked as text, by the rules.
 */
const SHAPES: readonly (readonly [country: string, letters: number, digits: number])[] = [
  ['AT', 0, 16],
  ['DE', 0, 18],
  ['DK', 0, 14],
  ['IE', 4, 14],
  ['LT', 0, 16],
  ['NL', 4, 10],
  ['SE', 0, 20],
]

export const PLAIN_ACCOUNT_COUNTRIES: readonly string[] = SHAPES.map(([country]) => country)

const A = 0x41
const ZERO = 0x30
const X = 0x58
const LETTERS = 26

/** The place of a country in the list, from 1, by its two letters. */
const shapes = new Uint8Array(LETTERS * LETTERS)
for (const [index, [country]] of SHAPES.entries())
  shapes[(country.charCodeAt(0) - A) * LETTERS + country.charCodeAt(1) - A] = index + 1

const isLetter = (byte: number): boolean => byte >= A && byte < A + LETTERS

/** Numbers below it can be added to by a digit, and stay within 31 bits. */
const ROOM = 100_000_000

/**
 * True for an account of one of these countries with the right length, form and check digits, written without blanks
 * in capital letters: no rule says anything about it. False says nothing.
 */
export function isPlainAccount(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] ?? 0
  const second = bytes[start + 1] ?? 0
  if (!isLetter(first) || !isLetter(second)) return false
  const shape = SHAPES[(shapes[(first - A) * LETTERS + second - A] ?? 0) - 1]
  if (shape === undefined || end - start !== 4 + shape[1] + shape[2]) return false
  let rest = 0
  const body = start + 4 + shape[1]
  for (let at = start + 4; at < body; at += 1) {
    const byte = bytes[at] ?? 0
    // Four X stand for digits that were hidden.
    if (!isLetter(byte) || byte === X) return false
    rest = (rest * 100 + byte - A + 10) % 97
  }
  for (let at = body; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - ZERO
    if (digit < 0 || digit > 9) return false
    if (rest >= ROOM) rest %= 97
    rest = rest * 10 + digit
  }
  rest = ((rest % 97) * 10_000 + (first - A + 10) * 100 + second - A + 10) % 97
  const tens = (bytes[start + 2] ?? 0) - ZERO
  const ones = (bytes[start + 3] ?? 0) - ZERO
  if (tens < 0 || tens > 9 || ones < 0 || ones > 9) return false
  const check = tens * 10 + ones
  // 00, 01 and 99 leave the right remainder too, and never occur.
  return check > 1 && check < 99 && (rest * 100 + check) % 97 === 1
}
