import type { Clock } from '../domain/mandate/date.js'
import pLimit, { type LimitFunction } from 'p-limit'
import {
  afterSign,
  departuresOf,
  LONGEST_WAIT_MS,
  noteDeparture,
  pauseUntil,
  startPace,
  type Pace,
  type PaceLimits,
  type PaceSign,
} from './pace.js'
import { INTERRUPTED, OUT_OF_TIME, outranks, type Stop } from './brake.js'
/** Calls `wake` after so many milliseconds; the returned function takes that back. */
export type After = (delayMs: number, wake: () => void) => () => void

export interface EngineParts<Event> {
  readonly clock: Clock
  readonly after: After
  readonly policy: PaceLimits & {
    /** Items taken up at most (a pilot), or null. */
    readonly limit?: number | null
    /** Milliseconds after which nothing further is taken up, or null. */
    readonly maxDurationMs?: number | null
  }
  /** Aborted by the first signal: nothing new, what is under way finishes. */
  readonly drain: AbortSignal
  /** Aborted by the second signal: what is under way is given up. */
  readonly abort: AbortSignal
  /** When it throws, the engine ends: nothing further is taken up, what is under way finishes, then it is thrown. */
  readonly watch: (event: Event | StopEvent) => void
}

export interface StopEvent {
  readonly kind: 'stop'
  readonly stop: Stop
}

/** What is done with each item: sent, or asked about. */
export interface Task<Item extends object> {
  /** A page behind those given before, at most so many; empty at the end. */
  readonly next: (limit: number) => readonly Item[]
  /** One request. What it rejects with ends the engine. */
  readonly work: (turn: Turn<Item>) => Promise<void>
  /** Told of items that waited in vain. `wasFull`: so many waited that no new one could be taken up. */
  readonly leave: (turns: readonly Turn<Item>[], wasFull: boolean) => void
}

/** An item that was taken up, or will be again. Times are monotonic milliseconds. */
export type Turn<Item extends object> = Item & {
  readonly firstMs: number
  /** Requests of it that left and did not settle it; the next one counts as a repeat. */
  readonly sent: number
  /** When it was first put back to wait, or null. */
  readonly waitsSinceMs: number | null
}

/**
 * Many requests at a bounded pace, until nothing is left or something says stop. Memory does not grow with the number of
 * items. The functions below change it; whoever holds it adds what its task keeps.
 */
export interface Engine<Item extends object, Event> {
  readonly parts: EngineParts<Event>
  readonly task: Task<Item>
  readonly queue: Queue<Item>
  readonly startedMs: number
  readonly limiter: LimitFunction
  pace: Pace
  stop: Stop | null
  failure: { readonly error: unknown } | null
  cancelTimer: () => void
  end: () => void
}

export function createEngine<Item extends object, Event>(
  parts: EngineParts<Event>,
  task: Task<Item>,
): Engine<Item, Event> {
  const startedMs = parts.clock.monotonic()
  return {
    parts,
    task,
    queue: createQueue(task.next, parts.policy.limit ?? null),
    startedMs,
    limiter: pLimit(1),
    pace: startPace(parts.policy, startedMs),
    stop: null,
    failure: null,
    cancelTimer: () => undefined,
    end: () => undefined,
  }
}

/** Resolves once nothing is under way any more; why it ended stands in `stop` and `failure`. */
export async function runEngine<Item extends object, Event>(engine: Engine<Item, Event>): Promise<void> {
  const ended = new Promise<void>((resolve) => (engine.end = resolve))
  const goOn = (): void => feed(engine)
  const signals = [engine.parts.drain, engine.parts.abort]
  for (const signal of signals) signal.addEventListener('abort', goOn)
  feed(engine)
  await ended
  for (const signal of signals) signal.removeEventListener('abort', goOn)
  engine.cancelTimer()
}

/** Whoever watches never stands between an answer and what keeps it. */
export function tell<Item extends object, Event>(
  engine: Engine<Item, Event>,
  event: Event | StopEvent,
): void {
  try {
    engine.parts.watch(event)
  } catch (error) {
    fail(engine, error)
  }
}

export function fail<Item extends object, Event>(engine: Engine<Item, Event>, error: unknown): void {
  engine.failure ??= { error }
}

export function stopFor<Item extends object, Event>(engine: Engine<Item, Event>, stop: Stop | null): void {
  if (stop === null || !outranks(stop, engine.stop)) return
  engine.stop = stop
  tell(engine, { kind: 'stop', stop })
}

export const isStopping = <Item extends object, Event>({ stop, failure }: Engine<Item, Event>): boolean =>
  stop !== null || failure !== null

/** @param beganMs when the request began that brought this sign */
export function noteSign<Item extends object, Event>(
  engine: Engine<Item, Event>,
  sign: PaceSign,
  beganMs: number,
): void {
  const { pace, limiter, parts } = engine
  const at = { beganMs, nowMs: parts.clock.monotonic(), underWay: limiter.activeCount }
  engine.pace = { ...pace, ramp: afterSign(pace.ramp, sign, at) }
}

/** @returns whether everybody waits longer than before */
export function pause<Item extends object, Event>(engine: Engine<Item, Event>, untilMs: number): boolean {
  const paused = pauseUntil(engine.pace, untilMs)
  const isLonger = paused !== engine.pace
  engine.pace = paused
  return isLonger
}

const underWay = <Item extends object, Event>({ limiter }: Engine<Item, Event>): number =>
  limiter.activeCount + limiter.pendingCount

/** Takes items up while there are slots; otherwise sets one timer for the moment that something changes. */
export function feed<Item extends object, Event>(engine: Engine<Item, Event>): void {
  const { parts, queue } = engine
  engine.cancelTimer()
  if (parts.drain.aborted || parts.abort.aborted) stopFor(engine, INTERRUPTED)
  try {
    engine.limiter.concurrency = engine.pace.ramp.slots
    while (underWay(engine) < engine.pace.ramp.slots && !isStopping(engine) && !queue.isEmpty())
      if (!takeNext(engine)) break
  } catch (error) {
    fail(engine, error)
  }
  if (underWay(engine) === 0 && (isStopping(engine) || queue.isEmpty())) engine.end()
}

/** False where nothing can be taken up now; what is worth waiting for has a timer then. */
function takeNext<Item extends object, Event>(engine: Engine<Item, Event>): boolean {
  const { parts, queue, task, startedMs } = engine
  const nowMs = parts.clock.monotonic()
  const untilMs = startedMs + (parts.policy.maxDurationMs ?? Infinity)
  if (nowMs >= untilMs) stopFor(engine, OUT_OF_TIME)
  const { anyFromMs, repeatFromMs } = departuresOf(engine.pace, nowMs)
  const left = queue.leaveBehind(engine.pace.pausedUntilMs, repeatFromMs)
  if (left.turns.length > 0) task.leave(left.turns, left.wasFull)
  if (isStopping(engine) || queue.isEmpty()) return false
  const turn = anyFromMs > nowMs ? null : queue.take(nowMs, repeatFromMs)
  if (turn !== null) takeUp(engine, turn, nowMs)
  else {
    const atMs = anyFromMs > nowMs ? anyFromMs : (queue.nextDueMs(repeatFromMs) ?? nowMs)
    const delayMs = Math.ceil(Math.min(atMs, untilMs) - nowMs)
    engine.cancelTimer = parts.after(Math.max(1, delayMs), () => feed(engine))
  }
  return turn !== null
}

function takeUp<Item extends object, Event>(
  engine: Engine<Item, Event>,
  turn: Turn<Item>,
  nowMs: number,
): void {
  engine.pace = noteDeparture(engine.pace, turn.sent > 0, nowMs)
  // p-limit counts a task as done before its promise settles, so the slot is free when `feed` looks.
  void engine
    .limiter(() => engine.task.work(turn))
    .catch((error: unknown) => fail(engine, error))
    .finally(() => feed(engine))
}

/** Which item is next: those whose wait is over, then new ones in order. Holds a bounded number. */
export interface Queue<Item extends object> {
  /** `repeatFromMs`: when the retry budget lets an item that was sent leave again. Null where none may leave now. */
  readonly take: (nowMs: number, repeatFromMs: number) => Turn<Item> | null
  readonly putBack: (turn: Turn<Item>, nowMs: number, dueMs: number) => void
  /**
   * Lets go of items that cannot leave within a quarter of an hour after they were first put back: the retry budget,
   * a pause or their own wait does not let them. `wasFull`: so many waited that no new one could be taken up.
   */
  readonly leaveBehind: (
    pausedUntilMs: number,
    repeatFromMs: number,
  ) => { readonly turns: readonly Turn<Item>[]; readonly wasFull: boolean }
  /** When the first waiting item may leave, or null where none waits. */
  readonly nextDueMs: (repeatFromMs: number) => number | null
  readonly isEmpty: () => boolean
  /** The pilot's number of items was taken and there are more. */
  readonly isPilotDone: () => boolean
}

interface Waiting<Item extends object> {
  readonly turn: Turn<Item>
  readonly dueMs: number
  /** When it must have left. */
  readonly untilMs: number
}

const PAGE = 256
/** Above this no new item is taken up until one that waits is due. */
const MAX_WAITING = 1_000
/** Timers are late when the machine is busy; an item is not left behind for that. */
const LATE_MS = 1_000

const NONE_LEFT = { turns: [], wasFull: false } as const

/** What never left has cost the service nothing, so it needs no share of the retry budget. */
const leavesAtMs = <Item extends object>({ turn, dueMs }: Waiting<Item>, repeatFromMs: number): number =>
  turn.sent > 0 ? Math.max(dueMs, repeatFromMs) : dueMs

export function createQueue<Item extends object>(
  next: Task<Item>['next'],
  pilot: number | null,
): Queue<Item> {
  let waiting: Waiting<Item>[] = []
  let page: readonly Item[] = []
  let at = 0
  let taken = 0
  let isRead = false

  function takeWaiting(nowMs: number, repeatFromMs: number): Turn<Item> | null {
    if (waiting.length === 0) return null
    const index = waiting.findIndex((entry) => leavesAtMs(entry, repeatFromMs) <= nowMs)
    return index === -1 ? null : (waiting.splice(index, 1)[0]?.turn ?? null)
  }

  function hasNew(): boolean {
    if (at === page.length && !isRead) {
      page = next(PAGE)
      at = 0
      isRead = page.length === 0
    }
    return at < page.length
  }

  function takeNew(nowMs: number): Turn<Item> | null {
    if (waiting.length >= MAX_WAITING || taken === pilot || !hasNew()) return null
    const item = page[at]
    if (item === undefined) return null
    at += 1
    taken += 1
    return { ...item, firstMs: nowMs, sent: 0, waitsSinceMs: null }
  }

  return {
    take: (nowMs, repeatFromMs) => takeWaiting(nowMs, repeatFromMs) ?? takeNew(nowMs),
    putBack: (turn, nowMs, dueMs) => {
      const waitsSinceMs = turn.waitsSinceMs ?? nowMs
      const untilMs = waitsSinceMs + LONGEST_WAIT_MS + LATE_MS
      waiting.push({ turn: { ...turn, waitsSinceMs }, dueMs, untilMs })
    },
    leaveBehind: (pausedUntilMs, repeatFromMs) => {
      const isInVain = (entry: Waiting<Item>): boolean =>
        Math.max(pausedUntilMs, leavesAtMs(entry, repeatFromMs)) > entry.untilMs
      const left = waiting.filter(isInVain)
      if (left.length === 0) return NONE_LEFT
      const wasFull = waiting.length >= MAX_WAITING
      waiting = waiting.filter((entry) => !isInVain(entry))
      return { turns: left.map(({ turn }) => turn), wasFull }
    },
    nextDueMs: (repeatFromMs) =>
      waiting.length === 0 ? null : Math.min(...waiting.map((entry) => leavesAtMs(entry, repeatFromMs))),
    isEmpty: () => waiting.length === 0 && (taken === pilot || !hasNew()),
    isPilotDone: () => taken === pilot && hasNew(),
  }
}
