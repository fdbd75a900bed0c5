import { describe, expect, it } from 'vitest'
import { isAccountColumn, maskNumbers } from '../../../src/domain/text/masking.js'
describe('9.2.4 a column of account numbers or bank codes', () => {
  it.each([
    ...['IBAN', 'Kontonummer', 'Konto-Nr.', 'Kto.Nr.', 'Konto', 'BLZ', 'Bankleitzahl', 'account_number'],
    ...['AccountNo', 'bank_account.account_number', 'bank_account.bank_code', 'Sort code', 'Code banque'],
    ...['Numéro de compte', 'Code guichet', 'Clé RIB', 'Rekeningnummer', 'Bankrekening', 'Numer konta'],
    ...['Numer rachunku', 'NRB', 'Nº cuenta', 'Cuenta bancaria'],
  ])('is known by the name %s', (name) => expect(isAccountColumn(name)).toBe(true))

  it.each([
    ...['Kontoinhaber', 'Bank', 'BIC', 'account holder', 'bank_account.account_holder_name', 'Kundennummer'],
    ...['Mandatsreferenz', 'customer_no', 'Gläubiger-ID', 'discount', 'Betrag', ''],
  ])('is not one by the name %s', (name) => expect(isAccountColumn(name)).toBe(false))

  it.each([
    ['532013000', '…3000'],
    ['0532 013 000', '…3000'],
    ['37040044', '…0044'],
    ['370 400 44', '…0044'],
    ['12345', '…45'],
    ['076', '…'],
    ['', ''],
    ['ungültig', 'ungültig'],
    ['Konto 532013000 bei BLZ 37040044', 'Konto …3000 bei BLZ …0044'],
  ])('shows %s as %s', (cell, shown) => {
    expect(maskNumbers(cell)).toBe(shown)
  })
})
