import { assertReportFolder, assertNotTaken } from '../../trust/trusted-file.js'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { choiceLine } from '../../domain/row/choice.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { distrustLedgerFolder } from '../../ledger/safety/side-files.js'
import {
  type AskingEvent,
  type MigrateOptions,
  type Migration,
  type MigrationEvent,
  assertPlanned,
} from '../../migrate/options.js'
import { migrate } from '../../migrate/migrate.js'
import { MANIFEST_FILE } from '../../report/pack/pack-folder.js'
import {
  againTexts,
  closingLines,
  fileWarnings,
  comparedOtherwiseIn,
  leftAsRead,
  listRefusal,
  nextReading,
  toldAgain,
  NO_PACK,
  oldPages,
  setAsideLines,
  writePack,
  oddities,
  openIn,
  waitingIn,
  outputsOf,
  tellNotNoted,
} from '../closing.js'
import { type Command, type Context, lookInto, namedFiles, resultOfError } from '../command.js'
import {
  evidenceLine,
  RUN_FLAGS,
  runOptions,
  confirmRun,
  readAskedService,
  heldLines,
  nothingToCorrect,
  leftRefusedNote,
  refuseUnasked,
} from '../before-sending.js'
import { EXITS, SHARED, RUN_SETTINGS } from '../settings/declared.js'
import {
  assertReadBackTold,
  readService,
  readTarget,
  type Service,
  type Settings,
  trustedLines,
} from '../settings/settings.js'
import { askText, toned } from '../terminal/world.js'
import type { DeliveryEvent } from '../../run/deliver.js'
import { treatedAsActive, treatedAsActiveText } from '../../domain/rule/verdict.js'
import { countText, plural, durationText, said } from '../../domain/text/text.js'
import { isHeldBack } from '../../domain/row/row-state.js'

export const runCommand: Command = {
  usage: 'run [files...]',
  summary: 'import files, then send all ready rows; run again to resume',
  examples: [
    "sepa-migrate run --only 'Segment=A,B' --country AT,DE",
    'sepa-migrate run export.csv --limit 10 --password-file ~/.invoicing-password',
    'sepa-migrate run',
  ],
  options: [
    ...SHARED,
    ...RUN_SETTINGS,
    'passwordFile',
    'maxDuration',
    'readBack',
    'expectedRecords',
    'yes',
    'noReport',
  ],
  own: [
    ...RUN_FLAGS,
    ['--spread', 'with --limit: rows that differ in country, bank, reference, creditor or warnings'],
    ['--by <name>', 'who gives the reason, or decided (default: the user)'],
    ['--plan <file>', 'send what this approved plan says, and refuse anything else'],
  ],
  epilogue: [
    'Credentials come from SEPA_MIGRATE_USERNAME and SEPA_MIGRATE_PASSWORD or --password-file, never from a flag.',
  ],
  exits: EXITS.run,
  run,
}

async function run(context: Context) {
  const { world, settings } = context
  if (context.flag('checkBeforeSend')) assertReadBackTold(settings)
  const approval = settings.get('approval')
  assertPlanned(
    { approval, plan: context.text('plan'), ledger: settings.ledger },
    readTarget(settings, world).baseUrl,
  )
  const service = await (context.flag('who') ? readAskedService(context) : readService(settings, world))
  refuseUnasked(context, service)
  if (isReported(settings)) await assertReportPlace(context)
  const counts = { sent: 0, answered: 0 }
  announceSignals(context, counts)
  let closed: ClosedEvent | null = null
  const tell = watchRun(context)
  const watch = (event: MigrationEvent): void => {
    if (event.kind === 'intent') counts.sent += 1
    if (event.kind === 'outcome') counts.answered += 1
    if (event.kind === 'closed') closed = event
    else tell(event)
  }
  const left = await leftAsRead(context, 'run')
  try {
    const end = await migrate({ ...askedBy(context, service, left), watch })
    return await conclude(context, service, { ...end, left })
  } catch (error) {
    return failed(context, service, error, { closed, sent: counts.sent })
  }
}

/** What would keep the report from being written is told before anything is sent. @throws {UsageError} */
async function assertReportPlace(context: Context): Promise<void> {
  const { ledger, out } = context.settings
  const { PACK_NAMES } = await import('../../report/pack/pack.js')
  const forbidden = namedFiles(context, null)
  for (const name of PACK_NAMES) assertNotTaken(join(out, name), { what: 'report file', forbidden })
  // A folder of the ledger that cannot be trusted is told as such, when the ledger is opened.
  if (distrustLedgerFolder(ledger) === null) assertReportFolder(out)
}

/** Before the ledger was opened there is nothing to add to an error; afterwards what is in doubt is told whatever went wrong. */
async function failed(
  context: Context,
  service: Service,
  error: unknown,
  { closed, sent }: { readonly closed: ClosedEvent | null; readonly sent: number },
) {
  if (closed === null) throw error
  const { world, settings } = context
  const result = resultOfError(error, world.signals.exitStatus())
  const told = `nothing further was sent after ${plural(sent, 'request', 'requests')}`
  const inMidRun = (text: string): string => (sent === 0 ? text : text.replaceAll('nothing was sent', told))
  // A result that could not be written is no usage error once something was sent.
  const isLost = sent > 0 && result.exitCode === 2
  // A pack that is there tells of its ledger alone, into which the file did not come.
  const hasList = isReported(settings) && !existsSync(join(settings.out, MANIFEST_FILE))
  const list = await listRefusal(context, error, hasList ? settings.out : null)
  return {
    ...result,
    files: list.files,
    exitCode: isLost ? 1 : result.exitCode,
    errors: result.errors.map((one) => ({
      ...one,
      message:
        inMidRun(one.message) + (isLost ? `; ${plural(sent, 'request was', 'requests were')} sent` : ''),
      next: inMidRun(one.next),
    })),
    campaign: campaignOf(settings, service),
    totals: closed.totals,
    warnings: [...warningsOf(settings, closed), ...list.warnings],
    details: { trusted: service.trusted },
  }
}

const warningsOf = (
  { ledger }: Settings,
  { warnings, holdsOldPages }: Pick<ClosedEvent, 'warnings' | 'holdsOldPages'>,
): string[] => [...warnings, ...oldPages({ file: resolve(ledger), holdsOldPages: () => holdsOldPages })]

const campaignOf = ({ ledger }: Settings, { baseUrl }: Service) => ({ ledger, baseUrl: baseUrl.href })

function askedBy(context: Context, service: Service, left: readonly string[]): MigrateOptions {
  const { world, settings } = context
  const { drain: signal, abort: giveUp, exitStatus: signalStatus } = world.signals
  const maxDuration = settings.get('maxDuration')
  return {
    ...runOptions(context, service),
    spread: context.flag('spread'),
    service: service.options,
    confirm: (plan) => confirmRun(context, plan, { ...service, left, ask: askText }),
    signal,
    giveUp,
    signalStatus,
    maxDurationMs: maxDuration === null ? null : maxDuration * 1000,
    plan: context.text('plan'),
    writes: outputsOf(context, isReported(settings) ? settings.out : null),
  }
}

const isReported = (settings: Settings): boolean => !(settings.get('noReport') ?? false)

const NO_CHANGE =
  'Zeros in front and letter case do not count as a change, and "send" lets a refused row go only where run --retry-refused would leave it. To change zeros in front, add a line with an empty migration_row and write the old row off.'

/** A file that added nothing, which is no fault: the command that continues names it too. */
export function givenLine(source: Migration['admitted'][number]): string[] {
  const { name, kind, isResultFile, resubmitted, unchanged, unchangedRows } = source
  if (isResultFile && unchanged > 0)
    return [
      `${countText(unchanged)} of ${plural(resubmitted, 'line', 'lines')} in "${name}" changed no value: ${unchanged === 1 ? 'row' : 'rows'} ${unchangedRows ?? ''}${unchanged > 5 ? ' …' : ''}. ${NO_CHANGE}`,
    ]
  if (kind === 'known') return [`"${name}" is in the ledger already: nothing of it was added.`]
  return kind === 'empty' ? [nothingToCorrect(name)] : []
}

/** What became of the lines that were given back; those that changed nothing are no fault. */
const givenBackNotes = (admitted: Migration['admitted']): string[] =>
  said(
    admitted.flatMap(({ name, resubmitted, notTaken, waiting }) => [
      notTaken > 0 &&
        `${notTaken} of ${plural(resubmitted, 'correction', 'corrections')} in "${name}" could not be taken, and what they name stays as it was: problems.csv says why`,
      waiting > 0 &&
        `${plural(waiting, 'line', 'lines')} in "${name}" with "send" ${waiting === 1 ? 'waits' : 'wait'} all the same: what is wrong stands beside it in the new list. Of several records of one mandate "send" stands beside one`,
    ]),
  )

async function conclude(
  context: Context,
  service: Service,
  end: Migration & { readonly left: readonly string[] },
) {
  const { settings, progress } = context
  const { trusted } = service
  progress.end()
  const { stop, admitted, decided, held, choice, askedFirst } = end
  const { heldBack = 0, unread = 0 } = askedFirst ?? {}
  const isDeclined = stop?.kind === 'declined'
  // One in which nobody has written, too: saved by a spreadsheet, it would stand in the way of the next lists.
  const takenIn = context.args.filter((_, index) => admitted[index]?.isResultFile === true && !isDeclined)
  const setAside = setAsideLines(takenIn)
  const pack = isReported(settings) && !isDeclined ? await writePack(settings) : NO_PACK
  const { files } = pack
  const { warnings, asActive, who, evidence, ...status } = await lookInto(settings, async (reader) => ({
    ...nextReading(await waitingIn(context, reader)),
    compareAgain: await comparedOtherwiseIn(context, reader),
    ...openIn(context, reader),
    asActive: treatedAsActiveText(treatedAsActive(reader.sources())),
    ...{ who: whoLine(reader), evidence: reader.evidence() },
    warnings: said([
      leftRefusedNote(end.leftRefused, reader),
      unread > 0 &&
        `${plural(unread, 'row was', 'rows were')} not sent, because what the service holds of ${unread === 1 ? 'its customer' : 'their customers'} could not be read: ${unread === 1 ? 'it is' : 'they are'} ready, and the next run asks again`,
      ...fileWarnings(reader, (name) => admitted.some((one) => one.kind === 'admitted' && one.name === name)),
      ...oddities(reader),
    ]),
  }))
  const { cutOver } = status
  return {
    exitCode: toldAgain(end.exitCode, status.compareAgain),
    campaign: campaignOf(settings, service),
    totals: end.totals,
    files,
    warnings: said([
      ...warningsOf(settings, end),
      ...pack.warnings,
      ...end.left,
      ...givenBackNotes(admitted),
      ...againTexts(status.compareAgain),
      ...warnings,
    ]),
    errors: [],
    lines: [
      ...said([decided > 0 && !isDeclined && `${plural(decided, 'decision', 'decisions')} recorded.`]),
      ...admitted.filter(({ kind }) => kind !== 'empty' || decided === 0).flatMap(givenLine),
      ...end.readAgain,
      ...setAside,
      ...closingLines(context, {
        ...end,
        ...status,
        files,
        notes: said([
          who,
          asActive !== '' && `${asActive}.`,
          evidence !== null && evidenceLine(evidence),
          ...heldLines(held),
          choice !== null && stop?.kind !== 'choice' && choiceLine(choice),
          heldBack > 0 &&
            `Already at the service, not sent: ${plural(heldBack, 'row', 'rows')} of this run, in doubt until somebody decides.`,
          ...pack.proposed,
          ...trustedLines(trusted),
        ]),
        shown: heldBack,
        notAdmitted: admitted.length === 0 ? context.args : [],
      }),
    ],
    details: { stop, trusted, admitted, askedFirst, held, choice, evidence, cutOver },
  }
}

type ClosedEvent = Extract<MigrationEvent, { kind: 'closed' }>

/** @param counts of requests, as far as the run has come */
function announceSignals(
  { world: { signals }, progress }: Context,
  counts: { readonly sent: number; readonly answered: number },
): void {
  const cost = (): string => {
    const underWay = counts.sent - counts.answered
    return `${plural(underWay, 'request', 'requests')} in flight become${underWay === 1 ? 's' : ''} in doubt`
  }
  signals.drain.addEventListener('abort', () =>
    progress.note(
      `Signal received: no new rows; waiting for requests in flight (press Ctrl-C again to abandon them: ${cost()})`,
    ),
  )
  signals.abort.addEventListener('abort', () => progress.note(`Second signal: giving up; ${cost()}`))
}

/** Shows and logs what happens in a run; how it ends is the result's to say. */
function watchRun(context: Context): (event: Exclude<MigrationEvent, ClosedEvent>) => void {
  const { progress, log } = context
  const isVerbose = context.settings.get('verbose') ?? false
  return (event) => {
    if (event.kind === 'opened') noteOpened(context, event)
    else if (event.kind === 'reading') progress.reading(event.source, event.records)
    else if (event.kind === 'asking_who') noteAsking(context, event)
    else if (event.kind === 'sending') {
      if (event.warning !== null) progress.note([toned('open', 'Warning'), `: ${event.warning}`])
      progress.sending(event.rows)
    } else {
      log.delivery(event)
      showDelivery(context, event, isVerbose)
    }
  }
}

const ASKED_PER_NOTE = 10_000

/** Nothing where nobody asked. */
export function whoLine(reader: Pick<LedgerReader, 'who'>): string | false {
  const { asked = 0, agrees = 0, differs = 0, unknown = 0 } = reader.who() ?? {}
  return (
    asked > 0 &&
    `The service was asked who ${plural(asked, 'customer is', 'customers are')}: ${countText(agrees)} agree, ${countText(differs)} differ, ${countText(unknown)} unknown.`
  )
}

export function noteAsking({ progress }: Context, { customers, asked }: AskingEvent): void {
  if (asked % ASKED_PER_NOTE < 100)
    progress.note(`Asking who the customers are: ${countText(asked)} of ${countText(customers)}`)
}

function noteOpened(
  context: Context,
  { recovered, allowed, notNoted }: Extract<MigrationEvent, { kind: 'opened' }>,
): void {
  const { progress } = context
  tellNotNoted(context, notNoted)
  if (recovered > 0)
    progress.note(
      `${plural(recovered, 'row was', 'rows were')} being sent when the last run ended, and ${recovered === 1 ? 'is' : 'are'} in doubt now`,
    )
  for (const text of allowed) progress.note(text)
}

function showDelivery({ progress }: Context, event: DeliveryEvent, isVerbose: boolean): void {
  if (event.kind === 'outcome') {
    progress.outcome(event.outcome.kind)
    // Of a campaign that was begun by hand there may be thousands, and nothing of them is urgent.
    if (isVerbose || (event.outcome.kind === 'in_doubt' && !isHeldBack(event.outcome)))
      progress.note([
        `Row ${event.row.id}: `,
        toned(TONES[event.outcome.kind], event.outcome.kind.replace('_', ' ')),
        `. ${event.outcome.reason}`,
      ])
  } else if (event.kind === 'pause')
    progress.event(`Waiting ${durationText(event.delayMs)}: ${event.outcome.reason}`, event.outcome.reason)
  else if (event.kind === 'stop') progress.note([toned('open', 'Stopping'), `: ${event.stop.why}`])
}

const TONES = {
  registered: 'good',
  refused: 'bad',
  in_doubt: 'open',
  turned_away: 'soft',
  not_sent: 'soft',
} as const
