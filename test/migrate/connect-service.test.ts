import { connectService } from '../../src/migrate/migrate.js'
import { describe, expect, it } from 'vitest'
import { checkIban } from '../../src/domain/value/iban.js'
import { checkMandate, usualChecks } from '../../src/domain/value/check-mandate.js'
import { germanIban } from '../support/export.js'
import { newPlace } from './place.js'
import { parseLocalDate } from '../../src/domain/mandate/date.js'

const RAW = {
  customer_no: '17',
  iban: germanIban(17),
  signed_date: '2024-03-01',
  sepa_creditor_identifier: 'DE98ZZZ09999999999',
  unique_mandate_reference: 'MANDATE-17',
}

describe('11.3 the typed client', () => {
  it('11.3 speaks to the service with an address, a user and a password alone', async () => {
    const place = newPlace()
    const sandbox = await place.sandbox()
    const { url: baseUrl, username, password } = sandbox
    const { verdict } = checkMandate(RAW, usualChecks(parseLocalDate('2026-06-15')!))
    if (verdict.kind !== 'sendable') throw new Error(verdict.kind)
    const client = connectService({ baseUrl, username, password })
    try {
      const outcome = await client.migrateMandate(verdict.mandate, { requestId: 'r-1' })
      expect(outcome).toMatchObject({ kind: 'registered' })
      expect(sandbox.mandates()).toMatchObject([{ customer_no: 17 }])
    } finally {
      await client.close()
    }
  })

  it('11.3 is refused what a run is refused', () => {
    const { machine } = newPlace()
    const options = { baseUrl: 'https://service.example', username: 'u', password: 'p' }
    expect(() => connectService({ ...options, baseUrl: 'http://service.example' })).toThrow(
      /"service\.example" is not this machine/,
    )
    expect(() => connectService(options, machine({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }))).toThrow(
      /NODE_TLS_REJECT_UNAUTHORIZED=0 is set/,
    )
    expect(() => connectService({ ...options, username: 'a:b' })).toThrow(/a colon/)
  })

  it('11.3 one value is checked without any settings', () => {
    expect(checkIban(germanIban(17)).usable).toBe(true)
    expect(checkIban('DE00370400440000000017').findings).toMatchObject([{ rule: 'IBAN_CHECK_RANGE' }])
  })
})
