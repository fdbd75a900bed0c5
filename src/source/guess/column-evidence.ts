import { type DateFormat, startDeciding } from '../../domain/mandate/date.js'
import { checkCreditorIdentifier } from '../../domain/value/identifiers.js'
import { isSepaIban } from '../../domain/value/iban.js'
import type { LocalDate } from '../../domain/mandate/mandate.js'
import { cleanCell, cleanIban } from '../../domain/text/text.js'
import { countEnds, datesIn, type ColumnKind } from './column-kind.js'
import { countWords, type WordCounts } from './word-counter.js'

/** What the values of one column show, from its first records. */
export interface ColumnEvidence {
  /** Records of the sample that have this column. */
  readonly cells: number
  readonly filled: number
  readonly distinct: number
  readonly ibans: number
  readonly creditors: number
  /** How many values each date format can read; only formats that read one. */
  readonly dates: ReadonlyMap<DateFormat, number>
  /** Whether day or month comes first, where the separators leave it open; told from all records. */
  readonly order: 'day first' | 'month first' | 'open'
  /** The words and how often each occurs in all records, where they are few; null where they are many. */
  readonly words: WordCounts
  /** Rows with a date that has passed, where only some have one; it counts where the name speaks of an end. */
  readonly ends: ColumnKind | null
}

export interface ColumnWatch {
  /** @param isSampled beyond the sample only words and the order of day and month are watched */
  readonly note: (cell: string, isSampled: boolean) => void
  readonly evidence: () => ColumnEvidence
}

export const MOST_WORDS = 20

export function watchColumn(today: LocalDate): ColumnWatch {
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
    note: (cell, isSampled) => {
      words.note(cell)
      ends.note(cell)
      const text = cleanCell(cell)
      if (isSampled) cells += 1
      if (text === '') return
      if (isSampled) count(text)
      if (dates.size > 0) decider.note(text)
    },
    evidence: () => ({
      cells,
      filled,
      distinct: seen.size,
      ibans,
      creditors,
      dates,
      order: orderOf(decider.decided()),
      words: words.counts(),
      ends: ends.kind(),
    }),
  }
}

function orderOf(decided: string): ColumnEvidence['order'] {
  if (decided.startsWith('dd')) return 'day first'
  return decided.startsWith('mm') ? 'month first' : 'open'
}

/** A share that leaves room for damaged values. */
const MOST = 0.8

/** True when nearly all of the values are of one kind. */
export const areMost = (count: number, { filled }: ColumnEvidence): boolean =>
  filled > 0 && count >= filled * MOST

/** Nearly every record has a value of its own, as a key of customers has. */
export const isMostlyDistinct = ({ cells, distinct }: ColumnEvidence): boolean =>
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
