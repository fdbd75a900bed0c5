import { resolve } from 'node:path'
import { CORRECTED, countFields, type CorrectedRow } from '../../domain/row/correction.js'
import type { RuleId } from '../../domain/rule/rules.js'
import { UsageError } from '../../errors.js'
import { openForReading, type Connection, IS_CHOSEN, placedChoice } from '../file/connection.js'
import { entryAt } from '../../trust/entry.js'
import { createFingerprints } from '../admit/fingerprints.js'
import type {
  CampaignRecord,
  DecisionRecord,
  DistinctCounts,
  LedgerReader,
  ProblemRecord,
  RunRecord,
  SourceRecord,
} from './reader.js'
import { preparePlanReads } from '../plan/plans.js'
import { prepareProofReads, prepareVerificationReads } from './read-proofs.js'
import {
  prepareRowReads,
  ATTEMPT_COLUMNS,
  PROBLEM_COLUMNS,
  toAttempt,
  toRun,
  toSource,
  type StoredAttempt,
  type StoredRun,
  type StoredSource,
} from './read-rows.js'
import { assertSafePlace } from '../safety/side-files.js'
import { assertOurs, missing } from '../schema/schema.js'
import { explaining } from '../file/storage.js'
import { prepareStanding } from '../deliver/campaign-rows.js'
import { ROW_STATES, type RowState } from '../../domain/row/row-state.js'
import { totalsOf, type Totals } from '../../domain/row/totals.js'

/** Where every row has a place the indexes say most of it, in a tenth of the time. */
function prepareDistinctCounts(connection: Connection): () => DistinctCounts {
  const hasUncounted = connection.prepare<[]>('select 1 from row where place = 0 limit 1')
  const over = (condition: string) =>
    connection.prepare<[], DistinctCounts>(
      `select (select count(*) from (select distinct customer_no from row where customer_no is not null ${condition})) as customers,
         (select count(*) from (select distinct mandate_key from row where mandate_key is not null ${condition})) as mandates,
         (select count(*) from (select 1 from row where iban_key is not null ${condition} group by iban_key)) as accounts`,
    )
  const [all, counted] = [over(''), over('and place is not 0')]
  const read = connection.transaction(() => (hasUncounted.get() === undefined ? all : counted).get())
  return () => read() ?? { customers: 0, mandates: 0, accounts: 0 }
}

interface Count {
  /** Null for what the sources say of their records. */
  readonly state: RowState | null
  readonly count: number
  readonly resubmitted: number
}

function toTotals(counts: readonly Count[]): Totals {
  const byState = new Map<RowState, number>()
  let read = 0
  let givenBack = 0
  for (const { state, count, resubmitted } of counts) {
    if (state !== null) byState.set(state, (byState.get(state) ?? 0) + count)
    else {
      read = count - resubmitted
      givenBack = resubmitted
    }
  }
  return totalsOf(read, byState, givenBack)
}

/**
 * All sources together, in one statement so that a writer beside us cannot come between two counts. Rows without a
 * place are few; they are taken off.
 */
export function prepareTotals(connection: Connection): () => Totals {
  const counts = connection.prepare<[], Count>(
    `select state, count(*) as count, 0 as resubmitted from row group by state
     union all select state, -count(*), 0 from row where place = 0 group by state
     union all select null, coalesce(sum(records), 0), coalesce(sum(resubmitted), 0) from source`,
  )
  return () => toTotals(counts.all())
}

/**
 * One source: its records, in the states of the rows that hold their places. They are one range of ids, so that the
 * indexes on state and place are all that is read.
 */
export function prepareSourceTotals(connection: Connection): (sourceId: number) => Totals {
  const counts = connection.prepare<[{ id: number }], Count>(
    `with span as (select records, resubmitted, first_row, last_row from source where id = :id),
     states (state) as (values ${ROW_STATES.map((state) => `('${state}')`).join(', ')})
     select state,
       (select count(*) from row, span where row.state = states.state
          and row.id between span.first_row and span.last_row)
       - (select count(*) from row, span where row.state = states.state and row.place >= 0
            and row.id between span.first_row and span.last_row)
       + (select count(*) from row, span where row.state = states.state
            and row.place between span.first_row and span.last_row) as count, 0 as resubmitted from states
     union all select null, records, resubmitted from span`,
  )
  return (id) => toTotals(counts.all({ id }))
}

/**
 * Opens a ledger beside the process that writes it; takes no lock and changes nothing.
 * @param options `sharedFolder` allows a folder that others can write
 * @throws {UsageError} where there is none, or an empty one
 * @throws {LedgerError} `foreign`, `newer`, `earlier`, `damaged`, `unsafe`, `unwritable`
 */
export function openLedgerReader(path: string, { sharedFolder = false } = {}): LedgerReader {
  const file = resolve(path)
  const connection = readingLedger(file, { sharedFolder }, (ledger) => ledger)
  return explaining('read', file, () => {
    try {
      return createReader(connection, file)
    } catch (error) {
      connection.close()
      throw error
    }
  })
}

/** Hands the open ledger over; closes it again unless it is what comes back. */
export function readingLedger(
  file: string,
  { sharedFolder = false }: { sharedFolder?: boolean },
  take: (ledger: Connection) => Connection,
): Connection {
  return explaining('read', file, () => {
    if (entryAt(file) === null) throw missing(file)
    assertSafePlace(file, { sharedFolder })
    const connection = openForReading(file)
    let taken: Connection | null = null
    try {
      if (assertOurs(connection, file)) {
        throw new UsageError(
          `Cannot read the ledger "${file}": it is empty, no run has begun yet`,
          'Start a campaign',
          { ways: ['run_file'] },
        )
      }
      taken = take(connection)
      return taken
    } finally {
      if (taken !== connection) connection.close()
    }
  })
}

/** What can be asked of a ledger, over a connection of its own or over that of a scratch ledger. */
export function createReader(connection: Connection, file: string): LedgerReader {
  const attempts = connection.prepare<[number], StoredAttempt>(
    `select ${ATTEMPT_COLUMNS} from attempt where row_id = ? order by n`,
  )
  const reads: Omit<LedgerReader, 'file' | 'close'> = {
    campaign: prepareCampaign(connection, file),
    totals: prepareTotals(connection),
    ...prepareReady(connection),
    correctionsToSend: prepareCorrections(connection),
    sources: () => readSources(connection),
    runs: () => readRuns(connection),
    ...prepareRows(connection),
    isAccountOf: prepareAccountQuestion(connection),
    attempts: (rowId) => attempts.all(rowId).map(toAttempt),
    ...prepareProblemQueries(connection),
    refusalCounts: prepareRefusalCounts(connection),
    ...prepareDecisionQueries(connection),
    distinctCounts: prepareDistinctCounts(connection),
    ...prepareProofReads(connection),
    ...prepareVerificationReads(connection),
    ...preparePlanReads(connection),
    ...prepareStanding(connection),
  }
  return { ...explained(reads, file), file, close: () => connection.close() }
}

/** The same functions; a fault of the disk or of SQLite says what it means. */
function explained<Reads extends object>(reads: Reads, file: string): Reads {
  const all = Object.entries(reads as Record<string, (...given: unknown[]) => unknown>)
  return Object.fromEntries(
    all.map(([name, read]) => [
      name,
      (...given: unknown[]) => explaining('read', file, () => read(...given)),
    ]),
  ) as Reads
}

function prepareCampaign(connection: Connection, file: string): LedgerReader['campaign'] {
  const campaign = connection.prepare<[], Omit<CampaignRecord, 'asksFirst'> & { readonly asksFirst: 0 | 1 }>(
    `select ledger_id as ledgerId, created_at as createdAt, base_url as baseUrl, username, purged_at as purgedAt,
       changed_at as changedAt,
       exists (select 1 from run
         where settings ->> '$.checkBeforeSend' or settings ->> '$.readBackFirst') as asksFirst from campaign`,
  )
  return () => {
    const record = campaign.get()
    if (record === undefined) throw new Error(`The ledger "${file}" has no campaign`)
    return { ...record, asksFirst: record.asksFirst === 1 }
  }
}

function prepareReady(connection: Connection): Pick<LedgerReader, 'leftBy' | 'creditorsOfReady'> {
  type Asked = Readonly<{ choice: string | null }>
  const left = connection
    .prepare<[Asked], number>(`select count(*) from row where state = 'ready' and not ${IS_CHOSEN}`)
    .pluck()
  const creditors = connection.prepare<[Asked], { creditorIdentifier: string; count: number }>(
    `select original_creditor_identifier as creditorIdentifier, count(*) as count from row
      where state = 'ready' and ${IS_CHOSEN} group by 1 order by count desc, creditorIdentifier`,
  )
  return {
    leftBy: (choice) => left.get({ choice: placedChoice(connection, choice) }) ?? 0,
    creditorsOfReady: (choice = null) => creditors.all({ choice: placedChoice(connection, choice) }),
  }
}

/** What people changed in rows that wait to be sent. */
function prepareCorrections(connection: Connection): LedgerReader['correctionsToSend'] {
  const toSend = `from decision join row on row.id = row_id where decision = '${CORRECTED}' and state = 'ready'`
  const count = connection.prepare<[], number>(`select count(*) ${toSend}`).pluck()
  const texts = connection.prepare<[], string>(`select coalesce(evidence, '') ${toSend}`).pluck()
  const first = connection.prepare<[number], CorrectedRow>(
    `select corrects as row, decided_by as "by", decided_at as at, reason, coalesce(evidence, '') as changes ${toSend}
      order by decision.id limit ?`,
  )
  return (most) => ({
    rows: count.get() ?? 0,
    fields: countFields(texts.iterate()),
    first: first.all(most),
  })
}

function prepareRows(connection: Connection) {
  const { one, each, ofStates, page } = prepareRowReads(connection)
  const idOfReference = connection
    .prepare<[string], number>('select id from row where assigned_mandate_reference = ? collate nocase')
    .pluck()
  const idsOfCustomer = connection
    .prepare<[number], number>('select id from row where customer_no = ? order by id')
    .pluck()
  const unreadable = connection.prepare<[string], { id: number; cells: string }>(
    'select id, cells from row where customer_no is null and cells like ? order by id',
  )
  return {
    rows: ofStates,
    page,
    row: one,
    rowOfReference: (reference) => {
      const id = idOfReference.get(reference)
      return id === undefined ? null : one(id)
    },
    rowsOfCustomer: (customerNo) => each(idsOfCustomer.all(customerNo)),
    rowsAbout: (customerNo) =>
      each([
        ...idsOfCustomer.all(customerNo),
        ...unreadable
          .all(`%${customerNo}%`)
          .filter(({ cells }) => holdsNumber(cells, customerNo))
          .map(({ id }) => id),
      ]),
  } satisfies Partial<LedgerReader>
}

/** By the fingerprint, which outlives the account number; a purge takes the secret of the fingerprints too. */
function prepareAccountQuestion(connection: Connection): LedgerReader['isAccountOf'] {
  const read = connection.prepare<[number], { key: Buffer | null; secret: Buffer | null }>(
    'select iban_key as key, secret from row, campaign where row.id = ?',
  )
  return (rowId, iban) => {
    const { key, secret } = read.get(rowId) ?? { key: null, secret: null }
    return key === null || secret === null ? null : createFingerprints(secret).account(iban).equals(key)
  }
}

function readSources(connection: Connection): SourceRecord[] {
  const sources = connection.prepare<[], StoredSource>(
    `select id, name, sha256, bytes, records, resubmitted, blank_lines as blankLines, admitted_at as admittedAt, header, columns,
       reading from source order by id`,
  )
  const totalsOf = prepareSourceTotals(connection)
  return connection.transaction(() => sources.all().map((stored) => toSource(stored, totalsOf(stored.id))))()
}

function readRuns(connection: Connection): RunRecord[] {
  const runs = connection.prepare<[], StoredRun>(
    `select id, started_at as startedAt, started_as as startedAs, ended_at as endedAt, version, host, as_of as asOf, zone, settings,
       stopped_by as stoppedBy, exit_code as exitCode from run order by id`,
  )
  const counts = connection.prepare<[number], { outcome: StoredAttempt['outcome']; count: number }>(
    'select outcome, count(*) as count from attempt where run_id = ? group by outcome',
  )
  return connection.transaction(() => runs.all().map((stored) => toRun(stored, counts.all(stored.id))))()
}

/** A cell that says nothing but this number, however a spreadsheet padded it. */
const holdsNumber = (cells: string, customerNo: number): boolean =>
  (JSON.parse(cells) as string[]).some(
    (cell) => cell.replace(/[^\p{L}\p{N}]+/gu, '').replace(/^0+/, '') === String(customerNo),
  )

function prepareDecisionQueries(connection: Connection): Pick<LedgerReader, 'decisions' | 'decisionsOfRow'> {
  const columns = `id, row_id as rowId, attempt_id as attemptId, decided_at as at, decided_by as "by",
    decided_as as "as", decision, from_state as "from", to_state as "to", reason, evidence`
  const page = connection.prepare<[number, number], DecisionRecord>(
    `select ${columns} from decision where id > ? order by id limit ?`,
  )
  const ofRow = connection.prepare<[number], DecisionRecord>(
    `select ${columns} from decision where row_id = ? order by id`,
  )
  return { decisions: (after, limit) => page.all(after, limit), decisionsOfRow: (rowId) => ofRow.all(rowId) }
}

function prepareProblemQueries(
  connection: Connection,
): Pick<LedgerReader, 'problems' | 'problemsOfRow' | 'problemsOfRule' | 'problemCounts'> {
  const tables = `problem join source on source.id = problem.source_id left join row on row.id = row_id`
  const page = connection.prepare<[number, number], ProblemRecord>(
    `select ${PROBLEM_COLUMNS} from ${tables} where problem.id > ? order by problem.id limit ?`,
  )
  const ofRow = connection.prepare<[number], ProblemRecord>(
    `select ${PROBLEM_COLUMNS} from ${tables} where row_id = ? order by problem.id`,
  )
  const ofRule = connection.prepare<[RuleId, string, number], ProblemRecord>(
    `select ${PROBLEM_COLUMNS} from ${tables} where problem.rule = ? and severity = ? order by problem.id limit ?`,
  )
  const counts = connection.prepare<[], { rule: RuleId; severity: 'error' | 'warning'; count: number }>(
    `select rule, severity, count(*) as count from problem group by rule, severity order by count desc, rule, severity`,
  )
  return {
    problems: (after, limit) => page.all(after, limit),
    problemsOfRow: (rowId) => ofRow.all(rowId),
    problemsOfRule: (rule, severity, limit) => ofRule.all(rule, severity, limit),
    problemCounts: () => counts.all(),
  }
}

function prepareRefusalCounts(connection: Connection): LedgerReader['refusalCounts'] {
  const counts = connection.prepare<[], ReturnType<LedgerReader['refusalCounts']>[number]>(
    `select status, service_code as serviceCode, field, message, count(*) as count
       from row left join attempt on row_id = row.id and n = attempts where state = 'refused'
      group by 1, 2, 3, 4 order by count desc, status, serviceCode, field, message`,
  )
  return () => counts.all()
}
