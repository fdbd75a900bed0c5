import {
  SOME_LEFT,
  contradictedIn,
  isAsItShouldBe,
  verificationOf,
  type Verification,
  unprovenIn,
  verificationWord,
  VERIFIED_VERDICTS,
} from '../../domain/row/row-state.js'
import { dirname } from 'node:path'
import { unprovenText, verificationText } from '../../domain/proof/read-back.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import type { VerifiedRow } from '../../ledger/read/reader.js'
import { type ReadBackEnd, readBack, type ReadBackEvent } from '../../migrate/ask.js'
import { campaignStatus, NO_PACK, writePack, noteOutputs } from '../closing.js'
import { lookInto, sameFlags, type Command, type Context, type OwnFlag } from '../command.js'
import { type CommandEnd, nextLine, nextLines } from '../terminal/next.js'
import { toned, type Line } from '../terminal/world.js'
import { countText, plural, said, durationText } from '../../domain/text/text.js'
import type { Scope } from '../../ledger/schema/schema.js'
import { explainVerified } from '../../report/facts/facts.js'
import { ASK_SETTINGS, usual } from '../settings/declared.js'
import { readAskedService } from '../before-sending.js'

export const SAMPLE_FLAG: OwnFlag = ['--sample <n>', 'so many of these rows, drawn at random']

/**
 * Asks the service for the customers of these rows, or of a sample of them, and tells how far it is.
 * @throws {UsageError} as `readBack` does
 */
export async function askService(
  context: Context,
  { scope, sample }: { readonly scope: Scope; readonly sample: number | null },
): Promise<ReadBackEnd> {
  const { world, settings, progress } = context
  const service = await readAskedService(context)
  const { drain, abort } = world.signals
  drain.addEventListener('abort', () =>
    progress.note(
      'Signal received: nothing further is asked (press Ctrl-C again to abandon the requests in flight)',
    ),
  )
  const end = await readBack({
    service: service.options,
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
  return end
}

const SHOWN_EVERY_MS = 5_000

/** One plain line now and then: a question takes no longer than a request, and there are no states to show. */
function watching({ world, progress }: Context): (event: ReadBackEvent) => void {
  let [customers, asked, unanswered] = [0, 0, 0]
  let saidMs = world.clock.monotonic()
  return (event) => {
    if (event.kind === 'asking') {
      customers = event.customers
      progress.note(
        `${event.isContinued ? 'Going on: asking' : 'Asking'} about ${plural(customers, 'customer', 'customers')}`,
      )
    } else if (event.kind === 'answer') {
      asked += 1
      if (event.answer.seen.kind === 'not_read') unanswered += 1
      if (world.clock.monotonic() - saidMs < SHOWN_EVERY_MS) return
      saidMs = world.clock.monotonic()
      progress.note(
        `Asked about ${countText(asked)} of ${countText(customers)}${unanswered === 0 ? '' : `, ${countText(unanswered)} without a list`}`,
      )
    } else if (event.kind === 'pause')
      progress.note(`Waiting ${durationText(event.delayMs)}: ${event.reason}`)
    else progress.note([toned('open', 'Stopping'), `: ${event.stop.why}`])
  }
}

export function askedLine({ asked, unanswered, doubted }: ReadBackEnd): string {
  const changed = doubted === 0 ? 'No state was changed.' : doubtedText(doubted)
  return asked === 0
    ? `No customer was asked about. ${changed}`
    : `Asked about ${plural(asked, 'customer', 'customers')}; ${unanswered === 0 ? 'each gave a list' : `${countText(unanswered)} gave no list`}. ${changed}`
}

export const doubtedText = (count: number): string =>
  `${plural(count, 'row that was to be sent is', 'rows that were to be sent are')} in doubt now, since the service shows ${count === 1 ? 'it' : 'them'}.`

/** Where the campaign is once the service was asked. */
export function statusAfter(context: Context, reader: LedgerReader, { stop }: ReadBackEnd) {
  const at = campaignStatus(context, reader, { stop, signal: context.world.signals.exitStatus() })
  return { ...at, unproven: unprovenRows(reader, at.status.verification) }
}

/** What programs are told of it. */
export const askedDetails = ({ stop, id, isContinued, customers, asked, unanswered }: ReadBackEnd) => ({
  stop,
  readBack: { id, isContinued, customers, asked, unanswered },
})

const MOST_SHOWN = 20

/** Rows that are not proven, as people and programs are shown them: the first of them. */
export function unprovenRows(reader: LedgerReader, verification: Verification | null): VerifiedRow[] {
  if (verification === null) return []
  const rows: VerifiedRow[] = []
  for (const verdict of VERIFIED_VERDICTS)
    if (!isAsItShouldBe(verdict) && verification[verificationWord(verdict)] > 0 && rows.length < MOST_SHOWN)
      rows.push(...reader.verifiedRows(verdict, 0, MOST_SHOWN - rows.length))
  return rows
}

/** What a person must look at first; nothing where all that was asked is proven. */
export function unprovenLines(verification: Verification | null, rows: readonly VerifiedRow[]): Line[] {
  if (verification === null || rows.length === 0) return []
  const more = unprovenIn(verification) - rows.length
  return said([
    [
      toned(contradictedIn(verification) > 0 ? 'bad' : 'open', 'Registered, and not proven at the service'),
      `: ${unprovenText(verification)}`,
    ],
    ...rows.map(unprovenLine),
    more > 0 && `  and ${countText(more)} more`,
  ])
}

function unprovenLine(row: VerifiedRow): string {
  const isNamed = row.sources.length === 0 || row.cancellable.length > 0
  const ids = isNamed ? '' : ` (${row.sources.map(({ id }) => id ?? 'without an id').join(', ')})`
  return `  row ${row.id}, customer ${row.customerNo}, ${verificationWord(row.verdict)}: ${explainVerified(row)}${ids}`
}

export const verifyCommand: Command = {
  usage: 'verify',
  summary: 'ask the service whether it holds every registered mandate',
  examples: ['sepa-migrate verify', 'sepa-migrate verify --sample 500 --rate 5'],
  options: [...ASK_SETTINGS, 'yes', 'noReport'],
  own: [SAMPLE_FLAG],
  epilogue: [
    'It asks the service once for each registered mandate, whether it is there with the same data.',
    'It sends nothing, cancels nothing and changes the state of no row. Each answer is kept as evidence, the latest',
    'about a row counts, and the report is written anew: its sign-off page says how many of how many were proven.',
    '',
    'missing      the service shows no payment source of the customer',
    'twice        it shows more than one; verification.csv names those that a person may cancel',
    'different    it shows other data, or a mandate that has ended',
    'unreadable   no list came, or one that cannot be compared: not proven',
    'decided      it shows it cancelled or changed, as somebody wrote "done" beside its line of the cut-over, or about the row;',
    '             as it was sent, it is different until that is done there and asked again',
    '',
    'One that was broken off within the last day is gone on with; a sample is drawn anew.',
  ],
  exits: {
    ...usual(3, 4, 6, 8, 130, 143),
    2: 'usage or configuration error; nothing was asked',
    0: 'everything that was asked is proven or as decided, and nothing is open',
    5: 'stopped early, a registered mandate could not be compared, or ready rows remain',
  },
  run: verify,
}

async function verify(context: Context) {
  const sample = context.sample()
  const end = await askService(context, { scope: 'registered', sample })
  const { settings } = context
  const isReported = !(settings.get('noReport') ?? false)
  noteOutputs(context, isReported ? settings.out : null)
  const { files, warnings } = isReported ? await writePack(settings) : NO_PACK
  return lookInto(settings, (reader) => {
    const { status, result, unproven } = statusAfter(context, reader, end)
    const { verification } = status
    const statuses = reader.sourceStatuses()
    const drawn = sample === null ? null : sampleIn(reader, end, sample)
    const report = files['report.html']
    return {
      ...result,
      exitCode: withUnreadable(result.exitCode, verification),
      files,
      warnings: [...result.warnings, ...warnings],
      lines: said([
        ...unprovenLines(verification, unproven),
        drawn !== null && sampleLine(drawn),
        verification === null
          ? 'No registered mandate was asked about; nothing is proven at the service.'
          : verificationText(verification),
        askedLine(end),
        '',
        report !== undefined && `Report: ${report}`,
        ...nextOf(context, end, { ...status, pack: report === undefined ? null : dirname(report) }),
      ]),
      details: { ...askedDetails(end), verification, statuses, sample: drawn, unproven },
    }
  })
}

/** Rows that were drawn, of how many, and what was said of them and of the others of their customers. */
type Sample = ReturnType<typeof sampleIn>

function sampleIn(reader: LedgerReader, { id, totals }: ReadBackEnd, drawn: number) {
  const { registered } = totals
  return {
    size: Math.min(drawn, registered),
    of: registered,
    verification: verificationOf(registered, reader.verificationCounts(id)),
  }
}

const SOME_UNREAD = 5

/** What was asked and could not be compared is not proven, so that not everything asked for is done. */
const withUnreadable = (status: number, verification: Verification | null): number =>
  (status === 0 || status === SOME_LEFT) && (verification?.unreadable ?? 0) > 0 ? SOME_UNREAD : status

function sampleLine({ size, of, verification }: Sample): string {
  const drawn = `A sample of ${countText(size)} of ${plural(of, 'registered mandate', 'registered mandates')}, drawn at random`
  if (verification === null) return `${drawn}: none of them was asked about.`
  const asked = verification.registered - verification.notAsked
  const more = asked > size ? 'with others of the same customers ' : 'until then '
  const others = asked === size ? '' : `, ${more}${countText(asked)} asked`
  const unproven = unprovenText(verification)
  return `${drawn}${others}: ${countText(verification.proven)} proven${unproven === '' ? '' : `, ${unproven}`}.`
}

function nextOf(context: Context, { stop }: ReadBackEnd, status: CommandEnd): Line[] {
  const { verification = null, isOlder = false } = status
  const again = nextLine(context, { name: 'verify', words: sameFlags(context, ['sample']) })
  if (stop !== null && !isOlder)
    return [[toned('open', 'Stopped early'), `: ${stop.why}.`], `${stop.next}.`, again]
  if (verification !== null && verification.unreadable > 0 && contradictedIn(verification) === 0 && !isOlder)
    return [
      [toned('open', `${countText(verification.unreadable)} could not be compared`), ': ask again.'],
      again,
    ]
  return nextLines(context, status)
}
