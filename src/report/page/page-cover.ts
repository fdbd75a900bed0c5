import { html } from 'hono/html'
import { TOTAL_OF_STATE, type Totals } from '../../domain/row/totals.js'
import type { RowState } from '../../domain/row/row-state.js'
import { timeText } from '../../domain/text/wording.js'
import type { RunRecord } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import type { ValueCounts } from '../facts/value-counts.js'
import type { Markup, TextKey, Texts } from '../text/texts.js'
import { fact } from './parts.js'
import { approvalFacts } from './page-plans.js'
import { proofText } from './page-verification.js'
import { maskedText, plainText } from './plain-text.js'
import { REPORT_ORDER } from './report-order.js'
import { isLoopback } from '../../domain/text/text.js'
import { treatedAsActive } from '../../domain/rule/verdict.js'

const SHOWN = 4

const urlOf = ({ campaign: { baseUrl } }: ReportFacts): URL | null =>
  baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl) : null

export const hostOf = (facts: ReportFacts, { say }: Texts): string =>
  urlOf(facts)?.host ?? say('cover.noService')

const hasSent = ({ attempts }: RunRecord): boolean => Object.values(attempts).some((count) => count > 0)

/** Why nothing of this happened to real customers, as a sentence; null for what may be the real service. */
export function rehearsalText(facts: ReportFacts, { say }: Texts): string | null {
  const url = urlOf(facts)
  if (url === null) return null
  if (isLoopback(url.hostname)) return say('cover.onThisComputer')
  // A host may have been declared by mistake once; what was sent otherwise is no rehearsal.
  const senders = facts.runs.filter(hasSent)
  return senders.length > 0 && senders.every(({ settings }) => settings.testHost === url.host)
    ? say('cover.declaredAsTest', { host: plainText(url.host) })
    : null
}

/** The first printed page: who signs needs no other. */
export function coverSection(facts: ReportFacts, verdict: Markup, texts: Texts): Markup {
  const { say } = texts
  const lead = { host: plainText(hostOf(facts, texts)), at: timeText(facts.campaign.changedAt) }
  const rehearsal = rehearsalText(facts, texts)
  return html`<div class="cover">
    <header>
      <h1>${say('page.title')}</h1>
      <p class="lead">${say('cover.lead', lead)}</p>
      ${rehearsal === null ? '' : html`<p class="rehearsal"><strong>${say('cover.rehearsal')}</strong> ${rehearsal}</p>`}
      ${asActiveNote(facts, texts)}
    </header>
    ${verdict} ${figures(facts, texts)} ${transfer(facts, texts)} ${people(facts, texts)}
    ${signOff(facts, texts)}
  </div>`
}

/** The first few, and how many others there are. */
const fewOf = (names: readonly string[], { say }: Texts): string[] => [
  ...names.slice(0, SHOWN),
  ...(names.length > SHOWN ? [say('cover.others', { count: names.length - SHOWN })] : []),
]

/** Who signs has to know that nothing in the export was asked which mandates are active. */
function asActiveNote({ sources }: ReportFacts, texts: Texts): Markup | '' {
  const names = treatedAsActive(sources)
  if (names.length === 0) return ''
  const named = fewOf(names.map(maskedText), texts).join(', ')
  return html`<p><strong>${texts.say('cover.treatedAsActive', { names: named })}</strong></p>`
}

const sumOf = (totals: Totals, states: readonly RowState[]): number =>
  states.reduce((sum, state) => sum + totals[TOTAL_OF_STATE[state]], 0)

const DOUBTFUL: readonly RowState[] = ['in_doubt', 'sending']
const REST = REPORT_ORDER.filter(
  (state) => state !== 'registered' && state !== 'refused' && !DOUBTFUL.includes(state),
)

/** The last four add up to the first. */
function figures({ totals }: ReportFacts, { say, count, share }: Texts): Markup {
  const figure = (label: TextKey, rows: number): Markup =>
    fact(say(label), html`${count(rows)}<span class="soft">${share(rows, totals.read)}</span>`)
  return html`<dl class="figures">
    ${figure('cover.read', totals.read)} ${figure('state.registered', totals.registered)}
    ${figure('state.in_doubt', sumOf(totals, DOUBTFUL))} ${figure('state.refused', totals.refused)}
    ${figure('cover.notSent', sumOf(totals, REST))}
  </dl>`
}

/** The most frequent values, each with its count. */
function valuesText({ values, others }: ValueCounts, { say, count: countText }: Texts, style = 'id'): Markup {
  const left = values.slice(SHOWN).reduce((sum, { count }) => sum + count, others)
  return html`${values
    .slice(0, SHOWN)
    .map(
      ({ value, count }, at) =>
        html`${at === 0 ? '' : ', '}<span class="${style}">${plainText(value)}</span> (${countText(count)})`,
    )}${left === 0 ? '' : `, ${say('cover.others', { count: left })}`}`
}

function transfer({ creditors }: ReportFacts, texts: Texts): Markup | '' {
  if (creditors.previous.values.length === 0) return ''
  return html`<dl class="transfer">
    ${fact(texts.say('cover.comeFrom'), valuesText(creditors.previous, texts))}
    ${fact(texts.say('cover.goTo'), valuesText(creditors.assigned, texts))}
  </dl>`
}

/** Who did what, as far as the ledger has their names. */
function people(facts: ReportFacts, texts: Texts): Markup {
  const { runs, campaign } = facts
  const { say, labelled } = texts
  const runners = [...new Set(runs.flatMap(({ startedAs }) => startedAs ?? []))].map(plainText)
  const [first, last] = [runs.at(0), runs.at(-1)]
  const period =
    first === undefined || last === undefined
      ? []
      : [spanText(first.startedAt, last.endedAt ?? campaign.changedAt)]
  const ran = [...fewOf(runners, texts), labelled('runs.title', runs.length), ...period]
  return html`<dl class="people">
    ${planner(facts, texts)} ${approvalFacts(facts, texts)} ${fact(say('cover.runBy'), ran.join(', '))}
    ${fact(say('cover.decidedBy'), deciders(facts, texts))}
  </dl>`
}

function deciders({ resolvedBy, forcedResends }: ReportFacts, texts: Texts): Markup | string {
  const { say } = texts
  if (resolvedBy.values.length === 0) return say('cover.nobodyDecided')
  const forced = forcedResends === 0 ? '' : `, ${say('cover.forcedResends', { count: forcedResends })}`
  return html`${valuesText(resolvedBy, texts, '')}${forced}`
}

const spanText = (from: string, to: string): string =>
  `${timeText(from).slice(0, 16)} – ${timeText(to).slice(0, 16)}`

/** Of the plan that the latest run sent under. */
function planner({ plans, runs }: ReportFacts, { say }: Texts): Markup | '' {
  const digest = runs.findLast(hasSent)?.settings.plan
  const plan = plans.find((each) => each.digest === digest)
  if (plan === undefined) return ''
  return fact(
    say('cover.plannedBy'),
    `${maskedText(plan.plannedBy)}, ${timeText(plan.plannedAt).slice(0, 16)}`,
  )
}

const SIGNERS = ['cover.prepared', 'cover.checked', 'cover.approvedBy'] as const

function signOff(facts: ReportFacts, texts: Texts): Markup {
  const { campaign, totals } = facts
  const { say, mark } = texts
  const compared = {
    read: totals.read,
    registered: totals.registered,
    ledger: html`<span class="id">${campaign.ledgerId}</span>`,
    at: timeText(campaign.changedAt),
  }
  return html`<section id="sign-off">
    <h2>${say('cover.signOff')}</h2>
    <p>${mark('cover.compared', compared)}</p>
    <p>${proofText(facts, texts)}</p>
    <div class="sign">
      ${SIGNERS.map((role) => html`<div><strong>${say(role)}</strong><span>${say('cover.nameAndFunction')}</span><span>${say('cover.dateAndSignature')}</span></div>`)}
    </div>
  </section>`
}
