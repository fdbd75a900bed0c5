import { html } from 'hono/html'
import { isRuleId } from '../../domain/rule/rules.js'
import { lineBar } from './charts.js'
import type { Markup } from '../text/markup.js'
import { fileLink } from './file-link.js'
import { FILE_OF_PART, type ListedRow, type ReportFacts } from '../facts/facts.js'
import type { RowRecord } from '../../ledger/read/reader.js'
import { maskedText, plainText } from './plain-text.js'
import { timeText } from '../../domain/text/wording.js'
import type { Texts } from '../text/en.js'
import { stateTitle } from '../text/state-title.js'

/** Entries the page shows of each list; the sentence under it says where the rest is. */
const CASES_SHOWN = 50
const LINES_SHOWN = 25

const restOf = (shown: number, total: number, where: string, { page }: Texts): Markup | '' =>
  shown >= total ? '' : html`<p>${page.firstShown(shown, total)} ${where}</p>`

/** The rows nobody can answer for yet, each with what is known about it. */
export function inDoubtSection(facts: ReportFacts, texts: Texts): Markup {
  const { total, first } = facts.inDoubt
  const { inDoubt: words, page } = texts
  const shown = first.slice(0, CASES_SHOWN)
  if (total === 0) {
    return html`<section id="in-doubt">
      <h2>${words.title}</h2>
      <p>${words.none}</p>
    </section>`
  }
  const command = html`<code>sepa-migrate resolve --from ${FILE_OF_PART.inDoubt}</code>`
  return html`<section id="in-doubt">
    <h2>${words.counted(total)}</h2>
    <p>${words.lead(fileLink(FILE_OF_PART.inDoubt), command)}</p>
    ${proposalsOf(facts, texts)} ${shown.map((listed) => inDoubtCase(listed, texts))}
    ${restOf(shown.length, total, page.allIn(FILE_OF_PART.inDoubt), texts)}
  </section>`
}

const proposalsOf = ({ proposals }: ReportFacts, { inDoubt }: Texts): Markup | '' =>
  proposals === 0
    ? ''
    : html`<p>${inDoubt.proposals(proposals, fileLink(FILE_OF_PART.inDoubt), html`<em>resend</em>`)}</p>`

function hintOf({ lastAttempt }: RowRecord, isUnsent: boolean, { hints, inDoubt }: Texts): string {
  const hint = lastAttempt?.hint ?? 'unknown'
  if (isUnsent) return inDoubt.alreadyThere
  return hint === 'unknown' ? '' : hints[hint]
}

const pair = (label: string, value: Markup | string, style = ''): Markup =>
  html`<div>
    <dt>${label}</dt>
    <dd class="${style}">${value}</dd>
  </div>`

function inDoubtCase({ row, explanation }: ListedRow, texts: Texts): Markup {
  const { inDoubt: words } = texts
  const attempt = row.lastAttempt
  const since = attempt?.endedAt ?? attempt?.startedAt ?? null
  const isUnsent = attempt?.outcome === 'in_doubt' && attempt.started === false
  const hint = hintOf(row, isUnsent, texts)
  const mark = hint === '' ? '' : html` <span class="mark">${hint}</span>`
  const unanswered = isUnsent ? words.noneAnswered : words.noAnswer
  const answered = attempt?.status == null ? unanswered : `HTTP ${attempt.status}`
  const error = attempt?.errorCode ?? null
  return html`<article class="case">
    <h3>
      <span>${words.row(row.id, row.customerNo ?? words.unknown)}${mark}</span>
      <span class="soft">${since === null ? '' : words.openSince(timeText(since))}</span>
    </h3>
    <p>${row.state === 'sending' ? `${stateTitle('sending', texts)}. ` : ''}${explanation.message}</p>
    <dl>
      ${pair(words.previousReference, plainText(row.originalMandateReference ?? ''), 'id')}
      ${pair(words.requestSent, isUnsent ? words.notSent : timeText(attempt?.startedAt ?? null))}
      ${pair(words.previousCreditor, plainText(row.originalCreditorIdentifier ?? ''), 'id')}
      ${pair(words.answer, `${answered}${error === null ? '' : `, ${plainText(error)}`}`)}
      ${pair(words.account, `${row.ibanMasked ?? ''}, ${row.signedDate ?? ''}`)}
      ${pair(words.requestId, attempt?.requestId ?? '', 'id')}
      ${pair(words.source, words.record(plainText(row.source), row.record))}
      ${pair(words.attempts, String(row.attempts))}
    </dl>
    ${answerOf(attempt?.answer ?? null, texts)}
  </article>`
}

const answerOf = (answer: string | null, { inDoubt }: Texts): Markup | '' =>
  answer === null || answer.trim() === ''
    ? ''
    : html`<div class="answer">
        <span class="soft">${inDoubt.asReceived}</span> ${cut(maskedText(answer), 600, inDoubt.cut)}
      </div>`

const cut = (text: string, longest: number, whereTheRestIs: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${whereTheRestIs})`

type RefusalCount = ReportFacts['refusalCounts'][number]

function causeText(cause: RefusalCount, { refused }: Texts): string {
  const field = cause.field === null ? null : refused.field(cause.field)
  const parts = [cause.serviceCode, field, cause.message].filter((part) => part !== null && part !== '')
  return parts.length === 0 ? refused.noReason : maskedText(parts.join(', '))
}

/** Refused rows by what the service said. */
export function refusalsSection(facts: ReportFacts, texts: Texts): Markup {
  const { count, refused: words } = texts
  const refused = facts.totals.refused
  if (refused === 0)
    return html`<section id="refused">
      <h2>${words.title}</h2>
      <p>${words.none}</p>
    </section>`
  const causes = [...facts.refusalCounts].sort((a, b) => b.count - a.count)
  const shown = causes.slice(0, LINES_SHOWN)
  const highest = shown[0]?.count ?? 1
  const command = html`<code>sepa-migrate run ${FILE_OF_PART.refused}</code>`
  return html`<section id="refused">
    <h2>${words.counted(refused)}</h2>
    <p>${words.lead(fileLink(FILE_OF_PART.refused), command)}</p>
    <table>
      <thead>
        <tr>
          <th scope="col">HTTP</th>
          <th scope="col">${words.said}</th>
          <th scope="col" class="n">${words.rows}</th>
          <th scope="col">${words.compared}</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map(
          (cause) =>
            html`<tr>
              <td>${cause.status ?? words.decided}</td>
              <td>${causeText(cause, texts)}</td>
              <td class="n">${count(cause.count)}</td>
              <td class="t">${lineBar(cause.count, highest)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${restOf(shown.length, causes.length, words.answersIn(FILE_OF_PART.refused), texts)}
  </section>`
}

/** Findings by rule, errors first, the most frequent first. */
export function problemsSection(facts: ReportFacts, texts: Texts): Markup {
  const { problems: words, severities } = texts
  const counts = [...facts.problemCounts].sort(
    (a, b) => a.severity.localeCompare(b.severity, 'en') || b.count - a.count || (a.rule < b.rule ? -1 : 1),
  )
  if (counts.length === 0) {
    return html`<section id="problems">
      <h2>${words.title}</h2>
      <p>${words.none}</p>
    </section>`
  }
  const highest = Math.max(...counts.map(({ count }) => count))
  return html`<section id="problems">
    <h2>${words.title}</h2>
    <p>${words.lead(fileLink('problems.csv'), fileLink(FILE_OF_PART.corrections))}</p>
    <table>
      <thead>
        <tr>
          <th scope="col">${words.severity}</th>
          <th scope="col">${words.rule}</th>
          <th scope="col" class="n">${words.count}</th>
          <th scope="col">${words.compared}</th>
        </tr>
      </thead>
      <tbody>
        ${counts.map(
          ({ rule, severity, count }) =>
            html`<tr>
              <td>
                ${severity === 'error' ? html`<strong>${severities.error}</strong>` : severities[severity]}
              </td>
              <td>
                <code>${rule}</code>
                <span class="soft">${isRuleId(rule) ? texts.rules[rule].message : ''}</span>
              </td>
              <td class="n">${texts.count(count)}</td>
              <td class="t">${lineBar(count, highest)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`
}
