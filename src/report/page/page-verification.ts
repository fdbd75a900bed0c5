import { html } from 'hono/html'
import { contradictedIn, VERIFICATION_WORDS, verificationWord } from '../../domain/proof/verification.js'
import { timeText } from '../../domain/text/wording.js'
import type { VerifiedRow } from '../../ledger/read/reader.js'
import type { ReportFacts, VerificationFacts } from '../facts/facts.js'
import { explainVerified } from '../facts/verification.js'
import { VERIFICATION_FILE } from '../files/verification-lines.js'
import { en, type Texts } from '../text/en.js'
import type { Markup } from '../text/markup.js'
import { fileLink } from './file-link.js'
import { plainText } from './plain-text.js'

const ROWS_SHOWN = 50

/** What the sign-off says of the proof at the service; where nobody asked, that alone. */
export const proofText = ({ verification }: ReportFacts, texts: Texts = en): string =>
  verification === null
    ? texts.verification.notAsked
    : `${texts.verification.summary(verification)}${sampleText(verification, texts)}`

const sampleText = ({ sample, notAsked }: VerificationFacts, { verification }: Texts): string =>
  sample === null || notAsked === 0 ? '' : ` ${verification.sample(sample)}`

/** What the service contradicts, which somebody has to look at before anything else; null where it contradicts nothing. */
export function contradictionText({ verification }: ReportFacts, { openPoints }: Texts): string | null {
  const contradicted = verification === null ? 0 : contradictedIn(verification)
  return contradicted === 0 ? null : openPoints.contradicted(contradicted)
}

/** Nothing where nobody asked. */
export function verificationSection(facts: ReportFacts, texts: Texts): Markup | '' {
  const { verification } = facts
  const { count, page, verification: words } = texts
  if (verification === null) return ''
  const { unproven } = verification
  const shown = unproven.first.slice(0, ROWS_SHOWN)
  return html`<section id="verification">
    <h2>${words.title}</h2>
    <p>${proofText(facts, texts)} ${words.eachIn(fileLink(VERIFICATION_FILE))}</p>
    ${unproven.total === 0 ? '' : unprovenTable(shown, texts)}
    ${
      shown.length < unproven.total
        ? html`<p>${page.firstShown(shown.length, unproven.total)} ${page.allIn(VERIFICATION_FILE)}</p>`
        : ''
    }
    <dl class="facts">
      ${VERIFICATION_WORDS.map(
        (word) =>
          html`<div>
            <dt>${texts.verdictTitles[word]}</dt>
            <dd>${count(verification[word])}</dd>
          </div>`,
      )}
      <div>
        <dt>${words.notAskedTitle}</dt>
        <dd>${count(verification.notAsked)}</dd>
      </div>
    </dl>
  </section>`
}

const unprovenTable = (rows: readonly VerifiedRow[], texts: Texts): Markup =>
  html`<table>
    <thead>
      <tr>
        <th scope="col" class="n">${texts.verification.row}</th>
        <th scope="col">${texts.verification.what}</th>
        <th scope="col">${texts.verification.customer}</th>
        <th scope="col">${texts.verification.assignedReference}</th>
        <th scope="col">${texts.verification.seen}</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map((row) => unprovenRow(row, texts))}
    </tbody>
  </table>`

const unprovenRow = (row: VerifiedRow, texts: Texts): Markup =>
  html`<tr>
    <td class="n">${row.id}</td>
    <td><strong>${texts.verdictWords[verificationWord(row.verdict)]}</strong></td>
    <td>${row.customerNo}<br /><span class="soft">${row.ibanMasked ?? ''}</span></td>
    <td class="id">${plainText(row.assignedMandateReference)}</td>
    <td>
      ${plainText(explainVerified(row, texts))}<br /><span class="soft t">${timeText(row.answeredAt)}</span>
    </td>
  </tr>`
