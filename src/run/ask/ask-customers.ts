import type { SourcesSeen } from '../../service/read-back/classify-sources.js'
import {
  createEngine,
  fail,
  feed,
  isStopping,
  noteSign,
  pause,
  runEngine,
  stopFor,
  tell,
  type Engine,
  type EngineParts,
  type StopEvent,
  type Turn,
} from '../engine.js'
import type { Stop } from '../stop.js'
import { createAnswerBatch, type AnswerBatch } from './answer-batch.js'
import {
  judgeAnswer,
  mustStopAsking,
  noteHeard,
  noteTry,
  startAskBrake,
  type AskBrake,
  type CustomerAnswer,
} from './judge-answer.js'
import type { Clock } from '../../domain/mandate/date.js'

/** One question at a time for each customer, many customers at once. */
export interface AskParts extends EngineParts<AskEvent> {
  /** Customer numbers in the order in which they are asked, at most so many; a page behind the ones given before; empty at the end. */
  readonly nextCustomers: (limit: number) => readonly number[]
  /** Asks once. Never rejects. Nothing is recorded of what `abort` broke off. */
  readonly ask: (customerNo: number, requestId: string, signal: AbortSignal) => Promise<SourcesSeen>
  readonly newRequestId: () => string
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

interface Asking extends Engine<Question, AskEvent> {
  readonly parts: AskParts
  readonly batch: AnswerBatch<CustomerAnswer>
  brake: AskBrake
  isRecording: boolean
}

/**
 * Asks for every customer until all were asked or the asking must stop; resolves with the reason, or null. A question
 * that still waited to be repeated then is not recorded. Nothing is sent but questions (run/README.md#asking).
 * @throws what `record`, `watch` or `nextCustomers` threw, once nothing is under way
 */
export async function askCustomers(parts: AskParts): Promise<Stop | null> {
  const asking = startAsking(parts)
  await runEngine(asking)
  asking.batch.flush()
  if (asking.failure !== null) throw asking.failure.error
  return asking.stop
}

function startAsking(parts: AskParts): Asking {
  const asking: Asking = {
    ...createEngine<Question, AskEvent>(parts, {
      next: (limit) => parts.nextCustomers(limit).map((customerNo) => ({ customerNo, tries: 0, last: null })),
      work: (question) => askOne(asking, question),
      leave: (questions) => {
        for (const { last } of questions) if (last !== null) giveUp(asking, last)
      },
    }),
    parts,
    batch: createAnswerBatch<CustomerAnswer>((answers) => record(asking, answers), parts.after),
    brake: startAskBrake(),
    isRecording: true,
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

async function askOne(asking: Asking, question: Turn<Question>): Promise<void> {
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

function hear(asking: Asking, question: Turn<Question>, answer: CustomerAnswer, beganMs: number): void {
  const { clock, random } = asking.parts
  const { seen, tries } = answer
  const nowMs = clock.monotonic()
  asking.brake = noteTry(asking.brake, seen, nowMs)
  const sent = question.sent + (seen.kind === 'not_read' && !seen.started ? 0 : 1)
  const { failures } = asking.brake
  const judged = judgeAnswer(seen, { sent, connectionFailures: failures, random: random() })
  noteSign(asking, judged.sign, beganMs)
  const { next, pauseMs } = judged
  if (next.kind === 'heard') keep(asking, answer)
  if (next.kind === 'again')
    asking.queue.putBack({ ...question, tries, sent, last: answer }, nowMs, nowMs + next.afterMs)
  stopFor(asking, judged.stop ?? mustStopAsking(asking.brake, seen, nowMs))
  if (pauseMs > 0 && seen.kind === 'not_read' && !isStopping(asking) && pause(asking, nowMs + pauseMs))
    tell(asking, { kind: 'pause', delayMs: pauseMs, reason: seen.reason })
}

function keep(asking: Asking, answer: CustomerAnswer): void {
  asking.brake = noteHeard(asking.brake, answer.seen)
  asking.batch.add(answer)
  tell(asking, { kind: 'answer', answer })
}

/** A question that waited in vain is over: what its last try brought is what is left of it. */
function giveUp(asking: Asking, last: CustomerAnswer): void {
  keep(asking, last)
  stopFor(asking, mustStopAsking(asking.brake, last.seen, asking.parts.clock.monotonic()))
}
