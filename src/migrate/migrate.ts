import { distrustLedgerFolder, noteWritten, roomWarning } from '../ledger/safety/side-files.js'
import { type Choice, narrowed, type RunTerms } from '../domain/row/choice.js'
import { requireDriver } from '../driver.js'
import { onlyKnown, UsageError } from '../errors.js'
import { openLedger } from '../ledger/file/open-ledger.js'
import type { Ledger } from '../ledger/file/writer.js'
import type { TakeOver } from '../register/campaign-register.js'
import { runCampaign, type OpenRun, type RunPreview } from '../run/campaign.js'
import type { DeliveryPolicy, Send } from '../run/deliver.js'
import {
  checkService,
  OF_SERVICE,
  type Credentials,
  type ServiceOptions,
} from '../service/checked-service.js'
import { clientOptions, createClient, type ServiceClient } from '../service/client.js'
import { askAhead, checkBeforeSend } from './ask.js'
import type { HeldPlan } from './plan.js'
import {
  type MigrateOptions,
  type Migration,
  type RunResult,
  knownOptions,
  checkOptions,
  type ValidatedOptions,
  registerOf,
  targetOf,
  noPlanFor,
  planNeeded,
  decisionsIn,
  decisionsUnderPlan,
} from './options.js'
import { thisMachine, type Machine } from '../machine.js'
import type { Totals } from '../domain/row/row-state.js'

/**
 * The typed client for the three operations of the service, with the same checks as a run. It keeps no ledger: whoever
 * registers mandates with it must remember each doubt, because that call may not be repeated.
 * @throws {UsageError} for an address, credentials, certificates or a proxy that cannot be used or trusted
 */
export const connectService = (
  options: ServiceOptions & Credentials,
  machine: Machine = thisMachine(),
): ServiceClient => {
  const known = onlyKnown('connectService', options, OF_SERVICE)
  return createClient(clientOptions(checkService(known, machine.env), known, machine))
}

/**
 * The main job: brings the files into the ledger, asks, sends what is ready, each mandate once, and closes everything
 * whatever happens. Call it again to go on after a stop, an error or a crash. A report is written afterwards
 * (`writeReport`): it needs the memory that an open ledger takes.
 * @throws {UsageError} for an option, an address, credentials or certificates that cannot be used; a target that is not
 *   this machine without `confirm`; a ledger that does not exist where no file is given. Nothing was sent
 * @throws {SourceError} for a file that cannot be trusted; nothing of any file was admitted, nothing was sent
 * @throws {LedgerError} `locked` by another run, an `older` copy, of an `other_campaign`, …; nothing was sent. Or
 *   `unwritable` in the middle of a run: no further request left, and what was under way is in doubt at the next call
 */
export async function migrate(options: MigrateOptions): Promise<Migration> {
  requireDriver()
  const request = checkOptions(knownOptions(options))
  const client = createClient(clientOptions(request.service, request.credentials, request.machine))
  try {
    const open = openRun(request, client)
    let result: RunResult
    let end: Omit<Migration, keyof RunResult> | null = null
    try {
      end = await sendFrom(request, open)
    } finally {
      result = close(request, open, end?.totals ?? null)
    }
    return { ...end, ...result }
  } finally {
    await client.close()
  }
}

/** Null for a run without a plan, which then must need none. */
async function planOf(request: ValidatedOptions, ledger: Ledger): Promise<HeldPlan | null> {
  const { plan: file, approval } = request
  if (file !== null) return (await import('./plan.js')).holdToPlan(request, ledger, file)
  const isKnown = ledger.view.isApprovalRequired()
  if (approval === 'required') {
    if (!isKnown) noteRequired(request, ledger)
    throw planNeeded(noPlanFor(request.service.baseUrl.host))
  }
  if (isKnown)
    throw planNeeded(
      'This campaign needs an approved plan, since it was planned or run where that is required',
    )
  return null
}

/** As a run that was refused: what runs say of themselves stays. */
function noteRequired({ machine, asOf, zone }: ValidatedOptions, ledger: Ledger): void {
  const { version, host, pid } = machine
  const run = ledger.startRun({ version, host, pid, asOf, zone, settings: { approvalRequired: true } })
  ledger.endRun(run, { stoppedBy: 'approval_required', exitCode: 2 })
}

/** What one call holds open, and what it has to say at its end. */
type OpenCall = ReturnType<typeof openRun>

function openRun(request: ValidatedOptions, client: ServiceClient) {
  const { ledgerFile: file, sharedFolder, files } = request
  const { clock, pid, user } = request.machine
  const ledger = openLedger({ file, clock, pid, user, create: files.length > 0, sharedFolder })
  try {
    const register = registerOf(request, ledger)
    /** What the caller allowed that is refused otherwise: kept with the run, so that the report shows it. */
    const allowed = allowedBy(request)
    return { client, ledger, register, allowed, room: [] as string[] }
  } catch (error) {
    ledger.close()
    throw error
  }
}

function allowedBy(request: ValidatedOptions): Readonly<Record<string, string>> {
  const { ledgerFile, sharedFolder, takeOver, sharedFiles } = request
  const why = sharedFolder ? distrustLedgerFolder(ledgerFile) : null
  return {
    ...(why === null
      ? {}
      : { sharedFolder: `Others can change the folder of the ledger (${why}); --shared-folder allowed it` }),
    ...(sharedFiles.length === 0 ? {} : { sharedFiles: sharedFiles.join('; ') }),
    ...(takeOver === null ? {} : { takeOver: takeOverText(takeOver) }),
  }
}

const takeOverText = ({ decision, by, reason }: TakeOver): string =>
  decision === 'another_ledger'
    ? `In the place of another ledger, by ${by}: ${reason}; what that one began to send is in doubt`
    : `All rows in doubt, by ${by}: ${reason}`

async function sendFrom(
  request: ValidatedOptions,
  open: OpenCall,
): Promise<Omit<Migration, keyof RunResult>> {
  const { ledgerFile, files, watch } = request
  const { client, ledger, register, allowed } = open
  const notNoted = request.writes.filter((written) => !noteWritten(ledgerFile, written))
  ledger.assertBelongsTo(targetOf(request))
  register.note() // before the run is counted
  const plan = await planOf(request, ledger)
  const decisions = await decisionsIn(request, ledger)
  if (plan !== null && decisions.length > 0) throw decisionsUnderPlan('A run under a plan')
  if (files.length === 0 && ledger.totals().read === 0)
    throw new UsageError(
      `The ledger "${ledgerFile}" holds no mandates yet: no file was confirmed into it; nothing was sent`,
      'Name the export (sepa-migrate run FILE)',
    )
  watch({ kind: 'opened', recovered: ledger.recovered, allowed: Object.values(allowed), notNoted })
  const send: Send = (mandate, { requestId }, signal) => client.migrateMandate(mandate, { requestId, signal })
  const hold = await askAhead(request, open, decisions)
  const checking = request.checkBeforeSend ? checkBeforeSend(request, ledger.readBacks, send) : null
  try {
    const end = await runCampaign(
      partsOf(request, open, { send: checking?.send ?? send, plan, hold, decisions }),
    )
    const askedFirst = checking?.end() ?? null
    const isPlanUsedUp = plan?.left() === 0
    const decided = decisions.length
    return { ...end, decided, campaign: ledger.view.campaign(), askedFirst, isPlanUsedUp }
  } finally {
    await checking?.close()
  }
}

function partsOf(
  request: ValidatedOptions,
  open: OpenCall,
  { plan, ...verbs }: Pick<OpenRun, 'send' | 'hold' | 'decisions'> & { readonly plan: HeldPlan | null },
): OpenRun {
  const { service, asOf, zone, severities: rules, configuration, checkBeforeSend, testHosts } = request
  const policy = within(request.policy, plan)
  const choice = plan === null ? request.choice : narrowed(plan.record.document.choice, request.choice)
  const { version, host, pid } = request.machine
  const settings = {
    ...policy,
    timeoutMs: service.timeoutMs,
    outcomes: service.statusTable.overrides,
    ...{ rules, configuration },
    ...(request.isNewer ? { newer: true } : {}),
    ...(request.spread ? { spread: true } : {}),
    ...(checkBeforeSend ? { checkBeforeSend: true } : {}),
    ...(testHosts.includes(service.baseUrl.host) ? { testHost: service.baseUrl.host } : {}),
    ...(plan === null ? {} : { plan: plan.record.digest, approval: plan.approval.id }),
    ...choiceAsked(choice),
    ...service.trusted,
    ...open.allowed,
  }
  return {
    ...request,
    ledger: open.ledger,
    // A row that is asked about takes two requests, and the limit is one of requests.
    policy: checkBeforeSend && policy.rate !== null ? { ...policy, rate: policy.rate / 2 } : policy,
    choice,
    settings: { version, host, pid, asOf, zone, settings },
    ...verbs,
    confirm: (intended) => agree(request, open, { intended, plan }),
    claim: (rows) => open.register.claim(policy.limit, rows),
  }
}

/** What is kept with the run of the rows that it was told to send. */
const choiceAsked = (choice: Choice | null): Pick<RunTerms, 'only' | 'countries'> => ({
  ...(choice === null || choice.only.length === 0 ? {} : { only: choice.only }),
  ...(choice?.countries == null ? {} : { countries: choice.countries }),
})

/** No more rows than are left of the plan. */
function within(policy: DeliveryPolicy, plan: HeldPlan | null): DeliveryPolicy {
  const left = plan?.left() ?? null
  return left === null ? policy : { ...policy, limit: Math.min(left, policy.limit ?? left) }
}

/** The claim compares once more what the register says, since two people may have been asked. */
async function agree(
  request: ValidatedOptions,
  { ledger, register, client, room }: OpenCall,
  { intended, plan }: { readonly intended: RunPreview; readonly plan: HeldPlan | null },
): Promise<boolean> {
  plan?.assertRows(intended.choice)
  const { href, host, isLoopback, isOthers } = request.service.baseUrl
  const service = { href, host, isLoopback, isOthers, username: request.credentials.username }
  const isLedgerKnown = isLoopback || register.knowsLedger()
  const approved = plan === null ? {} : { approved: { ...plan.approval, digest: plan.record.digest } }
  if ((await request.confirm({ ...intended, service, isLedgerKnown, ...approved })) !== true) return false
  plan?.assertStillApproved()
  client.open()
  ledger.bind(targetOf(request))
  const warning = roomWarning(ledger.file, intended.toSend)
  if (warning !== null) room.push(warning)
  request.watch({ kind: 'sending', rows: intended.toSend, warning })
  return true
}

/** @param counted the totals at the end of the run, since counting them takes a while */
function close(
  { watch }: ValidatedOptions,
  { ledger, register, allowed, room }: OpenCall,
  counted: Totals | null,
): RunResult {
  const totals = counted ?? totalsOrNull(ledger)
  register.close()
  ledger.close() // before the report, which needs the memory of its page cache
  const warnings = [...register.warnings, ...Object.values(allowed), ...room]
  const closed = { warnings, holdsOldPages: ledger.holdsOldPages() }
  try {
    watch({ kind: 'closed', totals, ...closed })
  } catch {
    // Everything is settled and closed, and an error that ended the run counts before one of whoever watches.
  }
  return closed
}

/** What is in doubt is told whatever went wrong. */
function totalsOrNull(ledger: Ledger): Totals | null {
  try {
    return ledger.totals()
  } catch {
    return null // the ledger itself is what went wrong
  }
}
