import { SEPA_COUNTRIES } from '../../domain/text/countries.js'
import { fold } from '../../domain/text/text.js'
import { ANSWERS } from '../../domain/value/words.js'
import other from './other-columns.json' with { type: 'json' }
import type { WordCounts } from './word-counter.js'

/** A smaller file shows too little of a column. */
const MORE_THAN_ROWS = 20
const MOST_VALUES = 12

/**
 * A column of few values may say which mandates live, in words that nobody here knows. An empty cell is a value too: where
 * only ended mandates are marked, nothing else stands beside the mark.
 * @param records those whose cells were counted
 */
export function mayBeStatus(name: string, counts: WordCounts, records: number): boolean {
  if (counts === null || counts.size === 0 || records <= MORE_THAN_ROWS) return false
  const filled = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const values = counts.size + (filled < records ? 1 : 0)
  return values >= 2 && counts.size <= MOST_VALUES && !isNamedOther(name) && !holdsOther([...counts.keys()])
}

const words = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(',').map(fold)))

/** Headings of countries, languages, currencies, salutations and frequencies. */
const OTHER_NAMES = words(other.headings)

/** `address.country_code` and `Debtor country` are named by what they end with. */
function isNamedOther(name: string): boolean {
  const parts = name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return [name, parts.slice(-1).join(''), parts.slice(-2).join('')].some((part) =>
    OTHER_NAMES.has(fold(part)),
  )
}

const LANGUAGES =
  'bg,ca,cs,da,de,el,en,es,et,fi,fr,ga,hr,hu,is,it,lb,lt,lv,mk,mt,nb,nl,nn,no,pl,pt,rm,ro,ru,sk,sl,sq,sr,sv,tr,uk'.split(
    ',',
  )

const OTHER_WORDS = [other.currencies, other.salutations, other.frequencies].map(words)

/** All values are countries, all are languages, and so on. `si` and `no` are countries, but in a column they answer. */
function holdsOther(values: readonly string[]): boolean {
  const folded = values.map(fold)
  if (folded.every((value) => ANSWERS.has(value))) return false
  return others().some((known) => folded.every((value) => known.has(value)))
}

let known: readonly ReadonlySet<string>[] | null = null

function others(): readonly ReadonlySet<string>[] {
  known ??= [
    new Set([...SEPA_COUNTRIES.keys()].flatMap((code) => [fold(code), ...namesOf('region', code)])),
    new Set([
      ...LANGUAGES.flatMap((code) => [code, ...namesOf('language', code)]),
      ...LANGUAGES.flatMap((code) => [...SEPA_COUNTRIES.keys()].map((country) => fold(code + country))),
    ]),
    ...OTHER_WORDS,
  ]
  return known
}

/** What people of those languages call it. */
const namesOf = (type: 'region' | 'language', code: string): string[] =>
  LANGUAGES.map((language) => fold(new Intl.DisplayNames([language], { type }).of(code) ?? code))
