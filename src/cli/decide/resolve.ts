import { readDecision, readDecisions } from '../../decisions/read-decisions.js'
import { upperCase, plural } from '../../domain/text/text.js'
import { UsageError } from '../../errors.js'
import type { Ledger } from '../../ledger/file/writer.js'
import type { Resolution, ResolutionReport } from '../../ledger/ledger.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { askText, canAsk } from '../terminal/world.js'
import { closingAt, olderOf, oldPages, setAsideLines, correctionsLeft } from '../closing.js'
import { lookInto, decideIn, type Command, type Context } from '../command.js'
import { sharedFiles } from '../../trust/entry.js'
import { ASK_OPTIONS, SAMPLE_FLAG } from '../prove/verify.js'
import { EXITS, usual } from '../settings/declared.js'
import { nextLine, sameResolve, type NextCommand } from '../terminal/next.js'
import { statusResult, worded, type CommandResult } from '../terminal/result.js'
import { compareWith, rejectionsOf } from './against.js'
import { askAboutDoubts, SCOPES } from './ask.js'

export const resolveCommand: Command = {
  usage: 'resolve',
  summary: 'decide about rows in doubt, one by one or from a list',
  examples: [
    'sepa-migrate resolve --ask --dry-run',
    'sepa-migrate resolve --from sepa-migrate-report/to-do/in-doubt.csv --dry-run',
    'sepa-migrate resolve --row 17 --row 18 --as written-off --reason "left the association"',
  ],
  options: [...ASK_OPTIONS, 'yes'],
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
    ['--of <rows>', 'with --ask: whose customers are asked about (default in-doubt)', [...SCOPES.keys()]],
    SAMPLE_FLAG,
    ['--against <file>', 'compare with a list exported from the service'],
    ['--apply', 'with --against: record the resolution of each row in doubt that the list proves'],
    ['--dry-run', 'say what would be recorded; record nothing'],
    [
      '--force',
      'allow a resend (nothing else) that may register twice: within 15 minutes of the attempt, or beside a registered row with the same customer, account and date; asks for the reference',
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
    'resend       the service does not hold it: send it once more. Only this can debit twice if it is wrong',
    'written-off  closed without an answer; it is never sent again. Also for rows that are ready, refused, invalid,',
    '             in conflict or excluded',
    'done         of a line of cut-over.csv: what it names was done at the service; the row stays as it is',
    '',
    'All decisions of one command are recorded together, or none.',
    '',
    'A list of --against is a CSV with customer_no, iban (masked or not), signed_date, sepa_creditor_identifier and',
    'unique_mandate_reference as the service assigned them, and original_mandate_reference where there is one. A row',
    'is proven by its whole account or its original reference, and only where nothing else could be meant. Rows that',
    'the list does not show stay in doubt: only you know whether it is complete and newer than the attempt.',
  ],
  exits: {
    ...EXITS.standing,
    2: 'nothing was recorded',
    3: 'the list and the ledger differ, or some rows are invalid, in conflict or refused',
    5: 'stopped early, or ready rows remain',
    ...usual(6, 7, 130, 143),
  },
  json: ['resolutions', 'isApplied', 'reconciliation', 'stop', 'readBack', 'proofs', 'absent'],
  run: async (context) => {
    const files = ['from', 'against'].flatMap((name) => context.text(name) ?? [])
    const shared = sharedFiles(files)
    const result = await resolve(context)
    return { ...result, warnings: [...shared, ...(result.warnings ?? [])] }
  },
}

export async function resolve(context: Context): Promise<CommandResult> {
  const against = context.text('against')
  if (against !== null) return compareWith(context, against)
  const asked = context.flag('ask') ? await askAboutDoubts(context) : null
  if (asked?.resolutions.length === 0) return asked.result
  const resolutions = asked?.resolutions ?? (await readResolutions(context))
  if (resolutions.length === 0) return noneFilledIn(context)
  const { ledger, result } = await decideIn(context, async (ledger) => {
    const dryRun = context.flag('dryRun') || asked?.isShownOnly === true
    const force = context.flag('force') || context.texts('yesResend').length > 0
    if (force) await confirmForced(context, ledger.view, ledger.resolve(resolutions, { dryRun: true }))
    const report = ledger.resolve(resolutions, { dryRun, force })
    const from = context.text('from')
    const waiting = from === null ? [] : await correctionsLeft(context, from)
    return { ledger, result: conclude(context, ledger, report, { dryRun, waiting }) }
  })
  const { campaign = result.campaign, lines = [], details } = asked?.result ?? {}
  return {
    ...result,
    campaign,
    warnings: [...result.warnings, ...oldPages(ledger)],
    lines: [...lines, ...result.lines],
    details: { ...details, ...result.details },
  }
}

/** A file as the report wrote it: nobody has decided anything yet, which a look may say without being an error. */
function noneFilledIn(context: Context): Promise<CommandResult> {
  const file = context.text('from') ?? ''
  const next = 'Fill in migration_decision and migration_reason for the rows you know about'
  if (!context.flag('dryRun'))
    throw new UsageError(`"${file}" holds no decision`, `${next}; nothing was recorded`)
  return lookInto(context.settings, (reader) => ({
    ...statusResult(context.settings.ledger, reader),
    lines: [`"${file}" holds no decision yet. ${next}.`, ...closingAt(context, reader)],
    details: { resolutions: [], isApplied: false },
  }))
}

async function readResolutions(context: Context): Promise<readonly Resolution[]> {
  const from = context.text('from')
  const rows = context.texts('row')
  if ((from === null) === (rows.length === 0))
    throw new UsageError(
      'Give either --row or --from',
      'sepa-migrate resolve --help shows both; nothing was recorded',
    )
  const by = context.actor()
  if (from === null) return readTyped(context, rows, by)
  const typed = ['as', 'reason', 'assignedCreditorIdentifier', 'assignedMandateReference']
  if (typed.some((name) => context.text(name) !== null))
    throw new UsageError(
      'With --from, decisions and reasons stand in the file',
      'Fill in its columns, or give --row with --as and --reason; nothing was recorded',
    )
  return lookInto(context.settings, (reader) => readDecisions(reader, from, by))
}

function readTyped(context: Context, rows: readonly string[], by: string): readonly Resolution[] {
  const reason = context.text('reason')?.trim() ?? ''
  const odd = rows.find((row) => !/^[1-9]\d{0,14}$/.test(row))
  if (odd !== undefined)
    throw new UsageError(`"${odd}" is not a row`, 'Give the number in migration_row; nothing was recorded')
  if (reason === '')
    throw new UsageError('There is no reason', 'Say with --reason how you know; it is kept with the decision')
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

function conclude(
  context: Context,
  ledger: Ledger,
  report: ResolutionReport,
  { dryRun, waiting }: { readonly dryRun: boolean; readonly waiting: readonly string[] },
) {
  const standing = statusResult(context.settings.ledger, ledger.view)
  const from = context.text('from')
  const errors = rejectionsOf(report)
  const lines = report.results.flatMap((result) =>
    result.kind === 'resolved'
      ? [`Row ${result.rowId}: ${result.from} → ${result.to}${report.isApplied ? '' : ' (not recorded)'}`]
      : [],
  )
  return {
    ...standing,
    exitCode: errors.length > 0 ? 2 : standing.exitCode,
    errors,
    warnings: [...olderOf(context.world, ledger.view).warnings, ...waiting],
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
            ...(dryRun ? [nextLine(context, again(context))] : closingAt(context, ledger.view)),
          ]),
    ],
    details: {
      resolutions: report.results.map((result) => (result.kind === 'rejected' ? worded(result) : result)),
      isApplied: report.isApplied,
    },
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
  const mustSay = context.flag('ask') && !canAsk(context.world)
  return { name, words: mustSay ? [...words, '--yes'] : words }
}
