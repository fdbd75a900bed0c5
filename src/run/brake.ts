import { type Outcome, isHeldBack } from '../domain/row/outcome.js'
import { type Stop, stopOfHalt } from './stop.js'
/** Limits after which a run stops by itself (run/README.md#brakes). */
/** Rows that may become in doubt where nobody says otherwise. */
export const USUAL_MAX_IN_DOUBT = 10

export interface BrakeLimits {
  /** Rows that may become in doubt in this run; one more stops it. */
  readonly maxInDoubt: number
  /**
   * Stop when the first answer of the run is a doubt without any status. Over TLS 1.3 a missing client certificate
   * shows only after the request was written, so a wrong set-up would otherwise cost more than the canary.
   */
  readonly stopAtCanaryDoubt?: boolean
  /** Refusals in this run; a share counts once `SHARE_FROM` rows were answered. Null for no limit. */
  readonly maxRefused: { readonly kind: 'count' | 'percent'; readonly value: number } | null
}

/** Connection failures in a row, and when they began, monotonic milliseconds. */
export interface Reach {
  readonly failures: number
  readonly failingSinceMs: number | null
}

export interface Brake extends Reach {
  readonly inDoubt: number
  readonly refused: number
  readonly answered: number
  /** The cause of the last refusals in a row, and how many there were. */
  readonly cause: string | null
  readonly causeCount: number
}

const FIRST_REFUSALS = 3
const REFUSALS_IN_A_ROW = 10
const SHARE_FROM = 50
/** A restart of the service takes less; a wrong address should not keep the operator waiting longer. */
const PATIENCE_MS = 30_000
const MIN_FAILURES = 5

export const startBrake = (): Brake => ({
  inDoubt: 0,
  refused: 0,
  answered: 0,
  cause: null,
  causeCount: 0,
  failures: 0,
  failingSinceMs: null,
})

/** Two refusals are the same when only numbers differ: services like to name the row in the message. */
function causeOf(outcome: Outcome & { kind: 'refused' }): string {
  const { status, serviceCode, field, message } = outcome.evidence
  return JSON.stringify([status, serviceCode, field, message?.replace(/\d+/g, '#') ?? null])
}

export function noteOutcome(brake: Brake, outcome: Outcome, nowMs: number): Brake {
  if (outcome.kind === 'not_sent')
    return { ...brake, failures: brake.failures + 1, failingSinceMs: brake.failingSinceMs ?? nowMs }
  // Held back says nothing of how rows are answered: a service that holds half of them must not stop the run.
  if (isHeldBack(outcome)) return { ...brake, failures: 0, failingSinceMs: null }
  const connected = outcome.evidence.status === null ? brake : { ...brake, failures: 0, failingSinceMs: null }
  switch (outcome.kind) {
    case 'registered':
      return { ...connected, answered: brake.answered + 1, cause: null, causeCount: 0 }
    case 'refused': {
      const cause = causeOf(outcome)
      const causeCount = cause === brake.cause ? brake.causeCount + 1 : 1
      return { ...connected, answered: brake.answered + 1, refused: brake.refused + 1, cause, causeCount }
    }
    case 'in_doubt':
      return {
        ...connected,
        answered: brake.answered + 1,
        inDoubt: brake.inDoubt + 1,
        cause: null,
        causeCount: 0,
      }
    case 'turned_away':
      return connected
  }
}

/** Whether the run must stop after this outcome, which `brake` has noted already. */
export function mustStop(brake: Brake, outcome: Outcome, limits: BrakeLimits, nowMs: number): Stop | null {
  if (outcome.halt !== null) return stopOfHalt(outcome.halt)
  if (brake.inDoubt > limits.maxInDoubt)
    return {
      kind: 'max_in_doubt',
      why: `${brake.inDoubt} rows became in doubt in this run, more than the limit of ${limits.maxInDoubt}`,
      next: 'Find out what the service registered, resolve the rows in doubt, then run again',
      ways: ['resolve'],
    }
  if (limits.stopAtCanaryDoubt === true && isCanaryDoubt(brake, outcome)) return CANARY_IN_DOUBT
  return identicalRefusals(brake) ?? tooManyRefused(brake, limits) ?? noConnection(brake, outcome, nowMs)
}

const isCanaryDoubt = (brake: Brake, outcome: Outcome): boolean =>
  outcome.kind === 'in_doubt' &&
  !isHeldBack(outcome) &&
  outcome.evidence.status === null &&
  brake.answered === 1

const CANARY_IN_DOUBT: Stop = {
  kind: 'canary',
  why: 'The first row got no answer at all, so it is in doubt and no other was sent',
  next: 'Check whether the service wants a client certificate (service.clientCertificate), then run again',
}

function identicalRefusals(brake: Brake): Stop | null {
  const areFirst = brake.causeCount === FIRST_REFUSALS && brake.answered === FIRST_REFUSALS
  if (!areFirst && brake.causeCount < REFUSALS_IN_A_ROW) return null
  return {
    kind: 'identical_refusals',
    why: areFirst
      ? `The first ${FIRST_REFUSALS} rows were all refused for the same reason`
      : `${brake.causeCount} rows in a row were refused for the same reason`,
    next: 'Look at to-do/refused.csv: the address, the mapping or the account may be wrong. Then run again',
  }
}

function tooManyRefused(brake: Brake, { maxRefused }: BrakeLimits): Stop | null {
  if (maxRefused === null) return null
  const isOver =
    maxRefused.kind === 'count'
      ? brake.refused > maxRefused.value
      : brake.answered >= SHARE_FROM && brake.refused * 100 > maxRefused.value * brake.answered
  if (!isOver) return null
  return {
    kind: 'max_refused',
    why: `${brake.refused} of ${brake.answered} answered rows were refused, more than the limit allows`,
    next: 'Look at to-do/refused.csv, correct the export or raise the limit, then run again',
  }
}

/** So many connection failures in a row, for so long, that nobody seems to be there. */
export const isOutOfReach = ({ failures, failingSinceMs }: Reach, nowMs: number): boolean =>
  failingSinceMs !== null && failures >= MIN_FAILURES && nowMs - failingSinceMs >= PATIENCE_MS

function noConnection(brake: Brake, outcome: Outcome, nowMs: number): Stop | null {
  const { failures } = brake
  if (!isOutOfReach(brake, nowMs)) return null
  return {
    kind: 'no_connection',
    why: `The service could not be reached ${failures} times in a row (${outcome.evidence.errorCode ?? 'no code'})`,
    next: 'Check the base URL and the network; nothing was sent for these rows. Then run the same command again',
  }
}
