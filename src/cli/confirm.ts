import { join, resolve } from 'node:path'
import {
  type BaseUrl,
  checkRegister,
  type DeliveryPolicy,
  type Plan,
  readRegister,
  type RegisteredRun,
  writeRegister,
} from '../index.js'
import type { Context } from './command.js'
import { readingLines } from './reading-lines.js'
import { trustedLines, type Trusted } from './trusted.js'

interface Asked {
  readonly plan: Plan
  readonly policy: DeliveryPolicy
  readonly trusted: Trusted
  readonly ask: (question: string) => Promise<string | null>
}

/**
 * Shows the plan and has the host name typed, unless the target is this machine or --yes was given (product.md 2).
 * @throws {UsageError} when another ledger began to send the same export to a real service
 */
export async function confirmRun(context: Context, baseUrl: BaseUrl, asked: Asked): Promise<boolean> {
  const { progress } = context
  // A rehearsal on loopback is repeated with new ledgers on purpose.
  const isConfirmed = baseUrl.isLoopback || (await confirmTarget(context, baseUrl, asked))
  if (isConfirmed) progress.sending(asked.plan.toSend)
  return isConfirmed
}

async function confirmTarget(
  context: Context,
  baseUrl: BaseUrl,
  { plan, policy, trusted, ask }: Asked,
): Promise<boolean> {
  const { world, settings, own, progress } = context
  const register = join(world.stateFolder, 'campaigns.jsonl')
  const run = describeRun(plan.ledger, settings.ledger, baseUrl)
  if (own['anotherLedger'] !== true) checkRegister(readRegister(register), run)
  const lines = [
    ...planLines(baseUrl.href, plan, policy),
    ...sourceLines(plan.ledger),
    ...trustedLines(trusted),
  ]
  for (const line of lines) progress.note(line)
  const isConfirmed =
    (settings.get('yes') ?? false) ||
    (await ask(`Type the host name "${baseUrl.host}" to send`)) === baseUrl.host
  // Only what was confirmed is noted: a ledger that sent nothing must not stand in the way of another.
  if (isConfirmed && !writeRegister(register, run))
    progress.note(`Cannot note this run in ${register}; the run goes on without it`)
  return isConfirmed
}

/** From the plan's view of the ledger: the files of this run are not in it for anybody else before the answer. */
const describeRun = (reader: Plan['ledger'], ledger: string, baseUrl: BaseUrl): RegisteredRun => ({
  baseUrl: baseUrl.href,
  ledgerId: reader.campaign().ledgerId,
  ledger: resolve(ledger),
  run: reader.runs().at(-1)?.id ?? 0,
  sources: reader.sources().map(({ sha256 }) => sha256),
})

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
