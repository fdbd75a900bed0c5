import type { CheckedRecord, SourceReading, SourceSummary } from '../../domain/rule/verdict.js'
import type { Amendment } from '../../domain/mandate/mandate.js'
import { spellingOf } from '../../domain/row/across-rows.js'
import { type RowState } from '../../domain/row/row-state.js'
import { maskAccounts, maskIban } from '../../domain/text/accounts.js'
import { namesInLists, type ListedColumns, ledgerMark } from '../../domain/row/list-columns.js'
import type { Corrector } from '../../domain/row/correction.js'
import { removePrivate, REPEATS_REGISTERED } from '../deliver/delivery.js'
import { ADOPTION, noteChange } from '../deliver/campaign-rows.js'
import type { CampaignRecord } from '../read/reader.js'
import {
  decideCorrections,
  decidePlaces,
  GIVEN_BACK,
  holdAnothersValues,
  locate,
  noteGivenBack,
  recordCorrections,
} from '../correct/corrections.js'
import { againVerbs, prepareKeys, ruleOfVerdict, earlierRows } from './again.js'
import { COMPARED_FILES, NEWER_SINCE } from '../deliver/gate.js'
import { lackedBy } from './lacking.js'
import { emptyTables, sql, sqlWithJson, sqlValue, type Connection } from '../file/connection.js'
import { decideCrossChecks, holdLapsed, decideKin } from './kin.js'
import { fingerprintRaw, keyOf, spellingNumber, prepareRowInsert } from './stored-row.js'
import {
  amendIn,
  collectionsOf,
  decideAmended,
  decideCollected,
  holdAmended,
  holdContradicted,
  tellMissing,
} from './collected.js'
import { AGAIN, decideGroups, decideRepeats, EXPORTS, holdUnclear, LISTS } from './groups.js'
import { replaceRows, writeProblem, type Scope, type SourceScope } from './problems.js'

export interface AdmissionParts extends Omit<Scope, 'first'> {
  readonly now: () => string
  /** Who gives rows back, and why. */
  readonly corrector: Corrector
  /** Runs storage work and explains its faults; a fault of the disk ends the ledger. */
  readonly guard: <Value>(body: () => Value) => Value
  /** Records that are ready may be counted and have no row: only a ledger that nobody keeps can do without. */
  readonly mayCount?: boolean
  /** A person said that the exports of this command are newer than what came in before. */
  readonly isNewer?: boolean
  /** The ledger that an export alone is set against: what it knows of last collections counts. */
  readonly beside?: Connection | undefined
  /** After the transaction ended, either way. */
  readonly ended?: (isCommitted: boolean) => void
}

const SAVEPOINT = 'source'

/** The sources of the command, and those that it names and that came in before; what lines that are given back say. */
const TABLES = {
  incoming: 'id integer primary key, turn integer not null, is_newer integer not null, names text not null',
  given_again: 'id integer primary key',
  ...GIVEN_BACK,
}

/** Lines of one file may be read by several configurations, and are a source of each then. */
const isKnownAs = (
  connection: Connection,
  { sha256, reading: { configuration = null } }: SourceSummary,
): boolean =>
  sql(connection)`
    select 1 from source where sha256 = ? and (admitted_at is not null or reading ->> '$.configuration' is ?)`.get(
    sha256,
    configuration,
  ) !== undefined

export type Admission = ReturnType<typeof openAdmission>
export type SourceAdmission = ReturnType<Admission['open']>

/** It was compared last, and nobody has said of another one since that it is newer. */
const isCompared = (connection: Connection, sha256: string): boolean =>
  sql(connection)`select 1 where ? in ${COMPARED_FILES} and not exists (${NEWER_SINCE})`.get(sha256) !==
  undefined

/** One transaction over all sources of a command. Nothing of it is seen before `commit`. */
export function openAdmission(parts: AdmissionParts) {
  const { connection, guard } = parts
  let current: { readonly name: string } | null = null
  let isOver = false
  guard(() => connection.exec('begin immediate'))
  const earlier = earlierRows(connection, parts.fingerprints)
  const collections = collectionsOf(connection, parts.fingerprints, parts.beside)
  const first = nextRow(connection)
  const isNewer = (sha256: string): boolean => parts.isNewer === true || isCompared(connection, sha256)
  const admitting: Admitting = {
    parts,
    isNewer,
    first,
    lastDecision: latest(connection, 'decision'),
    makeIndexes: null,
  }
  emptyTables(connection, TABLES)

  function assertOpen(): void {
    if (isOver) throw new Error('Cannot go on with an admission that has ended')
  }

  function end(isCommitted: boolean): void {
    isOver = true
    parts.ended?.(isCommitted)
  }

  return {
    /** What comes in has this number or a higher one. */
    first,
    /** True when these bytes are already in the ledger, so reading them again would add nothing. */
    isKnown: (sha256: string) =>
      sql(connection)`select 1 from source where sha256 = ?`.get(sha256) !== undefined,
    /** The sources of that many bytes: a file of another size is none of them, and need not be hashed to know it. */
    ofSize: (bytes: number) =>
      sqlWithJson<Pick<SourceSummary, 'sha256' | 'reading'>>(connection, 'reading')`
        select sha256, reading from source where bytes = ? and kind <> 'again'`.all(bytes),
    /** Exports of several configurations came in, of which a line that names no row may be of any. */
    hasSeveralSystems: (): boolean =>
      sqlValue(connection)`
        select count(distinct coalesce(reading ->> '$.configuration', '')) > 1 from source where kind = 'export' and admitted_at is not null`.get() ===
      1,
    /** The path of the configuration with which a file was read that was last compared; null without one, undefined for any other file. */
    comparedWith: (sha256: string): string | null | undefined =>
      sqlValue(connection)<string | null>`
        select file.value ->> 'configuration' from comparison, json_each(comparison.sources) as file
         where comparison.id = (select max(id) from comparison) and file.value ->> 'sha256' = ?`.get(sha256),
    /**
     * Once `decide` has spoken: of the mandates of a source those that another configuration brought in before and its own did not,
     * though it brought in others; undefined where there are none. `all`: of the source; `configuration`: a path, or null without one.
     */
    ofAnotherSystem: (source: number) =>
      sql(connection)<Readonly<Record<'all' | 'theirs', number>> & { configuration: string | null }>`
        with exports as (select id, reading ->> '$.configuration' as path,
            reading ->> '$.configuration' is (select reading ->> '$.configuration' from source where id = :source) as is_own
          from source where kind <> 'list' and last_row < :first)
        select (select count(distinct mandate_key) from row where source_id = :source) as "all",
            count(distinct mandate_key) as theirs, path as configuration
          from row as own join row using (mandate_key) join exports on exports.id = row.source_id and not is_own
         where exists (select 1 from exports where is_own) and exists (select 1 from exports where not is_own) and own.source_id = :source
           and not exists (select 1 from row as same join exports on exports.id = same.source_id and is_own where same.mandate_key = own.mandate_key)
         group by path order by theirs desc limit 1`.get({ source, first }),
    /** As `lackedBy`. */
    lacking: () => guard(() => lackedBy(connection, first)),
    /** The command names a file that came in before. */
    noteGiven: (sha256: string): void =>
      void sql(connection)`insert or ignore into temp.given_again select id from source where sha256 = ?`.run(
        sha256,
      ),
    /** How our files name this ledger. */
    mark: (): string =>
      ledgerMark(
        sql(connection)<Pick<CampaignRecord, 'ledgerId' | 'adoption'>>`
          select ledger_id as ledgerId, ${ADOPTION} as adoption from campaign`.get() ?? { ledgerId: '' },
      ),
    /** What columns of exports that were read so are called in lists of ours, by their names, as they are and folded. */
    inLists: (isSuch: (reading: SourceReading) => boolean): ReadonlyMap<string, string> => {
      const sources = sqlWithJson<ListedColumns & { reading: SourceReading }>(
        connection,
        'header',
        'columns',
        'reading',
      )`
        select header, columns, reading from source where admitted_at is not null order by id`.all()
      return namesInLists(sources, ({ reading }) => isSuch(reading))
    },
    /** What rows of earlier files were, for lines that name them. */
    earlier: (row: number) => guard(() => earlier(row)),
    collections,
    /** Once `decide` has spoken, and before rows are sent: rows of earlier commands beside the collections. */
    compareEarlier: (asOf?: string): void => {
      const given = { ...parts, areNew: collections.isNew(), before: first, at: parts.now() }
      guard(() => {
        holdContradicted(given)
        holdAmended({ connection, first: Infinity }, given.at)
        if (asOf !== undefined) holdLapsed({ ...given, asOf })
      })
    },
    /** Each mandate that was collected and is in no export, told of the latest source. */
    tellMissing: (): void =>
      guard(() => tellMissing(connection, latest(connection, 'source'), parts.severities)),
    isNewer: (sha256: string) => guard(() => isNewer(sha256)),
    /** A person said so of the exports of this command. */
    isNewerByWord: parts.isNewer === true,
    /** What came in by earlier commands, with what may come in once more as the configuration reads it now. */
    again: againVerbs({ ...parts, first }),
    open: (source: GivenSource) => {
      assertOpen()
      if (current !== null)
        throw new Error(`Cannot open the source "${source.name}" before "${current.name}" is closed`)
      current = source
      return guard(() => admitSource(admitting, source, () => (current = null)))
    },
    /** Applies the rules across rows, once all files are in: those of one command have one rank. */
    decide: (): void => {
      assertOpen()
      if (current !== null) throw new Error(`Cannot decide while the source "${current.name}" is open`)
      guard(() => decideAcrossRows(admitting))
    },
    /** Once `decide` has spoken: what became of the lines of these sources that name a row. */
    givenBack: (sources: readonly number[]): GivenBack =>
      sql(connection)<GivenBack>`${WHAT_CAME_BACK}`.get({ sources: JSON.stringify(sources) }) ??
      NONE_GIVEN_BACK,
    commit: (): void => {
      assertOpen()
      if (current !== null) throw new Error(`Cannot commit while the source "${current.name}" is open`)
      guard(() => {
        decideAcrossRows(admitting)
        noteChange(connection, parts.now())
        connection.exec('commit')
      })
      end(true)
    },
    rollback: (): void => {
      if (isOver) return
      // Where the disk was full, SQLite has done so.
      if (connection.inTransaction) connection.exec('rollback')
      end(false)
    },
  }
}

/** What one command brings in. The functions below change it; nobody else sees it. */
interface Admitting {
  readonly parts: AdmissionParts
  /** The first row of all of it. */
  readonly first: number
  /** By the word of a person, or because it was last compared. */
  readonly isNewer: (sha256: string) => boolean
  readonly lastDecision: number
  makeIndexes: (() => void) | null
}

const latest = (connection: Connection, table: 'row' | 'source' | 'decision'): number =>
  sqlValue(connection)<number>`select coalesce(max(id), 0) from ${table}`.get() ?? 0

/** Behind all rows, those that were counted and not kept among them. */
const nextRow = (connection: Connection): number =>
  1 +
  Math.max(
    latest(connection, 'row'),
    sqlValue(connection)<number>`select coalesce(max(last_row), 0) from source`.get() ?? 0,
  )

export interface GivenSource {
  readonly name: string
  readonly header: readonly string[]
  /** The header name that feeds each field; a constant has none. */
  readonly columns: Readonly<Record<string, string>>
  /** An export, or a list of this program that somebody filled in. */
  readonly kind?: 'export' | 'list'
  /** The source whose records come in again. */
  readonly again?: number
  readonly amendments?: readonly Amendment[]
  /** Records that are counted as ready and not handed over; only a ledger that nobody keeps takes a source so. */
  readonly counted?: number
}

function admitSource(admitting: Admitting, given: GivenSource, closed: () => void) {
  const { parts, first } = admitting
  const { connection, guard } = parts
  const { name, header, columns, kind = 'export', again, amendments = [], counted } = given
  connection.exec(`savepoint ${SAVEPOINT}`)
  const sourceId = latest(connection, 'source') + 1
  const start = nextRow(connection)
  sql(connection)`
    insert into source (id, name, header, columns, kind, origin, is_newer, last_decision)
     values (?, ?, ?, ?, ?, ?, 0, ?)`.run(
    ...[sourceId, maskAccounts(name), JSON.stringify(header), JSON.stringify(columns)],
    ...[again === undefined ? kind : 'again', again ?? sourceId],
    admitting.lastDecision,
  )
  amendments.forEach(amendIn(connection))
  if (counted !== undefined && parts.mayCount !== true)
    throw new Error('A ledger that is kept takes every record of a source')
  // Sources without a record leave the next one at the same place.
  if (start === first) admitting.makeIndexes ??= withoutIndexes(connection, first - 1)
  const insert = prepareInsert({ ...parts, sourceId, first, header, columns })
  let taken = 0
  /** Records that say which row they correct. */
  let corrections = 0

  function take(records: readonly CheckedRecord[]): void {
    // A record has the id that it would have if all were kept: messages name rows by it.
    const idOf = (record: CheckedRecord, index: number): number =>
      start + (counted === undefined ? taken + index : record.record - 1)
    for (const [index, record] of records.entries()) {
      const id = idOf(record, index)
      insert.add(id, record)
      if (record.corrects === null) continue
      if (kind === 'list' && again === undefined) noteGivenBack(connection, id, record, header)
      corrections += 1
    }
    for (const [index, record] of records.entries()) {
      // What is wrong with a row that came back as it was is on record already.
      if (record.isUnchanged === true || record.findings.length === 0) continue
      insert.flush()
      for (const finding of record.findings) writeProblem(connection, sourceId, idOf(record, index), finding)
    }
    taken += records.length
  }

  function close(summary: SourceSummary, isNewer: boolean): 'admitted' | 'known' {
    if (isKnownAs(connection, summary)) {
      connection.exec(`rollback to ${SAVEPOINT}; release ${SAVEPOINT}`)
      return 'known'
    }
    const records = taken + (counted ?? 0)
    if (records !== summary.records)
      throw new Error(`Cannot admit "${name}": ${summary.records} records were read, ${records} came in`)
    insert.flush()
    for (const finding of summary.findings) writeProblem(connection, sourceId, null, finding)
    // What is read again counts as what it was.
    const resubmitted = again === undefined ? corrections : 0
    sql(connection)`
      update source set sha256 = :sha256, bytes = :bytes, records = :counts, blank_lines = :blankLines, reading = :reading,
         first_row = :firstRow, last_row = :lastRow, resubmitted = :resubmitted, is_newer = :isNewer where id = :sourceId`.run(
      {
        ...summary,
        counts: records - corrections + resubmitted,
        reading: JSON.stringify({ ...summary.reading, counted }),
        firstRow: records === 0 ? null : start,
        lastRow: records === 0 ? null : start + records - 1,
        resubmitted,
        isNewer: isNewer ? 1 : 0,
        sourceId,
      },
    )
    connection.exec(`release ${SAVEPOINT}`)
    return 'admitted'
  }

  return {
    id: sourceId,
    add: (records: readonly CheckedRecord[]) => guard(() => take(records)),
    /** @returns `known`: these bytes were admitted before, so nothing was added */
    close: (summary: SourceSummary, isNewer = admitting.isNewer(summary.sha256)): 'admitted' | 'known' => {
      const became = guard(() => close(summary, isNewer))
      closed()
      return became
    },
  }
}

/** Lines that name a row of the ledger. */
export interface GivenBack {
  readonly resubmitted: number
  /** Those of them that could not be taken: the row they name stays as it was. */
  readonly notTaken: number
  /** Those that say what the ledger holds, and the first rows that they name. */
  readonly unchanged: number
  readonly unchangedRows: string | null
  /** Those that wait although somebody wrote "send" beside them. */
  readonly waiting: number
}

export const NONE_GIVEN_BACK: GivenBack = {
  ...{ resubmitted: 0, notTaken: 0, unchanged: 0, unchangedRows: null, waiting: 0 },
}

/** "send" that answers what no longer is. */
const IS_OLD_WORD = 'row.id in (select id from temp.given_back where is_decided = 2)'

/** A line that names a row on which the same list has a decision, or takes its place, is no line that changed nothing. */
const IS_UNCHANGED = `corrects is not null and row.state = 'duplicate' and not ${IS_OLD_WORD}
  and (select named.state from row as named where named.id = row.corrects and named.superseded_by is not row.id) not in ('written_off', 'duplicate')`

const WHAT_CAME_BACK = `
  with line as (select row.* from source cross join row on row.id between first_row and last_row
     where resubmitted > 0 and source.id in (select value from json_each(:sources)))
  select count(corrects) as resubmitted, count(*) filter (where counted_in is null and state <> 'duplicate') as notTaken,
     count(*) filter (where (counted_in is not null and state = 'conflict' or state = 'duplicate' and ${IS_OLD_WORD})
       and row.id in (select id from temp.given_back where is_decided)) as waiting,
     count(*) filter (where ${IS_UNCHANGED}) as unchanged,
     (select group_concat(corrects, ', ') from
       (select corrects from line as row where ${IS_UNCHANGED} order by id limit 5)) as unchangedRows
    from line as row`

/** Everything that needs more than one row. Until here each row has the state of its own verdict. */
function decideAcrossRows({ parts, first, makeIndexes }: Admitting): void {
  const { connection, fingerprints, severities, corrector } = parts
  const sources = sqlValue(connection)<number>`
    insert into temp.incoming (id, turn, is_newer, names)
     select id, case when kind = 'list' then ${LISTS} when kind = 'again' and is_newer = 0 then ${AGAIN} else ${EXPORTS} end,
       is_newer + (is_newer and ?), (select json_group_array(name) from
         (select key as name from json_each(columns) union all select value from json_each(header)))
       from source where admitted_at is null returning id`.all(parts.isNewer === true ? 1 : 0)
  if (sources.length === 0) return
  const at = parts.now()
  const scope = { connection, fingerprints, severities, first }
  makeIndexes?.()
  const has = (such: string): boolean =>
    sql(connection)`select 1 from temp.incoming join source using (id) where ${such}`.get() !== undefined
  const hasCorrections = has(`kind = 'list' and resubmitted > 0`)
  if (has(`kind = 'again'`)) {
    takePlaceOfThemselves(scope)
    decideGroups(scope, AGAIN, at)
  }
  if (hasCorrections) {
    decideCorrections(scope, at)
    holdAnothersValues(scope, at)
  }
  // Lines may have lost the number of their row, all of them.
  if (has(`kind = 'list'`)) decideGroups(scope, LISTS, at)
  if (has(`reading -> '$.collections' is not null`)) holdUnclear(scope, at)
  decideRepeats(scope)
  decideGroups(scope, EXPORTS, at)
  decideAmended(scope, at)
  decideKin(scope, at)
  decideCrossChecks(scope)
  decideCollected(scope)
  // A place is taken from an older row.
  if (first > 1) decidePlaces(scope)
  if (hasCorrections) recordCorrections(scope, corrector, at)
  const isRepeat = `(row.id >= :first or row.heir >= :first) and ${REPEATS_REGISTERED}`
  if (first > 1) removePrivate(connection, isRepeat, { first })
  sql(connection)`update source set admitted_at = ? where admitted_at is null`.run(at)
  connection.exec('delete from temp.incoming')
}

/** A record that comes in again stands for itself: what it was when it came in before says nothing any more. */
const takePlaceOfThemselves = ({ connection, first }: Scope): void =>
  void replaceRows(
    connection,
    `select corrects as old, row.id as new from row join source on source.id = source_id
      where row.id >= :first and kind = 'again' and corrects is not null`,
    { first },
  )

function prepareInsert(scope: SourceScope) {
  const { connection, fingerprints, sourceId } = scope
  const insert = prepareRowInsert(connection, sourceId)
  const isOfExport = sqlValue(connection)`
    select origin.kind = 'export' from source join source as origin on origin.id = source.origin where source.id = ?`
  const ownKeyOf = isOfExport.get(sourceId) === 1 ? prepareKeys(connection) : (key: string | null) => key
  const add = (id: number, record: CheckedRecord): void => {
    const { verdict, values } = record
    const mandate = verdict.kind === 'sendable' ? verdict.mandate : null
    const iban = mandate?.iban ?? values.iban
    const readKey = mandate === null ? record.mandateKey : keyOf(record.mandateKey, mandate)
    const mandateKey = ownKeyOf(readKey, mandate?.customerNo ?? values.customerNo)
    const spelling = mandateKey === null ? null : spellingOf(mandateKey)
    const row = {
      record: record.record,
      line: record.line,
      state: stateOf(record),
      rule: ruleOfVerdict(record),
      customerNo: mandate?.customerNo ?? values.customerNo,
      ibanMasked: iban === null ? null : maskIban(iban),
      ibanKey: iban === null ? null : fingerprints.account(iban),
      signedDate: mandate?.signedDate ?? values.signedDate,
      originalCreditorIdentifier: mandate?.original.creditorIdentifier ?? values.creditorIdentifier,
      originalMandateReference: mandate?.original.mandateReference ?? values.mandateReference,
      mandateKey,
      raw: mandate === null ? fingerprintRaw(fingerprints, scope, record) : null,
      corrects: record.corrects === 0 ? (locate(scope, record.cells) ?? 0) : record.corrects,
      countedIn: record.corrects === null ? sourceId : null,
      latestFirstDebit: record.latestFirstDebit,
      contentKey: mandate === null ? null : fingerprints.content(mandate),
      spelling: spelling === null ? null : spellingNumber(spelling),
    }
    insert.add(id, row, iban, JSON.stringify(record.cells))
  }
  return { add, flush: insert.flush }
}

/** A row in conflict that came back as it was changes nothing. */
function stateOf({ verdict, isUnchanged }: CheckedRecord): RowState {
  if (verdict.kind === 'sendable') return 'ready'
  return verdict.kind === 'conflict' && isUnchanged === true ? 'duplicate' : verdict.kind
}

/** With more rows than these it is no gain any more, and lookups by older rows would go through all of them. */
const FEW_ROWS = 1_000

/**
 * Takes the indexes of all rows away while a source is read into a ledger of few, as one made of all rows at once costs half
 * of what its entries cost one by one. Both are part of the admission: without its commit nothing has happened.
 * @returns makes them again, and must be called before any rule compares rows; the unique ones refuse what they always refuse
 */
export function withoutIndexes(connection: Connection, rowsBefore: number): () => void {
  if (rowsBefore > FEW_ROWS) return () => undefined
  // What the schema says now is what is made again; an index that belongs to a constraint has no text. One of few rows
  // costs less to keep: making it walks over all of them.
  const indexes = connection
    .prepare<[], { name: string; sql: string }>(
      `select name, sql from sqlite_schema where type = 'index' and tbl_name = 'row'
        and name in (select name from pragma_index_list('row') where origin = 'c' and partial = 0) order by rowid`,
    )
    .all()
  for (const { name } of indexes) connection.exec(`drop index "${name}"`)
  // A source that is known already has put them back.
  const isThere = connection.prepare('select 1 from sqlite_schema where name = ?')
  return () => {
    for (const { name, sql } of indexes) if (isThere.get(name) === undefined) connection.exec(sql)
  }
}
