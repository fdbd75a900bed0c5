import { html } from 'hono/html'
import type { DecisionRecord } from '../../ledger/read/reader.js'
import { registrationsChart } from './charts.js'
import { fileLink } from './file-link.js'
import { DECISIONS_FILE } from '../files/decision-lines.js'
import { FILE_OF_PART, type ReportFacts } from '../facts/facts.js'
import type { HashTotals } from '../facts/hash-totals.js'
import { fact, table, tableHead } from './parts.js'
import { maskedText, plainText } from './plain-text.js'
import { REPORT_ORDER } from './report-order.js'
import { timeText } from '../../domain/text/wording.js'
import { explainedColumns } from '../text/explained-columns.js'
import type { Markup, TextKey, Texts } from '../text/texts.js'

const DECISIONS_SHOWN = 50

/** Nobody should sign for more than the answer of the service says. */
const MEANS_NOT = ['notFinal', 'notProven', 'notCancelled', 'notRestarted', 'notTold'] as const

export function registeredSection(facts: ReportFacts, texts: Texts): Markup {
  const { say, labelled, mark } = texts
  return html`<section id="registered">
    <h2>${labelled('state.registered', facts.totals.registered)}</h2>
    ${registrationsChart(facts.registrations, texts)}
    <div class="note">
      <p>${mark('registered.meaning', { file: fileLink(FILE_OF_PART.registered) })}</p>
      <p><strong>${say('registered.meansNot')}</strong></p>
      <ul>
        ${MEANS_NOT.map((key) => html`<li>${say(`registered.${key}`)}</li>`)}
      </ul>
    </div>
    ${firstDebits(facts, texts)}
  </section>`
}

function firstDebits({ firstDebits: rows }: ReportFacts, { say }: Texts): Markup | '' {
  if (rows.length === 0) return ''
  return html`<h3>${say('registered.lapseFirst')}</h3>
    ${table(rows, [
      { name: say('label.firstDebitBy'), of: (row) => row.latestFirstDebit ?? '', as: 'head' },
      { name: say('label.customer'), of: (row) => row.customerNo ?? '' },
      {
        name: say('label.assignedReference'),
        of: (row) => plainText(row.assignedMandateReference ?? ''),
        as: 'id',
      },
      {
        name: say('label.previousReference'),
        of: (row) => plainText(row.originalMandateReference ?? ''),
        as: 'id',
      },
    ])}`
}

export const decisionsSection = ({ decisions }: ReportFacts, texts: Texts): Markup =>
  html`<section id="decisions">
    <h2>${texts.labelled('decisions.title', decisions.total)}</h2>
    ${decisions.total === 0 ? '' : decisionsTable(decisions, texts)}
  </section>`

/** What people changed in rows that they gave back. */
export const correctionsSection = ({ corrections }: ReportFacts, texts: Texts): Markup | '' =>
  corrections.total === 0
    ? ''
    : html`<section id="corrected">
        <h2>${texts.labelled('decisions.corrected', corrections.total)}</h2>
        ${decisionsTable(corrections, texts)}
      </section>`

function decisionsTable({ total, first }: ReportFacts['decisions'], texts: Texts): Markup {
  const { say } = texts
  const shown = first.slice(0, DECISIONS_SHOWN)
  const rest = `${say('page.shown', { shown: shown.length, total })} ${say('page.allIn', { file: DECISIONS_FILE })}`
  return html`${table(shown, [
    { name: say('label.row'), of: ({ rowId }) => rowId, as: 'figures' },
    { name: say('label.decision'), of: ({ decision }) => decisionWord(decision, texts) },
    {
      name: say('label.by'),
      of: ({ by, at }) => html`${plainText(by)}<br /><span class="soft t">${timeText(at)}</span>`,
    },
    { name: say('label.reason'), of: reasonOf },
  ])}
  ${shown.length < total ? html`<p>${rest}</p>` : ''}`
}

const DECISIONS: Readonly<Partial<Record<string, TextKey>>> = {
  registered: 'state.registered',
  refused: 'state.refused',
  written_off: 'state.written_off',
  resend: 'decision.resend',
  retry_refused: 'decision.retry_refused',
  corrected: 'decision.corrected',
}

/** What a person decided; the word of another version stands as it was recorded. */
export function decisionWord(decision: string, { say }: Texts): string {
  const key = DECISIONS[decision]
  return key === undefined ? plainText(decision) : say(key)
}

const reasonOf = ({ reason, evidence }: DecisionRecord): Markup =>
  html`${maskedText(reason)}${evidence === null ? '' : html`<br /><span class="soft id">${plainText(evidence)}</span>`}`

/** A hash total with the rows that it is over: on the page and in the workbook. */
export interface HashTotalLine {
  readonly name: string
  readonly rows: number
  readonly value: string
}

/** Figures that let a third party check the files against page and workbook. */
export function hashTotalLines({ hashTotals }: ReportFacts, { say }: Texts): HashTotalLine[] {
  const registered = hashTotals.byState.get('registered')
  const over = (rows: TextKey, totals: HashTotals): HashTotalLine[] => [
    { name: `${say('hash.sum')}, ${say(rows)}`, rows: totals.customerNoRows, value: totals.customerNoSum },
    { name: `${say('hash.oldKeys')}, ${say(rows)}`, rows: totals.oldKeyRows, value: totals.oldKeyDigest },
  ]
  if (registered === undefined) return over('hash.all', hashTotals.read)
  const pairs = { name: say('hash.pairs'), rows: registered.pairRows, value: registered.pairDigest }
  return [...over('hash.all', hashTotals.read), ...over('state.registered', registered), pairs]
}

export function hashTotalsSection(facts: ReportFacts, texts: Texts): Markup {
  const { count, say, mark } = texts
  const { customers, mandates, accounts } = facts.distinct
  const files = { summary: fileLink('summary.json'), manifest: fileLink('manifest.json') }
  return html`<section id="hash-totals">
    <h2>${say('hash.title')}</h2>
    <dl class="facts">
      ${fact(say('hash.customers'), count(customers))} ${fact(say('hash.mandates'), count(mandates))}
      ${fact(say('hash.accounts'), count(accounts))}
    </dl>
    <p>${say('hash.lead')} ${mark('hash.where', files)}</p>
    ${table(hashTotalLines(facts, texts), [
      { name: say('hash.title'), of: ({ name }) => name, as: 'head' },
      { name: say('label.rows'), of: ({ rows }) => count(rows), as: 'figures' },
      { name: say('label.value'), of: ({ value }) => value, as: 'id' },
    ])}
  </section>`
}

export const definitionsSection = (_: ReportFacts, { say }: Texts): Markup =>
  html`<section id="definitions">
    <h2>${say('meaning.title')}</h2>
    <table>
      <tbody>
        ${REPORT_ORDER.map(
          (state) =>
            html`<tr>
              <th scope="row" class="t">${say(`state.${state}`)}</th>
              <td>${say(`meaning.${state}`)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`

/** What stands in the files beside this page: their headers are the same in every language. */
export const columnsSection = ({ verification }: ReportFacts, texts: Texts): Markup =>
  html`<section id="columns">
    <h2>${texts.say('columns.title')}</h2>
    <p>${texts.say('columns.lead')}</p>
    ${explainedColumns(texts, verification !== null).map(
      ({ files, columns }) =>
        html`<table class="columns">
          <caption>
            ${files.map((file, at) => html`${at === 0 ? '' : ', '}${fileLink(file)}`)}
          </caption>
          ${tableHead([texts.say('label.column'), texts.say('label.meaning')])}
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
