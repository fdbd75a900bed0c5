import { describe, expect, it } from 'vitest'
import { watchCommits } from '../../src/run/campaign.js'

/** What is said after so many commits, each so long, with so much time between them: the milliseconds, or null. */
function saidOf(count: number, tookMs: number | ((n: number) => number), apartMs = 0): number | null {
  let nowMs = 1_000
  let said = ''
  const watch = watchCommits(
    () => nowMs,
    (text) => (said = text),
  )
  for (let n = 0; n < count; n += 1) {
    const took = typeof tookMs === 'number' ? tookMs : tookMs(n)
    nowMs += took
    watch.committed(took, 1)
    nowMs += apartMs
  }
  const [, ms = null] = /takes (\d+) ms/.exec(said) ?? []
  return ms === null ? null : Number(ms)
}

describe('slow commits', () => {
  it.each<[string, number | null, ...Parameters<typeof saidOf>]>([
    ['19 of them are too few', null, 19, 80],
    ['20 are enough', 80, 20, 80],
    ['25 ms is slow', 25, 20, 25],
    ['24.9 ms is not', null, 20, 24.9],
    ['half the time in commits', 30, 20, 30, 30],
    ['less than half: the run waits for the service', null, 20, 30, 33],
    ['9 slow ones among 20 are not the rule', null, 20, (n) => (n > 10 ? 500 : 1)],
    ['11 are', 500, 20, (n) => (n > 8 ? 500 : 1)],
  ])('%s', (_, expected, ...commits) => {
    expect(saidOf(...commits)).toBe(expected)
  })

  it('is said once, however long it lasts, and everything is counted', () => {
    const told: string[] = []
    let nowMs = 0
    const watch = watchCommits(
      () => nowMs,
      (text) => void told.push(text),
    )
    for (let n = 0; n < 100; n += 1) {
      nowMs += 40
      watch.committed(40, 3)
    }
    expect(told).toEqual([
      'The disk of the ledger takes 40 ms for a commit, and the run is bound by it: nothing is unsafe, it only takes longer. A higher concurrency puts more rows into one commit; a local disk that is not busy or nearly full takes a few milliseconds',
    ])
    expect(watch.counts()).toEqual({ commits: 100, events: 300, milliseconds: 4_000 })
  })
})
