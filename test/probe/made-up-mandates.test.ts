import { describe, expect, it } from 'vitest'
import { isSepaIban } from '../../src/domain/value/iban.js'
import { hasNationalDefect } from '../../src/domain/value/national-checks.js'
import { inventMandates } from '../../src/probe/made-up-mandates.js'

const NOW = Date.parse('2026-11-22T04:26:54Z')

describe('made-up mandates', () => {
  it('pass the rulebook, are signed in the past and are recognised by their reference', () => {
    const mandate = inventMandates({ now: NOW, random: () => 0.123456 }).next(42)
    expect(mandate).toMatchObject({
      customerNo: 42,
      signedDate: '2025-07-01',
      original: {
        creditorIdentifier: 'DE98ZZZ09999999999',
        mandateReference: 'PROBE-20261122T042654-R123456-1',
      },
    })
    expect(isSepaIban(mandate.iban)).toBe(true)
    expect(hasNationalDefect(mandate.iban)).toBe(false)
    expect(mandate.iban.slice(4, 12)).toBe('00000000')
  })

  it.each([0, 0.5, 0.999_999_999])('have an account and a reference of their own: chance %d', (chance) => {
    const { next } = inventMandates({ now: NOW, random: () => chance })
    const made = Array.from({ length: 300 }, () => next(7))
    expect(new Set(made.map(({ iban }) => iban)).size).toBe(300)
    expect(new Set(made.map(({ original }) => original.mandateReference)).size).toBe(300)
    expect(made.every(({ iban }) => isSepaIban(iban))).toBe(true)
  })

  it('have accounts of their own in the next second and with another chance', () => {
    const made = [
      { now: NOW, random: () => 0.5 },
      { now: NOW + 1_000, random: () => 0.5 },
      { now: NOW, random: () => 0.500_01 },
    ].map((machine) => inventMandates(machine).next(7).iban)
    expect(new Set(made).size).toBe(3)
  })

  it('with a wrong account have the form of one and wrong check digits, whatever the right ones are', () => {
    const wrong = inventMandates({ now: NOW, random: () => 0.2 })
    const right = inventMandates({ now: NOW, random: () => 0.2 })
    const digits = new Set<string>()
    for (let n = 0; n < 900; n += 1) {
      const [one, other] = [right.next(7), wrong.nextWrong(7)]
      digits.add(one.iban.slice(2, 4))
      expect(isSepaIban(other.iban)).toBe(false)
      expect(other).toEqual({ ...one, iban: other.iban })
      expect(other.iban.slice(4)).toBe(one.iban.slice(4))
      expect(other.iban.slice(2, 4)).toMatch(/^(?!00|01|99)\d\d$/)
    }
    expect(digits.size).toBe(97)
  })
})
