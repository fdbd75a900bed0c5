import { createHash } from 'node:crypto'
import { CORRECTED } from '../../domain/row/correction.js'
import type { PlanDocument, PlannedRows, StaysBehind } from '../../domain/plan/plan.js'
import type { Choice } from '../../domain/row/choice.js'
import { IS_CHOSEN, placedChoice } from '../read/chosen-rows.js'
import type { Connection } from '../file/connection.js'
import type { ApprovalRecord, LedgerReader, PlanRecord } from '../read/reader.js'

type PlanReads = Pick<LedgerReader, 'plans' | 'plannedRows' | 'sentUnder' | 'readyAgainSince' | 'staysBehind'>

interface StoredPlan extends Omit<PlanRecord, 'document' | 'approvals'> {
  readonly document: string
}

interface StoredApproval extends Omit<ApprovalRecord, 'isSamePerson'> {
  readonly planId: number
  readonly isSamePerson: 0 | 1
}

/** Runs say in their settings which plan they went under. */
const RUNS_UNDER = `(select id from run where settings ->> '$.plan' = :digest)`

/** What an invalid row is invalid for: the first of its errors. */
const FIRST_ERROR = `(select problem.rule from problem where row_id = row.id and severity = 'error' order by id limit 1)`

export function preparePlanReads(connection: Connection): PlanReads {
  const sent = connection
    .prepare<[{ digest: string }], number>(
      `select count(distinct row_id) from attempt where run_id in ${RUNS_UNDER}`,
    )
    .pluck()
  const again = connection
    .prepare<[{ digest: string; after: number; retries: 0 | 1 }], number>(
      `select count(distinct decision.row_id) from decision left join attempt on attempt.id = attempt_id
        where decision.id > :after and to_state = 'ready' and decision <> '${CORRECTED}'
          and not (:retries and decision = 'retry_refused' and coalesce(run_id, 0) not in ${RUNS_UNDER})`,
    )
    .pluck()
  const behind = connection.prepare<[], StaysBehind>(
    `select state, coalesce(rule, ${FIRST_ERROR}) as rule, count(*) as count from row
      where state not in ('ready', 'sending', 'registered', 'superseded') and place is not 0
      group by 1, 2 order by 3 desc, 1, 2`,
  )
  return {
    plans: () => readPlans(connection),
    plannedRows: (digest, choice = null) => plannedRows(connection, digest, choice),
    sentUnder: (digest) => sent.get({ digest }) ?? 0,
    readyAgainSince: ({ digest, lastDecision, document }) =>
      again.get({ digest, after: lastDecision, retries: document.retriesRefused ? 1 : 0 }) ?? 0,
    staysBehind: () => behind.all(),
  }
}

function readPlans(connection: Connection): PlanRecord[] {
  const plans = connection.prepare<[], StoredPlan>(
    `select id, digest, planned_at as plannedAt, planned_by as plannedBy, planned_as as plannedAs,
       last_decision as lastDecision, document, document as text from plan order by id`,
  )
  const approvals = connection.prepare<[], StoredApproval>(
    `select id, plan_id as planId, approved_at as approvedAt, approved_by as approvedBy, approved_as as approvedAs,
       reason, same_person as isSamePerson, expires_at as expiresAt, evidence from approval order by id`,
  )
  return connection.transaction(() => {
    const given = approvals.all()
    return plans.all().map(({ document, ...plan }) => ({
      ...plan,
      document: JSON.parse(document) as PlanDocument,
      approvals: given
        .filter(({ planId }) => planId === plan.id)
        .map(({ planId: _, isSamePerson, ...approval }) => ({
          ...approval,
          isSamePerson: isSamePerson === 1,
        })),
    }))
  })()
}

interface KeyedRow {
  readonly contentKey: Buffer | null
  readonly accountKey: Buffer
  readonly customerNo: number
  readonly signedDate: string
  readonly mandateKey: string
}

/** Of the five values that are sent, by a key of this ledger; rows of its first schema lack the one over all five. */
const keyOf = (row: KeyedRow): Buffer | string =>
  row.contentKey ?? [row.accountKey.toString('hex'), row.customerNo, row.signedDate, row.mandateKey].join('|')

const BITS = 256

/**
 * The ready rows that the choice of the plan takes, with those that runs under it have sent: the same set before, within
 * and after its runs, whatever becomes of its rows. The digests are added up, so that their order does not count.
 */
function plannedRows(connection: Connection, digest: string | null, choice: Choice | null): PlannedRows {
  const rows = connection.prepare<[{ digest: string | null; choice: string | null }], KeyedRow>(
    `select content_key as contentKey, iban_key as accountKey, customer_no as customerNo, signed_date as signedDate,
       mandate_key as mandateKey from row
      where id in (select id from row where state = 'ready' and ${IS_CHOSEN}
        union select row_id from attempt where run_id in ${RUNS_UNDER})`,
  )
  const planKey = connection.prepare<[], Buffer | null>('select plan_key from campaign').pluck().get() ?? ''
  let count = 0
  let sum = 0n
  for (const row of rows.iterate({ digest, choice: placedChoice(connection, choice) })) {
    count += 1
    sum += BigInt(`0x${createHash('sha256').update(planKey).update(keyOf(row)).digest('hex')}`)
  }
  return {
    count,
    digest: BigInt.asUintN(BITS, sum)
      .toString(16)
      .padStart(BITS / 4, '0'),
  }
}
