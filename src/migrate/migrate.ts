import { type Choice, narrowed } from '../domain/row/choice.js'
import type { RunTerms } from '../domain/row/run-terms.js'
import type { Totals } from '../domain/row/totals.js'
import { requireDriver } from '../driver.js'
import { UsageError } from '../errors.js'
import { openLedger } from '../ledger/file/open-ledger.js'
import type { Ledger } from '../ledger/ledger.js'
import { distrustLedgerFolder } from '../ledger/safety/side-files.js'
import { roomWarning } from '../ledger/safety/free-space.js'
import { noteWritten } from '../ledger/safety/written-files.js'
import type { TakeOver } from '../register/campaign-register.js'
import type { RunRegister } from '../register/run-register.js'
import { registerOf } from './register-of.js'
import { runCampaign, type CampaignParts, type Plan } from '../run/campaign.js'
import { watchCommits, type CommitWatch } from '../run/disk/slow-commits.js'
import type { DeliveryPolicy, Send } from '../run/deliver.js'
import { connectReader, connectTo } from '../service/checked-service.js'
import type { ServiceClient } from '../service/client.js'
import type { SourceReader } from '../service/read-back/source-reader.js'
import { checkOptions, type Asked } from './asked.js'
import { checkBeforeSend, type CheckBeforeSend } from './check-before-send.js'
import {
  assertRowsPlanned,
  assertStillApproved,
  assertUnplanned,
  holdToPlan,
  type HeldPlan,
} from './plan/hold-to-plan.js'
import { targetOf } from './plan/make-plan.js'
import type { Closed, MigrateOptions, Migration, MigrationPlan } from './options.js'

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
  const asked = checkOptions(options)
  await assertUnplanned(asked)
  const client = connectTo(asked.service, options.service, asked.machine)
  try {
    const held = { ...hold(asked), openClient: client.open }
    let closed: Closed
    let end: Omit<Migration, keyof Closed> | null = null
    try {
      end = await sendHeld(asked, held, client)
    } finally {
      closed = close(asked, held, end?.totals ?? null)
    }
    return { ...end, ...closed }
  } finally {
    await client.close()
  }
}

/** The ledger and the register of one run, open. */
interface Held {
  readonly openClient: ServiceClient['open']
  readonly ledger: Ledger
  readonly register: RunRegister
  /** What the caller allowed that is refused otherwise: kept with the run, so that the report shows it. */
  readonly allowed: Readonly<Record<string, string>>
  readonly commits: CommitWatch
  /** What the disk is like; told when it was seen, and once more at the end. */
  readonly warnings: string[]
}

function hold(asked: Asked): Omit<Held, 'openClient'> {
  const { options, machine, files } = asked
  const { sharedFolder = false } = options
  const { clock, pid, user } = machine
  const create = files.length > 0
  const warnings: string[] = []
  const commits = watchCommits(clock.monotonic, (text) => warn(asked, warnings, text))
  const { committed } = commits
  const ledger = openLedger({
    file: options.ledger,
    clock,
    pid,
    user,
    create,
    sharedFolder,
    committed,
  })
  try {
    const register = registerOf(asked, ledger)
    return { ledger, register, allowed: allowedBy(asked), commits, warnings }
  } catch (error) {
    ledger.close()
    throw error
  }
}

/** A commit may be what tells of it: whoever watches must not stand between it and those who wait for it. */
function warn({ watch }: Asked, warnings: string[], text: string): void {
  warnings.push(text)
  try {
    watch({ kind: 'warning', text })
  } catch {
    // It stands in the result too.
  }
}

function allowedBy({ options: { ledger, sharedFolder }, takeOver }: Asked): Held['allowed'] {
  const why = sharedFolder === true ? distrustLedgerFolder(ledger) : null
  return {
    ...(why === null
      ? {}
      : { sharedFolder: `Others can change the folder of the ledger (${why}); --shared-folder allowed it` }),
    ...(takeOver === null ? {} : { takeOver: takeOverText(takeOver) }),
  }
}

const takeOverText = ({ kind, by, reason }: TakeOver): string =>
  kind === 'another_ledger'
    ? `In the place of another ledger, by ${by}: ${reason}; what that one began to send is in doubt`
    : `All rows in doubt, by ${by}: ${reason}`

/** With the reader of what the service holds, where it is to be asked first: its connections are its own. */
async function sendHeld(
  asked: Asked,
  held: Held,
  client: ServiceClient,
): Promise<Omit<Migration, keyof Closed>> {
  const send: Send = (mandate, attempt, signal) =>
    client.migrateMandate(mandate, { requestId: attempt.requestId, signal })
  const { service, options, machine } = asked
  if (options.checkBeforeSend !== true) return { ...(await runHeld(asked, held, send)), askedFirst: null }
  const reader = connectReader(service, options.service, machine)
  try {
    return await runLooking(asked, held, { send, reader })
  } finally {
    await reader.close()
  }
}

async function runLooking(
  asked: Asked,
  { ledger, ...held }: Held,
  { send, reader }: { readonly send: Send; readonly reader: SourceReader },
): Promise<Omit<Migration, keyof Closed>> {
  const { version, host, pid, clock, after } = asked.machine
  const { concurrency, rate } = asked.policy
  const looking = checkBeforeSend({
    send,
    reader,
    readBacks: ledger.readBacks,
    terms: { version, host, pid, settings: { concurrency, rate } },
    clock,
    after,
    drain: asked.drain,
  })
  let end: Omit<Migration, keyof Closed | 'askedFirst'>
  try {
    end = await runHeld(asked, { ledger, ...held }, looking.send)
  } catch (error) {
    keepWhatWasHeard(looking)
    throw error
  }
  return { ...end, askedFirst: looking.end() }
}

/** The error that ended the run counts. */
function keepWhatWasHeard(looking: CheckBeforeSend): void {
  try {
    looking.end()
  } catch {
    // It is the same ledger.
  }
}

async function runHeld(
  asked: Asked,
  held: Held,
  send: Send,
): Promise<Omit<Migration, keyof Closed | 'askedFirst'>> {
  const { options, files, watch } = asked
  const { ledger, register, allowed } = held
  const notNoted = (options.writes ?? []).filter((written) => !noteWritten(options.ledger, written))
  ledger.assertBelongsTo(targetOf(asked))
  register.note() // before the run is counted
  if (files.length === 0 && ledger.totals().read === 0)
    throw new UsageError(
      `The ledger "${options.ledger}" holds no mandates yet: no file was confirmed into it; nothing was sent`,
      'Name the export',
      { ways: ['run_file'] },
    )
  const plan = await holdToPlan(asked, ledger)
  watch({ kind: 'opened', recovered: ledger.recovered, allowed: Object.values(allowed), notNoted })
  const end = await runCampaign(partsOf(asked, held, { send, plan }))
  return { ...end, campaign: ledger.view.campaign(), commits: held.commits.counts() }
}

function partsOf(
  asked: Asked,
  held: Held,
  { send, plan }: { readonly send: Send; readonly plan: HeldPlan | null },
): CampaignParts {
  const { options, machine, service, files, asOf, zone, drain, watch } = asked
  const policy = within(asked.policy, plan)
  const choice = narrowed(plan?.record.document.choice ?? null, asked.choice)
  const { rules = {}, giveUp = new AbortController().signal } = options
  const { version, host, pid, clock, after, random } = machine
  const isAskingFirst = options.checkBeforeSend === true
  return {
    ledger: held.ledger,
    files,
    policy: isAskingFirst ? halfAsFast(policy) : policy,
    severities: rules,
    corrector: asked.corrector,
    choice,
    settings: {
      version,
      host,
      pid,
      asOf,
      zone,
      settings: {
        ...policy,
        timeoutMs: service.timeoutMs,
        outcomes: service.statusTable.overrides,
        rules,
        configuration: options.configuration ?? null,
        ...(isAskingFirst ? { checkBeforeSend: true } : {}),
        ...(options.testHost === service.baseUrl.host ? { testHost: options.testHost } : {}),
        ...(plan === null ? {} : { plan: plan.record.digest, approval: plan.approval.id }),
        ...choiceAsked(choice),
        ...service.trusted,
        ...held.allowed,
      },
    },
    retryRefusedBy: options.retryRefusedBy ?? null,
    send,
    clock,
    after,
    random,
    drain,
    abort: giveUp,
    confirm: (intended) => agree(asked, held, { intended, plan }),
    hold: () => held.register.hold(rules),
    claim: () => held.register.claim(policy.limit, choice),
    takesOver: asked.takeOver !== null,
    watchReading: (source, records) => watch({ kind: 'reading', source, records }),
    watch,
    signalStatus: options.signalStatus ?? (() => (drain.aborted ? 130 : null)),
  }
}

/** What is kept with the run of the rows that it was told to send. */
const choiceAsked = (choice: Choice | null): Pick<RunTerms, 'only' | 'countries'> => ({
  ...(choice === null || choice.only.length === 0 ? {} : { only: choice.only }),
  ...(choice?.countries == null ? {} : { countries: choice.countries }),
})

/** A row takes two requests then, and the limit is one of requests. */
const halfAsFast = (policy: DeliveryPolicy): DeliveryPolicy => ({
  ...policy,
  rate: policy.rate === null ? null : policy.rate / 2,
})

/** No more rows than are left of the plan. */
const within = (policy: DeliveryPolicy, plan: HeldPlan | null): DeliveryPolicy =>
  plan === null || plan.left === null
    ? policy
    : { ...policy, limit: Math.min(plan.left, policy.limit ?? plan.left) }

/** The claim compares once more what the register says, since two people may have been asked. */
async function agree(
  asked: Asked,
  { ledger, register, openClient, warnings }: Held,
  { intended, plan }: { readonly intended: Plan; readonly plan: HeldPlan | null },
): Promise<boolean> {
  if (plan !== null) assertRowsPlanned(plan, ledger.view)
  const room = roomWarning(ledger.file, intended.toSend)
  if (room !== null) warn(asked, warnings, room)
  const { href, host, isLoopback } = asked.service.baseUrl
  const service = { href, host, isLoopback, username: asked.options.service.username }
  const isLedgerKnown = isLoopback || register.knowsLedger()
  const approved = plan === null ? {} : { approved: approvedOf(plan) }
  if ((await asked.confirm({ ...intended, service, isLedgerKnown, ...approved })) !== true) return false
  if (plan !== null) assertStillApproved(plan, asked.machine)
  openClient()
  ledger.bind(targetOf(asked))
  asked.watch({ kind: 'sending', rows: intended.toSend })
  return true
}

const approvedOf = ({ record, approval }: HeldPlan): Required<MigrationPlan>['approved'] => {
  const { approvedBy, approvedAt, expiresAt, key, reference } = approval
  return { digest: record.digest, approvedBy, approvedAt, expiresAt, key, reference }
}

/** @param counted the totals at the end of the run, since counting them takes a while */
function close(
  { watch }: Asked,
  { ledger, register, allowed, warnings: seen }: Held,
  counted: Totals | null,
): Closed {
  const totals = counted ?? totalsOrNull(ledger)
  register.close()
  ledger.close() // before the report, which needs the memory of its page cache
  const warnings = [...register.warnings, ...Object.values(allowed), ...seen]
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
