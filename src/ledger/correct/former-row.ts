import type { RuleId } from '../../domain/rule/rules.js'
import type { Connection } from '../file/connection.js'

/** Hold a correction back that has what belongs to another row. */
export const TAKES_REFERENCE = 'CORRECTION_TAKES_REFERENCE' satisfies RuleId
export const TAKES_ACCOUNT = 'CORRECTION_TAKES_ACCOUNT' satisfies RuleId

/** Such a row stands under the key of another mandate, and must not take part in what is decided of that. */
export const HAS_ITS_KEY = `rule is not '${TAKES_REFERENCE}'`

/** What it says was never agreed to. */
export const IS_TAKING = `coalesce(rule, '') in ('${TAKES_REFERENCE}', '${TAKES_ACCOUNT}')`

/**
 * Remembers which row a line corrects, while its source is being admitted, and the row with whose values it is compared:
 * what was held back meanwhile was never agreed to.
 */
export function prepareFormerRows(connection: Connection) {
  connection.exec(
    `create temp table if not exists correction
       (id integer primary key, former integer not null, base integer not null, from_state text not null)`,
  )
  connection.exec('delete from temp.correction')
  const note = connection.prepare<[number, number, number, string]>(
    'insert into temp.correction values (?, ?, ?, ?)',
  )
  const before = connection
    .prepare<[number], number | null>(
      `select (select max(older.id) from row as older where older.superseded_by = row.id)
         from row where id = ? and ${IS_TAKING}`,
    )
    .pluck()
  return (id: number, former: number, state: string): void => {
    let base = former
    for (let next = before.get(base); typeof next === 'number'; next = before.get(base)) base = next
    note.run(id, former, base, state)
  }
}
