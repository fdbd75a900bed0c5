import { html } from 'hono/html'
import { maskIban } from '../../domain/text/masking.js'
import type { RequestCounts } from './request-counts.js'
import type { Store } from '../store.js'

const SHOWN = 20

/** The page at `/` for people. Everything in it is escaped; account numbers are masked. */
export const renderPage = (store: Store, counts: RequestCounts) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Sandbox of the invoicing service</title>
        ${STYLE}
      </head>
      <body>
        <h1>Sandbox of the invoicing service</h1>
        <p>A local stand-in for rehearsals. Nothing here reaches a bank.</p>
        ${contents(store, counts)}
        <h2>Latest mandates</h2>
        ${latestMandates(store)}
      </body>
    </html>`

const STYLE = html`<style>
  body {
    font:
      1rem/1.5 system-ui,
      sans-serif;
    margin: 2rem auto;
    max-width: 60rem;
    padding: 0 1rem;
  }
  table {
    border-collapse: collapse;
    width: 100%;
  }
  th,
  td {
    border-bottom: 1px solid #ccc;
    padding: 0.25rem 0.5rem;
    text-align: left;
  }
</style>`

const contents = (store: Store, counts: RequestCounts) =>
  html`<ul>
    <li><a href="/_sandbox/mandates">Mandates</a>: ${store.mandateCount()}</li>
    <li><a href="/_sandbox/offers">Offers</a>: ${store.offers().length}</li>
    <li><a href="/_sandbox/billograms">Billograms</a>: ${store.billograms().length}</li>
    <li><a href="/_sandbox/requests">Requests since the start</a>: ${summaryOf(counts)}</li>
    <li><a href="/openapi.json">OpenAPI description</a></li>
  </ul>`

function latestMandates(store: Store) {
  const latest = store.mandatesAfter(Math.max(0, store.mandateCount() - SHOWN), SHOWN).reverse()
  return html`<table>
    <thead>
      <tr>
        <th>Customer</th>
        <th>Account</th>
        <th>Signed</th>
        <th>Assigned reference</th>
        <th>Registered</th>
        <th>Final</th>
      </tr>
    </thead>
    <tbody>
      ${latest.map(
        (mandate) =>
          html`<tr>
            <td>${mandate.customer_no}</td>
            <td>${maskIban(mandate.iban)}</td>
            <td>${mandate.signed_date}</td>
            <td>${mandate.unique_mandate_reference}</td>
            <td>${mandate.registered_at}</td>
            <td>${mandate.finalised_at ?? 'no'}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

const summaryOf = ({ received }: RequestCounts): string =>
  Object.entries(received)
    .map(([operation, count]) => `${operation} ${count}`)
    .join(', ')
