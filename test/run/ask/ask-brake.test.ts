import { describe, expect, it } from 'vitest'
import { mustStopAsking, noteHeard, noteTry, startAskBrake } from '../../../src/run/ask/ask-brake.js'
import type { SourcesSeen } from '../../../src/service/read-back/classify-sources.js'
import { listed, missing, notRead, refused, reset, unreached } from './sources-samples.js'

/** The stop after each customer who was heard. */
function heard(...all: readonly SourcesSeen[]) {
  let brake = startAskBrake()
  return all.map((seen) => {
    brake = noteHeard(noteTry(brake, seen, 0), seen)
    return mustStopAsking(brake, seen, 0)
  })
}

const kinds = (...all: readonly SourcesSeen[]) => heard(...all).map((stop) => stop?.kind ?? null)
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)

describe('a service without a read-back', () => {
  it('is told by the first three answers', () => {
    const stops = heard(...times(3, missing()))
    expect(stops.slice(0, 2)).toEqual([null, null])
    expect(stops[2]).toEqual({
      kind: 'no_read_back',
      why: 'The service answered 404 to the first 3 questions: it has no read-back, or knows none of these customers',
      next: 'Ask the service, or try another address; no state was changed',
    })
  })

  it('is told with each status that it gave', () => {
    expect(heard(missing(), missing(501), missing())[2]?.why).toMatch(/^The service answered 404 or 501 to /)
  })

  it('is told where no answer came in between', () => {
    expect(kinds(missing(), reset, missing(), missing())).toEqual([null, null, null, 'no_read_back'])
  })

  it.each<[string, SourcesSeen[]]>([
    ['the first is a list', [listed, missing(), missing(), missing()]],
    ['the third is a list', [missing(), missing(), listed, missing(), missing()]],
    ['one is refused', [missing(), refused, missing(), missing(), missing()]],
  ])('is not told where %s', (_name, all) => {
    expect(kinds(...all)).toEqual(times(all.length, null))
  })
})

describe('customers who cannot be read', () => {
  it('end the asking when there are ten in a row', () => {
    const stops = heard(listed, ...times(9, notRead()), refused)
    expect(stops.slice(0, 10)).toEqual(times(10, null))
    expect(stops[10]).toMatchObject({
      kind: 'unanswered',
      why: '10 customers in a row could not be read; of the last: The service answered 500',
    })
  })

  it('do not when one is read in between', () => {
    expect(kinds(...times(9, notRead()), listed, ...times(9, missing()))).toEqual(times(19, null))
  })
})

describe('a service that cannot be reached', () => {
  /** Whether the asking stops after a try at each of these seconds. */
  const failingAt = (...seconds: readonly number[]) => {
    let brake = startAskBrake()
    return seconds.map((second) => {
      brake = noteTry(brake, unreached, second * 1_000)
      return mustStopAsking(brake, unreached, second * 1_000)?.kind ?? null
    })
  }

  it('ends the asking after five failures and thirty seconds', () => {
    expect(failingAt(0, 1, 2, 3, 29.999, 30)).toEqual([null, null, null, null, null, 'no_connection'])
    expect(failingAt(0, 10, 20, 40, 41)).toEqual([null, null, null, null, 'no_connection'])
  })

  it('says that nothing was changed', () => {
    const brake = times(5, 0).reduce((now, _, n) => noteTry(now, unreached, n * 10_000), startAskBrake())
    expect(mustStopAsking(brake, unreached, 40_000)).toEqual({
      kind: 'no_connection',
      why: 'The service could not be reached 5 times in a row (ECONNREFUSED)',
      next: 'Check the base URL and the network, then run the same command again; no state was changed',
    })
  })

  it('is there again with any status, and not with silence', () => {
    const failing = noteTry(startAskBrake(), unreached, 5)
    expect(failing).toMatchObject({ failures: 1, failingSinceMs: 5 })
    for (const seen of [listed, missing(), notRead()])
      expect(noteTry(failing, seen, 9)).toMatchObject({ failures: 0, failingSinceMs: null })
    expect(noteTry(failing, reset, 9)).toBe(failing)
  })
})
