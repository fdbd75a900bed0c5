import { html } from 'hono/html'
import { shortDigest } from '../../domain/plan/plan.js'
import { timeText } from '../../domain/text/wording.js'
import type { ApprovalRecord, PlanRecord, RunRecord } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import type { Markup, Texts } from '../text/texts.js'
import { tableHead } from './parts.js'
import { maskedText, plainText } from './plain-text.js'

const PLANS_SHOWN = 50

/** Who approved alone what needs two: nobody should sign without having seen it. */
export function samePersonNote({ plans }: ReportFacts, texts: Texts): Markup | '' {
  const alone = plans.flatMap(({ approvals }) => approvals.filter(({ isSamePerson }) => isSamePerson))
  const last = alone.at(-1)
  if (last === undefined) return ''
  const name = personText(last.approvedBy, last.approvedAs)
  return html`<p class="changed">
    <span class="mark">${texts.say('plans.samePerson')}</span>
    <a href="#plans">${texts.say('plans.alone', { name, count: alone.length })}</a>
  </p>`
}

const personText = (by: string, as: string | null): string =>
  as === null ? maskedText(by) : `${maskedText(by)} (${plainText(as)})`

/** Every plan with its approvals, and the runs that went under it; nothing where nobody planned. */
export function plansSection({ plans, runs }: ReportFacts, texts: Texts): Markup | '' {
  const { say } = texts
  if (plans.length === 0) return ''
  const shown = plans.slice(-PLANS_SHOWN)
  const unplanned = runs.filter(
    ({ settings, attempts }) => settings.plan === undefined && sentIn(attempts) > 0,
  )
  const capped = { shown: shown.length, total: plans.length }
  return html`<section id="plans">
    <h2>${say('plans.title')}</h2>
    ${shown.length === plans.length ? '' : html`<p>${say('page.shown', capped)}</p>`}
    ${unplanned.length === 0 ? '' : html`<p>${say('plans.underNone', { runs: idsText(unplanned) })}</p>`}
    <table>
      ${tableHead([
        say('label.plan'),
        say('cover.plannedBy'),
        { figures: say('label.rows') },
        say('cover.approvedBy'),
        say('runs.title'),
      ])}
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
    <td>${timeText(plannedAt)}, ${personText(plannedBy, plannedAs)}</td>
    <td class="n">${texts.count(Math.min(rows.count, limit ?? rows.count))}</td>
    <td>
      ${approvals.length === 0 ? texts.say('plans.notApproved') : approvals.map((approval) => html`<div>${approvalText(approval, texts)}</div>`)}
    </td>
    <td>${idsText(under)}</td>
  </tr>`
}

function approvalText(approval: ApprovalRecord, { say, labelled }: Texts): string {
  const { approvedAt, approvedBy, approvedAs, reason, isSamePerson, expiresAt } = approval
  const same = isSamePerson ? `, ${say('plans.samePerson')}` : ''
  const person = `${personText(approvedBy, approvedAs)}${same}`
  return `${timeText(approvedAt)}, ${person}: ${maskedText(reason)}; ${labelled('label.expires', timeText(expiresAt))}`
}
