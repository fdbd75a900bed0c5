import { describe, expect, it } from 'vitest'
import {
  MIGRATE_PATH,
  migrateRequest,
  migrateResponse,
  readMigrateAnswer,
  toMigrateRequest,
} from '../../src/contract/migrate-mandate.js'
import type {
  CreditorIdentifier,
  Iban,
  LocalDate,
  MandateReference,
} from '../../src/domain/mandate/mandate.js'
import request from '../../samples/wire/migrate-mandate.request.json' with { type: 'json' }
import response from '../../samples/wire/migrate-mandate.response.json' with { type: 'json' }

const answerWith = (data: object) => readMigrateAnswer({ ...response, data: { ...response.data, ...data } })

describe('the migrate operation (src/contract/README.md#mandate)', () => {
  it('has the path of the description', () => {
    expect(MIGRATE_PATH).toBe('/api/v2/sepa_dd_mandate/migrate')
  })

  it('takes the hand-typed request and writes the hand-typed answer', () => {
    expect(migrateRequest.parse(request)).toEqual(request)
    expect(migrateResponse.parse(response)).toEqual(response)
  })

  it('is written from a mandate with the original identifiers under amendment', () => {
    const body = toMigrateRequest({
      customerNo: 1042,
      iban: 'DE89370400440532013000' as Iban,
      signedDate: '2017-03-09' as LocalDate,
      original: {
        creditorIdentifier: 'DE98ZZZ09999999999' as CreditorIdentifier,
        mandateReference: 'ALT-2017/000123' as MandateReference,
      },
    })
    expect(JSON.stringify(body)).toBe(JSON.stringify(request))
  })
})

describe('the tolerant reader of the answer', () => {
  it('reads the hand-typed answer', () => {
    expect(readMigrateAnswer(response)).toEqual({
      kind: 'read',
      answer: {
        status: 'OK',
        customerNo: 1042,
        iban: 'DE89370400440532013000',
        signedDate: '2017-03-09',
        assigned: {
          creditorIdentifier: 'DE84ZZZ09876543210',
          mandateReference: '7K2QHX94B0WTRN5MZ8CEV3JYDP',
        },
      },
    })
  })

  it('ignores fields it does not know, at every level', () => {
    const extended = { ...response, meta: [], data: { ...response.data, amendment: {}, state: 'new' } }
    expect(readMigrateAnswer(extended)).toEqual(readMigrateAnswer(response))
  })

  it('keeps a customer number that came as text of digits as text', () => {
    expect(answerWith({ customer_no: '1042' })).toMatchObject({
      kind: 'read',
      answer: { customerNo: '1042' },
    })
  })

  it('keeps malformed but visible identifiers as they came', () => {
    expect(answerWith({ sepa_creditor_identifier: 'DE98ZZZ099999999' }).kind).toBe('read')
  })

  it.each([
    ['customer_no', 'ten'],
    ['customer_no', 1.5],
    ['customer_no', null],
    ['iban', undefined],
    ['iban', 7],
    ['signed_date', null],
    ['sepa_creditor_identifier', undefined],
    ['sepa_creditor_identifier', ''],
    ['unique_mandate_reference', ' '],
    ['unique_mandate_reference', 12],
  ])('cannot read an answer whose %s is %j, and names the field', (field, value) => {
    const reading = answerWith({ [field]: value })
    expect(reading).toMatchObject({
      kind: 'unreadable',
      reason: expect.stringContaining(`data.${field}`) as string,
    })
  })

  it.each([
    undefined,
    null,
    7,
    'x',
    [],
    [response],
    {},
    { status: 'OK' },
    { status: 'OK', data: null },
    response.data,
  ])('cannot read %j', (json) => {
    expect(readMigrateAnswer(json).kind).toBe('unreadable')
  })

  it('never quotes a value in its reason', () => {
    const reading = answerWith({ customer_no: 'DE89370400440532013000' })
    expect(JSON.stringify(reading)).not.toContain('3704')
  })
})
