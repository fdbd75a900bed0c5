import { html } from 'hono/html'
import { isRuleId, ruleOf } from '../../domain/rule/rules.js'
import { isBalanced, TOTAL_OF_STATE, type Totals } from '../../domain/row/totals.js'
import type { RunRecord, SourceRecord } from '../../ledger/read/reader.js'
import type { Markup } from './charts.js'
import type { ReportFacts } from '../facts/facts.js'
import { maskedText, plainText } from './plain-text.js'
import { partsOf, settingLines, settingText } from './setting-text.js'
import { stateTitle } from '../../domain/row/state-words.js'
import { REPORT_ORDER } from './report-order.js'
import { countText, durationText, plural, timeText } from '../../domain/text/wording.js'

/** Totals of each source, and how it was read. */
export function sourcesSection(facts: ReportFacts): Markup {
  const states = REPORT_ORDER.filter((state) => facts.totals[TOTAL_OF_STATE[state]] > 0)
  const counts = (name: string, totals: Totals): Markup =>
    html`<th scope="row">${name}</th>
      <td class="n">${countText(totals.read)}</td>
      ${states.map((state) => html`<td class="n">${countText(totals[TOTAL_OF_STATE[state]])}</td>`)}
      <td>${isBalanced(totals) ? 'yes' : html`<strong>NO</strong>`}</td>`
  return html`<section id="sources" tabindex="0" aria-label="Sources">
    <h2>Sources</h2>
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">Source</th>
          <th scope="col" class="n">Read</th>
          ${states.map((state) => html`<th scope="col" class="n">${stateTitle(state)}</th>`)}
          <th scope="col">Adds up</th>
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
          ${counts('All sources', facts.totals)}
        </tr>
      </tbody>
    </table>
    ${facts.sources.map(oneSource)}
  </section>`
}

const oneSource = (source: SourceRecord): Markup =>
  html`<div class="run">
    <h3>${plainText(source.name)}</h3>
    <ul class="settings one">
      <li>SHA-256: <span class="id">${source.sha256}</span></li>
      <li>
        ${countText(source.bytes)} bytes, ${plural(source.records, 'record', 'records')},
        ${plural(source.blankLines, 'blank line', 'blank lines')}, admitted ${timeText(source.admittedAt)}
      </li>
      ${settingLines(Object.entries(source.reading)).map((line) => html`<li>${line}</li>`)}
    </ul>
  </div>`

/** Every run with its settings; those that change what an answer means stand out. */
export function runsSection(facts: ReportFacts): Markup {
  return html`<section id="runs">
    <h2>Runs</h2>
    ${facts.runs.length === 0 ? html`<p>Nothing was run yet.</p>` : ''}
    ${facts.runs.map((run, at) => oneRun(run, facts.runs[at + 1] ?? null))}
  </section>`
}

/** What changes the meaning of an answer or a finding: nobody should sign without having seen it. */
export const hasOverrides = ({ settings }: RunRecord): boolean =>
  partsOf(settings.outcomes).length + partsOf(settings.rules).length > 0

function oneRun(run: RunRecord, later: RunRecord | null): Markup {
  const span = run.endedAt === null ? null : durationText(Date.parse(run.endedAt) - Date.parse(run.startedAt))
  const { outcomes: outcomeOverrides, rules, ...others } = run.settings
  const outcomes = partsOf(outcomeOverrides)
  const severities = partsOf(rules)
  const { attempts } = run
  return html`<div class="run">
    <h3>
      Run ${run.id},
      ${timeText(run.startedAt)}${span === null ? '' : html` <span class="soft">(${span})</span>`}
    </h3>
    <p>
      ${endOf(run, later)} Requests: ${countText(attempts.registered)} registered,
      ${countText(attempts.refused)} refused, ${countText(attempts.in_doubt)} in doubt,
      ${countText(attempts.turned_away)} turned away, ${countText(attempts.not_sent)} not
      sent${attempts.open > 0 ? `, ${countText(attempts.open)} without an outcome` : ''}.
    </p>
    ${
      outcomes.length === 0
        ? ''
        : html`<div class="changed">
            <span class="mark">answers read differently</span>
            ${outcomes.map(([status, outcome]) => html` <code>${plainText(status)} as ${settingText(outcome)}</code>`)}
          </div>`
    }
    ${
      severities.length === 0
        ? ''
        : html`<div class="changed">
            <span class="mark">rules changed</span>
            ${severities.map(([rule, severity]) => html` <code>${plainText(rule)}: ${settingText(severity)}</code> <span class="soft">(default ${isRuleId(rule) ? ruleOf(rule).severity : 'unknown'})</span>`)}
          </div>`
    }
    <ul class="settings">
      ${run.startedAs === null ? '' : html`<li>started by: ${plainText(run.startedAs)}</li>`}
      <li>program version: ${plainText(run.version)}</li>
      <li>today of the date rules: ${run.asOf} (${plainText(run.zone)})</li>
      ${settingLines(partsOf(others)).map((line) => html`<li>${line}</li>`)}
    </ul>
  </div>`
}

/** One run at a time holds the ledger, so one that never ended and was followed by another is dead. */
function endOf(run: RunRecord, later: RunRecord | null): Markup {
  if (run.endedAt === null)
    return later === null && run.stoppedBy === null
      ? html`<strong>Going on, or ended without a word.</strong>`
      : html`<strong>Killed: it ended without a word.</strong> What it had under way became in doubt.`
  if (run.stoppedBy === null)
    return html`Ended at ${timeText(run.endedAt)}, exit status ${run.exitCode ?? 'unknown'}.`
  return html`<strong>Stopped early: ${maskedText(run.stoppedBy)}</strong> (exit status
    ${run.exitCode ?? 'unknown'}).`
}
