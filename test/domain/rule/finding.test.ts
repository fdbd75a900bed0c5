import { describe, expect, test } from 'vitest'
import { showValue } from '../../../src/domain/rule/verdict.js'
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
