import {
  COUNTRIES,
  CREDITOR,
  creditorIdentifierOf,
  csvLine,
  frenchKey,
  ibanOf,
  inventIban,
  seeded,
} from './sample-values.js'

/** What the file of faults is checked against; the dormancy rules need a fixed day. */
const AS_OF = '2026-06-15'

type State = 'ready' | 'invalid' | 'excluded' | 'duplicate' | 'conflict'

interface Fault {
  /** Rules that the row breaks on its own. */
  readonly rules: readonly string[]
  /** Rules that show only beside the other rows. */
  readonly acrossRows?: readonly string[]
  readonly state: State
  readonly cells: Readonly<Record<string, string>>
  /** Further cells behind the last column. */
  readonly extra?: readonly string[]
}

const COLUMNS = [
  'customer_no',
  'iban',
  'signed_date',
  'sepa_creditor_identifier',
  'unique_mandate_reference',
  'last_collection_date',
  'status',
  'sequence',
  'scheme',
]

const invalid = (rule: string, cells: Fault['cells']): Fault => ({ rules: [rule], state: 'invalid', cells })
const warned = (rule: string, cells: Fault['cells']): Fault => ({ rules: [rule], state: 'ready', cells })
const held = (rule: string, cells: Fault['cells']): Fault => ({ rules: [rule], state: 'conflict', cells })
const excluded = (rule: string, cells: Fault['cells']): Fault => ({ rules: [rule], state: 'excluded', cells })

const SHARED_IBAN = ibanOf('DE', '370400440532013000')

const ACCOUNTS: readonly Fault[] = [
  invalid('EXCEL_SCIENTIFIC', { iban: '3,704E+17' }),
  invalid('IBAN_EMPTY', { iban: '' }),
  invalid('IBAN_MASKED', { iban: 'DE89**************3000' }),
  invalid('IBAN_COUNTRY', { iban: '532013000 / 37040044' }),
  invalid('IBAN_NOT_SEPA', { iban: ibanOf('AE', '0331234567890123456') }),
  invalid('IBAN_CHARSET', { iban: 'DE89/370400440532013000' }),
  invalid('IBAN_LENGTH', { iban: 'DE8937040044053201300' }),
  invalid('IBAN_STRUCTURE', { iban: 'DE8937040044O532013000' }),
  invalid('IBAN_CHECK_RANGE', { iban: 'DE01370400440532013000' }),
  invalid('IBAN_CHECKSUM', { iban: 'DE88370400440532013000' }),
  invalid('IBAN_QR', { iban: ibanOf('CH', '30808000000000123') }),
  warned('IBAN_NON_EEA', { iban: ibanOf('CH', '00762011623852957') }),
  warned('IBAN_NEW_SEPA', { iban: ibanOf('AL', '212110090000000235698741') }),
  warned('IBAN_NATIONAL_CHECK', {
    iban: ibanOf('FR', `200410100500000000001${otherKey(frenchKey('20041', '01005', '00000000001'))}`),
  }),
]

function otherKey(key: string): string {
  return key === '10' ? '11' : '10'
}

const CUSTOMERS: readonly Fault[] = [
  invalid('CUST_EMPTY', { customer_no: '' }),
  invalid('CUST_FORMAT', { customer_no: 'K-60017' }),
  invalid('CUST_RANGE', { customer_no: '9007199254740992' }),
  warned('CUST_LEADING_ZERO', { customer_no: '0060099' }),
]

const DATES: readonly Fault[] = [
  invalid('DATE_EMPTY', { signed_date: '' }),
  invalid('DATE_INVALID', { signed_date: '2023-02-29' }),
  invalid('DATE_FUTURE', { signed_date: '2099-01-01', last_collection_date: '' }),
  warned('DATE_PRE_SEPA', { signed_date: '2008-05-14' }),
  warned('DATE_LEGACY_DEFAULT', { signed_date: '2009-11-01' }),
  warned('DATE_UTC_SHIFT', { signed_date: '2021-03-27T23:00:00Z' }),
]

const CREDITORS: readonly Fault[] = [
  invalid('CI_EMPTY', { sepa_creditor_identifier: '' }),
  invalid('CI_FORMAT', { sepa_creditor_identifier: 'DE98ZZZ' }),
  invalid('CI_LOOKS_LIKE_IBAN', { sepa_creditor_identifier: SHARED_IBAN }),
  invalid('CI_CHECKSUM', { sepa_creditor_identifier: 'DE97ZZZ09999999999' }),
  invalid('CI_COUNTRY', { sepa_creditor_identifier: creditorIdentifierOf('US', '12345678') }),
  invalid('CI_LENGTH', { sepa_creditor_identifier: creditorIdentifierOf('AT', '1234567890') }),
  warned('CI_LENGTH_UNCONFIRMED', { sepa_creditor_identifier: creditorIdentifierOf('SE', '12345') }),
  warned('CI_LENGTH_UNKNOWN', { sepa_creditor_identifier: creditorIdentifierOf('RO', '12345678') }),
  warned('CI_NATIONAL_CHARS', { sepa_creditor_identifier: 'SE12ZZZ12345/6789' }),
]

const REFERENCES: readonly Fault[] = [
  invalid('EXCEL_SCIENTIFIC', { unique_mandate_reference: '1.23457E+17' }),
  invalid('UMR_EMPTY', { unique_mandate_reference: '' }),
  invalid('UMR_CHARSET', { unique_mandate_reference: 'F_0001' }),
  invalid('UMR_LENGTH', { unique_mandate_reference: 'F-00000000000000000000000000000000036' }),
  invalid('UMR_SLASH', { unique_mandate_reference: '/F-0001' }),
  warned('UMR_SPACE', { unique_mandate_reference: 'F 0001' }),
  warned('UMR_PLACEHOLDER', { unique_mandate_reference: 'NOTPROVIDED' }),
  warned('UMR_PRECISION', { unique_mandate_reference: '1234567890123450000' }),
  warned('UMR_LOOKS_LIKE_DATE', { unique_mandate_reference: '1.2.23' }),
  warned('UMR_APOSTROPHE', { unique_mandate_reference: "'F-0002" }),
]

const COLLECTIONS: readonly Fault[] = [
  invalid('LAST_COLLECTION_INVALID', { last_collection_date: 'yesterday' }),
  invalid('LAST_COLLECTION_BEFORE_SIGNATURE', {
    signed_date: '2025-01-15',
    last_collection_date: '2025-01-14',
  }),
  excluded('MANDATE_DORMANT', { signed_date: '2019-03-01', last_collection_date: '2023-06-14' }),
  warned('MANDATE_DORMANT_SOON', { signed_date: '2019-03-01', last_collection_date: '2023-06-15' }),
  warned('LAST_COLLECTION_FUTURE', { last_collection_date: '2026-06-16' }),
  warned('DORMANCY_UNKNOWN', { signed_date: '2019-03-01', last_collection_date: '' }),
]

const WORDS: readonly Fault[] = [
  excluded('STATUS_NOT_ACTIVE', { status: 'gekündigt' }),
  held('STATUS_UNKNOWN', { status: 'in Klärung' }),
  excluded('SEQUENCE_ONE_OFF', { sequence: 'OOFF' }),
  excluded('SEQUENCE_FINAL', { sequence: 'FNAL' }),
  held('SEQUENCE_UNKNOWN', { sequence: 'weekly' }),
  excluded('SCHEME_B2B', { scheme: 'B2B' }),
  held('SCHEME_UNKNOWN', { scheme: 'INST' }),
]

const SAME = { iban: SHARED_IBAN, signed_date: '2022-02-02' }

const ACROSS: readonly Fault[] = [
  {
    rules: ['ROW_FIELD_COUNT'],
    state: 'invalid',
    cells: { unique_mandate_reference: 'F-RAGGED' },
    extra: ['one cell too many'],
  },
  { rules: [], state: 'ready', cells: { ...SAME, customer_no: '610001', unique_mandate_reference: 'F-DUP' } },
  {
    rules: [],
    acrossRows: ['DUPLICATE_MANDATE'],
    state: 'duplicate',
    cells: { ...SAME, customer_no: '610001', unique_mandate_reference: 'f-dup' },
  },
  ...['610002', '610003'].map((customer_no): Fault => ({
    rules: [],
    acrossRows: ['CONFLICT_MANDATE'],
    state: 'conflict',
    cells: { ...SAME, customer_no, unique_mandate_reference: 'F-CONFLICT' },
  })),
  ...['F-FIRST', 'F-SECOND'].map((unique_mandate_reference): Fault => ({
    rules: [],
    acrossRows: ['CUSTOMER_MULTIPLE_MANDATES'],
    state: 'ready',
    cells: { customer_no: '610004', unique_mandate_reference },
  })),
  {
    rules: [],
    acrossRows: ['MANDATE_NEAR_DUPLICATE'],
    state: 'ready',
    cells: { unique_mandate_reference: 'F-NEAR1' },
  },
  {
    rules: ['UMR_SPACE'],
    acrossRows: ['MANDATE_NEAR_DUPLICATE'],
    state: 'ready',
    cells: { unique_mandate_reference: 'F-NEAR 1' },
  },
]

/** Rules of rows that this file cannot show, and what shows them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  DATE_AMBIGUOUS: 'needs the date format auto: test/source/read-source.test.ts',
  DATE_TWO_DIGIT_YEAR: 'needs a two-digit date format: test/domain',
  CI_CONSTANT_MISMATCH: 'needs a configured constant: german-messy.csv with german.yaml',
  CI_SAME_AS_NEW: 'needs the new creditor identifier in the configuration: test/domain',
  IBAN_LIBRARY_DISAGREES: 'no known value: test/domain',
  IBAN_SHARED: 'off by default; the rows of the conflict share an account',
  CROSSWALK_NO_MATCH: 'german-messy.csv with german.yaml',
  CROSSWALK_AMBIGUOUS: 'german-messy.csv with german.yaml',
  CROSSWALK_MISMATCH: 'german-messy.csv with german.yaml',
  MANDATE_RESEMBLES_SENT: 'needs a mandate that was sent: test/ledger',
  CORRECTION_TAKES_REFERENCE: 'needs a file of ours: test/ledger/correct/anothers-values.test.ts',
  CORRECTION_TAKES_ACCOUNT: 'needs a file of ours: test/ledger/correct/anothers-values.test.ts',
  ROW_MAY_BE_CUT: 'needs a file without a line end at its end: test/source/watch/column-watch.test.ts',
  CORRECTION_UNREADABLE: 'needs a file of ours: test/source/columns/resubmission.test.ts',
  EXCLUDED_BY_CONFIGURATION: 'french.csv with french.yaml',
}

/** A file with a fault per rule, good rows in between, and what becomes of each row. */
export function makeFaults(): [string, Buffer][] {
  const random = seeded(14)
  const good: Fault = { rules: [], state: 'ready', cells: {} }
  const faults = [
    good,
    ...[...CUSTOMERS, ...ACCOUNTS, ...DATES, ...CREDITORS, ...REFERENCES, ...COLLECTIONS, ...WORDS].flatMap(
      (fault, index) => (index % 6 === 5 ? [fault, good] : [fault]),
    ),
    ...ACROSS,
    good,
  ]
  const lines = faults.map(({ cells, extra = [] }, index) => {
    const row: Readonly<Record<string, string>> = {
      customer_no: `${600_001 + index}`,
      iban: inventIban(random, COUNTRIES[index % COUNTRIES.length]!),
      signed_date: random.date(2017, 2024),
      sepa_creditor_identifier: CREDITOR,
      unique_mandate_reference: `F-${`${index + 1}`.padStart(4, '0')}`,
      last_collection_date: '2026-05-04',
      status: 'active',
      sequence: 'RCUR',
      scheme: 'CORE',
      ...cells,
    }
    return csvLine([...COLUMNS.map((column) => row[column]!), ...extra])
  })
  const records = faults.map(({ rules, acrossRows = [], state }, index) => ({
    record: index + 1,
    line: index + 2,
    state,
    rules,
    acrossRows,
  }))
  const expected = { asOf: AS_OF, records, elsewhere: ELSEWHERE }
  return [
    ['faults.csv', Buffer.from(`${[csvLine(COLUMNS), ...lines].join('\n')}\n`)],
    ['faults-expected.json', Buffer.from(`${JSON.stringify(expected, null, 2)}\n`)],
  ]
}
