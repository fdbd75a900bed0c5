import { describe, expect, it } from 'vitest'
import type { PaceSign } from '../../../src/run/pace.js'
import type { SourcesSeen } from '../../../src/service/classify.js'
import { listed, missing, notRead, refused, reset, throttled, unreached } from './sources-samples.js'
import {
  judgeAnswer,
  keptOf,
  mustStopAsking,
  noteHeard,
  noteTry,
  signOfSources,
  startAskBrake,
} from '../../../src/run/ask/ask-customers.js'

const judge = (seen: SourcesSeen, sent = 1, connectionFailures = 0) =>
  judgeAnswer(seen, { sent, connectionFailures, random: 0.5 })

describe('what one try brought', () => {
  it.each<[string, SourcesSeen]>([
    ['a list', listed],
    ['a customer who is not known', missing()],
    ['a refusal', refused],
    ['a list that is too large', notRead({ cause: 'unreadable', canRepeat: false, status: 200 })],
  ])('%s is heard, and holds nobody up', (_name, seen) => {
    expect(judge(seen)).toMatchObject({ next: { kind: 'heard' }, pauseMs: 0, stop: null })
  })

  it('is asked for again after a growing wait, five times in all', () => {
    const waits = [1, 2, 3, 4].map((sent) => judge(notRead(), sent).next)
    expect(waits).toEqual([750, 1_500, 3_000, 6_000].map((afterMs) => ({ kind: 'again', afterMs })))
    expect(judge(notRead(), 5).next).toEqual({ kind: 'heard' })
  })

  it('waits as long as the service asks, and so does everybody', () => {
    expect(judge(throttled(7_000))).toMatchObject({ next: { kind: 'again', afterMs: 7_000 }, pauseMs: 7_000 })
    expect(judge(notRead({ retryAfterMs: 7_000 }))).toMatchObject({ pauseMs: 7_000, stop: null })
    expect(judge(notRead({ retryAfterMs: 100 }))).toMatchObject({ next: { afterMs: 750 }, pauseMs: 100 })
  })

  it('holds everybody back where it speaks of the service', () => {
    expect(judge(throttled())).toMatchObject({ pauseMs: 750 })
    for (const status of [408, 500, 502, 503]) expect(judge(notRead({ status })).pauseMs).toBe(0)
    expect(judge(reset).pauseMs).toBe(0)
  })

  it('uses up no try where nothing left, and waits with the failures of all', () => {
    expect(judge(unreached, 0, 1)).toMatchObject({ next: { kind: 'again', afterMs: 500 }, pauseMs: 500 })
    expect(judge(unreached, 4, 9)).toMatchObject({ next: { kind: 'again', afterMs: 4_000 }, pauseMs: 4_000 })
  })

  it('ends the asking where the service wants to be left alone', () => {
    expect(judge(throttled(900_000)).stop).toBeNull()
    expect(judge(throttled(900_001)).stop).toMatchObject({ kind: 'retry_after' })
  })

  it.each(['credentials', 'certificate', 'redirect', 'request_rejected_locally'] as const)(
    'ends the asking by %s, and says nothing of the customer',
    (halt) => {
      const { next, stop } = judge(notRead({ halt, canRepeat: false }))
      expect(next).toEqual({ kind: 'dropped' })
      expect(stop).toMatchObject({ kind: halt })
      expect(stop?.next).not.toMatch(/doubt|resolve/) // a question leaves nothing in doubt
    },
  )
})

it.each<[string, SourcesSeen, PaceSign]>([
  ['a list', listed, 'clean'],
  ['missing', missing(), 'clean'],
  ['missing by 501', missing(501), 'clean'],
  ['refused', refused, 'clean'],
  ['429', throttled(), 'throttled'],
  ['421', notRead({ status: 421 }), 'throttled'],
  ['503', notRead({ status: 503 }), 'throttled'],
  ['silence', notRead({ cause: 'no_answer', status: null, errorCode: 'DEADLINE' }), 'throttled'],
  ['no connection in time', { ...unreached, errorCode: 'DEADLINE' }, 'unreached'],
  ['nobody there', unreached, 'unreached'],
  ['500', notRead(), 'neutral'],
  ['408', notRead({ status: 408 }), 'neutral'],
  ['a reset', reset, 'neutral'],
  ['no list', notRead({ cause: 'unreadable', status: 200 }), 'neutral'],
])('what it says of the pace: %s', (_name, seen, sign) => {
  expect(signOfSources(seen)).toBe(sign)
})

it('an answer is kept as how many sources there were, or why there is no list', () => {
  const nothing = { errorCode: null, reason: null }
  expect(keptOf(listed)).toEqual({ answer: 'listed', status: 204, sources: 0, ...nothing })
  const reason = 'The service answered 404'
  const none = { answer: 'missing', status: 404, errorCode: null, reason, sources: null }
  expect(keptOf(missing())).toEqual(none)
})

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

  it('is told with each status that it gave, where no answer came in between', () => {
    expect(kinds(missing(), reset, missing(), missing())).toEqual([null, null, null, 'no_read_back'])
    expect(heard(missing(), missing(501), missing())[2]?.why).toMatch(/^The service answered 404 or 501 to /)
  })

  it.each<[string, SourcesSeen[]]>([
    ['the first is a list', [listed, missing(), missing(), missing()]],
    ['the third is a list', [missing(), missing(), listed, missing(), missing()]],
    ['one is refused', [missing(), refused, missing(), missing(), missing()]],
  ])('is not told where %s', (_name, all) => {
    expect(kinds(...all)).toEqual(times(all.length, null))
  })
})

it('customers who cannot be read end the asking when there are ten in a row', () => {
  const stops = heard(listed, ...times(9, notRead()), refused)
  expect(stops.slice(0, 10)).toEqual(times(10, null))
  expect(stops[10]).toMatchObject({
    kind: 'unanswered',
    why: '10 customers in a row could not be read; of the last: The service answered 500',
  })
  expect(kinds(...times(9, notRead()), listed, ...times(9, missing()))).toEqual(times(19, null))
})

describe('a service that cannot be reached', () => {
  /** What stops the asking after a try at each of these seconds. */
  const failingAt = (...seconds: readonly number[]) => {
    let brake = startAskBrake()
    return seconds.map((second) => {
      brake = noteTry(brake, unreached, second * 1_000)
      return mustStopAsking(brake, unreached, second * 1_000)
    })
  }

  it('ends the asking after five failures and thirty seconds, and says that nothing was changed', () => {
    const stop = {
      kind: 'no_connection',
      why: 'The service could not be reached 5 times in a row (ECONNREFUSED)',
      next: 'Check the base URL and the network, then run the same command again; no state was changed',
    }
    expect(failingAt(0, 1, 2, 3, 29.999)).toEqual(times(5, null))
    expect(failingAt(0, 1, 2, 3, 30)).toEqual([...times(4, null), stop])
    expect(failingAt(0, 10, 20, 40, 41)).toEqual([...times(4, null), stop])
  })

  it('is there again with any status, and not with silence', () => {
    const failing = noteTry(startAskBrake(), unreached, 5)
    expect(failing).toMatchObject({ failures: 1, failingSinceMs: 5 })
    for (const seen of [listed, missing(), notRead()])
      expect(noteTry(failing, seen, 9)).toMatchObject({ failures: 0, failingSinceMs: null })
    expect(noteTry(failing, reset, 9)).toBe(failing)
  })
})
