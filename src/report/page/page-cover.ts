import { html } from 'hono/html'
import { treatedAsActive } from '../../domain/rule/source-reading.js'
import { TOTAL_OF_STATE, type Totals } from '../../domain/row/totals.js'
import type { RowState } from '../../domain/row/row-state.js'
import { isLoopback } from '../../domain/text/loopback.js'
import { timeText } from '../../domain/text/wording.js'
import type { RunRecord } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import type { ValueCounts } from '../facts/value-counts.js'
import type { Texts } from '../text/en.js'
import type { Markup } from '../text/markup.js'
import { samePersonNote } from './page-plans.js'
import { proofText } from './page-verification.js'
import { maskedText, plainText } from './plain-text.js'
import { REPORT_ORDER } from './report-order.js'

const SHOWN = 4

const urlOf = ({ campaign: { baseUrl } }: ReportFacts): URL | null =>
  baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl) : null

export const hostOf = (facts: ReportFacts, { cover }: Texts): string => urlOf(facts)?.host ?? cover.noService

const hasSent = ({ attempts }: RunRecord): boolean => Object.values(attempts).some((count) => count > 0)

/** Why nothing of this happened to real customers, as a sentence; null for what may be the real service. */
export function rehearsalText(facts: ReportFacts, { cover }: Texts): string | null {
  const url = urlOf(facts)
  if (url === null) return null
  if (isLoopback(url.hostname)) return cover.onThisComputer
  // A host may have been declared by mistake once; what was sent otherwise is no rehearsal.
  const senders = facts.runs.filter(hasSent)
  return senders.length > 0 && senders.every(({ settings }) => settings.testHost === url.host)
    ? cover.declaredAsTest(plainText(url.host))
    : null
}

/** The first printed page: who signs needs no other. */
export function coverSection(facts: ReportFacts, verdict: Markup, texts: Texts): Markup {
  const { campaign } = facts
  const { cover, page } = texts
  const rehearsal = rehearsalText(facts, texts)
  return html`<div class="cover">
    <header>
      <h1>${page.title}</h1>
      <p class="lead">${cover.lead(plainText(hostOf(facts, texts)), timeText(campaign.changedAt))}</p>
      ${rehearsal === null ? '' : html`<p class="rehearsal"><strong>${cover.rehearsal}</strong> ${rehearsal}</p>`}
      ${samePersonNote(facts, texts)} ${asActiveNote(facts, texts)}
    </header>
    ${verdict} ${figures(facts, texts)} ${transfer(facts, texts)} ${people(facts, texts)}
    ${signOff(facts, texts)}
  </div>`
}

/** Who signs has to know that nothing in the export was asked which mandates are active. */
function asActiveNote({ sources }: ReportFacts, { cover }: Texts): Markup | '' {
  const names = treatedAsActive(sources)
  if (names.length === 0) return ''
  const named = names.slice(0, SHOWN).map(maskedText).join(', ')
  return html`<p><strong>${cover.treatedAsActive(named, names.length - SHOWN)}</strong></p>`
}

const sumOf = (totals: Totals, states: readonly RowState[]): number =>
  states.reduce((sum, state) => sum + totals[TOTAL_OF_STATE[state]], 0)

const DOUBTFUL: readonly RowState[] = ['in_doubt', 'sending']
const REST = REPORT_ORDER.filter(
  (state) => state !== 'registered' && state !== 'refused' && !DOUBTFUL.includes(state),
)

/** The last four add up to the first. */
function figures({ totals }: ReportFacts, { cover, count, share }: Texts): Markup {
  const figure = (label: string, rows: number): Markup =>
    html`<div>
      <dt>${label}</dt>
      <dd>${count(rows)}<span class="soft">${share(rows, totals.read)}</span></dd>
    </div>`
  return html`<dl class="figures">
    ${figure(cover.read, totals.read)} ${figure(cover.registered, totals.registered)}
    ${figure(cover.inDoubt, sumOf(totals, DOUBTFUL))} ${figure(cover.refused, totals.refused)}
    ${figure(cover.notSent, sumOf(totals, REST))}
  </dl>`
}

const valuesText = ({ values, others }: ValueCounts, { cover, count: countText }: Texts): Markup => {
  const left = values.slice(SHOWN).reduce((sum, { count }) => sum + count, others)
  return html`${values
    .slice(0, SHOWN)
    .map(
      ({ value, count }, at) =>
        html`${at === 0 ? '' : ', '}<span class="id">${plainText(value)}</span> (${countText(count)})`,
    )}${left === 0 ? '' : `, ${cover.others(left)}`}`
}

function transfer({ creditors }: ReportFacts, texts: Texts): Markup | '' {
  const { cover } = texts
  if (creditors.previous.values.length === 0) return ''
  return html`<dl class="transfer">
    <div>
      <dt>${cover.comeFrom}</dt>
      <dd>${valuesText(creditors.previous, texts)}</dd>
    </div>
    <div>
      <dt>${cover.goTo}</dt>
      <dd>${valuesText(creditors.assigned, texts)}</dd>
    </div>
  </dl>`
}

/** Who did what, as far as the ledger has their names. */
function people(facts: ReportFacts, texts: Texts): Markup {
  const { runs, resolvedBy, campaign } = facts
  const { cover } = texts
  const runners = [...new Set(runs.flatMap(({ startedAs }) => startedAs ?? []))]
  const [first, last] = [runs.at(0), runs.at(-1)]
  const period =
    first === undefined || last === undefined
      ? cover.nothingRun
      : cover.runsBetween(
          runs.length,
          timeText(first.startedAt).slice(0, 16),
          timeText(last.endedAt ?? campaign.changedAt).slice(0, 16),
        )
  return html`<dl class="people">
    ${planners(facts, texts)}
    <div>
      <dt>${cover.runBy}</dt>
      <dd>${[...namesOf(runners, texts), period].join(', ')}</dd>
    </div>
    <div>
      <dt>${cover.decidedBy}</dt>
      <dd>${resolvedBy.values.length === 0 ? cover.nobodyDecided : decidersText(facts, texts)}</dd>
    </div>
  </dl>`
}

/** Of the plan that the latest run sent under. */
function planners({ plans, runs }: ReportFacts, texts: Texts): Markup | '' {
  const { cover } = texts
  const digest = runs.findLast(hasSent)?.settings.plan
  const plan = plans.find((each) => each.digest === digest)
  if (plan === undefined) return ''
  const approvers = plan.approvals.map(({ approvedBy }) => approvedBy)
  return html`<div>
      <dt>${cover.plannedBy}</dt>
      <dd>${maskedText(plan.plannedBy)}, ${timeText(plan.plannedAt).slice(0, 16)}</dd>
    </div>
    <div>
      <dt>${cover.approvedBy}</dt>
      <dd>${namesOf([...new Set(approvers)], texts).join(', ')}</dd>
    </div>`
}

const namesOf = (names: readonly string[], { cover }: Texts): string[] => [
  ...names.slice(0, SHOWN).map(plainText),
  ...(names.length > SHOWN ? [cover.moreNames(names.length - SHOWN)] : []),
]

function decidersText(
  { resolvedBy: { values, others }, forcedResends }: ReportFacts,
  { cover }: Texts,
): string {
  const left = values.slice(SHOWN).reduce((sum, { count }) => sum + count, others)
  const named = values.slice(0, SHOWN).map(({ value, count }) => cover.decisionsBy(plainText(value), count))
  return [
    ...named,
    ...(left === 0 ? [] : [cover.decisionsByOthers(left)]),
    ...(forcedResends === 0 ? [] : [cover.forcedResends(forcedResends)]),
  ].join(', ')
}

function signOff(facts: ReportFacts, texts: Texts): Markup {
  const { campaign, totals } = facts
  const { cover } = texts
  const { prepared, checked, approved } = cover.signers
  const ledger = html`<span class="id">${campaign.ledgerId}</span>`
  return html`<section id="sign-off">
    <h2>${cover.signOff}</h2>
    <p>${cover.compared(totals.read, totals.registered, ledger, timeText(campaign.changedAt))}</p>
    <p>${proofText(facts, texts)}</p>
    <div class="sign">
      ${[prepared, checked, approved].map((role) => html`<div><strong>${role}</strong><span>${cover.nameAndFunction}</span><span>${cover.dateAndSignature}</span></div>`)}
    </div>
  </section>`
}
