import type { Absence } from '../../domain/proof/absence.js'
import type { ComparedLine } from '../../ledger/compare/comparison-reads.js'
import type { RowState } from '../../domain/row/row-state.js'
import type { CampaignRecord, PlanRecord, RowRecord, RunRecord } from '../../ledger/read/reader.js'
import type { Explanation } from './explanation.js'

/** A row as lists show it: without its original cells. */
export interface ListedRow {
  readonly row: RowRecord
  readonly explanation: Explanation
}

export interface OpenRow extends ListedRow {
  /** Null where the service was not asked about it. */
  readonly absence: Absence | null
}

/** A row as a list to decide in names it. */
export interface NamedRow {
  readonly row: RowRecord
  readonly campaign: CampaignRecord
}

/** A line of a comparison that nobody has closed. */
export interface CutOverLine extends NamedRow {
  readonly compared: ComparedLine
  /** Ids of payment sources that a read-back showed of it. */
  readonly paymentSources: readonly string[]
}

/** The parts the rows of a ledger fall into; each row is in exactly one. */
export const PART_OF_STATE = {
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

export type ReportPart = (typeof PART_OF_STATE)[RowState]

/** A line that was given back and could not be taken: the row it names stays as it was. */
export const isNotTaken = ({ corrects, countedIn, state }: RowRecord): boolean =>
  corrects !== null && countedIn === null && state !== 'duplicate' && state !== 'superseded'

/** Rows that no total counts are history, but for a correction that was not taken, of which somebody should read. */
export const partOf = (row: RowRecord): ReportPart =>
  row.countedIn !== null ? PART_OF_STATE[row.state] : isNotTaken(row) ? 'notSent' : 'closed'

/** The folder of the lists to work in: no manifest names them, so that working in them changes no report. */
export const TO_DO = 'to-do'

/** Where the file of each part is in the folder of a report. */
export const PLACE_OF_PART = {
  registered: 'registered.csv',
  refused: `${TO_DO}/refused.csv`,
  corrections: `${TO_DO}/corrections.csv`,
  inDoubt: `${TO_DO}/in-doubt.csv`,
  notSent: `${TO_DO}/not-sent.csv`,
} as const satisfies Record<Exclude<ReportPart, 'closed'>, string>

/** Written only where something of the cut-over is open. */
export const CUT_OVER_FILE = `${TO_DO}/cut-over.csv`

/** Written where it is asked for: what one run registered. */
export const TO_CANCEL_FILE = `${TO_DO}/to-cancel.csv`

/** The lists of what is open as sheets of one workbook. */
export const TO_DO_WORKBOOK = `${TO_DO}/to-do.xlsx`

/** Those of which nothing was sent that may count. */
export const NOT_SENT: readonly RowState[] = ['ready', 'invalid', 'conflict', 'excluded', 'written_off']

/** What a report is told besides the ledger: its manifest holds it, so that the report can be written again. */
export interface Told {
  /** Whose mandates these are. */
  readonly company: string | null
  /** The former provider. */
  readonly from: string | null
}

export const NOTHING_TOLD: Told = { company: null, from: null }

/** Part of summary.json, so that a third party needs nothing but the pack. */
export const DEFINITIONS = {
  customerNoSum: 'Sum of customer_no over the rows that have one, in decimal.',
} as const

/** States in the order of a report: what was achieved, what is open, what is closed. */
export const REPORT_ORDER: readonly RowState[] = [
  'registered',
  'in_doubt',
  'sending',
  'refused',
  'ready',
  'invalid',
  'conflict',
  'excluded',
  'duplicate',
  'superseded',
  'written_off',
]

export const idsText = (runs: readonly RunRecord[]): string => runs.map(({ id }) => id).join(', ')

export const hasSent = ({ attempts }: RunRecord): boolean =>
  Object.values(attempts).some((count) => count > 0)

/** The runs that sent something under a plan. */
export const runsUnder = ({ digest }: PlanRecord, runs: readonly RunRecord[]): string =>
  idsText(runs.filter((run) => run.settings.plan === digest && hasSent(run)))
