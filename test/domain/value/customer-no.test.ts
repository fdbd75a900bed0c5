import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkCustomerNo } from '../../../src/domain/value/identifiers.js'
const rulesOf = (raw: string) => checkCustomerNo(raw, {}).findings.map(({ rule }) => rule)

test.each([
  ['', 'CUST_EMPTY'],
  [' ="" ', 'CUST_EMPTY'],
  ['+5', 'CUST_FORMAT'],
  ['1 000', 'CUST_FORMAT'],
  ['1,0', 'CUST_FORMAT'],
  ['0x10', 'CUST_FORMAT'],
  ["'5", 'CUST_FORMAT'],
  ['K-17', 'CUST_FORMAT'],
  ['0', 'CUST_RANGE'],
  ['000', 'CUST_RANGE'],
  ['9007199254740992', 'CUST_RANGE'],
  ['1'.repeat(60_000), 'CUST_RANGE'],
] as const)('%j ends with %s', (raw, rule) => {
  expect(rulesOf(raw)).toEqual([rule])
  expect(checkCustomerNo(raw, {})).toMatchObject({ usable: false, value: null })
})

test('blanks, markers and zeros around the number are read over', () => {
  expect(checkCustomerNo(' 42\u00a0', {})).toEqual({ usable: true, value: 42, findings: [] })
  expect(checkCustomerNo('="0042"', {})).toMatchObject({ usable: true, value: 42 })
  expect(rulesOf('="0042"')).toEqual(['CUST_LEADING_ZERO'])
  expect(checkCustomerNo('009007199254740991', {}).value).toBe(Number.MAX_SAFE_INTEGER)
})

test('every safe integer from 1 is read exactly', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (n) => {
      const checked = checkCustomerNo(String(n), {})
      expect(checked.value).toBe(n >= 1 ? n : null)
    }),
  )
})

test.each(['1.00500E+11', '1,005E+05'])(
  '9.3 %s is explained as what a spreadsheet made of the number',
  (raw) => {
    const [finding] = checkCustomerNo(raw, {}).findings
    expect(finding).toMatchObject({ rule: 'EXCEL_SCIENTIFIC', severity: 'error' })
    expect(finding?.message).toContain('The spreadsheet replaced this value by a rounded number')
    expect(checkCustomerNo(raw, { EXCEL_SCIENTIFIC: 'off' })).toMatchObject({
      usable: false,
      findings: [{ rule: 'CUST_FORMAT' }],
    })
  },
)
