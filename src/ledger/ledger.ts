import type { ApprovalStatement } from '../domain/plan/plan.js'
import type { ReadBackEvidence, AskedRow } from '../domain/proof/match-sources.js'
import type { AssignedIdentity, Mandate } from '../domain/mandate/mandate.js'
import type { ApprovalRecord, RunRecord } from './read/reader.js'
import type { Scope } from './schema/schema.js'

/** A row that may be sent now. */
export interface ReadyRow {
  readonly id: number
  /** Attempts so far, in all runs. */
  readonly attempts: number
  readonly mandate: Mandate
}

/** An intent that is on disk: from here on the row is `sending`. */
export interface Attempt {
  readonly id: number
  readonly rowId: number
  /** Counts the attempts of this row from 1. */
  readonly n: number
  /** Sent as X-Request-Id and stored. */
  readonly requestId: string
}

/** What became of a row that was to be sent: nothing, since the gate held it. It stays ready. */
export interface HeldAtGate {
  readonly rowId: number
  /** Completes "The row was not sent: …". */
  readonly because: string
}

/** `done`: what a comparison with the last export found of the row is done at the service; its state stays. */
export const DECISIONS = ['registered', 'refused', 'resend', 'written_off', 'done'] as const
export type Decision = (typeof DECISIONS)[number]

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
  /** Said of its line of the cut-over, which may be decided beside the row. */
  readonly isOfCutOver?: boolean
  /** Where it stands, for people. */
  readonly at?: string
}

export interface PurgeRequest {
  readonly by: string
  readonly reason: string
  /** Purge although rows are invalid, in conflict or refused: they can never be corrected then. */
  readonly withOpenRows?: boolean
}

/** A person's request, carried out for the rows that `LedgerReader.rowsAbout` or `rowsWithReference` name. */
export interface ErasureRequest extends PurgeRequest {
  /** Null where none of the rows has one. */
  readonly customerNo: number | null
  readonly rowIds: readonly number[]
}

/** The service and the user that a ledger belongs to. */
export interface Target {
  readonly baseUrl: string
  readonly username: string
}

export interface RunSettings extends Pick<RunRecord, 'version' | 'host' | 'asOf' | 'zone' | 'settings'> {
  readonly pid: number
}

/** A row and what its mandate is known by: `key` is creditor and reference, `likeness` customer and date of signature. */
export type ClaimedMandate = Readonly<
  Record<'row' | 'customerNo' | 'attempts', number> & Record<'key' | 'likeness', string>
>

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
  /** Of them those that it began for another customer or date. */
  readonly begunOtherwise: number
  /** In conflict now: another ledger claimed a mandate of that customer and date under another reference. */
  readonly inConflict: number
  /** Never to be sent from here as they stand, and another ledger began to send them: lines of the cut-over. */
  readonly inCutOver: number
  /** Mandates that the ledgers whose place this one takes began to send, and that no file here has. */
  readonly missing: number
  /** Paths of the ledgers whose place this one takes; they are retired by the claim. */
  readonly replaces: readonly string[]
}

/** On which terms the service is asked what it holds. */
export interface ReadBackTerms extends Pick<RunSettings, 'version' | 'host' | 'pid'> {
  readonly scope: Scope
  /** Rows drawn at random; null for all. */
  readonly sample: number | null
  /** Pace, without secrets. */
  readonly settings: Readonly<Record<string, number | string | boolean | null>>
}

/** A row that a list of payment sources is held against. */
export interface HeldRow extends AskedRow {
  readonly attempts: number
}

/** What came of the question about one customer, and what it says of each row. Never an account number in full. */
export interface HeardAnswer extends Readonly<
  Record<'customerNo' | 'tries', number> &
    Record<'requestId' | 'askedAt' | 'answeredAt', string> &
    Record<'errorCode' | 'reason', string | null>
> {
  readonly answer: 'listed' | 'missing' | 'refused' | 'not_now' | 'unreadable' | 'no_answer'
  readonly status: number | null
  /** How many there are; null where no list came. */
  readonly sources: number | null
  readonly proofs: readonly {
    readonly rowId: number
    readonly attempts: number
    readonly evidence: ReadBackEvidence
  }[]
}

/** What a list that was laid beside the ledger shows of a row. */
export type ShownRow = HeardAnswer['proofs'][number] & Pick<HeardAnswer, 'customerNo'>

/** The same of all rows, with the name of the list and, as evidence, its hash. */
export interface ShownList extends Readonly<Record<'name' | 'evidence', string>> {
  readonly rows: Iterable<ShownRow>
}

/** That a person approves a plan: signed, or with a reference to where that is found. */
export type ApprovalGiven = ApprovalStatement & Pick<ApprovalRecord, 'recordedAs' | 'reference' | 'signature'>
