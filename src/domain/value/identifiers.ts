import { countrySpecs, validateIBAN, ValidationErrorsIBAN } from 'ibantools'
import {
  NON_SEPA_COUNTRIES,
  SEPA_COUNTRIES,
  type SepaCountry,
  isImpossibleCheck,
  mod97,
  CREDITOR_IDENTIFIER_LENGTHS,
  TERRITORIES,
} from '../text/accounts.js'
import type {
  Iban,
  CreditorIdentifier,
  MandateReference,
  AssignedIdentity,
  Mandate,
} from '../mandate/mandate.js'
import {
  cleanCell,
  cleanIban,
  isScientific,
  printable,
  cleanCreditorIdentifier,
  upperCase,
  hasBlank,
  isEmptyWord,
  isFiller,
  said,
} from '../text/text.js'
import { plainlyUsable, startCheck, type Checked, type SeverityOverrides } from '../rule/verdict.js'
import { LAST_DATE, monthOf, readingsOf } from '../mandate/date.js'

const HIDDEN = /[*\u2022\u25CF\u2026]|[Xx#]{4}|^[0-9]{4}$/
const NOT_OF_IBAN = /[^A-Z0-9]/
const ALL_NOT_OF_IBAN = /[^A-Z0-9]/gu
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
  const distinct = new Set(iban.match(ALL_NOT_OF_IBAN))
  const named = Array.from(distinct, (character) =>
    FOREIGN_DIGIT.test(character) ? 'a digit that is not 0-9' : `"${printable(character)}"`,
  )
  return `Found ${[...new Set(named)].slice(0, MOST_NAMED).join(', ')}.`
}

/** Beside a whole account number stands a BIC, a name or another account. */
function hasMore(iban: string): boolean {
  const text = iban.replace(ALL_NOT_OF_IBAN, '')
  for (let at = 0; at < text.length; at += 1) {
    const { length = 0 } = SEPA_COUNTRIES.get(text.slice(at, at + 2)) ?? {}
    const rest = `${text.slice(0, at)} ${text.slice(at + length)}`
    if (length > 0 && /[A-Z]{4}|[0-9]{8}/.test(rest) && isSepaIban(text.slice(at, at + length))) return true
  }
  return false
}

/** Of the Economic Area, and without check digits within their accounts that are known here. */
const PLAIN_COUNTRIES = ['AT', 'DE', 'DK', 'IE', 'LT', 'NL', 'SE']
const PLAIN_IBAN = new RegExp(
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
  if (PLAIN_IBAN.test(raw) && !hasWrongChecksum(raw)) return plainlyUsable(raw as Iban)
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
    (NOT_OF_IBAN.test(iban) && check.breaks('IBAN_CHARSET', nameCharacters(iban)))
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
    (country?.group === 'new' && check.breaks('IBAN_NEW_SEPA')) ||
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

/** Those that ibantools does not know. */
const OWN_CHECKS: ReadonlyMap<string, (bban: string) => boolean> = new Map([
  ['FI', hasLuhnDefect],
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

const FORM = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{3}[A-Z0-9+?/:().,']{1,28}$/
const PLAIN_PART = /^[A-Z0-9]*$/
const PLAIN_FORM = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{4,31}$/

/** What the configuration says about creditors, as it was written there. */
interface CreditorSettings {
  /** Fills empty cells; never overrides a cell. */
  readonly constant: string | null
  /** The identifier of the new creditor, where it is known. */
  readonly assigned: string | null
}

const clean = (raw: string): string => cleanCreditorIdentifier(cleanCell(raw))

/** Behind country, check digits and business code. */
const NATIONAL_PART = 7
const nationalPart = (ci: string): string => ci.slice(NATIONAL_PART)

function hasWrongForm(ci: string): boolean {
  const isStrict = CREDITOR_IDENTIFIER_LENGTHS.get(ci.slice(0, 2))?.isConfirmed ?? false
  return !FORM.test(ci) || (isStrict && !PLAIN_PART.test(nationalPart(ci)))
}

/** The business code plays no part; the national part comes first, which hides a lost leading zero. */
const hasWrongCheckDigits = (ci: string): boolean =>
  isImpossibleCheck(ci.slice(2, 4)) || mod97(ci, NATIONAL_PART) !== 1

/** The last plain one, beside which creditor of ours: an export has few, and the same for many rows on end. */
let lastPlain: Readonly<Record<'ci' | 'assigned', string | null>> = { ci: null, assigned: null }

/** The number of an issuer with a confirmed length, as it is sent, and not the new creditor's own. */
function isUsual(ci: string, { constant, assigned }: CreditorSettings): boolean {
  if (constant !== null) return false
  if (ci === lastPlain.ci && assigned === lastPlain.assigned) return true
  const country = ci.slice(0, 2)
  const known = CREDITOR_IDENTIFIER_LENGTHS.get(country)
  const isSuch =
    known?.isConfirmed === true &&
    known.totals.includes(ci.length) &&
    ci.length !== SEPA_COUNTRIES.get(country)?.length &&
    PLAIN_FORM.test(ci) &&
    !hasWrongCheckDigits(ci) &&
    (assigned === null || !isSameCreditor(ci, assigned))
  if (isSuch) lastPlain = { ci, assigned }
  return isSuch
}

/** True when two identifiers name one creditor, whatever their business codes. Spelling is cleaned first. */
const isSameCreditor = (a: string, b: string): boolean => creditorOf(clean(a)) === creditorOf(clean(b))

/** The length of the country, as far as it is known. True when an error ended the checks. */
function endsAtLength(check: ReturnType<typeof startCheck>, ci: string): boolean {
  const country = ci.slice(0, 2)
  // Their lengths differ by bank: told once per identifier of the file (`hasOddBritishLength`), never per row.
  if (country === 'GB') return false
  const known = CREDITOR_IDENTIFIER_LENGTHS.get(country)
  if (known === undefined) return check.breaks('CI_LENGTH_UNKNOWN')
  if (known.totals.includes(ci.length)) return false
  const detail = `It has ${ci.length} characters, ${country} uses ${known.totals.join(' or ')}.`
  return check.breaks(known.isConfirmed ? 'CI_LENGTH' : 'CI_LENGTH_UNCONFIRMED', detail)
}

/** Identifiers of the United Kingdom have 27 to 30 characters, depending on the sponsoring bank. */
export const hasOddBritishLength = (ci: string): boolean =>
  ci.startsWith('GB') && (ci.length < 27 || ci.length > 30)

/**
 * Checks the previous creditor's identifier (domain/rulebook.md#creditor-identifier). `value` is the cleaned
 * identifier, business code as written, once it has the form of one.
 */
export function checkCreditorIdentifier(
  cell: string,
  settings: CreditorSettings = { constant: null, assigned: null },
  severities: SeverityOverrides = {},
): Checked<CreditorIdentifier, string> {
  if (isUsual(cell, settings)) return plainlyUsable(cell as CreditorIdentifier)
  const isOwnCell = clean(cell) !== ''
  const raw = isOwnCell ? cell : (settings.constant ?? cell)
  const check = startCheck('sepa_creditor_identifier', raw, severities)
  const text = cleanCell(raw)
  const ci = cleanCreditorIdentifier(text)
  if (ci === '') return check.lost('CI_EMPTY')
  const isNone =
    (isScientific(text) && check.breaks('EXCEL_SCIENTIFIC')) ||
    (hasWrongForm(ci) && check.breaks('CI_FORMAT')) ||
    (isSepaIban(ci) && check.breaks('CI_LOOKS_LIKE_IBAN'))
  if (isNone) return check.unusable(null)
  const { constant, assigned } = settings
  const country = ci.slice(0, 2)
  const isPlain = PLAIN_PART.test(nationalPart(ci))
  // A configured identifier that cannot be read is compared with nothing.
  const isCompared = isOwnCell && constant !== null && FORM.test(clean(constant))
  const ended =
    (isPlain && hasWrongCheckDigits(ci) && check.breaks('CI_CHECKSUM')) ||
    (!SEPA_COUNTRIES.has(country) && !TERRITORIES.has(country) && check.breaks('CI_COUNTRY')) ||
    endsAtLength(check, ci) ||
    (!isPlain && check.breaks('CI_NATIONAL_CHARS')) ||
    (isCompared && !isSameCreditor(ci, constant) && check.breaks('CI_CONSTANT_MISMATCH')) ||
    (assigned !== null && isSameCreditor(ci, assigned) && check.breaks('CI_SAME_AS_NEW'))
  return check.checked(ended, ci as CreditorIdentifier)
}

/**
 * The creditor that a cleaned creditor identifier names: `country|national part`.
 * Check digits and business code are no part of the identity.
 */
export const creditorOf = (creditorIdentifier: string): string =>
  `${creditorIdentifier.slice(0, 2)}|${creditorIdentifier.slice(7)}`

/** What identifies a mandate in the ledger and on resume (domain/rulebook.md#mandate-key), from cleaned values. */
export const mandateKey = (creditorIdentifier: string, mandateReference: string): string =>
  `${creditorOf(creditorIdentifier)}|${upperCase(mandateReference)}`

const PLAIN_NUMBER = /^[1-9][0-9]{0,14}$/
const DIGITS_ALONE = /^[0-9]+$/

/** Checks a customer number of the invoicing service (domain/rulebook.md#customer-number): 1 to 2^53-1. */
export function checkCustomerNo(raw: string, severities: SeverityOverrides = {}): Checked<number> {
  if (PLAIN_NUMBER.test(raw)) return plainlyUsable(Number(raw))
  const check = startCheck('customer_no', raw, severities)
  const text = cleanCell(raw)
  if (text === '') return check.lost('CUST_EMPTY')
  if (isScientific(text) && check.breaks('EXCEL_SCIENTIFIC')) return check.unusable(null)
  if (!DIGITS_ALONE.test(text)) return check.lost('CUST_FORMAT')
  // What is rounded lies beyond the numbers that are exact, and stays there.
  const customerNo = Number(text)
  if (customerNo === 0 || !Number.isSafeInteger(customerNo)) return check.lost('CUST_RANGE')
  const ended = text.startsWith('0') && check.breaks('CUST_LEADING_ZERO')
  return check.checked(ended, customerNo)
}

const NOT_OF_REFERENCE = /[^A-Za-z0-9/\-?:().,'+ ]/
/** More than 35 code points. */
const TOO_LONG = /^.{36}/su
const ODD_SLASH = /^\/|\/$|\/\//
/** A spreadsheet keeps 15 digits. */
const ROUNDED = /^[0-9]{15}0+$/

/**
 * Letters and digits, both, are no placeholder and no rounded number; with hyphens they are no date, month or power of ten
 * where they are longer than any of these, or where no two and no four digits follow.
 */
const PLAIN_REFERENCE =
  /^(?:(?=.*[0-9])(?=.*[A-Za-z])(?:[A-Za-z0-9]{2,35}|[A-Za-z0-9-]{10,35})|[0-9]{2,15}|[A-Za-z]{1,9}-(?:[0-9]{3}|[0-9]{5,20}))$/

/** What spreadsheets make of a reference such as `3-10`: a day, or one without its year or its day. */
const DATE =
  /^(?:[0-9]{1,4}([./-])[0-9]{1,2}\1[0-9]{2,4}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}(?:-|\. )\p{L}{3,4}|\p{L}{3,4}-[0-9]{2,4})$/u
const NAME = /\p{L}+/u
const FORMS = ['iso', 'dd-mm-yyyy', 'mm-dd-yyyy', 'dd-mm-yy', 'mm-dd-yy', 'dd-MON-yyyy', 'dd-MON-yy'] as const

function looksLikeDate(reference: string): boolean {
  if (!DATE.test(reference)) return false
  const name = NAME.exec(reference)?.[0]
  if (name !== undefined && monthOf(name) === 0) return false
  const text = reference.replaceAll(/\. |[./]/g, '-')
  return [text, `${text}-2000`, `1-${text}`].some((day) => readingsOf(day, LAST_DATE, FORMS).length > 0)
}

/**
 * Checks the previous reference (domain/rulebook.md#mandate-reference). It is sent exactly as the debtor's bank knows
 * it.
 */
export function checkMandateReference(
  raw: string,
  severities: SeverityOverrides = {},
): Checked<MandateReference, string> {
  if (PLAIN_REFERENCE.test(raw)) return plainlyUsable(raw as MandateReference)
  const check = startCheck('unique_mandate_reference', raw, severities)
  const reference = cleanCell(raw)
  if (reference === '' || isEmptyWord(reference)) return check.lost('UMR_EMPTY')
  if (isScientific(reference) && check.breaks('EXCEL_SCIENTIFIC')) return check.unusable(null)
  const ended =
    (NOT_OF_REFERENCE.test(reference) && check.breaks('UMR_CHARSET')) ||
    (TOO_LONG.test(reference) && check.breaks('UMR_LENGTH')) ||
    (ODD_SLASH.test(reference) && check.breaks('UMR_SLASH')) ||
    // What a bank takes, but a person should look at.
    (isFiller(reference) && check.breaks('UMR_PLACEHOLDER')) ||
    (hasBlank(reference) && check.breaks('UMR_SPACE')) ||
    (ROUNDED.test(reference) && check.breaks('UMR_PRECISION')) ||
    (looksLikeDate(reference) && check.breaks('UMR_LOOKS_LIKE_DATE')) ||
    (reference.startsWith("'") && check.breaks('UMR_APOSTROPHE'))
  return check.checked(ended, reference as MandateReference)
}

/** A SEPA identifier has at most 35 characters; this is room for a service that sees it otherwise. */
const LONGEST_IDENTIFIER = 140

/**
 * Why an assigned identifier cannot be taken as it stands: people could not tell it from another one, or it is no
 * identifier at all. Completes "it …"; null where it can.
 */
export function whyUnusable(identifier: string): string | null {
  if (identifier.trim() !== identifier) return 'begins or ends with a blank'
  if (printable(identifier) !== identifier) return 'holds a control or an invisible character'
  if (identifier.length > LONGEST_IDENTIFIER) return `is longer than ${LONGEST_IDENTIFIER} characters`
  return null
}

/**
 * What is odd about the identifiers the service assigned (domain/rulebook.md#answers). They are kept as they came and
 * never fail a row. The form is judged by the default severities: an override meant for the old identifiers says
 * nothing here.
 * @returns the rules that were seen, also those that are off
 */
export function noteAssigned({ original }: Mandate, assigned: AssignedIdentity) {
  const isUsual =
    checkCreditorIdentifier(assigned.creditorIdentifier).usable &&
    checkMandateReference(assigned.mandateReference).usable
  const [before, since] = [original, assigned].map((of) => upperCase(cleanCell(of.mandateReference)))
  return said([
    isSameCreditor(original.creditorIdentifier, assigned.creditorIdentifier) && 'RESPONSE_CI_UNCHANGED',
    before === since && 'RESPONSE_UMR_UNCHANGED',
    !isUsual && 'RESPONSE_IDENTIFIER_FORMAT',
  ])
}
