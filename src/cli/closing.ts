import {
  exitStatusOf,
  SOME_LEFT,
  notSentOf,
  openPointsOf,
  type MandateTotals,
  type OpenPoint,
  REPLACEABLE_STATES,
  TOTAL_OF_STATE,
  type Totals,
  verificationOf,
} from '../domain/row/row-state.js'
import type { Stop } from '../run/brake.js'
import { comparedOtherwise, type Waiting, waitingBeside } from '../run/read-again.js'
import { fileDigest, sizeOf } from '../source/bytes/input.js'
import type { ReportOptions } from '../report/pack/pack.js'
import { basename, dirname, join, relative } from 'node:path'
import { contradictedText } from '../domain/proof/read-back.js'
import type { LedgerReader } from '../ledger/read/open-reader.js'
import { ruleOf } from '../domain/rule/verdict.js'
import { HELD_TEXT, NO_CUT_OVER } from '../domain/row/cut-over.js'
import { emptyResult, lookInto, namedFiles, readByOf, type Context, type WholeResult } from './command.js'
import { commandLine, nextLines, type CommandEnd, type Typed, shownPath } from './terminal/next.js'
import { totalsLines, type World, type Line, type Tone, toned } from './terminal/world.js'
import type { Settings } from './settings/settings.js'
import { SourceError, UsageError } from '../errors.js'
import { setAside } from '../report/pack/pack-folder.js'
import { faultText } from '../register/campaign-register.js'
import { notTheLatest } from '../register/register-file.js'
import type { Ledger } from '../ledger/file/writer.js'
import type { ProblemRecord } from '../ledger/read/reader.js'
import { absences } from '../ledger/read/read-proofs.js'
import { countText, plural, timeText, said } from '../domain/text/text.js'
import { existsSync } from 'node:fs'
import { SIGNATURE_FILE } from '../trust/signature.js'
import { noteWritten, type WrittenPath } from '../ledger/safety/side-files.js'

/** Where no report was asked for. */
export const NO_PACK: Awaited<ReturnType<typeof writePack>> = {
  files: {},
  warnings: [],
  proposed: [],
}

/** Writes the reconciliation pack of a ledger. */
export async function writePack(
  settings: Pick<Settings, 'ledger' | 'out' | 'sharedFolder' | 'absentAfterMs' | 'language' | 'told'>,
  more: Pick<ReportOptions, 'signWith' | 'toCancel'> = {},
) {
  const { ledger, out, sharedFolder, absentAfterMs, language, told } = settings
  // Loaded here, for the commands that only show lines like those behind a report.
  const { writeReport } = await import('../report/pack/pack.js')
  const written = await writeReport(ledger, { out, sharedFolder, absentAfterMs, language, told, ...more })
  const { files, folder, kept, toDo, proposals } = written
  return {
    /** The path of each file by its name. */
    files: Object.fromEntries([
      ...files.map(({ name }) => [name, join(folder, name)] as const),
      ...(toDo?.files ?? []).map(({ name }) => [name, join(toDo?.folder ?? folder, name)] as const),
    ]),
    warnings: said([
      kept !== null &&
        (written.isBesideAnother
          ? `The report in "${out}" is of another ledger; it was left as it is, and the new report is in "${folder}"`
          : keptText(kept, out, folder, 'report')),
      toDo !== null &&
        toDo.left !== null &&
        `Somebody works in the lists of "${toDo.left}", so they were left as they are; the new ones are in "${basename(toDo.folder)}" beside them`,
    ]),
    /** What `in-doubt.csv` proposes, in words; none where it proposes nothing. */
    proposed: said([proposedText(proposals)]),
  }
}

/** Writes problems.csv alone, where a folder is named for it. */
export async function writeProblemList(
  context: Context,
  problems: Iterable<ProblemRecord>,
  out: string | null,
) {
  noteOutputs(context, out)
  if (out === null) return emptyResult
  const forbidden = namedFiles(context, null)
  // Most checks write nothing, and the room of reports takes a while to load.
  const { writeProblems } = await import('../report/pack/pack.js')
  const { sharedFolder } = context.settings
  const { name, folder, kept } = await writeProblems(problems, { out, forbidden, sharedFolder })
  return {
    files: { [name]: join(folder, name) },
    warnings: kept === null ? [] : [keptText(kept, out, folder, 'list of problems')],
  }
}

/** What a file broke as a whole, by which it ended the command, in problems.csv. */
export async function listRefusal(context: Context, error: unknown, out: string | null) {
  if (!(error instanceof SourceError) || error.rule === null) return emptyResult
  const { rule, line, message, next: remedy } = error
  const source = basename(error.source)
  const ofFile = { id: 0, rowId: null, record: null, field: null, column: '', value: '' }
  const problem = { ...ofFile, source, line, rule, severity: 'error', message, remedy } as const
  return writeProblemList(context, [problem], out)
}

/** Lists to work in that were just taken in leave the place of those that follow. */
export function setAsideLines(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const to = setAside(file)
    return to === null ? [] : [`"${file}" was taken in, and is in "${relative('.', to)}" now.`]
  })
}

/** Tells that a file stood in the way, what was done with it, and where the new `written` is instead. */
const keptText = (kept: string, out: string, folder: string, written: string): string =>
  kept === SIGNATURE_FILE
    ? `The report in "${out}" is signed, so it was left as it is; the new ${written} is in "${folder}"`
    : `"${join(out, kept)}" was changed since this program wrote it, or is not of this program; it was left as it is, and the new ${written} is in "${folder}"`

/** The last lines for people: the result, what is open, the next command to type. */
export function closingLines(
  typed: Typed,
  {
    files,
    notes = [],
    exitCode = 0,
    ...status
  }: Omit<CommandEnd, 'pack'> &
    Pick<WholeResult, 'files'> & {
      readonly mandates: MandateTotals
      readonly notes?: readonly string[]
      /** With 3 something is open that the ledger does not count, and a warning says what. */
      readonly exitCode?: number
    },
): Line[] {
  const { totals, mandates, stop } = status
  const report = files['report.html']
  return said([
    '',
    ...totalsLines(totals),
    mandates.total !== totals.read && `  ${mandatesText(mandates)}`,
    '',
    stop !== null && [toned('open', 'Stopped early'), `: ${stop.why}.`],
    // What was declined is not in the ledger.
    ...(stop?.kind === 'declined' && totals.read === 0
      ? []
      : openLines(
          toldAgain(exitCode, status.compareAgain),
          mandates,
          totals,
          status.cutOver ?? NO_CUT_OVER,
          status.verification ?? null,
        )),
    ...notes,
    report !== undefined && `Report: ${report}`,
    ...nextLines(typed, { ...status, pack: report === undefined ? null : dirname(report) }),
  ])
}

/** What is open beside the totals. */
export const openIn = (
  { settings }: Pick<Context, 'settings'>,
  reader: LedgerReader,
  { registered, inDoubt } = reader.totals(),
) => ({
  /** Null where nobody asked about a registered row; then none is counted. */
  verification: verificationOf(registered, reader.verificationCounts()),
  cutOver: reader.openCutOver(),
  askedList: reader.askedList(),
  /** Rows in doubt are left that the service can be asked about, and nobody has asked about all of them. */
  canBeAsked:
    (settings.get('readBack') ?? false) &&
    inDoubt >
      reader.proofCounts().reduce((sum, { state, count }) => sum + (state === 'in_doubt' ? count : 0), 0),
})

/**
 * Where the campaign is by its ledger and by what the register knows of this copy: what the last lines of a command are
 * made of, and the result of one that changes nothing.
 * @param end of the command's own asking, where it asked the service
 */
export function campaignStatus(
  context: Context,
  reader: LedgerReader,
  end: { readonly stop: Stop | null; readonly signal: number | null } = { stop: null, signal: null },
) {
  const { isOlder, warnings } = olderOf(context.world, reader)
  const [totals, campaign] = [reader.totals(), reader.campaign()]
  const open = openIn(context, reader, totals)
  const status = { totals, mandates: reader.mandates(), stop: null, campaign, files: {}, ...open }
  const decided = {
    exitCode: verifiedExitStatus(status, end.stop, end.signal),
    campaign: { ledger: context.settings.ledger, baseUrl: campaign.baseUrl },
    totals,
    warnings,
  }
  return {
    status: { ...status, isOlder },
    result: isOlder ? { ...decided, exitCode: OLDER_STATUS } : decided,
    /** The result of a command that decided something, or would: its status is what is open in the ledger. */
    decided,
    /** The last lines of such a command, which writes no report. */
    closing: async (): Promise<Line[]> => {
      const { waiting, compareAgain } = await waitingOf(context, reader, totals)
      return closingLines(context, { ...status, ...nextReading(waiting), compareAgain })
    },
  }
}

/** Where all was sent or closed no export is looked at. */
const waitingOf = async (context: Context, reader: LedgerReader, totals: Totals) => ({
  waiting: REPLACEABLE_STATES.every((state) => totals[TOTAL_OF_STATE[state]] === 0)
    ? []
    : await waitingIn(context, reader),
  compareAgain: await comparedOtherwiseIn(context, reader),
})

/** Files of the last export that would be read otherwise by now. */
export const comparedOtherwiseIn = (context: Context, reader: LedgerReader) =>
  comparedOtherwise(reader, readByOf(context), context.world.signals.drain)

/** The same of a command that only looks, with what a person is warned of. */
export async function lookedAt(context: Context, reader: LedgerReader) {
  const { status, result } = campaignStatus(context, reader)
  const { waiting, compareAgain } = await waitingOf(context, reader, status.totals)
  const warnings = [
    ...result.warnings,
    ...oddities(reader),
    ...waitingTexts(context, waiting),
    ...againTexts(compareAgain),
  ]
  return {
    status: { ...status, ...nextReading(waiting), compareAgain },
    result: { ...result, exitCode: toldAgain(result.exitCode, compareAgain), warnings },
  }
}

export const againTexts = (compareAgain: CommandEnd['compareAgain'] = []): string[] =>
  compareAgain.map(
    ({ name, because }) =>
      `"${name}" was compared before ${because} was changed, and may say something else of what was sent: compare it again`,
  )

/** The status of a command where nothing else is open than that the last export is compared again. */
export const toldAgain = (exitCode: number, compareAgain: CommandEnd['compareAgain'] = []): number =>
  exitCode === 0 && compareAgain.length > 0 ? SOME_LEFT : exitCode

/** What waits, beside the configuration of the command. */
export const waitingIn = (context: Context, reader: LedgerReader): Promise<Waiting[]> =>
  waitingBeside(reader, readByOf(context), context.world.signals.drain)

/** What the next run reads again before it sends anything, and what it leaves as it was read. */
export function waitingTexts(context: Context, waiting: readonly Waiting[]): string[] {
  const again = waiting.filter(({ because }) => because !== null)
  return [
    ...[...new Set(again.map(({ place }) => place))].map((place) =>
      againText(again.filter((one) => one.place === place)),
    ),
    ...staying(context, waiting).flatMap((one) => (one.because === null ? [staysText(context, one)] : [])),
  ]
}

function againText(all: readonly Waiting[]): string {
  const count = all.reduce((sum, one) => sum + one.count, 0)
  const because = [...new Set(all.map((one) => one.because))].join(' and ')
  const [{ place, isItsOwn } = { place: null, isItsOwn: true }] = all
  const more = said([
    !isItsOwn && `, with --config ${shownPath(place ?? '')}`,
    all.some(({ isOfFile }) => isOfFile) && ', and need the file for it',
  ])
  return `${plural(count, 'record', 'records')} will be read again, because ${because} has changed: run and plan do so before anything is sent${more.join('')}`
}

/** Read by nothing that the command has, which would read it otherwise. */
const staying = ({ settings }: Context, waiting: readonly Waiting[]): Waiting[] =>
  waiting.filter(({ isAlike, place }) => !isAlike && (place === null || settings.isNamed('config')))

function staysText(context: Context, one: Waiting): string {
  const { name, count, readWith, place, because, isOfFile, isSystem } = one
  const isAsTyped = context.settings.configuration.file !== null
  const files = [context.args.find((path) => basename(path) === name) ?? name]
  const words = isAsTyped || place !== null ? [] : ['--config', 'NEW']
  const command = commandLine(context, {
    name: 'run',
    files,
    words,
    readWith: isAsTyped ? '' : (place ?? ''),
  })
  if (because !== null) {
    const again = commandLine(context, { name: 'run', files: isOfFile ? files : [], readWith: place })
    return `${plural(count, `record of "${name}" waits`, `records of "${name}" wait`)}, because ${because} has changed: ${again} has them read again`
  }
  const stay = plural(count, `record of "${name}" stays as it was`, `records of "${name}" stay as they were`)
  const gone = place === null ? ', which is gone' : ''
  const as = readWith === null ? ' without a configuration' : ` with ${readWith}${gone}`
  // The normal state beside a second system, whose export another configuration would read wrongly.
  return isAsTyped && (place !== null || isSystem)
    ? `${stay} read${as}`
    : `${stay} read${as}: ${command} has them read again`
}

/**
 * What a command that reads again leaves as it was read, in sentences.
 * @throws {UsageError} where a configuration has changed that this command was not given, and what it read waits
 */
export async function leftAsRead(context: Context, name: 'run' | 'plan' | 'compare'): Promise<string[]> {
  const { settings, args, world } = context
  const looked = await lookInto(settings, async (reader) => ({
    all: await waitingIn(context, reader),
    compared: await comparedOtherwiseIn(context, reader),
  })).catch((error: unknown) => {
    // No ledger yet, or an empty one.
    if (error instanceof UsageError) return { all: [], compared: [] }
    throw error
  })
  const { all, compared } = looked
  const waiting = all.filter(({ isItsOwn }) => !isItsOwn)
  if (waiting.length + compared.length === 0) return []
  const given = new Set<string>()
  for (const path of name === 'compare' ? [] : args)
    if ((await sizeOf(path)) !== null) given.add(await fileDigest(path, world.signals.drain))
  const otherwise =
    name === 'compare' ? [] : compared.filter(({ sha256, isTakenIn }) => !isTakenIn && !given.has(sha256))
  const [first] = otherwise
  // A comparison reads again first, which what needs its file refuses.
  const lacking = all.filter(({ isOfFile, isItsOwn }) => isOfFile && isItsOwn)
  const asked = [...new Set([...lacking, ...otherwise].map((one) => one.name))]
  if (first !== undefined)
    throw new UsageError(
      `"${first.name}" was compared with the ledger, and ${first.because} has changed since, so that it may say something else; nothing was sent`,
      `${lacking.length > 0 ? 'Give what is read otherwise in one command' : 'Compare again'}: ${commandLine(context, { name: lacking.length > 0 ? 'run' : 'compare', files: asked, readWith: first.place })}`,
    )
  const isGiven = ({ sha256 }: Waiting): boolean => given.has(sha256)
  const left = settings.configuration.file === null ? waiting : waiting.filter((one) => !isGiven(one))
  const changed = left.filter(({ because }) => because !== null)
  const [forgotten] = changed
  if (forgotten !== undefined && !settings.isNamed('config'))
    throw new UsageError(
      `${changed.map(forgottenText).join('; ')}; nothing was sent`,
      `Give it, too: ${commandLine(context, { name, files: args, readWith: forgotten.place })}`,
    )
  const stays = new Set([...changed, ...staying(context, left), ...left.filter(isGiven)])
  return [...stays].map((one) => staysText(context, one))
}

const forgottenText = ({ name, count, readWith, because }: Waiting): string =>
  `${plural(count, `record of "${name}" that was not sent was`, `records of "${name}" that were not sent were`)} read with ${readWith ?? ''}, and ${because ?? ''} has changed since`

/** What the next command needs to read what waits as it was read, or again. */
export function nextReading(waiting: readonly Waiting[]): Pick<CommandEnd, 'toGive' | 'readWith'> {
  const others = waiting.filter(({ isItsOwn }) => !isItsOwn)
  const changed = others.find(({ because }) => because !== null)
  const [place = null, ...more] = new Set(waiting.map((one) => one.place))
  const isOfOne = others.length === waiting.length && more.length === 0
  return {
    toGive: waiting.filter(({ isOfFile }) => isOfFile).map(({ name }) => name),
    readWith: changed?.place ?? (isOfOne ? place : null) ?? undefined,
  }
}

/** What is odd about registered rows, by their answers or by collections that came in later. */
export const oddities = (reader: LedgerReader): string[] => {
  const shown = reader.shownClosed()
  return said([
    ...reader
      .oddities()
      .map(
        ({ rule, remedy, count }) =>
          `${plural(count, 'registered row', 'registered rows')}: ${ruleOf(rule).message} ${remedy} (${rule}, problems.csv)`,
      ),
    shown > 0 &&
      `${plural(shown, 'row that was written off in doubt is', 'rows that were written off in doubt are')} shown by the service, so that it may debit ${shown === 1 ? 'it' : 'them'}: record what is proven (sepa-migrate resolve --ask --of all, or --against LIST --apply), or have it cancelled there`,
  ])
}

/** What a person should know of how files were read, of all or of these. */
export const fileWarnings = (
  reader: Pick<LedgerReader, 'fileWarnings'>,
  isOf: (name: string) => boolean = () => true,
): string[] =>
  reader
    .fileWarnings()
    .filter(({ source }) => isOf(source))
    .map(({ source, rule, message, remedy }) => `"${source}": ${message} ${remedy} (${rule})`)

/** Where several records say something of one mandate, or corrections name another. */
const mandatesText = (mandates: MandateTotals): string =>
  `${plural(mandates.total, 'mandate', 'mandates')}: ${countText(mandates.registered)} registered, ${countText(mandates.inDoubt + mandates.sending)} in doubt, ${countText(mandates.refused)} refused, ${mandates.writtenOff > 0 ? `${countText(mandates.writtenOff)} written off, ` : ''}${countText(notSentOf(mandates))} not sent`

/** How each is told, and what a person does about it. */
const TOLD: Readonly<Record<OpenPoint, readonly [Tone, string, string]>> = {
  contradicted: ['bad', 'registered, and not so at the service', ' (verification.csv)'],
  unexpected: [
    'bad',
    'total of the former provider that differs',
    ': records may be missing, or be read twice; page 1 of the report shows both (--expected-records)',
  ],
  in_doubt: ['open', 'in doubt', ': may be registered, never sent again by the program (to-do/in-doubt.csv)'],
  sending: ['open', 'on the way', ': a run is sending, or was killed while it did'],
  ready: ['strong', 'ready', ': not sent yet'],
  held: ['open', 'ready, and held back', `: ${HELD_TEXT}`],
  cutOver: ['open', 'open in the cut-over', ': act on each line and close it (to-do/cut-over.csv)'],
  untaken: ['strong', 'new or changed in the final export', ': not taken in'],
  asReadBefore: [
    'open',
    'sent as read before',
    ': their export was read again and says something else of others, so whether they are right is not known; compare it',
  ],
  uncompared: [
    'strong',
    'not compared',
    ': came in since the last export was compared, or sent more than three days later; compare it again',
  ],
  refused: ['bad', 'refused', ' by the service (to-do/refused.csv)'],
  conflict: ['bad', 'in conflict', ': correct or decide (to-do/corrections.csv)'],
  invalid: ['bad', 'invalid', ': a value is wrong (to-do/corrections.csv)'],
}

function openLines(exitCode: number, ...given: Parameters<typeof openPointsOf>): Line[] {
  const open = openPointsOf(...given)
  const [mandates, , , verification] = given
  if (open.length === 0 && exitCode === SOME_LEFT) return []
  if (open.length === 0)
    return [mandates.total === 0 ? 'No mandate has come in yet.' : [toned('good', 'Nothing is open.')]]
  const words = verification === null ? '' : `: ${contradictedText(verification)}`
  return [
    [toned('strong', 'Open:')],
    ...open.map(([point, count]) => {
      const [tone, name, text] = TOLD[point]
      const more = point === 'contradicted' ? words : ''
      return ['  ', toned(tone, `${countText(count)} ${name}`), `${more}${text}`]
    }),
  ]
}

/** What the register of this user knows of a ledger that is only looked at. */
export function olderOf(
  { stateFolder }: World,
  reader: Parameters<typeof notTheLatest>[1],
): { isOlder: boolean; warnings: string[] } {
  try {
    const why = notTheLatest(stateFolder, reader)
    if (why === null) return { isOlder: false, warnings: [] }
    return { isOlder: true, warnings: [`${why}. What it shows is not how the campaign stands`] }
  } catch (error) {
    const unknown = 'Nobody can tell whether this is the newest copy of the ledger.'
    return { isOlder: false, warnings: [`${unknown} ${faultText(error)}`] }
  }
}

export const OLDER_STATUS = 8

const STOPPED = 5

/** The status of the campaign as it stands; where asking was stopped, it may stand worse. */
export function verifiedExitStatus(
  { totals, cutOver, verification }: Pick<CommandEnd, 'totals' | 'cutOver' | 'verification'>,
  stop: Stop | null = null,
  signalStatus: number | null = null,
): number {
  const status = exitStatusOf(totals, stop, signalStatus, cutOver, verification)
  return stop !== null && (status === 0 || status === SOME_LEFT) ? STOPPED : status
}

/** Rows in doubt of whose customers the service last listed nothing. */
export function absentOf(reader: LedgerReader, { absentAfterMs }: Pick<Settings, 'absentAfterMs'>) {
  // Proposed to be sent again; to be asked about once more; with no registered row shown; begun for others.
  let [proposed, waiting, nothingPresent, begunOtherwise] = [0, 0, 0, 0]
  // From when one question is enough for all that wait.
  let askFrom: string | null = null
  // One by one: after --all-in-doubt they may be a million.
  for (const { absence } of absences(reader, absentAfterMs)) {
    if (absence.kind === 'resend') proposed += 1
    if (absence.kind === 'nothing_present') nothingPresent += 1
    if (absence.kind === 'begun_otherwise') begunOtherwise += 1
    if (!('from' in absence)) continue
    waiting += 1
    if (askFrom === null || absence.from > askFrom) askFrom = absence.from
  }
  return { proposed, waiting, askFrom, nothingPresent, begunOtherwise }
}

export function absentLines(absent: ReturnType<typeof absentOf>): string[] {
  const { proposed, waiting, askFrom, nothingPresent, begunOtherwise } = absent
  return said([
    proposedText(proposed),
    waiting > 0 &&
      `${rowsAre(waiting)} absent so far: ask again from ${timeText(askFrom)} (sepa-migrate resolve --ask).`,
    nothingPresent > 0 &&
      `${rowsAre(nothingPresent)} absent, and no registered row was shown with it: if there are any, sepa-migrate verify shows whether this is the right place to ask; else look them up at the service.`,
    begunOtherwise > 0 &&
      `${rowsAre(begunOtherwise)} absent, and ${begunOtherwise === 1 ? 'was begun for another customer or date than it has' : 'were begun for other customers or dates than they have'}: no resend is proposed; ask the service about ${begunOtherwise === 1 ? 'that one' : 'those'}.`,
  ])
}

const proposedText = (count: number): string | false =>
  count > 0 &&
  `${rowsAre(count)} absent for long enough: to-do/in-doubt.csv proposes resend with the evidence, for a person to decide.`

const rowsAre = (count: number): string => plural(count, 'row in doubt is', 'rows in doubt are')

/**
 * Told once a ledger was closed that had accounts removed: a program that reads it (a viewer, a backup) keeps the
 * write-ahead log from being emptied. Opening it for writing and closing it again finishes that.
 */
export const oldPages = (ledger: Pick<Ledger, 'holdsOldPages' | 'file'>): string[] =>
  said([
    ledger.holdsOldPages() &&
      `Another program is reading the ledger, or its disk is full, so account numbers of registered rows may still stand in "${ledger.file}-wal". ` +
        'Close that program or make room, then finish with: sepa-migrate run --no-report   (sends nothing where nothing is ready)',
  ])

/** What this command writes elsewhere: its log, and the folder of a report. */
export function outputsOf({ settings }: Context, out: string | null): WrittenPath[] {
  const logFile = settings.get('logFile')
  return said([
    logFile !== null && ({ kind: 'log', path: logFile } as const),
    out !== null && ({ kind: 'report', path: out } as const),
  ])
}

/** Notes it beside the ledger, so that a purge can name it. */
export function noteOutputs(context: Context, out: string | null): void {
  const { ledger } = context.settings
  if (!existsSync(ledger)) return
  tellNotNoted(
    context,
    outputsOf(context, out).filter((output) => !noteWritten(ledger, output)),
  )
}

export function tellNotNoted({ progress }: Context, outputs: readonly WrittenPath[]): void {
  for (const { path } of outputs)
    progress.note(
      `Cannot note beside the ledger that this command writes to "${shownPath(path)}": purge will not name it, so remember it`,
    )
}
