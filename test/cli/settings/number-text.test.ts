import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimalText, wholeText } from '../../../src/cli/settings/number-text.js'

const matches = (pattern: string, text: string): boolean => new RegExp(`^${pattern}$`, 'u').test(text)

describe('a whole number as text', () => {
  it.each([1, 7, 9, 10, 99, 100, 101, 256, 999, 1000, 1095, 2048])('is bounded by %d', (most) => {
    for (let value = 0; value <= most + 120; value += 1) {
      expect(matches(wholeText(0, most), String(value)), String(value)).toBe(value <= most)
      expect(matches(wholeText(1, most), `00${value}`), `00${value}`).toBe(value >= 1 && value <= most)
    }
  })

  it.each(['', '-1', '+1', '1.0', '1e1', '0x1', ' 1', '1 ', '1_0', '٣', 'abc'])('is not %j', (text) => {
    expect(matches(wholeText(0, 256), text)).toBe(false)
  })

  it('is bounded wherever the bound lies', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), fc.nat(1_000_000_000), (most, value) => {
        expect(matches(wholeText(0, most), String(value))).toBe(value <= most)
        expect(matches(wholeText(0, most), String(most))).toBe(true)
        expect(matches(wholeText(0, most), String(most + 1))).toBe(false)
      }),
    )
  })
})

describe('a decimal number as text', () => {
  it.each([
    '0',
    '0.0',
    '0.000',
    '00.0009',
    '0.0',
    '100.5',
    '100.01',
    '101',
    '1.',
    '.5',
    '1e1',
    '-1',
    '1.0.0',
  ])('from 0.001 to 100 is not %s', (text) => {
    expect(matches(decimalText(0.001, 100), text)).toBe(false)
  })

  it.each(['0.001', '0.0010', '000.1', '1', '1.000', '99.999999999', '100', '100.0', '00100.000'])(
    'from 0.001 to 100 is %s',
    (text) => {
      expect(matches(decimalText(0.001, 100), text)).toBe(true)
    },
  )

  it('is bounded as its value is', () => {
    fc.assert(
      fc.property(fc.nat(2500), fc.stringMatching(/^\d{1,6}$/), (whole, decimals) => {
        const text = `${whole}.${decimals}`
        expect(matches(decimalText(0, 1095), text)).toBe(Number(text) <= 1095)
        expect(matches(decimalText(0.001, 1095), text)).toBe(Number(text) >= 0.001 && Number(text) <= 1095)
      }),
    )
  })
})
