import { describe, expect, it } from 'vitest'
import { mandateOf } from './sending.js'
import { proveOffer, proveRegistration, proveUpdate } from '../../src/service/classify.js'

const MANDATE = mandateOf(4711)
const ECHO = {
  customer_no: 4711,
  iban: 'DE89370400440532013000',
  signed_date: '2020-02-29',
  sepa_creditor_identifier: 'DE79ZZZ01234567890',
  unique_mandate_reference: 'NEW-1',
}

const prove = (change: Readonly<Record<string, unknown>> = {}, status: unknown = 'OK') =>
  proveRegistration({ status, data: { ...ECHO, ...change } }, MANDATE)

describe('an answer proves a registration', () => {
  it('where it names this very mandate and both new identifiers', () => {
    expect(prove()).toEqual({
      kind: 'proven',
      value: { creditorIdentifier: 'DE79ZZZ01234567890', mandateReference: 'NEW-1' },
      notes: [],
    })
  })

  it('where the account is written in another way', () => {
    expect(prove({ iban: 'de89 3704 0044 0532 0130 00' }).kind).toBe('proven')
  })

  it('with a customer number as text, and with another status word; both are noted', () => {
    expect(prove({ customer_no: '4711' })).toMatchObject({ notes: ['RESPONSE_CUSTOMER_TEXT'] })
    expect(prove({}, 'CREATED')).toMatchObject({ kind: 'proven', notes: ['RESPONSE_STATUS_WORD'] })
    expect(proveRegistration({ data: ECHO }, MANDATE)).toMatchObject({ notes: ['RESPONSE_STATUS_WORD'] })
  })
})

describe('an answer of another mandate', () => {
  it.each([
    ['customer_no', 4712],
    ['customer_no', '04711'],
    ['iban', 'NL91ABNA0417164300'],
    ['iban', 'DE…3000'],
    ['signed_date', '2020-03-01'],
  ])('names the first field that differs: %s %s', (field, value) => {
    expect(prove({ [field]: value })).toEqual({ kind: 'mismatch', field })
  })

  it('is one before its identifiers are looked at, so that nobody adopts them', () => {
    expect(prove({ customer_no: 1, unique_mandate_reference: '' }).kind).not.toBe('proven')
  })
})

describe('an answer that proves nothing', () => {
  it.each([
    { unique_mandate_reference: '' },
    { unique_mandate_reference: ' ' },
    { sepa_creditor_identifier: '' },
    { unique_mandate_reference: null },
    { sepa_creditor_identifier: undefined },
    { unique_mandate_reference: 'x'.repeat(5_000) },
    { customer_no: null },
  ])('for %j', (change) => {
    expect(prove(change).kind).toBe('unreadable')
  })

  it.each([null, [], 'OK', 200, {}, { data: null }, { data: [ECHO] }])('for %j', (json) => {
    expect(proveRegistration(json, MANDATE).kind).toBe('unreadable')
  })
})

describe('answers of the other calls', () => {
  it('an unreadable one says why, and proves nothing', () => {
    for (const prove of [proveOffer, proveUpdate])
      expect(prove({ data: {} }, 'id-1')).toMatchObject({ kind: 'unreadable' })
  })
})
