import { isZeroDate, noteDate, type Notation, type DecidedFormat } from './date-format.js'
import { cleanCell } from '../text/text.js'

/**
 * Decides the format of a column declared `auto` (domain/rulebook.md#signature-date). It is told every value of the
 * column before the first is read, and keeps only what it learned, so a column of any length fits.
 */
export interface DateDecider {
  readonly note: (raw: string) => void
  readonly decided: () => DecidedFormat
}

/** The day-first and the month-first format of the notations that do not tell the order by themselves. */
const ORDERED = {
  slashed: ['dd/mm/yyyy', 'mm/dd/yyyy'],
  hyphenated: ['dd-mm-yyyy', 'mm-dd-yyyy'],
} as const

/** @param isAbsent cleaned values that stand for no date, and so say nothing about the format */
export function startDeciding(isAbsent: (text: string) => boolean = isZeroDate): DateDecider {
  const notations = new Set<Notation>()
  let allFitDayFirst = true
  let allFitMonthFirst = true

  return {
    note: (raw) => {
      const text = cleanCell(raw)
      if (isAbsent(text)) return
      const { notation, fitsDayFirst, fitsMonthFirst } = noteDate(text)
      // What is no date in any notation is wrong by itself; it does not make the others doubtful.
      if (notation === 'none') return
      notations.add(notation)
      if (notation !== 'slashed' && notation !== 'hyphenated') return
      allFitDayFirst &&= fitsDayFirst
      allFitMonthFirst &&= fitsMonthFirst
    },
    decided: () => {
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
export function decideAuto(values: Iterable<string>): DecidedFormat {
  const decider = startDeciding()
  for (const value of values) decider.note(value)
  return decider.decided()
}
