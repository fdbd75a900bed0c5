import type { SeverityOverrides } from '../domain/rules.js'
import type { Totals } from '../domain/totals.js'
import { HaltError } from '../errors.js'
import type { Ledger, RunSettings } from '../ledger/ledger.js'
import { admitSources, type AdmittedSource, type OpenNext } from './admit-sources.js'
import { deliver, type DeliveryParts } from './deliver.js'
import { exitStatusOf } from './exit-status.js'
import { DECLINED, INTERRUPTED, stopOfWaiting, type Stop } from './stop.js'

/** What a run is about to do, known once everything is admitted and before anything is sent. */
export interface Plan {
  readonly totals: Totals
  /** Rows that this run will send: those that are ready, or fewer for a pilot. */
  readonly toSend: number
}

export interface CampaignParts extends Omit<DeliveryParts, 'ledger'> {
  readonly ledger: Ledger
  readonly files: readonly OpenNext[]
  readonly severities: SeverityOverrides
  readonly settings: RunSettings
  /** Who asks for refused rows to be sent once more, or null when nobody does. */
  readonly retryRefusedBy: string | null
  /** Asked once, before the first request; false leaves every row as it is. */
  readonly confirm: (plan: Plan) => Promise<boolean>
  readonly watchReading: (source: string, records: number) => void
  /** 130 or 143 once a signal came. */
  readonly signalStatus: () => number | null
}

export interface CampaignEnd {
  readonly admitted: readonly AdmittedSource[]
  readonly stop: Stop | null
  readonly totals: Totals
  readonly exitCode: number
}

/**
 * One run on a ledger that is open and bound: admits the files, then sends what is ready (product.md 1, 4).
 * Running it again continues where the last run ended.
 * @throws {SourceError} for a file that cannot be trusted; nothing was admitted or sent
 * @throws {LedgerError} when the ledger cannot be written; what was under way is in doubt at the next start
 */
export async function runCampaign(parts: CampaignParts): Promise<CampaignEnd> {
  const { ledger } = parts
  const runId = ledger.startRun(parts.settings, parts.policy.concurrency)
  try {
    const admitted = await admitFiles(parts)
    const stop = admitted === null ? INTERRUPTED : await sendReady(parts)
    const totals = ledger.totals()
    const exitCode = exitStatusOf(totals, stop, parts.signalStatus())
    ledger.endRun(runId, { stoppedBy: stop?.kind ?? null, exitCode })
    return { admitted: admitted ?? [], stop, totals, exitCode }
  } catch (error) {
    endAfter(error, () => ledger.endRun(runId, stoppedBy(error)))
    throw error
  }
}

/** Null when a signal came while a file was read: nothing of any file is in the ledger then. */
async function admitFiles(parts: CampaignParts): Promise<AdmittedSource[] | null> {
  try {
    return await admitSources(parts.ledger, parts.files, {
      severities: parts.severities,
      signal: parts.drain,
      watch: parts.watchReading,
    })
  } catch (error) {
    if (parts.drain.aborted && error instanceof Error && error.name === 'AbortError') return null
    throw error
  }
}

async function sendReady(parts: CampaignParts): Promise<Stop | null> {
  if (parts.retryRefusedBy !== null) parts.ledger.retryRefused(parts.retryRefusedBy)
  const ready = parts.ledger.countReady()
  if (ready === 0) return stopOfWaiting(parts.ledger.waiting())
  const toSend = Math.min(ready, parts.policy.limit ?? ready)
  const isConfirmed = await parts.confirm({ totals: parts.ledger.totals(), toSend })
  return isConfirmed ? ((await deliver(parts)) ?? stopOfWaiting(parts.ledger.waiting())) : DECLINED
}

const stoppedBy = (error: unknown): { stoppedBy: string; exitCode: number } =>
  error instanceof HaltError
    ? { stoppedBy: error.kind, exitCode: error.exitCode }
    : { stoppedBy: 'unexpected', exitCode: 1 }

/** A ledger that can no longer be written cannot say so itself; the first error is the one that counts. */
function endAfter(error: unknown, end: () => void): void {
  try {
    end()
  } catch (later) {
    if (error instanceof Error && error.cause === undefined) error.cause = later
  }
}
