import { describe, expect, test } from 'vitest'
import { checkCreditorIdentifier } from '../../../src/domain/value/identifiers.js'
import vectors from '../verdict-vectors.json' with { type: 'json' }
import type { RuleId, SeverityOverrides } from '../../../src/domain/rule/verdict.js'

const NONE = { constant: null, assigned: null }
const TEST_CI = 'DE98ZZZ09999999999'

const rulesOf = (raw: string, severities: SeverityOverrides = {}, settings = NONE as Settings): RuleId[] =>
  checkCreditorIdentifier(raw, settings, severities).findings.map(({ rule }) => rule)

interface Settings {
  readonly constant: string | null
  readonly assigned: string | null
}

/** Check digits by the definition, for identifiers that the vectors do not have. */
function withCheckDigits(country: string, rest: string): string {
  const digits = Array.from(rest.slice(3) + country + '00', (character) => parseInt(character, 36)).join('')
  return `${country}${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${rest}`
}

describe('the shape', () => {
  test.each([
    ['', 'CI_EMPTY'],
    ['-', 'CI_EMPTY'],
    ['9,8E+17', 'EXCEL_SCIENTIFIC'],
    ['FR72ZZZ', 'CI_FORMAT'],
    ['D098ZZZ09999999999', 'CI_FORMAT'],
    ['DEX8ZZZ09999999999', 'CI_FORMAT'],
    ['DE98ZZ-09999999999/1', 'CI_FORMAT'],
    ['DE98ZZZ0999999999Ö', 'CI_FORMAT'],
    ['DE98ZZZ099999999/9', 'CI_FORMAT'],
    [`PL18ZZZ${'1'.repeat(29)}`, 'CI_FORMAT'],
    ['DE89370400440532013000', 'CI_LOOKS_LIKE_IBAN'],
    ['DE97ZZZ09999999999', 'CI_CHECKSUM'],
    ['DE99ZZZ09999999999', 'CI_CHECKSUM'],
    [withCheckDigits('US', 'ZZZ09999999999'), 'CI_COUNTRY'],
    [withCheckDigits('TR', 'ZZZ09999999999'), 'CI_COUNTRY'],
    ['AT61ZZZ1234567890', 'CI_LENGTH'],
  ] as const)('%j ends with %s', (raw, rule) => {
    expect(rulesOf(raw)).toEqual([rule])
    expect(checkCreditorIdentifier(raw, NONE, {}).usable).toBe(false)
  })

  test.each([
    [withCheckDigits('PL', 'ZZZ12345678901'), 'CI_LENGTH_UNCONFIRMED'],
    [withCheckDigits('RO', 'ZZZ1234'), 'CI_LENGTH_UNKNOWN'],
    [withCheckDigits('GF', 'ZZZ123456'), 'CI_LENGTH_UNKNOWN'],
    [withCheckDigits('GG', 'ZZZ123456'), 'CI_LENGTH_UNKNOWN'],
    ['PL00ZZZ12345(7890', 'CI_NATIONAL_CHARS'],
  ] as const)('%j may be sent with %s', (raw, rule) => {
    expect(rulesOf(raw)).toContain(rule)
    expect(checkCreditorIdentifier(raw, NONE, {})).toMatchObject({ usable: true, value: raw })
  })

  test('special characters skip the check digits, but only where they are allowed', () => {
    expect(rulesOf("PL18ZZZ+?/:().,'0")).toEqual(['CI_NATIONAL_CHARS'])
    expect(rulesOf('FR18ZZZ+?/:()', {})).toEqual(['CI_FORMAT'])
    expect(rulesOf('FR18ZZZ+?/:()', { CI_FORMAT: 'off' })).toEqual(['CI_NATIONAL_CHARS'])
  })

  test('the aliases of the right check digits are wrong, though the remainder is right', () => {
    for (const [alias, digits] of [
      ['00', '97'],
      ['01', '98'],
      ['99', '02'],
    ] as const) {
      const rest = Array.from({ length: 97 }, (_, i) => `ZZZ${String(i).padStart(11, '0')}`).find(
        (each) => withCheckDigits('DE', each) === `DE${digits}${each}`,
      )!
      expect(rulesOf(`DE${digits}${rest}`)).toEqual([])
      expect(rulesOf(`DE${alias}${rest}`)).toEqual(['CI_CHECKSUM'])
    }
  })

  const accepted = vectors.creditor_identifier
    .filter(({ verdict }) => verdict === 'accept')
    .map(({ raw }) => checkCreditorIdentifier(raw, NONE, {}).value!)

  test.each(accepted)('%s with any other digit, or two that swapped, is an error', (ci) => {
    const isCounted = (at: number): boolean => at >= 2 && (at < 4 || at > 6)
    for (let at = 2; at < ci.length; at += 1) {
      if (!isCounted(at) || !/[0-9]/.test(ci[at]!)) continue
      for (const digit of '0123456789') {
        if (digit === ci[at]) continue
        const damaged = ci.slice(0, at) + digit + ci.slice(at + 1)
        expect(checkCreditorIdentifier(damaged, NONE, {}).usable, damaged).toBe(false)
      }
      const next = ci[at + 1] ?? ''
      if (!isCounted(at + 1) || !/[0-9]/.test(next) || next === ci[at]) continue
      const swapped = ci.slice(0, at) + next + ci[at]! + ci.slice(at + 2)
      expect(checkCreditorIdentifier(swapped, NONE, {}).usable, swapped).toBe(false)
    }
  })

  test('the business code plays no part in the check digits and is sent as written', () => {
    for (const code of ['ABC', '001', 'Z1Z'])
      expect(checkCreditorIdentifier(`de98 ${code} 0999 9999 999`, NONE, {})).toMatchObject({
        usable: true,
        value: `DE98${code}09999999999`,
      })
  })

  test('a lost leading zero passes the check digits: only the length shows it', () => {
    expect(rulesOf('DE98ZZZ9999999999')).toEqual(['CI_LENGTH'])
    expect(checkCreditorIdentifier('DE98ZZZ9999999999', NONE, {}).findings[0]?.message).toContain(
      'It has 17 characters, DE uses 18.',
    )
  })
})

describe('the configured constant', () => {
  const settings = { constant: ' de98 zzz0 9999 9999 99', assigned: null }

  test.each(['', ' ', '-', '=""'])('fills the empty cell %j', (cell) => {
    expect(checkCreditorIdentifier(cell, settings, {})).toEqual({
      usable: true,
      value: TEST_CI,
      findings: [],
    })
  })

  test('agrees with a cell of another business code', () => {
    expect(checkCreditorIdentifier('DE98ABC09999999999', settings, {})).toMatchObject({
      usable: true,
      value: 'DE98ABC09999999999',
    })
  })

  test('never overrides a cell: another creditor is an error', () => {
    const checked = checkCreditorIdentifier('DE50ZZZ00123456789', settings, {})
    expect(checked).toMatchObject({
      usable: false,
      value: 'DE50ZZZ00123456789',
      findings: [{ rule: 'CI_CONSTANT_MISMATCH' }],
    })
  })

  test('that is blank or no identifier is compared with no cell', () => {
    for (const constant of ['', ' ', 'DE98ZZZ'])
      expect(rulesOf(TEST_CI, {}, { constant, assigned: null })).toEqual([])
  })

  test('is checked like a cell', () => {
    expect(rulesOf('', {}, { constant: 'AT61ZZZ1234567890', assigned: null })).toEqual(['CI_LENGTH'])
    expect(rulesOf('', {}, { constant: ' ', assigned: null })).toEqual(['CI_EMPTY'])
  })
})

describe('the new creditor', () => {
  test('is warned about when it is the old one', () => {
    expect(rulesOf(TEST_CI, {}, { constant: null, assigned: 'DE98XYZ09999999999' })).toEqual([
      'CI_SAME_AS_NEW',
    ])
  })
})

describe('what could be read', () => {
  test('is null for what is no creditor identifier, so that no key is made of an account', () => {
    for (const raw of ['9,8E+17', 'FR72ZZZ', 'DE89370400440532013000'])
      expect(checkCreditorIdentifier(raw, NONE, {}).value).toBeNull()
  })

  test('a finding shows a creditor identifier, but no account', () => {
    expect(checkCreditorIdentifier('DE97ZZZ09999999999', NONE, {}).findings[0]?.value).toBe(
      'DE97ZZZ09999999999',
    )
    expect(checkCreditorIdentifier('DE89370400440532013000', NONE, {}).findings[0]?.value).toBe('DE…3000')
  })
})
