import { describe, expect, it } from 'vitest'
import { startVirtualTime } from '../virtual-time.js'
import { answerOf } from './sources-samples.js'
import { type CustomerAnswer, createAnswerBatch } from '../../../src/run/ask/ask-customers.js'

function gathering() {
  const time = startVirtualTime()
  const batches: { atMs: number; customers: number[] }[] = []
  let timers = 0
  const batch = createAnswerBatch<CustomerAnswer>(
    (answers) =>
      batches.push({
        atMs: time.clock.monotonic(),
        customers: answers.map(({ customerNo }) => customerNo),
      }),
    (delayMs, wake) => {
      timers += 1
      const cancel = time.after(delayMs, () => {
        timers -= 1
        wake()
      })
      return () => {
        timers -= 1
        cancel()
      }
    },
  )
  return { time, batch, batches, timers: () => timers }
}

describe('what was heard', () => {
  it('is recorded a moment after there is enough of it, a hundred at a time', async () => {
    const { time, batch, batches, timers } = gathering()
    for (let n = 1; n <= 130; n += 1) batch.add(answerOf(n))
    expect(batches).toEqual([])
    expect(timers()).toBe(1)
    await time.runUntil(time.sleep(10))
    expect(batches.map(({ atMs, customers }) => [atMs, customers.length])).toEqual([
      [4, 100],
      [4, 30],
    ])
    expect(batches.flatMap(({ customers }) => customers)).toEqual(
      Array.from({ length: 130 }, (_, n) => n + 1),
    )
    expect(timers()).toBe(0)
  })

  it('does not grow where no moment comes', () => {
    const { batch, batches, timers } = gathering()
    for (let n = 1; n <= 2_500; n += 1) batch.add(answerOf(n))
    expect(batches).toHaveLength(20)
    expect(timers()).toBe(1)
    batch.flush()
    expect(batches.flatMap(({ customers }) => customers)).toHaveLength(2_500)
  })
})
