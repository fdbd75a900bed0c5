import { isZeroDate, noteDate, type Notation, type SettledFormat } from './date-format.js'
import { cleanCell } from './text.js'

/**
 * Decides the format of a column declared `auto` (domain/rulebook.md#signature-date). It is told every value of the
 * column before the first is read, and keeps only what it learned, so a column of any length fits.
 */
export interface DateSettler {
  readonly note: (raw: string) => void
  readonly settled: () => SettledFormat
}

/** The day-first and the month-first format of the notations that do not tell the order by themselves. */
const ORDERED = {
  slashed: ['dd/mm/yyyy', 'mm/dd/yyyy'],
  hyphenated: ['dd-mm-yyyy', 'mm-dd-yyyy'],
} as const

/** @param isAbsent cleaned values that stand for no date, and so say nothing about the format */
export function startSettling(isAbsent: (text: string) => boolean = isZeroDate): DateSettler {
  const notations = new Set<Notation>()
  let allFitDayFirst = true
  let allFitMonthFirst = true

  return {
    note: (raw) => {
      const text = cleanCell(raw)
      if (isAbsent(text)) return
      const { notation, fitsDayFirst, fitsMonthFirst } = noteDate(text)
      // What is no date in any notation is wrong by itself; it does not unsettle the others.
      if (notation === 'none') return
      notations.add(notation)
      if (notation !== 'slashed' && notation !== 'hyphenated') return
      allFitDayFirst &&= fitsDayFirst
      allFitMonthFirst &&= fitsMonthFirst
    },
    settled: () => {
      const [notation = 'iso', ...others] = notations
      if (others.length > 0 || notation === 'undeclared' || notation === 'none') return 'unsettled'
      if (notation === 'iso') return 'iso'
      if (notation === 'dotted') return 'dd.mm.yyyy'
      // All fit one order and not all fit the other: at least one value proves the order.
      if (allFitDayFirst === allFitMonthFirst) return 'unsettled'
      const [dayFirst, monthFirst] = ORDERED[notation]
      return allFitDayFirst ? dayFirst : monthFirst
    },
  }
}

/** The format of a whole column at once. */
export function settleAuto(values: Iterable<string>): SettledFormat {
  const settler = startSettling()
  for (const value of values) settler.note(value)
  return settler.settled()
}
