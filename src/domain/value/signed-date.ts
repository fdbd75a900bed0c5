import { explainDate, readDate, type DecidedFormat } from '../mandate/date-format.js'
import {
  breaks,
  plainlyUsable,
  startCheck,
  unusable,
  usable,
  type Checked,
  type ValueCheck,
} from '../rule/finding.js'
import { compareDates } from '../mandate/local-date.js'
import type { LocalDate } from '../mandate/mandate.js'
import type { SeverityOverrides } from '../rule/rules.js'
import { cleanCell } from '../text/text.js'

/** The day SEPA direct debit began; also the usual filler for old Dutch mandates. */
const SEPA_START = '2009-11-01' as LocalDate

const PLAIN = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])$/

/** A day behind the beginning of SEPA and up to today, that every month has. */
const isPlainDate = (text: string, today: LocalDate): boolean =>
  PLAIN.test(text) && text > SEPA_START && text <= today

/** A date that can be read and is odd. True when an error ended the checks. */
function endsAtOddity(
  check: ValueCheck,
  read: { date: LocalDate; hasAssumedCentury: boolean; isNearMidnightUtc: boolean },
  today: LocalDate,
): boolean {
  const sinceStart = compareDates(read.date, SEPA_START)
  return (
    (compareDates(read.date, today) > 0 && breaks(check, 'DATE_FUTURE')) ||
    (sinceStart < 0 && breaks(check, 'DATE_PRE_SEPA')) ||
    (sinceStart === 0 && breaks(check, 'DATE_LEGACY_DEFAULT')) ||
    (read.hasAssumedCentury && breaks(check, 'DATE_TWO_DIGIT_YEAR', `It was read as ${read.date}.`)) ||
    (read.isNearMidnightUtc && breaks(check, 'DATE_UTC_SHIFT'))
  )
}

/**
 * Checks the date on the mandate (domain/rulebook.md#signature-date). A column declared `auto` is decided first
 * (`startDeciding`).
 */
export function checkSignedDate(
  raw: string,
  format: DecidedFormat,
  today: LocalDate,
  severities: SeverityOverrides = {},
): Checked<LocalDate> {
  if ((format === 'iso' || format === 'unsettled') && isPlainDate(raw, today))
    return plainlyUsable(raw as LocalDate)
  const check = startCheck('signed_date', raw, severities)
  const text = cleanCell(raw)
  if (text === '') {
    breaks(check, 'DATE_EMPTY')
    return unusable(check, null)
  }
  const read = readDate(text, format, today)
  if (read.kind !== 'date') {
    const { detail, remedy } = explainDate(text) ?? {}
    // A number of days or a row of # is not ambiguous, whatever the other values of the column are.
    const rule = read.kind === 'ambiguous' && detail === undefined ? 'DATE_AMBIGUOUS' : 'DATE_INVALID'
    breaks(check, rule, detail, remedy)
    return unusable(check, null)
  }
  return endsAtOddity(check, read, today) ? unusable(check, read.date) : usable(check, read.date)
}
