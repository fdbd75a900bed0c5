import { IS_CLOSED_AS_GONE } from '../deliver/gate.js'
import { basename } from 'node:path'
import {
  CUT_OVER_CLASSES,
  HELD_CLASSES,
  LISTED_CLASSES,
  type ClassCounts,
} from '../../domain/row/cut-over.js'
import { maskAccounts } from '../../domain/text/accounts.js'
import { countText, plural, timeText } from '../../domain/text/text.js'
import type { SourceReading } from '../../domain/rule/verdict.js'
import { UsageError } from '../../errors.js'
import type { Amendment, LocalDate } from '../../domain/mandate/mandate.js'
import { amendIn, IS_SETTLED_SINCE } from '../admit/collected.js'
import { isErased } from '../admit/problems.js'
import { noteChange } from '../deliver/campaign-rows.js'
import { isSilent, sql, sqlValue, sqlWithJson, type Connection } from '../file/connection.js'
import { sqlList } from '../schema/schema.js'
import {
  isLongBefore,
  NEVER_SENDABLE,
  SHOWN,
  type ComparedReading,
  type FinalSource,
} from './comparison-reads.js'
import { answerByComparison, CHANGED_THERE, IS_OF_OTHERS, keepContradicting } from './contradicting.js'

export interface ComparisonTerms {
  readonly by: string
  /** A person says that it is the last export although it does not look so. */
  readonly isFinal: boolean
  /** How each file was read, by its SHA-256. */
  readonly readings?: ReadonlyMap<
    string,
    Pick<SourceReading, 'configuration' | 'fromLedger' | 'said' | 'byFlag'>
  >
}

type Readings = NonNullable<ComparisonTerms['readings']>

/**
 * Compares the ledger with the last export. The export was imported alone into a scratch ledger (`final`). In temporary tables of
 * the ledger's connection:
 *
 *   final    the records of the export that say something of a mandate
 *   side     the mandates of the ledger, each by the one row that counts for it (`id`)
 *   alias    what those rows were before a person corrected them, since the former system may go on exporting that
 *   pair     which mandate of the export is which of the ledger
 *   verdict  the class of each mandate of the ledger (domain/row/cut-over.ts), and why
 *
 * Then it refuses what does not look like the last export, and writes `comparison` and its lines, `compared`.
 */

/** SQL: what identifies a mandate on either side: its key, or the digest of what was read where it has none. */
const KEY = 'coalesce(mandate_key, hex(raw))'
/** SQL over `row`: it speaks for its mandate. Repetitions, replaced rows, contradictions of what was sent, and lines of lists that were not taken do not. */
const SPEAKS = `state not in ('duplicate', 'superseded') and counted_in is not null and rule is not 'CONTRADICTS_SENT'`

/**
 * SQL: how the row that counts for a mandate stands. `perhaps`: written off in doubt, so that the service may hold it; `left`:
 * written off because an earlier last export lacked it. By RANK rows that may be at the service count before others, and of equal
 * ones the latest: an SQLite aggregate `min` takes the bare columns from the row that has the minimum.
 */
const KIND = `case state when 'registered' then 'registered' when 'in_doubt' then 'doubt' when 'sending' then 'doubt'
  when 'ready' then 'unsent' when 'refused' then 'unsent' when 'excluded' then 'excluded'
  when 'written_off' then case when exists (select 1 from attempt where row_id = row.id and outcome in ('in_doubt', 'released')) then 'perhaps'
    when ${IS_CLOSED_AS_GONE} then 'left' else 'closed' end
  else 'held' end`
const RANK = `case state when 'registered' then 1 when 'in_doubt' then 2 when 'sending' then 2 when 'ready' then 4
  when 'refused' then 4 when 'written_off' then iif(attempts > 0, 3, 7) when 'conflict' then 5 else 6 end`

const TABLES = `
  drop table if exists temp.final; drop table if exists temp.side; drop table if exists temp.alias;
  drop table if exists temp.pair; drop table if exists temp.verdict;
  create temp table final (id integer primary key, key text not null, digest blob, rule text, customer_no integer,
    account blob, signed text, says text not null, lapses text, spelling integer);
  create temp table side (key text primary key, id integer not null unique, kind text not null, customer_no integer,
    account blob, signed text, is_erased integer not null) without rowid;
  create temp table alias (rep integer not null, key text not null, digest blob, rule text, customer_no integer, account blob,
    signed text, is_own integer not null);
  create temp table pair (key text primary key, id integer not null unique, is_renamed integer not null) without rowid;
  create temp table verdict (id integer primary key, class text not null, why text, final blob)`

/**
 * SQL over the scratch ledger: what each record of the last export says of its mandate. An excluded one has ended or lapsed; one
 * with a fault, or with words that nobody understands, is unclear; `silent` where the column that tells ends is empty. Two
 * spellings in the export are two mandates for this comparison.
 */
const FINAL_ROWS = `select id, ${KEY} as key, coalesce(content_key, raw) as digest, rule, customer_no as customerNo,
    iban_key as account, signed_date as signed,
    case when state = 'ready' or rule in ('MANDATE_RESEMBLES_SENT', 'MANDATE_ENDED_ELSEWHERE')
        then iif(${isSilent(`not silent.value ->> 'isWhole'`)}, 'silent', 'lives')
      when rule = 'CONFLICT_MANDATE' then 'contradictory' when state <> 'excluded' then 'unclear'
      when rule = 'MANDATE_DORMANT' then 'lapsed' else 'ended' end as says,
    (select latest_first_debit from problem where row_id = row.id and rule in ('MANDATE_DORMANT', 'MANDATE_DORMANT_SOON') limit 1) as lapses, spelling
  from row where ${SPEAKS} order by id`

function fill(connection: Connection, final: Connection): void {
  connection.exec(TABLES)
  const insert = connection.prepare(`insert into temp.final
    values (:id, :key, :digest, :rule, :customerNo, :account, :signed, :says, :lapses, :spelling)`)
  for (const row of final.prepare(FINAL_ROWS).iterate()) insert.run(row)
  connection.exec(`
    create index temp.final_key on final (key);
    insert into temp.side select key, id, kind, customer_no, account, signed_date, is_erased from (
      select ${KEY} as key, id, ${KIND} as kind, customer_no, iif(${isErased('row')}, null, iban_key) as account, signed_date,
          ${isErased('row')} as is_erased,
          min(${RANK} * 1000000000000000 - id)
        from row where ${SPEAKS} group by 1);
    ${ALIASES};
    create index temp.alias_rep on alias (rep);
    create index temp.alias_key on alias (key)`)
}

const READ = 'row.rule, row.customer_no, row.iban_key, row.signed_date'

/**
 * The former system may go on exporting a row as it was before a person corrected it; such a record says nothing new. So the chain
 * of rows that corrections replaced is followed back from the row that counts, but not over rows that a changed configuration
 * reads otherwise. `is_own`: rows of mandates that could never be sent, all of which count, since they may contradict each other.
 */
const ALIASES = `insert into temp.alias
  with recursive chain (rep, id, heir, is_corrected) as (
    select side.id, row.id, row.id, 0 from row join temp.side on side.id = row.id where row.corrects is not null
    union all select side.id, row.id, row.id, 0 from row join temp.side on side.key = row.mandate_key join row as counts on counts.id = side.id
      where row.corrects is not null and row.state = 'duplicate' and row.content_key = counts.content_key
    union select chain.rep, old.id, chain.heir, source.kind <> 'again' or here.content_key is null
      from chain join row as here on here.id = chain.id join source on source.id = here.source_id
      join row as old on old.heir = chain.heir and old.superseded_by = here.id
       where (select origin.kind from source as origin where origin.id = source.origin) = 'list'
         or here.content_key is null and old.rule is here.rule)
  select rep, ${KEY}, coalesce(content_key, raw), ${READ}, 0 from chain join row on row.id = chain.id where is_corrected
  union all
  select side.id, side.key, coalesce(content_key, raw), ${READ}, 1 from temp.side cross join row on row.mandate_key = side.key
    where kind in ('held', 'excluded') and ${SPEAKS} and state in ${NEVER_SENDABLE}
  union all
  select side.id, side.key, raw, ${READ}, 1 from temp.side cross join row on row.id = side.id
    where kind in ('held', 'excluded') and mandate_key is null`

/**
 * A person corrected the reference of a row that had the reference of another mandate by mistake, and the export still has the
 * mistake: that record, as it was or at least of that customer, speaks for the corrected mandate, and does not contradict the other.
 */
const CORRECTED_SINCE = `
  create temp table slip as select final.id, final.key, side.key as corrected from temp.alias cross join temp.side on side.id = rep
    cross join temp.final on final.key = alias.key cross join temp.side as theirs on theirs.key = final.key
    where not is_own and side.key <> final.key and (final.digest is alias.digest
      or final.customer_no = alias.customer_no and final.customer_no = side.customer_no and final.customer_no <> theirs.customer_no);
  delete from temp.slip where corrected in (select key from temp.final where id not in (select id from temp.slip));
  update temp.final set key = corrected, says = iif(says = 'contradictory', 'lives', says) from temp.slip where slip.id = final.id;
  update temp.final set says = 'lives' where says = 'contradictory' and key in (select key from temp.slip)
    and not exists (select 1 from temp.final as other where other.key = final.key and other.digest is not final.digest);
  drop table temp.slip`

/** SQL: mandates that wait, or were written off, because they resemble one that was sent: they may be that one under a new reference. */
const RESEMBLES = `(select pair.key from temp.pair join row using (id)
  where rule = 'MANDATE_RESEMBLES_SENT' and state in ('conflict', 'written_off'))`

/**
 * Pairs mandates of the export and of the ledger: by creditor and reference; by a reference that a correction replaced; by an
 * amendment; and last, where exactly one is left on either side with the same customer, account and date, by these: it is one
 * mandate with another reference, and a run takes the two for one as well.
 */
const PAIRS = `
  insert into temp.pair select distinct final.key, side.id, 0 from temp.final join temp.side on side.key = final.key;
  insert or ignore into temp.pair select distinct final.key, rep, 0 from temp.alias cross join temp.final on final.key = alias.key
    where is_own = 0 and rep not in (select id from temp.pair) and final.key not in (select key from temp.pair);
  insert or ignore into temp.pair select distinct final.key, side.id, 1 from amended cross join temp.final on final.key = successor
    cross join temp.side on side.key = former
    where side.id not in (select id from temp.pair) and final.key not in (select key from temp.pair);
  insert or replace into temp.pair
    with lone as (select min(key) as key, customer_no, account, signed from temp.final
        where (key not in (select key from temp.pair) or key in ${RESEMBLES})
          and customer_no is not null and account is not null and signed is not null
        group by customer_no, account, signed having count(distinct key) = 1),
      left_over as (select min(id) as id, customer_no, account, signed from temp.side
        where id not in (select id from temp.pair) and kind in ('registered', 'perhaps', 'doubt') and account is not null
        group by customer_no, account, signed having count(*) = 1)
    select lone.key, left_over.id, 1 from lone join left_over using (customer_no, account, signed);
  delete from temp.side where key in (select key from temp.pair where is_renamed)`

/** Records the other reference as a second name of the mandate, so that later exports under either name are understood. */
function nameRenamed(connection: Connection): void {
  const renamed = sql(connection)<Pick<Amendment, 'former' | 'successor'>>`
    select row.mandate_key as former, pair.key as successor from temp.pair join row using (id)
     where is_renamed and row.mandate_key is not null and pair.key in (select key from temp.final where spelling is not null)`
  const name = amendIn(connection)
  // No day: collections under the former name say what they said.
  for (const pair of renamed.all()) name({ ...pair, day: '' as LocalDate })
}

/** A record whose column for ends is empty does not revive a mandate that the comparison before called ended; any other lives. */
const SAID_BEFORE = `
  update temp.final set says = 'ended', digest = former.final from (select key, former.final from temp.pair
      join row using (id) join compared as former on former.row_id = row.id or former.row_id in (select id from row as old where old.heir = row.id)
      where former.comparison_id is :previous and former.why = 'ended') as former
    where says = 'silent' and final.key = former.key;
  update temp.final set says = 'contradictory' where says = 'silent' and key not in (select key from temp.pair)
    and key in (select mandate_key from ended_elsewhere where comparison_id is :previous);
  update temp.final set says = 'lives' where says = 'silent'`

/** SQL: both have the same fault and the same readable values; an export may write an impossible date in another notation. */
const READS_ALIKE = `alias.rule = final.rule and alias.customer_no is final.customer_no and alias.account = final.account
  and alias.signed is final.signed`
const IS_KNOWN = `exists (select 1 from temp.alias where rep = side.id and (${READS_ALIKE}
  or digest is final.digest and (kind in ('held', 'excluded') or alias.rule is final.rule)))`
/** SQL over a mandate of `side`: a person corrected it, so that the former system need not know its values. */
const IS_CORRECTION = 'exists (select 1 from temp.alias where rep = side.id and not is_own)'

/**
 * SQL: the export has the value that the row had before a person corrected it. Where the rule was a conflict of records, the
 * person chose one of several values, and another one is news.
 */
const wasBefore = (value: string): string =>
  `exists (select 1 from temp.alias where rep = id and not is_own and alias.rule is final_rule and alias.${value} is final_${value})`

/** SQL: what all records of a mandate say together; `unclear` where they differ. */
const SAYS = `case when first = last then first when first <> 'lives' and last = 'lapsed' then 'ended' else 'unclear' end`

const SEEN = `select id, kind, is_renamed, is_erased, max(coalesce(own_says = 'contradictory', 0)) as contradictory, min(said) as first, max(said) as last, min(lapses) as lapses, min(digest) as final,
    max(not known and final_customer_no is not customer_no and not ${wasBefore('customer_no')}) as customer,
    max(not known and final_signed is not signed and not ${wasBefore('signed')}) as date,
    max(not known and account is not null and final_account is not account and not ${wasBefore('account')}) as account,
    max(not known) as other, max(missing) as missing
  from (select side.id, kind, is_renamed, is_erased, says as own_says, side.customer_no, side.account, side.signed, final.customer_no as final_customer_no,
      final.account as final_account, final.signed as final_signed, final.rule as final_rule, digest, lapses, ${IS_KNOWN} as known,
      iif(${IS_KNOWN} and kind not in ('held', 'excluded'), 'lives', says) as said,
      kind in ('held', 'excluded') and not ${IS_CORRECTION} and exists (select 1 from temp.alias where rep = side.id and not exists
        (select 1 from temp.final as same where same.key = pair.key and same.digest is alias.digest)) as missing
    from temp.side left join temp.pair using (id) left join temp.final on final.key = pair.key)
  group by id`

const CHANGES = `trim(iif(is_renamed, 'reference ', '') || iif(customer, 'customer ', '') || iif(account, 'account ', '')
  || iif(date, 'date ', '') || iif(says in ('unclear', 'contradictory'), 'unclear', ''))`
const LAPSE = `iif(says = 'lapsed', 'lapsed', iif(lapses is not null, 'lapses_soon', ''))`

const IS_BACK = 'id in (select row_id from changed_there)'

const OVER = `why in ('gone', 'ended')`

const VERDICTS = `insert into temp.verdict
  with changed_there as materialized (${CHANGED_THERE}), seen as (${SEEN}),
  said as (select *, iif(first is null, 'gone', ${SAYS}) as says from seen),
  told as (select *, case when says in ('gone', 'ended') then says
      when kind in ('held', 'excluded') then iif(says = 'lapsed', 'ended', iif(other or missing, 'other', null))
      else nullif(trim(${CHANGES} || ' ' || ${LAPSE}), '') end as why
    from said)
  select id, case
      when says = 'lives' and (kind = 'left' or kind = 'closed' and final is not (select coalesce(content_key, raw) from row where row.id = told.id))
        then 'changed_before_sending'
      when contradictory and kind not in ('closed', 'left') then 'contradictory'
      when why is null and is_erased then 'erased'
      when why is null and ${IS_BACK} then 'changed_after_registration'
      when why is null or kind in ('closed', 'left') or kind = 'excluded' and ${OVER} then 'unchanged'
      when why in ('lapsed', 'lapses_soon') then 'dormant'
      when kind = 'doubt' then 'in_doubt_changed'
      when kind in ('registered', 'perhaps') then iif(${OVER}, 'ended_after_registration', 'changed_after_registration')
      when ${OVER} then 'gone_unsent' else 'changed_before_sending' end,
    case when contradictory then 'contradictory' when why is null and ${IS_BACK} then 'back' when kind = 'left' then 'back' when kind = 'closed' then coalesce(why, 'other') else why end, final
  from told`

/** SQL: verdicts that hold the row back. A lapsed mandate must not be sent either, and a changed one waits until its export is imported. */
const HELD = `verdict.class in ('ended_after_registration', 'gone_unsent', 'in_doubt_changed', 'contradictory')
  or verdict.class = 'changed_before_sending' and verdict.why <> 'back' or verdict.why = 'lapsed'`

/**
 * Records how the last export and the ledger stand to each other. No row changes. What was done about a mandate of which
 * the export says the same as in the comparison before stays done.
 * @param final where the last export was admitted alone, with fingerprints of the same secret
 * @returns how many lines were open, of which this export says nothing any more
 * @throws {UsageError} where it does not look like the last export, and nobody says that it is
 */
export function recordComparison(
  connection: Connection,
  final: Connection,
  { by, isFinal, readings = new Map() }: ComparisonTerms,
  at: string,
): number {
  fill(connection, final)
  const previous = sqlValue(connection)<number | null>`select max(id) from comparison`.get() ?? null
  connection.exec(
    `${CORRECTED_SINCE}; ${PAIRS}; ${SAID_BEFORE.replaceAll(':previous', String(previous ?? 0))}; ${VERDICTS}`,
  )
  nameRenamed(connection)
  if (!isFinal) {
    assertLastExport(connection, final, readings)
    assertSameSystem(connection, readings)
    assertGone(connection, final)
  }
  const { lastInsertRowid } = sql(connection)`
    insert into comparison (compared_at, compared_by, compared_as, sources, readings, classes, ledger_mandates, final_mandates, last_source,
        last_decision)
     values (:at, :by, (select user from holder), :sources, :readings, :classes, (select count(*) from temp.side),
       (select count(distinct key) from temp.final), (select coalesce(max(id), 0) from source),
       (select coalesce(max(id), 0) from decision))`.run({
    at,
    by: maskAccounts(by),
    sources: JSON.stringify(
      sourcesOf(final).map((source) => {
        const { configuration = null } = readings.get(source.sha256) ?? {}
        return { ...source, ...(configuration !== null && { configuration }) }
      }),
    ),
    readings: JSON.stringify(readingsOf(final, readings)),
    classes: JSON.stringify(countClasses(connection)),
  })
  const ids = { id: Number(lastInsertRowid), previous }
  sql(connection)`
    insert into compared (comparison_id, row_id, class, why, is_held, final, decision_id)
     select :id, verdict.id, verdict.class, verdict.why, ${HELD}, verdict.final, (select max(decision_id) from compared as former
         where former.comparison_id is :previous and former.row_id = verdict.id
           and (former.class = verdict.class or former.class = 'in_doubt_changed' and verdict.class like '%_after_registration')
           and former.why = verdict.why and former.final is verdict.final)
       from temp.verdict where verdict.class in (${sqlList([...LISTED_CLASSES, ...HELD_CLASSES])})`.run(ids)
  sql(connection)`
    insert into ended_elsewhere select :id, key, spelling, min(customer_no), max(says = 'contradictory') from temp.final where key not in (select key from temp.pair)
      group by key having max(says = 'lives') = 0`.run(ids)
  // A mandate that had lapsed has no line, and new evidence may revive it: held where this export lacks it or calls it ended.
  sql(connection)`
    insert into ended_elsewhere select :id, mandate_key, null, null, 0 from temp.side join row using (id)
     where row.state = 'excluded' and rule = 'MANDATE_DORMANT' and mandate_key is not null
       and not exists (select 1 from temp.pair join temp.final using (key) where pair.id = side.id and says = 'lives')`.run(
    ids,
  )
  // Lines that the bank, the service or a lost ledger opened stay: no export answers them. So do those of erased customers.
  sql(connection)`
    insert into compared (comparison_id, row_id, class, why, is_held, final, met_by, decision_id)
     select :id, row_id, class, why, is_held, final, iif(met_by = row_id, met_by, null), decision_id from compared
      where comparison_id is :previous and (${IS_OF_OTHERS} and why <> '${SHOWN}' and coalesce(met_by, row_id) = row_id
          and not (decision_id is null and ${IS_SETTLED_SINCE})
          or decision_id is null and class in (${sqlList(LISTED_CLASSES)}) and row_id in (select id from temp.verdict where class = 'erased'))
        and row_id not in (select row_id from compared where comparison_id = :id)`.run(ids)
  const doTellEnds = sqlValue(final)<number>`select min(${SAYS_ENDS}) from source`.get() ?? 0
  keepContradicting(connection, { comparison: ids.id, doTellEnds, at })
  const settled = sqlValue(connection)<number>`
    select count(distinct row_id) from compared where comparison_id is :previous and decision_id is null
      and not ${IS_SETTLED_SINCE} and class in (${sqlList(LISTED_CLASSES)}) and row_id in (select id from temp.verdict where class = 'unchanged')
      and row_id not in (select row_id from compared where comparison_id = :id)`.get(ids)
  answerByComparison(connection, at)
  noteChange(connection, at)
  connection.exec(TABLES)
  return settled ?? 0
}

/** What tells later whether the files would be read otherwise by then. */
const readingsOf = (final: Connection, readings: Readings): ComparedReading[] =>
  sqlWithJson<{ name: string; sha256: string; reading: SourceReading }>(final, 'reading')`
    select name, sha256, reading from source order by id`
    .all()
    .map(({ name, sha256, reading }) => {
      const { sheet, encoding, delimiter, hidden, crosswalk, joined } = reading
      const layout = { sheet, encoding, delimiter, hidden, crosswalk, joined } as SourceReading
      return { name, sha256, reading: { ...layout, ...readings.get(sha256) } }
    })

const sourcesOf = (final: Connection): FinalSource[] =>
  sql(final)<FinalSource>`select name, sha256, records from source order by id`.all()

function countClasses(connection: Connection): ClassCounts {
  const found = sql(connection)<{ name: string; count: number }>`
    select class as name, count(*) as count from temp.verdict group by class
     union all select 'new', count(distinct key) from temp.final where key not in (select key from temp.pair)`.all()
  const countOf = (name: string): number => found.find((each) => each.name === name)?.count ?? 0
  return Object.fromEntries(CUT_OVER_CLASSES.map((name) => [name, countOf(name)])) as unknown as ClassCounts
}

const notTheLast = (why: string, next: string): UsageError =>
  new UsageError(`${why}. Nothing was recorded`, `${next} Or say that it is the last one (--yes-it-is-final)`)

const READ_WITH = `reading ->> '$.configuration'`
const IS_EXPORT = `coalesce(reading ->> '$.resultFile', 0) = 0 and reading -> '$.collections' is null`
/** SQL of the columns that should say so, and of which all cells are empty. */
const WHOLLY_EMPTY = `from json_each(reading -> '$.silent') where value ->> 'isWhole' and coalesce(value ->> 'field', 'status') = 'status'`
const SAYS_ENDS = `((columns -> '$.status' is not null) + coalesce(json_array_length(reading -> '$.exclude'), 0) > (select count(*) ${WHOLLY_EMPTY}))`

/** A file that is cut, older, or lacks the column by which mandates end would call ended mandates alive, or live ones gone. */
function assertLastExport(connection: Connection, final: Connection, readings: Readings): void {
  const odd = sql(final)<Readonly<Record<'why' | 'next', string>>>`
    select format('"%s" ends within its last row, so it may be cut', name) as why, 'Export once more, whole.' as next
      from row join source on source.id = source_id where rule = 'ROW_MAY_BE_CUT'
    union all select format('"%s" has another sheet of the same header, "%s", which was not read', name, value),
        format('If its mandates count, save each sheet as a workbook of its own in which it is called "%s", and compare them together.', reading ->> '$.sheet')
      from problem join source on source.id = source_id where rule = 'FILE_SHEET_LEFT_OUT'`.get()
  if (odd !== undefined) throw notTheLast(odd.why, odd.next)
  // Of another system nothing follows.
  const withStatus = sqlValue(connection)<string>`
    select name from source where ${SAYS_ENDS} and ${IS_EXPORT} and (${READ_WITH} is :path or not exists (select 1 from source where ${READ_WITH} is :path))`
  for (const { name, sha256, empty } of sql(final)<
    Readonly<Record<'name' | 'sha256', string> & { empty: string | null }>
  >`
    select name, sha256, (select '"' || (value ->> 'column') || '"' ${WHOLLY_EMPTY} limit 1) as empty from source where not ${SAYS_ENDS} and ${IS_EXPORT}`.all()) {
    const had = withStatus.get({ path: readings.get(sha256)?.configuration ?? null })
    if (had !== undefined)
      throw notTheLast(
        `"${name}" has no column that says which mandates have ended, as "${had}" had${empty === null ? '' : `: its column ${empty} is empty in every row`}`,
        'Export with that column.',
      )
  }
  const compared = sourcesOf(final)
  const files = JSON.stringify(compared.map(({ sha256 }) => sha256))
  const newerThan = sqlValue(connection)<string | null>`
    select coalesce((select value ->> 'name' from comparison, json_each(sources) where comparison.id = (select max(id) from comparison)
        and known.id <= last_source and not exists (select 1 from json_each(sources) where value ->> 'sha256' = known.sha256)),
      (select name from (select origin.name, origin.sha256 from source join source as origin on origin.id = source.origin
          where source.is_newer and origin.kind = 'export' order by source.id desc limit 1)
        where sha256 not in (select value from json_each(:files))))
     from source as known where sha256 = :sha256 order by id`
  const isOld = sqlValue(connection)<string>`
    select min(known_at) from (select admitted_at as known_at from source where sha256 = :sha256
      union all select compared_at from comparison, json_each(sources) where value ->> 'sha256' = :sha256)
     having ${isLongBefore('min(known_at)', `(select max(started_at) from attempt)`)}`
  for (const { name, sha256 } of compared) {
    const newer = newerThan.get({ sha256, files }) ?? null
    if (newer !== null)
      throw notTheLast(`"${name}" came into the ledger, and "${newer}" is newer`, 'Compare the last export.')
    const knownAt = isOld.get({ sha256 })
    if (knownAt !== undefined)
      throw notTheLast(
        `"${name}" is as it was at ${timeText(knownAt)}, and mandates were sent more than three days later: it cannot say which of them had ended by then`,
        'Export once more, and compare that.',
      )
  }
}

/** From so many mandates on it is no chance that a part of them is gone. */
const FEW = 5

/**
 * Mandates that are closed or were never to be migrated may well be gone. Those of another system have a configuration of
 * their own, as a rule; a file that was forgotten lacks those of one export, and one that is read otherwise changes most.
 */
function assertSameSystem(connection: Connection, readings: Readings): void {
  const [other] = sql(connection)<
    Readonly<
      Record<'all' | 'over' | 'gone' | 'changed', number> & Record<'configuration' | 'name', string | null>
    >
  >`
    with seen as (select reading ->> '$.configuration' as configuration, (select origin from source where id = counted_in) as origin,
        ifnull(${OVER}, 0) as is_over, ifnull(why = 'gone', 0) as is_gone, ifnull(class in ('changed_before_sending', 'changed_after_registration', 'in_doubt_changed'), 0) as is_changed
      from temp.side join row using (id) join source on source.id = row.source_id left join temp.verdict on verdict.id = side.id
       where side.kind not in ('closed', 'left', 'excluded')),
    counted as (
      select configuration, null as name, count(*) as "all", sum(is_over) as over, sum(is_gone) as gone, sum(is_changed) as changed
        from seen group by configuration
      union all select configuration, (select name from source where id = seen.origin), count(*), sum(is_gone), sum(is_gone), 0
        from seen group by origin having count(*) >= ${FEW} and sum(is_gone) * 2 > count(*))
    select * from counted where over * 2 > "all" or gone >= ${FEW} and gone * 10 > "all" or changed >= ${FEW} and changed * 2 > "all"`.all()
  if (other === undefined) return
  const { configuration, name, all, over, gone, changed } = other
  const setting = configuration === null ? 'of the ledger' : `that came in with "${basename(configuration)}"`
  const isOver = over * 2 > all || gone * 10 > all
  const lacking = `Of ${countText(all)} mandates ${name === null ? setting : `of "${name}"`} ${
    isOver
      ? `${countText(over)} are not in this export or have ended in it`
      : `${countText(changed)} say something else in this export, or cannot be read there`
  }`
  const used = [...readings.values()].map((reading) => reading.configuration)
  if (isOver && configuration !== null && !used.includes(configuration))
    throw new UsageError(
      `${lacking}: they are of another system. Nothing was recorded`,
      'Compare the last exports of all systems in one command: each is read as the exports with its columns were (sepa-migrate compare A B)',
    )
  throw notTheLast(
    `${lacking}: it does not look like the whole last one of the same system, read in the same way`,
    'Compare the whole last export, all files of it together, with a configuration that reads it as the campaign was read.',
  )
}

/** What is not collected in a month, or stands in a line that nobody can read, has not ended. */
function assertGone(connection: Connection, final: Connection): void {
  const gone = sqlValue(connection)<number>`select count(*) from temp.verdict where why = 'gone'`.get() ?? 0
  if (gone === 0) return
  const lacking = `${plural(gone, 'mandate', 'mandates')} of the ledger ${gone === 1 ? 'is' : 'are'} not in the export`
  const collections = sqlValue(
    final,
  )<string>`select name from source where reading -> '$.collections' is not null`.get()
  if (collections !== undefined)
    throw notTheLast(
      `"${collections}" holds collections, and ${lacking}: what was not collected in that time has not ended`,
      'Compare an export of the mandates, or together all collection files of the time in which each mandate is collected.',
    )
  const [unread] = sql(connection)<Readonly<Record<'count' | 'id', number>>>`
    select count(*) as count, min(id) as id from temp.final
      where says = 'unclear' and spelling is null and key not in (select key from temp.pair) having count(*) > 0`.all()
  if (unread === undefined) return
  const first = sqlValue(final)<string>`
    select format('line %d of "%s": %s', line, name, rule) from row join source on source.id = source_id where row.id = ?`.get(
    unread.id,
  )
  throw notTheLast(
    `${plural(unread.count, 'record', 'records')} of the export cannot be told from others (first ${first ?? ''}), and ${lacking}: they may be the same`,
    'Correct those lines in the export, and compare it again.',
  )
}
