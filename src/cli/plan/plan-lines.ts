import { creditorLine, shortDigest, sourceLine, toSend, type PlanDocument } from '../../domain/plan/plan.js'
import { choiceLine } from '../../domain/row/choice.js'
import { stateName } from '../../domain/row/row-state.js'
import type { PlanRecord } from '../../ledger/read/reader.js'
import { totalsLines, type Line, toned } from '../terminal/world.js'
import { correctionLines } from '../reading-lines.js'
import { treatedAsActiveText } from '../../domain/rule/verdict.js'
import { durationText, plural, timeText, said } from '../../domain/text/text.js'

const MOST = 10

/** The first of a list, and how many there are besides. */
function first<Entry>(entries: readonly Entry[], lineOf: (entry: Entry) => string): string[] {
  const more = entries.length - MOST
  return said([
    ...entries.slice(0, MOST).map((entry) => `  ${lineOf(entry)}`),
    more > 0 && `  and ${more} more`,
  ])
}

/** What a run would do, as people read it before they approve it. */
export function planLines(document: PlanDocument): Line[] {
  const { target, sources, rows, limit, corrections, changedSettings } = document
  const asActive = treatedAsActiveText(document.treatedAsActive ?? [])
  return said([
    [toned('strong', 'The plan '), document.digest],
    `Made by ${document.plannedBy}${document.plannedAs === null ? '' : ` (user ${document.plannedAs})`} at ${timeText(document.plannedAt)}, version ${document.version}`,
    ['Target: ', toned('strong', target.baseUrl)],
    `User at the service: ${target.username}`,
    `Ledger: ${document.ledgerId}`,
    plural(sources.length, 'source:', 'sources:'),
    ...first(sources, sourceLine),
    ...first(document.readAs ?? [], (text) => text),
    ...totalsLines(document.totals),
    [
      toned('strong', `To send: ${plural(toSend(document), 'row', 'rows')}`),
      limit === null || limit >= rows.count ? '' : ` at most, of ${rows.count}`,
      `, digest ${shortDigest(rows.digest)}`,
    ],
    document.retriesRefused && '  with the rows that the service refused',
    document.choice !== null && `  ${choiceLine(document.choice)}`,
    ...first(document.creditors, creditorLine),
    ...(corrections === undefined ? [] : correctionLines(corrections)),
    document.staysBehind.length > 0 && 'Stays behind:',
    ...first(
      document.staysBehind,
      ({ state, rule, count }) =>
        `${plural(count, 'row', 'rows')} ${stateName(state)}${rule === null ? '' : ` (${rule})`}`,
    ),
    asActive !== '' && ([toned('open', 'Warning'), `: ${asActive}`] as Line),
    document.warnings.length > 0 && 'Warnings:',
    ...first(document.warnings, ({ rule, count }) => `${rule}: ${count}`),
    changedSettings.length === 0 ? 'Settings: all default' : 'Non-default settings:',
    ...changedSettings.map((name) => `  ${name}: ${JSON.stringify(document.settings[name])}`),
    `Expected time: about ${durationText(document.expectedMs)} of sending`,
  ])
}

/** What `status` tells programs of a plan. Times are ISO 8601; the approval is the one that counts longest. */
export function planStanding({ digest, plannedAt, plannedBy, document, approvals }: PlanRecord) {
  const approval = approvals.toSorted((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1)).at(-1)
  return {
    digest,
    plannedAt,
    plannedBy,
    rows: toSend(document),
    approvedBy: approval?.approvedBy ?? null,
    approvedUntil: approval?.expiresAt ?? null,
  }
}

/** The same as one line. */
export function planStandingLine(plan: PlanRecord, nowMs: number): Line {
  const { digest, plannedAt, plannedBy, rows, approvedBy, approvedUntil } = planStanding(plan)
  const start = `Latest plan: ${shortDigest(digest)} by ${plannedBy}, ${timeText(plannedAt)}, ${plural(rows, 'row', 'rows')}; `
  if (approvedBy === null || approvedUntil === null)
    return [start, toned('open', 'no approval on record yet')]
  return Date.parse(approvedUntil) > nowMs
    ? [start, `approved by ${approvedBy} until ${timeText(approvedUntil)}`]
    : [start, toned('open', `the approval by ${approvedBy} ended at ${timeText(approvedUntil)}`)]
}
