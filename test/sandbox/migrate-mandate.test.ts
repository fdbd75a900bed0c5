import { describe, expect, it } from 'vitest'
import { migrateResponse, readMigrateAnswer } from '../../src/contract/migrate-mandate.js'
import { samples } from '../contract/wire-samples.js'
import { exchange } from './exchange.js'
import { sandboxStarter } from './running-sandbox.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'

const start = sandboxStarter()
const { request } = samples.migrateMandate
const PATH = '/api/v2/sepa_dd_mandate/migrate'
const migrate = (sandbox: Sandbox, change: object = {}, headers = {}) =>
  exchange(sandbox, 'POST', PATH, { body: { ...request, ...change }, headers })

describe('2.3, 4.3: POST /api/v2/sepa_dd_mandate/migrate', () => {
  it('4.3: echoes the request and assigns both identifiers', async () => {
    const sandbox = await start()
    const answer = await migrate(sandbox)
    expect(answer.status).toBe(200)
    expect(migrateResponse.parse(answer.json)).toEqual({
      status: 'OK',
      data: {
        customer_no: 1042,
        iban: 'DE89370400440532013000',
        signed_date: '2017-03-09',
        sepa_creditor_identifier: 'DE84ZZZ09876543210',
        unique_mandate_reference: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
      },
    })
    expect(readMigrateAnswer(answer.json).kind).toBe('read')
    expect(answer.text).not.toContain('amendment')
  })

  it('4.3: holds what was registered, with the original identifiers and the request id', async () => {
    const sandbox = await start({ now: () => new Date('2025-01-01T00:00:00Z') })
    await migrate(sandbox, {}, { 'x-request-id': 'attempt-1' })
    expect(sandbox.mandates()).toEqual([
      {
        ...request,
        sepa_creditor_identifier: 'DE84ZZZ09876543210',
        unique_mandate_reference: expect.any(String) as string,
        registered_at: '2025-01-01T00:00:00.000Z',
        request_id: 'attempt-1',
        finalised: false,
        finalised_at: null,
        cancelled_at: null,
      },
    ])
  })

  it('2.3, 8: refuses customer numbers below 1 and beyond what JSON keeps exact', async () => {
    const sandbox = await start()
    for (const number of ['0', '-1', '1.5', '9007199254740993', '1e400', '"7"']) {
      const bytes = JSON.stringify(request).replace('1042', number)
      const answer = await exchange(sandbox, 'POST', PATH, { bytes })
      expect(answer.status, number).toBe(400)
      expect(answer.json, number).toMatchObject({ data: { field: 'customer_no' } })
    }
    expect((await migrate(sandbox, { customer_no: 1 })).status).toBe(200)
  })

  it('choice 5: can refuse a mandate it holds, whatever the case of its reference', async () => {
    const sandbox = await start({ choices: { repeatedMandate: 'refuse' } })
    await migrate(sandbox)
    const amendment = { ...request.amendment, unique_mandate_reference: 'alt-2017/000123' }
    const answer = await migrate(sandbox, { customer_no: 7, amendment })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ status: 'INVALID_OBJECT_STATE', data: { field: 'amendment' } })
    const other = { amendment: { ...request.amendment, unique_mandate_reference: 'ALT-2' } }
    expect((await migrate(sandbox, other)).status).toBe(200)
  })

  it('choice 6: can refuse a second mandate of a customer', async () => {
    const sandbox = await start({ choices: { secondMandateOfCustomer: 'refuse' } })
    await migrate(sandbox)
    const amendment = { ...request.amendment, unique_mandate_reference: 'ALT-2' }
    const answer = await migrate(sandbox, { amendment })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ status: 'INVALID_OBJECT_STATE', data: { field: 'customer_no' } })
    expect((await migrate(sandbox, { amendment, customer_no: 7 })).status).toBe(200)
  })

  it('choice 7: refuses an account number with wrong check digits, without quoting it', async () => {
    const sandbox = await start()
    for (const iban of [
      'DE88370400440532013000',
      'DE89 3704 0044 0532 0130 00',
      'de89370400440532013000',
      '',
    ]) {
      const answer = await migrate(sandbox, { iban })
      expect(answer.json).toEqual({
        status: 'INVALID_PARAMETER',
        data: { message: 'iban is not a valid account number', field: 'iban', field_path: ['iban'] },
      })
    }
  })

  it('choice 7: refuses blank original identifiers', async () => {
    const sandbox = await start()
    for (const name of ['sepa_creditor_identifier', 'unique_mandate_reference']) {
      const answer = await migrate(sandbox, { amendment: { ...request.amendment, [name]: ' ' } })
      expect(answer.json).toMatchObject({ data: { field: `amendment.${name}` } })
    }
  })
})
