import { formatsOf, meantBy, readDate, type DecidedFormat, type TimesOfDay } from './date.js'
import type { LocalDate } from './mandate.js'
import { cleanCell } from '../text/text.js'

/** As long as a date without a time. */
const DAY_LENGTH = 10

/**
 * What the values of a column of dates have in common (domain/rulebook.md#signature-date): whether their times are those
 * of another zone, and whether there is one format at all.
 */
export function watchDates(declared: DecidedFormat, today: LocalDate, times: TimesOfDay) {
  const isSerial = declared.startsWith('excel')
  const unread = new Map<string, number>()
  let filled = 0
  let timed = 0
  let evening = 0
  let drifted = 0
  let late = ''

  function noteTime(cell: string, format: DecidedFormat): void {
    const read = readDate(cleanCell(cell), format, today)
    if (read.kind !== 'date' || read.time === null) return
    timed += 1
    if (!meantBy(read, times).isEvening) return
    evening += 1
    if (!read.isNearMidnightUtc) drifted += 1
    late ||= cell.trim()
  }

  const where = typeof times === 'object' ? `lie in ${times.zone}, too,` : 'lie'
  return {
    /**
     * @param isDay it is a day whatever the format of the column
     * @param isUnread no date was read from it
     */
    note: (cell: string, isDay: boolean, isUnread: boolean): void => {
      filled += 1
      if (cell.length > DAY_LENGTH || isSerial) noteTime(cell, isDay ? 'iso' : declared)
      if (!isUnread) return
      const notation = formatsOf(cleanCell(cell), today).join(' or ')
      unread.set(notation, (unread.get(notation) ?? 0) + 1)
    },
    /**
     * That most values, or most times where some are not on the hour, lie before midnight; null where they do not. A
     * single one on the hour is told by its row (DATE_UTC_SHIFT).
     */
    shifted: (answers: string): string | null =>
      evening * 2 <= (drifted > 0 ? timed : filled)
        ? null
        : `${evening} of ${timed} times ${where} between 21:00 and 24:00, such as "${late}". ${answers}`,
    /** That no format reads all of it; null where one does, or nothing is a date in any. */
    mixed: (): string | null => {
      const others = filled - [...unread.values()].reduce((sum, count) => sum + count, 0)
      const ways = [...unread].flatMap(([formats, count]) =>
        formats === '' ? [] : [`${count} as ${formats}`],
      )
      const [first = '', ...more] = unread.keys()
      const isOne = first
        .split(' or ')
        .some((format) => more.every((way) => way.split(' or ').includes(format)))
      if (ways.length === 0 || (isOne && others === 0)) return null
      return `It is written in several ways: ${[...ways, ...(others > 0 ? [`${others} as ${declared === 'unsettled' ? 'iso' : declared}`] : [])].join(', ')}.`
    },
  }
}

/** The numbers of a date up to its third, behind an apostrophe, which is looked at by nobody. */
const IN_ORDER = /^[\s']*([0-9]{1,4})([-./])([0-9]{1,2})(?:[-./]([0-9]{1,2}))?/
const DAY = 'day'
/** So many dates in each of two spellings are no chance. */
const FEWEST_SPELT = 3

/** How many dates of one spelling prove the order of day and month, could be read in both, or are the same in both. */
type Spelling = Record<'high' | 'low' | 'equal', number> & { shown: string }

/**
 * A program that reads 03/04 as 4 March leaves 25/04 as it is. So a column is in doubt in which no date of one spelling,
 * and each of the others, shows a number above 12 that proves its order: one of each where a workbook holds days beside
 * texts that spreadsheets turn into days, else several.
 */
export function watchOrder(isTyped: boolean) {
  const spellings = new Map<string, Spelling>()
  return {
    /** @param placeOf what people call the cell, where they call it anything */
    note: (cell: string, placeOf: () => string | undefined): void => {
      let end = 0
      while (cell.charCodeAt(end) >= 0x30 && cell.charCodeAt(end) <= 0x39) end += 1
      const usual = spellings.get(end === 4 ? DAY : (cell[end] ?? ''))
      if (usual !== undefined && usual.high > 0 && usual.low > 0) return
      const [, first = '', sign = '', second = '', third = ''] = IN_ORDER.exec(cell) ?? []
      const isDay = first.length === 4
      const [one, other] = (isDay ? [second, third] : [first, second]).map(Number)
      if (!one || !other) return
      const key = isDay ? DAY : sign
      const spelling = spellings.get(key) ?? { high: 0, low: 0, equal: 0, shown: '' }
      spellings.set(key, spelling)
      const kind = one > 12 || other > 12 ? 'high' : one === other ? 'equal' : 'low'
      spelling[kind] += 1
      if (kind === 'equal' || spelling.shown !== '') return
      const place = placeOf()
      spelling.shown = `"${cell.replace(/^[\s']+/, '').trim()}"${place === undefined ? '' : ` in ${place}`}`
    },
    /** What speaks for days that were taken for months; null where nothing does. */
    swapped: (): string | null => {
      for (const [key, { high, low, shown }] of spellings) {
        const isPair = isTyped && key === DAY && (spellings.has('/') || spellings.has('-'))
        const others = [...spellings].filter(([other]) => other !== key && !(isPair && other === '.'))
        const sure = others.flatMap(([, other]) => (other.low + other.equal === 0 ? other : []))
        const proven = sure.reduce((sum, other) => sum + other.high, 0)
        if (
          high === 0 &&
          sure.length === others.length &&
          Math.min(low, proven) >= (isPair ? 1 : FEWEST_SPELT)
        )
          return `it holds dates, none after the 12th of its month, such as ${shown}, and others in another spelling, none of which can be read with day and month swapped, such as ${sure.map((other) => other.shown).join(' and ')}.`
      }
      return null
    },
  }
}
