import type { CountedChoice } from '../domain/row/choice.js'
import { NOBODY_NAMED, type Corrector } from '../domain/row/correction.js'
import type { SeverityOverrides } from '../domain/rule/rules.js'
import type { Totals } from '../domain/row/totals.js'
import { HaltError } from '../errors.js'
import type { HeldRows, Ledger, RunSettings } from '../ledger/ledger.js'
import type { LedgerReader } from '../ledger/read/reader.js'
import { addSources, type AdmittedSource, type OpenNext } from './admit-sources.js'
import { assertChoosable } from './choice.js'
import { deliver, type DeliveryParts } from './deliver.js'
import {
  DECLINED,
  exitStatusOf,
  INTERRUPTED,
  SOME_LEFT,
  type Stop,
  stopOfChoice,
  stopOfWaiting,
} from './stop.js'

/** What a run is about to do, known once everything is admitted and before anything is sent. */
export interface Plan {
  readonly totals: Totals
  /** Rows that this run will send: those that are ready and that it was told to send, or fewer for a pilot. */
  readonly toSend: number
  /** Null where it may send every ready row. */
  readonly choice: CountedChoice | null
  /** Refused rows that stay refused although they were asked for: a later file has corrected them. */
  readonly leftRefused: number
  /** What other ledgers had to do with the rows. */
  readonly held: HeldRows
  /** The ledger as it will be once the plan is agreed to; no other process sees it so yet. */
  readonly ledger: LedgerReader
}

export interface CampaignParts extends Omit<DeliveryParts, 'ledger'> {
  readonly ledger: Ledger
  readonly files: readonly OpenNext[]
  readonly severities: SeverityOverrides
  /** Who gives rows back corrected, and why, where a line does not say it itself. */
  readonly corrector?: Corrector
  readonly settings: RunSettings
  /** Who asks for refused rows to be sent once more, or null when nobody does. */
  readonly retryRefusedBy: string | null
  /**
   * Asked once, before the first request. What it binds or decides on the ledger counts with a yes; without one
   * nothing has happened: no file is admitted, no decision recorded, no ledger bound.
   */
  readonly confirm: (plan: Plan) => Promise<boolean>
  /** Compares what is ready with what other ledgers claimed, in the transaction that a yes commits. */
  readonly hold?: () => HeldRows
  /**
   * Called once what was agreed to is on disk, and before the first request leaves; what it throws ends the run. Here
   * the rows are claimed in the register of campaigns, which must never know more than the ledger does.
   */
  readonly claim?: () => void
  /** It takes the place of other ledgers, also where nothing is left to send. */
  readonly takesOver?: boolean
  readonly watchReading: (source: string, records: number) => void
  /** 130 or 143 once a signal came. */
  readonly signalStatus: () => number | null
}

export interface CampaignEnd {
  readonly admitted: readonly AdmittedSource[]
  /** As in the plan. */
  readonly leftRefused: number
  /** As in the plan. */
  readonly held: HeldRows
  /** What the run was told to send alone, and how many ready rows that leaves; null where it was told nothing. */
  readonly choice: CountedChoice | null
  readonly stop: Stop | null
  readonly totals: Totals
  readonly exitCode: number
}

/**
 * One run on a ledger that is open: admits the files, asks, then sends what is ready. Running it again continues where
 * the last run ended.
 * @throws {SourceError} for a file that cannot be trusted; nothing was admitted or sent
 * @throws {LedgerError} when the ledger cannot be written; what was under way is in doubt at the next start
 */
export async function runCampaign(parts: CampaignParts): Promise<CampaignEnd> {
  const { ledger } = parts
  const runId = ledger.startRun(parts.settings, parts.policy.concurrency)
  try {
    const { stop, ...prepared } = await prepareAndSend(parts)
    const totals = ledger.totals()
    const standing = exitStatusOf(totals, stop, parts.signalStatus())
    const isAnswered = prepared.admitted.every(({ notTaken }) => notTaken === 0)
    const exitCode = standing === 0 && !isAnswered ? SOME_LEFT : standing
    ledger.endRun(runId, { stoppedBy: stop?.kind ?? null, exitCode })
    return { ...prepared, choice: countedChoice(parts), stop, totals, exitCode }
  } catch (error) {
    endAfter(error, () => ledger.endRun(runId, stoppedBy(error)))
    throw error
  }
}

interface Prepared extends Pick<CampaignEnd, 'admitted' | 'leftRefused' | 'held'> {
  /** Why nothing is sent, or null when the rest of the run may go on. */
  readonly stop: Stop | null
}

async function prepareAndSend(parts: CampaignParts): Promise<Prepared> {
  const prepared = await prepare(parts)
  const { ledger } = parts
  if (prepared.stop !== null) return prepared
  const { choice = null } = parts
  const isClaimed = ledger.countReady(choice) > 0 || parts.takesOver === true
  const stop = isClaimed ? await claimAndDeliver(parts) : null
  return {
    ...prepared,
    stop: stop ?? stopOfWaiting(ledger.waiting(choice)) ?? stopOfChoice(countedChoice(parts)),
  }
}

function claimAndDeliver(parts: CampaignParts): Promise<Stop | null> {
  parts.claim?.()
  return deliver(parts)
}

const countedChoice = ({ ledger, choice = null }: CampaignParts): CountedChoice | null =>
  choice === null ? null : { ...choice, left: ledger.view.leftBy(choice) }

/** Everything up to the answer is one transaction: after a no, a signal or an error the ledger is as it was. */
async function prepare(parts: CampaignParts): Promise<Prepared> {
  const { ledger, files, retryRefusedBy, severities, corrector = NOBODY_NAMED, choice = null } = parts
  const isNothingWritten = files.length === 0 && retryRefusedBy === null
  if (isNothingWritten && (ledger.view.campaign().purgedAt !== null || ledger.countReady() === 0)) {
    assertChoosable(choice, ledger.view)
    const isAgreed = await ask(parts, nothingAdmitted)
    return { ...nothingAdmitted, stop: isAgreed ? null : DECLINED }
  }
  const admission = ledger.admit({ severities, corrector, isRetry: files.length === 0 })
  try {
    const { drain: signal, watchReading: watch } = parts
    const admitted = await addSources(admission, files, { signal, watch })
    const leftRefused = retryRefusedBy === null ? 0 : retryRefused(ledger, retryRefusedBy)
    assertChoosable(choice, ledger.view)
    const held = parts.hold?.() ?? NOTHING_HELD
    const isAgreed = await ask(parts, { leftRefused, held })
    if (isAgreed) {
      admission.commit()
      return { admitted, leftRefused, held, stop: null }
    }
    admission.rollback()
    return { ...nothingAdmitted, stop: DECLINED }
  } catch (error) {
    admission.rollback()
    const isInterrupted = parts.drain.aborted && error instanceof Error && error.name === 'AbortError'
    if (isInterrupted) return { ...nothingAdmitted, stop: INTERRUPTED }
    throw error
  }
}

const NOTHING_HELD: HeldRows = { inDoubt: 0, inConflict: 0, replaces: [] }

const nothingAdmitted = { admitted: [], leftRefused: 0, held: NOTHING_HELD } as const

/** @returns how many stay refused: those that a later file has corrected */
function retryRefused(ledger: Ledger, by: string): number {
  ledger.retryRefused(by)
  return ledger.totals().refused
}

/** Nobody is asked when there is nothing to send. */
async function ask(
  parts: CampaignParts,
  { leftRefused, held }: Pick<Plan, 'leftRefused' | 'held'>,
): Promise<boolean> {
  const { ledger, policy, confirm, choice = null } = parts
  const ready = ledger.countReady(choice)
  if (ready === 0) return true
  const toSend = Math.min(ready, policy.limit ?? ready)
  const totals = ledger.totals()
  return confirm({ totals, toSend, choice: countedChoice(parts), leftRefused, held, ledger: ledger.view })
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
