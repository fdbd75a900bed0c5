import {
  type CampaignEnd,
  distrustLedgerFolder,
  durationText,
  type DeliveryEvent,
  type DeliveryPolicy,
  type Ledger,
  openLedger,
  openLedgerReader,
  type OutcomeKind,
  plural,
  type Totals,
  runCampaign,
  UsageError,
} from '../../index.js'
import { confirmRun, leftRefusedNotes } from '../confirm.js'
import { actorOf, type Command, type Context } from '../command.js'
import { toned, type Toned } from '../terminal/line.js'
import { EXITS } from '../settings/exit-statuses.js'
import { askText, canAsk } from '../terminal/prompt.js'
import { closingLines, writePack } from '../pack.js'
import { oldPages } from '../privacy/old-pages.js'
import { noteOutputs } from '../privacy/remains.js'
import { resultOfError, type CommandResult } from '../terminal/result.js'
import { readService, timeoutMsOf, type Service } from '../settings/service.js'
import { registerOf, type RunRegister } from '../settings/register.js'
import type { Settings } from '../settings/settings.js'
import { IGNORE_COLUMN, nothingToCorrect, openers } from '../settings/sources.js'
import { SHARED } from '../settings/options.js'
import { trustedLines } from '../settings/trusted.js'
import { unlikelyShares } from '../settings/unlikely.js'

export const runCommand: Command = {
  usage: 'run [files...]',
  summary: 'admit the files into the ledger, then send what is ready; run again to continue',
  examples: [
    'sepa-migrate run export.csv --limit 10',
    'sepa-migrate run export.csv --password-file ~/.invoicing-password --rate 5',
    'sepa-migrate run',
  ],
  options: [
    ...SHARED,
    'baseUrl',
    'asOf',
    'passwordFile',
    'concurrency',
    'rate',
    'timeout',
    'connectTimeout',
    'limit',
    'maxDuration',
    'maxInDoubt',
    'maxRefused',
    'retryRefused',
    'yes',
    'noReport',
  ],
  own: [IGNORE_COLUMN, ['--another-ledger', 'send although another ledger began with the same mandates']],
  epilogue: [
    'Credentials come from SEPA_MIGRATE_USERNAME and SEPA_MIGRATE_PASSWORD or --password-file, never from a flag.',
  ],
  exits: EXITS.run,
  json: ['stop', 'trusted', 'admitted'],
  run,
}

interface Ended extends CampaignEnd {
  readonly campaign: ReturnType<Ledger['view']['campaign']>
}

async function run(context: Context): Promise<CommandResult> {
  const told: string[] = []
  const result = await runAndTell(context, (warnings) => told.push(...warnings))
  return { ...result, warnings: [...result.warnings, ...told] }
}

async function runAndTell(
  context: Context,
  tell: (warnings: readonly string[]) => void,
): Promise<CommandResult> {
  const { world, settings } = context
  const service = await readService(settings, world)
  if (!service.baseUrl.isLoopback && !(settings.get('yes') ?? false) && !canAsk(world))
    throw new UsageError(
      `Sending to "${service.baseUrl.host}" needs a confirmation, and there is no terminal to ask on`,
      'Pass --yes when the target is right; nothing was sent',
    )
  const files = openers(context)
  const ledger = openLedger({
    file: settings.ledger,
    clock: world.clock,
    pid: world.pid,
    user: world.user,
    create: files.length > 0,
    sharedFolder: settings.sharedFolder,
  })
  const register = registerOf(context, ledger, service.baseUrl)
  let end: Ended
  try {
    noteOutputs(context, (settings.get('noReport') ?? false) ? null : settings.out)
    ledger.assertBelongsTo(boundTo(service))
    register.checkCopy() // before the run is counted
    if (files.length === 0 && ledger.totals().read === 0)
      throw new UsageError(
        `The ledger "${settings.ledger}" holds no mandates yet: no file was confirmed into it; nothing was sent`,
        'Name the export: sepa-migrate run FILE',
      )
    if (ledger.recovered > 0)
      context.progress.note(
        `${plural(ledger.recovered, 'row was', 'rows were')} under way when the last run ended, and ${ledger.recovered === 1 ? 'is' : 'are'} in doubt now`,
      )
    end = { ...(await send(context, { service, ledger, register }, files)), campaign: ledger.view.campaign() }
  } catch (error) {
    return failed(context, service, error, totalsOrNull(ledger))
  } finally {
    register.close()
    ledger.close() // before the report, which needs the memory of its page cache
    tell(oldPages(ledger))
  }
  try {
    return await conclude(context, service, { ...end, warnings: register.warnings })
  } catch (error) {
    return failed(context, service, error, end.totals)
  }
}

/** What is in doubt is told whatever went wrong. */
const failed = (
  { world, settings }: Context,
  service: Service,
  error: unknown,
  totals: Totals | null,
): CommandResult => ({
  ...resultOfError(error, world.signals.exitStatus()),
  campaign: campaignOf(settings, service),
  totals,
  details: { trusted: service.trusted },
})

const boundTo = ({ baseUrl, credentials }: Service) => ({
  baseUrl: baseUrl.href,
  username: credentials.username,
})

const campaignOf = ({ ledger }: Settings, { baseUrl }: Service) => ({ ledger, baseUrl: baseUrl.href })

function totalsOrNull(ledger: Ledger): Totals | null {
  try {
    return ledger.totals()
  } catch {
    return null // the ledger itself is what went wrong
  }
}

async function send(
  context: Context,
  { service, ledger, register }: { service: Service; ledger: Ledger; register: RunRegister },
  files: ReturnType<typeof openers>,
): Promise<CampaignEnd> {
  const { world, settings, progress, log } = context
  const client = service.connect()
  announceSignals(context)
  for (const allowed of Object.values(trustOf(context))) progress.note(allowed)
  const policy = policyOf(settings, service)
  try {
    return await runCampaign({
      ledger,
      files,
      policy,
      severities: settings.severities,
      settings: {
        version: world.version,
        host: world.host,
        pid: world.pid,
        asOf: settings.asOf,
        zone: settings.zone,
        settings: {
          ...policy,
          timeoutMs: timeoutMsOf(settings),
          outcomes: service.outcomes,
          rules: settings.severities,
          ...service.trusted,
          ...trustOf(context),
        },
      },
      retryRefusedBy: (settings.get('retryRefused') ?? false) ? actorOf(context) : null,
      send: (mandate, attempt, signal) =>
        client.migrateMandate(mandate, { requestId: attempt.requestId, signal }),
      clock: world.clock,
      after: world.after,
      random: world.random,
      drain: world.signals.drain,
      abort: world.signals.abort,
      confirm: async (plan) => {
        const ask = (question: string): Promise<string | null> => askText(world, question)
        const { username } = service.credentials
        const asked = { username, plan, policy, trusted: service.trusted, register, ask }
        const isConfirmed = await confirmRun(context, service.baseUrl, asked)
        if (isConfirmed) ledger.bind(boundTo(service))
        return isConfirmed
      },
      claim: register.claim,
      watchReading: progress.reading,
      watch: (event) => {
        log.delivery(event)
        watch(context, event)
      },
      signalStatus: world.signals.exitStatus,
    })
  } finally {
    await client.close()
  }
}

/** What the operator allowed that is refused otherwise: kept with the run, so that the report shows it. */
function trustOf({ settings, own }: Context): Readonly<Record<string, string>> {
  const why = settings.sharedFolder ? distrustLedgerFolder(settings.ledger) : null
  return {
    ...(why === null
      ? {}
      : { sharedFolder: `Others can change the folder of the ledger (${why}); --shared-folder allowed it` }),
    ...(own['anotherLedger'] === true
      ? { anotherLedger: '--another-ledger: what other ledgers claimed was not looked at' }
      : {}),
  }
}

function announceSignals({ world: { signals }, progress }: Context): void {
  const say = (text: string) => () => progress.note(text)
  signals.drain.addEventListener(
    'abort',
    say('Signal received: no new rows; waiting for what is under way (signal again to give it up)'),
  )
  signals.abort.addEventListener(
    'abort',
    say('Second signal: giving up what is under way; those rows become in doubt'),
  )
}

function policyOf(settings: Settings, { baseUrl }: Service): DeliveryPolicy {
  const maxDuration = settings.get('maxDuration')
  return {
    concurrency: settings.get('concurrency'),
    rate: settings.get('rate'),
    limit: settings.get('limit'),
    maxDurationMs: maxDuration === null ? null : maxDuration * 1000,
    maxInDoubt: settings.get('maxInDoubt'),
    maxRefused: settings.get('maxRefused'),
    stopAtCanaryDoubt: baseUrl.href.startsWith('https:'),
  }
}

function watch({ progress, settings }: Context, event: DeliveryEvent): void {
  const isVerbose = settings.get('verbose') ?? false
  switch (event.kind) {
    case 'intent':
      return
    case 'outcome':
      progress.outcome(event.outcome.kind)
      if (isVerbose || event.outcome.kind === 'in_doubt')
        progress.note([`Row ${event.row.id}: `, outcomeWord(event.outcome.kind), `. ${event.outcome.reason}`])
      return
    case 'pause':
      progress.event(`Waiting ${durationText(event.delayMs)}: ${event.outcome.reason}`)
      return
    case 'stop':
      progress.note([toned('open', 'Stopping'), `: ${event.stop.why}`])
      return
  }
}

const TONES = {
  registered: 'good',
  refused: 'bad',
  in_doubt: 'open',
  turned_away: 'soft',
  not_sent: 'soft',
} as const

const outcomeWord = (kind: OutcomeKind): Toned => toned(TONES[kind], kind.replace('_', ' '))

function unlikelyIn(settings: Settings): string[] {
  const reader = openLedgerReader(settings.ledger, settings)
  try {
    return unlikelyShares(reader)
  } finally {
    reader.close()
  }
}

/** A file that added nothing, which is no fault: the command that continues names it too. */
function givenLine({ name, kind }: CampaignEnd['admitted'][number]): string[] {
  if (kind === 'known') return [`"${name}" is in the ledger already: nothing of it was added.`]
  return kind === 'empty' ? [nothingToCorrect(name)] : []
}

/** What became of the lines that were given back; those that changed nothing are no fault. */
function givenBackNotes(admitted: CampaignEnd['admitted']): string[] {
  return admitted.flatMap(({ name, resubmitted, notTaken }) =>
    notTaken === 0
      ? []
      : [
          `${notTaken} of ${plural(resubmitted, 'correction', 'corrections')} in "${name}" could not be taken, and what they name stays as it was: problems.csv says why`,
        ],
  )
}

async function conclude(
  context: Context,
  service: Service,
  end: Ended & { readonly warnings: readonly string[] },
): Promise<CommandResult> {
  const { settings, progress } = context
  progress.end()
  const isReported = !(settings.get('noReport') ?? false) && end.stop?.kind !== 'declined'
  const pack = isReported ? await writePack(settings) : { files: {}, warnings: [] }
  const { files } = pack
  const isNew = end.admitted.some(({ kind }) => kind === 'admitted')
  const unlikely = isNew ? unlikelyIn(settings) : []
  return {
    exitCode: end.exitCode,
    campaign: campaignOf(settings, service),
    totals: end.totals,
    files,
    warnings: [
      ...end.warnings,
      ...Object.values(trustOf(context)),
      ...pack.warnings,
      ...givenBackNotes(end.admitted),
      ...leftRefusedNotes(end.leftRefused),
      ...unlikely,
    ],
    errors: [],
    lines: [
      ...end.admitted.flatMap(givenLine),
      ...closingLines(context, {
        totals: end.totals,
        stop: end.stop,
        campaign: end.campaign,
        files,
        notes: trustedLines(service.trusted),
        notAdmitted: end.admitted.length === 0 ? context.args : [],
      }),
    ],
    details: { stop: end.stop, trusted: service.trusted, admitted: end.admitted },
  }
}
