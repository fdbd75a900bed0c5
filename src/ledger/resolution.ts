import type { RowEvent, RowState } from '../domain/row-state.js'
import { transition } from '../domain/row-state.js'
import { prepareAccountRemoval } from './account-removal.js'
import { noteChange } from './campaign-rows.js'
import type { Connection } from './connection.js'
import type { Decision, Resolution, ResolutionReport, ResolutionResult } from './ledger.js'

/** A request that left may still arrive and be applied for this long (engineering-facts.md 9). */
const RESEND_WAIT_MS = 15 * 60 * 1_000

const EVENT_OF = {
  registered: 'resolved_registered',
  refused: 'resolved_refused',
  resend: 'resolved_resend',
  written_off: 'resolved_written_off',
} as const satisfies Record<Decision, RowEvent>

interface Subject {
  readonly id: number
  readonly state: RowState
  readonly attempts: number
  readonly mandateKey: string
  readonly attemptId: number | null
  readonly startedAt: string | null
}

interface Approved {
  readonly subject: Subject
  readonly resolution: Resolution
  readonly to: RowState
}

interface Rejection {
  readonly message: string
  readonly next: string
}

interface ResolveParts {
  readonly connection: Connection
  readonly nowMs: number
  readonly resolutions: readonly Resolution[]
  readonly dryRun: boolean
  readonly force: boolean
}

/** All of them or none: a list with one mistake records nothing, and says what is wrong with each row. */
export function resolveRows(parts: ResolveParts): ResolutionReport {
  const { connection, resolutions, dryRun } = parts
  const examine = prepareExamining(parts)
  const examined = resolutions.map((resolution) => ({ resolution, verdict: examine(resolution) }))
  const results = examined.map(({ resolution: { rowId }, verdict }): ResolutionResult =>
    'message' in verdict
      ? { kind: 'rejected', rowId, ...verdict }
      : { kind: 'resolved', rowId, from: verdict.subject.state, to: verdict.to },
  )
  const approved = examined.flatMap(({ verdict }) => ('message' in verdict ? [] : [verdict]))
  if (dryRun || approved.length < resolutions.length || approved.length === 0) {
    return { isApplied: false, results }
  }
  const at = new Date(parts.nowMs).toISOString()
  const apply = prepareApplying(connection, at)
  for (const each of approved) apply(each)
  noteChange(connection, at)
  return { isApplied: true, results }
}

function prepareExamining({ connection, nowMs, force }: ResolveParts) {
  const read = connection.prepare<[number], Subject>(
    `select row.id, state, attempts, row.mandate_key as mandateKey, attempt.id as attemptId,
       started_at as startedAt
     from row left join attempt on row_id = row.id and n = attempts where row.id = ?`,
  )
  const assigned = connection
    .prepare<[string], number>('select id from row where assigned_mandate_reference = ? collate nocase')
    .pluck()
  const rows = new Set<number>()
  const references = new Set<string>()

  function faultOf(resolution: Resolution, subject: Subject | undefined): Rejection | null {
    const { rowId, decision } = resolution
    if (subject === undefined) {
      return { message: `There is no row ${rowId}`, next: 'Take the number from in-doubt.csv' }
    }
    if (rows.has(rowId))
      return { message: `Row ${rowId} is in the list twice`, next: 'Keep one decision per row' }
    rows.add(rowId)
    if (resolution.by.trim() === '' || resolution.reason.trim() === '') {
      return { message: `Row ${rowId} needs a person and a reason`, next: 'Give --by and --reason' }
    }
    const { state } = subject
    if (state !== 'in_doubt' && !(decision === 'written_off' && (state === 'ready' || state === 'refused'))) {
      return {
        message: `Row ${rowId} is ${state.replace('_', ' ')}, not in doubt`,
        next: nextFor(state, decision),
      }
    }
    if (resolution.attempt !== null && resolution.attempt !== subject.attempts) {
      return {
        message: `Row ${rowId} has moved on: the decision is about attempt ${resolution.attempt}, the latest is ${subject.attempts}`,
        next: 'Write the report again and look at the row anew',
      }
    }
    return decision === 'registered'
      ? identityFault(resolution)
      : resolution.assigned !== null
        ? {
            message: `Row ${rowId} names assigned identifiers, but is not called registered`,
            next: 'Remove them, or decide "registered"',
          }
        : decision === 'resend'
          ? waitFault(subject)
          : null
  }

  function identityFault({ rowId, assigned: identity }: Resolution): Rejection | null {
    if (
      identity === null ||
      identity.creditorIdentifier.trim() === '' ||
      identity.mandateReference.trim() === ''
    ) {
      return {
        message: `Row ${rowId} cannot be called registered without both assigned identifiers`,
        next: 'Ask the service for the creditor identifier and the mandate reference it gave',
      }
    }
    const reference = identity.mandateReference
    const owner = assigned.get(reference)
    const isInList = references.has(reference.toLowerCase())
    references.add(reference.toLowerCase())
    if (owner === undefined && !isInList) return null
    return {
      message: `Row ${rowId} cannot have the assigned reference "${reference}": ${owner === undefined ? 'another row of the list' : `row ${owner}`} has it`,
      next: 'Ask the service which mandate it belongs to',
    }
  }

  function waitFault({ id, startedAt }: Subject): Rejection | null {
    const ageMs = nowMs - Date.parse(startedAt ?? '')
    if (force || ageMs >= RESEND_WAIT_MS) return null
    return {
      message: `Row ${id} cannot be sent again yet: its request left less than 15 minutes ago and may still arrive`,
      next: 'Wait, look again whether the service has the mandate, then decide',
    }
  }

  return (resolution: Resolution): Approved | Rejection => {
    const subject = read.get(resolution.rowId)
    const fault = faultOf(resolution, subject)
    if (fault !== null) return fault
    if (subject === undefined) throw new Error(`Row ${resolution.rowId} vanished`)
    return { subject, resolution, to: transition(subject.state, EVENT_OF[resolution.decision]) }
  }
}

const nextFor = (state: RowState, decision: Decision): string =>
  state === 'refused' && decision === 'resend'
    ? 'Refused rows are sent again with "sepa-migrate run --retry-refused"'
    : 'Only rows in doubt are resolved; rows that are ready or refused can be written off'

function prepareApplying(connection: Connection, at: string) {
  const record = connection.prepare(
    `insert into decision
       (row_id, attempt_id, decided_at, decided_by, decision, from_state, to_state, reason, evidence)
     values (:rowId, :attemptId, :at, :by, :decision, :from, :to, :reason, :evidence)`,
  )
  const release = connection.prepare<[number]>(`update attempt set outcome = 'released' where id = ?`)
  const move = connection.prepare<[string, number, string]>(
    `update row set state = ? where id = ? and state = ?`,
  )
  const register = connection.prepare<[string, string, string, number]>(
    `update row set state = 'registered', assigned_creditor_identifier = ?, assigned_mandate_reference = ?,
       registered_at = ?, iban = null, cells = null where id = ? and state = 'in_doubt'`,
  )
  const removeAccounts = prepareAccountRemoval(connection)

  return ({ subject, resolution, to }: Approved): void => {
    const { id, attemptId, state, mandateKey } = subject
    const { decision, by, reason, evidence, assigned } = resolution
    record.run({ rowId: id, attemptId, at, by, decision, from: state, to, reason, evidence })
    if (assigned !== null) {
      register.run(assigned.creditorIdentifier, assigned.mandateReference, at, id)
      removeAccounts(id, mandateKey)
      return
    }
    // The mandate may go out again, in this row or in one that replaces it, so the old doubt must not bar its way.
    const isReleased = state === 'in_doubt' && decision !== 'written_off'
    if (isReleased && attemptId !== null) release.run(attemptId)
    move.run(to, id, state)
  }
}

/** Refused rows become ready again, each by a decision on record (product.md 3). */
export function retryRefused(connection: Connection, by: string, at: string): number {
  const { changes } = connection
    .prepare<[{ at: string; by: string }]>(
      `insert into decision (row_id, attempt_id, decided_at, decided_by, decision, from_state, to_state, reason)
       select row.id, attempt.id, :at, :by, 'retry_refused', 'refused', 'ready', 'run --retry-refused'
         from row left join attempt on row_id = row.id and n = attempts where state = 'refused'`,
    )
    .run({ at, by })
  if (changes === 0) return 0
  connection
    .prepare<[string]>(`update row set state = ? where state = 'refused'`)
    .run(transition('refused', 'retry_refused'))
  noteChange(connection, at)
  return changes
}
