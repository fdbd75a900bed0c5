import countries from './countries.json' with { type: 'json' }

/**
 * Countries, and what their accounts and creditor identifiers look like; sources: domain/rulebook.md#account-number.
 */

const CLASSES: ReadonlyMap<string, string> = new Map([
  ['n', '[0-9]'],
  ['a', '[A-Z]'],
  ['c', '[A-Z0-9]'],
])

/** Structure: `n` digits, `a` upper-case letters, `c` letters or digits. */
const bbanPattern = (structure: string): RegExp =>
  new RegExp(
    `^${structure.replace(/([0-9]{1,3})!([nac])/g, (_, count: string, kind: string) => `${CLASSES.get(kind) ?? ''}{${count}}`)}$`,
  )

interface ListedCountry {
  readonly name: string
  readonly length: number
  readonly structure: string
  readonly group: string
  readonly since?: string
  readonly only?: string | null
}

/** The registries and rules behind these facts, with their versions (domain/rulebook.md#sources-by-version). */
export const CHECKED_AGAINST = countries.checkedAgainst

export type SepaCountry = ReturnType<typeof countryOf>

const countryOf = (code: string, { name, length, structure, group, since, only = null }: ListedCountry) => ({
  code,
  name,
  /** Of the whole IBAN. */
  length,
  group: group as 'EEA' | 'non-EEA' | 'new',
  /** Of a new one: the day from which its banks take part, and what they take part in where that is not all. */
  joined: since === undefined ? null : { since, only },
  /** What follows the check digits. */
  bban: bbanPattern(structure),
})

/** 41 scheme countries plus GI, by prefix. */
export const SEPA_COUNTRIES: ReadonlyMap<string, SepaCountry> = new Map(
  Object.entries<ListedCountry>(countries.sepa).map(([code, listed]) => [code, countryOf(code, listed)]),
)

/** Prefixes whose accounts start with the parent's prefix, never with their own. */
export const TERRITORIES: ReadonlySet<string> = new Set(countries.territories.split(' '))

/** Countries with IBANs outside SEPA. */
export const NON_SEPA_COUNTRIES: ReadonlySet<string> = new Set(countries.nonSepa.split(' '))

/** Total lengths of a creditor identifier; `isConfirmed` decides between CI_LENGTH and CI_LENGTH_UNCONFIRMED. */
const lengths = (byCountry: Readonly<Record<string, readonly number[]>>, isConfirmed: boolean) =>
  Object.entries(byCountry).map(([code, totals]) => [code, { totals, isConfirmed }] as const)

/** By issuer; a country that is missing has no known length. */
export const CREDITOR_IDENTIFIER_LENGTHS = new Map([
  ...lengths(countries.creditorIdentifierLengths.confirmed, true),
  ...lengths(countries.creditorIdentifierLengths.unconfirmed, false),
])

/** Country and check digits. */
const BEGINNING = 4
/** A smaller number takes two more digits and stays within 31 bits. */
const ROOM = 10_000_000

/**
 * Remainder modulo 97 of a text of A-Z and 0-9 read as digits with A=10 … Z=35 (ISO 7064).
 * @param start the text is read from here on, and then its country and check digits; from its beginning where left out
 * @returns -1 when another character occurs, which is never a valid remainder
 */
export function mod97(text: string, start = 0): number {
  const first = Math.max(0, text.length - start)
  const all = first + (start === 0 ? 0 : Math.min(BEGINNING, text.length))
  let remainder = 0
  for (let i = 0; i < all; i += 1) {
    const code = text.charCodeAt(i < first ? start + i : i - first)
    if (remainder >= ROOM) remainder %= 97
    if (code >= 48 && code <= 57) remainder = remainder * 10 + code - 48
    else if (code >= 65 && code <= 90) remainder = remainder * 100 + code - 55
    else return -1
  }
  return remainder % 97
}

/** 00, 01 and 99 are aliases of 97, 98 and 02: they leave the right remainder and still never occur. */
export const isImpossibleCheck = (digits: string): boolean =>
  digits === '00' || digits === '01' || digits === '99'
