import { describe, expect, it } from 'vitest'
import { judgeAnswer, keptOf, signOfSources } from '../../../src/run/ask/judge-answer.js'
import type { PaceSign } from '../../../src/run/pace/ramp.js'
import type { SourcesSeen } from '../../../src/service/read-back/classify-sources.js'
import { listed, missing, notRead, refused, reset, throttled, unreached } from './sources-samples.js'

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
      expect(stop?.ways).toBeUndefined()
    },
  )
})

describe('what it says of the pace', () => {
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
  ])('%s', (_name, seen, sign) => {
    expect(signOfSources(seen)).toBe(sign)
  })
})

describe('an answer as it is kept', () => {
  it('is how many sources there were, or why there is no list', () => {
    const nothing = { errorCode: null, reason: null }
    expect(keptOf(listed)).toEqual({ answer: 'listed', status: 204, sources: 0, ...nothing })
    expect(keptOf(missing())).toEqual({
      answer: 'missing',
      status: 404,
      errorCode: null,
      reason: 'The service answered 404',
      sources: null,
    })
  })
})
