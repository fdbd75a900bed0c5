import { html } from 'hono/html'
import type { DoubtHint } from '../../domain/row/outcome.js'
import { isRuleId, RULES } from '../../domain/rule/rules.js'
import { lineBar, type Markup } from './charts.js'
import { fileLink } from './file-link.js'
import { FILE_OF_PART, type ListedRow, type ReportFacts } from '../facts/facts.js'
import { maskedText, plainText } from './plain-text.js'
import { stateTitle } from '../../domain/row/state-words.js'
import { countText, plural, timeText } from '../../domain/text/wording.js'

/** Entries the page shows of each list; the sentence under it says where the rest is. */
const CASES_SHOWN = 50
const LINES_SHOWN = 25

const HINT_WORDS: Readonly<Record<DoubtHint, string>> = {
  probably_registered: 'probably registered',
  may_exist: 'may already exist',
  unknown: '',
}

const restOf = (shown: number, total: number, where: string): Markup | '' =>
  shown >= total ? '' : html`<p>The first ${countText(shown)} of ${countText(total)} are shown. ${where}</p>`

/** The rows nobody can answer for yet, each with what is known about it. */
export function inDoubtSection(facts: ReportFacts): Markup {
  const { total, first } = facts.inDoubt
  const shown = first.slice(0, CASES_SHOWN)
  if (total === 0) {
    return html`<section id="in-doubt">
      <h2>In doubt</h2>
      <p>No mandate is in doubt: the outcome of every request is known.</p>
    </section>`
  }
  return html`<section id="in-doubt">
    <h2>In doubt: ${plural(total, 'mandate', 'mandates')}</h2>
    <p>
      Each of these may or may not exist at the service. Sending one again could debit the customer twice, so
      the program never does. Look each one up at the service, fill the decision columns of
      ${fileLink(FILE_OF_PART.inDoubt)} and run
      <code>sepa-migrate resolve --from ${FILE_OF_PART.inDoubt}</code>.
    </p>
    ${proposalsOf(facts)} ${shown.map(inDoubtCase)}
    ${restOf(shown.length, total, `All are in ${FILE_OF_PART.inDoubt}.`)}
  </section>`
}

const proposalsOf = ({ proposals }: ReportFacts): Markup | '' =>
  proposals === 0
    ? ''
    : html`<p>
        ${plural(proposals, 'of them was', 'of them were')} read back as absent for long enough:
        ${fileLink(FILE_OF_PART.inDoubt)} proposes <em>resend</em> with the evidence, for a person to decide.
      </p>`

function inDoubtCase({ row, explanation }: ListedRow): Markup {
  const attempt = row.lastAttempt
  const since = attempt?.endedAt ?? attempt?.startedAt ?? null
  const isUnsent = attempt?.outcome === 'in_doubt' && attempt.started === false
  const words = isUnsent ? 'already at the service, not sent' : HINT_WORDS[attempt?.hint ?? 'unknown']
  const hint = words === '' ? '' : html` <span class="mark">${words}</span>`
  const answered = attempt?.status == null ? (isUnsent ? 'none' : 'no answer') : `HTTP ${attempt.status}`
  const error = attempt?.errorCode ?? null
  return html`<article class="case">
    <h3>
      <span>Row ${row.id}, customer ${row.customerNo ?? 'unknown'}${hint}</span>
      <span class="soft">${since === null ? '' : `open since ${timeText(since)}`}</span>
    </h3>
    <p>${row.state === 'sending' ? `${stateTitle('sending')}. ` : ''}${explanation.message}</p>
    <dl>
      <div>
        <dt>Previous reference</dt>
        <dd class="id">${plainText(row.originalMandateReference ?? '')}</dd>
      </div>
      <div>
        <dt>Request sent</dt>
        <dd>${isUnsent ? 'not sent' : timeText(attempt?.startedAt ?? null)}</dd>
      </div>
      <div>
        <dt>Previous creditor</dt>
        <dd class="id">${plainText(row.originalCreditorIdentifier ?? '')}</dd>
      </div>
      <div>
        <dt>Answer</dt>
        <dd>${answered}${error === null ? '' : `, ${plainText(error)}`}</dd>
      </div>
      <div>
        <dt>Account, signed</dt>
        <dd>${row.ibanMasked ?? ''}, ${row.signedDate ?? ''}</dd>
      </div>
      <div>
        <dt>Request id</dt>
        <dd class="id">${attempt?.requestId ?? ''}</dd>
      </div>
      <div>
        <dt>Source</dt>
        <dd>${plainText(row.source)}, record ${row.record}</dd>
      </div>
      <div>
        <dt>Attempts</dt>
        <dd>${row.attempts}</dd>
      </div>
    </dl>
    ${answerOf(attempt?.answer ?? null)}
  </article>`
}

const answerOf = (answer: string | null): Markup | '' =>
  answer === null || answer.trim() === ''
    ? ''
    : html`<div class="answer">
        <span class="soft">Answer as received, masked:</span> ${cut(maskedText(answer), 600)}
      </div>`

const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (the whole answer is in the ledger)`

type RefusalCount = ReportFacts['refusalCounts'][number]

function causeText(cause: RefusalCount): string {
  const field = cause.field === null ? null : `field ${cause.field}`
  const parts = [cause.serviceCode, field, cause.message].filter((part) => part !== null && part !== '')
  return parts.length === 0 ? 'No reason was given' : maskedText(parts.join(', '))
}

/** Refused rows by what the service said. */
export function refusalsSection(facts: ReportFacts): Markup {
  const refused = facts.totals.refused
  if (refused === 0)
    return html`<section id="refused">
      <h2>Refused</h2>
      <p>The service refused no mandate.</p>
    </section>`
  const causes = [...facts.refusalCounts].sort((a, b) => b.count - a.count)
  const shown = causes.slice(0, LINES_SHOWN)
  const highest = shown[0]?.count ?? 1
  return html`<section id="refused">
    <h2>Refused by the service: ${plural(refused, 'mandate', 'mandates')}</h2>
    <p>
      Nothing was registered for these rows. Correct them in ${fileLink(FILE_OF_PART.refused)} and feed the
      file back with <code>sepa-migrate run ${FILE_OF_PART.refused}</code>.
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">HTTP</th>
          <th scope="col">What the service said</th>
          <th scope="col" class="n">Rows</th>
          <th scope="col">Compared</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map(
          (cause) =>
            html`<tr>
              <td>${cause.status ?? 'decided'}</td>
              <td>${causeText(cause)}</td>
              <td class="n">${countText(cause.count)}</td>
              <td class="t">${lineBar(cause.count, highest)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${restOf(shown.length, causes.length, `Every row has its answer in ${FILE_OF_PART.refused}.`)}
  </section>`
}

/** Findings by rule, errors first, the most frequent first. */
export function problemsSection(facts: ReportFacts): Markup {
  const counts = [...facts.problemCounts].sort(
    (a, b) => a.severity.localeCompare(b.severity, 'en') || b.count - a.count || (a.rule < b.rule ? -1 : 1),
  )
  if (counts.length === 0) {
    return html`<section id="problems">
      <h2>Problems in the sources</h2>
      <p>The checks found no problem.</p>
    </section>`
  }
  const highest = Math.max(...counts.map(({ count }) => count))
  return html`<section id="problems">
    <h2>Problems in the sources</h2>
    <p>
      An error keeps a row from being sent; a warning does not. One row can have several. Each with its place
      in the source is in ${fileLink('problems.csv')}; rows that were not sent can be corrected in
      ${fileLink(FILE_OF_PART.corrections)} and fed back.
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Severity</th>
          <th scope="col">Rule and meaning</th>
          <th scope="col" class="n">Count</th>
          <th scope="col">Compared</th>
        </tr>
      </thead>
      <tbody>
        ${counts.map(
          ({ rule, severity, count }) =>
            html`<tr>
              <td>${severity === 'error' ? html`<strong>error</strong>` : severity}</td>
              <td>
                <code>${rule}</code> <span class="soft">${isRuleId(rule) ? RULES[rule].message : ''}</span>
              </td>
              <td class="n">${countText(count)}</td>
              <td class="t">${lineBar(count, highest)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`
}
