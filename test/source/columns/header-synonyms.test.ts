import { describe, expect, test } from 'vitest'
import headers from '../../../src/source/columns/headers.json' with { type: 'json' }
import mandateNames from '../../../src/source/columns/mandate-names.json' with { type: 'json' }
import { OPTIONAL_FIELDS, REQUIRED_FIELDS } from '../../../src/domain/mandate/mandate.js'
import { fold } from '../../../src/domain/text/text.js'
import { headersOf, isFirmenMandat, meaningOfHeader } from '../../../src/source/columns/header.js'

describe('headers', () => {
  test('the names on the wire are headers of their own fields', () => {
    for (const field of [...REQUIRED_FIELDS, ...OPTIONAL_FIELDS])
      expect(meaningOfHeader(field)).toEqual({ kind: 'field', field })
  })

  test.each([
    ['\ufeffIBAN', 'iban'],
    ['DEBTOR_IBAN', 'iban'],
    [' Gläubiger - Id ', 'sepa_creditor_identifier'],
    ['GLAEUBIGER ID', 'sepa_creditor_identifier'],
    ['mandats-referenz', 'unique_mandate_reference'],
    ['date_of_signature', 'signed_date'],
    // 9.3
    ['Mandats-ID', 'unique_mandate_reference'],
    ['MANDATSNUMMER', 'unique_mandate_reference'],
    ['Mandats Nr', 'unique_mandate_reference'],
    ['Référence unique du mandat', 'unique_mandate_reference'],
    ['Mandatausfuehrung', 'last_collection_date'],
    ['Referencia única del mandato', 'unique_mandate_reference'],
    ['Autorização de Débito', 'unique_mandate_reference'],
    ['Jedinečný odkaz na mandát', 'unique_mandate_reference'],
    ['Riferimento del mandato', 'unique_mandate_reference'],
    ['Kenmerk machtiging', 'unique_mandate_reference'],
    ['ΗΜΕΡΟΜΗΝΊΑ ΥΠΟΓΡΑΦΉΣ', 'signed_date'],
    ['Идентификатор на кредитора', 'sepa_creditor_identifier'],
  ])('%j is the header of %s', (header, field) => {
    expect(meaningOfHeader(header)).toEqual({ kind: 'field', field })
  })

  test('a customer number of an old system is never taken for the one of the service', () => {
    for (const header of ['Kundennummer', 'customerNumber', 'User-Id'])
      expect(meaningOfHeader(header)).toEqual({ kind: 'old_key' })
    expect(headersOf('customer_no')).toEqual(['customer_no'])
  })

  test.each(['', '---', 'IBAN2', 'Bemerkung', 'constructor'])('%j is not known', (header) => {
    expect(meaningOfHeader(header)).toEqual({ kind: 'unknown' })
  })

  test('no folded header stands for two things', () => {
    const { field, ...others } = headers
    const named = [
      ...Object.entries({ ...field, ...others }),
      ...Object.values(mandateNames).flatMap(({ holder, ...names }) =>
        Object.entries({ ...names, second_key: holder }),
      ),
    ]
    expect(Object.keys(mandateNames)).toHaveLength(26)
    const meanings = new Map<string, Set<string>>()
    for (const [meaning, names] of named)
      for (const name of names) meanings.set(fold(name), (meanings.get(fold(name)) ?? new Set()).add(meaning))
    expect([...meanings].filter(([, of]) => of.size > 1)).toEqual([])
  })
})

test('a FirmenMandat column is known in any spelling', () => {
  expect(isFirmenMandat('Firmen-Mandat')).toBe(true)
  expect(isFirmenMandat('scheme')).toBe(false)
})
