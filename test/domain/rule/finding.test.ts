import { describe, expect, test } from 'vitest'
import { breaks, showValue, startCheck } from '../../../src/domain/rule/finding.js'
import { RULES } from '../../../src/domain/rule/rules.js'

describe('a broken rule', () => {
  test('is noted with the texts of the catalogue, and an error ends the checks', () => {
    const check = startCheck('unique_mandate_reference', 'A_B', {})
    expect(breaks(check, 'UMR_CHARSET')).toBe(true)
    const { message, remedy } = RULES.UMR_CHARSET
    expect(check.findings).toEqual([
      {
        rule: 'UMR_CHARSET',
        severity: 'error',
        field: 'unique_mandate_reference',
        value: 'A_B',
        message,
        remedy,
      },
    ])
  })

  test('as a warning is noted and ends nothing', () => {
    const check = startCheck('unique_mandate_reference', 'A_B', { UMR_CHARSET: 'warning' })
    expect(breaks(check, 'UMR_CHARSET')).toBe(false)
    expect(check.findings).toMatchObject([{ rule: 'UMR_CHARSET', severity: 'warning' }])
  })

  test('that is off leaves no trace', () => {
    const check = startCheck('unique_mandate_reference', 'A_B', { UMR_CHARSET: 'off' })
    expect(breaks(check, 'UMR_CHARSET')).toBe(false)
    expect(check.findings).toEqual([])
  })

  test('with a detail says it after the text of the catalogue', () => {
    const check = startCheck('iban', '', {})
    breaks(check, 'IBAN_CHARSET', 'Found "/".')
    expect(check.findings[0]?.message).toBe(`${RULES.IBAN_CHARSET.message} Found "/".`)
  })
})

describe('a value in a report', () => {
  test('is masked, and its unprintable characters are code points', () => {
    expect(showValue('a\u200b DE89370400440532013000\u0007')).toBe('a<U+200B> DE…3000<U+0007>')
  })

  test('is capped, and an account at the cut does not show', () => {
    expect(showValue('x'.repeat(120))).toBe('x'.repeat(120))
    expect(showValue('x'.repeat(121))).toBe(`${'x'.repeat(120)}…`)
    expect(showValue(`${'x '.repeat(55)}DE89370400440532013000 ${'y'.repeat(99)}`)).toContain('DE…3000')
    expect(showValue('y'.repeat(64_000)).length).toBeLessThan(200)
  })

  test('of an IBAN column is masked whatever stands between the digits', () => {
    expect(showValue('DE89#3704#0044#0532#0130#00', 'iban')).toBe('DE…3000')
  })
})
