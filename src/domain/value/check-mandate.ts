import {
  checkCreditorIdentifier,
  mandateKey,
  checkCustomerNo,
  checkMandateReference,
  checkIban,
} from './identifiers.js'
import {
  type DecidedFormat,
  explainDate,
  readDate,
  meantBy,
  type TimesOfDay,
  isZeroDate,
  addMonths,
  daysBetween,
} from '../mandate/date.js'
import type { LocalDate, Mandate, OptionalField, RequiredField } from '../mandate/mandate.js'
import {
  type Finding,
  type Verdict,
  joinFindings,
  NO_FINDINGS,
  type Checked,
  plainlyUsable,
  startCheck,
  type ValueCheck,
  ruleOf,
  findingOf,
  type SeverityOverrides,
} from '../rule/verdict.js'
import { checkWord, WORDS, type Words } from './words.js'
import { cleanCell } from '../text/text.js'

/**
 * Months after which a recurrent mandate lapses. They count from the last collection that was presented to the bank,
 * also when it came back.
 */
export const DORMANT_AFTER_MONTHS = 36

/** Days before the lapse from which MANDATE_DORMANT_SOON warns, where nobody says otherwise. */
export const DORMANT_SOON_DAYS = 60

const FILLERS: ReadonlySet<string> = new Set(['1900-01-01', '1904-01-01', '1970-01-01'])

/** What systems write for no date: a day before 1900 (0024 is a slip for 2024), and the one from which they count. */
const FIRST_DAYS = [
  /^(?:000[01]|1[0-8][0-9]{2})(\D?)(?:0[1-9]|1[0-2])\1(?:[0-2][0-9]|3[01])(?:\D|$)/,
  /^[0-3]?[0-9]\D[0-3]?[0-9]\D(?:000[01]|1[0-8][0-9]{2})(?:\D|$)/,
  /^19(?:00|04|70)(\D?)01\1(?:00|01)(?:\D|$)/,
  /^(?:0?[01]\D0?1|0?1\D0?0)\D19(?:00|04|70)(?:\D|$)/,
]

/** What table libraries write for no date. */
const NO_DATE = /^(?:na[nt]|none|null)$/i

/** A cleaned cell that stands for "never collected". */
export const isAbsentCollection = (text: string): boolean =>
  NO_DATE.test(text) || isZeroDate(text) || FIRST_DAYS.some((days) => days.test(text))

/** A cleaned cell that names no end: none, or the last day that there is. */
export const isOpenEnd = (text: string): boolean =>
  isAbsentCollection(text) || /^(?:9999\D?12\D?31|31\D12\D9999|12\D31\D9999)/.test(text)

/** Never collected: 36 months from signing are safe, after that nobody can tell. */
function latestDebitFromSigning(signedDate: LocalDate | null, today: LocalDate): LocalDate | null {
  if (signedDate === null) return null
  const latest = addMonths(signedDate, DORMANT_AFTER_MONTHS)
  return latest < today ? null : latest
}

/** The 36 months are over, or soon will be. */
function checkLapse(check: ValueCheck, collected: LocalDate, options: CheckOptions) {
  const latest = addMonths(collected, DORMANT_AFTER_MONTHS)
  const daysLeft = daysBetween(options.today, latest)
  if (daysLeft < 0) check.breaks('MANDATE_DORMANT', `The last day was ${latest}.`)
  else if (daysLeft <= options.dormantSoonDays)
    check.breaks('MANDATE_DORMANT_SOON', `The last day is ${latest}.`)
  return { findings: check.findings, latestFirstDebit: latest }
}

function checkAbsent(check: ValueCheck, signedDate: LocalDate | null, today: LocalDate) {
  const latestFirstDebit = latestDebitFromSigning(signedDate, today)
  if (signedDate !== null && latestFirstDebit === null) check.breaks('DORMANCY_UNKNOWN')
  return { findings: check.findings, latestFirstDebit }
}

/**
 * Checks when the mandate was last collected (domain/rulebook.md#last-collection), and gives the last day for the first
 * debit; null when it cannot be told.
 * @param raw undefined where no column says so
 * @param signedDate null when it cannot be read: then nothing is compared with it
 * @param collected by what collection files say; it counts where the export has no day, or an older one
 */
export function checkLastCollection(
  raw: string | undefined,
  options: CheckOptions,
  signedDate: LocalDate | null,
  collected: LocalDate | null = null,
) {
  const { lastCollectionFormat: format, today, severities, times } = options
  const text = cleanCell(raw ?? '')
  const isAbsent = isAbsentCollection(text)
  const read = isAbsent ? null : readDate(text, format, today)
  const date = read?.kind === 'date' ? meantBy(read, times).date : null
  // A mandate that was signed since counts from then.
  const isOfThis = collected !== null && (signedDate === null || collected >= signedDate)
  if (isOfThis && (isAbsent || (date !== null && date < collected))) {
    const check = startCheck('last_collection_date', collected, severities)
    return checkLapse(check, collected, options)
  }
  if (raw === undefined)
    return { findings: NO_FINDINGS, latestFirstDebit: latestDebitFromSigning(signedDate, today) }
  const check = startCheck('last_collection_date', raw, severities)
  if (isAbsent || (date !== null && FILLERS.has(date))) return checkAbsent(check, signedDate, today)
  if (date === null) {
    const { detail, remedy } = explainDate(text, format, today)
    check.breaks('LAST_COLLECTION_INVALID', detail, `${remedy} Or clear the cell.`)
    return { findings: check.findings, latestFirstDebit: null }
  }
  const isEarlier = signedDate !== null && date < signedDate
  const ended =
    (isEarlier && check.breaks('LAST_COLLECTION_BEFORE_SIGNATURE')) ||
    (!isEarlier && date > today && check.breaks('LAST_COLLECTION_FUTURE'))
  // Not of this mandate, by what the configuration says.
  if (isEarlier && !ended) return checkAbsent(check, signedDate, today)
  return ended
    ? { findings: check.findings, latestFirstDebit: addMonths(date, DORMANT_AFTER_MONTHS) }
    : checkLapse(check, date, options)
}

/** The day SEPA direct debit began; also the usual filler for old Dutch mandates. */
const SEPA_START = '2009-11-01' as LocalDate

const PLAIN_DAY = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])$/

/** A day behind the beginning of SEPA and up to today, that every month has. */
const isPlainDate = (text: string, today: LocalDate): boolean =>
  PLAIN_DAY.test(text) && text > SEPA_START && text <= today

/**
 * Checks the date on the mandate (domain/rulebook.md#signature-date). A column declared `auto` is decided first
 * (`startDeciding`).
 */
export function checkSignedDate(
  raw: string,
  format: DecidedFormat,
  today: LocalDate,
  severities: SeverityOverrides = {},
  times?: TimesOfDay,
): Checked<LocalDate> {
  if ((format === 'iso' || format === 'unsettled') && isPlainDate(raw, today))
    return plainlyUsable(raw as LocalDate)
  const check = startCheck('signed_date', raw, severities)
  const text = cleanCell(raw)
  if (text === '') return check.lost('DATE_EMPTY')
  const read = readDate(text, format, today)
  if (read.kind !== 'date') {
    const { detail, remedy } = explainDate(text, format, today)
    // A number of days or a row of # is not ambiguous, whatever the other values of the column are.
    const isOpen = read.kind === 'ambiguous' && (detail === undefined || detail.startsWith('It can'))
    return check.lost(isOpen ? 'DATE_AMBIGUOUS' : 'DATE_INVALID', detail, remedy)
  }
  const { date, isRounded, isEvening } = meantBy(read, times)
  const detail = `It was read as midnight of ${date}.`
  if (isRounded)
    check.findings.push(
      ...findingOf(
        'DATE_UTC_SHIFT',
        { DATE_UTC_SHIFT: 'warning', ...severities },
        { field: 'signed_date', value: raw, detail },
      ),
    )
  const ended =
    (date > today && check.breaks('DATE_FUTURE')) ||
    (date < SEPA_START && check.breaks('DATE_PRE_SEPA')) ||
    (date === SEPA_START && check.breaks('DATE_LEGACY_DEFAULT')) ||
    (read.hasAssumedCentury && check.breaks('DATE_TWO_DIGIT_YEAR', `It was read as ${date}.`)) ||
    (isEvening && read.isNearMidnightUtc && check.breaks('DATE_UTC_SHIFT'))
  return check.checked(ended, date)
}

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
  readonly times?: TimesOfDay
  /** Made by `wordsWith` when the configuration adds words. */
  readonly words?: Words
  /** A person wrote beside the row that it is right as it stands. */
  readonly isDecided?: boolean
  /** When the mandate was last collected, where collection files say so. */
  readonly lastCollected?: (mandateKey: string) => LocalDate | null
}

/** The names of these. */
export const CHECK_OPTIONS =
  'today severities signedDateFormat lastCollectionFormat constantCreditorIdentifier:text newCreditorIdentifier:text dormantSoonDays:number schemeIsFirmenMandat:flag times words isDecided lastCollected:function'

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

const NOT_GIVEN = { usable: false, value: null, findings: [] } as const

type CheckedFields = ReturnType<typeof checkRequired>

function checkRequired(raw: RawValues, options: CheckOptions) {
  const { severities, today, signedDateFormat } = options
  const creditors = { constant: options.constantCreditorIdentifier, assigned: options.newCreditorIdentifier }
  const ci = raw.sepa_creditor_identifier ?? (creditors.constant === null ? null : '')
  return {
    customerNo: raw.customer_no === null ? NOT_GIVEN : checkCustomerNo(raw.customer_no, severities),
    iban: raw.iban === null ? NOT_GIVEN : checkIban(raw.iban, severities),
    signedDate:
      raw.signed_date === null
        ? NOT_GIVEN
        : checkSignedDate(raw.signed_date, signedDateFormat, today, severities, options.times),
    creditorIdentifier: ci === null ? NOT_GIVEN : checkCreditorIdentifier(ci, creditors, severities),
    mandateReference:
      raw.unique_mandate_reference === null
        ? NOT_GIVEN
        : checkMandateReference(raw.unique_mandate_reference, severities),
  }
}

function checkWords(
  raw: RawValues,
  { words = WORDS, schemeIsFirmenMandat, severities }: CheckOptions,
): readonly Finding[] {
  const { status = '', sequence = '', scheme = '' } = raw
  if (status === '' && sequence === '' && scheme === '') return NO_FINDINGS
  return [
    ...checkWord('status', status, words.status, severities),
    ...checkWord('sequence', sequence, words.sequence, severities),
    ...checkWord('scheme', scheme, schemeIsFirmenMandat ? words.firmenMandat : words.scheme, severities),
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
    ? {
        ...finding,
        severity: 'warning',
        message: `${finding.message} A person decided that it is sent.`,
        remedy: 'Nothing to do.',
      }
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

/**
 * Everything that can be said about one record on its own (domain/rulebook.md#order-of-evaluation): all fields are
 * checked, so the operator sees every problem at once. Rules across rows come at admission.
 * @param given findings of the source on this record (crosswalk, row shape, exclusion); they come first in the result
 */
export function checkMandate(raw: RawValues, options: CheckOptions, given: readonly Finding[] = NO_FINDINGS) {
  const fields = checkRequired(raw, options)
  const ci = fields.creditorIdentifier.value
  const reference = fields.mandateReference.value
  const key = ci === null || reference === null ? null : mandateKey(ci, reference)
  const { isDecided = false, lastCollected } = options
  const collected = key === null ? null : (lastCollected?.(key) ?? null)
  const last = checkLastCollection(raw.last_collection_date, options, fields.signedDate.value, collected)
  const found = joinFindings(
    given,
    ...Object.values(fields).map(({ findings }) => findings),
    last.findings,
    checkWords(raw, options),
  )
  const findings = isDecided ? found.map(settled) : found
  return {
    verdict: verdictOf(findings, mandateOf(fields), isDecided),
    values: {
      customerNo: fields.customerNo.value,
      iban: fields.iban.value,
      signedDate: fields.signedDate.value,
      creditorIdentifier: ci,
      mandateReference: reference,
    },
    mandateKey: key,
    latestFirstDebit: last.latestFirstDebit,
    findings,
  }
}
