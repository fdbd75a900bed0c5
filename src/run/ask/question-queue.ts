import { LONGEST_WAIT_MS } from '../pace/backoff.js'
import type { CustomerAnswer } from './judge-answer.js'

/** The question for one customer. Times are monotonic milliseconds. */
export interface Question {
  readonly customerNo: number
  /** Tries so far, and those of them that left. */
  readonly tries: number
  readonly sent: number
  /** What the last try brought, or null. */
  readonly last: CustomerAnswer | null
  /** When it first had to wait, or null. */
  readonly waitsSinceMs: number | null
}

/** Which question is next: those whose wait is over, then new customers. Holds a bounded number. */
export interface QuestionQueue {
  /** `repeatFromMs`: when the retry budget lets a question leave again. Null where none may leave now. */
  readonly take: (nowMs: number, repeatFromMs: number) => Question | null
  readonly putBack: (question: Question, nowMs: number, dueMs: number) => void
  /** Lets go of one that cannot leave within a quarter of an hour after it first had to wait; null where none is. */
  readonly giveUp: (anyFromMs: number, repeatFromMs: number) => Question | null
  /** When the first waiting question may leave, or null where none waits. */
  readonly nextDueMs: (repeatFromMs: number) => number | null
  readonly isEmpty: () => boolean
}

interface Waiting {
  readonly question: Question
  readonly dueMs: number
}

const PAGE = 256
/** Above this no new customer is asked for until one that waits is due. */
const MAX_WAITING = 1_000
/** Timers are late when the machine is busy; a question is not given up for that. */
const LATE_MS = 1_000

/** A question that never left has cost the service nothing, so it needs no share of the retry budget. */
const leavesAtMs = ({ question, dueMs }: Waiting, repeatFromMs: number): number =>
  question.sent > 0 ? Math.max(dueMs, repeatFromMs) : dueMs

export function createQuestionQueue(nextCustomers: (limit: number) => readonly number[]): QuestionQueue {
  const waiting: Waiting[] = []
  let page: readonly number[] = []
  let at = 0
  let isRead = false

  function hasNew(): boolean {
    if (at === page.length && !isRead) {
      page = nextCustomers(PAGE)
      at = 0
      isRead = page.length === 0
    }
    return at < page.length
  }

  function takeWaiting(isIt: (entry: Waiting) => boolean): Question | null {
    const index = waiting.findIndex(isIt)
    return index === -1 ? null : (waiting.splice(index, 1)[0]?.question ?? null)
  }

  function takeNew(): Question | null {
    const customerNo = waiting.length < MAX_WAITING && hasNew() ? page[at] : undefined
    if (customerNo === undefined) return null
    at += 1
    return { customerNo, tries: 0, sent: 0, last: null, waitsSinceMs: null }
  }

  return {
    take: (nowMs, repeatFromMs) =>
      takeWaiting((entry) => leavesAtMs(entry, repeatFromMs) <= nowMs) ?? takeNew(),
    putBack: (question, nowMs, dueMs) => {
      waiting.push({ question: { ...question, waitsSinceMs: question.waitsSinceMs ?? nowMs }, dueMs })
    },
    giveUp: (anyFromMs, repeatFromMs) =>
      takeWaiting((entry) => {
        const untilMs = (entry.question.waitsSinceMs ?? 0) + LONGEST_WAIT_MS + LATE_MS
        return Math.max(anyFromMs, leavesAtMs(entry, repeatFromMs)) > untilMs
      }),
    nextDueMs: (repeatFromMs) =>
      waiting.length === 0 ? null : Math.min(...waiting.map((entry) => leavesAtMs(entry, repeatFromMs))),
    isEmpty: () => waiting.length === 0 && !hasNew(),
  }
}
