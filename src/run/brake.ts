import { choiceText, type CountedChoice } from '../domain/row/choice.js'
import type { Ledger } from '../ledger/file/writer.js'
import { durationText, plural } from '../domain/text/text.js'
import { HALTS, type Outcome, type Halt, isHeldBack } from '../domain/row/row-state.js'

/** Why a run ended before every ready row was sent. */
type StopKind =
  | Halt
  | 'signal'
  | 'limit'
  | 'max_duration'
  | 'max_in_doubt'
  | 'max_refused'
  | 'identical_refusals'
  | 'no_connection'
  | 'retry_after'
  | 'turned_away'
  | 'waited'
  | 'held' // the gate held rows that had been ready
  | 'canary'
  | 'declined'
  | 'waiting'
  | 'choice'

export interface Stop {
  readonly kind: StopKind
  /** One sentence: what was seen. */
  readonly why: string
  /** What the operator should do before running again. */
  readonly next: string
}

export const stopOfHalt = (halt: Halt): Stop => ({ kind: halt, ...HALTS[halt] })

/** The first stop tells why the run ended; only refused credentials outrank it, since nothing goes on without them. */
export const outranks = (stop: Stop, earlier: Stop | null): boolean =>
  earlier === null || (stop.kind === 'credentials' && earlier.kind !== 'credentials')

/** Above this the operator should know rather than watch a bar that does not move. */
const MAX_RETRY_AFTER_MS = 15 * 60_000

/** Null where the service asks for no wait, milliseconds, or for one that can be waited. */
export const stopOfRetryAfter = (retryAfterMs: number | null): Stop | null =>
  retryAfterMs === null || retryAfterMs <= MAX_RETRY_AFTER_MS
    ? null
    : {
        kind: 'retry_after',
        why: `The service asked to wait for ${durationText(retryAfterMs)}`,
        next: 'Run the same command again after that time',
      }

export const INTERRUPTED: Stop = {
  kind: 'signal',
  why: 'The run was interrupted',
  next: 'Run the same command again to continue',
}

export const OUT_OF_TIME: Stop = {
  kind: 'max_duration',
  why: 'The time that this run may take is over',
  next: 'Run the same command again to continue',
}

/** Rows that the service does not know yet must not hold a run for hours. */
export const waitedInVain = (rows: number): Stop => ({
  kind: 'waited',
  why: `The service turned ${rows === 1 ? 'a row' : `${rows} rows`} away for a quarter of an hour`,
  next: 'These rows are ready: run the same command again later, when the service knows their customers',
})

/** What was ready when it was read, and not when it was to leave. */
export const heldAtGate = ({ rows, because }: { rows: number; because: string }): Stop => ({
  kind: 'held',
  why: `${rows === 1 ? 'A row was' : `${rows} rows were`} held at the last moment: ${because}`,
  next: 'Nothing of them left. Run the same command again, and look at them in the report if they are held again',
})

export const PILOT_DONE: Stop = {
  kind: 'limit',
  why: 'The row limit of this run was reached',
  next: 'Compare these mandates with the service, then go on without a limit, or under the next plan',
}

/** Rows that were in doubt and were called something else since; null where none has to wait. */
export const stopOfWaiting = ({ count, until }: ReturnType<Ledger['waiting']>): Stop | null =>
  until === null
    ? null
    : {
        kind: 'waiting',
        why: `${count === 1 ? 'One row was' : `${count} rows were`} in doubt less than 15 minutes ago, so the earlier request may still arrive`,
        next: `Look again whether the service has ${count === 1 ? 'the mandate' : 'the mandates'}, and run the same command after ${until}`,
      }

/** What is ready although this run has sent all that it was told to; null where nothing is. */
export const stopOfChoice = (choice: CountedChoice | null): Stop | null =>
  choice === null || choice.left === 0
    ? null
    : {
        kind: 'choice',
        why: `No row that this run was told to send (${choiceText(choice)}) is ready any more, and ${plural(choice.left, 'other is', 'others are')}`,
        next: 'Compare what was registered with the service, then run again for the others',
      }

export const DECLINED: Stop = {
  kind: 'declined',
  why: 'The host name was not confirmed, so nothing was sent, and the ledger is as it was',
  next: 'Run again with the same files and type the host name. A ledger that has sent from here before needs no answer (--yes)',
}

/** Rows that may become in doubt where nobody says otherwise. */
export const USUAL_MAX_IN_DOUBT = 10

/** Limits after which a run stops by itself (run/README.md#brakes). */
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
export const IN_REACH = { failures: 0, failingSinceMs: null as number | null }
export type Reach = Readonly<typeof IN_REACH>

const FIRST_REFUSALS = 3
const REFUSALS_IN_A_ROW = 10
const SHARE_FROM = 50
/** A restart of the service takes less. */
const PATIENCE = { failures: 5, ms: 30_000 }
/** Before the first answer of a run an address that is wrong, or a service that is down, is likelier than a restart. */
const FIRST_PATIENCE = { failures: 2, ms: 5_000 }

export const startBrake = () => ({
  ...IN_REACH,
  /** The service said anything at all in this run. */
  isHeard: false,
  inDoubt: 0,
  refused: 0,
  answered: 0,
  /** The cause of the last refusals in a row, and how many there were. */
  cause: null as string | null,
  causeCount: 0,
})
export type Brake = Readonly<ReturnType<typeof startBrake>>

/** Two refusals are the same when only numbers differ: services like to name the row in the message. */
function causeOf(outcome: Outcome & { kind: 'refused' }): string {
  const { status, serviceCode, field, message } = outcome.evidence
  return JSON.stringify([status, serviceCode, field, message?.replace(/\d+/g, '#') ?? null])
}

export function noteOutcome(brake: Brake, outcome: Outcome, nowMs: number): Brake {
  if (outcome.kind === 'not_sent')
    return { ...brake, failures: brake.failures + 1, failingSinceMs: brake.failingSinceMs ?? nowMs }
  // Held back says nothing of how rows are answered: a service that holds half of them must not stop the run.
  const heard = { ...brake, isHeard: true, failures: 0, failingSinceMs: null }
  if (isHeldBack(outcome)) return heard
  const connected = outcome.evidence.status === null ? brake : heard
  if (outcome.kind === 'turned_away') return connected
  const cause = outcome.kind === 'refused' ? causeOf(outcome) : null
  return {
    ...connected,
    answered: brake.answered + 1,
    inDoubt: brake.inDoubt + (outcome.kind === 'in_doubt' ? 1 : 0),
    refused: brake.refused + (outcome.kind === 'refused' ? 1 : 0),
    cause,
    causeCount: cause === null ? 0 : cause === brake.cause ? brake.causeCount + 1 : 1,
  }
}

/** Whether the run must stop after this outcome, which `brake` has noted already. */
export function mustStop(brake: Brake, outcome: Outcome, limits: BrakeLimits, nowMs: number): Stop | null {
  if (outcome.halt !== null) return stopOfHalt(outcome.halt)
  if (brake.inDoubt > limits.maxInDoubt)
    return {
      kind: 'max_in_doubt',
      why: `${brake.inDoubt} rows became in doubt in this run, more than the limit of ${limits.maxInDoubt}`,
      next: 'Find out what the service registered, resolve the rows in doubt, then run again (sepa-migrate help doubts)',
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
export const isOutOfReach = (
  { failures, failingSinceMs }: Reach,
  nowMs: number,
  patience = PATIENCE,
): boolean =>
  failingSinceMs !== null && failures >= patience.failures && nowMs - failingSinceMs >= patience.ms

function noConnection(brake: Brake, outcome: Outcome, nowMs: number): Stop | null {
  const { failures } = brake
  if (!isOutOfReach(brake, nowMs, brake.isHeard ? PATIENCE : FIRST_PATIENCE)) return null
  return {
    kind: 'no_connection',
    why: `The service could not be reached ${failures} times in a row (${outcome.evidence.errorCode ?? 'no code'})`,
    next: 'Check the base URL and the network; nothing was sent for these rows. Then run the same command again',
  }
}
