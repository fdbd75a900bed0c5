import type { BaseUrl, DeliveryPolicy, Plan } from '../index.js'
import type { Context } from './command.js'
import { readingLines } from './reading-lines.js'
import type { RunRegister } from './register.js'
import { trustedLines, type Trusted } from './trusted.js'

interface Asked {
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
  { plan, policy, trusted, register, ask }: Asked,
): Promise<boolean> {
  const lines = [
    ...planLines(baseUrl.href, plan, policy),
    ...sourceLines(plan.ledger),
    ...trustedLines(trusted),
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
const sourceLines = (reader: Plan['ledger']): string[] =>
  reader.sources().flatMap((source) => {
    const lines = readingLines(source)
    return lines.length === 0 ? [] : [`${source.name}:`, ...lines]
  })

/** A guess from the settings alone; an answer of 0.3 s is usual for this kind of service. */
function planLines(target: string, { totals, toSend }: Plan, policy: DeliveryPolicy): string[] {
  const perSecond = Math.min(policy.concurrency / 0.3, policy.rate ?? Infinity)
  return [
    `Target: ${target}`,
    `Rows: ${totals.ready} ready, ${totals.registered} registered, ${totals.inDoubt} in doubt, ${totals.refused} refused`,
    `To send in this run: ${toSend}, expected to take about ${Math.ceil(toSend / perSecond / 60)} minutes`,
  ]
}
