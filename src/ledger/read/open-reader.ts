import { countOfWay, type ReadSource, readSourcesOf } from '../admit/again.js'
import { resolve } from 'node:path'
import type { LocalDate } from '../../domain/mandate/mandate.js'
import { CORRECTED, countFields, type CorrectedRow, type Corrections } from '../../domain/row/correction.js'
import {
  MANDATE_STATES,
  mandateTotalsOf,
  ROW_STATES,
  type MandateCount,
  type RowState,
  totalsOf,
  type Totals,
} from '../../domain/row/row-state.js'
import { assertKind, assertKnown, onlyKnown, UsageError } from '../../errors.js'
import { entryAt } from '../../trust/trusted-file.js'
import {
  collectedOf,
  CONTRADICTED_LATER,
  isCollectedAsSent,
  EVIDENCE,
  type EvidenceCounts,
  hasAny,
  VOUCHED,
} from '../admit/collected.js'
import { COMPARED_FILES, HAS_ITS_KEY, REFUSED_BECAUSE } from '../deliver/gate.js'
import { ADOPTION, LOG_MISSING } from '../deliver/campaign-rows.js'
import {
  IS_CHOSEN,
  keeping,
  openForReading,
  placedChoice,
  privateOf,
  sql,
  sqlWithJson,
  sqlValue,
  type Connection,
  explaining,
} from '../file/connection.js'
import { comparisonReads, IS_UNTAKEN_FILE, readExpected, SENT_LATER } from '../compare/comparison-reads.js'
import { planReads } from '../plan/plans.js'
import { assertSafePlace } from '../safety/side-files.js'
import { assertOurs, missing, sqlList } from '../schema/schema.js'
import { proofReads } from './read-proofs.js'
import type { Choice } from '../../domain/row/choice.js'
import type { RuleId } from '../../domain/rule/verdict.js'
import { ownerOf } from '../deliver/delivery.js'
import { createFingerprints, READ_COLUMNS } from '../admit/stored-row.js'
import type {
  AttemptRecord,
  CampaignRecord,
  DecisionRecord,
  ProblemRecord,
  RefusalCount,
  RegisteredRow,
  RowPage,
  RowRecord,
  RunRecord,
  SourceRecord,
  Standing,
} from './reader.js'

/** The last export that differs from one before, of which nobody has said which is newer. */
const UNORDERED = `(select max(source_id) from row where state = 'conflict' and rule = 'EXPORT_ORDER_UNKNOWN')`
const READ_WITH = `reading ->> '$.configuration'`
/** SQL that is true for the newest exports that a configuration reads: the one that came in last, or was called newer since, with all of its command. */
const IS_LAST = `kind = 'export' and admitted_at is (select export.admitted_at from source as word
    join source as export on export.id = word.origin
  where (word.id = export.id or word.is_newer) and export.kind = 'export' and word.${READ_WITH} is source.${READ_WITH} order by word.id desc limit 1)`
/** An export that came in since the last comparison, of which nobody said that it is newer. */
const CAME_IN_SINCE = `select 1 from source where kind = 'export' and not is_newer and sha256 not in ${COMPARED_FILES}
  and id > (select max(last_source) from comparison)`
/** The columns of the first export, and a configuration of the lines in a list to work in, of which each is read by its own; where all are of the cut-over, that of the columns. */
const LISTS_READ_WITH = `(select iif(${READ_WITH} is null, null, coalesce((
    select iif(min(coalesce(${READ_WITH}, '')) = '', '', max(${READ_WITH})) from source
      where id in (select source_id from row where state in ('invalid', 'conflict', 'refused', 'in_doubt'))), ${READ_WITH}))
  from source where kind = 'export' order by id limit 1)`

/** Of what was compared last, that of the first file which is to come in, else of the first one. */
const UNTAKEN_WITH = `(select value ->> 'configuration' from comparison, json_each(sources) where comparison.id = (select max(id) from comparison)
  order by not ${IS_UNTAKEN_FILE}, json_each.key limit 1)`

type LedgerPlace = { readonly sharedFolder?: boolean | undefined }

/**
 * Opens a ledger beside the process that writes it; takes no lock and changes nothing.
 * @param options `sharedFolder` allows a folder that others can write
 * @throws {UsageError} where there is none, or an empty one
 * @throws {LedgerError} `foreign`, `newer`, `earlier`, `damaged`, `unsafe`, `unwritable`
 */
export function openLedgerReader(path: string, options: LedgerPlace = {}): LedgerReader {
  assertKind('the path of the ledger', path, 'text')
  const file = resolve(path)
  return createReader(openBegun(file, onlyKnown('openLedgerReader', options, 'sharedFolder:flag')), file)
}

/** A connection to a ledger of this version in which something has begun. */
export const openBegun = (file: string, { sharedFolder = false }: LedgerPlace): Connection =>
  explaining('read', file, () => {
    if (entryAt(file) === null) throw missing(file)
    assertSafePlace(file, { sharedFolder })
    return keeping(openForReading(file), (connection) => {
      if (!assertOurs(connection, file)) return connection
      throw new UsageError(
        `Cannot read the ledger "${file}": it is empty, no run has begun yet`,
        'Start a campaign (sepa-migrate run FILE)',
      )
    })
  })

/** Rows of the tables as SQLite gives them, and what a reader makes of them. Only the ledger writes those tables. */

const STARTED = `iif(started is null, null, json(iif(started, 'true', 'false')))`

/** An attempt as JSON. */
const ATTEMPT = `json_object('id', attempt.id, 'n', attempt.n, 'runId', run_id, 'requestId', request_id,
  'startedAt', attempt.started_at, 'endedAt', attempt.ended_at, 'durationMs', duration_ms, 'started', ${STARTED}, 'outcome', outcome,
  'hint', hint, 'reason', attempt.reason, 'status', status, 'errorCode', error_code, 'serviceCode', service_code, 'field', field,
  'message', message, 'answer', answer)`

const ROW_COLUMNS = `${READ_COLUMNS}, source.name as source,
  ${VOUCHED} as vouchedOn`

/** With its latest attempt, and with the latest doubt over its mandate that a person has decided. */
const WHOLE = `${ROW_COLUMNS}, ${privateOf('row', 'cells')} as cells,
  (select ${ATTEMPT} from attempt where row_id = row.id and n = row.attempts) as lastAttempt,
  iif(exists (select 1 from attempt where outcome = 'released'), (select json_object('rowId', row_id, 'startedAt', started_at,
    'requestId', request_id, 'started', ${STARTED}) from attempt where id = (select max(id) from (
      select id from attempt where outcome = 'released' and mandate_key = row.mandate_key
      union all select id from attempt where outcome = 'released' and row_id = row.id
      union all select attempt.id from row as older join attempt on row_id = older.id and outcome = 'released'
        where older.heir = coalesce(row.heir, row.id) and older.id < row.id))), null) as formerDoubt`

const PROBLEM_COLUMNS = `problem.id as id, source.name as source, row_id as rowId, record, line, problem.rule as rule,
  severity, field, column_name as "column", value, message, remedy`

/** Behind which everything is read by one range of ids, without and with the rows that a list of registrations takes. */
const ALL = `row.id > ? and row.id <= ?`
const BRIEF = `state = 'registered' and counted_in is not null`

/** A cell that says nothing but this number, however a spreadsheet padded it. */
const holdsNumber = (cells: string, customerNo: number): boolean =>
  (JSON.parse(cells) as string[]).some(
    (cell) => cell.replace(/[^\p{L}\p{N}]+/gu, '').replace(/^0+/, '') === String(customerNo),
  )

/**
 * Rows with their latest attempts and with the latest doubt over their mandate that a person has decided. A page takes
 * one statement for its rows and one for their attempts, inside one transaction: a run may be writing beside it.
 */
function rowReads(connection: Connection) {
  const value = sqlValue(connection)
  const range = (after: number, to: number, more = ''): RowRecord[] =>
    sqlWithJson<RowRecord>(connection, 'lastAttempt', 'formerDoubt', 'cells')`
      select ${WHOLE} from row join source on source.id = source_id where ${ALL}${more} order by row.id`.all(
      after,
      to,
    )
  const row = (id: number): RowRecord | null => range(id - 1, id)[0] ?? null
  const each = (ids: readonly number[]): RowRecord[] => ids.flatMap((id) => row(id) ?? [])
  const ofCustomer = (customerNo: number): number[] =>
    value<number>`select id from row where customer_no = ? order by id`.all(customerNo)
  return {
    row,
    /** In the order of the ids. One range of the index for each state, then merged: no page has to look at rows of other states. */
    rows: (states: readonly RowState[], after: number, limit: number): RowRecord[] =>
      connection.transaction(() => {
        const ids = [...new Set(states)].flatMap((state) =>
          value<number>`select id from row where state = ? and id > ? order by id limit ?`.all(
            state,
            after,
            limit,
          ),
        )
        return each(ids.sort((a, b) => a - b).slice(0, limit))
      })(),
    /** Registered rows whose latest attempt is of this run, whether its answer or a person said later what became of it. */
    registeredBy: (runId: number, after: number, limit: number) =>
      sql(connection)<RegisteredRow>`
        select ${ROW_COLUMNS} from row join source on source.id = source_id where row.id > ? and state = 'registered'
          and exists (select 1 from attempt where row_id = row.id and n = row.attempts and run_id = ?)
          order by row.id limit ?`.all(after, runId, limit),
    /**
     * Rows of all states behind the given id: at least one, at most `limit`. Those that are registered, and count, come
     * without their requests.
     */
    page: (after: number, limit: number): RowPage =>
      connection.transaction(() => {
        const from = value<number | null>`select min(id) from row where id > ?`.get(after) ?? null
        if (from === null) return { last: null, rows: [], registered: [] }
        const last = from + limit - 1
        const registered = sql(connection)<RegisteredRow>`
          select ${ROW_COLUMNS} from row join source on source.id = source_id
            where ${ALL} and ${BRIEF} order by row.id`.all(after, last)
        const rows = registered.length === limit ? [] : range(after, last, ` and not (${BRIEF})`)
        return { last, rows, registered }
      })(),
    /** The row to which the service gave this reference, in any case of letters. */
    rowOfReference: (reference: string): RowRecord | null => row(ownerOf(connection, reference) ?? 0),
    rowsOfCustomer: (customerNo: number) => each(ofCustomer(customerNo)),
    /** Those, and rows without a readable customer number in whose cells it stands. */
    rowsAbout: (customerNo: number) => {
      const unreadable = sql(connection)<{ id: number; cells: string }>`
        select id, cells from row join private on row_id = id where customer_no is null and cells like ? order by id`
        .all(`%${customerNo}%`)
        .filter(({ cells }) => holdsNumber(cells, customerNo))
      return each([...ofCustomer(customerNo), ...unreadable.map(({ id }) => id)])
    },
    /** Rows whose mandate has it, as its old or its new one, in whatever case; and unread ones with it in a cell of its own. */
    rowsWithReference: (reference: string) =>
      each(
        value<number>`
          select id from row
           where :reference collate nocase in (original_mandate_reference, assigned_mandate_reference)
              or original_mandate_reference is null and exists
                 (select 1 from private, json_each(cells) where row_id = row.id and trim(value) = :reference collate nocase)
           order by id`.all({ reference }),
      ),
    /**
     * Whether a row holds, or held, this cleaned account number, by the fingerprint, which outlives it; null where nothing is
     * left to compare it with: a purge takes the secret of the fingerprints too.
     */
    isAccountOf: (rowId: number, iban: string): boolean | null => {
      const known = sql(connection)<{ key: Buffer; secret: Buffer }>`
        select iban_key as key, secret from row, campaign
          where row.id = ? and iban_key is not null and secret is not null`.get(rowId)
      return known === undefined ? null : createFingerprints(known.secret).account(iban).equals(known.key)
    },
    attempts: (rowId: number): AttemptRecord[] =>
      value<string>`select ${ATTEMPT} from attempt where row_id = ? order by n`
        .all(rowId)
        .map((attempt) => JSON.parse(attempt) as AttemptRecord),
  }
}

/** Where it is kept what people did with a ledger beside sending, and when; nothing of it ever changes. */
const DECIDED = Object.entries({
  decision: 'decided_at',
  comparison: 'compared_at',
  source: 'admitted_at',
  plan: `(document ->> '$.plannedAt')`,
  campaign: 'purged_at',
})

/** How far a ledger has come by its own account. */
function readStanding(connection: Connection): Standing {
  const found = sqlWithJson<Standing>(connection, 'hasMarks', 'isLogMissing')`
    select ledger_id as ledgerId, (select coalesce(max(id), 0) from run) as runs,
       (select coalesce(max(id), 0) from attempt) as attempts,
       json_object(${DECIDED.map(([table, at]) => `'${table}', (select id || ' ' || ${at} from ${table} order by id desc limit 1)`).join()}) as decided,
       iif(exists (select 1 from run where mark is not null), 'true', 'false') as hasMarks,
       iif(exists (select 1 from run where stopped_by = ?), 'true', 'false') as isLogMissing from campaign`.get(
    LOG_MISSING,
  )
  if (found === undefined) throw new Error('The ledger has no campaign')
  return found
}

const isHere = ([table, at]: readonly [string, string]): string => `(:decided ->> '${table}' is null or
  :decided ->> '${table}' in (select id || ' ' || ${at} from ${table} where id = cast(:decided ->> '${table}' as integer)))`

/** What the register of campaigns asks of a ledger, over any connection to it. */
export const standingReads = (connection: Connection) => ({
  standing: () => readStanding(connection),
  /** Whether the run that the register noted is one of this ledger. */
  hasMark: (mark: string): boolean =>
    sql(connection)`select 1 from run where mark = ?`.get(mark) !== undefined,
  /** Whether all that was once the latest of `Standing.decided` is in this ledger: same number, same time. */
  hasDecided: (decided: string): boolean =>
    sqlValue(connection)`select ${DECIDED.map(isHere).join(' and ')}`.get({ decided }) === 1,
  /** Ready rows of which no attempt is on record, the next ones behind this. */
  unattempted: (after: number): number[] =>
    sqlValue(connection)<number>`
      select id from row where state = 'ready' and id > ? and not exists (select 1 from attempt where row_id = row.id)
        order by id limit 10000`.all(after),
})

const PROBLEMS = `select ${PROBLEM_COLUMNS}
  from problem join source on source.id = problem.source_id left join row on row.id = row_id where`
const CORRECTED_TO_SEND = `from decision join row on row.id = row_id where decision = '${CORRECTED}' and state = 'ready'`
const distinct = (column: string): string =>
  `(select count(distinct ${column}) from row where counted_in is not null)`
const DECISIONS = `select id, row_id as rowId, attempt_id as attemptId, decided_at as at, decided_by as "by",
  decided_as as "as", decision, from_state as "from", to_state as "to", reason, evidence from decision where`

/** Reads a ledger beside a running writer. Every list is paged by id so that no reader pins the write-ahead log. */
export type LedgerReader = ReturnType<typeof createReader>

/** What can be asked of a ledger, over a connection of its own or over that of a scratch ledger. */
export function createReader(connection: Connection, file: string) {
  const [query, value] = [sql(connection), sqlValue(connection)]
  const reads = {
    ...rowReads(connection),
    campaign: (): CampaignRecord => {
      const record = sqlWithJson<CampaignRecord>(
        connection,
        'asksFirst',
        'isComparedSince',
        'lastRun',
        'comparedExports',
        'toCompareAgain',
        'untakenExports',
        'lastExports',
        'readWith',
      )`
        select ledger_id as ledgerId, ${ADOPTION} as adoption, (select max(id) from comparison) as comparison, ${LATEST_PROBLEM} as problem, created_at as createdAt, base_url as baseUrl, username, purged_at as purgedAt,
           changed_at as changedAt, (select json_group_array(value ->> 'name') from json_each((select sources from comparison order by id desc limit 1))) as comparedExports,
           (select json_group_array(value ->> 'name') from json_each((select sources from comparison order by id desc limit 1)) where value ->> 'configuration' is ${UNTAKEN_WITH} and ${IS_UNTAKEN_FILE}) as untakenExports,
           (select name from source where id = ${UNORDERED}) as unorderedExport,
           (select json_group_array(name) from source where ${IS_LAST}) as lastExports,
           (select json_group_array(name) from source where ${IS_LAST} and not exists (${CAME_IN_SINCE}) and not exists (select 1 from ${SENT_LATER})) as toCompareAgain,
           json_object('lists', ${LISTS_READ_WITH}, 'last', (select ${READ_WITH} from source where kind <> 'list'
             and origin in (select id from source where ${IS_LAST}) order by id desc limit 1), 'unordered', (select ${READ_WITH} from source where id = ${UNORDERED}),
             'compared', ${UNTAKEN_WITH}) as readWith,
           iif(exists (select 1 from json_each((select sources from comparison order by id desc limit 1)) where not exists (select 1 from source
             where sha256 = value ->> 'sha256' and name = value ->> 'name' and admitted_at < (select started_at from attempt order by id limit 1))), 'true', 'false') as isComparedSince,
           (select json_patch(settings, json_object('stoppedBy', coalesce(stopped_by, iif(ended_at is null, 'killed', null)))) from run order by id desc limit 1) as lastRun,
           iif(exists (select 1 from run where settings ->> '$.checkBeforeSend'), 'true', 'false') as asksFirst from campaign`.get()
      if (record === undefined) throw new Error(`The ledger "${file}" has no campaign`)
      return record
    },
    totals: () => readTotals(connection),
    /** Each mandate once, by the record that counts of it. */
    mandates: () =>
      mandateTotalsOf(query<Pick<MandateCount, 'state' | 'count'>>`${mandatesBy('state')}`.all()),
    /** The same by state and rule, most mandates first. */
    mandateCounts: () => query<MandateCount>`${mandatesBy('state, rule')}`.all(),
    /** How many ready rows the choice does not take. */
    leftBy: (choice: Choice): number =>
      value<number>`
        select count(*) from row where state = 'ready' and not ${IS_CHOSEN}`.get({
        choice: placedChoice(connection, choice),
      }) ?? 0,
    /** The previous creditors of the ready rows that the choice takes, of all without one, most rows first. */
    creditorsOfReady: (choice: Choice | null = null) =>
      query<{ creditorIdentifier: string; count: number }>`
        select original_creditor_identifier as creditorIdentifier, count(*) as count from row
          where state = 'ready' and ${IS_CHOSEN} group by 1 order by count desc, creditorIdentifier`.all({
        choice: placedChoice(connection, choice),
      }),
    /** What people changed in rows that wait to be sent, and at most so many of them. */
    correctionsToSend: (most: number): Corrections => ({
      rows: value<number>`select count(*) ${CORRECTED_TO_SEND}`.get() ?? 0,
      fields: countFields(value<string>`select coalesce(evidence, '') ${CORRECTED_TO_SEND}`.iterate()),
      first: query<CorrectedRow>`
        select corrects as row, decided_by as "by", decided_at as at, reason, coalesce(evidence, '') as changes ${CORRECTED_TO_SEND}
          order by decision.id limit ?`.all(most),
    }),
    /** Exports with how they were read last, and how many of their records were not sent. */
    readSources: () => readSourcesOf(connection),
    /** Why refused rows stay refused, whoever asks for all of them to be sent again. */
    whyRefused: () =>
      value<string>`
        select distinct why from (select ${REFUSED_BECAUSE} as why from row where state = 'refused') where why is not null`.all(),
    countUnsent: (source: Pick<ReadSource, 'parts'>) => countOfWay(connection, 'unsent', source),
    /** How many of them are called lapsed and were collected since. */
    countAlive: (source: Pick<ReadSource, 'parts'>, today: LocalDate) =>
      countOfWay(connection, 'alive', source, today),
    sources: (): SourceRecord[] => connection.transaction(readSources)(connection),
    /** A released attempt was in doubt in its run; what a person decided later does not change that run. */
    runs: (): RunRecord[] =>
      sqlWithJson<RunRecord>(connection, 'settings', 'attempts')`
    select id, started_at as startedAt, started_as as startedAs, ended_at as endedAt, version, host, as_of as asOf, zone, settings,
       stopped_by as stoppedBy, exit_code as exitCode, (select json_object('registered', count(*) filter (where outcome = 'registered'),
         'refused', count(*) filter (where outcome = 'refused'), 'turned_away', count(*) filter (where outcome = 'turned_away'),
         'not_sent', count(*) filter (where outcome = 'not_sent'), 'in_doubt', count(*) filter (where outcome in ('in_doubt', 'released')),
         'open', count(*) filter (where outcome is null)) from attempt where run_id = run.id) as attempts from run order by id`.all(),
    problems: (after: number, limit: number) =>
      query<ProblemRecord>`${PROBLEMS} problem.id > ? order by problem.id limit ?`.all(after, limit),
    problemsOfRow: (rowId: number) =>
      query<ProblemRecord>`${PROBLEMS} row_id = ? order by problem.id`.all(rowId),
    /** The first problems of a rule, in the order of the files. */
    problemsOfRule: (rule: RuleId, severity: 'error' | 'warning', limit: number) =>
      query<ProblemRecord>`
        ${PROBLEMS} problem.rule = ? and severity = ? order by problem.id limit ?`.all(rule, severity, limit),
    problemCounts: () =>
      query<Pick<ProblemRecord, 'rule' | 'severity'> & { count: number }>`
        select rule, severity, count(*) as count from problem group by rule, severity
          order by count desc, rule, severity`.all(),
    /** Why a part of a file may be missing, or read wrongly. */
    fileWarnings: () =>
      query<Pick<ProblemRecord, 'source' | 'rule' | 'message' | 'remedy'>>`
        select distinct source.name as source, problem.rule, message, remedy from problem join source on source.id = source_id
         where row_id is null and severity = 'warning'
           and (problem.rule in ('FILE_SHEET_LEFT_OUT', 'FILE_HIDDEN', 'FILE_ENCODING_ASSUMED', 'FILE_MOJIBAKE', 'FILE_MAY_BE_CUT')
             or problem.rule = 'SECOND_CONTRACT' and exists (select 1 from row where row.source_id = source.id and row.rule = 'MANDATE_RESEMBLES_SENT' and state = 'conflict'))
          order by problem.id`.all(),
    /** What was found out about registered rows, from the answers or later collections; a doubt that was decided is none. */
    oddities: () =>
      query<Pick<ProblemRecord, 'rule' | 'remedy'> & { count: number }>`
        select problem.rule, remedy, count(distinct row_id) as count from problem join row on row.id = row_id
         where state = 'registered' and (problem.rule glob 'RESPONSE_*' and problem.rule <> 'RESPONSE_ECHO_MISMATCH'
           or remedy = '${CONTRADICTED_LATER}' and not ${isCollectedAsSent('problem.row_id', 'problem.rule')})
          group by 1, 2 order by count desc, 1`.all(),
    /** Refused rows grouped by what the service said. */
    refusalCounts: () =>
      query<RefusalCount>`
        select status, service_code as serviceCode, field, message, count(*) as count
           from row left join attempt on row_id = row.id and n = attempts where state = 'refused'
          group by 1, 2, 3, 4 order by count desc, status, serviceCode, field, message`.all(),
    decisions: (after: number, limit: number) =>
      query<DecisionRecord>`${DECISIONS} id > ? order by id limit ?`.all(after, limit),
    decisionsOfRow: (rowId: number) => query<DecisionRecord>`${DECISIONS} row_id = ? order by id`.all(rowId),
    /** What collection files say of the mandates; null where none were given. */
    evidence: () =>
      connection.transaction(() =>
        hasAny(connection) ? (query<EvidenceCounts>`${EVIDENCE}`.get() ?? null) : null,
      )(),
    /** Registered rows that agree with their last collection; null where no collection files were given. */
    vouched: () =>
      hasAny(connection)
        ? (value<number>`
            select count(*) from row where state = 'registered' and ${VOUCHED} is not null`.get() ?? 0)
        : null,
    collectedOf: (rowId: number) => collectedOf(connection, rowId),
    /** Different customer numbers, mandate keys and accounts (by fingerprint) over the rows that count. */
    distinctCounts: () =>
      query<Record<'customers' | 'mandates' | 'accounts', number>>`
        select ${distinct('customer_no')} as customers, ${distinct('mandate_key')} as mandates,
           ${distinct('iban_key')} as accounts`.get() ?? { customers: 0, mandates: 0, accounts: 0 },
    /** The totals of the former provider, each beside what was read. */
    expected: () => readExpected(connection),
    ...proofReads(connection),
    ...planReads(connection),
    ...comparisonReads(connection),
    ...standingReads(connection),
  }
  return { ...explained(reads, file), file, close: (): void => void connection.close() }
}

const BY_NUMBER =
  /^(?:rows?|page|registeredBy|attempts|problems|decisions|\w+Of(?:Row|Customer)|rowsAbout|collectedOf)$/

/** A program without types may ask for a row or a state that cannot be: nothing would be found. */
function possible(name: string, given: readonly unknown[], count: number): readonly unknown[] {
  if (name === 'rows') assertKnown('There is no row state', given[0], ROW_STATES)
  const numbers = Array.from({ length: count }, (_, at) => given[at]).slice(name === 'rows' ? 1 : 0)
  if (!BY_NUMBER.test(name) || numbers.every((number) => Number.isSafeInteger(number) && Number(number) >= 0))
    return given
  const what = name === 'rows' ? 'the last row before it and how many rows are' : 'what it takes is'
  throw new UsageError(`Cannot read ${name}: ${what} no whole number from 0`, 'Give whole numbers')
}

/** The same functions; a fault of the disk or of SQLite says what it means. */
function explained<Reads extends object>(reads: Reads, file: string): Reads {
  const all = Object.entries(reads as Record<string, (...given: unknown[]) => unknown>)
  return Object.fromEntries(
    all.map(([name, read]) => [
      name,
      (...given: unknown[]) => explaining('read', file, () => read(...possible(name, given, read.length))),
    ]),
  ) as Reads
}

/** Of these sources, what they say of their records, and how many of those are in each state; what is counted alone is ready. */
function countTotals(
  connection: Connection,
  states: string,
  sources: string,
  id: number | null = null,
): Totals {
  const { counts, records, resubmitted } = sqlWithJson<Counted>(connection, 'counts')`
    select coalesce(sum(records), 0) as records, coalesce(sum(resubmitted), 0) as resubmitted,
       (select json_group_object(state, n) from (select state, sum(n) as n from (${states} union all
          select 'ready', sum(reading ->> '$.counted') from source where ${sources}) group by state)) as counts
      from source where ${sources}`.get({ id }) ?? { counts: {}, records: 0, resubmitted: 0 }
  return totalsOf(records - resubmitted, new Map(Object.entries(counts) as [RowState, number][]), resubmitted)
}

type Counted = Readonly<{ counts: Partial<Record<RowState, number>>; records: number; resubmitted: number }>

/**
 * All sources together, in one statement so that a writer beside us cannot come between two counts. Rows without a
 * place are few; they are taken off.
 */
export const readTotals = (connection: Connection): Totals =>
  countTotals(
    connection,
    `select state, count(*) as n from row group by state union all
      select state, -count(*) from row where counted_in is not source_id and counted_in is null group by state`,
    'true',
  )

/** Of a record that says something: what repeats another one is no news. */
const LATEST_PROBLEM = `(select problem.id from problem cross join row on row.id = row_id
  where state not in ('duplicate', 'superseded') order by problem.id desc limit 1)`

/** The records that may count of a mandate; what is called `duplicate` or `superseded` never does. */
const MAY_COUNT = `state not in ('duplicate', 'superseded')`

const BESIDE_STATES = MANDATE_STATES.filter((state) => state !== 'ready' && state !== 'registered')

/**
 * Each mandate once, by the record that counts of it. What has no readable identity, or stands under the key of another
 * mandate, is one of its own; a line that counts nowhere is none. Only beside a record that is neither ready nor registered
 * can another one of its mandate count; so few are looked at, of a million.
 */
const mandatesBy = (what: 'state' | 'state, rule'): string => `
  select ${what}, sum(n) as count from (
    select ${what}, count(*) as n from row where ${MAY_COUNT} group by ${what}
    union all
    select ${what}, -count(*) from row where ${MAY_COUNT} and counted_in is not source_id and counted_in is null group by ${what}
    union all
    select ${what}, -count(*) from (
      select ${what}, row_number() over (partition by mandate_key order by case state
          ${MANDATE_STATES.map((state, rank) => `when '${state}' then ${rank}`).join(' ')} end, id) as place
        from row where ${MAY_COUNT} and counted_in is not null and ${HAS_ITS_KEY}
         and mandate_key in (select mandate_key from row where state in (${sqlList(BESIDE_STATES)})))
     where place > 1 group by ${what})
   group by ${what} having sum(n) > 0 order by count desc, ${what}`

/**
 * One source: its records, in the states of the rows that hold their places. They are one range of ids, so that the
 * indexes on state and place are all that is read.
 */
const STATES_OF_SOURCE = `with states (state) as (values ${ROW_STATES.map((state) => `('${state}')`).join(', ')}),
    span as (select first_row, last_row from source where id = :id)
  select state,
    (select count(*) from row, span where row.state = states.state
       and row.id between span.first_row and span.last_row)
    - (select count(*) from row indexed by row_counted, span where row.state = states.state and row.counted_in is not row.source_id
         and row.id between span.first_row and span.last_row)
    + (select count(*) from row indexed by row_counted where row.state = states.state
         and row.counted_in is not row.source_id and row.counted_in = :id) as n from states`

const readSources = (connection: Connection): SourceRecord[] =>
  sqlWithJson<Omit<SourceRecord, 'totals'>>(connection, 'header', 'columns', 'reading')`
    select id, name, sha256, bytes, records, origin, resubmitted, blank_lines as blankLines, admitted_at as admittedAt, header, columns,
       json_remove(reading, '$.counted') as reading from source order by id`
    .all()
    .map((source) => ({
      ...source,
      totals: countTotals(connection, STATES_OF_SOURCE, 'id = :id', source.id),
    }))
