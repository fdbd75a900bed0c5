import type { AbsenceFacts } from '../../domain/proof/read-back.js'
import { maskAccounts } from '../../domain/text/accounts.js'
import { EDGES, transition, type RowState, forcedText, LATE_REQUEST_MS } from '../../domain/row/row-state.js'
import { showValue } from '../../domain/rule/verdict.js'
import type { AssignedIdentity } from '../../domain/mandate/mandate.js'
import { cleanCell, isScientific, printable, said } from '../../domain/text/text.js'
import { BEGUN_FOR, doubtShown, noteChange } from '../deliver/campaign-rows.js'
import { privateOf, sql, sqlValue, type Connection } from '../file/connection.js'
import { decideRow, recordDecision } from '../admit/problems.js'
import { IS_OPEN_LINE, NEVER_SENDABLE } from '../compare/comparison-reads.js'
import { SHOWN_OTHERWISE } from '../read/read-proofs.js'
import { answerContradicting } from '../compare/contradicting.js'
import { HAS_ITS_KEY, HELD_THOUGH_REFUSED } from '../deliver/gate.js'
import type { Decision, Resolution } from '../ledger.js'
import { ownerOf, register } from '../deliver/delivery.js'

interface Subject extends Pick<AbsenceFacts, 'begunFor'> {
  readonly id: number
  readonly state: RowState
  readonly attempts: number
  readonly reference: string | null
  readonly attemptId: number | null
  /** Null where none has left. */
  readonly startedAt: string | null
  /** A person decided to send it once more, and it has not left since. */
  readonly isResent: 0 | 1
  /** A person called it registered, and the service has not shown it so: what was typed may be wrong. */
  readonly isTyped: 0 | 1
  /** It was in doubt when it was closed, and the service showed it since. */
  readonly isShown: 0 | 1
  /** What it was assigned. */
  readonly identity: string | null
  /** What took its place, and how that stands. */
  readonly heir: number | null
  readonly heirState: RowState | null
}

interface Approved {
  readonly subject: Subject
  readonly resolution: Resolution
  readonly to: RowState
}

interface Rejection {
  readonly message: string
  readonly next: string
  /** It may register the mandate twice, and nothing else stands against it: `force` passes over that. */
  readonly isRiskyResend?: true
}

interface ResolveParts {
  readonly connection: Connection
  readonly nowMs: number
  readonly resolutions: readonly Resolution[]
  readonly dryRun: boolean
  readonly force: boolean
}

export type ResolutionReport = ReturnType<typeof resolveRows>

/**
 * All of them or none: a list with one mistake records nothing, and says what is wrong with each row.
 * @returns what became of each, in the same order, but for lines of the cut-over, which come last; and whether they are on
 *   record: not in a dry run, and not where a single one was rejected
 */
export function resolveRows(parts: ResolveParts) {
  const { connection, nowMs, dryRun } = parts
  const isLine = ({ isOfCutOver = false }: Resolution): number => (isOfCutOver ? 1 : 0)
  const resolutions = parts.resolutions.toSorted((one, other) => isLine(one) - isLine(other))
  const examine = prepareExamining(parts)
  const examined = resolutions.map((resolution) => ({ resolution, verdict: examine(resolution) }))
  const named = examined.flatMap(({ verdict }) => ('message' in verdict ? [] : [verdict]))
  const closed = closedWith(connection, named)
  const resolved = ({ subject: { id, state }, to }: Approved) =>
    ({ kind: 'resolved', rowId: id, from: state, to }) as const
  const rejected = ({ rowId, at }: Resolution, fault: Rejection) =>
    ({
      kind: 'rejected',
      rowId,
      ...fault,
      message: fault.message + (at === undefined ? '' : ` (${at})`),
    }) as const
  const results = examined.map(({ resolution, verdict }) =>
    'message' in verdict ? rejected(resolution, verdict) : resolved(verdict),
  )
  if (dryRun || named.length < resolutions.length || named.length === 0) return { isApplied: false, results }
  const isPutRight = ({ subject, resolution }: Approved): boolean =>
    subject.state === 'registered' && resolution.assigned !== null
  // Of several that are put right at once each may have what was another's.
  const [putRight, others] = [named.filter(isPutRight), named.filter((each) => !isPutRight(each))]
  for (const each of [...putRight, ...others, ...closed]) apply(connection, each, nowMs)
  for (const { subject, resolution } of putRight) correctIdentity(connection, subject.id, resolution.assigned)
  noteChange(connection, new Date(nowMs).toISOString())
  return { isApplied: true, results: [...results, ...closed.map(resolved)] }
}

const SUBJECT = `select row.id, state, attempts, original_mandate_reference as reference,
    attempt.id as attemptId, iif(started is 0, null, started_at) as startedAt, ${BEGUN_FOR} as begunFor, state = 'ready' and outcome is 'released' as isResent,
    state = 'registered' and outcome is 'in_doubt' and not exists (select 1 from proof where proof.row_id = row.id and verdict = 'proven') as isTyped,
    state = 'written_off' and outcome is 'in_doubt' and exists (select 1 from proof where proof.row_id = row.id
      and proof.attempts = row.attempts and verdict in ('proven', 'twice')) as isShown,
    assigned_creditor_identifier || ' ' || assigned_mandate_reference as identity,
    heir, (select now.state from row as now where now.id = row.heir) as heirState
  from row left join attempt on row_id = row.id and n = attempts`

/**
 * A person closes a mandate and not a record: what is ready of it would be sent as soon as no other record says something else,
 * and so would what was refused, once more, though a record said that it has ended.
 */
function closedWith(connection: Connection, named: readonly Approved[]): Approved[] {
  const read = sql(connection)<Subject>`${SUBJECT} where row.id in (select other.id from row as closed
    join row as other using (mandate_key) where closed.id = ? and closed.state in ${NEVER_SENDABLE} and closed.${HAS_ITS_KEY}
      and (other.state = 'ready' or other.state = 'refused' and closed.state <> 'invalid' and closed.content_key is null))`
  const ids = new Set(named.map(({ subject }) => subject.id))
  return named
    .filter(({ resolution }) => resolution.decision === 'written_off')
    .flatMap(({ subject: { id }, resolution }) =>
      read.all(id).flatMap((subject): Approved[] => {
        if (ids.has(subject.id)) return []
        ids.add(subject.id)
        const reason = `${resolution.reason} (row ${id}, of the same mandate)`
        const own = { ...resolution, rowId: subject.id, attempt: null, reason }
        return [{ subject, resolution: own, to: transition(subject.state, 'resolved_written_off') }]
      }),
    )
}

const plainState = (state: RowState): string => state.replace('_', ' ')
const wordOf = (decision: Decision): string => decision.replace('_', '-')

/** What may be said of a line of the cut-over after its row was decided; what nobody doubted was never at the service. */
function isBeside({ subject, to }: Approved, decision: Decision): boolean {
  if (decision === 'written_off') return to === 'refused' || to === 'written_off'
  return decision === 'done' && subject.state === 'in_doubt' && (to === 'registered' || to === 'written_off')
}

/** Holds the decisions of one list against the ledger and against each other, one after the other. */
function prepareExamining({ connection, nowMs, force, resolutions }: ResolveParts) {
  const seen = new Set<string>()
  const settled = new Map<number, Approved>()
  const references = new Set<string>()
  /** Called registered once more: what they have is free. */
  const renamed = new Set(
    resolutions.flatMap(({ rowId, decision }) => (decision === 'registered' ? [rowId] : [])),
  )
  const read = sql(connection)<Subject>`${SUBJECT} where row.id = ?`

  const kept = sql(connection)`
    select 1 from row where state = 'registered' and upper(assigned_mandate_reference) = upper(original_mandate_reference)`
  /** What is wrong with the line, whatever the row is. */
  function listFault({ rowId, by, reason, decision, isOfCutOver = false }: Resolution): Rejection | null {
    if (seen.has(`${rowId} ${isOfCutOver}`))
      return { message: `Row ${rowId} is in the list twice`, next: 'Keep one decision per row' }
    seen.add(`${rowId} ${isOfCutOver}`)
    const first = settled.get(rowId)
    if (first !== undefined && !isBeside(first, decision))
      return {
        message: `Row ${rowId} is decided as "${wordOf(first.resolution.decision)}" and its line of the cut-over as "${wordOf(decision)}", which contradict each other`,
        next: 'Keep one of them',
      }
    if (by.trim() !== '' && reason.trim() !== '') return null
    return {
      message: `Row ${rowId} needs a person and a reason`,
      next: 'Give both (--by NAME; --reason "…")',
    }
  }

  function faultOf(resolution: Resolution, subject: Subject): Rejection | null {
    if (resolution.decision === 'done') return doneFault(connection, resolution, subject)
    const moved = stateFault(connection, resolution, subject)
    if (moved !== null) return moved
    const { decision, assigned } = resolution
    if (decision === 'registered') return identityFault(resolution, subject)
    if (assigned !== null) return notRegistered(resolution)
    return decision === 'written_off' ? null : (waitFault(subject, decision) ?? twinFault(subject, decision))
  }

  function identityFault({ rowId, assigned: identity }: Resolution, subject: Subject): Rejection | null {
    if (identity === null || identity.creditorIdentifier === '' || identity.mandateReference === '')
      return {
        message: `Row ${rowId} cannot be called registered without both assigned identifiers`,
        next: 'Ask the service for the creditor identifier and the mandate reference it gave',
      }
    const odd = [identity.creditorIdentifier, identity.mandateReference].find(isOdd)
    if (odd !== undefined)
      return {
        message: `Row ${rowId} cannot have the assigned identifier "${showValue(odd)}": ${isScientific(odd) ? 'a spreadsheet has rounded it' : 'it holds characters that cannot be seen, or is too long'}`,
        next: 'Type it as the service shows it; in a spreadsheet make the column text first',
      }
    const reference = identity.mandateReference
    // One that was copied in groups of letters is no other one.
    const owner = ownerOf(connection, reference) ?? ownerOf(connection, reference.replace(/\s/g, ''))
    const isInList = references.has(reference.toLowerCase())
    references.add(reference.toLowerCase())
    const why =
      owner !== undefined && !renamed.has(owner)
        ? `row ${owner} has it`
        : isInList
          ? 'another row of the list has it'
          : reference.toLowerCase() === subject.reference?.toLowerCase() && kept.get() === undefined
            ? 'it is the original one, and no registered row kept its own'
            : null
    if (why === null) return null
    return {
      message: `Row ${rowId} cannot have the assigned reference "${reference}": ${why}`,
      next: `Ask the service which mandate it belongs to, and which reference it assigned to this one${owner === undefined ? '' : `. If it was typed wrongly for row ${owner}, give that its own first (sepa-migrate resolve --row ${owner} --as registered --assigned-creditor-identifier X --assigned-mandate-reference Y --reason "…")`}`,
    }
  }

  /** That the service does not hold a mandate is no evidence while its request may still arrive. */
  function waitFault({ id, startedAt }: Subject, decision: 'resend' | 'refused'): Rejection | null {
    if (startedAt === null) return null
    const untilMs = Date.parse(startedAt) + LATE_REQUEST_MS
    const isForced = force && decision === 'resend'
    if (isForced || nowMs >= untilMs) return null
    const until = new Date(Math.ceil(untilMs / 1_000) * 1_000).toISOString()
    return {
      message: `Row ${id} cannot be ${decision === 'resend' ? 'sent again' : 'called refused'} yet: its request left less than 15 minutes ago and may still arrive`,
      next: `After ${until.slice(0, 10)} ${until.slice(11, 19)} UTC look again whether the service has the mandate, then decide${force ? '; only a resend can be forced' : ''}`,
      ...(decision === 'resend' ? { isRiskyResend: true as const } : {}),
    }
  }

  /** The answer about it that came last, and behind its latest request. */
  const provenAt = sqlValue(connection)<string>`
    select answered_at from proof join question on question.id = question_id
     where proof.id = (select max(latest.id) from proof as latest where latest.row_id = :id)
       and (verdict in ('proven', 'twice') or why = 'ambiguous')
       and proof.attempts = :attempts`

  /**
   * The service was shown to hold it, or may have registered it for whom the lost ledger began it, or as that row, where somebody
   * corrected its reference meanwhile.
   */
  function twinFault({ id, attempts, begunFor }: Subject, decision: 'resend' | 'refused'): Rejection | null {
    const cannot = `Row ${id} cannot be ${decision === 'resend' ? 'sent again' : 'called refused, and be sent again by --retry-refused'}`
    const isForced = force && decision === 'resend'
    const shownAt = isForced ? undefined : provenAt.get({ id, attempts })
    if (shownAt !== undefined)
      return {
        message: `${cannot}: the service showed it, or what may be it, when it was asked at ${shownAt}`,
        next: 'Record what it showed (sepa-migrate resolve --ask, or --against LIST --apply). Only if that is another mandate, force a resend (--as resend --force)',
        ...(decision === 'resend' ? { isRiskyResend: true as const } : {}),
      }
    if (begunFor === 'another' && !force)
      return {
        message: `${cannot}: a lost ledger began its mandate for another customer or date than the row has`,
        next: 'Ask the service about that customer: if it holds the mandate, write this row off; if it does not, force the decision (sepa-migrate resolve --row N --as resend --force --reason "…")',
        isRiskyResend: true,
      }
    const twin = sqlValue(connection)<number>`
      select other.id from row join row as other using (customer_no, iban_key, signed_date)
        where row.id = ? and other.id <> row.id and other.state = 'registered'`
    const other = decision === 'resend' && !force ? twin.get(id) : undefined
    if (other === undefined) return null
    return {
      message: `Row ${id} cannot be sent again: row ${other} is registered with its customer, account and date of signature`,
      next: 'Ask the service whether it has both: if they are one mandate, write this row off; if they are two, force the resend',
      isRiskyResend: true,
    }
  }

  return (given: Resolution): Approved | Rejection => {
    const resolution = { ...given, assigned: cleaned(given.assigned) }
    const { rowId, decision } = resolution
    const first = settled.get(rowId)
    const subject = first === undefined ? read.get(rowId) : { ...first.subject, state: first.to }
    if (subject === undefined)
      return { message: `There is no row ${rowId}`, next: 'Take the number from to-do/in-doubt.csv' }
    const isAgain = first?.to === decision
    const fault = listFault(resolution) ?? (isAgain ? closingFault : faultOf)(resolution, subject)
    if (fault !== null) return fault
    const to =
      decision === 'done' || isAgain
        ? subject.state
        : transition(decision === 'registered' ? 'in_doubt' : subject.state, `resolved_${decision}`)
    const approved = { subject, resolution, to }
    settled.set(rowId, approved)
    return approved
  }
}

const shownOtherwise = (connection: Connection, id: number) =>
  sql(connection)<{ class: string; why: string }>`${SHOWN_OTHERWISE}`.get({ id })

/** A line of the latest comparison, about which something can be done at the service; or it shows the mandate otherwise, rightly. */
function doneFault(connection: Connection, resolution: Resolution, subject: Subject): Rejection | null {
  const { rowId } = resolution
  const line = sql(connection)<{ isHeld: 0 | 1 }>`
    select is_held as isHeld from compared where ${IS_OPEN_LINE}`.get({ id: rowId })
  if (line === undefined && shownOtherwise(connection, rowId) !== undefined)
    return closingFault(resolution, subject)
  if (line === undefined)
    return {
      message: `Row ${rowId} has no open line of the latest comparison with the last export`,
      next: 'Write the report again and fill in its cut-over.csv',
    }
  if (subject.state === 'in_doubt')
    return { message: `Row ${rowId} is in doubt, so nothing is done yet`, next: 'Settle the doubt first' }
  if (line.isHeld === 1 && subject.state !== 'registered' && subject.state !== 'written_off')
    return {
      message: `Row ${rowId} is ${plainState(subject.state)}, so nothing is to be done at the service`,
      next: 'Decide "written-off": it is not sent then',
    }
  return closingFault(resolution, subject)
}

const closingFault = (resolution: Resolution, subject: Subject): Rejection | null =>
  resolution.assigned === null ? movedOn(resolution, subject) : notRegistered(resolution)

const notRegistered = ({ rowId }: Resolution): Rejection => ({
  message: `Row ${rowId} names assigned identifiers, but is not called registered`,
  next: 'Remove them, or decide "registered"',
})

/** The service was asked last, and shows under this reference, and not under the one it gave, what could be the row. */
const isShownAs = (connection: Connection, { rowId, assigned }: Resolution): boolean =>
  sql(connection)`
    select 1 from proof, json_each(proof.sources) as source
     where proof.id = (select max(latest.id) from proof as latest where latest.row_id = :rowId) and verdict = 'other'
       and source.value ->> 'reference' = :reference collate nocase`.get({
    rowId,
    reference: assigned?.mandateReference ?? '',
  }) !== undefined

function stateFault(connection: Connection, resolution: Resolution, subject: Subject): Rejection | null {
  const { rowId, decision } = resolution
  const { state } = subject
  const mayClose = decision === 'written_off' && EDGES[state].resolved_written_off !== undefined
  const isPutRight =
    decision === 'registered' &&
    (subject.isResent === 1 ||
      subject.isShown === 1 ||
      ((subject.isTyped === 1 || isShownAs(connection, resolution)) &&
        subject.identity !== textOf(resolution.assigned)))
  if (state === 'in_doubt' || mayClose || isPutRight) return movedOn(resolution, subject)
  if (subject.heir !== null && subject.heirState !== null)
    return {
      message: `Row ${rowId} is ${plainState(state)}: row ${subject.heir} took its place, and is ${plainState(subject.heirState)}`,
      next: `Decide about row ${subject.heir}, as the newest report shows it`,
    }
  const next =
    state === 'refused' && decision === 'resend'
      ? 'Refused rows are sent again by a run that is told so (sepa-migrate run --retry-refused)'
      : 'Only rows in doubt are resolved; rows that were refused or not sent can be written off'
  return { message: `Row ${rowId} is ${plainState(state)}, not in doubt`, next }
}

function movedOn({ rowId, attempt }: Resolution, { attempts }: Subject): Rejection | null {
  if (attempt === null || attempt === attempts) return null
  return {
    message: `Row ${rowId} has moved on: the decision is about attempt ${attempt}, the latest is ${attempts}`,
    next: 'Write the report again and look at the row anew',
  }
}

const LONGEST_ASSIGNED = 70

const isOdd = (text: string): boolean =>
  text.length > LONGEST_ASSIGNED || printable(text) !== text || isScientific(text)

/** Typed or saved by a spreadsheet: what stands around an identifier is no part of it, and two may not differ by it. */
const cleaned = (assigned: AssignedIdentity | null): AssignedIdentity | null =>
  assigned === null
    ? null
    : {
        creditorIdentifier: cleanCell(assigned.creditorIdentifier),
        mandateReference: cleanCell(assigned.mandateReference),
      }

const textOf = (assigned: AssignedIdentity | null): string | null =>
  assigned === null ? null : `${assigned.creditorIdentifier} ${assigned.mandateReference}`

/** What a person typed wrongly, once another decision on it is on record. */
const correctIdentity = (connection: Connection, id: number, assigned: AssignedIdentity | null): void =>
  void sql(connection)`
    update row set assigned_creditor_identifier = :creditorIdentifier, assigned_mandate_reference = :mandateReference where id = :id`.run(
    { ...assigned, id },
  )

/** A hash may look like an account number, so only the file's name is masked. */
function maskEvidence(evidence: string): string {
  const hash = evidence.lastIndexOf(' (SHA-256 ')
  return hash < 0 ? maskAccounts(evidence) : maskAccounts(evidence.slice(0, hash)) + evidence.slice(hash)
}

function apply(connection: Connection, { subject, resolution, to }: Approved, nowMs: number): void {
  const { id, attemptId, startedAt } = subject
  const { decision, evidence, assigned } = resolution
  const at = new Date(nowMs).toISOString()
  // Somebody may have typed or pasted an account number, and a file may be named after one.
  const [by, reason] = [maskAccounts(resolution.by), maskAccounts(resolution.reason)]
  const isTakenBack = decision === 'registered' && subject.isResent === 1
  // The service holds it all the same.
  if (isTakenBack)
    doubtShown(connection, {
      ...{ row: id, state: subject.state, at, by, reason, decision: 'resend_taken_back' },
      why: 'The decision to send it once more was taken back',
    })
  const state = isTakenBack ? 'in_doubt' : subject.state
  const elapsedMs = nowMs - Date.parse(startedAt ?? '')
  const typed = state === 'registered' && assigned !== null ? subject.identity : null
  const told = said([
    typed !== null && `instead of ${typed}`,
    decision === 'resend' && elapsedMs < LATE_REQUEST_MS && forcedText(elapsedMs),
    evidence !== null && maskEvidence(evidence),
  ])
  const decided = { row: id, at, by, decision, from: state, to, reason, evidence: told.join('; ') || null }
  const shown = decision === 'done' ? shownOtherwise(connection, id) : undefined
  const decisionId = recordDecision(connection, decided)
  // What was closed in doubt may be at the service all the same.
  const closesLine =
    decision === 'done' || (decision === 'written_off' && state !== 'in_doubt' && state !== to)
  const { changes } = sql(connection)`
    update compared set decision_id = :decisionId where ${IS_OPEN_LINE} and :closesLine and (:isDone or why <> 'begun')`.run(
    { ...{ decisionId, id, closesLine: Number(closesLine), isDone: Number(decision === 'done') } },
  )
  if (changes === 0 && shown !== undefined)
    sql(connection)`
      insert into compared (comparison_id, row_id, class, why, is_held, met_by, decision_id)
       values ((select max(id) from comparison), :id, :class, :why, 0, :id, :decisionId)`.run({
      id,
      ...shown,
      decisionId,
    })
  if (typed !== null && assigned !== null)
    correctIdentity(connection, id, { ...assigned, mandateReference: `~${id}` })
  else if (assigned !== null) register(connection, id, state, assigned, at)
  else if (decision !== 'done') {
    // The mandate may go out again, in this row or in one that replaces it, so the old doubt must not bar its way.
    if (state === 'in_doubt' && decision !== 'written_off')
      sql(connection)`update attempt set outcome = 'released' where id = ?`.run(attemptId)
    sql(connection)`update row set state = ? where id = ? and state = ?`.run(to, id, state)
  }
  if (changes > 0) answerContradicting(connection, id, { by, reason, at })
}

/**
 * Refused rows become ready again, each by a decision on record: those that the gate would let go, or all of them where an
 * older copy is adopted.
 */
export function retryRefused(connection: Connection, by: string, at: string, adoption?: string): number {
  const decided = { by: maskAccounts(by), reason: maskAccounts(adoption ?? 'run --retry-refused') }
  const isHeld = adoption === undefined ? HELD_THOUGH_REFUSED : 'false'
  const rows = sqlValue(connection)<number>`
    select id from row where state = 'refused' and ${privateOf('row', 'iban')} is not null and not ${isHeld} order by id`.all()
  const event = 'retry_refused'
  const to = transition('refused', event)
  // All of them are asked about before the first is ready: one of two that are kin would hold the other.
  for (const row of rows) decideRow(connection, { ...decided, row, at, decision: event, from: 'refused', to })
  if (rows.length > 0) noteChange(connection, at)
  return rows.length
}
