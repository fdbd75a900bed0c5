import { VERDICTS, type KeptSource, type VerdictKind } from '../../domain/proof/evidence.js'
import { countText, durationText, plural } from '../../domain/text/wording.js'
import { UsageError } from '../../errors.js'
import type { LedgerReader } from '../../ledger/read/reader.js'
import { openLedgerReader } from '../../ledger/read/open-reader.js'
import type { Scope } from '../../ledger/schema/proof-schema.js'
import { readBack, type ReadBackEnd, type ReadBackEvent } from '../../migrate/read-back.js'
import { exitStatusOf, SOME_LEFT } from '../../run/exit-status.js'
import { ownText, type Command, type Context } from '../command.js'
import { OLDER_STATUS, olderOf } from '../older.js'
import { EXIT_STATUSES } from '../settings/exit-statuses.js'
import { rows as rowCount } from '../settings/kinds.js'
import { SHARED } from '../settings/options.js'
import { readService } from '../settings/service.js'
import { absentLines, absentOf } from './absent-lines.js'
import { type Line, toned } from '../terminal/line.js'
import { nextLine } from '../terminal/next.js'
import { emptyResult, type CommandResult } from '../terminal/result.js'
import { worded } from '../terminal/ways.js'

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
  options: [
    ...SHARED,
    'baseUrl',
    'passwordFile',
    'concurrency',
    'rate',
    'timeout',
    'connectTimeout',
    'readBack',
  ],
  own: [
    ['--of <rows>', 'whose customers are asked about (default in-doubt)', Object.keys(SCOPES)],
    ['--sample <n>', 'so many of these rows, drawn at random'],
  ],
  epilogue: [
    'It sends nothing and changes the state of no row. Presence is proof; absence proves nothing by itself, and the',
    'program sends no row again because of it. What is proven, `resolve --from-read-back` records.',
    'The contract of the service does not promise that it can be asked: `sepa-migrate probe` finds out, and',
    '--read-back or service.readBack in the configuration says so.',
    'One that was broken off within the last day is gone on with; a sample is drawn anew.',
  ],
  exits: {
    0: EXIT_STATUSES[0],
    2: 'usage or configuration error; nothing was asked',
    3: EXIT_STATUSES[3],
    4: 'rows are in doubt, or a registered row is not shown exactly once (outranks 3 and 5)',
    5: 'stopped early, or ready rows remain',
    6: EXIT_STATUSES[6],
    8: EXIT_STATUSES[8],
    130: EXIT_STATUSES[130],
    143: EXIT_STATUSES[143],
  },
  json: ['stop', 'readBack', 'proofs', 'absent'],
  run,
}

async function run(context: Context): Promise<CommandResult> {
  const { world, settings, progress } = context
  const scope = SCOPES[ownText(context, 'of') ?? 'in-doubt'] ?? 'in_doubt'
  const sampleText = ownText(context, 'sample')
  const sample = sampleText === null ? null : rowCount(1).read(sampleText, '--sample')
  if (!(settings.get('readBack') ?? false))
    throw new UsageError(
      'Nobody has said that this service can be asked what it holds; nothing was asked',
      'Find out with sepa-migrate probe at its test environment, then give --read-back or set service.readBack to true',
    )
  const service = await readService(settings, world)
  const say = (text: string) => () => progress.note(text)
  const { drain, abort } = world.signals
  drain.addEventListener(
    'abort',
    say('Signal received: nothing further is asked (signal again to give up what is under way)'),
  )
  const end = await readBack({
    service: { ...service.options, ...service.credentials, rate: settings.get('rate') },
    ledger: settings.ledger,
    scope,
    sample,
    signal: drain,
    giveUp: abort,
    watch: watching(context),
    sharedFolder: settings.sharedFolder,
    machine: world,
  })
  progress.end()
  return conclude(context, service.baseUrl.href, end)
}

const SHOWN_EVERY_MS = 5_000

/** One plain line now and then: a question takes no longer than a request, and there are no states to show. */
function watching({ world, progress }: Context): (event: ReadBackEvent) => void {
  let [customers, asked, unanswered] = [0, 0, 0]
  let saidMs = world.clock.monotonic()
  return (event) => {
    switch (event.kind) {
      case 'asking':
        customers = event.customers
        progress.note(
          `${event.isContinued ? 'Going on: asking' : 'Asking'} about ${plural(customers, 'customer', 'customers')}`,
        )
        return
      case 'answer':
        asked += 1
        if (event.answer.seen.kind === 'not_read') unanswered += 1
        if (world.clock.monotonic() - saidMs < SHOWN_EVERY_MS) return
        saidMs = world.clock.monotonic()
        progress.note(
          `Asked about ${countText(asked)} of ${countText(customers)}${unanswered === 0 ? '' : `, ${countText(unanswered)} without a list`}`,
        )
        return
      case 'pause':
        progress.note(`Waiting ${durationText(event.delayMs)}: ${event.reason}`)
        return
      case 'stop':
        progress.note([toned('open', 'Stopping'), `: ${event.stop.why}`])
    }
  }
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
    const standing = standingOf(end, world.signals.exitStatus(), countContradicted(proofs))
    return {
      ...emptyResult,
      exitCode: older.isOlder ? OLDER_STATUS : standing,
      campaign: { ledger: settings.ledger, baseUrl },
      totals,
      warnings: older.warnings,
      lines: [
        ...askedLines(end),
        ...proofLines(proofs),
        ...absentLines(absent),
        ...contradictedLines(reader, countContradicted(proofs)),
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

/** What contradicts a registration; what could not be read does not. */
const CONTRADICTS: ReadonlySet<VerdictKind> = new Set(['twice', 'absent', 'other'])

const countContradicted = (proofs: Proofs): number =>
  proofs
    .filter(({ state, verdict }) => state === 'registered' && CONTRADICTS.has(verdict))
    .reduce((sum, { count }) => sum + count, 0)

function standingOf(
  { totals, stop }: ReadBackEnd,
  signalStatus: number | null,
  contradicted: number,
): number {
  const standing = exitStatusOf(totals, stop, signalStatus)
  if (standing !== 0 && standing !== SOME_LEFT && standing !== STOPPED) return standing
  if (contradicted > 0) return IN_DOUBT
  return stop === null ? standing : STOPPED
}

const IN_DOUBT = 4
const STOPPED = 5
const PAGE = 500
const MOST_SHOWN = 20

/** Registered rows that the service does not show, shows otherwise or shows twice: what a person must look at first. */
function contradictedLines(reader: LedgerReader, count: number): Line[] {
  if (count === 0) return []
  const lines: Line[] = []
  let after = 0
  while (lines.length < Math.min(count, MOST_SHOWN)) {
    const page = reader.proofs('registered', after, PAGE)
    for (const { rowId, verdict, sources } of page)
      if (CONTRADICTS.has(verdict) && lines.length < MOST_SHOWN)
        lines.push(
          `  row ${rowId}: ${verdict}${sources.length === 0 ? '' : `, ${sources.map(idOf).join(', ')}`}`,
        )
    const last = page.at(-1)
    if (last === undefined) break
    after = last.rowId
  }
  return [
    [
      toned('bad', `${plural(count, 'registered row is', 'registered rows are')} not shown exactly once`),
      ': ask the service.',
    ],
    ...lines,
    ...(count > lines.length ? [`  and ${countText(count - lines.length)} more`] : []),
  ]
}

const idOf = ({ id }: KeptSource): string => id ?? 'a source without an id'

const askedLines = ({ asked, unanswered }: ReadBackEnd): string[] => [
  asked === 0
    ? 'No customer was asked about. No state was changed.'
    : `Asked about ${plural(asked, 'customer', 'customers')}; ${unanswered === 0 ? 'each gave a list' : `${countText(unanswered)} gave no list`}. No state was changed.`,
]

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
      nextLine(context, { name: 'read-back', words: sameQuestion(context) }),
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

const sameQuestion = (context: Context): string[] =>
  ['of', 'sample'].flatMap((name) => {
    const text = ownText(context, name)
    return text === null ? [] : [`--${name}`, text]
  })

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
