import { parseLocalDate } from '../../domain/mandate/local-date.js'
import { UsageError } from '../../errors.js'
import { OUTSIDE, type Outside, type SendingHours } from './hours.js'
import { firstShowing, nextTimeOfDay, parseTimeOfDay, parseWindow } from './window.js'

/** The hours of a run as somebody writes them. */
export interface HoursInput {
  readonly between?: string | null | undefined
  readonly until?: string | null | undefined
  readonly outside?: Outside | undefined
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2}))?(Z|[+-]\d{2}:\d{2})?$/

/**
 * @returns null where nothing was said
 * @throws {UsageError} for what is no window, no time, or a time that has passed
 */
export function readHours(
  { between = null, until = null, outside = 'end' }: HoursInput,
  zone: string,
  nowMs: number,
): SendingHours | null {
  if (!OUTSIDE.includes(outside))
    throw wrong('outside', outside, `one of ${OUTSIDE.join(', ')}`, 'Correct the value')
  if (between === null && until === null) return null
  const window = between === null ? null : parseWindow(between)
  if (between !== null && window === null)
    throw wrong('between', between, 'two different times of the day, as 22:00-05:00', 'Correct the window')
  return {
    window,
    text: between,
    zone,
    untilMs: until === null ? null : momentOf(until, zone, nowMs),
    outside,
  }
}

function momentOf(text: string, zone: string, nowMs: number): number {
  const time = parseTimeOfDay(text)
  if (time !== null) return nextTimeOfDay(time, zone, nowMs)
  const atMs = instantOf(text, zone)
  if (atMs === null)
    throw wrong(
      'until',
      text,
      'a time of the day, as 05:00, or a date with time, as 2026-11-23T05:00',
      'Correct the time',
    )
  if (atMs <= nowMs) throw wrong('until', text, 'a time that is still to come', 'Give a later one')
  return atMs
}

/** Without an offset it is the clock of the zone that counts: its first showing of that time on that day. */
function instantOf(text: string, zone: string): number | null {
  const [, date = '', clock = '', second = '00', offset] = MOMENT.exec(text) ?? []
  const time = parseTimeOfDay(clock)
  if (parseLocalDate(date) === null || time === null || Number(second) > 59) return null
  if (offset !== undefined) {
    const atMs = Date.parse(`${date}T${clock}:${second}${offset}`)
    return Number.isNaN(atMs) ? null : atMs
  }
  const day0 = Date.parse(`${date}T00:00:00Z`)
  return firstShowing(day0 + time * 60_000, zone) + Number(second) * 1_000
}

const wrong = (name: string, given: string, wanted: string, next: string): UsageError =>
  new UsageError(`Cannot use ${name}: ${JSON.stringify(given)} is not ${wanted}; nothing was sent`, next)
