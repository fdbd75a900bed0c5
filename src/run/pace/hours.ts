import { durationText } from '../../domain/text/wording.js'
import type { Stop } from '../stop.js'
import { type DailyWindow, localTimeText, windowAt, type WindowState } from './window.js'

/** What a run does outside of its window. */
export const OUTSIDE = ['end', 'wait'] as const
export type Outside = (typeof OUTSIDE)[number]

/** When a run may begin requests. Times are wall-clock milliseconds since 1970: these are hours that people agreed on. */
export interface SendingHours {
  /** Null for any hour. */
  readonly window: DailyWindow | null
  /** The window as it was written. */
  readonly text: string | null
  /** IANA name of the time zone whose clock counts. */
  readonly zone: string
  /** From then on nothing is begun; null for no end. */
  readonly untilMs: number | null
  readonly outside: Outside
}

export type HoursState =
  /** For so long at least; Infinity where that does not end. */
  | { readonly kind: 'open'; readonly forMs: number }
  | { readonly kind: 'closed'; readonly opensAtMs: number }
  | { readonly kind: 'over'; readonly stop: Stop }

/** The last moment before a window closes: a row that is taken up then is committed and sent within the window. */
const LAST_MS = 1_000

/**
 * Tells at each moment whether a request may be begun. The wall clock is asked each time, so that one that is set, or a
 * machine that slept, is noticed; the zone only when the window changes.
 */
export function watchHours(hours: SendingHours | null): (nowMs: number) => HoursState {
  if (hours === null) return () => OPEN
  const { window, zone, untilMs } = hours
  let known: (WindowState & { readonly sinceMs: number }) | null = null

  function windowState(of: DailyWindow, nowMs: number): WindowState {
    if (known === null || nowMs < known.sinceMs || nowMs >= (known.changesAtMs ?? Infinity))
      known = { sinceMs: nowMs, ...windowAt(of, zone, nowMs) }
    return known
  }

  return (nowMs) => {
    const leftMs = untilMs === null ? Infinity : untilMs - LAST_MS - nowMs
    if (leftMs <= 0) return { kind: 'over', stop: timeIsOver(hours) }
    if (window === null) return { kind: 'open', forMs: leftMs }
    const { isOpen, changesAtMs } = windowState(window, nowMs)
    const openMs = isOpen ? (changesAtMs ?? Infinity) - LAST_MS - nowMs : 0
    if (openMs > 0) return { kind: 'open', forMs: Math.min(openMs, leftMs) }
    const opensAtMs = isOpen ? windowAt(window, zone, changesAtMs ?? nowMs).changesAtMs : changesAtMs
    if (opensAtMs === null || hours.outside === 'end')
      return { kind: 'over', stop: windowIsClosed(hours, opensAtMs) }
    const opensInTime = untilMs === null || opensAtMs < untilMs - LAST_MS
    return opensInTime ? { kind: 'closed', opensAtMs } : { kind: 'over', stop: timeIsOver(hours) }
  }
}

const OPEN: HoursState = { kind: 'open', forMs: Infinity }

const timeIsOver = ({ untilMs, zone }: SendingHours): Stop => ({
  kind: 'until',
  why: `Nothing is sent from ${untilMs === null ? 'now' : localTimeText(untilMs, zone)} (${zone}) on, as this run was told`,
  next: 'Run the same command again to continue, with a later time or none',
})

function windowIsClosed({ text, zone }: SendingHours, opensAtMs: number | null): Stop {
  const opens = opensAtMs === null ? 'not within a week' : `at ${localTimeText(opensAtMs, zone)}`
  return {
    kind: 'window',
    why: `The window ${text ?? ''} (${zone}) is closed and opens ${opens}`,
    next: 'Run the same command again then, or have the run wait for it',
    ways: ['wait_for_window'],
  }
}

/** What a run that waits says: until when, and for how long. */
export const waitText = ({ text, zone }: SendingHours, opensAtMs: number, nowMs: number): string =>
  `Waiting until ${localTimeText(opensAtMs, zone)} (${zone}, ${durationText(opensAtMs - nowMs)}): the window ${text ?? ''} is closed`
