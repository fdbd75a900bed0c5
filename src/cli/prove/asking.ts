import {
  contradictedIn,
  unprovenIn,
  unprovenText,
  verificationWord,
  VERIFIED_VERDICTS,
  type Verification,
} from '../../domain/proof/verification.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import type { VerifiedRow } from '../../ledger/read/reader.js'
import type { Scope } from '../../ledger/schema/schema.js'
import { readBack, type ReadBackEnd, type ReadBackEvent } from '../../migrate/read-back.js'
import { explainVerified } from '../../report/facts/explanation.js'
import { olderOf, standingWith, verificationIn } from '../closing.js'
import { type Context, type OwnFlag } from '../command.js'
import { OF_SERVICE, SHARED, type OptionName, usual } from '../settings/declared.js'
import { readService } from '../settings/settings.js'
import { worded } from '../terminal/result.js'
import { toned, type Line } from '../terminal/world.js'
import { countText, durationText, plural, said } from '../../domain/text/text.js'

/** Settings of every command that asks the service what it holds. */
export const ASK_OPTIONS: readonly OptionName[] = [...SHARED, ...OF_SERVICE]

export const SAMPLE_FLAG: OwnFlag = ['--sample <n>', 'so many of these rows, drawn at random']

/** 4 and 5 are told by each command. */
export const ASK_EXITS = {
  ...usual(0, 3, 6, 8, 130, 143),
  2: 'usage or configuration error; nothing was asked',
}

/**
 * Asks the service for the customers of these rows, or of a sample of them, and tells how far it is.
 * @throws {UsageError} as `readBack` does
 */
export async function askService(
  context: Context,
  { scope, sample }: { readonly scope: Scope; readonly sample: number | null },
) {
  const { world, settings, progress } = context
  const service = await readService(settings, world)
  const { drain, abort } = world.signals
  drain.addEventListener('abort', () =>
    progress.note(
      'Signal received: nothing further is asked (press Ctrl-C again to abandon the requests in flight)',
    ),
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
  return { end, baseUrl: service.baseUrl.href }
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

export const askedLine = ({ asked, unanswered }: ReadBackEnd): string =>
  asked === 0
    ? 'No customer was asked about. No state was changed.'
    : `Asked about ${plural(asked, 'customer', 'customers')}; ${unanswered === 0 ? 'each gave a list' : `${countText(unanswered)} gave no list`}. No state was changed.`

/** How the campaign stands once the service was asked; `status` is that of the command, but for an older copy. */
export function standingAfter({ world }: Context, reader: LedgerReader, { totals, stop }: ReadBackEnd) {
  const verification = verificationIn(reader)
  const signal = world.signals.exitStatus()
  return {
    ...olderOf(world, reader),
    verification,
    unproven: unprovenRows(reader, verification),
    status: standingWith(verification, totals, reader.openCutOver(), stop, signal),
  }
}

/** What programs are told of it. */
export const askedDetails = ({ stop, id, isContinued, customers, asked, unanswered }: ReadBackEnd) => ({
  stop: stop === null ? null : worded(stop),
  readBack: { id, isContinued, customers, asked, unanswered },
})

const MOST_SHOWN = 20

/** Rows that are not proven, as people and programs are shown them: the first of them. */
export function unprovenRows(
  reader: Pick<LedgerReader, 'verifiedRows'>,
  verification: Verification | null,
): VerifiedRow[] {
  if (verification === null) return []
  const rows: VerifiedRow[] = []
  for (const verdict of VERIFIED_VERDICTS)
    if (verdict !== 'proven' && verification[verificationWord(verdict)] > 0 && rows.length < MOST_SHOWN)
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
