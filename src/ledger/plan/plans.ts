import { createHash } from 'node:crypto'
import {
  approversIn,
  approversText,
  textOfPlan,
  textOfStatement,
  type ApprovalStatement,
  type Approver,
  type PlanDocument,
  type PlannedRows,
  type StaysBehind,
  isCounted,
  approverOf,
} from '../../domain/plan/plan.js'
import type { Choice } from '../../domain/row/choice.js'
import { CORRECTED } from '../../domain/row/correction.js'
import { maskAccounts } from '../../domain/text/accounts.js'
import { UsageError } from '../../errors.js'
import { fingerprintOf, readSignature } from '../../trust/signature.js'
import { ALL_THAT_MAY_BE_SENT, HELD_WHATEVER_THE_TIME, IS_LATEST } from '../deliver/gate.js'
import { noteChange } from '../deliver/campaign-rows.js'
import { IS_CHOSEN, placedChoice, sql, sqlWithJson, sqlValue, type Connection } from '../file/connection.js'
import type { ApprovalGiven } from '../ledger.js'
import { FIRST_PLAN } from '../schema/guards.js'
import type { ApprovalRecord, PlanRecord, SentUnder } from '../read/reader.js'

/** A plan that is on record already is left as it is. @throws {UsageError} for other approvers than those of the first plan */
export function recordPlan(connection: Connection, document: PlanDocument): void {
  assertApprovers(connection, approversIn(document))
  const { changes } = sql(connection)`
    insert into plan (digest, last_decision, document)
       values (:digest, (select coalesce(max(id), 0) from decision), :text)
       on conflict (digest) do nothing`.run({ digest: document.digest, text: textOfPlan(document) })
  if (changes > 0) noteChange(connection, document.plannedAt)
}

/** Who plans must not choose, plan by plan, whose approval counts. */
function assertApprovers(connection: Connection, approvers: readonly Approver[]): void {
  const bound = readApprovers(connection)
  const keysOf = (all: readonly Approver[]): string =>
    all
      .map(({ name, key }) => `${key} ${name}`)
      .sort()
      .join()
  if (bound === null || keysOf(bound) === keysOf(approvers)) return
  throw new UsageError(
    'The approvers are not those that this ledger was bound to with its first plan; nothing was planned',
    bound.length === 0
      ? 'Leave "approvers" out: its approvals are recorded with a reference. Approvers need a ledger that is planned with them from the start'
      : `Name the same ones again: ${approversText(bound)}. Other approvers need a ledger that is planned with them from the start`,
  )
}

/** Fingerprint of the key that signed a statement; null where none did, or where the signature is of something else. */
export function signingKey(statement: ApprovalStatement, signature: string | null): string | null {
  const read = signature === null ? null : readSignature(signature)
  return read?.isOf(Buffer.from(textOfStatement(statement))) === true ? fingerprintOf(read.publicKey) : null
}

/**
 * @param given of a plan on record, with a signature of it or none, and not on record itself
 * @returns its id
 * @throws {UsageError} without a key of an approver where these are bound
 */
export function recordApproval(connection: Connection, given: ApprovalGiven, at: string): number {
  const approvers = readApprovers(connection) ?? []
  if (!isCounted({ key: signingKey(given, given.signature) }, approvers))
    throw new UsageError(
      `An approval counts here with the key of an approver alone: ${approversText(approvers)}; nothing was recorded`,
      'Have one of them approve the plan with their key (sepa-migrate approve plan.json --by NAME --key KEY.pem)',
    )
  const { lastInsertRowid } = sql(connection)`
    insert into approval
         (digest, approved_at, approved_by, recorded_as, expires_at, reference, signature)
       values (:digest, :approvedAt, :approvedBy, :recordedAs, :expiresAt, :reference, :signature)`.run({
    ...given,
    digest: given.plan,
    reference: given.reference === null ? null : maskAccounts(given.reference),
  })
  noteChange(connection, at)
  return Number(lastInsertRowid)
}

/** 64 hexadecimal digits over the document without them. */
export const planDigestOf = (body: Omit<PlanDocument, 'digest'>): string =>
  createHash('sha256').update(textOfPlan(body)).digest('hex')

type StoredApproval = Omit<ApprovalRecord, 'key'> & ApprovalStatement

/** Runs say in their settings which plan they went under. */
const RUNS_UNDER = `(select id from run where settings ->> '$.plan' = :digest)`

/** What an invalid row is invalid for: the first of its errors. */
const FIRST_ERROR = `(select problem.rule from problem where row_id = row.id and severity = 'error' order by id limit 1)`

export const planReads = (connection: Connection) => ({
  /** In the order in which they were made. */
  plans: (): PlanRecord[] => connection.transaction(readPlans)(connection),
  /** A configuration of this campaign once asked for approvals: none that comes later takes that back. */
  isApprovalRequired: (): boolean =>
    sql(connection)`
      select 1 from plan where document ->> '$.settings.approval' = 'required'
       union all select 1 from run where settings ->> '$.approvalRequired'`.get() !== undefined,
  /** Whose keys count, as the first plan named them; nobody where it named none. */
  approvers: () => readApprovers(connection) ?? [],
  /**
   * Rows whose requests left, by the approval that their run went under; null for none. A row that was asked about first
   * may be in doubt without having left.
   */
  sentByApproval: () =>
    sql(connection)<SentUnder>`
      select settings ->> '$.approval' as approval, count(distinct row_id) as rows
        from attempt join run on run.id = run_id
        where started is not 0 and outcome is not 'turned_away' and outcome is not 'not_sent'
        group by 1 order by 1`.all(),
  /**
   * The ready rows that the choice of the plan takes and no comparison holds back, with those that runs under it have sent:
   * the same set before, within and after its runs, whatever becomes of its rows. Null for no plan.
   */
  plannedRows: (digest: string | null, choice: Choice | null = null): PlannedRows => {
    // The keyed fingerprint of the five values that are sent; a row without it is never sent.
    const keys = sqlValue(connection)<Buffer | ''>`
      select coalesce(content_key, '') from row
        where ${ALL_THAT_MAY_BE_SENT} and ${IS_CHOSEN} or id in (select row_id from attempt where run_id in ${RUNS_UNDER})
        order by content_key`
    const planKey = sqlValue(connection)<Buffer | null>`select plan_key from campaign`.get() ?? ''
    const hash = createHash('sha256').update(planKey)
    let count = 0
    for (const key of keys.iterate({ digest, choice: placedChoice(connection, choice) })) {
      count += 1
      hash.update(key)
    }
    return { count, digest: hash.digest('hex') }
  },
  /** Rows that runs under this plan have sent. */
  sentUnder: (digest: string): number =>
    sqlValue(connection)<number>`
      select count(distinct row_id) from attempt where run_id in ${RUNS_UNDER}`.get({ digest }) ?? 0,
  /** Rows that people decided to send once more since, other than the refused ones that the plan holds. */
  readyAgainSince: ({
    digest,
    lastDecision,
    document,
  }: Pick<PlanRecord, 'digest' | 'lastDecision' | 'document'>): number =>
    sqlValue(connection)<number>`
      select count(distinct decision.row_id) from decision left join attempt on attempt.id = attempt_id
        where decision.id > :after and to_state = 'ready' and decision <> '${CORRECTED}'
          and not (:retries and decision = 'retry_refused' and coalesce(run_id, 0) not in ${RUNS_UNDER})`.get(
      {
        digest,
        after: lastDecision,
        retries: document.retriesRefused ? 1 : 0,
      },
    ) ?? 0,
  /** Rows that no run sends as they are. */
  staysBehind: () =>
    sql(connection)<StaysBehind>`
      select state, iif(state = 'ready', ${WHY_HELD}, coalesce(rule, ${FIRST_ERROR})) as rule, count(*) as count from row
        where (state not in ('ready', 'sending', 'registered', 'superseded') or state = 'ready' and ${HELD_WHATEVER_THE_TIME})
         and counted_in is not null group by 1, 2 order by 3 desc, 1, 2`.all(),
})

/**
 * The digest is that of the bytes, whatever stands beside them, and an approval is of the plan that it names: a hand on
 * the file moves neither to another plan.
 */
function readPlans(connection: Connection): PlanRecord[] {
  const given = sql(connection)<StoredApproval>`
    select id, digest as plan, approved_at as approvedAt, approved_by as approvedBy,
       recorded_as as recordedAs, expires_at as expiresAt, reference, signature from approval order by id`.all()
  const plans = sqlWithJson<Omit<PlanRecord, 'approvals' | 'digest'>>(connection, 'document')`
    select id, last_decision as lastDecision, document, document as text from plan order by id`.all()
  const approvers = readApprovers(connection) ?? []
  return plans.map((plan) => {
    const { digest: _, ...body } = plan.document
    const digest = planDigestOf(body)
    const approvals = given.flatMap(({ plan: named, ...approval }) => {
      if (named !== digest) return []
      const key = signingKey({ ...approval, plan: named }, approval.signature)
      return [{ ...approval, key, approvedBy: approverOf({ ...approval, key }, approvers) }]
    })
    return { ...plan, digest, approvals }
  })
}

/** Null before the first plan. */
function readApprovers(connection: Connection): Approver[] | null {
  const first = sqlWithJson<Pick<PlanRecord, 'document'>>(connection, 'document')`
    select document from plan where id = ${FIRST_PLAN}`.get()
  return first === undefined ? null : approversIn(first.document)
}

/** Of ready rows, what the latest comparison says of them. */
const WHY_HELD = `iif(exists (select 1 from compared where row_id = row.id and ${IS_LATEST} and class = 'changed_before_sending'),
  'CHANGED_SINCE_COMPARED', 'CUT_OVER')`
