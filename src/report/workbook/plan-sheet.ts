import type { ApprovalRecord, PlanRecord, RunRecord } from '../../ledger/read/reader.js'
import { runsUnder } from '../page/page-plans.js'
import { maskedText } from '../page/plain-text.js'
import type { Texts } from '../text/texts.js'
import type { SheetColumn } from './sheet-xml.js'

/** A plan with one of its approvals, or the only line of one that nobody approved. */
interface PlanLine {
  readonly plan: PlanRecord
  readonly approval: ApprovalRecord | null
  readonly runs: string
}

export const planLines = (plans: readonly PlanRecord[], runs: readonly RunRecord[]): readonly PlanLine[] =>
  plans.flatMap((plan) => {
    const ids = runsUnder(plan, runs)
      .map(({ id }) => id)
      .join(', ')
    const approvals = plan.approvals.length === 0 ? [null] : plan.approvals
    return approvals.map((approval) => ({ plan, approval, runs: ids }))
  })

const ofApproval =
  (value: (approval: ApprovalRecord) => string | null) =>
  ({ approval }: PlanLine): string | null =>
    approval === null ? null : value(approval)

export function planColumns(texts: Texts): readonly SheetColumn<PlanLine>[] {
  const { say } = texts
  return [
    { header: say('label.plan'), width: 68, value: ({ plan }) => plan.digest },
    { header: say('label.at'), width: 25, value: ({ plan }) => plan.plannedAt },
    { header: say('cover.plannedBy'), width: 20, value: ({ plan }) => maskedText(plan.plannedBy) },
    { header: say('label.asUser'), width: 14, value: ({ plan }) => plan.plannedAs },
    { header: say('label.rows'), width: 10, value: ({ plan }) => plannedRows(plan) },
    { header: say('label.at'), width: 25, value: ofApproval(({ approvedAt }) => approvedAt) },
    {
      header: say('cover.approvedBy'),
      width: 20,
      value: ofApproval(({ approvedBy }) => maskedText(approvedBy)),
    },
    { header: say('plans.key'), width: 68, value: ofApproval(({ key }) => key) },
    {
      header: say('plans.reference'),
      width: 48,
      value: ofApproval(({ reference }) => (reference === null ? null : maskedText(reference))),
      isWrapped: true,
    },
    { header: say('label.asUser'), width: 14, value: ofApproval(({ recordedAs }) => recordedAs) },
    { header: say('label.expires'), width: 25, value: ofApproval(({ expiresAt }) => expiresAt) },
    { header: say('runs.title'), width: 14, value: ({ runs }) => runs },
  ]
}

/** As many as a run under the plan may send. */
const plannedRows = ({ document: { rows, limit } }: PlanRecord): number =>
  Math.min(rows.count, limit ?? rows.count)
