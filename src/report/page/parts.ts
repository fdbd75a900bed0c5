import { html } from 'hono/html'
import type { Markup } from '../text/texts.js'

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

/** An entry of a list of facts. */
export const fact = (label: string, value: Markup | string, style = ''): Markup =>
  html`<div>
    <dt>${label}</dt>
    <dd class="${style}">${value}</dd>
  </div>`
