import { html } from 'hono/html'
import { TOTAL_OF_STATE, type Totals } from '../../domain/row/totals.js'
import type { RowState } from '../../domain/row/row-state.js'
import { isLoopback } from '../../domain/text/loopback.js'
import { countText, plural, shareText, timeText } from '../../domain/text/wording.js'
import type { RunRecord } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import type { ValueCounts } from '../facts/value-counts.js'
import type { Markup } from './charts.js'
import { samePersonNote } from './page-plans.js'
import { proofText } from './page-verification.js'
import { maskedText, plainText } from './plain-text.js'
import { REPORT_ORDER } from './report-order.js'

const SHOWN = 4

const urlOf = ({ campaign: { baseUrl } }: ReportFacts): URL | null =>
  baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl) : null

export const hostOf = (facts: ReportFacts): string => urlOf(facts)?.host ?? 'no service yet'

const hasSent = ({ attempts }: RunRecord): boolean => Object.values(attempts).some((count) => count > 0)

/** Why nothing of this happened to real customers, as a sentence; null for what may be the real service. */
export function rehearsalText(facts: ReportFacts): string | null {
  const url = urlOf(facts)
  if (url === null) return null
  if (isLoopback(url.hostname)) return 'Everything was sent to a service on this computer.'
  // A host may have been declared by mistake once; what was sent otherwise is no rehearsal.
  const senders = facts.runs.filter(hasSent)
  return senders.length > 0 && senders.every(({ settings }) => settings.testHost === url.host)
    ? `The configuration declares ${plainText(url.host)} to be a test environment.`
    : null
}

/** The first printed page: who signs needs no other. */
export function coverSection(facts: ReportFacts, verdict: Markup): Markup {
  const { campaign } = facts
  const rehearsal = rehearsalText(facts)
  return html`<div class="cover">
    <header>
      <h1>Reconciliation of the SEPA mandate migration</h1>
      <p class="lead">to ${plainText(hostOf(facts))}, as of ${timeText(campaign.changedAt)}</p>
      ${rehearsal === null ? '' : html`<p class="rehearsal"><strong>REHEARSAL</strong> ${rehearsal}</p>`}
      ${samePersonNote(facts)}
    </header>
    ${verdict} ${figures(facts)} ${transfer(facts)} ${people(facts)} ${signOff(facts)}
  </div>`
}

const sumOf = (totals: Totals, states: readonly RowState[]): number =>
  states.reduce((sum, state) => sum + totals[TOTAL_OF_STATE[state]], 0)

const DOUBTFUL: readonly RowState[] = ['in_doubt', 'sending']
const REST = REPORT_ORDER.filter(
  (state) => state !== 'registered' && state !== 'refused' && !DOUBTFUL.includes(state),
)

/** The last four add up to the first. */
function figures(facts: ReportFacts): Markup {
  const { totals } = facts
  const figure = (label: string, count: number): Markup =>
    html`<div>
      <dt>${label}</dt>
      <dd>${countText(count)}<span class="soft">${shareText(count, totals.read)}</span></dd>
    </div>`
  return html`<dl class="figures">
    ${figure('Records read', totals.read)} ${figure('Registered', totals.registered)}
    ${figure('In doubt', sumOf(totals, DOUBTFUL))} ${figure('Refused', totals.refused)}
    ${figure('Not sent', sumOf(totals, REST))}
  </dl>`
}

const valuesText = ({ values, others }: ValueCounts): Markup => {
  const left = values.slice(SHOWN).reduce((sum, { count }) => sum + count, others)
  return html`${values
    .slice(0, SHOWN)
    .map(
      ({ value, count }, at) =>
        html`${at === 0 ? '' : ', '}<span class="id">${plainText(value)}</span> (${countText(count)})`,
    )}${left === 0 ? '' : `, others (${countText(left)})`}`
}

function transfer({ creditors }: ReportFacts): Markup | '' {
  if (creditors.previous.values.length === 0) return ''
  return html`<dl class="transfer">
    <div>
      <dt>Registered mandates come from</dt>
      <dd>${valuesText(creditors.previous)}</dd>
    </div>
    <div>
      <dt>and go to</dt>
      <dd>${valuesText(creditors.assigned)}</dd>
    </div>
  </dl>`
}

/** Who did what, as far as the ledger has their names. */
function people(facts: ReportFacts): Markup {
  const { runs, resolvedBy, campaign } = facts
  const runners = [...new Set(runs.flatMap(({ startedAs }) => startedAs ?? []))]
  const [first, last] = [runs.at(0), runs.at(-1)]
  const period =
    first === undefined || last === undefined
      ? 'nothing was run'
      : `${plural(runs.length, 'run', 'runs')}, ${timeText(first.startedAt).slice(0, 16)} to ${timeText(last.endedAt ?? campaign.changedAt).slice(0, 16)}`
  return html`<dl class="people">
    ${planners(facts)}
    <div>
      <dt>Run by</dt>
      <dd>${[...namesOf(runners), period].join(', ')}</dd>
    </div>
    <div>
      <dt>Decided by</dt>
      <dd>
        ${resolvedBy.values.length === 0 ? 'no row was resolved by a person' : decidersText(resolvedBy)}
      </dd>
    </div>
  </dl>`
}

/** Of the plan that the latest run sent under. */
function planners({ plans, runs }: ReportFacts): Markup | '' {
  const digest = runs.findLast(hasSent)?.settings.plan
  const plan = plans.find((each) => each.digest === digest)
  if (plan === undefined) return ''
  const approvers = plan.approvals.map(({ approvedBy }) => approvedBy)
  return html`<div>
      <dt>Planned by</dt>
      <dd>${maskedText(plan.plannedBy)}, ${timeText(plan.plannedAt).slice(0, 16)}</dd>
    </div>
    <div>
      <dt>Approved by</dt>
      <dd>${namesOf([...new Set(approvers)]).join(', ')}</dd>
    </div>`
}

const namesOf = (names: readonly string[]): string[] => [
  ...names.slice(0, SHOWN).map(plainText),
  ...(names.length > SHOWN ? [`${countText(names.length - SHOWN)} others`] : []),
]

function decidersText({ values, others }: ValueCounts): string {
  const left = values.slice(SHOWN).reduce((sum, { count }) => sum + count, others)
  const named = values
    .slice(0, SHOWN)
    .map(({ value, count }) => `${plainText(value)} (${plural(count, 'decision', 'decisions')})`)
  return [...named, ...(left === 0 ? [] : [`others (${plural(left, 'decision', 'decisions')})`])].join(', ')
}

function signOff(facts: ReportFacts): Markup {
  const { campaign, totals } = facts
  return html`<section id="sign-off">
    <h2>Sign-off</h2>
    <p>
      I have compared ${plural(totals.read, 'record', 'records')} read with ${countText(totals.registered)}
      registered and the open points above, for ledger <span class="id">${campaign.ledgerId}</span> as of
      ${timeText(campaign.changedAt)}.
    </p>
    <p>${proofText(facts)}</p>
    <div class="sign">
      ${['Prepared by', 'Checked by', 'Approved by'].map((role) => html`<div><strong>${role}</strong><span>Name, function</span><span>Date, signature</span></div>`)}
    </div>
  </section>`
}
