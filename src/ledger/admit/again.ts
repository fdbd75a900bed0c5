import type { CheckedRecord, SourceReading, ReadableValues } from '../../domain/rule/verdict.js'
import type { LocalDate, Field } from '../../domain/mandate/mandate.js'
import { LIVE_STATES, REPLACEABLE_STATES, type RowState } from '../../domain/row/row-state.js'
import { DORMANT_AFTER_MONTHS } from '../../domain/value/check-mandate.js'
import { formerOf, hasLeft, hasLiveAttempt, IS_LATEST, isTaking, mayHaveEnded } from '../deliver/gate.js'
import {
  emptyTables,
  PAGE,
  privateOf,
  sql,
  sqlWithJson,
  sqlValue,
  type Connection,
} from '../file/connection.js'
import { sqlList } from '../schema/schema.js'
import { fingerprintRaw, type Fingerprints, type HeaderColumns } from './stored-row.js'
import { IS_VOUCHED_SINCE } from './collected.js'
import { replaceRows, type Scope, latestOf } from './problems.js'
import { writeDate, type DecidedFormat } from '../../domain/mandate/date.js'
import type { EarlierRow, EarlierRows } from '../../domain/row/correction.js'
import { fold, namesInTemplate } from '../../domain/text/text.js'

/**
 * What the ledger knows of records of earlier exports that may be read again, because the configuration that read them has
 * changed. `run/read-again.ts` reads them; here stands which rows come into question (`WAYS`), and what a record says otherwise
 * than its row (`differenceFrom`).
 */

/** An export with how it was read last, and the rows of each reading. */
export interface ReadSource {
  readonly id: number
  readonly name: string
  readonly sha256: string
  readonly header: readonly string[]
  readonly reading: SourceReading
  readonly isList: boolean
  readonly parts: readonly { readonly first: number; readonly last: number }[]
}

/** A record whose mandate was not sent. */
export interface UnsentRow {
  readonly id: number
  /** It waits to learn which export is the newer one. */
  readonly waits: 0 | 1
  /** Somebody wrote "send" beside it. */
  readonly isByWord: 0 | 1
  readonly state: RowState
  readonly rule: string | null
  readonly line: number
  readonly record: number
  readonly cells: readonly string[]
}

/**
 * SQL over `row`: its cells are there and may be read again. Not so where a request of its mandate left, unless the row only
 * contradicts what was sent or a person decided to send it once more; where a correction waits with a value of another row; and
 * where the record may be cut or has a formula without a value, so that its cells are not all of it.
 */
const IS_LEFT = `exists (select 1 from private where row_id = row.id) and row.counted_in is not null
  and not exists (select 1 from problem where row_id = row.id and severity = 'error'
    and problem.rule in ('ROW_MAY_BE_CUT', 'ROW_FORMULA_UNCOMPUTED')) and not ${isTaking('row')} and (row.rule is 'CONTRADICTS_SENT' or not ${hasLiveAttempt('row.mandate_key')}
  and (row.state = 'ready' or not ${hasLeft('row.mandate_key')}))`

const IS_UNSENT = `row.state in (${sqlList(REPLACEABLE_STATES)}) and ${IS_LEFT}`
/** SQL over `row`: a person decided to resend it; it may have been in doubt, and so left alone, when its export was read again. */
const IS_TO_RESEND = `row.state = 'ready' and row.attempts > 0 and ${hasLeft('row.mandate_key')} and ${IS_LEFT}`

/** SQL: a line of a list replaced the row, so that a record which says the same as that row is no news. */
export const isCorrected = (
  row: string,
): string => `(${row}.state = 'superseded' and exists (select 1 from row as next
    join source as list on list.id = next.source_id where next.id = ${row}.superseded_by and list.kind = 'list'))`

/**
 * The mandate key of a record of an export. A record that still has the reference and the customer of a row whose reference a
 * person corrected gets the corrected key, since the former reference may belong to another mandate.
 */
export function prepareKeys(connection: Connection) {
  const corrected = sql(connection)<Record<'key' | 'own', string> & { customerNo: number }>`
    select old.mandate_key as key, old.customer_no as customerNo, heir.mandate_key as own
      from row as old join row as heir on heir.id = old.heir join source on source.id = heir.source_id
     where ${isCorrected('old')} and (select kind from source as origin where origin.id = source.origin) = 'list' and heir.state in (${sqlList(LIVE_STATES)})
       and heir.mandate_key <> old.mandate_key and heir.customer_no = old.customer_no
       and not exists (select 1 from row as other where other.mandate_key = old.mandate_key and other.customer_no = old.customer_no and other.state not in ('duplicate', 'superseded'))`.all()
  const nameOf = (...name: readonly [key: string | null, customerNo: number | null]) => name.join(' ')
  const owned = new Map(corrected.map(({ key, customerNo, own }) => [nameOf(key, customerNo), own]))
  return (key: string | null, customerNo: number | null) => owned.get(nameOf(key, customerNo)) ?? key
}

/** SQL over `row`: nothing says when it was collected last, so that the day is that of a new mandate, and it does not lapse. */
export const IS_BY_SIGNATURE = `latest_first_debit = date(signed_date, '+${DORMANT_AFTER_MONTHS} months', 'floor')`

/** SQL over `row`: it was replaced, or repeats another row, and the row that counts now and was not sent says something else. */
const IS_OVERTAKEN = `(row.state in ('superseded', 'duplicate') and exists (select 1 from row as now
  where now.mandate_key = row.mandate_key and now.state in ('ready', 'refused', 'conflict', 'excluded')
    and coalesce(now.content_key, now.raw) is not coalesce(row.content_key, row.raw)))`

/** SQL over `row`: the same where the other row was sent. Its cells are gone, so only its file can say again what it said. */
const IS_SENT_OTHERWISE = `(row.state in ('superseded', 'duplicate') and row.counted_in is not null and not ${isCorrected('row')}
  and exists (select 1 from row as now where now.mandate_key = row.mandate_key and now.state in ('sending', 'registered', 'in_doubt')
    and now.content_key is not coalesce(row.content_key, row.raw)))`

/** SQL over `row`: another record says something else of its mandate, and it is not known which export is the newer one. */
const WAITS_FOR_ORDER = `(${IS_OVERTAKEN} or row.state in ('conflict', 'excluded') and (rule is 'EXPORT_ORDER_UNKNOWN' or exists (select 1 from row as other
  where other.mandate_key = row.mandate_key and other.id <> row.id and (other.state in ('ready', 'refused', 'conflict', 'excluded') or ${mayHaveEnded('other')}))))`

/** SQL over `row`: somebody wrote "send" beside it. */
const IS_BY_WORD = `exists (select 1 from decision where decision.row_id = row.id and instr(evidence, 'migration_decision') > 0)`

/**
 * SQL over `row`: collections that came in since change what becomes of it. Either a later collection moves the day on which its
 * mandate lapses, or it waits because of a collection that no longer contradicts it. What a comparison holds stays as it is.
 */
const IS_COLLECTED_SINCE = `(${IS_VOUCHED_SINCE} or (row.rule is 'MANDATE_DORMANT' or row.state = 'ready' and row.attempts = 0) and exists (
    select 1 from collected where collected.mandate_key = row.mandate_key and day >= coalesce(row.signed_date, '')
      and date(day, '+${DORMANT_AFTER_MONTHS} months') > coalesce(latest_first_debit, '')
      and (row.state = 'ready' or date(day, '+${DORMANT_AFTER_MONTHS} months') >= :today)))
  and ${IS_UNSENT} and not ${IS_BY_WORD}
  and not exists (select 1 from compared where row_id = row.id and is_held and ${IS_LATEST})`

/** SQL: the readings that followed the first one of a `source`. */
const AGAIN = `source as again where again.origin = source.id and again.kind = 'again'`

/** SQL: the readings of an export that count. Where its file was given and read again, earlier ones do not any more. */
const PARTS = `source as part where part.origin = source.id
  and part.id >= coalesce((select max(again.id) from ${AGAIN} and again.reading ->> '$.wasGiven'), 0)`

export const readSourcesOf = (connection: Connection): ReadSource[] =>
  sqlWithJson<ReadSource>(connection, 'header', 'reading', 'parts', 'isList')`
    select source.id, source.name, source.sha256, iif(source.kind = 'list', 'true', 'false') as isList,
       coalesce((select header from ${AGAIN} and again.reading ->> '$.wasGiven' order by again.id desc limit 1), source.header) as header,
       coalesce((select reading from ${AGAIN} order by again.id desc limit 1), source.reading) as reading,
       (select json_group_array(json_object('first', coalesce(first_row, 0), 'last', coalesce(last_row, -1))) from ${PARTS}) as parts
      from source where kind <> 'again' and admitted_at is not null order by source.id`.all()

/** SQL over `row`: it is of one of the readings `:parts`, a list of first and last row in JSON. */
const IS_IN_PARTS = `exists (select 1 from json_each(:parts) as part where row.id between part.value ->> 'first' and part.value ->> 'last')`

type Parts = Pick<ReadSource, 'parts'>

/**
 * SQL of the rows that were sent as an export was read before, since when it was read again and says something else of others,
 * until a comparison tells what differs.
 */
export const AS_READ_BEFORE = `
    with doubted as materialized (select source.first_row, source.last_row, max(again.reading ->> '$.doubts.attempt') as attempt
      from source as again join source on source.reading ->> '$.configuration' is again.reading ->> '$.doubts.configuration'
     where again.reading -> '$.doubts' is not null and again.id > coalesce((select last_source from comparison order by id desc limit 1), 0)
      group by source.id)
    select row.id from doubted cross join row on row.id between first_row and last_row
     where state in ('sending', 'in_doubt', 'registered') and exists (select 1 from attempt where row_id = row.id
       and attempt.id <= doubted.attempt and (outcome is null or outcome in ('registered', 'in_doubt')))`

export const countAsReadBefore = (connection: Connection): number =>
  sqlValue(connection)<number>`select count(*) from (${AS_READ_BEFORE})`.get() ?? 0

/** Fills `temp.met` with the mandates of which a record has come in since the row `first`, and `temp.come` with the rows these replace. */
function noteMet(connection: Connection, first: number): void {
  emptyTables(connection, { met: 'key text primary key', come: 'id integer primary key' })
  sql(
    connection,
  )`insert or ignore into temp.come select corrects from row where id >= ? and corrects > 0`.run(first)
  sql(connection)`
    insert or ignore into temp.met select mandate_key from row
     where mandate_key is not null and (id >= ? or id in temp.come)`.run(first)
}

/** SQL over `row`: another record of such a mandate, which is weighed together with the one that came. */
const IS_MET = `${IS_UNSENT} and row.mandate_key in temp.met and row.id not in temp.come`
/** SQL over `row`: what a source that is the newest by now may say again, also where it had given way. */
export const IS_TO_SAY_AGAIN = `(row.state in (${sqlList(REPLACEABLE_STATES)}) or ${IS_OVERTAKEN}) and ${IS_LEFT}`

/** What other records say decided about the row, too: with those of its mandate it comes again where one of them does. */
export const isHeldByOthers = ({ state, rule }: UnsentRow, { verdict }: CheckedRecord): boolean =>
  rule !== 'DUPLICATE_MANDATE' &&
  rule !== 'CONFLICT_MANDATE' &&
  verdict.kind === 'sendable' &&
  state !== 'ready' &&
  state !== 'refused'

/** SQL over `row`: it repeats a mandate that was sent, so that its cells are gone. */
const IS_REPEAT = `(row.state = 'duplicate' and not exists (select 1 from private where row_id = row.id))`
/** SQL over `row`: a record of an export replaced it, or its file, given again, had its line no more. */
const GAVE_WAY = `(row.state = 'superseded' and not ${isCorrected('row')})`

/** SQL over `row` of the records of a source that may come in again, by what brings them. */
const WAYS = {
  unsent: IS_UNSENT,
  resend: IS_TO_RESEND,
  collected: IS_COLLECTED_SINCE,
  alive: `row.state <> 'ready' and ${IS_COLLECTED_SINCE}`,
  met: IS_MET,
  newest: IS_TO_SAY_AGAIN,
  sentOtherwise: IS_SENT_OTHERWISE,
  repeat: IS_REPEAT,
} as const
export type Way = keyof typeof WAYS

/** SQL: what must exist before it is worth looking at rows. */
const NEEDED: Readonly<Partial<Record<Way, string>>> = {
  resend: `select 1 from attempt where outcome = 'released'`,
  collected: 'select 1 from collected',
  alive: 'select 1 from collected',
}

const isNone = (connection: Connection, way: Way): boolean =>
  sqlValue(connection)`select exists (${NEEDED[way] ?? 'select 1'})`.get() === 0

function* rowsOfWay(
  connection: Connection,
  way: Way,
  { parts }: Parts,
  today?: LocalDate,
): Generator<UnsentRow[], undefined> {
  if (isNone(connection, way)) return
  const read = sqlWithJson<UnsentRow>(connection, 'cells')`
    select row.id, ${WAITS_FOR_ORDER} as waits, ${IS_BY_WORD} as isByWord, row.state, row.rule, row.line, row.record, ${privateOf('row', 'cells')} as cells
      from row where row.id > :after and row.id <= :last and ${WAYS[way]} order by row.id limit ${PAGE}`
  for (const { first, last } of parts)
    for (let after = first - 1; after < last;) {
      const page = read.all({ after, last, today })
      if (page.length > 0) yield page
      after = page.at(-1)?.id ?? last
    }
}

export const countOfWay = (connection: Connection, way: Way, { parts }: Parts, today?: LocalDate): number =>
  isNone(connection, way)
    ? 0
    : (sqlValue(connection)<number>`select count(*) from row where ${WAYS[way]} and ${IS_IN_PARTS}`.get({
        ...{ parts: JSON.stringify(parts), today },
      }) ?? 0)

/** What came in by earlier commands, with what may come in once more as the configuration reads it now. */
export function againVerbs({
  connection,
  fingerprints,
  guard,
  first,
}: Scope & { readonly guard: <Value>(body: () => Value) => Value }) {
  const differs = differenceFrom(connection, fingerprints)
  type Former = Readonly<
    { id: number; key: string | null } & Record<'isUnsent' | 'isRepeat' | 'isLeft', 0 | 1>
  >
  const joinedOfEnded = sqlValue(connection)<string>`
    select reading -> '$.joined' from row join source on source.id = source_id
     where row.id = ? and (row.state = 'excluded' or rule is 'STATUS_UNKNOWN')`
  /** A joined file said that the mandate has ended, and another one says that it lives: nothing tells which is newer, so the end stays. */
  const staysEnded = (id: number, { verdict }: CheckedRecord, { joined }: SourceReading): boolean =>
    verdict.kind === 'sendable' &&
    (JSON.parse(joinedOfEnded.get(id) ?? '[]') as NonNullable<SourceReading['joined']>).some(
      ({ name, sha256 }) => joined?.find((now) => now.name === name)?.sha256 !== sha256,
    )
  return {
    staysEnded,
    sources: () => guard(() => readSourcesOf(connection)),
    /** Page by page. `today`: for what was collected since. */
    rows: (way: Way, source: Parts, today?: LocalDate) => rowsOfWay(connection, way, source, today),
    count: (way: Way, source: Parts): number => countOfWay(connection, way, source),
    /** How the file was read by which a row came in. */
    readingOf: ({ id }: UnsentRow): SourceReading =>
      JSON.parse(
        sqlValue(connection)<string>`
          select reading from source where id = (select source_id from row where id = ?)`.get(id) ?? '{}',
      ) as SourceReading,
    /** Of the mandates of which a record has come in again. */
    noteMet: () => guard(() => noteMet(connection, first)),
    differs,
    isCompared: () => sql(connection)`select 1 from comparison limit 1`.get() !== undefined,
    /** It was read after the latest comparison. */
    isSaidSince: ({ id }: ReadSource): boolean =>
      sql(
        connection,
      )`select 1 from source where origin = ? and id > (select max(last_source) from comparison)`.get(id) !==
      undefined,
    asReadBefore: () => countAsReadBefore(connection),
    lastAttempt: () => sqlValue(connection)<number>`select max(id) from attempt`.get() ?? 0,
    /**
     * Before a file is read once more: notes in `temp.former` what came in of it, by line. A row that was replaced is noted under
     * the key of the mandate that replaced it. Where the file counts as newer (`isNewer`; `isByWord`: because a person said so),
     * rows that had given way may come again.
     */
    noteFormer: (
      id: number,
      {
        sheet,
        isNewer,
        isByWord,
      }: Readonly<{ sheet: string | undefined; isNewer: boolean; isByWord: boolean }>,
    ): void => {
      emptyTables(connection, {
        former: 'line integer primary key, id integer, key text, isUnsent integer, isRepeat integer',
      })
      sql(connection)`
        insert or replace into temp.former
         select iif(part.reading ->> '$.sheet' is :sheet, line, -row.id), row.id,
            iif(${GAVE_WAY}, (select coalesce(mandate_key, '') from row as now where now.id = row.heir), row.mandate_key),
            ${IS_UNSENT} or (:isNewer and ${IS_OVERTAKEN} and ${IS_LEFT}) or (:isByWord and ${IS_SENT_OTHERWISE}), ${IS_REPEAT} or ${GAVE_WAY}
          from source as part join row on row.id between part.first_row and part.last_row
         where part.origin = :id order by row.id`.run({
        ...{ id, sheet: sheet ?? null, isNewer: Number(isNewer), isByWord: Number(isByWord) },
      })
    },
    /**
     * @returns `corrects`: the row that the record replaces, null where it is new, undefined where it does not come in because
     *   its row was sent or corrected, or repeats one that was; `change`: what it says otherwise than that row
     */
    meet: (
      record: CheckedRecord,
      columns: HeaderColumns & Pick<ReadSource, 'reading'>,
      isNewer: boolean,
    ): { readonly corrects: number | null | undefined; readonly change: Change | null } => {
      const row = sql(connection)<Former>`
        select former.*, coalesce(row.state = 'refused', 0) or ${IS_BY_WORD} as isLeft
          from temp.former join row on row.id = former.id where former.line = ?`.get(record.line)
      if (row === undefined) return { corrects: null, change: null }
      const change = differs(row.id, record, columns)
      const comes =
        (row.isUnsent === 1 || (row.isRepeat === 1 && row.key !== record.mandateKey)) &&
        (isNewer || !staysEnded(row.id, record, columns.reading))
      if (comes && (row.isLeft === 0 || change !== null)) return { corrects: row.id, change }
      // It is in the file, and does not give way.
      if (row.isUnsent === 1) sql(connection)`delete from temp.former where line = ?`.run(record.line)
      return { corrects: undefined, change }
    },
    /** What is not in the file any more is replaced by what is. */
    giveWay: (source: number): void =>
      void replaceRows(
        connection,
        `select id as old, (select min(id) from row where source_id = :source) as new from temp.former where isUnsent
          and id not in (select corrects from row where source_id = :source and corrects is not null)`,
        { source },
      ),
  }
}

/** The rule by which a record is not sent. */
export function ruleOfVerdict({ verdict, findings }: CheckedRecord): string | null {
  if (verdict.kind === 'sendable') return null
  if (verdict.kind !== 'invalid') return verdict.rule
  return findings.find(({ severity }) => severity === 'error')?.rule ?? null
}

type Said = Readonly<
  Record<'contentKey' | 'raw' | 'account', Buffer | null> &
    Record<'mandateKey' | 'day' | 'signedDate', string | null> &
    Record<'hasRule' | 'isByWord' | 'isOfRule' | 'isBySignature', 0 | 1> & {
      state: RowState
      customerNo: number | null
    }
>

/** What a record says otherwise than its row, in the order in which people ask. */
export type Change =
  'ended' | 'found' | 'customer' | 'account' | 'date' | 'collected' | 'lapsed' | 'mandate' | 'goes' | 'waits'

/** Null where a record says what its row says, so that the row keeps its place. */
function differenceFrom(connection: Connection, fingerprints: Fingerprints) {
  const keyOf = prepareKeys(connection)
  const read = sql(connection)<Said>`
    select state, content_key as contentKey, raw, mandate_key as mandateKey, latest_first_debit as day, customer_no as customerNo,
       signed_date as signedDate, iban_key as account, coalesce(${IS_BY_SIGNATURE}, 0) as isBySignature,
       exists (select 1 from problem where row_id = row.id and problem.rule = :rule) as hasRule, ${IS_BY_WORD} as isByWord,
       exists (select 1 from problem where row_id in ${formerOf('row.id')} and problem.rule = :rule) as isOfRule
      from row where id = :id`
  return (
    id: number,
    record: CheckedRecord,
    columns: Parameters<typeof fingerprintRaw>[1],
  ): Change | null => {
    const { verdict } = record
    const said = read.get({ id, rule: ruleOfVerdict(record) })
    if (said === undefined) throw new Error(`There is no row ${id}`)
    const { customerNo, iban, signedDate } = verdict.kind === 'sendable' ? verdict.mandate : record.values
    const isOfAccount =
      iban === null ? said.account === null : said.account?.equals(fingerprints.account(iban)) === true
    const changed: readonly (readonly [boolean, Change])[] = [
      [said.customerNo !== customerNo, said.customerNo === null ? 'found' : 'customer'],
      // One that was wrong tells nothing of those that were sent.
      [!isOfAccount, said.contentKey === null && verdict.kind === 'sendable' ? 'goes' : 'account'],
      [said.signedDate !== signedDate, 'date'],
    ]
    const other = changed.find(([isSo]) => isSo)?.[1] ?? null
    // Of a mandate that was never collected, and signed more than 36 months ago by now, nobody can tell.
    const isOfDay =
      said.day === record.latestFirstDebit || (record.latestFirstDebit === null && said.isBySignature === 1)
    if (verdict.kind === 'sendable') {
      if (isOfDay && said.contentKey?.equals(fingerprints.content(verdict.mandate)) === true) return null
      return other ?? (said.contentKey === null ? 'goes' : isOfDay ? 'mandate' : 'collected')
    }
    const of = other ?? (said.mandateKey === keyOf(record.mandateKey, customerNo) ? null : 'mandate')
    // What a person let go of this rule keeps going as long as its values are those.
    if (said.isByWord === 1 && said.isOfRule === 1 && said.contentKey !== null) return of
    const isSame =
      said.contentKey === null &&
      said.hasRule === 1 &&
      of === null &&
      said.raw?.equals(fingerprintRaw(fingerprints, columns, record)) === true
    if (isSame) return null
    if (ruleOfVerdict(record) === 'MANDATE_DORMANT' && isOfDay && of === null) return 'lapsed'
    return verdict.kind === 'excluded' && said.state !== 'excluded' ? 'ended' : (of ?? 'waits')
  }
}

interface Stored extends ReadableValues, HeaderColumns {
  readonly state: RowState
  readonly rule: string | null
  readonly isCorrection: 0 | 1
  readonly wasHeldBack: 0 | 1
  readonly cells: readonly string[] | null
  readonly ibanMasked: string | null
  readonly account: Buffer | null
  readonly reading: SourceReading
}

/** Looks rows of admitted sources up as this program's files show them. */
export function earlierRows(connection: Connection, fingerprints: Fingerprints): EarlierRows {
  const read = sqlWithJson<Stored>(connection, 'cells', 'header', 'columns', 'reading')`
    select state, rule, corrects is not null as isCorrection, raw is not null or state in ('invalid', 'excluded') as wasHeldBack,
       cells, iban, iban_masked as ibanMasked, iban_key as account, customer_no as customerNo, signed_date as signedDate,
       original_creditor_identifier as creditorIdentifier, original_mandate_reference as mandateReference, header, columns, reading
     from row join source on source.id = source_id left join private on row_id = row.id where row.id = ? and sha256 is not null`
  return (number) => {
    const ids = new Set([number, latestOf(connection, number)])
    return [...ids].flatMap((id) => read.get(id) ?? []).map(earlierOf(fingerprints))
  }
}

const earlierOf =
  (fingerprints: Fingerprints) =>
  (row: Stored): EarlierRow => {
    const { dateFormats, crosswalk } = row.reading
    const formats = {
      signedDate: dateFormats?.signedDate ?? 'iso',
      lastCollection: dateFormats?.lastCollection ?? 'iso',
    } as const
    return {
      formats,
      mapped: row.columns,
      isKeptByRule: row.state === 'excluded' && row.rule === 'EXCLUDED_BY_CONFIGURATION',
      readBy: row.reading,
      isCorrection: row.isCorrection === 1,
      wasHeldBack: row.wasHeldBack === 1,
      had: hadBy(row, fingerprints),
      ...(row.cells === null
        ? removed(row, formats.signedDate, (crosswalk ?? null) !== null)
        : kept(row, row.cells)),
    }
  }

const COMPARED = ['customerNo', 'signedDate', 'creditorIdentifier', 'mandateReference'] as const

const hadBy =
  (row: Stored, fingerprints: Fingerprints) =>
  ({ iban, ...values }: ReadableValues): boolean =>
    COMPARED.every((name) => values[name] === row[name]) &&
    (iban === null
      ? row.account === null
      : row.account !== null && fingerprints.account(iban).equals(row.account))

type Cells = Pick<EarlierRow, 'fields' | 'columns' | 'values'>

function kept(row: Stored, cells: readonly string[]): Cells {
  const { header, columns: mapped } = row
  const columns = new Map<string, string>()
  header.forEach((name, index) => {
    if (!columns.has(fold(name))) columns.set(fold(name), cells[index] ?? '')
  })
  const fields = Object.fromEntries(
    Object.entries(mapped).map(([field, name]) => [field, cells[header.indexOf(name)] ?? '']),
  ) as EarlierRow['fields']
  const { customerNo, iban, signedDate, creditorIdentifier, mandateReference } = row
  const values = { customerNo, iban, signedDate, creditorIdentifier, mandateReference }
  // A record of the wrong shape: our files leave its account empty, or what that is looked up by; nothing was read from it.
  if (Object.values(values).every((value) => value === null)) {
    for (const name of namesInTemplate(mapped['iban'] ?? '')) columns.set(fold(name), '')
    return { fields: { ...fields, iban: '' }, columns, values: null }
  }
  return { fields, columns, values }
}

/** Once the account number was removed, our files show what is left of the row. */
function removed(row: Stored, format: DecidedFormat, hasCrosswalk: boolean): Cells {
  const fields: Partial<Record<Field, string>> = {
    customer_no: hasCrosswalk || row.customerNo === null ? '' : String(row.customerNo),
    iban: row.ibanMasked ?? '',
    signed_date: row.signedDate === null ? '' : writeDate(row.signedDate, format),
    sepa_creditor_identifier: row.creditorIdentifier ?? '',
    unique_mandate_reference: row.mandateReference ?? '',
  }
  return { fields, columns: new Map(), values: null }
}
