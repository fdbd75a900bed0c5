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

type Cell = Markup | string | number

/** What stands in a column: words, figures on the right, identifiers, or what heads the line. */
export interface Column<Entry> {
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
