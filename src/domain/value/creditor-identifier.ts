import { isImpossibleCheck, mod97 } from '../text/check-digits.js'
import { CREDITOR_IDENTIFIER_LENGTHS, SEPA_COUNTRIES, TERRITORIES } from '../text/countries.js'
import {
  breaks,
  plainlyUsable,
  startCheck,
  unusable,
  usable,
  type Checked,
  type ValueCheck,
} from '../rule/finding.js'
import { isSepaIban } from './iban.js'
import type { CreditorIdentifier } from '../mandate/mandate.js'
import { creditorOf } from '../mandate/mandate-key.js'
import type { SeverityOverrides } from '../rule/rules.js'
import { cleanCell, cleanCreditorIdentifier, isScientific } from '../text/text.js'

const FORM = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{3}[A-Z0-9+?/:().,']{1,28}$/
const PLAIN = /^[A-Z0-9]*$/
const PLAIN_FORM = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{4,31}$/

/** What the configuration says about creditors, as it was written there. */
export interface CreditorSettings {
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
  return !FORM.test(ci) || (isStrict && !PLAIN.test(nationalPart(ci)))
}

/** The business code plays no part; the national part comes first, which hides a lost leading zero. */
const hasWrongCheckDigits = (ci: string): boolean =>
  isImpossibleCheck(ci.slice(2, 4)) || mod97(ci, NATIONAL_PART) !== 1

/** The number of an issuer with a confirmed length, as it is sent, and not the new creditor's own. */
function isPlain(ci: string, { constant, assigned }: CreditorSettings): boolean {
  const country = ci.slice(0, 2)
  const known = CREDITOR_IDENTIFIER_LENGTHS.get(country)
  return (
    constant === null &&
    known?.isConfirmed === true &&
    known.totals.includes(ci.length) &&
    ci.length !== SEPA_COUNTRIES.get(country)?.length &&
    PLAIN_FORM.test(ci) &&
    !hasWrongCheckDigits(ci) &&
    (assigned === null || !isSameCreditor(ci, assigned))
  )
}

const isUnknownIssuer = (country: string): boolean =>
  !SEPA_COUNTRIES.has(country) && !TERRITORIES.has(country)

/** True when two identifiers name one creditor, whatever their business codes. Spelling is cleaned first. */
export const isSameCreditor = (a: string, b: string): boolean => creditorOf(clean(a)) === creditorOf(clean(b))

/** Is this a creditor identifier at all? Like all below, true when an error ended the checks. */
const endsAtForm = (check: ValueCheck, text: string, ci: string): boolean =>
  (isScientific(text) && breaks(check, 'EXCEL_SCIENTIFIC')) ||
  (hasWrongForm(ci) && breaks(check, 'CI_FORMAT')) ||
  (isSepaIban(ci) && breaks(check, 'CI_LOOKS_LIKE_IBAN'))

/** The length of the country, as far as it is known. */
function endsAtLength(check: ValueCheck, ci: string): boolean {
  const country = ci.slice(0, 2)
  // Their lengths differ by bank: told once per identifier of the file (`hasOddBritishLength`), never per row.
  if (country === 'GB') return false
  const known = CREDITOR_IDENTIFIER_LENGTHS.get(country)
  if (known === undefined) return breaks(check, 'CI_LENGTH_UNKNOWN')
  if (known.totals.includes(ci.length)) return false
  const detail = `It has ${ci.length} characters, ${country} uses ${known.totals.join(' or ')}.`
  return breaks(check, known.isConfirmed ? 'CI_LENGTH' : 'CI_LENGTH_UNCONFIRMED', detail)
}

/** Identifiers of the United Kingdom have 27 to 30 characters, depending on the sponsoring bank. */
export const hasOddBritishLength = (ci: string): boolean =>
  ci.startsWith('GB') && (ci.length < 27 || ci.length > 30)

/** Check digits, issuer, length and signs. */
function endsAtIssuer(check: ValueCheck, ci: string): boolean {
  const isPlain = PLAIN.test(nationalPart(ci))
  return (
    (isPlain && hasWrongCheckDigits(ci) && breaks(check, 'CI_CHECKSUM')) ||
    (isUnknownIssuer(ci.slice(0, 2)) && breaks(check, 'CI_COUNTRY')) ||
    endsAtLength(check, ci) ||
    (!isPlain && breaks(check, 'CI_NATIONAL_CHARS'))
  )
}

/** Against the configured creditors. A configured identifier that cannot be read is compared with nothing. */
function endsAtCreditor(
  check: ValueCheck,
  ci: string,
  isOwnCell: boolean,
  settings: CreditorSettings,
): boolean {
  const { constant, assigned } = settings
  const isCompared = isOwnCell && constant !== null && FORM.test(clean(constant))
  return (
    (isCompared && !isSameCreditor(ci, constant) && breaks(check, 'CI_CONSTANT_MISMATCH')) ||
    (assigned !== null && isSameCreditor(ci, assigned) && breaks(check, 'CI_SAME_AS_NEW'))
  )
}

/**
 * Checks the previous creditor's identifier (domain/rulebook.md#creditor-identifier). `value` is the cleaned
 * identifier, business code as written, once it has the form of one.
 */
export function checkCreditorIdentifier(
  cell: string,
  settings: CreditorSettings = { constant: null, assigned: null },
  severities: SeverityOverrides = {},
): Checked<CreditorIdentifier, string> {
  if (isPlain(cell, settings)) return plainlyUsable(cell as CreditorIdentifier)
  const isOwnCell = clean(cell) !== ''
  const raw = isOwnCell ? cell : (settings.constant ?? cell)
  const check = startCheck('sepa_creditor_identifier', raw, severities)
  const text = cleanCell(raw)
  const ci = cleanCreditorIdentifier(text)
  if (ci === '') {
    breaks(check, 'CI_EMPTY')
    return unusable(check, null)
  }
  if (endsAtForm(check, text, ci)) return unusable(check, null)
  const ended = endsAtIssuer(check, ci) || endsAtCreditor(check, ci, isOwnCell, settings)
  return ended ? unusable(check, ci) : usable(check, ci as CreditorIdentifier)
}
