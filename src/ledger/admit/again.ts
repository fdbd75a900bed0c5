import type { CheckedRecord, RuleId, SourceReading } from '../../domain/rule/verdict.js'
import { REPLACEABLE_STATES } from '../../domain/row/row-state.js'
import { IS_TAKING } from '../deliver/gate.js'
import { sql, type Connection } from '../file/connection.js'
import { sqlList } from '../schema/schema.js'
import { fingerprintRaw, type Fingerprints } from './fingerprints.js'

/** Records of exports that come in once more, as the configuration reads them now. */

/** An export with how it was read last; `count` is how often that was. */
export interface ReadSource {
  readonly id: number
  readonly name: string
  readonly sha256: string
  readonly header: readonly string[]
  readonly reading: SourceReading
  readonly isList: boolean
  readonly count: number
}

/** A record whose mandate was not sent. */
export interface UnsentRow {
  readonly id: number
  /** It waits to learn which export is the newer one. */
  readonly waits: 0 | 1
  /** Rules that look at several rows decide, or have decided, whether it is sent. */
  readonly isOfRules: 0 | 1
  /** The service said no, so it is not sent once more unless it says something else. */
  readonly isRefused: 0 | 1
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

const OF_SEVERAL_ROWS = [
  'CUSTOMER_MULTIPLE_MANDATES',
  'MANDATE_NEAR_DUPLICATE',
  'IBAN_SHARED',
  'MANDATE_RESEMBLES_SENT',
] as const satisfies readonly RuleId[]

/** Somebody wrote "send" beside it. */
const IS_BY_WORD = `exists (select 1 from decision where decision.row_id = row.id and instr(evidence, 'migration_decision') > 0)`

const OF_SOURCE = `(source.id = :id or source.reading ->> '$.readFrom' = :id)`

export const readSourcesOf = (connection: Connection): ReadSource[] =>
  sql(connection)<
    Omit<ReadSource, 'header' | 'reading' | 'isList'> & { header: string; reading: string; kind: string }
  >`
    select source.id, source.name, source.sha256, source.header, source.kind,
       (select count(*) from source as again where again.reading ->> '$.readFrom' = source.id) as count,
       coalesce((select reading from source as again where again.reading ->> '$.readFrom' = source.id order by again.id desc limit 1),
         source.reading) as reading
      from source where kind <> 'again' and admitted_at is not null order by source.id`
    .all()
    .map(({ header, reading, kind, ...source }) => ({
      ...source,
      header: JSON.parse(header) as string[],
      reading: JSON.parse(reading) as SourceReading,
      isList: kind === 'list',
    }))

export function unsentRowsOf(
  connection: Connection,
  source: number,
  after: number,
  limit: number,
): UnsentRow[] {
  return sql(connection)<Omit<UnsentRow, 'cells'> & { cells: string }>`
    select row.id, ${WAITS_FOR_ORDER} as waits, 
       (row.state = 'ready' or coalesce(row.rule, '') in (${sqlList(OF_SEVERAL_ROWS)})) and not ${IS_BY_WORD} as isOfRules, row.state = 'refused' as isRefused, row.line, row.record, row.cells
      from source cross join row on row.source_id = source.id where ${OF_SOURCE} and row.id > :after and ${IS_UNSENT}
     order by row.id limit :limit`
    .all({ id: source, after, limit })
    .map((row) => ({ ...row, cells: JSON.parse(row.cells) as string[] }))
}

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
