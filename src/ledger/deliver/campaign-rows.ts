import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { decideRow, recordDecision } from '../admit/problems.js'
import { transition, type RowState } from '../../domain/row/row-state.js'
import { LedgerError } from '../../errors.js'
import { sql, sqlValue, type Connection } from '../file/connection.js'
import { IS_BOUND } from '../schema/guards.js'
import { createFingerprints, type Fingerprints } from '../admit/stored-row.js'
import type { Attempt, Doubting, RunSettings, Target } from '../ledger.js'
import { attemptsInEmergencyFile, emergencyPathOf } from '../safety/side-files.js'

const SECRET_BYTES = 32
const ID_BYTES = 8

/** The one row that says which campaign this is; made with the ledger. */
export function createCampaign(
  connection: Connection,
  random: (bytes: number) => Uint8Array,
  at: string,
): void {
  if (sql(connection)`select 1 from campaign`.get() !== undefined) return
  sql(connection)`
    insert into campaign (id, ledger_id, created_at, changed_at, secret, plan_key)
     values (1, :ledgerId, :at, :at, :secret, :planKey)`.run({
    ledgerId: Buffer.from(random(ID_BYTES)).toString('hex'),
    at,
    secret: random(SECRET_BYTES),
    planKey: random(SECRET_BYTES),
  })
}

export const noteHolder = (
  connection: Connection,
  { pid, user }: { pid: number | null; user: string | null },
  at: string,
): void =>
  void sql(connection)`
    insert or replace into holder (id, pid, host, since, user) values (1, :pid, :host, :at, :user)`.run({
    pid,
    host: hostname(),
    at,
    user,
  })

/** SQL: what tells lists of now from those of before an older copy was adopted; null where none was. */
export const ADOPTION = `(select substr(mark, 1, 10) from run where settings -> '$.adopted' is not null order by id desc limit 1)`

export const noteChange = (connection: Connection, at: string): void =>
  void sql(connection)`update campaign set changed_at = ?`.run(at)

/** @throws {LedgerError} `unwritable` once the ledger was purged: there is nothing left to compare or to send */
export function assertNotPurged(connection: Connection, file: string, action: string): Uint8Array {
  const campaign = sql(connection)<{ secret: Buffer | null; purgedAt: string | null }>`
    select secret, purged_at as purgedAt from campaign`.get()
  if (campaign?.secret) return campaign.secret
  throw new LedgerError(
    'unwritable',
    `Cannot ${action} the ledger "${file}": it was purged at ${campaign?.purgedAt ?? 'an unknown time'}`,
    'Start a new ledger (--ledger FILE). A run of an export that has mandates of this one says so, and they come in as in doubt (--another-ledger --reason "…")',
  )
}

export const fingerprintsOf = (connection: Connection, file: string, action: string): Fingerprints =>
  createFingerprints(assertNotPurged(connection, file, action))

/** @throws {LedgerError} `other_campaign` */
export function bind(connection: Connection, file: string, campaign: Target, at: string): void {
  if (isBound(connection, file, campaign)) return
  const update = sql(connection)`
    update campaign set base_url = ?, username = ?, changed_at = ?`
  update.run(campaign.baseUrl, campaign.username, at)
}

/**
 * @returns false for a ledger that belongs to nobody yet, or of which nothing ever reached a service
 * @throws {LedgerError} `other_campaign`
 */
export function isBound(connection: Connection, file: string, { baseUrl, username }: Target): boolean {
  const bound = sql(connection)<{ baseUrl: string | null; username: string | null }>`
    select base_url as baseUrl, username from campaign`.get()
  if (bound?.baseUrl == null) return false
  if (bound.baseUrl === baseUrl && bound.username === username) return true
  if (sqlValue(connection)<number>`select ${IS_BOUND}`.get() === 0) return false
  const isSameUrl = bound.baseUrl === baseUrl
  throw new LedgerError(
    'other_campaign',
    isSameUrl
      ? `Cannot use the ledger "${file}" for the user "${username}": it belongs to the user "${bound.username ?? ''}"`
      : `Cannot use the ledger "${file}" for "${baseUrl}": it belongs to "${bound.baseUrl}"`,
    'Give the address and the user of this campaign. If it was a rehearsal, begin with another ledger, and name its host in the configuration (--ledger FILE; service.testHost). If the same service has another address or user now, a new ledger takes the place of this one, and what this one began to send comes in as in doubt (sepa-migrate run FILE --ledger NEW.db --another-ledger --reason "…"). Nothing was sent',
  )
}

/** Of what only looks at what a run would do. */
export const PLANNED_RUN: RunSettings = { version: '', host: '', pid: 0, asOf: '', zone: '', settings: {} }

export function insertRun(connection: Connection, settings: RunSettings, at: string): number {
  noteChange(connection, at)
  const { lastInsertRowid } = sql(connection)`
    insert into run (started_at, started_as, version, host, pid, as_of, zone, settings)
       values (:at, (select user from holder), :version, :host, :pid, :asOf, :zone, :settings)`.run({
    ...settings,
    at,
    settings: JSON.stringify(settings.settings),
  })
  return Number(lastInsertRowid)
}

export function endRun(
  connection: Connection,
  runId: number,
  { stoppedBy, exitCode }: { stoppedBy: string | null; exitCode: number },
  at: string,
): void {
  noteChange(connection, at)
  const update = sql(connection)`
    update run set ended_at = ?, stopped_by = ?, exit_code = ? where id = ?`
  update.run(at, stoppedBy, exitCode, runId)
}

/** How a run ended that could not say so itself. */
export const UNNOTICED = 'ended_without_notice'
/** The same, and the write-ahead log is gone, which a process that dies leaves behind. */
export const LOG_MISSING = 'ended_without_log'

const REASON = 'The program ended before the answer was recorded'

/** What the attempt of a row says that became in doubt without having left. */
export const DOUBT_REASONS: Readonly<Record<Doubting['decision'], string>> = {
  older_copy: 'An older copy of the ledger was put back: this row may have been sent since it was made',
  another_ledger: 'Another ledger of yours began to send this one',
  all_in_doubt: 'Nobody knows what was sent before this ledger was made: this row may have been',
}
/** And where the register knows it for somebody else: what the service holds of this customer says nothing of it. */
export const BEGUN_OTHERWISE = '. It was begun for another customer or date than this row has'

/** SQL over `attempt`: for whom a lost ledger may have begun it (`AbsenceFacts.begunFor`). */
export const BEGUN_FOR = `case when instr(attempt.reason, '${BEGUN_OTHERWISE}') > 0 then 'another'
  when attempt.reason = '${DOUBT_REASONS.all_in_doubt}' then 'unknown' else 'this' end`

/** @returns how many runs had neither ended nor been found before */
export const noteUnendedRuns = (connection: Connection, how: string): number =>
  sql(connection)`
    update run set stopped_by = ? where ended_at is null and stopped_by is null`.run(how).changes

/** The intent of a row that is ready. `why`: of a take-over alone, by which nothing leaves; the gate lets it by. */
export function prepareIntent(connection: Connection) {
  const insert = sql(connection)<Pick<Attempt, 'id' | 'n'>>`
    insert into attempt (row_id, n, run_id, mandate_key, request_id, started_at, reason)
     select id, attempts + 1, ?, mandate_key, ?, ?, ? from row where id = ? and state = 'ready' returning id, n`
  const send = sql(connection)`
    update row set state = ?, attempts = attempts + 1 where id = ? and state = 'ready'`
  return (rowId: number, run: number, requestId: string, at: string, why: string | null = null): Attempt => {
    const attempt = insert.get(run, requestId, at, why, rowId)
    const { changes } = send.run(transition('ready', 'intent'), rowId)
    if (attempt !== undefined && changes === 1) return { ...attempt, rowId, requestId }
    throw new Error(`Cannot record the intent for row ${rowId}: 0 rows were in the expected state, not 1`)
  }
}

/** An attempt without an outcome becomes a doubt, and its row with it. */
function endInDoubt(
  connection: Connection,
  {
    rowId,
    attemptId,
    at,
    reason,
    isShown = false,
  }: { rowId: number; attemptId: number; at: string; reason: string; isShown?: boolean },
): void {
  const end = sql(connection)`
    update attempt set outcome = 'in_doubt', hint = ?, started = ?, ended_at = ?, reason = ?
      where id = ? and outcome is null`
  end.run(isShown ? 'may_exist' : 'unknown', isShown ? 0 : null, at, reason, attemptId)
  sql(connection)`update row set state = ? where id = ?`.run(transition('sending', 'in_doubt'), rowId)
}

/**
 * A row that is ready becomes in doubt by a person's word. Nothing leaves: its attempt ends as it begins, and its reason says so
 * to the gate.
 */
export function doubtRow(
  connection: Connection,
  { row, run, requestId, why, isShown = false, ...decided }: Doubted,
): void {
  const { at } = decided
  const { id: attemptId } = prepareIntent(connection)(row, run, requestId, at, why)
  endInDoubt(connection, { rowId: row, attemptId, at, reason: why, isShown })
  recordDecision(connection, { ...decided, row, from: 'ready', to: 'in_doubt' })
}

type Doubted = Readonly<
  Record<'row' | 'run', number> &
    Record<'requestId' | 'why' | 'at' | 'by' | 'decision' | 'reason', string> & {
      /** Nothing left, since the service holds it already. */
      isShown?: boolean
    }
>

/** The same of a row that the service shows, or a person says that it does; one that was refused is to be sent once more first. */
export function doubtShown(
  connection: Connection,
  { state, ...doubted }: Omit<Doubted, 'run' | 'requestId'> & { readonly state: RowState },
): void {
  const run = sqlValue(connection)<number>`select max(id) from run`.get() ?? 0
  if (state === 'refused') {
    const to = transition('refused', 'retry_refused')
    decideRow(connection, { ...doubted, decision: 'retry_refused', from: 'refused', to })
  }
  doubtRow(connection, { ...doubted, run, requestId: randomUUID() })
}

/**
 * Under the lock no request can be under way, so every intent without an outcome is in doubt (ledger/README.md#crash-table). Run it
 * inside a transaction; it does nothing the second time.
 * @returns how many rows it found
 */
export function recover(connection: Connection, file: string, at: string, isLogMissing = false): number {
  const open = sql(connection)<{ rowId: number; attemptId: number; requestId: string }>`
    select row.id as rowId, attempt.id as attemptId, request_id as requestId
       from row join attempt on row_id = row.id and n = row.attempts where state = 'sending'`.all()
  const recorded = open.length > 0 ? attemptsInEmergencyFile(file) : new Set()
  for (const { rowId, attemptId, requestId } of open) {
    const evidence = recorded.has(requestId)
      ? `. Its answer is in the file "${basename(emergencyPathOf(file))}"`
      : ''
    endInDoubt(connection, { rowId, attemptId, at, reason: REASON + evidence })
  }
  const ended = noteUnendedRuns(connection, isLogMissing ? LOG_MISSING : UNNOTICED)
  if (open.length + ended > 0) noteChange(connection, at)
  return open.length
}
