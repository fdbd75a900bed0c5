import { html } from 'hono/html'
import { TOTAL_OF_STATE } from '../../domain/row/totals.js'
import type { RowState } from '../../domain/row/row-state.js'
import { stateBar, swatch } from './charts.js'
import type { Markup } from '../text/markup.js'
import { fileLink } from './file-link.js'
import { FILE_OF_PART, partOfState, type ReportFacts } from '../facts/facts.js'
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
import { en, type Texts } from '../text/en.js'
import { stateTitle } from '../text/state-title.js'

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
export async function renderPage(facts: ReportFacts, texts: Texts = en): Promise<string> {
  const { balanced } = facts
  const { title, annex, footer, asRecorded } = texts.page
  const page = await html`<!doctype html>
    <html lang="${texts.tag}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}, ${timeText(facts.campaign.changedAt)}</title>
        <style>
          ${PAGE_STYLE} ${printedMargins(facts, texts)}
        </style>
      </head>
      <body>
        <main class="${balanced ? 'balanced' : 'unbalanced'}">
          ${coverSection(facts, verdictSection(facts, texts), texts)}
          <p class="annex">${annex}</p>
          ${ANNEX.map((section) => section(facts, texts))}
          <footer>${footer} ${asRecorded}</footer>
        </main>
      </body>
    </html>`
  return `${page.toString().trimEnd()}\n`
}

/** What this page was made from. */
function metadataSection(facts: ReportFacts, { metadata }: Texts): Markup {
  const { campaign, runs } = facts
  const first = runs[0]?.startedAt ?? campaign.createdAt
  const fact = (label: string, value: string): Markup =>
    html`<div>
      <dt>${label}</dt>
      <dd>${value}</dd>
    </div>`
  return html`<dl class="facts">
    ${fact(metadata.target, plainText(campaign.baseUrl ?? metadata.notBound))}
    ${fact(metadata.user, plainText(campaign.username ?? ''))}
    ${fact(metadata.period, metadata.span(timeText(first).slice(0, 16), timeText(campaign.changedAt).slice(0, 16)))}
    ${fact(metadata.ledger, plainText(facts.ledger))} ${fact(metadata.ledgerId, campaign.ledgerId)}
    ${fact(metadata.accounts, campaign.purgedAt === null ? metadata.accountsKept : metadata.accountsRemoved(timeText(campaign.purgedAt)))}
  </dl>`
}

/** What somebody still has to act on, the most urgent first. */
const OPEN_POINTS = [
  { state: 'in_doubt', anchor: 'in-doubt', text: 'inDoubt' },
  { state: 'sending', anchor: 'in-doubt', text: 'sending' },
  { state: 'refused', anchor: 'refused', text: 'refused' },
  { state: 'ready', anchor: 'totals', text: 'ready' },
  { state: 'invalid', anchor: 'problems', text: 'invalid' },
  { state: 'conflict', anchor: 'problems', text: 'conflict' },
] as const satisfies readonly {
  readonly state: RowState
  readonly anchor: string
  readonly text: keyof Texts['openPoints']
}[]

interface OpenPoint {
  readonly anchor: string
  readonly text: string
}

/** What the service contradicts stands before everything else. */
function openPointsOf(facts: ReportFacts, texts: Texts): OpenPoint[] {
  const { openPoints } = texts
  const contradiction = contradictionText(facts, texts)
  const points = OPEN_POINTS.flatMap<OpenPoint>(({ state, anchor, text }) => {
    const count = facts.totals[TOTAL_OF_STATE[state]]
    return count === 0 ? [] : [{ anchor, text: openPoints[text](count) }]
  })
  return contradiction === null ? points : [{ anchor: 'verification', text: contradiction }, ...points]
}

function verdictSection(facts: ReportFacts, texts: Texts): Markup {
  const { totals, balanced } = facts
  const { verdict } = texts
  const open = openPointsOf(facts, texts)
  const last = facts.runs.at(-1)
  const overridden = facts.runs.filter(hasOverrides)
  const word = balanced ? (open.length === 0 ? 'complete' : 'open') : 'unbalanced'
  return html`<div class="verdict ${word}">
    <h2>${headline(facts, open.length, texts)}</h2>
    <p>${balanced ? verdict.everyRecord(totals.read, facts.sources.length) : verdict.doNotSign}</p>
    ${
      open.length === 0
        ? ''
        : html`<ul>
            ${open.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>`)}
          </ul>`
    }
    ${last?.stoppedBy === null || last === undefined ? '' : html`<p>${verdict.stoppedEarly(maskedText(last.stoppedBy))}</p>`}
    ${
      overridden.length === 0
        ? ''
        : html`<p>
            <span class="mark">${verdict.settingsChanged}</span>
            <a href="#runs">${verdict.readDifferently(overridden.length)}</a>
          </p>`
    }
    ${
      facts.changedWhileReading
        ? html`<p><span class="mark">${verdict.runGoingOn}</span> ${verdict.changedMeanwhile}</p>`
        : ''
    }
  </div>`
}

function headline(facts: ReportFacts, openPoints: number, { verdict }: Texts): string {
  if (!facts.balanced) return verdict.notBalanced
  if (facts.totals.read === 0) return verdict.nothingRead
  return openPoints === 0 ? verdict.nothingOpen : verdict.open(openPoints)
}

const fileOf = (state: RowState): string => {
  const part = partOfState(state)
  return part === 'closed' ? 'reconciliation.xlsx' : FILE_OF_PART[part]
}

function totalsSection(facts: ReportFacts, texts: Texts): Markup {
  const { totals, notTaken } = facts
  const { count, share, totals: words } = texts
  const sum = REPORT_ORDER.reduce((total, state) => total + totals[TOTAL_OF_STATE[state]], 0)
  const line = (state: RowState): Markup => {
    const rows = totals[TOTAL_OF_STATE[state]]
    return html`<tr class="${rows === 0 ? 'zero' : ''}">
      <th scope="row">${swatch(state)}${stateTitle(state, texts)}</th>
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
  const resubmitted = totals.resubmitted === 0 ? '' : words.resubmitted(totals.resubmitted)
  return html`<section id="totals">
    <h2>${words.title}</h2>
    ${stateBar(totals, texts)}
    <table>
      <thead>
        <tr>
          <th scope="col">${words.state}</th>
          <th scope="col" class="n">${words.rows}</th>
          <th scope="col" class="n">${words.share}</th>
          <th scope="col">${words.listedIn}</th>
        </tr>
      </thead>
      <tbody>
        ${REPORT_ORDER.map(line)} ${closing(words.sum, sum, 'sum')} ${closing(words.read, totals.read)}
        ${closing(words.difference, totals.read - sum, 'last')}
      </tbody>
    </table>
    ${
      resubmitted === ''
        ? ''
        : html`<p>
            ${resubmitted}${notTaken === 0 ? '' : ` ${words.notTaken(notTaken, FILE_OF_PART.notSent)}`}
          </p>`
    }
  </section>`
}
