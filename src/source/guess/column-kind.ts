import { DATE_FORMATS, readDate, type DateFormat } from '../../domain/mandate/date.js'
import type { LocalDate, OptionalField } from '../../domain/mandate/mandate.js'
import { cleanCell, fold } from '../../domain/text/text.js'
import {
  ANSWERS,
  isWeakWord,
  wordOf,
  type Meanings,
  type Words,
  type WordField,
  undated,
} from '../../domain/value/words.js'
import { isOpenEnd } from '../../domain/value/check-mandate.js'
import { showValue, type RuleId } from '../../domain/rule/verdict.js'
import { SEPA_COUNTRIES } from '../../domain/text/countries.js'
import { isFirmenMandat, namesFlag } from '../columns/header.js'
import other from './other-columns.json' with { type: 'json' }

/** A column that says which mandates live, told by its values. */
export interface ColumnKind {
  readonly field: OptionalField
  /** `answers`: the name is the word, and the cells say yes or no to it. `ends`: a date says that it ended; `terms`: every mandate has one. */
  readonly form: 'words' | 'answers' | 'ends' | 'terms'
  /** What is understood to stay behind: word, count and the rule that says so. */
  readonly staysBehind: readonly { readonly word: string; readonly count: number; readonly rule: RuleId }[]
  readonly goes: readonly { readonly word: string; readonly count: number }[]
  readonly unknown: readonly { readonly word: string; readonly count: number }[]
}

export const WORD_FIELDS: readonly WordField[] = ['status', 'sequence', 'scheme']

/** Where the configuration sorts the words of a column in; `…` stands for what is to be filled in. */
export const WORD_LISTS: Readonly<Record<WordField, string>> = {
  status: 'active: […], notActive: […]',
  sequence: 'recurrent: […], oneOff: […], final: […]',
  scheme: 'core: […], b2b: […]',
}

/** The rule for a row that says no to a good word. */
const OPPOSITE: Readonly<Record<WordField, RuleId>> = {
  status: 'STATUS_NOT_ACTIVE',
  sequence: 'SEQUENCE_ONE_OFF',
  scheme: 'SCHEME_B2B',
}

export const meaningsOf = (field: WordField, name: string, words: Words): Meanings =>
  field === 'scheme' && isFirmenMandat(name) ? words.firmenMandat : words[field]

/** What the words of a column mean as the field says. */
export function readWords(
  field: WordField,
  counts: ReadonlyMap<string, number>,
  meanings: Meanings,
): ColumnKind {
  const all = [...counts].map(([word, count]) => ({ word, count, rule: meanings.get(wordOf(word)) }))
  return {
    field,
    form: 'words',
    staysBehind: all.flatMap(({ word, count, rule }) =>
      typeof rule === 'string' ? [{ word, count, rule }] : [],
    ),
    goes: all.flatMap(({ word, count, rule }) => (rule === null ? [{ word, count }] : [])),
    unknown: all.flatMap(({ word, count, rule }) => (rule === undefined ? [{ word, count }] : [])),
  }
}

const sum = (entries: readonly { readonly count: number }[]): number =>
  entries.reduce((total, { count }) => total + count, 0)

const knownIn = (kind: ColumnKind): number => sum(kind.staysBehind) + sum(kind.goes)

const HALF = 0.5
const MOST = 0.8

/**
 * One word that keeps a mandate back is enough, where it means nothing else; words that other columns have too
 * (`single`, `last`, `ok`) count when most of the column is understood.
 */
function isTelling(kind: ColumnKind): boolean {
  const known = knownIn(kind)
  const filled = known + sum(kind.unknown)
  const isStrong = ({ word }: { readonly word: string }): boolean => !isWeakWord(wordOf(word))
  if (kind.staysBehind.some(isStrong)) return true
  if (kind.staysBehind.length > 0) return known >= filled * HALF
  return kind.goes.some(isStrong) && known >= filled * MOST
}

/** The field whose words the values of a column are; null where they are of none. */
export function kindByWords(counts: WordCounts, words: Words): ColumnKind | null {
  if (counts === null || counts.size === 0) return null
  const kinds = WORD_FIELDS.map((field) => readWords(field, counts, words[field])).filter(isTelling)
  return (
    kinds.toSorted((a, b) => knownIn(b) - knownIn(a) || sum(b.staysBehind) - sum(a.staysBehind))[0] ?? null
  )
}

const PREFIX = /^(?:is|ist|has|mandate?|mandaat|machtiging|est|er|är)(?=[\s_\p{Lu}-])/iu

/** A column such as "Gekündigt" or "Aktiv" that says yes or no; null where no row stays behind by it. */
export function kindByAnswers(name: string, counts: WordCounts, words: Words): ColumnKind | null {
  if (counts === null || counts.size === 0) return null
  const answers = [...counts].map(([word, count]) => ({ word, count, isYes: ANSWERS.get(fold(word)) }))
  if (answers.some(({ isYes }) => isYes === undefined)) return null
  for (const field of WORD_FIELDS) {
    for (const key of [fold(name), fold(name.replace(PREFIX, ''))]) {
      const rule = words[field].get(key)
      if (rule === undefined) continue
      const isBack = (isYes: boolean | undefined): boolean => isYes === (rule !== null)
      const staysBehind = answers
        .filter(({ isYes }) => isBack(isYes))
        .map(({ word, count }) => ({ word, count, rule: rule ?? OPPOSITE[field] }))
      if (staysBehind.length === 0) return null
      return {
        field,
        form: 'answers',
        staysBehind,
        goes: answers.filter(({ isYes }) => !isBack(isYes)),
        unknown: [],
      }
    }
  }
  return null
}

const LONGEST_DATE = 35

/** The dates that a cleaned cell may be, with the format that reads each. */
export function datesIn(
  text: string,
  today: LocalDate,
): readonly { readonly format: DateFormat; readonly date: LocalDate }[] {
  if (!/^[0-9]/.test(text) || text.length > LONGEST_DATE) return []
  return DATE_FORMATS.flatMap((format) => {
    const read = readDate(text, format, today)
    return read.kind === 'date' ? [{ format, date: read.date }] : []
  })
}

/** Counts the rows of a column that is named after the end of a mandate. */
export function countEnds(today: LocalDate) {
  let records = 0
  let filled = 0
  let dates = 0
  let past = 0
  return {
    note: (cell: string): void => {
      records += 1
      const text = cleanCell(cell)
      if (isOpenEnd(text)) return
      filled += 1
      const read = datesIn(text, today)
      if (read.length > 0) dates += 1
      if (read.some(({ date }) => date <= today)) past += 1
    },
    /** Null unless some rows hold a date that has passed, and others none or one to come. */
    kind: (): ColumnKind | null => {
      if (past === 0 || past === records || dates < filled * MOST) return null
      const isTerm = filled === records
      const [word, count] = isTerm ? ['with a date that has passed', past] : ['with a date', filled]
      const staysBehind = [{ word, count, rule: 'STATUS_NOT_ACTIVE' as const }]
      return { field: 'status', form: isTerm ? 'terms' : 'ends', staysBehind, goes: [], unknown: [] }
    },
  }
}

/** `gekündigt 2, gesperrt 1`, each as a person may see it. */
export const counted = (entries: readonly { readonly word: string; readonly count: number }[]): string =>
  entries.map(({ word, count }) => `${showValue(word)} ${count}`).join(', ')

/** How a person calls what a rule keeps back. */
const KEPT_BACK: Readonly<Partial<Record<RuleId, string>>> = {
  STATUS_NOT_ACTIVE: 'ended',
  SEQUENCE_ONE_OFF: 'one-off',
  SEQUENCE_FINAL: 'final',
  SCHEME_B2B: 'business-to-business',
}

/** `2 ended, 1 one-off stay behind`; empty where nothing does. Columns that agree speak of the same rows. */
export function staysBehindText(kinds: readonly ColumnKind[]): string {
  const counts = new Map<RuleId, number>()
  let isLeast = false
  for (const { staysBehind } of kinds)
    for (const rule of new Set(staysBehind.map((entry) => entry.rule))) {
      const count = sum(staysBehind.filter((entry) => entry.rule === rule))
      isLeast ||= counts.has(rule)
      counts.set(rule, Math.max(count, counts.get(rule) ?? 0))
    }
  if (counts.size === 0) return ''
  const parts = [...counts].map(([rule, count]) => `${count} ${KEPT_BACK[rule] ?? rule}`)
  const isOne = [...counts.values()].reduce((all, count) => all + count, 0) === 1
  return `${isLeast ? 'at least ' : ''}${parts.join(', ')} ${isOne ? 'stays' : 'stay'} behind`
}

/** The words of a column and how often each occurs, by its first spelling; null where they are too many to be words. */
export type WordCounts = ReadonlyMap<string, number> | null

const LONGEST_WORD = 40
const MOST_SPELLINGS = 200

/** Counts in bounded memory: a column with more than `most` words is no column of words. */
export function countWords(most: number) {
  const spellings = new Map<string, { readonly shown: string; count: number }>()
  let words: Map<string, { readonly shown: string; count: number }> | null = new Map()
  const enter = (cell: string): void => {
    const shown = undated(cell)
    if (shown === '' || words === null) return
    const folded = fold(shown)
    const key = folded === '' ? shown : folded
    const entry = words.get(key) ?? { shown, count: 0 }
    entry.count += 1
    words.set(key, entry)
    if (spellings.size < MOST_SPELLINGS) spellings.set(cell, entry)
    if (words.size <= most && shown.length <= LONGEST_WORD) return
    words = null
    spellings.clear()
  }
  return {
    note: (cell: string): void => {
      if (words === null || cell === '') return
      const known = spellings.get(cell)
      if (known === undefined) enter(cell)
      else known.count += 1
    },
    counts: (): WordCounts =>
      words === null ? null : new Map([...words.values()].map(({ shown, count }) => [shown, count])),
  }
}

/** A smaller file shows too little of a column. */
const MORE_THAN_ROWS = 20
const MOST_VALUES = 12

/**
 * A column of few values may say which mandates live, in words that nobody here knows. An empty cell is a value too: where
 * only ended mandates are marked, nothing else stands beside the mark.
 * @param records those whose cells were counted
 * @param isFurther there is a status: only one whose name is that of an end or a block may say more
 */
export function mayBeStatus(name: string, counts: WordCounts, records: number, isFurther = false): boolean {
  if (isFurther && !namesFlag(name)) return false
  if (counts === null || counts.size === 0 || records <= MORE_THAN_ROWS) return false
  const filled = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const values = counts.size + (filled < records ? 1 : 0)
  return values >= 2 && counts.size <= MOST_VALUES && !isNamedOther(name) && !holdsOther([...counts.keys()])
}

const words = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(',').map(fold)))

/** A heading of countries, languages, currencies, salutations or frequencies, also where a name ends with it: `address.country_code`. */
function isNamedOther(name: string): boolean {
  const parts = name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const names = words(other.headings)
  return [name, parts.slice(-1).join(''), parts.slice(-2).join('')].some((part) => names.has(fold(part)))
}

const LANGUAGES =
  'bg,ca,cs,da,de,el,en,es,et,fi,fr,ga,hr,hu,is,it,lb,lt,lv,mk,mt,nb,nl,nn,no,pl,pt,rm,ro,ru,sk,sl,sq,sr,sv,tr,uk'.split(
    ',',
  )

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
    ...[other.currencies, other.salutations, other.frequencies].map(words),
  ]
  return known
}

/** What people of those languages call it. */
const namesOf = (type: 'region' | 'language', code: string): string[] =>
  LANGUAGES.map((language) => fold(new Intl.DisplayNames([language], { type }).of(code) ?? code))
