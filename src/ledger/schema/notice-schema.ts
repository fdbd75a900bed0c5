/** Merge files for letters to customers that were made, so that nobody has to guess who was told what. */
export const NOTICE_STEP = `
create table notice (
  id integer primary key,
  made_at text not null,
  made_by text not null,
  made_as text,
  version text not null,
  first_debit text not null,
  file text not null,
  sha256 text not null,
  bytes integer not null,
  rows integer not null check (rows > 0)
) strict;
`
