/** When a run may begin requests, read off the clock of a place. All times are milliseconds since 1970. */

/** Minutes of the day; `to` lies on the next day where it is not behind `from`. They differ. */
export interface DailyWindow {
  readonly from: number
  readonly to: number
}

export interface WindowState {
  readonly isOpen: boolean
  /** When that changes next; null where it never does within eight days. */
  readonly changesAtMs: number | null
}

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
/** A window that a change of the clock leaves out for a night opens the night after. */
const LOOK_AHEAD_MINUTES = 8 * DAY_MINUTES

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/

/** `22:00` as minutes of the day; null for anything else. */
export function parseTimeOfDay(text: string): number | null {
  const [, hours, minutes] = TIME.exec(text) ?? []
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes)
}

/** `22:00-05:00`; null for anything else, and for a window that would be empty or the whole day. */
export function parseWindow(text: string): DailyWindow | null {
  const [start = '', end = '', ...more] = text.split('-')
  const from = parseTimeOfDay(start)
  const to = parseTimeOfDay(end)
  return from === null || to === null || from === to || more.length > 0 ? null : { from, to }
}

/** How far the clock of a zone is ahead of UTC at a moment, in minutes. */
type OffsetAt = (atMs: number) => number

/** @throws {RangeError} for a zone that does not exist */
function offsetsOf(zone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  return (atMs) => {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
    const part = (name: string): number => parts.get(name as Intl.DateTimeFormatPartTypes) ?? 0
    const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
    return Math.round((shown - Math.floor(atMs / MINUTE_MS) * MINUTE_MS) / MINUTE_MS)
  }
}

const minuteOfDay = (atMs: number, offset: number): number => {
  const minutes = Math.floor(atMs / MINUTE_MS) + offset
  return ((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES
}

const isBetween = ({ from, to }: DailyWindow, minute: number): boolean =>
  from < to ? minute >= from && minute < to : minute >= from || minute < to

/** The clock was never set back by more, nor for longer than that ago could a moment be its second showing. */
const MOST_SET_BACK_MINUTES = 3 * 60

/**
 * What the clock on the wall shows decides. When it is set back, an hour is shown twice: a window that ended within it
 * stays closed the second time, since whoever waits for its end did not wait for another one.
 */
function isOpenAt(window: DailyWindow, offsetAt: OffsetAt, atMs: number): boolean {
  const offset = offsetAt(atMs)
  const minute = minuteOfDay(atMs, offset)
  if (!isBetween(window, minute)) return false
  const setBack = offsetAt(atMs - MOST_SET_BACK_MINUTES * MINUTE_MS) - offset
  const firstMs = atMs - setBack * MINUTE_MS
  if (setBack <= 0 || offsetAt(firstMs) - offset !== setBack) return true // shown once, or the first time
  const untilEnd = (window.to - minute + DAY_MINUTES) % DAY_MINUTES
  const endMs = firstMs + untilEnd * MINUTE_MS
  return offsetAt(endMs) !== offsetAt(firstMs)
}

/** Whether the window is open at a moment, and when that changes. */
export function windowAt(window: DailyWindow, zone: string, nowMs: number): WindowState {
  const offsetAt = offsetsOf(zone)
  const isOpen = isOpenAt(window, offsetAt, nowMs)
  const thisMinute = Math.floor(nowMs / MINUTE_MS)
  for (let minute = thisMinute + 1; minute <= thisMinute + LOOK_AHEAD_MINUTES; minute += 1)
    if (isOpenAt(window, offsetAt, minute * MINUTE_MS) !== isOpen)
      return { isOpen, changesAtMs: minute * MINUTE_MS }
  return { isOpen, changesAtMs: null }
}

/**
 * The next moment at which the clock of a zone shows this time, or has passed it where it leaps over it: the first one
 * where it shows it twice.
 */
export function nextTimeOfDay(time: number, zone: string, nowMs: number): number {
  const offsetAt = offsetsOf(zone)
  const thisMinute = Math.floor(nowMs / MINUTE_MS)
  let before = minuteOfDay(nowMs, offsetAt(nowMs))
  for (let minute = thisMinute + 1; ; minute += 1) {
    const atMs = minute * MINUTE_MS
    const shown = minuteOfDay(atMs, offsetAt(atMs))
    // How far the clock went on in this minute: 1, more where it was set ahead, nearly a day where it was set back.
    const step = (shown - before + DAY_MINUTES) % DAY_MINUTES
    const isPassed = (time - before - 1 + DAY_MINUTES) % DAY_MINUTES < step
    if (shown === time || (isPassed && step <= MOST_SET_BACK_MINUTES)) return atMs
    before = shown
  }
}

/** No clock is further than that from UTC. */
const MOST_OFFSET_MINUTES = 15 * 60

/**
 * The first moment at which the clock of a zone shows a time, or a later one where it leaps over it.
 * @param shownMs what it shows, as if that were UTC
 */
export function firstShowing(shownMs: number, zone: string): number {
  const offsetAt = offsetsOf(zone)
  let atMs = shownMs - MOST_OFFSET_MINUTES * MINUTE_MS
  while (atMs + offsetAt(atMs) * MINUTE_MS < shownMs) atMs += MINUTE_MS
  return atMs
}

/** `2026-03-29 03:00` as the clock of a zone shows it. */
export function localTimeText(atMs: number, zone: string): string {
  const shown = new Date(atMs + offsetsOf(zone)(atMs) * MINUTE_MS).toISOString()
  return `${shown.slice(0, 10)} ${shown.slice(11, 16)}`
}
