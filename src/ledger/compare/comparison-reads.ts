import {
  EXPORT_OLD_AFTER_DAYS,
  LISTED_CLASSES,
  untakenOf,
  type ClassCounts,
  type ListedClass,
  type OpenCutOver,
} from '../../domain/row/cut-over.js'
import {
  COUNT_HELD,
  formerOf,
  HAS_OTHER_VALUES,
  IS_LATEST,
  COMPARED_FILES,
  NEWER_SINCE,
} from '../deliver/gate.js'
import { countAsReadBefore, IS_TO_SAY_AGAIN } from '../admit/again.js'
import { IS_SETTLED_SINCE } from '../admit/collected.js'
import { sql, sqlWithJson, sqlValue, type Connection } from '../file/connection.js'
import { sqlList } from '../schema/schema.js'
import type { DecisionRecord } from '../read/reader.js'
import { basename } from 'node:path'
import {
  isAsExpected,
  REPLACEABLE_STATES,
  type ComparedTotals,
  type Expected,
} from '../../domain/row/row-state.js'
import type { SourceReading } from '../../domain/rule/verdict.js'
import { maskAccounts } from '../../domain/text/accounts.js'
import { UsageError } from '../../errors.js'

/** A file of the last export. */
export interface FinalSource {
  readonly name: string
  readonly sha256: string
  readonly records: number
  /** The path of what it was read with, where it was a configuration. */
  readonly configuration?: string | null
}

/** How a file of the last export was read. */
export interface ComparedReading {
  readonly name: string
  readonly sha256: string
  /** As all of it was read last: then, or when a run took it in since. */
  readonly reading: SourceReading
}

/** How the last export stood to the ledger when they were compared. */
export interface ComparisonRecord {
  readonly id: number
  readonly at: string
  readonly by: string
  readonly as: string | null
  readonly sources: readonly FinalSource[]
  readonly classes: ClassCounts
  /** Mandates of either side. Those of the ledger are all classes but `new`. */
  readonly ledgerMandates: number
  readonly finalMandates: number
}

/** A mandate that a person has to do something about. */
export interface ComparedLine {
  /** Of the row that was compared, and of what took its place since. */
  readonly id: number
  readonly current: number
  readonly listed: ListedClass
  readonly why: string
  /** Of what is said of it: a list that was written before says something else. */
  readonly mark: string
  readonly isOpen: 0 | 1
}

/** Lines by class: how many, how many are open, and who closed the others. */
export type ClosedLines = Pick<ComparedLine, 'listed'> &
  Pick<DecisionRecord, 'decision'> & { readonly by: string | null; readonly count: number }

export const NEVER_SENDABLE = `('invalid', 'conflict', 'excluded')`

/** SQL: an export of the time `earlier` is old at the time `later`; both are SQL that gives ISO 8601. */
export const isLongBefore = (earlier: string, later: string): string =>
  `${later} > strftime('%Y-%m-%dT%H:%M:%fZ', ${earlier}, '+${EXPORT_OLD_AFTER_DAYS} days')`

/** `why` of a line that no export opened and that is closed at once: a person found right what the service shows of the mandate. */
export const SHOWN = 'shown'

/**
 * SQL: the rows whose mandates a person had changed or cancelled at the service, by the latest line of each that was closed as
 * done. A line of a row in doubt is about the registration that the doubt turned out to be.
 */
export const SAID_DONE = `select row_id, class, why, decided_at from (
  select compared.row_id, decision, why, decided_at, iif(class not in ('in_doubt_changed', 'changed_before_sending'), class,
      iif(why = 'gone' or why glob '*ended*', 'ended_after_registration', 'changed_after_registration')) as class, row_number() over (partition by compared.row_id order by compared.id desc) as n
    from compared join decision on decision.id = decision_id)
  where n = 1 and decision = 'done' and class in ('changed_after_registration', 'ended_after_registration') and why <> 'back'`

/** SQL over `compared`: an open line of the row `:id` or of a row that it replaced. */
export const IS_OPEN_LINE = `${IS_LATEST} and decision_id is null and row_id in ${formerOf(':id')}`

/** The row of a line as it is now. */
const CURRENT_ROW = `(select coalesce(heir, id) from row where id = compared.row_id)`

/**
 * SQL: the class of a line as it is now. A mandate that the last export changed before it was sent, and that was sent with other
 * values by the word of a person, is to be changed at the service; unless that person corrected just what the export says.
 */
const CLASS = `iif(class = 'changed_before_sending' and exists (select 1 from row as sent where sent.id = ${CURRENT_ROW}
  and sent.state in ('registered', 'in_doubt', 'sending') and sent.content_key is not final
  and not exists (select 1 from row as wrong where wrong.heir = sent.id and wrong.raw = final)), 'changed_after_registration', class)`
const IS_LISTED = `${CLASS} in (${sqlList(LISTED_CLASSES)})`

/** SQL: the lines that people see, the latest of each mandate. */
const LINES = `compared where id in (select max(id) from compared where ${IS_LATEST} and ${IS_LISTED} group by row_id)`

/** SQL over `compared`: a line about a row in doubt that turned out not to have been sent, whose values the export replaces. */
const IS_REPLACED = `class = 'in_doubt_changed' and ${HAS_OTHER_VALUES}
  and (select state from row where id = compared.row_id) in ('ready', 'refused', 'superseded')`

/**
 * SQL over `compared`: the export seemed to lack the mandate, or was unclear about it; since then an unreadable record of that
 * export was corrected, and says what the row says.
 */
const IS_FOUND = `((why = 'gone' or why glob '*unclear*') and exists (select 1 from row as here
  cross join row as found on found.mandate_key = here.mandate_key and found.content_key = here.content_key
  cross join row as unread on unread.heir = found.id
  join source as part on part.id = unread.source_id join source as export on export.id = part.origin
  where here.id = ${CURRENT_ROW} and found.corrects is not null and export.sha256 in ${COMPARED_FILES}))`

/**
 * SQL over `compared`: somebody has to act on the line. Nothing is left to do where it was closed or settled by evidence, where
 * the row was replaced by one that cannot be sent, where a doubt turned out to be none, or where the row is in conflict just as
 * the export is, which is a line of the corrections already.
 */
const IS_OPEN = `decision_id is null and not ${IS_SETTLED_SINCE} and not ${IS_FOUND} and not exists (select 1 from row where id = compared.row_id and state = 'superseded'
  and (select state from row as current where current.id = ${CURRENT_ROW} and (class <> 'contradictory' or current.state = 'conflict')) in ${NEVER_SENDABLE})
  and not (${IS_REPLACED}) and not (why = 'begun' and (select state from row where id = compared.row_id) = 'superseded') and not (class = 'contradictory' and (select state from row where id = compared.row_id) = 'conflict')
  and not (coalesce(met_by, compared.row_id) <> compared.row_id and ((select state from row where id = compared.row_id) in ('ready', 'refused')
    or (select state from row where id = met_by) not in ('conflict', 'written_off')))`

const MARK = `${CLASS} || ':' || replace(why, ' ', '+') || ':' || coalesce(hex(substr(final, 1, 6)), '')`

/** SQL: rows of other exports, imported after the latest comparison, that nobody has compared. */
const UNCOMPARED = `source join comparison on comparison.id = (select max(id) from comparison)
    and source.id > last_source and sha256 not in (select value ->> 'sha256' from json_each(sources))
  join row on row.id between first_row and last_row
  where corrects is null and (state in ('ready', 'sending', 'in_doubt', 'registered') or source.is_newer and source.kind = 'export')`

/** SQL: requests that left so long after the latest comparison that their mandates may have ended in between. */
export const SENT_LATER = `attempt join comparison on comparison.id = (select max(id) from comparison)
  and ${isLongBefore('compared_at', 'started_at')} join row on row.id = row_id
  where state in ('registered', 'in_doubt', 'sending') and n = attempts`

/**
 * SQL: mandates that the last export changed although its file had been imported before, so that importing it again adds nothing.
 * A run reads each such `row` again when the file is given once more; `here` is the row that counts for the mandate until then.
 */
const UNTAKEN = `compared join comparison on comparison.id = comparison_id join row as line on line.id = compared.row_id
    join row as here on here.id = coalesce(line.heir, line.id) join row on row.mandate_key = line.mandate_key
    join source as part on part.id = row.source_id join source as export on export.id = part.origin
  where exists (select 1 from source, comparison where comparison.id = (select max(id) from comparison)
      and source.id <= last_source and sha256 in ${COMPARED_FILES}) and not exists (${NEWER_SINCE})
    and ${IS_LATEST} and class = 'changed_before_sending' and here.state in (${sqlList(REPLACEABLE_STATES)})
    and (here.state = 'conflict' or coalesce(here.content_key, here.raw) is not final)
    and export.sha256 in ${COMPARED_FILES} and not exists (select 1 from source as since where since.origin = export.id and since.id > last_source)
    and ${IS_TO_SAY_AGAIN}`
/** SQL over a file of the latest comparison, `value` in JSON: a run must still be given it. */
export const IS_UNTAKEN_FILE = `(not exists (select 1 from source where sha256 = value ->> 'sha256')
  or value ->> 'sha256' in (select export.sha256 from ${UNTAKEN}))`

/**
 * SQL that gives a row where all exports of the latest comparison had been imported before it, and none has been since: no run
 * can take in what is new in them.
 */
const WAS_IN_LEDGER = `select 1 from comparison where id = (select max(id) from comparison)
  and not exists (select 1 from json_each(sources) as file where not exists (select 1 from source
    where sha256 = file.value ->> 'sha256' and source.id <= last_source))
  and not exists (select 1 from source where kind = 'export' and source.id > last_source)`
/** SQL: mandates that the latest comparison has again, and that were written off because an earlier one lacked them. */
const BACK = `compared join row on row.id = row_id where ${IS_LATEST} and class = 'changed_before_sending' and why = 'back' and state = 'written_off'`

/** What the former provider counts, beside the records of the export that it is about. */

/** As it was given, with the exports that counted as newest then. */
type Said = Expected & { readonly newest: string | undefined }

const said = (connection: Connection): Said[] =>
  JSON.parse(
    sqlValue(connection)<string>`select coalesce(expected, '[]') from campaign`.get() ?? '[]',
  ) as Said[]

/** Of the export that counts as newest: the one that was compared last, else all that the last command brought, or brings. */
const NEWEST = `select id from source where kind = 'export' and iif(
  exists (select 1 from source where sha256 in ${COMPARED_FILES}), sha256 in ${COMPARED_FILES},
  admitted_at is (select admitted_at from source where kind = 'export' order by admitted_at is null desc, admitted_at desc limit 1))`
const newestOf = (connection: Connection): string | undefined =>
  sqlValue(connection)<string>`select json_group_array(id) from (${NEWEST} order by id)`.get()
const NAMED = `select max(id) as id from source where kind = 'export' and name = :source`

/** A correction counts in the place of its row. A sum of many numbers may leave the whole ones, so it comes in two parts. */
const readOf = (which: string): string => `
  with export as (select * from source where id in (${which})),
    counted as (select customer_no, counted_in as source from row where customer_no is not null)
  select (select coalesce(sum(records - resubmitted), 0) from export) as records,
    (select coalesce(group_concat(name, ', '), '') from export) as names,
    coalesce(sum(customer_no / ${MILLION}), 0) as millions, coalesce(sum(customer_no % ${MILLION}), 0) as rest
   from counted where source in (select id from export)`

const MILLION = 1_000_000

type Sums = Readonly<Record<'records' | 'millions' | 'rest', number> & Record<'names', string>>

/**
 * Keeps what was said last of each export: a total takes the place of one that names the same, and the total of the newest export
 * that of the only file which is the newest, named or not.
 * @throws {UsageError} where there is no such export
 */
export function recordExpected(connection: Connection, { source, records, customerNoSum }: Expected): void {
  const name = source === null ? null : maskAccounts(basename(source))
  if (name !== null && sqlValue(connection)<number | null>`${NAMED}`.get({ source: name }) === null)
    throw new UsageError(
      `This ledger has no export "${name}" whose records could be compared; nothing was recorded or sent`,
      'Give the name of an export as it came in, or the total alone for the newest one',
    )
  const newest = sqlValue(connection)<string>`select name from source where id in (${NEWEST})`.all()
  const one = newest.length === 1 ? newest[0] : null
  const others = said(connection).filter((each) => (each.source ?? one) !== (name ?? one))
  sql(connection)`update campaign set expected = ?`.run(
    JSON.stringify([...others, { source: name, records, customerNoSum, newest: newestOf(connection) }]),
  )
}

/** What was said of the newest export says nothing of one that is newer. */
export const readExpected = (connection: Connection): ComparedTotals[] =>
  said(connection).flatMap(({ newest, ...expected }) => {
    const { source } = expected
    if (source === null && newest !== newestOf(connection)) return []
    const text = readOf(source === null ? NEWEST : NAMED)
    const sums = sql(connection)<Sums>`${text}`.get(source === null ? {} : { source })
    const { records, millions, rest, names } = sums ?? { records: 0, millions: 0, rest: 0, names: '' }
    const customerNoSum = String(BigInt(millions) * BigInt(MILLION) + BigInt(rest))
    return [{ ...expected, names, read: { records, customerNoSum } }]
  })

/** The latest comparison counts. */
export function comparisonReads(connection: Connection) {
  const comparison = (): ComparisonRecord | null =>
    sqlWithJson<ComparisonRecord>(connection, 'sources', 'classes')`
      select id, compared_at as at, compared_by as "by", compared_as as "as", sources, classes,
         ledger_mandates as ledgerMandates, final_mandates as finalMandates
        from comparison order by id desc limit 1`.get() ?? null
  return {
    comparison,
    /** How the files of the latest comparison were read. */
    comparedReadings: () =>
      sqlWithJson<ComparedReading & { readonly isTakenIn: 0 | 1 }>(connection, 'reading')`
        select file.value ->> 'name' as name, file.value ->> 'sha256' as sha256, source.id is not null as isTakenIn,
           coalesce((select reading from source as part where part.origin = source.id and part.id > last_source
             and (part.kind <> 'again' or part.reading ->> '$.wasGiven') order by part.id desc limit 1), file.value -> 'reading') as reading
          from comparison, json_each(readings) as file left join source on source.sha256 = file.value ->> 'sha256' and admitted_at is not null
         where comparison.id = (select max(id) from comparison) order by file.key`.all(),
    /** In order of row. */
    comparedLines: (after: number, limit: number) =>
      sql(connection)<ComparedLine>`
        select row_id as id, ${CURRENT_ROW} as current, ${CLASS} as listed, why, ${MARK} as mark, ${IS_OPEN} as isOpen from ${LINES}
          and row_id > ? order by row_id limit ?`.all(after, limit),
    /** The mark of the line of a row, or of a row in whose place it came; null where it has none. */
    isOpenLine: (row: number) =>
      sql(connection)`select 1 from compared where ${IS_OPEN_LINE}`.get({ id: row }) !== undefined,
    markOfLine: (row: number) =>
      sqlValue(connection)<string>`
        select ${MARK} from ${LINES} and row_id in ${formerOf(':row')}`.get({ row }) ?? null,
    /**
     * What the latest comparison says of the mandate of a row, and whether the row says the same; null where that holds nothing.
     * `cross` and `+`: by the row, where SQLite would go through all that is held for each.
     */
    comparedOf: (row: number) =>
      sql(connection)<{ why: string; isSame: 0 | 1 }>`
        select why, coalesce(final = row.content_key, 0) as isSame from row cross join compared on row_id in (select row.id union all select former.id from row as former where former.heir = row.id
            union all select id from row as same where same.mandate_key = row.mandate_key)
          where row.id = ? and ${IS_LATEST} and +is_held and met_by is null order by compared.id desc limit 1`.get(
        row,
      ) ?? null,
    /** Its lines by class and by who closed them; `by` is null for those that are open. */
    closedLines: () =>
      sql(connection)<ClosedLines>`
        select ${CLASS} as listed, decision, decided_by as "by", count(*) as count
          from (select * from ${LINES}) as compared left join decision on decision.id = decision_id
         where not (decision_id is null and not (${IS_OPEN}))
         group by 1, 2, 3 order by 1, 3, 2`.all(),
    openCutOver: (): OpenCutOver => {
      const latest = comparison()
      const count = (such: string): number =>
        sqlValue(connection)<number>`select count(*) from ${such}`.get() ?? 0
      const isTaken =
        latest === null ||
        sql(connection)`${NEWER_SINCE}`.get() !== undefined ||
        latest.sources.every(
          ({ sha256 }) => sql(connection)`select 1 from source where sha256 = ?`.get(sha256) !== undefined,
        )
      return {
        open: count(`${LINES} and ${IS_OPEN}`),
        held: sqlValue(connection)<number>`${COUNT_HELD}`.get() ?? 0,
        untaken: isTaken
          ? (sqlValue(connection)<number>`select count(distinct line.id) from ${UNTAKEN}`.get() ?? 0) +
            (sql(connection)`${WAS_IN_LEDGER}`.get() === undefined
              ? 0
              : (latest?.classes.new ?? 0) + count(BACK))
          : untakenOf(latest.classes) + count(`compared where ${IS_LATEST} and ${IS_REPLACED}`),
        uncompared:
          latest === null
            ? 0
            : count(`(select row.id from ${UNCOMPARED} union select row.id from ${SENT_LATER})`) +
              // Only the next comparison lets it go.
              count(
                `compared join row on row.id = ${CURRENT_ROW} where ${IS_LATEST} and is_held and ${IS_FOUND} and state = 'ready'`,
              ),
        asReadBefore: countAsReadBefore(connection),
        unexpected: readExpected(connection).filter((totals) => !isAsExpected(totals)).length,
      }
    },
  }
}
