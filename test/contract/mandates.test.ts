import { describe, expect, it } from 'vitest'
import {
  MIGRATE_PATH,
  readMigrateAnswer,
  toMigrateRequest,
  customerNoQuery,
  headerOfMore,
  paymentSourceResponse,
  paymentSourcesPath,
  paymentSourcesResponse,
  readCustomer,
  readPaymentSources,
} from '../../src/contract/mandates.js'
import type { Mandate } from '../../src/domain/mandate/mandate.js'
import request from '../../samples/wire/migrate-mandate.request.json' with { type: 'json' }
import response from '../../samples/wire/migrate-mandate.response.json' with { type: 'json' }

const answerWith = (data: object) => readMigrateAnswer({ ...response, data: { ...response.data, ...data } })

it('the migrate operation is written from a mandate to the path of the description, with the original identifiers under amendment', () => {
  expect(MIGRATE_PATH).toBe('/api/v2/sepa_dd_mandate/migrate')
  const original = { creditorIdentifier: 'DE98ZZZ09999999999', mandateReference: 'ALT-2017/000123' }
  const mandate = { customerNo: 1042, iban: 'DE89370400440532013000', signedDate: '2017-03-09', original }
  expect(JSON.stringify(toMigrateRequest(mandate as Mandate))).toBe(JSON.stringify(request))
})

describe('the tolerant reader of the answer', () => {
  it('reads the hand-typed answer', () => {
    expect(readMigrateAnswer(response)).toEqual({
      kind: 'read',
      status: 'OK',
      data: {
        customer_no: 1042,
        iban: 'DE89370400440532013000',
        signed_date: '2017-03-09',
        sepa_creditor_identifier: 'DE84ZZZ09876543210',
        unique_mandate_reference: '7K2QHX94B0WTRN5MZ8CEV3JYDP',
      },
    })
  })

  it('ignores fields it does not know, and keeps a customer number as text and malformed identifiers', () => {
    const extended = { ...response, meta: [], data: { ...response.data, amendment: {}, state: 'new' } }
    expect(readMigrateAnswer(extended)).toEqual(readMigrateAnswer(response))
    const odd = { customer_no: '1042', sepa_creditor_identifier: 'DE98ZZZ099999999' }
    expect(answerWith(odd)).toMatchObject({ kind: 'read', data: odd })
  })

  it.each<[string, unknown]>([
    ...Object.keys(response.data).map((field): [string, unknown] => [field, undefined]),
    ...Object.keys(response.data).map((field): [string, unknown] => [field, null]),
    ['customer_no', 'ten'],
    ['customer_no', 1.5],
    ['iban', 7],
    ['sepa_creditor_identifier', ''],
    ['unique_mandate_reference', ' '],
    ['unique_mandate_reference', 12],
  ])('cannot read an answer whose %s is %j, and names the field', (field, value) => {
    const reason = expect.stringContaining(`data.${field}`) as string
    expect(answerWith({ [field]: value })).toEqual({ kind: 'unreadable', reason })
  })

  const ODD = [undefined, null, 7, 'x', [], [response], {}, { status: 'OK' }, { status: 'OK', data: null }]
  it.each([...ODD, { status: 'OK', data: [response.data] }, response.data])('cannot read %j', (json) => {
    expect(readMigrateAnswer(json).kind).toBe('unreadable')
  })

  it('never quotes a value in its reason', () => {
    const reading = answerWith({ customer_no: 'DE89370400440532013000' })
    expect(JSON.stringify(reading)).not.toContain('3704')
  })
})

/** As the service publishes it, typed by hand. */
const SOURCE = {
  id: '8Yd3kT',
  status: 'PENDING',
  scheme: 'SEPA_DIRECT_DEBIT',
  details: { reference: 'NEW-1', iban: 'DE89370400440532013000', signed_at: '2023-02-01T00:00:00' },
}
const of = (details: object) => ({ ...SOURCE, details: { ...SOURCE.details, ...details } })
const answer = (...data: unknown[]) => ({ status: 'OK', data })

describe('payment sources as the service must write them', () => {
  it('takes the published shape, one or a list, with and without an offset', () => {
    const zoned = of({ signed_at: '2023-02-01T00:00:00+01:00' })
    expect(paymentSourcesResponse.safeParse(answer(SOURCE, zoned)).success).toBe(true)
    expect(paymentSourceResponse.safeParse({ status: 'OK', data: SOURCE }).success).toBe(true)
  })

  it.each([
    ['a field more', { ...SOURCE, created_at: '2023-02-01T00:00:00' }],
    ['a field of details more', of({ bic: 'X' })],
    ['no id', { ...SOURCE, id: '' }],
    ['a date for a time', of({ signed_at: '2023-02-01' })],
    ['no such day', of({ signed_at: '2023-02-30T00:00:00' })],
  ])('refuses %s', (_, source) =>
    expect(paymentSourcesResponse.safeParse(answer(source)).success).toBe(false),
  )

  it('asks by customer number', () => {
    expect(paymentSourcesPath(1042)).toBe('/api/v2/payment_source?customer_no=1042')
    expect(customerNoQuery.parse('9007199254740991')).toBe(9_007_199_254_740_991)
    const none = ['', '0', '-1', '1.5', '1e3', ' 1', 'abc', '9007199254740992', '11111111111111111']
    expect(none.filter((text) => customerNoQuery.safeParse(text).success)).toEqual([])
  })
})

describe('payment sources as they are read', () => {
  const { details, ...rest } = SOURCE
  const READ = { ...rest, reference: 'NEW-1', iban: details.iban, signedAt: '2023-02-01T00:00:00' }

  const NONE = { ...READ, reference: null, iban: null, signedAt: null }

  it.each<[string, unknown, object]>([
    ['as published', SOURCE, READ],
    ['with fields that nobody knows', { ...of({ y: 2 }), x: 1 }, READ],
    ['without an id', { ...SOURCE, id: undefined }, { ...READ, id: null }],
    ['with a number for an id', { ...SOURCE, id: 7 }, { ...READ, id: null }],
    ['without a status', { ...SOURCE, status: null }, { ...READ, status: null }],
    ['of another scheme', { ...SOURCE, scheme: 'CARD', details: undefined }, { ...NONE, scheme: 'CARD' }],
    ['with details of another shape', { ...SOURCE, details: 'no' }, NONE],
    ['with a blank reference', of({ reference: ' ' }), { ...READ, reference: null }],
  ])('%s', (_, json, source) =>
    expect(readPaymentSources(answer(json))).toEqual({ kind: 'read', sources: [source] }),
  )

  it.each([undefined, null, 'ERROR', 'PARTIAL', 'ok?', '', 0])('not under the status %j', (status) => {
    const unreadable = { kind: 'unreadable', reason: 'status: is not OK' }
    for (const data of [[], [SOURCE]]) expect(readPaymentSources({ status, data })).toEqual(unreadable)
  })

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'the answer: '],
    ['text', 'OK', 'the answer: '],
    ['no data', { status: 'OK' }, 'data: is not a list'],
    ['one source instead of a list', { status: 'OK', data: SOURCE }, 'data: is not a list'],
    ['an empty list beside errors', { ...answer(), errors: ['secret'] }, 'errors: errors beside'],
    ['a list with more behind it', { ...answer(), has_more: true }, 'has_more: may not be the whole'],
    ['a list with something else in it', answer(SOURCE, 'secret'), 'data.1: is not an object'],
  ])('%s cannot be counted', (_, json, reason) => {
    const reading = readPaymentSources(json)
    expect(reading).toEqual({ kind: 'unreadable', reason: expect.stringContaining(reason) as string })
    expect(JSON.stringify(reading)).not.toContain('secret')
  })

  it.each([0, 10_000])('%i of them', (count) => {
    const data = Array.from({ length: count }, () => SOURCE)
    expect(readPaymentSources(answer(...data))).toEqual({ kind: 'read', sources: data.map(() => READ) })
  })
})

/** Why a list of so many is not read, for what stands beside it; null where it is. */
function signOf(beside: object, shown: number): string | null {
  const reading = readPaymentSources({ ...answer(...Array<unknown>(shown).fill(SOURCE)), ...beside })
  return reading.kind === 'unreadable' ? reading.reason : null
}

describe('what stands beside a list of two', () => {
  it.each<[object, string]>([
    [{ has_more: true }, 'has_more'],
    [{ hasMore: 'true' }, 'hasMore'],
    [{ next: '/api/v2/payment_source?page=2' }, 'next'],
    [{ meta: { next_cursor: 'abc' } }, 'meta.next_cursor'],
    [{ links: { next: { href: '/x' } } }, 'links.next'],
    [{ links: [{ rel: 'next', href: '/x' }] }, 'links.0.rel'],
    [{ paging: { cursors: { after: 'x' }, next: 'y' } }, 'paging.next'],
    [{ total: 3 }, 'total'],
    [{ meta: { total_count: '3' } }, 'meta.total_count'],
    [{ count: 3 }, 'count'],
    [{ page: { totalElements: 3 } }, 'page.totalElements'],
    [{ total_pages: 2 }, 'total_pages'],
    [{ pagination: { page: 2 } }, 'pagination.page'],
    [{ per_page: 2 }, 'per_page'],
    [{ limit: 2 }, 'limit'],
    [{ offset: 1 }, 'offset'],
    [{ truncated: true }, 'truncated'],
    [{ last: false }, 'last'],
    [{ complete: false }, 'complete'],
    [{ remaining: 1 }, 'remaining'],
  ])('%j may not be all', (beside, place) =>
    expect(signOf(beside, 2)).toBe(`${place}: may not be the whole list`),
  )

  it.each<object>([
    {},
    { has_more: false, next: null, next_cursor: '' },
    { meta: { total_count: 2, total_pages: 1, page: 1, per_page: 50, offset: 0 } },
    { last: true, complete: true, truncated: false, links: { self: '/x', next: null } },
    { rate_limit: { limit: 1, remaining: 99 }, request_count: 7, retry_count: 3 },
    { timestamp: 1_700_000_000, id: 'more' },
  ])('%j says nothing of the kind', (beside) => expect(signOf(beside, 2)).toBeNull())

  it.each<[object, string | null]>([
    [{ errors: ['x'] }, 'errors'],
    [{ error: { message: 'x' } }, 'error'],
    [{ meta: { warnings: [{}] } }, 'meta.warnings'],
    [{ error_count: 1 }, 'error_count'],
    [{ failed: true }, 'failed'],
    [{ errors: [], error: null, error_count: 0, failed: false, warnings: {} }, null],
    [{ message: 'OK' }, null],
  ])('%j is read for errors: %j', (beside, place) => {
    expect(signOf(beside, 2)).toBe(place === null ? null : `${place}: errors beside the list`)
  })

  it('is read to a depth, and no further', () => {
    let deep: object = { next: 'x' }
    for (let n = 0; n < 50; n += 1) deep = { deep }
    expect(signOf(deep, 0)).toBeNull()
  })
})

describe('the headers of a list of two', () => {
  it.each<[string, string]>([
    ['link', '<https://service.example/x?page=2>; rel="next"'],
    ['link', '<https://service.example/x?page=9>; rel=last'],
    ['link', '</x>; rel="self", </x?page=2>; rel="next"'],
    ['link', '</x>; rel="self", </x?page=2>'],
    ['link', 'anything'],
    ['x-total-count', '3'],
    ['x-total-pages', '2'],
    ['x-next-page', '2'],
    ['x-has-more', 'true'],
    ['x-pagination', '{"TotalCount":3}'],
    ['content-range', 'items 0-1/3'],
    ['content-range', 'items 0-1/*'],
  ])('%s: %s says that there may be more', (name, value) => {
    const told = headerOfMore({ 'content-type': 'application/json', [name]: value }, 2)
    expect(told).toBe(`header ${name}: may not be the whole list`)
  })

  it.each<[string, string]>([
    ['link', '</x>; rel="self"'],
    ['link', '</docs>; rel=help, </x>; rel="describedby self"'],
    ['x-total-count', '2'],
    ['x-total-pages', '1'],
    ['x-next-page', ''],
    ['x-pagination', '{"TotalCount":2}'],
    ['x-pagination', '{'],
    ['content-range', 'items 0-1/2'],
    ['x-ratelimit-remaining', '99'],
    ['x-request-count', '99'],
    ['x-retry-count', '99'],
    ['content-length', '500'],
  ])('%s: %s says nothing of it', (name, value) => expect(headerOfMore({ [name]: value }, 2)).toBeNull())
})

describe('a customer as it is read', () => {
  const answerFor = (data: unknown) => ({ status: 'OK', data })
  it('by name, contact and numbers, whatever else is there or missing', () => {
    const read = (data: object) => {
      const reading = readCustomer(answerFor(data), 7)
      return reading.kind === 'read' ? reading.customer : reading
    }
    expect(read({ customer_no: 7, name: 'A', more: 1 })).toEqual({ names: ['A', ''], orgNos: ['', ''] })
    const whole = { customer_no: '7', name: null, org_no: 5, vat_no: 'X1', contact: { name: 'B' } }
    expect(read(whole)).toEqual({ names: ['', 'B'], orgNos: ['', 'X1'] })
  })

  it.each([
    ['another customer', answerFor({ customer_no: 8, name: 'A' })],
    ['no data', { status: 'OK' }],
    ['a list', answerFor([])],
    ['nothing', undefined],
  ])('not from %s', (_, json) => expect(readCustomer(json, 7).kind).toBe('unreadable'))
})
