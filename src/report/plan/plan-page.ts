import { html } from 'hono/html'
import type { PlanDocument } from '../../domain/plan/plan.js'
import { timeText } from '../../domain/text/text.js'
import { plainText } from '../files/cells.js'
import { listOf, pageOf, section } from '../page/look.js'
import { planSections } from './plan-sections.js'

/**
 * plan.html: one page without network or script, for the person who approves.
 * @param last what the ledger was planned to send before; null where nothing was
 */
export const renderPlanPage = (document: PlanDocument, last: PlanDocument | null): Promise<string> =>
  pageOf(
    'en',
    `Plan of a SEPA mandate migration, ${timeText(document.plannedAt)}`,
    html`<main>
      <header><h1>Plan of a SEPA mandate migration</h1></header>
      ${planSections(document, last).map(
        ({ title, lines, as = '' }) =>
          html`<section class="${as === 'warning' ? 'changed' : ''}">
            <h2>${plainText(title)}</h2>
            ${listOf(lines.map(plainText), 'settings one')}
          </section>`,
      )}
      ${section('sign-off', 'Approval', SIGNATURES)}
      <footer>
        All times are UTC. Nothing was sent and no file was admitted when this was made. The digest names the
        plan: approval and run are held to it. This page is a picture for people and proves nothing: "approve"
        shows what is signed.
      </footer>
    </main>`,
  )

const SIGNATURES = html`<div class="sign">
  ${['Planned', 'Approved'].map(
    (role) =>
      html`<div><strong>${role}</strong><span>Name</span><span>Date</span><span>Signature</span></div>`,
  )}
</div>`
