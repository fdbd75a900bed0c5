import { html } from 'hono/html'
import { TOTAL_OF_STATE } from '../domain/totals.js'
import type { ReportFacts } from './facts.js'
import { REPORT_ORDER, STATE_NAMES } from './state-names.js'

export async function renderPage(facts: ReportFacts): Promise<string> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>SEPA mandate migration: reconciliation</title>
      </head>
      <body>
        <h1>SEPA mandate migration: reconciliation</h1>
        <p>${facts.balanced ? 'Balanced' : 'NOT BALANCED'}</p>
        <table>
          <tr>
            <th>Read</th>
            <td>${facts.totals.read}</td>
          </tr>
          ${REPORT_ORDER.map(
            (state) =>
              html`<tr>
                <th>${STATE_NAMES[state].name}</th>
                <td>${facts.totals[TOTAL_OF_STATE[state]]}</td>
              </tr>`,
          )}
        </table>
      </body>
    </html>`
  return page.toString()
}
