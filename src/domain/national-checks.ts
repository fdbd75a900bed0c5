/** National check digits that ibantools does not know (sepa-rules.md 4.1): FI, IT and SM. */

/** Luhn over a text of digits: every second digit from the right counts twice. */
function hasLuhnDefect(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48
    const weighted = i % 2 === 1 ? digit * 2 : digit
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 !== 0
}

/** What 0-9 and A-J, then K-Z count on the odd positions of the Italian check letter. */
const ODD_DIGITS = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21]
const ODD_LETTERS = [...ODD_DIGITS, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

/** The letter CIN (first of the BBAN) against the 22 characters after it. */
function hasCinDefect(bban: string): boolean {
  let sum = 0
  for (let position = 1; position < bban.length; position += 1) {
    const code = bban.charCodeAt(position)
    const isDigit = code <= 57
    const value = isDigit ? code - 48 : code - 65
    const isOdd = position % 2 === 1
    sum += isOdd ? ((isDigit ? ODD_DIGITS : ODD_LETTERS)[value] ?? 0) : value
  }
  return sum % 26 !== bban.charCodeAt(0) - 65
}

/** True when the national check fails. The IBAN has the right length and structure for its country. */
export function hasNationalDefect(iban: string): boolean {
  if (iban.startsWith('FI')) return hasLuhnDefect(iban.slice(4))
  if (iban.startsWith('IT') || iban.startsWith('SM')) return hasCinDefect(iban.slice(4))
  return false
}
