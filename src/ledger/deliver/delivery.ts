import { transition, type RowState, NOTHING_LEFT, type Outcome } from '../../domain/row/row-state.js'
import { sql, sqlValue, type Connection, type LedgerWork } from '../file/connection.js'
import { noteChange, prepareIntent } from './campaign-rows.js'
import type { EmergencyFile } from '../safety/side-files.js'
import type { Attempt, BegunGroup, HeldAtGate, ReadyRow } from '../ledger.js'
import { HELD_BECAUSE, heldText, lateSince, type HeldBecause } from './gate.js'
import type { AssignedIdentity } from '../../domain/mandate/mandate.js'
import { findingOf, type RuleId, type SeverityOverrides } from '../../domain/rule/verdict.js'
import { writeProblem } from '../admit/problems.js'

/** Takes account and cells from the rows that `where` (SQL over `row`) selects; a trigger lets go what may go. @returns from how many */
export const removePrivate = (
  connection: Connection,
  where: string,
  values: Readonly<Record<string, unknown>> = {},
): number =>
  sql(connection)`delete from private where row_id in (select row.id from row where ${where})`.run(values)
    .changes

/**
 * SQL over `row`: nothing of it is needed any more, since its mandate is registered, be it under a corrected key, and it repeats
 * that or gave way.
 */
export const REPEATS_REGISTERED = `row.state in ('duplicate', 'superseded') and exists (select 1 from row as same
  join row as sent on sent.id = coalesce(same.heir, same.id) where same.mandate_key = row.mandate_key and sent.state = 'registered')`

/**
 * The account number and the cells of a registered mandate go with it by a trigger, and those of every row that holds
 * the same account for certain: its duplicates, and the rows it replaced.
 * @param from the state that the row must be in
 * @returns false where the row was not in the expected state; nothing changed then
 */
export function register(
  connection: Connection,
  rowId: number,
  from: RowState,
  { creditorIdentifier, mandateReference }: AssignedIdentity,
  at: string,
): boolean {
  const update = sql(connection)`
    update row set state = 'registered', assigned_creditor_identifier = ?, assigned_mandate_reference = ?,
       registered_at = ?
     where id = ? and state = ?`
  return update.run(creditorIdentifier, mandateReference, at, rowId, from).changes > 0
}

interface GroupCommitParts extends Pick<LedgerWork, 'connection' | 'now' | 'storage'> {
  readonly newRequestId: () => string
  /** Of the run: what is odd about an answer is told by them. */
  readonly severities: () => SeverityOverrides
  /** The run that intents belong to. @throws when none was started */
  readonly runId: () => number
  readonly emergency: () => EmergencyFile | null
  /** Calls back once the events of this turn have all been told. */
  readonly defer: (flush: () => void) => void
  /** Told what was begun, after the intents are durable and before a request leaves. */
  readonly begun: (group: BegunGroup) => void
  /** Told after a commit, with the number of rows that were settled. */
  readonly settled: (count: number) => void
}

interface Settlement {
  readonly attempt: Attempt
  readonly outcome: Outcome
}

/** The row that has this assigned reference, in any case of letters. */
export const ownerOf = (connection: Connection, reference: string): number | undefined =>
  sqlValue(connection)<number>`
    select id from row where assigned_mandate_reference = ? collate nocase`.get(reference)

/** What came of an event: an attempt that begins, a row that the gate held, or nothing for an outcome. */
type Committed = Attempt | HeldAtGate | undefined

interface Uncommitted {
  readonly commit: (at: string) => Committed
  readonly resolve: (committed: never) => void
  readonly reject: (error: unknown) => void
  /** Null for an intent. */
  readonly settled: Settlement | null
}

/** SQLite compares references without case for the letters a to z; so does this. */
const foldCase = (text: string): string =>
  /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text

/**
 * Group commit: what is asked for in one turn of the event loop is one transaction, so that an outcome travels with
 * the next intents and one flush of the disk serves them all. No timer: while one flush blocks, the next group gathers.
 *
 * A group is all or nothing. If its commit throws, nobody is told that an intent is durable, no request of it
 * leaves, and the ledger takes no further write: after a failed flush the kernel may have dropped what it reports as
 * written. See ledger/README.md#how-it-is-written.
 */
export function startGroupCommit(parts: GroupCommitParts) {
  const { connection, now } = parts
  const { writeOrBreak: write } = parts.storage
  const [commitIntent, commitSettlement] = [prepareBeginning(parts), prepareSettlement(parts)]
  /** What waits for its commit, and references that wait among it, with letters folded. */
  let waiting: Uncommitted[] = []
  let references = new Set<string>()

  const enqueue = <Value extends Committed>(
    commit: (at: string) => Value,
    settled: Settlement | null = null,
  ): Promise<Value> =>
    new Promise((resolve, reject) => {
      waiting.push({ commit, resolve, reject, settled })
      if (waiting.length === 1) parts.defer(flush)
    })

  function flush(): void {
    const group = waiting
    if (group.length === 0) return
    waiting = []
    let committed: Committed[]
    try {
      committed = write(() => {
        const at = now()
        noteChange(connection, at)
        // In the order they were told: a row may be turned away and begun again within one turn.
        return group.map((event) => event.commit(at))
      })
    } catch (error) {
      const lost = group.flatMap(({ settled }) => settled ?? [])
      for (const settled of lost) parts.emergency()?.append(emergencyLine(settled, now()))
      for (const event of group) event.reject(error)
      return
    }
    references = new Set()
    announce(group, committed)
    parts.settled(group.filter(({ settled }) => settled !== null).length)
  }

  /** What cannot be noted must not leave: its rows are ready again. What came back is on disk all the same. */
  function announce(group: readonly Uncommitted[], committed: readonly Committed[]): void {
    const begun = committed.filter(isBegun)
    const last = begun.at(-1)
    let fault: { readonly error: unknown } | null = null
    try {
      if (last !== undefined) parts.begun({ attempts: last.id, rows: begun.map(({ rowId }) => rowId) })
    } catch (error) {
      fault = { error }
      takeBack(begun, error instanceof Error ? error.message : String(error))
    }
    for (const [index, { resolve, reject }] of group.entries()) {
      const value = committed[index]
      if (fault !== null && isBegun(value)) reject(fault.error)
      else resolve(value as never)
    }
  }

  /** Where this fails as well, the rows are in doubt at the next start. */
  function takeBack(begun: readonly Attempt[], reason: string): void {
    const outcome = { kind: 'not_sent', reason, halt: null, evidence: NOTHING_LEFT } as const
    try {
      write(() => {
        for (const attempt of begun) commitSettlement({ attempt, outcome }, now())
      })
    } catch {
      // The first fault is the one that counts.
    }
  }

  return {
    /**
     * Asks the gate once more and commits the intent. When it resolves to an attempt, the row is durably `sending` and may
     * leave; when it is held, nothing of it may.
     */
    begin: (row: ReadyRow): Promise<Attempt | HeldAtGate> => enqueue((at) => commitIntent(row, at)),
    /** Commits the outcome and the row's new state; joins the transaction of the next intents. */
    settle: (attempt: Attempt, outcome: Outcome): Promise<void> => {
      if (outcome.kind === 'registered') references.add(foldCase(outcome.value.mandateReference))
      const settled = { attempt, outcome }
      return enqueue((at) => commitSettlement(settled, at), settled)
    },
    /** True when the service gave this reference to a row before, counting outcomes that wait for their commit. */
    hasAssigned: (reference: string): boolean =>
      references.has(foldCase(reference)) || ownerOf(connection, reference) !== undefined,
    /** Commits what waits now. */
    flush,
  }
}

const isBegun = (committed: Committed): committed is Attempt =>
  committed !== undefined && 'requestId' in committed

/** Evidence for a person: no account number, which the outcome has masked already. */
function emergencyLine({ attempt, outcome }: Settlement, at: string): Readonly<Record<string, unknown>> {
  const assigned = outcome.kind === 'registered' ? outcome.value : null
  const { status, errorCode, message, answer } = outcome.evidence
  return {
    kind: 'outcome',
    at,
    row: attempt.rowId,
    attempt: attempt.n,
    requestId: attempt.requestId,
    outcome: outcome.kind,
    assignedCreditorIdentifier: assigned?.creditorIdentifier ?? null,
    assignedMandateReference: assigned?.mandateReference ?? null,
    reason: outcome.reason,
    status,
    errorCode,
    message,
    answer,
  }
}

function changeOne(changes: number, what: string): void {
  if (changes !== 1)
    throw new Error(`Cannot record ${what}: ${changes} rows were in the expected state, not 1`)
}

function prepareBeginning({ connection, newRequestId, runId }: GroupCommitParts) {
  const begin = prepareIntent(connection)
  const held = sqlValue(
    connection,
  )<HeldBecause | null>`select ${HELD_BECAUSE} from row where id = :rowId and state = 'ready'`
  return ({ id: rowId }: ReadyRow, at: string): Attempt | HeldAtGate => {
    const because = held.get({ rowId, since: lateSince(Date.parse(at)) }) ?? null
    if (because !== null) return { rowId, because: heldText(because) }
    return begin(rowId, runId(), newRequestId(), at)
  }
}

/** Values go to SQLite in the order of the columns; to look fourteen names up costs microseconds a row more. */
const END_ATTEMPT = `update attempt set ended_at = ?, outcome = ?, reason = ?, hint = ?, started = ?, status = ?,
    error_code = ?, service_code = ?, field = ?, message = ?, answer = ?, duration_ms = ?, retry_after_ms = ?
  where id = ? and outcome is null`

function prepareSettlement({ connection, severities }: GroupCommitParts) {
  const endAttempt = connection.prepare(END_ATTEMPT)
  const move = sql(connection)`update row set state = ? where id = ? and state = 'sending'`

  return ({ attempt, outcome }: Settlement, at: string): undefined => {
    const { started, status, errorCode, serviceCode, field, message, answer, durationMs, retryAfterMs } =
      outcome.evidence
    const hint = outcome.kind === 'in_doubt' ? outcome.hint : null
    const seen = [status, errorCode, serviceCode, field, message, answer, durationMs, retryAfterMs]
    const told = [at, outcome.kind, outcome.reason, hint, started ? 1 : 0]
    const { changes } = endAttempt.run(...told, ...seen, attempt.id)
    changeOne(changes, `the outcome of attempt ${attempt.id}`)
    const next = transition('sending', outcome.kind)
    const { rowId } = attempt
    if (outcome.kind === 'registered') {
      const isRegistered = register(connection, rowId, 'sending', outcome.value, at)
      changeOne(isRegistered ? 1 : 0, `the registration of row ${rowId}`)
    } else changeOne(move.run(next, rowId).changes, `the outcome of row ${rowId}`)
    const odd = oddIn(outcome)
    if (odd.length === 0) return
    const sourceId = sqlValue(connection)<number>`select source_id from row where id = ?`.get(rowId) ?? 0
    for (const [rule, details] of odd)
      for (const finding of findingOf(rule, severities(), details))
        writeProblem(connection, sourceId, rowId, finding)
  }
}

/** What is odd about an answer: the row is registered all the same, or in doubt (domain/rulebook.md#answers). */
function oddIn(outcome: Outcome): [RuleId, Parameters<typeof findingOf>[2]][] {
  if (outcome.kind !== 'registered')
    return outcome.halt === 'echo_mismatch' ? [['RESPONSE_ECHO_MISMATCH', { detail: outcome.reason }]] : []
  const { notes, value, evidence } = outcome
  const identifiers = `${value.creditorIdentifier} ${value.mandateReference}`
  return notes.map((rule) => [
    rule,
    { value: rule === 'RESPONSE_STATUS_WORD' ? (evidence.serviceCode ?? '') : identifiers },
  ])
}
