import { type BaseUrl, type DeliveryPolicy, durationText, type Plan, plural } from '../index.js'
import type { Context } from './command.js'
import { type Line, toned } from './terminal/line.js'
import { totalsLines } from './terminal/output.js'
import { readingLines } from './reading-lines.js'
import type { RunRegister } from './settings/register.js'
import { trustedLines, type Trusted } from './settings/trusted.js'
import { unlikelyShares } from './settings/unlikely.js'

interface Asked {
  /** The user at the service. */
  readonly username: string
  readonly plan: Plan
  readonly policy: DeliveryPolicy
  readonly trusted: Trusted
  readonly register: RunRegister
  readonly ask: (question: string) => Promise<string | null>
}

/**
 * Shows the plan and has the host name typed, unless the target is this machine or --yes was given
 * (cli/README.md#before-anything-is-sent).
 * What the register says is looked at before the question and after the answer, since two people may have been asked;
 * the claim itself looks a third time, once what was agreed to is on disk.
 * @throws {UsageError} when another ledger claimed the same mandates for a real service
 * @throws {LedgerError} `register`
 */
export async function confirmRun(context: Context, baseUrl: BaseUrl, asked: Asked): Promise<boolean> {
  asked.register.checkOthers()
  const isConfirmed = baseUrl.isLoopback || (await confirmTarget(context, baseUrl, asked))
  if (!isConfirmed) return false
  asked.register.checkOthers()
  context.progress.sending(asked.plan.toSend)
  return true
}

async function confirmTarget(
  { settings, progress }: Context,
  baseUrl: BaseUrl,
  { username, plan, policy, trusted, register, ask }: Asked,
): Promise<boolean> {
  const lines = [
    ...planLines(baseUrl.href, username, plan, policy),
    ...trustedLines(trusted),
    ...sourceLines(plan.ledger),
    ...unlikelyShares(plan.ledger).map((text): Line => [toned('open', 'Warning'), `: ${text}`]),
  ]
  for (const line of lines) progress.note(line)
  if (!register.knowsLedger())
    progress.note(
      'This ledger has sent before, but not as this user on this machine: make sure that it is the newest copy',
    )
  return (
    (settings.get('yes') ?? false) ||
    (await ask(`Type the host name "${baseUrl.host}" to send`)) === baseUrl.host
  )
}

/** How the files were read, as far as a person has to know it before anything is sent. */
const sourceLines = (reader: Plan['ledger']): Line[] =>
  reader.sources().flatMap((source) => {
    const lines = readingLines(source)
    return lines.length === 0 ? [] : [`${source.name}:`, ...lines]
  })

/** What --retry-refused was asked for and does not do. */
export const leftRefusedNotes = (count: number): string[] =>
  count === 0
    ? []
    : [
        `${plural(count, 'refused row stays', 'refused rows stay')} refused: a later file has other values for ${count === 1 ? 'its mandate' : 'their mandates'}, and --retry-refused would undo that correction`,
      ]

/** An answer of 0.3 s is usual for this kind of service. */
const USUAL_ANSWER_S = 0.3
const MOST_CREDITORS = 10

/** What will happen with a yes: where to, as whom, what of the rows, how fast. */
function planLines(
  target: string,
  username: string,
  { totals, toSend, leftRefused, ledger }: Plan,
  { concurrency, rate }: DeliveryPolicy,
): Line[] {
  const perSecond = Math.min(concurrency / USUAL_ANSWER_S, rate ?? Infinity)
  const creditors = ledger.creditorsOfReady()
  return [
    [toned('strong', 'The plan')],
    ['Target: ', toned('strong', target)],
    `User at the service: ${username}`,
    ...totalsLines(totals),
    `To send in this run: ${plural(toSend, 'row', 'rows')}`,
    ...leftRefusedNotes(leftRefused),
    ...creditors
      .slice(0, MOST_CREDITORS)
      .map(
        ({ creditorIdentifier, count }) =>
          `  previous creditor ${creditorIdentifier}: ${plural(count, 'row', 'rows')}`,
      ),
    ...(creditors.length > MOST_CREDITORS
      ? [`  and ${plural(creditors.length - MOST_CREDITORS, 'previous creditor', 'previous creditors')} more`]
      : []),
    `Pace: ${rate === null ? 'no limit set' : `at most ${rate} a second`}, ${plural(concurrency, 'request', 'requests')} at a time, about ${durationText((toSend / perSecond) * 1000)}`,
  ]
}
