import { html } from 'hono/html'
import { TOTAL_OF_STATE } from '../../domain/row/totals.js'
import type { RowState } from '../../domain/row/row-state.js'
import { heldReady } from '../../domain/wave/wave.js'
import { stateBar, swatch, type Markup } from './charts.js'
import { fileLink } from './file-link.js'
import { FILE_OF_PART, partOfState, type ReportFacts } from '../facts/facts.js'
import { inDoubtSection, problemsSection, refusalsSection } from './page-open-points.js'
import { decisionsSection, definitionsSection, hashTotalsSection, registeredSection } from './page-record.js'
import { coverSection } from './page-cover.js'
import { hasOverrides, runsSection, sourcesSection } from './page-runs.js'
import { plansSection } from './page-plans.js'
import { PAGE_STYLE, printedMargins } from './page-style.js'
import { contradictionText, verificationSection } from './page-verification.js'
import { wavesSection } from './page-waves.js'
import { maskedText, plainText } from './plain-text.js'
import { stateTitle } from '../../domain/row/state-words.js'
import { REPORT_ORDER } from './report-order.js'
import { countText, plural, shareText, timeText } from '../../domain/text/wording.js'

/** report.html: one page without network or script, for the person who signs. */
export async function renderPage(facts: ReportFacts): Promise<string> {
  const { balanced } = facts
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="referrer" content="no-referrer" />
        <title>Reconciliation of the SEPA mandate migration, ${timeText(facts.campaign.changedAt)}</title>
        <style>
          ${PAGE_STYLE} ${printedMargins(facts)}
        </style>
      </head>
      <body>
        <main class="${balanced ? 'balanced' : 'unbalanced'}">
          ${coverSection(facts, verdictSection(facts))}
          <p class="annex">Annex: what the first page rests on</p>
          ${metadataSection(facts)} ${totalsSection(facts)} ${wavesSection(facts)}
          ${verificationSection(facts)} ${inDoubtSection(facts)} ${refusalsSection(facts)}
          ${problemsSection(facts)} ${registeredSection(facts)} ${sourcesSection(facts)}
          ${plansSection(facts)} ${runsSection(facts)} ${decisionsSection(facts)} ${hashTotalsSection(facts)}
          ${definitionsSection()}
          <footer>
            All times are UTC. Account numbers are shown as country and last four characters. Made from the
            ledger alone: the same ledger gives the same page.
          </footer>
        </main>
      </body>
    </html>`
  return `${page.toString().trimEnd()}\n`
}

/** What this page was made from. */
function metadataSection(facts: ReportFacts): Markup {
  const { campaign, runs } = facts
  const first = runs[0]?.startedAt ?? campaign.createdAt
  const fact = (label: string, value: string): Markup =>
    html`<div>
      <dt>${label}</dt>
      <dd>${value}</dd>
    </div>`
  return html`<dl class="facts">
    ${fact('Target', plainText(campaign.baseUrl ?? 'not bound to a service yet'))}
    ${fact('User at the service', plainText(campaign.username ?? ''))}
    ${fact('Period', `${timeText(first).slice(0, 16)} to ${timeText(campaign.changedAt).slice(0, 16)}`)}
    ${fact('Ledger', plainText(facts.ledger))} ${fact('Ledger id', campaign.ledgerId)}
    ${fact('Account numbers', campaign.purgedAt === null ? 'kept for rows that are not registered' : `removed ${timeText(campaign.purgedAt)}`)}
  </dl>`
}

interface OpenPoint {
  readonly state: RowState
  readonly text: (count: number) => string
  readonly anchor: string
}

/** What somebody still has to act on, the most urgent first. */
const OPEN_POINTS: readonly OpenPoint[] = [
  {
    state: 'in_doubt',
    anchor: 'in-doubt',
    text: (count) =>
      `${plural(count, 'mandate is', 'mandates are')} in doubt: registered or not, nobody knows yet.`,
  },
  {
    state: 'sending',
    anchor: 'in-doubt',
    text: (count) => `${plural(count, 'mandate was', 'mandates were')} on the way when this was written.`,
  },
  {
    state: 'refused',
    anchor: 'refused',
    text: (count) => `${plural(count, 'mandate was', 'mandates were')} refused by the service.`,
  },
  {
    state: 'ready',
    anchor: 'totals',
    text: (count) =>
      `${plural(count, 'row is', 'rows are')} ready and not registered yet; run again to continue.`,
  },
  {
    state: 'invalid',
    anchor: 'problems',
    text: (count) => `${plural(count, 'row is', 'rows are')} invalid and cannot be sent as they are.`,
  },
  {
    state: 'conflict',
    anchor: 'problems',
    text: (count) =>
      `${plural(count, 'row contradicts', 'rows contradict')} another row of the same mandate.`,
  },
]

/** What the service contradicts stands before everything else. */
function openPointsOf(facts: ReportFacts): { readonly anchor: string; readonly text: string }[] {
  const contradiction = contradictionText(facts)
  const held = heldReady(facts.waves)
  const points = OPEN_POINTS.flatMap(({ state, anchor, text }) => {
    const count = facts.totals[TOTAL_OF_STATE[state]] - (state === 'ready' ? held : 0)
    return count <= 0 ? [] : [{ anchor, text: text(count) }]
  })
  if (held > 0)
    points.push({
      anchor: 'waves',
      text: `${plural(held, 'row is', 'rows are')} held: ready, and not sent before somebody releases their wave.`,
    })
  return contradiction === null ? points : [{ anchor: 'verification', text: contradiction }, ...points]
}

function verdictSection(facts: ReportFacts): Markup {
  const { totals, balanced } = facts
  const open = openPointsOf(facts)
  const last = facts.runs.at(-1)
  const overridden = facts.runs.filter(hasOverrides)
  const word = balanced ? (open.length === 0 ? 'complete' : 'open') : 'unbalanced'
  return html`<div class="verdict ${word}">
    <h2>${headline(facts, open.length)}</h2>
    <p>
      ${
        balanced
          ? `Every one of the ${plural(totals.read, 'record', 'records')} read from ${plural(facts.sources.length, 'source', 'sources')} is in exactly one state.`
          : 'The states do not add up to the records read. Do not sign: keep the ledger as it is and have it looked into.'
      }
    </p>
    ${
      open.length === 0
        ? ''
        : html`<ul>
            ${open.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>`)}
          </ul>`
    }
    ${last?.stoppedBy === null || last === undefined ? '' : html`<p>The last run stopped early: ${maskedText(last.stoppedBy)}</p>`}
    ${
      overridden.length === 0
        ? ''
        : html`<p>
            <span class="mark">settings changed</span>
            <a href="#runs"
              >${plural(overridden.length, 'run', 'runs')} read answers or rules differently from the
              default.</a
            >
          </p>`
    }
    ${
      facts.changedWhileReading
        ? html`<p>
            <span class="mark">a run was going on</span> The ledger changed while this report was written.
            Each row is counted once, as it was met; write the report again when the run has ended.
          </p>`
        : ''
    }
  </div>`
}

function headline(facts: ReportFacts, openPoints: number): string {
  if (!facts.balanced) return 'The control totals do NOT balance'
  if (facts.totals.read === 0) return 'Balanced: no record was read yet'
  return openPoints === 0
    ? 'Balanced, nothing is open'
    : `Balanced, ${plural(openPoints, 'point', 'points')} open`
}

const notTakenText = ({ notTaken }: ReportFacts): string =>
  notTaken === 0
    ? ''
    : ` ${plural(notTaken, 'of them was', 'of them were')} not taken, because what was sent or closed cannot be replaced by a file, or because the line does not fit the row it names: see ${FILE_OF_PART.notSent} and problems.csv.`

const fileOf = (state: RowState): string => {
  const part = partOfState(state)
  return part === 'closed' ? 'reconciliation.xlsx' : FILE_OF_PART[part]
}

function totalsSection(facts: ReportFacts): Markup {
  const { totals } = facts
  const sum = REPORT_ORDER.reduce((total, state) => total + totals[TOTAL_OF_STATE[state]], 0)
  const line = (state: RowState): Markup => {
    const count = totals[TOTAL_OF_STATE[state]]
    return html`<tr class="${count === 0 ? 'zero' : ''}">
      <th scope="row">${swatch(state)}${stateTitle(state)}</th>
      <td class="n">${countText(count)}</td>
      <td class="n">${shareText(count, totals.read)}</td>
      <td>${count === 0 ? '' : fileLink(fileOf(state))}</td>
    </tr>`
  }
  return html`<section id="totals">
    <h2>Control totals</h2>
    ${stateBar(totals)}
    <table>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col" class="n">Rows</th>
          <th scope="col" class="n">Share</th>
          <th scope="col">Listed in</th>
        </tr>
      </thead>
      <tbody>
        ${REPORT_ORDER.map(line)}
        <tr class="sum">
          <th scope="row">Sum of all states</th>
          <td class="n">${countText(sum)}</td>
          <td></td>
          <td></td>
        </tr>
        <tr>
          <th scope="row">Records read, counted by the reader of the sources</th>
          <td class="n">${countText(totals.read)}</td>
          <td></td>
          <td></td>
        </tr>
        <tr class="last">
          <th scope="row">Difference</th>
          <td class="n">${countText(totals.read - sum)}</td>
          <td></td>
          <td></td>
        </tr>
      </tbody>
    </table>
    ${
      totals.resubmitted === 0
        ? ''
        : html`<p>
            ${plural(totals.resubmitted, 'line was', 'lines were')} given back as corrections. A correction
            counts in the place of the row it corrects, so these lines add nothing to the records
            read.${notTakenText(facts)}
          </p>`
    }
  </section>`
}
