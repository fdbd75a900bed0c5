import { describe, expect, it } from 'vitest'
import {
  customerNoQuery,
  paymentSourceResponse,
  paymentSourcesPath,
  paymentSourcesResponse,
  readPaymentSources,
} from '../../src/contract/payment-source.js'

/** As the service publishes it, typed by hand. */
const SOURCE = {
  id: '8Yd3kT',
  status: 'PENDING',
  scheme: 'SEPA_DIRECT_DEBIT',
  details: { reference: 'NEW-1', iban: 'DE89370400440532013000', signed_at: '2023-02-01T00:00:00' },
}
const answer = (...data: unknown[]) => ({ status: 'OK', data })

describe('payment sources as the service must write them', () => {
  it('takes the published shape, one or a list, with and without an offset', () => {
    expect(paymentSourcesResponse.safeParse(answer(SOURCE)).success).toBe(true)
    expect(paymentSourceResponse.safeParse({ status: 'OK', data: SOURCE }).success).toBe(true)
    const details = { ...SOURCE.details, signed_at: '2023-02-01T00:00:00+01:00' }
    expect(paymentSourcesResponse.safeParse(answer({ ...SOURCE, details })).success).toBe(true)
  })

  it.each([
    ['a field more', { ...SOURCE, created_at: '2023-02-01T00:00:00' }],
    ['a field of details more', { ...SOURCE, details: { ...SOURCE.details, bic: 'X' } }],
    ['no id', { ...SOURCE, id: '' }],
    ['a date for a time', { ...SOURCE, details: { ...SOURCE.details, signed_at: '2023-02-01' } }],
    ['no such day', { ...SOURCE, details: { ...SOURCE.details, signed_at: '2023-02-30T00:00:00' } }],
  ])('refuses %s', (_, source) => {
    expect(paymentSourcesResponse.safeParse(answer(source)).success).toBe(false)
  })

  it('asks by customer number', () => {
    expect(paymentSourcesPath(1042)).toBe('/api/v2/payment_source?customer_no=1042')
  })

  it.each(['', '0', '-1', '1.5', '1e3', ' 1', 'abc', '9007199254740992', '11111111111111111'])(
    'knows that %j is no customer number',
    (text) => expect(customerNoQuery.safeParse(text).success).toBe(false),
  )

  it('knows the largest customer number', () => {
    expect(customerNoQuery.parse('9007199254740991')).toBe(9_007_199_254_740_991)
  })
})

describe('payment sources as they are read', () => {
  const READ = {
    id: '8Yd3kT',
    status: 'PENDING',
    scheme: 'SEPA_DIRECT_DEBIT',
    reference: 'NEW-1',
    iban: 'DE89370400440532013000',
    signedAt: '2023-02-01T00:00:00',
  }

  it.each<[string, unknown, object]>([
    ['as published', SOURCE, READ],
    ['with fields that nobody knows', { ...SOURCE, x: 1, details: { ...SOURCE.details, y: 2 } }, READ],
    ['without an id', { ...SOURCE, id: undefined }, { ...READ, id: null }],
    ['with a number for an id', { ...SOURCE, id: 7 }, { ...READ, id: null }],
    ['without a status', { ...SOURCE, status: null }, { ...READ, status: null }],
    [
      'of another scheme, without details',
      { id: 'x', status: 'PENDING', scheme: 'CARD' },
      { id: 'x', status: 'PENDING', scheme: 'CARD', reference: null, iban: null, signedAt: null },
    ],
    [
      'with details of another shape',
      { ...SOURCE, details: 'no' },
      { ...READ, reference: null, iban: null, signedAt: null },
    ],
    [
      'with a blank reference',
      { ...SOURCE, details: { ...SOURCE.details, reference: ' ' } },
      { ...READ, reference: null },
    ],
  ])('%s', (_, source, expected) => {
    expect(readPaymentSources(answer(source))).toEqual({ kind: 'read', sources: [expected] })
  })

  it('an empty list', () => {
    expect(readPaymentSources(answer())).toEqual({ kind: 'read', sources: [] })
  })

  it.each([undefined, null, 'ERROR', 'PARTIAL', 'ok?', '', 0])('26.1 not under the status %j', (status) => {
    for (const data of [[], [SOURCE]])
      expect(readPaymentSources({ status, data })).toEqual({
        kind: 'unreadable',
        reason: 'status: is not OK',
      })
  })

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'the answer: '],
    ['text', 'OK', 'the answer: '],
    ['no data', { status: 'OK' }, 'data: is not a list'],
    ['one source instead of a list', { status: 'OK', data: SOURCE }, 'data: is not a list'],
    [
      '26.1 an empty list beside errors',
      { ...answer(), errors: ['secret'] },
      'errors: errors beside the list',
    ],
    [
      '26.1 a list with more behind it',
      { ...answer(), has_more: true },
      'has_more: may not be the whole list',
    ],
    ['a list with something else in it', answer(SOURCE, 'secret'), 'data.1: is not an object'],
  ])('%s cannot be counted', (_, json, reason) => {
    const reading = readPaymentSources(json)
    expect(reading.kind).toBe('unreadable')
    expect(reading.kind === 'unreadable' && reading.reason).toContain(reason)
    expect(JSON.stringify(reading)).not.toContain('secret')
  })

  it('ten thousand', () => {
    const many = readPaymentSources(answer(...Array.from({ length: 10_000 }, () => SOURCE)))
    expect(many.kind === 'read' && many.sources.length).toBe(10_000)
  })
})
