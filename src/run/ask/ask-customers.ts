import { randomUUID } from 'node:crypto'
import { timeOf, type After } from '../../domain/mandate/date.js'
import type { SourcesSeen, NotRead } from '../../service/classify.js'
import { createEngine, type EngineParts, type StopEvent, type Turn } from '../engine.js'
import { IN_REACH, type Stop, isOutOfReach, stopOfHalt, stopOfRetryAfter } from '../brake.js'
import type { HeardAnswer } from '../../ledger/ledger.js'
import { connectBackoffMs, isSilence, TURNED_AWAY, turnedAwayBackoffMs, type PaceSign } from '../pace.js'

/** One question at a time for each customer, many customers at once. */
export interface AskParts extends EngineParts<AskEvent> {
  /** Customer numbers in the order in which they are asked, at most so many; a page behind the ones given before; empty at the end. */
  readonly nextCustomers: (limit: number) => readonly number[]
  /** Asks once. Never rejects. Nothing is recorded of what `abort` broke off. */
  readonly ask: (customerNo: number, requestId: string, signal: AbortSignal) => Promise<SourcesSeen>
  /**
   * Keeps what was heard, for good: at most 100 answers a call, no later than a second after they came, and once
   * more at the end. When it throws, the asking ends with that error and it is not called again.
   */
  readonly record: (answers: readonly CustomerAnswer[]) => void
  /** In [0, 1). */
  readonly random: () => number
}

export type AskEvent =
  /** Told before it is recorded. */
  | { readonly kind: 'answer'; readonly answer: CustomerAnswer }
  | { readonly kind: 'pause'; readonly delayMs: number; readonly reason: string }
  | StopEvent

/** The question for one customer: how often it was tried, what never left included, and what the last try brought. */
interface Question {
  readonly customerNo: number
  readonly tries: number
  readonly last: CustomerAnswer | null
}

/**
 * Asks for every customer until all were asked or the asking must stop; resolves with the reason, or null. A question
 * that still waited to be repeated then is not recorded. Nothing is sent but questions (run/README.md#asking).
 * @throws what `record`, `watch` or `nextCustomers` threw, once nothing is under way
 */
export async function askCustomers(parts: AskParts): Promise<Stop | null> {
  const { ask, clock, abort, after, random } = parts
  let brake = startAskBrake()
  const engine = createEngine<Question, AskEvent>(parts, {
    next: (limit) => parts.nextCustomers(limit).map((customerNo) => ({ customerNo, tries: 0, last: null })),
    work: askOne,
    // What the last try brought is what is left of a question that waited in vain.
    leave: (questions) => {
      for (const { last } of questions) {
        if (last === null) continue
        keep(last)
        engine.stopFor(mustStopAsking(brake, last.seen, clock.monotonic()))
      }
    },
  })
  const batch = createAnswerBatch(parts.record, after, (error) => {
    engine.fail(error)
    engine.feed() // ends a pause that nothing else would end before its time
  })

  async function askOne(question: Turn<Question>): Promise<void> {
    const beganMs = clock.monotonic()
    const askedAt = timeOf(clock)
    const requestId = randomUUID()
    const { customerNo } = question
    const seen = await ask(customerNo, requestId, abort) // never rejects
    if (abort.aborted && seen.kind === 'not_read') return // broken off by us, which says nothing of the service
    const tries = question.tries + 1
    hear(question, { customerNo, requestId, askedAt, answeredAt: timeOf(clock), tries, seen }, beganMs)
  }

  function hear(question: Turn<Question>, answer: CustomerAnswer, beganMs: number): void {
    const { seen, tries } = answer
    const nowMs = clock.monotonic()
    brake = noteTry(brake, seen, nowMs)
    const sent = question.sent + (seen.kind === 'not_read' && !seen.started ? 0 : 1)
    const facts = { sent, connectionFailures: brake.failures, random: random() }
    const { next, pauseMs, sign, stop } = judgeAnswer(seen, facts)
    engine.noteSign(sign, beganMs)
    if (next.kind === 'heard') keep(answer)
    if (next.kind === 'again')
      engine.queue.putBack({ ...question, tries, sent, last: answer }, nowMs, nowMs + next.afterMs)
    engine.stopFor(stop ?? mustStopAsking(brake, seen, nowMs))
    if (pauseMs > 0 && seen.kind === 'not_read' && !engine.isStopping() && engine.pause(nowMs + pauseMs))
      engine.tell({ kind: 'pause', delayMs: pauseMs, reason: seen.reason })
  }

  function keep(answer: CustomerAnswer): void {
    brake = noteHeard(brake, answer.seen)
    batch.add(answer)
    engine.tell({ kind: 'answer', answer })
  }

  await engine.run()
  batch.flush()
  return engine.result()
}

/** What became of the question for one customer. Times are ISO 8601. */
export interface CustomerAnswer extends Pick<
  HeardAnswer,
  'customerNo' | 'requestId' | 'askedAt' | 'answeredAt' | 'tries'
> {
  readonly seen: SourcesSeen
}

/** An answer as the ledger keeps it, without what it says of each row. */
export function keptOf(
  seen: SourcesSeen,
): Pick<HeardAnswer, 'answer' | 'status' | 'errorCode' | 'reason' | 'sources'> {
  const { status } = seen
  return seen.kind === 'listed'
    ? { answer: 'listed', status, errorCode: null, reason: null, sources: seen.sources.length }
    : { answer: seen.cause, status, errorCode: seen.errorCode, reason: seen.reason, sources: null }
}

interface TryFacts {
  /** Tries of this question that left, this one included. */
  readonly sent: number
  /** Tries in a row, of all questions, that never left, this one included. */
  readonly connectionFailures: number
  /** In [0, 1). */
  readonly random: number
}

const MAX_SENT = 5

/** It is what will be kept. */
const HEARD = { kind: 'heard' } as const
/** It says nothing of the customer, and the asking ends. */
const DROPPED = { kind: 'dropped' } as const

/** Pure: what one try brought decides how the asking goes on (run/README.md#asking). */
export function judgeAnswer(seen: SourcesSeen, facts: TryFacts) {
  const sign = signOfSources(seen)
  if (seen.kind === 'listed') return { next: HEARD, pauseMs: 0, sign, stop: null }
  if (seen.halt !== null) return { next: DROPPED, pauseMs: 0, sign, stop: stopOfReadHalt(seen.halt) }
  const afterMs = seen.started
    ? turnedAwayBackoffMs(facts.sent, seen.retryAfterMs, facts.random)
    : connectBackoffMs(facts.connectionFailures, facts.random)
  const isOver = !seen.canRepeat || facts.sent >= MAX_SENT
  return {
    next: isOver ? HEARD : ({ kind: 'again', afterMs } as const),
    /** Holds back every question, in milliseconds. */
    pauseMs: isOfService(seen) ? afterMs : (seen.retryAfterMs ?? 0),
    sign,
    stop: stopOfRetryAfter(seen.retryAfterMs),
  }
}

/** It speaks of the service and not of this question. */
const isOfService = ({ started, status }: NotRead): boolean => !started || TURNED_AWAY.includes(status)

/** A refusal is an answer, and says that the pace is kept. */
export function signOfSources(seen: SourcesSeen): PaceSign {
  if (seen.kind === 'listed') return 'clean'
  if (!seen.started) return 'unreached'
  const { status, errorCode, cause } = seen
  if (TURNED_AWAY.includes(status) || status === 503 || isSilence(errorCode)) return 'throttled'
  return cause === 'missing' || cause === 'refused' ? 'clean' : 'neutral'
}

/** Nothing is in doubt after a question, so nothing is there to resolve. */
function stopOfReadHalt(halt: NonNullable<NotRead['halt']>): Stop {
  const { kind, why, next } = stopOfHalt(halt)
  return {
    kind,
    why,
    next: halt === 'redirect' ? 'Check the base URL with the service; no state was changed' : next,
  }
}

const FIRST_MISSING = 3
const UNREAD_IN_A_ROW = 10

export const startAskBrake = () => ({
  ...IN_REACH,
  /** Customers for whom the service answered anything at all. */
  answered: 0,
  /** The statuses of those among the first three who were missing. */
  missing: [] as readonly number[],
  /** Customers in a row who could not be read. */
  unread: 0,
})
/** When an asking ends by itself (run/README.md#asking). */
export type AskBrake = Readonly<ReturnType<typeof startAskBrake>>

/** One try, whatever becomes of its question. */
export function noteTry(brake: AskBrake, seen: SourcesSeen, nowMs: number): AskBrake {
  if (seen.kind === 'not_read' && !seen.started)
    return { ...brake, failures: brake.failures + 1, failingSinceMs: brake.failingSinceMs ?? nowMs }
  return seen.status === null || brake.failures === 0
    ? brake
    : { ...brake, failures: 0, failingSinceMs: null }
}

/** What is kept of one customer. */
export function noteHeard(brake: AskBrake, seen: SourcesSeen): AskBrake {
  const unread = seen.kind === 'listed' ? 0 : brake.unread + 1
  if (seen.status === null) return { ...brake, unread }
  const isMissing = seen.kind === 'not_read' && seen.cause === 'missing'
  const missing =
    isMissing && brake.answered < FIRST_MISSING ? [...brake.missing, seen.status] : brake.missing
  return { ...brake, unread, missing, answered: brake.answered + 1 }
}

/** Whether no further question is asked after this, which `brake` has noted already. */
export function mustStopAsking(brake: AskBrake, seen: SourcesSeen, nowMs: number): Stop | null {
  if (seen.kind === 'listed') return null
  if (brake.missing.length === FIRST_MISSING && brake.answered === FIRST_MISSING) return noReadBack(brake)
  if (brake.unread >= UNREAD_IN_A_ROW)
    return {
      kind: 'unanswered',
      why: `${brake.unread} customers in a row could not be read; of the last: ${seen.reason}`,
      next: 'Ask the service, or wait, then run the same command again; no state was changed',
    }
  if (seen.started || !isOutOfReach(brake, nowMs)) return null
  return {
    kind: 'no_connection',
    why: `The service could not be reached ${brake.failures} times in a row (${seen.errorCode ?? 'no code'})`,
    next: 'Check the base URL and the network, then run the same command again; no state was changed',
  }
}

const noReadBack = ({ missing }: AskBrake): Stop => ({
  kind: 'no_read_back',
  why: `The service answered ${[...new Set(missing)].join(' or ')} to the first ${FIRST_MISSING} questions: it has no read-back, or knows none of these customers`,
  next: 'Ask the service, or try another address; no state was changed',
})

/** Answers are gathered, so that the ledger commits many at once and a crash costs a second's questions at most. */
const RECORD_AT_ONCE = 100
const AT_LATEST_MS = 1_000

/**
 * `record` is called with at least one answer and at most 100. When it throws, `failed` is told, once, and nothing is
 * recorded any more: a timer has nobody to throw to.
 */
export function createAnswerBatch<Answer>(
  record: (answers: readonly Answer[]) => void,
  after: After,
  failed: (error: unknown) => void,
) {
  let gathered: Answer[] = []
  let isRecording = true
  let cancelTimer = (): void => undefined

  /** Records what was gathered; leaves no timer behind. */
  function flush(): void {
    cancelTimer()
    const answers = gathered
    gathered = []
    if (answers.length === 0 || !isRecording) return
    try {
      record(answers)
    } catch (error) {
      isRecording = false
      failed(error)
    }
  }

  return {
    add: (answer: Answer): void => {
      gathered.push(answer)
      if (gathered.length === 1) cancelTimer = after(AT_LATEST_MS, flush)
      if (gathered.length === RECORD_AT_ONCE) flush()
    },
    flush,
  }
}
