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

  return {
    ...prepareStanding(connection),
    mandates: () => mandates.iterate(),
    trustLog: () => write(() => forgetMissingLog(connection)),
    begin: (mark, note) => {
      write(() => setMark(connection, parts.runId(), mark))
      parts.noteWith(note)
    },
    adoptable: () => ({ ready: unsent.all('ready'), refused: unsent.all('refused') }),
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
function adopt({ connection, newRequestId }: ClaimParts, adoption: Adoption, at: string): AdoptionReport {
  const [by, reason] = [maskAccounts(adoption.by), maskAccounts(adoption.reason)]
  if (by.trim() === '' || reason.trim() === '')
    throw new UsageError('The decision needs a person and a reason', 'Give both', {
      ways: ['name_person', 'give_reason'],
    })
  const runId = insertRun(connection, adoption.run, at)
  const refused = retryRefused(connection, by, at, reason)
  const ready = connection
    .prepare<[], { id: number; n: number }>(
      `select id, attempts + 1 as n from row where state = 'ready' order by id`,
    )
    .all()
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
     values (:id, :attemptId, :at, :by, 'older_copy', 'ready', 'in_doubt', :reason)`,
  )
  for (const { id } of ready) {
    const attemptId = intend.get(runId, newRequestId(), at, id)
    if (attemptId === undefined) throw new Error(`Row ${id} has no attempt`)
    send.run(transition('ready', 'intent'), id)
    doubt.run(at, WHY, attemptId)
    move.run(transition('sending', 'in_doubt'), id)
    decide.run({ id, attemptId, at, by, reason })
  }
  forgetMissingLog(connection)
  setMark(connection, runId, adoption.mark)
  endRun(connection, runId, { stoppedBy: 'older_copy_adopted', exitCode: 4 }, at)
  noteChange(connection, at)
  return { rows: ready.map(({ id }) => id), refused }
}
