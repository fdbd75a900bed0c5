import { ruleOf, severityOf, type RuleId } from '../../domain/rule/rules.js'
import { prepareNotices, type Notice } from './problems.js'
import { sqlList } from '../schema/sql-list.js'
import type { Scope } from './scope.js'

const NEWCOMER = `id >= :first and state = 'ready'`
/** Rows whose mandate is, or will be, at the service. */
const SENT_OR_TO_SEND = `state in (${sqlList(['ready', 'sending', 'registered', 'in_doubt'])})`

interface CrossCheck {
  readonly rule: Extract<RuleId, 'CUSTOMER_MULTIPLE_MANDATES' | 'MANDATE_NEAR_DUPLICATE' | 'IBAN_SHARED'>
  readonly field: Notice['field']
  /** SQL that gives the newcomers which break the rule, as `id`. */
  readonly select: string
}

/** Reports every row that the rule finds; as an error, the rule makes them invalid. */
function decide(
  { connection, columns, severities, first }: Scope,
  { rule, field, select }: CrossCheck,
): void {
  const severity = severityOf(rule, severities)
  if (severity === 'off') return
  connection.exec('create temp table if not exists found (id integer primary key)')
  connection.exec('delete from temp.found')
  connection.prepare(`insert into temp.found (id) ${select}`).run({ first })
  const { message, remedy } = ruleOf(rule)
  const where = 'id in (select id from temp.found)'
  prepareNotices(connection, columns).write({ rule, severity, field, message, remedy }, where, {})
  if (severity === 'error') {
    connection.prepare<[string]>(`update row set state = 'invalid', rule = ? where ${where}`).run(rule)
  }
  connection.exec('delete from temp.found')
}

/** CUSTOMER_MULTIPLE_MANDATES. Rows that will be sent never share a key here, so two of them are two mandates. */
export const decideCustomers = (scope: Scope): void =>
  decide(scope, {
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
  })

/** MANDATE_NEAR_DUPLICATE. One of the two spellings has a blank, and an index holds just the keys that have one. */
export const decideNearDuplicates = (scope: Scope): void =>
  decide(scope, {
    rule: 'MANDATE_NEAR_DUPLICATE',
    field: 'unique_mandate_reference',
    select: `
      with blank (squeezed, id, mandate_key) as materialized (
        select replace(mandate_key, ' ', ''), id, mandate_key from row
          where instr(mandate_key, ' ') > 0 and state not in ('superseded', 'duplicate')),
      spelling (squeezed) as materialized (select distinct squeezed from blank),
      member (squeezed, id, mandate_key) as materialized (
        select * from blank
        union all
        select squeezed, row.id, row.mandate_key from spelling cross join row on row.mandate_key = squeezed
          where state not in ('superseded', 'duplicate')),
      twin (squeezed) as materialized (
        select squeezed from member group by squeezed having min(mandate_key) <> max(mandate_key))
      select id from row where ${NEWCOMER} and id in
        (select member.id from member where member.squeezed in (select squeezed from twin))`,
  })

/** IBAN_SHARED, over fingerprints: it still sees an account whose row is registered. */
export const decideSharedAccounts = (scope: Scope): void =>
  decide(scope, {
    rule: 'IBAN_SHARED',
    field: 'iban',
    select: `
      with shared as (
        select iban_key from row where iban_key is not null and ${SENT_OR_TO_SEND}
          group by iban_key having min(customer_no) <> max(customer_no))
      select id from row where ${NEWCOMER} and iban_key in (select iban_key from shared)`,
  })
