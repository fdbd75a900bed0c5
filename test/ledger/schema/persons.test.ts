import { expect, it } from 'vitest'
import { openScratch } from '../../../src/ledger/file/connection.js'
import { makeTables } from '../../../src/ledger/schema/schema.js'

/**
 * What becomes of every column where a person is to be forgotten. A column that is in no list, or in two, fails: whoever
 * adds one says here what it holds of persons. Names are separated by blanks.
 */
const FATES: Readonly<Record<string, readonly (readonly [why: string, columns: string])[]>> = {
  'goes by an erasure and by a purge': [
    ['whole accounts and original cells', 'private.iban private.cells'],
    [
      'keyed hashes of an account: random bytes after an erasure; a purge takes their key',
      'row.iban_key row.content_key row.raw compared.final collected.account',
    ],
    [
      'a keyed hash of the name of who pays: random bytes after an erasure; a purge takes its key',
      'who.claim',
    ],
    ['a number of the reference without a key: goes where that is an account', 'row.spelling'],
    [
      'references that are accounts: masked',
      'row.original_creditor_identifier row.original_mandate_reference row.mandate_key attempt.mandate_key',
    ],
    ['values and words of a person', 'problem.value problem.message problem.remedy'],
    [
      'words of the service',
      'attempt.service_code attempt.field attempt.message attempt.answer attempt.reason question.reason',
    ],
    ['what the service holds of a person', 'proof.why proof.sources'],
    ['words that people typed about a person', 'decision.reason decision.evidence'],
    ['lines and words of an export: only words of a vocabulary stay', 'source.reading'],
    ['values of --only by which the rows of a person were chosen', 'run.settings'],
    ['the key of the digest of planned rows: a new one after an erasure', 'campaign.plan_key'],
  ],
  'goes by a purge alone': [
    ['the key of all fingerprints', 'campaign.secret'],
    [
      'references that are accounts: masked',
      'collected.creditor collected.reference collected.mandate_key amended.former amended.successor ended_elsewhere.mandate_key ended_elsewhere.spelling',
    ],
    ['words that people typed', 'approval.reference'],
  ],
  'names a person and stays, as the record of what became of a mandate': [
    ['the customer', 'row.customer_no question.customer_no who.customer_no ended_elsewhere.customer_no'],
    ['which account it was, to whoever knows it', 'row.iban_masked collected.iban_masked'],
    [
      'of the mandate',
      'row.signed_date row.latest_first_debit row.assigned_creditor_identifier row.assigned_mandate_reference collected.signed_date',
    ],
    [
      'who decided, planned and approved',
      `decision.decided_by decision.decided_as campaign.purged_by campaign.purged_as campaign.purge_reason
       campaign.username comparison.compared_by comparison.compared_as approval.approved_by approval.recorded_as approval.signature run.started_as holder.user`,
    ],
    ['what was approved, byte for byte: a purge says so', 'plan.document'],
  ],
  'names nobody': [
    [
      'numbers of the ledger',
      `campaign.id holder.id source.id row.id row.source_id private.row_id problem.id problem.source_id problem.row_id run.id attempt.id
       attempt.row_id attempt.n attempt.run_id decision.id decision.row_id decision.attempt_id read_back.id question.id
       question.read_back_id proof.id proof.question_id who.id proof.row_id plan.id approval.id
       collection.id collected.id kin.row_id kin.other_id comparison.id ended_elsewhere.comparison_id compared.id compared.comparison_id compared.row_id
       compared.met_by compared.decision_id row.corrects row.superseded_by row.heir row.counted_in row.record row.line row.attempts
       source.first_row source.last_row source.last_decision comparison.last_source comparison.last_decision
       plan.last_decision proof.attempts`,
    ],
    [
      'times and days',
      `campaign.created_at campaign.changed_at campaign.purged_at holder.since source.admitted_at row.registered_at
       run.started_at run.ended_at run.as_of run.zone attempt.started_at attempt.ended_at attempt.duration_ms
       attempt.retry_after_ms decision.decided_at read_back.started_at read_back.ended_at question.asked_at
       question.answered_at who.answered_at approval.approved_at approval.expires_at collected.day amended.day collected.ended_on collection.usual_date
       comparison.compared_at`,
    ],
    [
      'words of this program',
      `source.kind row.state row.rule problem.rule problem.severity problem.field run.stopped_by run.exit_code
       attempt.started attempt.outcome attempt.hint attempt.status attempt.error_code decision.decision
       decision.from_state decision.to_state read_back.scope read_back.stopped_by question.answer question.status
       question.error_code proof.verdict who.verdict kin.separated comparison.classes compared.class compared.why compared.is_held
       source.is_newer source.origin ended_elsewhere.is_contradictory`,
    ],
    [
      'counts',
      `source.bytes source.records source.blank_lines source.resubmitted read_back.sample question.tries question.sources
       comparison.ledger_mandates comparison.final_mandates`,
    ],
    ['names of columns', 'source.header source.columns problem.column_name'],
    ['names of columns, sheets and second files', 'comparison.readings'],
    ['hashes of whole files, of plans', 'source.sha256 collection.sha256 plan.digest approval.digest'],
    [
      'names of files, in which accounts are masked when they come in',
      'source.name collection.name comparison.sources',
    ],
    ['random', 'campaign.ledger_id run.mark attempt.request_id question.request_id'],
    [
      'the machine and the program',
      'holder.pid holder.host run.version run.host run.pid read_back.version read_back.host read_back.pid campaign.base_url campaign.expected',
    ],
    ['how fast it asked', 'read_back.settings'],
  ],
}

const listed = Object.values(FATES).flatMap((lists) =>
  lists.flatMap(([, columns]) => columns.trim().split(/\s+/)),
)

it('what a ledger holds of persons is said of each column of each table, once', () => {
  const tables = openScratch()
  makeTables(tables)
  const columns = tables
    .prepare<[], string>(
      `select t.name || '.' || c.name from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table'`,
    )
    .pluck()
    .all()
  tables.close()
  expect(listed.toSorted()).toEqual(columns.toSorted())
})
