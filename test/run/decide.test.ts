import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inDoubt, notAvailableYet, notSent, refused, registered, turnedAway } from './outcome-samples.js'
import { decide, type AttemptFacts } from '../../src/run/deliver.js'
import type { Outcome } from '../../src/domain/row/row-state.js'

const facts = (known: Partial<AttemptFacts> = {}): AttemptFacts => ({
  isReferenceKnown: false,
  turnedAway: 1,
  ageMs: 0,
  connectionFailures: 1,
  random: 0.5,
  ...known,
})

const MINUTE_MS = 60_000

const again = (afterMs: number, pauseMs = afterMs) => ({
  next: { kind: 'again', afterMs },
  pauseMs,
  stop: null,
})
const later = (pauseMs: number) => ({ next: { kind: 'later_run' }, pauseMs })
const settled = (pauseMs = 0) => ({ next: { kind: 'settled' }, pauseMs, stop: null })
const GIVEN_UP = {
  kind: 'turned_away',
  why: 'The service turned the same row away 8 times or for a quarter of an hour',
  next: 'Ask the service about its limits, send fewer requests at once or a second, then run again (--concurrency N, --rate N)',
}

describe('what becomes of a row', () => {
  it.each<[string, Outcome, Partial<AttemptFacts>, object]>([
    ['registered', registered(), {}, settled()],
    ['refused', refused(), {}, settled()],
    ['in doubt', inDoubt({ status: 503 }), {}, settled()],
    ['registered, with a wait for the run', registered({ retryAfterMs: 3_000 }), {}, settled(3_000)],
    ['in doubt, with a wait', inDoubt({ status: 503, retryAfterMs: 3_000 }), {}, settled(3_000)],
    ['not sent', notSent(), {}, again(500)],
    ['not sent, once more', notSent(), { connectionFailures: 3, random: 0.25, turnedAway: 8 }, again(1_000)],
    ['not sent, for almost a quarter of an hour', notSent(), { ageMs: 15 * MINUTE_MS - 1 }, again(500)],
    ['not sent, for as long', notSent(), { ageMs: 15 * MINUTE_MS }, { ...later(500), stop: null }],
    ['turned away', turnedAway(), {}, again(750)],
    ['turned away four times', turnedAway(), { turnedAway: 4, random: 0 }, again(4_000)],
    ['turned away for a time', turnedAway({ retryAfterMs: 90_000 }), {}, again(90_000)],
    ['turned away eight times', turnedAway(), { turnedAway: 8 }, { ...later(60_000 * 0.75), stop: GIVEN_UP }],
    ['turned away for long', turnedAway(), { ageMs: 15 * MINUTE_MS }, { ...later(750), stop: GIVEN_UP }],
    ['not available yet, which waits alone', notAvailableYet(), {}, again(750, 0)],
    ['not available for a time', notAvailableYet({ retryAfterMs: 5_000 }), {}, again(5_000)],
    ['not available eight times', notAvailableYet(), { turnedAway: 8 }, { ...later(0), stop: null }],
  ])('%s', (_name, outcome, known, expected) => {
    expect(decide(outcome, facts(known))).toEqual({ outcome, ...expected })
  })
})

describe('a reference that another row has', () => {
  it('makes the answer in doubt and stops the run', () => {
    const seen = registered({ status: 201, answer: '{"status":"OK"}' })
    expect(decide(seen, facts({ isReferenceKnown: true }))).toEqual({
      outcome: {
        kind: 'in_doubt',
        hint: 'probably_registered',
        halt: 'reference_repeated',
        reason:
          'The service answered with the mandate reference "NEW-00000001" of "DE79ZZZ01234567890", which it gave to another row before',
        evidence: seen.evidence,
      },
      ...settled(),
    })
  })

  it('means nothing for an answer that gave none', () => {
    for (const outcome of [refused(), inDoubt(), turnedAway(), notSent()])
      expect(decide(outcome, facts({ isReferenceKnown: true })).outcome).toBe(outcome)
  })
})

it.each<[string, (retryAfterMs: number) => Outcome]>([
  ['429', (retryAfterMs) => turnedAway({ retryAfterMs })],
  ['503 in doubt', (retryAfterMs) => inDoubt({ status: 503, retryAfterMs })],
  ['200', (retryAfterMs) => registered({ retryAfterMs })],
])('a wait of more than a quarter of an hour stops the run, after %s', (_name, outcome) => {
  expect(decide(outcome(15 * MINUTE_MS), facts()).stop).toBe(null)
  expect(decide(outcome(15 * MINUTE_MS + 1), facts()).stop?.kind).toBe('retry_after')
  expect(decide(outcome(86_400_000), facts()).stop).toEqual({
    kind: 'retry_after',
    why: 'The service asked to wait for 1 day',
    next: 'Run the same command again after that time',
  })
})

describe('whatever is seen', () => {
  const outcome = fc
    .tuple(
      fc.constantFrom<Outcome>(
        registered(),
        refused(),
        inDoubt(),
        turnedAway(),
        notAvailableYet(),
        notSent(),
      ),
      fc.option(fc.integer({ min: 0, max: 10 ** 7 })),
    )
    .map(([seen, retryAfterMs]): Outcome => ({ ...seen, evidence: { ...seen.evidence, retryAfterMs } }))
  const anyFacts = fc.record({
    isReferenceKnown: fc.boolean(),
    turnedAway: fc.integer({ min: 1, max: 12 }),
    ageMs: fc.integer({ min: 0, max: 30 * MINUTE_MS }),
    connectionFailures: fc.integer({ min: 1, max: 100 }),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  })

  it('only not sent and turned away are tried again, never before the service wants it', () => {
    fc.assert(
      fc.property(outcome, anyFacts, (seen, known) => {
        const decided = decide(seen, known)
        const mayRepeat = seen.kind === 'not_sent' || seen.kind === 'turned_away'
        expect(decided.next.kind === 'settled').toBe(!mayRepeat)
        expect(decided.outcome.evidence).toEqual(seen.evidence)
        if (decided.next.kind === 'again' && seen.kind === 'turned_away')
          expect(decided.next.afterMs).toBeGreaterThanOrEqual(seen.evidence.retryAfterMs ?? 500)
        expect(decided.pauseMs).toBeGreaterThanOrEqual(
          seen.kind === 'not_sent' ? 0 : (seen.evidence.retryAfterMs ?? 0),
        )
        expect(Number.isFinite(decided.pauseMs)).toBe(true)
      }),
      { seed: 20260408, numRuns: 500 },
    )
  })
})
