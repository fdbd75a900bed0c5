import type { Choice } from '../../domain/row/choice.js'
import { PAYER_FIELDS } from '../../domain/mandate/mandate.js'
import { severityOf, type SeverityOverrides } from '../../domain/rule/verdict.js'
import { cleanCell, namesInTemplate } from '../../domain/text/text.js'
import { isStranger, STRANGERS, type PayerClaim, type WhoVerdict } from '../../domain/who/names.js'
import { prepareColumns, type HeaderColumns } from '../admit/fingerprints.js'
import { holdFound, noticeOf } from '../admit/problems.js'
import { MAY_BE_SENT } from '../deliver/gate.js'
import {
  IS_CHOSEN,
  placedChoice,
  rowsOf,
  sql,
  sqlValue,
  type Connection,
  type LedgerWork,
} from '../file/connection.js'
import { fingerprintsOf, noteChange } from '../deliver/campaign-rows.js'

/** Whom to ask, in order, and what the export says of them. In memory alone: some 250 bytes a customer. */
export type WhoList = ReadonlyMap<number, readonly Claim[]>
export type WhoVerbs = ReturnType<typeof createWho>

interface Claim extends PayerClaim {
  /** Says that a row is the one that was compared, once its name is gone: made with the secret of the ledger. */
  readonly key: string
}

/** What came of a claim: what is kept of it, and no name. */
export interface Judged extends Pick<Claim, 'key'> {
  readonly customerNo: number
  readonly verdict: WhoVerdict
  readonly answeredAt: string
}

interface PayerRow {
  readonly id: number
  readonly sourceId: number
  readonly customerNo: number
  readonly cells: string
}

const PAYER_ROW = 'row.id as id, source_id as sourceId, customer_no as customerNo, cells'
export const BY_NAME = `('${Object.values(STRANGERS).join(`', '`)}')`

/** Fewer may have moved or married, however short the file is. */
const FEWEST_STRANGERS = 3

/** Of several columns all count together. */
function payerCell({ header, columns }: HeaderColumns, cells: readonly string[], field: string): string {
  const { [field]: column } = columns
  // A column may have no name, and is none of these for that.
  const names = column === undefined ? [] : header.includes(column) ? [column] : namesInTemplate(column)
  return names
    .map((name) => cleanCell(cells[header.indexOf(name)] ?? ''))
    .join(' ')
    .trim()
}

type WhoParts = Omit<LedgerWork, 'clock'>

const latestOf = (connection: Connection, key: string): WhoVerdict | undefined =>
  sqlValue(connection)<WhoVerdict>`
    select verdict from who where claim = unhex(?) order by id desc limit 1`.get(key)

function claimsIn({ connection, file }: WhoParts, baseUrl: string): (row: PayerRow) => Claim {
  const columnsOf = prepareColumns(connection)
  const { raw } = fingerprintsOf(connection, file, 'compare the customers of')
  return ({ sourceId, customerNo, cells }) => {
    const read = JSON.parse(cells) as string[]
    const [name = '', orgNo = ''] = PAYER_FIELDS.map((field) => payerCell(columnsOf(sourceId), read, field))
    return { name, orgNo, key: raw(['who', baseUrl, String(customerNo), name, orgNo]).toString('hex') }
  }
}

/**
 * The customers of what would be sent, with what the export says of each, but for those of whom it is known that they
 * agree. Who differed before comes last, so that an asking that is broken off again and again comes to its end.
 */
function listCustomers(parts: WhoParts, baseUrl: string, choice: Choice | null): WhoList {
  const { connection } = parts
  const [list, fresh] = [new Map<number, Claim[]>(), new Set<number>()]
  const claimOf = claimsIn(parts, baseUrl)
  const page = sql(connection)<PayerRow>`
    select ${PAYER_ROW} from row where row.id > :after and ${MAY_BE_SENT} and ${IS_CHOSEN} order by row.id limit :limit`
  for (const row of rowsOf(page, { choice: placedChoice(connection, choice) })) {
    const [{ customerNo }, claim] = [row, claimOf(row)]
    const verdict = latestOf(connection, claim.key)
    const claims = list.get(customerNo) ?? []
    if (verdict === 'agrees' || verdict === 'no_name' || claims.some(({ key }) => key === claim.key)) continue
    list.set(customerNo, [...claims, claim])
    if (verdict === undefined) fresh.add(customerNo)
  }
  return new Map([...list].sort(([one], [other]) => Number(fresh.has(other)) - Number(fresh.has(one))))
}

/** Who the customers of the rows are, as far as the service was asked (ledger/README.md#evidence). */
export function createWho(parts: WhoParts) {
  const { connection, storage, now } = parts
  return {
    list: (baseUrl: string, choice: Choice | null) => listCustomers(parts, baseUrl, choice),
    record: (judged: readonly Judged[]): void =>
      storage.write(() => {
        const keep = sql(connection)`
          insert into who (customer_no, claim, verdict, answered_at) values (?, unhex(?), ?, ?)`
        for (const { customerNo, key, verdict, answeredAt } of judged)
          keep.run(customerNo, key, verdict, answeredAt)
        noteChange(connection, now())
      }),
    /**
     * Ready rows of other customers than the service has become conflicts, as far as the rules are errors and nobody said
     * that they are sent all the same. While an admission is open it is part of it.
     * @returns the first source that is refused for it
     */
    hold: (baseUrl: string, severities: SeverityOverrides) =>
      storage.join(() => {
        const [claimOf, sources] = [claimsIn(parts, baseUrl), new Set<number>()]
        const [at, said] = [now(), `named.rule in ${BY_NAME}`]
        for (const row of sql(connection)<PayerRow>`
          select ${PAYER_ROW} from row where +state = 'ready'
            and customer_no in (select customer_no from who where verdict in ('differs', 'unknown')) order by row.id`.all()) {
          const verdict = latestOf(connection, claimOf(row).key)
          if (!isStranger(verdict)) continue
          const notice = noticeOf(STRANGERS[verdict], { field: 'customer_no' })
          const severity = severityOf(STRANGERS[verdict], severities)
          if (holdFound(connection, row.id, notice, { severity, at, said })) sources.add(row.sourceId)
        }
        if (severityOf('FILE_CUSTOMERS_DIFFER', severities) !== 'error') return null
        const counted = [...sources].map((source) => countStrangers(connection, source))
        return counted.find(({ rows, compared }) => rows >= FEWEST_STRANGERS && rows * 10 > compared) ?? null
      }),
  }
}

/** How many rows of a source are held, of those whose customers were compared. */
function countStrangers(connection: Connection, sourceId: number) {
  const counted = sql(connection)<{ source: string; rows: number; compared: number }>`
    select (select name from source where id = :sourceId) as source, count(*) as compared,
      count(*) filter (where state = 'conflict' and rule in ${BY_NAME}) as rows
     from row where source_id = :sourceId and state not in ('duplicate', 'superseded', 'excluded', 'invalid')
      and customer_no in (select customer_no from who where verdict in ('agrees', 'differs', 'unknown'))`
  return counted.get({ sourceId }) ?? { source: '', rows: 0, compared: 0 }
}
