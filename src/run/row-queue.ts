import type { ReadyRow } from '../ledger/ledger.js'

/** A row that this run has taken up, or will. Times are monotonic milliseconds. */
export interface Turn {
  readonly row: ReadyRow
  /** When this run first took the row up. */
  readonly firstMs: number
  /** How often it was turned away in this run. */
  readonly turnedAway: number
}

/** Which row is next: those whose wait is over, then the ledger's ready rows in order. Holds a bounded number. */
export interface RowQueue {
  readonly take: (nowMs: number, mayRepeat: boolean) => Turn | null
  readonly putBack: (turn: Turn, dueMs: number) => void
  /** When the first waiting row is due, or null where none waits. */
  readonly nextDueMs: () => number | null
  readonly isEmpty: () => boolean
  /** The pilot's number of rows was taken and the ledger holds more. */
  readonly isPilotDone: () => boolean
}

const PAGE = 256
/** Above this no new row is taken up until one that waits is due. */
const MAX_WAITING = 1_000

export function createRowQueue(
  readPage: (after: number, limit: number) => ReadyRow[],
  pilot: number | null,
): RowQueue {
  const waiting: { readonly turn: Turn; readonly dueMs: number }[] = []
  let page: ReadyRow[] = []
  let cursor = 0
  let taken = 0
  let isExhausted = false
  let isPilotDone = false

  function takeWaiting(nowMs: number, mayRepeat: boolean): Turn | null {
    const index = waiting.findIndex(
      ({ dueMs, turn }) => dueMs <= nowMs && (mayRepeat || turn.turnedAway === 0),
    )
    return index === -1 ? null : (waiting.splice(index, 1)[0]?.turn ?? null)
  }

  function takeReady(nowMs: number): Turn | null {
    if (waiting.length >= MAX_WAITING || isExhausted) return null
    if (page.length === 0) page = readPage(cursor, PAGE)
    const row = page.shift()
    isPilotDone = row !== undefined && taken === pilot
    isExhausted = row === undefined || isPilotDone
    if (row === undefined || isPilotDone) return null
    taken += 1
    cursor = row.id
    return { row, firstMs: nowMs, turnedAway: 0 }
  }

  return {
    take: (nowMs, mayRepeat) => takeWaiting(nowMs, mayRepeat) ?? takeReady(nowMs),
    putBack: (turn, dueMs) => void waiting.push({ turn, dueMs }),
    nextDueMs: () => (waiting.length === 0 ? null : Math.min(...waiting.map(({ dueMs }) => dueMs))),
    isEmpty: () => isExhausted && waiting.length === 0,
    isPilotDone: () => isPilotDone,
  }
}
