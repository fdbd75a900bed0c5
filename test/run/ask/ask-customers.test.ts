import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import {
  askCustomers,
  type AskEvent,
  type AskParts,
  type CustomerAnswer,
} from '../../../src/run/ask/ask-customers.js'
import { type SourcesSeen } from '../../../src/service/classify.js'
import { generate } from '../../support/chance.js'
import { startVirtualTime } from '../virtual-time.js'
import { listed, missing, notRead, throttled, unreached } from './sources-samples.js'

interface Request {
  readonly customerNo: number
  readonly requestId: string
  /** How often this customer was asked for, this request included. */
  readonly seen: number
  readonly atMs: number
  readonly underWay: number
}

/** What the service says, and after how many milliseconds. */
type Script = (request: Request) => { readonly seen: SourcesSeen; readonly tookMs?: number }

type Changes = Partial<Pick<AskParts, 'nextCustomers' | 'record' | 'random' | 'watch'>> & {
  readonly concurrency?: number
  readonly rate?: number | null
}

const ANSWER_MS = 100
const all: Script = () => ({ seen: listed })
const customersOf = (answers: readonly CustomerAnswer[]): number[] =>
  answers.map(({ customerNo }) => customerNo)
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)
const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b)

/** Customers 1 to `count`, a virtual clock and a scripted service. */
function askingWorld(count: number) {
  const time = startVirtualTime()
  const requests: Request[] = []
  const batches: { readonly atMs: number; readonly answers: readonly CustomerAnswer[] }[] = []
  const events: AskEvent[] = []
  const drain = new AbortController()
  const abort = new AbortController()
  const timers = new Set<object>()
  const times = new Map<number, number>()
  let underWay = 0
  let given = 0

  const nextCustomers = (limit: number): number[] => {
    const page = upTo(Math.min(limit, count - given)).map((n) => given + n)
    given += page.length
    return page
  }
  const askBy =
    (script: Script): AskParts['ask'] =>
    async (customerNo, requestId) => {
      underWay += 1
      const seen = (times.get(customerNo) ?? 0) + 1
      times.set(customerNo, seen)
      const request = { customerNo, requestId, seen, atMs: time.clock.monotonic(), underWay }
      requests.push(request)
      const answer = script(request)
      await time.sleep(answer.tookMs ?? ANSWER_MS)
      underWay -= 1
      return answer.seen
    }
  const after: AskParts['after'] = (delayMs, wake) => {
    const timer = {}
    timers.add(timer)
    const cancel = time.after(delayMs, () => {
      timers.delete(timer)
      wake()
    })
    return () => {
      timers.delete(timer)
      cancel()
    }
  }

  return {
    time,
    requests,
    batches,
    events,
    drain,
    abort,
    recorded: () => batches.flatMap(({ answers }) => answers),
    ask: async (script: Script, changes: Changes = {}) => {
      const { concurrency = 8, rate = null, record, watch, ...others } = changes
      const parts: AskParts = {
        nextCustomers,
        ask: askBy(script),
        record: (answers) => {
          record?.(answers)
          batches.push({ atMs: time.clock.monotonic(), answers })
        },
        policy: { concurrency, rate },
        clock: time.clock,
        after,
        random: () => 0.5,
        drain: drain.signal,
        abort: abort.signal,
        watch: (event) => {
          events.push(event)
          watch?.(event)
        },
        ...others,
      }
      try {
        return await time.runUntil(askCustomers(parts))
      } finally {
        // However it ended: nothing is under way, and neither a timer nor a listener is left.
        expect(underWay).toBe(0)
        expect(timers.size).toBe(0)
        for (const { signal } of [drain, abort]) expect(getEventListeners(signal, 'abort')).toEqual([])
      }
    },
  }
}

it('asks for each customer once, in order, and records each answer once', async () => {
  const world = askingWorld(1_000)
  expect(await world.ask(all, { concurrency: 32 })).toBeNull()
  expect(world.requests.map(({ customerNo }) => customerNo)).toEqual(upTo(1_000))
  expect(customersOf(world.recorded())).toEqual(upTo(1_000))
  const requestId = world.requests[0]?.requestId
  const times = { askedAt: '2026-04-01T08:00:00.000Z', answeredAt: '2026-04-01T08:00:00.100Z', tries: 1 }
  expect(world.recorded()[0]).toEqual({ customerNo: 1, requestId, ...times, seen: listed })
  expect(world.events.map(({ kind }) => kind)).toEqual(Array.from({ length: 1_000 }, () => 'answer'))
})

describe('recording', () => {
  it('comes no later than a second after the answer, a hundred at a time', async () => {
    const world = askingWorld(5_000)
    // One customer takes a minute; nobody waits for it.
    await world.ask(({ customerNo }) => ({ seen: listed, tookMs: customerNo === 2 ? 60_000 : 100 }), {
      concurrency: 32,
    })
    for (const { atMs, answers } of world.batches) {
      expect(answers.length).toBeLessThanOrEqual(100)
      const recordedAt = world.time.clock.now() - world.time.clock.monotonic() + atMs
      for (const { answeredAt } of answers)
        expect(recordedAt - Date.parse(answeredAt)).toBeLessThanOrEqual(1_000)
    }
    expect(sorted(customersOf(world.recorded()))).toEqual(upTo(5_000))
    expect(world.batches.length).toBeLessThan(100)
  })

  it('that fails ends the asking with its error, also while everybody waits', async () => {
    const world = askingWorld(100)
    const script: Script = ({ customerNo }) => ({ seen: customerNo < 3 ? listed : throttled(600_000) })
    const full = new Error('The disk is full')
    const record = (): never => {
      throw full
    }
    await expect(world.ask(script, { record })).rejects.toBe(full)
    expect(world.time.clock.monotonic()).toBeLessThan(2_000)
    expect(world.batches).toEqual([])
  })

  it('is not tried again once it failed', async () => {
    const world = askingWorld(1_000)
    let calls = 0
    const record = (): never => {
      calls += 1
      throw new Error('The disk is full')
    }
    await expect(world.ask(all, { record })).rejects.toThrow('The disk is full')
    expect(calls).toBe(1)
    expect(world.requests.length).toBeLessThan(120)
  })
})

describe('a question that was not answered', () => {
  it('is asked again five times in all, while the others go on', async () => {
    const world = askingWorld(2_000)
    expect(await world.ask(({ customerNo }) => ({ seen: customerNo === 5 ? notRead() : listed }))).toBeNull()
    const tries = world.requests.filter(({ customerNo }) => customerNo === 5)
    const waits = tries.slice(1).map(({ atMs }, n) => atMs - tries[n]!.atMs)
    // Half of 1, 2, 4, 8 s and half as much again; a slot may be free up to one answer later.
    for (const [n, waitMs] of [750, 1_500, 3_000, 6_000].entries()) {
      expect(waits[n]).toBeGreaterThanOrEqual(waitMs + ANSWER_MS)
      expect(waits[n]).toBeLessThanOrEqual(waitMs + 2 * ANSWER_MS)
    }
    const answers = world.recorded().filter(({ customerNo }) => customerNo === 5)
    const last = tries.at(-1)!
    expect(answers).toMatchObject([{ tries: 5, requestId: last.requestId, seen: { kind: 'not_read' } }])
    expect(Date.parse(answers[0]!.askedAt)).toBe(Date.UTC(2026, 3, 1, 8) + last.atMs)
    expect(new Set(tries.map(({ requestId }) => requestId)).size).toBe(5)
    expect(sorted(customersOf(world.recorded()))).toEqual(upTo(2_000))
  })

  it('holds everybody back where the service says for how long', async () => {
    const world = askingWorld(30)
    await world.ask(({ customerNo, seen }) => ({
      seen: customerNo === 4 && seen === 1 ? throttled(30_000) : listed,
    }))
    const toldMs = world.requests.find(({ customerNo }) => customerNo === 4)!.atMs + ANSWER_MS
    const later = world.requests.filter(({ atMs }) => atMs > toldMs)
    expect(later[0]).toMatchObject({ customerNo: 4, atMs: toldMs + 30_000 })
    const pause = { kind: 'pause', delayMs: 30_000, reason: 'The service answered 429' }
    expect(world.events.filter(({ kind }) => kind === 'pause')).toEqual([pause])
  })

  it('is over when it could not be repeated within a quarter of an hour', async () => {
    const world = askingWorld(3_000)
    const stop = await world.ask(({ seen }) => ({ seen: seen === 1 ? notRead() : listed }), { rate: 20 })
    expect(stop).toMatchObject({ kind: 'unanswered' })
    expect(world.time.clock.monotonic()).toBeLessThan(30 * 60_000)
    expect(world.recorded().filter(({ seen }) => seen.kind === 'not_read').length).toBeGreaterThanOrEqual(10)
  })
})

describe('an asking stops', () => {
  it('by what halts it, without a word on that customer', async () => {
    const world = askingWorld(100)
    const refusal = notRead({ cause: 'refused', canRepeat: false, halt: 'credentials', status: 401 })
    const stop = await world.ask(({ customerNo }) => ({ seen: customerNo === 7 ? refusal : listed }))
    expect(stop).toMatchObject({ kind: 'credentials' })
    expect(world.requests.length).toBeLessThan(20)
    const others = upTo(world.requests.length).filter((customerNo) => customerNo !== 7)
    expect(sorted(customersOf(world.recorded()))).toEqual(others)
    expect(world.events.filter(({ kind }) => kind === 'stop')).toEqual([{ kind: 'stop', stop }])
  })

  it('when the service has no read-back, after a handful of questions', async () => {
    const world = askingWorld(1_000)
    const stop = await world.ask(() => ({ seen: missing() }), { concurrency: 64 })
    expect(stop).toMatchObject({ kind: 'no_read_back' })
    expect(world.requests.length).toBeLessThanOrEqual(4)
    expect(sorted(customersOf(world.recorded()))).toEqual(upTo(world.requests.length))
  })

  it('when nobody is there, with nothing recorded', async () => {
    const world = askingWorld(100)
    expect(await world.ask(() => ({ seen: unreached }))).toMatchObject({ kind: 'no_connection' })
    expect(world.time.clock.monotonic()).toBeLessThan(45_000)
    expect(world.batches).toEqual([])
  })
})

describe('a signal', () => {
  it('lets what is under way finish, and takes nothing up', async () => {
    const world = askingWorld(1_000)
    const watch = (): void => {
      if (world.events.length === 50) world.drain.abort()
    }
    expect(await world.ask(all, { watch })).toMatchObject({ kind: 'signal' })
    expect(world.requests.length).toBeLessThan(60)
    expect(sorted(customersOf(world.recorded()))).toEqual(upTo(world.requests.length))
  })

  it('the second makes no last word of a fifth try that it breaks off', async () => {
    const world = askingWorld(5_000)
    const brokenOff = notRead({ cause: 'no_answer', status: null, errorCode: 'ABORTED' })
    const script: Script = ({ customerNo, seen }) => {
      if (customerNo !== 1) return { seen: listed }
      if (seen === 5) world.time.after(50, () => world.abort.abort())
      return { seen: seen === 5 ? brokenOff : notRead() }
    }
    expect(await world.ask(script)).toMatchObject({ kind: 'signal' })
    expect(world.requests.filter(({ customerNo }) => customerNo === 1)).toHaveLength(5)
    expect(customersOf(world.recorded())).not.toContain(1)
    expect(world.recorded().length).toBeGreaterThan(100)
  })
})

it('what throws while watching ends the asking, and no answer is lost', async () => {
  const world = askingWorld(1_000)
  const closed = new Error('The terminal is gone')
  const watch = (): void => {
    if (world.events.length >= 50) throw closed
  }
  await expect(world.ask(all, { watch })).rejects.toBe(closed)
  expect(world.requests.length).toBeLessThan(60)
  expect(sorted(customersOf(world.recorded()))).toEqual(upTo(world.requests.length))
})

const SEED = Number(process.env['ASK_SEED'] ?? 20_261_122)
const SEEDS = Number(process.env['ASK_SEEDS'] ?? 200)

it(`any service gets at most so many questions at once, and each customer is recorded once (seeds from ${SEED})`, async () => {
  const answers = [notRead(), notRead({ status: 503 }), throttled(), throttled(2_000), unreached, missing()]
  let finished = 0
  for (let seed = SEED; seed < SEED + SEEDS; seed += 1) {
    const draw = generate(seed)
    const concurrency = 1 + Math.floor(draw() * 40)
    const share = draw() * 0.3
    const drainAtMs = draw() < 0.3 ? draw() * 5_000 : null
    const world = askingWorld(200)
    if (drainAtMs !== null) world.time.after(drainAtMs, () => world.drain.abort())
    const stop = await world.ask(
      () => ({
        seen: draw() < share ? answers[Math.floor(draw() * answers.length)]! : listed,
        tookMs: 1 + Math.floor(draw() * 400),
      }),
      { concurrency, random: draw },
    )
    const recorded = customersOf(world.recorded())
    expect(new Set(recorded).size, `seed ${seed}`).toBe(recorded.length)
    const most = Math.max(...world.requests.map(({ underWay }) => underWay))
    expect(most, `seed ${seed}`).toBeLessThanOrEqual(concurrency)
    if (stop === null) {
      finished += 1
      expect(sorted(recorded), `seed ${seed}`).toEqual(upTo(200))
    }
  }
  expect(finished).toBeGreaterThan(SEEDS / 3)
})
