import type { Clock } from '../../src/domain/mandate/date.js'
import type { Chance } from '../support/chance.js'

/** What ends with a process. Events of a life that is over do not happen. */
export interface Life {
  isOver: boolean
}

/** Everything that will happen, on a virtual clock. Events of one moment happen in an order that chance decides. */
export interface Schedule {
  readonly clock: Clock
  readonly nowMs: () => number
  /** The returned function takes the event back. */
  readonly at: (delayMs: number, life: Life, happen: () => void) => () => void
  /** The next event, taken out of the schedule, with the clock moved to it; null when nothing is left. */
  readonly next: () => (() => void) | null
  /** Lets so much time pass, with all that happens in it. */
  readonly pass: (durationMs: number) => void
}

interface Event {
  readonly atMs: number
  readonly order: number
  readonly life: Life
  readonly happen: () => void
}

const STARTED_MS = Date.UTC(2026, 3, 1, 8)

export function startSchedule(chance: Chance): Schedule {
  let nowMs = 0
  const events = new Set<Event>()

  function takeFirst(untilMs: number): Event | null {
    let first: Event | null = null
    for (const event of events) {
      if (event.life.isOver) {
        events.delete(event)
        continue
      }
      const isEarlier =
        first === null || event.atMs < first.atMs || (event.atMs === first.atMs && event.order < first.order)
      if (isEarlier && event.atMs <= untilMs) first = event
    }
    if (first === null) return null
    events.delete(first)
    nowMs = first.atMs
    return first
  }

  return {
    clock: { now: () => STARTED_MS + nowMs, monotonic: () => nowMs },
    nowMs: () => nowMs,
    at: (delayMs, life, happen) => {
      const event = { atMs: nowMs + delayMs, order: chance.next(), life, happen }
      events.add(event)
      return () => void events.delete(event)
    },
    next: () => takeFirst(Infinity)?.happen ?? null,
    pass: (durationMs) => {
      const untilMs = nowMs + durationMs
      for (let event = takeFirst(untilMs); event !== null; event = takeFirst(untilMs)) event.happen()
      nowMs = untilMs
    },
  }
}
