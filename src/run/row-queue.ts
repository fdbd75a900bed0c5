import type { ReadyRow } from '../ledger/ledger.js'
import { LONGEST_WAIT_MS } from './pace/backoff.js'

/** A row that this run has taken up, or will. Times are monotonic milliseconds. */
export interface Turn {
  readonly row: ReadyRow
  /** When this run first took the row up. */
  readonly firstMs: number
  /** How often it was turned away in this run. */
  readonly turnedAway: number
  /** When this run first put it back to wait, or null. */
  readonly waitsSinceMs: number | null
}

/** Which row is next: those whose wait is over, then the ledger's ready rows in order. Holds a bounded number. */
export interface RowQueue {
  /** `repeatFromMs`: when the retry budget lets a row that was turned away leave again. */
  readonly take: (nowMs: number, repeatFromMs: number) => Turn | null
  readonly putBack: (turn: Turn, nowMs: number, dueMs: number) => void
  /**
   * Lets go of rows that could not leave within a quarter of an hour after they were first put back: the retry budget,
   * a pause or their own wait does not let them. They are ready in the ledger. Gives how many, and whether so many
   * waited that no new row could be taken up.
   */
  readonly leaveBehind: (repeatFromMs: number) => { readonly count: number; readonly wasFull: boolean }
  /** When the first waiting row may leave, or null where none waits. */
  readonly nextDueMs: (repeatFromMs: number) => number | null
  readonly isEmpty: () => boolean
  /** The pilot's number of rows was taken and the ledger holds more. */
  readonly isPilotDone: () => boolean
}

interface Waiting {
  readonly turn: Turn
  readonly dueMs: number
  /** When it must have left. */
  readonly untilMs: number
}

const PAGE = 256
/** Above this no new row is taken up until one that waits is due. */
const MAX_WAITING = 1_000

/** Timers are late when the machine is busy; a row is not left behind for that. */
const LATE_MS = 1_000

/** A row that was only not sent has cost the service nothing, so it needs no share of the retry budget. */
const leavesAtMs = ({ turn, dueMs }: Waiting, repeatFromMs: number): number =>
  turn.turnedAway > 0 ? Math.max(dueMs, repeatFromMs) : dueMs

export function createRowQueue(
  readPage: (after: number, limit: number) => ReadyRow[],
  pilot: number | null,
): RowQueue {
  let waiting: Waiting[] = []
  let page: ReadyRow[] = []
  let cursor = 0
  let taken = 0
  let isRead = false

  function takeWaiting(nowMs: number, repeatFromMs: number): Turn | null {
    const index = waiting.findIndex((entry) => leavesAtMs(entry, repeatFromMs) <= nowMs)
    return index === -1 ? null : (waiting.splice(index, 1)[0]?.turn ?? null)
  }

  function hasReady(): boolean {
    if (page.length === 0 && !isRead) {
      page = readPage(cursor, PAGE)
      isRead = page.length === 0
    }
    return page.length > 0
  }

  function takeReady(nowMs: number): Turn | null {
    if (waiting.length >= MAX_WAITING || taken === pilot || !hasReady()) return null
    const row = page.shift()
    if (row === undefined) return null
    taken += 1
    cursor = row.id
    return { row, firstMs: nowMs, turnedAway: 0, waitsSinceMs: null }
  }

  return {
    take: (nowMs, repeatFromMs) => takeWaiting(nowMs, repeatFromMs) ?? takeReady(nowMs),
    putBack: (turn, nowMs, dueMs) => {
      const waitsSinceMs = turn.waitsSinceMs ?? nowMs
      const untilMs = waitsSinceMs + LONGEST_WAIT_MS + LATE_MS
      waiting.push({ turn: { ...turn, waitsSinceMs }, dueMs, untilMs })
    },
    leaveBehind: (repeatFromMs) => {
      const kept = waiting.filter((entry) => leavesAtMs(entry, repeatFromMs) <= entry.untilMs)
      const left = { count: waiting.length - kept.length, wasFull: waiting.length >= MAX_WAITING }
      if (left.count > 0) waiting = kept
      return left
    },
    nextDueMs: (repeatFromMs) =>
      waiting.length === 0 ? null : Math.min(...waiting.map((entry) => leavesAtMs(entry, repeatFromMs))),
    isEmpty: () => waiting.length === 0 && (taken === pilot || !hasReady()),
    isPilotDone: () => taken === pilot && hasReady(),
  }
}
