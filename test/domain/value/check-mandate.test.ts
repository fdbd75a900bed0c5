import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkLastCollection, checkMandate } from '../../../src/domain/value/check-mandate.js'
import type { CheckOptions, RawValues } from '../../../src/domain/value/check-mandate.js'
import { REQUIRED_FIELDS, type LocalDate } from '../../../src/domain/mandate/mandate.js'
import { type Finding, RULES, ruleOf, type RuleId } from '../../../src/domain/rule/verdict.js'
import { CLEAN_ROW, OPTIONS, dateOf } from '../clean-row.js'
import { SEPA_COUNTRIES } from '../../../src/domain/text/accounts.js'
import { creditorIdentifierOf, ibanOf } from '../../support/sample-values.js'
import { IBAN_EXAMPLES } from '../iban-examples.js'

interface Case {
  readonly raw: Partial<RawValues>
  readonly options?: Partial<CheckOptions>
}

const check = ({ raw, options = {} }: Case, given?: readonly Finding[]) =>
  checkMandate({ ...CLEAN_ROW, ...raw }, { ...OPTIONS, ...options }, given)

const rulesOf = (each: Case): RuleId[] => check(each).findings.map(({ rule }) => rule)

const given = (rule: RuleId, severity: Finding['severity'] = 'error'): Finding => {
  const { message, remedy } = RULES[rule]
  return { rule, severity, field: null, value: '', message, remedy }
}

const ROW_SECTIONS = [
  ...['normalisation', 'customer-number', 'account-number', 'signature-date', 'creditor-identifier'],
  ...['mandate-reference', 'last-collection', 'status-sequence-scheme'],
]
const rowRules = (Object.keys(RULES) as RuleId[]).filter((rule) => ROW_SECTIONS.includes(RULES[rule].section))

const iban = (value: string): Case => ({ raw: { iban: value } })
const ci = (value: string, options: Partial<CheckOptions> = {}): Case => {
  return { raw: { sepa_creditor_identifier: value }, options }
}
const umr = (value: string): Case => ({ raw: { unique_mandate_reference: value } })
const customer = (value: string): Case => ({ raw: { customer_no: value } })
const signed = (value: string, signedDateFormat: CheckOptions['signedDateFormat'] = 'iso'): Case => {
  return { raw: { signed_date: value }, options: { signedDateFormat } }
}
const collected = (value: string, signedDate = '2015-01-01'): Case => {
  return { raw: { last_collection_date: value, signed_date: signedDate } }
}

/** For each rule on one row: what breaks it, and the nearest thing that does not. */
const CASES: Partial<Record<RuleId, readonly [broken: Case, kept: Case]>> = {
  EXCEL_SCIENTIFIC: [umr('1E+05'), umr('1E05')],
  CUST_EMPTY: [customer(' '), customer('1')],
  CUST_FORMAT: [customer('1.0'), customer(' 10 ')],
  CUST_RANGE: [customer('9007199254740992'), customer('9007199254740991')],
  CUST_LEADING_ZERO: [customer('01'), customer('10')],
  IBAN_EMPTY: [iban('=""'), iban('-')],
  IBAN_MASKED: [iban('DE89XXXX0440532013000'), iban('DE89XXX0440532013000')],
  IBAN_NOT_ALONE: [iban('DE89370400440532013000 COBADEFFXXX'), iban('IBAN DE89370400440532013000')],
  IBAN_COUNTRY: [iban('GP1420041010050500013M02606'), iban('FR1420041010050500013M02606')],
  IBAN_NOT_SEPA: [iban('FO6264600001631634'), iban('DK5000400440116243')],
  IBAN_CHARSET: [iban('DE89.370400440532013000'), iban('DE89-370400440532013000')],
  IBAN_LENGTH: [iban('DE8937040044053201300'), iban('DE89370400440532013000')],
  IBAN_STRUCTURE: [iban('DE8937040044053201300O'), iban('DE89370400440532013000')],
  IBAN_CHECK_RANGE: [iban('DE00370400440000000060'), iban('DE97370400440000000060')],
  IBAN_CHECKSUM: [iban('DE88370400440532013000'), iban('DE89370400440532013000')],
  IBAN_QR: [iban('CH4431999123000889012'), iban('CH9300762011623852957')],
  IBAN_NON_EEA: [iban('CH9300762011623852957'), iban('LI21088100002324013AA')],
  IBAN_NEW_SEPA: [iban('MK07250120000058984'), iban('SI56191000000123438')],
  IBAN_NATIONAL_CHECK: [iban('FI9112345600000786'), iban('FI2112345600000785')],
  DATE_EMPTY: [signed(''), signed('2024-05-06')],
  DATE_AMBIGUOUS: [signed('01/02/2023', 'unsettled'), signed('01/02/2023', 'dd/mm/yyyy')],
  DATE_INVALID: [signed('2023-02-29'), signed('2024-02-29')],
  DATE_FUTURE: [signed('2026-06-16'), signed('2026-06-15')],
  DATE_PRE_SEPA: [signed('2009-10-31'), signed('2009-11-01')],
  DATE_LEGACY_DEFAULT: [signed('2009-11-01'), signed('2009-11-02')],
  DATE_TWO_DIGIT_YEAR: [signed('01.02.23', 'dd.mm.yy'), signed('01.02.2023', 'dd.mm.yyyy')],
  DATE_UTC_SHIFT: [signed('2023-01-31T23:00:00Z'), signed('2023-01-31T20:00:00Z')],
  CI_EMPTY: [ci(''), ci('', { constantCreditorIdentifier: 'DE98ZZZ09999999999' })],
  CI_FORMAT: [ci('FR72ZZZ'), ci('FR72ZZZ123456')],
  CI_LOOKS_LIKE_IBAN: [ci('NL91ABNA0417164300'), ci('NL90ABNA0417164300')],
  CI_CHECKSUM: [ci('DE97ZZZ09999999999'), ci('DE98ABC09999999999')],
  CI_COUNTRY: [ci('US31ZZZ123456'), ci('FR72ZZZ123456')],
  CI_LENGTH: [ci('AT61ZZZ1234567890'), ci('AT61ZZZ01234567890')],
  CI_LENGTH_UNCONFIRMED: [ci('PL18ZZZ00123456789'), ci('PL18ZZZ0123456789')],
  CI_LENGTH_UNKNOWN: [ci('GF18ZZZ(123456789'), ci('PL18ZZZ(123456789')],
  CI_NATIONAL_CHARS: [ci('PL18ZZZ(123456789'), ci('PL18ZZZ0123456789')],
  CI_CONSTANT_MISMATCH: [
    ci('DE98ZZZ09999999999', { constantCreditorIdentifier: 'DE50ZZZ00123456789' }),
    ci('DE98ABC09999999999', { constantCreditorIdentifier: 'DE98ZZZ09999999999' }),
  ],
  CI_SAME_AS_NEW: [
    ci('DE98ZZZ09999999999', { newCreditorIdentifier: 'DE98ABC09999999999' }),
    ci('DE98ZZZ09999999999', { newCreditorIdentifier: 'DE50ZZZ00123456789' }),
  ],
  UMR_EMPTY: [umr('\u200b'), umr('A')],
  UMR_CHARSET: [umr('A_B'), umr('A-B')],
  UMR_LENGTH: [umr('x'.repeat(36)), umr('x'.repeat(35))],
  UMR_SLASH: [umr('A//B'), umr('A/B/C')],
  UMR_SPACE: [umr('A B'), umr(' AB ')],
  UMR_PLACEHOLDER: [umr('n/a'), umr('n/a1')],
  UMR_PRECISION: [umr('1234567890123450'), umr('123456789012345')],
  UMR_LOOKS_LIKE_DATE: [umr('MAR-10'), umr('1-2')],
  UMR_APOSTROPHE: [umr("'1"), umr("1'")],
  LAST_COLLECTION_INVALID: [collected('soon'), collected('-')],
  LAST_COLLECTION_FUTURE: [collected('2026-06-16'), collected('2026-06-15')],
  LAST_COLLECTION_BEFORE_SIGNATURE: [collected('2015-01-01', '2015-01-02'), collected('2025-01-02')],
  MANDATE_DORMANT: [collected('2023-06-14'), collected('2023-06-15')],
  MANDATE_DORMANT_SOON: [collected('2023-08-14'), collected('2023-08-15')],
  DORMANCY_UNKNOWN: [collected('', '2023-06-14'), collected('', '2023-06-15')],
  STATUS_NOT_ACTIVE: [{ raw: { status: 'Gekündigt' } }, { raw: { status: 'Aktiv' } }],
  STATUS_UNKNOWN: [{ raw: { status: 'in Klärung' } }, { raw: { status: '' } }],
  SEQUENCE_ONE_OFF: [{ raw: { sequence: 'OOFF' } }, { raw: { sequence: 'RCUR' } }],
  SEQUENCE_FINAL: [{ raw: { sequence: 'FNAL' } }, { raw: { sequence: 'FRST' } }],
  SEQUENCE_UNKNOWN: [{ raw: { sequence: 'weekly' } }, { raw: { sequence: ' ' } }],
  SCHEME_B2B: [
    { raw: { scheme: 'ja' }, options: { schemeIsFirmenMandat: true } },
    { raw: { scheme: 'nein' }, options: { schemeIsFirmenMandat: true } },
  ],
  SCHEME_UNKNOWN: [{ raw: { scheme: 'ja' } }, { raw: { scheme: 'CORE' } }],
}

test.each(rowRules)('%s is found where it is broken alone, and decides the row by its severity', (rule) => {
  const [broken, kept] = CASES[rule]!
  expect(rulesOf(kept)).not.toContain(rule)
  const { severity, state, unusable } = ruleOf(rule)
  const { verdict, findings } = check(broken)
  expect(findings.find((each) => each.rule === rule)?.severity).toBe(severity)
  if (severity === 'error') expect(verdict.kind).toBe(state ?? 'invalid')
  else if (findings.every((each) => each.severity === 'warning')) expect(verdict.kind).toBe('sendable')
  const as = (given: 'error' | 'off') =>
    check({ ...broken, options: { ...broken.options, severities: { [rule]: given } } })
  expect(as('error').verdict.kind).not.toBe('sendable')
  // Off says nothing, unless it must.
  const off = as('off')
  expect(off.findings.some((each) => each.rule === rule)).toBe(unusable ?? false)
  if (unusable === true) expect(off.verdict.kind).toBe(state ?? 'invalid')
})

test.each([{}, { iban: 'iban: de89 3704 0044 0532 0130 00', unique_mandate_reference: ' MND-000123 ' }])(
  'a clean row is sendable as it stands, and gives the mandate that its values show: %j',
  (raw) => {
    const read = { customerNo: 4711, iban: 'DE89370400440532013000', signedDate: '2024-05-06' }
    const original = { creditorIdentifier: 'DE98ZZZ09999999999', mandateReference: 'MND-000123' }
    expect(check({ raw })).toEqual({
      verdict: { kind: 'sendable', mandate: { ...read, original } },
      values: { ...read, ...original },
      mandateKey: 'DE|09999999999|MND-000123',
      latestFirstDebit: '2027-05-06',
      findings: [],
    })
  },
)

describe('a row with several problems', () => {
  const wrong: RawValues = {
    customer_no: 'K-1',
    iban: 'DE88370400440532013000',
    signed_date: '31.04.2022',
    sepa_creditor_identifier: 'AT61ZZZ1234567890',
    unique_mandate_reference: 'A_B',
    last_collection_date: 'soon',
    status: 'in Klärung',
    sequence: 'weekly',
    scheme: 'none',
  }

  test('shows one error of every field, in the order of the rulebook', () => {
    const { verdict, findings } = checkMandate(wrong, OPTIONS)
    expect(verdict).toEqual({ kind: 'invalid' })
    expect(findings.map(({ rule, field }) => `${field ?? ''} ${rule}`)).toEqual([
      ...['customer_no CUST_FORMAT', 'iban IBAN_CHECKSUM', 'signed_date DATE_INVALID'],
      ...['sepa_creditor_identifier CI_LENGTH', 'unique_mandate_reference UMR_CHARSET'],
      ...['last_collection_date LAST_COLLECTION_INVALID', 'status STATUS_UNKNOWN'],
      ...['sequence SEQUENCE_UNKNOWN', 'scheme SCHEME_UNKNOWN'],
    ])
  })

  test('is excluded rather than invalid when both apply, by the first reason, and keeps all findings', () => {
    const { verdict, findings } = checkMandate({ ...wrong, sequence: 'OOFF', status: 'expired' }, OPTIONS)
    const reason = 'The mandate is not active.'
    expect(verdict).toEqual({ kind: 'excluded', rule: 'STATUS_NOT_ACTIVE', reason })
    expect(findings).toHaveLength(9)
  })

  test('is sendable with a warning when an excluding rule is lowered', () => {
    const options = { severities: { STATUS_NOT_ACTIVE: 'warning' } } as const
    expect(check({ raw: { status: 'expired' }, options })).toMatchObject({
      verdict: { kind: 'sendable' },
      findings: [{ rule: 'STATUS_NOT_ACTIVE', severity: 'warning' }],
    })
  })

  test('still has a key as long as creditor and reference can be read, so that rows across the file see it', () => {
    expect(check(umr('a_b')).mandateKey).toBe('DE|09999999999|A_B')
    for (const readable of [iban('x'), ci('DE97ZZZ09999999999'), { raw: { status: 'expired' } }])
      expect(check(readable).mandateKey).toBe('DE|09999999999|MND-000123')
    for (const unreadable of [ci('FR72ZZZ'), ci(''), umr(''), umr('1E+05'), ci('DE89370400440532013000')])
      expect(check(unreadable).mandateKey).toBeNull()
  })
})

describe('findings that the source hands over', () => {
  test('come first and explain a missing value', () => {
    const found = [given('CROSSWALK_NO_MATCH')]
    const { verdict, values, findings } = check({ raw: { customer_no: null, iban: 'x' } }, found)
    expect(verdict.kind).toBe('invalid')
    expect(values.customerNo).toBeNull()
    expect(findings.map(({ rule }) => rule)).toEqual(['CROSSWALK_NO_MATCH', 'IBAN_COUNTRY'])
  })

  test.each<[string, Partial<RawValues>, Finding, string]>([
    ['as an error, also when all values are there', {}, given('CROSSWALK_MISMATCH'), 'invalid'],
    ['not as a warning', {}, given('CROSSWALK_MISMATCH', 'warning'), 'sendable'],
    // A rule that leaves no usable value does so as a warning, too.
    ['as a warning of a rule without value', {}, given('ROW_FIELD_COUNT', 'warning'), 'invalid'],
    ['so', { customer_no: null }, given('CROSSWALK_NO_MATCH', 'warning'), 'invalid'],
  ])('keep a row back %s', (_, raw, given, kind) => expect(check({ raw }, [given]).verdict.kind).toBe(kind))

  test.each(REQUIRED_FIELDS)('are not needed for a missing %s to keep the row back', (field) => {
    expect(check({ raw: { [field]: null } }).verdict).toEqual({ kind: 'invalid' })
  })
})

test('the constant stands in for a column of creditor identifiers that is not there', () => {
  const options = { constantCreditorIdentifier: 'de98zzz09999999999' }
  for (const raw of [{ sepa_creditor_identifier: '' }, { sepa_creditor_identifier: null }])
    expect(check({ raw, options }).values.creditorIdentifier).toBe('DE98ZZZ09999999999')
})

describe('any row', () => {
  const cell = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '-', '0', '1E+05', 'DE98ZZZ09999999999', '2024-05-06', 'B2B', '#N/A', '="1"'),
    fc.constantFrom(...Object.values(IBAN_EXAMPLES)),
  )
  const required = fc.record(Object.fromEntries(REQUIRED_FIELDS.map((field) => [field, cell])))
  const optional = { last_collection_date: cell, status: cell, sequence: cell, scheme: cell }
  const row = fc
    .tuple(required, fc.record(optional, { requiredKeys: [] }))
    .map((cells) => ({ ...CLEAN_ROW, ...cells[0], ...cells[1] }))

  test('gets a verdict and never throws; an error keeps it back, and no finding shows an account', () => {
    const accounts = Object.values(IBAN_EXAMPLES)
    const judged = fc.property(row, (raw) => {
      const { verdict, findings } = checkMandate(raw, OPTIONS)
      expect(findings.some(({ severity }) => severity === 'error')).toBe(verdict.kind !== 'sendable')
      const shown = findings.map(({ value, message }) => `${value} ${message}`).join(' ')
      expect(accounts.filter((account) => shown.includes(account))).toEqual([])
    })
    fc.assert(judged, { numRuns: 1000 })
  })
})

describe('the short answer to a plain cell', () => {
  const SEED = 20_261_121
  const text = (...pieces: readonly string[]) =>
    fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((all) => all.join(''))
  const accounts = fc.oneof(
    fc.constantFrom(...Object.values(IBAN_EXAMPLES), ibanOf('NL', 'XXXX0417164300'), 'DE0', 'de', ''),
    fc
      .tuple(
        fc.constantFrom('DE', 'AT', 'SE', 'LT', 'DK', 'CH', 'FR'),
        fc.nat(100),
        fc.bigInt(0n, 10n ** 20n),
      )
      .map(([country, check, number]) => {
        const { length = 0 } = SEPA_COUNTRIES.get(country) ?? {}
        const bban = `${number}`.padStart(length - 4, '0').slice(0, length - 4)
        return check < 70 ? ibanOf(country, bban) : `${country}${`${check}`.padStart(2, '0')}${bban}`
      }),
  )
  const creditors = fc
    .tuple(
      fc.constantFrom('DE', 'AT', 'NL', 'FR', 'ES', 'SE', 'GB', 'XX'),
      text('09999999999', '1', 'A', 'x', 'ZZZ', '+'),
      fc.nat(9),
    )
    .map(([country, national, wrong]) =>
      wrong === 0
        ? `${country}98ZZZ${national}`
        : creditorIdentifierOf(country, national.replaceAll(/[^A-Z0-9]/g, '')),
    )
  const references = text(
    ...['MND', 'SEPT', 'Jan', 'DEC', '2020', '12', '1', '0', '000', '31', '-', '-', '/', '.', "'", ' ', 'E'],
    ...['e', 'NONE', 'N/A', 'NULL', 'x', 'Z', 'ü', '=', '123456789012345', '+', '99999'],
  )
  const two = (n: number): string => `${n}`.padStart(2, '0')
  const year = fc.integer({ min: 2008, max: 2027 })
  const dates = fc
    .tuple(year, fc.nat(14), fc.nat(33), fc.constantFrom('', '', '', 'T20:00'))
    .map(([y, month, day, end]) => `${y}-${two(month)}-${two(day)}${end}`)
  const customers = text('1', '0', '900719925474', '99', 'x')

  test(`is the long one, which a blank before the cell asks for (seed ${SEED})`, () => {
    const cells = fc.record({
      customer_no: customers,
      iban: accounts,
      signed_date: dates,
      sepa_creditor_identifier: creditors,
      unique_mandate_reference: references,
    })
    const options = fc.record({
      newCreditorIdentifier: fc.constantFrom(null, null, creditorIdentifierOf('DE', '09999999999')),
      constantCreditorIdentifier: fc.constantFrom(null, null, creditorIdentifierOf('AT', '01234567890')),
      signedDateFormat: fc.constantFrom('iso' as const, 'unsettled' as const, 'dd.mm.yyyy' as const),
    })
    let short = 0
    fc.assert(
      fc.property(cells, options, (raw, chosen) => {
        const asked = Object.fromEntries(Object.entries(raw).map(([field, cell]) => [field, ` ${cell}`]))
        const [brief, long] = [raw, asked].map((each) => check({ raw: each, options: chosen }))
        short += REQUIRED_FIELDS.length - new Set(brief?.findings.map(({ field }) => field)).size
        const rules = (found: typeof brief) =>
          found?.findings.map(({ rule, severity }) => ({ rule, severity }))
        expect({ ...brief, findings: rules(brief) }).toEqual({ ...long, findings: rules(long) })
      }),
      { seed: SEED, numRuns: 6_000 },
    )
    expect(short).toBeGreaterThan(10_000)
  })
})

const SIGNED = dateOf('2015-01-01')

const checkCollected = (
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
    expect(checkCollected(raw)).toEqual({ rules, latestFirstDebit })
    const [finding] = checkLastCollection(raw, OPTIONS, SIGNED).findings
    const verb = rules.includes('MANDATE_DORMANT') ? 'was' : 'is'
    if (rules.join().startsWith('MANDATE_DORMANT'))
      expect(finding?.message).toContain(`The last day ${verb} ${latestFirstDebit}.`)
  })

  test('the days of warning can be configured', () => {
    expect(checkCollected('2023-08-14', { dormantSoonDays: 59 }).rules).toEqual([])
    expect(checkCollected('2023-08-15', { dormantSoonDays: 61 }).rules).toEqual(['MANDATE_DORMANT_SOON'])
    expect(checkCollected('2023-06-15', { dormantSoonDays: 0 }).rules).toEqual(['MANDATE_DORMANT_SOON'])
  })
})

describe('a last collection before the signature', () => {
  const BEFORE = 'LAST_COLLECTION_BEFORE_SIGNATURE'
  test.each<[string, string | null, 'error' | 'warning', string[], string | null]>([
    ['2024-05-05', '2024-05-06', 'error', [BEFORE], '2027-05-05'],
    // Of an earlier mandate, where the rule was lowered: then it counts as none.
    ['2020-01-01', '2024-05-06', 'error', [BEFORE], '2023-01-01'],
    ['2020-01-01', '2024-05-06', 'warning', [BEFORE], '2027-05-06'],
    ['2020-01-01', '2021-05-06', 'warning', [BEFORE, 'DORMANCY_UNKNOWN'], null],
    ['2024-05-06', '2024-05-06', 'error', [], '2027-05-06'],
    ['2024-05-05', null, 'error', [], '2027-05-05'],
  ])('of %s, signed %s, %s: %j until %s', (raw, signed, severity, rules, latestFirstDebit) => {
    const signedDate = signed === null ? null : dateOf(signed)
    const told = checkCollected(raw, { signedDate, severities: { [BEFORE]: severity } })
    expect(told).toEqual({ rules, latestFirstDebit })
  })
})

describe('an absent last collection', () => {
  const young = dateOf('2023-06-15')
  const old = dateOf('2023-06-14')

  test.each(['', ' ', '-', 'NaT', 'None', '0000-00-00', '1900-01-01', '1970-01-01'])(
    'is what %j means',
    (raw) => {
      const told = [young, old, null].map((signedDate) => checkCollected(raw, { signedDate }))
      expect(told.map(({ rules }) => rules)).toEqual([[], ['DORMANCY_UNKNOWN'], []])
      expect(told.map(({ latestFirstDebit }) => latestFirstDebit)).toEqual(['2026-06-15', null, null])
    },
  )

  test('is recognised in every notation', () => {
    const options = { signedDate: old, lastCollectionFormat: 'dd.mm.yyyy' } as const
    const first = ['01.01.1753', '01/01/0001', '1753-01-01', '30.12.1899 00:00:00', '18991230', '00.01.1900']
    for (const raw of ['01.01.1970', '1.1.1900', '01.01.1904', '00.00.0000', '1970-01-01', ...first])
      expect(checkCollected(raw, options).rules, raw).toEqual(['DORMANCY_UNKNOWN'])
    // Digits of a day that is none before 1900, and what is no day at all.
    for (const raw of ['10052010', '41.12.1899', '1899', '31.12.0024'])
      expect(checkCollected(raw, options).rules, raw).toEqual(['LAST_COLLECTION_INVALID'])
    const excel = { signedDate: old, lastCollectionFormat: 'excel' } as const
    expect(checkCollected('25569', excel).rules).toEqual(['DORMANCY_UNKNOWN'])
    expect(checkCollected('02.01.1970', { ...options, signedDate: null }).rules).toEqual(['MANDATE_DORMANT'])
  })
})

describe('an unreadable last collection', () => {
  test('ends the checks also when it is lowered, as nothing can be compared', () => {
    const lowered = checkCollected('n/a', { severities: { LAST_COLLECTION_INVALID: 'off' } })
    expect(lowered).toEqual({ rules: [], latestFirstDebit: null })
  })
})
