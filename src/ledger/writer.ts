import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { openAdmission } from './admission.js'
import {
  assertNotPurged,
  bind,
  createCampaign,
  endRun,
  fingerprintsOf,
  isBound,
  insertRun,
  noteHolder,
} from './campaign-rows.js'
import { createClaims } from './claims.js'
import { emptyLog, type Connection } from './connection.js'
import { prepareTotals } from './control-totals.js'
import { createDelivery } from './delivery.js'
import { openEmergencyFile, type EmergencyFile } from './emergency-file.js'
import type { Ledger } from './ledger.js'
import type { Clock } from '../domain/clock.js'
import type { Lock } from './lock.js'
import { afterErasure, erase, eraseRows, removeAccounts } from './purge.js'
import { createReader } from './open-reader.js'
import { prepareReadyRows } from './ready-rows.js'
import { noteUnendedRuns, recover, UNNOTICED } from './recovery.js'
import { resolveRows, retryRefused } from './resolution.js'
import { createStorage } from './storage.js'

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
}

const RETRY = 'send refused rows again from'

/** After this many settled rows the write-ahead log is emptied, so that removed account numbers leave the disk. */
const SETTLED_PER_LOG = 2_000

const USUAL_UNDER_WAY = 8

/** A random UUID (version 4) from 16 random bytes. */
function uuidFrom(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  const variant = '89ab'.charAt((bytes[8] ?? 0) & 3)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export interface LedgerParts extends LedgerOptions {
  /** The file was found without the write-ahead log that a run leaves behind when it dies. */
  readonly isLogMissing?: boolean
  readonly connection: Connection
  readonly lock: Lock
}

/** Puts the verbs together over a connection that is configured and migrated. */
export function createLedger(parts: LedgerParts): Ledger {
  const { connection, clock, lock } = parts
  const file = resolve(parts.file)
  const random = parts.random ?? randomBytes
  const now = (): string => new Date(clock.now()).toISOString()
  const storage = createStorage(connection, file)
  const { write, guard, assertSound } = storage

  const { recovered } = write(() => {
    createCampaign(connection, random, now())
    noteHolder(connection, { pid: parts.pid ?? null, user: parts.user ?? null }, now())
    return { recovered: recover(connection, file, now(), parts.isLogMissing ?? false) }
  })

  let runId: number | null = null
  let emergency: EmergencyFile | null = null
  let noteAttempts: (attempts: number) => void = () => undefined
  let isAdmitting = false
  let settledSinceEmptied = 0
  let isClosed = false
  let isEmptied = true

  /** A run that is closed on the way must not look like one whose process died. */
  function noteEnd(): void {
    try {
      write(() => noteUnendedRuns(connection, UNNOTICED))
    } catch {
      // The ledger takes no write any more, and the next start says so.
    }
  }

  /** A reader may hold the log: then false, and a later call tries again. A fault stops the next write, not this. */
  function emptyLogNow(): boolean {
    try {
      return guard(() => emptyLog(connection))
    } catch {
      return false
    }
  }

  /** What a person must agree to first is part of the admission that is open, and goes with it. */
  const join = <Value>(body: () => Value): Value => (isAdmitting ? guard(body) : write(body))

  function currentRun(): number {
    if (runId === null) throw new Error('Cannot begin an attempt before a run was started')
    return runId
  }

  const newRequestId = (): string => uuidFrom(random(16))

  const delivery = createDelivery({
    connection,
    now,
    newRequestId,
    runId: currentRun,
    emergency: () => emergency,
    defer: parts.defer ?? setImmediate,
    write: storage.writeOrBreak,
    begun: (attempts) => noteAttempts(attempts),
    settled: (count) => {
      settledSinceEmptied += count
      if (settledSinceEmptied >= SETTLED_PER_LOG && emptyLogNow()) settledSinceEmptied = 0
    },
  })

  const ready = prepareReadyRows(connection, {
    file,
    nowMs: clock.now,
    fingerprints: () => fingerprintsOf(connection, file, 'send from'),
  })
  const assigned = connection
    .prepare<[string], number>('select 1 from row where assigned_mandate_reference = ? collate nocase')
    .pluck()

  return {
    file,
    recovered,
    assertBelongsTo: (campaign) => void isBound(connection, file, campaign),
    bind: (campaign) => join(() => bind(connection, file, campaign, now())),
    view: { ...createReader(connection, file), close: () => undefined },
    startRun: (settings, underWay = USUAL_UNDER_WAY) => {
      assertSound()
      emergency?.close()
      emergency = guard(() => openEmergencyFile(file, underWay))
      runId = write(() => insertRun(connection, settings, now()))
      emptyLogNow() // so that the file itself says that a run has begun, should its log be lost
      return runId
    },
    endRun: (id, end) => {
      delivery.flush()
      write(() => endRun(connection, id, end, now()))
      runId = null
    },
    admit: ({ severities, isRetry = false }) => {
      assertSound()
      if (isAdmitting) throw new Error('Cannot admit while another admission is open')
      const fingerprints = fingerprintsOf(connection, file, isRetry ? RETRY : 'admit files into')
      const admission = openAdmission({
        connection,
        fingerprints,
        severities,
        now,
        guard,
        ended: (isCommitted) => {
          isAdmitting = false
          if (isCommitted) emptyLogNow()
        },
      })
      isAdmitting = true
      return admission
    },
    ready: (after, limit) => {
      assertSound()
      return guard(() => ready.page(after, limit))
    },
    countReady: ready.count,
    waiting: ready.waiting,
    begin: (row) => delivery.begin(row),
    settle: (attempt, outcome) => delivery.settle(attempt, outcome),
    hasAssigned: (reference) =>
      delivery.isReferenceWaiting(reference) || assigned.get(reference) !== undefined,
    resolve: (resolutions, { dryRun, force }) =>
      write(() =>
        resolveRows({ connection, nowMs: clock.now(), resolutions, dryRun, force: force ?? false }),
      ),
    retryRefused: (by) =>
      join(() => {
        assertNotPurged(connection, file, RETRY)
        return retryRefused(connection, by, now())
      }),
    purge: (decision) => {
      emergency?.close()
      emergency = null
      const rows = write(() => removeAccounts(connection, decision, now()))
      return guard(() => erase(connection, file, rows))
    },
    erase: (request) => {
      const rows = write(() => eraseRows(connection, request, now()))
      return guard(() => afterErasure(connection, file, rows))
    },
    claims: createClaims({
      connection,
      now,
      newRequestId,
      write,
      runId: currentRun,
      noteWith: (note) => (noteAttempts = note),
    }),
    totals: prepareTotals(connection),
    close: () => {
      if (isClosed) return
      isClosed = true
      delivery.flush()
      if (connection.inTransaction) connection.exec('rollback')
      if (runId !== null) noteEnd()
      emergency?.close()
      isEmptied = emptyLogNow()
      connection.close()
      lock.release()
    },
    holdsOldPages: () => isClosed && !isEmptied,
  }
}
