import { ruleOf, severityOf } from '../../domain/rule/rules.js'
import { pagesOf } from '../read/pages.js'
import { IS_HELD } from './held-rows.js'
import { prepareNotices } from './problems.js'
import { describeRow } from './row-names.js'
import { isErased, type Scope } from './scope.js'

const RULE = 'MANDATE_RESEMBLES_SENT'
const PAGE = 500

/**
 * Rows that are, will be or may be at the service. Whatever a row that once was in doubt is called now, its mandate may
 * have arrived. Rows of the same command are compared by people: they get the warning on several mandates.
 */
const isSent = (row: string): string => `(${row}.state in ('sending', 'registered', 'in_doubt')
  or (${row}.state = 'ready' and ${row}.id < :firstOfAll)
  or exists (select 1 from attempt where attempt.row_id = ${row}.id and outcome in ('in_doubt', 'released')))`

/** A row that was replaced is the same mandate as what took its place, with the values of before. */
const SENT = `(${isSent('older')} or older.state = 'superseded' and exists (
  with recursive heir (id) as (
    select older.superseded_by
    union select row.superseded_by from row join heir on row.id = heir.id where row.superseded_by is not null)
  select 1 from heir join row as last on last.id = heir.id where last.superseded_by is null and ${isSent('last')}))`

/**
 * A mandate is known by creditor and reference, so one whose reference was corrected in the export is another one, and
 * the customer would be debited twice. Customer, account and date tell it; the account by its fingerprint, which
 * outlives it, though not an erasure: then customer and date must do. Such a row waits for a person, whose word on a row
 * that was held for a word of its own says nothing of other mandates.
 */
export function decideResemblances({ connection, first, firstOfAll, columns, severities }: Scope): void {
  const severity = severityOf(RULE, severities)
  if (severity === 'off' || first === 1) return
  connection.exec(
    'create temp table if not exists resembling (id integer primary key, older integer not null)',
  )
  connection.exec('delete from temp.resembling')
  connection
    .prepare<[{ first: number; firstOfAll: number }]>(
      `insert into temp.resembling select row.id, min(older.id) from row
         join row as older on older.customer_no = row.customer_no
           and (older.iban_key = row.iban_key or ${isErased('older')})
           and older.signed_date = row.signed_date and older.mandate_key <> row.mandate_key and older.id < :first
        where row.id >= :first and row.state = 'ready' and ${SENT}
          and not exists (select 1 from temp.given_back where given_back.id = row.id and is_decided = 1
            and not exists (select 1 from row as named where named.id = row.corrects and named.${IS_HELD}))
        group by row.id`,
    )
    .run({ first, firstOfAll })
  const page = connection.prepare<[number, number], { id: number; older: number }>(
    'select id, older from temp.resembling where id > ? order by id limit ?',
  )
  const notices = prepareNotices(connection, columns)
  const nameOf = describeRow(connection, first)
  const holdBack = connection.prepare<[string, number]>(
    `update row set state = 'conflict', rule = ? where id = ?`,
  )
  const { message, remedy } = ruleOf(RULE)
  for (const rows of pagesOf(
    (after) => page.all(after, PAGE),
    ({ id }) => id,
  ))
    for (const { id, older } of rows) {
      const text = `${message} Compare it with ${nameOf(older)}.`
      const notice = {
        rule: RULE,
        severity,
        field: 'unique_mandate_reference',
        message: text,
        remedy,
      } as const
      notices.write(notice, 'id = :id', { id })
      if (severity === 'error') holdBack.run(RULE, id)
    }
  connection.exec('delete from temp.resembling')
}
