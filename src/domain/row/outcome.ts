import type { AssignedIdentity } from '../mandate/mandate.js'
import type { RuleId } from '../rule/rules.js'
import { plural } from '../text/wording.js'

/** Why a run must stop because of one exchange. */
export type Halt =
  | 'credentials' // 401, 403, 407: exit 6
  | 'certificate' // TLS or proxy set-up is wrong
  | 'redirect' // a 3xx was answered
  | 'echo_mismatch' // answers may be shifted by one
  | 'reference_repeated' // the service gave one reference to two rows
  | 'request_rejected_locally' // undici refused our arguments: a bug of ours
  | 'no_read_back' // asked before sending, the service has no answer to that question at all
  | 'unanswered' // asked before sending, it could not be read for many rows in a row

/** Everything an exchange left behind, masked and bounded; kept with the attempt. */
export interface Evidence {
  /** True once the first byte of the request may have been handed to the socket. */
  readonly started: boolean
  /** HTTP status, where a status line arrived. */
  readonly status: number | null
  /** The error code of the transport, where there was one (`ECONNRESET`, `UND_ERR_…`). */
  readonly errorCode: string | null
  /** The envelope's `status` word, a hint only. */
  readonly serviceCode: string | null
  readonly field: string | null
  readonly message: string | null
  /** At most 2 KiB of the answer, account numbers masked. */
  readonly answer: string | null
  /** Wall time of the exchange in milliseconds, from a monotonic clock. */
  readonly durationMs: number
  /** How long the service asked us to wait, in milliseconds, whatever the status. */
  readonly retryAfterMs: number | null
}

/** Of a request that never left. */
export const NOTHING_LEFT: Evidence = {
  started: false,
  status: null,
  errorCode: null,
  serviceCode: null,
  field: null,
  message: null,
  answer: null,
  durationMs: 0,
  retryAfterMs: null,
}

interface Seen {
  readonly evidence: Evidence
  /** One sentence for the operator. */
  readonly reason: string
  /** Set when the whole run must stop, whatever becomes of the row. */
  readonly halt: Halt | null
}

/**
 * What a doubt leans to. `probably_registered`: a 2xx was seen that names no other mandate. `may_exist`: the service
 * refused because of the state of an object of its own, which this very mandate may be.
 */
export const DOUBT_HINTS = ['probably_registered', 'may_exist', 'unknown'] as const
export type DoubtHint = (typeof DOUBT_HINTS)[number]

/** What one HTTP exchange proved (service/README.md#outcomes). A send never throws: it always ends in one of these. */
export type Outcome<Value = AssignedIdentity> =
  /** A definite yes. `notes` are the RESPONSE_* rules that were seen. */
  | (Seen & { readonly kind: 'registered'; readonly value: Value; readonly notes: readonly RuleId[] })
  /** A definite no. */
  | (Seen & { readonly kind: 'refused' })
  /** Answered "not now" without processing: ready again. */
  | (Seen & { readonly kind: 'turned_away' })
  /** No byte was handed to the socket: ready again. */
  | (Seen & { readonly kind: 'not_sent' })
  /** May have been applied. Never sent again. */
  | (Seen & { readonly kind: 'in_doubt'; readonly hint: DoubtHint })

export type OutcomeKind = Outcome['kind']

/** In doubt although no byte of its request left: the service holds it already. */
export const isHeldBack = ({ kind, evidence }: Pick<Outcome, 'kind' | 'evidence'>): boolean =>
  kind === 'in_doubt' && !evidence.started

/** A request that left may still arrive and be applied for this long, in milliseconds. */
export const LATE_REQUEST_MS = 15 * 60 * 1_000

/** What a decision says that let a row go out while its earlier request could still arrive; `ms` after that left. */
export const forcedText = (ms: number): string =>
  `forced, ${plural(Math.max(0, Math.floor(ms / 60_000)), 'minute', 'minutes')} after the attempt`

const FORCED = /^forced, \d+ minutes? after the attempt/

/** True for the evidence of such a decision. */
export const isForced = (evidence: string | null): boolean => evidence !== null && FORCED.test(evidence)
