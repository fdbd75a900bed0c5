import { SOME_LEFT } from '../../run/brake.js'
import { dirname } from 'node:path'
import {
  contradictedIn,
  unprovenText,
  verificationOf,
  verificationText,
  type Verification,
} from '../../domain/proof/verification.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import type { StatusCount } from '../../ledger/read/reader.js'
import type { ReadBackEnd } from '../../migrate/read-back.js'
import { plainText } from '../../report/files/cells.js'
import { NO_PACK, OLDER_STATUS, writePack } from '../closing.js'
import { lookInto, sameFlags, sampleOf, type Command, type Context } from '../command.js'
import { noteOutputs } from '../privacy/remains.js'
import { type CommandEnd, nextLine, nextLines } from '../terminal/next.js'
import { emptyResult, worded, type CommandResult } from '../terminal/result.js'
import { toned, type Line } from '../terminal/world.js'
import {
  ASK_EXITS,
  ASK_OPTIONS,
  askedDetails,
  askedLine,
  askService,
  SAMPLE_FLAG,
  standingAfter,
  unprovenLines,
} from './asking.js'
import { countText, plural, said } from '../../domain/text/text.js'

export const verifyCommand: Command = {
  usage: 'verify',
  summary: 'ask the service whether it holds every registered mandate',
  examples: ['sepa-migrate verify', 'sepa-migrate verify --sample 500 --rate 5'],
  options: [...ASK_OPTIONS, 'noReport'],
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
    '',
    'One that was broken off within the last day is gone on with; a sample is drawn anew.',
  ],
  exits: {
    ...ASK_EXITS,
    0: 'everything that was asked is proven, and nothing is open',
    4: 'a registered mandate is missing, twice or different at the service, or rows are in doubt (outranks 3 and 5)',
    5: 'stopped early, a registered mandate could not be compared, or ready rows remain',
  },
  json: ['stop', 'readBack', 'verification', 'statuses', 'sample', 'unproven'],
  run: verify,
}

async function verify(context: Context): Promise<CommandResult> {
  const sample = sampleOf(context)
  const { end, baseUrl } = await askService(context, { scope: 'registered', sample })
  const { settings } = context
  const isReported = !(settings.get('noReport') ?? false)
  noteOutputs(context, isReported ? settings.out : null)
  const { files, warnings } = isReported ? await writePack(settings) : NO_PACK
  const result = await lookInto(settings, (reader) =>
    conclude(context, reader, {
      end,
      sample: sample === null ? null : sampleIn(reader, end, sample),
      report: files['report.html'],
    }),
  )
  const campaign = { ledger: settings.ledger, baseUrl }
  return { ...result, campaign, files, warnings: [...result.warnings, ...warnings] }
}

interface Answered {
  readonly end: ReadBackEnd
  readonly sample: Sample | null
  readonly report: string | undefined
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

function conclude(context: Context, reader: LedgerReader, { end, sample, report }: Answered): CommandResult {
  const { totals } = end
  const { isOlder, warnings, verification, unproven, status } = standingAfter(context, reader, end)
  const statuses = reader.sourceStatuses()
  return {
    ...emptyResult,
    exitCode: isOlder ? OLDER_STATUS : withUnreadable(status, verification),
    totals,
    warnings,
    lines: said([
      ...unprovenLines(verification, unproven),
      sample !== null && sampleLine(sample),
      verification === null
        ? 'No registered mandate was asked about; nothing is proven at the service.'
        : verificationText(verification),
      statuses.length > 0 && statusesLine(statuses),
      askedLine(end),
      '',
      report !== undefined && `Report: ${report}`,
      ...nextOf(context, end, {
        totals,
        stop: null,
        campaign: reader.campaign(),
        pack: report === undefined ? null : dirname(report),
        isOlder,
        verification,
      }),
    ]),
    details: { ...askedDetails(end), verification, statuses, sample, unproven },
  }
}

const SOME_UNREAD = 5

/** What was asked and could not be compared is not proven, so that not everything asked for is done. */
const withUnreadable = (standing: number, verification: Verification | null): number =>
  (standing === 0 || standing === SOME_LEFT) && (verification?.unreadable ?? 0) > 0 ? SOME_UNREAD : standing

const MOST_WORDS = 10

function statusesLine(statuses: readonly StatusCount[]): string {
  const shown = statuses
    .slice(0, MOST_WORDS)
    .map(
      ({ status, sources }) => `${countText(sources)} ${status === null ? 'without one' : plainText(status)}`,
    )
  const more = statuses.length - shown.length
  return `Their payment sources by status: ${shown.join(', ')}${more > 0 ? ` and ${countText(more)} more words` : ''}.`
}

function sampleLine({ size, of, verification }: Sample): string {
  const drawn = `A sample of ${countText(size)} of ${plural(of, 'registered mandate', 'registered mandates')}, drawn at random`
  if (verification === null) return `${drawn}: none of them was asked about.`
  const asked = verification.registered - verification.notAsked
  const more = asked > size ? 'with others of the same customers ' : 'until then '
  const others = asked === size ? '' : `, ${more}${countText(asked)} asked`
  const unproven = unprovenText(verification)
  return `${drawn}${others}: ${countText(verification.proven)} proven${unproven === '' ? '' : `, ${unproven}`}.`
}

function nextOf(context: Context, { stop }: ReadBackEnd, standing: CommandEnd): Line[] {
  const { verification = null, isOlder = false } = standing
  const again = nextLine(context, { name: 'verify', words: sameFlags(context, ['sample']) })
  if (stop !== null && !isOlder)
    return [[toned('open', 'Stopped early'), `: ${stop.why}.`], `${worded(stop).next}.`, again]
  if (verification !== null && verification.unreadable > 0 && contradictedIn(verification) === 0 && !isOlder)
    return [
      [toned('open', `${countText(verification.unreadable)} could not be compared`), ': ask again.'],
      again,
    ]
  return nextLines(context, standing)
}
