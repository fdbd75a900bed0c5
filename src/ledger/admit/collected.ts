import { createHash } from 'node:crypto'
import type { Amendment, CollectedMandate, Field, LocalDate } from '../../domain/mandate/mandate.js'
import { type Finding, findingOf, RULES, type SeverityOverrides } from '../../domain/rule/verdict.js'
import { maskAccounts, maskIban } from '../../domain/text/accounts.js'
import { plural } from '../../domain/text/text.js'
import { removePrivate } from '../deliver/delivery.js'
import { IS_LATEST } from '../deliver/gate.js'
import { emptyTables, rowsOf, sql, sqlValue, type Connection } from '../file/connection.js'
import { COLLECTED_ACCOUNT } from '../schema/schema.js'
import type { Fingerprints } from './stored-row.js'
import {
  give,
  holdRow,
  holdWith,
  IS_OF_EXPORT,
  isErased,
  isLast,
  noticeOf,
  replaceRows,
  writeProblem,
  type Scope,
} from './problems.js'

/** What the bank last saw of each mandate, from collection files (domain/rulebook.md#bank-evidence). */

/** Collection files came in. */
export const hasAny = (connection: Connection): boolean =>
  sqlValue(connection)<number>`select 1 from collected limit 1`.get() !== undefined

/**
 * Records an amendment, by which a mandate has a second key, for the files that come later. Where one key has two successors, the
 * earlier of them became the later one.
 */
export function amendIn(connection: Connection) {
  const keep = sql(connection)`
    insert into amended (former, successor, day)
      with other as (select successor as key, day as since from amended where former = :former and successor <> :successor)
      select :former, :successor, :day where true
      union all select key, :successor, :day from other where since <= :day
      union all select :successor, key, since from other where since >= :day
      on conflict do update set day = max(day, excluded.day)`
  return (amendment: Amendment): void => void keep.run({ ...amendment })
}

/** SQL over `collected`: an amendment gave the mandate another key on that day or later, so that this one is a former key. */
const isAmended = (collected: string): string =>
  `exists (select 1 from amended where former = ${collected}.mandate_key and amended.day >= ${collected}.day)`

/** SQL over `row` and `collected`, its collection: the ways in which they differ. What a collection does not say differs from nothing. */
const HAS_OWN_DATE = `instr(collected.signed_date, row.signed_date) > 0`
/** A date of signature that is not the row's; what most collections of a file name is no mandate's own. */
const HAS_OTHER_DATE = `(collected.signed_date <> row.signed_date and exists (
  select 1 from json_each('["' || replace(collected.signed_date, ' ', '","') || '"]') where value not in ('', row.signed_date)
    and value not in (select usual_date from collection where usual_date is not null)))`
/** The key of a collection that names no creditor under the reference of a row (source/pain008.ts). */
const NAMELESS = `'?||' || upper(row.original_mandate_reference)`
/** The day on which a collection ended the mandate, also one without a creditor, or under a former key. */
const ENDED_ON = `coalesce(collected.ended_on,
  (select ended_on from collected as same where same.mandate_key = ${NAMELESS}),
  (select max(ended_on) from amended join collected as same on same.mandate_key = former where successor = collected.mandate_key))`
const DIFFERS = {
  reference_differs: `collected.mandate_key is not row.mandate_key and collected.reference <> ''
    and upper(collected.reference) is not upper(row.original_mandate_reference)`,
  creditor_differs: `collected.mandate_key is not row.mandate_key and collected.creditor <> ''
    and substr(collected.creditor, 1, 2) || substr(collected.creditor, 8)
      is not substr(row.original_creditor_identifier, 1, 2) || substr(row.original_creditor_identifier, 8)`,
  date_differs: `${HAS_OTHER_DATE} and not ${HAS_OWN_DATE}`,
  account_differs: `row.iban_key is not null and collected.account is not row.iban_key
    and collected.account is not x'' and not ${isErased('row')}`,
  ended: `${ENDED_ON} is not null`,
  never_collected: 'collected.id is null and row.mandate_key is not null',
} as const
type Kind = keyof typeof DIFFERS
const KINDS = Object.keys(DIFFERS) as Kind[]
/** `lacks`: its collections contradict each other about the date of signature, and one of them has that of the row. */
type Told = Kind | 'lacks'
const TOLD: readonly Told[] = [...KINDS, 'lacks']
const ruleOf = (kind: Told) => `EVIDENCE_${kind.toUpperCase()}` as `EVIDENCE_${Uppercase<Told>}`
/** The others are told at the reference. */
const FIELDS: Readonly<Partial<Record<Told, Field>>> = {
  creditor_differs: 'sepa_creditor_identifier',
  date_differs: 'signed_date',
  lacks: 'signed_date',
  account_differs: 'iban',
}

const AGREES = `collected.mandate_key = row.mandate_key and collected.account = row.iban_key
  and ${HAS_OWN_DATE} and not ${HAS_OTHER_DATE} and ${ENDED_ON} is null`

/** SQL: a column for each kind of difference, 1 where it is so. */
const EACH_KIND = [
  `coalesce(${AGREES}, 0) as agrees`,
  ...KINDS.map(
    (kind) =>
      `(${kind === 'never_collected' ? '' : 'collected.id is not null and '}${DIFFERS[kind]}) as ${kind}`,
  ),
].join(', ')

/** How many mandates of the exports are of each kind, and how many were collected that no row is. */
export type EvidenceCounts = Readonly<Record<Kind | 'agrees' | 'not_in_export', number>>

/** SQL over `row`: it is compared with collections. Rows that repeat others, or are not to be sent anyway, are not. */
const IS_COMPARED = `row.state not in ('duplicate', 'superseded', 'excluded', 'written_off')`

/** SQL: a row that counts has the key of this collection, so that it belongs to no other row. */
const isOwned = (collected: string): string => `(exists (select 1 from row as owner
  where owner.mandate_key = ${collected}.mandate_key and owner.state not in ('duplicate', 'superseded'))
  or ${collected}.creditor = '' and ${collected}.mandate_key in (
    select ${NAMELESS} from row where state not in ('duplicate', 'superseded')))`

const BY_ACCOUNT = `(select min(other.id) from collected as other
  where other.account = row.iban_key and other.signed_date = row.signed_date and not ${isOwned('other')}
    and not ${isAmended('other')})`

const OWN_KEYS = `(row.mandate_key, ${NAMELESS})`
const BY_KEY = `(select id from collected as same where same.mandate_key in ${OWN_KEYS}
  and not exists (select 1 from amended where former in ${OWN_KEYS} and amended.day >= same.day) order by day desc, creditor desc limit 1)`

/** SQL: the collection under the latest key that amendments gave the mandate of the row. */
const BY_SUCCESSOR = `(with recursive heir (key, since) as (
    select successor, day from amended where former in ${OWN_KEYS} and day <> ''
    union select successor, day from heir join amended on former = heir.key and day >= since)
  select latest.id from heir join collected as latest on latest.mandate_key = heir.key
    where not ${isAmended('latest')} order by latest.day desc limit 1)`
const BY_OTHER_KEY = `coalesce(${BY_SUCCESSOR}, ${BY_ACCOUNT})`

/**
 * SQL: the collection of a row. By reference and creditor, or by the reference alone where the collection names no creditor; else
 * by a later key, or by account and date where no row has the key of that collection.
 */
const FOUND = `coalesce(${BY_KEY}, ${BY_OTHER_KEY})`
const BESIDE = `left join collected on collected.id = ${FOUND}`

/** SQL over `row`: it waits because a collection contradicted it, and the latest one does not any more. */
export const IS_VOUCHED_SINCE = `(row.state = 'conflict' and row.rule glob 'EVIDENCE_*' and exists (select 1 from collected
  where collected.id = ${FOUND} and not coalesce(${HAS_OTHER_DATE}, 0) and collected.account is not null and not (${KINDS.map((kind) => `coalesce(${DIFFERS[kind]}, 0)`).join(' or ')})))`

/** SQL: the latest collection of the row `id` does not differ from it in what `named` says, a rule or the `why` of a line. */
export const isCollectedAsSent = (
  id: string,
  named: string,
): string => `exists (select 1 from row join collected on collected.id = ${FOUND}
  where row.id = ${id} and not ${isErased('row')} and not (${KINDS.map((kind) => `instr(lower(${named}), '${kind}') and coalesce(${DIFFERS[kind]}, 0)`).join(' or ')}))`

/** SQL over `compared`: a collection opened the line, and a later one agrees with what was sent. */
export const IS_SETTLED_SINCE = `(compared.why glob 'collected_*' and coalesce(met_by, compared.row_id) = compared.row_id and ${isCollectedAsSent('compared.row_id', 'compared.why')})`

/** SQL over `collected`: a live mandate that is in no export. */
const IS_MISSING = `coalesce(collected.ended_on, '') < collected.day and not ${isOwned('collected')} and not ${isAmended('collected')}
  and collected.id not in (select found from (select ${BY_OTHER_KEY} as found from row where ${IS_COMPARED}
    and ${BY_KEY} is null)
    where found is not null)`

/** SQL over `row`: the day of its last collection, where the bank accepted just what the row says; else null. */
export const VOUCHED = `(select collected.day from collected where ${AGREES} and not ${isAmended('collected')})`

/** SQL of how the rows of the exports stand to what was collected of their mandates. */
export const EVIDENCE = `
  select ${['agrees', ...KINDS].map((kind) => `coalesce(sum(${kind}), 0) as ${kind}`).join(', ')},
     (select count(*) from collected where ${IS_MISSING}) as not_in_export
    from (select ${EACH_KIND} from row ${BESIDE} where ${IS_COMPARED})`

/** When the mandate of a row was last collected, and how that differs from the row; null where nothing is known. */
export function collectedOf(connection: Connection, rowId: number) {
  const found = sql(connection)<Record<string, string | 0 | 1>>`
    select collected.day as day, ${EACH_KIND} from row ${BESIDE} where row.id = ? and collected.id is not null`.get(
    rowId,
  )
  if (found === undefined) return null
  return { day: String(found['day']), is: Object.keys(found).filter((kind) => found[kind] === 1) }
}

/** What a collection did not say, in SQL. Null is what contradicts itself, or was erased. */
const ABSENT = [
  ['account', "x''"],
  ['iban_masked', "''"],
] as const
const NO_ACCOUNT = Buffer.alloc(0)

/** The collection files of an admission. What they say stays in the ledger, and counts for every file that comes later. */
export function collectionsOf(
  connection: Connection,
  fingerprints: Fingerprints,
  /** The ledger that an export is set against, which knows more of its mandates. */
  beside = connection,
) {
  let isNew = false
  const isKnown = (sha256: string): boolean =>
    sqlValue(connection)<number>`select 1 from collection where sha256 = ?`.get(sha256) !== undefined
  const day = sqlValue(beside)<LocalDate>`select day from collected where mandate_key = ?`
  return {
    isKnown,
    /** Once all of them are open no more. */
    close: () => isNew && connection.exec(COLLECTED_ACCOUNT),
    /** True once this admission has brought one in. */
    isNew: () => isNew,
    /** When a mandate was last collected; nothing where no collections were given, as most often. */
    known: (): { lastCollected?: (mandateKey: string) => LocalDate | null } =>
      hasAny(beside) ? { lastCollected: (key) => day.get(key) ?? null } : {},
    /**
     * @returns takes what is in the file; of a mandate its latest day counts, and what differs on that day is no value. No
     * amendment changes the date of signature, so those of all days stay, parted by blanks; what has ended has no later
     * collection, so an end of any day stays
     */
    open: ({ name, sha256 }: { readonly name: string; readonly sha256: string }) => {
      // Made as one behind the load, the index costs a part of what its entries cost one by one.
      if (!isNew && !hasAny(connection)) connection.exec('drop index collected_account')
      isNew = true
      sql(connection)`insert into collection (name, sha256) values (?, ?)`.run(maskAccounts(name), sha256)
      // What a file does not have replaces nothing.
      const one = ([column, absent]: readonly [string, string]): string =>
        `${column} = case when excluded.${column} is ${absent} or excluded.day < day then ${column}
          when excluded.day > day or ${column} in (${absent}, excluded.${column}) then excluded.${column} end`
      const take = sql(connection)`
        insert into collected (mandate_key, creditor, reference, account, iban_masked, signed_date, day, ended_on)
          values (?, ?, ?, ?, ?, ?, ?, ?)
          on conflict (mandate_key) do update set ${ABSENT.map(one).join(', ')},
            signed_date = iif(instr(signed_date, excluded.signed_date), signed_date, trim(signed_date || ' ' || excluded.signed_date)),
            creditor = iif(excluded.day < day, creditor, excluded.creditor),
            reference = iif(excluded.day < day, reference, excluded.reference),
            ended_on = coalesce(max(ended_on, excluded.ended_on), ended_on, excluded.ended_on), day = max(day, excluded.day)
          where excluded.day >= day or not instr(signed_date, excluded.signed_date) or excluded.ended_on is not null`
      const amend = amendIn(connection)
      const setUsual = sql(connection)`update collection set usual_date = ? where sha256 = ?`
      const counts = new Map<string, number>()
      let total = 0
      return (mandates: readonly CollectedMandate[]): void => {
        total += mandates.length
        for (const { iban, amendment, ...mandate } of mandates) {
          const { signedDate } = mandate
          if (signedDate !== null) counts.set(signedDate, (counts.get(signedDate) ?? 0) + 1)
          if (amendment !== null) amend(amendment)
          take.run(
            mandate.mandateKey,
            mandate.creditorIdentifier,
            mandate.mandateReference,
            iban === null ? NO_ACCOUNT : fingerprints.account(iban),
            iban === null ? '' : maskIban(iban),
            signedDate ?? '',
            mandate.day,
            mandate.endedOn,
          )
        }
        const usual = [...counts].find(([, count]) => count >= 10 && count * 2 > total)
        setUsual.run(usual?.[0] ?? null, sha256)
      }
    },
  }
}

type Compared = Record<Told, 0 | 1> & {
  readonly id: number
  readonly sourceId: number
  readonly state: string
  readonly isNewer: 0 | 1 | null
  /** Rules, parted by blanks, that were told of the very same when a person wrote "send" beside it; null for none. */
  readonly decided: string | null
  readonly value: string
  /** What was collected; null where nothing was. */
  readonly seen: string | null
}

const SEEN_WHAT = `': reference ' || mask_accounts(collected.reference) ||
  ', creditor ' || coalesce(nullif(mask_accounts(collected.creditor), ''), 'not named') || ', signed ' ||
  coalesce(nullif(replace(collected.signed_date, ' ', ' or '), ''), 'not named') || ', account ' ||
  coalesce(nullif(collected.iban_masked, ''), iif(collected.iban_masked is null, 'unclear', 'not named')) || '.' || coalesce(iif(${ENDED_ON} < collected.day, ' The collection of ' || ${ENDED_ON} ||
  ' ended it.', ''), '')`
const SEEN = `'It was last collected on ' || collected.day || ${SEEN_WHAT}`

/** "send" says nothing of collections that came in after its list, nor beside a row that was held for something else. */
const DECIDED = `(select group_concat(told.rule, ' ') from temp.given_back join row as named on named.id = row.corrects
    join problem as told on told.row_id in (named.id, named.heir)
  where given_back.id = row.id and is_decided = 1 and named.rule glob 'EVIDENCE_*'
    and (collected.id is null or instr(told.message, ${SEEN_WHAT}) > 0))`

function comparedIn(connection: Connection, where: string) {
  const page = sql(connection)<Compared>`
    select row.id as id, row.source_id as sourceId, state, ${SEEN} as seen,
       collected.day > coalesce(row.signed_date, '') as isNewer, ${DECIDED} as decided,
       coalesce(row.original_mandate_reference, '') as value, ${EACH_KIND}, ${HAS_OTHER_DATE} and ${HAS_OWN_DATE} as lacks
     from row ${BESIDE} where row.id > :after and ${where} and ${IS_COMPARED}
       and not coalesce(${AGREES}, 0) order by row.id limit :limit`
  return (values: Readonly<Record<string, number>>) => rowsOf(page, values)
}

/** What is newer than the signature is an error where nobody said otherwise; what is older may have been replaced since. */
const findingsOf = (row: Compared, severities: SeverityOverrides): Finding[] =>
  TOLD.filter((kind) => row[kind] === 1).flatMap((kind) => {
    const rule = ruleOf(kind)
    const severity = severities[rule] ?? (row.isNewer === 1 ? RULES[rule].severity : 'warning')
    const isSettled = severity === 'error' && (row.decided ?? '').split(' ').includes(rule)
    const detail = `${row.seen ?? ''}${isSettled ? ' A person decided that it is sent.' : ''}` || undefined
    return findingOf(
      rule,
      { [rule]: isSettled ? 'warning' : severity },
      { field: FIELDS[kind] ?? 'unique_mandate_reference', value: row.value, detail },
    )
  })

/** The rows of the source at hand beside what was collected. One that is contradicted waits for a person. */
export function decideCollected({ connection, severities, first }: Scope): void {
  if (!hasAny(connection)) return
  const hold = sql(connection)`update row set state = 'conflict', rule = ? where id = ? and state = 'ready'`
  for (const row of comparedIn(connection, 'row.id >= :first')({ first })) {
    const findings = findingsOf(row, severities)
    for (const finding of findings) writeProblem(connection, row.sourceId, row.id, finding)
    const error = findings.find(({ severity }) => severity === 'error')
    if (error !== undefined) hold.run(error.rule, row.id)
  }
  const exports = sqlValue(
    connection,
  )<number>`select id from source where kind = 'export' and last_row >= ?`.all(first)
  for (const finding of lacking(connection, severities))
    for (const source of exports) writeProblem(connection, source, null, finding)
}

const isCollected = (such: string): string => `select count(*) from collected where ${such}`
const LACKS = [
  [isCollected(`creditor = ''`), 'no creditor identifier (it is looked for under PrvtId and OrgId)'],
  [isCollected(`signed_date = ''`), 'no date of signature'],
  [
    `select count(*) from row ${BESIDE} where ${IS_COMPARED} and collected.signed_date <> '' and not ${HAS_OWN_DATE} and not ${HAS_OTHER_DATE}`,
    'the date of signature that most collections of a file name, as a filler is or the day of the file',
  ],
  [isCollected(`account = x''`), 'no IBAN of the debtor'],
] as const

/** Once for each export: what collections do not name, so that nothing was compared with it. */
function lacking(connection: Connection, severities: SeverityOverrides): readonly Finding[] {
  const told = LACKS.flatMap(([select, what]) => {
    const count = sqlValue(connection)<number>`${select}`.get() ?? 0
    return count === 0 ? [] : [`${plural(count, 'mandate names', 'mandates name')} ${what}`]
  })
  return told.length === 0 ? [] : findingOf('EVIDENCE_LACKS', severities, { detail: `${told.join(', ')}.` })
}

/** What is left to do about a row that may be at the service. */
export const CONTRADICTED_LATER =
  'It had been sent before the collection came in. Have it changed or cancelled at the service before its first debit, if the collection is right.'

/**
 * Rows of earlier commands beside the collections: where collection files are new those that are ready, were sent or wait for
 * former ones, and always those that are ready once more. What was told of a row before, or decided, is not told again.
 */
export function holdContradicted({
  connection,
  severities,
  areNew,
  before,
  at,
}: Pick<Scope, 'connection' | 'severities'> & { areNew: boolean; before: number; at: string }): void {
  if (!hasAny(connection)) return
  const isTold = sqlValue(connection)<number>`
    select 1 from problem where row_id = :id and rule = :rule and instr(message, :seen) > 0
      and (:isSent or remedy <> '${CONTRADICTED_LATER}')`
  const such = areNew
    ? `(state = 'ready' or state = 'conflict' and rule glob 'EVIDENCE_*' or collected.id is not null and state in ('in_doubt', 'registered'))`
    : `state = 'ready' and attempts > 0`
  for (const row of comparedIn(connection, `row.id < :before and ${such}`)({ before })) {
    const isSent = row.state === 'registered' || row.state === 'in_doubt'
    const about = { id: row.id, seen: row.seen ?? '', isSent: Number(isSent) }
    const findings = findingsOf(row, severities).filter(
      ({ rule }) => isTold.get({ ...about, rule }) === undefined,
    )
    const later = isSent ? ({ severity: 'warning', remedy: CONTRADICTED_LATER } as const) : {}
    for (const finding of findings) writeProblem(connection, row.sourceId, row.id, { ...finding, ...later })
    if (isSent) openLine(connection, row, severities)
    const error = findings.find(({ severity }) => severity === 'error')
    if (row.state === 'ready' && error !== undefined) holdRow(connection, row.id, error.rule, at)
  }
}

/** Of what was sent, what a collection contradicts is a line of the cut-over, unless it has one, or one was closed that said the same. */
function openLine(connection: Connection, row: Compared, severities: SeverityOverrides): void {
  const isError = ({ rule, severity }: Finding): boolean =>
    severity === 'error' && rule !== 'EVIDENCE_NEVER_COLLECTED' && rule !== 'EVIDENCE_LACKS'
  const rules = findingsOf(row, severities).flatMap((finding) => (isError(finding) ? [finding.rule] : []))
  if (rules.length === 0) return
  const become = rules.includes('EVIDENCE_ENDED') ? 'ended' : 'changed'
  const listed = row.state === 'in_doubt' ? 'in_doubt_changed' : `${become}_after_registration`
  const why = rules.join(' ').replaceAll('EVIDENCE', 'collected').toLowerCase()
  // That it was collected so once more is no news.
  const final = createHash('sha256')
    .update(row.seen?.replace(/^It was last collected on [\d-]+/, '') ?? '')
    .digest()
  // A comparison has one line of a row, which stays as it was found.
  sql(connection)`
    insert into compared (comparison_id, row_id, class, why, is_held, final, met_by)
     select (select max(id) from comparison), :id, :listed, :why, 0, :final,
         iif(exists (select 1 from compared where row_id = :id and ${IS_LATEST} and met_by is null), :id, null)
      where not exists (select 1 from compared where row_id = :id
        and (final = :final and decision_id is not null or decision_id is null and ${IS_LATEST} and not ${IS_SETTLED_SINCE}))`.run(
    { id: row.id, listed, why, final },
  )
}

/** One warning for each mandate that was collected and is in no export, told once. */
export function tellMissing(connection: Connection, sourceId: number, severities: SeverityOverrides): void {
  const [finding] = findingOf('EVIDENCE_NOT_IN_EXPORT', severities, {})
  if (finding === undefined || sourceId === 0 || !hasAny(connection)) return
  sql(connection)`
    insert into problem (source_id, rule, severity, field, column_name, value, message, remedy)
      select :sourceId, :rule, :severity, null, '', mask_accounts(reference),
         :message || ' It was last collected on ' || day || ' from ' || coalesce(nullif(iban_masked, ''), 'an unclear account') || '.', :remedy
        from collected where ${IS_MISSING} and not exists (select 1 from problem
          where problem.rule = :rule and value = mask_accounts(reference)) order by mandate_key`.run({
    ...finding,
    sourceId,
  })
}

/**
 * Rows under a former key that no row has behind that day, each beside every row of the same mandate under a later key,
 * over any number of amendments.
 */
const PAIRS = `
  with recursive heir (former, successor, until, day) as (
    select former, successor, day, day from amended
    union select heir.former, amended.successor, until, amended.day
      from heir join amended on amended.former = heir.successor and amended.day >= heir.day)
  select distinct old.id, new.id from heir join row as old on old.mandate_key = former and old.state <> 'duplicate'
    and not exists (select 1 from row as later where later.mandate_key = former
      and later.latest_first_debit > date(until, '+36 months', 'floor'))
    join row as named on named.mandate_key = successor
    join row as new on new.id = coalesce(named.heir, named.id) and new.id <> old.id and new.mandate_key <> former and new.state <> 'superseded'`

/** Sent, maybe sent, ended before it was amended, or closed by a person; what was in doubt once may have arrived. */
const IS_BARRED = `(old.state in ('sending', 'registered', 'in_doubt', 'written_off') or ${isLast('old')}
  or old.state = 'refused' and ${isErased('old')}
  or exists (select 1 from attempt where row_id = old.id and outcome in ('in_doubt', 'released')))`

const IS_BACK = 'exists (select 1 from temp.heir as back where back.old = heir.new and back.new = heir.old)'

function pair(connection: Connection): boolean {
  emptyTables(connection, { heir: 'old integer, new integer, primary key (old, new)' })
  return sql(connection)`insert into temp.heir ${PAIRS}`.run().changes > 0
}

/** Only the last form of an amended mandate is sent: a row under an earlier key gives way, in whatever order they come. */
export function decideAmended(scope: Pick<Scope, 'connection' | 'first'>, at: string): void {
  const { connection, first } = scope
  if (!pair(connection)) return
  const where = `id >= :first and ${IS_OF_EXPORT} and state in ('ready', 'invalid', 'excluded')
    and id in (select old from temp.heir where not ${IS_BACK}) and not ${isLast('row')}`
  give(connection, 'duplicate', AMENDED, where, { first })
  // No registration of the other key finds the account here.
  removePrivate(
    connection,
    `id >= :first and state = 'duplicate' and id in (select old from temp.heir where not ${IS_BACK})`,
    { first },
  )
  replaceRows(
    connection,
    `select old, min(new) as new from temp.heir join row as old on old.id = heir.old
      where new > old.id and old.id < :first and not ${IS_BACK} and not ${IS_BARRED} group by old.id`,
    { first },
  )
  holdAmended(scope, at)
}

const AMENDED = noticeOf('DUPLICATE_MANDATE', {
  message:
    'A collection or a comparison says that this mandate has another reference or creditor since, and the row with that counts.',
  remedy: 'Nothing to do.',
})

const IS_SAID = `(select 1 from temp.given_back join row as named on named.id = row.corrects
  where given_back.id = row.id and is_decided = 1 and named.rule = 'MANDATE_RESEMBLES_SENT')`

/**
 * A successor of what was or may be sent waits for a person, and so does what is ready under a former key still. Not where
 * a person said to send it.
 */
export function holdAmended({ connection, first }: Pick<Scope, 'connection' | 'first'>, at: string): void {
  if (!pair(connection)) return
  const held = sql(connection)<{ id: number; other: number }>`
    select row.id as id, min(other) as other from row join (select old as id, new as other from temp.heir
        union all select new, old.id from temp.heir join row as old on old.id = heir.old where ${IS_BARRED}) as found on found.id = row.id
      where state = 'ready' and (corrects is null or row.id >= :first and not exists ${IS_SAID}) group by row.id`
  for (const { id, other } of held.all({ first })) {
    const message =
      'A collection or a comparison says that this mandate had another reference or creditor once, and both are here. Compare it with {row}.'
    holdWith(connection, noticeOf('MANDATE_RESEMBLES_SENT', { message, other }), id, at)
  }
}
