import type { NotRead, SourcesSeen } from '../../service/read-back/classify-sources.js'
import type { HeardAnswer } from '../../ledger/ledger.js'
import { isOutOfReach, type Reach } from '../brake.js'
import { connectBackoffMs, isSilence, TURNED_AWAY, turnedAwayBackoffMs, type PaceSign } from '../pace.js'
import { stopOfHalt, stopOfRetryAfter, type Stop } from '../stop.js'

/** What became of the question for one customer. Times are ISO 8601. */
export interface CustomerAnswer {
  readonly customerNo: number
  /** Of the last try. */
  readonly requestId: string
  /** When the last try began. */
  readonly askedAt: string
  readonly answeredAt: string
  /** How often it was tried, what never left included. */
  readonly tries: number
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

/** What follows from one try. */
interface Judged {
  /** Heard: it is what will be kept. Dropped: it says nothing of the customer, and the asking ends. */
  readonly next: { readonly kind: 'heard' | 'dropped' } | { readonly kind: 'again'; readonly afterMs: number }
  /** Holds back every question, in milliseconds. */
  readonly pauseMs: number
  readonly sign: PaceSign
  readonly stop: Stop | null
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

/** Pure: what one try brought decides how the asking goes on (run/README.md#asking). */
export function judgeAnswer(seen: SourcesSeen, facts: TryFacts): Judged {
  const sign = signOfSources(seen)
  if (seen.kind === 'listed') return { next: { kind: 'heard' }, pauseMs: 0, sign, stop: null }
  if (seen.halt !== null)
    return { next: { kind: 'dropped' }, pauseMs: 0, sign, stop: stopOfReadHalt(seen.halt) }
  const afterMs = seen.started
    ? turnedAwayBackoffMs(facts.sent, seen.retryAfterMs, facts.random)
    : connectBackoffMs(facts.connectionFailures, facts.random)
  const isOver = !seen.canRepeat || facts.sent >= MAX_SENT
  return {
    next: isOver ? { kind: 'heard' } : { kind: 'again', afterMs },
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

/** When an asking ends by itself (run/README.md#asking). */
export interface AskBrake extends Reach {
  /** Customers for whom the service answered anything at all. */
  readonly answered: number
  /** The statuses of those among the first three who were missing. */
  readonly missing: readonly number[]
  /** Customers in a row who could not be read. */
  readonly unread: number
}

const FIRST_MISSING = 3
const UNREAD_IN_A_ROW = 10

export const startAskBrake = (): AskBrake => ({
  failures: 0,
  failingSinceMs: null,
  answered: 0,
  missing: [],
  unread: 0,
})

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
