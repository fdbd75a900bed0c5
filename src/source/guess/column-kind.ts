import type { OptionalField } from '../../domain/mandate/mandate.js'
import { fold, said } from '../../domain/text/text.js'
import {
  ANSWERS,
  isWeakWord,
  wordOf,
  type Meanings,
  type Words,
  type WordField,
} from '../../domain/value/words.js'
import { showValue, type RuleId } from '../../domain/rule/verdict.js'
import { isFirmenMandat } from '../columns/header.js'
import { MOST, type ColumnProfile, type WordCounts } from './column-profile.js'

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
  for (const field of WORD_FIELDS)
    for (const key of [fold(name), fold(name.replace(PREFIX, ''))]) {
      const rule = words[field].get(key)
      if (rule === undefined) continue
      const isBack = (isYes: boolean | undefined): boolean => isYes === (rule !== null)
      const staysBehind = answers
        .filter(({ isYes }) => isBack(isYes))
        .map(({ word, count }) => ({ word, count, rule: rule ?? OPPOSITE[field] }))
      if (staysBehind.length === 0) return null
      const goes = answers.filter(({ isYes }) => !isBack(isYes))
      return { field, form: 'answers', staysBehind, goes, unknown: [] }
    }
  return null
}

/** Of a column that is named after the end of a mandate: some rows hold a date that has passed. */
export function kindByEnds(namesEnd: boolean, { records, filled, ends }: ColumnProfile): ColumnKind | null {
  const { open, dated, past } = ends
  const held = filled - open
  if (!namesEnd || past === 0 || dated < held * MOST) return null
  const isTerm = held === records
  const [word, count] = isTerm ? ['with a date that has passed', past] : ['with a date', held]
  const staysBehind = [{ word, count, rule: 'STATUS_NOT_ACTIVE' as const }]
  return { field: 'status', form: isTerm ? 'terms' : 'ends', staysBehind, goes: [], unknown: [] }
}

/** `gekündigt 2, gesperrt 1`, each as a person may see it. */
export const counted = (entries: readonly { readonly word: string; readonly count: number }[]): string =>
  entries.map(({ word, count }) => `${showValue(word)} ${count}`).join(', ')

/** How a person calls what a rule keeps back, and why it stays behind. */
export const KEPT_BACK: Readonly<Partial<Record<RuleId, readonly [called: string, reason: string]>>> = {
  STATUS_NOT_ACTIVE: ['ended', 'ended at the previous creditor'],
  SEQUENCE_ONE_OFF: ['one-off', 'one-off mandate'],
  SEQUENCE_FINAL: ['final', 'marked as final'],
  SCHEME_B2B: ['business-to-business', 'business-to-business mandate'],
}

/** `2 ended, 1 one-off will not be migrated`; empty where nothing does. Columns that agree speak of the same rows. */
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
  const parts = [...counts].map(([rule, count]) => `${count} ${KEPT_BACK[rule]?.[0] ?? rule}`)
  return `${isLeast ? 'at least ' : ''}${parts.join(', ')} will not be migrated`
}

/** What of its words is understood, and what is not. */
export const wordsOf = ({ staysBehind, goes, unknown }: ColumnKind): readonly string[] =>
  said([
    staysBehind.length > 0 && `${counted(staysBehind)} will not be migrated`,
    goes.length > 0 && `${counted(goes)} go`,
    unknown.length > 0 && `not understood: ${counted(unknown)}`,
  ])
