import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../../src/driver.js'
import type { Attempt } from '../../src/ledger/ledger.js'
import { type AttemptFacts, decide, type DeliveryEvent, type DeliveryPolicy } from '../../src/run/deliver.js'
import {
  allRegistered,
  type DeliveryWorld,
  openDeliveryWorld,
  registeredAs,
  registeredNo,
  type Request,
  type Script,
} from './delivery-world.js'
import { inDoubt, notAvailableYet, notSent, refused, registered, turnedAway } from './outcome-samples.js'
import type { Outcome } from '../../src/domain/row/row-state.js'

const rowsOf = (requests: readonly Request[]): number[] => requests.map(({ row }) => row)

/** A second connection that sees only what was committed. */
function beside(world: DeliveryWorld): Database {
  const connection = openDatabase(world.file, { timeout: 0 })
  onTestFinished(() => void connection.close())
  return connection
}

const countOf = (connection: Database, sql: string): number =>
  connection.prepare<[], number>(sql).pluck().get() ?? 0

it('a run without faults tells the intent before the request leaves, and the outcome before it is committed', async () => {
  const world = openDeliveryWorld(1)
  const told: string[] = []
  await world.deliver(
    (request) => {
      told.push('request')
      return { outcome: registeredAs(request) }
    },
    { watch: ({ kind }) => told.push(`${kind}, ${world.totals().registered} registered`) },
  )
  expect(told).toEqual(['intent, 0 registered', 'request', 'outcome, 0 registered'])
  expect(world.totals().registered).toBe(1)
})

describe('concurrency', () => {
  it('starts with one row alone, then doubles', async () => {
    const world = openDeliveryWorld(15)
    await world.deliver(allRegistered, { policy: { concurrency: 20 } })
    const rounds = new Map<number, number>()
    for (const { atMs } of world.requests) rounds.set(atMs, (rounds.get(atMs) ?? 0) + 1)
    expect([...rounds.values()]).toEqual([1, 2, 4, 8])
  })

  it('never has more rows under way than the maximum, and never more on disk', async () => {
    const world = openDeliveryWorld(120)
    const connection = beside(world)
    const seen: number[] = []
    await world.deliver(
      (request) => {
        seen.push(countOf(connection, `select count(*) from row where state = 'sending'`))
        return { outcome: registeredAs(request), tookMs: 50 + ((request.ordinal * 37) % 100) }
      },
      { policy: { concurrency: 5 } },
    )
    expect(Math.max(...world.requests.map(({ underWay }) => underWay))).toBe(5)
    expect(Math.max(...seen)).toBe(5)
  })
})

describe('the dangerous moment', () => {
  it('has its intent on disk before a request leaves; every ready row is sent once, in order', async () => {
    const world = openDeliveryWorld(40)
    const connection = beside(world)
    const intent = connection.prepare<[number, string], number>(
      `select count(*) from row join attempt on row_id = row.id and n = row.attempts
        where row.id = ? and state = 'sending' and request_id = ? and outcome is null`,
    )
    const stop = await world.deliver((request) => {
      expect(intent.pluck().get(request.row, request.attempt.requestId)).toBe(1)
      return { outcome: registeredAs(request) }
    })
    expect(stop).toBe(null)
    expect(rowsOf(world.requests)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
    expect(world.totals()).toMatchObject({ read: 40, registered: 40, ready: 0, sending: 0 })
  })

  it('commits all answers of one moment and all intents that follow them together', async () => {
    const world = openDeliveryWorld(4 * 9)
    const before = world.time.deferred()
    await world.deliver(allRegistered, { policy: { concurrency: 4 } })
    // Rounds of 1, 2, 4, 4, 4, 4, 4, 4, 4, 4 and 1; the last outcome comes alone.
    expect(world.time.deferred() - before).toBe(12)
    expect(world.totals().registered).toBe(36)
  })
})

it('reads a page of 256 rows, and throws what the ledger throws then, after what is under way has ended', async () => {
  const world = openDeliveryWorld(300)
  const unreadable = new Error('Cannot read the ledger')
  const ready = (after: number, limit: number) => {
    if (after > 0) throw unreadable
    return world.ledger.ready(after, limit)
  }
  await expect(world.deliver(allRegistered, { ledger: { ...world.ledger, ready } })).rejects.toBe(unreadable)
  expect(world.totals()).toMatchObject({ registered: 256, sending: 0, ready: 44 })
})

it('--rate spaces the requests, and goes on while a row waits for much longer', async () => {
  const world = openDeliveryWorld(20)
  const patient: Script = (request) => ({
    outcome: request.row === 1 && request.seen < 5 ? notAvailableYet() : registeredAs(request),
  })
  await world.deliver(patient, { policy: { rate: 4 } })
  const atMs = world.requests.map((request) => request.atMs)
  for (const [n, ms] of atMs.entries()) if (n > 0) expect(ms - atMs[n - 1]!).toBeGreaterThanOrEqual(250)
  expect(world.requests.find(({ row }) => row === 20)?.atMs).toBeLessThanOrEqual(23 * 250)
  expect(world.totals().registered).toBe(20)
})

describe('a signal, or the end of its time', () => {
  it.each<[string, number, Partial<DeliveryPolicy>]>([
    ['signal', 620, {}],
    ['max_duration', 1_250, { maxDurationMs: 1_250 }],
  ])('%s sends nothing further and lets what is under way finish', async (kind, endsMs, policy) => {
    const world = openDeliveryWorld(500)
    if (kind === 'signal') world.time.after(endsMs, () => world.drain.abort())
    expect((await world.deliver(allRegistered, { policy }))?.kind).toBe(kind)
    expect(Math.max(...world.requests.map(({ atMs }) => atMs))).toBeLessThan(endsMs)
    expect(world.totals()).toMatchObject({ registered: world.requests.length, sending: 0, inDoubt: 0 })
    expect(world.totals().ready).toBeGreaterThan(0)
  })

  it.each<[string, number, Partial<DeliveryPolicy>]>([
    ['signal', 5_000, {}],
    ['max_duration', 20_000, { maxDurationMs: 20_000 }],
  ])('%s ends a pause at once', async (kind, endsMs, policy) => {
    const world = openDeliveryWorld(3)
    if (kind === 'signal') world.time.after(endsMs, () => world.drain.abort())
    const outcome = turnedAway({ retryAfterMs: 600_000 })
    expect((await world.deliver(() => ({ outcome }), { policy }))?.kind).toBe(kind)
    expect(world.time.clock.monotonic()).toBe(endsMs)
    expect(world.totals().ready).toBe(3)
  })

  it('abort reaches every request, and rows that had started are in doubt', async () => {
    const world = openDeliveryWorld(30)
    const given: AbortSignal[] = []
    const send = (_mandate: unknown, _attempt: Attempt, signal: AbortSignal): Promise<Outcome> => {
      given.push(signal)
      if (given.length <= 7) return Promise.resolve(registeredNo(given.length))
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve(inDoubt({ errorCode: 'ABORTED' }))),
      )
    }
    world.time.after(1_000, () => {
      world.drain.abort()
      world.abort.abort()
    })
    const stop = await world.deliver(allRegistered, { send })
    expect(stop?.kind).toBe('signal')
    expect(new Set(given)).toEqual(new Set([world.abort.signal]))
    expect(world.totals()).toMatchObject({ registered: 7, inDoubt: 8, ready: 15, sending: 0 })
  })
})

it('Retry-After holds back every row, tells so, and is not shortened by a later, shorter one', async () => {
  const world = openDeliveryWorld(20)
  const waits: Readonly<Record<number, number>> = { 4: 30_000, 5: 2_000 }
  const stop = await world.deliver((request) => {
    const retryAfterMs = waits[request.ordinal]
    return {
      outcome: retryAfterMs === undefined ? registeredAs(request) : turnedAway({ retryAfterMs }),
      tookMs: request.ordinal === 5 ? 150 : 100,
    }
  })
  expect(stop).toBe(null)
  const answeredMs = world.requests[3]!.atMs + 100
  const later = world.requests.filter(({ atMs }) => atMs > answeredMs)
  expect(Math.min(...later.map(({ atMs }) => atMs))).toBe(answeredMs + 30_000)
  expect(world.events.filter(({ kind }) => kind === 'pause')).toMatchObject([{ delayMs: 30_000 }])
  expect(world.totals().registered).toBe(20)
})

describe('rows that come again', () => {
  it('and are not available yet do not hold back the others', async () => {
    const world = openDeliveryWorld(30)
    const stop = await world.deliver((request) => ({
      outcome: request.row === 3 ? notAvailableYet() : registeredAs(request),
    }))
    expect(stop).toBe(null)
    expect(world.requests.filter(({ row }) => row === 3)).toHaveLength(8)
    const others = world.requests.filter(({ row }) => row !== 3)
    expect(others.at(-1)?.atMs).toBeLessThan(1_000)
    expect(world.totals()).toMatchObject({ registered: 29, ready: 1 })
  })

  it('share a budget: ten, a tenth of the requests, and one in twelve seconds', async () => {
    const world = openDeliveryWorld(200)
    const stop = await world.deliver((request) => ({
      outcome: request.seen === 1 ? notAvailableYet() : registeredAs(request),
    }))
    // The budget lets about a hundred repeats leave in a quarter of an hour; the others are not held on to.
    expect(stop?.kind).toBe('waited')
    const repeats = world.requests.filter(({ seen, atMs }) => seen > 1 && atMs < 120_000)
    expect(repeats.length).toBeLessThanOrEqual(40)
    expect(world.totals().registered).toBeGreaterThan(100)
    expect(world.totals().registered + world.totals().ready).toBe(200)
  })

  const QUARTER_MS = 15 * 60_000

  it('and are never available end a run when no new row could be taken up any more', async () => {
    const world = openDeliveryWorld(2_500)
    const stop = await world.deliver(() => ({ outcome: notAvailableYet() }))
    expect(stop?.kind).toBe('waited')
    expect(stop?.why).toContain('away for a quarter of an hour')
    expect(world.time.clock.monotonic()).toBeLessThan(QUARTER_MS + 60_000)
    expect(world.totals()).toMatchObject({ ready: 2_500, inDoubt: 0 })
  })

  it('are not held by the pause of another row either', async () => {
    const world = openDeliveryWorld(20)
    const stop = await world.deliver((request) => {
      if (request.row === 3) return { outcome: notAvailableYet() }
      const isThrottled = request.row === 10 && request.seen <= 3
      return {
        outcome: isThrottled ? turnedAway({ retryAfterMs: 5 * 60_000 + 2_000 }) : registeredAs(request),
      }
    })
    // The third pause would last beyond the quarter of an hour, and nobody waits for its end.
    const last = world.requests.at(-1)?.atMs ?? 0
    expect(last).toBeLessThan(QUARTER_MS)
    expect(world.time.clock.monotonic()).toBeLessThan(last + 1_000)
    expect(stop?.kind).toBe('waited')
    expect(world.totals()).toMatchObject({ inDoubt: 0, registered: 18, ready: 2 })
  })

  it('1 were not sent while connections were refused for 20 s, and all end registered', async () => {
    const world = openDeliveryWorld(40)
    const stop = await world.deliver((request) =>
      request.atMs > 300 && request.atMs < 20_300
        ? { outcome: notSent(), tookMs: 1 }
        : { outcome: registeredAs(request) },
    )
    expect(stop).toBe(null)
    expect(world.totals()).toMatchObject({ registered: 40, inDoubt: 0 })
    const during = world.requests.filter(({ atMs }) => atMs > 300 && atMs < 20_300)
    expect(during.length).toBeLessThan(25)
  })

  it('2 cannot be sent at all, and the brake leaves them ready', async () => {
    const world = openDeliveryWorld(40)
    const stop = await world.deliver(() => ({ outcome: notSent({ errorCode: 'ENOTFOUND' }), tookMs: 1 }))
    expect(stop?.kind).toBe('no_connection')
    expect(world.totals()).toMatchObject({ ready: 40, inDoubt: 0, registered: 0 })
    expect(world.time.clock.monotonic()).toBeGreaterThanOrEqual(5_000)
    expect(world.time.clock.monotonic()).toBeLessThan(20_000)
  })
})

describe('the brake', () => {
  it('stops taking rows up and lets what is under way finish', async () => {
    const world = openDeliveryWorld(100)
    const stop = await world.deliver(
      (request) => ({ outcome: request.ordinal > 15 ? inDoubt({ status: 500 }) : registeredAs(request) }),
      { policy: { maxInDoubt: 3 } },
    )
    expect(stop?.kind).toBe('max_in_doubt')
    const { inDoubt: doubts, registered: done, sending } = world.totals()
    expect(sending).toBe(0)
    expect(done).toBe(15)
    // The fourth doubt stops the run; the other seven of that round were under way.
    expect(doubts).toBeLessThanOrEqual(4 + 7)
    expect(world.events.filter(({ kind }) => kind === 'stop')).toHaveLength(1)
  })

  it('28 credentials refused at the canary stop the run with every row ready', async () => {
    const world = openDeliveryWorld(10)
    const stop = await world.deliver(() => ({ outcome: turnedAway({ status: 401, halt: 'credentials' }) }))
    expect(stop?.kind).toBe('credentials')
    expect(world.requests).toHaveLength(1)
    expect(world.totals()).toMatchObject({ ready: 10 })
    // 10.3.5: nobody is told of a wait that is not waited for
    expect(world.events.map(({ kind }) => kind)).toEqual(['intent', 'outcome', 'stop'])
  })

  it('28 credentials refused later count before the stop that came first', async () => {
    const world = openDeliveryWorld(30)
    const stop = await world.deliver(
      (request) =>
        request.ordinal === 8
          ? { outcome: inDoubt(), tookMs: 50 }
          : request.ordinal > 8
            ? { outcome: turnedAway({ status: 401, halt: 'credentials' }), tookMs: 100 }
            : { outcome: registeredAs(request) },
      { policy: { maxInDoubt: 0 } },
    )
    expect(stop?.kind).toBe('credentials')
  })

  it.each<[string, number, (ordinal: number) => number, number, number]>([
    ['later on', 50, (ordinal) => (ordinal === 10 ? 2 : ordinal), 10, 16],
    ['in answers of one moment', 3, (ordinal) => (ordinal === 1 ? 1 : 2), 3, 2],
  ])('19 a reference given to two rows %s: the second is in doubt, and the run stops', async (...of) => {
    const [, rows, referenceOf, doubted, registeredRows] = of
    const world = openDeliveryWorld(rows)
    const stop = await world.deliver(({ ordinal }) => ({ outcome: registeredNo(referenceOf(ordinal)) }))
    expect(stop?.kind).toBe('reference_repeated')
    expect(world.totals()).toMatchObject({ inDoubt: 1, sending: 0, registered: registeredRows })
    const isDoubt = (event: DeliveryEvent) => event.kind === 'outcome' && event.outcome.kind === 'in_doubt'
    expect(world.events.find(isDoubt)).toMatchObject({ row: { id: doubted } })
  })
})

describe('a ledger that cannot be written', () => {
  /** From then on every transaction that touches an attempt is refused, as on a full disk. */
  const breakLedger = (world: DeliveryWorld, event: 'insert' | 'update', after: number): void =>
    void beside(world).exec(
      `create trigger full before ${event} on attempt when
         (select count(*) from attempt${event === 'update' ? ' where outcome is not null' : ''}) >= ${after}
       begin select raise(abort, 'disk full'); end`,
    )

  it('40 at an intent: nothing of that commit leaves, and the error is thrown', async () => {
    const world = openDeliveryWorld(50)
    breakLedger(world, 'insert', 9)
    await expect(world.deliver(allRegistered)).rejects.toThrow('disk full')
    expect(world.requests.length).toBeLessThanOrEqual(9)
    const connection = beside(world)
    expect(countOf(connection, 'select count(*) from attempt')).toBe(world.requests.length)
  })

  it('41 at an outcome: nothing further leaves, and the rows are in doubt at the next start', async () => {
    const world = openDeliveryWorld(50)
    breakLedger(world, 'update', 5)
    await expect(world.deliver(allRegistered)).rejects.toThrow('disk full')
    const left = world.requests.length
    const connection = beside(world)
    const settled = countOf(connection, 'select count(*) from attempt where outcome is not null')
    expect(settled).toBeLessThanOrEqual(5)
    connection.exec('drop trigger full')
    const ledger = world.reopen()
    expect(ledger.recovered).toBe(left - settled)
    expect(ledger.totals()).toMatchObject({ inDoubt: left - settled, registered: settled, ready: 50 - left })
  })

  it('41 with nothing else under way: the run ends at once, not when a pause is over', async () => {
    const world = openDeliveryWorld(5)
    breakLedger(world, 'update', 0)
    const outcome = turnedAway({ retryAfterMs: 600_000 })
    await expect(world.deliver(() => ({ outcome }))).rejects.toThrow('disk full')
    expect(world.time.clock.monotonic()).toBe(100)
    expect(world.requests).toHaveLength(1)
  })
})

it('a sender that breaks its promise stops the run, and the row is in doubt at the next start', async () => {
  const world = openDeliveryWorld(10)
  const broken = new Error('A send must not reject')
  const send = (): Promise<Outcome> => Promise.reject(broken)
  await expect(world.deliver(allRegistered, { send })).rejects.toBe(broken)
  expect(world.reopen().recovered).toBe(1)
  expect(world.totals()).toMatchObject({ inDoubt: 1, ready: 9 })
})

describe('a watcher that throws', () => {
  it.each(['intent', 'outcome', 'pause', 'stop'] as const)(
    'at an event of kind %s: the run ends, and every answer under way is settled',
    async (kind) => {
      const world = openDeliveryWorld(40)
      const broken = new Error('A watcher fell over')
      const script: Script = (request) =>
        kind === 'pause' && request.ordinal === 20
          ? { outcome: turnedAway({ status: 429, retryAfterMs: 1_000 }) }
          : { outcome: registeredAs(request) }
      const policy = kind === 'stop' ? { maxDurationMs: 300 } : {}
      const watch = (event: DeliveryEvent): void => {
        if (event.kind === kind && world.requests.length >= 5) throw broken
      }
      await expect(world.deliver(script, { watch, policy })).rejects.toBe(broken)
      const sent = world.requests.length
      expect(sent).toBeGreaterThanOrEqual(5)
      expect(sent).toBeLessThan(40)
      expect(world.reopen().recovered).toBe(0)
      const registered = kind === 'pause' ? sent - 1 : sent
      expect(world.totals()).toMatchObject({ registered, inDoubt: 0, ready: 40 - registered })
    },
  )

  it('a look-up that fails does not cost the answer either', async () => {
    const world = openDeliveryWorld(20)
    const broken = new Error('The ledger cannot be read')
    const hasAssigned = (): never => {
      throw broken
    }
    const ledger = { ...world.ledger, hasAssigned }
    await expect(world.deliver(allRegistered, { ledger })).rejects.toBe(broken)
    expect(world.reopen().recovered).toBe(0)
    expect(world.totals()).toMatchObject({ registered: 1, ready: 19, inDoubt: 0 })
  })
})

const facts = (known: Partial<AttemptFacts> = {}): AttemptFacts => ({
  ...{ isReferenceKnown: false, turnedAway: 1, ageMs: 0, connectionFailures: 1, random: 0.5 },
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
])('what becomes of a row: %s', (_name, outcome, known, expected) => {
  expect(decide(outcome, facts(known))).toEqual({ outcome, ...expected })
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
  const SEEN = [registered(), refused(), inDoubt(), turnedAway(), notAvailableYet(), notSent()]
  const outcome = fc
    .tuple(fc.constantFrom<Outcome>(...SEEN), fc.option(fc.integer({ min: 0, max: 10 ** 7 })))
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
