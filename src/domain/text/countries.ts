import countries from './countries.json' with { type: 'json' }

/**
 * Countries, and what their accounts and creditor identifiers look like; sources: domain/rulebook.md#account-number.
 */

export interface SepaCountry {
  readonly code: string
  readonly name: string
  /** Length of the whole IBAN. */
  readonly length: number
  readonly group: 'EEA' | 'non-EEA' | 'new'
  /** What follows the check digits. */
  readonly bban: RegExp
}

const CLASSES: Readonly<Record<string, string>> = { n: '[0-9]', a: '[A-Z]', c: '[A-Z0-9]' }

/** Structure: `n` digits, `a` upper-case letters, `c` letters or digits. */
const bbanPattern = (structure: string): RegExp =>
  new RegExp(
    `^${structure.replace(/([0-9]+)!([nac])/g, (_, count: string, kind: string) => `${CLASSES[kind] ?? ''}{${count}}`)}$`,
  )

/** 41 scheme countries plus GI, by prefix. */
export const SEPA_COUNTRIES: ReadonlyMap<string, SepaCountry> = new Map(
  Object.entries(countries.sepa).map(([code, { name, length, structure, group }]) => [
    code,
    { code, name, length, group: group as SepaCountry['group'], bban: bbanPattern(structure) },
  ]),
)

/** Prefixes whose accounts start with the parent's prefix, never with their own. */
export const TERRITORIES: ReadonlySet<string> = new Set(countries.territories.split(' '))

/** Countries with IBANs outside SEPA. */
export const NON_SEPA_COUNTRIES: ReadonlySet<string> = new Set(countries.nonSepa.split(' '))

/** Total lengths of a creditor identifier; `isConfirmed` decides between CI_LENGTH and CI_LENGTH_UNCONFIRMED. */
export interface CreditorIdentifierLength {
  readonly totals: readonly number[]
  readonly isConfirmed: boolean
}

const lengths = (byCountry: Readonly<Record<string, readonly number[]>>, isConfirmed: boolean) =>
  Object.entries(byCountry).map(([code, totals]): [string, CreditorIdentifierLength] => [
    code,
    { totals, isConfirmed },
  ])

/** By issuer; a country that is missing has no known length. */
export const CREDITOR_IDENTIFIER_LENGTHS: ReadonlyMap<string, CreditorIdentifierLength> = new Map([
  ...lengths(countries.creditorIdentifierLengths.confirmed, true),
  ...lengths(countries.creditorIdentifierLengths.unconfirmed, false),
])
