import fc from 'fast-check'
import { validateIBAN, ValidationErrorsIBAN } from 'ibantools'
import { describe, expect, test, vi } from 'vitest'
import { DATE_FORMATS, type DateFormat, type DecidedFormat } from '../../../src/domain/mandate/date.js'
import type { Checked, RuleId, SeverityOverrides, Verdict } from '../../../src/domain/rule/verdict.js'
import { SEPA_COUNTRIES } from '../../../src/domain/text/accounts.js'
import { checkSignedDate, checkMandate } from '../../../src/domain/value/check-mandate.js'
import {
  checkCreditorIdentifier,
  checkCustomerNo,
  checkIban,
  checkMandateReference,
  hasNationalDefect,
  isSepaIban,
  noteAssigned,
} from '../../../src/domain/value/identifiers.js'
import { TODAY, CLEAN_ROW, OPTIONS } from '../clean-row.js'
import { creditorIdentifierOf, ibanOf } from '../../support/sample-values.js'
import { IBAN_EXAMPLES } from '../iban-examples.js'
import vectors from '../verdict-vectors.json' with { type: 'json' }

const NONE = { constant: null, assigned: null }
const checkSigned = (raw: string, format: DecidedFormat = 'iso', severities: SeverityOverrides = {}) =>
  checkSignedDate(raw, format, TODAY, severities)
const checkCreditor = (raw: string, severities: SeverityOverrides = {}, settings: Settings = NONE) =>
  checkCreditorIdentifier(raw, settings, severities)
type Settings = Parameters<typeof checkCreditorIdentifier>[1]

const CHECKS = {
  customer: (raw: string) => checkCustomerNo(raw, {}),
  account: (raw: string) => checkIban(raw, {}),
  signed: (raw: string) => checkSigned(raw),
  creditor: (raw: string) => checkCreditor(raw),
  reference: (raw: string) => checkMandateReference(raw, {}),
}
type Cell = keyof typeof CHECKS
const rulesOf = ({ findings }: Checked<unknown>): RuleId[] => findings.map(({ rule }) => rule)

/** Check digits for identifiers that the vectors do not have. */
const withCheckDigits = (country: string, rest: string): string =>
  creditorIdentifierOf(country, rest.slice(3))

/** Each with the check digits that are right, and leave the same remainder. */
const ALIASES = Object.entries({ '00': '97', '01': '98', '99': '02' })

describe('the agreed vectors', () => {
  /** Verdict and code as the vectors have them: the error, else the first warning. */
  function judge({ usable, findings }: Checked<unknown>) {
    const [error, ...others] = findings.filter(({ severity }) => severity === 'error')
    expect(others).toEqual([])
    expect(usable).toBe(error === undefined)
    if (error !== undefined) return { verdict: 'reject', code: error.rule }
    const [warning] = findings
    return warning === undefined ? { verdict: 'accept', code: '' } : { verdict: 'warn', code: warning.rule }
  }
  const declared = (format: string): DateFormat => DATE_FORMATS.find((each) => each === format)!

  test('are those of today', () => expect(vectors.today).toBe(TODAY))

  test.each([
    // A rejected value has no cleaned form to send: the vectors repeat the raw text.
    ...vectors.iban.map((vector) => {
      const checked = checkIban(vector.raw, {})
      const seen = checked.usable ? checked.value : vector.raw
      return { ...vector, checked, value: vector.normalized, seen }
    }),
    ...vectors.creditor_identifier.map((vector) => ({ ...vector, checked: checkCreditor(vector.raw) })),
    ...vectors.umr.map((vector) => ({ ...vector, checked: CHECKS.reference(vector.raw) })),
    ...vectors.signed_date.map((vector) => {
      const checked = checkSigned(vector.raw, declared(vector.format))
      return { ...vector, checked, value: vector.iso }
    }),
    ...vectors.customer_no.map((vector) => ({ ...vector, checked: CHECKS.customer(vector.raw) })),
  ])('$raw: $verdict $code ($why)', (vector) => {
    const { verdict, code, checked } = vector
    expect(judge(checked)).toEqual({ verdict, code })
    if ('value' in vector) expect('seen' in vector ? vector.seen : checked.value).toBe(vector.value)
  })
})

describe('a cell', () => {
  const FILLERS = 'NOTPROVIDED,Not provided,n/a,NA,none,unknown,UNBEKANNT,-,0'.split(',')
  const EMPTY =
    'Null,keine,Aucune,geen,--,?,nil,NaN,NaT,undefined,(null),(leer),vide,DBNull,0000-00-00'.split(',')
  test.each<[Cell, RuleId, readonly string[]]>([
    ['customer', 'CUST_EMPTY', ['', ' ="" ']],
    ['customer', 'CUST_FORMAT', ['+5', '1 000', '1,0', '0x10', "'5", 'K-17']],
    ['customer', 'CUST_RANGE', ['0', '000', '9007199254740992', '1'.repeat(60_000)]],
    ['signed', 'DATE_EMPTY', ['', ' \u00a0']],
    ['signed', 'DATE_INVALID', ['-', '1899-12-31']],
    ['reference', 'UMR_CHARSET', ['A&B', 'A*B', 'A"B', 'A’B', 'A\u00a0B', 'A\u200bB', 'A\tB', 'A|B', 'Ａ１']],
    ['creditor', 'CI_EMPTY', ['', '-']],
    ['creditor', 'EXCEL_SCIENTIFIC', ['9,8E+17']],
    ['creditor', 'CI_FORMAT', ['D098ZZZ09999999999', 'DEX8ZZZ09999999999', 'DE98ZZ-09999999999/1']],
    ['creditor', 'CI_FORMAT', ['DE98ZZZ0999999999Ö', 'DE98ZZZ099999999/9', `PL18ZZZ${'1'.repeat(29)}`]],
    ['account', 'IBAN_EMPTY', ['', ' \u200b=""']],
    ['account', 'IBAN_MASKED', ['DE89 **** **** 3000', 'DE89••••3000', 'DE89●3000', 'DE89…3000']],
    ['account', 'IBAN_MASKED', ['DE89xXxX3000', 'DE89 ####', '3000']],
    ['account', 'IBAN_COUNTRY', ['30001', '#N/A', '-', 'D', 'US64SVBKUS6S3300958879', 'AX2112345600000785']],
    ['account', 'IBAN_COUNTRY', ['JE29NWBK60161331926819', 'ＤＥ89370400440532013000']],
    ['account', 'IBAN_NOT_SEPA', ['TR33']],
    ['account', 'IBAN_CHARSET', ['DE89370400440532O1300Ö', 'DE89\n370400440532013000']],
    ['account', 'IBAN_LENGTH', ['DE', 'DE893704004405320130000', 'DE89 3704 0044 0532 0130 00 1']],
    ['account', 'IBAN_NOT_ALONE', ['DE89 3704 0044 0532 0130 00 COBADEFFXXX', 'Bank DE89370400440532013000']],
    ['account', 'IBAN_NOT_ALONE', ['COBADEFF/DE89370400440532013000', 'Anna Muster NL91ABNA0417164300']],
    ['account', 'IBAN_NOT_ALONE', ['BIC: COBADEFF IBAN: DE89370400440532013000']],
    ['account', 'IBAN_NOT_ALONE', ['DE89370400440532013000, NL91ABNA0417164300']],
    // An Irish bank code is four letters, though the library takes digits.
    ['account', 'IBAN_STRUCTURE', ['DE8937040044053201300O', 'DEO9370400440532013000', 'NL9114BN0417164300']],
    ['account', 'IBAN_STRUCTURE', ['IE29A1BK93115212345678']],
    ['reference', 'UMR_EMPTY', ['', 'System.DBNull', 'keine Angabe', ...EMPTY]],
  ])('%s ends with %s alone, and is not sent: %j', (cell, rule, raws) => {
    for (const raw of raws) {
      const checked = CHECKS[cell](raw)
      expect([rulesOf(checked), checked.usable], raw).toEqual([[rule], false])
    }
  })

  const DATES = '1.2.23,01.02.2023,31/12/23,12/31/2023,1-2-2023,2023-02-01,1-Feb,01-mrz'.split(',')
  const LONG = ['RO', 'LI', 'IS'].map((country) => withCheckDigits(country, 'ZZZ123456789012'))
  test.each<[Cell, RuleId, readonly string[]]>([
    ['reference', 'UMR_PLACEHOLDER', FILLERS],
    ['reference', 'UMR_LOOKS_LIKE_DATE', [...DATES, 'MAR-10', 'Okt-2023', 'dez-07', '1. Feb']],
    ['creditor', 'CI_LENGTH_UNCONFIRMED', LONG],
    ['creditor', 'CI_LENGTH_UNKNOWN', ['MD', 'GF', 'GG'].map((each) => withCheckDigits(each, 'ZZZ123456'))],
  ])('%s may be sent with %s: %j', (cell, rule, raws) => {
    for (const raw of raws) {
      const checked = CHECKS[cell](raw)
      expect(rulesOf(checked), raw).toContain(rule)
      expect(checked, raw).toMatchObject({ usable: true, value: cell === 'signed' ? raw.slice(0, 10) : raw })
    }
  })

  const NO_DATES = '1-2,0.1.23,1.2,1.2.2,1.2.20234,1.2/23,40.40.23,13.13.2023,2023-13-13'.split(',')
  test.each<[Cell, readonly string[]]>([
    ['reference', ['x'.repeat(35), 'A/B', '12E10', "AZaz09/-?:().,'+", 'NOTPROVIDED1', '00', 'A--B', 'NANA']],
    ['reference', ["1'23'"]],
    ['reference', ['1234567890123451', '123456789012340', 'A123456789012345000']],
    ['reference', [...NO_DATES, '32-Feb', 'MND-10', '1-Foo']],
    // The business code plays no part in the check digits.
    ['creditor', ['DE98ABC09999999999', 'DE9800109999999999', 'DE98Z1Z09999999999']],
  ])('%s may be sent without a word: %j', (cell, raws) => {
    for (const raw of raws) {
      const { usable, value, findings } = CHECKS[cell](raw)
      expect({ usable, value, findings }).toEqual({ usable: true, value: raw, findings: [] })
    }
  })
})

describe('the customer number', () => {
  test('is read over blanks, markers and zeros around it, exactly where it is a safe integer from 1', () => {
    expect(CHECKS.customer(' 42\u00a0')).toEqual({ usable: true, value: 42, findings: [] })
    expect(CHECKS.customer('="0042"')).toMatchObject({ value: 42, findings: [{ rule: 'CUST_LEADING_ZERO' }] })
    expect(CHECKS.customer('009007199254740991').value).toBe(Number.MAX_SAFE_INTEGER)
    const isExact = (n: number) => CHECKS.customer(String(n)).value === (n >= 1 ? n : null)
    fc.assert(fc.property(fc.maxSafeInteger(), isExact))
  })

  test.each(['1.00500E+11', '1,005E+05'])('%s is explained as what a spreadsheet made of it', (raw) => {
    const [finding] = CHECKS.customer(raw).findings
    expect(finding).toMatchObject({ rule: 'EXCEL_SCIENTIFIC', severity: 'error' })
    expect(finding?.message).toContain('The spreadsheet replaced this value by a rounded number')
    const lowered = checkCustomerNo(raw, { EXCEL_SCIENTIFIC: 'off' })
    expect(lowered).toMatchObject({ usable: false, findings: [{ rule: 'CUST_FORMAT' }] })
  })
})

describe('the signed date', () => {
  test('of a two-digit year is a warning that names what was read', () => {
    expect(rulesOf(checkSigned('01.02.08', 'dd.mm.yy'))).toEqual(['DATE_PRE_SEPA', 'DATE_TWO_DIGIT_YEAR'])
    expect(checkSigned('01.02.23', 'dd.mm.yy').findings[0]?.message).toContain('It was read as 2023-02-01.')
  })

  test.each(['iso', 'dd.mm.yyyy', 'unsettled'] as const)(
    'explains what a spreadsheet made of it in a column of %s',
    (format) => {
      const [number] = checkSigned('45231', format).findings
      expect(number?.rule).toBe('DATE_INVALID')
      expect(number?.message).toContain('as a number of days (2023-11-01, or four years later')
      expect(number?.remedy).toContain('Declare the format "excel" for this column')
      const [narrow] = checkSigned('########', format).findings
      expect(narrow?.rule).toBe('DATE_INVALID')
      expect(narrow?.message).toContain('its column was too narrow. The date is not in the file.')
      expect(narrow?.remedy).toContain('Widen the column and save again')
    },
  )

  test('is left alone where its column is declared so, and other numbers are not taken for it', () => {
    expect(checkSigned('45231', 'excel')).toMatchObject({ usable: true, value: '2023-11-01' })
    expect(checkSigned('20231101').findings[0]?.message).not.toContain('number of days')
    expect(rulesOf(checkSigned('12', 'unsettled'))).toEqual(['DATE_AMBIGUOUS'])
  })
})

describe('the mandate reference', () => {
  test('is sent exactly as written, and counted in characters where the charset is lowered', () => {
    expect(CHECKS.reference(' 00-aB c \u200b')).toMatchObject({ usable: true, value: '00-aB c' })
    const lowered = (count: number) =>
      rulesOf(checkMandateReference('\u{1f600}'.repeat(count), { UMR_CHARSET: 'off' }))
    expect([lowered(35), lowered(36)]).toEqual([[], ['UMR_LENGTH']])
  })
})

describe('the creditor identifier', () => {
  const CI = 'DE98ZZZ09999999999'

  test('skips the check digits with special characters, but only where they are allowed', () => {
    expect(rulesOf(checkCreditor("PL18ZZZ+?/:().,'0"))).toEqual(['CI_NATIONAL_CHARS'])
    expect(rulesOf(checkCreditor('FR18ZZZ+?/:()'))).toEqual(['CI_FORMAT'])
    expect(rulesOf(checkCreditor('FR18ZZZ+?/:()', { CI_FORMAT: 'off' }))).toEqual(['CI_NATIONAL_CHARS'])
  })

  test.each(ALIASES)('has no check digits %s for %s, though the remainder is right', (alias, digits) => {
    const rests = Array.from({ length: 97 }, (_, i) => `ZZZ${String(i).padStart(11, '0')}`)
    const rest = rests.find((each) => withCheckDigits('DE', each) === `DE${digits}${each}`)!
    expect(rulesOf(checkCreditor(`DE${digits}${rest}`))).toEqual([])
    expect(rulesOf(checkCreditor(`DE${alias}${rest}`))).toEqual(['CI_CHECKSUM'])
  })

  const accepted = vectors.creditor_identifier
    .filter(({ verdict }) => verdict === 'accept')
    .map(({ raw }) => checkCreditor(raw).value!)

  test.each(accepted)('%s with any other digit, or two that swapped, is an error', (ci) => {
    const isDigit = (at: number): boolean => at >= 2 && (at < 4 || at > 6) && /[0-9]/.test(ci[at] ?? '')
    for (let at = 2; at < ci.length; at += 1) {
      if (!isDigit(at)) continue
      const others = Array.from('0123456789', (digit) => ci.slice(0, at) + digit + ci.slice(at + 1))
      if (isDigit(at + 1)) others.push(ci.slice(0, at) + ci[at + 1]! + ci[at]! + ci.slice(at + 2))
      for (const damaged of others.filter((each) => each !== ci))
        expect(checkCreditor(damaged).usable, damaged).toBe(false)
    }
  })

  const constant = ' de98 zzz0 9999 9999 99'
  const besides = (cell: string, settings: Partial<Settings>) =>
    checkCreditor(cell, {}, { ...NONE, ...settings })

  test.each(['', ' ', '-', '=""'])('is the configured constant where the cell is %j', (cell) => {
    expect(besides(cell, { constant })).toEqual({ usable: true, value: CI, findings: [] })
  })

  test.each([
    ['', 'AT61ZZZ1234567890', ['CI_LENGTH']],
    ['', ' ', ['CI_EMPTY']],
    [CI, '', []],
    [CI, 'DE98ZZZ', []],
  ])('%j beside the constant %j: the constant is checked like a cell', (cell, given, rules) => {
    expect(rulesOf(besides(cell, { constant: given }))).toEqual(rules)
  })

  test('is read from nothing else, so that no key is made of an account, and no finding shows one', () => {
    for (const raw of ['9,8E+17', 'FR72ZZZ', 'DE89370400440532013000'])
      expect(checkCreditor(raw).value).toBeNull()
    expect(checkCreditor('DE97ZZZ09999999999').findings[0]?.value).toBe('DE97ZZZ09999999999')
    expect(checkCreditor('DE89370400440532013000').findings[0]?.value).toBe('DE…3000')
    expect(checkCreditor('DE98ZZZ9999999999').findings[0]?.message).toContain(
      'It has 17 characters, DE uses 18',
    )
  })
})

const accountRules = (raw: string, severities: SeverityOverrides = {}) => rulesOf(checkIban(raw, severities))
const examples = Object.values(IBAN_EXAMPLES)
const withDigit = (iban: string, at: number, digit: string): string =>
  iban.slice(0, at) + digit + iban.slice(at + 1)

describe('the examples of all SEPA countries', () => {
  test.each(examples)('%s may be sent, also spelled in groups, in lower case and with a label', (iban) => {
    const checked = checkIban(iban, {})
    expect(checked).toMatchObject({ usable: true, value: iban })
    expect([[], ['IBAN_NON_EEA'], ['IBAN_NEW_SEPA']]).toContainEqual(rulesOf(checked))
    const spelled = `IBAN: ${iban.toLowerCase().replace(/(.{4})/g, '$1\u00a0')}`
    expect([checkIban(spelled, {}).value, checkIban(`'${iban}`, {}).value]).toEqual([iban, iban])
  })

  test('with another digit in any place, or two digits or letters that swapped places, are errors', () => {
    // A letter and a digit can hide it: 1B and B1 are both read as 111.
    const isDigit = (character: string): boolean => /[0-9]/.test(character)
    for (const iban of examples)
      for (let at = 2; at < iban.length; at += 1) {
        const [a, b = ''] = [iban[at]!, iban[at + 1]]
        const others = isDigit(a) ? Array.from('0123456789', (digit) => withDigit(iban, at, digit)) : []
        if (b !== '' && isDigit(a) === isDigit(b)) others.push(iban.slice(0, at) + b + a + iban.slice(at + 2))
        for (const damaged of others.filter((each) => each !== iban))
          expect(checkIban(damaged, {}).usable, damaged).toBe(false)
      }
  })

  test.each(ALIASES)('have no check digits %s for %s, though the remainder is right', (alias, digits) => {
    const accounts = Array.from({ length: 97 }, (_, i) => String(i).padStart(10, '0'))
    const account = accounts.find((each) => isSepaIban(`DE${digits}37040044${each}`))!
    expect(accountRules(`DE${digits}37040044${account}`)).toEqual([])
    expect(accountRules(`DE${alias}37040044${account}`)).toEqual(['IBAN_CHECK_RANGE'])
    expect(isSepaIban(`DE${alias}37040044${account}`)).toBe(false)
  })
})

describe('the account number', () => {
  test.each([
    ['CH', '29999', false],
    ['CH', '30000', true],
    ['CH', '31999', true],
    ['CH', '32000', false],
    ['LI', '30000', true],
    ['DE', '30000', false],
  ])('of %s with institution %s is a QR-IBAN: %s', (country, institution, isQr) => {
    const rest = country === 'DE' ? '0000000000000' : '123000889012'
    expect(accountRules(ibanOf(country, institution + rest)).includes('IBAN_QR')).toBe(isQr)
  })

  const OFF = { IBAN_LENGTH: 'off', IBAN_STRUCTURE: 'off', IBAN_CHECKSUM: 'off' } as const
  test.each<[string, SeverityOverrides, RuleId[]]>([
    // One digit short, and the remainder is wrong: two defects need two overrides.
    ['DE9037040044053201300', { IBAN_LENGTH: 'warning' }, ['IBAN_LENGTH', 'IBAN_STRUCTURE']],
    [
      'DE9037040044053201300',
      { ...OFF, IBAN_STRUCTURE: 'warning', IBAN_CHECKSUM: 'error' },
      ['IBAN_STRUCTURE', 'IBAN_CHECKSUM'],
    ],
    ['DE9037040044053201300', OFF, []],
    // What can be checked of another country still is.
    ['TR330006100519786457841326', { IBAN_NOT_SEPA: 'warning' }, ['IBAN_NOT_SEPA']],
    ['TR330006100519786457841327', { IBAN_NOT_SEPA: 'warning' }, ['IBAN_NOT_SEPA', 'IBAN_CHECKSUM']],
    ['TR3300061005197864578413_6', { IBAN_NOT_SEPA: 'warning' }, ['IBAN_NOT_SEPA', 'IBAN_CHARSET']],
    // Nobody disagrees about an IBAN that the own checks refused too.
    ['DE90370400440532013000', { IBAN_CHECKSUM: 'warning' }, ['IBAN_CHECKSUM']],
    ['CH4431999123000889012', { IBAN_QR: 'warning' }, ['IBAN_QR', 'IBAN_NON_EEA']],
    // The national check still runs when the checksum rule is lowered, with length and structure of the country.
    ['ES9121000418460200051332', { IBAN_CHECKSUM: 'off' }, ['IBAN_NATIONAL_CHECK']],
    ['BE68539007547035', OFF, ['IBAN_NATIONAL_CHECK']],
    ['BE6853900754703', OFF, []],
    ['BE6853900754703A', OFF, []],
  ])('%s with %j gives %j', (raw, severities, rules) => expect(accountRules(raw, severities)).toEqual(rules))

  test('is never a label alone, whatever is lowered', () => {
    const checked = checkIban('IBAN:', { ...OFF, IBAN_COUNTRY: 'off' })
    expect(checked).toMatchObject({ usable: false, value: null, findings: [{ rule: 'IBAN_EMPTY' }] })
  })

  test.each([
    ['DE89/3704.0044_0532#013000', 'Found "/", ".", "_", "#".'],
    ['DE89３７0400440532013000', 'Found a digit that is not 0-9.'],
    ['DE89\u0000370400440532013000', 'Found "<U+0000>".'],
    ['DE89!$%&/()=?+370400440532013000', 'Found "!", "$", "%", "&", "/", "(", ")", "=".'],
    ['de90 3704 0044 0532 0130 00', ''],
  ])('%j names the characters that are not allowed, and shows no account', (raw, found) => {
    const [finding] = checkIban(raw, {}).findings
    expect(finding?.message).toContain(found)
    expect(finding?.value).toBe('DE…3000')
  })
})

test('the table of ibantools agrees with the own one on every IBAN that the own table can describe', () => {
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
    return fc.tuple(...characters).map((all) => ibanOf(code, all.join('')))
  })
  fc.assert(
    fc.property(anyIban, (iban) => {
      const { errorCodes } = validateIBAN(iban)
      expect(
        errorCodes.filter((code) => code !== ValidationErrorsIBAN.WrongAccountBankBranchChecksum),
      ).toEqual([])
      expect(isSepaIban(iban)).toBe(true)
    }),
    { numRuns: 3000 },
  )
})

describe('the national check', () => {
  test.each(['FI', 'IT', 'SM'])('of %s passes for the example and catches any other digit', (country) => {
    const iban = IBAN_EXAMPLES[country]!
    expect(hasNationalDefect(iban)).toBe(false)
    for (let at = 5; at < iban.length; at += 1)
      for (const digit of '0123456789')
        if (/[0-9]/.test(iban[at]!) && digit !== iban[at])
          expect(hasNationalDefect(withDigit(iban, at, digit)), `${digit} at ${at}`).toBe(true)
  })

  test.each([
    // The Italian letter: odd positions count by the table, even ones by the alphabet.
    ['IT00X0542811101000000123456', false],
    ['IT00X05428111010000A0123456', false],
    ['IT00X05428111010000B0123456', true],
    ['DE00000000000000000001', false],
  ])('of %s finds a defect: %s', (iban, isFound) => expect(hasNationalDefect(iban)).toBe(isFound))
})

test('a creditor identifier is judged alike whatever was judged before it', async () => {
  const [own, other] = ['DE98ZZZ09999999999', 'AT61ZZZ01234567890']
  const given = ['', ' ', own, other, `${own} `, 'DE99ZZZ09999999999'].flatMap((cell) =>
    [
      { constant: null, assigned: null },
      { constant: null, assigned: own },
      { constant: other, assigned: null },
    ].map((settings) => [cell, settings] as const),
  )
  const fresh = async () => {
    vi.resetModules()
    return (await import('../../../src/domain/value/identifiers.js')).checkCreditorIdentifier
  }
  const alone = await Promise.all(given.map(async (each) => (await fresh())(...each)))
  expect(alone.filter(({ usable }) => usable).length).toBeGreaterThan(3)
  const check = await fresh()
  for (const before of given)
    given.forEach((each, at) => {
      check(...before)
      expect(check(...each), JSON.stringify([before, each])).toEqual(alone[at])
    })
})

const { verdict } = checkMandate(CLEAN_ROW, OPTIONS)
const { mandate } = verdict as Extract<Verdict, { kind: 'sendable' }>
const noted = (change: object): RuleId[] =>
  noteAssigned(mandate, { creditorIdentifier: 'AT61ZZZ01234567890', mandateReference: 'NEW-1', ...change })

test.each<[object, RuleId[]]>([
  [{}, []],
  ...['DE98ZZZ09999999999', 'DE98ABC09999999999', 'de98 xyz 0999 9999 999'].map((old): [object, RuleId[]] => [
    { creditorIdentifier: old },
    ['RESPONSE_CI_UNCHANGED'],
  ]),
  [{ creditorIdentifier: 'DE98ZZZ099999999' }, ['RESPONSE_IDENTIFIER_FORMAT']],
  [{ creditorIdentifier: 'x' }, ['RESPONSE_IDENTIFIER_FORMAT']],
  [{ mandateReference: 'x'.repeat(36) }, ['RESPONSE_IDENTIFIER_FORMAT']],
  [{ mandateReference: 'NEW_1' }, ['RESPONSE_IDENTIFIER_FORMAT']],
  [{ mandateReference: ' mnd-000123 ' }, ['RESPONSE_UMR_UNCHANGED']],
  // A warning about the form of an old identifier says nothing about a new one.
  [{ mandateReference: 'NEW 1' }, []],
])('of assigned identifiers %j is noted as %j', (change, notes) => expect(noted(change)).toEqual(notes))
