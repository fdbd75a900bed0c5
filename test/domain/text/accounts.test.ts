import { countrySpecs } from 'ibantools'
import { describe, expect, test, it } from 'vitest'
import {
  CREDITOR_IDENTIFIER_LENGTHS,
  NON_SEPA_COUNTRIES,
  SEPA_COUNTRIES,
  TERRITORIES,
  mod97,
  maskAccountCell,
  maskAccounts,
  maskIban,
  isAccountColumn,
  maskNumbers,
} from '../../../src/domain/text/accounts.js'
import { IBAN_EXAMPLES } from '../iban-examples.js'
import fc from 'fast-check'

describe('the SEPA countries', () => {
  test('are 41 scheme countries and Gibraltar, with an example each', () => {
    expect(SEPA_COUNTRIES.size).toBe(42)
    expect([...SEPA_COUNTRIES.keys()]).toEqual(Object.keys(IBAN_EXAMPLES))
  })

  test.each([...SEPA_COUNTRIES.values()])('$name states length and structure of its example', (country) => {
    const example = IBAN_EXAMPLES[country.code]!
    expect(example).toHaveLength(country.length)
    expect(example.slice(4)).toMatch(country.bban)
    expect(`${example.slice(4)}0`).not.toMatch(country.bban)
    const lower = example.slice(4).toLowerCase()
    expect(lower).not.toMatch(/[A-Z]/.test(example.slice(4)) ? country.bban : /[a-z]/)
  })

  test('agree with ibantools on every length, so that a change on either side shows', () => {
    for (const country of SEPA_COUNTRIES.values())
      expect(countrySpecs[country.code]?.chars, country.code).toBe(country.length)
  })
})

test.each([
  ['RO', 'ZZZ1234567897'],
  ['RO', 'ZZZ1800101221144'],
  ['LI', 'ZZZ00000000012'],
  ['IS', 'ZZZ5501690149'],
])('creditor identifiers of %s have a known length: %s', (code, rest) => {
  const known = CREDITOR_IDENTIFIER_LENGTHS.get(code)
  expect(known?.totals).toContain(rest.length + 4)
})

test('no prefix is in two tables', () => {
  const all = [...SEPA_COUNTRIES.keys(), ...NON_SEPA_COUNTRIES, ...TERRITORIES]
  expect(new Set(all).size).toBe(all.length)
  expect(NON_SEPA_COUNTRIES.size).toBe(47)
  expect(TERRITORIES.size).toBe(16)
  for (const prefix of all) expect(prefix).toMatch(/^[A-Z]{2}$/)
})

test('only in Estonia has a right creditor identifier the length of an IBAN, and there an IBAN has no letters', () => {
  const alike = [...CREDITOR_IDENTIFIER_LENGTHS].filter(([code, { totals }]) =>
    totals.includes(SEPA_COUNTRIES.get(code)!.length),
  )
  expect(alike.map(([code]) => code)).toEqual(['EE'])
  expect('ZZZ0123456789012').not.toMatch(SEPA_COUNTRIES.get('EE')!.bban)
})

test.each(['a', '1a', '-', ' ', 'É', '１', '1/2'])('%j has none', (text) => expect(mod97(text)).toBe(-1))

const examples = Object.values(IBAN_EXAMPLES)

/** What a reader could put together again: letters and digits alone, upper case, full-width ones made plain. */
const squeeze = (text: string): string =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')

const gap = fc.constantFrom('', '', '', ' ', '-', '\u00a0', '  ', ' - ', '.', '/', '\u200b', '\t', '\n', '–')

/** One example IBAN with gaps anywhere, in any case. */
const spelledIban = fc.constantFrom(...examples).chain((iban) => {
  const each = { minLength: iban.length, maxLength: iban.length }
  return fc.tuple(fc.array(gap, each), fc.array(fc.boolean(), each)).map(([gaps, isLower]) => ({
    iban,
    text: Array.from(
      iban,
      (letter, i) => (isLower[i] === true ? letter.toLowerCase() : letter) + gaps[i]!,
    ).join(''),
  }))
})

describe('masking an IBAN', () => {
  test.each([
    ['DE89370400440532013000', 'DE…3000'],
    ['MT84MALT011000012345MTLCAST001S', 'MT…001S'],
    ['de89 3704 0044 0532 0130 00', 'DE…3000'],
    ['DE…3000', 'DE…3000'],
    ['DE893000', 'DE…'],
    ['3000', '…'],
    ['', '…'],
    ['532013000', '…'],
    ['53201300037040044', '…0044'],
  ])('of %j shows country and last four, nothing of a short one: %s', (iban, masked) =>
    expect(maskIban(iban)).toBe(masked),
  )
})

describe('masking free text', () => {
  test.each([
    ['The account DE89370400440532013000 is unknown', 'The account DE…3000 is unknown'],
    ['DE89 3704 0044 0532 0130 00, please', 'DE…3000, please'],
    ['de89-3704-0044-0532-0130-00', 'DE…3000'],
    ['{"iban":"NL91ABNA0417164300","ok":false}', '{"iban":"NL…4300","ok":false}'],
    ['IBANDE89370400440532013000', 'IBANDE…3000'],
    ['refXDE89370400440532013000', 'refXDE…3000'],
    ['DE89370400440532013000 and NL91ABNA0417164300', 'DE…3000 and NL…4300'],
    ['a damaged one: DE8937040044053201300 is too short', 'a damaged one: DE…1300 is too short'],
    ['a damaged one: DE893704004405320130001', 'a damaged one: DE…0001'],
    ['TR330006100519786457841326', 'TR…1326'],
    ['GF4120041010050500013M02606', 'GF…2606'],
    ['account 532013000 37040044', 'account …0044'],
    ['card 1234-5678-9012-3456!', 'card …3456!'],
    ['ＤＥ８９３７０４００４４０５３２０１３０００', 'DE…3000'],
  ])('%j becomes %j', (text, masked) => expect(maskAccounts(text)).toBe(masked))

  test.each([
    'The customer 4711 has no address',
    'DE12 customers were told on 2023-01-05 that nothing changes',
    ...['signed 2023-02-01 12:00:00, collected 2024-02-01', 'between 2023-02-01 2024-02-01'],
    ...['MND-2023-000123', '4G4JQUA2LUQQBDEV7L9EQM7HAT', '12345678901', 'DE98ZZZ09999999999'],
    ...['creditor LU27ZZZ0000000000123456789 is known', 'IT66ZZZA1B2C3D4E5F6G7H8', 'NL…4300', ''],
  ])('%j stays as it is', (text) => expect(maskAccounts(text)).toBe(text))

  test('an IBAN inside what starts like a creditor identifier is still masked', () => {
    for (const iban of examples) expect(squeeze(maskAccounts(`AT61ZZZ${iban}`))).not.toContain(iban)
  })

  test('no IBAN survives, in any spacing, any case and any company', () => {
    const company = fc.oneof(fc.string(), fc.constantFrom('IBAN', 'x', '7', 'AT61 1904 ', 'DE98ZZZ0999999'))
    fc.assert(
      fc.property(company, spelledIban, company, (before, { iban, text }, after) => {
        expect(squeeze(maskAccounts(before + text + after))).not.toContain(iban)
      }),
      { numRuns: 2000 },
    )
  })

  test('a damaged IBAN shows at most its last four characters', () => {
    fc.assert(
      fc.property(fc.constantFrom(...examples), fc.nat(), fc.nat(9), (iban, place, digit) => {
        const at = 4 + (place % (iban.length - 4))
        const damaged = iban.slice(0, at) + String(digit) + iban.slice(at + 1)
        expect(squeeze(maskAccounts(`account ${damaged}`)).length).toBeLessThanOrEqual('ACCOUNTDE3000'.length)
      }),
    )
  })

  const ALIKE = ['DE98ZZZ09999999999 ', 'DE89370400440532013000 ']
  test.each(['a', 'DE89', 'DE89 ', '1234567890 a', '-', '1', ' ', ...ALIKE])(
    '2 MB of %j come to an end',
    (piece) => {
      const text = `DE89${piece.repeat(2_000_000 / piece.length)}`
      expect(maskAccounts(text).length).toBeLessThanOrEqual(text.length)
    },
  )
})

describe('masking a cell of an IBAN column', () => {
  test.each([
    ['DE89/3704.0044_0532#013000', 'DE…3000'],
    ['IBAN: DE89 3704 0044 0532 0130 00', 'DE…3000'],
    ['532013000 / 37040044', '…0044'],
    ['8937*0400*4405', '…4405'],
    ['XX89370400440532013000', 'XX…3000'],
    ['RO49AAAABCDEFGHIJKLMNOPQ', 'RO…NOPQ'],
  ])('%j becomes %j, whatever stands between', (cell, masked) => expect(maskAccountCell(cell)).toBe(masked))

  const NONE = ['', '3,704E+17', '#N/A', 'unknown', '3000', 'DE**************3000']
  test.each(NONE)('%j holds no account', (cell) => expect(maskAccountCell(cell)).toBe(cell))
})

describe('a column of account numbers or bank codes', () => {
  it.each([
    ...['IBAN', 'Kontonummer', 'Konto-Nr.', 'Kto.Nr.', 'Konto', 'BLZ', 'Bankleitzahl', 'account_number'],
    ...['AccountNo', 'bank_account.account_number', 'bank_account.bank_code', 'Sort code', 'Code banque'],
    ...['Numéro de compte', 'Code guichet', 'Clé RIB', 'Rekeningnummer', 'Bankrekening', 'Numer konta'],
    ...['Numer rachunku', 'NRB', 'Nº cuenta', 'Cuenta bancaria'],
  ])('is known by the name %s', (name) => expect(isAccountColumn(name)).toBe(true))

  it.each([
    ...['Kontoinhaber', 'Bank', 'BIC', 'account holder', 'bank_account.account_holder_name', 'Kundennummer'],
    ...['Mandatsreferenz', 'customer_no', 'Gläubiger-ID', 'discount', 'Betrag', ''],
  ])('is not one by the name %s', (name) => expect(isAccountColumn(name)).toBe(false))

  it.each([
    ['532013000', '…3000'],
    ['0532 013 000', '…3000'],
    ['37040044', '…0044'],
    ['370 400 44', '…0044'],
    ['12345', '…45'],
    ['076', '…'],
    ['', ''],
    ['ungültig', 'ungültig'],
    ['Konto 532013000 bei BLZ 37040044', 'Konto …3000 bei BLZ …0044'],
  ])('shows %s as %s', (cell, shown) => expect(maskNumbers(cell)).toBe(shown))
})
