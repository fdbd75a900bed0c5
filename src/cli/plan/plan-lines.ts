import { shortDigest, toSend } from '../../domain/plan/plan.js'
import { plural, timeText } from '../../domain/text/text.js'
import type { PlanRecord } from '../../ledger/read/reader.js'
import type { Section } from '../../report/plan/plan-sections.js'
import { type Line, toned } from '../terminal/world.js'

const MOST = 10

/** What is said of a plan, on a terminal: of each list the first, but all that nobody should pass over. */
export const sectionLines = (sections: readonly Section[]): Line[] =>
  sections.flatMap(({ title, lines, as }): Line[] => {
    if (as === 'detail') return []
    const shown = as === 'warning' ? lines : lines.slice(0, MOST)
    const more = lines.length > shown.length ? [`  and ${lines.length - shown.length} more`] : []
    return [
      [toned(as === 'warning' ? 'open' : 'strong', title)],
      ...shown.map((line) => `  ${line}`),
      ...more,
    ]
  })

/** What `status` tells programs of a plan. Times are ISO 8601; the approval is the one that counts longest. */
export function planStanding({ digest, plannedAt, plannedBy, document, approvals }: PlanRecord) {
  const approval = approvals.toSorted((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1)).at(-1)
  return {
    digest,
    plannedAt,
    plannedBy,
    rows: toSend(document),
    approvedBy: approval?.approvedBy ?? null,
    approvedUntil: approval?.expiresAt ?? null,
  }
}

/** The same as one line. */
export function planStandingLine(plan: PlanRecord, nowMs: number): Line {
  const { digest, plannedAt, plannedBy, rows, approvedBy, approvedUntil } = planStanding(plan)
  const start = `Latest plan: ${shortDigest(digest)} by ${plannedBy}, ${timeText(plannedAt)}, ${plural(rows, 'row', 'rows')}; `
  if (approvedBy === null || approvedUntil === null)
    return [start, toned('open', 'no approval on record yet')]
  return Date.parse(approvedUntil) > nowMs
    ? [start, `approved by ${approvedBy} until ${timeText(approvedUntil)}`]
    : [start, toned('open', `the approval by ${approvedBy} ended at ${timeText(approvedUntil)}`)]
}
