import type { After, Clock } from '../domain/mandate/date.js'
import pLimit from 'p-limit'
import {
  afterSign,
  departuresOf,
  LONGEST_WAIT_MS,
  noteDeparture,
  pauseUntil,
  startPace,
  type PaceLimits,
  type PaceSign,
} from './pace.js'
import { INTERRUPTED, OUT_OF_TIME, outranks, type Stop } from './brake.js'

export interface EngineParts<Event> {
  readonly clock: Clock
  readonly after: After
  readonly policy: PaceLimits & {
    /** Items taken up at most (a pilot), or null. */
    readonly limit?: number | null
    /** Milliseconds after which nothing further is taken up, or null. */
    readonly maxDurationMs?: number | null
  }
  /** Aborted by the first signal: nothing new, requests in flight finish. */
  readonly drain: AbortSignal
  /** Aborted by the second signal: what is under way is given up. */
  readonly abort: AbortSignal
  /** When it throws, the engine ends: nothing further is taken up, requests in flight finish, then it is thrown. */
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

/** Many requests at a bounded pace, until nothing is left or something says stop. Memory does not grow with the items. */
export function createEngine<Item extends object, Event>(parts: EngineParts<Event>, task: Task<Item>) {
  const { clock, policy, drain, abort } = parts
  const queue = createQueue(task.next, policy.limit ?? null)
  const limiter = pLimit(1)
  const startedMs = clock.monotonic()
  let pace = startPace(policy, startedMs)
  let stop: Stop | null = null
  let failure: { readonly error: unknown } | null = null
  let cancelTimer = (): void => undefined
  let end = (): void => undefined

  /** Whoever watches never stands between an answer and what keeps it. */
  function tell(event: Event | StopEvent): void {
    try {
      parts.watch(event)
    } catch (error) {
      fail(error)
    }
  }

  function fail(error: unknown): void {
    failure ??= { error }
  }

  function stopFor(wanted: Stop | null): void {
    if (wanted === null || !outranks(wanted, stop)) return
    stop = wanted
    tell({ kind: 'stop', stop })
  }

  const isStopping = (): boolean => stop !== null || failure !== null
  const underWay = (): number => limiter.activeCount + limiter.pendingCount

  /** Takes items up while there are slots; otherwise sets one timer for the moment that something changes. */
  function feed(): void {
    cancelTimer()
    if (drain.aborted || abort.aborted) stopFor(INTERRUPTED)
    try {
      limiter.concurrency = pace.ramp.slots
      while (underWay() < pace.ramp.slots && !isStopping() && !queue.isEmpty()) if (!takeNext()) break
    } catch (error) {
      fail(error)
    }
    if (underWay() === 0 && (isStopping() || queue.isEmpty())) end()
  }

  /** False where nothing can be taken up now; what is worth waiting for has a timer then. */
  function takeNext(): boolean {
    const nowMs = clock.monotonic()
    const untilMs = startedMs + (policy.maxDurationMs ?? Infinity)
    if (nowMs >= untilMs) stopFor(OUT_OF_TIME)
    const { anyFromMs, repeatFromMs } = departuresOf(pace, nowMs)
    const left = queue.leaveBehind(pace.pausedUntilMs, repeatFromMs)
    if (left.turns.length > 0) task.leave(left.turns, left.wasFull)
    if (isStopping() || queue.isEmpty()) return false
    const turn = anyFromMs > nowMs ? null : queue.take(nowMs, repeatFromMs)
    if (turn !== null) takeUp(turn, nowMs)
    else {
      const atMs = anyFromMs > nowMs ? anyFromMs : (queue.nextDueMs(repeatFromMs) ?? nowMs)
      const delayMs = Math.ceil(Math.min(atMs, untilMs) - nowMs)
      cancelTimer = parts.after(Math.max(1, delayMs), feed)
    }
    return turn !== null
  }

  function takeUp(turn: Turn<Item>, nowMs: number): void {
    pace = noteDeparture(pace, turn.sent > 0, nowMs)
    // p-limit counts a task as done before its promise settles, so the slot is free when `feed` looks.
    void limiter(() => task.work(turn))
      .catch(fail)
      .finally(feed)
  }

  return {
    queue,
    tell,
    fail,
    stopFor,
    isStopping,
    feed,
    /** Resolves once nothing is under way any more. */
    run: async (): Promise<void> => {
      const ended = new Promise<void>((resolve) => (end = resolve))
      for (const signal of [drain, abort]) signal.addEventListener('abort', feed)
      feed()
      await ended
      for (const signal of [drain, abort]) signal.removeEventListener('abort', feed)
      cancelTimer()
    },
    /** Why it ended, or null. @throws what failed */
    result: (): Stop | null => {
      if (failure !== null) throw failure.error
      return stop
    },
    /** @param beganMs when the request began that brought this sign */
    noteSign: (sign: PaceSign, beganMs: number): void => {
      const at = { beganMs, nowMs: clock.monotonic(), underWay: limiter.activeCount }
      pace = { ...pace, ramp: afterSign(pace.ramp, sign, at) }
    },
    /** @returns whether everybody waits longer than before */
    pause: (untilMs: number): boolean => {
      const before = pace
      pace = pauseUntil(pace, untilMs)
      return pace !== before
    },
  }
}

interface WaitingTurn<Item extends object> {
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

/** What never left has cost the service nothing, so it needs no share of the retry budget. */
const leavesAtMs = <Item extends object>({ turn, dueMs }: WaitingTurn<Item>, repeatFromMs: number): number =>
  turn.sent > 0 ? Math.max(dueMs, repeatFromMs) : dueMs

/** Which item is next: those whose wait is over, then new ones in order. Holds a bounded number. */
export function createQueue<Item extends object>(next: Task<Item>['next'], pilot: number | null) {
  let waiting: WaitingTurn<Item>[] = []
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
    /** `repeatFromMs`: when the retry budget lets an item that was sent leave again. Null where none may leave now. */
    take: (nowMs: number, repeatFromMs: number): Turn<Item> | null =>
      takeWaiting(nowMs, repeatFromMs) ?? takeNew(nowMs),
    putBack: (turn: Turn<Item>, nowMs: number, dueMs: number): void => {
      const waitsSinceMs = turn.waitsSinceMs ?? nowMs
      const untilMs = waitsSinceMs + LONGEST_WAIT_MS + LATE_MS
      waiting.push({ turn: { ...turn, waitsSinceMs }, dueMs, untilMs })
    },
    /**
     * Lets go of items that cannot leave within a quarter of an hour after they were first put back: the retry budget,
     * a pause or their own wait does not let them. `wasFull`: so many waited that no new one could be taken up.
     */
    leaveBehind: (pausedUntilMs: number, repeatFromMs: number) => {
      const isInVain = (entry: WaitingTurn<Item>): boolean =>
        Math.max(pausedUntilMs, leavesAtMs(entry, repeatFromMs)) > entry.untilMs
      const turns = waiting.filter(isInVain).map(({ turn }) => turn)
      const wasFull = waiting.length >= MAX_WAITING
      if (turns.length > 0) waiting = waiting.filter((entry) => !isInVain(entry))
      return { turns, wasFull }
    },
    /** When the first waiting item may leave, or null where none waits. */
    nextDueMs: (repeatFromMs: number): number | null =>
      waiting.length === 0 ? null : Math.min(...waiting.map((entry) => leavesAtMs(entry, repeatFromMs))),
    isEmpty: (): boolean => waiting.length === 0 && (taken === pilot || !hasNew()),
    /** The pilot's number of items was taken and there are more. */
    isPilotDone: (): boolean => taken === pilot && hasNew(),
  }
}
