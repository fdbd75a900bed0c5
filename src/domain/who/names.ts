import { distanceOf } from '../text/text.js'
import words from './words.json' with { type: 'json' }

/** What both sides say of one customer is compared by words (domain/rulebook.md#who-is-the-customer). */
export const WHO_VERDICTS = ['agrees', 'differs', 'unknown', 'no_name', 'unreadable'] as const
export type WhoVerdict = (typeof WHO_VERDICTS)[number]

/** Verdicts that hold a row, each with its rule. */
export const STRANGERS = { differs: 'CUSTOMER_NAME_DIFFERS', unknown: 'CUSTOMER_UNKNOWN' } as const
export const isStranger = (verdict: WhoVerdict | undefined): verdict is keyof typeof STRANGERS =>
  verdict !== undefined && verdict in STRANGERS

/** What an export says of who pays. Never kept but among the cells of its row. */
export interface PayerClaim {
  readonly name: string
  readonly orgNo: string
}

/** What the service says of a customer. Never kept at all. */
export interface CustomerSaid {
  readonly names: readonly string[]
  readonly orgNos: readonly string[]
}

/** @param customer null where the service has none of this number */
export function whoIs(claim: PayerClaim, customer: CustomerSaid | null): WhoVerdict {
  if (customer === null) return 'unknown'
  if (customer.orgNos.some((orgNo) => isSameOrgNo(orgNo, claim.orgNo))) return 'agrees'
  const verdicts = customer.names.map((name) => compareNames(claim.name, name))
  return (['agrees', 'differs'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'no_name'
}

const LEAST_DIGITS = 7

/** `SE556123456701`, `165561234567` and `556123-4567` are one number: prefixes and endings come and go. */
function isSameOrgNo(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => text.replace(/\D+/g, '')) as [string, string]
  return Math.min(a.length, b.length) >= LEAST_DIGITS && (a.includes(b) || b.includes(a))
}

/** Pure. They differ only where no word of weight is shared; without a word on one side there is nothing to compare. */
export function compareNames(one: string, other: string): 'agrees' | 'differs' | 'no_name' {
  const [a, b] = [readName(one), readName(other)]
  if (a.parts.length === 0 || b.parts.length === 0) return 'no_name'
  if (isWrittenTogether(a, b) || isWrittenTogether(b, a)) return 'agrees'
  const shared = a.words.flatMap((word) => {
    const same = b.words.find((candidate) => isSpeltAlike(word, candidate))
    return same === undefined ? [] : [[word, same] as const]
  })
  if (shared.some((pair) => pair.every(isOfWeight) && isLongOrSame(pair))) return 'agrees'
  const initials = countInitials(a, b) + countInitials(b, a)
  const least = Math.min(2, ...[a, b].map((name) => name.words.length + name.initials.length))
  if (shared.length + initials >= least) return 'agrees'
  return a.words.length === 0 || b.words.length === 0 ? 'no_name' : 'differs'
}

type Name = ReturnType<typeof readName>

/** No name is longer, and a cell may hold anything. */
const LONGEST = 300

function readName(text: string) {
  const parts = spell(text.slice(0, LONGEST))
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '')
    .map(simplify)
  const telling = parts.filter((part) => !SILENT.has(part) && !/^\d+$/.test(part))
  const kept = telling.length > 0 ? telling : parts
  return {
    /** As they follow each other, titles and legal forms too. */
    parts,
    words: kept.filter((part) => part.length > 1),
    initials: kept.filter((part) => part.length === 1),
  }
}

const GREEK =
  'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o'
const CYRILLIC =
  'а a б b в v г g д d е e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х h ц ts ч ch ш sh щ sht ъ a ы y ь  э e ю yu я ya ё e і i ї i є e ј j љ lj њ nj ћ c ђ dj џ dz'
const LATIN = 'ß ss æ ae œ oe ø o ł l đ d ð d þ th ı i ħ h'
const LETTERS = new Map(
  [...`${GREEK} ${CYRILLIC} ${LATIN}`.matchAll(/(\S) (\S*)/gu)].map(([, letter = '', spelt = '']) => [
    letter,
    spelt,
  ]),
)

/** Latin letters without accents, in small letters; `S.r.l.` is one word, `O'Brien` too. */
const spell = (text: string): string =>
  Array.from(
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/[\p{M}'’`´]+/gu, ''),
    (letter) => LETTERS.get(letter) ?? letter,
  )
    .join('')
    .replace(/(?<![a-z])([a-z])\.(?=[a-z](?![a-z]))/g, '$1')
    .replace(/(?<![a-z])([a-z]{2,3})\.(?=[a-z]\.)/g, '$1')

/** Spellings of one sound are one: ü and ue, å and aa, ß and ss, y and i, ph and f. */
const simplify = (word: string): string =>
  word
    .replace(/(?<=.)ph/g, 'f')
    .replace(/(?<=[cdgkstz])h/g, '')
    .replace(/(?<=[aou])e(?=.)/g, '')
    .replace(/ck/g, 'k')
    .replace(/dt/g, 't')
    .replace(/y/g, 'i')
    .replace(/w/g, 'v')
    .replace(/([a-z])\1+/g, '$1')

const wordsOf = (lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.split(', ').map((word) => simplify(spell(word)))))
/** Titles, legal forms and small words: they say nothing of who it is. */
const SILENT = wordsOf(words.silent)
/** Frequent given names and trades: alone they tell nobody from a stranger. */
const LIGHT = wordsOf(words.light)

const isOfWeight = (word: string): boolean => !LIGHT.has(word)

const SHORTEST_ALIKE = 5

/** Of short words, one letter apart says as much as a frequent name. */
const isLongOrSame = ([one, other]: readonly [string, string]): boolean =>
  one === other || Math.min(one.length, other.length) >= SHORTEST_ALIKE

/** One letter apart, or cut short; a figure is never a slip of spelling. */
function isSpeltAlike(one: string, other: string): boolean {
  if (one === other) return true
  if (one.replace(/\D/g, '') !== other.replace(/\D/g, '')) return false
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (short.length >= SHORTEST_ALIKE && long.startsWith(short)) return true
  return short.length >= 3 && long.length - short.length <= 1 && distanceOf(one, other) === 1
}

/** `van den Berg` and `Vandenberg`, `BMW` and `Bayerische Motoren Werke`. */
function isWrittenTogether({ parts, words: single }: Name, { words: others }: Name): boolean {
  const initials = single.map((word) => word[0]).join('')
  const together = parts
    .flatMap((_, at) => [parts.slice(at, at + 2), parts.slice(at, at + 3)])
    .flatMap((some) => (some.length > 1 ? [simplify(some.join(''))] : []))
  return others.some(
    (word) =>
      (word.length >= SHORTEST_ALIKE && together.includes(word)) ||
      (initials.length > 2 && word === initials),
  )
}

/** How many initials of one stand for words of the other that it does not have itself. */
const countInitials = ({ words: own, initials }: Name, { words: others }: Name): number =>
  initials.filter((initial) => others.some((word) => word.startsWith(initial) && !own.includes(word))).length

/** `A… B…`: enough for somebody who has both lists at hand. */
export const maskName = (name: string): string =>
  Array.from(name.matchAll(/(?<=^|[\s-])[\p{L}\p{N}]/gu), ([letter]) => `${letter}…`)
    .slice(0, 4)
    .join(' ')
