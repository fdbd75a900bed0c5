import countries from './countries.json' with { type: 'json' }
import accountColumns from './account-columns.json' with { type: 'json' }
import { countrySpecs } from 'ibantools'
import { isBlank, isInvisible, fold, plainText } from './text.js'

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
}

/** The registries and rules behind these facts, with their versions (domain/rulebook.md#sources-by-version). */
export const CHECKED_AGAINST = countries.checkedAgainst

export type SepaCountry = ReturnType<typeof countryOf>

const countryOf = (code: string, { name, length, structure, group }: ListedCountry) => ({
  code,
  name,
  /** Of the whole IBAN. */
  length,
  group: group as 'EEA' | 'non-EEA' | 'new',
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

/**
 * Account numbers are shown as country and last four characters, `DE…3000`. Free text is masked generously: an amount
 * masked by mistake costs a look into the source, an account shown costs trust.
 */

/** Longest IBAN the standard allows; for prefixes whose length nobody states. */
const LONGEST_IBAN = 34
const SHORTEST_IBAN = 15
/** Every IBAN has more digits than this; a sentence that happens to start like one has not. */
const FEWEST_DIGITS = 8
const SHORTEST_DIGIT_RUN = 12
const SHOWN = 4

const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  [...SEPA_COUNTRIES.keys(), ...NON_SEPA_COUNTRIES, ...TERRITORIES].map((code) => [
    code,
    SEPA_COUNTRIES.get(code)?.length ?? countrySpecs[code]?.chars ?? LONGEST_IBAN,
  ]),
)

const NONE = 0
const DIGIT = 1
const LETTER = 2

/** Full-width letters and digits are read like plain ones: a person can read them too. */
const plainCode = (code: number): number => (code >= 0xff10 && code <= 0xff5a ? code - 0xfee0 : code)

function kindOf(text: string, at: number): number {
  const code = plainCode(text.charCodeAt(at))
  if (code >= 48 && code <= 57) return DIGIT
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) ? LETTER : NONE
}

const plainCharacter = (text: string, at: number): string =>
  String.fromCharCode(plainCode(text.charCodeAt(at))).toUpperCase()

/** What may stand between the groups of one account number. */
function isGap(code: number): boolean {
  const isPunctuation = code === 0x2d || code === 0x2e || code === 0x2f || code === 0x5f // - . / _
  const isDash = code >= 0x2010 && code <= 0x2015
  return isBlank(code) || isInvisible(code) || isPunctuation || isDash || code === 0x0a || code === 0x0d
}

/** Reads up to `limit` letters and digits from `start` on, over gaps. */
function readRun(text: string, start: number, limit: number) {
  let characters = ''
  let digits = 0
  let end = start
  let digitEnd = start
  for (let at = start; at < text.length && characters.length < limit; at += 1) {
    const kind = kindOf(text, at)
    if (kind === NONE) {
      if (isGap(text.charCodeAt(at))) continue
      break
    }
    characters += plainCharacter(text, at)
    end = at + 1
    if (kind === DIGIT) {
      digits += 1
      digitEnd = end
    }
  }
  return {
    /** Letters and digits, upper case, without gaps. */
    characters,
    digits,
    /** Index after the last character, and after the last digit, of the run. */
    end,
    digitEnd,
  }
}

/** The end of the word that goes on at `at` without a gap. */
function wordEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && kindOf(text, end) !== NONE) end += 1
  return end
}

/** A stretch of the text and what is shown in its place. */
interface Stretch {
  readonly shown: string
  readonly end: number
}

const IBAN_HEAD = /^[A-Z]{2}[0-9]{2}$/

/** No IBAN has the bank code ZZZ: this is a creditor identifier without business code, which is no secret. */
const hasNoBusinessCode = (characters: string): boolean => characters.startsWith('ZZZ', 4)

/** An IBAN, valid or damaged, that starts at `start`. */
function ibanAt(text: string, start: number, startsWord: boolean): Stretch | null {
  const head = readRun(text, start, 4).characters
  const length = IBAN_LENGTHS.get(head.slice(0, 2))
  if (length === undefined || !IBAN_HEAD.test(head)) return null
  const { characters, digits, end, digitEnd } = readRun(text, start, length)
  const isProven = characters.length === length && mod97(characters, 4) === 1
  // Inside a word, two letters and two digits are common; only a proven IBAN counts there.
  const isLikely = startsWord && characters.length >= SHORTEST_IBAN && digits >= FEWEST_DIGITS
  if (!isProven && (!isLikely || hasNoBusinessCode(characters))) return null
  // A damaged IBAN may be too short: do not swallow the words after it.
  const last = wordEnd(text, isProven ? end : digitEnd)
  const masked = readRun(text.slice(start, last), 0, last - start).characters
  return { shown: `${head.slice(0, 2)}…${masked.slice(-SHOWN)}`, end: last }
}

/** A creditor identifier of about the right length: its national part may look like an account number. */
function creditorIdentifierAt(text: string, start: number): Stretch | null {
  const end = wordEnd(text, start)
  const word = text.slice(start, end).toUpperCase()
  const lengths = CREDITOR_IDENTIFIER_LENGTHS.get(word.slice(0, 2))
  if (lengths === undefined || !hasNoBusinessCode(word)) return null
  if (!lengths.totals.some((total) => Math.abs(total - word.length) <= 1)) return null
  for (let at = start + 7; at < end; at += 1) if (ibanAt(text, at, false) !== null) return null
  return { shown: text.slice(start, end), end }
}

/** Digits that start at `start`, in groups with one blank, or one hyphen, between them. */
function digitsAt(text: string, start: number): Stretch | null {
  let digits = ''
  let end = start
  let separator: number | null = null
  for (let at = start; at < text.length; at += 1) {
    if (kindOf(text, at) === DIGIT) {
      digits += plainCharacter(text, at)
      end = at + 1
      continue
    }
    const code = text.charCodeAt(at)
    const isSeparator = isBlank(code) || code === 0x2d
    if (at !== end || !isSeparator || (separator ?? code) !== code) break
    separator = code
  }
  return digits.length < SHORTEST_DIGIT_RUN ? null : { shown: `…${digits.slice(-SHOWN)}`, end }
}

function secretAt(text: string, at: number): Stretch | null {
  const before = at === 0 ? NONE : kindOf(text, at - 1)
  if (kindOf(text, at) === DIGIT) return before === DIGIT ? null : digitsAt(text, at)
  const startsWord = before === NONE
  return (startsWord ? creditorIdentifierAt(text, at) : null) ?? ibanAt(text, at, startsWord)
}

/**
 * Masks everything in free text that looks like an account number: IBANs in any spacing and case, damaged ones too,
 * and 12 digits or more. Linear: each position is read a bounded number of times.
 */
export function maskAccounts(text: string): string {
  let masked = ''
  let copied = 0
  let at = 0
  while (at < text.length) {
    const secret = kindOf(text, at) === NONE ? null : secretAt(text, at)
    if (secret === null) {
      at += 1
      continue
    }
    masked += text.slice(copied, at) + secret.shown
    at = secret.end
    copied = at
  }
  return copied === 0 ? text : masked + text.slice(copied)
}

/** True for text that mentions an IBAN, valid or damaged, in any spacing. */
export function holdsIban(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    if (kindOf(text, at) !== LETTER) continue
    const startsWord = at === 0 || kindOf(text, at - 1) === NONE
    if (startsWord && creditorIdentifierAt(text, at) !== null) continue
    if (ibanAt(text, at, startsWord) !== null) return true
  }
  return false
}

/** Written without gaps, and long enough to be shown in part. */
const PLAIN_ACCOUNT = /^[A-Z]{2}[A-Z0-9]{8,}$/

/** `DE…3000`. What is too short to hide anything behind four characters is hidden altogether. */
export function maskIban(iban: string): string {
  if (PLAIN_ACCOUNT.test(iban)) return `${iban.slice(0, 2)}…${iban.slice(-SHOWN)}`
  if (iban.includes('…')) return maskAccounts(iban)
  const { characters } = readRun(iban, 0, iban.length)
  const country = /^[A-Z]{2}/.exec(characters)?.[0] ?? ''
  return characters.length < 2 * SHOWN + 2 ? `${country}…` : `${country}…${characters.slice(-SHOWN)}`
}

const ALL_OTHERS = /[^\p{L}\p{N}]+/gu
const DIGITS = /\p{Nd}/gu
const IBAN_LABEL = /^IBAN/
/** A cell of an IBAN column with at most so many digits is no account number: an error cell, a rounded number. */
const MOST_DIGITS_SHOWN = 6

/** Free text as one plain line, in which somebody may have written an account number. */
export const maskedText = (text: string): string => maskAccounts(plainText(text))

/** Masks a whole cell of a column of account numbers, whatever junk stands between the characters. */
export function maskAccountCell(cell: string): string {
  const characters = cell.replace(ALL_OTHERS, '').toUpperCase().replace(IBAN_LABEL, '')
  const hasHead = IBAN_HEAD.test(characters.slice(0, 4))
  const digits = characters.match(DIGITS)?.length ?? 0
  if (digits <= MOST_DIGITS_SHOWN && !(hasHead && characters.length >= SHORTEST_IBAN)) return cell
  return `${hasHead ? characters.slice(0, 2) : ''}…${characters.slice(-SHOWN)}`
}

/**
 * Names of columns that hold an account number or a part of one in national form, as exports of the countries of SEPA
 * have them: German Kontonummer and BLZ, French code banque, guichet and clé RIB, Polish NRB, Spanish CCC, British sort
 * code. Folded names; holders and bank names are not among them.
 */
const ACCOUNT_COLUMN = new RegExp(`(?:${accountColumns.join('|')})$`)

/** True for a column whose numbers are no business of whoever looks at the file. */
export const isAccountColumn = (header: string): boolean => ACCOUNT_COLUMN.test(fold(header))

const SHORT = 8

/** Every number of such a cell but its end: `…0044`, `…45` where it is short. */
export const maskNumbers = (cell: string): string =>
  cell.replace(/\p{Nd}[\p{Nd}\s./-]*/gu, (number) => {
    const digits = number.replace(/\P{Nd}/gu, '')
    const blank = /\s$/.test(number) ? ' ' : ''
    return `…${digits.length < SHORT / 2 ? '' : digits.slice(digits.length < SHORT ? -2 : -4)}${blank}`
  })
