import {
  type Field,
  type OptionalField,
  type ColumnField,
  FIELDS,
  PAYER_FIELDS,
  REQUIRED_FIELDS,
} from '../../domain/mandate/mandate.js'
import { fold, said } from '../../domain/text/text.js'
import { SEPA_COUNTRIES } from '../../domain/text/accounts.js'
import { showValue, type RuleId } from '../../domain/rule/verdict.js'
import {
  ANSWERS,
  isWeakWord,
  wordOf,
  WORDS,
  type Meanings,
  type Words,
  type WordField,
} from '../../domain/value/words.js'
import {
  isFirmenMandat,
  meaningOfHeader,
  namesBlock,
  namesEnd,
  namesFlag,
  namesLastCollection,
  namesSigning,
  tellsOfCustomer,
  namesDebit,
  namesMandate,
} from '../columns/header.js'
import {
  areMost,
  MOST,
  guessDateFormat,
  holdsAccounts,
  holdsDates,
  areDistinct,
  varies,
  type ColumnProfile,
  type WordCounts,
  distinctShare,
  type Order,
  orderOf,
} from './column-profile.js'
import other from './other-columns.json' with { type: 'json' }
import { isDateField, isUsualName } from '../columns/mapping.js'

/** A column that says which mandates live, told by its values. */
export interface ColumnKind {
  readonly field: OptionalField
  /**
   * `answers`: the name is the word, and the cells say yes or no to it; `marks`: an empty one says no. `ends`: a date says
   * that it ended; `terms`: every mandate has one.
   */
  readonly form: 'words' | 'answers' | 'marks' | 'ends' | 'terms'
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
export function readWords(field: WordField, counts: WordCounts, meanings: Meanings): ColumnKind {
  const all = [...(counts ?? [])].map(([word, count]) => ({ word, count, rule: meanings.get(wordOf(word)) }))
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

/** What stands beside the word in a heading and says nothing more: verbs, marks, the mandate and its debits. */
const BESIDE = /^(?:is|ist|has|est|er|är|noch|nog|still|sepa|flag|kz|kennz\p{L}*)$/iu
const saysMore = (part: string): boolean => !BESIDE.test(part) && !namesMandate(part) && !namesDebit(part)
/** No dash, number or date. */
const MARK = /^(?![-–—.]+$|\P{L}*\p{N})./u

/**
 * A column such as "Gekündigt" or "Aktiv" that says yes or no, or of which one value in some rows says by its absence what
 * the others are; null where no row stays behind by it.
 * @param empty rows without a value
 */
export function kindByAnswers(name: string, counts: WordCounts, words: Words, empty = 0): ColumnKind | null {
  if (counts === null || counts.size === 0) return null
  const all = [...counts].map(([word, count]) => ({ word, count, isYes: ANSWERS.get(fold(word)) }))
  const [{ word: first } = { word: '' }] = all
  const isAlone = all.length === 1 && empty > 0
  const isMark = isAlone && MARK.test(first) && typeof words.status.get(wordOf(first)) !== 'string'
  const areAnswers = all.every(({ isYes }) => isYes !== undefined)
  if (!areAnswers && !isMark) return null
  const keys = [fold(name), fold(partsOf(name).filter(saysMore).join(' '))]
  for (const field of areAnswers ? WORD_FIELDS : (['status'] as const))
    for (const key of keys) {
      const rule = words[field].get(key)
      if (rule === undefined) continue
      const isBack = ({ isYes = true }: (typeof all)[number]): boolean => isYes === (rule !== null)
      const goes = all.filter((one) => !isBack(one))
      const isAbsence = isAlone && goes.length > 0 && field === 'status'
      const behind = isAbsence ? [{ word: 'empty', count: empty }] : all.filter(isBack)
      if (behind.length === 0) return null
      const staysBehind = behind.map(({ word, count }) => ({ word, count, rule: rule ?? OPPOSITE[field] }))
      return { field, form: isAbsence ? 'marks' : 'answers', staysBehind, goes, unknown: [] }
    }
  return null
}

/** Of a column that is named after the end of a mandate: a date has passed, or some rows alone hold one of the next year. */
function kindByEnds(name: string, { records, filled, ends }: ColumnProfile): ColumnKind | null {
  const { open, dated, past, soon } = ends
  const held = filled - open
  const isTerm = held === records
  if (!namesEnd(name) || (past === 0 && (isTerm || soon === 0)) || dated < held * MOST) return null
  const [word, count] = isTerm ? ['with a date that has passed', past] : ['with a date', held]
  const staysBehind = [{ word, count, rule: 'STATUS_NOT_ACTIVE' as const }]
  return { field: 'status', form: isTerm ? 'terms' : 'ends', staysBehind, goes: [], unknown: [] }
}

/** How an exclude rule names the rows that these words keep back. */
export function keptBackBy({ form, goes }: ColumnKind, words: ColumnKind['goes']): string {
  const listed = (form === 'marks' ? goes : words).map(({ word }) => JSON.stringify(word)).join(', ')
  return form === 'ends' ? 'filled: true' : `${form === 'marks' ? 'except' : 'equals'}: [${listed}]`
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
export function staysBehindText(kinds: readonly Pick<ColumnKind, 'staysBehind'>[]): string {
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
const wordsOf = ({ staysBehind, goes, unknown }: ColumnKind): readonly string[] =>
  said([
    staysBehind.length > 0 && `${counted(staysBehind)} will not be migrated`,
    goes.length > 0 && `${counted(goes)} go`,
    unknown.length > 0 && `not understood: ${counted(unknown)}`,
  ])

/** What becomes of a column that feeds no field. */
export type Fate = ReturnType<typeof harmless> | ReturnType<typeof undecided>

export interface FileFacts {
  /** Fields that a column or a second file feeds. */
  readonly uses: (field: Field) => boolean
  /** Fields that a person decided about. */
  readonly decided: ReadonlySet<Field>
  /** The column used as status has one value in every row, so it tells no row from another. */
  readonly isStatusOne?: boolean
  /** The numbers of customers, as far as they were kept. */
  readonly keys?: readonly Pick<ReadonlySet<string>, 'has'>[]
  readonly words?: Words
}

/** Seconds or milliseconds since 1970, from September 2001 on. */
const UNIX_TIME = /^[12][0-9]{9}(?:[0-9]{3})?$/

const OWN_ACCOUNT = 'hardly varies, as an account of the creditor'
const DISTINCT = 'nearly all values differ'
const OF_OTHER_ROWS = 'numbers of customers of other rows, as a list beside the table does'

/** From so many rows on a mark in a tenth of them or fewer is asked about, and in more rows each column of few values. */
const FEWEST_ROWS = 20
const MOST_VALUES = 12

/**
 * The fate of a column by its words, dates and accounts, whatever its heading; that is asked last
 * (domain/rulebook.md#file-rules).
 */
export function fateOf(name: string, profile: ColumnProfile, file: FileFacts): Fate {
  const fate = fateByShape(name, profile, file)
  if (fate.kind === 'harmless') return fate
  const { field, told } = fate
  // That no column counts, holds for all; that one does, for none that would keep more back.
  const keepsMore = told === null ? field === 'status' : told.staysBehind.length > 0
  const isOfRows = fate.by === 'payers' || fate.by === 'remarks'
  return !isOfRows && file.decided.has(field) && !(file.uses(field) && keepsMore)
    ? harmless(`the configuration decides about ${field}`)
    : fate
}

function fateByShape(name: string, profile: ColumnProfile, file: FileFacts): Fate {
  const { uses, isStatusOne = false, keys = [], words = WORDS } = file
  const { records, filled, sampled, values, words: counts } = profile
  const listed = listedIn(profile, keys)
  if (listed > 0) return undecided('list', 'status', `${listed} ${OF_OTHER_ROWS}`)
  const told =
    kindByAnswers(name, counts, words, records - filled) ??
    kindByWords(counts, words) ??
    kindByEnds(name, profile)
  if (told !== null) return undecided('words', told.field, wordsOf(told).join('; '), { told })
  const remarks = [...profile.remarks].map(([word, count]) => ({ word, count }))
  const remarked = remarks.reduce((sum, { count }) => sum + count, 0)
  // Where all rows have it, it is said of all mandates, as `until revoked` is.
  if (remarked > 0 && remarked < records)
    return undecided(
      'remarks',
      'status',
      `words of an end in ${remarked} of ${records} rows (${counted(remarks)})`,
    )
  const last = namesLastCollection(name) ? guessDateFormat(profile, true) : null
  if (last !== null)
    return undecided('last', 'last_collection_date', `${last.count} dates`, { dateFormat: last.format })
  if (filled === 0) return harmless('empty')
  if (holdsAccounts(profile)) {
    if (!varies(profile)) return harmless(OWN_ACCOUNT)
    // Filled in few rows it is that of another payer, whichever column is the account of the others.
    const by = uses('iban') && filled * 2 < records ? 'payers' : 'second'
    return undecided(by, 'iban', `${values.size} different accounts in ${sampled} rows`)
  }
  const second = secondOf(name, profile)
  if (second !== null && uses(second.field)) return second
  if (holdsDates(profile)) {
    if (namesEnd(name) && !namesBlock(name)) return harmless('ends far ahead')
    const shows = mayBeEnds(profile, namesBlock(name))
    return shows === null ? harmless('dates') : undecided('dates', 'status', shows)
  }
  const times = namesFlag(name) || namesEnd(name) ? [...values].filter(([text]) => UNIX_TIME.test(text)) : []
  if (times.length > 0)
    return undecided('dates', 'status', `a time in ${sum(times.map(([, one]) => one))} of ${records} rows`)
  const heading = namesFlag(name) ? null : headingOf(name)
  if (heading !== null) return harmless(`${heading} by its name`)
  // Most rows are empty, so the others may be days that a spreadsheet counts.
  if (filled * 2 < records && areMost(profile.dates.get('excel') ?? 0, profile))
    return undecided('dates', 'status', mayBeEnds(profile, false) ?? '')
  if (areMost(profile.creditors, profile)) return harmless('creditor identifiers')
  const isFew = counts !== null && counts.size <= MOST_VALUES
  if (areDistinct(profile) && (!isFew || filled >= records * 0.95)) return harmless(DISTINCT)
  return !isFew
    ? harmless(kindOfValues([...profile.values.keys()], MOST) ?? 'texts of many kinds')
    : fateOfFew(counts, profile, { isFlag: namesFlag(name), isTold: uses('status') && !isStatusOne })
}

/** What is named for a field and fits it, where another column feeds that: nobody knows which of the two it is. */
function secondOf(name: string, profile: ColumnProfile) {
  const { records, filled, values } = profile
  const meaning = meaningOfHeader(name)
  const field = namesSigning(name) ? 'signed_date' : meaning.kind === 'field' ? meaning.field : null
  if (filled * 2 < records) return null
  const date = field === 'signed_date' ? guessDateFormat(profile, true) : null
  if (date !== null)
    return undecided('second', 'signed_date', `${date.count} dates as ${date.format}`, {
      dateFormat: date.format,
    })
  if (field === 'unique_mandate_reference' && areDistinct(profile))
    return undecided('second', field, `${values.size} different values`)
  return field === 'sepa_creditor_identifier' && areMost(profile.creditors, profile)
    ? undecided('second', field, `${profile.creditors} valid creditor identifiers`)
    : null
}

/** How many cells of a list beside the table are keys of its rows: each differs, and most rows have none. */
function listedIn(profile: ColumnProfile, keys: NonNullable<FileFacts['keys']>): number {
  const { records, filled, values } = profile
  if (filled * 2 > records || !areDistinct(profile)) return 0
  const listed = [...values.keys()].filter((text) => text.length > 2 && keys.some((key) => key.has(text)))
  return listed.length > 1 && listed.length * 10 >= values.size ? listed.length : 0
}

/** What a column of dates shows that ends do and no birth, entry or beginning; null where nothing. */
function mayBeEnds({ records, filled, ends }: ColumnProfile, isBlock: boolean): string | null {
  const { never, past, future, early } = ends
  const dates = filled - never
  const isPartial = records >= FEWEST_ROWS && dates * 10 <= records * 9 && early * 2 < dates
  const isMixed = future > 0 && (past > 0 || isBlock)
  if (dates === 0 || !(dates * 2 < records || isPartial || isMixed)) return null
  return `a date in ${dates} of ${records} rows${future > 0 ? `, ${future} still to come` : ''}`
}

/**
 * @param isFlag by its heading, so that one row that differs is asked about
 * @param isTold a column used as status tells which mandates are active, so that no more than a mark of few rows is asked about
 */
function fateOfFew(
  counts: ReadonlyMap<string, number>,
  { records, filled }: ColumnProfile,
  { isFlag, isTold }: { isFlag: boolean; isTold: boolean },
): Fate {
  const empty = records - filled
  const words = [...counts].map(([word, count]) => ({ word, count }))
  const known = kindOfValues([...counts.keys()], 1)
  // Under the heading of a mark a number may be the year of an end.
  const areYears = isFlag && [...counts.keys()].every((word) => /^(?:19|20)\d\d$/.test(word))
  if (known !== null && !areYears) return harmless(known)
  // An empty cell is a value too: where only ended mandates are marked, nothing else stands beside the mark.
  const all = empty > 0 ? [...words, { word: 'empty', count: empty }] : words
  if (all.length < 2) return harmless('one value in every row')
  const others = records - Math.max(...all.map(({ count }) => count))
  const isMark = records >= FEWEST_ROWS && others * 10 <= records
  const shows = counted(all)
  if (isMark || isFlag || (!isTold && records > FEWEST_ROWS)) return undecided('few', 'status', shows)
  return harmless('few values', records > FEWEST_ROWS ? shows : null)
}

/** @param few its values where they are few, as those of a status are, with how often each occurs */
const harmless = (why: string, few: string | null = null) => ({ kind: 'harmless', why, few }) as const

/**
 * @param field whoever says that no column is this field has answered
 * @param shows its words, dates or accounts with their counts, for a person
 * @param more `told`: what its words are understood to say; `dateFormat`: that of a last collection or a second signature
 */
const undecided = (
  by: 'words' | 'list' | 'last' | 'dates' | 'payers' | 'remarks' | 'second' | 'few',
  field: Field,
  shows: string,
  { told = null, dateFormat = '' }: { told?: ColumnKind | null; dateFormat?: string } = {},
) => ({ kind: 'undecided', by, field, told, dateFormat, shows }) as const

const words = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(',').map(fold)))

/** The words of a heading such as `mandat_actif` or `isActive`. */
const partsOf = (name: string): readonly string[] =>
  name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** What a heading is known to hold that says nothing of a mandate, also where a name ends with it: `address.country_code`. */
function headingOf(name: string): string | null {
  if (meaningOfHeader(name).kind === 'second_key') return 'a name'
  const parts = partsOf(name)
  const ends = [name, parts.slice(-1).join(''), parts.slice(-2).join('')].map(fold)
  const known = Object.entries(other.headings).map(([what, texts]) => [what, words(texts)] as const)
  return known.find(([, names]) => ends.some((end) => names.has(end)))?.[0] ?? null
}

const COUNTRIES = [...SEPA_COUNTRIES.keys()]
const LANGUAGE =
  /^(?:bg|ca|cs|da|de|el|en|es|et|fi|fr|ga|hr|hu|is|it|lb|lt|lv|mk|mt|nb|nl|nn|no|pl|pt|rm|ro|ru|sk|sl|sq|sr|sv|tr|uk)(?:[-_][a-z]{2})?$/i

const SHAPES: readonly (readonly [what: string, fits: (text: string) => boolean])[] = [
  ['e-mail addresses', (text) => /^[^\s@]+@[^\s@]+$/.test(text)],
  ['amounts', (text) => /^[-+]?[0-9][0-9.,' ]*[.,][0-9]{2}(?: ?(?:€|[A-Z]{3}))?$/.test(text)],
  ['numbers', (text) => /^\+?[0-9][-0-9 ()./]*$/.test(text) && text.replaceAll(/\D/g, '').length >= 4],
  [
    'BICs',
    (text) =>
      /^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(text) && COUNTRIES.includes(text.slice(4, 6)),
  ],
  ['countries', (text) => COUNTRIES.includes(text.toUpperCase())],
  ['languages', (text) => LANGUAGE.test(text)],
]
const KINDS = Object.entries(other.values).map(([what, texts]) => [what, words(texts)] as const)

/** All (or most) values are countries, all are languages, and so on. `si` and `no` are countries, but in a column they answer. */
function kindOfValues(values: readonly string[], share: number): string | null {
  const folded = values.map(fold)
  if (folded.every((value) => ANSWERS.has(value) || /^[01]00$/.test(value))) return null
  const fits = (test: (value: string) => boolean, of: readonly string[]): boolean =>
    of.filter(test).length >= of.length * share
  const shape = SHAPES.find(([, test]) => fits(test, values))
  // A lone letter is a mark, whatever it stands for elsewhere.
  if (shape !== undefined || values.length > MOST_VALUES || folded.join('').length < 2)
    return shape?.[0] ?? null
  return KINDS.find(([, set]) => fits((value) => set.has(value), folded))?.[0] ?? null
}

interface SeenColumn {
  readonly position: number
  readonly name: string
  readonly profile: ColumnProfile
}

const REASONS = { profile: 'by the profile', name: 'by its name', content: 'by its values' } as const
type Reason = keyof typeof REASONS

/** What is known of the columns of a system, by their positions from 1; beyond it only names are trusted. */
export interface KnownColumns {
  readonly fields: ReadonlyMap<number, ColumnField>
  /** Columns that feed no field, and why they are looked at. */
  readonly others: ReadonlyMap<number, string>
  readonly words: Words
}

/** Guesses by the usual names first, then by what the values look like. Each field gets at most one column. */
export function guessColumns(columns: readonly SeenColumn[], known: KnownColumns | null = null) {
  const taken = new Map<SeenColumn, { field: ColumnField; reason: Reason }>()
  for (const column of columns) {
    const field = known?.fields.get(column.position)
    if (field !== undefined) taken.set(column, { field, reason: 'profile' })
  }
  const uses = (field: ColumnField): boolean => [...taken.values()].some((guess) => guess.field === field)
  const take = (field: ColumnField, candidates: readonly SeenColumn[], reason: Reason): void => {
    if (uses(field) || (reason === 'content' && known !== null)) return
    const free = candidates.filter(
      (column) => !taken.has(column) && known?.others.has(column.position) !== true,
    )
    const best = free.toSorted((a, b) => fitness(field, b.profile) - fitness(field, a.profile))[0]
    if (best !== undefined) taken.set(best, { field, reason })
  }
  // Values tell these better than names: "type" may be anything.
  for (const field of WORD_FIELDS) {
    const telling = columns.filter(({ profile }) => kindByWords(profile.words, WORDS)?.field === field)
    const named = telling.filter(({ name }) => isUsualName(name, field))
    take(field, named, 'name')
    take(field, telling, 'content')
  }
  const debtors = columns.filter(({ profile }) => holdsAccounts(profile) && varies(profile))
  // An account that hardly varies is the creditor's own, whatever its name, where another column has those of many people.
  const isOther = (column: SeenColumn, field: ColumnField): boolean =>
    field === 'iban' && debtors.length > 0 && holdsAccounts(column.profile) && !debtors.includes(column)
  const named = (field: ColumnField) =>
    columns.filter((column) => isUsualName(column.name, field) && !isOther(column, field))
  for (const field of [...FIELDS, ...PAYER_FIELDS]) take(field, named(field), 'name')
  if (debtors.length === 1) take('iban', debtors, 'content')
  const creditors = columns.filter(({ profile }) => areMost(profile.creditors, profile))
  take('sepa_creditor_identifier', creditors, 'content')
  const dates = columns.filter(({ profile }) => guessDateFormat(profile, false) !== null)
  const isLater = ({ name }: SeenColumn): boolean => namesLastCollection(name)
  const isDebit = (column: SeenColumn): boolean => isLater(column) && namesDebit(column.name)
  take('last_collection_date', dates.filter(isDebit), 'content')
  const others = dates.filter(
    (column) => !isLater(column) && !taken.has(column) && column.profile.filled * 2 >= column.profile.records,
  )
  if (others.length === 1) take('signed_date', others, 'content')
  const decided = new Set<Field>(known === null ? [] : REQUIRED_FIELDS.filter(uses))
  const status = columns.find((column) => taken.get(column)?.field === 'status')?.profile
  const isStatusOne = status?.words?.size === 1 && status.filled === status.records
  const keys = columns.flatMap(({ profile }) => (isKey(profile) ? [profile.values] : []))
  const file = { uses, decided, isStatusOne, keys }
  const order = orderOfDates(columns)
  const fate = ({ name, position, profile }: SeenColumn): Fate => {
    const why = known?.others.get(position)
    return why === undefined ? fateOf(name, profile, file) : harmless(why)
  }
  return columns.map((column) => {
    const guess = taken.get(column) ?? null
    const words = known?.words ?? WORDS
    // Beside the name of who pays people write what became of the mandate.
    const isOpen = guess === null || (guess.field === 'payer_name' && column.profile.remarks.size > 0)
    return describeColumn(column, guess, { fate: isOpen ? fate(column) : null, order, words })
  })
}

/** The order of day and month that the decided columns of a file agree on; one system writes all dates alike. */
function orderOfDates(columns: readonly SeenColumn[]): Order {
  const orders = new Set(
    columns.flatMap(({ profile }) => {
      const { format = '', rivals = [] } = guessDateFormat(profile, false) ?? {}
      return rivals.length === 0 && /^(?:dd|mm)[/-]/.test(format) ? [orderOf(format)] : []
    }),
  )
  const [order = 'open', ...others] = orders
  return others.length === 0 ? order : 'open'
}

/** Of several columns for one field, the one whose values fit best. */
function fitness(field: ColumnField, profile: ColumnProfile): number {
  if (field === 'iban') return profile.accounts
  if (field === 'sepa_creditor_identifier') return profile.creditors
  if (isDateField(field)) return guessDateFormat(profile, true)?.count ?? 0
  return field === 'unique_mandate_reference' ? profile.filled * distinctShare(profile) : profile.filled
}

/** What a column is probably for, and why. */
function describeColumn(
  { position, name, profile }: SeenColumn,
  guess: { readonly field: ColumnField; readonly reason: Reason } | null,
  { fate, order, words }: { fate: Fate | null; order: Order; words: Words },
) {
  const isDate = (guess !== null && isDateField(guess.field)) || namesLastCollection(name)
  const date = guessDateFormat(profile, isDate, order)
  const { sampled, accounts, creditors } = profile
  const told = fate?.kind === 'undecided' ? fate.told : null
  const wordField = WORD_FIELDS.find((known) => known === guess?.field)
  const kind =
    wordField === undefined || profile.words === null
      ? told
      : readWords(wordField, profile.words, meaningsOf(wordField, name, words))
  const isOrderBorrowed =
    date !== null && date.rivals.length < (guessDateFormat(profile, isDate)?.rivals.length ?? 0)
  return {
    /** Position in the file, from 1. */
    position,
    name,
    field: guess?.field ?? null,
    /** Nothing but its values says that it is the day of signing: it may be any other day. */
    isUnnamedDay:
      guess?.reason === 'content' &&
      guess.field === 'signed_date' &&
      !namesSigning(name) &&
      !namesMandate(name),
    /** What becomes of a column that feeds no field; null where it feeds one. */
    fate,
    /** What a column that feeds no field may still be good for. */
    role: fate?.kind === 'harmless' || guess?.field === 'payer_name' ? roleOf(name, profile, fate) : null,
    /** One sentence for the operator; it holds no cell. */
    evidence: said([
      guess !== null && REASONS[guess.reason],
      areMost(accounts, profile) && `${accounts} of ${sampled} values are valid IBANs`,
      areMost(creditors, profile) && `${creditors} of ${sampled} values are valid creditor identifiers`,
      date !== null && `${date.count} of ${sampled} values are dates as ${date.format}`,
      ...(guess === null || kind === null ? [] : wordsOf(kind)),
      isOrderBorrowed && 'day and month in the order of the other dates',
      fate?.kind === 'undecided' && fate.shows,
      fate?.kind === 'harmless' && date === null && fate.why,
    ]).join('; '),
    dateFormat: date?.format ?? null,
    /** Formats that read the values as well as the guessed one. */
    rivalFormats: date?.rivals ?? [],
    /** What the words of a column say that tells which mandates live. */
    kind,
    /** Why it may be the wrong column, or no value of it can be read. */
    doubt: guess === null ? null : doubtOf(guess.field, profile),
    /** The first different values, not masked. */
    first: profile.first,
    prefix: profile.prefix,
  }
}

/** No value has the format of the field; or the account is the same for nearly everybody. */
function doubtOf(field: ColumnField, profile: ColumnProfile): string | null {
  if (profile.sampled === 0) return null
  if (fitness(field, profile) === 0) return `its values cannot be read as ${field}`
  return field === 'iban' && !varies(profile) ? OWN_ACCOUNT : null
}

const isFull = ({ records, filled }: ColumnProfile): boolean => filled >= records * 0.95
const isKey = (profile: ColumnProfile): boolean =>
  isFull(profile) && areDistinct(profile) && !holdsDates(profile)

function roleOf(name: string, profile: ColumnProfile, fate: Fate | null) {
  const { prefix } = profile
  const meaning = meaningOfHeader(name)
  if (meaning.kind === 'second_key') return 'second_key'
  if (meaning.kind === 'old_key') return 'key'
  const isOfCustomer = tellsOfCustomer(name)
  if (fate?.kind !== 'harmless' || isOfCustomer === null || !isFull(profile)) return null
  if (meaning.kind === 'unknown' && fate.why === DISTINCT) return 'key'
  // A customer has several mandates, so their numbers repeat.
  const isNumber = prefix !== null && distinctShare(profile) >= 0.5 && !fate.why.endsWith('its name')
  return isOfCustomer && meaning.kind !== 'unused' && isNumber ? 'key' : null
}
