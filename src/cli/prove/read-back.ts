import { VERDICTS, type VerdictKind } from '../../domain/proof/evidence.js'
import { countText } from '../../domain/text/wording.js'
import { openLedgerReader } from '../../ledger/read/open-reader.js'
import type { LedgerReader } from '../../ledger/read/reader.js'
import type { Scope } from '../../ledger/schema/schema.js'
import type { ReadBackEnd } from '../../migrate/read-back.js'
import { ownText, type Command, type Context } from '../command.js'
import { OLDER_STATUS, olderOf } from '../older.js'
import { absentLines, absentOf } from './absent-lines.js'
import { type Line, toned } from '../terminal/line.js'
import { nextLine } from '../terminal/next.js'
import { emptyResult, type CommandResult } from '../terminal/result.js'
import { worded } from '../terminal/ways.js'
import { ASK_EXITS, ASK_OPTIONS, askedLine, askService, SAMPLE_FLAG, sameFlags, sampleOf } from './asking.js'
import { standingWith, verificationIn } from './standing.js'
import { unprovenLines, unprovenRows } from './unproven.js'

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
