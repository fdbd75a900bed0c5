import { transition } from '../../domain/row/row-state.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { UsageError } from '../../errors.js'
import { endRun, insertRun, noteChange } from './campaign-rows.js'
import type { Connection } from '../file/connection.js'
import type { AdoptionReport, ClaimedMandate, Claims, RunSettings } from '../ledger.js'
import { LOG_MISSING, UNNOTICED } from './recovery.js'
import { retryRefused } from '../decide/resolution.js'
import { prepareStanding } from '../decide/standing.js'

export interface ClaimParts {
  readonly connection: Connection
  readonly now: () => string
  readonly newRequestId: () => string
  /** One IMMEDIATE transaction. */
  readonly write: <Value>(body: () => Value) => Value
  /** The same, but part of an admission that is open. */
  readonly join: <Value>(body: () => Value) => Value
  /** The run that is going. @throws when none was started */
  readonly runId: () => number
  /** From now on called after every commit of intents, before their requests leave. */
  readonly noteWith: (note: (attempts: number) => void) => void
}

/** Rows whose request may have left, or may still leave: what another ledger must not send as well. */
const CLAIMED = `(state in ('ready', 'sending', 'registered', 'refused', 'in_doubt')
  or state = 'written_off' and attempts > 0)`

export function createClaims(parts: ClaimParts): Claims {
  const { connection, write, now } = parts
  // A spreadsheet changes references (zeros in front are lost), so the mandate is known by customer, account and date too.
  const mandates = connection.prepare<[], ClaimedMandate>(
    `select mandate_key as key, customer_no || '|' || iban || '|' || signed_date as agreement,
       state in ('ready', 'refused') as mayLeave, attempts from row
      where ${CLAIMED} and mandate_key is not null`,
  )
  const unsent = connection
    .prepare<[string], number>('select id from row where state = ? order by id')
    .pluck()
  const latestMark = connection
    .prepare<[], string>('select mark from run where mark is not null order by id desc limit 1')
    .pluck()

  return {
    ...prepareStanding(connection),
    mandates: () => mandates.iterate(),
    trustLog: () => write(() => forgetMissingLog(connection)),
    begin: (mark, note) => {
      write(() => setMark(connection, parts.runId(), mark))
      parts.noteWith(note)
    },
    adoptable: () => ({ ready: unsent.all('ready'), refused: unsent.all('refused') }),
    latestMark: () => latestMark.get() ?? null,
    rebuild: (rebuilt) => parts.join(() => rebuild(parts, rebuilt, now())),
    adoptOlderCopy: (adoption) => write(() => adopt(parts, adoption, now())),
  }
}

const setMark = (connection: Connection, runId: number, mark: string): void =>
  void connection.prepare<[string, number]>('update run set mark = ? where id = ?').run(mark, runId)

/** Nothing is missing after all: the log was merged into the file. */
const forgetMissingLog = (connection: Connection): void =>
  void connection
    .prepare<[string, string]>('update run set stopped_by = ? where stopped_by = ? and ended_at is null')
    .run(UNNOTICED, LOG_MISSING)

interface Adoption {
  readonly by: string
  readonly reason: string
  readonly mark: string
  readonly run: RunSettings
}

const WHY = 'An older copy of the ledger was put back: this row may have been sent since it was made'

/**
 * Every row that this copy would send becomes in doubt, by a decision on record; those that it calls refused as well,
 * because they may have been sent once more. The rows take the same edges as any other: an intent, then the doubt.
 */
function adopt(parts: ClaimParts, adoption: Adoption, at: string): AdoptionReport {
  const { connection } = parts
  const decided = decidedBy(adoption)
  const runId = insertRun(connection, adoption.run, at)
  const refused = retryRefused(connection, decided.by, at, decided.reason)
  const rows = doubtReady(parts, { ...decided, decision: 'older_copy', why: WHY, runId, at })
  forgetMissingLog(connection)
  setMark(connection, runId, adoption.mark)
  endRun(connection, runId, { stoppedBy: 'older_copy_adopted', exitCode: 4 }, at)
  noteChange(connection, at)
  return { rows, refused }
}

const LOST = 'The ledger that knew whether this row was sent is lost: it may have been'

/** In the transaction that brings the rows in, so that at no moment one of them could be sent. */
function rebuild(parts: ClaimParts, rebuilt: Parameters<Claims['rebuild']>[0], at: string): number {
  const runId = parts.runId()
  const decided = decidedBy(rebuilt)
  const rows = doubtReady(parts, { ...decided, decision: 'rebuilt', why: LOST, runId, at })
  setMark(parts.connection, runId, rebuilt.mark)
  noteChange(parts.connection, at)
  return rows.length
}

/** @throws {UsageError} without a name or a reason */
function decidedBy(given: { readonly by: string; readonly reason: string }): { by: string; reason: string } {
  const [by, reason] = [maskAccounts(given.by), maskAccounts(given.reason)]
  if (by.trim() !== '' && reason.trim() !== '') return { by, reason }
  throw new UsageError('The decision needs a person and a reason', 'Give both', {
    ways: ['name_person', 'give_reason'],
  })
}

interface Doubting {
  readonly runId: number
  readonly at: string
  readonly by: string
  readonly reason: string
  readonly decision: 'older_copy' | 'rebuilt'
  /** What the attempt says. */
  readonly why: string
}

/** Nothing leaves: each attempt ends as it begins. */
function doubtReady(
  { connection, newRequestId }: ClaimParts,
  { runId, at, by, reason, decision, why }: Doubting,
): number[] {
  const rows = connection
    .prepare<[], { id: number }>(`select id from row where state = 'ready' order by id`)
    .all()
    .map(({ id }) => id)
  const intend = connection
    .prepare<[number, string, string, number], number>(
      `insert into attempt (row_id, n, run_id, mandate_key, request_id, started_at)
       select id, attempts + 1, ?, mandate_key, ?, ? from row where id = ? returning id`,
    )
    .pluck()
  const send = connection.prepare<[string, number]>(
    'update row set state = ?, attempts = attempts + 1 where id = ?',
  )
  const doubt = connection.prepare<[string, string, number]>(
    `update attempt set outcome = 'in_doubt', hint = 'unknown', ended_at = ?, reason = ? where id = ?`,
  )
  const move = connection.prepare<[string, number]>('update row set state = ? where id = ?')
  const decide = connection.prepare(
    `insert into decision (row_id, attempt_id, decided_at, decided_by, decision, from_state, to_state, reason)
     values (:id, :attemptId, :at, :by, :decision, 'ready', 'in_doubt', :reason)`,
  )
  for (const id of rows) {
    const attemptId = intend.get(runId, newRequestId(), at, id)
    if (attemptId === undefined) throw new Error(`Row ${id} has no attempt`)
    send.run(transition('ready', 'intent'), id)
    doubt.run(at, why, attemptId)
    move.run(transition('sending', 'in_doubt'), id)
    decide.run({ id, attemptId, at, by, decision, reason })
  }
  return rows
}
