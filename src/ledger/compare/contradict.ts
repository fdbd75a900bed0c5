import { give, noticeOf } from '../admit/problems.js'
import { ruleOf } from '../../domain/rule/verdict.js'
import { sql, type Connection } from '../file/connection.js'
import { noteContradicting, type Contradicting } from './contradicting.js'

/** Records that come in, that `where` (SQL over `row`) selects, wait as what contradicts the row that was sent. */
export function contradict(
  connection: Connection,
  { where, values = {}, more = '', sent, at }: Omit<Contradicting, 'records'> & Contradicted,
): void {
  const records = sql(connection)<Contradicting['records'][number]>`
    select row.id, row.state as was, row.rule from row where ${where} order by row.id`.all(values)
  const message = `${ruleOf('CONTRADICTS_SENT').message} It is {row}${more}.`
  give(
    connection,
    'conflict',
    noticeOf('CONTRADICTS_SENT', { message, other: sent, isBeside: true }),
    where,
    values,
  )
  noteContradicting(connection, { sent, records, at })
}

interface Contradicted {
  readonly where: string
  readonly values?: Readonly<Record<string, unknown>>
  /** Said of the row that was sent. */
  readonly more?: string
}
