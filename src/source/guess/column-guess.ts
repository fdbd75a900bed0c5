import type { DateFormat } from '../../domain/mandate/date.js'
import { isFirmenMandat, meaningOfHeader, namesEnd, namesLastCollection } from '../columns/header-synonyms.js'
import { FIELDS, type Field } from '../../domain/mandate/mandate.js'
import { WORDS, type WordField } from '../../domain/value/words.js'
import { areMost, guessDateFormat, isMostlyDistinct, type ColumnEvidence } from './column-evidence.js'
import {
  counted,
  kindByAnswers,
  kindByWords,
  readWords,
  WORD_FIELDS,
  type ColumnKind,
} from './column-kind.js'
import { isUsualName } from '../columns/mapping.js'

/** What a column is probably for, and why. */
export interface ColumnGuess {
  /** Position in the file, from 1. */
  readonly position: number
  readonly name: string
  readonly field: Field | null
  /** What a column that feeds no field may still be good for. */
  readonly role: 'key' | 'second_key' | 'status_words' | null
  /** One sentence for the operator; it holds no cell. */
  readonly evidence: string
  readonly dateFormat: DateFormat | null
  /** Formats that read the values as well as the guessed one. */
  readonly rivalFormats: readonly DateFormat[]
  /** What the words of a column say that tells which mandates live. */
  readonly kind: ColumnKind | null
}

export interface SeenColumn {
  readonly position: number
  readonly name: string
  readonly evidence: ColumnEvidence
}

type Reason = 'name' | 'content'

/** Guesses by the usual names first, then by what the values look like. Each field gets at most one column. */
export function guessColumns(columns: readonly SeenColumn[]): readonly ColumnGuess[] {
  const taken = new Map<SeenColumn, { field: Field; reason: Reason }>()
  const take = (field: Field, candidates: readonly SeenColumn[], reason: Reason): void => {
    if ([...taken.values()].some((guess) => guess.field === field)) return
    const free = candidates.filter((column) => !taken.has(column))
    const best = free.toSorted((a, b) => fitness(field, b.evidence) - fitness(field, a.evidence))[0]
    if (best !== undefined) taken.set(best, { field, reason })
  }
  // Values tell these better than names: "type" may be anything.
  for (const field of WORD_FIELDS) {
    const telling = columns.filter(({ evidence }) => {
      const kind = kindByWords(evidence.words, WORDS)
      return kind?.field === field
    })
    const named = telling.filter(({ name }) => isUsualName(name, field))
    take(field, named, 'name')
    take(field, telling, 'content')
  }
  for (const field of FIELDS)
    take(
      field,
      columns.filter(({ name }) => isUsualName(name, field)),
      'name',
    )
  take(
    'iban',
    columns.filter(({ evidence }) => areMost(evidence.ibans, evidence)),
    'content',
  )
  take(
    'sepa_creditor_identifier',
    columns.filter(({ evidence }) => areMost(evidence.creditors, evidence)),
    'content',
  )
  const dates = columns.filter(({ evidence }) => guessDateFormat(evidence, false) !== null)
  const isLater = ({ name }: SeenColumn): boolean => namesLastCollection(name)
  take('last_collection_date', dates.filter(isLater), 'content')
  const others = dates.filter((column) => !isLater(column) && !taken.has(column))
  if (others.length === 1) take('signed_date', others, 'content')
  return columns.map((column) => describeColumn(column, taken.get(column) ?? null, orderOfDates(columns)))
}

/** The order of day and month that the decided columns of a file agree on; one system writes all dates alike. */
function orderOfDates(columns: readonly SeenColumn[]): ColumnEvidence['order'] {
  const orders = new Set(columns.map(({ evidence }) => evidence.order).filter((order) => order !== 'open'))
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
): ColumnGuess {
  const isDate = guess?.field === 'signed_date' || guess?.field === 'last_collection_date'
  const date = guessDateFormat(evidence, isDate, orderOfFile)
  const kind = guess === null ? kindOf(name, evidence) : kindOfField(guess.field, name, evidence)
  const role = guess === null ? roleOf(name, evidence, kind) : null
  const isOrderBorrowed = date !== null && evidence.order === 'open' && date.format.includes('/')
  return {
    position,
    name,
    field: guess?.field ?? null,
    role,
    evidence: [
      ...(guess?.reason === 'name' ? ['by its name'] : []),
      ...(guess?.reason === 'content' ? ['by its values'] : []),
      ...contentOf(evidence, date),
      ...(kind === null ? [] : wordsOf(kind)),
      ...(isOrderBorrowed && date.rivals.length === 0
        ? ['day and month in the order of the other dates']
        : []),
      ...(role === 'key' ? ['nearly every row has a value of its own'] : []),
    ].join('; '),
    dateFormat: date?.format ?? null,
    rivalFormats: date?.rivals ?? [],
    kind,
  }
}

function contentOf(evidence: ColumnEvidence, date: ReturnType<typeof guessDateFormat>): readonly string[] {
  const { filled, ibans, creditors } = evidence
  if (filled === 0) return ['empty']
  const share = (count: number, what: string): string[] =>
    areMost(count, evidence) ? [`${count} of ${filled} values are ${what}`] : []
  return [
    ...share(ibans, 'valid IBANs'),
    ...share(creditors, 'valid creditor identifiers'),
    ...(date === null ? [] : [`${date.count} of ${filled} values are dates as ${date.format}`]),
  ]
}

const kindOf = (name: string, { words, ends }: ColumnEvidence): ColumnKind | null =>
  kindByWords(words, WORDS) ?? kindByAnswers(name, words, WORDS) ?? (namesEnd(name) ? ends : null)

const isWordField = (field: Field): field is WordField => WORD_FIELDS.some((known) => known === field)

function kindOfField(field: Field, name: string, { words }: ColumnEvidence): ColumnKind | null {
  if (!isWordField(field) || words === null) return null
  return readWords(
    field,
    words,
    field === 'scheme' && isFirmenMandat(name) ? WORDS.firmenMandat : WORDS[field],
  )
}

function wordsOf({ staysBehind, goes, unknown }: ColumnKind): readonly string[] {
  return [
    ...(staysBehind.length === 0 ? [] : [`${counted(staysBehind)} stay behind`]),
    ...(goes.length === 0 ? [] : [`${counted(goes)} go`]),
    ...(unknown.length === 0 ? [] : [`not understood: ${counted(unknown)}`]),
  ]
}

function roleOf(name: string, evidence: ColumnEvidence, kind: ColumnKind | null): ColumnGuess['role'] {
  const meaning = meaningOfHeader(name).kind
  if (meaning === 'second_key') return 'second_key'
  if (kind !== null) return 'status_words'
  return meaning === 'old_key' || (meaning === 'unknown' && isMostlyDistinct(evidence)) ? 'key' : null
}
