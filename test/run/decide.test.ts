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

describe('a row with an answer', () => {
  it.each<[string, Outcome]>([
    ['registered', registered()],
    ['refused', refused()],
    ['in doubt', inDoubt()],
    ['in doubt after 503', inDoubt({ status: 503 })],
  ])('is settled when it is %s, and the run goes on', (_name, outcome) => {
    expect(decide(outcome, facts())).toEqual({
      outcome,
      next: { kind: 'settled' },
      pauseMs: 0,
      stop: null,
    })
  })

  it('holds back the whole run when it asks to wait', () => {
    for (const outcome of [
      registered({ retryAfterMs: 3_000 }),
      inDoubt({ status: 503, retryAfterMs: 3_000 }),
    ])
      expect(decide(outcome, facts())).toMatchObject({ pauseMs: 3_000, stop: null })
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
      next: { kind: 'settled' },
      pauseMs: 0,
      stop: null,
    })
  })

  it('means nothing for an answer that gave none', () => {
    for (const outcome of [refused(), inDoubt(), turnedAway(), notSent()])
      expect(decide(outcome, facts({ isReferenceKnown: true })).outcome).toBe(outcome)
  })
})

describe('a row that was not sent', () => {
  it('comes again after a jittered wait that holds back the run', () => {
    expect(decide(notSent(), facts())).toMatchObject({
      next: { kind: 'again', afterMs: 500 },
      pauseMs: 500,
      stop: null,
    })
    expect(decide(notSent(), facts({ connectionFailures: 3, random: 0.25, turnedAway: 8 }))).toMatchObject({
      next: { kind: 'again', afterMs: 1_000 },
      pauseMs: 1_000,
    })
  })

  it('is left for a later run after a quarter of an hour, and still holds back the others', () => {
    expect(decide(notSent(), facts({ ageMs: 15 * MINUTE_MS - 1 })).next.kind).toBe('again')
    expect(decide(notSent(), facts({ ageMs: 15 * MINUTE_MS }))).toMatchObject({
      next: { kind: 'later_run' },
      pauseMs: 500,
      stop: null,
    })
  })
})

describe('a row that was turned away', () => {
  it('comes again after a wait that grows with its number, and holds back the run', () => {
    expect(decide(turnedAway(), facts({ turnedAway: 1 }))).toMatchObject({
      next: { kind: 'again', afterMs: 750 },
      pauseMs: 750,
      stop: null,
    })
    expect(decide(turnedAway(), facts({ turnedAway: 4, random: 0 }))).toMatchObject({
      next: { kind: 'again', afterMs: 4_000 },
      pauseMs: 4_000,
    })
  })

  it('waits as long as the service asked', () => {
    expect(decide(turnedAway({ retryAfterMs: 90_000 }), facts())).toMatchObject({
      next: { kind: 'again', afterMs: 90_000 },
      pauseMs: 90_000,
      stop: null,
    })
  })

  it.each<[string, Partial<AttemptFacts>]>([
    ['eight times', { turnedAway: 8 }],
    ['for a quarter of an hour', { ageMs: 15 * MINUTE_MS }],
  ])('%s stops the run, and is left for a later one', (_name, known) => {
    expect(decide(turnedAway(), facts(known))).toMatchObject({
      next: { kind: 'later_run' },
      stop: {
        kind: 'turned_away',
        why: 'The service turned the same row away 8 times or for a quarter of an hour',
        next: 'Ask the service about its limits, send fewer requests at once or a second, then run again',
        ways: ['pace'],
      },
    })
  })
})

describe('a row that is not available yet', () => {
  it('waits alone', () => {
    expect(decide(notAvailableYet(), facts())).toEqual({
      outcome: notAvailableYet(),
      next: { kind: 'again', afterMs: 750 },
      pauseMs: 0,
      stop: null,
    })
  })

  it('holds back the run only for a time that the service named', () => {
    expect(decide(notAvailableYet({ retryAfterMs: 5_000 }), facts())).toMatchObject({
      next: { kind: 'again', afterMs: 5_000 },
      pauseMs: 5_000,
    })
  })

  it('is left for a later run after eight times, without stopping this one', () => {
    expect(decide(notAvailableYet(), facts({ turnedAway: 8 }))).toMatchObject({
      next: { kind: 'later_run' },
      pauseMs: 0,
      stop: null,
    })
  })
})

describe('a wait of more than a quarter of an hour', () => {
  it.each<[string, (retryAfterMs: number) => Outcome]>([
    ['429', (retryAfterMs) => turnedAway({ retryAfterMs })],
    ['503 in doubt', (retryAfterMs) => inDoubt({ status: 503, retryAfterMs })],
    ['200', (retryAfterMs) => registered({ retryAfterMs })],
  ])('stops the run, after %s', (_name, outcome) => {
    expect(decide(outcome(15 * MINUTE_MS), facts()).stop).toBe(null)
    expect(decide(outcome(15 * MINUTE_MS + 1), facts()).stop?.kind).toBe('retry_after')
    expect(decide(outcome(86_400_000), facts()).stop).toEqual({
      kind: 'retry_after',
      why: 'The service asked to wait for 1 day',
      next: 'Run the same command again after that time',
    })
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
