import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify } from '../../src/service/classify.js'
import type { Exchange, Response, TransportError } from '../../src/service/exchange.js'
import { mandateOf } from './sending.js'
import type { Outcome } from '../../src/domain/row/row-state.js'
import { createStatusTable } from '../../src/service/checked-service.js'

const mandate = mandateOf(4711)
const table = createStatusTable()

const echo = {
  customer_no: 4711,
  iban: 'DE89370400440532013000',
  signed_date: '2020-02-29',
  sepa_creditor_identifier: 'DE79ZZZ01234567890',
  unique_mandate_reference: 'NEW-1',
}

const answerOf = (fields: Record<string, unknown> = {}, word: unknown = 'OK'): string =>
  JSON.stringify({ status: word, data: { ...echo, ...fields } })

const exchangeOf = (parts: Partial<Exchange>): Exchange => ({
  ...{ started: true, response: null, error: null, durationMs: 12, receivedAtMs: Date.UTC(2026, 0, 1) },
  ...parts,
})

const answered = (status: number, bodyText: string, parts: Partial<Response> = {}): Exchange =>
  exchangeOf({ response: { status, headers: {}, bodyText, complete: true, ...parts } })

const errorOf = (error: Partial<TransportError>) => ({ code: null, name: 'Error', message: '', ...error })
const failed = (started: boolean, error: Partial<TransportError> | null): Exchange =>
  exchangeOf({ started, error: error && errorOf(error) })

const classified = (exchange: Exchange, overrides: Record<string, string> = {}): Outcome =>
  classify(exchange, mandate, createStatusTable(overrides))

describe('a complete 2xx with a whole answer', () => {
  it('is registered, with the assigned identifiers as they came; its words say no more, so none is kept', () => {
    expect(classified(answered(200, answerOf()))).toEqual({
      kind: 'registered',
      value: { creditorIdentifier: 'DE79ZZZ01234567890', mandateReference: 'NEW-1' },
      notes: [],
      reason: 'The service answered 200 with a complete answer',
      halt: null,
      evidence: {
        ...{ started: true, status: 200, errorCode: null, serviceCode: null, field: null, message: null },
        ...{ answer: null, durationMs: 12, retryAfterMs: null },
      },
    })
  })

  it('whatever its status', () => {
    for (const status of [201, 299]) expect(classified(answered(status, answerOf())).kind).toBe('registered')
  })

  const FORMAT = 'RESPONSE_IDENTIFIER_FORMAT'
  it.each([
    ['the account in groups', { iban: ' de89 3704 0044 0532 0130 00 ' }, []],
    ['the account with hyphens', { iban: 'DE89-3704-0044-0532-0130-00' }, []],
    ['fields that nobody documented', { more: { deep: [1] } }, []],
    ['the customer number as text', { customer_no: '4711' }, ['RESPONSE_CUSTOMER_TEXT']],
    ['a malformed reference', { unique_mandate_reference: 'ä' }, [FORMAT]],
    ['a malformed creditor', { sepa_creditor_identifier: 'DE98ZZZ099999999' }, [FORMAT]],
    ['the old creditor', { sepa_creditor_identifier: 'DE98ZZZ09999999999' }, ['RESPONSE_CI_UNCHANGED']],
  ])('with %s', (_name, fields, notes) => {
    const expected = { kind: 'registered', notes, halt: null }
    expect(classified(answered(200, answerOf(fields)))).toMatchObject(expected)
  })

  it.each(['ok', 'CREATED', '', null, 7])('with the status word %j, which is noted', (word) => {
    const expected = { kind: 'registered', notes: ['RESPONSE_STATUS_WORD'] }
    expect(classified(answered(200, answerOf({}, word)))).toMatchObject(expected)
  })

  it('with several oddities, all of them noted, and its masked words kept', () => {
    const odd = { customer_no: '4711', unique_mandate_reference: 'ä' }
    expect(classified(answered(200, answerOf(odd, 'DONE')))).toMatchObject({
      kind: 'registered',
      value: { mandateReference: 'ä' },
      notes: ['RESPONSE_STATUS_WORD', 'RESPONSE_CUSTOMER_TEXT', 'RESPONSE_IDENTIFIER_FORMAT'],
      evidence: { serviceCode: 'DONE', answer: answerOf({ ...odd, iban: 'DE…3000' }, 'DONE') },
    })
  })
})

type Hint = 'unknown' | 'probably_registered' | 'may_exist'
const doubt = (hint: Hint, reason: string, halt: string | null = null) => {
  return { kind: 'in_doubt', hint, halt, reason }
}
const likely = (problem: string) =>
  doubt('probably_registered', `The service answered 200${problem}: the request was probably applied`)

describe('a 2xx that is not whole', () => {
  it.each([
    ['nothing', '', 'nothing else'],
    ['blanks', ' \r\n', 'nothing else'],
    ['HTML', '<html>OK</html>', 'something that is not JSON'],
    ['half of the answer', answerOf().slice(0, 80), 'something that is not JSON'],
  ])('is in doubt, probably registered: %s', (_name, body, what) => {
    expect(classified(answered(200, body))).toMatchObject(likely(` and ${what}`))
  })

  // test/contract/mandates.test.ts has every shape that cannot be read.
  it.each([
    ['null', 'null'],
    ['no data', '{"status":"OK"}'],
    ['no iban', answerOf({ iban: undefined }), 'data.iban'],
    ['a customer_no beyond whole numbers', answerOf().replace('4711', '1e400')],
    ['lists in lists', '['.repeat(100_000) + ']'.repeat(100_000)],
  ])('is in doubt, probably registered: %s', (_name, body, named = '') => {
    const outcome = classified(answered(200, body))
    expect(outcome).toMatchObject({ kind: 'in_doubt', hint: 'probably_registered', halt: null })
    const why =
      /^The service answered 200, but the answer is not usable \(.+\): the request was probably applied$/
    expect(outcome.reason).toMatch(why)
    expect(outcome.reason).toContain(named)
  })

  it('is in doubt even if what arrived looks whole', () => {
    const [code, cause] = ['UND_ERR_SOCKET', 'The connection broke before the answer was complete']
    const exchange = { ...answered(200, answerOf(), { complete: false }), error: errorOf({ code }) }
    expect(classified(exchange)).toMatchObject({
      ...likely(`, but the answer did not arrive whole (${cause} (${code}))`),
      evidence: { status: 200, errorCode: code },
    })
  })
})

describe('a 2xx whose assigned identifiers cannot be told from others', () => {
  const long = 'R'.repeat(141)
  it.each([
    ['unique_mandate_reference', 'NEW-1 ', 'begins or ends with a blank'],
    ['unique_mandate_reference', '\u00a0NEW-1', 'begins or ends with a blank'],
    ['unique_mandate_reference', 'NEW\u200b-1', 'holds a control or an invisible character'],
    ['unique_mandate_reference', long, 'is longer than 140 characters'],
    ['sepa_creditor_identifier', 'DE79ZZZ01234567890\n', 'begins or ends with a blank'],
  ])('is in doubt: %s %j', (field, value, why) => {
    const expected = likely(`, but the answer is not usable (${field}: ${why})`)
    expect(classified(answered(200, answerOf({ [field]: value })))).toMatchObject(expected)
  })

  it('is registered up to 140 characters, blanks between them included', () => {
    const value = `R ${'R'.repeat(138)}`
    const outcome = classified(answered(200, answerOf({ unique_mandate_reference: value })))
    expect(outcome).toMatchObject({ kind: 'registered', value: { mandateReference: value } })
  })
})

it.each([
  ['customer_no', { customer_no: 4712 }],
  ['customer_no', { customer_no: '4712' }],
  ['customer_no', { customer_no: '04711' }],
  ['iban', { iban: 'NO9386011117947' }],
  ['iban', { iban: 'DE…3000' }],
  ['signed_date', { signed_date: '2020-02-28' }],
  ['signed_date', { signed_date: '2020-02-29T00:00:00Z' }],
  ['customer_no', { customer_no: 1, iban: 'NO9386011117947', signed_date: '2020-01-01' }],
])('a 2xx that belongs to another request is in doubt and stops the run: %s is %j', (field, fields) => {
  const reason = `The service answered 200, but its ${field} is not the one that was sent: answers may be shifted`
  const expected = doubt('unknown', reason, 'echo_mismatch')
  expect(classified(answered(200, answerOf(fields)))).toMatchObject(expected)
})

describe('an answer that is complete and not 2xx', () => {
  // checked-service.test.ts holds each status against the page of this room.
  it.each([
    [404, 'refused', null, 'refused'],
    [422, 'refused', null, 'refused'],
    [429, 'turned_away', null, 'not now, try later'],
    [401, 'turned_away', 'credentials', 'credentials or permission refused, nothing was applied'],
    [307, 'in_doubt', 'redirect', 'a redirect, which is never followed'],
    [100, 'in_doubt', null, 'this does not tell whether the request was applied'],
    [409, 'in_doubt', null, 'this does not tell whether the request was applied'],
    [503, 'in_doubt', null, 'this does not tell whether the request was applied'],
    [999, 'in_doubt', null, 'this does not tell whether the request was applied'],
  ])('%d is %s, and the run stops: %s', (status, kind, halt, why) => {
    const reason = `The service answered ${status}: ${why}`
    const expected = { kind, halt, reason, evidence: { status, answer: null } }
    const hint = kind === 'in_doubt' ? { hint: 'unknown' } : {}
    expect(classified(answered(status, ''))).toMatchObject({ ...expected, ...hint })
    // Not even a whole answer makes it more.
    expect(classified(answered(status, answerOf()))).toMatchObject({ kind, halt })
  })

  it('404 with NOT_AVAILABLE_YET is turned away', () => {
    const body = '{"status":"NOT_AVAILABLE_YET","data":{"message":"later"}}'
    const reason = 'The service answered 404 (NOT_AVAILABLE_YET, later): not now, try later'
    expect(classified(answered(404, body))).toMatchObject({ kind: 'turned_away', halt: null, reason })
    // A line of the configuration goes before the word.
    expect(classified(answered(404, body), { '404': 'in_doubt' }).kind).toBe('in_doubt')
  })

  it('the word NOT_AVAILABLE_YET counts with 404 only, and no other word counts', () => {
    const body = '{"status":"NOT_AVAILABLE_YET"}'
    expect(classified(answered(422, body)).kind).toBe('refused')
    expect(classified(answered(500, body)).kind).toBe('in_doubt')
    expect(classified(answered(404, '{"status":"NOT_FOUND"}')).kind).toBe('refused')
    expect(classified(answered(404, '{"data":{"message":"NOT_AVAILABLE_YET"}}')).kind).toBe('refused')
    expect(classified(answered(409, '{"status":"OK","data":{}}')).kind).toBe('in_doubt')
  })

  it.each([400, 401, 404, 503])(
    '%d with INVALID_OBJECT_STATE is in doubt: the mandate may already exist',
    (status) => {
      const body = '{"status":"INVALID_OBJECT_STATE","data":{"message":"exists"}}'
      const halt = status === 401 ? 'credentials' : null
      const reason = `The service answered ${status} (INVALID_OBJECT_STATE, exists): the mandate may already exist there`
      const expected = doubt('may_exist', reason, halt)
      expect(classified(answered(status, body))).toMatchObject(expected)
      if (halt !== null) return
      for (const kind of ['refused', 'turned_away', 'in_doubt'])
        expect(classified(answered(status, body), { [status]: kind })).toMatchObject(expected)
    },
  )

  it('the word counts however it is spelled, in its place only; a line of the configuration changes one status', () => {
    const spelled = '{"status":" Invalid_Object_State "}'
    expect(classified(answered(400, spelled))).toMatchObject({ hint: 'may_exist' })
    expect(classified(answered(400, '{"data":{"message":"INVALID_OBJECT_STATE"}}')).kind).toBe('refused')
    const table = { '503': 'turned_away', '409': 'refused', '422': 'in_doubt' }
    const kinds = [503, 502, 409, 422].map((status) => classified(answered(status, ''), table).kind)
    expect(kinds).toEqual(['turned_away', 'in_doubt', 'refused', 'in_doubt'])
  })

  const everything = { status: 'INVALID_PARAMETER', data: { message: 'no', field_path: ['a', 'b'] } }
  it.each([
    [JSON.stringify(everything), 'INVALID_PARAMETER, field a.b, no'],
    ['{"data":{"field":"iban"}}', 'field iban'],
    ['{"data":{"message":"no"}}', 'no'],
  ])('its hints are kept where they are there: %s', (body, quoted) => {
    expect(classified(answered(422, body)).reason).toBe(`The service answered 422 (${quoted}): refused`)
  })

  it('its hints are cleaned, masked and bounded', () => {
    const message = `DE89 3704 0044 0532 0130 00 ${'x'.repeat(5000)}`
    const data = { message, field: 'GB29 NWBK 6016 1331 9268 19' }
    const body = JSON.stringify({ status: 'A\u001b[31m\u202eB', data })
    const { evidence, reason } = classified(answered(422, body))
    expect(evidence.serviceCode).toBe('AB')
    expect(evidence.field).toBe('GB…6819')
    expect(evidence.message).toMatch(/^DE…3000 x+$/)
    expect(evidence.message?.length).toBeLessThanOrEqual(512)
    expect(evidence.answer?.length).toBeLessThanOrEqual(2048)
    expect(reason.length).toBeLessThan(700)
  })

  it.each([
    [422, null],
    [429, null],
    [500, null],
    [401, 'credentials'],
    [307, 'redirect'],
  ])('%d that is cut is in doubt: only a whole answer takes a row out of doubt', (status, halt) => {
    const error = errorOf({ code: 'UND_ERR_SOCKET' })
    const exchange = { ...answered(status, '{"status":"NOT_AVA', { complete: false }), error }
    const reason = `The service answered ${status}, but the answer did not arrive whole (The connection broke before the answer was complete (UND_ERR_SOCKET))`
    const evidence = { status, errorCode: 'UND_ERR_SOCKET', answer: '{"status":"NOT_AVA' }
    expect(classified(exchange)).toMatchObject({ ...doubt('unknown', reason, halt), evidence })
  })

  it.each([
    [200, {}, 3_000],
    [503, {}, 3_000],
    [429, { 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT', date: 'Thu, 01 Jan 2026 00:00:07 GMT' }, 3_000],
    [429, { 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
  ])('says how long to wait: %d with %j', (status, headers, waitMs) => {
    const exchange = answered(status, '', { headers: { 'retry-after': '3', ...headers } })
    expect(classified(exchange).evidence.retryAfterMs).toBe(waitMs)
  })
})

describe('a request that did not leave', () => {
  const notSent = (cause: string, halt: string | null = null) => {
    return { kind: 'not_sent', halt, reason: `${cause}: nothing was sent` }
  }

  it.each<readonly [string, string]>([
    ['ECONNREFUSED', 'The service refused the connection'],
    ['ENOTFOUND', 'The host name of the service is not known'],
    ['EAI_AGAIN', 'The host name of the service could not be looked up'],
    ['EHOSTUNREACH', 'The service cannot be reached from here'],
    ['ENETUNREACH', 'The service cannot be reached from here'],
    ['UND_ERR_CONNECT_TIMEOUT', 'The connection was not ready in time'],
    ['DEADLINE', 'No connection was ready in time'],
    ['ABORTED', 'The run was broken off before the request left'],
    ['ECONNRESET', 'The connection could not be set up'],
    ['UND_ERR_ABORTED', 'The connection could not be set up'],
    ['SOMETHING_NEW', 'The connection could not be set up'],
    ['constructor', 'The connection could not be set up'],
    // What only looks like a fault of TLS, or of our own.
    ...[
      ...['ECERT_HAS_EXPIRED', 'ERR_STREAM_DESTROYED', 'ERR_INVALID_CA', 'ERRORS_', 'X_CRL_'],
      ...['UND_ERR_INVALID_ARG_2', 'XUND_ERR_INVALID_ARG', 'UND_ERR_INVALID_RETURN_VALUE'],
    ].map((code) => [code, 'The connection could not be set up'] as const),
  ])('is not sent, whatever the code: %s', (code, cause) => {
    expect(classified(failed(false, { code }))).toMatchObject({
      ...notSent(`${cause} (${code})`),
      evidence: { started: false, status: null, errorCode: code, answer: null, retryAfterMs: null },
    })
  })

  it.each([
    [{ name: 'OddError' }, 'OddError', 'OddError'],
    [null, 'no error was given', null],
  ])('is not sent without a code or an error either', (error, named, errorCode) => {
    const expected = notSent(`The connection could not be set up (${named})`)
    expect(classified(failed(false, error))).toMatchObject({ ...expected, evidence: { errorCode } })
  })

  it.each([
    ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED'],
    ...['CRL_HAS_EXPIRED', 'ERROR_IN_CERT_NOT_AFTER_FIELD', 'INVALID_CA', 'INVALID_PURPOSE'],
    ...['PATH_LENGTH_EXCEEDED', 'HOSTNAME_MISMATCH', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ...['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_OSSL_X509_KEY_VALUES_MISMATCH', 'UND_ERR_PRX_TLS'],
  ])('stops the run when no connection can be trusted: %s', (code) => {
    const cause = 'No trusted connection could be set up, check certificates, host name and port'
    expect(classified(failed(false, { code }))).toMatchObject(notSent(`${cause} (${code})`, 'certificate'))
  })

  it.each(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'REQUEST_INVALID'])(
    'stops for our fault: %s',
    (code) => {
      const expected = notSent(`The request was not well formed: no (${code})`, 'request_rejected_locally')
      expect(classified(failed(false, { code, message: 'no' }))).toMatchObject(expected)
    },
  )

  it.each([
    [407, 'The proxy asked for credentials with 407', 'credentials'],
    [502, 'The proxy answered 502 instead of opening the way to the service', null],
  ])('goes by what the proxy answered: %d', (status, cause, halt) => {
    const message = `Proxy response (${status}) !== 200 when HTTP Tunneling`
    const expected = notSent(`${cause} (UND_ERR_ABORTED)`, halt)
    expect(classified(failed(false, { code: 'UND_ERR_ABORTED', message }))).toMatchObject(expected)
    // Not by words in the middle of a message.
    expect(classified(failed(false, { message: `x ${message}` })).halt).toBeNull()
  })
})

describe('a request that may have left, without a status line', () => {
  it.each([
    ['DEADLINE', 'No complete answer came in time'],
    ['UND_ERR_HEADERS_TIMEOUT', 'No answer came in time'],
    ['UND_ERR_BODY_TIMEOUT', 'The answer stopped in the middle'],
    ['UND_ERR_HEADERS_OVERFLOW', 'The answer was too large to read'],
    ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'The answer was too large to read'],
    ['ABORTED', 'The run was broken off while the request was under way'],
    ['ECONNREFUSED', 'The connection broke before the answer was complete'],
    ['UND_ERR_CONNECT_TIMEOUT', 'The connection broke before the answer was complete'],
    ['UND_ERR_INVALID_ARG', 'The connection broke before the answer was complete'],
    ['constructor', 'The connection broke before the answer was complete'],
  ])('is in doubt, whatever the code: %s', (code, cause) => {
    expect(classified(failed(true, { code }))).toMatchObject({
      ...doubt('unknown', `${cause} (${code}): the service may have applied the request`),
      evidence: { started: true, status: null, errorCode: code },
    })
  })

  it.each([
    [{ name: 'HTTPParserError' }, 'HTTPParserError', null],
    [null, null, null],
    // TLS that failed so late stops the run, too.
    [{ code: 'ERR_SSL_TLSV13_ALERT' }, 'ERR_SSL_TLSV13_ALERT', 'certificate'],
  ])('is in doubt by the default: %j', (error, errorCode, halt) => {
    const expected = { kind: 'in_doubt', hint: 'unknown', halt, evidence: { errorCode } }
    expect(classified(failed(true, error))).toMatchObject(expected)
  })
})

describe('for any exchange at all', () => {
  const CODES = ['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_INVALID_ARG', 'CERT_HAS_EXPIRED', 'DEADLINE']
  const code = fc.oneof(fc.constantFrom(null, ...CODES), fc.string())
  const error = fc.record({
    code,
    name: fc.string(),
    message: fc.oneof(fc.string(), fc.constant('Proxy response (407) !== 200')),
  })
  const fields = fc.dictionary(fc.constantFrom(...Object.keys(echo)), fc.jsonValue())
  const body = fc.oneof(
    { weight: 3, arbitrary: fields.map((changed) => answerOf(changed)) },
    fc.constant(answerOf()),
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.string().map((text) => `${text} de89 3704 0044 0532 0130 00 DE89370400440532013000 ${text}`),
    fc.nat(answerOf().length).map((length) => answerOf().slice(0, length)),
  )
  const response = fc.record({
    status: fc.oneof(fc.constantFrom(200, 201, 204, 404, 422, 429, 503), fc.integer({ min: -1, max: 1200 })),
    headers: fc.dictionary(fc.constantFrom('retry-after', 'date', 'x'), fc.string()),
    bodyText: body,
    complete: fc.boolean(),
  })
  const exchanges = fc.record({
    started: fc.boolean(),
    response: fc.option(response),
    error: fc.option(error),
    durationMs: fc.nat(),
    receivedAtMs: fc.nat(),
  })

  it('there is one outcome, and it holds what is promised', () => {
    fc.assert(
      fc.property(exchanges, (exchange) => {
        const outcome = classify(exchange, mandate, table)
        const { evidence, reason } = outcome
        const isProvenUnsent = !exchange.started && exchange.response === null
        expect(outcome.kind === 'not_sent').toBe(isProvenUnsent)
        if (exchange.started && exchange.response === null) expect(outcome.kind).toBe('in_doubt')
        if (outcome.kind === 'registered') {
          expect(exchange.response?.complete).toBe(true)
          expect(Math.floor((exchange.response?.status ?? 0) / 100)).toBe(2)
          const { data } = JSON.parse(exchange.response?.bodyText ?? '') as { data: typeof echo }
          expect(String(data.customer_no)).toBe('4711')
          expect(outcome.value.mandateReference.trim()).not.toBe('')
          expect(outcome.value.creditorIdentifier.trim()).not.toBe('')
        }
        if (exchange.response !== null && !exchange.response.complete) expect(outcome.kind).toBe('in_doubt')
        if (outcome.kind === 'in_doubt' && outcome.hint === 'probably_registered')
          expect(Math.floor((exchange.response?.status ?? 0) / 100)).toBe(2)
        expect(evidence.started).toBe(exchange.started)
        expect(evidence.status).toBe(exchange.response?.status ?? null)
        expect(Buffer.byteLength(evidence.answer ?? '')).toBeLessThanOrEqual(2048)
        const kept = JSON.stringify([evidence, reason]).replace(/[^a-z0-9]/gi, '')
        expect(kept.toUpperCase()).not.toContain(mandate.iban)
      }),
      { seed: 20250103, numRuns: 2000 },
    )
  })

  it('a status line without a first byte counts as started', () => {
    expect(classified({ ...answered(200, ''), started: false }).kind).toBe('in_doubt')
    expect(classified({ ...answered(200, answerOf()), started: false }).kind).toBe('registered')
  })
})
