import { describe, expect, it } from 'vitest'
import { noteCommit, slowCommitMs, watchCommits, type Commit } from '../../src/run/campaign.js'

/** So many commits, each so long, with so much time between them. */
function commitsOf(count: number, tookMs: number | ((n: number) => number), apartMs = 0): readonly Commit[] {
  let latest: readonly Commit[] = []
  let nowMs = 1_000
  for (let n = 0; n < count; n += 1) {
    const took = typeof tookMs === 'number' ? tookMs : tookMs(n)
    nowMs += took
    latest = noteCommit(latest, { endedMs: nowMs, tookMs: took })
    nowMs += apartMs
  }
  return latest
}

describe('slow commits', () => {
  it.each([
    ['19 of them are too few', commitsOf(19, 80), null],
    ['20 are enough', commitsOf(20, 80), 80],
    ['25 ms is slow', commitsOf(20, 25), 25],
    ['24.9 ms is not', commitsOf(20, 24.9), null],
    ['half the time in commits', commitsOf(20, 30, 30), 30],
    ['less than half: the run waits for the service', commitsOf(20, 30, 33), null],
    ['9 slow ones among 20 are not the rule', commitsOf(20, (n) => (n > 10 ? 500 : 1)), null],
    ['11 are', commitsOf(20, (n) => (n > 8 ? 500 : 1)), 500],
    ['what was slow long ago is forgotten', commitsOf(60, (n) => (n < 40 ? 500 : 1)), null],
  ])('%s', (_, commits, expected) => {
    expect(slowCommitMs(commits)).toBe(expected)
  })

  it('keeps no more than it looks at', () => {
    expect(commitsOf(1_000, 1)).toHaveLength(20)
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

  it('says nothing on a disk that is quick', () => {
    const told: string[] = []
    let nowMs = 0
    const watch = watchCommits(
      () => (nowMs += 1),
      (text) => void told.push(text),
    )
    for (let n = 0; n < 100; n += 1) watch.committed(1, 16)
    expect(told).toEqual([])
  })
})
