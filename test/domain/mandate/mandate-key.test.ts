import { expect, test } from 'vitest'
import { creditorOf, mandateKey } from '../../../src/domain/mandate/mandate-key.js'

test('the creditor is country and national part, without check digits and business code', () => {
  expect(creditorOf('DE98ZZZ09999999999')).toBe('DE|09999999999')
  expect(creditorOf('DE98ABC09999999999')).toBe(creditorOf('DE98ZZZ09999999999'))
  expect(creditorOf('AT98ZZZ09999999999')).not.toBe(creditorOf('DE98ZZZ09999999999'))
})

test('references are the same in any case, and creditors keep them apart', () => {
  const key = mandateKey('DE98ZZZ09999999999', 'abc-1')
  expect(key).toBe('DE|09999999999|ABC-1')
  expect(mandateKey('DE98ABC09999999999', 'ABC-1')).toBe(key)
  expect(mandateKey('DE50ZZZ00123456789', 'abc-1')).not.toBe(key)
  expect(mandateKey('DE98ZZZ09999999999', 'abc-01')).not.toBe(key)
})

test('only a to z are compared without case', () => {
  expect(mandateKey('DE98ZZZ09999999999', 'ß-ı')).toBe('DE|09999999999|ß-ı')
})

test('blanks inside a reference are part of the key', () => {
  expect(mandateKey('DE98ZZZ09999999999', 'ABC 1')).not.toBe(mandateKey('DE98ZZZ09999999999', 'ABC1'))
})
