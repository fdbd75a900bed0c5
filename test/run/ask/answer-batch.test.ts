import { describe, expect, it } from 'vitest'
import { startVirtualTime } from '../virtual-time.js'
import { answerOf } from './sources-samples.js'
import { type CustomerAnswer, createAnswerBatch } from '../../../src/run/ask/ask-customers.js'

function gathering() {
  const time = startVirtualTime()
  const batches: { atMs: number; customers: number[] }[] = []
  const timers = new Set<() => void>()
  const batch = createAnswerBatch<CustomerAnswer>(
    (answers) =>
      batches.push({
        atMs: time.clock.monotonic(),
        customers: answers.map(({ customerNo }) => customerNo),
      }),
    (delayMs, wake) => {
      const cancel = time.after(delayMs, () => {
        timers.delete(cancel)
        wake()
      })
      timers.add(cancel)
      return () => {
        timers.delete(cancel)
        cancel()
      }
    },
  )
  return { time, batch, batches, timers: () => timers.size }
}

describe('what was heard', () => {
  it('is recorded a hundred at a time', () => {
    const { batch, batches, timers } = gathering()
    for (let n = 1; n <= 230; n += 1) batch.add(answerOf(n))
    expect(batches.map(({ customers }) => customers.length)).toEqual([100, 100])
    expect(timers()).toBe(1)
    batch.flush()
    expect(batches.flatMap(({ customers }) => customers)).toEqual(
      Array.from({ length: 230 }, (_, n) => n + 1),
    )
    expect(timers()).toBe(0)
  })
})
