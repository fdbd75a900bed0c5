import { html } from 'hono/html'
import type { DecisionRecord } from '../../ledger/read/reader.js'
import { registrationsChart } from './charts.js'
import type { Markup } from '../text/markup.js'
import { fileLink } from './file-link.js'
import { DECISIONS_FILE } from '../files/decision-lines.js'
import { FILE_OF_PART, type ReportFacts } from '../facts/facts.js'
import type { HashTotals } from '../facts/hash-totals.js'
import { maskedText, plainText } from './plain-text.js'
import { REPORT_ORDER } from './report-order.js'
import { timeText } from '../../domain/text/wording.js'
import type { Texts } from '../text/en.js'
import { explainedColumns } from '../text/explained-columns.js'
import { decisionReason, decisionWord } from '../text/recorded.js'
import { stateTitle } from '../text/state-title.js'

const DECISIONS_SHOWN = 50

export function registeredSection(facts: ReportFacts, texts: Texts): Markup {
  const { registered: words } = texts
  return html`<section id="registered">
    <h2>${words.counted(facts.totals.registered)}</h2>
    ${registrationsChart(facts.registrations, texts)}
    <div class="note">
      <p><strong>${words.means}</strong> ${words.meaning(fileLink(FILE_OF_PART.registered))}</p>
      <p><strong>${words.meansNot}</strong></p>
      <ul>
        <li>${words.notFinal}</li>
        <li>${words.notProven}</li>
        <li>${words.notCancelled}</li>
        <li>${words.notRestarted}</li>
        <li>${words.notTold}</li>
      </ul>
    </div>
    ${firstDebits(facts, texts)}
  </section>`
}

function firstDebits({ firstDebits: rows }: ReportFacts, { registered: words }: Texts): Markup | '' {
  if (rows.length === 0) return ''
  return html`<h3>${words.lapseFirst}</h3>
    <table>
      <caption>
        ${words.earliest(rows.length)}
      </caption>
      <thead>
        <tr>
          <th scope="col">${words.firstDebitBy}</th>
          <th scope="col">${words.customer}</th>
          <th scope="col">${words.assignedReference}</th>
          <th scope="col">${words.previousReference}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              <th scope="row" class="t">${row.latestFirstDebit ?? ''}</th>
              <td>${row.customerNo ?? ''}</td>
              <td class="id">${plainText(row.assignedMandateReference ?? '')}</td>
              <td class="id">${plainText(row.originalMandateReference ?? '')}</td>
            </tr>`,
        )}
      </tbody>
    </table>`
}

export function decisionsSection(facts: ReportFacts, texts: Texts): Markup {
  const { decisions: words } = texts
  if (facts.decisions.total === 0) {
    return html`<section id="decisions">
      <h2>${words.title}</h2>
      <p>${words.none}</p>
    </section>`
  }
  return html`<section id="decisions">
    <h2>${texts.labelled(words.title, texts.count(facts.decisions.total))}</h2>
    ${decisionsTable(facts.decisions, texts)}
  </section>`
}

/** What people changed in rows that they gave back. */
export function correctionsSection({ corrections }: ReportFacts, texts: Texts): Markup | '' {
  const { decisions: words } = texts
  if (corrections.total === 0) return ''
  return html`<section id="corrected">
    <h2>${texts.labelled(words.corrected, texts.count(corrections.total))}</h2>
    <p>${words.correctedLead}</p>
    ${decisionsTable(corrections, texts)}
  </section>`
}

function decisionsTable({ total, first }: ReportFacts['decisions'], texts: Texts): Markup {
  const { decisions: words, page } = texts
  const shown = first.slice(0, DECISIONS_SHOWN)
  return html`<table>
      <thead>
        <tr>
          <th scope="col" class="n">${words.row}</th>
          <th scope="col">${words.decision}</th>
          <th scope="col">${words.by}</th>
          <th scope="col">${words.reason}</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map((decision) => oneDecision(decision, texts))}
      </tbody>
    </table>
    ${shown.length < total ? html`<p>${page.firstShown(shown.length, total)} ${page.allIn(DECISIONS_FILE)}</p>` : ''}`
}

const oneDecision = (decision: DecisionRecord, texts: Texts): Markup =>
  html`<tr>
    <td class="n">${decision.rowId}</td>
    <td>${decisionWord(decision.decision, texts)}</td>
    <td>${plainText(decision.by)}<br /><span class="soft t">${timeText(decision.at)}</span></td>
    <td>
      ${maskedText(decisionReason(decision.reason, texts))}${decision.evidence === null ? '' : html`<br /><span class="soft id">${plainText(decision.evidence)}</span>`}
    </td>
  </tr>`

/** Figures that let a third party check the files against this page. */
export function hashTotalsSection(facts: ReportFacts, texts: Texts): Markup {
  const { count, hashTotals: words } = texts
  const registered = facts.hashTotals.byState.get('registered')
  const distinct = (label: string, distinctCount: number): Markup =>
    html`<div>
      <dt>${label}</dt>
      <dd>${words.distinct(distinctCount)}</dd>
    </div>`
  const line = (over: string, rows: number, total: string, value: string): Markup =>
    html`<tr>
      <th scope="row">${over}</th>
      <td class="n">${count(rows)}</td>
      <td>${total}</td>
      <td class="id">${value}</td>
    </tr>`
  const lines = (over: string, totals: HashTotals): Markup[] => [
    line(over, totals.customerNoRows, words.sum, totals.customerNoSum),
    line(over, totals.oldKeyRows, words.oldKeys, totals.oldKeyDigest),
  ]
  return html`<section id="hash-totals">
    <h2>${words.title}</h2>
    <dl class="facts">
      ${distinct(words.customers, facts.distinct.customers)}
      ${distinct(words.mandates, facts.distinct.mandates)}
      ${distinct(words.accounts, facts.distinct.accounts)}
    </dl>
    <p>${words.lead}</p>
    <table>
      <thead>
        <tr>
          <th scope="col">${words.over}</th>
          <th scope="col" class="n">${words.rows}</th>
          <th scope="col">${words.total}</th>
          <th scope="col">${words.value}</th>
        </tr>
      </thead>
      <tbody>
        ${lines(words.allMandates, facts.hashTotals.read)}
        ${registered === undefined ? '' : lines(words.registered, registered)}
        ${
          registered === undefined
            ? ''
            : line(words.registered, registered.pairRows, words.pairs, registered.pairDigest)
        }
      </tbody>
    </table>
    <p class="soft">
      ${words.definitions} ${words.whereAll(fileLink('summary.json'), fileLink('manifest.json'))}
    </p>
  </section>`
}

export function definitionsSection(_: ReportFacts, texts: Texts): Markup {
  return html`<section id="definitions">
    <h2>${texts.stateMeanings}</h2>
    <table>
      <tbody>
        ${REPORT_ORDER.map(
          (state) =>
            html`<tr>
              <th scope="row" class="t">${stateTitle(state, texts)}</th>
              <td>${texts.states[state].long}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`
}

/** What stands in the files beside this page: their headers are the same in every language. */
export function columnsSection({ verification }: ReportFacts, texts: Texts): Markup {
  const { columns: words } = texts
  return html`<section id="columns">
    <h2>${words.title}</h2>
    <p>${words.lead}</p>
    ${explainedColumns(texts, verification !== null).map(
      ({ files, columns }) =>
        html`<table class="columns">
          <caption>
            ${files.map((file, at) => html`${at === 0 ? '' : ', '}${fileLink(file)}`)}
          </caption>
          <thead>
            <tr>
              <th scope="col">${words.column}</th>
              <th scope="col">${words.meaning}</th>
            </tr>
          </thead>
          <tbody>
            ${columns.map(
              ([column, meaning]) =>
                html`<tr>
                  <th scope="row"><code>${column}</code></th>
                  <td>${meaning}</td>
                </tr>`,
            )}
          </tbody>
        </table>`,
    )}
  </section>`
}
