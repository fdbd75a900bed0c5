import { ruleOf } from '../../domain/rule/rules.js'
import { LATEST } from '../admit/earlier-rows.js'
import { prepareHoldRow } from '../admit/hold-row.js'
import { prepareNotices, type Notice } from '../admit/problems.js'
import { describeRow } from '../admit/row-names.js'
import type { Scope } from '../admit/scope.js'
import type { Connection } from '../file/connection.js'
import { pagesOf } from '../read/pages.js'
import { TAKES_ACCOUNT, TAKES_REFERENCE } from './former-row.js'

const PAGE = 500
/** Rows of one line at the most are passed over, and it is one row that is looked for. */
const BEARERS_AT_ONCE = 100

interface Changed {
  readonly id: number
  readonly former: number
  readonly isDecided: 0 | 1
}

interface Found {
  readonly rule: typeof TAKES_ACCOUNT | typeof TAKES_REFERENCE
  readonly other: number
}

/**
 * A column that moved by a line gives each row what belongs to its neighbour. So a reference that any other row of the
 * ledger ever had, or an account that another customer has, waits for a person. Beside their word only a row that still
 * claims the very mandate counts: one of both must be wrong.
 */
export function holdAnothersValues(scope: Scope, at: string): void {
  const { connection } = scope
  if (!gatherBearers(scope)) return
  const look = prepareLooking(connection)
  const hold = prepareHolding(scope, at)
  const page = connection.prepare<[number, number], Changed>(
    `select changed.id, former, is_decided as isDecided from temp.changed
       join temp.correction on correction.id = changed.id
       join temp.given_back on given_back.id = changed.id
      where changed.id > ? order by changed.id limit ?`,
  )
  for (const lines of pagesOf(
    (after) => page.all(after, PAGE),
    ({ id }) => id,
  ))
    for (const line of lines) {
      const found = look(line)
      if (found !== null) hold(line, found)
    }
}

/** @returns false where no reference and no account was changed */
function gatherBearers({ connection, first }: Scope): boolean {
  connection.exec(`
    create temp table if not exists changed (id integer primary key, reference text, account blob,
      customer_no integer, is_customer_changed integer not null);
    create temp table if not exists bearer (id integer primary key, reference text, account blob, customer_no integer);
    create index if not exists temp.bearer_reference on bearer (reference);
    create index if not exists temp.bearer_account on bearer (account);
    delete from temp.changed; delete from temp.bearer`)
  const changed = connection
    .prepare(
      `insert into temp.changed
       select now.id,
              iif(upper(now.original_mandate_reference) is upper(base.original_mandate_reference), null,
                upper(now.original_mandate_reference)),
              iif(now.iban_key is base.iban_key, null, now.iban_key),
              now.customer_no, now.customer_no is not base.customer_no
         from temp.correction join row as now on now.id = correction.id
         join row as base on base.id = correction.base
        where upper(now.original_mandate_reference) is not upper(base.original_mandate_reference)
           or now.iban_key is not base.iban_key`,
    )
    .run().changes
  if (changed === 0) return false
  // One walk over all rows. What was given back and not taken is no row of the campaign.
  connection
    .prepare<[number]>(
      `insert into temp.bearer
       select id, upper(original_mandate_reference), iban_key, customer_no from row
        where (upper(original_mandate_reference) in (select reference from temp.changed)
            or iban_key in (select account from temp.changed))
          and not (place is 0 and state <> 'superseded' and id < ?) and state <> 'duplicate'`,
    )
    .run(first)
  return true
}

/** Finds another row that has the reference or the account; null where there is none. */
function prepareLooking(connection: Connection): (line: Changed) => Found | null {
  const latest = connection.prepare<[number], number>(LATEST).pluck()
  const formerOf = connection
    .prepare<[number], number>('select former from temp.correction where id = ?')
    .pluck()
  const bearers = (where: string) =>
    connection
      .prepare<[number, number], number>(
        `select bearer.id from temp.changed join temp.bearer on ${where}
           join row as other on other.id = bearer.id join row as now on now.id = changed.id
          where changed.id = ? and bearer.id <> changed.id
            and (other.content_key is null or other.content_key is not now.content_key)
          order by bearer.id limit ?`,
      )
      .pluck()
  const ofReference = bearers('bearer.reference = changed.reference')
  const ofMandate = bearers(`bearer.reference = changed.reference and other.mandate_key = now.mandate_key
    and other.state not in ('superseded', 'written_off')`)
  const ofAccount = bearers(`bearer.account = changed.account
    and (bearer.customer_no is not changed.customer_no or is_customer_changed)`)
  const firstBeside = ({ id, former }: Changed, rows: readonly number[]): number | undefined =>
    rows.find((row) => {
      const last = latest.get(row)
      return last !== id && last !== former && formerOf.get(row) !== former
    })
  return (line) => {
    const found = (statement: typeof ofReference): number | undefined =>
      firstBeside(line, statement.all(line.id, BEARERS_AT_ONCE))
    const reference = found(line.isDecided === 1 ? ofMandate : ofReference)
    if (reference !== undefined) return { rule: TAKES_REFERENCE, other: reference }
    const account = line.isDecided === 1 ? undefined : found(ofAccount)
    return account === undefined ? null : { rule: TAKES_ACCOUNT, other: account }
  }
}

function prepareHolding(
  { connection, columns, first }: Scope,
  at: string,
): (line: Changed, found: Found) => void {
  const notices = prepareNotices(connection, columns)
  const nameOf = describeRow(connection, first)
  const give = connection.prepare<[string, number]>(
    `update row set rule = ?, state = iif(state = 'ready', 'conflict', state)
      where id = ? and state in ('ready', 'invalid', 'excluded')`,
  )
  // The row number may be that of another mandate of the customer, and the account the new one of this.
  const shown = connection
    .prepare<[number, number], number>(
      `select other.id from row as now join row as other on other.mandate_key = now.mandate_key
        where now.id = ? and other.id < now.id and other.id <> ? and other.customer_no = now.customer_no
          and other.state = 'ready' and other.attempts = 0`,
    )
    .pluck()
  const holdRow = prepareHoldRow(connection, at)
  return ({ id, former, isDecided }, { rule, other }) => {
    for (const row of shown.all(id, former)) {
      const message = `A line that was given back shows this mandate and names row ${former}. It may be meant for either row.`
      const remedy = 'Give the line back with this row in migration_row, and the other row as it should be.'
      notices.write(
        { rule: 'CONFLICT_MANDATE', severity: 'error', field: 'unique_mandate_reference', message, remedy },
        'id = :row',
        { row },
      )
      holdRow(row, 'CONFLICT_MANDATE', message)
    }
    const { message, remedy } = ruleOf(rule)
    const notice: Notice = {
      rule,
      severity: 'error',
      field: rule === TAKES_ACCOUNT ? 'iban' : 'unique_mandate_reference',
      message: `${message} It is that of ${nameOf(other)}.`,
      remedy: isDecided === 1 ? BOTH_CLAIM_IT : remedy,
    }
    if (give.run(rule, id).changes > 0) notices.write(notice, 'id = :id', { id })
  }
}

const BOTH_CLAIM_IT =
  'Two rows claim one mandate, and only one of them can be sent. Correct the other row or write it off, then give this line back with "send" in migration_decision.'
