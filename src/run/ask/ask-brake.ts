import type { SourcesSeen } from '../../service/read-back/classify-sources.js'
import { isOutOfReach, type Reach } from '../brake.js'
import type { Stop } from '../stop.js'

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
