import fc from 'fast-check'
import { NO_CUT_OVER, type OpenCutOver } from '../../src/domain/row/cut-over.js'
import { describe, expect, it } from 'vitest'
import {
  mustStop,
  noteOutcome,
  startBrake,
  type BrakeLimits,
  DECLINED,
  INTERRUPTED,
  OUT_OF_TIME,
  PILOT_DONE,
  outranks,
  stopOfChoice,
  stopOfHalt,
  stopOfRetryAfter,
  stopOfWaiting,
  type Stop,
  waitedInVain,
} from '../../src/run/brake.js'
import {
  exitStatusOf,
  type Halt,
  type Outcome,
  totalsOf,
  type Totals,
} from '../../src/domain/row/row-state.js'
import { inDoubt, notAvailableYet, notSent, refused, registered, turnedAway } from './outcome-samples.js'

type Count = Exclude<keyof Totals, 'read'>

/** Totals that balance. */
function totals(counts: Partial<Record<Count, number>>): Totals {
  const read = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return { ...totalsOf(read, new Map()), ...counts }
}

const CREDENTIALS = stopOfHalt('credentials')

const HALTS: readonly Halt[] = [
  ...(['credentials', 'certificate', 'redirect', 'echo_mismatch', 'reference_repeated'] as const),
  ...(['request_rejected_locally', 'no_read_back', 'unanswered'] as const),
]

// Others in any combination: the property below.
it.each<[string, Partial<Record<Count, number>>, number]>([
  ['nothing at all', {}, 0],
  ['closed in other ways', { registered: 1, duplicate: 1, excluded: 1, superseded: 1, writtenOff: 1 }, 0],
  ['an invalid row', { registered: 1, invalid: 1 }, 3],
  ['a row in conflict', { conflict: 1 }, 3],
  ['a ready row besides refused ones', { ready: 1, refused: 5, invalid: 2, conflict: 1 }, 5],
])('a campaign without a stop: %s', (_name, counts, expected) => {
  expect(exitStatusOf(totals(counts), null, null)).toBe(expected)
})

it('totals that do not balance are 1, before anything else', () => {
  for (const stop of [null, DECLINED, INTERRUPTED, CREDENTIALS])
    expect(exitStatusOf({ ...totals({ registered: 3 }), read: 4 }, stop, 130)).toBe(1)
})

it('the order of exit statuses holds for any combination', () => {
  const ORDER = [2, 130, 143, 6, 4, 5, 3, 0]
  const count = fc.integer({ min: 0, max: 2 })
  const stop = fc.constantFrom(null, DECLINED, INTERRUPTED, CREDENTIALS, PILOT_DONE)
  fc.assert(
    fc.property(
      fc.record({ inDoubt: count, sending: count, ready: count, refused: count, registered: count }),
      stop,
      fc.constantFrom(null, 130, 143),
      (counts, cause, signalStatus) => {
        const applies = [
          ...(cause === DECLINED ? [2] : []),
          ...(cause === INTERRUPTED || signalStatus !== null ? [signalStatus ?? 130] : []),
          ...(cause === CREDENTIALS ? [6] : []),
          ...(counts.inDoubt + counts.sending > 0 ? [4] : []),
          ...(counts.ready > 0 ? [5] : []),
          ...(counts.refused > 0 ? [3] : []),
          0,
        ]
        const first = ORDER.find((code) => applies.includes(code))
        expect(exitStatusOf(totals(counts), cause, signalStatus)).toBe(first)
      },
    ),
    { seed: 20260409, numRuns: 500 },
  )
})

describe('a stop', () => {
  const choice = { only: [{ column: 'Segment', values: ['A'] }], countries: null }

  it('says in a sentence what was seen, and in another what to do', () => {
    const stops = [
      ...HALTS.map(stopOfHalt),
      ...[INTERRUPTED, OUT_OF_TIME, PILOT_DONE, DECLINED, waitedInVain(1)],
      stopOfRetryAfter(15 * 60_000 + 1),
      stopOfWaiting({ count: 1, until: 'noon' }),
      stopOfChoice({ ...choice, left: 1 }),
    ]
    for (const stop of stops) {
      expect(stop?.why).toMatch(/^[A-Z].{20,}/)
      expect(stop?.next).toMatch(/^[A-Z].{20,}/)
    }
    expect(new Set(stops.map((stop) => stop?.kind)).size).toBe(stops.length)
    expect(stopOfHalt('redirect').next).toContain('(sepa-migrate help doubts)')
    expect(DECLINED.next).toContain('(--yes)')
  })

  it('is none where there is nothing to wait for, or to send', () => {
    expect([stopOfRetryAfter(null), stopOfRetryAfter(15 * 60_000)]).toEqual([null, null])
    expect(stopOfWaiting({ count: 0, until: null })).toBeNull()
    expect([stopOfChoice(null), stopOfChoice({ ...choice, left: 0 })]).toEqual([null, null])
  })

  it('counts rows in words', () => {
    const waiting = (count: number) => stopOfWaiting({ count, until: 'noon' })
    expect(waiting(1)?.why).toMatch(/^One row was in doubt/)
    expect(waiting(1)?.next).toBe(
      'Look again whether the service has the mandate, and run the same command after noon',
    )
    expect(waiting(2)?.why).toMatch(/^2 rows were in doubt/)
    expect(waiting(2)?.next).toContain('has the mandates, and')
    expect(
      [waitedInVain(1).why, waitedInVain(2).why].map((why) => /turned (.+) away/.exec(why)?.[1]),
    ).toEqual(['a row', '2 rows'])
    expect(stopOfChoice({ ...choice, left: 2 })).toMatchObject({
      kind: 'choice',
      why: 'No row that this run was told to send (Segment: A) is ready any more, and 2 others are',
    })
  })

  it('outranks an earlier one only for refused credentials', () => {
    expect(outranks(INTERRUPTED, null)).toBe(true)
    expect(outranks(CREDENTIALS, INTERRUPTED)).toBe(true)
    expect(outranks(CREDENTIALS, CREDENTIALS)).toBe(false)
    expect(outranks(INTERRUPTED, OUT_OF_TIME)).toBe(false)
  })
})

it.each(Object.keys(NO_CUT_OVER))('an open cut-over is 3, before ready rows that it holds: %s', (name) => {
  const ofOne = (open: Partial<OpenCutOver>, ready: number) =>
    exitStatusOf(totals({ ready, registered: 1 }), null, null, { ...NO_CUT_OVER, ...open })
  expect(ofOne({ [name]: 1 }, name === 'held' ? 1 : 0)).toBe(3)
  expect(ofOne({}, 1)).toBe(5)
})

const WIDE: BrakeLimits = { maxInDoubt: 1_000_000, maxRefused: null }

interface Step {
  readonly outcome: Outcome
  readonly nowMs?: number
}

/** The brake after these outcomes, the kind of stop after each, and the last of them. */
function ride(steps: readonly Step[], limits: BrakeLimits = WIDE) {
  let brake = startBrake()
  let last: Stop | null = null
  const stops = steps.map(({ outcome, nowMs = 0 }) => {
    brake = noteOutcome(brake, outcome, nowMs)
    last = mustStop(brake, outcome, limits, nowMs)
    return last?.kind ?? null
  })
  return { brake, stops, last: last as Stop | null }
}

const times = (count: number, outcome: Outcome): Step[] => Array.from({ length: count }, () => ({ outcome }))
const lastStop = (steps: readonly Step[], limits?: BrakeLimits): string | null =>
  ride(steps, limits).stops.at(-1) ?? null

it('connection failures are counted until the service is heard of again', () => {
  const failing = ride([5, 9].map((nowMs) => ({ outcome: notSent(), nowMs }))).brake
  expect(failing).toMatchObject({ failures: 2, failingSinceMs: 5, answered: 0 })
  for (const heard of [registered(), refused(), turnedAway(), inDoubt({ status: 500 })])
    expect(noteOutcome(failing, heard, 10)).toMatchObject({ failures: 0, failingSinceMs: null })
  expect(noteOutcome(failing, inDoubt(), 10)).toMatchObject({ failures: 2, failingSinceMs: 5 })
})

it('a row that was held back says that the service is there, and nothing of its answers', () => {
  const held = inDoubt({ started: false, status: null, errorCode: null })
  const failing = ride([{ outcome: refused() }, { outcome: notSent(), nowMs: 5 }]).brake
  expect(noteOutcome(failing, held, 9)).toEqual({
    ...failing,
    isHeard: true,
    failures: 0,
    failingSinceMs: null,
  })
  expect(lastStop([{ outcome: held }], { ...WIDE, maxInDoubt: 0, stopAtCanaryDoubt: true })).toBeNull()
})

it.each(HALTS)('%s stops at once, before any limit', (halt) => {
  expect(lastStop([{ outcome: inDoubt({ halt }) }], { maxInDoubt: 0, maxRefused: null })).toBe(halt)
})

it.each([0, 1, 3])('the in-doubt budget of %d stops with one row more, and says so', (maxInDoubt) => {
  const { stops, last } = ride(times(maxInDoubt + 1, inDoubt()), { ...WIDE, maxInDoubt })
  expect(stops).toEqual([...Array<null>(maxInDoubt).fill(null), 'max_in_doubt'])
  if (maxInDoubt === 1)
    expect(last).toEqual({
      kind: 'max_in_doubt',
      why: '2 rows became in doubt in this run, more than the limit of 1',
      next: 'Find out what the service registered, resolve the rows in doubt, then run again (sepa-migrate help doubts)',
    })
})

describe('the canary', () => {
  const limits: BrakeLimits = { ...WIDE, stopAtCanaryDoubt: true }
  const silent = inDoubt({ status: null, errorCode: 'UND_ERR_SOCKET' })

  it('7: that got no answer at all stops the run, where that is asked for', () => {
    expect(lastStop([{ outcome: silent }], limits)).toBe('canary')
    expect(lastStop([{ outcome: silent }])).toBeNull()
  })

  it('is not blamed for a doubt with a status, nor for one of a later row', () => {
    expect(lastStop([{ outcome: inDoubt({ status: 500 }) }], limits)).toBeNull()
    expect(lastStop([{ outcome: registered() }, { outcome: silent }], limits)).toBeNull()
    expect(lastStop([{ outcome: refused() }], limits)).toBeNull()
  })
})

describe('identical refusals', () => {
  it('stop the run when they are the first three answers', () => {
    const { stops, last } = ride(times(3, refused()))
    expect(stops).toEqual([null, null, 'identical_refusals'])
    expect(last).toEqual({
      kind: 'identical_refusals',
      why: 'The first 3 rows were all refused for the same reason',
      next: 'Look at to-do/refused.csv: the address, the mapping or the account may be wrong. Then run again',
    })
  })

  it('do not when another answer was among the first three', () => {
    for (const other of [registered(), inDoubt(), refused({ status: 400 })])
      for (const place of [0, 1, 2]) {
        const steps = times(3, refused())
        steps.splice(place, 1, { outcome: other })
        expect(ride([...steps, { outcome: refused() }]).stops).toEqual([null, null, null, null])
      }
  })

  it('are still the first when rows were turned away or not sent in between', () => {
    const steps = [refused(), turnedAway(), refused(), notSent(), refused()].map((outcome) => ({ outcome }))
    expect(ride(steps).stops).toEqual([null, null, null, null, 'identical_refusals'])
  })

  it('stop the run later on when ten come in a row', () => {
    const { stops, last } = ride([{ outcome: registered() }, ...times(10, refused())])
    expect(stops).toEqual([...Array<null>(10).fill(null), 'identical_refusals'])
    expect(last?.why).toBe('10 rows in a row were refused for the same reason')
  })

  it('are counted anew after anything else was answered', () => {
    for (const other of [registered(), inDoubt(), refused({ status: 410 })]) {
      const steps = [{ outcome: registered() }, ...times(9, refused()), { outcome: other }]
      expect(ride([...steps, ...times(9, refused())]).stops.every((stop) => stop === null)).toBe(true)
      expect(lastStop([...steps, ...times(10, refused())])).toBe('identical_refusals')
    }
  })

  it('are the same when only numbers in the message differ', () => {
    const refusals = [17, 4711, 9].map((n) => ({ outcome: refused({ message: `customer ${n} is unknown` }) }))
    expect(lastStop(refusals)).toBe('identical_refusals')
  })

  it.each<[string, Outcome[]]>([
    ['status', [refused({ status: 400 }), refused({ status: 422 })]],
    ['service code', [refused({ serviceCode: 'NOT_FOUND' }), refused({ serviceCode: 'INVALID_PARAMETER' })]],
    ['field', [refused({ field: 'iban' }), refused({ field: 'signed_date' })]],
    ['message', [refused({ message: 'unknown customer' }), refused({ message: 'unknown account' })]],
    ['message or none', [refused({ message: '#' }), refused()]],
    ['number in the message or none', [refused({ message: 'line 1' }), refused({ message: 'line ' })]],
  ])('are not the same when the %s differs', (_name, [first, second]) => {
    const steps = [first!, first!, second!].map((outcome) => ({ outcome }))
    expect(ride(steps).stops).toEqual([null, null, null])
    expect(ride(steps).brake.causeCount).toBe(1)
  })
})

describe('the refusal limit', () => {
  /** Refusals that are never identical in a row. */
  const mixed = (count: number): Step[] =>
    Array.from({ length: count }, (_, n) => ({ outcome: refused({ status: n % 2 === 0 ? 400 : 422 }) }))
  const count = (value: number): BrakeLimits => ({ ...WIDE, maxRefused: { kind: 'count', value } })
  const percent = (value: number): BrakeLimits => ({ ...WIDE, maxRefused: { kind: 'percent', value } })

  it('as a count stops with one more, and says so', () => {
    const { stops, last } = ride(mixed(4), count(3))
    expect(stops).toEqual([null, null, null, 'max_refused'])
    expect(last).toEqual({
      kind: 'max_refused',
      why: '4 of 4 answered rows were refused, more than the limit allows',
      next: 'Look at to-do/refused.csv, correct the export or raise the limit, then run again',
    })
    expect(lastStop(mixed(1), count(0))).toBe('max_refused')
  })

  it.each([
    [0, 49, null],
    [0, 50, 'max_refused'],
    [45, 5, null],
    [44, 6, 'max_refused'],
    [60, 7, 'max_refused'],
  ])(
    'as a share of a tenth waits for fifty answers: after %d registered, %d refused: %s',
    (...[done, no, kind]) => {
      expect(lastStop([...times(done, registered()), ...mixed(no)], percent(10))).toBe(kind)
    },
  )
})

describe('connection failures', () => {
  const failingAt = (...nowMs: number[]): Step[] => nowMs.map((atMs) => ({ outcome: notSent(), nowMs: atMs }))

  it.each<[boolean, number[], string | null]>([
    [true, [0, 5_000, 10_000, 15_000, 29_999], null],
    [true, [0, 5_000, 10_000, 15_000, 30_000], 'no_connection'],
    [true, [7, 5_000, 10_000, 15_000, 30_006], null],
    [true, [0, 20_000, 40_000, 60_000], null],
    [false, [0, 1_000, 2_000, 3_000, 4_999], null],
    [false, [0, 1_000, 2_000, 3_000, 5_000], 'no_connection'],
    [false, [10_000], null],
    [false, [10_000, 20_000], 'no_connection'],
  ])(
    'stop after five and half a minute, or two and five seconds where nothing was heard (%s): %j',
    (...of) => {
      const [isHeard, nowMs, kind] = of
      const before = isHeard ? [{ outcome: registered() }] : []
      expect(lastStop([...before, ...failingAt(...nowMs)])).toBe(kind)
    },
  )

  it('are endured when the service answered in between', () => {
    const steps = [
      ...failingAt(0, 1_000, 2_000, 3_000),
      { outcome: notAvailableYet(), nowMs: 26_000 },
      ...failingAt(31_000, 32_000, 33_000, 34_000, 60_000),
    ]
    expect(lastStop(steps)).toBe(null)
  })

  it('say how often and why', () => {
    const { brake } = ride(failingAt(0, 1, 2, 3, 30_000))
    expect(mustStop(brake, notSent({ errorCode: 'ENOTFOUND' }), WIDE, 30_000)).toEqual({
      kind: 'no_connection',
      why: 'The service could not be reached 5 times in a row (ENOTFOUND)',
      next: 'Check the base URL and the network; nothing was sent for these rows. Then run the same command again',
    })
    expect(mustStop(brake, notSent({ errorCode: null }), WIDE, 30_000)?.why).toContain('(no code)')
  })
})

it('any sequence of outcomes adds up, and stops exactly when a limit was passed', () => {
  const outcomes = [registered(), refused({ status: 400 }), refused(), inDoubt(), turnedAway(), notSent()]
  const sequence = fc.array(fc.constantFrom(...outcomes), { maxLength: 60 })
  fc.assert(
    fc.property(sequence, fc.integer({ min: 0, max: 10 }), (sequenceOf, maxInDoubt) => {
      const steps = sequenceOf.map((outcome) => ({ outcome }))
      const { brake, stops } = ride(steps, { maxInDoubt, maxRefused: null })
      const countOf = (kind: Outcome['kind']): number =>
        sequenceOf.filter((outcome) => outcome.kind === kind).length
      expect(brake.inDoubt).toBe(countOf('in_doubt'))
      expect(brake.refused).toBe(countOf('refused'))
      expect(brake.answered).toBe(countOf('in_doubt') + countOf('refused') + countOf('registered'))
      expect(stops.includes('max_in_doubt')).toBe(brake.inDoubt > maxInDoubt)
    }),
    { seed: 20260407, numRuns: 300 },
  )
})
