/**
 * `run.mark` is what the register of this user keeps of the latest run that began to send: a ledger without that mark
 * is an older copy. `row.content_key` is a keyed fingerprint of the five values that are sent; rows that were admitted
 * before have none.
 */
export const CLAIM_STEP = `
alter table run add column mark text;
alter table row add column content_key blob;
create index run_mark on run (mark) where mark is not null;
`
