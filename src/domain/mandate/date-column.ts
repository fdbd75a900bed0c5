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
    shifted: (): string | null =>
      evening * 2 <= (drifted > 0 ? timed : filled)
        ? null
        : `${evening} of ${timed} times ${where} between 21:00 and 24:00, such as "${late}".`,
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
