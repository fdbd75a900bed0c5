import { html } from 'hono/html'
import {
  type PlanDocument,
  type PlannedSource,
  changedSettings,
  changedSources,
} from '../../domain/plan/plan.js'
import { choiceLines } from '../../domain/row/choice.js'
import { changesIn, type CorrectedRow, type FieldChange } from '../../domain/row/correction.js'
import { ROW_STATES, stateName, TOTAL_OF_STATE } from '../../domain/row/row-state.js'
import type { Markup } from '../text/texts.js'
import { PAGE_STYLE } from '../page/look.js'
import { fact, table, tableHead } from '../page/look.js'
import { maskedText, plainText } from '../files/cells.js'
import { settingText } from '../page/annex-runs.js'
import { treatedAsActiveText } from '../../domain/rule/verdict.js'
import { countText, durationText, plural, timeText } from '../../domain/text/text.js'

/**
 * plan.html: one page without network or script, for the person who approves.
 * @param last what the ledger was planned to send before; null where nothing was
 */
export async function renderPlanPage(document: PlanDocument, last: PlanDocument | null): Promise<string> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="referrer" content="no-referrer" />
        <title>Plan of a SEPA mandate migration, ${timeText(document.plannedAt)}</title>
        <style>
          ${PAGE_STYLE}
        </style>
      </head>
      <body>
        <main>
          ${headSection(document)} ${sendSection(document)} ${lastSection(document, last)}
          ${totalsSection(document, last)} ${correctionsSection(document)} ${behindSection(document)}
          ${sourcesSection(document)} ${settingsSection(document)} ${signSection()}
          <footer>
            All times are UTC. Nothing was sent and no file was admitted when this was made. The digest names
            the plan: approval and run are held to it.
          </footer>
        </main>
      </body>
    </html>`
  return `${page.toString().trimEnd()}\n`
}

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
      ${fact('Today of the date rules', plainText(document.asOf))}
    </dl>
  </header>`

const toSend = ({ rows, limit }: PlanDocument): number => Math.min(rows.count, limit ?? rows.count)

const sendSection = (document: PlanDocument): Markup =>
  html`<div class="verdict ${toSend(document) === 0 ? 'open' : ''}">
    <h2>To send: ${plural(toSend(document), 'row', 'rows')}</h2>
    <p>
      ${document.limit === null ? '' : `At most, of ${plural(document.rows.count, 'ready row', 'ready rows')}. `}About
      ${durationText(document.expectedMs)} of
      sending.${document.retriesRefused ? ' Rows that the service refused are among them.' : ''}
    </p>
    <ul>
      ${document.creditors.map(
        ({ creditorIdentifier, count }) =>
          html`<li>previous creditor ${plainText(creditorIdentifier)}: ${plural(count, 'row', 'rows')}</li>`,
      )}
    </ul>
    ${choiceLines(document.choice).map((line) => html`<p>${plainText(line)}.</p>`)}
    <p class="soft">Digest of the rows: <span class="id">${document.rows.digest}</span></p>
  </div>`

/** A setting that holds nothing is told as that. */
const valueText = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : settingText(value)
  return text === '' ? 'none' : text
}

function lastSection(document: PlanDocument, last: PlanDocument | null): Markup {
  if (last === null)
    return html`<section id="last">
      <h2>Beside the last plan</h2>
      <p>This is the first plan of this ledger.</p>
    </section>`
  const lines = changedLines(document, last)
  return html`<section id="last">
    <h2>Beside the last plan</h2>
    <p>
      The last plan of this ledger was made ${timeText(last.plannedAt)} by ${maskedText(last.plannedBy)}:
      ${plural(toSend(last), 'row', 'rows')} to send.
    </p>
    ${
      lines.length === 0
        ? html`<p>Nothing changed since.</p>`
        : html`<ul>
            ${lines.map((line) => html`<li>${line}</li>`)}
          </ul>`
    }
  </section>`
}

function changedLines(document: PlanDocument, last: PlanDocument): string[] {
  const sources = changedSources(last.sources, document.sources).map(
    ({ how, name }) => `${how === 'missing' ? 'gone' : how}: source ${plainText(name)}`,
  )
  const settings = changedSettings(last.settings, document.settings).map(
    (name) =>
      `changed: ${name} from ${valueText(last.settings[name])} to ${valueText(document.settings[name])}`,
  )
  const isSame = last.rows.count === document.rows.count && last.rows.digest === document.rows.digest
  return [
    ...sources,
    ...(isSame
      ? []
      : [
          `changed: rows to send, ${countText(last.rows.count)} then and ${countText(document.rows.count)} now${last.rows.count === document.rows.count ? ', and not the same ones' : ''}`,
        ]),
    ...(last.limit === document.limit
      ? []
      : [`changed: limit from ${last.limit ?? 'none'} to ${document.limit ?? 'none'}`]),
    ...settings,
    ...(last.version === document.version
      ? []
      : [`changed: program version from ${last.version} to ${document.version}`]),
  ]
}

function totalsSection(document: PlanDocument, last: PlanDocument | null): Markup {
  const then = (count: number | undefined): Markup | string =>
    last === null ? '' : html`<td class="n">${countText(count ?? 0)}</td>`
  const shown = ROW_STATES.filter(
    (state) => document.totals[TOTAL_OF_STATE[state]] + (last?.totals[TOTAL_OF_STATE[state]] ?? 0) > 0,
  )
  return html`<section id="totals">
    <h2>Totals before the first request</h2>
    <table>
      ${tableHead(['State', { figures: 'Rows' }, ...(last === null ? [] : [{ figures: 'In the last plan' }])])}
      <tbody>
        ${shown.map(
          (state) =>
            html`<tr>
              <th scope="row">${stateName(state)}</th>
              <td class="n">${countText(document.totals[TOTAL_OF_STATE[state]])}</td>
              ${then(last?.totals[TOTAL_OF_STATE[state]])}
            </tr>`,
        )}
        <tr class="sum last">
          <th scope="row">Records read</th>
          <td class="n">${countText(document.totals.read)}</td>
          ${then(last?.totals.read)}
        </tr>
      </tbody>
    </table>
  </section>`
}

function correctionsSection({ corrections }: PlanDocument): Markup | '' {
  if (corrections === undefined || corrections.rows === 0) return ''
  const { rows, fields, first } = corrections
  return html`<section id="corrected">
    <h2>${plural(rows, 'row was', 'rows were')} corrected</h2>
    <p>
      People gave them back with other values, and they are to be sent
      so.${fields.length === 0 ? '' : ` Changed: ${fields.map(({ field, count }) => `${field}: ${count}`).join(', ')}.`}
    </p>
    ${table(first.flatMap(fieldsOf), [
      { name: 'Row', of: ({ row }) => row, as: 'figures' },
      { name: 'Field', of: ({ field }) => field, as: 'head' },
      { name: 'Before', of: ({ before }) => maskedText(before), as: 'id' },
      { name: 'After', of: ({ after }) => maskedText(after), as: 'id' },
      {
        name: 'By',
        of: ({ by, at }) => html`${maskedText(by)}<br /><span class="soft t">${timeText(at)}</span>`,
      },
      { name: 'Reason', of: ({ reason }) => maskedText(reason) },
    ])}
    ${rows > first.length ? html`<p>The first ${first.length} of them.</p>` : ''}
  </section>`
}

/** A line for each field; a row of which no field differs has one all the same. */
function fieldsOf(corrected: CorrectedRow): (CorrectedRow & FieldChange)[] {
  const changes = changesIn(corrected.changes)
  const shown = changes.length === 0 ? [{ field: 'no field', before: '', after: '' }] : changes
  return shown.map((change) => ({ ...corrected, ...change }))
}

const behindSection = ({ staysBehind, warnings, treatedAsActive = [] }: PlanDocument): Markup =>
  html`<section id="behind">
    <h2>What stays behind, and warnings</h2>
    ${
      staysBehind.length === 0
        ? html`<p>Nothing stays behind.</p>`
        : html`<ul>
            ${staysBehind.map(
              ({ state, rule, count }) =>
                html`<li>
                  ${plural(count, 'row', 'rows')}
                  ${stateName(state)}${rule === null ? '' : html`: <code>${plainText(rule)}</code>`}
                </li>`,
            )}
          </ul>`
    }
    ${treatedAsActive.length === 0 ? '' : html`<p><strong>${plainText(treatedAsActiveText(treatedAsActive))}.</strong></p>`}
    ${
      warnings.length === 0
        ? html`<p>No warnings.</p>`
        : html`<ul>
            ${warnings.map(
              ({ rule, count }) =>
                html`<li><code>${plainText(rule)}</code>: ${plural(count, 'warning', 'warnings')}</li>`,
            )}
          </ul>`
    }
  </section>`

const sourcesSection = ({ sources }: PlanDocument): Markup =>
  html`<section id="sources">
    <h2>Sources</h2>
    <ul class="settings one">
      ${sources.map((source: PlannedSource) => html`<li>${sourceText(source)}</li>`)}
    </ul>
  </section>`

const sourceText = ({ name, records, bytes, sha256 }: PlannedSource): string =>
  `${plainText(name)}: ${plural(records, 'record', 'records')}, ${plural(bytes, 'byte', 'bytes')}, SHA-256 ${sha256}`

function settingsSection({ settings, changedSettings, settingsDigest }: PlanDocument): Markup {
  const lines = (names: readonly string[]): Markup[] =>
    names.map((name) => html`<li>${name}: ${valueText(settings[name])}</li>`)
  return html`<section id="settings">
    <h2>Settings</h2>
    ${
      changedSettings.length === 0
        ? html`<p>All settings are the usual ones.</p>`
        : html`<div class="changed">
            <span class="mark">not as usual</span>
            <ul class="settings one">
              ${lines(changedSettings)}
            </ul>
          </div>`
    }
    <h3>All others</h3>
    <ul class="settings">
      ${lines(Object.keys(settings).filter((name) => !changedSettings.includes(name)))}
    </ul>
    <p class="soft">Digest of the settings: <span class="id">${settingsDigest}</span></p>
  </section>`
}

const signSection = (): Markup =>
  html`<section id="sign-off">
    <h2>Approval</h2>
    <div class="sign">
      ${['Planned', 'Approved'].map(
        (role) =>
          html`<div><strong>${role}</strong><span>Name</span><span>Date</span><span>Signature</span></div>`,
      )}
    </div>
  </section>`
