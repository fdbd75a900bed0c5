import fc from 'fast-check'
import { countrySpecs } from 'ibantools'
import { afterEach, describe, expect, test } from 'vitest'
import { SEPA_COUNTRIES, mod97 } from '../../../src/domain/text/countries.js'
import { checkIban, isSepaIban } from '../../../src/domain/value/iban.js'
import { IBAN_EXAMPLES } from '../iban-examples.js'
import type { RuleId, SeverityOverrides } from '../../../src/domain/rule/verdict.js'

const rulesOf = (raw: string, severities: SeverityOverrides = {}): RuleId[] =>
  checkIban(raw, severities).findings.map(({ rule }) => rule)

const examples = Object.values(IBAN_EXAMPLES)

describe('the examples of all SEPA countries', () => {
  test.each(examples)('%s may be sent', (iban) => {
    const checked = checkIban(iban, {})
    expect(checked).toMatchObject({ usable: true, value: iban })
    const group = checked.findings.map(({ rule }) => rule)
    expect([[], ['IBAN_NON_EEA'], ['IBAN_NEW_SEPA']]).toContainEqual(group)
  })

  test.each(examples)(
    '%s is read the same when it is spelled in groups, in lower case and with a label',
    (iban) => {
      const spelled = `IBAN: ${iban.toLowerCase().replace(/(.{4})/g, '$1\u00a0')}`
      expect(checkIban(spelled, {}).value).toBe(iban)
      expect(checkIban(`'${iban}`, {}).value).toBe(iban)
    },
  )

  test('any other digit in any place is an error', () => {
    for (const iban of examples) {
      for (let at = 2; at < iban.length; at += 1) {
        for (const digit of '0123456789') {
          if (digit === iban[at] || !/[0-9]/.test(iban[at]!)) continue
          const damaged = iban.slice(0, at) + digit + iban.slice(at + 1)
          expect(checkIban(damaged, {}).usable, damaged).toBe(false)
        }
      }
    }
  })

  test('any two digits, or two letters, that swapped places are an error', () => {
    // A letter and a digit can hide it: 1B and B1 are both read as 111.
    const isDigit = (character: string): boolean => /[0-9]/.test(character)
    for (const iban of examples) {
      for (let at = 2; at < iban.length - 1; at += 1) {
        const [a, b] = [iban[at]!, iban[at + 1]!]
        if (a === b || isDigit(a) !== isDigit(b)) continue
        const damaged = iban.slice(0, at) + b + a + iban.slice(at + 2)
        expect(checkIban(damaged, {}).usable, damaged).toBe(false)
      }
    }
  })

  test('the aliases of the right check digits are errors, though the remainder is right', () => {
    // 00, 01 and 99 stand for 97, 98 and 02: search an account for each true value.
    for (const [alias, digits] of [
      ['00', '97'],
      ['01', '98'],
      ['99', '02'],
    ] as const) {
      const account = Array.from({ length: 97 }, (_, i) => String(i).padStart(10, '0')).find((each) =>
        isSepaIban(`DE${digits}37040044${each}`),
      )!
      expect(rulesOf(`DE${digits}37040044${account}`)).toEqual([])
      expect(rulesOf(`DE${alias}37040044${account}`)).toEqual(['IBAN_CHECK_RANGE'])
      expect(isSepaIban(`DE${alias}37040044${account}`)).toBe(false)
    }
  })
})

describe('the order of the checks', () => {
  test.each([
    ['', 'IBAN_EMPTY'],
    [' \u200b=""', 'IBAN_EMPTY'],
    ['3,704E+17', 'EXCEL_SCIENTIFIC'],
    ['DE89 **** **** 3000', 'IBAN_MASKED'],
    ['DE89••••3000', 'IBAN_MASKED'],
    ['DE89●3000', 'IBAN_MASKED'],
    ['DE89…3000', 'IBAN_MASKED'],
    ['DE89xXxX3000', 'IBAN_MASKED'],
    ['DE89 ####', 'IBAN_MASKED'],
    ['3000', 'IBAN_MASKED'],
    ['30001', 'IBAN_COUNTRY'],
    ['#N/A', 'IBAN_COUNTRY'],
    ['-', 'IBAN_COUNTRY'],
    ['D', 'IBAN_COUNTRY'],
    ['US64SVBKUS6S3300958879', 'IBAN_COUNTRY'],
    ['AX2112345600000785', 'IBAN_COUNTRY'],
    ['JE29NWBK60161331926819', 'IBAN_COUNTRY'],
    ['ＤＥ89370400440532013000', 'IBAN_COUNTRY'],
    ['TR33', 'IBAN_NOT_SEPA'],
    ['DE89370400440532O1300Ö', 'IBAN_CHARSET'],
    ['DE89\n370400440532013000', 'IBAN_CHARSET'],
    ['DE', 'IBAN_LENGTH'],
    ['DE8937040044053201300O', 'IBAN_STRUCTURE'],
    ['DEO9370400440532013000', 'IBAN_STRUCTURE'],
    ['NL9114BN0417164300', 'IBAN_STRUCTURE'],
    ['DE01370400440532013000', 'IBAN_CHECK_RANGE'],
    ['DE90370400440532013000', 'IBAN_CHECKSUM'],
    ['CH4431999123000889012', 'IBAN_QR'],
  ] as const)('%j ends with %s alone', (raw, rule) => {
    const checked = checkIban(raw, {})
    expect(checked.findings.map((finding) => finding.rule)).toEqual([rule])
    expect(checked.usable).toBe(false)
  })

  test.each([
    ['CH', '29999', false],
    ['CH', '30000', true],
    ['CH', '31999', true],
    ['CH', '32000', false],
    ['LI', '30000', true],
    ['LI', '08810', false],
    ['DE', '30000', false],
  ])('%s with institution %s is a QR-IBAN: %s', (country, institution, isQr) => {
    const rest = country === 'DE' ? '0000000000000' : '123000889012'
    const iban = Array.from(
      { length: 97 },
      (_, i) => `${country}${String(i + 2).padStart(2, '0')}${institution}${rest}`,
    )
    expect(rulesOf(iban.find((each) => isSepaIban(each))!).includes('IBAN_QR')).toBe(isQr)
  })

  test('warnings are all collected', () => {
    // Monaco is outside the EEA, and the French key of the account is wrong.
    const wrongKey = Array.from(
      { length: 97 },
      (_, i) => `MC${String(i + 2).padStart(2, '0')}11222000010123456789031`,
    ).find((each) => isSepaIban(each))!
    expect(rulesOf(wrongKey)).toEqual(['IBAN_NON_EEA', 'IBAN_NATIONAL_CHECK'])
  })
})

describe('severities', () => {
  test('a lowered rule does not end the checks: two defects need two overrides', () => {
    const raw = 'DE9037040044053201300' // one digit short, and the remainder is wrong
    expect(rulesOf(raw)).toEqual(['IBAN_LENGTH'])
    expect(rulesOf(raw, { IBAN_LENGTH: 'warning' })).toEqual(['IBAN_LENGTH', 'IBAN_STRUCTURE'])
    expect(rulesOf(raw, { IBAN_LENGTH: 'off', IBAN_STRUCTURE: 'warning' })).toEqual([
      'IBAN_STRUCTURE',
      'IBAN_CHECKSUM',
    ])
    expect(checkIban(raw, { IBAN_LENGTH: 'off', IBAN_STRUCTURE: 'off', IBAN_CHECKSUM: 'off' })).toEqual({
      usable: true,
      value: raw,
      findings: [],
    })
  })

  test('an account of a country outside SEPA is still checked for what can be checked', () => {
    const outside = { IBAN_NOT_SEPA: 'warning' } as const
    expect(checkIban('TR330006100519786457841326', outside).usable).toBe(true)
    expect(rulesOf('TR330006100519786457841327', outside)).toEqual(['IBAN_NOT_SEPA', 'IBAN_CHECKSUM'])
    expect(rulesOf('TR3300061005197864578413_6', outside)).toEqual(['IBAN_NOT_SEPA', 'IBAN_CHARSET'])
  })

  test('a label alone is never sent, whatever is lowered', () => {
    const all = { IBAN_COUNTRY: 'off', IBAN_STRUCTURE: 'off', IBAN_CHECKSUM: 'off' } as const
    expect(checkIban('IBAN:', all)).toMatchObject({ usable: false, value: null })
    expect(rulesOf('IBAN:', all)).toEqual(['IBAN_EMPTY'])
  })
})

describe('what the operator reads', () => {
  test('the characters that are not allowed are named, digits are not', () => {
    const message = (raw: string) => checkIban(raw, {}).findings[0]?.message
    expect(message('DE89/3704.0044_0532#013000')).toContain('Found "/", ".", "_", "#".')
    expect(message('DE89３７０400440532013000')).toContain('Found a digit that is not 0-9.')
    expect(message('DE89\u0000370400440532013000')).toContain('Found "<U+0000>".')
    expect(message('DE89!$%&/()=?+370400440532013000')).toContain(
      'Found "!", "$", "%", "&", "/", "(", ")", "=".',
    )
  })

  test('no finding shows an account', () => {
    for (const raw of ['DE89/3704.0044_0532#013000', 'DE90370400440532013000', 'de90 3704 0044 0532 0130 00'])
      expect(checkIban(raw, {}).findings[0]?.value).toBe('DE…3000')
  })
})

describe('the second opinion of ibantools', () => {
  test('agrees on every IBAN that the own table can describe', () => {
    const letter = fc.constantFrom(...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ'))
    const digit = fc.constantFrom(...Array.from('0123456789'))
    const anyIban = fc.constantFrom(...SEPA_COUNTRIES.values()).chain(({ code, bban }) => {
      // The pattern of the own table, read back: [A-Z]{4}[0-9]{10} and so on.
      const groups = [...bban.source.matchAll(/(\[[^\]]+\])\{(\d+)\}/g)]
      const characters = groups.flatMap(([, kind, count]) =>
        Array.from({ length: Number(count) }, () =>
          kind === '[A-Z]' ? letter : kind === '[0-9]' ? digit : fc.oneof(letter, digit),
        ),
      )
      return fc.tuple(...characters).map((all) => {
        const rest = all.join('')
        const digits = 98 - mod97(`${rest}${code}00`)
        return `${code}${String(digits).padStart(2, '0')}${rest}`
      })
    })
    fc.assert(
      fc.property(anyIban, (iban) => {
        // XXXX may be drawn too, and is called masked.
        if (rulesOf(iban).includes('IBAN_MASKED')) return
        expect(rulesOf(iban)).not.toContain('IBAN_LIBRARY_DISAGREES')
        expect(isSepaIban(iban)).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  const spec = countrySpecs['PL']!
  const { chars = 0 } = spec

  afterEach(() => {
    spec.chars = chars
  })

  test('a disagreement is a warning and names the code', () => {
    spec.chars = chars + 1 // the library's own table is changed, as a release might do
    const checked = checkIban(IBAN_EXAMPLES['PL']!, {})
    expect(checked).toMatchObject({ usable: true, findings: [{ rule: 'IBAN_LIBRARY_DISAGREES' }] })
    expect(checked.findings[0]?.message).toContain('ibantools reports 2.')
  })

  test('nobody disagrees about an IBAN that the own checks refused too', () => {
    const lowered = { IBAN_CHECKSUM: 'warning', IBAN_QR: 'warning' } as const
    expect(rulesOf('DE90370400440532013000', lowered)).toEqual(['IBAN_CHECKSUM'])
    expect(rulesOf('CH4431999123000889012', lowered)).toEqual(['IBAN_QR', 'IBAN_NON_EEA'])
  })

  test('the national check still runs when the checksum rule is lowered', () => {
    // The bank code of Spain's example with another control digit.
    expect(rulesOf('ES9121000418460200051332', { IBAN_CHECKSUM: 'off' })).toEqual(['IBAN_NATIONAL_CHECK'])
  })

  test('the national check needs length and structure of the country', () => {
    const lowered = { IBAN_LENGTH: 'off', IBAN_STRUCTURE: 'off', IBAN_CHECKSUM: 'off' } as const
    expect(rulesOf('BE6853900754703', lowered)).toEqual([])
    expect(rulesOf('BE6853900754703A', lowered)).toEqual([])
    expect(rulesOf('BE68539007547035', lowered)).toEqual(['IBAN_NATIONAL_CHECK'])
  })

  test('an Irish bank code is four letters, though the library takes digits', () => {
    expect(rulesOf('IE29A1BK93115212345678')).toEqual(['IBAN_STRUCTURE'])
  })
})
