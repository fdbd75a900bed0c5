import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import type { Scope } from '../../src/ledger/schema/schema.js'
import { migrate } from '../../src/migrate/migrate.js'
import {
  readBack,
  type ReadBackEvent,
  outcomeOfHeldBack,
  outcomeOfInterruption,
  outcomeOfUnanswered,
} from '../../src/migrate/ask.js'
import { placeWith } from './place.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import type { ReadBackEvidence } from '../../src/domain/proof/match-sources.js'
import { mustStop, noteOutcome, startBrake } from '../../src/run/brake.js'
import { isThrottling, signOf } from '../../src/run/pace.js'
import type { NotRead } from '../../src/service/classify.js'
import { notRead as notReadOf } from '../run/ask/sources-samples.js'
import { decide, type AttemptFacts } from '../../src/run/deliver.js'
import type { Outcome } from '../../src/domain/row/row-state.js'

const ROWS = 30

/** A campaign of thirty rows that was sent to a sandbox. What an asking proves: test/e2e/verify.test.ts. */
async function campaign(options: SandboxOptions = {}) {
  const { place, asked } = await placeWith(ROWS, options)
  const { service: given, ledger, machine } = asked()
  const service = { ...given, timeoutMs: 2_000 }
  await migrate(asked({ service, maxInDoubt: ROWS }))
  const events: ReadBackEvent[] = []
  const read = (scope: Scope, change: Partial<Parameters<typeof readBack>[0]> = {}) =>
    readBack({
      service,
      ledger,
      scope,
      sample: null,
      signal: new AbortController().signal,
      giveUp: new AbortController().signal,
      watch: (event) => events.push(event),
      machine,
      ...change,
    })
  return { read, look: place.look, events, ledger, service }
}

describe('readBack', () => {
  it('stops at a service that has no read-back, and goes on later', async () => {
    const { read, look, events } = await campaign({ readBack: 'off' })
    const end = await read('registered')
    expect(end.stop?.kind).toBe('no_read_back')
    expect(events.filter(({ kind }) => kind === 'stop')).toHaveLength(1)
    expect(look((reader) => reader.readBacks())).toMatchObject([{ endedAt: null, stoppedBy: 'no_read_back' }])
    expect(await read('registered')).toMatchObject({ isContinued: true, customers: ROWS })
  })

  it('records nothing once it was told to stop, and goes on with whom it did not ask', async () => {
    const { read, look } = await campaign()
    const controller = new AbortController()
    let answers = 0
    const end = await read('registered', {
      signal: controller.signal,
      watch: ({ kind }) => {
        if (kind === 'answer' && (answers += 1) === 5) controller.abort()
      },
    })
    expect(end.stop?.kind).toBe('signal')
    expect(end.asked).toBe(answers)
    expect(end.asked).toBeLessThan(ROWS)
    const rest = await read('registered')
    expect(rest).toMatchObject({ isContinued: true, id: end.id, asked: ROWS - end.asked, stop: null })
    expect(look((reader) => reader.readBacks())).toMatchObject([{ questions: ROWS, stoppedBy: null }])
  })

  it('refuses wrong credentials, another service and a ledger that was sent nowhere', async () => {
    const { read, service, ledger, look } = await campaign()
    const { stop } = await read('registered', { service: { ...service, password: 'wrong' } })
    expect(stop?.kind).toBe('credentials')
    const other = { ...service, baseUrl: 'http://127.0.0.1:9/other' }
    await expect(read('registered', { service: other })).rejects.toMatchObject({ kind: 'ledger' })
    await expect(read('registered', { ledger: `${ledger}.none` })).rejects.toThrow(UsageError)
    expect(look((reader) => reader.proofCounts())).toEqual([])
  })
})

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
