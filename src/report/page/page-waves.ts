import { html } from 'hono/html'
import { TOTAL_OF_STATE } from '../../domain/row/totals.js'
import { stateTitle } from '../../domain/row/state-words.js'
import { countText, plural } from '../../domain/text/wording.js'
import {
  areWavesBalanced,
  heldReady,
  isFormer,
  isWaveBalanced,
  type WaveRecord,
  type WaveTotals,
} from '../../domain/wave/wave.js'
import type { ReportFacts } from '../facts/facts.js'
import type { Markup } from './charts.js'
import { maskedText } from './plain-text.js'
import { REPORT_ORDER } from './report-order.js'
import { partsOf, settingLines } from './setting-text.js'

/** Totals of each wave and what it takes; nothing where no run had waves. */
export function wavesSection({ waves: records, totals }: ReportFacts): Markup | '' {
  if (records === null) return ''
  const states = REPORT_ORDER.filter((state) => records.totals[TOTAL_OF_STATE[state]] > 0)
  const counts = (name: string, counted: WaveTotals, isBalanced: boolean): Markup =>
    html`<th scope="row">${name}</th>
      <td class="n">${countText(counted.read)}</td>
      ${states.map((state) => html`<td class="n">${countText(counted[TOTAL_OF_STATE[state]])}</td>`)}
      <td>${isBalanced ? 'yes' : html`<strong>NO</strong>`}</td>`
  const held = heldReady(records)
  return html`<section id="waves">
    <h2>Waves</h2>
    <p>
      Each record belongs to one wave; what no wave takes is the rest.
      ${held === 0 ? '' : html`<strong>${plural(held, 'ready row is', 'ready rows are')} held.</strong>`}
    </p>
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">Wave</th>
          <th scope="col" class="n">Read</th>
          ${states.map((state) => html`<th scope="col" class="n">${stateTitle(state)}</th>`)}
          <th scope="col">Adds up</th>
        </tr>
      </thead>
      <tbody>
        ${records.waves.map(
          (wave) =>
            html`<tr>
              ${counts(nameOf(wave), wave.totals, isWaveBalanced(wave.totals))}
            </tr>`,
        )}
        <tr class="sum last">
          ${counts('All waves', records.totals, areWavesBalanced(records))}
        </tr>
      </tbody>
    </table>
    ${
      records.totals.read === totals.read
        ? ''
        : html`<p>A file came in while this was written; the waves count it already.</p>`
    }
    <ul class="settings one">
      ${records.waves.flatMap(filterLines)}
    </ul>
  </section>`
}

const nameOf = (wave: WaveRecord): string =>
  `${maskedText(wave.name)}${wave.isHeld ? ' (held)' : ''}${isFormer(wave) ? ' (of an earlier run)' : ''}`

function filterLines({ name, filter }: WaveRecord): Markup[] {
  if (filter === null) return []
  const lines = settingLines(partsOf(filter))
  return [
    html`<li>
      ${maskedText(name)}: ${lines.length === 0 ? 'whatever is left' : maskedText(lines.join('; '))}
    </li>`,
  ]
}
