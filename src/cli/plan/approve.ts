import { samePersonIn } from '../../domain/plan/four-eyes.js'
import type { PlanDocument } from '../../domain/plan/plan.js'
import { timeText } from '../../domain/text/wording.js'
import { UsageError } from '../../errors.js'
import type { ApprovalGiven, Ledger } from '../../ledger/ledger.js'
import { findPlan } from '../../migrate/plan/hold-to-plan.js'
import { readPlan } from '../../migrate/plan/read-plan.js'
import { ownFlag, ownText, type Command, type Context } from '../command.js'
import { openExisting } from '../existing-ledger.js'
import { EXIT_STATUSES, EXITS } from '../settings/exit-statuses.js'
import { SHARED } from '../settings/options.js'
import { nextLine } from '../terminal/next.js'
import { emptyResult, type CommandResult } from '../terminal/result.js'
import { readApproval, writeApproval } from './approval-file.js'
import { planLines } from './plan-lines.js'

export const approveCommand: Command = {
  usage: 'approve <plan>',
  summary: 'a second person approves a plan; nothing is sent',
  examples: [
    'sepa-migrate approve plan.json --by NAME --reason "compared with the export list" --to approval.json',
    'sepa-migrate approve plan.json --from approval.json',
    'sepa-migrate approve plan.json --by NAME --reason "nobody else is here" --same-person',
  ],
  options: SHARED,
  own: [
    ['--by <name>', 'who approves'],
    ['--reason <text>', 'why; kept for good'],
    [
      '--to <file>',
      'write the approval to a file, under another user of this machine than the one who planned',
    ],
    ['--from <file>', 'record an approval that another user of this machine wrote'],
    ['--same-person', 'allow planner and approver to be one; the report says so in its first lines'],
  ],
  epilogue: [
    'A ledger is for one user of the machine alone. So a second user approves into a file of their own (--to), and the',
    'user of the ledger records it (--from): the system vouches for whoever owns the file. Copy it with its owner.',
    'An approval counts for 72 hours, or as long as approvalValidFor says in the configuration of the ledger.',
  ],
  exits: { ...EXITS.plain, 2: 'nothing was recorded', 8: EXIT_STATUSES[8] },
  json: ['plan', 'approval'],
  run: async (context) => Promise.resolve(approve(context)),
}

function approve(context: Context): CommandResult {
  const [from, to] = [ownText(context, 'from'), ownText(context, 'to')]
  if (
    from !== null &&
    (to !== null || ownText(context, 'by') !== null || ownText(context, 'reason') !== null)
  )
    throw new UsageError(
      'With --from, name and reason stand in the file; nothing was recorded',
      'Give either --from, or --by and --reason',
    )
  return to === null ? record(context, from) : writeDown(context, to)
}

/** Shown to whoever approves, before it counts. */
function show({ progress }: Context, document: PlanDocument): void {
  for (const line of planLines(document)) progress.note(line)
}

const planFile = ({ args }: Context): string => args[0] ?? ''

function typed(context: Context): { by: string; reason: string } {
  const [by, reason] = [ownText(context, 'by')?.trim() ?? '', ownText(context, 'reason')?.trim() ?? '']
  if (by !== '' && reason !== '') return { by, reason }
  throw new UsageError(
    'The approval needs a person and a reason; nothing was recorded',
    'Give --by NAME and --reason "…"',
  )
}

/** Without the ledger, which is not for this user. */
function writeDown(context: Context, to: string): CommandResult {
  const { by, reason } = typed(context)
  const document = readPlan(planFile(context))
  show(context, document)
  const same = samePersonIn(
    { by: document.plannedBy, as: document.plannedAs },
    { by, as: context.world.user },
  )
  if (same !== null)
    throw new UsageError(
      `The plan needs a second person: ${same}; nothing was recorded`,
      'Have somebody else approve it, under their own user of this machine',
    )
  const approval = {
    kind: 'sepa-migrate-approval',
    schemaVersion: 1,
    plan: document.digest,
    ledgerId: document.ledgerId,
    approvedAt: new Date(context.world.clock.now()).toISOString(),
    approvedBy: by,
    reason,
  } as const
  writeApproval(to, approval)
  return {
    ...emptyResult,
    files: { 'approval.json': to },
    lines: [
      `Approved by ${by} in ${to}. It counts once the user of the ledger has recorded it:`,
      nextLine(context, { name: 'approve', files: [planFile(context)], words: ['--from', to] }),
    ],
    details: { plan: document, approval },
  }
}

function record(context: Context, from: string | null): CommandResult {
  const given = from === null ? typed(context) : null
  const ledger = openExisting(context)
  try {
    const plan = findPlan(ledger.view, planFile(context))
    const approval =
      given === null ? heardApproval(context, plan, from ?? '') : ownApproval(context, plan.digest, given)
    show(context, plan.document)
    const allowsSamePerson = ownFlag(context, 'samePerson')
    const isSamePerson = ledger.plans.approve({ ...approval, allowsSamePerson })
    return recorded(context, ledger, { document: plan.document, approval, isSamePerson })
  } finally {
    ledger.close()
  }
}

const expiryOf = ({ settings }: Context, approvedAt: string): string =>
  new Date(Date.parse(approvedAt) + settings.get('approvalValidFor') * 1000).toISOString()

function ownApproval(
  context: Context,
  digest: string,
  { by, reason }: { readonly by: string; readonly reason: string },
): ApprovalGiven {
  const approvedAt = new Date(context.world.clock.now()).toISOString()
  const as = context.world.user
  return { digest, by, reason, as, approvedAt, expiresAt: expiryOf(context, approvedAt), evidence: null }
}

/** @throws {UsageError} for one of another plan, or of a time at which it cannot have been given */
function heardApproval(
  context: Context,
  { digest, plannedAt }: { readonly digest: string; readonly plannedAt: string },
  from: string,
): ApprovalGiven {
  const { approval, owner, evidence } = readApproval(from)
  if (approval.plan !== digest)
    throw new UsageError(
      `"${from}" approves another plan than "${planFile(context)}"; nothing was recorded`,
      'Give the plan that was approved, or have this one approved',
    )
  const approvedAt = new Date(approval.approvedAt).toISOString()
  const now = new Date(context.world.clock.now()).toISOString()
  if (approvedAt < plannedAt || approvedAt > now)
    throw new UsageError(
      `"${from}" says that it was given at ${timeText(approvedAt)}, which is ${approvedAt > now ? 'yet to come' : 'before the plan was made'}; nothing was recorded`,
      'Look at the clocks, and have it approved again',
    )
  const expiresAt = expiryOf(context, approvedAt)
  const { approvedBy: by, reason } = approval
  return { digest, by, reason, as: owner ?? context.world.user, approvedAt, expiresAt, evidence }
}

interface Recorded {
  readonly document: PlanDocument
  readonly approval: ApprovalGiven
  readonly isSamePerson: boolean
}

function recorded(
  context: Context,
  ledger: Ledger,
  { document, approval, isSamePerson }: Recorded,
): CommandResult {
  const { by, as, expiresAt } = approval
  const known = new Set(ledger.view.sources().map(({ sha256 }) => sha256))
  const files = document.sources.flatMap(({ sha256, name }) => (known.has(sha256) ? [] : [name]))
  return {
    ...emptyResult,
    campaign: { ledger: context.settings.ledger, baseUrl: document.target.baseUrl },
    totals: ledger.totals(),
    warnings: isSamePerson
      ? ['Planned and approved by the same person: the report says so in its first lines']
      : [],
    lines: [
      `Approved by ${by}${as === null ? '' : ` (user ${as})`}, until ${timeText(expiresAt)}. Nothing was sent.`,
      'The run must be given the settings of the plan, and the files that are not in the ledger yet.',
      nextLine(context, { name: 'run', files, words: ['--plan', planFile(context)] }),
    ],
    details: { plan: document, approval: { ...approval, isSamePerson } },
  }
}
