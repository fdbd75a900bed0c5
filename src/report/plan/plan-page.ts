import { html } from 'hono/html'
import {
  type PlanDocument,
  creditorLine,
  rowDrifts,
  settingDrifts,
  sourceDrifts,
  sourceLine,
  targetDrifts,
  toSend,
  versionDrifts,
} from '../../domain/plan/plan.js'
import { choiceLine } from '../../domain/row/choice.js'
import { changesIn, type CorrectedRow, type FieldChange } from '../../domain/row/correction.js'
import { ROW_STATES, stateName, TOTAL_OF_STATE } from '../../domain/row/row-state.js'
import { ENGLISH, type Markup } from '../text/texts.js'
import { fact, listOf, pageOf, section, table } from '../page/look.js'
import { maskedText, plainText } from '../files/cells.js'
import { settingText } from '../page/annex-runs.js'
import { treatedAsActiveText } from '../../domain/rule/verdict.js'
import { countText, durationText, plural, timeText } from '../../domain/text/text.js'

/**
 * plan.html: one page without network or script, for the person who approves.
 * @param last what the ledger was planned to send before; null where nothing was
 */
export const renderPlanPage = (document: PlanDocument, last: PlanDocument | null): Promise<string> =>
  pageOf(
    'en',
    `Plan of a SEPA mandate migration, ${timeText(document.plannedAt)}`,
    html`<main>
      ${headSection(document)} ${sendSection(document)}
      ${section('last', 'Beside the last plan', lastText(document, last))}
      ${section('totals', 'Totals before the first request', totalsTable(document, last))}
      ${correctionsSection(document)} ${behindSection(document)}
      ${section('sources', 'Sources', listOf([...document.sources.map(sourceLine), ...(document.readAs ?? [])].map(plainText), '', 'settings one'))}
      ${settingsSection(document)} ${section('sign-off', 'Approval', SIGNATURES)}
      <footer>
        All times are UTC. Nothing was sent and no file was admitted when this was made. The digest names the
        plan: approval and run are held to it. This page is a picture for people and proves nothing: "approve"
        shows what is signed.
      </footer>
    </main>`,
  )

const headSection = (document: PlanDocument): Markup =>
  html`<header>
    <h1>Plan of a SEPA mandate migration</h1>
    <p class="lead">to ${plainText(document.target.baseUrl)}, ${timeText(document.plannedAt)}</p>
    <dl class="facts">
      ${fact('Digest of the plan', document.digest)}
      ${fact('Planned by', `${maskedText(document.plannedBy)}${document.plannedAs === null ? '' : ` (user ${plainText(document.plannedAs)})`}`)}
      ${fact('User at the service', plainText(document.target.username))}
      ${fact('Ledger id', plainText(document.ledgerId))}
      ${fact('Program version', plainText(document.version))}
      ${fact('Reference date', plainText(document.asOf))}
    </dl>
  </header>`

const rowsText = (count: number): string => plural(count, 'row', 'rows')

const sendSection = (document: PlanDocument): Markup =>
  html`<div class="verdict ${toSend(document) === 0 ? 'open' : ''}">
    <h2>To send: ${rowsText(toSend(document))}</h2>
    <p>
      ${document.limit === null ? '' : `At most, of ${plural(document.rows.count, 'ready row', 'ready rows')}. `}About
      ${durationText(document.expectedMs)} of
      sending.${document.retriesRefused ? ' Rows that the service refused are among them.' : ''}
    </p>
    ${listOf(document.creditors.map(creditorLine).map(plainText), '')}
    ${document.choice === null ? '' : html`<p>${plainText(choiceLine(document.choice))}.</p>`}
    <p class="soft">Digest of the rows: <span class="id">${document.rows.digest}</span></p>
  </div>`

/** A setting that holds nothing is told as that. */
const valueText = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : settingText(value)
  return text === '' ? 'none' : text
}

const lastText = (document: PlanDocument, last: PlanDocument | null): Markup =>
  last === null
    ? html`<p>This is the first plan of this ledger.</p>`
    : html`<p>
          The last plan of this ledger was made ${timeText(last.plannedAt)} by ${maskedText(last.plannedBy)}:
          ${rowsText(toSend(last))} to send.
        </p>
        ${listOf(changedLines(document, last), 'Nothing changed since.')}`

/** In the words of a run that is held to a plan. */
const changedLines = (now: PlanDocument, last: PlanDocument): string[] =>
  [
    ...targetDrifts(last.target, now.target),
    ...sourceDrifts(last.sources, now.sources),
    ...rowDrifts(last.rows, now.rows),
    ...settingDrifts({ limit: last.limit, ...last.settings }, { limit: now.limit, ...now.settings }),
    ...versionDrifts(last.version, now.version),
  ].map(({ text }) => plainText(text))

function totalsTable({ totals }: PlanDocument, last: PlanDocument | null): Markup {
  const lines = [
    ...ROW_STATES.map((state) => ({ name: stateName(state), total: TOTAL_OF_STATE[state] })),
    { name: 'Records read', total: 'read' as const },
  ]
  const then = ({ total }: (typeof lines)[0]): number => last?.totals[total] ?? 0
  return table(
    lines.filter((line) => line.total === 'read' || totals[line.total] + then(line) > 0),
    [
      ['State', ({ name }) => name, 'head'],
      ['Rows', ({ total }) => countText(totals[total]), 'figures'],
      ...(last === null
        ? []
        : [['In the last plan', (line: (typeof lines)[0]) => countText(then(line)), 'figures'] as const]),
    ],
  )
}

function correctionsSection({ corrections }: PlanDocument): Markup | '' {
  if (corrections === undefined || corrections.rows === 0) return ''
  const { rows, fields, first } = corrections
  const changed = fields.map(({ field, count }) => `${field}: ${count}`).join(', ')
  return section(
    'corrected',
    `${plural(rows, 'row was', 'rows were')} corrected`,
    html`<p>
        People gave them back with other values, and they are to be sent
        so.${changed === '' ? '' : ` Changed: ${changed}.`}
      </p>
      ${table(first.flatMap(fieldsOf), [
        ['Row', ({ row }) => row, 'figures'],
        ['Field', ({ field }) => field, 'head'],
        ['Before', ({ before }) => maskedText(before), 'id'],
        ['After', ({ after }) => maskedText(after), 'id'],
        ['By', ({ by, at }) => html`${maskedText(by)}<br /><span class="soft t">${timeText(at)}</span>`],
        ['Reason', ({ reason }) => maskedText(reason)],
      ])}
      ${rows > first.length ? html`<p>The first ${first.length} of them.</p>` : ''}`,
  )
}

/** A line for each field; a row of which no field differs has one all the same. */
function fieldsOf(corrected: CorrectedRow): (CorrectedRow & FieldChange)[] {
  const changes = changesIn(corrected.changes)
  const shown = changes.length === 0 ? [{ field: 'no field', before: '', after: '' }] : changes
  return shown.map((change) => ({ ...corrected, ...change }))
}

const behindSection = ({ staysBehind, warnings, treatedAsActive = [] }: PlanDocument): Markup =>
  section(
    'behind',
    'What stays behind, and warnings',
    listOf(
      staysBehind.map(
        ({ state, rule, count }) =>
          html`${rowsText(count)} ${stateName(state)}:
          ${ENGLISH.reason(rule, ENGLISH.say(`meaning.${state}`))}`,
      ),
      'Nothing stays behind.',
    ),
    treatedAsActive.length === 0
      ? ''
      : html`<p><strong>${plainText(treatedAsActiveText(treatedAsActive))}.</strong></p>`,
    listOf(
      warnings.map(
        ({ rule, count }) => html`${plural(count, 'warning', 'warnings')}: ${ENGLISH.reason(rule, '')}`,
      ),
      'No warnings.',
    ),
  )

function settingsSection({ settings, changedSettings, settingsDigest }: PlanDocument): Markup {
  const lines = (names: readonly string[]): string[] =>
    names.map((name) => `${name}: ${valueText(settings[name])}`)
  const others = Object.keys(settings).filter((name) => !changedSettings.includes(name))
  return section(
    'settings',
    'Settings',
    changedSettings.length === 0
      ? html`<p>All settings are the usual ones.</p>`
      : html`<div class="changed">
          <span class="mark">not as usual</span> ${listOf(lines(changedSettings), '', 'settings one')}
        </div>`,
    html`<h3>All others</h3>
      ${listOf(lines(others), '', 'settings')}
      <p class="soft">Digest of the settings: <span class="id">${settingsDigest}</span></p>`,
  )
}

const SIGNATURES = html`<div class="sign">
  ${['Planned', 'Approved'].map(
    (role) =>
      html`<div><strong>${role}</strong><span>Name</span><span>Date</span><span>Signature</span></div>`,
  )}
</div>`
