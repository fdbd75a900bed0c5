import { countrySpecs, validateIBAN, ValidationErrorsIBAN } from 'ibantools'
import {
  NON_SEPA_COUNTRIES,
  SEPA_COUNTRIES,
  type SepaCountry,
  isImpossibleCheck,
  mod97,
} from '../text/countries.js'
import type { Iban } from '../mandate/mandate.js'
import { cleanCell, cleanIban, isScientific, printable } from '../text/text.js'
import { plainlyUsable, startCheck, type Checked, type SeverityOverrides } from '../rule/verdict.js'

const HIDDEN = /[*\u2022\u25CF\u2026]|[Xx#]{4}|^[0-9]{4}$/
const NOT_ALLOWED = /[^A-Z0-9]/
const ALL_NOT_ALLOWED = /[^A-Z0-9]/gu
const TWO_DIGITS = /^[0-9]{2}$/
const FOREIGN_DIGIT = /\p{Nd}/u
const MOST_NAMED = 8

type Country = SepaCountry | undefined

const hasWrongStructure = (iban: string, country: Country): boolean =>
  !TWO_DIGITS.test(iban.slice(2, 4)) || (country !== undefined && !country.bban.test(iban.slice(4)))

const hasWrongChecksum = (iban: string): boolean => mod97(iban, 4) !== 1

function isQrIban(iban: string): boolean {
  const country = iban.slice(0, 2)
  const institution = iban.slice(4, 9)
  return (country === 'CH' || country === 'LI') && institution >= '30000' && institution <= '31999'
}

/** On cleaned text: the form and the check digits of a SEPA IBAN. */
export function isSepaIban(text: string): boolean {
  const country = SEPA_COUNTRIES.get(text.slice(0, 2))
  // The structure counts every character, so it stands for the length too.
  if (country === undefined || hasWrongStructure(text, country)) return false
  return !isImpossibleCheck(text.slice(2, 4)) && !hasWrongChecksum(text)
}

/** Names the characters, but no digits: they may be those of the account. */
function nameCharacters(iban: string): string {
  const distinct = new Set(iban.match(ALL_NOT_ALLOWED))
  const named = Array.from(distinct, (character) =>
    FOREIGN_DIGIT.test(character) ? 'a digit that is not 0-9' : `"${printable(character)}"`,
  )
  return `Found ${[...new Set(named)].slice(0, MOST_NAMED).join(', ')}.`
}

const joinedDetail = ({ name, joined }: SepaCountry): string | undefined =>
  joined === null
    ? undefined
    : `${name} has taken part since ${joined.since}${joined.only === null ? '' : `, so far in ${joined.only} only`}.`

/** Beside a whole account number stands a BIC, a name or another account. */
function hasMore(iban: string): boolean {
  const text = iban.replace(ALL_NOT_ALLOWED, '')
  for (let at = 0; at < text.length; at += 1) {
    const { length = 0 } = SEPA_COUNTRIES.get(text.slice(at, at + 2)) ?? {}
    const rest = `${text.slice(0, at)} ${text.slice(at + length)}`
    if (length > 0 && /[A-Z]{4}|[0-9]{8}/.test(rest) && isSepaIban(text.slice(at, at + length))) return true
  }
  return false
}

/** Of the Economic Area, and without check digits within their accounts that are known here. */
const PLAIN_COUNTRIES = ['AT', 'DE', 'DK', 'IE', 'LT', 'NL', 'SE']
const PLAIN = new RegExp(
  `^(?!.{4}XXXX)(?:${PLAIN_COUNTRIES.map(
    (code) => `${code}(?!00|01|99)[0-9]{2}${SEPA_COUNTRIES.get(code)?.bban.source.slice(1, -1) ?? ''}`,
  ).join('|')})$`,
)

/**
 * Checks an account number (domain/rulebook.md#account-number). `value` is the cleaned IBAN once its country and its
 * characters are known to be those of an IBAN.
 */
export function checkIban(raw: string, severities: SeverityOverrides = {}): Checked<Iban, string> {
  // One of these as it is sent: form, length and check digits are right, and nothing is hidden.
  if (PLAIN.test(raw) && !hasWrongChecksum(raw)) return plainlyUsable(raw as Iban)
  const check = startCheck('iban', raw, severities)
  const text = cleanCell(raw)
  if (text === '') return check.lost('IBAN_EMPTY')
  const isLost =
    (isScientific(text) && check.breaks('EXCEL_SCIENTIFIC')) ||
    (HIDDEN.test(text) && check.breaks('IBAN_MASKED'))
  if (isLost) return check.unusable(null)
  const iban = cleanIban(text)
  // Without an entry in the table there is no length and no structure to check.
  const country = SEPA_COUNTRIES.get(iban.slice(0, 2))
  const isOutside = NON_SEPA_COUNTRIES.has(iban.slice(0, 2))
  const isNone =
    (iban.length !== country?.length && hasMore(iban) && check.breaks('IBAN_NOT_ALONE')) ||
    (country === undefined && !isOutside && check.breaks('IBAN_COUNTRY')) ||
    (isOutside && check.breaks('IBAN_NOT_SEPA')) ||
    (NOT_ALLOWED.test(iban) && check.breaks('IBAN_CHARSET', nameCharacters(iban)))
  if (isNone) return check.unusable(null)
  const isStructureWrong = hasWrongStructure(iban, country)
  const ended =
    (country !== undefined &&
      iban.length !== country.length &&
      check.breaks(
        'IBAN_LENGTH',
        `It has ${iban.length} characters, ${country.name} uses ${country.length}.`,
      )) ||
    (isStructureWrong && check.breaks('IBAN_STRUCTURE')) ||
    (isImpossibleCheck(iban.slice(2, 4)) && check.breaks('IBAN_CHECK_RANGE')) ||
    (hasWrongChecksum(iban) && check.breaks('IBAN_CHECKSUM')) ||
    (isQrIban(iban) && check.breaks('IBAN_QR')) ||
    (country?.group === 'non-EEA' && check.breaks('IBAN_NON_EEA')) ||
    (country?.group === 'new' && check.breaks('IBAN_NEW_SEPA', joinedDetail(country))) ||
    // The check digits of the country need the right structure.
    (country !== undefined &&
      !isStructureWrong &&
      hasNationalDefect(iban) &&
      check.breaks('IBAN_NATIONAL_CHECK'))
  // A label or hyphens alone, with every rule above lowered: still nothing to send.
  return iban === '' && !ended ? check.lost('IBAN_EMPTY') : check.checked(ended, iban as Iban)
}

/** Luhn over a text of digits: every second digit from the right counts twice. */
function hasLuhnDefect(digits: string): boolean {
  const counted = Array.from(digits, Number).map((digit, at) => digit * (1 + ((digits.length - 1 - at) % 2)))
  return counted.reduce((sum, digit) => sum + (digit > 9 ? digit - 9 : digit), 0) % 10 !== 0
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
    sum += position % 2 === 1 ? ((isDigit ? ODD_DIGITS : ODD_LETTERS)[value] ?? 0) : value
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

/** Those that ibantools does not know. */
const OWN_CHECKS: ReadonlyMap<string, (bban: string) => boolean> = new Map([
  ['AL', hasBranchDefect],
  ['FI', hasLuhnDefect],
  ['IS', hasKennitalaDefect],
  ['IT', hasCinDefect],
  ['SM', hasCinDefect],
])

/** True when the check digits of the country are wrong. The IBAN has the right length and structure for it. */
export const hasNationalDefect = (iban: string): boolean =>
  OWN_CHECKS.get(iban.slice(0, 2))?.(iban.slice(4)) ??
  validateIBAN(iban).errorCodes.includes(ValidationErrorsIBAN.WrongAccountBankBranchChecksum)

/** The bank of an account that may be sent: where its country has it, else its first four characters. */
export function bankOf(iban: string): string {
  const [from = 0, to = 3] = countrySpecs[iban.slice(0, 2)]?.bank_identifier?.split('-').map(Number) ?? []
  return iban.slice(4 + from, 5 + to)
}
