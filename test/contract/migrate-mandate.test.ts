import { describe, expect, it } from 'vitest'
import { MIGRATE_PATH, readMigrateAnswer, toMigrateRequest } from '../../src/contract/mandates.js'
import type { Mandate } from '../../src/domain/mandate/mandate.js'
import request from '../../samples/wire/migrate-mandate.request.json' with { type: 'json' }
import response from '../../samples/wire/migrate-mandate.response.json' with { type: 'json' }

const answerWith = (data: object) => readMigrateAnswer({ ...response, data: { ...response.data, ...data } })

describe('the migrate operation (src/contract/README.md#mandate)', () => {
  it('is written from a mandate to the path of the description, with the original identifiers under amendment', () => {
    expect(MIGRATE_PATH).toBe('/api/v2/sepa_dd_mandate/migrate')
    const original = { creditorIdentifier: 'DE98ZZZ09999999999', mandateReference: 'ALT-2017/000123' }
    const mandate = { customerNo: 1042, iban: 'DE89370400440532013000', signedDate: '2017-03-09', original }
    expect(JSON.stringify(toMigrateRequest(mandate as Mandate))).toBe(JSON.stringify(request))
  })
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

  it('ignores fields it does not know, at every level', () => {
    const extended = { ...response, meta: [], data: { ...response.data, amendment: {}, state: 'new' } }
    expect(readMigrateAnswer(extended)).toEqual(readMigrateAnswer(response))
  })

  it('keeps a customer number that came as text of digits as text, and malformed but visible identifiers', () => {
    const odd = { customer_no: '1042', sepa_creditor_identifier: 'DE98ZZZ099999999' }
    expect(answerWith(odd)).toMatchObject({ kind: 'read', data: odd })
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
    const reason = expect.stringContaining(`data.${field}`) as string
    expect(answerWith({ [field]: value })).toEqual({ kind: 'unreadable', reason })
  })

  const ODD = [undefined, null, 7, 'x', [], [response], {}, { status: 'OK' }, { status: 'OK', data: null }]
  it.each([...ODD, response.data])('cannot read %j', (json) => {
    expect(readMigrateAnswer(json).kind).toBe('unreadable')
  })

  it('never quotes a value in its reason', () => {
    const reading = answerWith({ customer_no: 'DE89370400440532013000' })
    expect(JSON.stringify(reading)).not.toContain('3704')
  })
})
