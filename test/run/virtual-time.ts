import type { After } from '../../src/run/engine.js'
import type { Clock } from '../../src/domain/mandate/date.js'

/** A clock that moves only from event to event, so that hours pass in no time and always in the same way. */
export interface VirtualTime {
  readonly clock: Clock
  readonly after: After
  /** What `setImmediate` is to the real event loop: once everything of this turn is told. */
  readonly defer: (flush: () => void) => void
  /** How often something was deferred. */
  readonly deferred: () => number
  /** Resolves after so many virtual milliseconds. */
  readonly sleep: (delayMs: number) => Promise<void>
  /**
   * Lets events happen, one after the other, until the promise is settled.
   * @throws {Error} when nothing is left that could ever settle it
   */
  readonly runUntil: <Value>(promise: Promise<Value>) => Promise<Value>
}

interface Event {
  readonly atMs: number
  readonly happen: () => void
}

const STARTED_MS = Date.UTC(2026, 3, 1, 8)

export function startVirtualTime(): VirtualTime {
  let nowMs = 0
  let deferred = 0
  const events: Event[] = []

  function at(atMs: number, happen: () => void): () => void {
    const event = { atMs, happen }
    // Behind those of the same moment.
    const later = events.findIndex((other) => other.atMs > atMs)
    events.splice(later === -1 ? events.length : later, 0, event)
    return () => {
      const index = events.indexOf(event)
      if (index !== -1) events.splice(index, 1)
    }
  }

  const after: After = (delayMs, wake) => at(nowMs + delayMs, wake)

  return {
    clock: { now: () => STARTED_MS + nowMs, monotonic: () => nowMs },
    after,
    defer: (flush) => {
      deferred += 1
      at(nowMs, flush)
    },
    deferred: () => deferred,
    sleep: (delayMs) => new Promise((resolve) => after(delayMs, resolve)),
    runUntil: async (promise) => {
      const state = { isSettled: false }
      const settled = promise.finally(() => (state.isSettled = true))
      settled.catch(() => undefined)
      for (;;) {
        await endOfTurn()
        if (state.isSettled) return settled
        const event = events.shift()
        if (event === undefined)
          throw new Error('Nothing is left that could happen, and the run has not ended')
        nowMs = event.atMs
        event.happen()
      }
    },
  }
}

/** Every promise that can go on has gone on. */
export const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
