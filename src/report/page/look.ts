import { html, raw } from 'hono/html'
import { type RowState, TOTAL_OF_STATE, type Totals } from '../../domain/row/row-state.js'
import type { Markup, Texts } from '../text/texts.js'
import { type Timeline, REPORT_ORDER } from '../facts/facts.js'

/** User units: the drawings scale with the page. */
const WIDTH = 700
const BAR_HEIGHT = 30
/** Two rows of a million must still be seen. */
const THINNEST = 5
const TIMELINE_HEIGHT = 120
const TIMELINE_FOOT = 20

/** Told apart by lightness and pattern too, so that a grey print says the same. */
const FILL: Readonly<Record<RowState, string>> = {
  registered: '#2b6a57',
  in_doubt: 'url(#fill-in-doubt)',
  sending: 'url(#fill-in-doubt)',
  refused: 'url(#fill-refused)',
  ready: '#a9c3d9',
  invalid: '#8d95a0',
  conflict: '#757d88',
  excluded: '#b6bcc4',
  duplicate: '#ced3d9',
  superseded: '#e1e4e8',
  written_off: '#eef0f2',
}

const PATTERNS = html`<defs>
  <pattern
    id="fill-in-doubt"
    width="6"
    height="6"
    patternUnits="userSpaceOnUse"
    patternTransform="rotate(45)"
  >
    <rect width="6" height="6" fill="#f6c667" />
    <rect width="2.4" height="6" fill="#8a4b08" />
  </pattern>
  <pattern id="fill-refused" width="5" height="5" patternUnits="userSpaceOnUse">
    <rect width="5" height="5" fill="#a63d3d" />
    <circle cx="2.5" cy="2.5" r="1" fill="#fff" />
  </pattern>
</defs>`

interface Segment {
  readonly state: RowState
  readonly count: number
}

const segmentsOf = (totals: Totals): Segment[] =>
  REPORT_ORDER.map((state) => ({ state, count: totals[TOTAL_OF_STATE[state]] })).filter(
    ({ count }) => count > 0,
  )

/** Widths that add up to `WIDTH`, none thinner than can be seen. */
function widthsOf(segments: readonly Segment[]): number[] {
  const sum = segments.reduce((total, { count }) => total + count, 0)
  const free = WIDTH - THINNEST * segments.length
  return segments.map(({ count }) => THINNEST + (free * count) / sum)
}

const tenth = (length: number): string => length.toFixed(1)

/** A bar from its left upper corner, with what a pointer over it shows. */
const bar = (
  [x, y, width, height]: readonly [number, number, number, number],
  state: RowState,
  title: string,
): Markup =>
  html`<rect
    x="${tenth(x)}"
    y="${tenth(y)}"
    width="${tenth(width)}"
    height="${tenth(height)}"
    fill="${FILL[state]}"
    stroke="#374151"
    stroke-width="0.7"
    ><title>${title}</title></rect
  >`

/** A drawing with its name and what it shows in words. */
const chart = (id: string, height: number, [name, text]: readonly [string, string], drawn: Markup): Markup =>
  html`<svg
    class="chart"
    viewBox="0 0 ${WIDTH} ${height}"
    role="img"
    aria-labelledby="${id}-title ${id}-text"
  >
    <title id="${id}-title">${name}</title>
    <desc id="${id}-text">${text}</desc>
    ${drawn}
  </svg>`

/** A small square as a legend shows it. */
export const swatch = (state: RowState): Markup =>
  html`<svg class="swatch" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true" focusable="false">
    <rect x="0.5" y="0.5" width="13" height="13" fill="${FILL[state]}" stroke="#4b5563" />
  </svg>`

/** All rows by state as one bar; the table of control totals is its legend. */
export function stateBar(totals: Totals, texts: Texts): Markup {
  const segments = segmentsOf(totals)
  if (segments.length === 0) return html`<p>${texts.say('verdict.nothingRead')}</p>`
  const widths = widthsOf(segments)
  let x = 0
  const drawn = segments.map(({ state, count }, index) => {
    const width = widths[index] ?? 0
    x += width
    return bar([x - width, 0.5, width, BAR_HEIGHT], state, texts.labelled(`state.${state}`, count))
  })
  const described = segments
    .map(
      ({ state, count }) =>
        `${texts.say(`state.${state}`)} ${texts.count(count)} (${texts.share(count, totals.read)})`,
    )
    .join(', ')
  const told = [texts.say('totals.title'), described] as const
  return chart('state-bar', BAR_HEIGHT + 1, told, html`${PATTERNS} ${drawn}`)
}

/** Registrations per span of time. */
export function registrationsChart(timeline: Timeline, texts: Texts): Markup | '' {
  const { bars, widthMs } = timeline
  const first = bars[0]
  const last = bars.at(-1)
  if (first === undefined || last === undefined) return ''
  const highest = Math.max(...bars.map((bar) => bar.count))
  const slot = Math.min(WIDTH / bars.length, 60)
  const drawn = bars.map(({ from, count }, index) => {
    const height = (count / highest) * TIMELINE_HEIGHT
    const at = [index * slot + slot * 0.1, TIMELINE_FOOT + TIMELINE_HEIGHT - height] as const
    return bar([...at, slot * 0.8, height], 'registered', `${texts.time(from)} ${texts.count(count)}`)
  })
  const foot = TIMELINE_FOOT + TIMELINE_HEIGHT
  const end = new Date(Date.parse(last.from) + widthMs).toISOString()
  const name = texts.say('registered.per', { width: texts.width(widthMs) })
  const rate = texts.say('labelled', { name, value: highest })
  const [begin, until] = [texts.time(first.from), texts.time(end)]
  const told = [name, `${begin} – ${until}, ≤ ${texts.count(highest)}`] as const
  return chart(
    'timeline',
    foot + 18,
    told,
    html`<text x="0" y="${TIMELINE_FOOT - 6}" class="axis">${rate}</text>
      ${drawn}
      <line x1="0" y1="${foot}" x2="${WIDTH}" y2="${foot}" stroke="#374151" />
      <text x="0" y="${foot + 14}" class="axis">${begin}</text>
      <text x="${WIDTH}" y="${foot + 14}" class="axis" text-anchor="end">${until}</text>`,
  )
}

/** A bar for one line of a table, which holds the figures itself. */
export function lineBar(count: number, highest: number): Markup {
  const width = Math.max(1, (150 * count) / highest)
  return html`<svg
    class="line-bar"
    viewBox="0 0 150 10"
    preserveAspectRatio="none"
    width="150"
    height="10"
    aria-hidden="true"
    focusable="false"
  >
    <rect x="0" y="1" width="${width.toFixed(1)}" height="8" fill="#5b6673" />
  </svg>`
}

/** A file of the report by its place in the folder, which opens the one that lies beside the page. */
export const fileLink = (name: string): Markup => html`<a href="${name}"><code>${name}</code></a>`

/** A whole page, without network or script. */
export async function pageOf(
  {
    language,
    title,
    style = '',
  }: { readonly language: string; readonly title: string; readonly style?: Markup | string },
  body: Markup,
): Promise<string> {
  const page = await html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <style>
          ${PAGE_STYLE} ${style}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html>`
  return `${page.toString().trimEnd()}\n`
}

/** A part of a page under its heading. */
export const section = (id: string, title: string, ...parts: readonly (Markup | string)[]): Markup =>
  html`<section id="${id}">
    <h2>${title}</h2>
    ${parts}
  </section>`

/** @param nothing what is said where there is no line */
export const listOf = (lines: readonly (Markup | string)[], nothing: string, style = ''): Markup | '' => {
  if (lines.length === 0) return nothing === '' ? '' : html`<p>${nothing}</p>`
  return html`<ul class="${style}">
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`
}

/** The head of a table; figures stand on the right. */
export const tableHead = (names: readonly (string | { readonly figures: string })[]): Markup =>
  html`<thead>
    <tr>
      ${names.map((name) =>
        typeof name === 'string'
          ? html`<th scope="col">${name}</th>`
          : html`<th scope="col" class="n">${name.figures}</th>`,
      )}
    </tr>
  </thead>`

type Cell = Markup | string | number

/** What stands in a column: words, figures on the right, identifiers, or what heads the line. */
interface Column<Entry> {
  readonly name: string
  readonly of: (entry: Entry) => Cell
  readonly as?: 'figures' | 'id' | 'head'
}

const cellOf = (value: Cell, as: Column<unknown>['as']): Markup =>
  as === 'head'
    ? html`<th scope="row">${value}</th>`
    : html`<td class="${as === 'figures' ? 'n' : (as ?? '')}">${value}</td>`

/** A table with a line for each entry. */
export const table = <Entry>(entries: readonly Entry[], columns: readonly Column<Entry>[]): Markup =>
  html`<table>
    ${tableHead(columns.map(({ name, as }) => (as === 'figures' ? { figures: name } : name)))}
    <tbody>
      ${entries.map(
        (entry) =>
          html`<tr>
            ${columns.map((column) => cellOf(column.of(entry), column.as))}
          </tr>`,
      )}
    </tbody>
  </table>`

/** An entry of a list of facts. */
export const fact = (label: string, value: Markup | string, style = ''): Markup =>
  html`<div>
    <dt>${label}</dt>
    <dd class="${style}">${value}</dd>
  </div>`

/** The whole look of report.html: on paper (A4, grey) as on screen, with fonts every machine has. */
const PAGE_STYLE = raw(`
:root { --ink: #1c2430; --soft: #55606e; --line: #cdd3da; --paper: #fff; --tint: #f4f6f8; --warn: #8a4b08; --bad: #8f2424; --good: #1f5a48 }
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: #e9ecef; color: var(--ink); font: 14px/1.5 "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; font-variant-numeric: tabular-nums }
main { max-width: 1040px; margin: 24px auto; padding: 44px 56px 56px; background: var(--paper); border-top: 6px solid var(--good) }
main.unbalanced { border-top-color: var(--bad) }
h1 { margin: 0 0 2px; font-size: 27px; line-height: 1.2; letter-spacing: -0.01em }
h2 { margin: 38px 0 10px; padding-bottom: 5px; border-bottom: 2px solid var(--ink); font-size: 18px; line-height: 1.3 }
h3 { margin: 20px 0 6px; font-size: 14px }
p { margin: 6px 0 10px; max-width: 78ch }
a { color: inherit }
code, .id { font-family: "SFMono-Regular", Consolas, "Liberation Mono", monospace; font-size: 0.92em }
code { white-space: nowrap }
.id { overflow-wrap: anywhere }
.lead { color: var(--soft); font-size: 16px; margin-bottom: 18px }
dl.facts { display: grid; grid-template-columns: repeat(3, 1fr); gap: 10px 24px; margin: 0 0 22px }
dl.facts div { border-top: 1px solid var(--line); padding-top: 5px; min-width: 0 }
dl.facts dt, th .soft, .soft { color: var(--soft); font-weight: normal }
dl.facts dt { font-size: 12px }
dl.facts dd { margin: 0; overflow-wrap: anywhere }
.verdict { margin: 0 0 6px; padding: 16px 20px; background: var(--tint); border: 1px solid var(--line); border-left: 8px solid var(--good) }
.verdict.open { border-left-color: var(--warn) }
.verdict.unbalanced { border-left-color: var(--bad) }
.verdict h2 { margin: 0 0 4px; padding: 0; border: 0; font-size: 20px }
.verdict ul { margin: 8px 0 2px; padding-left: 20px }
.verdict li { margin: 3px 0 }
.rehearsal { max-width: none; margin: 0 0 14px; padding: 8px 14px; border: 3px double var(--bad) }
.rehearsal strong { color: var(--bad); font-size: 18px; letter-spacing: 0.12em; margin-right: 8px }
dl.figures { display: grid; grid-template-columns: repeat(5, 1fr); gap: 10px 20px; margin: 18px 0 }
dl.figures dt { color: var(--soft); font-size: 12px }
dl.figures dd { margin: 0; font-size: 23px; font-weight: 700; line-height: 1.25 }
dl.figures dd .soft { display: block; font-size: 12px }
dl.transfer, dl.people { display: grid; grid-template-columns: 1fr 1fr; gap: 8px 24px; margin: 12px 0 }
dl.transfer div, dl.people div { border-top: 1px solid var(--line); padding-top: 5px; min-width: 0 }
dl.transfer dt, dl.people dt { color: var(--soft); font-size: 12px }
dl.transfer dd, dl.people dd { margin: 0; overflow-wrap: anywhere }
.annex { margin: 44px 0 16px; padding-top: 8px; border-top: 6px solid var(--line); color: var(--soft); font-size: 16px }
table { width: 100%; border-collapse: collapse; margin: 8px 0 4px; font-size: 13px }
caption { text-align: left; color: var(--soft); padding-bottom: 4px }
th, td { padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: break-word }
thead th { border-bottom: 1.5px solid var(--ink); font-size: 12px; vertical-align: bottom }
tbody th { font-weight: 600 }
td:last-child, th:last-child { padding-right: 0 }
.n { text-align: right; white-space: nowrap; padding-right: 16px }
.t { white-space: nowrap }
tr.sum th, tr.sum td { border-top: 1.5px solid var(--ink); font-weight: 700 }
tr.last th, tr.last td { border-bottom: 3px double var(--ink); font-weight: 700 }
tr.zero { color: var(--soft) }
#plans td { overflow-wrap: anywhere }
.columns th:first-child { width: 38% }
.columns code { white-space: normal; overflow-wrap: anywhere }
.wide { font-size: 11.5px }
.wide th, .wide td { padding-right: 8px }
.wide th:first-child { width: 30% }
.wide .n { padding-right: 10px }
.swatch { vertical-align: -2px; margin-right: 7px }
.chart { display: block; width: 100%; height: auto; margin: 12px 0 8px }
.axis { font-size: 9.5px; fill: #55606e }
.line-bar { vertical-align: -1px }
.case { border: 1px solid var(--line); border-left: 5px solid var(--warn); padding: 10px 16px 12px; margin: 10px 0; break-inside: avoid }
.case h3 { margin: 0 0 4px; display: flex; justify-content: space-between; gap: 16px }
.case p { margin: 2px 0 6px }
.case dl { display: grid; grid-template-columns: 1fr 1fr; gap: 2px 28px; margin: 6px 0 0; font-size: 12.5px }
.case dl div { display: flex; gap: 8px; min-width: 0 }
.case dt { flex: none; width: 118px; color: var(--soft) }
.case dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
.answer { margin: 8px 0 0; padding: 6px 10px; background: var(--tint); font-size: 11.5px; overflow-wrap: anywhere }
.mark { display: inline-block; padding: 0 7px; border: 1.5px solid var(--warn); color: var(--warn); font-size: 12px; font-weight: 700 }
.changed { margin: 6px 0; padding: 8px 14px; border-left: 5px solid var(--warn); background: #fdf6ea }
.note { padding: 12px 18px; background: var(--tint); border: 1px solid var(--line) }
.note ul { margin: 4px 0; padding-left: 20px }
.settings { margin: 4px 0 0; padding: 0; list-style: none; columns: 2; font-size: 12px; overflow-wrap: anywhere }
ul.one { columns: 1 }
.run { break-inside: avoid; margin-bottom: 14px }
.sign { display: grid; grid-template-columns: repeat(3, 1fr); gap: 28px; margin-top: 14px; break-inside: avoid }
.sign div { font-size: 12.5px; color: var(--soft) }
.sign strong { display: block; color: var(--ink); margin-bottom: 34px }
.sign span { display: block; border-top: 1px solid var(--ink); padding-top: 3px; margin-bottom: 30px }
footer { margin-top: 30px; color: var(--soft); font-size: 12px }
@media screen and (max-width: 760px) { main { margin: 0; padding: 24px 18px } dl.facts, dl.transfer, dl.people, .case dl, .sign { grid-template-columns: 1fr } dl.figures { grid-template-columns: 1fr 1fr } section { overflow-x: auto } .settings { columns: 1 } .line-bar { width: 56px } }
@page { size: A4; margin: 15mm 14mm 16mm }
@media print {
  body { background: none; font-size: 10pt; -webkit-print-color-adjust: exact; print-color-adjust: exact }
  main { max-width: none; margin: 0; padding: 0; border-top: 0 }
  .cover { break-after: page; line-height: 1.12; font-size: 9pt }
  .cover h2 { margin-top: 5pt }
  .cover p { max-width: none; margin: 2pt 0 4pt }
  .cover li { margin: 1pt 0 }
  .cover .sign { margin-top: 3pt }
  .cover .sign strong { margin-bottom: 16pt }
  .cover .sign span { margin-bottom: 8pt }
  .cover table { font-size: 8pt; line-height: 1.1; margin: 2pt 0 }
  .cover th, .cover td { padding: 0.5pt 8pt 0.5pt 0 }
  .cover .rehearsal, .cover .changed { padding: 3pt 10pt; margin: 4pt 0 }
  dl.transfer, dl.people { margin: 5pt 0; gap: 4pt 18pt }
  .annex { margin-top: 0; padding-top: 0; border-top: 0 }
  dl.figures { margin: 7pt 0; gap: 4pt 8pt }
  dl.figures dt { font-size: 8pt }
  dl.figures dd { font-size: 17pt }
  h2 { break-after: avoid; margin-top: 18pt; font-size: 13pt }
  h1 { font-size: 19pt }
  h3, caption { break-after: avoid }
  thead { display: table-header-group }
  tr, .chart { break-inside: avoid }
  table { font-size: 8.8pt }
  th, td { padding-top: 2.6pt; padding-bottom: 2.6pt }
  dl.facts { margin-bottom: 12pt; gap: 5pt 16pt }
  .verdict { padding: 9pt 14pt }
  .cover .verdict { padding: 6pt 12pt }
  .lead { margin-bottom: 10pt }
  .cover .lead { margin-bottom: 6pt }
  .wide { font-size: 7.6pt }
  .wide thead .n { writing-mode: vertical-rl }
  a { text-decoration: none }
  #sign-off { break-inside: avoid }
}
`)
