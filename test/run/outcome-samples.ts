import type { AssignedIdentity } from '../../src/domain/mandate/mandate.js'
import type { ExchangeEvidence, Halt, Outcome } from '../../src/domain/row/row-state.js'
const ASSIGNED: AssignedIdentity = {
  creditorIdentifier: 'DE79ZZZ01234567890',
  mandateReference: 'NEW-00000001',
}

const evidenceOf = (seen: Partial<ExchangeEvidence> = {}): ExchangeEvidence => ({
  started: true,
  status: null,
  errorCode: null,
  serviceCode: null,
  field: null,
  message: null,
  answer: null,
  durationMs: 5,
  retryAfterMs: null,
  ...seen,
})

type Seen = Partial<ExchangeEvidence> & { readonly halt?: Halt }

const seenWith = (reason: string, { halt, ...evidence }: Seen) => ({
  reason,
  halt: halt ?? null,
  evidence: evidenceOf(evidence),
})

/** One outcome of each kind, with the evidence that matters to a test. */
export const registered = (seen: Seen = {}, value = ASSIGNED): Outcome & { kind: 'registered' } => ({
  kind: 'registered',
  value,
  notes: [],
  ...seenWith('The service answered 200 with a complete answer', { status: 200, ...seen }),
})

export const refused = (seen: Seen = {}): Outcome & { kind: 'refused' } => ({
  kind: 'refused',
  ...seenWith('The service answered 422: refused', { status: 422, ...seen }),
})

export const turnedAway = (seen: Seen = {}): Outcome & { kind: 'turned_away' } => ({
  kind: 'turned_away',
  ...seenWith('The service answered 429: not now, try later', { status: 429, ...seen }),
})

/** What `NOT_AVAILABLE_YET` becomes: it speaks of one row, not of the service. */
export const notAvailableYet = (seen: Seen = {}): Outcome & { kind: 'turned_away' } =>
  turnedAway({ status: 404, serviceCode: 'NOT_AVAILABLE_YET', ...seen })

export const notSent = (seen: Seen = {}): Outcome & { kind: 'not_sent' } => ({
  kind: 'not_sent',
  ...seenWith('The service refused the connection (ECONNREFUSED): nothing was sent', {
    started: false,
    errorCode: 'ECONNREFUSED',
    ...seen,
  }),
})

export const inDoubt = (
  seen: Seen = {},
  hint: 'probably_registered' | 'unknown' = 'unknown',
): Outcome & { kind: 'in_doubt' } => ({
  kind: 'in_doubt',
  hint,
  ...seenWith('The connection broke before the answer was complete', { errorCode: 'ECONNRESET', ...seen }),
})
