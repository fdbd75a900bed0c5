import { describe, expect, test } from 'vitest'
import { dateOf, TODAY } from '../clean-row.js'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'
import {
  checkLastCollection,
  usualChecks,
  type CheckOptions,
} from '../../../src/domain/value/check-mandate.js'

const OPTIONS = usualChecks(TODAY)
const SIGNED = dateOf('2015-01-01')

const check = (
  raw: string,
  { signedDate = SIGNED, ...options }: Partial<CheckOptions> & { signedDate?: LocalDate | null } = {},
) => {
  const { findings, latestFirstDebit } = checkLastCollection(raw, { ...OPTIONS, ...options }, signedDate)
  return { rules: findings.map(({ rule }) => rule), latestFirstDebit }
}

describe('the 36 months, today being 2026-06-15', () => {
  test.each([
    ['2023-06-14', ['MANDATE_DORMANT'], '2026-06-14'],
    ['2023-06-15', ['MANDATE_DORMANT_SOON'], '2026-06-15'],
    ['2023-08-14', ['MANDATE_DORMANT_SOON'], '2026-08-14'],
    ['2023-08-15', [], '2026-08-15'],
    ['2024-02-29', [], '2027-02-28'],
    ['2026-06-15', [], '2029-06-15'],
    ['2026-06-16', ['LAST_COLLECTION_FUTURE'], '2029-06-16'],
    ['9999-12-31', ['LAST_COLLECTION_FUTURE'], '9999-12-31'],
  ])('%s gives %j until %s', (raw, rules, latestFirstDebit) => {
    expect(check(raw)).toEqual({ rules, latestFirstDebit })
  })

  test('the days of warning can be configured', () => {
    expect(check('2023-08-14', { dormantSoonDays: 59 }).rules).toEqual([])
    expect(check('2023-08-15', { dormantSoonDays: 61 }).rules).toEqual(['MANDATE_DORMANT_SOON'])
    expect(check('2023-06-15', { dormantSoonDays: 0 }).rules).toEqual(['MANDATE_DORMANT_SOON'])
  })

  test.each([
    ['2023-06-15', 'The last day is 2026-06-15.'],
    ['2023-06-14', 'The last day was 2026-06-14.'],
  ])('the finding of %s names the last day', (raw, told) => {
    expect(checkLastCollection(raw, OPTIONS, SIGNED).findings[0]?.message).toContain(told)
  })
})

describe('a last collection before the signature', () => {
  const BEFORE = 'LAST_COLLECTION_BEFORE_SIGNATURE'
  test.each<[string, string | null, 'error' | 'warning', string[]]>([
    ['2024-05-05', '2024-05-06', 'error', [BEFORE]],
    // Of an earlier mandate, where the rule was lowered: then it counts as none.
    ['2020-01-01', '2024-05-06', 'error', [BEFORE]],
    ['2020-01-01', '2024-05-06', 'warning', [BEFORE]],
    ['2020-01-01', '2021-05-06', 'warning', [BEFORE, 'DORMANCY_UNKNOWN']],
    ['2024-05-06', '2024-05-06', 'error', []],
    ['2024-05-05', null, 'error', []],
  ])('of %s, signed %s, %s: %j', (raw, signed, severity, rules) => {
    const signedDate = signed === null ? null : dateOf(signed)
    expect(check(raw, { signedDate, severities: { [BEFORE]: severity } }).rules).toEqual(rules)
  })
})

describe('an absent last collection', () => {
  const young = dateOf('2023-06-15')
  const old = dateOf('2023-06-14')

  test.each(['', ' ', '-', '0000-00-00', '1900-01-01', '1970-01-01'])('is what %j means', (raw) => {
    expect(check(raw, { signedDate: young })).toEqual({ rules: [], latestFirstDebit: '2026-06-15' })
    expect(check(raw, { signedDate: old })).toEqual({ rules: ['DORMANCY_UNKNOWN'], latestFirstDebit: null })
    expect(check(raw, { signedDate: null })).toEqual({ rules: [], latestFirstDebit: null })
  })

  test('is recognised in every notation', () => {
    const options = { signedDate: old, lastCollectionFormat: 'dd.mm.yyyy' } as const
    const first = ['01.01.1753', '01/01/0001', '1753-01-01', '30.12.1899 00:00:00', '18991230', '00.01.1900']
    for (const raw of ['01.01.1970', '1.1.1900', '01.01.1904', '00.00.0000', '1970-01-01', ...first])
      expect(check(raw, options).rules, raw).toEqual(['DORMANCY_UNKNOWN'])
    // Digits of a day that is none before 1900, and what is no day at all.
    for (const raw of ['10052010', '41.12.1899', '1899', '31.12.0024'])
      expect(check(raw, options).rules, raw).toEqual(['LAST_COLLECTION_INVALID'])
    expect(check('25569', { signedDate: old, lastCollectionFormat: 'excel' }).rules).toEqual([
      'DORMANCY_UNKNOWN',
    ])
    expect(check('02.01.1970', { ...options, signedDate: null }).rules).toEqual(['MANDATE_DORMANT'])
  })
})

describe('an unreadable last collection', () => {
  test.each(['n/a', '2023-02-29', '01.02.2023'])('%j is an error without a date', (raw) => {
    expect(check(raw)).toEqual({ rules: ['LAST_COLLECTION_INVALID'], latestFirstDebit: null })
  })

  test('ends the checks also when it is lowered, as nothing can be compared', () => {
    const lowered = check('n/a', { severities: { LAST_COLLECTION_INVALID: 'off' } })
    expect(lowered).toEqual({ rules: [], latestFirstDebit: null })
  })
})
