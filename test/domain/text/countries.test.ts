import { countrySpecs } from 'ibantools'
import { describe, expect, test } from 'vitest'
import {
  CREDITOR_IDENTIFIER_LENGTHS,
  NON_SEPA_COUNTRIES,
  SEPA_COUNTRIES,
  TERRITORIES,
} from '../../../src/domain/text/countries.js'
import { IBAN_EXAMPLES } from '../iban-examples.js'

describe('the SEPA countries', () => {
  test('are 41 scheme countries and Gibraltar, with an example each', () => {
    expect(SEPA_COUNTRIES.size).toBe(42)
    expect([...SEPA_COUNTRIES.keys()]).toEqual(Object.keys(IBAN_EXAMPLES))
  })

  test.each([...SEPA_COUNTRIES.values()])('$name states length and structure of its example', (country) => {
    const example = IBAN_EXAMPLES[country.code]!
    expect(example).toHaveLength(country.length)
    expect(example.slice(4)).toMatch(country.bban)
    expect(`${example.slice(4)}0`).not.toMatch(country.bban)
    expect(example.slice(4).toLowerCase()).not.toMatch(
      /[A-Z]/.test(example.slice(4)) ? country.bban : /[a-z]/,
    )
  })

  test('agree with ibantools on every length, so that a change on either side shows', () => {
    for (const country of SEPA_COUNTRIES.values())
      expect(countrySpecs[country.code]?.chars, country.code).toBe(country.length)
  })

  test('fall into three groups', () => {
    const inGroup = (group: string) =>
      [...SEPA_COUNTRIES.values()].filter((country) => country.group === group).map(({ code }) => code)
    expect(inGroup('non-EEA')).toEqual(['MC', 'CH', 'SM', 'GB', 'GI', 'AD', 'VA'].sort(inTableOrder))
    expect(inGroup('new')).toEqual(['AL', 'ME', 'MD', 'MK', 'RS'])
    expect(inGroup('EEA')).toHaveLength(30)
  })
})

const tableOrder = Object.keys(IBAN_EXAMPLES)
const inTableOrder = (a: string, b: string): number => tableOrder.indexOf(a) - tableOrder.indexOf(b)

test('no prefix is in two tables', () => {
  const all = [...SEPA_COUNTRIES.keys(), ...NON_SEPA_COUNTRIES, ...TERRITORIES]
  expect(new Set(all).size).toBe(all.length)
  expect(NON_SEPA_COUNTRIES.size).toBe(47)
  expect(TERRITORIES.size).toBe(16)
  for (const prefix of all) expect(prefix).toMatch(/^[A-Z]{2}$/)
})

test('only in Estonia has a right creditor identifier the length of an IBAN, and there an IBAN has no letters', () => {
  const alike = [...CREDITOR_IDENTIFIER_LENGTHS].filter(([code, { totals }]) =>
    totals.includes(SEPA_COUNTRIES.get(code)!.length),
  )
  expect(alike.map(([code]) => code)).toEqual(['EE'])
  expect('ZZZ0123456789012').not.toMatch(SEPA_COUNTRIES.get('EE')!.bban)
})

test('creditor identifiers of 9 countries have a confirmed length, of 21 an unconfirmed one', () => {
  const lengths = [...CREDITOR_IDENTIFIER_LENGTHS.values()]
  expect(lengths.filter(({ isConfirmed }) => isConfirmed)).toHaveLength(9)
  expect(lengths.filter(({ isConfirmed }) => !isConfirmed)).toHaveLength(21)
  expect(CREDITOR_IDENTIFIER_LENGTHS.get('BE')).toEqual({ totals: [17, 20], isConfirmed: true })
})
