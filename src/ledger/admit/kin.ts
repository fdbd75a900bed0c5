import { contradict } from '../compare/contradicting.js'
import {
  areContracts,
  creditorOfKey,
  kinshipOf,
  spellingOf,
  type CreditorTies,
  type Sighting,
} from '../../domain/row/across-rows.js'
import type { RowState } from '../../domain/row/row-state.js'
import { findingOf, ruleOf, severityOf, type RuleId } from '../../domain/rule/verdict.js'
import { countText, plural } from '../../domain/text/text.js'
import { HAS_ITS_KEY, hasLeft, IS_LATEST, IS_LINKED, mayHaveEnded } from '../deliver/gate.js'
import { AS_READ_BEFORE, IS_BY_SIGNATURE } from './again.js'
import { emptyTables, rowsOf, sql, sqlValue, type Connection } from '../file/connection.js'
import { spellingNumber } from './stored-row.js'
import {
  give,
  holdWith,
  isErased,
  latestOf,
  nameBeside,
  noticeOf,
  writeNotice,
  writeProblem,
  type ProblemText,
  type Scope,
} from './problems.js'
import { sqlList } from '../schema/schema.js'

/**
 * Links mandates that may be one mandate written in two ways. Once all files of a command are in, `gather` finds candidates by
 * set operations in SQL, and `kinshipOf` judges each pair. A newcomer is linked to the oldest mandate of its group alone, so
 * that a customer with many mandates costs no more than others. `holdKin` then holds what could be sent on either side.
 */

const RULE = 'MANDATE_RESEMBLES_SENT'
const CONTRACT = 'SECOND_CONTRACT'
const ENDED = 'MANDATE_ENDED_ELSEWHERE'
const UNORDERED = 'EXPORT_ORDER_UNKNOWN'
const IS_SENT: readonly RowState[] = ['sending', 'registered', 'in_doubt']
/** Of so many candidates the oldest one that is kin is linked. */
const MOST_CANDIDATES = 50

const COUNTS = `row.mandate_key is not null and row.${HAS_ITS_KEY}`
/** SQL over `row`: a newcomer that could be sent, or says that its mandate has ended. Invalid ones are looked at when corrected. */
const IS_TOLD = `row.id >= :first and (row.state in ('ready', 'conflict', 'excluded') or ${mayHaveEnded('row')})`

/** Fills `temp.candidate` with the newcomers that share what kin share with an older record; the other tables serve that. */
function gather(connection: Connection, first: number, ties: CreditorTies): void {
  emptyTables(connection, {
    spelled:
      'id integer primary key, spelling integer not null, mandate_key text not null, customer_no integer, iban_key blob',
    likely:
      'id integer primary key, customer_no integer, iban_key blob, signed_date text, mandate_key text, file text not null',
    seen_in: 'grp integer not null, mandate_key text not null, files text not null, oldest integer not null',
    elder: 'grp integer, files text, oldest integer, primary key (grp, files, oldest)',
    misread: 'id integer primary key, customer_no integer, iban_key blob, signed_date text',
    candidate: 'id integer primary key',
    contract: 'id integer primary key, other integer not null',
  })
  connection.exec(`create index if not exists temp.spelled_customer on spelled (spelling, customer_no);
    create index if not exists temp.spelled_account on spelled (spelling, iban_key);
    create index if not exists temp.likely_group on likely (customer_no, iban_key, signed_date, mandate_key);
    create index if not exists temp.seen_in_oldest on seen_in (oldest);
    create index if not exists temp.misread_customer on misread (customer_no, signed_date);
    create index if not exists temp.misread_account on misread (iban_key, signed_date)`)
  gatherSpelled(connection, first, ties)
  gatherLikely(connection, first)
  connection.exec(`insert into temp.misread ${MISREAD}`)
  sql(connection)`
    insert or ignore into temp.candidate select row.id from row cross join temp.misread as sent on ${IS_LIKE_SENT}
     where ${IS_TOLD}`.run({ first })
  sql(connection)`
    insert or ignore into temp.candidate select row.id from decision join row as older on older.id = decision.row_id
      join row on row.customer_no = older.customer_no and row.signed_date = older.signed_date and row.mandate_key <> older.mandate_key
     where decision = 'erased' and ${IS_TOLD}`.run({ first })
}

/**
 * SQL: rows that were probably sent with wrong values, since their export is read otherwise by now, or the last export lacks
 * their mandate. The right values may come in under another mandate key, as if they were another mandate.
 */
const MISREAD = `select id, customer_no, iban_key, signed_date from row where id in (select id from (${AS_READ_BEFORE})
  union all select row_id from compared where ${IS_LATEST} and decision_id is null and why = 'gone'
    and class in ('ended_after_registration', 'in_doubt_changed'))`

/** `sent` and `row` share two of customer, account and date of signature. */
const IS_LIKE_SENT = `sent.id <> row.id and (sent.customer_no = row.customer_no and sent.signed_date = row.signed_date
  or sent.iban_key = row.iban_key and (sent.signed_date = row.signed_date or sent.customer_no = row.customer_no))`

/** Rows whose spelling is that of another mandate too. Where collections tie creditors to each other, spellings are computed anew. */
function gatherSpelled(connection: Connection, first: number, ties: CreditorTies): void {
  const columns = 'id, spelling, mandate_key, customer_no, iban_key'
  if (ties.size === 0)
    sql(connection)`
      insert into temp.spelled select ${columns} from row where ${COUNTS} and spelling in (
        select spelling from (select spelling, count(*) as n, max(id) as last from row where spelling is not null
            group by spelling having count(*) > 1 and max(id) >= :first)
         where n > (select count(*) from row where mandate_key = (
           select mandate_key from row where id = last)))`.run({ first })
  else {
    connection.function('spelled_with_ties', (key) => numberOf(spellingOf(String(key), ties)))
    sql(connection)`
      insert into temp.spelled select id, spelled_with_ties(mandate_key), mandate_key, customer_no, iban_key
        from row where ${COUNTS} and spelling is not null`.run()
  }
  for (const shared of ['customer_no', 'iban_key'])
    sql(connection)`
      insert or ignore into temp.candidate select row.id from
        (select spelling, ${shared} from temp.spelled where ${shared} is not null group by 1, 2 having min(mandate_key) <> max(mandate_key)) as met
         cross join temp.spelled using (spelling, ${shared}) join row on row.id = spelled.id where ${IS_TOLD}`.run(
      { first },
    )
}

const numberOf = (spelling: string | null): number | null =>
  spelling === null ? null : spellingNumber(spelling)

/** The export that a record came from; of a correction its list, and the export from which its row came. */
const FILE = `case when source.kind <> 'list' then '' || source.origin
    else row.source_id || 'of' || coalesce((select origin.source_id from row as origin where origin.id = (
      with recursive former (id) as (select row.id
        union select before.corrects from row as before join former on before.id = former.id where before.corrects > 0)
      select min(id) from former)), '') end`

/**
 * Rows of one customer, account and date under several keys. Mandates that stand side by side in one export were compared by
 * people; so what counts of a mandate is in which exports it stands, and of those there are few. One file alone has none.
 */
function gatherLikely(connection: Connection, first: number): void {
  sql(connection)`
    insert into temp.likely select row.id, row.customer_no, row.iban_key, row.signed_date, row.mandate_key, ${FILE}
      from (select customer_no from row where (select count(distinct origin) from source) > 1 group by customer_no having min(source_id) <> max(source_id) and max(id) >= :first) as shared
       cross join row on row.customer_no = shared.customer_no join source on source.id = row.source_id
      where row.iban_key is not null and row.signed_date is not null and row.state <> 'invalid' and ${COUNTS}`.run(
    { first },
  )
  sql(connection)`
    insert into temp.seen_in
      select min(id) over (partition by customer_no, iban_key, signed_date), mandate_key, files, id from (
        select customer_no, iban_key, signed_date, mandate_key, min(id) as id,
           group_concat(distinct file) as files from temp.likely
         where (customer_no, iban_key, signed_date) in (select customer_no, iban_key, signed_date from temp.likely
           group by 1, 2, 3 having min(mandate_key) <> max(mandate_key))
         group by customer_no, iban_key, signed_date, mandate_key)`.run()
  connection.function('are_apart', { deterministic: true }, (one, other) => {
    const files = new Set(String(one).split(','))
    return String(other)
      .split(',')
      .some((file) => files.has(file))
      ? 0
      : 1
  })
  sql(connection)`
    insert into temp.elder select grp, files, oldest from (
      select *, row_number() over (partition by grp, files order by oldest) as n from temp.seen_in
        where grp in (select grp from temp.seen_in group by grp having min(files) <> max(files)))
     where n <= ${MOST_CANDIDATES}`.run()
  sql(connection)`
    insert or ignore into temp.candidate
      with met as materialized (select grp, mandate_key from temp.seen_in as mine
        where exists (select 1 from temp.elder where elder.grp = mine.grp and are_apart(elder.files, mine.files)))
      select row.id from met cross join temp.likely as first_one on first_one.id = met.grp
        cross join temp.likely on likely.customer_no = first_one.customer_no and likely.iban_key = first_one.iban_key
          and likely.signed_date = first_one.signed_date and likely.mandate_key = met.mandate_key
        cross join row on row.id = likely.id
       where ${IS_TOLD}`.run({ first })
}

type Candidate = Omit<Sighting, 'isErased'> &
  Readonly<{ id: number; state: RowState; files: string } & Record<'isErased' | 'wasMisread', 0 | 1>>

const RECORD = `select row.id, row.state, row.mandate_key as mandateKey, row.customer_no as customerNo, row.signed_date as signedDate,
    iif(${isErased('row')}, null, hex(row.iban_key)) as account, ${isErased('row')} as isErased, ${FILE} as files,
    row.id in (select id from temp.misread) as wasMisread
  from row join source on source.id = row.source_id`

/** SQL: the older records that share with `:id` what kin share, the oldest first; `isSpelling` where it is the spelling. */
const BEFORE = `select id, 1 as isSpelling from (
    select other.id from temp.spelled as mine cross join temp.spelled as other on other.spelling = mine.spelling
       and other.mandate_key <> mine.mandate_key and (other.customer_no = mine.customer_no or other.iban_key = mine.iban_key)
      where mine.id = :id order by 1 limit ${MOST_CANDIDATES})
  union all select id, 0 from (
    select elder.oldest as id from temp.likely as mine cross join temp.seen_in as own on own.oldest = (
         select min(id) from temp.likely as same where same.customer_no = mine.customer_no and same.iban_key = mine.iban_key
           and same.signed_date = mine.signed_date and same.mandate_key = mine.mandate_key)
       cross join temp.elder on elder.grp = own.grp and are_apart(elder.files, own.files)
      where mine.id = :id
    union select older.id from row join row as older on older.customer_no = row.customer_no and older.signed_date = row.signed_date
       and older.mandate_key <> row.mandate_key join decision on decision.row_id = older.id and decision = 'erased' where row.id = :id
    union select sent.id from row cross join temp.misread as sent on ${IS_LIKE_SENT} where row.id = :id
    order by 1 limit ${MOST_CANDIDATES}) order by 1`

/**
 * The record that counts now for a mandate. `hasEnded`: it may have ended; `hasLeft`: a request of the mandate left, or may have;
 * `isAmended`: a collection says that it and the newcomer are one mandate.
 */
type Standing = Readonly<
  { id: number; state: RowState; mandateKey: string | null } & Record<
    'hasEnded' | 'hasLeft' | 'isAmended',
    0 | 1
  >
>

const STANDING = `select id, state, mandate_key as mandateKey, ${mayHaveEnded('row')} as hasEnded, ${hasLeft('row.mandate_key')} as hasLeft,
    exists (select 1 from amended where former = :newcomer and successor = row.mandate_key
      or former = row.mandate_key and successor = :newcomer) as isAmended from row`

/** What cannot be read is looked at once it was corrected; what repeats nothing that counts, or gave way to an amendment, is gone. */
const SAYS_NOTHING: readonly RowState[] = ['invalid', 'duplicate', 'superseded']
const SAYS_ENDS: readonly RowState[] = ['excluded', 'invalid']

/**
 * The mandates to which a newcomer is linked: the oldest one of its spelling, and the oldest one of its customer, account and
 * date. A refused mandate holds nothing, so the next older one is linked as well. A mandate that was written off unsent is no
 * kin of one with another reference.
 */
function kinOf(connection: Connection, newcomer: Candidate, ties: CreditorTies, areLetGo: boolean) {
  const found = []
  const linked = new Set<number>()
  const read = sql(connection)<Candidate>`${RECORD} where row.id = ?`
  const named = { newcomer: newcomer.mandateKey }
  const standing = (id: number) => sql(connection)<Standing>`${STANDING} where id = :id`.get({ ...named, id })
  const counting = (key: string | null) =>
    sql(connection)<Standing>`
      ${STANDING} where mandate_key = :key and state not in ('duplicate', 'superseded')
        order by state = 'written_off', id desc`.get({ ...named, key })
  const before = sql(connection)<{ id: number; isSpelling: 0 | 1 }>`${BEFORE}`
  const isKin = (older: Candidate): boolean =>
    kinshipOf(sightingOf(newcomer), sightingOf(older), {
      areSideBySide: older.files === newcomer.files,
      wasMisread: older.wasMisread === 1,
      ties,
    }) === 'kin'
  const isContractOf = (other = newcomer): boolean => areContracts(sightingOf(newcomer), sightingOf(other))
  for (const { id, isSpelling } of before.all({ id: newcomer.id })) {
    if (linked.has(isSpelling)) continue
    const [older, last] = [read.get(id), standing(latestOf(connection, id))]
    if (older === undefined || last === undefined) continue
    // A correction may have taken the record away from its mandate, of which others are left.
    const left = counting(older.mandateKey)
    const isLeft = left !== undefined && left.id !== id && isKin(read.get(left.id) ?? newcomer)
    const now = isLeft ? left : ((last.state === 'duplicate' ? counting(last.mandateKey) : undefined) ?? last)
    if (now.mandateKey === newcomer.mandateKey) continue
    if (SAYS_NOTHING.includes(now.state) && now.hasEnded === 0) continue
    if (SAYS_ENDS.includes(now.state) && SAYS_ENDS.includes(newcomer.state)) continue
    // One mandate for certain: of its forms the last one counts.
    if (now.isAmended === 1 || !isKin(older)) continue
    if (now.state === 'written_off' && isSpelling === 0 && now.hasLeft === 0) continue
    const isContract = older.wasMisread === 0 && [older, read.get(now.id)].every(isContractOf)
    found.push({ ...now, isContract })
    // Behind one that is let go another may be the same.
    if (now.state !== 'refused' && !(isContract && areLetGo)) linked.add(isSpelling)
  }
  return found
}

const sightingOf = ({ isErased: erased, ...known }: Candidate): Sighting => ({
  ...known,
  isErased: erased === 1,
})

/** For each creditor identifier that collections name as former or successor of another one: the one that stands for all of them. */
function tiesOf(connection: Connection): CreditorTies {
  const pairs = sql(connection)<Record<'former' | 'successor', string>>`
    select former, successor from amended`.all()
  const ties = new Map<string, string>()
  const rootOf = (creditor: string): string => {
    const next = ties.get(creditor)
    return next === undefined || next === creditor ? creditor : rootOf(next)
  }
  for (const { former, successor } of pairs) {
    const [one, other] = [rootOf(creditorOfKey(former)), rootOf(creditorOfKey(successor))].sort()
    if (one !== undefined && other !== undefined && one !== other) ties.set(other, one)
  }
  return new Map([...ties.keys()].map((creditor) => [creditor, rootOf(creditor)]))
}

/** Links the newcomers to their kin, and holds what could be sent on either side until a person has separated them. */
export function decideKin(scope: Scope, at: string): void {
  const { connection, first, severities } = scope
  const ofContract = severityOf(CONTRACT, severities)
  const ties = tiesOf(connection)
  gather(connection, first, ties)
  const page = sql(connection)<Candidate>`
    ${RECORD} where row.id in (select id from temp.candidate) and row.id > :after order by row.id limit :limit`
  const link = sql(connection)`insert or ignore into kin values (?, ?, ?)`
  const part = sql(connection)`${PART}`
  const contract = sql(connection)`insert or ignore into temp.contract values (?, ?)`
  const isAnySaid = sql(connection)`select 1 from kin where separated is not null`.get() !== undefined
  for (const newcomer of rowsOf(page)) {
    for (const kin of kinOf(connection, newcomer, ties, ofContract !== 'error')) {
      const rule = kin.isContract && ofContract !== 'error' ? CONTRACT : RULE
      const severity = severityOf(rule, severities)
      const separated = severity === 'error' ? separatedBy(connection, newcomer, kin.id, isAnySaid) : 'rules'
      link.run(newcomer.id, kin.id, separated)
      if (separated === 'rules') part.run({ own: newcomer.mandateKey, their: kin.mandateKey })
      if (severity === 'warning')
        writeNotice(connection, besideKin(rule, kin.id, { severity }), 'row.id = :id', { id: newcomer.id })
      if (separated === null) contradictKin(scope, newcomer, kin, at)
      if (separated === null && kin.isContract) contract.run(newcomer.id, kin.id)
      if (kin.state === 'refused' && severity === 'error') holdUnordered(connection, newcomer, kin)
    }
  }
  sql(connection)`${SEPARATE}`.run({ first })
  holdKin(connection, at)
  tellContracts(connection)
}

/** An export of which a large part waits beside what may be other contracts: a setting answers that for all of them at once. */
function tellContracts(connection: Connection): void {
  const found = sql(connection)<Record<'one' | 'other', string> & Record<'id' | 'count' | 'records', number>>`
    select source.id, count(*) as count, records, mask_accounts(original_mandate_reference) as one, ${nameBeside('contract.other', 'source.id')} as other
      from temp.contract join row on row.id = contract.id join source on source.id = source_id
     where state = 'conflict' and row.rule = '${RULE}' and kind <> 'list' and records >= 20
     group by source.id having count(*) * 10 > records`
  for (const { id, count, records, one, other } of found.all()) {
    const detail = `${countText(count)} of ${plural(records, 'row', 'rows')} wait for that, as "${one}" beside ${other}.`
    for (const finding of findingOf(CONTRACT, { [CONTRACT]: 'warning' }, { detail }))
      writeProblem(connection, id, null, finding)
  }
}

/** As beside the same mandate: what says otherwise of a refused one waits until somebody says which export is the newer. */
function holdUnordered(connection: Connection, { id }: Candidate, refused: Standing): void {
  const where = `row.id = :id and row.state = 'ready' and exists (select 1 from source, row as older
    where source.id = row.source_id and source.kind <> 'list' and not source.is_newer and older.id = :older
      and (row.customer_no, row.iban_key, row.signed_date) is not (older.customer_no, older.iban_key, older.signed_date))`
  give(connection, 'conflict', besideKin(UNORDERED, refused.id), where, { id, older: refused.id })
}

/** What has ended, or stays behind, under another name of a mandate that was sent, is a line of the cut-over of that mandate. */
function contradictKin({ connection }: Scope, { id, state }: Candidate, kin: Standing, at: string): void {
  if (!SAYS_ENDS.includes(state) || !IS_SENT.includes(kin.state)) return
  const where = `row.id = :id and row.state in ('excluded', 'invalid')`
  contradict(connection, { where, values: { id }, sent: kin.id, at })
}

/** "send" on a line of a row that was held for its kin. */
const IS_SAID = `is_decided = 1 and exists (select 1 from row as named where named.id = row.corrects
  and named.rule in ('${RULE}', '${ENDED}'))`

/** The word of a person on this row, or what was said of both mandates before. */
function separatedBy(
  connection: Connection,
  newcomer: Candidate,
  other: number,
  isAnySaid: boolean,
): 'send' | null {
  const isSaid = sql(connection)`
    select 1 from temp.given_back join row using (id) where given_back.id = ? and ${IS_SAID}`.get(newcomer.id)
  if (isSaid !== undefined || !isAnySaid) return isSaid === undefined ? null : 'send'
  const isKnown = sql(connection)`
    select 1 from row as theirs join row as same on same.mandate_key = theirs.mandate_key
      join kin on kin.other_id = same.id or kin.row_id = same.id
      join row as mine on mine.id in (kin.row_id, kin.other_id) and mine.mandate_key = ?
     where theirs.id = ? and separated is not null`.get(newcomer.mandateKey, other)
  return isKnown !== undefined ? 'send' : null
}

/** The word is about the mandate: it is none of those that it was linked to until now, from either side. */
const SEPARATE = `
  with mine (id) as materialized (select mine.id from temp.given_back join row using (id)
      join row as mine on mine.mandate_key = row.mandate_key where row.id >= :first and ${IS_SAID})
  update kin set separated = 'send' where separated is null and (row_id, other_id) in (
    select row_id, other_id from mine cross join kin on row_id = mine.id
    union all select row_id, other_id from mine cross join kin on other_id = mine.id)`

/** What a rule lets go was linked before, as it was read then. */
const PART = `
  with mine (id) as (select id from row where mandate_key = :own), theirs (id) as (select id from row where mandate_key = :their)
  update kin set separated = 'rules' where separated is null
    and (row_id in mine and other_id in theirs or row_id in theirs and other_id in mine)`

const besideKin = (rule: RuleId, other: number, more: Partial<ProblemText> = {}): ProblemText =>
  noticeOf(rule, { message: `${ruleOf(rule).message} Compare it with {row}.`, other, ...more })

/**
 * What is ready of either mandate of a link that nobody has separated, and what stands on the other side of it. `cross`: from
 * the links on, where SQLite would go through all of them for each row that is ready.
 */
const HELD = `select row.id, min(theirs.id) as other, max(theirs.state = 'excluded' or theirs.state = 'invalid' and ${mayHaveEnded('theirs')}) as isEnded
    from (select row_id as own, other_id as their from kin where separated is null
      union all select other_id, row_id from kin where separated is null)
    cross join row as mine on mine.id = own cross join row on row.mandate_key = mine.mandate_key
    cross join row as theirs on theirs.id = their
   where row.state = 'ready' and ${IS_LINKED} group by row.id`

/** Records of this command are held by the state that they come in with, those of former ones by a decision on record. */
function holdKin(connection: Connection, at: string): void {
  const isComing = sqlValue(connection)<number>`
    select admitted_at is null and attempts = 0 from row join source on source.id = row.source_id where row.id = ?`
  const differs = sqlValue(connection)<string>`
    select iif(one.customer_no <> two.customer_no, 'customer ', '') || iif(one.iban_key <> two.iban_key, 'account ', '')
        || iif(one.signed_date <> two.signed_date, 'date', '') from row as one, row as two where one.id = :id and two.id = :other`
  for (const { id, other, isEnded } of sql(connection)<{
    id: number
    other: number
    isEnded: 0 | 1
  }>`${HELD}`.all()) {
    const rule = isEnded === 1 ? ENDED : RULE
    const differing = differs.get({ id, other }) ?? ''
    const more = differing === '' ? '' : ` They differ in ${differing.trim().replaceAll(' ', ', ')}.`
    const notice = besideKin(rule, other, {
      message: `${ruleOf(rule).message} Compare it with {row}.${more}`,
    })
    if (isComing.get(id) === 1) give(connection, 'conflict', notice, 'row.id = :id', { id })
    else holdWith(connection, notice, id, at)
  }
}

const NEWCOMER = `id >= :first and state = 'ready'`
/** Rows whose mandate is, or will be, at the service. */
const SENT_OR_TO_SEND = `state in (${sqlList(['ready', 'sending', 'registered', 'in_doubt'])})`

/** Reports every row that a rule finds; as an error, the rule makes them invalid. */
export function decideCrossChecks({ connection, severities, first }: Scope): void {
  for (const { rule, field, select } of CROSS_CHECKS) {
    const severity = severityOf(rule, severities)
    if (severity === 'off') continue
    emptyTables(connection, { found: 'id integer primary key' })
    sql(connection)`insert into temp.found (id) ${select}`.run({ first })
    const where = 'id in (select id from temp.found)'
    if (severity === 'error') give(connection, 'invalid', noticeOf(rule, { field }), where)
    else writeNotice(connection, noticeOf(rule, { severity, field }), where)
  }
}

/** `select` is SQL that gives the newcomers which break the rule, as `id`. */
const CROSS_CHECKS = [
  {
    // Rows that will be sent never share a key here, so two of them are two mandates.
    rule: 'CUSTOMER_MULTIPLE_MANDATES',
    field: 'customer_no',
    select: `
      with repeated as materialized (
        select customer_no from row where customer_no is not null
          group by customer_no having count(*) > 1 and max(id) >= :first),
      crowded as materialized (
        select repeated.customer_no from repeated cross join row on row.customer_no = repeated.customer_no
          where ${SENT_OR_TO_SEND} group by repeated.customer_no having count(*) > 1)
      select id from row where ${NEWCOMER} and customer_no in (select customer_no from crowded)`,
  },
  {
    // One of the two spellings has a blank, and neither customer nor account says that they are one.
    rule: 'MANDATE_NEAR_DUPLICATE',
    field: 'unique_mandate_reference',
    select: `
      with shared (spelling) as materialized (
        select spelling from row where spelling is not null group by spelling having count(*) > 1 and max(id) >= :first),
      member (squeezed, id, mandate_key) as materialized (
        select replace(mandate_key, ' ', ''), id, mandate_key from row
          where spelling in (select spelling from shared) and instr(mandate_key, ' ') > 0 and state not in ('superseded', 'duplicate')
        union all
        select mandate_key, id, mandate_key from row
          where spelling in (select spelling from row where instr(mandate_key, ' ') > 0 and spelling in (select spelling from shared))
            and instr(mandate_key, ' ') = 0 and state not in ('superseded', 'duplicate')),
      twin (squeezed) as materialized (
        select squeezed from member group by squeezed having min(mandate_key) <> max(mandate_key))
      select id from row where ${NEWCOMER} and id in
        (select member.id from member where member.squeezed in (select squeezed from twin))`,
  },
  {
    // Over fingerprints: it still sees an account whose row is registered.
    rule: 'IBAN_SHARED',
    field: 'iban',
    select: `
      with shared as (
        select iban_key from row where iban_key is not null and ${SENT_OR_TO_SEND}
          group by iban_key having min(customer_no) <> max(customer_no))
      select id from row where ${NEWCOMER} and iban_key in (select iban_key from shared)`,
  },
] as const

/** Ready rows of earlier commands whose mandate lapsed while they waited: a check of this day would keep them back. */
export function holdLapsed({
  connection,
  severities,
  asOf,
  before,
  at,
}: Pick<Scope, 'connection' | 'severities'> & { asOf: string; before: number; at: string }): void {
  const rule = 'MANDATE_DORMANT'
  if (severityOf(rule, severities) !== 'error') return
  const page = sql(connection)<{ id: number }>`
    select id from row where state = 'ready' and latest_first_debit < :asOf and not ${IS_BY_SIGNATURE} and id > :after and id < :before
      order by id limit :limit`
  for (const { id } of rowsOf(page, { asOf, before })) holdWith(connection, noticeOf(rule), id, at)
}
