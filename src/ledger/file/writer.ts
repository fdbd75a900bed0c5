import { randomBytes } from 'node:crypto'
import type { Fingerprints } from '../admit/fingerprints.js'
import { resolve } from 'node:path'
import { NOBODY_NAMED } from '../../domain/row/correction.js'
import { openAdmission } from '../admit/admission.js'
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
import { startGroupCommit, type GroupCommit } from '../deliver/delivery.js'
import { openEmergencyFile, type EmergencyFile } from '../safety/emergency-file.js'
import type { Admission, BegunGroup, Ledger, ReadBacks, RunSettings } from '../ledger.js'
import type { Clock } from '../../domain/mandate/date.js'
import { afterErasure, erase, eraseRows, removeAccounts } from '../decide/purge.js'
import { createReader, readTotals } from '../read/open-reader.js'
import { prepareReadyRows, type ReadyRows, createClaims } from '../deliver/ready-rows.js'
import { resolveRows, retryRefused } from '../decide/resolution.js'
import { recordApproval, recordPlan } from '../plan/plans.js'
import {
  endReadBack,
  heldRowsOf,
  queueOf,
  recordAnswers,
  startBeforeSending,
  startReadBack,
} from '../prove/read-backs.js'
import { createStorage, type Storage } from './storage.js'
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
interface Held {
  readonly connection: Connection
  readonly file: string
  readonly clock: Clock
  readonly lock: Lock
  readonly storage: Storage
  readonly now: () => string
  runId: number | null
  emergency: EmergencyFile | null
  noteBegun: (group: BegunGroup) => void
  isAdmitting: boolean
  settledSinceEmptied: number
  emptiedMs: number
  isClosed: boolean
  isEmptied: boolean
}

/** Puts the verbs together over a connection that is configured and migrated. */
export function createLedger(parts: LedgerParts): Ledger {
  const random = parts.random ?? randomBytes
  const held = hold(parts)
  const { connection, file, now, storage } = held
  const recovered = takeOver(held, parts, random)
  const newRequestId = requestIds(random)
  const commits = startGroupCommit({
    connection,
    now,
    newRequestId,
    runId: () => currentRun(held),
    emergency: () => held.emergency,
    defer: parts.defer ?? setImmediate,
    write: storage.writeOrBreak,
    begun: (group) => held.noteBegun(group),
    committed: parts.committed ?? (() => undefined),
    settled: (count) => noteSettled(held, count),
  })
  const ready = readyVerbs(held)
  return {
    file,
    recovered,
    assertBelongsTo: (campaign) => void isBound(connection, file, campaign),
    bind: (campaign) => join(held, () => bind(connection, file, campaign, now())),
    view: { ...createReader(connection, file), close: () => undefined },
    startRun: (settings, underWay = USUAL_UNDER_WAY) => startRun(held, settings, underWay),
    endRun: (id, end) => {
      commits.flush()
      storage.write(() => endRun(connection, id, end, now()))
      held.runId = null
    },
    admit: (options) => admit(held, options),
    ...ready.verbs,
    begin: commits.begin,
    settle: commits.settle,
    hasAssigned: commits.hasAssigned,
    ...decisionVerbs(held),
    claims: createClaims({
      connection,
      now,
      newRequestId,
      write: storage.write,
      join: (body) => join(held, body),
      // A plan does what a run would do, and takes it back.
      runId: () =>
        held.runId ?? (held.isAdmitting ? insertRun(connection, PLANNED_RUN, now()) : currentRun(held)),
      toSend: ready.toSend,
      noteWith: (note) => (held.noteBegun = note),
    }),
    readBacks: readBackVerbs(held),
    plans: {
      record: (document, approvers) => storage.write(() => recordPlan(connection, document, approvers)),
      approve: (approval) => storage.write(() => recordApproval(connection, approval, now())),
    },
    totals: () => readTotals(connection),
    close: () => close(held, commits),
    holdsOldPages: () => held.isClosed && !held.isEmptied,
  }
}

function hold({ connection, clock, lock, file: given }: LedgerParts): Held {
  const file = resolve(given)
  return {
    connection,
    file,
    clock,
    lock,
    storage: createStorage(connection, file),
    now: () => new Date(clock.now()).toISOString(),
    runId: null,
    emergency: null,
    noteBegun: () => undefined,
    isAdmitting: false,
    settledSinceEmptied: 0,
    emptiedMs: -Infinity,
    isClosed: false,
    isEmptied: true,
  }
}

/** @returns how many rows an earlier process left in `sending` */
function takeOver(
  { connection, file, now, storage }: Held,
  { pid, user, isLogMissing = false }: LedgerParts,
  random: (bytes: number) => Uint8Array,
): number {
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

/** What a person must agree to first is part of the admission that is open, and goes with it. */
const join = <Value>({ isAdmitting, storage }: Held, body: () => Value): Value =>
  isAdmitting ? storage.guard(body) : storage.write(body)

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
  emptyLogNow(held) // so that the file itself says that a run has begun, should its log be lost
  return runId
}

function admit(
  held: Held,
  { severities, isRetry = false, corrector = NOBODY_NAMED }: Parameters<Ledger['admit']>[0],
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

function readyVerbs({ connection, file, clock, storage }: Held): {
  readonly verbs: Pick<Ledger, 'ready' | 'countReady' | 'waiting'>
  readonly toSend: ReadyRows['toSend']
} {
  const ready = prepareReadyRows(connection, {
    file,
    nowMs: clock.now,
    fingerprints: () => fingerprintsOf(connection, file, 'send from'),
  })
  return {
    verbs: {
      ready: (after, limit, choice = null) => {
        storage.assertSound()
        return storage.guard(() => ready.page(after, limit, choice))
      },
      countReady: (choice = null) => ready.count(choice),
      waiting: (choice = null) => ready.waiting(choice),
    },
    toSend: ready.toSend,
  }
}

/** What people decide, about rows and about their data. */
function decisionVerbs(held: Held): Pick<Ledger, 'resolve' | 'retryRefused' | 'purge' | 'erase'> {
  const { connection, file, clock, now, storage } = held
  return {
    resolve: (resolutions, { dryRun, force = false }) =>
      storage.write(() => resolveRows({ connection, nowMs: clock.now(), resolutions, dryRun, force })),
    retryRefused: (by) =>
      join(held, () => {
        assertNotPurged(connection, file, RETRY)
        return retryRefused(connection, by, now())
      }),
    purge: (decision) => {
      held.emergency?.close()
      held.emergency = null
      const rows = storage.write(() => removeAccounts(connection, decision, now()))
      return storage.guard(() => erase(connection, file, rows))
    },
    erase: (request) => {
      const rows = storage.write(() => eraseRows(connection, request, now()))
      return storage.guard(() => afterErasure(connection, rows))
    },
  }
}

function readBackVerbs({ connection, file, clock, now, storage }: Held): ReadBacks {
  let next: ReturnType<typeof queueOf> = () => []
  let fingerprints: Fingerprints | null = null
  const begin = <Value>(body: () => Value): Value => {
    fingerprints = fingerprintsOf(connection, file, 'read back the mandates of')
    return storage.write(body)
  }
  return {
    startBeforeSending: (terms) => begin(() => startBeforeSending(connection, terms, now())),
    start: (terms) => {
      const start = begin(() => startReadBack(connection, terms, clock.now()))
      next = queueOf(connection)
      return start
    },
    next: (limit) => storage.guard(() => next(limit)),
    rowsOf: (customerNo) =>
      storage.guard(() => (fingerprints === null ? [] : heldRowsOf(connection, fingerprints, customerNo))),
    record: (id, answers) => storage.write(() => recordAnswers(connection, id, answers)),
    end: (id, stoppedBy) => storage.write(() => endReadBack(connection, id, stoppedBy, now())),
  }
}

function close(held: Held, commits: GroupCommit): void {
  if (held.isClosed) return
  held.isClosed = true
  const { connection, lock } = held
  commits.flush()
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
