import { VERDICTS } from '../../domain/proof/match-sources.js'
import { WHO_VERDICTS } from '../../domain/who/names.js'
import { HELD_CLASSES, LISTED_CLASSES } from '../../domain/row/cut-over.js'
import {
  closing,
  openScratch,
  schemaDifferences,
  schemaOf,
  sqlValue,
  type Connection,
} from '../file/connection.js'
import { GUARDS } from './guards.js'
import { maskAccounts } from '../../domain/text/accounts.js'
import { LedgerError, UsageError } from '../../errors.js'
import { DOUBT_HINTS } from '../../domain/row/row-state.js'

/** Words of a closed set as an SQL list. Only for words of our own, never for values. */
export const sqlList = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')

/** `SMMl` in ASCII: tells a ledger from any other SQLite file. */
const APPLICATION_ID = 0x534d4d6c

/** A ledger has this one or is refused: none is converted. Raise it with any change of what is below. */
export const SCHEMA_VERSION = 42

/** Which rows a read-back asks about. */
const SCOPES = ['in_doubt', 'registered', 'ready', 'all'] as const
export type Scope = (typeof SCOPES)[number]

/** What came of a question: a list, or why there is none. */
const ANSWERS = ['listed', 'missing', 'refused', 'not_now', 'unreadable', 'no_answer'] as const

/** What no row has that is not registered. */
const UNREGISTERED = `registered_at is null
      and (assigned_creditor_identifier is null or assigned_creditor_identifier = '')
      and (assigned_mandate_reference is null or assigned_mandate_reference = '')`

/** What is sent, and what tells the mandate and its account later. */
const COMPLETE = `customer_no is not null and iban_key is not null and signed_date is not null
      and original_creditor_identifier is not null and original_mandate_reference is not null
      and mandate_key is not null`

/** Made anew behind a load. */
export const COLLECTED_ACCOUNT =
  'create index if not exists collected_account on collected (account, signed_date) where account is not null'

/**
 * What each state asks of its row is one condition that looks at the state first: eight that each looked at it took a
 * third of an insert. `run.mark` is what the register of this user keeps of the latest run that began to send: a ledger
 * without that mark is an older copy. `row.content_key` is a keyed fingerprint of the five values that are sent.
 * `campaign.plan_key` goes into the digest of planned rows, and changes with an erasure. `plan.document` is the file byte
 * for byte; `last_decision` is the latest decision on rows then, as `comparison.last_source` is the latest source.
 */
const TABLES = `
create table campaign (
  id integer primary key check (id = 1),
  ledger_id text not null, created_at text not null, changed_at text not null, secret blob,
  base_url text, username text, purged_at text, purged_by text, purge_reason text, purged_as text,
  plan_key blob, expected text,
  check ((base_url is null) = (username is null)),
  check ((purged_at is null) = (secret is not null))
) strict;

create table holder (
  id integer primary key check (id = 1), pid integer, host text not null, since text not null, user text
) strict;

create table source (
  id integer primary key, name text not null, header text not null, columns text not null,
  sha256 text,
  bytes integer, records integer, blank_lines integer, reading text, admitted_at text,
  first_row integer, last_row integer, resubmitted integer not null default 0,
  kind text not null check (kind in ('export', 'list', 'again')),
  origin integer not null references source (id),
  is_newer integer not null check (is_newer in (0, 1)), last_decision integer not null,
  check ((kind = 'again') = (origin <> id))
) strict;

create unique index source_file on source (sha256, coalesce(reading ->> '$.configuration', '')) where sha256 is not null;

create table row (
  id integer primary key, source_id integer not null references source (id),
  record integer not null, line integer not null, state text not null, rule text,
  customer_no integer, iban_masked text, iban_key blob, signed_date text,
  original_creditor_identifier text, original_mandate_reference text, mandate_key text, raw blob,
  corrects integer, superseded_by integer references row (id), heir integer references row (id),
  latest_first_debit text, attempts integer not null default 0, assigned_creditor_identifier text,
  assigned_mandate_reference text, registered_at text, counted_in integer, content_key blob,
  spelling integer,
  constraint row_suits_its_state check (case state
    when 'ready' then superseded_by is null and ${UNREGISTERED} and ${COMPLETE}
    when 'sending' then attempts > 0 and superseded_by is null and ${UNREGISTERED} and ${COMPLETE}
    when 'registered' then attempts > 0 and superseded_by is null and registered_at is not null
      and coalesce(assigned_creditor_identifier, '') <> '' and coalesce(assigned_mandate_reference, '') <> ''
    when 'duplicate' then attempts = 0 and superseded_by is null and ${UNREGISTERED}
    when 'invalid' then attempts = 0 and superseded_by is null and ${UNREGISTERED}
    when 'conflict' then superseded_by is null and ${UNREGISTERED}
    when 'excluded' then attempts = 0 and superseded_by is null and ${UNREGISTERED}
    when 'refused' then attempts > 0 and superseded_by is null and ${UNREGISTERED}
    when 'in_doubt' then attempts > 0 and superseded_by is null and ${UNREGISTERED}
    when 'written_off' then superseded_by is null and ${UNREGISTERED}
    when 'superseded' then superseded_by is not null and ${UNREGISTERED}
    else 0 end)
) strict;
create index row_state on row (state);
create index row_mandate on row (mandate_key);
create index row_customer on row (customer_no);
create index row_held_back on row (raw) where state in ('invalid', 'excluded');
create index row_heir on row (heir) where heir is not null;
create index row_spelling on row (spelling);
create unique index row_assigned on row (assigned_mandate_reference collate nocase)
  where assigned_mandate_reference is not null;
create index row_closed on row (raw) where state = 'written_off' and raw is not null;
create index row_beside on row (mandate_key) where state in ('conflict', 'excluded', 'invalid');
create index row_counted on row (state, counted_in) where counted_in is not source_id;

create table private (
  row_id integer primary key references row (id), iban text, cells text not null
) strict;

create table problem (
  id integer primary key, source_id integer not null references source (id),
  row_id integer references row (id), rule text not null,
  severity text not null check (severity in ('error', 'warning')),
  field text, column_name text not null, value text not null, message text not null,
  remedy text not null
) strict;
create index problem_row on problem (row_id);

create table run (
  id integer primary key, started_at text not null, ended_at text, version text not null,
  host text not null, pid integer not null, as_of text not null, zone text not null,
  settings text not null, stopped_by text, exit_code integer, started_as text, mark text
) strict;
create index run_mark on run (mark) where mark is not null;

create table attempt (
  id integer primary key, row_id integer not null references row (id), n integer not null check (n > 0),
  run_id integer not null references run (id),
  mandate_key text not null, request_id text not null unique, started_at text not null,
  ended_at text, duration_ms real, started integer check (started in (0, 1)),
  outcome text check (outcome in
    ('registered', 'refused', 'turned_away', 'not_sent', 'in_doubt', 'released')),
  hint text check (hint in (${sqlList(DOUBT_HINTS)})),
  reason text, status integer, error_code text, service_code text, field text, message text,
  answer text, retry_after_ms real,
  unique (row_id, n),
  check ((outcome is null) = (ended_at is null))
) strict;
create unique index one_live_attempt on attempt (mandate_key)
  where outcome is null or outcome in ('registered', 'in_doubt');
create index attempt_run on attempt (run_id, outcome);
create index attempt_released on attempt (mandate_key) where outcome = 'released';
create index attempt_late on attempt (started_at) where outcome = 'released';

create table decision (
  id integer primary key, row_id integer not null references row (id),
  attempt_id integer references attempt (id), decided_at text not null,
  decided_by text not null check (decided_by <> ''),
  decision text not null, from_state text not null, to_state text not null,
  reason text not null check (reason <> ''), evidence text, decided_as text
) strict;
create index decision_attempt on decision (attempt_id) where attempt_id is not null;
create unique index one_decision
  on decision (row_id, coalesce(attempt_id, 0), from_state, iif(decision = 'done' or from_state = to_state, id, decision = 'corrected'));

create table read_back (
  id integer primary key, scope text not null check (scope in (${sqlList(SCOPES)})),
  sample integer check (sample > 0),
  version text not null, host text not null, pid integer not null, settings text not null,
  started_at text not null, ended_at text, stopped_by text
) strict;

create table question (
  id integer primary key, read_back_id integer not null references read_back (id),
  customer_no integer not null, request_id text not null, asked_at text not null,
  answered_at text not null, tries integer not null check (tries > 0),
  answer text not null check (answer in (${sqlList(ANSWERS)})),
  status integer, error_code text, reason text, sources integer,
  check ((answer = 'listed') = (sources is not null))
) strict;
create index question_customer on question (read_back_id, customer_no);

create table proof (
  id integer primary key, question_id integer not null references question (id),
  row_id integer not null references row (id), attempts integer not null,
  verdict text not null check (verdict in (${sqlList(VERDICTS)})), why text, sources text,
  unique (row_id, question_id)
) strict;

create table who (
  id integer primary key,
  customer_no integer not null,
  claim blob not null,
  verdict text not null check (verdict in (${sqlList(WHO_VERDICTS)})),
  answered_at text not null
) strict;
create index who_claim on who (claim);
create index who_customer on who (customer_no);

create table plan (
  id integer primary key, digest text not null unique check (length(digest) = 64),
  last_decision integer not null, document text not null
) strict;

create table approval (
  id integer primary key, digest text not null references plan (digest),
  approved_at text not null, approved_by text not null check (approved_by <> ''),
  recorded_as text, expires_at text not null check (expires_at > approved_at),
  reference text check (reference <> ''), signature text,
  check ((reference is null) <> (signature is null))
) strict;

create table collection (
  id integer primary key, name text not null, sha256 text not null unique,
  usual_date text
) strict;

create table collected (
  id integer primary key, mandate_key text not null unique, creditor text not null,
  reference text not null, account blob, iban_masked text, signed_date text not null, day text not null,
  ended_on text
) strict;

create table amended (
  former text not null, successor text not null, day text not null,
  primary key (former, successor)
) strict;
${COLLECTED_ACCOUNT};

create table kin (
  row_id integer not null references row (id), other_id integer not null references row (id),
  separated text check (separated in ('send', 'rules')),
  primary key (row_id, other_id)
) strict, without rowid;
create index kin_other on kin (other_id);
create index kin_open on kin (row_id) where separated is null;

create table comparison (
  id integer primary key, compared_at text not null,
  compared_by text not null check (compared_by <> ''),
  compared_as text, sources text not null, readings text not null, classes text not null, ledger_mandates integer not null,
  final_mandates integer not null, last_source integer not null, last_decision integer not null
) strict;

create table ended_elsewhere (
  comparison_id integer not null references comparison (id),
  mandate_key text not null, spelling integer, customer_no integer,
  is_contradictory integer not null check (is_contradictory in (0, 1)),
  primary key (comparison_id, mandate_key)
) strict, without rowid;
create index ended_spelling on ended_elsewhere (spelling);

create table compared (
  id integer primary key, comparison_id integer references comparison (id),
  row_id integer not null references row (id),
  class text not null check (class in (${sqlList([...LISTED_CLASSES, ...HELD_CLASSES])})),
  why text not null, is_held integer not null check (is_held in (0, 1)), final blob,
  met_by integer references row (id), decision_id integer references decision (id)
) strict;
create index compared_row on compared (row_id, comparison_id);
create unique index compared_once on compared (comparison_id, row_id) where met_by is null;
create index compared_held on compared (comparison_id) where is_held;
create index compared_met on compared (met_by) where met_by is not null;
`

/** Makes the tables of an empty file, with the promises that it keeps by itself. */
export function makeSchema(connection: Connection): void {
  connection
    .transaction(() => {
      makeTables(connection)
      connection.exec(GUARDS)
    })
    .immediate()
}

/** Without the guards, which let nobody write history. */
export function makeTables(connection: Connection): void {
  connection.exec(TABLES)
  connection.pragma(`application_id = ${APPLICATION_ID}`)
  connection.pragma(`user_version = ${SCHEMA_VERSION}`)
}

/**
 * Looks whether the file is a ledger of this version, without changing it.
 * @returns true for an empty file, which may become a ledger
 * @throws {LedgerError} `foreign`, `newer`, `earlier`, `damaged`
 */
export function assertOurs(connection: Connection, file: string): boolean {
  const applicationId = Number(connection.pragma('application_id', { simple: true }))
  const version = Number(connection.pragma('user_version', { simple: true }))
  const tables = sqlValue(connection)<number>`select count(*) from sqlite_schema`.get()
  if (applicationId === 0 && version === 0 && tables === 0) return true
  if (applicationId !== APPLICATION_ID)
    throw new LedgerError(
      'foreign',
      `Cannot use "${file}" as a ledger: it is an SQLite file of another program`,
      'Give another file (--ledger FILE)',
    )
  if (version > SCHEMA_VERSION)
    throw new LedgerError(
      'newer',
      `Cannot open the ledger "${file}": a newer version of this program wrote it (schema ${version}, this one has ${SCHEMA_VERSION})`,
      'Install the newer version. Nothing was changed',
    )
  if (version < SCHEMA_VERSION) throw earlier(connection, file, version)
  assertAsMade(connection, file)
  return false
}

let made: ReturnType<typeof schemaOf> | null = null

/** As this program makes them; made once, since a command opens its ledger several times. */
const schemaAsMade = (): ReturnType<typeof schemaOf> =>
  (made ??= closing(openScratch(), (scratch) => {
    makeSchema(scratch)
    return schemaOf(scratch)
  }))

/** A guard that is gone or changed leaves nothing to see in the rows. @throws {LedgerError} `damaged` */
function assertAsMade(connection: Connection, file: string): void {
  const other = schemaDifferences(connection, schemaAsMade)
  if (other.length === 0) return
  throw new LedgerError(
    'damaged',
    `Cannot use the ledger "${file}": its tables and guards are not as this program makes them (${maskAccounts(other.slice(0, 3).join(', '))})`,
    'Somebody changed the file by hand. Send nothing from it. Keep it as evidence, find out who could write to it, and restore a backup',
  )
}

function earlier(connection: Connection, file: string, version: number): LedgerError {
  const wrote = sqlValue(connection)<string>`
    select version from run order by id desc limit 1`.get()
  return new LedgerError(
    'earlier',
    `Cannot open the ledger "${file}": an earlier version of this program wrote it (${wrote === undefined ? '' : `version ${wrote}, `}schema ${version}, this one has ${SCHEMA_VERSION}), and ledgers are not converted`,
    'Finish the campaign and write its report with the checkout or package that made the ledger. Nothing was changed, and nothing was sent',
  )
}

export const missing = (file: string): UsageError =>
  new UsageError(
    `Cannot open the ledger "${file}": there is no such file`,
    'Give its path, or start a campaign (--ledger FILE; sepa-migrate run FILE)',
  )
