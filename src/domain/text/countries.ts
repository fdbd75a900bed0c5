/**
 * Countries, and what their accounts and creditor identifiers look like; sources: domain/rulebook.md#account-number.
 */

type CountryGroup = 'EEA' | 'non-EEA' | 'new'

export interface SepaCountry {
  readonly code: string
  readonly name: string
  /** Length of the whole IBAN. */
  readonly length: number
  readonly group: CountryGroup
  /** What follows the check digits. */
  readonly bban: RegExp
}

type CountryLine = readonly [
  code: string,
  name: string,
  length: number,
  structure: string,
  group: CountryGroup,
]

/** Structure: `n` digits, `a` upper-case letters, `c` letters or digits. */
const LINES: readonly CountryLine[] = [
  ['AT', 'Austria', 20, '5!n11!n', 'EEA'],
  ['BE', 'Belgium', 16, '3!n7!n2!n', 'EEA'],
  ['BG', 'Bulgaria', 22, '4!a4!n2!n8!c', 'EEA'],
  ['HR', 'Croatia', 21, '7!n10!n', 'EEA'],
  ['CY', 'Cyprus', 28, '3!n5!n16!c', 'EEA'],
  ['CZ', 'Czechia', 24, '4!n6!n10!n', 'EEA'],
  ['DK', 'Denmark', 18, '4!n9!n1!n', 'EEA'],
  ['EE', 'Estonia', 20, '2!n2!n11!n1!n', 'EEA'],
  ['FI', 'Finland', 18, '3!n11!n', 'EEA'],
  ['FR', 'France', 27, '5!n5!n11!c2!n', 'EEA'],
  ['DE', 'Germany', 22, '8!n10!n', 'EEA'],
  ['GR', 'Greece', 27, '3!n4!n16!c', 'EEA'],
  ['HU', 'Hungary', 28, '3!n4!n1!n15!n1!n', 'EEA'],
  ['IE', 'Ireland', 22, '4!a6!n8!n', 'EEA'],
  ['IT', 'Italy', 27, '1!a5!n5!n12!c', 'EEA'],
  ['LV', 'Latvia', 21, '4!a13!c', 'EEA'],
  ['LT', 'Lithuania', 20, '5!n11!n', 'EEA'],
  ['LU', 'Luxembourg', 20, '3!n13!c', 'EEA'],
  ['MT', 'Malta', 31, '4!a5!n18!c', 'EEA'],
  ['NL', 'Netherlands', 18, '4!a10!n', 'EEA'],
  ['PL', 'Poland', 28, '8!n16!n', 'EEA'],
  ['PT', 'Portugal', 25, '4!n4!n11!n2!n', 'EEA'],
  ['RO', 'Romania', 24, '4!a16!c', 'EEA'],
  ['SK', 'Slovakia', 24, '4!n6!n10!n', 'EEA'],
  ['SI', 'Slovenia', 19, '5!n8!n2!n', 'EEA'],
  ['ES', 'Spain', 24, '4!n4!n1!n1!n10!n', 'EEA'],
  ['SE', 'Sweden', 24, '3!n16!n1!n', 'EEA'],
  ['IS', 'Iceland', 26, '4!n2!n6!n10!n', 'EEA'],
  ['LI', 'Liechtenstein', 21, '5!n12!c', 'EEA'],
  ['NO', 'Norway', 15, '4!n6!n1!n', 'EEA'],
  ['CH', 'Switzerland', 21, '5!n12!c', 'non-EEA'],
  ['MC', 'Monaco', 27, '5!n5!n11!c2!n', 'non-EEA'],
  ['SM', 'San Marino', 27, '1!a5!n5!n12!c', 'non-EEA'],
  ['GB', 'United Kingdom', 22, '4!a6!n8!n', 'non-EEA'],
  ['GI', 'Gibraltar', 23, '4!a15!c', 'non-EEA'],
  ['AD', 'Andorra', 24, '4!n4!n12!c', 'non-EEA'],
  ['VA', 'Vatican', 22, '3!n15!n', 'non-EEA'],
  ['AL', 'Albania', 28, '8!n16!c', 'new'],
  ['ME', 'Montenegro', 22, '3!n13!n2!n', 'new'],
  ['MD', 'Moldova', 24, '2!c18!c', 'new'],
  ['MK', 'North Macedonia', 19, '3!n10!c2!n', 'new'],
  ['RS', 'Serbia', 22, '3!n13!n2!n', 'new'],
]

const CLASSES: Readonly<Record<string, string>> = { n: '[0-9]', a: '[A-Z]', c: '[A-Z0-9]' }

const bbanPattern = (structure: string): RegExp =>
  new RegExp(
    `^${structure.replace(/([0-9]+)!([nac])/g, (_, count: string, kind: string) => `${CLASSES[kind] ?? ''}{${count}}`)}$`,
  )

/** 41 scheme countries plus GI, by prefix. */
export const SEPA_COUNTRIES: ReadonlyMap<string, SepaCountry> = new Map(
  LINES.map(([code, name, length, structure, group]) => [
    code,
    { code, name, length, group, bban: bbanPattern(structure) },
  ]),
)

const words = (text: string): readonly string[] => text.split(' ')

/** Prefixes whose accounts start with the parent's prefix, never with their own. */
export const TERRITORIES: ReadonlySet<string> = new Set(
  words('BL GF GP MF MQ PM RE YT NC PF TF WF AX GG IM JE'),
)

/** Countries with IBANs outside SEPA. */
export const NON_SEPA_COUNTRIES: ReadonlySet<string> = new Set(
  words(
    'AE AZ BA BH BI BR BY CR DJ DO EG FK FO GE GL GT HN IL IQ JO KW KZ LB LC LY MN MR MU NI OM PK PS QA RU SA SC ' +
      'SD SO ST SV TL TN TR UA VG XK YE',
  ),
)

/** Total lengths of a creditor identifier; `isConfirmed` decides between CI_LENGTH and CI_LENGTH_UNCONFIRMED. */
export interface CreditorIdentifierLength {
  readonly totals: readonly number[]
  readonly isConfirmed: boolean
}

const CONFIRMED_LENGTHS: Readonly<Record<string, readonly number[]>> = {
  DE: [18],
  AT: [18],
  BE: [17, 20],
  FR: [13],
  NL: [19],
  IT: [23],
  ES: [16],
  LU: [26],
  IE: [13],
}
const UNCONFIRMED_LENGTHS: Readonly<Record<string, number>> = {
  BG: 16,
  CH: 18,
  CY: 11,
  CZ: 12,
  DK: 19,
  EE: 20,
  FI: 15,
  GR: 12,
  HR: 18,
  HU: 16,
  LT: 16,
  LV: 18,
  MC: 13,
  MT: 17,
  NO: 16,
  PL: 17,
  PT: 13,
  SE: 17,
  SI: 15,
  SK: 18,
  SM: 23,
}

/** By issuer; a country that is missing has no known length. */
export const CREDITOR_IDENTIFIER_LENGTHS: ReadonlyMap<string, CreditorIdentifierLength> = new Map(
  Object.entries(CONFIRMED_LENGTHS)
    .map(([code, totals]): [string, CreditorIdentifierLength] => [code, { totals, isConfirmed: true }])
    .concat(
      Object.entries(UNCONFIRMED_LENGTHS).map(([code, total]) => [
        code,
        { totals: [total], isConfirmed: false },
      ]),
    ),
)
