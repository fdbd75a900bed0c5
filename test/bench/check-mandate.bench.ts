import { bench, describe } from 'vitest'
import { checkMandate, type CheckOptions, type RawValues } from '../../src/domain/value/check-mandate.js'
import { maskAccounts } from '../../src/domain/text/accounts.js'
import { parseLocalDate } from '../../src/domain/mandate/date.js'

/** Run with `npx vitest bench --config test/tooling/vitest.config.ts --run`: operations per second are rows per second. */

const options: CheckOptions = {
  today: parseLocalDate('2026-06-15')!,
  severities: {},
  signedDateFormat: 'dd.mm.yyyy',
  lastCollectionFormat: 'dd.mm.yyyy',
  constantCreditorIdentifier: 'DE98ZZZ09999999999',
  newCreditorIdentifier: 'DE50ZZZ00123456789',
  dormantSoonDays: 60,
  schemeIsFirmenMandat: false,
}
const clean: RawValues = {
  customer_no: '4711',
  iban: 'DE89370400440532013000',
  signed_date: '01.02.2023',
  sepa_creditor_identifier: '',
  unique_mandate_reference: 'MND-000123',
}
const full: RawValues = {
  ...clean,
  iban: 'de89 3704 0044 0532 0130 00',
  sepa_creditor_identifier: 'DE98 ZZZ0 9999 9999 99',
  last_collection_date: '01.05.2026',
  status: 'aktiv',
  sequence: 'RCUR',
  scheme: 'CORE',
}
const broken: RawValues = {
  customer_no: 'K-4711',
  iban: 'DE89370400440532010300',
  signed_date: '31.04.2023',
  sepa_creditor_identifier: 'AT61ZZZ1234567890',
  unique_mandate_reference: 'MND_000123',
}

describe('checkMandate', () => {
  bench('a clean row with the five values', () => void checkMandate(clean, options))
  bench('a row with spacing and all optional columns', () => void checkMandate(full, options))
  bench('a row where every value is wrong', () => void checkMandate(broken, options))
})

describe('maskAccounts', () => {
  const message = 'The account DE89 3704 0044 0532 0130 00 of customer 4711 is not known here. '.repeat(10)
  bench('a message of 700 characters', () => void maskAccounts(message))
})
