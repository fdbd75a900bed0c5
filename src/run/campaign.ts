import type { SeverityOverrides } from '../domain/rule/rules.js'
import type { Totals } from '../domain/row/totals.js'
import { heldReady, type Selection, type SendingOrder, type Wave } from '../domain/wave/wave.js'
import { HaltError, UsageError } from '../errors.js'
import type { Ledger, RunSettings } from '../ledger/ledger.js'
import type { LedgerReader } from '../ledger/read/reader.js'
import { addSources, type AdmitOptions, type AdmittedSource, type OpenNext } from './admit-sources.js'
import { deliver, type DeliveryParts } from './deliver.js'
import type { Disk, DiskSpace } from './disk/disk-space.js'
import { exitStatusOf, SOME_LEFT } from './exit-status.js'
import { DECLINED, INTERRUPTED, stopOfWaiting, stopOfWaves, type Stop } from './stop.js'
import { allotWaves } from './waves/allot-waves.js'

/** What a run is about to do, known once everything is admitted and before anything is sent. */
export interface Plan {
  readonly totals: Totals
  /** Rows that this run will send: those that are ready, or fewer for a pilot. */
  readonly toSend: number
  /** Refused rows that stay refused although they were asked for: a later file has corrected them. */
  readonly leftRefused: number
  /** The ledger as it will be once the plan is agreed to; no other process sees it so yet. */
  readonly ledger: LedgerReader
  /** What the run needs on the disk of the ledger and what is free there; null where nobody looked. */
  readonly disk: DiskSpace | null
}

export interface CampaignParts extends Omit<DeliveryParts, 'ledger'> {
  readonly ledger: Ledger
  readonly files: readonly OpenNext[]
  readonly severities: SeverityOverrides
  readonly settings: RunSettings
  /** The parts in which the campaign is sent; null where nothing was said of any. */
  readonly waves?: readonly Wave[] | null
  /** Which of them this run sends, by name; null for all that are not held. */
  readonly only?: readonly string[] | null
  /** Which row of a wave goes first. */
  readonly order?: SendingOrder
  /** Who asks for refused rows to be sent once more, or null when nobody does. */
  readonly retryRefusedBy: string | null
  /**
   * Asked once, before the first request. What it binds or decides on the ledger counts with a yes; without one
   * nothing has happened: no file is admitted, no decision recorded, no ledger bound.
   */
  readonly confirm: (plan: Plan) => Promise<boolean>
  /**
   * Called once what was agreed to is on disk, and before the first request leaves; what it throws ends the run. Here
   * the ledger is claimed in the register of campaigns, which must never know more than the ledger does.
   */
  readonly claim?: () => void
  /** Looks at the disk of the ledger before a file is read and before anything is sent; left out, nobody does. */
  readonly disk?: Disk
  readonly startAside?: AdmitOptions['startAside']
  readonly watchReading: (source: string, records: number) => void
  /** 130 or 143 once a signal came. */
  readonly signalStatus: () => number | null
}

export interface CampaignEnd {
  readonly admitted: readonly AdmittedSource[]
  /** As in the plan. */
  readonly leftRefused: number
  /** As in the plan; null where there was nothing to send. */
  readonly disk: DiskSpace | null
  readonly stop: Stop | null
  readonly totals: Totals
  readonly exitCode: number
}

/**
 * One run on a ledger that is open: admits the files, asks, then sends what is ready. Running it again continues where
 * the last run ended.
 * @throws {SourceError} for a file that cannot be trusted; nothing was admitted or sent
 * @throws {LedgerError} when the ledger cannot be written; what was under way is in doubt at the next start. Or when
 *   its disk is too full for the run; nothing was admitted or sent
 */
export async function runCampaign(parts: CampaignParts): Promise<CampaignEnd> {
  const { ledger } = parts
  lookAtDisk(parts)
  const runId = ledger.startRun(parts.settings, parts.policy.concurrency)
  try {
    const { stop, ...prepared } = await prepareAndSend(parts)
    const totals = ledger.totals()
    const standing = exitStatusOf(totals, stop, parts.signalStatus())
    const isAnswered = prepared.admitted.every(({ notTaken }) => notTaken === 0)
    const exitCode = standing === 0 && !isAnswered ? SOME_LEFT : standing
    ledger.endRun(runId, { stoppedBy: stop?.kind ?? null, exitCode })
    return { ...prepared, stop, totals, exitCode }
  } catch (error) {
    endAfter(error, () => ledger.endRun(runId, stoppedBy(error)))
    throw error
  }
}

function lookAtDisk({ disk, ledger, policy }: CampaignParts): void {
  const { limit, concurrency } = policy
  disk?.beforeReading({ limit, underWay: concurrency }, () => ledger.view.sources().map(({ bytes }) => bytes))
}

interface Prepared extends Pick<CampaignEnd, 'admitted' | 'leftRefused' | 'disk'> {
  /** Why nothing is sent, or null when the rest of the run may go on. */
  readonly stop: Stop | null
}

async function prepareAndSend(parts: CampaignParts): Promise<Prepared> {
  const prepared = await prepare(parts)
  const { ledger } = parts
  if (prepared.stop !== null) return prepared
  const selection = selectionOf(parts)
  const stop = countReady(ledger, selection) === 0 ? null : await claimAndDeliver(parts, selection)
  return { ...prepared, stop: stop ?? stopOfWaiting(ledger.waiting()) ?? stopOfLeft(parts) }
}

async function claimAndDeliver(parts: CampaignParts, selection: Selection | null): Promise<Stop | null> {
  parts.claim?.()
  if (selection === null) return deliver(parts)
  const next = parts.ledger.select(selection)
  // It knows by itself how far it has come, since the order is not that of the ids.
  return deliver({ ...parts, ledger: { ...parts.ledger, ready: (_after, limit) => [...next(limit)] } })
}

/** Null for every ready row in the order of the ids, which costs nothing. */
const selectionOf = ({ waves = null, only = null, order = 'row' }: CampaignParts): Selection | null =>
  (waves === null || waves.length === 0) && order === 'row' ? null : { only, order }

const countReady = (ledger: Ledger, selection: Selection | null): number =>
  selection === null ? ledger.countReady() : ledger.countSelected(selection)

/** Why rows are left although all that this run may send was sent. */
function stopOfLeft({ ledger, waves = null }: CampaignParts): Stop | null {
  if (waves === null || waves.length === 0) return null
  const records = ledger.view.waves()
  return stopOfWaves({ ready: ledger.totals().ready, held: heldReady(records) })
}

/**
 * Within the transaction of the admission: a no takes it back. Of a purged ledger nothing is known any more by which rows
 * could be told apart, and nothing is sent.
 * @throws {UsageError} where the ledger has waves and nobody said what they are now
 */
export function allot({ ledger, waves = null }: Pick<CampaignParts, 'ledger' | 'waves'>): void {
  const areUsed = ledger.waves.areUsed()
  if (waves === null && areUsed)
    throw new UsageError(
      'The campaign has waves, and this run knows of none: rows of a wave that is held would be sent; nothing was sent',
      'Name the configuration that has them. Where there are none any more, say so there: waves: []',
    )
  if (waves === null || (waves.length === 0 && !areUsed) || ledger.view.campaign().purgedAt !== null) return
  const isRebuilt = ledger.view.runs().some(({ settings }) => settings.rebuilt !== undefined)
  if (isRebuilt && waves.some(({ held }) => held === true))
    throw new UsageError(
      'The ledger was made in the place of a lost one, which alone knew the waves of its rows: none of them can be held; nothing was sent',
      'Write off what must not be sent, or exclude it, and take "held" out of the waves',
    )
  allotWaves(waves, { rows: ledger.waves, sources: ledger.view.sources() })
}

/** Everything up to the answer is one transaction: after a no, a signal or an error the ledger is as it was. */
async function prepare(parts: CampaignParts): Promise<Prepared> {
  const { ledger, files, retryRefusedBy, severities, waves = null } = parts
  const isNothingWritten = files.length === 0 && retryRefusedBy === null
  if (
    isNothingWritten &&
    (ledger.view.campaign().purgedAt !== null || (waves === null && !ledger.waves.areUsed()))
  ) {
    const { isAgreed, disk } = await ask(parts, nothingAdmitted)
    return { ...nothingAdmitted, disk, stop: isAgreed ? null : DECLINED }
  }
  const admission = ledger.admit({ severities, isRetry: files.length === 0 })
  try {
    const { drain: signal, watchReading: watch, startAside } = parts
    const admitted = await addSources(admission, files, { signal, watch, startAside })
    const leftRefused = retryRefusedBy === null ? 0 : retryRefused(ledger, retryRefusedBy)
    allot(parts)
    const { isAgreed, disk } = await ask(parts, { admitted, leftRefused })
    if (isAgreed) {
      admission.commit()
      return { admitted, leftRefused, disk, stop: null }
    }
    admission.rollback()
    return { ...nothingAdmitted, disk, stop: DECLINED }
  } catch (error) {
    admission.rollback()
    const isInterrupted = parts.drain.aborted && error instanceof Error && error.name === 'AbortError'
    if (isInterrupted) return { ...nothingAdmitted, stop: INTERRUPTED }
    throw error
  }
}

const nothingAdmitted = { admitted: [], leftRefused: 0, disk: null } as const

/** @returns how many stay refused: those that a later file has corrected */
function retryRefused(ledger: Ledger, by: string): number {
  ledger.retryRefused(by)
  return ledger.totals().refused
}

/** Nobody is asked when there is nothing to send. */
async function ask(
  parts: CampaignParts,
  { admitted, leftRefused }: Pick<CampaignEnd, 'admitted' | 'leftRefused'>,
): Promise<{ isAgreed: boolean; disk: DiskSpace | null }> {
  const { ledger, policy, confirm, disk: look } = parts
  const ready = countReady(ledger, selectionOf(parts))
  const records = admitted.map((source) => (source.kind === 'admitted' ? source.records : 0))
  if (ready === 0 && records.every((count) => count === 0)) return { isAgreed: true, disk: null }
  const toSend = Math.min(ready, policy.limit ?? ready)
  const totals = ledger.totals()
  const disk = look?.beforeSending({ toSend, totals, records }) ?? null
  const isAgreed = ready === 0 || (await confirm({ totals, toSend, leftRefused, ledger: ledger.view, disk }))
  return { isAgreed, disk }
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
