import { html } from 'hono/html'
import { shortDigest } from '../../domain/plan/plan.js'
import { countText, plural, timeText } from '../../domain/text/wording.js'
import type { ApprovalRecord, PlanRecord, RunRecord } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import type { Markup } from './charts.js'
import { maskedText, plainText } from './plain-text.js'

const PLANS_SHOWN = 50

/** Who approved alone what needs two: nobody should sign without having seen it. */
export function samePersonNote({ plans }: ReportFacts): Markup | '' {
  const alone = plans.flatMap(({ approvals }) => approvals.filter(({ isSamePerson }) => isSamePerson))
  const [first] = alone
  if (first === undefined) return ''
  return html`<p class="changed">
    <span class="mark">same person</span>
    ${plural(alone.length, 'plan was', 'plans were')} planned and approved by the same person, last
    ${personText((alone.at(-1) ?? first).approvedBy, (alone.at(-1) ?? first).approvedAs)}: nobody else looked
    at <a href="#plans">what was to be sent</a>.
  </p>`
}

const personText = (by: string, as: string | null): string =>
  `${maskedText(by)}${as === null ? '' : ` (user ${plainText(as)})`}`

/** Every plan with its approvals, and the runs that went under it; nothing where nobody planned. */
export function plansSection({ plans, runs }: ReportFacts): Markup | '' {
  if (plans.length === 0) return ''
  const shown = plans.slice(-PLANS_SHOWN)
  const unplanned = runs.filter(
    ({ settings, attempts }) => settings.plan === undefined && sentIn(attempts) > 0,
  )
  return html`<section id="plans">
    <h2>Plans and approvals</h2>
    ${
      shown.length === plans.length
        ? ''
        : html`<p>The latest ${shown.length} of ${countText(plans.length)}.</p>`
    }
    ${
      unplanned.length === 0
        ? ''
        : html`<p>
            ${plural(unplanned.length, 'run', 'runs')} sent rows under no plan:
            ${unplanned.map(({ id }) => id).join(', ')}.
          </p>`
    }
    <table>
      <thead>
        <tr>
          <th scope="col">Plan</th>
          <th scope="col">Planned</th>
          <th scope="col" class="n">Rows</th>
          <th scope="col">Approved</th>
          <th scope="col">Runs</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map((plan) => planLine(plan, runs))}
      </tbody>
    </table>
  </section>`
}

const sentIn = (attempts: RunRecord['attempts']): number =>
  Object.values(attempts).reduce((sum, count) => sum + count, 0)

/** Those that sent something. */
export const runsUnder = ({ digest }: PlanRecord, runs: readonly RunRecord[]): readonly RunRecord[] =>
  runs.filter(({ settings, attempts }) => settings.plan === digest && sentIn(attempts) > 0)

function planLine(plan: PlanRecord, runs: readonly RunRecord[]): Markup {
  const { digest, plannedAt, plannedBy, plannedAs, document, approvals } = plan
  const { rows, limit } = document
  const under = runsUnder(plan, runs)
  return html`<tr>
    <th scope="row"><code>${shortDigest(digest)}</code></th>
    <td>${timeText(plannedAt)}, ${personText(plannedBy, plannedAs)}</td>
    <td class="n">${countText(Math.min(rows.count, limit ?? rows.count))}</td>
    <td>
      ${approvals.length === 0 ? 'not approved' : approvals.map((approval) => html`<div>${approvalText(approval)}</div>`)}
    </td>
    <td>${under.length === 0 ? 'none' : under.map(({ id }) => id).join(', ')}</td>
  </tr>`
}

const approvalText = ({
  approvedAt,
  approvedBy,
  approvedAs,
  reason,
  isSamePerson,
  expiresAt,
}: ApprovalRecord): string =>
  `${timeText(approvedAt)}, ${personText(approvedBy, approvedAs)}${isSamePerson ? ' (the same person)' : ''}: ${maskedText(reason)}; until ${timeText(expiresAt)}`
