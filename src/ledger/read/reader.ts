import type { AbsenceFacts } from '../../domain/proof/read-back.js'
import type { ReadBackEvidence } from '../../domain/proof/match-sources.js'
import type { ApprovalStatement, PlanDocument, PlannedSource } from '../../domain/plan/plan.js'
import type { RunTerms } from '../../domain/row/choice.js'
import type { Finding, SourceReading } from '../../domain/rule/verdict.js'
import type {
  RowState,
  Totals,
  DoubtHint,
  ExchangeEvidence,
  Outcome,
  VerifiedVerdict,
} from '../../domain/row/row-state.js'
import type { Scope } from '../schema/schema.js'

/** Times are ISO 8601 in UTC with milliseconds, as they were written when the thing happened. */
export interface CampaignRecord {
  /** Random, made with the ledger; tells two ledgers apart in a report. */
  readonly ledgerId: string
  /** Names the older copy that was adopted last; null where none was. */
  readonly adoption?: string | null
  /** The latest ones; null where nothing was compared, or found. */
  readonly comparison: number | null
  readonly problem: number | null
  readonly createdAt: string
  /** Null until the first run binds the ledger to a service. */
  readonly baseUrl: string | null
  readonly username: string | null
  readonly purgedAt: string | null
  /** The time of the latest change of any kind: what a report gives as its own date, so that it is repeatable. */
  readonly changedAt: string
  /** A run asked the service about each row before it was sent: so should the next one. */
  readonly asksFirst: boolean
  /** The terms of the latest run, and what stopped it. */
  readonly lastRun: (RunTerms & { readonly stoppedBy?: string | null }) | null
  /** The names of the exports that were last set against it; none where nothing was compared. */
  readonly comparedExports: readonly string[]
  /** One of these did not come in under its name before the first request left: it tells what ended since the exports. */
  readonly isComparedSince: boolean
  /** Of these, the ones that one configuration reads and a run takes next. */
  readonly untakenExports: readonly string[]
  /** The names of the newest exports: of each configuration the one that came in last, or was called newer since, with its command. */
  readonly lastExports: readonly string[]
  /** The same, none where nobody said that what came in since the last comparison is newer than what was compared. */
  readonly toCompareAgain: readonly string[]
  /** The name of the last export that differs from one before, of which nobody has said which is newer. */
  readonly unorderedExport: string | null
  /**
   * The configurations that these were read with, null without one: the lists to work in, which have the columns of the first
   * export, empty where a line came in without one; and the exports above.
   */
  readonly readWith: Readonly<Record<'lists' | 'compared' | 'last' | 'unordered', string | null>>
}

export interface SourceRecord extends PlannedSource {
  readonly id: number
  /** The source whose records were read again; its own id for any other. */
  readonly origin: number
  /** Of the records, those that name a row of the ledger. */
  readonly resubmitted: number
  readonly blankLines: number
  readonly admittedAt: string
  readonly header: readonly string[]
  /** The header name that feeds each field, as the admission gave it; a constant has none. */
  readonly columns: Readonly<Record<string, string>>
  readonly reading: SourceReading
  readonly totals: Totals
}

export interface RunRecord {
  readonly id: number
  readonly startedAt: string
  /** The user of the operating system; null where nobody said. */
  readonly startedAs: string | null
  readonly endedAt: string | null
  readonly version: string
  readonly host: string
  /** The date and zone of the date rules. */
  readonly asOf: string
  readonly zone: string
  readonly settings: RunTerms
  readonly stoppedBy: string | null
  readonly exitCode: number | null
  /** Attempts of this run by outcome; `open` counts intents without one. */
  readonly attempts: Readonly<Record<Outcome['kind'] | 'open', number>>
}

/** Of its answer what the exchange left behind, masked. */
export interface AttemptRecord extends Pick<
  ExchangeEvidence,
  'status' | 'errorCode' | 'serviceCode' | 'field' | 'message' | 'answer'
> {
  readonly id: number
  readonly n: number
  readonly runId: number
  readonly requestId: string
  readonly startedAt: string
  readonly endedAt: string | null
  readonly durationMs: number | null
  /** Whether a byte may have left: null where the process died before it could say. */
  readonly started: boolean | null
  /** `released`: a person decided to send the row again after this attempt. */
  readonly outcome: Outcome['kind'] | 'released' | null
  readonly hint: DoubtHint | null
  readonly reason: string | null
}

export interface RowRecord {
  readonly id: number
  readonly sourceId: number
  readonly source: string
  readonly record: number
  readonly line: number
  readonly state: RowState
  /** The rule or reason that decided a state given at admission; null for the others. */
  readonly rule: string | null
  readonly customerNo: number | null
  readonly ibanMasked: string | null
  readonly signedDate: string | null
  readonly originalCreditorIdentifier: string | null
  readonly originalMandateReference: string | null
  readonly mandateKey: string | null
  readonly assignedCreditorIdentifier: string | null
  readonly assignedMandateReference: string | null
  readonly registeredAt: string | null
  readonly latestFirstDebit: string | null
  /** The day on which the mandate was last collected just as the row has it; null where nobody knows. */
  readonly vouchedOn: string | null
  readonly supersededBy: number | null
  /** The row that this one says it corrects; 0 where it does not say which; null for a record of an export. */
  readonly corrects: number | null
  /** The source in whose totals it counts: a correction counts in the place of the row it replaced. Null: in none. */
  readonly countedIn: number | null
  readonly attempts: number
  readonly lastAttempt: AttemptRecord | null
  /**
   * A request that may have been applied, whatever a person called it since: the latest that one has decided on, of this
   * row, of a row that it replaced or of the same mandate.
   */
  readonly formerDoubt:
    (Pick<AttemptRecord, 'startedAt' | 'requestId' | 'started'> & { rowId: number }) | null
  /** The original cells, in the order of the source's header; null once they were removed. */
  readonly cells: readonly string[] | null
}

/** A registered row without its requests: what a list of registrations shows, of which there are as many as mandates. */
export type RegisteredRow = Omit<RowRecord, 'lastAttempt' | 'formerDoubt' | 'cells'>

/** Rows next to each other, each in one of the two lists, in order of id. */
export interface RowPage {
  readonly rows: readonly RowRecord[]
  readonly registered: readonly RegisteredRow[]
  /** Behind which the next page begins, no id of this page is higher; null where there are no more rows. */
  readonly last: number | null
}

export interface ProblemRecord extends Finding {
  readonly id: number
  readonly source: string
  /** Null for a finding on a whole file, with `line`. */
  readonly rowId: number | null
  readonly record: number | null
  readonly line: number | null
  readonly column: string
}

/** `as`: the user of the operating system then; null where nobody said. */
export type DecisionRecord = Readonly<
  Record<'id' | 'rowId', number> &
    Record<'at' | 'by' | 'decision' | 'from' | 'to' | 'reason', string> &
    Record<'as' | 'evidence', string | null> & { attemptId: number | null }
>

/** One going through what the service holds. */
export interface ReadBackRecord extends Pick<RunRecord, 'id' | 'startedAt' | 'endedAt' | 'stoppedBy'> {
  readonly scope: Scope
  /** Rows that were drawn; null for all. */
  readonly sample: number | null
  /** Customers that were asked about, and those about whom no list came. */
  readonly questions: number
  readonly unanswered: number
}

/** What a list of payment sources said about a row. */
export interface ProofRecord extends ReadBackEvidence {
  readonly rowId: number
  /** How many requests of the row had been begun then. */
  readonly attempts: number
  readonly answeredAt: string
  /** `X-Request-Id` of the question. */
  readonly requestId: string
  readonly readBackId: number
}

/** A row in doubt, and what the service has shown of it. */
export interface ShownDoubt extends AbsenceFacts {
  readonly rowId: number
}

/** What tells this ledger from an older copy of itself and from other ledgers. */
export interface Standing {
  readonly ledgerId: string
  /** Runs that were started, the one that is going included. */
  readonly runs: number
  /** Attempts of all runs. */
  readonly attempts: number
  /** The latest of all that people decided, compared and brought in, as `hasDecided` finds it again. */
  readonly decided: string
  /** True once a run has begun to send. */
  readonly hasMarks: boolean
  /** A run was found that had not ended, without a write-ahead log: its last commits may be lost. */
  readonly isLogMissing: boolean
}

export interface StatusCount {
  /** Null where the service gave none. */
  readonly status: string | null
  readonly sources: number
}

/** A registered row with the latest answer about it that counts. */
export interface VerifiedRow extends Omit<ReadBackEvidence, 'verdict'> {
  readonly verdict: VerifiedVerdict
  readonly id: number
  readonly customerNo: number
  readonly ibanMasked: string | null
  readonly signedDate: string
  readonly assignedCreditorIdentifier: string
  readonly assignedMandateReference: string
  readonly answeredAt: string
  /** Ids of sources that a person may cancel, where the mandate is there twice. */
  readonly cancellable: readonly string[]
}

export interface ApprovalRecord extends Omit<ApprovalStatement, 'plan'> {
  readonly id: number
  /** The user of the operating system who put it on record. */
  readonly recordedAs: string | null
  /** Where an approval is found that nobody signed; null for one that was. */
  readonly reference: string | null
  /** As `signText` makes it of the statement; null where nobody signed. */
  readonly signature: string | null
  /** Fingerprint of the key that it is signed with; null where nobody signed, or the signature is of something else. */
  readonly key: string | null
}

/** Rows that left under one approval; null for those that left under none. */
export interface SentUnder {
  readonly approval: number | null
  readonly rows: number
}

/** What was planned, and who approved it. */
export interface PlanRecord extends Pick<PlanDocument, 'digest'> {
  readonly id: number
  /** Id of the latest decision on a row then, 0 where there was none. */
  readonly lastDecision: number
  readonly document: PlanDocument
  /** The bytes of its file. */
  readonly text: string
  readonly approvals: readonly ApprovalRecord[]
}

export interface RefusalCount extends Pick<AttemptRecord, 'status' | 'serviceCode' | 'field' | 'message'> {
  readonly count: number
}
