import type { LedgerReader } from '../ledger/read/open-reader.js'
import { type Line, type askText, assertTyped, totalsLines, canAsk, toned } from './terminal/world.js'
import { readAsTexts, treatedAsActive, type SourceReading } from '../domain/rule/verdict.js'
import { countText, plural, said, durationText, timeText } from '../domain/text/text.js'
import { EXPORT_OLD_AFTER_DAYS, HELD_TEXT } from '../domain/row/cut-over.js'
import { type ChosenColumn, choiceLine } from '../domain/row/choice.js'
import { isAskedAbout } from '../service/checked-service.js'
import { fileWarnings } from './closing.js'
import { maskAccounts } from '../domain/text/accounts.js'
import { UsageError } from '../errors.js'
import type { MigrateOptions, MigrationPlan } from '../migrate/options.js'
import {
  type Context,
  type OwnFlag,
  EVIDENCE,
  NEWER,
  IGNORE_COLUMN,
  SHEET,
  inputOf,
  configuredOptions,
  readingWith,
  readingFlags,
} from './command.js'
import { readPublicFile, type Target, readService, type Service, trustedLines } from './settings/settings.js'
import { creditorLine, shortDigest } from '../domain/plan/plan.js'
import type { HeldRows } from '../ledger/ledger.js'
import { expectedMs, type ExpectedPace } from '../run/pace.js'
import { correctionLines, CORRECTIONS_SHOWN } from '../domain/row/correction.js'

export const WHO: OwnFlag = [
  '--who',
  'ask the service who the customers are, and hold rows whose names differ',
]

export const RUN_FLAGS: readonly OwnFlag[] = [
  SHEET,
  IGNORE_COLUMN,
  EVIDENCE,
  NEWER,
  [
    '--only <column=values>',
    "of the ready rows send those with one of these values, as 'Segment=A,B'; several have to hold together",
    'repeatable',
  ],
  ['--country <codes>', 'of the ready rows send those with an account of these countries, as AT,DE'],
  ['--another-ledger', 'take the place of a ledger that is lost: what it began to send is in doubt'],
  [
    '--all-in-doubt',
    'every row comes in as in doubt: the register of this machine does not know what was sent',
  ],
  [
    '--reason <text>',
    'why rows were corrected whose lines do not say it (migration_reason), or why the other ledger cannot be had; kept with them',
  ],
  [
    '--check-before-send',
    'ask about each row before it is sent, and hold back what the service already holds',
  ],
  WHO,
]

/** The settings as `migrate` takes them, and as they are planned. @throws {UsageError} */
export function runOptions(context: Context, { trusted }: Target): Omit<MigrateOptions, 'service'> {
  const { world, settings, args } = context
  return {
    files: args.map((file) => inputOf(context, file)),
    newer: context.flag('newer'),
    evidence: context.texts('evidence'),
    ledger: settings.ledger,
    limit: settings.get('limit'),
    maxInDoubt: settings.get('maxInDoubt'),
    maxRefused: settings.get('maxRefused'),
    only: context.texts('only').map(chosenColumn),
    countries: context.text('country')?.split(','),
    retryRefusedBy: (settings.get('retryRefused') ?? false) ? context.actor() : null,
    corrected: whoAndWhy(context),
    reading: configuredOptions(context),
    readingFlags: readingFlags(context),
    readWith: readingWith(context),
    rules: settings.severities,
    asOf: settings.asOf,
    zone: settings.zone,
    dormantSoonDays: settings.get('dormantSoonDays'),
    newCreditorIdentifier: settings.get('creditorIdentifier'),
    sharedFolder: settings.sharedFolder,
    anotherLedger: context.flag('anotherLedger') ? whoAndWhy(context) : null,
    allInDoubt: context.flag('allInDoubt') ? whoAndWhy(context) : null,
    checkBeforeSend: context.flag('checkBeforeSend'),
    // A ledger that was asked about goes on asking unless the configuration says no.
    who: context.flag('who') || (settings.get('customers') ?? undefined),
    testHost: settings.get('testHost'),
    approval: settings.get('approval'),
    approvers: approversIn(settings.configuration),
    configuration: trusted.configuration,
    expected: settings.expected,
    machine: world,
  }
}

/** Each is a public key in PEM, or the path of a file with one. */
const approversIn = ({ values, locate }: Context['settings']['configuration']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values.approvers ?? {}).map(([name, key]) => [
      name,
      key.startsWith('-----BEGIN') ? key : readPublicFile(locate(key), 'nothing was sent'),
    ]),
  )

const whoAndWhy = (context: Context): { by: string; reason: string } => ({
  by: context.actor(),
  reason: context.text('reason') ?? '',
})

/** @throws {UsageError} for what is not `column=value,value` */
function chosenColumn(text: string): ChosenColumn {
  const at = text.indexOf('=')
  if (at > 0) return { column: text.slice(0, at), values: text.slice(at + 1).split(',') }
  throw new UsageError(
    `--only "${maskAccounts(text)}" names no column and its values; nothing was sent`,
    "Give both, as --only 'Segment=A,B'",
  )
}

/** @throws {UsageError} where somebody would have to be asked and nobody can be */
export function refuseUnasked({ world, settings }: Context, { baseUrl, options }: Service): void {
  if (!isAskedAbout(baseUrl, options.username) || (settings.get('yes') ?? false) || canAsk(world)) return
  throw new UsageError(
    `Sending to "${baseUrl.host}" needs a confirmation, and there is no terminal to ask on`,
    'Pass --yes when the target is right; nothing was sent',
  )
}

/**
 * The service to ask who the customers are, or what it holds: where another user of this machine may listen, that takes the
 * word that sending takes.
 * @throws {UsageError} as `readService`, and unless the host name is typed there or --yes was given
 */
export async function readAskedService({ world, settings }: Context): Promise<Service> {
  const service = await readService(settings, world)
  const { host, isLoopback } = service.baseUrl
  const { username } = service.options
  if (!isLoopback || !isAskedAbout(service.baseUrl, username) || (settings.get('yes') ?? false))
    return service
  const [what, to] = [`Asking "${host}"`, `send the password of "${username}" there`]
  await assertTyped(world, { what, typed: host, to, nothing: 'nothing was asked' })
  return service
}

/**
 * Shows the plan and has the host name typed, unless --yes was given or only this user listens there
 * (cli/README.md#before-anything-is-sent).
 */
export async function confirmRun(
  context: Context,
  plan: MigrationPlan,
  {
    trusted,
    left,
    ask,
  }: Pick<Target, 'trusted'> & Readonly<{ left: readonly string[]; ask: typeof askText }>,
): Promise<boolean> {
  const { world, settings, progress } = context
  const { host, username } = plan.service
  if (!isAskedAbout(plan.service, username)) {
    for (const line of pilotLines(plan)) progress.note(line)
    return true
  }
  const isAskingFirst = context.flag('checkBeforeSend')
  const lines = said([
    ...planLines(plan, {
      concurrency: settings.get('concurrency'),
      rate: settings.get('rate'),
      isAskingFirst,
    }),
    ...approvedLines(plan),
    askingLine(plan, isAskingFirst),
    ageLine(plan, world.clock.now()),
    ...trustedLines(trusted),
    ...sourceLines(plan.ledger),
    ...left.map(warned),
    ...fileWarnings(plan.ledger).map(warned),
  ])
  for (const line of lines) progress.note(line)
  const isAnswered = settings.get('yes') ?? false
  if (plan.isLedgerKnown && isAnswered) return true
  if (!plan.isLedgerKnown && isAnswered && !canAsk(world))
    throw new UsageError(
      `${UNKNOWN_LEDGER}. --yes does not answer for that; nothing was sent`,
      'Make sure that it is the newest copy, then run once on a terminal. Where it may be older, take every row in as in doubt (sepa-migrate run FILE --all-in-doubt --reason "…")',
    )
  if (!plan.isLedgerKnown) progress.note(warned(UNKNOWN_LEDGER))
  return (await ask(world, `Type the host name "${host}" to send`)) === host
}

const UNKNOWN_LEDGER =
  'This ledger has sent before, but not as this user on this machine: if it is an older copy, what went out since would be sent twice'

function approvedLines({ approved }: MigrationPlan): Line[] {
  if (approved === undefined) return []
  const { digest, approvedBy, approvedAt, expiresAt, key, reference } = approved
  return [
    `Approved plan: ${shortDigest(digest)}, by ${approvedBy} at ${timeText(approvedAt)}, until ${timeText(expiresAt)}`,
    key === null
      ? warned(`that approval is recorded, not proven (${reference ?? ''})`)
      : `  proven for the key ${key}`,
  ]
}

/** Somebody may have sent some of it before: by hand, or from a ledger that was lost. */
function askingLine({ ledger }: MigrationPlan, isAskingFirst: boolean): Line | false {
  if (isAskingFirst)
    return 'The service is asked about each row before it is sent; what it already holds is held back, in doubt'
  return (
    ledger.campaign().asksFirst &&
    warned(
      'an earlier run asked the service about each row before it was sent, and this one does not (--check-before-send)',
    )
  )
}

/** Customers go on cancelling: what ended since the newest export is live in the ledger. One that comes in has no time yet. */
function ageLine({ ledger }: MigrationPlan, nowMs: number): Line | false {
  const exports = ledger.sources().filter(({ id, origin, reading }) => id === origin && !reading.resultFile)
  // Collections of a month tell nobody's end beside an export.
  const ofMandates = exports.filter(({ reading }) => reading.collections === undefined)
  const dated = ofMandates.length > 0 ? ofMandates : exports
  const newest = [...dated.map(({ admittedAt }) => admittedAt), ledger.comparison()?.at ?? ''].sort().at(-1)
  return (
    nowMs - Date.parse(newest ?? '') > EXPORT_OLD_AFTER_DAYS * 86_400_000 &&
    warned(
      `the newest export came in or was compared at ${timeText(newest ?? '')}, and what ended since would be sent: export once more, compare that, then run it`,
    )
  )
}

const warned = (text: string): Line => [toned('open', 'Warning'), `: ${text}`]

/** How the files were read, as far as a person has to know it before anything is sent. */
const sourceLines = (reader: LedgerReader): Line[] =>
  reader.sources().flatMap((source) => {
    const lines = readingLines(source)
    return lines.length === 0 ? [] : [`${source.name}:`, ...lines]
  })

/** What --retry-refused was asked for and does not do, and why. */
export const leftRefusedNote = (count: number, reader: Pick<LedgerReader, 'whyRefused'>): string | false =>
  count > 0 &&
  `${plural(count, 'refused row stays', 'refused rows stay')} refused: ${reader.whyRefused().join(', or ')}. In to-do/refused.csv write "written-off" beside what is not to be sent, or "send" beside what is right and another mandate`

/** What other ledgers of this user had to do with the rows. */
export const heldLines = ({
  inDoubt = 0,
  begunOtherwise = 0,
  inConflict = 0,
  inCutOver = 0,
  missing = 0,
  replaces = [],
}: Partial<HeldRows>): string[] =>
  said([
    ...replaces.map((place) => `Takes the place of the ledger "${place}", which is refused from then on`),
    inDoubt > 0 &&
      `In doubt, since a ledger that is lost, or another one, may have sent them: ${plural(inDoubt, 'row', 'rows')}. resolve --ask shows which of them the service holds; what it does not, a person resends`,
    begunOtherwise > 0 &&
      `Of these begun for another customer or date than they have here: ${plural(begunOtherwise, 'row', 'rows')}. Ask the service about the customer and date that the lost ledger sent (to-do/in-doubt.csv says of which rows)`,
    inConflict > 0 &&
      `In conflict, since another ledger of yours claimed a mandate that may be the same: ${plural(inConflict, 'row', 'rows')}`,
    inCutOver > 0 &&
      `Open in the cut-over, since the lost ledger began to send them and they are not sent as they stand: ${plural(inCutOver, 'row', 'rows')}`,
    missing > 0 &&
      `The lost ledger began to send ${plural(missing, 'mandate that is', 'mandates that are')} in no file here, and the service may hold ${missing === 1 ? 'it' : 'them'}. Run the export that it was filled with, in the same way (--another-ledger), then compare the newest. Where there is none any more, look in a list of the service for mandates that no export has`,
  ])

const MOST_SHOWN = 10

/** The first of so many. */
function firstOf(lines: readonly string[], count: number, one: string, many: string): string[] {
  const shown = lines.slice(0, MOST_SHOWN)
  const more = count - shown.length
  return [...shown, ...(more > 0 ? [`  and ${plural(more, one, many)} more`] : [])]
}

/** Why rows of a pilot that is spread were taken. */
function pilotLines({ pilot, toSend }: MigrationPlan): string[] {
  if (pilot.length === 0) return []
  const lines = pilot.map(({ id, customerNo, because }) =>
    maskAccounts(`  row ${id}, customer ${customerNo}: ${because.join(', ')}`),
  )
  return ['A pilot that is spread:', ...firstOf(lines, toSend, 'row', 'rows')]
}

/** What will happen with a yes: where to, as whom, what of the rows, how fast. */
function planLines(plan: MigrationPlan, pace: ExpectedPace): Line[] {
  const { service, totals, toSend, choice, leftRefused, held, readAgain, ledger } = plan
  const { concurrency, rate } = pace
  const creditors = ledger.creditorsOfReady(choice)
  const { held: heldBack } = ledger.openCutOver()
  return said([
    [toned('strong', 'The plan')],
    ['Target: ', toned('strong', service.href)],
    `User at the service: ${service.username}`,
    ...totalsLines(totals),
    ...heldLines(held),
    heldBack > 0 && `Ready, and held back: ${plural(heldBack, 'row', 'rows')}, ${HELD_TEXT}`,
    `To send in this run: ${plural(toSend, 'row', 'rows')}`,
    ...pilotLines(plan),
    choice !== null && choiceLine(choice),
    ...readAgain,
    leftRefusedNote(leftRefused, ledger),
    ...correctionLines(ledger.correctionsToSend(CORRECTIONS_SHOWN)),
    ...firstOf(
      creditors.map((creditor) => `  ${creditorLine(creditor)}`),
      creditors.length,
      'previous creditor',
      'previous creditors',
    ),
    `Pace: ${rate === null ? 'no limit set' : `at most ${rate} a second`}, ${plural(concurrency, 'request', 'requests')} at a time, about ${durationText(expectedMs(toSend, pace))}`,
  ])
}

type Source = Pick<
  ReturnType<LedgerReader['sources']>[number],
  'name' | 'records' | 'blankLines' | 'columns' | 'reading'
>

const WORD_KEYS: ReadonlyMap<string, string> = new Map([
  ['status', 'words.status.active or words.status.notActive'],
  ['sequence', 'words.sequence.recurrent, oneOff or final'],
  ['scheme', 'words.scheme.core or b2b'],
])

export const separatorText = (delimiter: string): string => (delimiter === '\t' ? 'tab' : `"${delimiter}"`)

/** How a file was read: encoding, separator, header, and which column feeds which field. */
export function howReadLines({ name, records, blankLines, columns, reading }: Source): Line[] {
  const { encoding, delimiter, sheet, hidden, collections, headerLine, skipFooterLines = 0 } = reading
  const counted = said([
    plural(records, 'record', 'records'),
    blankLines > 0 && plural(blankLines, 'blank line', 'blank lines'),
  ])
  const written = said([
    encoding !== undefined && `${encoding.encoding} (${encoding.by})`,
    delimiter !== undefined && `separator ${separatorText(delimiter.delimiter)} (${delimiter.by})`,
    sheet !== undefined && `sheet "${sheet}"`,
    hidden?.decided === 'read' && `${hidden.what}: read too`,
    collections ?? false,
    headerLine !== undefined && collections === undefined && `header in line ${headerLine}`,
    skipFooterLines > 0 && `the last ${plural(skipFooterLines, 'line', 'lines')} left out`,
    reading.resultFile === true && 'written by this program',
  ])
  return said([
    `${name}: ${counted.join(', ')}`,
    written.length > 0 && `  read as ${written.join(', ')}`,
    `  columns: ${columnsText(columns, reading)}`,
    ...formatLines(reading),
  ])
}

/** `customer_no from "Kundennummer"`, or the name alone where both are the same. */
function columnsText(
  columns: Source['columns'],
  { crosswalk, constantCreditorIdentifier }: SourceReading,
): string {
  const mapped = Object.entries(columns).map(([field, name]) => {
    const through =
      field === 'customer_no' && crosswalk !== undefined && crosswalk !== null
        ? ` through ${crosswalk.name} (${plural(crosswalk.lines, 'line', 'lines')})`
        : ''
    return field === name ? `${field}${through}` : `${field} from "${name}"${through}`
  })
  const constant = constantCreditorIdentifier ?? null
  return said([...mapped, constant !== null && `sepa_creditor_identifier ${constant} for every row`]).join(
    ', ',
  )
}

/** What was done to values, as far as it is not the usual. */
function formatLines({ dateFormats, transforms = {}, columns = {} }: SourceReading): Line[] {
  const dates = said([
    dateFormats?.signedDate !== undefined && `signed_date as ${dateFormats.signedDate}`,
    dateFormats?.lastCollection !== undefined &&
      columns['last_collection_date'] !== undefined &&
      `last_collection_date as ${dateFormats.lastCollection}`,
  ])
  return said([
    dates.length > 0 && `  dates: ${dates.join(', ')}`,
    Object.keys(transforms).length > 0 &&
      `  changed by the configuration: ${Object.keys(transforms).join(', ')}`,
  ])
}

const counted = (counts: Readonly<Record<string, number>> = {}): string =>
  Object.entries(counts)
    .map(([word, count]) => `"${word}" ${count}`)
    .join(', ')

/** What the words of one column were understood to say, and those that were not understood. */
function wordLines([field, read]: [string, NonNullable<SourceReading['words']>[string]]): string[] {
  const column = `"${read.column}"`
  const unknown = counted(read.notUnderstood)
  return said([
    read.staysBehind !== undefined &&
      `  ${read.staysBehind}, going by column ${column}: ${counted(read.keptBack)}`,
    unknown !== '' &&
      `  not understood in column ${column}: ${unknown}; to define it, add it to ${WORD_KEYS.get(field) ?? field}`,
    read.empty !== undefined && `  empty in column ${column}: ${read.empty}`,
    read.tooManyWords !== undefined &&
      `  column ${column} holds ${read.tooManyWords} different words: is it the ${field}?`,
  ])
}

/** What a person has to see of how a source was read: lines that were left out, words and what they keep back. */
export function readingLines({ reading }: Source): Line[] {
  const { beforeHeader = [], atEnd = [] } = reading.leftOut ?? {}
  const isTold =
    reading.undecided === undefined && treatedAsActive([{ name: '', origin: 0, reading }]).length > 0
  return said([
    ...readAsTexts(reading).map((text) => `  ${text}`),
    isTold && '  no column says which mandates are active: every mandate is treated as active',
    ...beforeHeader.map((line) => `  left out before the header: ${line}`),
    ...atEnd.map((line) => `  left out at the end: ${line}`),
    ...Object.entries(reading.words ?? {}).flatMap(wordLines),
    ...(reading.mayBeStatus ?? []).map((column) => `  not used, and of few values: ${column}`),
  ])
}

/** Said of one of our own files in which nobody has written, and that lists no row to read again. */
export const nothingToCorrect = (name: string): string =>
  `"${name}" holds no correction and no decision: what is open in it stays open.`

/** What collection files say of the mandates. */
export const evidenceLine = (evidence: NonNullable<ReturnType<LedgerReader['evidence']>>): string =>
  `Beside the last collections: ${Object.entries(evidence)
    .map(([kind, count]) => `${kind.replaceAll('_', ' ')} ${countText(count)}`)
    .join(', ')}`
