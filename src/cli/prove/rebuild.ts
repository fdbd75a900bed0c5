import { decideFromReadBack, type ReadBackDecisions } from '../../decisions/from-read-back.js'
import { absenceText } from '../../domain/proof/absence.js'
import { countText, plural, timeText } from '../../domain/text/wording.js'
import { checkCreditorIdentifier } from '../../domain/value/creditor-identifier.js'
import { UsageError } from '../../errors.js'
import type { Ledger, Resolution } from '../../ledger/ledger.js'
import { absences } from '../../ledger/read/absences.js'
import { rebuild, type Rebuilt, type RebuildPlan } from '../../migrate/rebuild.js'
import type { ReadBackEnd } from '../../migrate/read-back.js'
import { exitStatusOf } from '../../run/exit-status.js'
import { actorOf, ownText, type Command, type Context } from '../command.js'
import { typeHost } from '../confirm.js'
import { leftOpenLines } from '../decide/read-back-decisions.js'
import { openExisting } from '../existing-ledger.js'
import { closingAt } from '../pack.js'
import { outputsOf } from '../privacy/remains.js'
import { EXITS } from '../settings/exit-statuses.js'
import { assertReadBackTold, readService, type Service } from '../settings/service.js'
import { IGNORE_COLUMN, inputOf, sourceOptions } from '../settings/sources.js'
import { type Line, toned } from '../terminal/line.js'
import { nextLine } from '../terminal/next.js'
import { totalsLines } from '../terminal/output.js'
import { askText, canAsk } from '../terminal/prompt.js'
import { emptyResult, type CommandResult } from '../terminal/result.js'
import { worded } from '../terminal/ways.js'
import { absentOf } from './absent-lines.js'
import { ASK_OPTIONS, askService } from './asking.js'

export const rebuildCommand: Command = {
  usage: 'rebuild <files...>',
  summary: 'make a ledger in the place of one that is lost, from the exports and what the service holds',
  examples: [
    'sepa-migrate rebuild export.csv --read-back --assigned-creditor-identifier DE79ZZZ01234567890 --reason "disk lost"',
    'sepa-migrate rebuild march.csv april.csv --assigned-creditor-identifier DE79ZZZ01234567890 --reason "disk lost" --by Ada',
  ],
  options: [...ASK_OPTIONS, 'asOf', 'yes'],
  own: [
    IGNORE_COLUMN,
    ['--assigned-creditor-identifier <x>', 'the one that the service assigned: its list does not show it'],
    ['--reason <text>', 'why the lost ledger cannot be had; kept with every row'],
    ['--by <name>', 'who says so (default: the user)'],
  ],
  epilogue: [
    'Where the ledger, or any copy of it, can still be had, put it back instead (`resolve --adopt-older-copy`): it knows',
    'more than the service shows.',
    'Every row begins in doubt. What the service shows once is recorded as registered. What it has not shown for long',
    'enough (readBack.absentAfter), asked at least twice, is ready once you have confirmed it. All else stays in doubt.',
    'Type the same command again to go on: it says when. It sends nothing; `run --read-back-first` does afterwards.',
  ],
  exits: { ...EXITS.run, 2: 'usage or configuration error, or not confirmed; nothing was recorded' },
  json: ['stop', 'rebuilt', 'absent'],
  run,
}

/** Who decides, and what the service does not show. */
interface Given {
  readonly by: string
  readonly reason: string
  readonly creditorIdentifier: string
}

async function run(context: Context): Promise<CommandResult> {
  const { world, settings, progress } = context
  assertReadBackTold(settings)
  const given = givenBy(context)
  const service = await readService(settings, world)
  const rebuilt = await rebuild({
    ...sourcesOf(context, service),
    by: given.by,
    reason: given.reason,
    confirm: (plan) => confirmNew(context, plan),
    watchReading: (source, records) => progress.reading(source, records),
  })
  progress.end()
  if (rebuilt.kind === 'declined') return declined(context, service, rebuilt)
  const isAsking = rebuilt.totals.inDoubt > 0
  const end = isAsking ? (await askService(context, { scope: 'in_doubt', sample: null })).end : null
  const ledger = openExisting(context)
  try {
    const registered = record(ledger, provenIn(context, ledger, given))
    const resent = end?.stop == null ? await sendAgain(context, service, ledger, given) : 0
    return conclude(context, { service, rebuilt, end, ledger, registered, resent, given })
  } finally {
    ledger.close()
  }
}

function givenBy(context: Context): Given {
  const creditorIdentifier = ownText(context, 'assignedCreditorIdentifier')?.trim() ?? ''
  const reason = ownText(context, 'reason')?.trim() ?? ''
  const nothing = 'nothing was read or recorded'
  if (!checkCreditorIdentifier(creditorIdentifier).usable)
    throw new UsageError(
      `There is no usable creditor identifier: the list of the service does not show it, and the ledger that knew it is lost; ${nothing}`,
      'Give the one that the service assigned with --assigned-creditor-identifier, as registered.csv of any earlier report shows it',
    )
  if (reason === '')
    throw new UsageError(
      `There is no reason; ${nothing}`,
      'Say with --reason why the lost ledger cannot be had; it is kept with every row',
    )
  if (!(context.settings.get('yes') ?? false) && !canAsk(context.world))
    throw new UsageError(
      `A new ledger in the place of a lost one needs a confirmation, and there is no terminal to ask on; ${nothing}`,
      'Pass --yes when no copy of the lost ledger can be had',
    )
  return { by: ownText(context, 'by') ?? actorOf(context), reason, creditorIdentifier }
}

function sourcesOf(context: Context, service: Service) {
  const { world, settings, args } = context
  return {
    files: args.map((file) => inputOf(context, file)),
    service: { ...service.options, ...service.credentials },
    ledger: settings.ledger,
    signal: world.signals.drain,
    reading: sourceOptions(context),
    rules: settings.severities,
    asOf: settings.asOf,
    zone: settings.zone,
    dormantSoonDays: settings.get('dormantSoonDays'),
    newCreditorIdentifier: settings.get('creditorIdentifier'),
    sharedFolder: settings.sharedFolder,
    writes: outputsOf(context, null),
    configuration: service.trusted.configuration,
    machine: world,
  }
}

const ask =
  ({ world }: Context) =>
  (question: string): Promise<string | null> =>
    askText(world, question)

function confirmNew(context: Context, { totals, service, knownElsewhere }: RebuildPlan): Promise<boolean> {
  const lines: Line[] = [
    [toned('strong', 'A new ledger in the place of one that is lost')],
    ['Service: ', toned('strong', service.href)],
    `User at the service: ${service.username}`,
    ...totalsLines(totals),
    `${plural(totals.ready, 'row', 'rows')} will be in doubt, as nobody knows which of them were sent. Nothing is sent.`,
    ...(knownElsewhere === null ? [] : [`${knownElsewhere}.`]),
    'Where that ledger or any copy of it can still be had, answer no and put it back: it knows more than the service shows (resolve --adopt-older-copy).',
  ]
  for (const line of lines) context.progress.note(line)
  return typeHost(context, service.host, ask(context), 'make the new ledger')
}

function declined(context: Context, { baseUrl }: Service, { totals }: Rebuilt): CommandResult {
  return {
    ...emptyResult,
    exitCode: 2,
    campaign: { ledger: context.settings.ledger, baseUrl: baseUrl.href },
    totals,
    lines: ['The host name was not confirmed: the ledger holds nothing, and nothing was sent.'],
    details: { stop: null, rebuilt: null, absent: null },
  }
}

const provenIn = (
  { settings }: Context,
  { view }: Ledger,
  { creditorIdentifier, ...decider }: Given,
): ReadBackDecisions => decideFromReadBack(view, decider, settings.absentAfterMs, creditorIdentifier)

/** @throws {UsageError} where one cannot be recorded; then none is */
function record(ledger: Ledger, { resolutions }: Pick<ReadBackDecisions, 'resolutions'>): number {
  if (resolutions.length === 0) return 0
  const { isApplied, results } = ledger.resolve(resolutions, { dryRun: false })
  if (isApplied) return results.length
  const first = results.find(({ kind }) => kind === 'rejected')
  const { message, next } =
    first?.kind === 'rejected' ? first : { message: 'It cannot be recorded', next: '' }
  throw new UsageError(`${message}; nothing was recorded`, next)
}

/** What a person must confirm: the one step after which a row is sent. */
async function sendAgain(
  context: Context,
  { baseUrl }: Service,
  ledger: Ledger,
  { by, reason }: Given,
): Promise<number> {
  const { progress, settings } = context
  const resolutions = [...absences(ledger.view, settings.absentAfterMs)].flatMap(
    ({ rowId, absence }): Resolution[] =>
      absence.kind === 'resend'
        ? [
            {
              rowId,
              decision: 'resend',
              by,
              reason,
              assigned: null,
              evidence: absenceText(absence),
              attempt: null,
            },
          ]
        : [],
  )
  if (resolutions.length === 0) return 0
  const [first] = resolutions
  progress.note(
    `The service has not shown ${plural(resolutions.length, 'row', 'rows')} for long enough. The first of them, row ${first?.rowId ?? ''}: ${first?.evidence ?? ''}.`,
  )
  progress.note(
    'With your word they are ready, and a later run sends them. Only this can debit twice, if one of them is there after all.',
  )
  const isAgreed = await typeHost(context, baseUrl.host, ask(context), 'have them sent by a later run')
  return isAgreed ? record(ledger, { resolutions }) : 0
}

interface Ended {
  readonly service: Service
  readonly rebuilt: Rebuilt
  readonly end: ReadBackEnd | null
  readonly ledger: Ledger
  readonly registered: number
  readonly resent: number
  readonly given: Given
}

function conclude(context: Context, ended: Ended): CommandResult {
  const { service, rebuilt, end, ledger, registered, resent } = ended
  const totals = ledger.totals()
  const stop = end?.stop ?? null
  const absent = absentOf(ledger.view, context.settings)
  return {
    ...emptyResult,
    exitCode: exitStatusOf(totals, stop, context.world.signals.exitStatus()),
    campaign: { ledger: context.settings.ledger, baseUrl: service.baseUrl.href },
    totals,
    warnings: [...rebuilt.warnings],
    lines: [
      rebuilt.kind === 'made'
        ? 'A new ledger was made; every row that could be sent began in doubt.'
        : 'The ledger was made before from these files; nothing was added.',
      `Registered, since the service shows them once: ${countText(registered)}. Ready, since they stayed absent and you said so: ${countText(resent)}.`,
      ...leftOpenLines(leftFor(context, ended)),
      ...nextOf(context, ended, absent),
    ],
    details: {
      stop: stop === null ? null : worded(stop),
      rebuilt: { isNew: rebuilt.kind === 'made', registered, ready: resent },
      absent,
    },
  }
}

/** Rows that only have to be asked about again are counted below. */
function leftFor({ settings }: Context, { ledger, given }: Ended): ReadBackDecisions {
  const left = decideFromReadBack(ledger.view, given, settings.absentAfterMs, given.creditorIdentifier)
  const waiting = new Set(
    [...absences(ledger.view, settings.absentAfterMs)].flatMap(({ rowId, absence }) =>
      'from' in absence ? [rowId] : [],
    ),
  )
  return { ...left, leftOpen: left.leftOpen.filter(({ rowId }) => !waiting.has(rowId)) }
}

/** What is left to do, and when. */
function nextOf(
  context: Context,
  { end, ledger, given }: Ended,
  absent: ReturnType<typeof absentOf>,
): Line[] {
  const stop = end?.stop ?? null
  const totals = ledger.totals()
  const again = nextLine(context, {
    name: 'rebuild',
    files: context.args,
    words: [
      ...['--assigned-creditor-identifier', given.creditorIdentifier],
      ...['--reason', given.reason],
      ...(ownText(context, 'by') === null ? [] : ['--by', given.by]),
    ],
  })
  const shown = ['', ...totalsLines(totals), '']
  if (stop !== null)
    return [...shown, [toned('open', 'Stopped early'), `: ${stop.why}.`], `${worded(stop).next}.`, again]
  if (absent.waiting > 0)
    return [
      ...shown,
      `${plural(absent.waiting, 'row is', 'rows are')} absent so far: ask again from ${timeText(absent.askFrom)}.`,
      again,
    ]
  if (absent.proposed > 0) return [...shown, again]
  return closingAt(context, ledger.view)
}
