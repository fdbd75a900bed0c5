import { readDecision, readDecisions } from '../../decisions/read-decisions.js'
import { decideFromReadBack, type Difference, reconcile } from '../../decisions/reconcile.js'
import { VERDICTS, type VerdictKind } from '../../domain/proof/match-sources.js'
import { SOME_LEFT, stateName } from '../../domain/row/row-state.js'
import { countText, plural, said, upperCase } from '../../domain/text/text.js'
import { checkCreditorIdentifier } from '../../domain/value/identifiers.js'
import { UsageError } from '../../errors.js'
import type { Ledger } from '../../ledger/file/writer.js'
import type { Resolution } from '../../ledger/ledger.js'
import type { ResolutionReport } from '../../ledger/decide/resolution.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import type { ReadBackEnd } from '../../migrate/ask.js'
import type { Scope } from '../../ledger/schema/schema.js'
import { sharedFiles } from '../../trust/trusted-file.js'
import { absentLines, absentOf, campaignStatus, OLDER_STATUS, oldPages, setAsideLines } from '../closing.js'
import {
  type Command,
  type Context,
  decideIn,
  inputOf,
  lookInto,
  sameFlags,
  type CommandResult,
  resultOfError,
} from '../command.js'
import {
  askedDetails,
  askedLine,
  askService,
  doubtedText,
  SAMPLE_FLAG,
  statusAfter,
  unprovenLines,
} from './verify.js'
import { ASK_SETTINGS, EXITS, oneOf, usual } from '../settings/declared.js'
import { commandLine, nextLine, sameResolve, sender, type NextCommand } from '../terminal/next.js'
import { askText, canAsk, type Line, toned } from '../terminal/world.js'

const SCOPES = ['in-doubt', 'registered', 'ready', 'all'] as const

const scopeNamed = (name: string | null): Scope =>
  oneOf(SCOPES)
    .read(name ?? SCOPES[0], '--of')
    .replace('-', '_') as Scope

export const resolveCommand: Command = {
  usage: 'resolve',
  summary: 'decide about rows in doubt, one by one or from a list',
  examples: [
    'sepa-migrate resolve --ask --dry-run',
    'sepa-migrate resolve --from sepa-migrate-report/to-do/in-doubt.csv --dry-run',
    'sepa-migrate resolve --row 17 --row 18 --as written-off --reason "left the association"',
  ],
  options: [...ASK_SETTINGS, 'yes'],
  own: [
    ['--row <id...>', 'the row, as migration_row in in-doubt.csv; several are decided alike'],
    ['--as <decision>', 'what the row becomes', ['registered', 'refused', 'resend', 'written-off', 'done']],
    ['--reason <text>', 'why; kept for good'],
    ['--assigned-creditor-identifier <x>', 'for registered: what the service assigned'],
    ['--assigned-mandate-reference <y>', 'for registered: what the service assigned'],
    ['--by <name>', 'who decided (default: the user)'],
    [
      '--from <file>',
      'in-doubt.csv or cut-over.csv filled in; or another file of the pack, to write rows off',
    ],
    ['--ask', 'ask the service what it holds, and record what is proven, with a yes or --yes'],
    ['--of <rows>', 'with --ask: whose customers are asked about (default in-doubt)', SCOPES],
    SAMPLE_FLAG,
    ['--against <file>', 'compare with a list exported from the service'],
    [
      '--apply',
      'with --against: record each row as registered that is in doubt, or could be sent, and that the list proves',
    ],
    ['--dry-run', 'say what would be recorded; record nothing'],
    [
      '--force',
      'allow a resend (nothing else) that may register twice: within 15 minutes of the attempt, although the service showed it, or beside a registered row with the same customer, account and date; asks for the reference',
    ],
    [
      '--yes-resend <reference...>',
      'the same without a question, for the rows with these mandate references',
    ],
  ],
  epilogue: [
    '--ask sends nothing, and the program sends no row again because of what it read: sepa-migrate help read-back.',
    '',
    'registered   the service holds it: give both assigned identifiers',
    'refused      the service does not hold it and said no; after 15 minutes, as an earlier look proves nothing',
    'resend       the service does not hold it: send it once more. This can debit twice if it is wrong,',
    '             and so can a wrong "refused" before run --retry-refused',
    'written-off  closed without an answer; it is never sent again. Also for rows that are ready, refused, invalid,',
    '             in conflict or excluded',
    'done         of a line of cut-over.csv: what it names was done at the service; the row stays as it is',
    '',
    'All decisions of one command are recorded together, or none.',
    '',
    'A list of --against is a CSV with customer_no, iban (masked or not), signed_date, sepa_creditor_identifier and',
    'unique_mandate_reference as the service assigned them; original_mandate_reference, and status or cancelled_at of',
    'what was cancelled, where there are any. A row is proven by its whole account or its original reference, and only',
    'where nothing else could be meant. Rows that the list does not show stay in doubt: only you know whether it is',
    'complete and newer than the attempt. What it shows is kept as what is read back, with --apply or without; what',
    'could still be sent and is shown is in doubt then.',
  ],
  exits: {
    ...EXITS.standing,
    2: 'nothing was recorded',
    3: 'the list and the ledger differ, or some rows are invalid, in conflict, refused or held',
    5: 'stopped early, or ready rows remain',
    ...usual(6, 7, 130, 143),
  },
  run: async (context) => {
    const files = ['from', 'against'].flatMap((name) => context.text(name) ?? [])
    const shared = sharedFiles(files)
    const result = await resolve(context)
    return { ...result, warnings: [...shared, ...(result.warnings ?? [])] }
  },
}

/** Decisions to record, and what is said of where they come from. */
interface ToRecord {
  /** Empty where nothing is to be recorded: then `result` says how it ends. */
  readonly resolutions: readonly Resolution[]
  /** Nobody said yes: what would be recorded is shown. */
  readonly isShownOnly?: boolean
  /** The list and the ledger differ, whatever is recorded. */
  readonly isDifferent?: boolean
  /** What a workbook holds for a run. Until that took it in, it stays where it is. */
  readonly waiting?: readonly string[]
  readonly result?: CommandResult
}

export async function resolve(context: Context): Promise<CommandResult> {
  const list = context.text('against')
  const isAsked = context.flag('ask')
  const found = await (list !== null
    ? compareWith(context, list)
    : isAsked
      ? askAbout(context)
      : given(context))
  const { resolutions, isShownOnly = false, isDifferent = false, waiting = [], result: before = {} } = found
  if (resolutions.length === 0) return before
  const { ledger, result } = await decideIn(
    context,
    async (ledger) => {
      const dryRun = context.flag('dryRun') || isShownOnly
      const force = context.flag('force') || context.texts('yesResend').length > 0
      if (force) await confirmForced(context, ledger.view, ledger.resolve(resolutions, { dryRun: true }))
      const report = ledger.resolve(resolutions, { dryRun, force })
      return { ledger, result: await conclude(context, ledger, report, { dryRun, waiting }) }
    },
    { ofLatest: true },
  )
  const { lines = [], details } = before
  return {
    ...result,
    exitCode: result.exitCode === 0 && isDifferent ? SOME_LEFT : result.exitCode,
    warnings: [...result.warnings, ...oldPages(ledger)],
    lines: [...lines, ...result.lines],
    details: { ...details, ...appliedIn(details, result.details.isApplied), ...result.details },
  }
}

/** What a list proves says itself whether it was recorded. */
const appliedIn = (details: CommandResult['details'], isApplied: boolean) =>
  details?.['reconciliation'] === undefined
    ? {}
    : { reconciliation: { ...(details['reconciliation'] as object), isApplied } }

/** What was typed, or filled in: a file as the report wrote it is no error to look at. */
async function given(context: Context): Promise<ToRecord> {
  const found = await readResolutions(context)
  if (found.resolutions.length > 0) return found
  const file = context.text('from') ?? ''
  const next = 'Fill in migration_decision and migration_reason for the rows you know about'
  if (!context.flag('dryRun'))
    throw new UsageError(`"${file}" holds no decision`, `${next}; nothing was recorded`)
  const result = await lookInto(context.settings, async (reader) => {
    const { decided, closing } = campaignStatus(context, reader)
    const lines = [`"${file}" holds no decision yet. ${next}.`, ...(await closing())]
    return { ...decided, lines, details: { resolutions: [], isApplied: false } }
  })
  return { ...found, result }
}

async function readResolutions(context: Context): Promise<ToRecord> {
  const from = context.text('from')
  const rows = context.texts('row')
  if ((from === null) === (rows.length === 0))
    throw new UsageError(
      'Give either --row or --from',
      'sepa-migrate resolve --help shows both; nothing was recorded',
    )
  const by = context.actor()
  if (from === null) return { resolutions: readTyped(context, rows, by) }
  const typed = ['as', 'reason', 'assignedCreditorIdentifier', 'assignedMandateReference']
  if (typed.some((name) => context.text(name) !== null))
    throw new UsageError(
      'With --from, decisions and reasons stand in the file',
      'Fill in its columns, or give --row with --as and --reason; nothing was recorded',
    )
  const read = await lookInto(context.settings, (reader) => readDecisions(reader, from, by))
  const counts = read.corrections.map(
    ({ sheet, count }) => `the sheet ${sheet} has ${plural(count, 'correction', 'corrections')}`,
  )
  const command = commandLine(context, { name: sender(context), files: [from] })
  const waiting = `In "${from}" ${counts.join(' and ')} that this command does not take: ${command}`
  return { resolutions: read.resolutions, waiting: counts.length === 0 ? [] : [waiting] }
}

function readTyped(context: Context, rows: readonly string[], by: string): readonly Resolution[] {
  const odd = rows.find((row) => !/^[1-9]\d{0,14}$/.test(row))
  if (odd !== undefined)
    throw new UsageError(`"${odd}" is not a row`, 'Give the number in migration_row; nothing was recorded')
  const reason = context.reason('how you know; it is kept with the decision')
  const creditorIdentifier = context.text('assignedCreditorIdentifier')
  const mandateReference = context.text('assignedMandateReference')
  return rows.map((row) => ({
    rowId: Number(row),
    decision: readDecision(context.text('as') ?? ''),
    reason,
    by,
    assigned:
      creditorIdentifier === null && mandateReference === null
        ? null
        : { creditorIdentifier: creditorIdentifier ?? '', mandateReference: mandateReference ?? '' },
    evidence: null,
    attempt: null,
  }))
}

async function conclude(
  context: Context,
  ledger: Ledger,
  report: ResolutionReport,
  { dryRun, waiting }: { readonly dryRun: boolean; readonly waiting: readonly string[] },
) {
  const { decided: ended, closing } = campaignStatus(context, ledger.view)
  const from = context.text('from')
  const errors = report.results.flatMap((result) =>
    result.kind === 'rejected' ? [{ kind: 'decision', message: result.message, next: result.next }] : [],
  )
  const lines = report.results.flatMap((result) =>
    result.kind === 'resolved'
      ? [`Row ${result.rowId}: ${result.from} → ${result.to}${report.isApplied ? '' : ' (not recorded)'}`]
      : [],
  )
  return {
    ...ended,
    exitCode: errors.length > 0 ? 2 : ended.exitCode,
    errors,
    warnings: [...ended.warnings, ...waiting],
    lines: [
      ...lines,
      ...(errors.length > 0
        ? ['Nothing was recorded, because at least one decision cannot be taken.']
        : [
            dryRun
              ? 'Dry run: nothing was recorded.'
              : `${plural(report.results.length, 'decision', 'decisions')} recorded.`,
            ...(dryRun || from === null || waiting.length > 0 ? [] : setAsideLines([from])),
            ...planNeededLines(context, report),
            ...(dryRun ? [nextLine(context, again(context))] : await closing()),
          ]),
    ],
    details: { resolutions: report.results, isApplied: report.isApplied },
  }
}

/** A row that may go out once more goes under a plan that was made after the decision, where plans are required. */
function planNeededLines({ settings }: Context, { results }: ResolutionReport): string[] {
  const again = results.filter((result) => result.kind === 'resolved' && result.to === 'ready').length
  if (again === 0 || settings.get('approval') === null) return []
  return [
    `${plural(again, 'row leaves', 'rows leave')} only under a plan that is made and approved after this decision; earlier plans do not hold ${again === 1 ? 'it' : 'them'}.`,
  ]
}

/**
 * Has the reference typed of each row that would go out once more although it may be at the service.
 * @throws {UsageError} where one is missing; nothing was recorded
 */
export async function confirmForced(
  context: Context,
  view: Pick<LedgerReader, 'row'>,
  { results }: ResolutionReport,
): Promise<void> {
  const given = new Set(context.texts('yesResend').map(upperCase))
  for (const result of results) {
    if (result.kind !== 'rejected' || result.isRiskyResend !== true) continue
    const row = view.row(result.rowId)
    if (row === null) throw new Error(`Row ${result.rowId} is not there`)
    const reference = upperCase(row.originalMandateReference ?? '')
    if (given.has(reference)) continue
    const { customerNo, ibanMasked, signedDate } = row
    const typed = canAsk(context.world)
      ? await askText(
          context.world,
          `Row ${result.rowId} (customer ${customerNo ?? ''}, ${ibanMasked ?? ''}, signed ${signedDate ?? ''}) may be registered twice. ${result.message}. Type its mandate reference to send it all the same`,
        )
      : null
    if (typed === null || upperCase(typed) !== reference)
      throw new UsageError(
        `${result.message}, and its mandate reference was not typed`,
        `${result.next}; or pass --yes-resend with the reference of each such row. Nothing was recorded`,
      )
  }
}

/** Who cannot be asked says yes beforehand. */
function again(context: Context): NextCommand {
  const { name, words = [] } = sameResolve(context)
  const mustSay = context.flag('ask') && !canAsk(context.world) ? ['--yes'] : []
  return { name, words: [...words, ...mustSay, ...(context.text('against') === null ? [] : ['--apply'])] }
}

/**
 * `resolve --ask`: asks the service about the rows in doubt, and has what is proven recorded by a yes. Presence is proof;
 * absence proves nothing by itself.
 * @throws {UsageError} beside another way to decide
 */
async function askAbout(context: Context): Promise<ToRecord> {
  const { world, settings } = context
  const creditor = creditorIn(context)
  const scope = scopeNamed(context.text('of'))
  const end = await askService(context, { scope, sample: context.sample() })
  const { isProposed, ...asked } = await lookInto(settings, (reader) => askedStatus(context, reader, end))
  const decider = { by: context.actor(), reason: context.text('reason')?.trim() ?? 'read back' }
  const { resolutions, ...open } = await lookInto(settings, (reader) =>
    decideFromReadBack(reader, decider, settings.absentAfterMs, creditor),
  )
  const lines = [...asked.lines, ...leftOpenLines(open)]
  const ended = (...more: readonly Line[]): ToRecord => ({
    result: { ...asked, lines: [...lines, ...more] },
    resolutions: [],
  })
  if (end.stop !== null)
    return ended(
      [toned('open', 'Stopped early'), `: ${end.stop.why}.`],
      `${end.stop.next}.`,
      nextLine(context, { name: 'resolve --ask', words: sameFlags(context, ['of', 'sample']) }),
    )
  if (asked.exitCode === OLDER_STATUS) return ended()
  if (resolutions.length === 0) {
    const next = isProposed ? [nextLine(context, { name: 'report' })] : []
    return ended('Nothing in doubt is proven; nothing was recorded.', ...next)
  }
  const result = { ...asked, lines }
  if (context.flag('dryRun') || (settings.get('yes') ?? false))
    return { result, resolutions, isShownOnly: context.flag('dryRun') }
  if (!canAsk(world)) return { result, resolutions, isShownOnly: true }
  for (const line of lines) world.stderr.print(line)
  const question = `Type y to record ${plural(resolutions.length, 'row', 'rows')} as registered`
  const answer = await askText(world, question)
  return { result: { ...asked, lines: [] }, resolutions, isShownOnly: answer?.toLowerCase() !== 'y' }
}

/** The identifier that was typed for what is proven. @throws {UsageError} */
function creditorIn(context: Context): string | null {
  const others = ['from', 'as', 'assignedMandateReference', 'against']
  if (context.texts('row').length > 0 || others.some((name) => context.text(name) !== null))
    throw new UsageError(
      'With --ask the evidence in the ledger decides',
      'Give only --of, --sample, --reason, --by, --dry-run and --assigned-creditor-identifier beside it; nothing was recorded',
    )
  const creditor = context.text('assignedCreditorIdentifier')?.trim() ?? null
  if (creditor === null || checkCreditorIdentifier(creditor).usable) return creditor
  throw new UsageError(
    `"${creditor}" is no creditor identifier`,
    'Give the one that the service assigned, as registered.csv of any earlier report shows it; nothing was recorded',
  )
}

function askedStatus(context: Context, reader: LedgerReader, end: ReadBackEnd) {
  const { status, result, unproven } = statusAfter(context, reader, end)
  const proofs = reader.proofCounts()
  const absent = absentOf(reader, context.settings)
  return {
    ...result,
    lines: [
      askedLine(end),
      ...proofLines(proofs),
      ...absentLines(absent),
      ...unprovenLines(status.verification, unproven),
    ],
    details: { ...askedDetails(end), proofs, absent },
    isProposed: absent.proposed > 0,
  }
}

type Proofs = ReturnType<LedgerReader['proofCounts']>

const WORDS: Readonly<Record<VerdictKind, string>> = {
  proven: 'proven: the service holds it, once',
  twice: 'twice: the service holds more than one; a person should cancel all but one',
  absent: 'absent: the customer has no payment source there',
  other: 'other: the customer has some, and none is certainly this mandate',
  unreadable: 'unreadable: no list came, or one that cannot be compared',
}

/** Rows by state and verdict, whoever asked when. */
function proofLines(proofs: Proofs): Line[] {
  const states = [...new Set(proofs.map(({ state }) => state))]
  return states.flatMap((state): Line[] => [
    [toned('strong', `Rows ${stateName(state)}, as they were last read back:`)],
    ...VERDICTS.flatMap((verdict): Line[] => {
      const count = proofs.find((each) => each.state === state && each.verdict === verdict)?.count ?? 0
      return count === 0 ? [] : [`  ${countText(count)} ${WORDS[verdict]}`]
    }),
  ])
}

const MOST_SHOWN = 20

/** What stays in doubt, and why; the first of them row by row. */
function leftOpenLines({
  leftOpen,
  notAsked,
}: Omit<ReturnType<typeof decideFromReadBack>, 'resolutions'>): string[] {
  const more = leftOpen.length - MOST_SHOWN
  return said([
    ...leftOpen.slice(0, MOST_SHOWN).map(({ rowId, why }) => `Row ${rowId} stays in doubt: ${why}.`),
    more > 0 && `${countText(more)} more stay in doubt.`,
    notAsked > 0 &&
      `${plural(notAsked, 'row', 'rows')} in doubt ${notAsked === 1 ? 'was' : 'were'} not read back since the last request: sepa-migrate resolve --ask asks.`,
  ])
}

const DIFFERENCES_SHOWN = 50

/** `resolve --against`: the ledger beside a list that was exported from the service. */
const compareWith = (context: Context, list: string): Promise<ToRecord> =>
  decideIn(context, async ({ view: reader, readBacks, totals }) => {
    const { signals } = context.world
    const { inDoubt } = totals()
    try {
      const found = await reconcile(reader, inputOf(context, list), context.actor(), signals.drain)
      const { listed, matched, differences, proposals, isElsewhere, kept } = found
      // Looking is evidence; after a purge there is nothing left to compare with the next one.
      if (reader.campaign().purgedAt === null) readBacks.keepList(kept, context.world)
      const doubted = totals().inDoubt - inDoubt
      const count = (kind: Difference['kind']): number =>
        differences.filter((one) => one.kind === kind).length
      const counts = {
        listed,
        matched,
        missingThere: count('missing_there'),
        unknownHere: count('unknown_here'),
        differs: count('differs'),
        proposals: proposals.length,
        stillInDoubt: count('still_in_doubt'),
      }
      const told = { differences: differences.map(({ text: _, ...each }) => each), proposed: proposals }
      const reconciliation = { ...counts, isApplied: false, ...told }
      const { decided: ended, closing } = campaignStatus(context, reader)
      const isRefused = isElsewhere && context.flag('apply')
      const isDifferent = counts.missingThere + counts.unknownHere + counts.differs > 0
      const lines = said([
        `The list has ${plural(listed, 'mandate', 'mandates')}: ${matched} as here, ${counts.differs} different, ${counts.unknownHere} unknown here.`,
        `Missing there: ${plural(counts.missingThere, 'registered row', 'registered rows')}.`,
        doubted > 0 && doubtedText(doubted),
        isElsewhere && !isRefused && `${ELSEWHERE.message}. ${ELSEWHERE.next}.`,
        ...proposals.map(({ rowId, reason }) => `Row ${rowId} is proven. ${reason}`),
        ...differences.slice(0, DIFFERENCES_SHOWN).map(({ text }) => text),
        differences.length > DIFFERENCES_SHOWN &&
          `… and ${differences.length - DIFFERENCES_SHOWN} more (all of them with --json)`,
      ])
      const result = {
        ...ended,
        exitCode: isRefused ? 2 : ended.exitCode === 0 && isDifferent ? SOME_LEFT : ended.exitCode,
        errors: isRefused ? [ELSEWHERE] : [],
        lines: proposals.length > 0 ? lines : [...lines, ...(await closing())],
        details: { reconciliation },
      }
      return { resolutions: proposals, isShownOnly: !context.flag('apply'), isDifferent, result }
    } catch (error) {
      const result = { ...resultOfError(error, signals.exitStatus()), totals: reader.totals() }
      return { resolutions: [], result }
    }
  })

const ELSEWHERE = {
  kind: 'usage',
  message:
    'The list shows no registered row as it is here, so it may be of another environment, and proves nothing',
  next: 'Export the list from the service of this campaign, with all its mandates, and lay that beside the ledger; or decide what you looked up there yourself (sepa-migrate resolve --row N --as registered, with both identifiers)',
}
