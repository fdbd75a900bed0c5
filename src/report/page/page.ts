import { html } from 'hono/html'
import { TOTAL_OF_STATE } from '../../domain/row/totals.js'
import type { RowState } from '../../domain/row/row-state.js'
import { stateBar, swatch } from './charts.js'
import { fileLink } from './file-link.js'
import { PLACE_OF_PART, partOfState, type ReportFacts } from '../facts/facts.js'
import { inDoubtSection, problemsSection, refusalsSection } from './page-open-points.js'
import {
  columnsSection,
  correctionsSection,
  decisionsSection,
  definitionsSection,
  hashTotalsSection,
  registeredSection,
} from './page-record.js'
import { coverSection } from './page-cover.js'
import { hasOverrides, runsSection, sourcesSection } from './page-runs.js'
import { plansSection } from './page-plans.js'
import { PAGE_STYLE, printedMargins } from './page-style.js'
import { contradictionText, verificationSection } from './page-verification.js'
import { maskedText, plainText } from './plain-text.js'
import { REPORT_ORDER } from './report-order.js'
import { timeText } from '../../domain/text/wording.js'
import { ENGLISH, type Markup, type Texts } from '../text/texts.js'
import { fact, tableHead } from './parts.js'

type Section = (facts: ReportFacts, texts: Texts) => Markup | ''

/** What the first page rests on, in the order of the page. */
const ANNEX: readonly Section[] = [
  metadataSection,
  totalsSection,
  verificationSection,
  inDoubtSection,
  refusalsSection,
  problemsSection,
  registeredSection,
  sourcesSection,
  plansSection,
  runsSection,
  decisionsSection,
  correctionsSection,
  hashTotalsSection,
  definitionsSection,
  columnsSection,
]

/** report.html: one page without network or script, for the person who signs. */
export async function renderPage(facts: ReportFacts, texts = ENGLISH): Promise<string> {
  const { say, language } = texts
  const page = await html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="referrer" content="no-referrer" />
        <title>${say('page.title')}, ${timeText(facts.campaign.changedAt)}</title>
        <style>
          ${PAGE_STYLE} ${printedMargins(facts, texts)}
        </style>
      </head>
      <body>
        <main class="${facts.balanced ? 'balanced' : 'unbalanced'}">
          ${coverSection(facts, verdictSection(facts, texts), texts)}
          <p class="annex">${say('page.annex')}</p>
          ${ANNEX.map((section) => section(facts, texts))}
          <footer>${say('page.footer')}</footer>
        </main>
      </body>
    </html>`
  return `${page.toString().trimEnd()}\n`
}

/** What this page was made from. */
function metadataSection({ campaign, ledger }: ReportFacts, { say }: Texts): Markup {
  const { purgedAt } = campaign
  const accounts =
    purgedAt === null ? say('label.accountsKept') : say('label.accountsRemoved', { at: timeText(purgedAt) })
  return html`<dl class="facts">
    ${fact(say('label.target'), plainText(campaign.baseUrl ?? say('cover.noService')))}
    ${fact(say('label.user'), plainText(campaign.username ?? ''))}
    ${fact(say('label.started'), timeText(campaign.createdAt))}
    ${fact(say('label.ledger'), plainText(ledger))} ${fact(say('label.ledgerId'), campaign.ledgerId)}
    ${fact(say('label.accounts'), accounts)}
  </dl>`
}

/** What somebody still has to act on, the most urgent first. */
const OPEN_POINTS = [
  { state: 'in_doubt', anchor: 'in-doubt' },
  { state: 'sending', anchor: 'in-doubt' },
  { state: 'refused', anchor: 'refused' },
  { state: 'ready', anchor: 'totals' },
  { state: 'invalid', anchor: 'problems' },
  { state: 'conflict', anchor: 'problems' },
] as const

interface OpenPoint {
  readonly anchor: string
  readonly text: string
}

/** What the service contradicts stands before everything else. */
function openPointsOf(facts: ReportFacts, texts: Texts): OpenPoint[] {
  const contradiction = contradictionText(facts, texts)
  const points = OPEN_POINTS.flatMap<OpenPoint>(({ state, anchor }) => {
    const count = facts.totals[TOTAL_OF_STATE[state]]
    return count === 0 ? [] : [{ anchor, text: texts.say(`open.${state}`, { count }) }]
  })
  return contradiction === null ? points : [{ anchor: 'verification', text: contradiction }, ...points]
}

function verdictSection(facts: ReportFacts, texts: Texts): Markup {
  const { totals, balanced, sources, runs } = facts
  const { say } = texts
  const open = openPointsOf(facts, texts)
  const stoppedBy = runs.at(-1)?.stoppedBy ?? null
  const overridden = runs.filter(hasOverrides).length
  const word = balanced ? (open.length === 0 ? 'complete' : 'open') : 'unbalanced'
  const counted = { records: totals.read, sources: sources.length }
  return html`<div class="verdict ${word}">
    <h2>${headline(facts, open.length, texts)}</h2>
    <p>${balanced ? say('verdict.everyRecord', counted) : say('verdict.doNotSign')}</p>
    ${
      open.length === 0
        ? ''
        : html`<ul>
            ${open.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>`)}
          </ul>`
    }
    ${stoppedBy === null ? '' : html`<p>${say('verdict.stoppedEarly', { why: maskedText(stoppedBy) })}</p>`}
    ${
      overridden === 0
        ? ''
        : html`<p>
            <span class="mark">${say('verdict.settingsChanged')}</span>
            <a href="#runs">${say('verdict.readDifferently', { count: overridden })}</a>
          </p>`
    }
    ${facts.changedWhileReading ? html`<p><strong>${say('verdict.changedMeanwhile')}</strong></p>` : ''}
  </div>`
}

function headline({ balanced, totals }: ReportFacts, openPoints: number, { say }: Texts): string {
  if (!balanced) return say('verdict.notBalanced')
  if (totals.read === 0) return say('verdict.nothingRead')
  return openPoints === 0 ? say('verdict.nothingOpen') : say('verdict.open', { count: openPoints })
}

const fileOf = (state: RowState): string => {
  const part = partOfState(state)
  return part === 'closed' ? 'reconciliation.xlsx' : PLACE_OF_PART[part]
}

function totalsSection(facts: ReportFacts, texts: Texts): Markup {
  const { totals } = facts
  const { count, share, say } = texts
  const sum = REPORT_ORDER.reduce((total, state) => total + totals[TOTAL_OF_STATE[state]], 0)
  const line = (state: RowState): Markup => {
    const rows = totals[TOTAL_OF_STATE[state]]
    return html`<tr class="${rows === 0 ? 'zero' : ''}">
      <th scope="row">${swatch(state)}${say(`state.${state}`)}</th>
      <td class="n">${count(rows)}</td>
      <td class="n">${share(rows, totals.read)}</td>
      <td>${rows === 0 ? '' : fileLink(fileOf(state))}</td>
    </tr>`
  }
  const closing = (name: string, rows: number, style = ''): Markup =>
    html`<tr class="${style}">
      <th scope="row">${name}</th>
      <td class="n">${count(rows)}</td>
      <td></td>
      <td></td>
    </tr>`
  return html`<section id="totals">
    <h2>${say('totals.title')}</h2>
    ${stateBar(totals, texts)}
    <table>
      ${tableHead([
        say('label.state'),
        { figures: say('label.rows') },
        { figures: say('totals.share') },
        say('label.file'),
      ])}
      <tbody>
        ${REPORT_ORDER.map(line)} ${closing(say('totals.sum'), sum, 'sum')}
        ${closing(say('cover.read'), totals.read)}
        ${closing(say('totals.difference'), totals.read - sum, 'last')}
      </tbody>
    </table>
    ${totals.resubmitted === 0 ? '' : resubmittedNote(facts, texts)}
  </section>`
}

/** Lines that add nothing to what was read. */
function resubmittedNote({ totals, notTaken }: ReportFacts, { say, labelled }: Texts): Markup {
  const files = `${PLACE_OF_PART.notSent}, problems.csv`
  const refused = notTaken === 0 ? '' : ` ${labelled('label.notTaken', notTaken)} (${files}).`
  return html`<p>
    ${labelled('label.resubmitted', totals.resubmitted)}. ${say('totals.resubmitted')}${refused}
  </p>`
}
