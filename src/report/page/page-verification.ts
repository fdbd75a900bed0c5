import { html } from 'hono/html'
import { contradictedIn, VERIFICATION_WORDS, verificationWord } from '../../domain/proof/verification.js'
import { timeText } from '../../domain/text/wording.js'
import type { VerifiedRow } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import { explainVerified } from '../facts/verification.js'
import { VERIFICATION_FILE } from '../files/verification-lines.js'
import type { Markup, Texts } from '../text/texts.js'
import { fileLink } from './file-link.js'
import { fact, table } from './parts.js'
import { plainText } from './plain-text.js'

const ROWS_SHOWN = 50

/** What is told where there is any. */
const UNPROVEN = VERIFICATION_WORDS.filter((word) => word !== 'proven')

/** What the sign-off says of the proof at the service; where nobody asked, that alone. */
export function proofText({ verification }: ReportFacts, texts: Texts): string {
  const { say, labelled } = texts
  if (verification === null) return say('proof.none')
  const { firstAt, lastAt, notAsked, sample } = verification
  const asked = firstAt === null ? '' : ` (${timeText(firstAt)} – ${timeText(lastAt)})`
  const counts = [
    ...UNPROVEN.filter((word) => verification[word] > 0).map((word) =>
      labelled(`proof.${word}`, verification[word]),
    ),
    labelled('proof.notAsked', notAsked),
  ]
  const drawn = sample === null || notAsked === 0 ? '' : ` ${say('proof.sample', { count: sample })}`
  const { proven, registered } = verification
  return `${say('proof.summary', { proven, registered })}${asked}; ${counts.join('; ')}.${drawn}`
}

/** What the service contradicts, which somebody has to look at before anything else; null where it contradicts nothing. */
export function contradictionText({ verification }: ReportFacts, { say }: Texts): string | null {
  const contradicted = verification === null ? 0 : contradictedIn(verification)
  return contradicted === 0 ? null : say('open.contradicted', { count: contradicted })
}

/** Nothing where nobody asked. */
export function verificationSection(facts: ReportFacts, texts: Texts): Markup | '' {
  const { verification } = facts
  const { say, mark, count } = texts
  if (verification === null) return ''
  const { total, first } = verification.unproven
  const shown = first.slice(0, ROWS_SHOWN)
  return html`<section id="verification">
    <h2>${say('proof.title')}</h2>
    <p>${proofText(facts, texts)} ${mark('page.allIn', { file: fileLink(VERIFICATION_FILE) })}</p>
    ${total === 0 ? '' : unprovenTable(shown, texts)}
    ${shown.length < total ? html`<p>${say('page.shown', { shown: shown.length, total })}</p>` : ''}
    <dl class="facts">
      ${VERIFICATION_WORDS.map((word) => fact(say(`proof.${word}`), count(verification[word])))}
      ${fact(say('proof.notAsked'), count(verification.notAsked))}
    </dl>
  </section>`
}

const unprovenTable = (rows: readonly VerifiedRow[], { say }: Texts): Markup =>
  table(rows, [
    { name: say('label.row'), of: ({ id }) => id, as: 'figures' },
    {
      name: say('label.verification'),
      of: ({ verdict }) => html`<strong>${say(`proof.${verificationWord(verdict)}`)}</strong>`,
    },
    {
      name: say('label.customer'),
      of: (row) => html`${row.customerNo}<br /><span class="soft">${row.ibanMasked ?? ''}</span>`,
    },
    { name: say('label.assignedReference'), of: (row) => plainText(row.assignedMandateReference), as: 'id' },
    {
      name: say('label.message'),
      of: (row) =>
        html`<span lang="en">${plainText(explainVerified(row))}</span><br /><span class="soft t"
            >${timeText(row.answeredAt)}</span
          >`,
    },
  ])
