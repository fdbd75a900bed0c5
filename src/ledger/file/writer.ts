import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { NOBODY_NAMED, type Corrector } from '../../domain/row/correction.js'
import type { Expected } from '../../domain/row/expected.js'
import { openAdmission, type Admission } from '../admit/admission.js'
import {
  assertNotPurged,
  bind,
  createCampaign,
  endRun,
  fingerprintsOf,
  insertRun,
  isBound,
  noteChange,
  noteHolder,
  noteUnendedRuns,
  recover,
  UNNOTICED,
} from '../deliver/campaign-rows.js'
import { emptyLog, type Connection } from './connection.js'
import { startGroupCommit } from '../deliver/delivery.js'
import { openEmergencyFile, type EmergencyFile } from '../safety/emergency-file.js'
import type { ApprovalGiven, BegunGroup, Resolution, RunSettings, Target } from '../ledger.js'
import type { Approver, PlanDocument } from '../../domain/plan/plan.js'
import type { Choice } from '../../domain/row/choice.js'
import type { SeverityOverrides } from '../../domain/rule/verdict.js'
import type { Clock } from '../../domain/mandate/date.js'
import { recordComparison, type ComparisonTerms } from '../compare/comparison.js'
import { recordExpected } from '../compare/expected.js'
import { openScratchBeside } from './scratch.js'
import { createReader, readTotals } from '../read/open-reader.js'
import { prepareReadyRows, createClaims } from '../deliver/ready-rows.js'
import { purgeVerbs } from '../decide/purge.js'
import { resolveRows, retryRefused } from '../decide/resolution.js'
import { recordApproval, recordPlan } from '../plan/plans.js'
import { readBackVerbs } from '../prove/read-backs.js'
import { createWho } from '../prove/who.js'
import { createStorage } from './storage.js'
import type { Lock } from '../safety/side-files.js'

export interface LedgerOptions {
  readonly file: string
  readonly clock: Clock
  /** Makes the file where there is none; true when left out. */
  readonly create?: boolean
  /** Allows a folder that others can write: the operator knows better. False when left out. */
  readonly sharedFolder?: boolean
  /** Who opens it, for the text that refuses a second process. */
  readonly pid?: number
  /** The user of the operating system, recorded beside every decision. */
  readonly user?: string | null
  /** Runs the group commit once the events of this turn have been told; `setImmediate` when left out. */
  readonly defer?: (flush: () => void) => void
  /** Secret, ledger id and request ids come from here. */
  readonly random?: (bytes: number) => Uint8Array
  /** Told how long each commit of a run took, milliseconds, and how many intents and outcomes it held. Must not throw. */
  readonly committed?: (tookMs: number, events: number) => void
}

const RETRY = 'send refused rows again from'

/**
 * After this many settled rows the write-ahead log is emptied, so that removed account numbers leave the disk; not twice
 * within `LOG_INTERVAL_MS`, because each time is a flush more.
 */
const SETTLED_PER_LOG = 2_000
const LOG_INTERVAL_MS = 1_000

const USUAL_UNDER_WAY = 8

const PLANNED_RUN: RunSettings = { version: '', host: '', pid: 0, asOf: '', zone: '', settings: {} }

/**
 * UUIDs of version 8 (RFC 9562): 74 random bits for this process and a count, so that each is made without asking for
 * random numbers and finds its place at the end of the index.
 */
function requestIds(random: (bytes: number) => Uint8Array): () => string {
  const bytes = random(10)
  const hex = Buffer.from(bytes).toString('hex')
  const variant = '89ab'.charAt((bytes[9] ?? 0) & 3)
  const start = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(12, 15)}-${variant}${hex.slice(15, 18)}-`
  let count = 0
  return () => start + (count += 1).toString(16).padStart(12, '0')
}

export interface LedgerParts extends LedgerOptions {
  /** The file was found without the write-ahead log that a run leaves behind when it dies. */
  readonly isLogMissing?: boolean
  readonly connection: Connection
  readonly lock: Lock
}

/** A ledger that is held for writing. The functions below change it; nobody else sees it. */
type Held = ReturnType<typeof hold>

/** The ledger as the one process that holds the lock sees it. */
export type Ledger = ReturnType<typeof createLedger>
/** What the service holds, as far as it was asked; no state changes by it (ledger/README.md#evidence). */
export type ReadBacks = Ledger['readBacks']

/** Puts the verbs together over a connection that is configured and migrated. */
export function createLedger(parts: LedgerParts) {
  const held = hold(parts)
  const { connection, file, now, storage } = held
  const recovered = takeOver(held)
  const newRequestId = requestIds(held.random)
  const commits = startGroupCommit({
    connection,
    now,
    newRequestId,
    severities: () => held.severities,
    runId: () => currentRun(held),
    emergency: () => held.emergency,
    defer: parts.defer ?? setImmediate,
    write: storage.writeOrBreak,
    begun: (group) => held.noteBegun(group),
    committed: parts.committed ?? (() => undefined),
    settled: (count) => noteSettled(held, count),
  })
  const { begin, settle, hasAssigned } = commits
  const ready = prepareReadyRows(connection, {
    file,
    nowMs: held.clock.now,
    fingerprints: () => fingerprintsOf(connection, file, 'send from'),
  })
  return {
    file,
    /** Rows that an earlier process left in `sending`; they are in doubt now. */
    recovered,
    /** Changes nothing. @throws {LedgerError} `other_campaign` when it belongs to another service or user */
    assertBelongsTo: (campaign: Target) => void isBound(connection, file, campaign),
    /**
     * Binds a new ledger to a service, or checks that it is the same. While an admission is open it is part of it.
     * @throws {LedgerError} `other_campaign`
     */
    bind: (campaign: Target) => storage.join(() => bind(connection, file, campaign, now())),
    /** The ledger as this process sees it, with what an open admission holds. Closing it does nothing. */
    view: { ...createReader(connection, file), close: () => undefined },
    /**
     * @param underWay requests that may be under way; so many answers have their place on disk from now on
     * @throws {LedgerError} `unwritable` where the disk has no room for them
     */
    startRun: (settings: RunSettings, underWay = USUAL_UNDER_WAY) => startRun(held, settings, underWay),
    endRun: (id: number, end: Parameters<typeof endRun>[2]): void => {
      commits.flush()
      storage.write(() => endRun(connection, id, end, now()))
      held.runId = null
    },
    admit: (options: AdmitRequest) => admit(held, options),
    /** `page` of `prepareReadyRows`. */
    ready: (after: number, limit: number, choice: Choice | null = null) => {
      storage.assertSound()
      return storage.guard(() => ready.page(after, limit, choice))
    },
    /** How many rows `ready` gives. */
    countReady: (choice: Choice | null = null) => ready.count(choice),
    hasReady: (choice: Choice | null = null) => ready.isAny(choice),
    waiting: (choice: Choice | null = null) => ready.waiting(choice),
    pilot: ready.pilot,
    begin,
    settle,
    hasAssigned,
    /**
     * Records what a person decided, all of it or nothing. Within 15 minutes of the intent, when a late request may
     * still arrive, a row in doubt becomes neither `resend` nor `refused`; `force` allows the resend, and it alone, and
     * the evidence of the decision says so. While an admission is open they are part of it.
     */
    resolve: (
      resolutions: readonly Resolution[],
      { dryRun, force = false }: { dryRun: boolean; force?: boolean },
    ) => storage.join(() => resolveRows({ connection, nowMs: held.clock.now(), resolutions, dryRun, force })),
    /**
     * Makes every refused row ready again, each as a decision of that person, but those that a later file has
     * corrected. While an admission is open it is part of it.
     * @returns how many there were
     */
    retryRefused: (by: string) =>
      storage.join(() => {
        assertNotPurged(connection, file, RETRY)
        return retryRefused(connection, by, now())
      }),
    ...purgeVerbs(held, () => {
      held.emergency?.close()
      held.emergency = null
    }),
    claims: createClaims({
      connection,
      now,
      newRequestId,
      storage,
      // A plan does what a run would do, and takes it back.
      runId: () =>
        held.runId ?? (held.isAdmitting ? insertRun(connection, PLANNED_RUN, now()) : currentRun(held)),
      toSend: ready.toSend,
      noteWith: (note) => (held.noteBegun = note),
    }),
    readBacks: readBackVerbs(held),
    who: createWho(held),
    /** What is planned and approved before it is sent. Both are recorded once and never change. */
    plans: {
      /**
       * Records what was planned, with the latest decision on a row so far. The first plan binds the approvers.
       * @throws {UsageError} for other approvers than those that are bound
       */
      record: (document: PlanDocument, approvers: readonly Approver[]) =>
        storage.write(() => recordPlan(connection, document, approvers)),
      /** As `recordApproval`. */
      approve: (approval: ApprovalGiven) => storage.write(() => recordApproval(connection, approval, now())),
    },
    /** How the last export stands to the ledger; no row changes by it. */
    comparisons: {
      /** Where that export is admitted alone. @throws {LedgerError} `unwritable` once the ledger was purged */
      open: () => openScratchBeside(assertNotPurged(connection, file, 'compare an export with'), held.clock),
      /** As `recordComparison`. */
      record: ({ connection: final }: ReturnType<typeof openScratchBeside>, terms: ComparisonTerms) =>
        storage.write(() => recordComparison(connection, final, terms, now())),
    },
    totals: () => readTotals(connection),
    /** As `recordExpected`; part of an admission that is open. */
    expect: (expected: Expected) =>
      storage.join(() => {
        recordExpected(connection, expected)
        noteChange(connection, now())
      }),
    /** Commits what waits, empties the write-ahead log and frees the lock. Never throws. */
    close: () => close(held, commits.flush),
    /**
     * True after `close` when another program was reading the ledger: old pages, with account numbers that were removed,
     * are still on disk until the ledger is opened for writing and closed again.
     */
    holdsOldPages: () => held.isClosed && !held.isEmptied,
  }
}

function hold(parts: LedgerParts) {
  const file = resolve(parts.file)
  return {
    ...parts,
    file,
    random: parts.random ?? randomBytes,
    storage: createStorage(parts.connection, file),
    now: () => new Date(parts.clock.now()).toISOString(),
    runId: null as number | null,
    severities: {} as SeverityOverrides,
    emergency: null as EmergencyFile | null,
    noteBegun: (() => undefined) as (group: BegunGroup) => void,
    isAdmitting: false,
    settledSinceEmptied: 0,
    emptiedMs: -Infinity,
    isClosed: false,
    isEmptied: true,
  }
}

/** @returns how many rows an earlier process left in `sending` */
function takeOver({ connection, file, now, storage, random, pid, user, isLogMissing }: Held): number {
  return storage.write(() => {
    createCampaign(connection, random, now())
    noteHolder(connection, { pid: pid ?? null, user: user ?? null }, now())
    return recover(connection, file, now(), isLogMissing)
  })
}

function noteSettled(held: Held, count: number): void {
  held.settledSinceEmptied += count
  if (held.settledSinceEmptied < SETTLED_PER_LOG) return
  const nowMs = held.clock.monotonic()
  if (nowMs - held.emptiedMs < LOG_INTERVAL_MS || !emptyLogNow(held)) return
  held.settledSinceEmptied = 0
  held.emptiedMs = nowMs
}

function currentRun({ runId }: Held): number {
  if (runId === null) throw new Error('Cannot begin an attempt before a run was started')
  return runId
}

/** A reader may hold the log: then false, and a later call tries again. A fault stops the next write, not this. */
function emptyLogNow({ storage, connection }: Held): boolean {
  try {
    return storage.guard(() => emptyLog(connection))
  } catch {
    return false
  }
}

function startRun(held: Held, settings: RunSettings, underWay: number): number {
  const { connection, file, now, storage } = held
  storage.assertSound()
  held.emergency?.close()
  held.emergency = storage.guard(() => openEmergencyFile(file, underWay))
  const runId = storage.write(() => insertRun(connection, settings, now()))
  held.runId = runId
  held.severities = settings.settings.rules ?? {}
  emptyLogNow(held) // so that the file itself says that a run has begun, should its log be lost
  return runId
}

export interface AdmitRequest {
  readonly severities: SeverityOverrides
  /** No file comes in and refused rows alone become ready: an error then says so. */
  readonly isRetry?: boolean
  /** Who gives rows back, and why, where a line does not say it itself. */
  readonly corrector?: Corrector
  /** A person said that the exports are newer than what came in before. */
  readonly isNewer?: boolean
}

/** @throws {LedgerError} `unwritable` once the ledger was purged */
function admit(
  held: Held,
  { severities, isRetry = false, corrector = NOBODY_NAMED, isNewer = false }: AdmitRequest,
): Admission {
  const { connection, file, now, storage } = held
  storage.assertSound()
  if (held.isAdmitting) throw new Error('Cannot admit while another admission is open')
  const fingerprints = fingerprintsOf(connection, file, isRetry ? RETRY : 'admit files into')
  const admission = openAdmission({
    connection,
    fingerprints,
    severities,
    corrector,
    isNewer,
    now,
    guard: storage.guard,
    ended: (isCommitted) => {
      held.isAdmitting = false
      if (isCommitted) emptyLogNow(held)
    },
  })
  held.isAdmitting = true
  return admission
}

function close(held: Held, flush: () => void): void {
  if (held.isClosed) return
  held.isClosed = true
  const { connection, lock } = held
  flush()
  if (connection.inTransaction) connection.exec('rollback')
  if (held.runId !== null) noteEnd(held)
  held.emergency?.close()
  held.isEmptied = emptyLogNow(held)
  connection.close()
  lock.release()
}

/** A run that is closed on the way must not look like one whose process died. */
function noteEnd({ connection, storage, now }: Held): void {
  try {
    storage.write(() => {
      if (noteUnendedRuns(connection, UNNOTICED) > 0) noteChange(connection, now())
    })
  } catch {
    // The ledger takes no write any more, and the next start says so.
  }
}
