/**
 * Waves of the campaign, and the rows that they took. A row of the rest has no line, so a campaign without waves pays
 * nothing; what is sent never touches these tables. `position` is null for a wave that the latest run did not have.
 */
export const WAVE_STEP = `
create table wave (
  id integer primary key,
  name text not null unique,
  position integer unique,
  held integer not null check (held in (0, 1)),
  filter text not null
) strict;

create table wave_row (
  row_id integer primary key references row (id),
  wave_id integer not null references wave (id)
) strict;
`
