import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReadyRow } from '../../src/ledger/ledger.js'
import { createRowQueue, type RowQueue, type Turn } from '../../src/run/row-queue.js'
import { mandateOf } from './mandate-samples.js'

/** Pages of rows 1 to `count`, and how they were asked for. */
function rowsUpTo(count: number): {
  readPage: (after: number, limit: number) => ReadyRow[]
  asked: [number, number][]
} {
  const asked: [number, number][] = []
  const readPage = (after: number, limit: number): ReadyRow[] => {
    asked.push([after, limit])
    const length = Math.max(0, Math.min(limit, count - after))
    return Array.from({ length }, (_, n) => ({
      id: after + n + 1,
      attempts: 0,
      mandate: mandateOf(1),
      hasCopies: false,
    }))
  }
  return { readPage, asked }
}

const idsOf = (queue: RowQueue, count: number): (number | null)[] =>
  Array.from({ length: count }, () => queue.take(0, 0)?.row.id ?? null)

const turnedAwayTurn = (turn: Turn): Turn => ({ ...turn, turnedAway: turn.turnedAway + 1 })

/** The same turn once it was put back at 0. */
const waiting = (turn: Turn): Turn => ({ ...turn, waitsSinceMs: 0 })

describe('ready rows', () => {
  it('come in order of the ledger, each once', () => {
    const { readPage } = rowsUpTo(600)
    const queue = createRowQueue(readPage, null)
    expect(idsOf(queue, 601)).toEqual([...Array.from({ length: 600 }, (_, n) => n + 1), null])
    expect(queue.isEmpty()).toBe(true)
  })

  it('are read page by page, when one is needed, and not again after the end', () => {
    const { readPage, asked } = rowsUpTo(300)
    const queue = createRowQueue(readPage, null)
    expect(asked).toEqual([])
    idsOf(queue, 1)
    expect(asked).toEqual([[0, 256]])
    idsOf(queue, 302)
    idsOf(queue, 5)
    expect(asked).toEqual([
      [0, 256],
      [256, 256],
      [300, 256],
    ])
  })

  it('carry when they were first taken up', () => {
    const queue = createRowQueue(rowsUpTo(1).readPage, null)
    expect(queue.take(77, 77)).toMatchObject({ firstMs: 77, turnedAway: 0, row: { id: 1 } })
  })

  it('are known to be over without being taken', () => {
    expect(createRowQueue(rowsUpTo(0).readPage, null).isEmpty()).toBe(true)
    expect(createRowQueue(rowsUpTo(1).readPage, null).isEmpty()).toBe(false)
    const queue = createRowQueue(rowsUpTo(256).readPage, null)
    idsOf(queue, 256)
    expect(queue.isEmpty()).toBe(true)
  })
})

describe('a row that was put back', () => {
  it('comes when it is due, before rows that were never sent', () => {
    const queue = createRowQueue(rowsUpTo(9).readPage, null)
    const first = queue.take(0, 0)!
    queue.putBack(first, 0, 100)
    expect(queue.take(99, 99)?.row.id).toBe(2)
    expect(queue.take(100, 100)).toEqual(waiting(first))
    expect(queue.take(101, 101)?.row.id).toBe(3)
  })

  it('keeps the queue from being empty', () => {
    const queue = createRowQueue(rowsUpTo(1).readPage, null)
    const turn = queue.take(0, 0)!
    expect(queue.isEmpty()).toBe(true)
    queue.putBack(turn, 0, 5)
    expect(queue.isEmpty()).toBe(false)
    expect(queue.take(4, 4)).toBe(null)
    expect(queue.take(5, 5)).toEqual(waiting(turn))
    expect(queue.isEmpty()).toBe(true)
  })

  it('comes once', () => {
    const queue = createRowQueue(rowsUpTo(3).readPage, null)
    const turns = [queue.take(0, 0)!, queue.take(0, 0)!, queue.take(0, 0)!]
    for (const turn of turns) queue.putBack(turn, 0, 10)
    expect(idsAt(queue, 10)).toEqual([1, 2, 3])
    expect(queue.isEmpty()).toBe(true)
  })

  it('waits for the retry budget when it was turned away, and others do not', () => {
    const queue = createRowQueue(rowsUpTo(2).readPage, null)
    const [first, second] = [queue.take(0, 0)!, queue.take(0, 0)!]
    queue.putBack(turnedAwayTurn(first), 0, 10)
    queue.putBack(second, 0, 20)
    expect(queue.take(15, 500)).toBe(null)
    expect(queue.nextDueMs(500)).toBe(20)
    expect(queue.take(20, 500)).toEqual(waiting(second))
    expect(queue.take(499, 500)).toBe(null)
    expect(queue.nextDueMs(500)).toBe(500)
    expect(queue.take(500, 500)).toEqual(waiting(turnedAwayTurn(first)))
  })

  it('tells when the first one is due', () => {
    const queue = createRowQueue(rowsUpTo(2).readPage, null)
    expect(queue.nextDueMs(0)).toBe(null)
    const [first, second] = [queue.take(0, 0)!, queue.take(0, 0)!]
    queue.putBack(first, 0, 70)
    queue.putBack(second, 0, 40)
    expect(queue.nextDueMs(0)).toBe(40)
    expect(queue.take(40, 40)).toEqual(waiting(second))
    expect(queue.nextDueMs(40)).toBe(70)
  })

  it('is waited for when a thousand others wait as well', () => {
    const queue = createRowQueue(rowsUpTo(5_000).readPage, null)
    for (let n = 0; n < 1_000; n += 1) queue.putBack(queue.take(0, 0)!, 0, 1_000 + n)
    expect(queue.take(0, 0)).toBe(null)
    expect(queue.isEmpty()).toBe(false)
    expect(queue.take(1_000, 1_000)?.row.id).toBe(1)
    expect(queue.take(1_000, 1_000)?.row.id).toBe(1_001)
  })
})

const idsAt = (queue: RowQueue, nowMs: number): number[] => {
  const ids: number[] = []
  for (let turn = queue.take(nowMs, nowMs); turn !== null; turn = queue.take(nowMs, nowMs))
    ids.push(turn.row.id)
  return ids
}

describe('8.4.4 a row that could not leave within a quarter of an hour', () => {
  const QUARTER_MS = 15 * 60_000
  const LATE_MS = 1_000

  it('is let go as soon as that is known: by its own wait, or by the budget when it was turned away', () => {
    const queue = createRowQueue(rowsUpTo(3).readPage, null)
    const [first, second, third] = [queue.take(0, 0)!, queue.take(0, 0)!, queue.take(0, 0)!]
    queue.putBack(first, 500, 500 + QUARTER_MS + LATE_MS + 1)
    queue.putBack(turnedAwayTurn(second), 500, 1_000)
    queue.putBack(third, 500, 1_000)
    expect(queue.leaveBehind(500)).toEqual({ count: 1, wasFull: false })
    expect(queue.leaveBehind(500 + QUARTER_MS + LATE_MS)).toEqual({ count: 0, wasFull: false })
    expect(queue.leaveBehind(500 + QUARTER_MS + LATE_MS + 1)).toEqual({ count: 1, wasFull: false })
    expect(idsAt(queue, 2_000)).toEqual([3])
    expect(queue.isEmpty()).toBe(true)
  })

  it('counts from the first time it was put back, not from the last', () => {
    const queue = createRowQueue(rowsUpTo(1).readPage, null)
    queue.putBack(queue.take(0, 0)!, 100, 200)
    queue.putBack(turnedAwayTurn(queue.take(200, 200)!), 800_000, 860_000)
    expect(queue.leaveBehind(900_000)).toEqual({ count: 0, wasFull: false })
    expect(queue.leaveBehind(100 + QUARTER_MS + LATE_MS + 1)).toEqual({ count: 1, wasFull: false })
  })

  it('says when so many waited that no new row could be taken up', () => {
    const queue = createRowQueue(rowsUpTo(2_000).readPage, null)
    for (let n = 0; n < 1_000; n += 1) queue.putBack(turnedAwayTurn(queue.take(0, 0)!), n, 2_000)
    expect(queue.leaveBehind(QUARTER_MS + LATE_MS + 10)).toEqual({ count: 10, wasFull: true })
    expect(queue.leaveBehind(QUARTER_MS + LATE_MS + 10)).toEqual({ count: 0, wasFull: false })
  })
})

describe('a pilot', () => {
  it('ends after so many rows, however often one of them is sent', () => {
    const queue = createRowQueue(rowsUpTo(10).readPage, 2)
    const first = queue.take(0, 0)!
    queue.putBack(first, 0, 0)
    expect(idsAt(queue, 0)).toEqual([1, 2])
    expect(queue.isEmpty()).toBe(true)
    expect(queue.isPilotDone()).toBe(true)
  })

  it('is not over while one of its rows waits', () => {
    const queue = createRowQueue(rowsUpTo(10).readPage, 1)
    queue.putBack(queue.take(0, 0)!, 0, 50)
    expect(queue.isEmpty()).toBe(false)
    expect(idsAt(queue, 50)).toEqual([1])
    expect(queue.isEmpty()).toBe(true)
  })

  it('is not what ended the run when the ledger holds no more', () => {
    const queue = createRowQueue(rowsUpTo(2).readPage, 2)
    idsAt(queue, 0)
    expect(queue.isPilotDone()).toBe(false)
    const wide = createRowQueue(rowsUpTo(2).readPage, 3)
    idsAt(wide, 0)
    expect(wide.isPilotDone()).toBe(false)
    const none = createRowQueue(rowsUpTo(2).readPage, null)
    expect(none.isPilotDone()).toBe(false)
  })
})

describe('any use of the queue', () => {
  it('loses no row, repeats none by itself and holds a bounded number', () => {
    const step = fc.record({ back: fc.boolean(), waitMs: fc.integer({ min: 0, max: 50 }) })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 700 }), fc.array(step, { maxLength: 900 }), (count, steps) => {
        const queue = createRowQueue(rowsUpTo(count).readPage, null)
        const out = new Set<number>()
        let nowMs = 0
        for (const { back, waitMs } of steps) {
          nowMs += 5
          const turn = queue.take(nowMs, nowMs)
          if (turn === null) continue
          expect(out.has(turn.row.id)).toBe(false)
          out.add(turn.row.id)
          if (back) {
            out.delete(turn.row.id)
            queue.putBack(turn, nowMs, nowMs + waitMs)
          }
        }
        const rest = idsAt(queue, nowMs + 100)
        expect(new Set([...out, ...rest]).size).toBe(count)
        expect(out.size + rest.length).toBe(count)
        expect(queue.isEmpty()).toBe(true)
      }),
      { seed: 20260410, numRuns: 100 },
    )
  })
})
