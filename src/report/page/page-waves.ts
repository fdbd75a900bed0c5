import { html } from 'hono/html'
import { TOTAL_OF_STATE } from '../../domain/row/totals.js'
import {
  areWavesBalanced,
  heldReady,
  isFormer,
  isWaveBalanced,
  type WaveRecord,
  type WaveTotals,
} from '../../domain/wave/wave.js'
import type { ReportFacts } from '../facts/facts.js'
import type { Texts } from '../text/en.js'
import { stateTitle } from '../text/state-title.js'
import type { Markup } from '../text/markup.js'
import { maskedText } from './plain-text.js'
import { REPORT_ORDER } from './report-order.js'
import { partsOf, settingLines } from './setting-text.js'

/** Totals of each wave and what it takes; nothing where no run had waves. */
export function wavesSection({ waves: records, totals }: ReportFacts, texts: Texts): Markup | '' {
  const { count, waves: words } = texts
  if (records === null) return ''
  const states = REPORT_ORDER.filter((state) => records.totals[TOTAL_OF_STATE[state]] > 0)
  const counts = (name: string, counted: WaveTotals, isBalanced: boolean): Markup =>
    html`<th scope="row">${name}</th>
      <td class="n">${count(counted.read)}</td>
      ${states.map((state) => html`<td class="n">${count(counted[TOTAL_OF_STATE[state]])}</td>`)}
      <td>${isBalanced ? texts.addsUp : html`<strong>${texts.doesNotAddUp}</strong>`}</td>`
  const held = heldReady(records)
  return html`<section id="waves">
    <h2>${words.title}</h2>
    <p>${words.lead} ${held === 0 ? '' : html`<strong>${words.heldRows(held)}</strong>`}</p>
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">${words.wave}</th>
          <th scope="col" class="n">${words.read}</th>
          ${states.map((state) => html`<th scope="col" class="n">${stateTitle(state, texts)}</th>`)}
          <th scope="col">${words.addsUp}</th>
        </tr>
      </thead>
      <tbody>
        ${records.waves.map(
          (wave) =>
            html`<tr>
              ${counts(nameOf(wave, texts), wave.totals, isWaveBalanced(wave.totals))}
            </tr>`,
        )}
        <tr class="sum last">
          ${counts(words.all, records.totals, areWavesBalanced(records))}
        </tr>
      </tbody>
    </table>
    ${records.totals.read === totals.read ? '' : html`<p>${words.cameIn}</p>`}
    <ul class="settings one">
      ${records.waves.flatMap((wave) => filterLines(wave, texts))}
    </ul>
  </section>`
}

const nameOf = (wave: WaveRecord, { waves }: Texts): string =>
  `${maskedText(wave.name)}${wave.isHeld ? ` (${waves.held})` : ''}${isFormer(wave) ? ` (${waves.former})` : ''}`

function filterLines({ name, filter }: WaveRecord, texts: Texts): Markup[] {
  if (filter === null) return []
  const lines = settingLines(partsOf(filter), texts)
  const taken = lines.length === 0 ? texts.waves.whatIsLeft : maskedText(lines.join('; '))
  return [html`<li>${texts.labelled(maskedText(name), taken)}</li>`]
}
