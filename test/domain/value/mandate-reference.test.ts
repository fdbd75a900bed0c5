import { describe, expect, test } from 'vitest'
import { checkMandateReference } from '../../../src/domain/value/identifiers.js'
import type { RuleId, SeverityOverrides } from '../../../src/domain/rule/verdict.js'

const rulesOf = (raw: string, severities: SeverityOverrides = {}): RuleId[] =>
  checkMandateReference(raw, severities).findings.map(({ rule }) => rule)

test('a reference is sent exactly as written: case, zeros, hyphens and inner blanks stay', () => {
  expect(checkMandateReference(' 00-aB c \u200b', {})).toMatchObject({ usable: true, value: '00-aB c' })
})

describe('errors', () => {
  test.each([
    ['', 'UMR_EMPTY'],
    ['1,2E+05', 'EXCEL_SCIENTIFIC'],
    ['A&B', 'UMR_CHARSET'],
    ['A*B', 'UMR_CHARSET'],
    ['A"B', 'UMR_CHARSET'],
    ['A’B', 'UMR_CHARSET'],
    ['A\u00a0B', 'UMR_CHARSET'],
    ['A\u200bB', 'UMR_CHARSET'],
    ['A\tB', 'UMR_CHARSET'],
    ['A|B', 'UMR_CHARSET'],
    ['Ａ１', 'UMR_CHARSET'],
    ['x'.repeat(36), 'UMR_LENGTH'],
    ['A//B', 'UMR_SLASH'],
    ['A/', 'UMR_SLASH'],
    ['/A', 'UMR_SLASH'],
  ] as const)('%j ends with %s', (raw, rule) => {
    expect(rulesOf(raw)).toEqual([rule])
    expect(checkMandateReference(raw, {}).usable).toBe(false)
  })

  test.each(['x'.repeat(35), 'A/B', '12E10', "AZaz09/-?:().,'+"])('%j may be sent without a word', (raw) => {
    expect(checkMandateReference(raw, {})).toEqual({ usable: true, value: raw, findings: [] })
  })

  test('an error cell of a spreadsheet is called one', () => {
    expect(checkMandateReference('#N/A', {}).findings[0]?.message).toContain('error cell')
    expect(checkMandateReference('A#1', {}).findings[0]?.message).not.toContain('error cell')
  })

  test('with the charset lowered, length counts characters and not code units', () => {
    expect(rulesOf('\u{1f600}'.repeat(35), { UMR_CHARSET: 'off' })).toEqual([])
    expect(rulesOf('\u{1f600}'.repeat(36), { UMR_CHARSET: 'off' })).toEqual(['UMR_LENGTH'])
  })
})

describe('warnings', () => {
  test.each(['NOTPROVIDED', 'Not provided', 'n/a', 'NA', 'none', 'Null', 'unknown', 'UNBEKANNT', '-', '0'])(
    '%j is a filler',
    (raw) => {
      expect(rulesOf(raw)).toContain('UMR_PLACEHOLDER')
      expect(checkMandateReference(raw, {}).usable).toBe(true)
    },
  )

  test.each(['NOTPROVIDED1', '00', '--', 'NAN'])('%j is no filler', (raw) => {
    expect(rulesOf(raw)).toEqual([])
  })

  test.each([
    ['1234567890123450', true],
    ['123456789012345000000', true],
    ['1234567890123451', false],
    ['123456789012340', false],
    ['A123456789012345000', false],
  ])('%s lost its last digits: %s', (raw, isLost) => {
    expect(rulesOf(raw)).toEqual(isLost ? ['UMR_PRECISION'] : [])
  })

  test.each([
    ...['1.2.23', '01.02.2023', '31/12/23', '12/31/2023', '1-2-2023', '2023-02-01', '1-Feb', '01-mrz'],
    ...['MAR-10', 'Okt-2023', 'dez-07'],
  ])('%j looks like a date', (raw) => {
    expect(rulesOf(raw)).toEqual(['UMR_LOOKS_LIKE_DATE'])
  })

  test('a day and a month with a blank between is both', () => {
    expect(rulesOf('1. Feb')).toEqual(['UMR_SPACE', 'UMR_LOOKS_LIKE_DATE'])
  })

  test.each([
    '1-2',
    '0.1.23',
    '1.2',
    '1.2.2',
    '1.2.20234',
    '1.2/23',
    '40.40.23',
    '13.13.2023',
    '2023-13-13',
    '32-Feb',
    'MND-10',
    '1-Foo',
  ])('%j does not look like a date', (raw) => {
    expect(rulesOf(raw)).toEqual([])
  })

  test('a leading apostrophe is kept and warned about, another one is not', () => {
    expect(checkMandateReference("'123", {})).toMatchObject({ usable: true, value: "'123" })
    expect(rulesOf("'123")).toEqual(['UMR_APOSTROPHE'])
    expect(rulesOf("1'23'")).toEqual([])
  })
})
