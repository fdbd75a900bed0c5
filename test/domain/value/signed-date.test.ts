import { describe, expect, test } from 'vitest'
import type { DecidedFormat } from '../../../src/domain/mandate/date.js'
import { TODAY } from '../clean-row.js'
import { checkSignedDate } from '../../../src/domain/value/check-mandate.js'
import type { RuleId, SeverityOverrides } from '../../../src/domain/rule/verdict.js'

const check = (raw: string, format: DecidedFormat = 'iso', severities: SeverityOverrides = {}) =>
  checkSignedDate(raw, format, TODAY, severities)

const rulesOf = (raw: string, format?: DecidedFormat, severities?: SeverityOverrides): RuleId[] =>
  check(raw, format, severities).findings.map(({ rule }) => rule)

describe('the signed date', () => {
  test.each([
    ['', 'DATE_EMPTY'],
    [' \u00a0', 'DATE_EMPTY'],
    ['-', 'DATE_INVALID'],
    ['1899-12-31', 'DATE_INVALID'],
    ['2026-06-16', 'DATE_FUTURE'],
  ] as const)('%j ends with %s', (raw, rule) => {
    expect(rulesOf(raw)).toEqual([rule])
    expect(check(raw).usable).toBe(false)
  })

  test.each([
    ['2009-10-31', ['DATE_PRE_SEPA']],
    ['1900-01-01', ['DATE_PRE_SEPA']],
    ['2009-11-01', ['DATE_LEGACY_DEFAULT']],
    ['2009-11-02', []],
    ['2026-06-15', []],
    ['2023-01-31T23:00:00Z', ['DATE_UTC_SHIFT']],
    ['2008-01-31T23:00:00Z', ['DATE_PRE_SEPA', 'DATE_UTC_SHIFT']],
  ])('%j may be sent with %j', (raw, rules) => {
    expect(rulesOf(raw)).toEqual(rules)
    expect(check(raw)).toMatchObject({ usable: true, value: raw.slice(0, 10) })
  })

  test('a two-digit year is a warning that names what was read', () => {
    expect(rulesOf('01.02.08', 'dd.mm.yy')).toEqual(['DATE_PRE_SEPA', 'DATE_TWO_DIGIT_YEAR'])
    expect(check('01.02.23', 'dd.mm.yy').findings[0]?.message).toContain('It was read as 2023-02-01.')
  })
})

describe('9.3 what a spreadsheet made of a date', () => {
  test.each(['iso', 'dd.mm.yyyy', 'unsettled'] as const)('is explained in a column of %s', (format) => {
    expect(check('45231', format).findings).toMatchObject([
      {
        rule: 'DATE_INVALID',
        message: expect.stringContaining(
          'as a number of days (2023-11-01, or four years later on an old Mac).',
        ) as string,
        remedy: expect.stringContaining('Declare the format "excel" for this column') as string,
      },
    ])
    expect(check('########', format).findings).toMatchObject([
      {
        rule: 'DATE_INVALID',
        message: expect.stringContaining('its column was too narrow. The date is not in the file.') as string,
        remedy: expect.stringContaining('Widen the column and save again') as string,
      },
    ])
  })

  test('is left alone where the column is declared so, and other numbers are not taken for it', () => {
    expect(check('45231', 'excel')).toMatchObject({ usable: true, value: '2023-11-01' })
    expect(check('20231101').findings[0]?.message).not.toContain('number of days')
    expect(check('12', 'unsettled').findings).toMatchObject([{ rule: 'DATE_AMBIGUOUS' }])
  })
})
