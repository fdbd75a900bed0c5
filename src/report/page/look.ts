import { html, raw } from 'hono/html'
import { type RowState, TOTAL_OF_STATE, type Totals } from '../../domain/row/row-state.js'
import { readStyle } from '../../machine.js'
import type { Markup, Texts } from '../text/texts.js'
import { REPORT_ORDER } from '../facts/facts.js'

/** User units: the drawings scale with the page. */
const WIDTH = 700
/** Two rows of a million must still be seen. */
const THINNEST = 5

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

const tenth = (length: number): string => length.toFixed(1)

/** A small square as a legend shows it. */
export const swatch = (state: RowState): Markup =>
  html`<svg class="swatch" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true" focusable="false">
    <rect x="0.5" y="0.5" width="13" height="13" fill="${FILL[state]}" stroke="#4b5563" />
  </svg>`

/** All rows by state as one bar; the table of control totals is its legend. */
export function stateBar(totals: Totals, texts: Texts): Markup {
  const counts = REPORT_ORDER.map((state) => ({ state, count: totals[TOTAL_OF_STATE[state]] }))
  const segments = counts.filter(({ count }) => count > 0)
  if (segments.length === 0) return html`<p>${texts.say('verdict.nothingRead')}</p>`
  const sum = segments.reduce((total, { count }) => total + count, 0)
  // Widths add up to `WIDTH`, and none is thinner than can be seen.
  const free = WIDTH - THINNEST * segments.length
  let x = 0
  const drawn = segments.map(({ state, count }) => {
    const width = THINNEST + (free * count) / sum
    x += width
    return html`<rect
      x="${tenth(x - width)}"
      y="0.5"
      width="${tenth(width)}"
      height="30.0"
      fill="${FILL[state]}"
      stroke="#374151"
      stroke-width="0.7"
      ><title>${texts.labelled(`state.${state}`, count)}</title></rect
    >`
  })
  const described = segments.map(
    ({ state, count }) =>
      `${texts.say(`state.${state}`)} ${texts.count(count)} (${texts.share(count, totals.read)})`,
  )
  return html`<svg
    class="chart"
    viewBox="0 0 ${WIDTH} 31"
    role="img"
    aria-labelledby="state-bar-title state-bar-text"
  >
    <title id="state-bar-title">${texts.say('totals.title')}</title>
    <desc id="state-bar-text">${described.join(', ')}</desc>
    ${PATTERNS} ${drawn}
  </svg>`
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
  language: string,
  title: string,
  body: Markup,
  style: Markup | string = '',
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
          ${raw(readStyle())} ${style}
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

/** Nothing where there is no line. */
export const listOf = (lines: readonly (Markup | string)[], style = ''): Markup | '' =>
  lines.length === 0
    ? ''
    : html`<ul class="${style}">
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>`

type PageCell = Markup | string | number

/** A column: its name, and what stands in it: words, figures on the right, identifiers, or what heads the line. */
export type PageColumn<Entry> = readonly [
  name: string,
  of: (entry: Entry) => PageCell,
  as?: 'figures' | 'id' | 'head',
]

const cellOf = (value: PageCell, as: PageColumn<unknown>[2]): Markup =>
  as === 'head'
    ? html`<th scope="row">${value}</th>`
    : html`<td class="${as === 'figures' ? 'n' : (as ?? '')}">${value}</td>`

interface TableLook<Entry> {
  readonly style?: string
  readonly caption?: Markup | ''
  readonly lineStyle?: (entry: Entry) => string
}

/** A table with a line for each entry. */
export const table = <Entry>(
  entries: readonly Entry[],
  columns: readonly PageColumn<Entry>[],
  { style = '', caption = '', lineStyle = () => '' }: TableLook<Entry> = {},
): Markup =>
  html`<table class="${style}">
    ${caption}
    <thead>
      <tr>
        ${columns.map(([name, , as]) => html`<th scope="col" class="${as === 'figures' ? 'n' : ''}">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${entries.map(
        (entry) =>
          html`<tr class="${lineStyle(entry)}">
            ${columns.map(([, of, as]) => cellOf(of(entry), as))}
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
