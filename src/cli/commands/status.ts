import { setTimeout } from 'node:timers/promises'
import { shortDigest, toSend } from '../../domain/plan/plan.js'
import { plural, said, timeText } from '../../domain/text/text.js'
import { verificationText } from '../../domain/proof/read-back.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import type { PlanRecord } from '../../ledger/read/reader.js'
import { isBeingWritten } from '../../ledger/safety/side-files.js'
import { lookInto, type Command, type Context } from '../command.js'
import { absentLines, absentOf, closingLines, lookedAt } from '../closing.js'
import { drawn, drawnLines, plainLine, type RunView, settledOf, type Line, toned } from '../terminal/world.js'
import { SHARED, EXITS } from '../settings/declared.js'
import type { Totals } from '../../domain/row/row-state.js'

const DRAWN_INTERVAL_MS = 1_000
const LINE_INTERVAL_MS = 5_000

export const statusCommand: Command = {
  usage: 'status',
  summary: 'where the campaign stands; works while a run is going',
  examples: ['sepa-migrate status', 'sepa-migrate status --watch', 'sepa-migrate status --json'],
  options: SHARED,
  own: [['--watch', 'show it as it goes on, until interrupted']],
  epilogue: [],
  exits: EXITS.standing,
  run: (context) =>
    lookInto(context.settings, async (reader) => {
      if (context.flag('watch')) await watch(context, reader)
      return statusOf(context, reader)
    }),
}

async function statusOf(context: Context, reader: LedgerReader) {
  const { settings, world } = context
  const { result, status } = await lookedAt(context, reader)
  const { campaign, mandates, verification, cutOver } = status
  const lastRun = reader.runs().at(-1) ?? null
  const absent = absentOf(reader, settings)
  const plan = reader.plans().at(-1)
  const latestPlan = plan === undefined ? null : planStanding(plan)
  const isGoing = isBeingWritten(settings.ledger)
  return {
    ...result,
    lines: said([
      `Campaign: ${settings.ledger} for ${campaign.baseUrl ?? 'no service yet'}`,
      lastRun === null
        ? 'No run yet.'
        : `Last run: ${lastRun.id}, started ${lastRun.startedAt}, ${
            lastRun.endedAt === null ? (isGoing ? 'still going' : 'killed') : `ended ${lastRun.endedAt}`
          }${lastRun.stoppedBy === null ? '' : `, stopped by ${lastRun.stoppedBy}`}`,
      plan !== undefined && planStandingLine(plan, world.clock.now()),
      verification !== null && verificationText(verification),
      ...closingLines(context, { ...status, isGoing, notes: absentLines(absent) }),
    ]),
    details: { mandates, lastRun, latestPlan, verification, absent, cutOver },
  }
}

/** The view of a run for somebody else: drawn in place on a terminal, a line every few seconds elsewhere. */
async function watch({ world, settings }: Context, reader: LedgerReader): Promise<void> {
  if (settings.get('json') ?? false) return
  const { drain } = world.signals
  const { isTerminal } = world.stderr
  const lines = await drawnLines(world)
  const startedMs = world.clock.monotonic()
  const settledBefore = settledOf(viewOf(reader.totals(), 0, 0))
  while (!drain.aborted) {
    const view = viewOf(reader.totals(), settledBefore, world.clock.monotonic() - startedMs)
    if (isTerminal) lines.show(drawn(world, view))
    else world.stderr.write(`${plainLine(view)}\n`)
    const interval = isTerminal ? DRAWN_INTERVAL_MS : LINE_INTERVAL_MS
    await setTimeout(interval, undefined, { signal: drain }).catch(() => undefined)
  }
  if (isTerminal) lines.clear()
}

function viewOf(totals: Totals, settledBefore: number, elapsedMs: number): RunView {
  const { ready, sending, registered, refused, inDoubt } = totals
  const total = ready + sending + registered + refused + inDoubt
  return { total, registered, refused, inDoubt, settledBefore, elapsedMs, event: null }
}

/** What `status` tells programs of a plan. Times are ISO 8601; the approval is the one that counts longest. */
export function planStanding({ digest, document, approvals }: PlanRecord) {
  const approval = approvals.toSorted((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1)).at(-1)
  return {
    digest,
    plannedAt: document.plannedAt,
    plannedBy: document.plannedBy,
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
