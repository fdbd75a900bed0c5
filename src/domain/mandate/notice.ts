import type { LocalDate } from './mandate.js'
import { compareDates, daysBetween } from './local-date.js'

/** Days from the letter to the debit that the scheme asks for, unless another period was agreed (domain/rulebook.md#notice). */
export const NOTICE_DAYS = 14

/** Days that are left; null where there are enough. */
export function shortNotice(today: LocalDate, firstDebit: LocalDate): number | null {
  const days = daysBetween(today, firstDebit)
  return days < NOTICE_DAYS ? days : null
}

/** Whether a mandate that has to be used by `latestFirstDebit` (null: not known) would have lapsed before the debit. */
export const lapsesBefore = (latestFirstDebit: string | null, firstDebit: LocalDate): boolean =>
  latestFirstDebit !== null && compareDates(latestFirstDebit as LocalDate, firstDebit) < 0
