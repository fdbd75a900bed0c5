/** National check digits that ibantools does not know: AL, FI, IS, IT and SM. */

/** Luhn over a text of digits: every second digit from the right counts twice. */
function hasLuhnDefect(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48
    const counted = i % 2 === 1 ? digit * 2 : digit
    sum += counted > 9 ? counted - 9 : counted
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

const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, i) => sum + weight * (digits.charCodeAt(i) - 48), 0)

/** Bank and branch have eight digits, the last of which brings the weighted sum to a multiple of ten. */
const hasBranchDefect = (bban: string): boolean => weighted(bban, [9, 7, 3, 1, 9, 7, 3, 1]) % 10 !== 0

/** The holder's kennitala ends the number: eight digits, their check digit (modulus 11) and the century. */
function hasKennitalaDefect(bban: string): boolean {
  const kennitala = bban.slice(-10)
  const rest = weighted(kennitala, [3, 2, 7, 6, 5, 4, 3, 2]) % 11
  return (11 - rest) % 11 !== kennitala.charCodeAt(8) - 48
}

/** True when the national check fails. The IBAN has the right length and structure for its country. */
export function hasNationalDefect(iban: string): boolean {
  if (iban.startsWith('AL')) return hasBranchDefect(iban.slice(4))
  if (iban.startsWith('IS')) return hasKennitalaDefect(iban.slice(4))
  if (iban.startsWith('FI')) return hasLuhnDefect(iban.slice(4))
  if (iban.startsWith('IT') || iban.startsWith('SM')) return hasCinDefect(iban.slice(4))
  return false
}
