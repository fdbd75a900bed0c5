import type { Choice, RunTerms } from '../domain/row/choice.js'
import type { EarlierRows } from '../domain/row/resaved.js'
import type { CheckedRecord, SourceSummary, SeverityOverrides } from '../domain/rule/verdict.js'
import type { ApprovalStatement, Approver, PlanDocument } from '../domain/plan/plan.js'
import type { Evidence } from '../domain/proof/evidence.js'
import type { AskedRow } from '../domain/proof/match-sources.js'
import type { AssignedIdentity, Mandate } from '../domain/mandate/mandate.js'
import type { Corrector } from '../domain/row/correction.js'
import type { RowState, Totals, Outcome } from '../domain/row/row-state.js'
import type { ApprovalRecord, LedgerReader, Standing } from './read/reader.js'
import type { Scope } from './schema/schema.js'
import type { HeldRecord } from './admit/earlier-rows.js'

/** A row that may be sent now. */
export interface ReadyRow {
  readonly id: number
  /** Attempts so far, in all runs. */
  readonly attempts: number
  readonly mandate: Mandate
  /** Other rows hold its account for certain: its duplicates, or rows that it replaced. No run makes or ends that. */
  readonly hasCopies: boolean
}

/** Ready rows that may not leave yet, because an earlier request of theirs may still arrive. */
export interface WaitingRows {
  readonly count: number
  /** When the last of them may leave, ISO 8601; null where none waits. */
  readonly until: string | null
}

/** An intent that is on disk: from here on the row is `sending`. */
export interface Attempt {
  readonly id: number
  readonly rowId: number
  /** Counts the attempts of this row from 1. */
  readonly n: number
  /** Sent as X-Request-Id and stored. */
  readonly requestId: string
  /** As in `ReadyRow`. */
  readonly hasCopies: boolean
}

/** A source that is being admitted; nothing of it is seen by others before `Admission.commit`. */
export interface SourceAdmission {
  readonly add: (records: readonly CheckedRecord[]) => void
  /** Applies the rules across rows. `known`: these bytes were admitted before, so nothing was added. */
  readonly close: (summary: SourceSummary) => 'admitted' | 'known'
  /** After `close`: lines that name a row of the ledger, and those of them that were not taken. */
  readonly givenBack: () => { readonly resubmitted: number; readonly notTaken: number }
}

/** One transaction over all files of a command: all of them, or nothing. */
export interface Admission {
  /** True when these bytes are already in the ledger, so reading them again would add nothing. */
  readonly isKnown: (sha256: string) => boolean
  /** The sources of that many bytes: a file of another size is none of them, and need not be hashed to know it. */
  readonly ofSize: (bytes: number) => readonly { readonly sha256: string; readonly isResultFile: boolean }[]
  /** What rows of earlier files were, for lines that name them. */
  readonly earlier: EarlierRows
  /** Rows of a file that came in before which another reading may understand; null where there are none. */
  readonly heldIn: (sha256: string) => HeldRecord | null
  readonly open: (source: {
    name: string
    header: readonly string[]
    /** The header name that feeds each field; a constant has none. */
    columns: Readonly<Record<string, string>>
    /** Records that are counted as ready and not handed over; only a ledger that nobody keeps takes a source so. */
    counted?: number
  }) => SourceAdmission
  readonly commit: () => void
  readonly rollback: () => void
}

export type Decision = 'registered' | 'refused' | 'resend' | 'written_off'

/** A person's decision on one row. */
export interface Resolution {
  readonly rowId: number
  readonly decision: Decision
  readonly reason: string
  readonly by: string
  /** Required for `registered`. */
  readonly assigned: AssignedIdentity | null
  /** Where the evidence came from: a file's name and SHA-256, or null for one typed on the command line. */
  readonly evidence: string | null
  /** The number `n` of the attempt that the person looked at; rejected when there was another since. Null: the latest. */
  readonly attempt: number | null
}

export type ResolutionResult =
  | { readonly kind: 'resolved'; readonly rowId: number; readonly from: RowState; readonly to: RowState }
  | {
      readonly kind: 'rejected'
      readonly rowId: number
      readonly message: string
      readonly next: string
      /** Only its waiting time stands against it, which `force` passes over. */
      readonly isEarlyResend?: true
    }

export interface ResolutionReport {
  /** True when the decisions are on record; false for a dry run, and when a single one was rejected. */
  readonly isApplied: boolean
  /** One for each resolution, in the same order. */
  readonly results: readonly ResolutionResult[]
}

export interface PurgeRequest {
  readonly by: string
  readonly reason: string
  /** Purge although rows are invalid, in conflict or refused: they can never be corrected then. */
  readonly withOpenRows?: boolean
}

export interface PurgeReport {
  /** Rows that held an account number or cells until now. */
  readonly rows: number
  /** Paths of copies from before a schema change and of the emergency file: they held personal data and are gone. */
  readonly removedFiles: readonly string[]
  /** False when another program reads the ledger: old pages may still hold account numbers. Purge again. */
  readonly isErased: boolean
}

/** A person's request, carried out for the rows that `LedgerReader.rowsAbout` or `rowsWithReference` name. */
export interface ErasureRequest extends PurgeRequest {
  /** Null where none of the rows has one. */
  readonly customerNo: number | null
  readonly rowIds: readonly number[]
}

export interface ErasureReport {
  /** Rows that held an account number or cells until now. */
  readonly rows: number
  /** As in `PurgeReport`. */
  readonly isErased: boolean
}

export interface RunSettings {
  readonly version: string
  readonly host: string
  readonly pid: number
  /** The date and zone of the date rules. */
  readonly asOf: string
  readonly zone: string
  readonly settings: RunTerms
}

/** A row and what its mandate is known by. */
export interface ClaimedMandate {
  readonly row: number
  /** The mandate key: creditor and reference. */
  readonly key: string
  /** Customer and date of signature. */
  readonly likeness: string
  readonly attempts: number
}

export interface AdoptionReport {
  /** Rows that are in doubt now. */
  readonly rows: readonly number[]
  /** How many of them were refused. */
  readonly refused: number
}

/** Attempts whose intents became durable together. */
export interface BegunGroup {
  /** Attempts of all runs. */
  readonly attempts: number
  readonly rows: readonly number[]
}

/** Why rows become in doubt that were never sent from here; kept with each of them. */
export interface Doubting {
  readonly decision: 'older_copy' | 'another_ledger' | 'all_in_doubt'
  readonly by: string
  readonly reason: string
}

/** What became of ready rows because of what other ledgers did. */
export interface HeldRows {
  /** In doubt now: another ledger began to send them, or nobody can know. */
  readonly inDoubt: number
  /** In conflict now: another ledger claimed a mandate of that customer and date under another reference. */
  readonly inConflict: number
  /** Paths of the ledgers whose place this one takes; they are retired by the claim. */
  readonly replaces: readonly string[]
}

/** The ledger's side of the register of campaigns, which knows how far each ledger has come. */
export interface Claims {
  readonly standing: () => Standing
  readonly hasMark: (mark: string) => boolean
  /** The mark of the latest run that has one; null where none has. */
  readonly latestMark: () => string | null
  /** The number of the last row. */
  readonly lastRow: () => number
  /** Rows that are ready. Nothing else may be asked of the ledger before an iteration has ended, as of the two below. */
  readonly ready: () => Iterable<ClaimedMandate>
  /** What this run may send from now on, in order, and nothing else: rows that wait now are left to a later run. */
  readonly toSend: (limit: number | null, choice?: Choice | null) => Iterable<ClaimedMandate>
  /** Rows that have an attempt. */
  readonly attempted: () => Iterable<ClaimedMandate>
  /** Mandate keys of all rows of the customer of that row. */
  readonly keysOfCustomer: (row: number) => readonly string[]
  /** A person said that the row is sent although it resembles another one, or the rule is a warning. */
  readonly isSettled: (row: number) => boolean
  /** Records that no commit is missing although a write-ahead log was. */
  readonly trustLog: () => void
  /**
   * Puts the mark on the run that is going, durably. From now on `note` is called after every commit of intents; when it
   * throws, no request of that commit leaves, and its rows are ready again.
   */
  readonly begin: (mark: string, note: (group: BegunGroup) => void) => void
  /** Row ids that may have been sent since, if this is an older copy. */
  readonly adoptable: () => { readonly ready: readonly number[]; readonly refused: readonly number[] }
  /**
   * Ready rows become in doubt by the word of a person, in the run that is going. While an admission is open it is part
   * of it.
   * @returns how many
   */
  readonly doubt: (rows: Iterable<number> | 'ready', doubting: Doubting) => number
  /**
   * Ready rows become conflicts, since the ledger at `place` claimed a mandate that they resemble; as far as the rule is
   * an error, and nobody said that they are sent all the same. While an admission is open it is part of it.
   * @returns how many
   */
  readonly hold: (
    rows: Iterable<{ readonly row: number; readonly place: string }>,
    severities: SeverityOverrides,
  ) => number
  /** A person goes on with an older copy: every row that it would send, or calls refused, becomes in doubt. */
  readonly adoptOlderCopy: (adoption: {
    by: string
    reason: string
    mark: string
    run: RunSettings
  }) => AdoptionReport
}

/** On which terms the service is asked what it holds. */
export interface ReadBackTerms {
  readonly scope: Scope
  /** Rows drawn at random; null for all. */
  readonly sample: number | null
  readonly version: string
  readonly host: string
  readonly pid: number
  /** Pace, without secrets. */
  readonly settings: Readonly<Record<string, number | string | boolean | null>>
}

export interface ReadBackStart {
  readonly id: number
  /** One of the last 24 hours that was broken off goes on. */
  readonly isContinued: boolean
  /** Still to be asked. */
  readonly customers: number
}

/** A row that a list of payment sources is held against. */
export interface HeldRow extends AskedRow {
  readonly attempts: number
}

/** What came of the question about one customer, and what it says of each row. Never an account number in full. */
export interface HeardAnswer {
  readonly customerNo: number
  readonly requestId: string
  readonly askedAt: string
  readonly answeredAt: string
  readonly tries: number
  readonly answer: 'listed' | 'missing' | 'refused' | 'not_now' | 'unreadable' | 'no_answer'
  readonly status: number | null
  readonly errorCode: string | null
  readonly reason: string | null
  /** How many there are; null where no list came. */
  readonly sources: number | null
  readonly proofs: readonly {
    readonly rowId: number
    readonly attempts: number
    readonly evidence: Evidence
  }[]
}

/** What the service holds, as far as it was asked; no state changes by it (ledger/README.md#evidence). */
export interface ReadBacks {
  /** @throws {LedgerError} `unwritable` once the ledger was purged: there is nothing left to compare */
  readonly start: (terms: ReadBackTerms) => ReadBackStart
  /**
   * One that goes along with a run, which asks about each row before it is sent; nobody is put in order, and it is never
   * gone on with. `rowsOf` and `record` are for it too.
   * @returns its id
   */
  readonly startBeforeSending: (terms: Omit<ReadBackTerms, 'scope' | 'sample'>) => number
  /** The next customers to ask, each once; empty at the end. */
  readonly next: (limit: number) => readonly number[]
  readonly rowsOf: (customerNo: number) => readonly HeldRow[]
  readonly record: (readBackId: number, answers: readonly HeardAnswer[]) => void
  /** `stoppedBy`: it can be gone on with. */
  readonly end: (readBackId: number, stoppedBy: string | null) => void
}

/** That a person approves a plan: signed, or with a reference to where that is found. */
export type ApprovalGiven = ApprovalStatement & Pick<ApprovalRecord, 'recordedAs' | 'reference' | 'signature'>

/** What is planned and approved before it is sent. Both are recorded once and never change. */
interface Plans {
  /**
   * Records what was planned, with the latest decision on a row so far. The first plan binds the approvers.
   * @throws {UsageError} for other approvers than those that are bound
   */
  readonly record: (document: PlanDocument, approvers: readonly Approver[]) => void
  /**
   * @returns its id; one that is on record already is left as it is
   * @throws {UsageError} without a name, for a plan of another ledger, for a signature that does not fit, and without a
   *   key of an approver where these are bound
   */
  readonly approve: (approval: ApprovalGiven) => number
}

/** The ledger as the one process that holds the lock sees it. */
export interface Ledger {
  readonly file: string
  /** Rows that an earlier process left in `sending`; they are in doubt now. */
  readonly recovered: number
  /** Changes nothing. @throws {LedgerError} `other_campaign` when it belongs to another service or user */
  readonly assertBelongsTo: (campaign: { baseUrl: string; username: string }) => void
  /**
   * Binds a new ledger to a service, or checks that it is the same. While an admission is open it is part of it.
   * @throws {LedgerError} `other_campaign`
   */
  readonly bind: (campaign: { baseUrl: string; username: string }) => void
  /** The ledger as this process sees it, with what an open admission holds. Closing it does nothing. */
  readonly view: LedgerReader
  /**
   * @param underWay requests that may be under way; so many answers have their place on disk from now on. Default 8.
   * @throws {LedgerError} `unwritable` where the disk has no room for them
   */
  readonly startRun: (settings: RunSettings, underWay?: number) => number
  readonly endRun: (runId: number, end: { stoppedBy: string | null; exitCode: number }) => void
  /**
   * @param options `isRetry` where no file comes in and refused rows alone become ready: an error then says so
   * @throws {LedgerError} `unwritable` once the ledger was purged
   */
  readonly admit: (options: {
    severities: SeverityOverrides
    isRetry?: boolean
    /** Who gives rows back, and why, where a line does not say it itself. */
    corrector?: Corrector
  }) => Admission
  /**
   * A page of the ready rows that may leave now, in order of id, after the given id: all of them, or those that the
   * choice takes.
   * @throws {LedgerError} `damaged` for a row that does not hold what was admitted
   */
  readonly ready: (after: number, limit: number, choice?: Choice | null) => ReadyRow[]
  /** How many rows `ready` gives. */
  readonly countReady: (choice?: Choice | null) => number
  readonly waiting: (choice?: Choice | null) => WaitingRows
  /** Commits the intent. When it resolves, the row is durably `sending` and may leave. */
  readonly begin: (row: ReadyRow) => Promise<Attempt>
  /** Commits the outcome and the row's new state; joins the transaction of the next intents. */
  readonly settle: (attempt: Attempt, outcome: Outcome) => Promise<void>
  /** True when the service gave this reference to a row before, counting outcomes that wait for their commit. */
  readonly hasAssigned: (mandateReference: string) => boolean
  /**
   * Records what a person decided, all of it or nothing. Within 15 minutes of the intent, when a late request may
   * still arrive, a row in doubt becomes neither `resend` nor `refused`; `force` allows the resend, and it alone, and
   * the evidence of the decision says so.
   */
  readonly resolve: (
    resolutions: readonly Resolution[],
    options: { dryRun: boolean; force?: boolean },
  ) => ResolutionReport
  /**
   * Makes every refused row ready again, each as a decision of that person, but those that a later file has
   * corrected. While an admission is open it is part of it.
   * @returns how many there were
   */
  readonly retryRefused: (by: string) => number
  /**
   * After sign-off: removes every account number and cell that is still held, values that problems quote, words of the
   * service and of people, and the secret of the fingerprints. States, totals, references and times stay.
   * @throws {UsageError} while rows are ready, sending or in doubt, or can still be corrected
   */
  readonly purge: (purge: PurgeRequest) => PurgeReport
  /** The same for one customer, after sign-off of their rows. @throws {UsageError} as `purge` */
  readonly erase: (erasure: ErasureRequest) => ErasureReport
  readonly claims: Claims
  readonly readBacks: ReadBacks
  readonly plans: Plans
  readonly totals: () => Totals
  /** Commits what waits, empties the write-ahead log and frees the lock. Never throws. */
  readonly close: () => void
  /**
   * True after `close` when another program was reading the ledger: old pages, with account numbers that were removed,
   * are still on disk until the ledger is opened for writing and closed again.
   */
  readonly holdsOldPages: () => boolean
}
