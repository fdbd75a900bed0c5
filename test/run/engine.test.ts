import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQueue, type Turn } from '../../src/run/engine.js'

type Queue<Item extends object> = ReturnType<typeof createQueue<Item>>

interface Item {
  readonly id: number
}

/** A queue over items 1 to `count`, and how many of them were asked for at each time. */
function queueUpTo(count: number, pilot: number | null = null) {
  const asked: number[] = []
  let given = 0
  const next = (limit: number): Item[] => {
    asked.push(limit)
    const page = Array.from({ length: Math.min(limit, count - given) }, (_, n) => ({ id: given + n + 1 }))
    given += page.length
    return page
  }
  return { queue: createQueue(next, pilot), asked, given: () => given }
}

const idsOf = (queue: Queue<Item>, count: number): (number | null)[] =>
  Array.from({ length: count }, () => queue.take(0, 0)?.id ?? null)

const idsAt = (queue: Queue<Item>, nowMs: number): number[] => {
  const ids: number[] = []
  for (let turn = queue.take(nowMs, nowMs); turn !== null; turn = queue.take(nowMs, nowMs)) ids.push(turn.id)
  return ids
}

const sent = (turn: Turn<Item>): Turn<Item> => ({ ...turn, sent: turn.sent + 1 })

/** The same turn once it was put back at 0. */
const waiting = (turn: Turn<Item>): Turn<Item> => ({ ...turn, waitsSinceMs: 0 })

describe('new items', () => {
  it('come in order, each once, a page at a time, when one is needed, and are not asked for after the end', () => {
    const { queue, asked } = queueUpTo(300)
    expect(asked).toEqual([])
    expect(idsOf(queue, 1)).toEqual([1])
    expect(asked).toEqual([256])
    expect(idsOf(queue, 300)).toEqual([...Array.from({ length: 299 }, (_, n) => n + 2), null])
    idsOf(queue, 5)
    expect(asked).toEqual([256, 256, 256])
    expect(queue.isEmpty()).toBe(true)
  })

  it('are known to be over without being taken', () => {
    expect(queueUpTo(0).queue.isEmpty()).toBe(true)
    const one = queueUpTo(1).queue
    expect(one.isEmpty()).toBe(false)
    expect(one.take(77, 77)).toEqual({ id: 1, firstMs: 77, sent: 0, waitsSinceMs: null })
    const { queue } = queueUpTo(256)
    idsOf(queue, 256)
    expect(queue.isEmpty()).toBe(true)
  })
})

describe('an item that was put back', () => {
  it('comes once, when it is due, before new ones, and keeps the queue from being empty', () => {
    const { queue } = queueUpTo(3)
    const first = queue.take(0, 0)!
    queue.putBack(first, 0, 100)
    expect(queue.take(99, 99)?.id).toBe(2)
    expect(queue.take(100, 100)).toEqual(waiting(first))
    expect(queue.take(101, 101)?.id).toBe(3)
    expect(queue.isEmpty()).toBe(true)
    queue.putBack(first, 101, 105)
    expect(queue.isEmpty()).toBe(false)
    expect(queue.take(104, 104)).toBeNull()
    expect(queue.take(105, 105)?.id).toBe(1)
    expect(queue.isEmpty()).toBe(true)
  })

  it('waits for the retry budget when it was sent, and others do not', () => {
    const { queue } = queueUpTo(2)
    expect(queue.nextDueMs(0)).toBeNull()
    const [first, second] = [queue.take(0, 0)!, queue.take(0, 0)!]
    queue.putBack(sent(first), 0, 10)
    queue.putBack(second, 0, 20)
    expect(queue.take(15, 500)).toBeNull()
    expect(queue.nextDueMs(500)).toBe(20)
    expect(queue.take(20, 500)).toEqual(waiting(second))
    expect(queue.take(499, 500)).toBeNull()
    expect(queue.nextDueMs(500)).toBe(500)
    expect(queue.take(500, 500)).toEqual(waiting(sent(first)))
  })

  it('is waited for when a thousand others wait as well', () => {
    const { queue } = queueUpTo(5_000)
    for (let n = 0; n < 1_000; n += 1) queue.putBack(queue.take(0, 0)!, 0, 1_000 + n)
    expect(queue.take(0, 0)).toBeNull()
    expect(queue.isEmpty()).toBe(false)
    expect(queue.take(1_000, 1_000)?.id).toBe(1)
    expect(queue.take(1_000, 1_000)?.id).toBe(1_001)
  })
})

describe('an item that could not leave within a quarter of an hour', () => {
  const LATEST_MS = 15 * 60_000 + 1_000
  const leave = (queue: Queue<Item>, pausedUntilMs: number, repeatFromMs: number) => {
    const { turns, wasFull } = queue.leaveBehind(pausedUntilMs, repeatFromMs)
    return { ids: turns.map(({ id }) => id), wasFull }
  }

  it.each<[string, number, number, number]>([
    ['its own wait', 1, 0, 0],
    ['a pause', 0, 1, 0],
    ['the retry budget', 0, 0, 1],
  ])('is let go as soon as it is known that %s lasts longer', (_name, dueMs, pausedMs, repeatMs) => {
    const { queue } = queueUpTo(1)
    const latest = (isIt: number, later: number): number => isIt * (LATEST_MS + later)
    queue.putBack(sent(queue.take(0, 0)!), 0, latest(dueMs, 0))
    expect(leave(queue, latest(pausedMs, 0), latest(repeatMs, 0)).ids).toEqual([])
    queue.putBack(queue.take(1e9, 0)!, 0, latest(dueMs, 1))
    expect(leave(queue, latest(pausedMs, 1), latest(repeatMs, 1)).ids).toEqual([1])
    expect(queue.isEmpty()).toBe(true)
  })

  it('is not let go by the retry budget when it was never sent', () => {
    const { queue } = queueUpTo(1)
    queue.putBack(queue.take(0, 0)!, 0, 10)
    expect(leave(queue, 0, LATEST_MS + 1).ids).toEqual([])
  })

  it('counts from the first time it was put back, not from the last', () => {
    const { queue } = queueUpTo(1)
    queue.putBack(queue.take(0, 0)!, 100, 200)
    queue.putBack(sent(queue.take(200, 200)!), 800_000, 860_000)
    expect(leave(queue, 0, 100 + LATEST_MS).ids).toEqual([])
    expect(leave(queue, 0, 100 + LATEST_MS + 1).ids).toEqual([1])
  })

  it('says when so many waited that no new one could be taken up', () => {
    const { queue } = queueUpTo(2_000)
    for (let n = 0; n < 1_000; n += 1) queue.putBack(sent(queue.take(0, 0)!), n, 2_000)
    const all = leave(queue, 0, LATEST_MS + 10)
    expect([all.ids.length, all.wasFull]).toEqual([10, true])
    expect(leave(queue, 0, LATEST_MS + 10)).toEqual({ ids: [], wasFull: false })
  })
})

describe('a pilot', () => {
  it('ends after so many items, however often one of them is sent, and not while one waits', () => {
    const { queue } = queueUpTo(10, 2)
    queue.putBack(queue.take(0, 0)!, 0, 50)
    expect(idsAt(queue, 0)).toEqual([2])
    expect(queue.isEmpty()).toBe(false)
    expect(idsAt(queue, 50)).toEqual([1])
    expect(queue.isEmpty()).toBe(true)
    expect(queue.isPilotDone()).toBe(true)
  })

  it.each([2, 3, null])('of %s is not what ended it where there are no more than two', (pilot) => {
    const { queue } = queueUpTo(2, pilot)
    idsAt(queue, 0)
    expect(queue.isPilotDone()).toBe(false)
  })
})

it('any use of the queue loses no item, repeats none by itself and holds a bounded number', () => {
  const step = fc.record({ back: fc.boolean(), waitMs: fc.integer({ min: 0, max: 50 }) })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 700 }), fc.array(step, { maxLength: 900 }), (count, steps) => {
      const { queue, given } = queueUpTo(count)
      const out = new Set<number>()
      let taken = 0
      let nowMs = 0
      for (const { back, waitMs } of steps) {
        nowMs += 5
        const turn = queue.take(nowMs, nowMs)
        if (turn === null) continue
        if (turn.waitsSinceMs === null) taken += 1
        expect(given() - taken).toBeLessThan(256)
        expect(out.has(turn.id)).toBe(false)
        out.add(turn.id)
        if (back) {
          out.delete(turn.id)
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
