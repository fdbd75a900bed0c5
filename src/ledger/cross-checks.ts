import { ruleOf, severityOf, type RuleId } from '../domain/rules.js'
import { prepareNotices, type Notice } from './problems.js'
import { NEW, sqlList } from './schema.js'
import type { Scope } from './scope.js'

const NEWCOMER = `id >= :first and state = '${NEW}' and verdict = 'sendable'`
/** Rows whose mandate is, or will be, at the service. */
const SENT_OR_TO_SEND = `((state = '${NEW}' and verdict = 'sendable')
  or state in (${sqlList(['ready', 'sending', 'registered', 'in_doubt'])}))`

interface Rule {
  readonly rule: Extract<RuleId, 'CUSTOMER_MULTIPLE_MANDATES' | 'MANDATE_NEAR_DUPLICATE' | 'IBAN_SHARED'>
  readonly field: Notice['field']
  /** SQL that gives the newcomers which break the rule, as `id`. */
  readonly select: string
}

/** Reports every row that the rule finds; as an error, the rule makes them invalid. */
function settle({ connection, columns, severities, first }: Scope, { rule, field, select }: Rule): void {
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
export const settleCustomers = (scope: Scope): void =>
  settle(scope, {
    rule: 'CUSTOMER_MULTIPLE_MANDATES',
    field: 'customer_no',
    select: `
      with customer as (select distinct customer_no from row where ${NEWCOMER}),
      crowded as (
        select customer.customer_no from customer join row on row.customer_no = customer.customer_no
          where ${SENT_OR_TO_SEND} group by customer.customer_no having count(*) > 1)
      select id from row where ${NEWCOMER} and customer_no in (select customer_no from crowded)`,
  })

/** MANDATE_NEAR_DUPLICATE. Only keys with a blank have another spelling, and an index holds just those. */
export const settleNearDuplicates = (scope: Scope): void => {
  const isPossible = scope.connection
    .prepare(`select 1 from row where instr(mandate_key, ' ') > 0 limit 1`)
    .get()
  if (isPossible === undefined) return
  const spelling = `replace(mandate_key, ' ', '')`
  const hasBlank = `instr(mandate_key, ' ') > 0`
  const counts = `state not in ('superseded', 'duplicate')`
  settle(scope, {
    rule: 'MANDATE_NEAR_DUPLICATE',
    field: 'unique_mandate_reference',
    select: `
      with spelling (squeezed) as materialized (
        select ${spelling} from row where ${NEWCOMER} and ${hasBlank}
        union
        select mandate_key from row where ${NEWCOMER} and not ${hasBlank} and exists
          (select 1 from row as other where replace(other.mandate_key, ' ', '') = row.mandate_key
             and instr(other.mandate_key, ' ') > 0)),
      member (squeezed, id, mandate_key) as materialized (
        select squeezed, row.id, mandate_key from spelling join row on ${spelling} = squeezed and ${hasBlank}
          where ${counts}
        union all
        select squeezed, row.id, mandate_key from spelling join row on mandate_key = squeezed
          where ${counts} and not ${hasBlank}),
      double (squeezed) as (
        select squeezed from member group by squeezed having min(mandate_key) <> max(mandate_key))
      select id from row where ${NEWCOMER} and id in
        (select member.id from member join double on member.squeezed = double.squeezed)`,
  })
}

/** IBAN_SHARED, over fingerprints: it still sees an account whose row is registered. */
export const settleSharedAccounts = (scope: Scope): void =>
  settle(scope, {
    rule: 'IBAN_SHARED',
    field: 'iban',
    select: `
      with shared as (
        select iban_key from row where iban_key is not null and ${SENT_OR_TO_SEND}
          group by iban_key having min(customer_no) <> max(customer_no))
      select id from row where ${NEWCOMER} and iban_key in (select iban_key from shared)`,
  })
