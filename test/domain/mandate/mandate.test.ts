import { expect, test } from 'vitest'
import { OPTIONAL_FIELDS, REQUIRED_FIELDS } from '../../../src/domain/mandate/mandate.js'

test('the fields have the names of the wire, and the optional ones those of the rulebook', () => {
  // Written down a second time (src/contract/README.md#mandate).
  expect(REQUIRED_FIELDS).toEqual([
    'customer_no',
    'iban',
    'signed_date',
    'sepa_creditor_identifier',
    'unique_mandate_reference',
  ])
  expect(OPTIONAL_FIELDS).toEqual(['last_collection_date', 'status', 'sequence', 'scheme'])
})
