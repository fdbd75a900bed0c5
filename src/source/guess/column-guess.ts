import { type DateFormat, startDeciding } from '../../domain/mandate/date.js'
import { FIELDS, type Field, type LocalDate } from '../../domain/mandate/mandate.js'
import { WORDS, type WordField, type Words } from '../../domain/value/words.js'
import {
  counted,
  kindByAnswers,
  kindByWords,
  meaningsOf,
  readWords,
  WORD_FIELDS,
  type ColumnKind,
  countEnds,
  datesIn,
  countWords,
} from './column-kind.js'
import { isUsualName } from '../columns/mapping.js'
import { meaningOfHeader, namesEnd, namesLastCollection } from '../columns/header.js'
import { checkCreditorIdentifier } from '../../domain/value/identifiers.js'
import { isSepaIban } from '../../domain/value/iban.js'
import { cleanCell, cleanIban, said } from '../../domain/text/text.js'

/** What the values of one column show, from its first records. */
type ColumnEvidence = ReturnType<ReturnType<typeof watchColumn>['evidence']>

export const MOST_WORDS = 20

export function watchColumn(today: LocalDate) {
  const seen = new Set<string>()
  const dates = new Map<DateFormat, number>()
  const decider = startDeciding()
  const words = countWords(MOST_WORDS)
  const ends = countEnds(today)
  let cells = 0
  let filled = 0
  let ibans = 0
  let creditors = 0
  const count = (text: string): void => {
    filled += 1
    seen.add(text)
    if (isSepaIban(cleanIban(text))) ibans += 1
    else if (checkCreditorIdentifier(text).usable) creditors += 1
    for (const { format } of datesIn(text, today)) dates.set(format, (dates.get(format) ?? 0) + 1)
  }
  return {
    /** @param isSampled beyond the sample only words and the order of day and month are watched */
    note: (cell: string, isSampled: boolean): void => {
      words.note(cell)
      ends.note(cell)
      const text = cleanCell(cell)
      if (isSampled) cells += 1
      if (text === '') return
      if (isSampled) count(text)
      if (dates.size > 0) decider.note(text)
    },
    evidence: () => ({
      /** Records of the sample that have this column. */
      cells,
      filled,
      distinct: seen.size,
      ibans,
      creditors,
      /** How many values each date format can read; only formats that read one. */
      dates,
      /** Whether day or month comes first, where the separators leave it open; told from all records. */
      order: orderOf(decider.decided()),
      /** The words and how often each occurs in all records, where they are few; null where they are many. */
      words: words.counts(),
      /** Rows with a date that has passed, where only some have one; it counts where the name speaks of an end. */
      ends: ends.kind(),
      /** The first different values, not masked. */
      first: [...seen].slice(0, VALUES_SHOWN),
      /** What stands before the digits of nearly every value, as in `C-000123`; null where most are no such numbers. */
      prefix: prefixOf([...seen]),
    }),
  }
}

const VALUES_SHOWN = 3
const PREFIXED = /^(\D*)\d{1,15}$/u

function prefixOf(values: readonly string[]): string | null {
  const [prefix] = values.flatMap((value) => PREFIXED.exec(value)?.[1] ?? [])
  const fits = (value: string): boolean => PREFIXED.exec(value)?.[1] === prefix
  return prefix !== undefined && values.filter(fits).length >= values.length * MOST ? prefix : null
}

function orderOf(decided: string) {
  if (decided.startsWith('dd')) return 'day first'
  return decided.startsWith('mm') ? 'month first' : 'open'
}

/** A share that leaves room for damaged values. */
const MOST = 0.8

/** True when nearly all of the values are of one kind. */
const areMost = (count: number, { filled }: ColumnEvidence): boolean => filled > 0 && count >= filled * MOST

/** Nearly every record has a value of its own, as a key of customers has. */
const isMostlyDistinct = ({ cells, distinct }: ColumnEvidence): boolean =>
  cells > 1 && distinct >= cells * 0.95

/** A format that can be told by its looks; digits alone could be anything. */
const isTelling = (format: DateFormat): boolean => /[^a-z0-9]|iso/.test(format)

/** The format that reads nearly all values of a column, and the others that would do as well. */
export function guessDateFormat(
  evidence: ColumnEvidence,
  isDateByName: boolean,
  orderOfFile: ColumnEvidence['order'] = 'open',
): { readonly format: DateFormat; readonly count: number; readonly rivals: readonly DateFormat[] } | null {
  const ranked = [...evidence.dates]
    .filter(([format]) => isDateByName || isTelling(format))
    .sort(([, a], [, b]) => b - a)
  const [best] = ranked
  if (best === undefined || !areMost(best[1], evidence)) return null
  const equal = ranked.filter(([, count]) => count === best[1]).map(([format]) => format)
  const order = evidence.order === 'open' ? orderOfFile : evidence.order
  const ordered = equal.filter((format) => fitsOrder(format, order))
  const [format = best[0], ...rivals] = ordered.length > 0 ? ordered : equal
  return { format, count: best[1], rivals }
}

function fitsOrder(format: DateFormat, order: ColumnEvidence['order']): boolean {
  if (order === 'open') return true
  return format.startsWith(order === 'day first' ? 'dd' : 'mm')
}

/** What a column is probably for, and why. */
export type ColumnGuess = ReturnType<typeof describeColumn>

interface SeenColumn {
  readonly position: number
  readonly name: string
  readonly evidence: ColumnEvidence
}

const REASONS = { profile: 'by the profile', name: 'by its name', content: 'by its values' } as const
type Reason = keyof typeof REASONS

/** What is known of the columns of a system, by their positions from 1; beyond it only names are trusted. */
export interface KnownColumns {
  readonly fields: ReadonlyMap<number, Field>
  /** Columns that feed no field, and why they are looked at. */
  readonly others: ReadonlyMap<number, string>
  readonly words: Words
}

/** Guesses by the usual names first, then by what the values look like. Each field gets at most one column. */
export function guessColumns(
  columns: readonly SeenColumn[],
  known: KnownColumns | null = null,
): readonly ColumnGuess[] {
  const taken = new Map<SeenColumn, { field: Field; reason: Reason }>()
  for (const column of columns) {
    const field = known?.fields.get(column.position)
    if (field !== undefined) taken.set(column, { field, reason: 'profile' })
  }
  const take = (field: Field, candidates: readonly SeenColumn[], reason: Reason): void => {
    if ([...taken.values()].some((guess) => guess.field === field)) return
    if (reason === 'content' && known !== null) return
    const free = candidates.filter(
      (column) => !taken.has(column) && known?.others.has(column.position) !== true,
    )
    const best = free.toSorted((a, b) => fitness(field, b.evidence) - fitness(field, a.evidence))[0]
    if (best !== undefined) taken.set(best, { field, reason })
  }
  // Values tell these better than names: "type" may be anything.
  for (const field of WORD_FIELDS) {
    const telling = columns.filter(({ evidence }) => kindByWords(evidence.words, WORDS)?.field === field)
    const named = telling.filter(({ name }) => isUsualName(name, field))
    take(field, named, 'name')
    take(field, telling, 'content')
  }
  const named = (field: Field) => columns.filter(({ name }) => isUsualName(name, field))
  for (const field of FIELDS) take(field, named(field), 'name')
  const holding = (what: 'ibans' | 'creditors') =>
    columns.filter(({ evidence }) => areMost(evidence[what], evidence))
  take('iban', holding('ibans'), 'content')
  take('sepa_creditor_identifier', holding('creditors'), 'content')
  const dates = columns.filter(({ evidence }) => guessDateFormat(evidence, false) !== null)
  const isLater = ({ name }: SeenColumn): boolean => namesLastCollection(name)
  take('last_collection_date', dates.filter(isLater), 'content')
  const others = dates.filter((column) => !isLater(column) && !taken.has(column))
  if (others.length === 1) take('signed_date', others, 'content')
  return columns.map((column) => {
    const order = orderOfDates(columns)
    const guess = describeColumn(column, taken.get(column) ?? null, order, known?.words ?? WORDS)
    const evidence = known?.others.get(column.position)
    return evidence === undefined ? guess : { ...guess, role: null, kind: null, evidence }
  })
}

/** The order of day and month that the decided columns of a file agree on; one system writes all dates alike. */
function orderOfDates(columns: readonly SeenColumn[]): ColumnEvidence['order'] {
  const orders = new Set(
    columns.flatMap(({ evidence }) => {
      const { format = '', rivals = [] } = guessDateFormat(evidence, false) ?? {}
      return rivals.length === 0 && /^(?:dd|mm)[/-]/.test(format) ? [orderOf(format)] : []
    }),
  )
  const [order = 'open', ...others] = orders
  return others.length === 0 ? order : 'open'
}

/** Of several columns for one field, the one whose values fit best. */
function fitness(field: Field, evidence: ColumnEvidence): number {
  if (field === 'iban') return evidence.ibans
  if (field === 'sepa_creditor_identifier') return evidence.creditors
  if (field === 'signed_date' || field === 'last_collection_date')
    return guessDateFormat(evidence, true)?.count ?? 0
  return evidence.filled
}

function describeColumn(
  { position, name, evidence }: SeenColumn,
  guess: { readonly field: Field; readonly reason: Reason } | null,
  orderOfFile: ColumnEvidence['order'],
  words: Words,
) {
  const isLater = namesLastCollection(name)
  const isDate = guess?.field === 'signed_date' || guess?.field === 'last_collection_date' || isLater
  const date = guessDateFormat(evidence, isDate, orderOfFile)
  const kind = guess === null ? kindOfColumn(name, evidence) : kindOfField(guess.field, name, evidence, words)
  const free = isLater && date !== null && kind === null ? 'last_collection' : roleOf(name, evidence, kind)
  const role = guess === null ? free : null
  const isOrderBorrowed =
    date !== null && date.rivals.length < (guessDateFormat(evidence, isDate)?.rivals.length ?? 0)
  return {
    /** Position in the file, from 1. */
    position,
    name,
    field: guess?.field ?? null,
    /** What a column that feeds no field may still be good for. */
    role,
    /** One sentence for the operator; it holds no cell. */
    evidence: said([
      guess !== null && REASONS[guess.reason],
      ...contentOf(evidence, date),
      ...(kind === null ? [] : wordsOf(kind)),
      isOrderBorrowed && 'day and month in the order of the other dates',
      role === 'key' && 'nearly every row has a value of its own',
    ]).join('; '),
    dateFormat: date?.format ?? null,
    /** Formats that read the values as well as the guessed one. */
    rivalFormats: date?.rivals ?? [],
    /** What the words of a column say that tells which mandates live. */
    kind,
    /** The first different values, not masked. */
    first: evidence.first,
    prefix: evidence.prefix,
  }
}

function contentOf(evidence: ColumnEvidence, date: ReturnType<typeof guessDateFormat>): readonly string[] {
  const { filled, ibans, creditors } = evidence
  if (filled === 0) return ['empty']
  return said([
    areMost(ibans, evidence) && `${ibans} of ${filled} values are valid IBANs`,
    areMost(creditors, evidence) && `${creditors} of ${filled} values are valid creditor identifiers`,
    date !== null && `${date.count} of ${filled} values are dates as ${date.format}`,
  ])
}

const kindOfColumn = (name: string, { words, ends }: ColumnEvidence): ColumnKind | null =>
  kindByWords(words, WORDS) ?? kindByAnswers(name, words, WORDS) ?? (namesEnd(name) ? ends : null)

const isWordField = (field: Field): field is WordField => WORD_FIELDS.some((known) => known === field)

function kindOfField(field: Field, name: string, { words }: ColumnEvidence, known: Words): ColumnKind | null {
  return isWordField(field) && words !== null ? readWords(field, words, meaningsOf(field, name, known)) : null
}

const wordsOf = ({ staysBehind, goes, unknown }: ColumnKind): readonly string[] =>
  said([
    staysBehind.length > 0 && `${counted(staysBehind)} stay behind`,
    goes.length > 0 && `${counted(goes)} go`,
    unknown.length > 0 && `not understood: ${counted(unknown)}`,
  ])

function roleOf(name: string, evidence: ColumnEvidence, kind: ColumnKind | null) {
  const meaning = meaningOfHeader(name).kind
  if (meaning === 'second_key') return 'second_key'
  if (kind !== null) return 'status_words'
  return meaning === 'old_key' || (meaning === 'unknown' && isMostlyDistinct(evidence)) ? 'key' : null
}
