import { transition } from '../../domain/row/row-state.js'
import { ruleOf, severityOf } from '../../domain/rule/rules.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { UsageError } from '../../errors.js'
import { prepareHoldRow } from '../admit/hold-row.js'
import { prepareNotices, type Notice } from '../admit/problems.js'
import { retryRefused } from '../decide/resolution.js'
import { prepareStanding } from '../decide/standing.js'
import type { Connection } from '../file/connection.js'
import type { AdoptionReport, BegunGroup, ClaimedMandate, Claims, Doubting } from '../ledger.js'
import { endRun, insertRun, LOG_MISSING, noteChange, UNNOTICED } from './campaign-rows.js'
import { CLAIMED, type ReadyRows } from './ready-rows.js'

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
  readonly toSend: ReadyRows['toSend']
  /** From now on called after every commit of intents, before their requests leave. */
  readonly noteWith: (note: (group: BegunGroup) => void) => void
}

export function createClaims(parts: ClaimParts): Claims {
  const { connection, write, now } = parts
  const ready = connection.prepare<[], ClaimedMandate>(
    `select ${CLAIMED} from row where state = 'ready' order by id`,
  )
  const attempted = connection.prepare<[], ClaimedMandate>(
    `select ${CLAIMED} from row where attempts > 0 and mandate_key is not null and customer_no is not null
       and signed_date is not null order by id`,
  )
  const keysOfCustomer = connection
    .prepare<[number], string>(
      `select distinct mandate_key from row where mandate_key is not null
         and customer_no = (select customer_no from row where id = ?)`,
    )
    .pluck()
  const unsent = connection
    .prepare<[string], number>('select id from row where state = ? order by id')
    .pluck()
  const latestMark = connection
    .prepare<[], string>('select mark from run where mark is not null order by id desc limit 1')
    .pluck()
  const lastRow = connection.prepare<[], number>('select coalesce(max(id), 0) from row').pluck()

  return {
    ...prepareStanding(connection),
    latestMark: () => latestMark.get() ?? null,
    lastRow: () => lastRow.get() ?? 0,
    ready: () => ready.iterate(),
    toSend: parts.toSend,
    attempted: () => attempted.iterate(),
    keysOfCustomer: (row) => keysOfCustomer.all(row),
    isSettled: prepareSettled(connection),
    trustLog: () => write(() => forgetMissingLog(connection)),
    begin: (mark, note) => {
      write(() => setMark(connection, parts.runId(), mark))
      parts.noteWith(note)
    },
    adoptable: () => ({ ready: unsent.all('ready'), refused: unsent.all('refused') }),
    doubt: (rows, doubting) =>
      parts.join(() => {
        const decided = { ...doubting, ...decidedBy(doubting), runId: parts.runId(), at: now() }
        return doubtRows(parts, rows === 'ready' ? unsent.all('ready') : rows, decided).length
      }),
    hold: (rows, severities) => parts.join(() => holdRows(parts, rows, severityOf(RESEMBLES, severities))),
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

/**
 * Every row that this copy would send becomes in doubt, by a decision on record; those that it calls refused as well,
 * because they may have been sent once more. The rows take the same edges as any other: an intent, then the doubt.
 */
function adopt(
  parts: ClaimParts,
  adoption: Parameters<Claims['adoptOlderCopy']>[0],
  at: string,
): AdoptionReport {
  const { connection } = parts
  const decided = decidedBy(adoption)
  const runId = insertRun(connection, adoption.run, at)
  const refused = retryRefused(connection, decided.by, at, decided.reason)
  const ready = connection.prepare<[], number>(`select id from row where state = 'ready' order by id`).pluck()
  const rows = doubtRows(parts, ready.all(), { ...decided, decision: 'older_copy', runId, at })
  forgetMissingLog(connection)
  setMark(connection, runId, adoption.mark)
  endRun(connection, runId, { stoppedBy: 'older_copy_adopted', exitCode: 4 }, at)
  noteChange(connection, at)
  return { rows, refused }
}

/** @throws {UsageError} without a name or a reason */
function decidedBy(given: { readonly by: string; readonly reason: string }): { by: string; reason: string } {
  const [by, reason] = [maskAccounts(given.by), maskAccounts(given.reason)]
  if (by.trim() !== '' && reason.trim() !== '') return { by, reason }
  throw new UsageError('The decision needs a person and a reason', 'Give both', {
    ways: ['name_person', 'give_reason'],
  })
}

/** What the attempt of a row says that became in doubt without having left. */
const DOUBT_REASONS: Readonly<Record<Doubting['decision'], string>> = {
  older_copy: 'An older copy of the ledger was put back: this row may have been sent since it was made',
  another_ledger: 'Another ledger of yours began to send this one',
  all_in_doubt: 'Nobody knows what was sent before this ledger was made: this row may have been',
}

interface Doubt extends Doubting {
  readonly runId: number
  readonly at: string
}

/** Nothing leaves: each attempt ends as it begins. */
function doubtRows(
  { connection, newRequestId }: ClaimParts,
  rows: Iterable<number>,
  { runId, at, by, reason, decision }: Doubt,
): number[] {
  const intend = connection
    .prepare<[number, string, string, number], number>(
      `insert into attempt (row_id, n, run_id, mandate_key, request_id, started_at)
       select id, attempts + 1, ?, mandate_key, ?, ? from row where id = ? and state = 'ready' returning id`,
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
  const doubted: number[] = []
  for (const id of rows) {
    const attemptId = intend.get(runId, newRequestId(), at, id)
    if (attemptId === undefined) throw new Error(`Row ${id} has no attempt`)
    send.run(transition('ready', 'intent'), id)
    doubt.run(at, DOUBT_REASONS[decision], attemptId)
    move.run(transition('sending', 'in_doubt'), id)
    decide.run({ id, attemptId, at, by, decision, reason })
    doubted.push(id)
  }
  return doubted
}

const RESEMBLES = 'MANDATE_RESEMBLES_SENT'

/** It was told of the row as a warning, which a row that is held back gets as an error. */
function prepareSettled(connection: Connection): (row: number) => boolean {
  const warned = connection.prepare<[number]>(
    `select 1 from problem where row_id = ? and rule = '${RESEMBLES}' and severity = 'warning'`,
  )
  return (row) => warned.get(row) !== undefined
}

function holdRows(
  { connection, now }: ClaimParts,
  rows: Parameters<Claims['hold']>[0],
  severity: 'error' | 'warning' | 'off',
): number {
  if (severity === 'off') return 0
  connection.exec('create temp table if not exists said_send (id integer primary key)')
  const isSaid = connection.prepare<[number]>('select 1 from temp.said_send where id = ?')
  const isSettled = prepareSettled(connection)
  const notices = prepareNotices(connection, {})
  const at = now()
  const holdRow = prepareHoldRow(connection, at)
  let count = 0
  for (const { row, place } of rows) {
    if (isSettled(row)) continue
    const isSent = severity === 'warning' || isSaid.get(row) !== undefined
    const message = `Customer and date are those of a mandate that the ledger "${place}" claimed under another reference. It may be that mandate with a corrected reference.`
    const notice: Notice = {
      rule: RESEMBLES,
      severity: isSent ? 'warning' : 'error',
      field: 'unique_mandate_reference',
      message,
      remedy: ruleOf(RESEMBLES).remedy,
    }
    notices.write(notice, 'id = :row', { row })
    if (isSent) continue
    holdRow(row, RESEMBLES, message)
    count += 1
  }
  if (count > 0) noteChange(connection, at)
  return count
}
