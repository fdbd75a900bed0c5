import type { RowState } from '../../domain/row/row-state.js'
import type { Totals } from '../../domain/row/totals.js'
import type { Verification } from '../../domain/proof/verification.js'
import type {
  CampaignRecord,
  DecisionRecord,
  LedgerReader,
  PlanRecord,
  RegisteredRow,
  RowRecord,
  RunRecord,
  SourceRecord,
  VerifiedRow,
} from '../../ledger/read/reader.js'
import type { Explanation } from './explanation.js'
import type { HashTotals } from './hash-totals.js'
import type { Timeline } from './timeline.js'
import type { ValueCounts } from './value-counts.js'

/** A row as lists show it: without its original cells. */
export interface ListedRow {
  readonly row: RowRecord
  readonly explanation: Explanation
}

/** The first entries of a list and how many there are. */
export interface Capped<Entry> {
  readonly total: number
  readonly first: readonly Entry[]
}

/** The parts the rows of a ledger fall into; each row is in exactly one. */
const PART_OF_STATE = {
  registered: 'registered',
  refused: 'refused',
  in_doubt: 'inDoubt',
  sending: 'inDoubt',
  invalid: 'corrections',
  conflict: 'corrections',
  excluded: 'notSent',
  duplicate: 'notSent',
  ready: 'notSent',
  superseded: 'closed',
  written_off: 'closed',
} as const satisfies Record<RowState, string>

export type Part = (typeof PART_OF_STATE)[RowState]

export const partOfState = (state: RowState): Part => PART_OF_STATE[state]

/** A line that was given back and could not be taken: the row it names stays as it was. */
export const isNotTaken = ({ corrects, countedIn, state }: RowRecord): boolean =>
  corrects !== null && countedIn === null && state !== 'duplicate' && state !== 'superseded'

/** Rows that no total counts are history, but for a correction that was not taken, of which somebody should read. */
export const partOf = (row: RowRecord): Part =>
  row.countedIn !== null ? PART_OF_STATE[row.state] : isNotTaken(row) ? 'notSent' : 'closed'

export const FILE_OF_PART = {
  registered: 'registered.csv',
  refused: 'refused.csv',
  corrections: 'corrections.csv',
  inDoubt: 'in-doubt.csv',
  notSent: 'not-sent.csv',
} as const satisfies Record<Exclude<Part, 'closed'>, string>

/** The folder of the lists to work in: no manifest names them, so that working in them changes no report. */
export const TO_DO = 'to-do'

/** Where these files are in the folder of a report. */
export const PLACE_OF_PART = {
  registered: FILE_OF_PART.registered,
  refused: `${TO_DO}/${FILE_OF_PART.refused}`,
  corrections: `${TO_DO}/${FILE_OF_PART.corrections}`,
  inDoubt: `${TO_DO}/${FILE_OF_PART.inDoubt}`,
  notSent: `${TO_DO}/${FILE_OF_PART.notSent}`,
} as const satisfies Record<keyof typeof FILE_OF_PART, string>

/** What was read back of the registered rows. */
export interface VerificationFacts extends Verification {
  /** How many rows were drawn when registered rows were last read back; null for all of them. */
  readonly sample: number | null
  /** Those that are not proven, in the order of the words. */
  readonly unproven: Capped<VerifiedRow>
}

/** Everything the pages of a report show: values only, read from the ledger in one walk. */
export interface ReportFacts {
  /** Name of the ledger's file, without its folder. */
  readonly ledger: string
  readonly campaign: CampaignRecord
  /** A run was writing meanwhile: each row is still counted once, as it was met. */
  readonly changedWhileReading: boolean
  readonly totals: Totals
  /** Corrections that could not be taken. */
  readonly notTaken: number
  /** Rows in doubt that are proposed to be sent again. */
  readonly proposals: number
  /** In all, and for each source. */
  readonly balanced: boolean
  /** With the totals of this walk. */
  readonly sources: readonly SourceRecord[]
  /** Ready rows that the latest run was not told to send; null where it was told to send all. */
  readonly leftByChoice: number | null
  readonly runs: readonly RunRecord[]
  /** In the order in which they were made, with their approvals. */
  readonly plans: readonly PlanRecord[]
  /** Rows that left under each approval, and under none; empty where nobody planned. */
  readonly sentByApproval: ReturnType<LedgerReader['sentByApproval']>
  /** Rows of each part. */
  readonly parts: Readonly<Record<Part, number>>
  /** Those in doubt. */
  readonly inDoubt: Capped<ListedRow>
  readonly problems: number
  readonly problemCounts: ReturnType<LedgerReader['problemCounts']>
  readonly refusalCounts: ReturnType<LedgerReader['refusalCounts']>
  /** All but corrections. */
  readonly decisions: Capped<DecisionRecord>
  readonly corrections: Capped<DecisionRecord>
  readonly hashTotals: { readonly read: HashTotals; readonly byState: ReadonlyMap<RowState, HashTotals> }
  readonly distinct: ReturnType<LedgerReader['distinctCounts']>
  readonly registrations: Timeline
  /** Registered rows whose first debit is due earliest. */
  readonly firstDebits: readonly RegisteredRow[]
  /** Null where nobody asked the service about a registered row. */
  readonly verification: VerificationFacts | null
  /** Creditor identifiers of the registered rows. */
  readonly creditors: { readonly previous: ValueCounts; readonly assigned: ValueCounts }
  /** Who decided on rows, by the name that was given. */
  readonly resolvedBy: ValueCounts
  /** Decisions that sent a row once more while its earlier request could still arrive. */
  readonly forcedResends: number
}
