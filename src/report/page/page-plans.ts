import { html } from 'hono/html'
import { shortDigest } from '../../domain/plan/plan.js'
import { timeText } from '../../domain/text/wording.js'
import type { ApprovalRecord, PlanRecord, RunRecord } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import type { Markup, Texts } from '../text/texts.js'
import { fact, table } from './parts.js'
import { maskedText, plainText } from './plain-text.js'

const PLANS_SHOWN = 50

/** On the first page, which stays one page. */
const APPROVALS_SHOWN = 3

/** How many rows left under which approval, and how many under none: nobody should sign without having seen it. */
export function approvalFacts({ plans, sentByApproval }: ReportFacts, texts: Texts): Markup[] {
  const { say, labelled } = texts
  const approvals = new Map(plans.flatMap((plan) => plan.approvals.map((each) => [each.id, each] as const)))
  const under = sentByApproval.flatMap(({ approval: id, rows }) => {
    const approval = id === null ? undefined : approvals.get(id)
    return approval === undefined ? [] : [{ approval, rows }]
  })
  const bare = sentByApproval.find(({ approval }) => approval === null)?.rows ?? 0
  const shown = under.slice(0, APPROVALS_SHOWN)
  return [
    ...shown.map(({ approval, rows }) =>
      fact(
        say('cover.approvedBy'),
        `${maskedText(approval.approvedBy)}, ${timeText(approval.approvedAt).slice(0, 16)}; ${labelled('label.rows', rows)}; ${proofOf(approval, texts)}`,
      ),
    ),
    ...(under.length > shown.length
      ? [fact(say('cover.approvedBy'), say('cover.others', { count: under.length - shown.length }))]
      : []),
    ...(plans.length === 0 || bare === 0 ? [] : [fact(say('plans.none'), labelled('label.rows', bare))]),
  ]
}

/** What a signature proves is the key, and what was recorded proves nothing. */
const proofOf = ({ key, reference }: ApprovalRecord, { say }: Texts): string =>
  key === null
    ? say('plans.recorded', { reference: maskedText(reference ?? '') })
    : say('plans.proven', { key })

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
    ${table(shown, [
      { name: say('label.plan'), of: ({ digest }) => html`<code>${shortDigest(digest)}</code>`, as: 'head' },
      {
        name: say('cover.plannedBy'),
        of: (plan) => `${timeText(plan.plannedAt)}, ${personText(plan.plannedBy, plan.plannedAs)}`,
      },
      {
        name: say('label.rows'),
        of: ({ document: { rows, limit } }) => texts.count(Math.min(rows.count, limit ?? rows.count)),
        as: 'figures',
      },
      {
        name: say('cover.approvedBy'),
        of: ({ approvals }) =>
          approvals.length === 0
            ? say('plans.notApproved')
            : html`${approvals.map((approval) => html`<div>${approvalText(approval, texts)}</div>`)}`,
      },
      { name: say('runs.title'), of: (plan) => idsText(runsUnder(plan, runs)) },
    ])}
  </section>`
}

const idsText = (runs: readonly RunRecord[]): string => runs.map(({ id }) => id).join(', ')

const sentIn = (attempts: RunRecord['attempts']): number =>
  Object.values(attempts).reduce((sum, count) => sum + count, 0)

/** Those that sent something. */
export const runsUnder = ({ digest }: PlanRecord, runs: readonly RunRecord[]): readonly RunRecord[] =>
  runs.filter(({ settings, attempts }) => settings.plan === digest && sentIn(attempts) > 0)

function approvalText(approval: ApprovalRecord, texts: Texts): string {
  const { approvedAt, approvedBy, recordedAs, expiresAt } = approval
  const ends = texts.labelled('label.expires', timeText(expiresAt))
  return `${timeText(approvedAt)}, ${personText(approvedBy, recordedAs)}; ${ends}; ${proofOf(approval, texts)}`
}
