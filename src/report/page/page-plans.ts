import { html } from 'hono/html'
import { shortDigest } from '../../domain/plan/plan.js'
import { timeText } from '../../domain/text/wording.js'
import type { ApprovalRecord, PlanRecord, RunRecord } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import type { Texts } from '../text/en.js'
import type { Markup } from '../text/markup.js'
import { maskedText, plainText } from './plain-text.js'

const PLANS_SHOWN = 50

/** Who approved alone what needs two: nobody should sign without having seen it. */
export function samePersonNote({ plans }: ReportFacts, texts: Texts): Markup | '' {
  const alone = plans.flatMap(({ approvals }) => approvals.filter(({ isSamePerson }) => isSamePerson))
  const last = alone.at(-1)
  if (last === undefined) return ''
  const { samePerson, approvedAlone, whatWasToBeSent } = texts.plans
  const who = personText(last.approvedBy, last.approvedAs, texts)
  return html`<p class="changed">
    <span class="mark">${samePerson}</span>
    ${approvedAlone(alone.length, who, html`<a href="#plans">${whatWasToBeSent}</a>`)}
  </p>`
}

const personText = (by: string, as: string | null, { plans }: Texts): string =>
  as === null ? maskedText(by) : plans.person(maskedText(by), plainText(as))

/** Every plan with its approvals, and the runs that went under it; nothing where nobody planned. */
export function plansSection({ plans, runs }: ReportFacts, texts: Texts): Markup | '' {
  const { plans: words } = texts
  if (plans.length === 0) return ''
  const shown = plans.slice(-PLANS_SHOWN)
  const unplanned = runs.filter(
    ({ settings, attempts }) => settings.plan === undefined && sentIn(attempts) > 0,
  )
  return html`<section id="plans">
    <h2>${words.title}</h2>
    ${shown.length === plans.length ? '' : html`<p>${words.latest(shown.length, plans.length)}</p>`}
    ${unplanned.length === 0 ? '' : html`<p>${words.underNone(unplanned.length, idsText(unplanned))}</p>`}
    <table>
      <thead>
        <tr>
          <th scope="col">${words.plan}</th>
          <th scope="col">${words.planned}</th>
          <th scope="col" class="n">${words.rows}</th>
          <th scope="col">${words.approved}</th>
          <th scope="col">${words.runs}</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map((plan) => planLine(plan, runs, texts))}
      </tbody>
    </table>
  </section>`
}

const idsText = (runs: readonly RunRecord[]): string => runs.map(({ id }) => id).join(', ')

const sentIn = (attempts: RunRecord['attempts']): number =>
  Object.values(attempts).reduce((sum, count) => sum + count, 0)

/** Those that sent something. */
export const runsUnder = ({ digest }: PlanRecord, runs: readonly RunRecord[]): readonly RunRecord[] =>
  runs.filter(({ settings, attempts }) => settings.plan === digest && sentIn(attempts) > 0)

function planLine(plan: PlanRecord, runs: readonly RunRecord[], texts: Texts): Markup {
  const { digest, plannedAt, plannedBy, plannedAs, document, approvals } = plan
  const { rows, limit } = document
  const under = runsUnder(plan, runs)
  return html`<tr>
    <th scope="row"><code>${shortDigest(digest)}</code></th>
    <td>${timeText(plannedAt)}, ${personText(plannedBy, plannedAs, texts)}</td>
    <td class="n">${texts.count(Math.min(rows.count, limit ?? rows.count))}</td>
    <td>
      ${approvals.length === 0 ? texts.plans.notApproved : approvals.map((approval) => html`<div>${approvalText(approval, texts)}</div>`)}
    </td>
    <td>${under.length === 0 ? texts.plans.noRun : idsText(under)}</td>
  </tr>`
}

function approvalText(approval: ApprovalRecord, texts: Texts): string {
  const { approvedAt, approvedBy, approvedAs, reason, isSamePerson, expiresAt } = approval
  const { plans } = texts
  const same = isSamePerson ? ` (${plans.byTheSamePerson})` : ''
  const person = `${personText(approvedBy, approvedAs, texts)}${same}`
  return plans.approval(timeText(approvedAt), person, maskedText(reason), timeText(expiresAt))
}
