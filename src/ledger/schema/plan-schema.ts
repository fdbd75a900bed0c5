/**
 * What people planned and approved before it was sent. `plan.document` is the file byte for byte; `last_decision` is the
 * latest decision on rows then. Which run went under which plan stands in the settings of the run.
 */
export const PLAN_STEP = `
create table plan (
  id integer primary key,
  digest text not null unique check (length(digest) = 64),
  planned_at text not null,
  planned_by text not null check (planned_by <> ''),
  planned_as text,
  last_decision integer not null,
  document text not null
) strict;

create table approval (
  id integer primary key,
  plan_id integer not null references plan (id),
  digest text not null,
  approved_at text not null,
  approved_by text not null check (approved_by <> ''),
  approved_as text,
  reason text not null check (reason <> ''),
  same_person integer not null check (same_person in (0, 1)),
  expires_at text not null check (expires_at > approved_at),
  evidence text
) strict;
create index approval_plan on approval (plan_id);
`

/** Goes into the digest of planned rows, and changes with an erasure: digests that are out name no account afterwards. */
export const PLAN_KEY_STEP = `
alter table campaign add column plan_key blob;
update campaign set plan_key = randomblob(32) where secret is not null;
`
