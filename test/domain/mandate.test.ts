import { expect, test } from 'vitest'
import { OPTIONAL_FIELDS, REQUIRED_FIELDS } from '../../src/domain/mandate.js'

test('the fields have the names of the wire, and the optional ones those of the rulebook', () => {
  // Typed from service-interface.txt 2.3 and sepa-rules.md 7.
  expect(REQUIRED_FIELDS).toEqual([
    'customer_no',
    'iban',
    'signed_date',
    'sepa_creditor_identifier',
    'unique_mandate_reference',
  ])
  expect(OPTIONAL_FIELDS).toEqual(['last_collection_date', 'status', 'sequence', 'scheme'])
})
