import { type Choice, spreadPilot, type PilotCandidate } from '../../domain/row/choice.js'
import type { Mandate } from '../../domain/mandate/mandate.js'
import { LedgerError, UsageError } from '../../errors.js'
import {
  IS_CHOSEN,
  placedChoice,
  privateOf,
  rowsOf,
  sql,
  sqlValue,
  sqlWithJson,
  type Connection,
  type LedgerWork,
} from '../file/connection.js'
import type { Fingerprints } from '../admit/stored-row.js'
import type { ClaimedMandate, ReadyRow, BegunGroup, Doubting, RunSettings } from '../ledger.js'
import { ALL_THAT_MAY_BE_SENT, hasLeft, hasLiveAttempt, LATE, lateSince, MAY_BE_SENT } from './gate.js'
import { LATE_REQUEST_MS } from '../../domain/row/row-state.js'
import { maskAccounts } from '../../domain/text/accounts.js'
import { holdFound, isSettled, noticeOf } from '../admit/problems.js'
import { NEVER_SENDABLE } from '../compare/comparison-reads.js'
import { retryRefused } from '../decide/resolution.js'
import {
  BEGUN_OTHERWISE,
  DOUBT_REASONS,
  doubtRow,
  endRun,
  insertRun,
  LOG_MISSING,
  noteChange,
  UNNOTICED,
} from './campaign-rows.js'
import { standingReads } from '../read/open-reader.js'
import { severityOf, type SeverityOverrides } from '../../domain/rule/verdict.js'

/** Only checked values reach the state `ready`, and a guard keeps them as they were. */
type StoredReady = Omit<Mandate, 'original' | 'iban'> &
  Mandate['original'] &
  Pick<ReadyRow, 'id' | 'attempts'> & {
    readonly iban: Mandate['iban'] | null
    readonly accountKey: Buffer
    readonly contentKey: Buffer | null
  }

/** A page is read again from the disk: what somebody or something changed in the file must not be sent. */
function toReadyRow(row: StoredReady, fingerprints: Fingerprints, file: string): ReadyRow {
  const { customerNo, iban, signedDate, creditorIdentifier, mandateReference } = row
  if (iban !== null && row.contentKey !== null && fingerprints.account(iban).equals(row.accountKey)) {
    const mandate = { customerNo, iban, signedDate, original: { creditorIdentifier, mandateReference } }
    if (fingerprints.content(mandate).equals(row.contentKey))
      return { id: row.id, attempts: row.attempts, mandate }
  }
  throw new LedgerError(
    'damaged',
    `Cannot send row ${row.id} of the ledger "${file}": it no longer holds what was admitted, its fingerprint differs`,
    'The file was changed or is damaged. The row was not sent, and nothing after it. Keep the file as evidence, find ' +
      'out who could write to it, and compare what was registered with the service',
  )
}

const READY_COLUMNS = `row.id as id, attempts, customer_no as customerNo, ${privateOf('row', 'iban')} as iban, signed_date as signedDate,
       original_creditor_identifier as creditorIdentifier, original_mandate_reference as mandateReference,
       iban_key as accountKey, content_key as contentKey`

/** What mandates are known by. A reference is corrected or written otherwise, so the customer counts too. */
const claimed = (connection: Connection, such: string, most = '') =>
  sql(connection)<ClaimedMandate>`
    select id as row, mandate_key as key, customer_no || '|' || signed_date as likeness, customer_no as customerNo, attempts
      from row where ${such} and mandate_key is not null and customer_no is not null and signed_date is not null order by id ${most}`

/** Who said of this ledger that nobody knows what was sent, and why: that holds for whatever comes into it. */
const ALL_IN_DOUBT = `select settings -> '$.allInDoubt' as said from run where settings ->> '$.allInDoubt' is not null`

/** What a run may send now: by this one condition it is counted and given out. */
const mayLeave = (
  mayBeSent: string,
): string => `${mayBeSent} and row.id not in (select id from (${LATE})) and ${IS_CHOSEN}
  and (row.attempts > 0 or not exists (${ALL_IN_DOUBT}))`
const MAY_LEAVE = mayLeave(MAY_BE_SENT)
const ALL_THAT_MAY_LEAVE = mayLeave(ALL_THAT_MAY_BE_SENT)

/** An iteration keeps the connection busy from its first moment, also where nobody wants what it gives. */
function* lazily<Value>(start: () => Iterable<Value>): Generator<Value, void, undefined> {
  yield* start()
}
/** @param parts `fingerprints`: made when the first row is read; a ledger that was purged has none, and no ready row */
export function prepareReadyRows(
  connection: Connection,
  parts: { file: string; nowMs: () => number; fingerprints: () => Fingerprints },
) {
  const { file, nowMs } = parts
  let known: Fingerprints | null = null
  let decidedAt: string | null = null
  const asked = (choice: Choice | null): { since: string; choice: string | null } => ({
    since: decidedAt ?? lateSince(nowMs()),
    choice: placedChoice(connection, choice),
  })
  return {
    /**
     * A page of the ready rows that may leave now, in order of id, after the given id: all of them, or those that the
     * choice takes.
     * @throws {LedgerError} `damaged` for a row that does not hold what was admitted
     */
    page: (after: number, limit: number, choice: Choice | null): ReadyRow[] =>
      sql(connection)<StoredReady>`
        select ${READY_COLUMNS} from row where id > :after and ${MAY_LEAVE} order by id limit :limit`
        .all({ after, limit, ...asked(choice) })
        .map((row) => toReadyRow(row, (known ??= parts.fingerprints()), file)),
    /**
     * The rows that the pages will hold from now on, at most so many: what waits at this moment is left to a later run, so
     * that nothing is sent that was not claimed.
     */
    toSend: (limit: number | null, choice: Choice | null = null): Iterable<ClaimedMandate> => {
      decidedAt = lateSince(nowMs())
      const given = { ...asked(choice), limit: limit ?? -1 }
      return lazily(() => claimed(connection, ALL_THAT_MAY_LEAVE, 'limit :limit').iterate(given))
    },
    /** As `spreadPilot`, of the rows that the pages would hold. */
    pilot: (limit: number, choice: Choice | null) => {
      const page = sql(connection)<PilotCandidate>`
        select row.id as id, customer_no as customerNo, ${privateOf('row', 'iban')} as iban, original_creditor_identifier as creditorIdentifier,
           original_mandate_reference as mandateReference, (select group_concat(distinct problem.rule) from problem
             where row_id = row.id and severity = 'warning') as warnings
         from row where row.id > :after and ${MAY_LEAVE} order by row.id limit :limit`
      return spreadPilot(rowsOf(page, asked(choice)), limit)
    },
    hasReady: (choice: Choice | null = null): boolean =>
      sql(connection)`select 1 from row where ${MAY_LEAVE} limit 1`.get(asked(choice)) !== undefined,
    /** The first of those from that row on, then of the others. */
    firstFrom: (first: number, limit: number, choice: Choice | null): number[] => {
      const among = (which: '>=' | '<', most: number): number[] =>
        sqlValue(connection)<number>`
          select id from row where id ${which} :first and ${MAY_LEAVE} order by id limit :most`.all({
          ...{ first, most },
          ...asked(choice),
        })
      const own = among('>=', limit)
      return [...own, ...among('<', limit - own.length)]
    },
    /** How many the pages hold, at most so many: a pilot asks of no more than it sends. */
    countReady: (choice: Choice | null = null, limit: number | null = null): number =>
      sqlValue(
        connection,
      )<number>`select count(*) from (select 1 from row where ${ALL_THAT_MAY_LEAVE} limit :limit)`.get({
        ...asked(choice),
        limit: limit ?? -1,
      }) ?? 0,
    /**
     * Ready rows that may not leave yet, because an earlier request of theirs may still arrive, and when the last of them
     * may, ISO 8601; null where none waits.
     */
    waiting: (choice: Choice | null = null) => {
      const waiting = sql(connection)<{ count: number; latest: string | null }>`
        select count(distinct row.id) as count, max(started_at) as latest
           from (${LATE}) as waits join row on row.id = waits.id where ${MAY_BE_SENT} and ${IS_CHOSEN}`
      const found = waiting.get(asked(choice)) ?? { count: 0, latest: null }
      const until = found.latest === null ? null : Date.parse(found.latest) + LATE_REQUEST_MS
      return { count: found.count, until: until === null ? null : new Date(until).toISOString() }
    },
  }
}

interface DoubtParts extends Pick<LedgerWork, 'connection' | 'now' | 'storage'> {
  readonly newRequestId: () => string
  /** The run that is going. @throws when none was started */
  readonly runId: () => number
}

interface ClaimParts extends DoubtParts {
  readonly toSend: ReturnType<typeof prepareReadyRows>['toSend']
  /** From now on called after every commit of intents, before their requests leave. */
  readonly noteWith: (note: (group: BegunGroup) => void) => void
}

export type Claims = ReturnType<typeof createClaims>

/** The ledger's side of the register of campaigns, which knows how far each ledger has come. */
export function createClaims(parts: ClaimParts) {
  const { connection, storage, now } = parts
  const unsent = (state: 'ready' | 'refused'): number[] =>
    sqlValue(connection)<number>`select id from row where state = '${state}' order by id`.all()

  return {
    ...standingReads(connection),
    /** Rows that are ready. Nothing else may be asked of the ledger before an iteration has ended, as of the two below. */
    ready: (): Iterable<ClaimedMandate> => claimed(connection, `state = 'ready'`).iterate(),
    toSend: parts.toSend,
    /** Every row that counts, by its mandate alone. */
    known: (): Iterable<ClaimedMandate> =>
      sql(connection)<ClaimedMandate>`
        select id as row, mandate_key as key, '' as likeness, 0 as customerNo, attempts from row
         where mandate_key is not null and state not in ('duplicate', 'superseded')`.iterate(),
    /** Rows that have an attempt. */
    attempted: (): Iterable<ClaimedMandate> => claimed(connection, 'attempts > 0').iterate(),
    /** Rows whose references were accounts and are removed. */
    removed: () => sqlValue(connection)<number>`select id from row where mandate_key glob 'removed|*'`.all(),
    /** Mandate keys with the customer or the spelling of that row, of which a request left or may have: the gate knows their kin. */
    keysThatLeft: (row: number) =>
      sqlValue(connection)<string>`
        select mandate_key from row where id in (select other.id from row join row as other using (customer_no) where row.id = :row
            union select other.id from row join row as other using (spelling) where row.id = :row)
           and ${hasLeft('row.mandate_key')}`.all({ row }),
    /** A person said that the row is sent although it resembles another one, or the rule is a warning. */
    isSettled: (row: number) => isSettled(connection, row, RESEMBLES),
    /** Records that no commit is missing although a write-ahead log was: it was merged into the file. */
    trustLog: () => storage.write(() => forgetMissingLog(connection)),
    /**
     * Puts the mark on the run that is going, durably. From now on `note` is called after every commit of intents; when it
     * throws, no request of that commit leaves, and its rows are ready again.
     */
    begin: (mark: string, note: (group: BegunGroup) => void): void => {
      storage.write(() => setMark(connection, parts.runId(), mark))
      parts.noteWith(note)
    },
    /** What may have been sent since, if this is an older copy: as mandates, and by the numbers of its rows. */
    unsent: (): Iterable<ClaimedMandate> => claimed(connection, `state in ('ready', 'refused')`).iterate(),
    adoptable: () => ({ ready: unsent('ready'), refused: unsent('refused') }),
    /**
     * Ready rows become in doubt by the word of a person, in the run that is going. While an admission is open it is part
     * of it.
     * @param otherwise those of them that were begun for another customer or date
     * @returns how many
     */
    doubt: (rows: readonly number[], doubting: Doubting, otherwise: readonly number[] = []): number =>
      storage.join(() => doubtRows(parts, rows, { ...doubting, otherwise })),
    doubtAll: (given: Doubting | null, otherwise: readonly number[] = []): number =>
      doubtAll(parts, given, otherwise),
    /**
     * Ready rows in whose place rows came of a copy that was adopted become in doubt: the lost part may have sent what they were
     * corrected to. Where a register knows what was begun, that tells. @returns how many
     */
    doubtCorrected: (): number =>
      storage.join(() => {
        const adopted = sqlWithJson<{ said: Doubting & { source: number } }>(connection, 'said')`
          select settings -> '$.adopted' as said from run where settings -> '$.adopted' is not null order by id desc`.get()
          ?.said
        if (adopted === undefined) return 0
        const { source, ...doubting } = adopted
        const rows = sqlValue(connection)<number>`
          select row.id from row where state = 'ready' and attempts = 0
            and exists (select 1 from row as former where former.heir = row.id and former.source_id <= ?) order by row.id`
        return doubtRows(parts, rows.all(source), { ...doubting, otherwise: [] })
      }),
    /**
     * Ready rows become conflicts, since the ledger at `place` claimed a mandate that they resemble; as far as the rule is
     * an error, and nobody said that they are sent all the same. While an admission is open it is part of it.
     * @returns how many
     */
    hold: (rows: readonly Resembling[], severities: SeverityOverrides): number =>
      storage.join(() => {
        const given = { severity: severityOf(RESEMBLES, severities), at: now() }
        const held = rows.filter((found) =>
          holdFound(connection, found.row, noticeOf(RESEMBLES, { message: resemblanceText(found) }), given),
        )
        if (held.length > 0) noteChange(connection, given.at)
        return held.length
      }),
    /**
     * Rows that another ledger began to send, and that cannot be sent from here as they stand, become lines of the cut-over.
     * While an admission is open it is part of it.
     * @returns how many
     */
    tellBegun: (rows: readonly number[]): number =>
      storage.join(() => {
        const open = sql(connection)`
          insert into compared (comparison_id, row_id, class, why, is_held)
           select (select max(id) from comparison), id, 'ended_after_registration', 'begun', 0 from row as told
            where id = ? and state in ${NEVER_SENDABLE}
              and not exists (select 1 from row as same where same.mandate_key = told.mandate_key and attempts > 0)
              and not exists (select 1 from compared join row as former on former.id = row_id
                where former.mandate_key = told.mandate_key and why = 'begun')`
        const told = rows.filter((row) => open.run(row).changes > 0)
        if (told.length > 0) noteChange(connection, now())
        return told.length
      }),
    /**
     * A person goes on with an older copy: every row that it would send becomes in doubt, by a decision on record; those that
     * it calls refused as well, because they may have been sent once more. The rows take the same edges as any other: an
     * intent, then the doubt.
     * @returns the rows that are in doubt now, how many of them were refused, and those that were begun for another customer
     *   or date
     */
    adoptOlderCopy: ({ run, mark, otherwise, ...given }: Adoption) =>
      storage.write(() => {
        const [decided, at] = [decidedBy(given), now()]
        const runId = insertRun(connection, run, at)
        const refused = retryRefused(connection, decided.by, at, decided.reason)
        const rows = unsent('ready')
        doubtRows({ ...parts, now: () => at, runId: () => runId }, rows, {
          ...decided,
          decision: 'older_copy',
          otherwise,
        })
        forgetMissingLog(connection)
        setMark(connection, runId, mark)
        sql(connection)`
          update run set settings = json_set(settings, '$.adopted', json_object('by', :by, 'reason', :reason, 'decision', 'older_copy',
            'source', (select coalesce(max(id), 0) from source))) where id = :runId`.run({
          ...decided,
          runId,
        })
        endRun(connection, runId, { stoppedBy: 'older_copy_adopted', exitCode: 4 }, at)
        return { rows, refused, otherwise }
      }),
  }
}

/** By what a row may resemble a mandate, the most telling last. */
export const LIKE = ['reference', 'likeness', 'spelling'] as const

export interface Resembling {
  readonly row: number
  readonly place: string
  /** Its place in `LIKE`. */
  readonly alike: number
}

/** By which it is told apart from what resembles rows of this ledger. */
export const OF_ANOTHER_LEDGER = 'those of a mandate that the ledger "'

function resemblanceText({ place, alike }: Resembling): string {
  const ofClaimed = `${OF_ANOTHER_LEDGER}${place}" claimed`
  if (LIKE[alike] === 'likeness')
    return `Customer and date are ${ofClaimed} under another reference. It may be that mandate with a corrected reference.`
  const isCustomer = LIKE[alike] === 'spelling'
  return `${isCustomer ? 'Customer and reference' : 'Letters and digits of the reference'}, but for zeros in front${isCustomer ? ', blanks and marks' : ''}, are ${ofClaimed}${isCustomer ? '' : ' for another customer'}. It may be that mandate with its reference written otherwise.`
}

export interface Adoption extends Pick<Doubting, 'by' | 'reason'> {
  readonly mark: string
  readonly run: RunSettings
  readonly otherwise: readonly number[]
}

const setMark = (connection: Connection, runId: number, mark: string): void =>
  void sql(connection)`update run set mark = ? where id = ?`.run(mark, runId)

const forgetMissingLog = (connection: Connection): void =>
  void sql(connection)`
    update run set stopped_by = ? where stopped_by = ? and ended_at is null`.run(UNNOTICED, LOG_MISSING)

/** @throws {UsageError} without a name or a reason */
function decidedBy(given: Pick<Doubting, 'by' | 'reason'>): Pick<Doubting, 'by' | 'reason'> {
  const [by, reason] = [maskAccounts(given.by), maskAccounts(given.reason)]
  if (by.trim() !== '' && reason.trim() !== '') return { by, reason }
  throw new UsageError('The decision needs a person and a reason', 'Give both (--by NAME; --reason "…")')
}

function doubtRows(
  { connection, newRequestId, runId, now }: DoubtParts,
  rows: readonly number[],
  { decision, otherwise, ...given }: Doubting & { readonly otherwise: readonly number[] },
): number {
  const decided = { ...decidedBy(given), decision, run: runId(), at: now() }
  const others = new Set(otherwise)
  for (const row of rows) {
    const why = DOUBT_REASONS[decision] + (others.has(row) ? BEGUN_OTHERWISE : '')
    doubtRow(connection, { ...decided, row, why, requestId: newRequestId() })
  }
  return rows.length
}

/**
 * Where a person says that nobody knows what was sent, all ready rows become in doubt. Where somebody said so in an earlier
 * run, those without an attempt do: of the others a person has decided since, or they were sent from here.
 * @returns how many
 */
export const doubtAll = (parts: DoubtParts, given: Doubting | null, otherwise: readonly number[]): number =>
  parts.storage.join(() => {
    const { connection, runId } = parts
    const isSaid = given?.decision === 'all_in_doubt'
    if (isSaid)
      sql(connection)`update run set settings = json_set(settings, '$.allInDoubt', json(?)) where id = ?`.run(
        JSON.stringify({ ...given, ...decidedBy(given) }),
        runId(),
      )
    const { said } =
      sqlWithJson<{ said?: Doubting }>(connection, 'said')`${ALL_IN_DOUBT} order by id desc`.get() ?? {}
    const ready = sqlValue(connection)<number>`
      select id from row where state = 'ready' and (? or attempts = 0 and not ${hasLiveAttempt('row.mandate_key')})`
    return said === undefined ? 0 : doubtRows(parts, ready.all(Number(isSaid)), { ...said, otherwise })
  })

const RESEMBLES = 'MANDATE_RESEMBLES_SENT'
