import type { OptionalField } from '../mandate/mandate.js'
import { cleanCell, fold, MOJIBAKE } from '../text/text.js'
import { type Finding, startCheck, type RuleId, type SeverityOverrides } from '../rule/verdict.js'
import builtIn from './words.json' with { type: 'json' }

/**
 * What status, sequence and scheme columns say (domain/rulebook.md#status-sequence-scheme), in the official languages of
 * the SEPA area. Words that could be read in two ways are left out: what is not understood is told.
 */

export type WordField = Exclude<OptionalField, 'last_collection_date'>

/** What keeps a mandate back by each list of words; null where nothing does. */
const LISTS = {
  status: { active: null, notActive: 'STATUS_NOT_ACTIVE', pending: 'STATUS_NOT_ACTIVE' },
  sequence: { recurrent: null, oneOff: 'SEQUENCE_ONE_OFF', final: 'SEQUENCE_FINAL' },
  scheme: { core: null, b2b: 'SCHEME_B2B' },
} as const satisfies Record<WordField, Readonly<Record<string, RuleId | null>>>

/** Words by meaning. The configuration adds to these lists; a word it lists wins over the built-in meaning. */
type WordLists = {
  readonly [Field in WordField]?: { readonly [List in keyof (typeof LISTS)[Field]]?: readonly string[] }
}

/** The rule a folded word breaks, or null for a word that is fine. */
export type Meanings = ReadonlyMap<string, RuleId | null>

/** Word lists ready for looking up. */
export type Words = ReturnType<typeof wordsWith>

const PLAIN = { æ: 'ae', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i' } as const

/** How letters are written where a keyboard or an old system has none: folding unites none of these. */
const WITHOUT: readonly Readonly<Record<string, string>>[] = [
  { ...PLAIN, ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' },
  { ...PLAIN, ø: 'o' },
]

/** A word as it is compared, in all its spellings. */
function spellings(word: string): readonly string[] {
  const lower = word.toLowerCase().normalize('NFC')
  const respelled = WITHOUT.map((letters) =>
    lower.replace(/[äöüøæåłđðþħı]/g, (letter) => letters[letter] ?? letter),
  )
  return [...new Set([lower, ...respelled].map(fold))]
}

const DATE = /(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|(?<!\d)\d{4})\)?\s*$/
/** Only at the beginning of its blanks: a long run of them is read once. */
const SINCE =
  /(?<!\s)\s+(?:zum|am|per|seit|ab|op|vanaf|sinds|le|depuis|au|il|dal|al|el|desde|den|fra|från|od|dnia|z dniem|on|as of|since)\.?$/iu

/** `gekündigt` of `gekündigt zum 31.12.2025`; a cell without a date as it is. */
export function undated(cell: string): string {
  const text = cleanCell(cell)
  const date = DATE.exec(text)
  if (date === null) return text
  const without = text
    .slice(0, date.index)
    .trimEnd()
    .replace(/[(,:-]$/, '')
    .trimEnd()
    .replace(SINCE, '')
  return without === '' ? text : without
}

const MOST_LOOKED_UP = 500
const lookedUp = new Map<string, string>()

/** A word as it is looked up, without a date behind it. A column of words repeats a few. */
export function wordOf(cell: string): string {
  const known = lookedUp.get(cell)
  if (known !== undefined) return known
  const word = fold(undated(cell))
  if (lookedUp.size < MOST_LOOKED_UP) lookedUp.set(cell, word)
  return word
}

/** One text per language, its words separated by commas. Participles are named once, with the endings of he, she and several. */
type OneList = Readonly<Partial<Record<'words' | keyof typeof ENDINGS, readonly string[]>>>

/** What takes the place of the last letter; French ones are put behind it. */
const ENDINGS = {
  french: ['$&', '$&e', '$&s', '$&es'],
  italian: ['$&', 'a', 'i', 'e'],
  spanish: ['$&', 'a', 'os', 'as'],
  polish: ['$&', 'a', 'e'],
} as const

const split = (texts: readonly string[] = []): string[] => texts.flatMap((text) => text.split(/,\s*/))

const wordsIn = ({ words, ...inflected }: OneList): string[] => [
  ...split(words),
  ...Object.entries(inflected).flatMap(([language, texts]) =>
    split(texts).flatMap((word) =>
      ENDINGS[language as keyof typeof ENDINGS].map((ending) => word.replace(/.$/u, ending)),
    ),
  ),
]

const listsIn = (lists: Readonly<Record<string, OneList>>) =>
  Object.fromEntries(Object.entries(lists).map(([name, listed]) => [name, wordsIn(listed)]))

export const BUILT_IN: WordLists = {
  status: listsIn(builtIn.status),
  sequence: listsIn(builtIn.sequence),
  scheme: listsIn(builtIn.scheme),
}
const YES = wordsIn(builtIn.yes)
const NO = wordsIn(builtIn.no)
const WAITING = wordsIn(builtIn.status.pending)
/** Words that other columns have too: marital status, results of checks, tariffs, remarks; and what waits. */
const WEAK = [...WAITING, ...wordsIn(builtIn.weak)]

type Meaning = readonly [words: readonly string[] | undefined, rule: RuleId | null]

const meanings = (all: readonly Meaning[]): Meanings =>
  new Map(
    all.flatMap(([list = [], rule]) =>
      list.flatMap((word) => spellings(word).map((key) => [key, rule] as const)),
    ),
  )

function meaningsIn(field: WordField, lists: WordLists): Meaning[] {
  const listed: Readonly<Partial<Record<string, readonly string[]>>> = lists[field] ?? {}
  return Object.entries<RuleId | null>(LISTS[field]).map(([name, rule]) => [listed[name], rule])
}

const STATUS = meanings(meaningsIn('status', BUILT_IN))
const SEQUENCE = meanings(meaningsIn('sequence', BUILT_IN))
const SCHEME = meanings(meaningsIn('scheme', BUILT_IN))
const FIRMEN_MANDAT = meanings([[NO, null], [YES, 'SCHEME_B2B'], ...meaningsIn('scheme', BUILT_IN)])

/**
 * The built-in words together with those of the configuration. Call it once, not per row.
 * @param known words of a system, which stand in place of the built-in ones of their field
 */
export function wordsWith(added: WordLists, known: WordLists = {}) {
  const join = (field: WordField, builtIn: Meanings): Meanings =>
    new Map([
      ...(known[field] === undefined ? builtIn : meanings(meaningsIn(field, known))),
      ...meanings(meaningsIn(field, added)),
    ])
  return {
    status: join('status', STATUS),
    sequence: join('sequence', SEQUENCE),
    scheme: join('scheme', SCHEME),

    /** For a column that only says whether the mandate is business-to-business. */
    firmenMandat: new Map([...FIRMEN_MANDAT, ...meanings(meaningsIn('scheme', added))]),
  }
}

/** A word that keeps a mandate back, whatever column it stands in. */
export const keepsBack = (word: string): boolean =>
  [WORDS.status, WORDS.sequence, WORDS.scheme].some((meanings) => typeof meanings.get(word) === 'string')

const WEAK_WORDS: ReadonlySet<string> = new Set(WEAK.flatMap(spellings))

/** A word that columns of other things have too, such as `single` or `ok`. */
export const isWeakWord = (word: string): boolean => WEAK_WORDS.has(word)

/** Words that people write beside a name where a mandate ended, or anything between brackets. Letters may be written otherwise. */
const REMARKS = wordsIn(builtIn.remarks).map((word) => word.replace(/[^a-z]/g, '.{1,2}'))
const REMARK = new RegExp(
  `(?<!\\p{L})(?:${REMARKS.join('|')})\\p{L}{0,3}(?![\\p{L}\\p{M}]|\\S*@)|[([*#](?=([^)\\]*#]{3,40}))|†`,
  'giu',
)

/** The word in `Falk (gekündigt)` that says that the mandate ended; null where none does. */
export function remarkIn(cell: string): string | null {
  if (cell.search(REMARK) < 0) return null
  for (const [word, inner] of cell.matchAll(REMARK)) {
    if (inner === undefined) return word.toLowerCase()
    const remark = wordOf(inner)
    if (typeof STATUS.get(remark) === 'string' && !isWeakWord(remark)) return inner
  }
  return null
}

/** Yes and no as folded words. */
export const ANSWERS: ReadonlyMap<string, boolean> = new Map([
  ...YES.map((word) => [fold(word), true] as const),
  ...NO.map((word) => [fold(word), false] as const),
])

export const WORDS: Words = wordsWith({})

const CONTROL = /[\0-\u0008\u000E-\u001F\u007F-\u009F]/

const WAITS = new Set(WAITING.flatMap(spellings))
/** Whether a service says so of a mandate that it holds: one that waits for its first debit has not ended. */
export const saysEnded = (status: string): boolean => {
  const word = wordOf(status)
  return typeof WORDS.status.get(word) === 'string' && !WAITS.has(word)
}

/** It was not read as it was written. */
export const isDamaged = (value: string): boolean => CONTROL.test(value) || MOJIBAKE.test(value)

/** `gek?ndigt`, whatever became of the letter in between; null for what has none, or few others to tell a word by. */
function remainsOf(value: string): string | null {
  const remains = value.toLowerCase().replace(/[^ -~]+|\?+/g, '?')
  return remains.includes('?') && (remains.match(/[a-z]/g) ?? []).length > 3 ? remains : null
}

const ENDED = (BUILT_IN.status?.notActive ?? []).map(remainsOf)

/**
 * Whether a value may mean what is listed, although it is none of it: it says the same in another word, is damaged, or is
 * understood to keep a mandate back. Make it once for a column.
 * @param isFlag by its heading it marks mandates, so that beside a yes it holds nothing but a no
 */
export function mayMean(listed: readonly string[], isFlag: boolean): (value: string) => boolean {
  const answers = listed.map((word) => ANSWERS.get(fold(word)))
  const isFlagOfAnswers = isFlag && answers.every((answer) => answer !== undefined)
  const isOfStatus = listed.some((word) => keepsBack(wordOf(word)))
  const remains = new Set([...ENDED, ...listed.map(remainsOf)])
  return (value) => {
    const word = wordOf(value)
    const remain = remainsOf(value)
    if (isDamaged(value) || (remain !== null && remains.has(remain))) return true
    const answer = ANSWERS.get(word)
    if (word === '') return false
    if (answer !== undefined) return answers.includes(answer)
    return (
      isFlagOfAnswers || remarkIn(value) !== null || (keepsBack(word) && (isOfStatus || !isWeakWord(word)))
    )
  }
}

const UNKNOWN: Readonly<Record<WordField, RuleId>> = {
  status: 'STATUS_UNKNOWN',
  sequence: 'SEQUENCE_UNKNOWN',
  scheme: 'SCHEME_UNKNOWN',
}

/** Checks one word. An empty cell says nothing. */
export function checkWord(
  field: WordField,
  raw: string,
  known: Meanings,
  severities: SeverityOverrides,
): readonly Finding[] {
  const word = wordOf(raw)
  if (word === '') return []
  const check = startCheck(field, raw, severities)
  const meaning = known.get(word)
  const rule = meaning === undefined ? UNKNOWN[field] : meaning
  if (rule !== null) check.breaks(rule)
  return check.findings
}
