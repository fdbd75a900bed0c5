import { said } from '../../domain/text/text.js'
import { isRuleId, ruleOf } from '../../domain/rule/verdict.js'
import { html } from 'hono/html'
import type { RunRecord, SourceRecord, ApprovalRecord } from '../../ledger/read/reader.js'
import { hasSent, idsText, REPORT_ORDER, runsUnder } from '../facts/facts.js'
import type { ReportFacts } from '../facts/row-walk.js'
import type { Markup, Texts } from '../text/texts.js'
import { maskedText, plainText } from '../files/cells.js'
import { tableHead, fact, table } from './look.js'
import { partsOf, settingLines, settingText } from '../text/setting-text.js'
import { shortDigest, toSend } from '../../domain/plan/plan.js'
import { isBalanced, TOTAL_OF_STATE, type Totals } from '../../domain/row/row-state.js'

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

const oneSource = (source: SourceRecord, { labelled, time }: Texts): Markup =>
  html`<div class="run">
    <h3>${plainText(source.name)}</h3>
    <p>
      ${labelled('label.bytes', source.bytes)}, ${labelled('cover.read', source.records)},
      ${time(source.admittedAt)}, SHA-256: <span class="id">${source.sha256}</span>
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

/** In words; a plan belongs to its runs. */
export function differingSettings(runs: readonly RunRecord[], { setting }: Texts): string[] {
  const settings = runs.map((run): Readonly<Record<string, unknown>> => ({ ...run.settings, plan: null }))
  return [...new Set(settings.flatMap(Object.keys))]
    .filter((name) => new Set(settings.map((each) => JSON.stringify(each[name] ?? null))).size > 1)
    .map(setting)
    .sort()
}

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
    <h3>${run.id}, ${texts.time(run.startedAt)}<span class="soft">${span}</span></h3>
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
function endOf(run: RunRecord, later: RunRecord | null, { say, labelled, time }: Texts): Markup {
  if (run.endedAt === null)
    return html`<strong
      >${say(later === null && run.stoppedBy === null ? 'runs.goingOn' : 'runs.killed')}</strong
    >`
  const exit = labelled('label.exit', run.exitCode ?? '–')
  if (run.stoppedBy === null) return html`${labelled('label.ended', time(run.endedAt))}, ${exit}.`
  return html`<strong>${labelled('label.stoppedBy', maskedText(run.stoppedBy))}</strong> (${exit}).`
}

const PLANS_SHOWN = 50

/** On the first page, which stays one page. */
const APPROVALS_SHOWN = 3

/** How many rows left under which approval, and how many under none: nobody should sign without having seen it. */
export function approvalFacts({ plans, sentByApproval }: ReportFacts, texts: Texts): Markup[] {
  const { say, labelled } = texts
  const approvals = plans.flatMap((plan) => plan.approvals)
  const under = sentByApproval.flatMap(({ approval: id, rows }) =>
    approvals.filter((approval) => approval.id === id).map((approval) => ({ approval, rows })),
  )
  const bare = sentByApproval.find(({ approval }) => approval === null)?.rows ?? 0
  const shown = under.slice(0, APPROVALS_SHOWN)
  return said([
    ...shown.map(({ approval, rows }) =>
      fact(
        say('cover.approvedBy'),
        `${maskedText(approval.approvedBy)}, ${texts.minute(approval.approvedAt)}; ${labelled('label.rows', rows)}; ${proofOf(approval, texts)}`,
      ),
    ),
    under.length > shown.length &&
      fact(say('cover.approvedBy'), say('cover.others', { count: under.length - shown.length })),
    plans.length > 0 && bare > 0 && fact(say('plans.none'), labelled('label.rows', bare)),
  ])
}

/** What a signature proves is the key, and what was recorded proves nothing. */
const proofOf = ({ key, reference }: ApprovalRecord, { say }: Texts): string =>
  key === null
    ? say('plans.recorded', { reference: maskedText(reference ?? '') })
    : say('plans.proven', { key })

const personText = (by: string, as: string | null): string =>
  as === null ? maskedText(by) : `${maskedText(by)} (${plainText(as)})`

/** Every plan with its approvals, and the runs that went under it; nothing where nobody planned. */
export function plansSection({ plans, runs }: ReportFacts, texts: Texts): Markup | '' {
  const { say } = texts
  if (plans.length === 0) return ''
  const shown = plans.slice(-PLANS_SHOWN)
  const unplanned = runs.filter((run) => run.settings.plan === undefined && hasSent(run))
  const capped = { shown: shown.length, total: plans.length }
  return html`<section id="plans">
    <h2>${say('plans.title')}</h2>
    ${shown.length === plans.length ? '' : html`<p>${say('page.shown', capped)}</p>`}
    ${unplanned.length === 0 ? '' : html`<p>${say('plans.underNone', { runs: idsText(unplanned) })}</p>`}
    ${table(shown, [
      [say('label.plan'), ({ digest }) => html`<code>${shortDigest(digest)}</code>`, 'head'],
      [
        say('cover.plannedBy'),
        (plan) => `${texts.time(plan.plannedAt)}, ${personText(plan.plannedBy, plan.plannedAs)}`,
      ],
      [say('label.rows'), (plan) => texts.count(toSend(plan.document)), 'figures'],
      [
        say('cover.approvedBy'),
        ({ approvals }) =>
          approvals.length === 0
            ? say('plans.notApproved')
            : html`${approvals.map((approval) => html`<div>${approvalText(approval, texts)}</div>`)}`,
      ],
      [say('runs.title'), (plan) => runsUnder(plan, runs)],
    ])}
  </section>`
}

function approvalText(approval: ApprovalRecord, texts: Texts): string {
  const { approvedAt, approvedBy, recordedAs, expiresAt } = approval
  const ends = texts.labelled('label.expires', texts.time(expiresAt))
  return `${texts.time(approvedAt)}, ${personText(approvedBy, recordedAs)}; ${ends}; ${proofOf(approval, texts)}`
}
