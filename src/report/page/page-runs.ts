import { html } from 'hono/html'
import { isRuleId, ruleOf } from '../../domain/rule/rules.js'
import { isBalanced, TOTAL_OF_STATE, type Totals } from '../../domain/row/totals.js'
import type { RunRecord, SourceRecord } from '../../ledger/read/reader.js'
import type { Markup } from '../text/markup.js'
import type { ReportFacts } from '../facts/facts.js'
import { maskedText, plainText } from './plain-text.js'
import { partsOf, settingLines, settingText } from './setting-text.js'
import { REPORT_ORDER } from './report-order.js'
import { timeText } from '../../domain/text/wording.js'
import type { Texts } from '../text/en.js'
import { stateTitle } from '../text/state-title.js'

/** Totals of each source, and how it was read. */
export function sourcesSection(facts: ReportFacts, texts: Texts): Markup {
  const { count, sources: words } = texts
  const states = REPORT_ORDER.filter((state) => facts.totals[TOTAL_OF_STATE[state]] > 0)
  const counts = (name: string, totals: Totals): Markup =>
    html`<th scope="row">${name}</th>
      <td class="n">${count(totals.read)}</td>
      ${states.map((state) => html`<td class="n">${count(totals[TOTAL_OF_STATE[state]])}</td>`)}
      <td>${isBalanced(totals) ? texts.addsUp : html`<strong>${texts.doesNotAddUp}</strong>`}</td>`
  return html`<section id="sources" tabindex="0" aria-label="${words.title}">
    <h2>${words.title}</h2>
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">${words.source}</th>
          <th scope="col" class="n">${words.read}</th>
          ${states.map((state) => html`<th scope="col" class="n">${stateTitle(state, texts)}</th>`)}
          <th scope="col">${words.addsUp}</th>
        </tr>
      </thead>
      <tbody>
        ${facts.sources.map(
          (source) =>
            html`<tr>
              ${counts(plainText(source.name), source.totals)}
            </tr>`,
        )}
        <tr class="sum last">
          ${counts(words.all, facts.totals)}
        </tr>
      </tbody>
    </table>
    ${facts.sources.map((source) => oneSource(source, texts))}
  </section>`
}

const oneSource = (source: SourceRecord, texts: Texts): Markup =>
  html`<div class="run">
    <h3>${plainText(source.name)}</h3>
    <ul class="settings one">
      <li>SHA-256: <span class="id">${source.sha256}</span></li>
      <li>
        ${texts.sources.size(source.bytes, source.records, source.blankLines, timeText(source.admittedAt))}
      </li>
      ${settingLines(Object.entries(source.reading), texts).map((line) => html`<li>${line}</li>`)}
    </ul>
  </div>`

/** Every run with its settings; those that change what an answer means stand out. */
export function runsSection(facts: ReportFacts, texts: Texts): Markup {
  return html`<section id="runs">
    <h2>${texts.runs.title}</h2>
    ${facts.runs.length === 0 ? html`<p>${texts.runs.none}</p>` : ''}
    ${facts.runs.map((run, at) => oneRun(run, facts.runs[at + 1] ?? null, facts.leftByChoice, texts))}
  </section>`
}

/** What changes the meaning of an answer or a finding: nobody should sign without having seen it. */
export const hasOverrides = ({ settings }: RunRecord): boolean =>
  partsOf(settings.outcomes).length + partsOf(settings.rules).length > 0

/** @param left ready rows that the latest run was not told to send */
function oneRun(run: RunRecord, later: RunRecord | null, left: number | null, texts: Texts): Markup {
  const { runs: words } = texts
  const span =
    run.endedAt === null ? null : texts.duration(Date.parse(run.endedAt) - Date.parse(run.startedAt))
  const { outcomes: outcomeOverrides, rules, only = [], ...others } = run.settings
  const outcomes = partsOf(outcomeOverrides)
  const severities = partsOf(rules)
  const facts: [string, string][] = [
    ...(run.startedAs === null ? [] : [[words.startedBy, plainText(run.startedAs)] as [string, string]]),
    [words.version, plainText(run.version)],
    [words.today, `${run.asOf} (${plainText(run.zone)})`],
  ]
  return html`<div class="run">
    <h3>
      ${words.run(run.id, timeText(run.startedAt))}${span === null ? '' : html` <span class="soft">(${span})</span>`}
    </h3>
    <p>
      ${endOf(run, later, texts)}
      ${requestsText(run, texts)}${left === null || later !== null ? '' : ` ${words.leftByChoice(left)}`}
    </p>
    ${
      outcomes.length === 0
        ? ''
        : html`<div class="changed">
            <span class="mark">${words.answersChanged}</span>
            ${outcomes.map(([status, outcome]) => html` <code>${words.readAs(plainText(status), settingText(outcome, texts))}</code>`)}
          </div>`
    }
    ${
      severities.length === 0
        ? ''
        : html`<div class="changed">
            <span class="mark">${words.rulesChanged}</span>
            ${severities.map(([rule, severity]) => html` <code>${plainText(rule)}: ${settingText(severity, texts)}</code> <span class="soft">(${words.usually(isRuleId(rule) ? ruleOf(rule).severity : words.unknown)})</span>`)}
          </div>`
    }
    <ul class="settings">
      ${facts.map(([name, value]) => html`<li>${texts.labelled(name, value)}</li>`)}
      ${only.map(({ column, values }) => html`<li>${words.onlyRows(maskedText(column), maskedText(values.join(', ')))}</li>`)}
      ${settingLines(partsOf(others), texts).map((line) => html`<li>${line}</li>`)}
    </ul>
  </div>`
}

function requestsText({ attempts }: RunRecord, { runs }: Texts): string {
  const {
    registered,
    refused,
    in_doubt: inDoubt,
    turned_away: turnedAway,
    not_sent: notSent,
    open,
  } = attempts
  const counted = runs.requests(registered, refused, inDoubt, turnedAway, notSent)
  return open > 0 ? `${counted}, ${runs.withoutOutcome(open)}.` : `${counted}.`
}

/** One run at a time holds the ledger, so one that never ended and was followed by another is dead. */
function endOf(run: RunRecord, later: RunRecord | null, { runs }: Texts): Markup {
  const exit = run.exitCode ?? runs.unknown
  if (run.endedAt === null)
    return later === null && run.stoppedBy === null
      ? html`<strong>${runs.goingOn}</strong>`
      : html`<strong>${runs.killed}</strong> ${runs.becameDoubtful}`
  if (run.stoppedBy === null) return html`${runs.ended(timeText(run.endedAt), exit)}`
  return html`<strong>${runs.stopped(maskedText(run.stoppedBy))}</strong> (${runs.exit(exit)}).`
}
