import { samePersonIn } from '../../domain/plan/four-eyes.js'
import { textOfPlan, type PlanDocument } from '../../domain/plan/plan.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { UsageError } from '../../errors.js'
import { maskEvidence } from '../decide/resolution.js'
import { noteChange } from '../deliver/campaign-rows.js'
import type { Connection } from '../file/connection.js'
import type { ApprovalGiven } from '../ledger.js'

/** @returns the id of the plan; a plan that is on record already is left as it is */
export function recordPlan(connection: Connection, document: PlanDocument): number {
  const { digest, plannedAt, plannedBy, plannedAs } = document
  const known = connection
    .prepare<[string], number>('select id from plan where digest = ?')
    .pluck()
    .get(digest)
  if (known !== undefined) return known
  const { lastInsertRowid } = connection
    .prepare(
      `insert into plan (digest, planned_at, planned_by, planned_as, last_decision, document)
       values (:digest, :plannedAt, :plannedBy, :plannedAs, (select coalesce(max(id), 0) from decision), :text)`,
    )
    .run({ digest, plannedAt, plannedBy, plannedAs, text: textOfPlan(document) })
  noteChange(connection, plannedAt)
  return Number(lastInsertRowid)
}

/**
 * @returns whether planner and approver are one person, which was allowed
 * @throws {UsageError} without a name or a reason, for a plan that is not on record here, and for one person where two
 *   are needed
 */
export function recordApproval(connection: Connection, given: ApprovalGiven, at: string): boolean {
  const { digest, as, approvedAt = at, expiresAt, evidence } = given
  const [by, reason] = [maskAccounts(given.by.trim()), maskAccounts(given.reason.trim())]
  if (by === '' || reason === '')
    throw new UsageError('The approval needs a person and a reason; nothing was recorded', 'Give both', {
      ways: ['name_person', 'give_reason'],
    })
  const plan = connection
    .prepare<[string], { id: number; by: string; as: string | null }>(
      `select id, planned_by as "by", planned_as as "as" from plan where digest = ?`,
    )
    .get(digest)
  if (plan === undefined) throw new UsageError(NOT_HERE, 'Plan with this ledger, and approve that plan')
  const same = samePersonIn(plan, { by, as })
  if (same !== null && given.allowsSamePerson !== true)
    throw new UsageError(
      `The plan needs a second person: ${same}; nothing was recorded`,
      'Have somebody else approve it, under their own user of this machine. Where there is nobody else, allow the same person: the report then says so in its first lines',
      { ways: ['approve_elsewhere', 'same_person'] },
    )
  connection
    .prepare(
      `insert into approval
         (plan_id, digest, approved_at, approved_by, approved_as, reason, same_person, expires_at, evidence)
       values (:planId, :digest, :approvedAt, :by, :as, :reason, :isSame, :expiresAt, :evidence)`,
    )
    .run({
      planId: plan.id,
      digest,
      approvedAt,
      by,
      as,
      reason,
      isSame: same === null ? 0 : 1,
      expiresAt,
      evidence: evidence === null ? null : maskEvidence(evidence),
    })
  noteChange(connection, at)
  return same !== null
}

const NOT_HERE = 'This ledger did not record that plan; nothing was recorded'
