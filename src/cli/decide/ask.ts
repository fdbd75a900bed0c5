import { VERDICTS, type VerdictKind } from '../../domain/proof/evidence.js'
import { checkCreditorIdentifier } from '../../domain/value/identifiers.js'
import { UsageError } from '../../errors.js'
import type { Resolution } from '../../ledger/ledger.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import type { Scope } from '../../ledger/schema/schema.js'
import type { ReadBackEnd } from '../../migrate/read-back.js'
import { absentLines, absentOf, OLDER_STATUS } from '../closing.js'
import { lookInto, sameFlags, type Context } from '../command.js'
import { askedDetails, askedLine, askService, statusAfter, unprovenLines } from '../prove/verify.js'
import { nextLine } from '../terminal/next.js'
import { askText, canAsk, toned, type Line } from '../terminal/world.js'
import { worded, type CommandResult } from '../terminal/result.js'
import { decideFromReadBack, type ReadBackDecisions } from '../../decisions/reconcile.js'
import { countText, plural, said } from '../../domain/text/text.js'

export const SCOPES: ReadonlyMap<string, Scope> = new Map([
  ['in-doubt', 'in_doubt'],
  ['registered', 'registered'],
  ['ready', 'ready'],
  ['all', 'all'],
])

export interface AskedAboutDoubts {
  /** How it ends where nothing is to be recorded. */
  readonly result: CommandResult
  /** What is proven; empty where nothing is, or the service did not answer to the end. */
  readonly resolutions: readonly Resolution[]
  /** Nobody said yes: what would be recorded is shown. */
  readonly isShownOnly: boolean
}

/**
 * `resolve --ask`: asks the service about the rows in doubt, and has what is proven recorded by a yes. Presence is proof;
 * absence proves nothing by itself.
 * @throws {UsageError} beside another way to decide
 */
export async function askAboutDoubts(context: Context): Promise<AskedAboutDoubts> {
  const { world, settings } = context
  const creditor = creditorIn(context)
  const scope = SCOPES.get(context.text('of') ?? 'in-doubt') ?? 'in_doubt'
  const end = await askService(context, { scope, sample: context.sample() })
  const { isProposed, ...asked } = await conclude(context, end)
  const decider = { by: context.actor(), reason: context.text('reason')?.trim() ?? 'read back' }
  const { resolutions, ...open } = await lookInto(settings, (reader) =>
    decideFromReadBack(reader, decider, settings.absentAfterMs, creditor),
  )
  const lines = [...asked.lines, ...leftOpenLines(open)]
  const ended = (...more: readonly Line[]): AskedAboutDoubts => ({
    result: { ...asked, lines: [...lines, ...more] },
    resolutions: [],
    isShownOnly: false,
  })
  if (end.stop !== null)
    return ended(
      [toned('open', 'Stopped early'), `: ${end.stop.why}.`],
      `${worded(end.stop).next}.`,
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

const conclude = (context: Context, end: ReadBackEnd) =>
  lookInto(context.settings, (reader) => {
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
  })

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
    [toned('strong', `Rows ${state.replace('_', ' ')}, as they were last read back:`)],
    ...VERDICTS.flatMap((verdict): Line[] => {
      const count = proofs.find((each) => each.state === state && each.verdict === verdict)?.count ?? 0
      return count === 0 ? [] : [`  ${countText(count)} ${WORDS[verdict]}`]
    }),
  ])
}

const MOST_SHOWN = 20

/** What stays in doubt, and why; the first of them row by row. */
function leftOpenLines({ leftOpen, notAsked }: Omit<ReadBackDecisions, 'resolutions'>): string[] {
  const more = leftOpen.length - MOST_SHOWN
  return said([
    ...leftOpen.slice(0, MOST_SHOWN).map(({ rowId, why }) => `Row ${rowId} stays in doubt: ${why}.`),
    more > 0 && `${countText(more)} more stay in doubt.`,
    notAsked > 0 &&
      `${plural(notAsked, 'row', 'rows')} in doubt ${notAsked === 1 ? 'was' : 'were'} not read back since the last request: sepa-migrate resolve --ask asks.`,
  ])
}
