import { describe, expect, it } from 'vitest'
import { createQuestionQueue, type Question } from '../../../src/run/ask/question-queue.js'

/** A queue over customers 1 to `count`, and how many of them were read. */
function queueOf(count: number) {
  const limits: number[] = []
  let given = 0
  const queue = createQuestionQueue((limit) => {
    limits.push(limit)
    const page = Array.from({ length: Math.min(limit, count - given) }, (_, n) => given + n + 1)
    given += page.length
    return page
  })
  return { queue, limits, given: () => given }
}

const asked = (question: Question | null, sent = 1): Question => ({ ...question!, tries: 1, sent })

describe('new customers', () => {
  it('come in order, a page at a time, and end once', () => {
    const { queue, limits } = queueOf(300)
    const taken: number[] = []
    while (!queue.isEmpty()) taken.push(queue.take(0, 0)!.customerNo)
    expect(taken).toEqual(Array.from({ length: 300 }, (_, n) => n + 1))
    expect(queue.take(0, 0)).toBeNull()
    expect(limits).toEqual([256, 256, 256])
  })

  it('are not read ahead of need', () => {
    const { queue, given } = queueOf(10_000)
    for (let n = 0; n < 256; n += 1) queue.take(0, 0)
    expect(given()).toBe(256)
  })

  it('are not taken up while a thousand wait', () => {
    const { queue } = queueOf(2_000)
    for (let n = 0; n < 1_000; n += 1) queue.putBack(asked(queue.take(0, 0)), 0, 500)
    expect(queue.take(0, 0)).toBeNull()
    expect(queue.isEmpty()).toBe(false)
    expect(queue.take(500, 500)).toMatchObject({ customerNo: 1, tries: 1 })
    expect(queue.take(0, 0)).toMatchObject({ customerNo: 1_001, tries: 0 })
  })
})

describe('a question that waits', () => {
  it('goes ahead of new customers when it is due, and not before', () => {
    const { queue } = queueOf(5)
    queue.putBack(asked(queue.take(0, 0)), 0, 100)
    expect(queue.take(99, 0)?.customerNo).toBe(2)
    expect(queue.take(100, 0)?.customerNo).toBe(1)
  })

  it('waits for the retry budget too, unless it never left', () => {
    const { queue } = queueOf(2)
    queue.putBack(asked(queue.take(0, 0)), 0, 100)
    queue.putBack(asked(queue.take(0, 0), 0), 0, 100)
    expect(queue.nextDueMs(500)).toBe(100)
    expect(queue.take(100, 500)?.customerNo).toBe(2)
    expect(queue.nextDueMs(500)).toBe(500)
    expect(queue.take(499, 500)).toBeNull()
    expect(queue.take(500, 500)?.customerNo).toBe(1)
    expect(queue.nextDueMs(500)).toBeNull()
    expect(queue.isEmpty()).toBe(true)
  })

  it.each<[string, number, number, number]>([
    ['its own wait', 901_001, 0, 0],
    ['a pause', 0, 901_001, 0],
    ['the retry budget', 0, 0, 901_001],
  ])(
    'is given up when %s lasts longer than a quarter of an hour',
    (_name, dueMs, anyFromMs, repeatFromMs) => {
      const { queue } = queueOf(1)
      const question = asked(queue.take(0, 0))
      queue.putBack(question, 0, Math.min(dueMs, 901_000))
      expect(queue.giveUp(Math.min(anyFromMs, 901_000), Math.min(repeatFromMs, 901_000))).toBeNull()
      queue.putBack(asked(queue.take(1e9, 0)), 0, dueMs)
      expect(queue.giveUp(anyFromMs, repeatFromMs)).toMatchObject({ customerNo: 1 })
      expect(queue.isEmpty()).toBe(true)
    },
  )

  it('counts the quarter of an hour from its first wait', () => {
    const { queue } = queueOf(1)
    queue.putBack(asked(queue.take(0, 0)), 0, 100)
    queue.putBack(asked(queue.take(100, 0)), 800_000, 901_001)
    expect(queue.giveUp(0, 0)).toMatchObject({ waitsSinceMs: 0 })
  })
})
