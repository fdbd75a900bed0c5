import { DOUBT_HINTS } from '../../domain/row/outcome.js'
import { ROW_STATES } from '../../domain/row/row-state.js'
import { CLAIM_STEP } from './claim-schema.js'
import { PLAN_KEY_STEP, PLAN_STEP } from './plan-schema.js'
import { PROOF_STEP } from './proof-schema.js'
import { ROW_STEP } from './row-schema.js'
import { sqlList } from './sql-list.js'

/** `SMMl` in ASCII: tells a ledger from any other SQLite file. */
export const APPLICATION_ID = 0x534d4d6c

const TABLES = `
create table campaign (
  id integer primary key check (id = 1),
  ledger_id text not null,
  created_at text not null,
  changed_at text not null,
  secret blob,
  base_url text,
  username text,
  purged_at text,
  purged_by text,
  purge_reason text,
  check ((base_url is null) = (username is null)),
  check ((purged_at is null) = (secret is not null))
) strict;

create table holder (
  id integer primary key check (id = 1),
  pid integer,
  host text not null,
  since text not null
) strict;

create table source (
  id integer primary key,
  name text not null,
  header text not null,
  columns text not null,
  sha256 text unique,
  bytes integer,
  records integer,
  blank_lines integer,
  reading text,
  admitted_at text,
  first_row integer,
  last_row integer
) strict;

create table row (
  id integer primary key,
  source_id integer not null references source (id),
  record integer not null,
  line integer not null,
  state text not null check (state in (${sqlList(ROW_STATES)})),
  rule text,
  customer_no integer,
  iban text,
  iban_masked text,
  iban_key blob,
  signed_date text,
  original_creditor_identifier text,
  original_mandate_reference text,
  mandate_key text,
  raw blob,
  corrects integer,
  superseded_by integer references row (id),
  latest_first_debit text,
  attempts integer not null default 0,
  assigned_creditor_identifier text,
  assigned_mandate_reference text,
  registered_at text,
  cells text,
  check (attempts > 0 or state not in ('sending', 'registered', 'refused', 'in_doubt')),
  check (attempts = 0 or state not in ('invalid', 'excluded', 'conflict', 'duplicate')),
  check ((state = 'superseded') = (superseded_by is not null)),
  check (state not in ('ready', 'sending') or (
    customer_no is not null and iban is not null and iban_key is not null and signed_date is not null
    and original_creditor_identifier is not null and original_mandate_reference is not null
    and mandate_key is not null)),
  check ((state = 'registered') = (registered_at is not null)),
  check ((state = 'registered') = (coalesce(assigned_creditor_identifier, '') <> '')),
  check ((state = 'registered') = (coalesce(assigned_mandate_reference, '') <> '')),
  check (state <> 'registered' or (iban is null and cells is null))
) strict;
create index row_state on row (state);
create index row_mandate on row (mandate_key);
create index row_customer on row (customer_no);
create index row_held_back on row (raw) where state in ('invalid', 'excluded');
create index row_replacement on row (superseded_by) where superseded_by is not null;
create index row_blank on row (replace(mandate_key, ' ', '')) where instr(mandate_key, ' ') > 0;
create unique index row_assigned on row (assigned_mandate_reference collate nocase)
  where assigned_mandate_reference is not null;

create table problem (
  id integer primary key,
  source_id integer not null references source (id),
  row_id integer references row (id),
  rule text not null,
  severity text not null check (severity in ('error', 'warning')),
  field text,
  column_name text not null,
  value text not null,
  message text not null,
  remedy text not null
) strict;
create index problem_row on problem (row_id);

create table run (
  id integer primary key,
  started_at text not null,
  ended_at text,
  version text not null,
  host text not null,
  pid integer not null,
  as_of text not null,
  zone text not null,
  settings text not null,
  stopped_by text,
  exit_code integer
) strict;

create table attempt (
  id integer primary key,
  row_id integer not null references row (id),
  n integer not null check (n > 0),
  run_id integer not null references run (id),
  mandate_key text not null,
  request_id text not null unique,
  started_at text not null,
  ended_at text,
  duration_ms real,
  started integer check (started in (0, 1)),
  outcome text check (outcome in
    ('registered', 'refused', 'turned_away', 'not_sent', 'in_doubt', 'released')),
  hint text check (hint in ('probably_registered', 'unknown')),
  reason text,
  status integer,
  error_code text,
  service_code text,
  field text,
  message text,
  answer text,
  retry_after_ms real,
  notes text,
  unique (row_id, n),
  check ((outcome is null) = (ended_at is null))
) strict;
create unique index one_live_attempt on attempt (mandate_key)
  where outcome is null or outcome in ('registered', 'in_doubt');
create index attempt_run on attempt (run_id, outcome);

create table decision (
  id integer primary key,
  row_id integer not null references row (id),
  attempt_id integer references attempt (id),
  decided_at text not null,
  decided_by text not null check (decided_by <> ''),
  decision text not null,
  from_state text not null,
  to_state text not null,
  reason text not null check (reason <> ''),
  evidence text
) strict;
create unique index one_decision on decision (row_id, coalesce(attempt_id, 0), from_state);
`

/** Takes a ledger from one version of the schema to the next, inside one transaction. */
export interface SchemaStep {
  readonly sql: string
  /** Makes a table anew that others refer to, which SQLite takes for deleting all its rows; references are looked at behind it. */
  readonly remakes?: boolean
}

/** An attempt may end with the hint that the mandate may exist already. SQLite changes no check in place. */
const MAY_EXIST_HINT = `
alter table attempt add column doubt_hint text check (doubt_hint in (${sqlList(DOUBT_HINTS)}));
update attempt set doubt_hint = hint where hint is not null;
alter table attempt drop column hint;
alter table attempt rename column doubt_hint to hint;
`

/** Rows that were never sent can be closed; what was ever in doubt waits before it may leave again. */
const CLOSED_AND_WAITING = `
create index attempt_released on attempt (mandate_key) where outcome = 'released';
create index row_closed on row (raw) where state = 'written_off' and raw is not null;
`

/** The user of the operating system beside every decision. */
const WITNESS = `
alter table holder add column user text;
alter table decision add column decided_as text;
alter table campaign add column purged_as text;
`

/**
 * Places in the control totals. In a ledger of version 5 a correction had counted as one more record: it gets the place
 * of the row it replaced, the one it named where it replaced several.
 */
const PLACES = `
alter table row add column place integer;
alter table source add column resubmitted integer not null default 0;
create index row_place on row (state, place) where place is not null;
create unique index row_place_once on row (place) where place > 0;

update row set place = 0 where corrects is not null;
create temp table replaced_by_correction (newcomer integer primary key, row integer not null);
insert into temp.replaced_by_correction
  select newcomer.id, coalesce(max(older.id) filter (where older.id = newcomer.corrects), max(older.id))
    from row as newcomer join row as older on older.superseded_by = newcomer.id
   where newcomer.corrects is not null group by newcomer.id;
create temp table taken as
  with recursive taken (newcomer, place) as (
    select newcomer, row.id from temp.replaced_by_correction join row on row.id = replaced_by_correction.row
      where row.corrects is null
    union all
    select step.newcomer, taken.place from temp.replaced_by_correction as step join taken on step.row = taken.newcomer)
  select * from taken;
update row set place = 0 where id in (select place from temp.taken);
update row set place = (select place from temp.taken where newcomer = row.id)
  where id in (select newcomer from temp.taken as last
    where not exists (select 1 from temp.taken as later where later.place = last.place and later.newcomer > last.newcomer));
drop table temp.taken;
drop table temp.replaced_by_correction;
update source set resubmitted =
  (select count(*) from row where row.source_id = source.id and corrects is not null
     and row.id between source.first_row and source.last_row);
`

/** The user of the operating system beside every run. */
const RUNNER = `
alter table run add column started_as text;
`

/** Until version 12 a campaign was sent in waves. Step 10 made their tables and is empty now; its number stays. */
const WITHOUT_WAVES = `
drop table if exists wave_row;
drop table if exists wave;
`

/** A row can be given back corrected and be decided on in the state that it came in. */
const CORRECTIONS = `
drop index one_decision;
create unique index one_decision
  on decision (row_id, coalesce(attempt_id, 0), from_state, decision = 'corrected');
`

/** The step at index n leads to version n + 1. The guards are made anew after every step. */
export const SCHEMA: readonly SchemaStep[] = [
  { sql: TABLES },
  { sql: MAY_EXIST_HINT },
  { sql: CLOSED_AND_WAITING },
  { sql: WITNESS },
  { sql: CLAIM_STEP },
  { sql: PLACES },
  { sql: PROOF_STEP },
  { sql: RUNNER },
  { sql: PLAN_STEP },
  { sql: '' },
  { sql: ROW_STEP, remakes: true },
  { sql: 'drop table if exists notice' },
  { sql: WITHOUT_WAVES },
  { sql: PLAN_KEY_STEP },
  { sql: CORRECTIONS },
]
