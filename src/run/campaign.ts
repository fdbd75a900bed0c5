import {
  type CountedChoice,
  type Choice,
  type ChosenColumn,
  type PilotRow,
  narrowed,
} from '../domain/row/choice.js'
import type { Corrector } from '../domain/row/correction.js'
import {
  type Expected,
  type Totals,
  exitStatusOf,
  SOME_LEFT,
  verificationOf,
} from '../domain/row/row-state.js'
import { HaltError, UsageError } from '../errors.js'
import type { HeldRows, Resolution, RunSettings } from '../ledger/ledger.js'
import type { Ledger } from '../ledger/file/writer.js'
import type { LedgerReader } from '../ledger/read/open-reader.js'
import {
  addSources,
  decide,
  within,
  type AdmittedSource,
  type OpenCollected,
  type OpenNext,
} from './admit-sources.js'
import { type ReadBy, waitingBeside } from './read-again.js'
import { deliver, type DeliveryParts, type Send } from './deliver.js'
import { SEPA_COUNTRIES, maskAccounts } from '../domain/text/accounts.js'
import { cleanCell, findNames } from '../domain/text/text.js'
import { DECLINED, INTERRUPTED, PILOT_DONE, type Stop, stopOfChoice, stopOfWaiting } from './brake.js'
import type { SeverityOverrides } from '../domain/rule/verdict.js'
import { NO_CUT_OVER } from '../domain/row/cut-over.js'

/** What a run is about to do, known once everything is admitted and before anything is sent. */
export interface RunPreview {
  readonly totals: Totals
  /** Rows that this run will send: those that are ready and that it was told to send, or fewer for a pilot. */
  readonly toSend: number
  /** Null where it may send every ready row. */
  readonly choice: CountedChoice | null
  /** Of a pilot that is spread, the rows that show something new; empty for any other run. */
  readonly pilot: readonly PilotRow[]
  /** Refused rows that stay refused although they were asked for: a later file has corrected them. */
  readonly leftRefused: number
  /** What other ledgers had to do with the rows. */
  readonly held: HeldRows
  /** What became of records that were read again, in sentences. */
  readonly readAgain: readonly string[]
  /** The ledger as it will be once the plan is agreed to; no other process sees it so yet. */
  readonly ledger: LedgerReader
}

/** What a run is asked for: all that is known of it before its ledger is opened, checked. */
export interface Run extends Omit<DeliveryParts, 'ledger' | 'send'> {
  readonly watchReading: (source: string, records: number) => void
  /** 130 or 143 once a signal came. */
  readonly signalStatus: () => number | null
  /** The "today" of the date rules, YYYY-MM-DD. */
  readonly asOf: string
  readonly files: readonly OpenNext[]
  /** Collection files beside them. */
  readonly evidence: readonly OpenCollected[]
  /** How files are read now: what came in by it and was not sent is read again where it has changed. */
  readonly readBy?: ReadBy
  readonly severities: SeverityOverrides
  /** Who gives rows back corrected, and why, where a line does not say it itself. */
  readonly corrector: Corrector
  /** A person said that the exports are newer than what came in before. */
  readonly isNewer: boolean
  /** What people decided: recorded before the files come in, and in one transaction with them. */
  readonly decisions: readonly Resolution[]
  /** Of one of the exports, also of those that are in already. */
  readonly expected: Expected | null
  /** Who asks for refused rows to be sent once more, or null when nobody does. */
  readonly retryRefusedBy: string | null
  /** A pilot is spread over what its rows show, in the place of the first ones. */
  readonly spread?: boolean
  /** It takes the place of other ledgers, also where nothing is left to send. */
  readonly takesOver: boolean
}

/** The same on a ledger that is open, with whom to ask and how to send. */
export interface OpenRun extends Run {
  readonly ledger: Ledger
  readonly settings: RunSettings
  readonly send: Send
  /**
   * Asked once, before the first request. What it binds or decides on the ledger counts with a yes; without one
   * nothing has happened: no file is admitted, no decision recorded, no ledger bound.
   */
  readonly confirm: (plan: RunPreview) => Promise<boolean>
  /** Compares what is ready with what other ledgers claimed, in the transaction that a yes commits. */
  readonly hold: () => HeldRows
  /**
   * Called once what was agreed to is on disk, and before the first request leaves; what it throws ends the run. Here
   * the rows are claimed in the register of campaigns, which must never know more than the ledger does.
   */
  readonly claim: (choice: Choice | null) => void
}

export type CampaignEnd = Awaited<ReturnType<typeof runCampaign>>

/**
 * One run on a ledger that is open: admits the files, asks, then sends what is ready. Running it again continues where
 * the last run ended.
 * @throws {SourceError} for a file that cannot be trusted; nothing was admitted or sent
 * @throws {LedgerError} when the ledger cannot be written; what was under way is in doubt at the next start
 */
export async function runCampaign(run: OpenRun) {
  const { ledger } = run
  const runId = ledger.startRun(run.settings, run.policy.concurrency)
  try {
    const { stop, pilot: _pilot, choice, ...prepared } = await prepareAndSend(run)
    const totals = ledger.totals()
    // While anything can be sent it makes no difference what else is open.
    const cutOver = ledger.hasReady() ? NO_CUT_OVER : ledger.view.openCutOver()
    const verification = verificationOf(totals.registered, ledger.view.verificationCounts())
    const standing = exitStatusOf(totals, stop, run.signalStatus(), cutOver, verification)
    const isAnswered =
      prepared.held.missing === 0 && prepared.admitted.every(({ notTaken }) => notTaken === 0)
    const exitCode = standing === 0 && !isAnswered ? SOME_LEFT : standing
    ledger.endRun(runId, { stoppedBy: stop?.kind ?? null, exitCode })
    const mandates = ledger.view.mandates()
    return {
      ...prepared,
      /** What the run was told to send alone, and how many ready rows that leaves; null where it was told nothing. */
      choice: counted(ledger, choice),
      ...{ stop, totals, mandates, exitCode },
    }
  } catch (error) {
    endAfter(error, () => ledger.endRun(runId, stoppedBy(error)))
    throw error
  }
}

interface Brought extends Pick<RunPreview, 'leftRefused' | 'held' | 'readAgain'> {
  readonly admitted: readonly AdmittedSource[]
  /** What the run was told to send, without what has to be read again first. */
  readonly choice: Choice | null
  /** Chosen once all is in; null for the first rows. */
  readonly pilot: ReturnType<Ledger['pilot']> | null
}

const NOTHING_BROUGHT: Brought = {
  ...{ admitted: [], leftRefused: 0, readAgain: [], pilot: null, choice: null },
  held: { inDoubt: 0, begunOtherwise: 0, inConflict: 0, inCutOver: 0, missing: 0, replaces: [] },
}

/** @returns what came in, and why the run ended early, or null */
async function prepareAndSend(run: OpenRun): Promise<Brought & { readonly stop: Stop | null }> {
  const brought = await prepare(run)
  if ('why' in brought) return { ...NOTHING_BROUGHT, choice: run.choice, stop: brought }
  const { pilot, choice } = brought
  const { ledger } = run
  const isClaimed = ledger.hasReady(choice) || run.takesOver
  const sent = pilot === null ? choice : { only: [], countries: null, ...choice, rows: pilot.rows }
  if (isClaimed) run.claim(sent)
  const stopped = isClaimed ? await deliver({ ...run, choice: sent }) : null
  const stop = stopped ?? (pilot !== null && ledger.hasReady(choice) ? PILOT_DONE : null)
  return {
    ...brought,
    stop: stop ?? stopOfWaiting(ledger.waiting(choice)) ?? stopOfChoice(counted(ledger, choice)),
  }
}

const counted = ({ view }: Pick<Ledger, 'view'>, choice: Choice | null): CountedChoice | null =>
  choice === null ? null : { ...choice, left: view.leftBy(choice) }

/** A stop where nothing came in. */
async function prepare(run: OpenRun): Promise<Brought | Stop> {
  const { ledger, files, evidence, decisions, retryRefusedBy, choice, expected } = run
  const isNothingWritten =
    files.length + evidence.length + decisions.length === 0 && retryRefusedBy === null && expected === null
  if (isNothingWritten && ledger.view.campaign().purgedAt !== null) {
    assertChoosable(choice, ledger.view)
    const brought = { ...NOTHING_BROUGHT, choice }
    return (await ask(run, brought)) ? brought : DECLINED
  }
  try {
    return (await bringIn(run, (all) => ask(run, all))) ?? DECLINED
  } catch (error) {
    // Whoever aborts may give a reason of their own.
    const isAbort = error === run.drain.reason || (error instanceof Error && error.name === 'AbortError')
    if (run.drain.aborted && isAbort) return INTERRUPTED
    throw error
  }
}

/**
 * All that a run does to its ledger before it asks, and a plan to see what that would be. It is one transaction: after a no,
 * a signal or an error the ledger is as it was.
 * @returns null after a no
 */
export async function bringIn(
  run: Run & Pick<OpenRun, 'ledger' | 'hold'>,
  isAgreed: (brought: Brought) => boolean | Promise<boolean>,
): Promise<Brought | null> {
  const { ledger, files, evidence, decisions, retryRefusedBy, readBy } = run
  const { severities, corrector, isNewer, expected, drain: signal, watchReading: watch } = run
  const admission = ledger.admit({ severities, corrector, isNewer, isRetry: files.length === 0 })
  return within(admission, async () => {
    decide(ledger, decisions)
    const options = { severities, evidence, signal, watch, readBy, limit: run.policy.limit }
    const { admitted, readAgain, given } = await addSources(admission, files, options)
    if (evidence.length > 0) admission.tellMissing()
    if (expected !== null) ledger.expect(expected)
    if (retryRefusedBy !== null) ledger.retryRefused(retryRefusedBy)
    // Those stay refused that a later file has corrected.
    const leftRefused = retryRefusedBy === null ? 0 : ledger.totals().refused
    admission.compareEarlier(run.asOf)
    assertChoosable(run.choice, ledger.view)
    const choice = await withoutWaiting(run, given)
    const held = run.hold()
    const isRead = admitted.length === 0 ? readAgain.length > 0 : admitted.some(isNewExport)
    const pilot = pilotOf(run, choice, isRead ? admission.first : null)
    const brought = { admitted, leftRefused, held, readAgain, pilot, choice }
    return (await isAgreed(brought)) ? brought : null
  })
}

/** More rows than a person looks at are sent in their order: those of a pilot are listed one by one. */
const LARGEST_PILOT = 1_000

/** What was corrected in a list was looked at by a person. */
const isNewExport = ({ kind, isResultFile }: AdmittedSource): boolean => kind === 'admitted' && !isResultFile

/** @param first the first row that came in, or was read again, with this command: a pilot shows whether these are read rightly */
function pilotOf(
  { ledger, spread, policy: { limit } }: Run & Pick<OpenRun, 'ledger'>,
  choice: Choice | null,
  first: number | null,
): Brought['pilot'] {
  if (limit === null) return null
  if (spread === true) return ledger.pilot(limit, choice)
  return first === null || first === 1 || limit > LARGEST_PILOT
    ? null
    : { rows: ledger.firstFrom(first, limit, choice), told: [] }
}

/**
 * What another configuration read that has changed since is not sent as it was read: a run with that one reads it again. It is
 * asked once everything has come in, since files that are given again are read by this run.
 */
async function withoutWaiting(
  { ledger, readBy, choice, drain: signal }: Run & Pick<OpenRun, 'ledger'>,
  given: ReadonlySet<string>,
): Promise<Choice | null> {
  if (readBy === undefined) return choice
  const isRead = (sha256: string): boolean => readBy.configuration !== null && given.has(sha256)
  const waiting = (await waitingBeside(ledger.view, readBy, signal)).flatMap((one) =>
    one.because === null || one.isItsOwn || isRead(one.sha256)
      ? []
      : [
          [
            one.sha256,
            `"${maskAccounts(one.name)}", which waits to be read again with ${one.readWith ?? ''}`,
          ] as const,
        ],
  )
  if (waiting.length === 0) return choice
  return narrowed({ only: [], countries: null, waiting: Object.fromEntries(waiting) }, choice)
}

/** Nobody is asked when there is nothing to send. */
async function ask(run: OpenRun, { pilot, choice, ...brought }: Brought): Promise<boolean> {
  const { ledger, policy } = run
  if (!ledger.hasReady(choice)) return true
  return run.confirm({
    ...{ totals: ledger.totals(), toSend: ledger.countReady(choice, policy.limit), ledger: ledger.view },
    ...{ choice: counted(ledger, choice), pilot: pilot?.told ?? [], ...brought },
  })
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

/** A choice as a caller gives it. */
interface ChoiceOptions {
  readonly only?: readonly ChosenColumn[] | undefined
  readonly countries?: readonly string[] | undefined
}

/** @throws {UsageError} for what names no rows, and for an account number, since what a run was asked is kept */
export function readChoice({ only = [], countries = [] }: ChoiceOptions): Choice | null {
  if (!Array.isArray(only) || !Array.isArray(countries))
    throw wrong('only and countries are lists', 'Give them as { only: [{ column, values }], countries }')
  const codes = countries.map((code) => String(code).trim().toUpperCase())
  const unknown = codes.find((code) => !SEPA_COUNTRIES.has(code))
  if (unknown !== undefined)
    throw wrong(
      `"${maskAccounts(unknown)}" is no country of SEPA`,
      'Give two letters each, such as AT,DE: the first two of the account numbers',
    )
  const columns = only.map(readColumn)
  return columns.length + codes.length === 0
    ? null
    : { only: columns, countries: codes.length === 0 ? null : [...new Set(codes)] }
}

function readColumn({ column, values }: ChosenColumn): ChosenColumn {
  if (typeof column !== 'string' || !Array.isArray(values) || values.length === 0)
    throw wrong('a column without values', NAME_BOTH)
  const name = cleanCell(column)
  const cleaned = values.map((value) => cleanCell(String(value)))
  const texts = [name, ...cleaned]
  if (texts.some((text) => maskAccounts(text) !== text))
    throw wrong('an account number stands in it', 'Choose rows by another column')
  if (texts.includes('')) throw wrong(`"${name}" with an empty name or value`, NAME_BOTH)
  return { column: name, values: [...new Set(cleaned)] }
}

const NAME_BOTH = 'Name a column of the export and the values that its rows have'

/**
 * Of several sources one need not have the column: its rows are not chosen.
 * @throws {UsageError} for a column that no source has, or that one has twice
 */
export function assertChoosable(choice: Choice | null, ledger: Pick<LedgerReader, 'sources'>): void {
  if (choice === null || choice.only.length === 0) return
  const sources = ledger.sources()
  for (const { column } of choice.only) {
    const found = sources.map((source) => ({ source, count: findNames(source.header, column).length }))
    const twice = found.find(({ count }) => count > 1)
    if (twice !== undefined)
      throw wrong(
        `"${maskAccounts(twice.source.name)}" has more than one column "${column}"`,
        'Choose by another column',
      )
    if (!found.some(({ count }) => count > 0)) throw wrong(`no file has a column "${column}"`, NAME_BOTH)
  }
}

const wrong = (what: string, next: string): UsageError =>
  new UsageError(`Cannot choose rows: ${what}; nothing was sent`, next)
