import { html } from 'hono/html'
import {
  contradictedIn,
  VERIFICATION_WORDS,
  verificationText,
  verificationWord,
} from '../../domain/proof/verification.js'
import { countText, plural, timeText } from '../../domain/text/wording.js'
import type { VerifiedRow } from '../../ledger/read/reader.js'
import type { ReportFacts, VerificationFacts } from '../facts/facts.js'
import { explainVerified } from '../facts/verification.js'
import { VERIFICATION_FILE } from '../files/verification-lines.js'
import type { Markup } from './charts.js'
import { fileLink } from './file-link.js'
import { plainText } from './plain-text.js'

const ROWS_SHOWN = 50

/** What the sign-off says of the proof at the service; where nobody asked, that alone. */
export const proofText = ({ verification }: ReportFacts): string =>
  verification === null
    ? 'Read back at the service: not asked.'
    : `${verificationText(verification)}${sampleText(verification)}`

function sampleText({ sample, notAsked }: VerificationFacts): string {
  if (sample === null || notAsked === 0) return ''
  return ` What was asked last is a sample of ${plural(sample, 'mandate', 'mandates')}, drawn at random.`
}

/** What the service contradicts, which somebody has to look at before anything else; null where it contradicts nothing. */
export function contradictionText({ verification }: ReportFacts): string | null {
  const contradicted = verification === null ? 0 : contradictedIn(verification)
  if (contradicted === 0) return null
  const subject = plural(contradicted, 'registered mandate is', 'registered mandates are')
  return `${subject} missing, twice or different at the service.`
}

/** Nothing where nobody asked. */
export function verificationSection(facts: ReportFacts): Markup | '' {
  const { verification } = facts
  if (verification === null) return ''
  const { unproven } = verification
  const shown = unproven.first.slice(0, ROWS_SHOWN)
  return html`<section id="verification">
    <h2>Proof at the service</h2>
    <p>${proofText(facts)} Each row that was asked is in ${fileLink(VERIFICATION_FILE)}.</p>
    ${unproven.total === 0 ? '' : unprovenTable(shown)}
    ${
      shown.length < unproven.total
        ? html`<p>
            The first ${countText(shown.length)} of ${countText(unproven.total)} are shown. All are in
            ${VERIFICATION_FILE}.
          </p>`
        : ''
    }
    <dl class="facts">
      ${VERIFICATION_WORDS.map(
        (word) =>
          html`<div>
            <dt>${WORD_TITLES[word]}</dt>
            <dd>${countText(verification[word])}</dd>
          </div>`,
      )}
      <div>
        <dt>Not asked</dt>
        <dd>${countText(verification.notAsked)}</dd>
      </div>
    </dl>
  </section>`
}

const WORD_TITLES: Readonly<Record<(typeof VERIFICATION_WORDS)[number], string>> = {
  missing: 'Missing: not shown for the customer',
  twice: 'Twice: shown more than once',
  different: 'Different: shown with other data, or ended',
  unreadable: 'Unreadable: could not be compared',
  proven: 'Proven: shown exactly once',
}

const unprovenTable = (rows: readonly VerifiedRow[]): Markup =>
  html`<table>
    <thead>
      <tr>
        <th scope="col" class="n">Row</th>
        <th scope="col">What</th>
        <th scope="col">Customer, account</th>
        <th scope="col">Assigned reference</th>
        <th scope="col">What was seen</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(unprovenRow)}
    </tbody>
  </table>`

const unprovenRow = (row: VerifiedRow): Markup =>
  html`<tr>
    <td class="n">${row.id}</td>
    <td><strong>${verificationWord(row.verdict)}</strong></td>
    <td>${row.customerNo}<br /><span class="soft">${row.ibanMasked ?? ''}</span></td>
    <td class="id">${plainText(row.assignedMandateReference)}</td>
    <td>${plainText(explainVerified(row))}<br /><span class="soft t">${timeText(row.answeredAt)}</span></td>
  </tr>`
