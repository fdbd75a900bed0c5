import { randomBytes, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { NOBODY_NAMED } from '../../domain/row/correction.js'
import type { Expected } from '../../domain/row/row-state.js'
import { openAdmission, type Admission, type AdmissionParts } from '../admit/admission.js'
import {
  assertNotPurged,
  bind,
  createCampaign,
  endRun,
  fingerprintsOf,
  insertRun,
  PLANNED_RUN,
  isBound,
  noteChange,
  noteHolder,
  noteUnendedRuns,
  recover,
  UNNOTICED,
} from '../deliver/campaign-rows.js'
import {
  emptyLog,
  type Connection,
  closing,
  keeping,
  openScratch,
  sql,
  sqlValue,
  createStorage,
  explaining,
} from './connection.js'
import { startGroupCommit } from '../deliver/delivery.js'
import { openEmergencyFile, type EmergencyFile, type Lock } from '../safety/side-files.js'
import {
  DECISIONS,
  type ApprovalGiven,
  type BegunGroup,
  type Resolution,
  type RunSettings,
  type Target,
} from '../ledger.js'
import type { PlanDocument } from '../../domain/plan/plan.js'
import type { Choice } from '../../domain/row/choice.js'
import type { SeverityOverrides } from '../../domain/rule/verdict.js'
import { timeOf, type Clock } from '../../domain/mandate/date.js'
import { recordComparison, type ComparisonTerms } from '../compare/comparison.js'
import { recordExpected } from '../compare/comparison-reads.js'
import { createReader, readTotals, openBegun } from '../read/open-reader.js'
import { prepareReadyRows, createClaims, doubtAll } from '../deliver/ready-rows.js'
import { purgeVerbs } from '../decide/purge.js'
import { resolveRows, retryRefused } from '../decide/resolution.js'
import { recordApproval, recordPlan } from '../plan/plans.js'
import { readBackVerbs, createWho } from '../prove/asked.js'
import { GUARDS } from '../schema/guards.js'
import { makeSchema, makeTables, sqlList } from '../schema/schema.js'

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

/**
 * After this many settled rows the write-ahead log is emptied, so that removed account numbers leave the disk; not twice
 * within `LOG_INTERVAL_MS`, because each time is a flush more.
 */
const SETTLED_PER_LOG = 2_000
const LOG_INTERVAL_MS = 1_000

const USUAL_UNDER_WAY = 8

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

/** The ledger as the one process that holds the lock sees it. */
export type Ledger = ReturnType<typeof createLedger>
/** What the service holds, as far as it was asked; no state changes by it (ledger/README.md#evidence). */
export type ReadBacks = Ledger['readBacks']

/** Puts the verbs together over a connection that is configured and migrated. */
export function createLedger(parts: LedgerParts) {
  const { connection, lock, clock, random = randomBytes } = parts
  const file = resolve(parts.file)
  const storage = createStorage(connection, file)
  const { write, guard, assertSound } = storage
  const now = (): string => timeOf(clock)
  const work = { connection, file, clock, now, storage }
  let runId: number | null = null
  let severities: SeverityOverrides = {}
  let emergency: EmergencyFile | null = null
  let noteBegun: (group: BegunGroup) => void = () => undefined
  let isAdmitting = false
  let settledSinceEmptied = 0
  let emptiedMs = -Infinity
  let isClosed = false
  let isEmptied = true

  const recovered = write(() => {
    createCampaign(connection, random, now())
    noteHolder(connection, { pid: parts.pid ?? null, user: parts.user ?? null }, now())
    return recover(connection, file, now(), parts.isLogMissing)
  })

  const newRequestId = requestIds(random)

  function currentRun(): number {
    if (runId === null) throw new Error('Cannot begin an attempt before a run was started')
    return runId
  }

  /** A reader may hold the log: then false, and a later call tries again. A fault stops the next write, not this. */
  function emptyLogNow(): boolean {
    try {
      return guard(() => emptyLog(connection))
    } catch {
      return false
    }
  }

  function noteSettled(count: number): void {
    settledSinceEmptied += count
    if (settledSinceEmptied < SETTLED_PER_LOG) return
    const nowMs = clock.monotonic()
    if (nowMs - emptiedMs < LOG_INTERVAL_MS || !emptyLogNow()) return
    settledSinceEmptied = 0
    emptiedMs = nowMs
  }

  const { flush, ...delivery } = startGroupCommit({
    ...work,
    newRequestId,
    severities: () => severities,
    runId: currentRun,
    emergency: () => emergency,
    defer: parts.defer ?? setImmediate,
    begun: (group) => noteBegun(group),
    settled: noteSettled,
  })
  const { page, toSend, ...waitingRows } = prepareReadyRows(connection, {
    file,
    nowMs: clock.now,
    fingerprints: () => fingerprintsOf(connection, file, 'send from'),
  })

  /** A run that is closed on the way must not look like one whose process died. */
  function noteEnd(): void {
    try {
      write(() => {
        if (noteUnendedRuns(connection, UNNOTICED) > 0) noteChange(connection, now())
      })
    } catch {
      // The ledger takes no write any more, and the next start says so.
    }
  }

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
    startRun: (settings: RunSettings, underWay = USUAL_UNDER_WAY): number => {
      assertSound()
      emergency?.close()
      emergency = guard(() => openEmergencyFile(file, underWay))
      const id = write(() => insertRun(connection, settings, now()))
      runId = id
      severities = settings.settings.rules ?? {}
      emptyLogNow() // so that the file itself says that a run has begun, should its log be lost
      return id
    },
    endRun: (id: number, end: Parameters<typeof endRun>[2]): void => {
      flush()
      write(() => endRun(connection, id, end, now()))
      runId = null
    },
    /** @throws {LedgerError} `unwritable` once the ledger was purged */
    admit: ({ isRetry = false, corrector = NOBODY_NAMED, ...request }: AdmitRequest): Admission => {
      assertSound()
      if (isAdmitting) throw new Error('Cannot admit while another admission is open')
      const admission = openAdmission({
        ...request,
        connection,
        fingerprints: fingerprintsOf(connection, file, isRetry ? RETRY : 'admit files into'),
        corrector,
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
    /** `page` of `prepareReadyRows`. */
    ready: (after: number, limit: number, choice: Choice | null = null) => {
      assertSound()
      return guard(() => page(after, limit, choice))
    },
    ...waitingRows,
    ...delivery,
    /**
     * Records what a person decided, all of it or nothing. Within 15 minutes of the intent, when a late request may
     * still arrive, a row in doubt becomes neither `resend` nor `refused`; `force` allows the resend, and it alone, and
     * the evidence of the decision says so. While an admission is open they are part of it.
     */
    resolve: (
      resolutions: readonly Resolution[],
      { dryRun, force = false }: { dryRun: boolean; force?: boolean },
    ) => storage.join(() => resolveRows({ connection, nowMs: clock.now(), resolutions, dryRun, force })),
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
    ...purgeVerbs(work, () => {
      emergency?.close()
      emergency = null
    }),
    claims: createClaims({
      ...work,
      newRequestId,
      // A plan does what a run would do, and takes it back.
      runId: () => runId ?? (isAdmitting ? insertRun(connection, PLANNED_RUN, now()) : currentRun()),
      toSend,
      noteWith: (note) => (noteBegun = note),
    }),
    readBacks: readBackVerbs(work),
    who: createWho(work),
    /** What is planned and approved before it is sent. Both are recorded once and never change. */
    plans: {
      /**
       * Records what was planned, with the latest decision on a row so far. The first plan binds the approvers.
       * @throws {UsageError} for other approvers than those that are bound
       */
      record: (document: PlanDocument) => write(() => recordPlan(connection, document)),
      /** As `recordApproval`. */
      approve: (approval: ApprovalGiven) => write(() => recordApproval(connection, approval, now())),
    },
    /** How the last export stands to the ledger; no row changes by it. */
    comparisons: {
      /** Where that export is admitted alone. @throws {LedgerError} `unwritable` once the ledger was purged */
      open: () =>
        openScratchBeside(assertNotPurged(connection, file, 'compare an export with'), clock, connection),
      /** As `recordComparison`. */
      record: ({ connection: final }: ReturnType<typeof openScratchBeside>, terms: ComparisonTerms) =>
        write(() => recordComparison(connection, final, terms, now())),
    },
    totals: () => readTotals(connection),
    /** As `recordExpected`; part of an admission that is open. */
    expect: (expected: Expected) =>
      storage.join(() => {
        recordExpected(connection, expected)
        noteChange(connection, now())
      }),
    /** Commits what waits, empties the write-ahead log and frees the lock. Never throws. */
    close: (): void => {
      if (isClosed) return
      isClosed = true
      flush()
      if (connection.inTransaction) connection.exec('rollback')
      if (runId !== null) noteEnd()
      emergency?.close()
      isEmptied = emptyLogNow()
      connection.close()
      lock.release()
    },
    /**
     * True after `close` when another program was reading the ledger: old pages, with account numbers that were removed,
     * are still on disk until the ledger is opened for writing and closed again.
     */
    holdsOldPages: () => isClosed && !isEmptied,
  }
}

export interface AdmitRequest
  extends Pick<AdmissionParts, 'severities'>, Partial<Pick<AdmissionParts, 'corrector' | 'isNewer'>> {
  /** No file comes in and refused rows alone become ready: an error then says so. */
  readonly isRetry?: boolean
}

/** A ledger that no file name leads to, for `check`: the same rules across rows, and nothing is kept. */
export type ScratchLedger = ReturnType<typeof scratchLedger>

const NAME = 'scratch'

/** @throws {LedgerError} where SQLite cannot be used at all, or its temporary folder is full */
export const openScratchLedger = (clock: Clock): ScratchLedger =>
  scratchLedger(makeScratch(timeOf(clock), randomBytes), NAME, clock, { mayCount: true })

function makeScratch(at: string, random: (bytes: number) => Uint8Array): Connection {
  const connection = explaining('open', NAME, openScratch)
  const { guard, write } = createStorage(connection, NAME)
  guard(() => makeSchema(connection))
  write(() => createCampaign(connection, random, at))
  return connection
}

/** One whose fingerprints are those of a campaign with this secret, and over whose rows anything can be asked. */
export function openScratchBeside(secret: Uint8Array, clock: Clock, beside?: Connection) {
  const connection = makeScratch(timeOf(clock), () => secret)
  return { ...scratchLedger(connection, NAME, clock, { beside }), connection }
}

/**
 * A campaign as it stands, to try out what files would change in it; the ledger itself stays as it is, and a run may go
 * on.
 * @throws {UsageError} where there is no ledger
 * @throws {LedgerError} `foreign`, `newer`, `earlier`, `damaged`, `unsafe`, `unwritable` for one that was purged
 */
export function openScratchCopy(
  path: string,
  clock: Clock,
  options: { readonly sharedFolder?: boolean } = {},
): ScratchLedger {
  const file = resolve(path)
  const connection = explaining('read', file, () => closing(openBegun(file, options), copyOf))
  return scratchLedger(connection, file, clock)
}

function scratchLedger(
  connection: Connection,
  file: string,
  clock: Clock,
  more: Pick<AdmissionParts, 'mayCount' | 'beside'> = {},
) {
  const [storage, now] = [createStorage(connection, file), () => timeOf(clock)]
  const latest = (table: 'problem' | 'decision'): number =>
    sqlValue(connection)<number>`select coalesce(max(id), 0) from ${table}`.get() ?? 0
  const [before, lastDecision] = [latest('problem'), latest('decision')]
  return {
    resolve: (resolutions: readonly Resolution[], options: { readonly dryRun: boolean }) =>
      storage.join(() =>
        resolveRows({ connection, nowMs: clock.now(), resolutions, force: false, ...options }),
      ),
    /** How often each word of people was recorded here; a correction alone is none. */
    words: () =>
      sql(connection)<{ word: string; count: number }>`
        select iif(decision = 'corrected', 'send', replace(decision, '_', '-')) as word, count(*) as count from decision
         where id > ? and (decision in (${sqlList(DECISIONS)}) or decision = 'corrected' and instr(evidence, 'migration_decision') > 0)
          group by 1 order by 1`.all(lastDecision),
    /** From now on its reader tells the problems of the new files alone; nothing more may come in. */
    tellNew: (): void =>
      void connection.exec(`create temp view problem as select * from main.problem where id > ${before}`),
    admit: (given: Omit<AdmitRequest, 'isRetry'>) =>
      openAdmission({
        connection,
        fingerprints: fingerprintsOf(connection, file, 'admit files into'),
        corrector: NOBODY_NAMED,
        ...given,
        now,
        guard: storage.guard,
        ...more,
      }),
    reader: createReader(connection, file),
    who: createWho({ connection, file, storage, now }),
    /** As a run would before it sends anything. */
    doubtAll: () => {
      const runId = (): number => insertRun(connection, PLANNED_RUN, now())
      return doubtAll({ connection, storage, now, newRequestId: randomUUID, runId }, null, [])
    },
    close: (): void => void connection.close(),
  }
}

/** What rules across rows and decisions look at, in an order in which every row finds the rows it refers to. */
const TABLES =
  'campaign source row private problem run attempt decision read_back question proof collection collected amended kin who comparison compared ended_elsewhere'.split(
    ' ',
  )

/**
 * Copies what files are admitted beside into a private temporary database. All of it is read in one transaction; nothing
 * is written to the ledger.
 */
export function copyOf(ledger: Connection): Connection {
  return keeping(openScratch(), (copy) => {
    makeTables(copy)
    copy.pragma('foreign_keys = OFF')
    ledger.transaction(() => {
      for (const table of TABLES) copyTable(ledger, copy, table)
    })()
    copy.pragma('foreign_keys = ON')
    copy.exec(GUARDS)
    return copy
  })
}

function copyTable(from: Connection, to: Connection, table: string): void {
  const columns = from.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table)
  const insert = to.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  const rows = from.prepare<[], unknown[]>(`select ${columns.join(', ')} from ${table}`).raw()
  to.transaction(() => {
    for (const row of rows.iterate()) insert.run(...row)
  })()
}
