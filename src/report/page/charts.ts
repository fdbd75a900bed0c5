import { html } from 'hono/html'
import { TOTAL_OF_STATE, type Totals } from '../../domain/row/totals.js'
import type { RowState } from '../../domain/row/row-state.js'
import { REPORT_ORDER } from './report-order.js'
import type { Timeline } from '../facts/timeline.js'
import type { Markup, Texts } from '../text/texts.js'

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
    const label = texts.labelled(`state.${state}`, count)
    const rect = html`<rect
      x="${x.toFixed(1)}"
      y="0.5"
      width="${width.toFixed(1)}"
      height="${BAR_HEIGHT}"
      fill="${FILL[state]}"
      stroke="#374151"
      stroke-width="0.7"
    >
      <title>${label}</title>
    </rect>`
    x += width
    return rect
  })
  const described = segments
    .map(
      ({ state, count }) =>
        `${texts.say(`state.${state}`)} ${texts.count(count)} (${texts.share(count, totals.read)})`,
    )
    .join(', ')
  return html`<svg
    class="chart"
    viewBox="0 0 ${WIDTH} ${BAR_HEIGHT + 1}"
    role="img"
    aria-labelledby="state-bar-title state-bar-text"
  >
    <title id="state-bar-title">${texts.say('totals.title')}</title>
    <desc id="state-bar-text">${described}</desc>
    ${PATTERNS} ${drawn}
  </svg>`
}

/** `2026-06-15 10:00:00`. */
const clock = (at: string): string => at.slice(0, 19).replace('T', ' ')

/** Registrations per span of time. */
export function registrationsChart(timeline: Timeline, texts: Texts): Markup | '' {
  const { bars, widthMs } = timeline
  const first = bars[0]
  const last = bars.at(-1)
  if (first === undefined || last === undefined) return ''
  const highest = Math.max(...bars.map((bar) => bar.count))
  const slot = Math.min(WIDTH / bars.length, 60)
  const drawn = bars.map((bar, index) => {
    const height = (bar.count / highest) * TIMELINE_HEIGHT
    return html`<rect
      x="${(index * slot + slot * 0.1).toFixed(1)}"
      y="${(TIMELINE_FOOT + TIMELINE_HEIGHT - height).toFixed(1)}"
      width="${(slot * 0.8).toFixed(1)}"
      height="${height.toFixed(1)}"
      fill="${FILL.registered}"
    >
      <title>${clock(bar.from)} ${texts.count(bar.count)}</title>
    </rect>`
  })
  const foot = TIMELINE_FOOT + TIMELINE_HEIGHT
  const end = new Date(Date.parse(last.from) + widthMs).toISOString()
  const name = texts.say('registered.per', { width: texts.width(widthMs) })
  const rate = texts.say('labelled', { name, value: highest })
  return html`<svg
    class="chart"
    viewBox="0 0 ${WIDTH} ${foot + 18}"
    role="img"
    aria-labelledby="timeline-title timeline-text"
  >
    <title id="timeline-title">${name}</title>
    <desc id="timeline-text">${clock(first.from)} – ${clock(end)} UTC, ≤ ${texts.count(highest)}</desc>
    <line
      x1="0"
      y1="${TIMELINE_FOOT}"
      x2="${WIDTH}"
      y2="${TIMELINE_FOOT}"
      stroke="#c5cad1"
      stroke-dasharray="3 3"
    />
    <text x="0" y="${TIMELINE_FOOT - 6}" class="axis">${rate}</text>
    ${drawn}
    <line x1="0" y1="${foot}" x2="${WIDTH}" y2="${foot}" stroke="#374151" />
    <text x="0" y="${foot + 14}" class="axis">${clock(first.from)}</text>
    <text x="${WIDTH}" y="${foot + 14}" class="axis" text-anchor="end">${clock(end)} UTC</text>
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
