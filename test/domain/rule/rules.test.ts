import { describe, expect, test } from 'vitest'
import { isRuleId, RULES, ruleOf, severityOf, showValue } from '../../../src/domain/rule/verdict.js'
import type { RuleId, Severity } from '../../../src/domain/rule/verdict.js'
import { readFileSync } from 'node:fs'

// Written down a second time: section | error | warning | off. A dagger leaves no usable value, a word in brackets is the state.
const AGREED = `
normalisation | EXCEL_SCIENTIFIC | |
customer-number | CUST_EMPTY †, CUST_FORMAT †, CUST_RANGE † | CUST_LEADING_ZERO |
crosswalk | CROSSWALK_NO_MATCH †, CROSSWALK_AMBIGUOUS †, CROSSWALK_MISMATCH, JOIN_NO_MATCH †, JOIN_AMBIGUOUS † | CROSSWALK_DUPLICATE_LINE, CROSSWALK_UNUSED_LINE |
account-number | IBAN_EMPTY †, IBAN_MASKED, IBAN_NOT_ALONE, IBAN_COUNTRY, IBAN_NOT_SEPA, IBAN_CHARSET, IBAN_LENGTH, IBAN_STRUCTURE, IBAN_CHECK_RANGE, IBAN_CHECKSUM, IBAN_QR | IBAN_NON_EEA, IBAN_NEW_SEPA, IBAN_NATIONAL_CHECK |
signature-date | DATE_EMPTY †, DATE_AMBIGUOUS †, DATE_INVALID †, DATE_FUTURE, DATE_UTC_SHIFT | DATE_PRE_SEPA, DATE_LEGACY_DEFAULT, DATE_TWO_DIGIT_YEAR |
creditor-identifier | CI_EMPTY †, CI_FORMAT, CI_LOOKS_LIKE_IBAN, CI_CHECKSUM, CI_COUNTRY, CI_LENGTH, CI_CONSTANT_MISMATCH | CI_LENGTH_UNCONFIRMED, CI_LENGTH_UNKNOWN, CI_NATIONAL_CHARS, CI_SAME_AS_NEW |
mandate-reference | UMR_EMPTY †, UMR_CHARSET, UMR_LENGTH, UMR_SLASH, UMR_PRECISION | UMR_SPACE, UMR_PLACEHOLDER, UMR_LOOKS_LIKE_DATE, UMR_APOSTROPHE |
last-collection | LAST_COLLECTION_INVALID, LAST_COLLECTION_BEFORE_SIGNATURE, MANDATE_DORMANT (excluded) | LAST_COLLECTION_FUTURE, MANDATE_DORMANT_SOON, DORMANCY_UNKNOWN |
status-sequence-scheme | STATUS_NOT_ACTIVE (excluded), SEQUENCE_ONE_OFF (excluded), SEQUENCE_FINAL (excluded), SCHEME_B2B (excluded), STATUS_UNKNOWN † (conflict), SEQUENCE_UNKNOWN † (conflict), SCHEME_UNKNOWN † (conflict) | |
rules-across-rows | CONFLICT_MANDATE (conflict), DUPLICATE_MANDATE (duplicate), EXPORT_ORDER_UNKNOWN † (conflict), MANDATE_ENDED_ELSEWHERE † (conflict), CONTRADICTS_SENT † (conflict), CHANGED_SINCE_COMPARED † (conflict) | CUSTOMER_MULTIPLE_MANDATES, MANDATE_NEAR_DUPLICATE | IBAN_SHARED
file-rules | FILE_FORMAT †, FILE_ENCODING †, FILE_DELIMITER †, FILE_HEADER_MISSING †, FILE_HEADER_DUPLICATE †, FILE_HEADER_AMBIGUOUS †, FILE_RECORD_TOO_LONG †, FILE_CHANGED †, FILE_EMPTY †, ROW_FIELD_COUNT †, FILE_SHEET_UNCLEAR †, FILE_HIDDEN †, ROW_FORMULA_UNCOMPUTED † | FILE_FORMULAS, FILE_DORMANCY_UNKNOWN, FILE_ENCODING_ASSUMED, FILE_MOJIBAKE, FILE_DATE_DOMINANT, FILE_UMR_EQUALS_CUSTOMER, FILE_CI_MIXED, FILE_CI_LENGTH, FILE_TOTALS_LINE |
answers | RESPONSE_ECHO_MISMATCH | RESPONSE_CI_UNCHANGED, RESPONSE_CUSTOMER_TEXT, RESPONSE_IDENTIFIER_FORMAT | RESPONSE_UMR_UNCHANGED
rules-across-rows | CORRECTION_UNREADABLE †, CORRECTION_TAKES_REFERENCE † (conflict), CORRECTION_TAKES_ACCOUNT † (conflict), CORRECTION_TAKES_CUSTOMER † (conflict), CORRECTION_TAKES_DATE † (conflict), MANDATE_RESEMBLES_SENT (conflict), SECOND_CONTRACT (conflict) | |
answers | | RESPONSE_STATUS_WORD |
bank-evidence | EVIDENCE_REFERENCE_DIFFERS (conflict), EVIDENCE_CREDITOR_DIFFERS (conflict), EVIDENCE_DATE_DIFFERS (conflict), EVIDENCE_ACCOUNT_DIFFERS (conflict), EVIDENCE_ENDED (conflict) | EVIDENCE_NEVER_COLLECTED, EVIDENCE_NOT_IN_EXPORT, EVIDENCE_LACKS (conflict) |
who-is-the-customer | CUSTOMER_NAME_DIFFERS (conflict), CUSTOMER_UNKNOWN (conflict), FILE_CUSTOMERS_DIFFER | |
exclusions | EXCLUDED_BY_CONFIGURATION (excluded) | |
file-rules | FILE_QUOTE_STRAY †, FILE_ROW_LEFT_OUT, FILE_COUNT_MISMATCH, FILE_COLUMN_UNDECIDED, FILE_ACCOUNT_DOMINANT, FILE_DAYS_SWAPPED, FILE_CONFIGURATION_FORGOTTEN, FILE_OF_ANOTHER_LEDGER †, FILE_WORDS_UNKNOWN †, ROW_MAY_BE_CUT † (conflict), FILE_HEADER_SECOND †, FILE_DATES_SHIFTED | FILE_MAY_BE_CUT, FILE_LINES_LEFT_OUT, FILE_SHEET_LEFT_OUT |`

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'off']

const agreed = AGREED.trim()
  .split('\n')
  .flatMap((line) => {
    const [section = '', ...columns] = line.split('|').map((cell) => cell.trim())
    const entries = columns.map((column) => column.split(', ').filter((entry) => entry !== ''))
    return entries.flatMap((all, i) =>
      all.map((entry) => ({
        ...{ section, severity: SEVERITIES[i]!, id: entry.split(' ')[0]! },
        ...{ unusable: entry.includes('†'), state: /\((\w+)\)/.exec(entry)?.[1] },
      })),
    )
  })

describe('the catalogue', () => {
  test.each(agreed)('holds $id as the rulebook lists it', ({ id, section, severity, unusable, state }) => {
    expect(isRuleId(id)).toBe(true)
    const rule = ruleOf(id as RuleId)
    expect({ unusable: false, ...rule }).toMatchObject({ section, severity, unusable })
    expect(rule.state).toBe(state)
  })

  test('holds nothing else', () =>
    expect(Object.keys(RULES).sort()).toEqual(agreed.map(({ id }) => id).sort()))

  test('tells the operator in sentences what is wrong and what to do', () => {
    for (const [id, { message, remedy }] of Object.entries(RULES))
      for (const sentence of [message, remedy]) expect(sentence, id).toMatch(/^[A-Z].*\.$/)
  })

  test.each(['toString', 'constructor', 'iban_empty'])('has no %s', (name) =>
    expect(isRuleId(name)).toBe(false),
  )
})

test('an override wins over the default, and only for its rule', () => {
  expect(severityOf('IBAN_SHARED', {})).toBe('off')
  expect(severityOf('IBAN_SHARED', { IBAN_SHARED: 'error' })).toBe('error')
  expect(severityOf('IBAN_QR', { IBAN_SHARED: 'error' })).toBe('error')
  expect(severityOf('IBAN_QR', { IBAN_QR: 'off' })).toBe('off')
})

describe('a value in a report', () => {
  test('is masked, and its unprintable characters are code points', () => {
    expect(showValue('a\u200b DE89370400440532013000\u0007')).toBe('a<U+200B> DE…3000<U+0007>')
    // Of an IBAN column, whatever stands between the digits.
    expect(showValue('DE89#3704#0044#0532#0130#00', 'iban')).toBe('DE…3000')
  })

  test('is capped, and an account at the cut does not show', () => {
    expect(showValue('x'.repeat(120))).toBe('x'.repeat(120))
    expect(showValue('x'.repeat(121))).toBe(`${'x'.repeat(120)}…`)
    expect(showValue(`${'x '.repeat(55)}DE89370400440532013000 ${'y'.repeat(99)}`)).toContain('DE…3000')
    expect(showValue('y'.repeat(64_000)).length).toBeLessThan(200)
  })
})

const page = readFileSync(new URL('../../../src/domain/rulebook.md', import.meta.url), 'utf8')

/** By the anchor that GitHub makes of the heading. */
const sections = new Map(
  page.split('\n## ').map((section): [string, string] => {
    const heading = (section.split('\n')[0] ?? '').toLowerCase()
    return [heading.replace(/[^a-z0-9 -]/g, '').replaceAll(' ', '-'), section]
  }),
)
const named = new Set(agreed.map(({ section }) => section))

describe('the rulebook beside the rules', () => {
  test.each([...named])('gives the source of %s', (section) => {
    expect(sections.get(section) ?? 'no such heading').toMatch(/^\*\*Source:\*\* \S/m)
  })

  test('names no rule that does not exist', () => {
    const rules = page.match(/\b[A-Z]+[0-9]?[A-Z]*(?:_[A-Z0-9]+)+\b/g) ?? []
    expect([...new Set(rules)].filter((name) => !isRuleId(name))).toEqual([])
  })
})
