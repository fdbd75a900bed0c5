import type { CheckedRecord, SourceReading } from '../../domain/rule/verdict.js'
import { REPLACEABLE_STATES, type RowState } from '../../domain/row/row-state.js'
import { IS_TAKING } from '../deliver/gate.js'
import { sql, type Connection } from '../file/connection.js'
import { sqlList } from '../schema/schema.js'
import { fingerprintRaw, type Fingerprints } from './fingerprints.js'

/** Records of exports that come in once more, as the configuration reads them now. */

const PAGE = 1_000

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
 * What was sent, may have arrived or was closed stays as it is, and so does a correction that waits with what is another's; of a
 * record that may be cut the rest is not known.
 */
const IS_UNSENT = `row.state in (${sqlList(REPLACEABLE_STATES)}) and row.cells is not null and row.place is not 0
  and rule is not 'ROW_MAY_BE_CUT' and not ${IS_TAKING} and not exists (select 1 from attempt where attempt.mandate_key = row.mandate_key
    and (outcome is null or outcome in ('registered', 'in_doubt', 'released')))`

/** What a newer export says of mandates that were not sent and that another record says something else of. */
const WAITS_FOR_ORDER = `(row.state in ('conflict', 'excluded') and exists (select 1 from row as other
  where other.mandate_key = row.mandate_key and other.id <> row.id and other.state in ('ready', 'refused', 'conflict', 'excluded')))`

/** Somebody wrote "send" beside it. */
const IS_BY_WORD = `exists (select 1 from decision where decision.row_id = row.id and instr(evidence, 'migration_decision') > 0)`

/** The same once more; where the file itself was read, what came before says nothing any more. */
const AGAIN = `source as again where again.reading ->> '$.readFrom' = source.id`

export const readSourcesOf = (connection: Connection): ReadSource[] =>
  sql(connection)<
    Record<'header' | 'reading' | 'kind' | 'parts', string> & Pick<ReadSource, 'id' | 'name' | 'sha256'>
  >`
    select source.id, source.name, source.sha256, source.kind,
       coalesce((select header from ${AGAIN} and again.reading -> '$.wasGiven' order by again.id desc limit 1), source.header) as header,
       coalesce((select reading from ${AGAIN} order by again.id desc limit 1), source.reading) as reading,
       (select json_group_array(json_object('first', coalesce(first_row, 0), 'last', coalesce(last_row, -1))) from source as part
         where part.id = source.id or part.reading ->> '$.readFrom' = source.id) as parts
      from source where kind <> 'again' and admitted_at is not null order by source.id`
    .all()
    .map(({ header, reading, parts, kind, ...source }) => ({
      ...source,
      header: JSON.parse(header) as string[],
      reading: JSON.parse(reading) as SourceReading,
      parts: JSON.parse(parts) as ReadSource['parts'],
      isList: kind === 'list',
    }))

export function* unsentRowsOf(
  connection: Connection,
  { parts }: Pick<ReadSource, 'parts'>,
  also = '',
): Generator<UnsentRow[], undefined> {
  const read = sql(connection)<Omit<UnsentRow, 'cells'> & { cells: string }>`
    select row.id, ${WAITS_FOR_ORDER} as waits, ${IS_BY_WORD} as isByWord, row.state, row.rule, row.line, row.record, row.cells
      from row where row.id > :after and row.id <= :last and ${IS_UNSENT} ${also} order by row.id limit ${PAGE}`
  for (const { first, last } of parts)
    for (let after = first - 1; after < last;) {
      const page = read.all({ after, last })
      if (page.length > 0) yield page.map((row) => ({ ...row, cells: JSON.parse(row.cells) as string[] }))
      after = page.at(-1)?.id ?? last
    }
}

/** Finds the mandates of which a record has come in again since this row. */
export const noteMet = (connection: Connection, first: number): void => {
  connection.exec(`create temp table if not exists met (key text primary key) without rowid; delete from temp.met;
    create temp table if not exists come (id integer primary key); delete from temp.come`)
  sql(
    connection,
  )`insert or ignore into temp.come select corrects from row where id >= ? and corrects > 0`.run(first)
  sql(connection)`
    insert or ignore into temp.met select mandate_key from row where mandate_key is not null and (id >= ? or id in temp.come)`.run(
    first,
  )
}

/** What else is said of them: the records of a mandate are weighed together. */
export const IS_MET = 'and row.mandate_key in temp.met and row.id not in temp.come'

/** What other records say decided about the row, too: with those of its mandate it comes again where one of them does. */
export const isHeldByOthers = ({ state, rule }: UnsentRow, { verdict }: CheckedRecord): boolean =>
  rule !== 'DUPLICATE_MANDATE' &&
  rule !== 'CONFLICT_MANDATE' &&
  verdict.kind === 'sendable' &&
  state !== 'ready' &&
  state !== 'refused'

/** SQL: the row is a record of an export, and no line that somebody gave back. */
export const IS_OF_EXPORT = `(row.corrects is null or (select origin.kind from source as again join source as origin
  on origin.id = again.reading ->> '$.readFrom' where again.id = row.source_id) = 'export')`

interface Said {
  readonly contentKey: Buffer | null
  readonly raw: Buffer | null
  readonly mandateKey: string | null
  readonly day: string | null
  readonly customerNo: number | null
  readonly signedDate: string | null
  readonly account: Buffer | null
  readonly hasRule: 0 | 1
  readonly isByWord: 0 | 1
}

/** Whether a record says what its row says, so that the row keeps its place. */
export function saysTheSameAs(connection: Connection, fingerprints: Fingerprints) {
  const read = sql(connection)<Said>`
    select content_key as contentKey, raw, mandate_key as mandateKey, latest_first_debit as day, customer_no as customerNo,
       signed_date as signedDate, iban_key as account,
       exists (select 1 from problem where row_id = row.id and problem.rule = :rule) as hasRule, ${IS_BY_WORD} as isByWord
      from row where id = :id`
  return (id: number, record: CheckedRecord, columns: Parameters<typeof fingerprintRaw>[1]): boolean => {
    const { verdict, findings } = record
    const own = verdict.kind === 'invalid' ? findings.find(({ severity }) => severity === 'error') : undefined
    const rule =
      verdict.kind === 'sendable' ? null : verdict.kind === 'invalid' ? (own?.rule ?? null) : verdict.rule
    const said = read.get({ id, rule })
    if (said === undefined) throw new Error(`There is no row ${id}`)
    if (verdict.kind === 'sendable')
      return (
        said.contentKey?.equals(fingerprints.content(verdict.mandate)) === true &&
        said.day === record.latestFirstDebit
      )
    const { customerNo, iban, signedDate } = record.values
    const isOfAccount =
      iban === null ? said.account === null : said.account?.equals(fingerprints.account(iban)) === true
    const isOfValues =
      isOfAccount &&
      said.customerNo === customerNo &&
      said.signedDate === signedDate &&
      said.mandateKey === record.mandateKey
    // What a person let go keeps going as long as its values are those.
    if (said.isByWord === 1 && said.contentKey !== null) return isOfValues
    return (
      said.contentKey === null &&
      said.hasRule === 1 &&
      isOfValues &&
      said.raw?.equals(fingerprintRaw(fingerprints, columns, record)) === true
    )
  }
}
