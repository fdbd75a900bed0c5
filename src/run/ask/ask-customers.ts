import type { Clock } from '../../domain/text/clock.js'
import type { SourcesSeen } from '../../service/read-back/classify-sources.js'
import type { After } from '../deliver.js'
import {
  departuresOf,
  noteDeparture,
  noteSign,
  pauseUntil,
  startPace,
  type Pace,
  type PaceLimits,
} from '../pace/pace.js'
import { INTERRUPTED, outranks, type Stop } from '../stop.js'
import { createAnswerBatch, type AnswerBatch } from './answer-batch.js'
import { mustStopAsking, noteHeard, noteTry, startAskBrake, type AskBrake } from './ask-brake.js'
import { judgeAnswer, type CustomerAnswer } from './judge-answer.js'
import { createQuestionQueue, type Question, type QuestionQueue } from './question-queue.js'

/** One question at a time for each customer, many customers at once. */
export interface AskParts {
  /** Customer numbers in the order in which they are asked, at most so many; a page behind the ones given before; empty at the end. */
  readonly nextCustomers: (limit: number) => readonly number[]
  /** Asks once. Never rejects. */
  readonly ask: (customerNo: number, requestId: string, signal: AbortSignal) => Promise<SourcesSeen>
  readonly newRequestId: () => string
  /**
   * Keeps what was heard, for good: at most 100 answers a call, no later than a second after they came, and once
   * more at the end. When it throws, the asking ends with that error and it is not called again.
   */
  readonly record: (answers: readonly CustomerAnswer[]) => void
  readonly policy: PaceLimits
  readonly clock: Clock
  readonly after: After
  /** In [0, 1). */
  readonly random: () => number
  /** Aborted by the first signal: no new question, what is under way finishes. */
  readonly drain: AbortSignal
  /** Aborted by the second signal: what is under way is broken off, and nothing is recorded for it. */
  readonly abort: AbortSignal
  /** When it throws, the asking ends with that error; what was heard is recorded. */
  readonly watch: (event: AskEvent) => void
}

export type AskEvent =
  /** Told before it is recorded. */
  | { readonly kind: 'answer'; readonly answer: CustomerAnswer }
  | { readonly kind: 'pause'; readonly delayMs: number; readonly reason: string }
  | { readonly kind: 'stop'; readonly stop: Stop }

/** What an asking knows while it goes on. The functions below change it; nobody else sees it. */
interface Asking {
  readonly parts: AskParts
  readonly queue: QuestionQueue
  readonly batch: AnswerBatch<CustomerAnswer>
  underWay: number
  pace: Pace
  brake: AskBrake
  stop: Stop | null
  failure: { readonly error: unknown } | null
  isRecording: boolean
  cancelTimer: () => void
  readonly end: () => void
}

/**
 * Asks for every customer until all were asked or the asking must stop; resolves with the reason, or null. A question
 * that still waited to be repeated then is not recorded. Nothing is sent but questions, and memory does not grow with
 * the number of customers (run/README.md#asking).
 * @throws what `record`, `watch` or `nextCustomers` threw, once nothing is under way
 */
export async function askCustomers(parts: AskParts): Promise<Stop | null> {
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  const asking = startAsking(parts, end)
  const goOn = (): void => feed(asking)
  const signals = [parts.drain, parts.abort]
  for (const signal of signals) signal.addEventListener('abort', goOn)
  feed(asking)
  await ended
  for (const signal of signals) signal.removeEventListener('abort', goOn)
  asking.batch.flush()
  if (asking.failure !== null) throw asking.failure.error
  return asking.stop
}

function startAsking(parts: AskParts, end: () => void): Asking {
  const asking: Asking = {
    parts,
    queue: createQuestionQueue(parts.nextCustomers),
    batch: createAnswerBatch<CustomerAnswer>((answers) => record(asking, answers), parts.after),
    underWay: 0,
    pace: startPace(parts.policy, parts.clock.monotonic()),
    brake: startAskBrake(),
    stop: null,
    failure: null,
    isRecording: true,
    cancelTimer: () => undefined,
    end,
  }
  return asking
}

function record(asking: Asking, answers: readonly CustomerAnswer[]): void {
  if (!asking.isRecording) return
  try {
    asking.parts.record(answers)
  } catch (error) {
    asking.isRecording = false
    fail(asking, error)
    feed(asking) // ends a pause that nothing else would end before its time
  }
}

async function askOne(asking: Asking, question: Question): Promise<void> {
  const { ask, clock, newRequestId, abort } = asking.parts
  const beganMs = clock.monotonic()
  const askedAt = timeOf(clock)
  const requestId = newRequestId()
  const { customerNo } = question
  const seen = await ask(customerNo, requestId, abort) // never rejects
  if (abort.aborted && seen.kind === 'not_read') return // broken off by us, which says nothing of the service
  const tries = question.tries + 1
  hear(asking, question, { customerNo, requestId, askedAt, answeredAt: timeOf(clock), tries, seen }, beganMs)
}

const timeOf = (clock: Clock): string => new Date(clock.now()).toISOString()

function hear(asking: Asking, question: Question, answer: CustomerAnswer, beganMs: number): void {
  const { clock, random } = asking.parts
  const { seen, tries } = answer
  const nowMs = clock.monotonic()
  asking.brake = noteTry(asking.brake, seen, nowMs)
  const sent = question.sent + (seen.kind === 'not_read' && !seen.started ? 0 : 1)
  const { failures } = asking.brake
  const judged = judgeAnswer(seen, { sent, connectionFailures: failures, random: random() })
  asking.pace = noteSign(asking.pace, judged.sign, { beganMs, nowMs, underWay: asking.underWay })
  const { next } = judged
  if (next.kind === 'heard') keep(asking, answer)
  if (next.kind === 'again')
    asking.queue.putBack({ ...question, tries, sent, last: answer }, nowMs, nowMs + next.afterMs)
  stopFor(asking, judged.stop ?? mustStopAsking(asking.brake, seen, nowMs))
  if (judged.pauseMs > 0 && seen.kind === 'not_read' && !isStopping(asking))
    pause(asking, nowMs + judged.pauseMs, seen.reason)
}

function keep(asking: Asking, answer: CustomerAnswer): void {
  asking.brake = noteHeard(asking.brake, answer.seen)
  asking.batch.add(answer)
  tell(asking, { kind: 'answer', answer })
}

function pause(asking: Asking, untilMs: number, reason: string): void {
  const paused = pauseUntil(asking.pace, untilMs)
  if (paused === asking.pace) return
  asking.pace = paused
  tell(asking, { kind: 'pause', delayMs: untilMs - asking.parts.clock.monotonic(), reason })
}

function stopFor(asking: Asking, stop: Stop | null): void {
  if (stop === null || !outranks(stop, asking.stop)) return
  asking.stop = stop
  tell(asking, { kind: 'stop', stop })
}

/** Whoever watches costs no answer. */
function tell(asking: Asking, event: AskEvent): void {
  try {
    asking.parts.watch(event)
  } catch (error) {
    fail(asking, error)
  }
}

function fail(asking: Asking, error: unknown): void {
  asking.failure ??= { error }
}

const isStopping = ({ stop, failure }: Asking): boolean => stop !== null || failure !== null

/** Takes questions up while there are slots; otherwise sets one timer for the moment that something changes. */
function feed(asking: Asking): void {
  const { drain, abort } = asking.parts
  asking.cancelTimer()
  if (drain.aborted || abort.aborted) stopFor(asking, INTERRUPTED)
  try {
    while (asking.underWay < asking.pace.ramp.slots && !isStopping(asking) && !asking.queue.isEmpty())
      if (!takeNext(asking)) break
  } catch (error) {
    fail(asking, error)
  }
  if (asking.underWay === 0 && (isStopping(asking) || asking.queue.isEmpty())) asking.end()
}

/** False where nothing can be taken up now; a timer is set then. */
function takeNext(asking: Asking): boolean {
  const { queue, pace, parts } = asking
  const nowMs = parts.clock.monotonic()
  const { anyFromMs, repeatFromMs } = departuresOf(pace, nowMs)
  const question = anyFromMs > nowMs ? null : queue.take(nowMs, repeatFromMs)
  if (question !== null) takeUp(asking, question, nowMs)
  else if (!giveUpOne(asking, anyFromMs, repeatFromMs, nowMs)) {
    const atMs = anyFromMs > nowMs ? anyFromMs : (queue.nextDueMs(repeatFromMs) ?? nowMs)
    asking.cancelTimer = parts.after(Math.max(1, Math.ceil(atMs - nowMs)), () => feed(asking))
    return false
  }
  return true
}

function takeUp(asking: Asking, question: Question, nowMs: number): void {
  asking.pace = noteDeparture(asking.pace, question.sent > 0, nowMs)
  asking.underWay += 1
  void askOne(asking, question)
    .catch((error: unknown) => fail(asking, error))
    .finally(() => {
      asking.underWay -= 1
      feed(asking)
    })
}

/** A question that waited in vain is over: what its last try brought is what is left of it. */
function giveUpOne(asking: Asking, anyFromMs: number, repeatFromMs: number, nowMs: number): boolean {
  const last = asking.queue.giveUp(anyFromMs, repeatFromMs)?.last ?? null
  if (last === null) return false
  keep(asking, last)
  stopFor(asking, mustStopAsking(asking.brake, last.seen, nowMs))
  return true
}
