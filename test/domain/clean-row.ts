import { usualChecks, type RawValues } from '../../src/domain/value/check-mandate.js'
import type { LocalDate } from '../../src/domain/mandate/mandate.js'
import { parseLocalDate } from '../../src/domain/mandate/date.js'

/** The date the rulebook's vectors use as today. */
export const TODAY = parseLocalDate('2026-06-15')!

export const OPTIONS = usualChecks(TODAY)

/** A row without any finding. */
export const CLEAN_ROW: RawValues = {
  customer_no: '4711',
  iban: 'DE89370400440532013000',
  signed_date: '2024-05-06',
  sepa_creditor_identifier: 'DE98ZZZ09999999999',
  unique_mandate_reference: 'MND-000123',
}

export function dateOf(text: string): LocalDate {
  const date = parseLocalDate(text)
  if (date === null) throw new Error(`Not a calendar date: "${text}"`)
  return date
}
