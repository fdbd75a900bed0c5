import { VERDICTS } from '../../domain/proof/evidence.js'
import { sqlList } from './sql-list.js'

/** Which rows a read-back asks about. */
const SCOPES = ['in_doubt', 'registered', 'ready', 'all'] as const
export type Scope = (typeof SCOPES)[number]

/** What came of a question: a list, or why there is none. */
const ANSWERS = ['listed', 'missing', 'refused', 'not_now', 'unreadable', 'no_answer'] as const

/** What the service was asked about its customers, and what that says of the rows. It changes the state of none. */
export const PROOF_STEP = `
create table read_back (
  id integer primary key,
  scope text not null check (scope in (${sqlList(SCOPES)})),
  sample integer check (sample > 0),
  version text not null,
  host text not null,
  pid integer not null,
  settings text not null,
  started_at text not null,
  ended_at text,
  stopped_by text
) strict;

create table question (
  id integer primary key,
  read_back_id integer not null references read_back (id),
  customer_no integer not null,
  request_id text not null,
  asked_at text not null,
  answered_at text not null,
  tries integer not null check (tries > 0),
  answer text not null check (answer in (${sqlList(ANSWERS)})),
  status integer,
  error_code text,
  reason text,
  sources integer,
  check ((answer = 'listed') = (sources is not null))
) strict;
create index question_customer on question (read_back_id, customer_no);

create table proof (
  id integer primary key,
  question_id integer not null references question (id),
  row_id integer not null references row (id),
  attempts integer not null,
  verdict text not null check (verdict in (${sqlList(VERDICTS)})),
  why text,
  sources text,
  unique (row_id, question_id)
) strict;
`
