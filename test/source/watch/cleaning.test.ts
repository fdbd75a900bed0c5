import { describe, expect, it } from 'vitest'
import { countCleaning } from '../../../src/source/watch/cleaning.js'

const NONE = {
  customer_no: null,
  iban: null,
  signed_date: null,
  sepa_creditor_identifier: null,
  unique_mandate_reference: null,
}
type Field = keyof typeof NONE

const NOTHING = {
  customerNo: null,
  iban: null,
  signedDate: null,
  creditorIdentifier: null,
  mandateReference: null,
}

const steps = (field: Field, ...cells: string[]) => {
  const counter = countCleaning()
  for (const cell of cells) counter.note({ ...NONE, [field]: cell }, NOTHING)
  return counter.counts()[field]
}

describe('what was cleaned away from a value', () => {
  it.each([
    ['DE89370400440532013000', undefined],
    ['DE89 3704 0044 0532 0130 00', { blanks: 1 }],
    ['de89370400440532013000', { case: 1 }],
    ['DE89-3704-0044-0532-0130-00', { hyphens: 1 }],
    ['IBAN DE89370400440532013000', { label: 1, blanks: 1 }],
    ['="DE89370400440532013000"', { textMarker: 1 }],
    ["'DE89370400440532013000", { textMarker: 1 }],
  ])('of the account %s', (cell, counts) => {
    expect(steps('iban', cell)).toEqual(counts)
  })

  it('a reference keeps its case, hyphens and blanks inside: they are part of it', () => {
    expect(steps('unique_mandate_reference', 'm-1', 'M 1', "'M")).toBeUndefined()
    expect(steps('unique_mandate_reference', ' M-1', '="00017"')).toEqual({ blanks: 1, textMarker: 1 })
  })

  it('cells are counted, and a source without the field has none', () => {
    expect(steps('iban', 'de1', 'de2', 'DE3')).toEqual({ case: 2 })
    expect(countCleaning().counts()).toEqual({})
  })
})
