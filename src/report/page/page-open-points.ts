import { html } from 'hono/html'
import { isRuleId, RULES } from '../../domain/rule/rules.js'
import { lineBar } from './charts.js'
import { fileLink } from './file-link.js'
import { PLACE_OF_PART, type ListedRow, type ReportFacts } from '../facts/facts.js'
import type { RowRecord } from '../../ledger/read/reader.js'
import { fact, table } from './parts.js'
import { maskedText, plainText } from './plain-text.js'
import { timeText } from '../../domain/text/wording.js'
import type { Markup, Texts } from '../text/texts.js'

/** Entries the page shows of each list; the sentence under it says where the rest is. */
const CASES_SHOWN = 50
const LINES_SHOWN = 25

const restOf = (shown: number, total: number, file: string, { say }: Texts): Markup | '' =>
  shown >= total ? '' : html`<p>${say('page.shown', { shown, total })} ${say('page.allIn', { file })}</p>`

/** The rows nobody can answer for yet, each with what is known about it. */
export function inDoubtSection({ inDoubt: { total, first }, proposals }: ReportFacts, texts: Texts): Markup {
  const { labelled, mark } = texts
  const shown = first.slice(0, CASES_SHOWN)
  const file = fileLink(PLACE_OF_PART.inDoubt)
  const command = html`<code>sepa-migrate resolve --from ${PLACE_OF_PART.inDoubt}</code>`
  const proposed = { count: proposals, file, word: html`<em>resend</em>` }
  return html`<section id="in-doubt">
    <h2>${labelled('state.in_doubt', total)}</h2>
    ${total === 0 ? '' : html`<p>${mark('doubt.lead', { file, command })}</p>`}
    ${proposals === 0 ? '' : html`<p>${mark('doubt.proposals', proposed)}</p>`}
    ${shown.map((listed) => inDoubtCase(listed, texts))}
    ${restOf(shown.length, total, PLACE_OF_PART.inDoubt, texts)}
  </section>`
}

/** @param isUnsent nothing left, since the service held it already */
function hintOf({ lastAttempt }: RowRecord, isUnsent: boolean, { say }: Texts): string {
  const hint = lastAttempt?.hint ?? 'unknown'
  if (isUnsent) return say('doubt.alreadyThere')
  return hint === 'unknown' ? '' : say(`hint.${hint}`)
}

function inDoubtCase({ row, explanation }: ListedRow, texts: Texts): Markup {
  const { say, labelled } = texts
  const attempt = row.lastAttempt
  const since = attempt?.endedAt ?? attempt?.startedAt ?? null
  const isUnsent = attempt?.outcome === 'in_doubt' && attempt.started === false
  const hint = hintOf(row, isUnsent, texts)
  const mark = hint === '' ? '' : html` <span class="mark">${hint}</span>`
  const answered = attempt?.status == null ? '–' : `HTTP ${attempt.status}`
  const error = attempt?.errorCode ?? null
  return html`<article class="case">
    <h3>
      <span
        >${labelled('label.row', String(row.id))},
        ${labelled('label.customer', String(row.customerNo ?? '–'))}${mark}</span
      >
      <span class="soft">${since === null ? '' : say('doubt.openSince', { at: timeText(since) })}</span>
    </h3>
    <p lang="en">${explanation.message}</p>
    <dl>
      ${fact(say('label.previousReference'), plainText(row.originalMandateReference ?? ''), 'id')}
      ${fact(say('label.sentAt'), isUnsent ? '–' : timeText(attempt?.startedAt ?? null))}
      ${fact(say('label.previousCreditor'), plainText(row.originalCreditorIdentifier ?? ''), 'id')}
      ${fact(say('label.answer'), `${answered}${error === null ? '' : `, ${plainText(error)}`}`)}
      ${fact(say('label.account'), row.ibanMasked ?? '')} ${fact(say('label.signed'), row.signedDate ?? '')}
      ${fact(say('label.lastRequest'), attempt?.requestId ?? '', 'id')}
      ${fact(say('label.source'), `${plainText(row.source)}, ${labelled('label.record', String(row.record))}`)}
      ${fact(say('label.attempts'), String(row.attempts))}
    </dl>
    ${answerOf(attempt?.answer ?? null, texts)}
  </article>`
}

const LONGEST_ANSWER = 600

/** As it was received, accounts masked; the whole of it is in the ledger. */
function answerOf(answer: string | null, { say }: Texts): Markup | '' {
  if (answer === null || answer.trim() === '') return ''
  const text = maskedText(answer)
  const shown = text.length <= LONGEST_ANSWER ? text : `${text.slice(0, LONGEST_ANSWER)}…`
  return html`<div class="answer"><span class="soft">${say('label.answer')}</span> ${shown}</div>`
}

type RefusalCount = ReportFacts['refusalCounts'][number]

const causeText = ({ serviceCode, field, message }: RefusalCount): string =>
  maskedText([serviceCode, field, message].filter((part) => part !== null && part !== '').join(', ')) || '–'

/** Refused rows by what the service said. */
export function refusalsSection({ totals, refusalCounts }: ReportFacts, texts: Texts): Markup {
  const { count, say, labelled, mark } = texts
  const heading = html`<h2>${labelled('state.refused', totals.refused)}</h2>`
  if (totals.refused === 0) return html`<section id="refused">${heading}</section>`
  const causes = [...refusalCounts].sort((a, b) => b.count - a.count)
  const shown = causes.slice(0, LINES_SHOWN)
  const highest = shown[0]?.count ?? 1
  const command = html`<code>sepa-migrate run ${PLACE_OF_PART.refused}</code>`
  return html`<section id="refused">
    ${heading}
    <p>${mark('refused.lead', { file: fileLink(PLACE_OF_PART.refused), command })}</p>
    ${table(shown, [
      { name: 'HTTP', of: ({ status }) => status ?? say('label.decision') },
      { name: say('label.answer'), of: causeText },
      {
        name: say('label.rows'),
        of: (cause) => html`${lineBar(cause.count, highest)} ${count(cause.count)}`,
        as: 'figures',
      },
    ])}
    ${restOf(shown.length, causes.length, PLACE_OF_PART.refused, texts)}
  </section>`
}

/** Findings by rule, errors first, the most frequent first; what a rule says is English in every language. */
export function problemsSection({ problems, problemCounts }: ReportFacts, texts: Texts): Markup {
  const { say, labelled, mark } = texts
  const heading = html`<h2>${labelled('problems.title', problems)}</h2>`
  if (problemCounts.length === 0) return html`<section id="problems">${heading}</section>`
  const counts = [...problemCounts].sort(
    (a, b) => a.severity.localeCompare(b.severity, 'en') || b.count - a.count || (a.rule < b.rule ? -1 : 1),
  )
  const highest = Math.max(...counts.map(({ count }) => count))
  const files = { problems: fileLink('problems.csv'), corrections: fileLink(PLACE_OF_PART.corrections) }
  return html`<section id="problems">
    ${heading}
    <p>${mark('problems.lead', files)}</p>
    ${table(counts, [
      {
        name: say('label.severity'),
        of: ({ severity }) =>
          severity === 'error' ? html`<strong>${say('severity.error')}</strong>` : say('severity.warning'),
      },
      {
        name: say('label.rule'),
        of: ({ rule }) =>
          html`<code>${rule}</code>
            <span class="soft" lang="en">${isRuleId(rule) ? RULES[rule].message : ''}</span>`,
      },
      {
        name: say('label.count'),
        of: ({ count }) => html`${lineBar(count, highest)} ${texts.count(count)}`,
        as: 'figures',
      },
    ])}
  </section>`
}
