import { addMonths, type DateFormat, isLikely, readingsOf } from '../../domain/mandate/date.js'
import type { LocalDate } from '../../domain/mandate/mandate.js'
import { cleanCell, cleanIban, fold } from '../../domain/text/text.js'
import { remarkIn, undated } from '../../domain/value/words.js'
import { isOpenEnd } from '../../domain/value/check-mandate.js'
import { checkCreditorIdentifier, isSepaIban } from '../../domain/value/identifiers.js'
import { namesEnd } from '../columns/header.js'

/** What the cells of one column show: words and what is filled of all records, all else of a sample. */
export type ColumnProfile = ReturnType<ReturnType<typeof profileColumn>['profile']>

const SAMPLE = 300
/** Different days that are kept of a column of dates, which is looked at whole: those of 32 years. */
const MOST_DATES = 12_000
/** The first SEPA direct debits: no mandate ended before. */
const FIRST_MANDATES = '2009-11-01'
const MOST_WORDS = 20
const VALUES_SHOWN = 3

export function profileColumn(name: string) {
  const words = countWords(MOST_WORDS)
  const sample = new Map<string, { count: number }>()
  const remarks = new Map<string, number>()
  let filled = 0
  let sampled = 0
  /** Dates are looked at to the last, since one that has passed, or is still to come, may tell; null before it is known. */
  let isDated: boolean | null = namesEnd(name) ? true : null
  return {
    note: (cell: string): void => {
      if (cell === '') return
      const remark = isDated === true || remarks.size >= MOST_WORDS ? null : remarkIn(cell)
      if (remark !== null) remarks.set(remark, (remarks.get(remark) ?? 0) + 1)
      words.note(cell)
      let shown = cell
      if (sampled >= SAMPLE || sample.size >= MOST_DATES) {
        isDated ??= [...sample.keys()].some((text) => LIKE_DATE.test(text))
        if (isDated) shown = dayIn(cell)
        const known = isDated ? sample.get(shown) : undefined
        if (known !== undefined) known.count += 1
        if (known !== undefined || !isDated || sample.size >= MOST_DATES) {
          if (cell.charCodeAt(0) > BLANK || cell.trim() !== '') filled += 1
          return
        }
      }
      const text = cleanCell(shown)
      if (text === '') return
      filled += 1
      // What stands for no date leaves room for the dates that stand behind it.
      if (!isNever(text)) sampled += 1
      const known = sample.get(text)
      if (known === undefined) sample.set(text, { count: 1 })
      else known.count += 1
    },
    /** @param records of the file that have this column */
    profile: (records: number, today: LocalDate) => {
      const dates = new Map<DateFormat, number>()
      const ends = { never: 0, open: 0, dated: 0, past: 0, future: 0, soon: 0, early: 0 }
      const inAYear = addMonths(today, 12)
      // Of a column of dates all cells are in it.
      let [dated, seen, counted] = [0, 0, 0]
      for (const [text, { count }] of sample) {
        // Of many values nearly all have a format of those before them.
        seen += 1
        const isFirst = seen <= SAMPLE
        const isOpen = isOpenEnd(text)
        if (isOpen) ends.open += count
        const usual = isFirst ? [] : datesIn(text, today, [...dates.keys()])
        const read = usual.length > 0 ? usual : datesIn(text, today)
        if (read.length > 0 && !isOpen) ends.dated += count
        if (isOpen || FAR.test(text)) {
          ends.never += count
          continue
        }
        counted += count
        if (read.some(({ format }) => isTelling(format))) dated += count
        for (const { format } of read) dates.set(format, (dates.get(format) ?? 0) + count)
        const likely = read.filter(({ isLikely }) => isLikely)
        if (likely.length === 0) continue
        if (likely.every(({ date }) => date > today)) ends.future += count
        else ends.past += count
        if (likely.some(({ date }) => date > today && date <= inAYear)) ends.soon += count
        if (likely.every(({ date }) => date < FIRST_MANDATES)) ends.early += count
      }
      const lettered = [...sample].filter(([text]) => /[A-Za-z]/.test(text))
      const countOf = (fits: (text: string) => boolean): number =>
        lettered.reduce((sum, [text, { count }]) => (fits(text) ? sum + count : sum), 0)
      return {
        records,
        filled,
        /** Filled cells of the sample, without those that stand for no date. */
        sampled: counted,
        /** The different values of the sample and how often each occurs, not masked. */
        values: sample,
        accounts: countOf((text) => isSepaIban(cleanIban(text))),
        creditors: countOf((text) => !isSepaIban(cleanIban(text)) && checkCreditorIdentifier(text).usable),
        /** How many values are dates by their looks, in whatever format. */
        dated,
        /** How many values each date format can read; only formats that read one. */
        dates,
        /** Of a column of dates all cells: those that name none, dates, and when those lie. */
        ends,
        /** The words and how often each occurs in all records, where they are few; null where they are many. */
        words: words.counts(),
        /** Words of an end that stand beside others in a cell, and how often. */
        remarks,
        /** The first different values, not masked. */
        first: [...sample.keys()].slice(0, VALUES_SHOWN),
        /** What stands before the digits of nearly every value, as in `C-000123`; null where most are no such numbers. */
        prefix: prefixOf([...sample.keys()]),
      }
    },
  }
}

const LIKE_DATE = /^[0-9]{1,4}[-./](?:[0-9]{1,2}|[A-Za-z]{3,4})[-./][0-9]{2}|^(?:18|19|20|99)[0-9]{6}/
/** A day of the years 2080 to 2999, which stands for none as the last day there is does. */
const FAR = /^(?:20[89][0-9]|2[1-9][0-9]{2})(?:-|[0-9]{4}$)|[./-](?:20[89][0-9]|2[1-9][0-9]{2})(?:$| )/
const BLANK = 32
/** As much of a text as is not copied, so that it would keep what stands around it in memory. */
const SHORT = 12

/** A date without its time, which no rule asks for. */
const dayIn = (cell: string): string =>
  cell.length > SHORT ? (/^[^ T]{8,11}(?=[ T])/.exec(cell)?.[0] ?? cell) : cell

const isNever = (text: string): boolean => isOpenEnd(text) || FAR.test(text)

const PREFIXED = /^(\D*)\d{1,15}$/u

function prefixOf(values: readonly string[]): string | null {
  const [prefix] = values.flatMap((value) => PREFIXED.exec(value)?.[1] ?? [])
  const fits = (value: string): boolean => PREFIXED.exec(value)?.[1] === prefix
  return prefix !== undefined && values.filter(fits).length >= values.length * MOST ? prefix : null
}

/** Whether day or month comes first. */
export type Order = 'day first' | 'month first' | 'open'

export function orderOf(format: string): Order {
  if (format.startsWith('dd')) return 'day first'
  return format.startsWith('mm') ? 'month first' : 'open'
}

/** A share that leaves room for damaged values. */
export const MOST = 0.8

/** True when nearly all of the values are of one kind. */
export const areMost = (count: number, { sampled }: ColumnProfile): boolean =>
  sampled > 0 && count >= sampled * MOST

/** How many of the cells differ. */
export function distinctShare({ values }: ColumnProfile): number {
  const cells = [...values.values()].reduce((sum, { count }) => sum + count, 0)
  return cells === 0 ? 0 : values.size / cells
}

/** Nearly all values differ, as those of a key do. */
export const areDistinct = (profile: ColumnProfile): boolean =>
  profile.filled > 1 && distinctShare(profile) >= 0.95

export const holdsAccounts = (profile: ColumnProfile): boolean => areMost(profile.accounts, profile)

/** Accounts of many people; one that hardly varies is the creditor's own. */
export const varies = ({ sampled, values }: ColumnProfile): boolean =>
  sampled === 1 || values.size > Math.max(1, sampled / 10)

const LONGEST_DATE = 35

/** The dates that a cleaned cell may be, with the one of the formats that reads each. */
const datesIn = (text: string, today: LocalDate, formats?: readonly DateFormat[]) =>
  /^[0-9]/.test(text) && text.length <= LONGEST_DATE ? readingsOf(text, today, formats) : []

/** A format that can be told by its looks; digits alone could be anything. */
const isTelling = (format: DateFormat): boolean => /[^a-z0-9]|iso/.test(format)

/** The format that reads nearly all values of a column, and the others that would do as well. */
export function guessDateFormat(
  profile: ColumnProfile,
  isDateByName: boolean,
  order: Order = 'open',
): { readonly format: DateFormat; readonly count: number; readonly rivals: readonly DateFormat[] } | null {
  const ranked = [...profile.dates]
    .filter(([format]) => isDateByName || isTelling(format))
    .sort(([, a], [, b]) => b - a)
  const [best] = ranked
  if (best === undefined || !areMost(best[1], profile)) return null
  // What digits alone say is open also where a damaged value speaks against it.
  const isOpen = (count: number): boolean => count === best[1] || !isTelling(best[0])
  const fitting = ranked.flatMap(([format, count]) =>
    isOpen(count) && areMost(count, profile) ? format : [],
  )
  const isOrdered = (format: DateFormat): boolean =>
    order === 'open' || [order, 'open'].includes(orderOf(format))
  const ordered = fitting.filter((format) => isOrdered(format) && isLikely(format, fitting))
  const [format = best[0], ...rivals] = ordered.length > 0 ? ordered : fitting
  return { format, count: best[1], rivals }
}

/** Dates by their looks; of eight digits a century tells those of years and months. */
export const holdsDates = (profile: ColumnProfile): boolean =>
  areMost(profile.dated, profile) ||
  (areMost(profile.dates.get('yyyymmdd') ?? 0, profile) &&
    [...profile.values.keys()].every((text) => /^(?:19|20|9999)\d+$|^0*$/.test(text)))

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
