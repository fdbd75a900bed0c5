import { decideFromReadBack, type ReadBackDecisions } from '../../decisions/reconcile.js'
import { VERDICTS, type VerdictKind } from '../../domain/proof/evidence.js'
import { countText, plural } from '../../domain/text/wording.js'
import { openLedgerReader } from '../../ledger/read/open-reader.js'
import type { LedgerReader } from '../../ledger/read/reader.js'
import type { Scope } from '../../ledger/schema/schema.js'
import type { ReadBackEnd } from '../../migrate/read-back.js'
import { ownText, type Command, type Context, actorOf, ownTexts, lookInto } from '../command.js'
import { nextLine } from '../terminal/next.js'
import { emptyResult, type CommandResult, worded } from '../terminal/result.js'
import {
  ASK_EXITS,
  ASK_OPTIONS,
  askedLine,
  askService,
  SAMPLE_FLAG,
  sameFlags,
  sampleOf,
  unprovenLines,
  unprovenRows,
} from './asking.js'
import { OLDER_STATUS, olderOf, standingWith, verificationIn, absentLines, absentOf } from '../closing.js'
import { UsageError } from '../../errors.js'
import { type Line, toned } from '../terminal/world.js'
import { checkCreditorIdentifier } from '../../domain/value/identifiers.js'

const SCOPES: Readonly<Record<string, Scope>> = {
  'in-doubt': 'in_doubt',
  registered: 'registered',
  ready: 'ready',
  all: 'all',
}

export const readBackCommand: Command = {
  usage: 'read-back',
  summary: 'ask the service what it holds of the customers in doubt, and keep the answers as evidence',
  examples: [
    'sepa-migrate read-back --read-back',
    'sepa-migrate read-back --read-back --of registered --sample 500 --rate 5',
  ],
  options: ASK_OPTIONS,
  own: [
    ['--of <rows>', 'whose customers are asked about (default in-doubt)', Object.keys(SCOPES)],
    SAMPLE_FLAG,
  ],
  epilogue: [
    'It sends nothing and changes the state of no row. Presence is proof; absence proves nothing by itself, and the',
    'program sends no row again because of it. What is proven, `resolve --from-read-back` records.',
    'The contract of the service does not promise that it can be asked: find out at its test environment, and',
    '--read-back or service.readBack in the configuration says so.',
    'One that was broken off within the last day is gone on with; a sample is drawn anew.',
  ],
  exits: {
    ...ASK_EXITS,
    4: 'rows are in doubt, or a registered row is not shown exactly once (outranks 3 and 5)',
    5: 'stopped early, or ready rows remain',
  },
  json: ['stop', 'readBack', 'proofs', 'absent'],
  run,
}

async function run(context: Context): Promise<CommandResult> {
  const scope = SCOPES[ownText(context, 'of') ?? 'in-doubt'] ?? 'in_doubt'
  const { end, baseUrl } = await askService(context, { scope, sample: sampleOf(context) })
  return conclude(context, baseUrl, end)
}

function conclude(context: Context, baseUrl: string, end: ReadBackEnd): CommandResult {
  const { world, settings } = context
  const reader = openLedgerReader(settings.ledger, settings)
  try {
    const { stop, totals, asked, unanswered, isContinued, id, customers } = end
    const older = olderOf(world, reader)
    const proofs = reader.proofCounts()
    const absent = absentOf(reader, settings)
    const isProven = proofs.some(({ state, verdict }) => state === 'in_doubt' && verdict === 'proven')
    const verification = verificationIn(reader)
    const standing = standingWith(verification, totals, stop, world.signals.exitStatus())
    return {
      ...emptyResult,
      exitCode: older.isOlder ? OLDER_STATUS : standing,
      campaign: { ledger: settings.ledger, baseUrl },
      totals,
      warnings: older.warnings,
      lines: [
        askedLine(end),
        ...proofLines(proofs),
        ...absentLines(absent),
        ...unprovenLines(verification, unprovenRows(reader, verification)),
        ...(older.isOlder ? [] : next(context, end, { isProven, isProposed: absent.proposed > 0 })),
      ],
      details: {
        stop: stop === null ? null : worded(stop),
        readBack: { id, isContinued, customers, asked, unanswered },
        proofs,
        absent,
      },
    }
  } finally {
    reader.close()
  }
}

type Proofs = ReturnType<LedgerReader['proofCounts']>

interface Read {
  /** A row in doubt is. */
  readonly isProven: boolean
  /** A row in doubt is, to be sent again. */
  readonly isProposed: boolean
}

/** To go on where it was stopped; then to record what is proven; then to decide what is proposed. */
function next(context: Context, end: ReadBackEnd, { isProven, isProposed }: Read): Line[] {
  const { stop } = end
  if (stop !== null)
    return [
      [toned('open', 'Stopped early'), `: ${stop.why}.`],
      `${worded(stop).next}.`,
      nextLine(context, { name: 'read-back', words: sameFlags(context, ['of', 'sample']) }),
    ]
  if (isProven)
    return [
      'Look at what would be recorded, then record it.',
      nextLine(context, {
        name: 'resolve',
        words: ['--from-read-back', '--dry-run', '--reason', 'read back'],
      }),
    ]
  return isProposed ? [nextLine(context, { name: 'report' })] : []
}

const WORDS: Readonly<Record<VerdictKind, string>> = {
  proven: 'proven: the service holds it, once',
  twice: 'twice: the service holds more than one; a person should cancel all but one',
  absent: 'absent: the customer has no payment source there',
  other: 'other: the customer has some, and none is certainly this mandate',
  unreadable: 'unreadable: no list came, or one that cannot be compared',
}

/** Rows by state and verdict, whoever asked when. */
export function proofLines(proofs: Proofs): Line[] {
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

/** @throws {UsageError} beside another way to decide, and without a reason */
export async function decidedByReadBack(context: Context): Promise<ReadBackDecisions> {
  const others = ['from', 'as', 'assignedMandateReference']
  if (ownTexts(context, 'row').length > 0 || others.some((name) => ownText(context, name) !== null))
    throw new UsageError(
      'With --from-read-back the evidence in the ledger decides',
      'Give only --reason, --by, --dry-run and --assigned-creditor-identifier beside it; nothing was recorded',
    )
  const reason = ownText(context, 'reason')?.trim() ?? ''
  if (reason === '')
    throw new UsageError(
      'There is no reason',
      'Say with --reason why the read-back is trusted; it is kept with each decision. Nothing was recorded',
    )
  const creditor = ownText(context, 'assignedCreditorIdentifier')?.trim() ?? null
  if (creditor !== null && !checkCreditorIdentifier(creditor).usable)
    throw new UsageError(
      `"${creditor}" is no creditor identifier`,
      'Give the one that the service assigned, as registered.csv of any earlier report shows it; nothing was recorded',
    )
  const decider = { by: actorOf(context), reason }
  return lookInto(context.settings, (reader) =>
    decideFromReadBack(reader, decider, context.settings.absentAfterMs, creditor),
  )
}

/** What stays in doubt, and why; the first of them row by row. */
export function leftOpenLines({ leftOpen, notAsked }: ReadBackDecisions): string[] {
  const more = leftOpen.length - MOST_SHOWN
  return [
    ...leftOpen.slice(0, MOST_SHOWN).map(({ rowId, why }) => `Row ${rowId} stays in doubt: ${why}.`),
    ...(more > 0 ? [`${countText(more)} more stay in doubt.`] : []),
    ...(notAsked > 0
      ? [
          `${plural(notAsked, 'row', 'rows')} in doubt ${notAsked === 1 ? 'was' : 'were'} not read back since the last request: sepa-migrate read-back asks.`,
        ]
      : []),
  ]
}
