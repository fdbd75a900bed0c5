import { describe, expect, it } from 'vitest'
import type { ReadBackEvidence } from '../../src/domain/proof/match-sources.js'
import { mustStop, noteOutcome, startBrake } from '../../src/run/brake.js'
import { outcomeOfHeldBack, outcomeOfInterruption, outcomeOfUnanswered } from '../../src/migrate/ask.js'
import { isThrottling, signOf } from '../../src/run/pace.js'
import type { NotRead } from '../../src/service/classify.js'
import { notRead as notReadOf } from '../run/ask/sources-samples.js'
import { decide, type AttemptFacts } from '../../src/run/deliver.js'
import type { Outcome } from '../../src/domain/row/row-state.js'

const FACTS: AttemptFacts = {
  isReferenceKnown: false,
  turnedAway: 1,
  ageMs: 0,
  connectionFailures: 1,
  random: 0.5,
}

const heldBack = outcomeOfHeldBack(
  { verdict: 'proven', why: null, sources: [] } satisfies ReadBackEvidence,
  12,
)
const unanswered = (seen: Partial<NotRead>): Outcome => outcomeOfUnanswered(notReadOf(seen), null)

describe('what a look before sending makes of a row', () => {
  it('holds back what the service holds: in doubt, nothing left', () => {
    expect(heldBack).toMatchObject({
      kind: 'in_doubt',
      hint: 'may_exist',
      halt: null,
      evidence: { started: false, status: null, durationMs: 12 },
    })
    expect(decide(heldBack, FACTS)).toMatchObject({ next: { kind: 'settled' }, pauseMs: 0, stop: null })
    expect(signOf(heldBack)).toBe('clean')
  })

  it('stops no run by how much was held back, neither by the budget of doubts nor as a canary', () => {
    const limits = { maxInDoubt: 0, maxRefused: null, stopAtCanaryDoubt: true }
    let brake = noteOutcome(startBrake(), unanswered({ started: false }), 5)
    expect(brake.failures).toBe(1)
    for (let n = 0; n < 500; n += 1) {
      brake = noteOutcome(brake, heldBack, n)
      expect(mustStop(brake, heldBack, limits, n)).toBeNull()
    }
    expect(brake).toMatchObject({ inDoubt: 0, answered: 0, failures: 0 })
  })

  it.each<[string, Partial<NotRead>, Outcome['kind'], boolean]>([
    ['nobody there', { started: false, status: null, errorCode: 'ECONNREFUSED' }, 'not_sent', false],
    ['429', { status: 429, cause: 'not_now', retryAfterMs: 3_000 }, 'turned_away', true],
    ['503', { status: 503, cause: 'not_now' }, 'turned_away', true],
    ['silence', { status: null, cause: 'no_answer', errorCode: 'DEADLINE' }, 'turned_away', true],
    ['500', { status: 500, cause: 'not_now' }, 'turned_away', false],
    ['a reset', { status: null, cause: 'no_answer', errorCode: 'ECONNRESET' }, 'turned_away', false],
    ['404', { status: 404, cause: 'missing' }, 'turned_away', false],
    ['400', { status: 400, cause: 'refused' }, 'turned_away', false],
    ['a list that cannot be read', { status: 200, cause: 'unreadable' }, 'turned_away', false],
  ])('%s: the row was not sent, waits, and is never in doubt', (_, seen, kind, isOfService) => {
    const outcome = unanswered(seen)
    expect(outcome.kind).toBe(kind)
    expect(outcome.reason).toMatch(/^Asked first what the service holds; the row was not sent\. /)
    expect(outcome.evidence.started).toBe(false)
    expect(isThrottling(outcome)).toBe(isOfService)
    const { next, pauseMs, stop } = decide(outcome, FACTS)
    expect([next.kind, stop]).toEqual(['again', null])
    expect(pauseMs > 0).toBe(isOfService || kind === 'not_sent')
    if (seen.retryAfterMs !== undefined) expect(pauseMs).toBeGreaterThanOrEqual(3_000)
  })

  it('stops the run where the same answer to the row would, or where nobody can be asked', () => {
    const stopOf = (outcome: Outcome): string | null =>
      mustStop(noteOutcome(startBrake(), outcome, 0), outcome, { maxInDoubt: 10, maxRefused: null }, 0)
        ?.kind ?? null
    for (const halt of ['credentials', 'certificate', 'redirect'] as const)
      expect(stopOf(unanswered({ status: 401, halt }))).toBe(halt)
    for (const halt of ['no_read_back', 'unanswered'] as const)
      expect(stopOf(outcomeOfUnanswered(notReadOf({ status: 404 }), halt))).toBe(halt)
    expect(decide(unanswered({ retryAfterMs: 20 * 60_000 }), FACTS).stop?.kind).toBe('retry_after')
  })

  it('sends nothing once the run ends', () => {
    const outcome = { kind: 'not_sent', halt: null, evidence: { started: false } }
    expect(outcomeOfInterruption(3)).toMatchObject(outcome)
  })
})
