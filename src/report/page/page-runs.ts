import { html } from 'hono/html'
import { isRuleId, ruleOf } from '../../domain/rule/rules.js'
import { isBalanced, TOTAL_OF_STATE, type Totals } from '../../domain/row/totals.js'
import type { RunRecord, SourceRecord } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import { maskedText, plainText } from './plain-text.js'
import { partsOf, settingLines, settingText } from './setting-text.js'
import { REPORT_ORDER } from './report-order.js'
import { timeText } from '../../domain/text/wording.js'
import type { Markup, Texts } from '../text/texts.js'
import { tableHead } from './parts.js'

/** Totals of each source, and how it was read. */
export function sourcesSection(facts: ReportFacts, texts: Texts): Markup {
  const { count, say } = texts
  const states = REPORT_ORDER.filter((state) => facts.totals[TOTAL_OF_STATE[state]] > 0)
  const counts = (name: string, totals: Totals): Markup =>
    html`<th scope="row">${name}</th>
      <td class="n">${count(totals.read)}</td>
      ${states.map((state) => html`<td class="n">${count(totals[TOTAL_OF_STATE[state]])}</td>`)}
      <td>${isBalanced(totals) ? say('yes') : html`<strong>${say('no').toUpperCase()}</strong>`}</td>`
  return html`<section id="sources" tabindex="0" aria-label="${say('sources.title')}">
    <h2>${say('sources.title')}</h2>
    <table class="wide">
      ${tableHead([
        say('label.source'),
        { figures: say('cover.read') },
        ...states.map((state) => ({ figures: say(`state.${state}`) })),
        say('label.balanced'),
      ])}
      <tbody>
        ${facts.sources.map(
          (source) =>
            html`<tr>
              ${counts(plainText(source.name), source.totals)}
            </tr>`,
        )}
        <tr class="sum last">
          ${counts(say('sources.all'), facts.totals)}
        </tr>
      </tbody>
    </table>
    ${facts.sources.map((source) => oneSource(source, texts))}
  </section>`
}

const oneSource = (source: SourceRecord, { labelled }: Texts): Markup =>
  html`<div class="run">
    <h3>${plainText(source.name)}</h3>
    <p>
      ${labelled('label.bytes', source.bytes)}, ${labelled('cover.read', source.records)},
      ${timeText(source.admittedAt)}, SHA-256: <span class="id">${source.sha256}</span>
    </p>
    <ul class="settings one" lang="en">
      ${settingLines([...Object.entries(source.reading), ['blankLines', source.blankLines]]).map((line) => html`<li>${line}</li>`)}
    </ul>
  </div>`

/** Every run with its settings; those that change what an answer means stand out. */
export const runsSection = ({ runs, leftByChoice }: ReportFacts, texts: Texts): Markup =>
  html`<section id="runs">
    <h2>${texts.labelled('runs.title', runs.length)}</h2>
    ${runs.map((run, at) => oneRun(run, runs[at + 1] ?? null, leftByChoice, texts))}
  </section>`

/** What changes the meaning of an answer or a finding: nobody should sign without having seen it. */
export const hasOverrides = ({ settings }: RunRecord): boolean =>
  partsOf(settings.outcomes).length + partsOf(settings.rules).length > 0

/** @param left ready rows that the latest run was not told to send */
function oneRun(run: RunRecord, later: RunRecord | null, left: number | null, texts: Texts): Markup {
  const { say } = texts
  const span =
    run.endedAt === null ? '' : ` (${texts.duration(Date.parse(run.endedAt) - Date.parse(run.startedAt))})`
  const { outcomes, rules, only = [], ...others } = run.settings
  const lines = settingLines([
    ['startedBy', run.startedAs === null ? null : plainText(run.startedAs)],
    ['programVersion', plainText(run.version)],
    ['todayOfDateRules', `${run.asOf} ${plainText(run.zone)}`],
    ...partsOf(others),
  ])
  const chosen = only.map(
    ({ column, values }) => `only rows with ${maskedText(column)}: ${maskedText(values.join(', '))}`,
  )
  const ofOthers = left === null || later !== null ? '' : ` ${say('runs.leftByChoice', { count: left })}`
  return html`<div class="run">
    <h3>${run.id}, ${timeText(run.startedAt)}<span class="soft">${span}</span></h3>
    <p>${endOf(run, later, texts)} ${requestsText(run, texts)}.${ofOthers}</p>
    ${hasOverrides(run) ? html`<div class="changed"><span class="mark">${say('verdict.settingsChanged')}</span>${overrides(outcomes, rules)}</div>` : ''}
    <ul class="settings" lang="en">
      ${[...chosen, ...lines].map((line) => html`<li>${line}</li>`)}
    </ul>
  </div>`
}

/** A rule has its usual severity before the one that it was given. */
const overrides = (outcomes: unknown, rules: unknown): Markup[] => [
  ...partsOf(outcomes).map(
    ([status, outcome]) => html` <code>${plainText(status)}: ${settingText(outcome)}</code>`,
  ),
  ...partsOf(rules).map(
    ([rule, severity]) =>
      html` <code
        >${plainText(rule)}:
        ${isRuleId(rule) ? `${ruleOf(rule).severity} → ` : ''}${settingText(severity)}</code
      >`,
  ),
]

const requestsText = ({ attempts }: RunRecord, { labelled }: Texts): string =>
  [
    labelled('state.registered', attempts.registered),
    labelled('state.refused', attempts.refused),
    labelled('state.in_doubt', attempts.in_doubt),
    labelled('label.turnedAway', attempts.turned_away),
    labelled('cover.notSent', attempts.not_sent),
    ...(attempts.open > 0 ? [labelled('label.open', attempts.open)] : []),
  ].join(', ')

/** One run at a time holds the ledger, so one that never ended and was followed by another is dead. */
function endOf(run: RunRecord, later: RunRecord | null, { say, labelled }: Texts): Markup {
  if (run.endedAt === null)
    return html`<strong
      >${say(later === null && run.stoppedBy === null ? 'runs.goingOn' : 'runs.killed')}</strong
    >`
  const exit = labelled('label.exit', run.exitCode ?? '–')
  if (run.stoppedBy === null) return html`${labelled('label.ended', timeText(run.endedAt))}, ${exit}.`
  return html`<strong>${labelled('label.stoppedBy', maskedText(run.stoppedBy))}</strong> (${exit}).`
}
