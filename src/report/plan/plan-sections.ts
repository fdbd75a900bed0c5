import { html } from 'hono/html'
import { creditorLine, type PlanDocument, sourceLine, toSend } from '../../domain/plan/plan.js'
import { correctedText, correctedTitle } from '../../domain/row/correction.js'
import { HELD_TEXT } from '../../domain/row/cut-over.js'
import { choiceLine } from '../../domain/row/choice.js'
import { ROW_STATES, STATE_MEANS, stateName, TOTAL_OF_STATE } from '../../domain/row/row-state.js'
import { isRuleId, RULES, treatedAsActiveText } from '../../domain/rule/verdict.js'
import { countText, durationText, plural, said, timeText, plainText } from '../../domain/text/text.js'
import { maskedText } from '../../domain/text/accounts.js'
import { listOf, pageOf, section, settingText } from '../text/texts.js'

/** A part of what is said of a plan, on a page as on a terminal. */
export interface Section {
  readonly title: string
  readonly lines: readonly string[]
  /** What nobody should pass over, and what is for a page alone. */
  readonly as?: 'warning' | 'detail'
}

/** What a run under a plan would do, for the person who approves. */
export function planSections(document: PlanDocument): Section[] {
  const { target, limit, rows, choice, corrections, settings, changedSettings } = document
  const made = document.plannedAs === null ? '' : ` (user ${document.plannedAs})`
  const most = limit === null || limit >= rows.count ? '' : ` at most, of ${rows.count}`
  const others = Object.keys(settings).filter((name) => !changedSettings.includes(name))
  const set = (names: readonly string[]) => names.map((name) => `${name}: ${valueText(settings[name])}`)
  const sections: Section[] = [
    titled('The plan', [
      `Digest: ${document.digest}`,
      `Made by ${maskedText(document.plannedBy)}${made} at ${timeText(document.plannedAt)}, version ${document.version}`,
      `Target: ${target.baseUrl}, as user ${target.username}`,
      `Ledger: ${document.ledgerId}`,
      `Reference date: ${document.asOf}`,
    ]),
    titled(`To send: ${plural(toSend(document), 'row', 'rows')}${most}`, [
      `Digest of the rows: ${rows.digest}`,
      `About ${durationText(document.expectedMs)} of sending`,
      document.retriesRefused && 'Rows that the service refused are among them',
      choice !== null && choiceLine(choice),
      ...document.creditors.map(creditorLine),
    ]),
    titled('Totals before the first request', totalsLines(document)),
    titled(correctedTitle(corrections), corrections.first.map(correctedText)),
    titled('Stays behind', document.staysBehind.map(behindLine)),
    titled('Warnings', document.warnings.map(warningLine)),
    titled('Warning', [treatedAsActiveText(document.treatedAsActive)], 'warning'),
    titled('Sources', [...document.sources.map(sourceLine), ...document.readAs, ...document.sharedFiles]),
    titled('Non-default settings', set(changedSettings), 'warning'),
    titled('Settings that are default', set(others), 'detail'),
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

const titled = (title: string, lines: readonly (string | false)[], as?: Section['as']): Section => ({
  title,
  lines: said(lines.map((line) => line !== '' && line)),
  ...(as === undefined ? {} : { as }),
})

const behindLine = ({ state, rule, count }: PlanDocument['staysBehind'][number]): string =>
  `${plural(count, 'row', 'rows')} ${stateName(state)}: ${ruleText(rule, state === 'ready' ? `held back, ${HELD_TEXT}` : STATE_MEANS[state])}`

const warningLine = ({ rule, count }: PlanDocument['warnings'][number]): string =>
  `${plural(count, 'warning', 'warnings')}: ${ruleText(rule, '')}`

const ruleText = (rule: string | null, otherwise: string): string =>
  rule === null ? otherwise : `${isRuleId(rule) ? RULES[rule].message : otherwise} (${rule})`

/** A setting that holds nothing is told as that. */
const valueText = (value: unknown): string =>
  (value === null || value === undefined ? '' : settingText(value)) || 'none'

function totalsLines({ totals }: PlanDocument): string[] {
  const states = ROW_STATES.map((state) => [stateName(state), TOTAL_OF_STATE[state]] as const)
  return [...states, ['records read', 'read'] as const].flatMap(([name, total]) =>
    total === 'read' || totals[total] > 0 ? `${name}: ${countText(totals[total])}` : [],
  )
}

/** plan.html: one page without network or script, for the person who approves. */
export const renderPlanPage = (document: PlanDocument): Promise<string> =>
  pageOf(
    'en',
    `Plan of a SEPA mandate migration, ${timeText(document.plannedAt)}`,
    html`<main>
      <header><h1>Plan of a SEPA mandate migration</h1></header>
      ${planSections(document).map(
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
