import { basename } from 'node:path'
import { isAsExpected, type ComparedTotals, type Expected } from '../../domain/row/row-state.js'
import { maskAccounts } from '../../domain/text/accounts.js'
import { UsageError } from '../../errors.js'
import { COMPARED_FILES } from '../deliver/gate.js'
import { sql, sqlValue, type Connection } from '../file/connection.js'

/** What the former provider counts, beside the records of the export that it is about. */

const said = (connection: Connection): Expected[] =>
  JSON.parse(
    sqlValue(connection)<string>`select coalesce(expected, '[]') from campaign`.get() ?? '[]',
  ) as Expected[]

/** Of the export that counts as newest: the one that was compared last, else all that the last command brought. */
const NEWEST = `select id from source where kind = 'export' and iif(
  exists (select 1 from source where sha256 in ${COMPARED_FILES}), sha256 in ${COMPARED_FILES},
  admitted_at is (select max(admitted_at) from source where kind = 'export'))`
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
 * Keeps what was said last: a total of the newest export takes the place of all before it, one of a named export that of the
 * same name.
 * @throws {UsageError} where there is no such export
 */
export function recordExpected(connection: Connection, { source, records, customerNoSum }: Expected): void {
  const name = source === null ? null : maskAccounts(basename(source))
  if (name !== null && sqlValue(connection)<number | null>`${NAMED}`.get({ source: name }) === null)
    throw new UsageError(
      `This ledger has no export "${name}" whose records could be compared; nothing was recorded or sent`,
      'Give the name of an export as it came in, or the total alone for the newest one',
    )
  const others = said(connection).filter(
    (each) => name !== null && each.source !== null && each.source !== name,
  )
  sql(connection)`update campaign set expected = ?`.run(
    JSON.stringify([...others, { source: name, records, customerNoSum }]),
  )
}

export const readExpected = (connection: Connection): ComparedTotals[] =>
  said(connection).map((expected) => {
    const { source } = expected
    const text = readOf(source === null ? NEWEST : NAMED)
    const sums = sql(connection)<Sums>`${text}`.get(source === null ? {} : { source })
    const { records, millions, rest, names } = sums ?? { records: 0, millions: 0, rest: 0, names: '' }
    const customerNoSum = String(BigInt(millions) * BigInt(MILLION) + BigInt(rest))
    return { ...expected, names, read: { records, customerNoSum } }
  })

/** How many of the totals are not those that were read. */
export const countUnexpected = (connection: Connection): number =>
  readExpected(connection).filter((totals) => !isAsExpected(totals)).length
