import { countrySpecs } from 'ibantools'
import { describe, expect, test } from 'vitest'
import {
  CREDITOR_IDENTIFIER_LENGTHS,
  NON_SEPA_COUNTRIES,
  SEPA_COUNTRIES,
  TERRITORIES,
  isImpossibleCheck,
  mod97,
} from '../../../src/domain/text/countries.js'
import { IBAN_EXAMPLES } from '../iban-examples.js'
import fc from 'fast-check'

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
})

test.each([
  ['RO', 'ZZZ1234567897'],
  ['RO', 'ZZZ1800101221144'],
  ['LI', 'ZZZ00000000012'],
  ['IS', 'ZZZ5501690149'],
])('creditor identifiers of %s have a known length: %s', (code, rest) => {
  const known = CREDITOR_IDENTIFIER_LENGTHS.get(code)
  expect(known?.totals).toContain(rest.length + 4)
})

test('new members have the day from which they take part', () => {
  const joined = [...SEPA_COUNTRIES.values()].flatMap(({ code, joined }) =>
    joined === null ? [] : [[code, joined.since, joined.only]],
  )
  expect(joined).toEqual([
    ['AL', '2025-10-07', null],
    ['ME', '2025-10-06', null],
    ['MD', '2025-10-06', null],
    ['MK', '2025-10-07', null],
    ['RS', '2026-05-05', 'credit transfers'],
  ])
})

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

/** The definition itself: letters as two digits, one big number. */
const byDefinition = (text: string): number =>
  Number(BigInt(Array.from(text, (character) => parseInt(character, 36)).join('') || '0') % 97n)

test('the remainder agrees with the definition', () => {
  const characters = fc.constantFrom(...Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'))
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 60 }), (all) => {
      expect(mod97(all.join(''))).toBe(byDefinition(all.join('')))
    }),
  )
})

test.each(['a', '1a', '-', ' ', 'É', '１', '1/2'])('%j has no remainder', (text) => {
  expect(mod97(text)).toBe(-1)
})

test('exactly the three aliases are impossible', () => {
  const all = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'))
  expect(all.filter(isImpossibleCheck)).toEqual(['00', '01', '99'])
})
