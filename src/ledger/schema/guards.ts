import { EDGES, type RowEvent, type RowState, LATE_REQUEST_MS } from '../../domain/row/row-state.js'
import { HELD_WHATEVER_THE_TIME } from '../deliver/gate.js'
import { columnsThat } from '../admit/stored-row.js'

/** Every edge, so that the table of the domain and the triggers cannot drift apart. */
function edges(): { from: string; event: RowEvent; to: RowState }[] {
  return Object.entries(EDGES).flatMap(([from, events]) =>
    Object.entries(events).map(([event, to]) => ({ from, event: event as RowEvent, to })),
  )
}

/** What must be on record, in the same transaction, before a row may take the edge. */
function proofOf(event: RowEvent, from: string, to: string): string {
  const attempt = 'from attempt where row_id = old.id and n = old.attempts'
  const decided = `exists (select 1 from decision where row_id = old.id and from_state = '${from}'
        and to_state = '${to}' and attempt_id is (select id ${attempt}))`
  switch (event) {
    case 'intent':
      return `new.attempts = old.attempts + 1 and exists
        (select 1 from attempt where row_id = old.id and n = new.attempts and outcome is null)`
    case 'registered':
    case 'refused':
    case 'turned_away':
    case 'not_sent':
    case 'in_doubt':
      return `exists (select 1 ${attempt} and outcome = '${event}')`
    case 'resolved_resend':
    case 'retry_refused':
      return `${decided} and exists (select 1 from private where row_id = old.id and iban is not null)`
    case 'resolved_registered':
    case 'resolved_refused':
    case 'resolved_written_off':
    case 'held':
    case 'answered':
      return decided
    case 'shown':
      return `${decided} and exists (select 1 ${attempt} and outcome = 'in_doubt') and exists
        (select 1 from proof where row_id = old.id and attempts = old.attempts and verdict in ('proven', 'twice'))`
    case 'superseded':
      return 'new.superseded_by > old.id'
  }
}

/** In the transaction that brings it in. */
const IS_COMING_IN = '(select admitted_at from source where id = old.source_id) is null'

/** Until it is in, a row may be held back by rules across rows. */
const ADMISSION_EDGES = `old.attempts = 0 and ${IS_COMING_IN}
      and (old.state = 'ready' and new.state in ('conflict', 'duplicate', 'invalid')
        or old.state in ('invalid', 'excluded', 'conflict') and new.state in ('duplicate', 'conflict'))`

const rowEdges = (): string =>
  edges()
    .map(
      ({ from, event, to }) =>
        `(old.state = '${from}' and new.state = '${to}' and ${proofOf(event, from, to)})`,
    )
    .join('\n      or ')

const refuse = (message: string): string => `\nbegin select raise(abort, '${message}'); end;`

/** SQL: the service was reached; until then its address, a path of it or the user may have been mistyped. */
export const IS_BOUND = `(exists (select 1 from attempt where outcome is null or outcome not in ('turned_away', 'not_sent', 'refused') or outcome = 'refused' and status <> 404)
  or exists (select 1 from question where answer = 'listed') or exists (select 1 from who))`
const IS_PURGED = '(select purged_at from campaign) is not null'

const isErasedAlone = (row: string): string =>
  `exists (select 1 from decision where row_id = ${row} and decision = 'erased')`

/** That the words about this row go is on record: a decision on it, or the purge. */
const isErased = (row: string): string => `(${IS_PURGED} or ${isErasedAlone(row)})`

const columns = (fate: Parameters<typeof columnsThat>[0]): string => columnsThat(fate).join(', ')
const SAME_LENGTHS = columnsThat('key').map((name) => `length(new.${name}) is length(old.${name})`)

const READ = refuse('what was read from the source never changes')
const EVIDENCE = refuse('the evidence of an attempt never changes')
const INTENT = refuse('an intent never changes')
const PROBLEM = refuse('a problem never changes')
const DECISION = refuse('a decision never changes')
const SOURCE = refuse('an admitted source never changes')
const ANSWER = refuse('what the service answered never changes')
const PROOF = refuse('evidence never changes')
const APPROVAL = refuse('an approval never changes')

/** A row moves along its edges, and each step leaves its proof. */
const ROW_STEPS = `
create trigger row_edges before update of state on row when old.state is not new.state and not (
      ${rowEdges()}
      or (${ADMISSION_EDGES}))${refuse('this state change is not allowed')}
create trigger row_attempts_count before update of attempts on row when new.attempts <> old.attempts
    and not (old.state = 'ready' and new.state = 'sending' and new.attempts = old.attempts + 1)${refuse('attempts are counted by an intent only')}
create trigger row_replacement_stays before update of superseded_by on row
    when old.superseded_by is not null${refuse('a row is replaced once')}
create trigger row_has_heir after update of superseded_by on row when new.superseded_by is not null
begin update row set heir = (select coalesce(heir, id) from row where id = new.superseded_by) where id = new.id or heir = new.id; end;
create trigger row_heir_counts before update of heir on row when new.superseded_by is null
    or (select superseded_by from row where id = new.heir) is not null${refuse('what counts in the place of a row was not replaced itself')}
create trigger row_place_moves before update of counted_in on row when new.counted_in is not old.counted_in and not (
    (new.counted_in is null and new.state = 'superseded')
    or (old.counted_in is null and ${IS_COMING_IN}))${refuse('a place goes to the row that corrects its holder')}
create trigger row_without_place_waits before update of state on row
    when new.state = 'sending' and old.counted_in is null${refuse('a row that no total counts is never sent')}
`

/**
 * What came from the source stays; only its account, and words that name somebody, may go. A key goes by an erasure alone,
 * once the account is gone, and never to nothing: what is compared with it must not match by chance. A file with shifted
 * columns has account numbers where references should be.
 */
const ROW_CONTENT = `
create trigger row_content_stays before update of ${columns('stays')} on row${READ}
create trigger row_keys_stay before update of ${columns('key')} on row
    when not (not exists (select 1 from private where row_id = old.id) and ${isErasedAlone('old.id')} and ${SAME_LENGTHS.join(' and ')})${READ}
create trigger row_identity_stays before update of ${columns('identity')} on row
    when not (${isErased('old.id')} and old.state <> 'registered')${READ}
create trigger row_account_goes after update of state on row when new.state = 'registered'
begin delete from private where row_id in (select new.id union all select id from row where heir = new.id union all
  select id from row where mandate_key = new.mandate_key and +state in ('duplicate', 'superseded')); end;
create trigger row_assigned_stays before update of assigned_creditor_identifier, assigned_mandate_reference on row
    when old.state = 'registered' and new.state = old.state and not exists (select 1 from decision where row_id = old.id and decision = 'registered')${refuse('what the service assigned never changes')}
create trigger private_stays before update on private${refuse('an account number or a cell can be removed, never changed')}
create trigger private_goes before delete on private when not (
    (select state from row where id = old.row_id) in ('registered', 'duplicate', 'superseded') or ${isErased('old.row_id')})${refuse('an account goes with a registration, an erasure or the purge alone')}
`

/** An intent comes first and stays; an outcome is told once. */
const ATTEMPTS = `
create trigger attempt_begins_open before insert on attempt
    when new.outcome is not null${refuse('an attempt begins without an outcome')}
create trigger attempt_waits before insert on attempt when exists (
    select 1 from attempt as late where late.outcome = 'released' and late.mandate_key = new.mandate_key
      and strftime('%Y-%m-%dT%H:%M:%fZ', late.started_at, '+${LATE_REQUEST_MS / 1_000} seconds') > new.started_at
      and not exists (select 1 from decision where attempt_id = late.id and decision = 'resend'))${refuse('an earlier request of the mandate may still arrive')}
create trigger attempt_is_let before insert on attempt when new.reason is null and exists (
    select 1 from row where id = new.row_id and ${HELD_WHATEVER_THE_TIME})${refuse('the mandate is held')}
create trigger attempt_intent_stays
    before update of id, row_id, n, run_id, request_id, started_at on attempt${INTENT}
create trigger attempt_key_stays before update of mandate_key on attempt
    when not (${isErased('old.row_id')} and old.outcome is not 'registered')${INTENT}
create trigger attempt_outcome_stays before update of outcome on attempt when old.outcome is not null and not
    (old.outcome = 'in_doubt' and new.outcome = 'released' and exists
      (select 1 from decision where attempt_id = old.id and from_state = 'in_doubt' and to_state in ('ready', 'refused')))${refuse('an outcome never changes, only a decision releases a doubt')}
create trigger attempt_evidence_stays before update of
    ended_at, duration_ms, started, hint, status, error_code, retry_after_ms on attempt
    when old.outcome is not null${EVIDENCE}
create trigger attempt_words_stay before update of reason, service_code, field, message, answer on attempt
    when old.outcome is not null and not ${isErased('old.row_id')}${EVIDENCE}
`

/** What was found wrong, and what people decided, stays on record; the words of it go with the person. */
const PROBLEMS_AND_DECISIONS = `
create trigger problem_stays
    before update of id, source_id, row_id, rule, severity, field, column_name on problem${PROBLEM}
create trigger problem_words_stay before update of value, message, remedy on problem
    when not ${isErased('old.row_id')}${PROBLEM}
create trigger decision_stays before update of
    id, row_id, attempt_id, decided_at, decided_by, decision, from_state, to_state on decision${DECISION}
create trigger decision_words_stay before update of reason, evidence on decision
    when not ${isErased('old.row_id')}${DECISION}
create trigger decision_user_stays before update of decided_as on decision
    when old.decided_as is not null${DECISION}
create trigger decision_names_user after insert on decision when new.decided_as is null
begin update decision set decided_as = (select user from holder) where id = new.id; end;
`

const RUNS_AND_SOURCES = `
create trigger run_stays before update of id, started_at, ended_at, version, host, pid, as_of, zone, stopped_by, exit_code,
    started_as, mark on run when old.ended_at is not null${refuse('a run that ended never changes')}
create trigger run_words_stay before update of settings on run when old.ended_at is not null and not (${IS_PURGED} or exists
    (select 1 from attempt where run_id = old.id and ${isErasedAlone('row_id')}))${refuse('a run that ended never changes')}
create trigger run_mark_stays before update of mark on run
    when old.mark is not null${refuse('the mark of a run never changes')}
create trigger source_stays before update of id, name, header, columns, sha256, bytes, records, blank_lines,
    admitted_at, first_row, last_row, kind, origin, is_newer, last_decision on source when old.admitted_at is not null${SOURCE}
create trigger source_reading_stays before update of reading on source when old.admitted_at is not null and not (${IS_PURGED}
    or exists (select 1 from row where source_id = old.id and ${isErasedAlone('row.id')}))${SOURCE}
create trigger campaign_stays_bound before update of base_url, username on campaign when old.base_url is not null and ${IS_BOUND}
    and (new.base_url is not old.base_url or new.username is not old.username)${refuse('a ledger belongs to one service and user')}
create trigger campaign_identity_stays
    before update of id, ledger_id, created_at on campaign${refuse('the identity of a ledger never changes')}
`

/** What was read back is evidence: it stays as it was heard, but for what names a person. */
const READ_BACKS = `
create trigger read_back_stays before update on read_back
    when old.ended_at is not null${refuse('a read-back that ended never changes')}
create trigger question_stays before update of id, read_back_id, customer_no, request_id, asked_at, answered_at,
    tries, answer, status, error_code, sources on question${ANSWER}
create trigger question_words_stay before update of reason on question when not (${IS_PURGED} or exists
    (select 1 from row join decision on row_id = row.id
      where row.customer_no = old.customer_no and decision = 'erased'))${ANSWER}
create trigger proof_stays before update of id, question_id, row_id, attempts, verdict on proof${PROOF}
create trigger who_stays before update of id, customer_no, verdict, answered_at on who${PROOF}
create trigger who_claim_stays before update of claim on who when length(new.claim) <> length(old.claim) or not exists
    (select 1 from row join decision on row_id = row.id where row.customer_no = old.customer_no and decision = 'erased')${PROOF}
create trigger proof_words_stay before update of why, sources on proof when not ${isErased('old.row_id')}${PROOF}
`

/** Its settings say whose keys count for all plans of the ledger. */
export const FIRST_PLAN = 1

/** What was planned and approved stays. */
const PLANS = `
create trigger plan_stays before update on plan${refuse('a plan never changes')}
create trigger approval_stays before update of
    id, digest, approved_at, approved_by, recorded_as, expires_at, signature on approval${APPROVAL}
create trigger approval_words_stay before update of reference on approval when not ${IS_PURGED}${APPROVAL}
create trigger approval_needs_key before insert on approval when new.signature is null and exists
    (select 1 from plan, json_each(document, '$.settings.approvers') where plan.id = ${FIRST_PLAN})${refuse('an approval is signed where approvers are bound')}
`

/** A line is closed once, and what a comparison found stays. */
const COMPARISONS = `
create trigger comparison_stays before update on comparison${refuse('a comparison never changes')}
create trigger compared_stays before update on compared
    when (old.decision_id is not null and (new.final is old.final or new.decision_id is not old.decision_id))
    or new.row_id <> old.row_id or new.class <> old.class
    or new.why <> old.why or new.is_held <> old.is_held or (new.final is not old.final and not (${isErasedAlone('old.row_id')} and length(new.final) is length(old.final)))
    or new.met_by is not old.met_by or new.comparison_id is not old.comparison_id${refuse('a comparison never changes')}
create trigger kin_stays before update on kin when old.separated is not null or new.separated is null
    or new.row_id <> old.row_id or new.other_id <> old.other_id${refuse('a link never changes')}
`

const KEPT =
  'campaign source row problem run attempt decision read_back question proof who plan approval collection collected amended kin comparison compared ended_elsewhere'.split(
    ' ',
  )

const NOTHING_GOES = KEPT.map(
  (table) => `create trigger ${table}_is_kept before delete on ${table}${refuse('the ledger never deletes')}`,
)

/** Triggers that hold the promises of the ledger against our own mistakes and against a hand on the file. */
export const GUARDS = [
  ROW_STEPS,
  ROW_CONTENT,
  ATTEMPTS,
  PROBLEMS_AND_DECISIONS,
  RUNS_AND_SOURCES,
  READ_BACKS,
  PLANS,
  COMPARISONS,
  ...NOTHING_GOES,
].join('\n')
