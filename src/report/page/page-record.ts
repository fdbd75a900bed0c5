import { html } from 'hono/html'
import type { DecisionRecord } from '../../ledger/read/reader.js'
import { registrationsChart, type Markup } from './charts.js'
import { fileLink } from './file-link.js'
import { FILE_OF_PART, type ReportFacts } from '../facts/facts.js'
import { DEFINITIONS, type HashTotals } from '../facts/hash-totals.js'
import { maskedText, plainText } from './plain-text.js'
import { STATE_WORDS, stateTitle } from '../../domain/row/state-words.js'
import { REPORT_ORDER } from './report-order.js'
import { countText, plural, timeText } from '../../domain/text/wording.js'

const DECISIONS_SHOWN = 50

export function registeredSection(facts: ReportFacts): Markup {
  const { registered } = facts.totals
  return html`<section id="registered">
    <h2>Registered: ${plural(registered, 'mandate', 'mandates')}</h2>
    ${registrationsChart(facts.registrations)}
    <div class="note">
      <p>
        <strong>What “registered” means.</strong> The service answered that it stored the mandate, and gave it
        a new creditor identifier and a new reference. ${fileLink(FILE_OF_PART.registered)} holds old and new
        side by side.
      </p>
      <p><strong>What it does not mean.</strong></p>
      <ul>
        <li>It is not final. A mandate has moved only when its first payment is initiated with it.</li>
        <li>
          It does not prove the account, the reference or the date. If one is wrong, the first debit comes
          back (MD01, MD02, AC01, AC04, AM05, MD07), days or months later.
        </li>
        <li>
          It is no reason to cancel anything at the previous creditor, and the old identifiers have to be kept
          for good.
        </li>
        <li>It does not restart the 36 months after which an unused mandate lapses.</li>
        <li>
          Each customer must learn the new creditor name, identifier and reference before the next debit.
        </li>
      </ul>
    </div>
    ${firstDebits(facts)} ${noticesMade(facts)}
  </section>`
}

function firstDebits(facts: ReportFacts): Markup | '' {
  const rows = facts.firstDebits
  if (rows.length === 0) return ''
  return html`<h3>Registered mandates that lapse first</h3>
    <table>
      <caption>
        The first debit has to run by this date. Earliest ${rows.length} of those for which it can be told.
      </caption>
      <thead>
        <tr>
          <th scope="col">First debit by</th>
          <th scope="col">Customer</th>
          <th scope="col">Assigned reference</th>
          <th scope="col">Previous reference</th>
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

function noticesMade({ notices }: ReportFacts): Markup | '' {
  if (notices.length === 0) return ''
  return html`<h3>Letters to customers</h3>
    <table>
      <caption>
        Merge files that were made for them; whether a letter was sent, this program cannot know.
      </caption>
      <thead>
        <tr>
          <th scope="col">Made by, at</th>
          <th scope="col" class="n">Mandates</th>
          <th scope="col">First debit</th>
          <th scope="col">File, SHA-256</th>
        </tr>
      </thead>
      <tbody>
        ${notices.map(
          (notice) =>
            html`<tr>
              <td>${plainText(notice.madeBy)}<br /><span class="soft t">${timeText(notice.madeAt)}</span></td>
              <td class="n">${countText(notice.rows)}</td>
              <td class="t">${notice.firstDebit}</td>
              <td class="id">${plainText(notice.file)}<br /><span class="soft">${notice.sha256}</span></td>
            </tr>`,
        )}
      </tbody>
    </table>`
}

export function decisionsSection(facts: ReportFacts): Markup {
  const { total, first } = facts.decisions
  const shown = first.slice(0, DECISIONS_SHOWN)
  if (total === 0) {
    return html`<section id="decisions">
      <h2>Decisions by persons</h2>
      <p>No row was resolved by a person.</p>
    </section>`
  }
  return html`<section id="decisions">
    <h2>Decisions by persons: ${countText(total)}</h2>
    <table>
      <thead>
        <tr>
          <th scope="col" class="n">Row</th>
          <th scope="col">Decision</th>
          <th scope="col">By, at</th>
          <th scope="col">Reason and evidence</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map(oneDecision)}
      </tbody>
    </table>
    ${shown.length < total ? html`<p>The first ${countText(shown.length)} of ${countText(total)} are shown. More are in reconciliation.xlsx, all in the ledger.</p>` : ''}
  </section>`
}

const oneDecision = (decision: DecisionRecord): Markup =>
  html`<tr>
    <td class="n">${decision.rowId}</td>
    <td>${plainText(decision.decision).replaceAll('_', ' ')}</td>
    <td>${plainText(decision.by)}<br /><span class="soft t">${timeText(decision.at)}</span></td>
    <td>
      ${maskedText(decision.reason)}${decision.evidence === null ? '' : html`<br /><span class="soft id">${plainText(decision.evidence)}</span>`}
    </td>
  </tr>`

/** Figures that let a third party check the files against this page. */
export function hashTotalsSection(facts: ReportFacts): Markup {
  const registered = facts.hashTotals.byState.get('registered')
  return html`<section id="hash-totals">
    <h2>Hash totals</h2>
    <dl class="facts">
      ${distinct('Different customers', facts.distinct.customers)}
      ${distinct('Different mandates', facts.distinct.mandates)}
      ${distinct('Different accounts', facts.distinct.accounts)}
    </dl>
    <p>
      These totals change when a row is lost, doubled or altered. They do not depend on the order of rows.
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Over</th>
          <th scope="col" class="n">Rows</th>
          <th scope="col">Total</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        ${hashLines('All mandates', facts.hashTotals.read)}
        ${registered === undefined ? '' : hashLines('Registered', registered)}
        ${
          registered === undefined
            ? ''
            : hashLine('Registered', registered.pairRows, 'digest of old and new', registered.pairDigest)
        }
      </tbody>
    </table>
    <p class="soft">
      Old key: ${DEFINITIONS.oldKey} Digest of old keys: ${DEFINITIONS.oldKeyDigest} Digest of old and new:
      ${DEFINITIONS.pairDigest} The totals of every state are in ${fileLink('summary.json')}; those of the
      states add up to those of all rows. ${fileLink('manifest.json')} has the size and SHA-256 of every file
      of this pack and of every source.
    </p>
  </section>`
}

const distinct = (label: string, count: number): Markup =>
  html`<div>
    <dt>${label}</dt>
    <dd>${countText(count)} among all mandates</dd>
  </div>`

const hashLine = (over: string, rows: number, total: string, value: string): Markup =>
  html`<tr>
    <th scope="row">${over}</th>
    <td class="n">${countText(rows)}</td>
    <td>${total}</td>
    <td class="id">${value}</td>
  </tr>`

const hashLines = (over: string, totals: HashTotals): Markup[] => [
  hashLine(over, totals.customerNoRows, 'sum of customer_no', totals.customerNoSum),
  hashLine(over, totals.oldKeyRows, 'digest of old keys', totals.oldKeyDigest),
]

export function definitionsSection(): Markup {
  return html`<section id="definitions">
    <h2>What the states mean</h2>
    <table>
      <tbody>
        ${REPORT_ORDER.map(
          (state) =>
            html`<tr>
              <th scope="row" class="t">${stateTitle(state)}</th>
              <td>${STATE_WORDS[state].long}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`
}
