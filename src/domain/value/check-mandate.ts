import { checkCreditorIdentifier } from './creditor-identifier.js'
import { checkCustomerNo } from './customer-no.js'
import type { DecidedFormat } from '../mandate/date-format.js'
import { NO_FINDINGS, type Checked } from '../rule/finding.js'
import { checkIban } from './iban.js'
import { checkLastCollection, DORMANT_SOON_DAYS, latestDebitFromSigning } from './last-collection.js'
import { mandateKey } from '../mandate/mandate-key.js'
import { checkMandateReference } from './mandate-reference.js'
import type { LocalDate, Mandate, OptionalField, RequiredField } from '../mandate/mandate.js'
import { ruleOf, type SeverityOverrides } from '../rule/rules.js'
import { checkSignedDate } from './signed-date.js'
import type { CheckedRecord, Finding, Verdict } from '../rule/verdict.js'
import { checkWord, WORDS, type Words } from './words.js'

/**
 * The cells of one record by field, exactly as they were read.
 * Null: the source has no value, and a finding handed over with it says why, or the constant stands in for a creditor
 * identifier. Undefined: the column is not mapped.
 */
export type RawValues = Readonly<Record<RequiredField, string | null>> &
  Readonly<Partial<Record<OptionalField, string | undefined>>>

/** What every row of one file is checked against. */
export interface CheckOptions {
  /** The date in the creditor's zone, the same for the whole run (domain/rulebook.md#today). */
  readonly today: LocalDate
  readonly severities: SeverityOverrides
  readonly signedDateFormat: DecidedFormat
  readonly lastCollectionFormat: DecidedFormat
  /** The configured identifier of the previous creditor: fills empty cells, never overrides one. */
  readonly constantCreditorIdentifier: string | null
  /** The configured identifier of the new creditor. */
  readonly newCreditorIdentifier: string | null
  /** Days before the lapse from which MANDATE_DORMANT_SOON warns; usually 60. */
  readonly dormantSoonDays: number
  /** The scheme column is `FirmenMandat`: it says yes or no. */
  readonly schemeIsFirmenMandat: boolean
  /** Made by `wordsWith` when the configuration adds words. */
  readonly words?: Words
  /** A person wrote beside the row that it is right as it stands. */
  readonly isDecided?: boolean
}

/** The checks of a program that has no settings of its own; dates are written YYYY-MM-DD. */
export const usualChecks = (today: LocalDate): CheckOptions => ({
  today,
  severities: {},
  signedDateFormat: 'iso',
  lastCollectionFormat: 'iso',
  constantCreditorIdentifier: null,
  newCreditorIdentifier: null,
  dormantSoonDays: DORMANT_SOON_DAYS,
  schemeIsFirmenMandat: false,
})

export type CheckedMandate = Pick<
  CheckedRecord,
  'verdict' | 'values' | 'mandateKey' | 'latestFirstDebit' | 'findings'
>

const NOT_GIVEN = { usable: false, value: null, findings: [] } as const

interface CheckedFields {
  readonly customerNo: Checked<number>
  readonly iban: Checked<Mandate['iban'], string>
  readonly signedDate: Checked<LocalDate>
  readonly creditorIdentifier: Checked<Mandate['original']['creditorIdentifier'], string>
  readonly mandateReference: Checked<Mandate['original']['mandateReference'], string>
}

function checkRequired(raw: RawValues, options: CheckOptions): CheckedFields {
  const { severities, today, signedDateFormat } = options
  const creditors = { constant: options.constantCreditorIdentifier, assigned: options.newCreditorIdentifier }
  const ci = raw.sepa_creditor_identifier ?? (creditors.constant === null ? null : '')
  return {
    customerNo: raw.customer_no === null ? NOT_GIVEN : checkCustomerNo(raw.customer_no, severities),
    iban: raw.iban === null ? NOT_GIVEN : checkIban(raw.iban, severities),
    signedDate:
      raw.signed_date === null
        ? NOT_GIVEN
        : checkSignedDate(raw.signed_date, signedDateFormat, today, severities),
    creditorIdentifier: ci === null ? NOT_GIVEN : checkCreditorIdentifier(ci, creditors, severities),
    mandateReference:
      raw.unique_mandate_reference === null
        ? NOT_GIVEN
        : checkMandateReference(raw.unique_mandate_reference, severities),
  }
}

function checkCollection(raw: RawValues, signedDate: LocalDate | null, options: CheckOptions) {
  const { today, dormantSoonDays, severities, lastCollectionFormat: format } = options
  if (raw.last_collection_date === undefined)
    return { findings: NO_FINDINGS, latestFirstDebit: latestDebitFromSigning(signedDate, today) }
  return checkLastCollection(raw.last_collection_date, {
    format,
    today,
    dormantSoonDays,
    signedDate,
    severities,
  })
}

function checkWords(
  raw: RawValues,
  { words = WORDS, schemeIsFirmenMandat, severities }: CheckOptions,
): readonly Finding[] {
  if (raw.status === undefined && raw.sequence === undefined && raw.scheme === undefined) return NO_FINDINGS
  const scheme = schemeIsFirmenMandat ? words.firmenMandat : words.scheme
  return [
    ...(raw.status === undefined ? [] : checkWord('status', raw.status, words.status, severities)),
    ...(raw.sequence === undefined ? [] : checkWord('sequence', raw.sequence, words.sequence, severities)),
    ...(raw.scheme === undefined ? [] : checkWord('scheme', raw.scheme, scheme, severities)),
  ]
}

const isError = (finding: Finding): boolean => finding.severity === 'error'

/** An error, or a rule that leaves no usable value whatever its severity (domain/rulebook.md#severities-and-states). */
const keepsBack = (finding: Finding): boolean => isError(finding) || ruleOf(finding.rule).unusable === true

function mandateOf(fields: CheckedFields): Mandate | null {
  const { customerNo, iban, signedDate, creditorIdentifier, mandateReference } = fields
  if (!customerNo.usable || !iban.usable || !signedDate.usable) return null
  if (!creditorIdentifier.usable || !mandateReference.usable) return null
  return {
    customerNo: customerNo.value,
    iban: iban.value,
    signedDate: signedDate.value,
    original: { creditorIdentifier: creditorIdentifier.value, mandateReference: mandateReference.value },
  }
}

/** A person can settle what it says. */
const isForPerson = ({ rule }: Finding): boolean => ruleOf(rule).state === 'conflict'

const settled = (finding: Finding): Finding =>
  isForPerson(finding)
    ? { ...finding, severity: 'warning', message: `${finding.message} A person decided that it is sent.` }
    : finding

/** Excluded comes before invalid, invalid before what a person can settle. */
function verdictOf(findings: readonly Finding[], mandate: Mandate | null, isDecided: boolean): Verdict {
  if (findings.length === 0 && mandate !== null) return { kind: 'sendable', mandate }
  const exclusion = findings.find((finding) => isError(finding) && ruleOf(finding.rule).state === 'excluded')
  if (exclusion !== undefined) return { kind: 'excluded', rule: exclusion.rule, reason: exclusion.message }
  if (mandate === null || findings.some((finding) => keepsBack(finding) && !isForPerson(finding)))
    return { kind: 'invalid' }
  const open = isDecided ? undefined : findings.find(isForPerson)
  return open === undefined ? { kind: 'sendable', mandate } : { kind: 'conflict', rule: open.rule }
}

/** Most records have none. */
export function joinFindings(...lists: readonly (readonly Finding[])[]): readonly Finding[] {
  for (const list of lists) if (list.length > 0) return lists.flat()
  return NO_FINDINGS
}

/**
 * Everything that can be said about one record on its own (domain/rulebook.md#order-of-evaluation): all fields are
 * checked, so the operator sees every problem at once. Rules across rows come at admission.
 * @param given findings of the source on this record (crosswalk, row shape, exclusion); they come first in the result
 */
export function checkMandate(
  raw: RawValues,
  options: CheckOptions,
  given: readonly Finding[] = NO_FINDINGS,
): CheckedMandate {
  const fields = checkRequired(raw, options)
  const collection = checkCollection(raw, fields.signedDate.value, options)
  const { isDecided = false } = options
  const found = joinFindings(
    given,
    fields.customerNo.findings,
    fields.iban.findings,
    fields.signedDate.findings,
    fields.creditorIdentifier.findings,
    fields.mandateReference.findings,
    collection.findings,
    checkWords(raw, options),
  )
  const findings = isDecided ? found.map(settled) : found
  const ci = fields.creditorIdentifier.value
  const reference = fields.mandateReference.value
  return {
    verdict: verdictOf(findings, mandateOf(fields), isDecided),
    values: {
      customerNo: fields.customerNo.value,
      iban: fields.iban.value,
      signedDate: fields.signedDate.value,
      creditorIdentifier: ci,
      mandateReference: reference,
    },
    mandateKey: ci === null || reference === null ? null : mandateKey(ci, reference),
    latestFirstDebit: collection.latestFirstDebit,
    findings,
  }
}
