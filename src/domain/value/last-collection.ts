import { explainDate, isZeroDate, readDate, type DecidedFormat } from '../mandate/date-format.js'
import { breaks, startCheck, type ValueCheck } from '../rule/finding.js'
import { addMonths, compareDates, daysBetween } from '../mandate/local-date.js'
import type { LocalDate } from '../mandate/mandate.js'
import type { SeverityOverrides } from '../rule/rules.js'
import { cleanCell } from '../text/text.js'
import type { Finding } from '../rule/verdict.js'

/**
 * Months after which a recurrent mandate lapses. They count from the last collection that was presented to the bank,
 * also when it came back.
 */
const DORMANT_AFTER_MONTHS = 36

/** Days before the lapse from which MANDATE_DORMANT_SOON warns, where nobody says otherwise. */
export const DORMANT_SOON_DAYS = 60

const FILLERS: ReadonlySet<string> = new Set(['1900-01-01', '1970-01-01'])

/** A cleaned cell that stands for "never collected". */
export const isAbsentCollection = (text: string): boolean => isZeroDate(text) || FILLERS.has(text)

/** True when 36 months have passed since a date: without a collection after it, the mandate has lapsed. */
export const isLongAgo = (date: LocalDate, today: LocalDate): boolean =>
  compareDates(addMonths(date, DORMANT_AFTER_MONTHS), today) < 0

export interface LastCollectionOptions {
  readonly format: DecidedFormat
  readonly today: LocalDate
  /** Days before the lapse from which MANDATE_DORMANT_SOON warns. */
  readonly dormantSoonDays: number
  /** Null when the signed date cannot be read: then nothing is compared with it. */
  readonly signedDate: LocalDate | null
  readonly severities: SeverityOverrides
}

export interface CheckedCollection {
  readonly findings: readonly Finding[]
  /** The last day for the first debit; null when it cannot be told. */
  readonly latestFirstDebit: LocalDate | null
}

/** Never collected: 36 months from signing are safe, after that nobody can tell. */
export function latestDebitFromSigning(signedDate: LocalDate | null, today: LocalDate): LocalDate | null {
  if (signedDate === null) return null
  const latest = addMonths(signedDate, DORMANT_AFTER_MONTHS)
  return compareDates(latest, today) < 0 ? null : latest
}

/** The 36 months are over, or soon will be. */
function noteLapse(check: ValueCheck, latest: LocalDate, options: LastCollectionOptions): void {
  const daysLeft = daysBetween(options.today, latest)
  if (daysLeft < 0) breaks(check, 'MANDATE_DORMANT', `The last day was ${latest}.`)
  else if (daysLeft <= options.dormantSoonDays)
    breaks(check, 'MANDATE_DORMANT_SOON', `The last day is ${latest}.`)
}

function checkAbsent(check: ValueCheck, { signedDate, today }: LastCollectionOptions): CheckedCollection {
  if (signedDate !== null && isLongAgo(signedDate, today)) breaks(check, 'DORMANCY_UNKNOWN')
  return { findings: check.findings, latestFirstDebit: latestDebitFromSigning(signedDate, today) }
}

/** Checks a mapped column of last collections (domain/rulebook.md#last-collection). */
export function checkLastCollection(raw: string, options: LastCollectionOptions): CheckedCollection {
  const { format, today, signedDate, severities } = options
  const check = startCheck('last_collection_date', raw, severities)
  const text = cleanCell(raw)
  if (isAbsentCollection(text)) return checkAbsent(check, options)
  const read = readDate(text, format, today)
  if (read.kind !== 'date') {
    const { detail, remedy } = explainDate(text) ?? {}
    breaks(check, 'LAST_COLLECTION_INVALID', detail, remedy)
    return { findings: check.findings, latestFirstDebit: null }
  }
  if (FILLERS.has(read.date)) return checkAbsent(check, options)
  const latestFirstDebit = addMonths(read.date, DORMANT_AFTER_MONTHS)
  const ended =
    (compareDates(read.date, today) > 0 && breaks(check, 'LAST_COLLECTION_FUTURE')) ||
    (signedDate !== null &&
      compareDates(read.date, signedDate) < 0 &&
      breaks(check, 'LAST_COLLECTION_BEFORE_SIGNATURE'))
  if (!ended) noteLapse(check, latestFirstDebit, options)
  return { findings: check.findings, latestFirstDebit }
}
