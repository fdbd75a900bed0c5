import type { After, Clock } from '../../src/domain/mandate/date.js'

export type VirtualTime = ReturnType<typeof startVirtualTime>

interface Event {
  readonly atMs: number
  readonly happen: () => void
}

const STARTED_MS = Date.UTC(2026, 3, 1, 8)

/** A clock that moves only from event to event, so that hours pass in no time and always in the same way. */
export function startVirtualTime() {
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

  const clock: Clock = { now: () => STARTED_MS + nowMs, monotonic: () => nowMs }
  const after: After = (delayMs, wake) => at(nowMs + delayMs, wake)

  return {
    clock,
    after,
    /** What `setImmediate` is to the real event loop: once everything of this turn is told. */
    defer: (flush: () => void): void => {
      deferred += 1
      at(nowMs, flush)
    },
    /** How often something was deferred. */
    deferred: () => deferred,
    /** Resolves after so many virtual milliseconds. */
    sleep: (delayMs: number) => new Promise<void>((resolve) => after(delayMs, resolve)),
    /**
     * Lets events happen, one after the other, until the promise is settled.
     * @throws {Error} when nothing is left that could ever settle it
     */
    runUntil: async <Value>(promise: Promise<Value>): Promise<Value> => {
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
