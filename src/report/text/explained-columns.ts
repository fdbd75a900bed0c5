import { PLACE_OF_PART } from '../facts/facts.js'
import { DECISION_FILE_COLUMNS, DECISIONS_FILE } from '../files/decision-lines.js'
import { PROBLEM_COLUMNS } from '../files/problem-lines.js'
import { IN_DOUBT_COLUMNS, OPEN_ROW_COLUMNS, REGISTERED_COLUMN_NAMES } from '../files/row-lines.js'
import { VERIFICATION_COLUMNS, VERIFICATION_FILE } from '../files/verification-lines.js'
import type { TextKey, Texts } from './texts.js'

/** Files that have the same columns, and what these mean. */
interface ExplainedColumns {
  readonly files: readonly string[]
  readonly columns: readonly (readonly [column: string, meaning: string])[]
}

type Column =
  | (typeof REGISTERED_COLUMN_NAMES)[number]
  | (typeof IN_DOUBT_COLUMNS)[number]
  | (typeof PROBLEM_COLUMNS)[number]
  | (typeof DECISION_FILE_COLUMNS)[number]
  | (typeof VERIFICATION_COLUMNS)[number]

/** A column that its label does not explain has a line of its own. */
const MEANINGS: Readonly<Record<Column, TextKey>> = {
  customer_no: 'label.customer',
  iban_masked: 'label.account',
  signed_date: 'label.signed',
  original_creditor_identifier: 'label.previousCreditor',
  original_mandate_reference: 'label.previousReference',
  assigned_creditor_identifier: 'label.assignedCreditor',
  assigned_mandate_reference: 'label.assignedReference',
  registered_at: 'label.registeredAt',
  latest_first_debit: 'column.latest_first_debit',
  source: 'label.source',
  record: 'label.record',
  line: 'label.line',
  column: 'label.column',
  value: 'label.value',
  rule: 'label.rule',
  severity: 'column.severity',
  message: 'label.message',
  remedy: 'label.remedy',
  attempts: 'label.attempts',
  migration_row: 'column.migration_row',
  migration_state: 'label.state',
  migration_rule: 'label.rule',
  migration_status: 'label.status',
  migration_message: 'label.message',
  migration_remedy: 'label.remedy',
  migration_sent_at: 'column.migration_sent_at',
  migration_sent_ago: 'column.migration_sent_ago',
  migration_resend_from: 'column.migration_resend_from',
  migration_request_id: 'label.lastRequest',
  migration_proposal: 'column.migration_proposal',
  migration_proposal_evidence: 'label.evidence',
  migration_ledger: 'column.migration_ledger',
  migration_attempt: 'column.migration_attempt',
  migration_decision: 'column.migration_decision',
  migration_reason: 'label.reason',
  migration_by: 'label.by',
  migration_assigned_creditor_identifier: 'label.assignedCreditor',
  migration_assigned_mandate_reference: 'label.assignedReference',
  id: 'column.id',
  row: 'label.row',
  attempt: 'label.attempts',
  time: 'column.time',
  by: 'label.by',
  as: 'label.asUser',
  decision: 'label.decision',
  from: 'column.from',
  to: 'column.to',
  reason: 'label.reason',
  evidence: 'label.evidence',
  hash: 'column.hash',
  verification: 'column.verification',
  verified_at: 'column.time',
  payment_sources: 'label.paymentSources',
  payment_source_statuses: 'label.paymentSources',
  may_be_cancelled: 'label.cancellable',
  explanation: 'label.message',
}

const { registered, refused, corrections, inDoubt, notSent } = PLACE_OF_PART
const OPEN_ROW: ReadonlySet<string> = new Set(OPEN_ROW_COLUMNS)

/**
 * Every column that this program writes, as the headers have them, file by file.
 * @param isVerified whether there is a file of what was read back
 */
export function explainedColumns({ say }: Texts, isVerified: boolean): readonly ExplainedColumns[] {
  const explained = (files: readonly string[], columns: readonly Column[]): ExplainedColumns => ({
    files,
    columns: columns.map((column) => [column, say(MEANINGS[column])]),
  })
  return [
    explained([registered], REGISTERED_COLUMN_NAMES),
    explained([inDoubt, refused, corrections, notSent], OPEN_ROW_COLUMNS),
    explained(
      [inDoubt],
      IN_DOUBT_COLUMNS.filter((column) => !OPEN_ROW.has(column)),
    ),
    explained(['problems.csv'], PROBLEM_COLUMNS),
    explained([DECISIONS_FILE], DECISION_FILE_COLUMNS),
    ...(isVerified ? [explained([VERIFICATION_FILE], VERIFICATION_COLUMNS)] : []),
  ]
}
