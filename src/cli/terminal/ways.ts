import type { Way } from '../../errors.js'

/** How each way is called on this command line. */
export const WAYS: Readonly<Record<Way, string>> = {
  adopt_older_copy: 'sepa-migrate resolve --adopt-older-copy --reason "…"',
  all_in_doubt: 'sepa-migrate run FILE --all-in-doubt --reason "…"',
  another_ledger: 'sepa-migrate run FILE --another-ledger --reason "…"',
  approve: 'sepa-migrate approve plan.json --by NAME --key KEY.pem',
  credentials: 'SEPA_MIGRATE_USERNAME, and SEPA_MIGRATE_PASSWORD or --password-file',
  draft_configuration: 'sepa-migrate init FILE drafts a configuration',
  give_reason: '--reason "…"',
  name_ledger: '--ledger FILE',
  name_person: '--by NAME',
  pace: '--concurrency N, --rate N',
  plan: 'sepa-migrate plan FILE --to plan.json',
  purge_open_rows: '--with-open-rows',
  check_before_send: '--check-before-send asks about each row',
  reconcile: 'sepa-migrate reconcile FILE',
  report: 'sepa-migrate report',
  report_folder: '--out DIR',
  resolve: 'sepa-migrate resolve',
  retry_refused: 'sepa-migrate run --retry-refused',
  run: 'sepa-migrate run',
  run_file: 'sepa-migrate run FILE',
  run_plan: 'sepa-migrate run FILE --plan plan.json',
  sandbox_data: '--data FILE',
  shared_folder: '--shared-folder allows it',
  status: 'sepa-migrate status',
  without_question: '--yes',
}

interface Said {
  readonly next: string
  readonly ways?: readonly Way[]
}

/** What to do next, with the commands and flags for it: the library says it in words alone. */
export function nextText({ next, ways = [] }: Said): string {
  if (ways.length === 0) return next
  const end = /\.$/.exec(next)?.[0] ?? ''
  return `${next.slice(0, next.length - end.length)} (${ways.map((way) => WAYS[way]).join('; ')})${end}`
}

/** The same with its text made so; null stays null. */
export function worded<Some extends Said>({ ways, ...said }: Some): Omit<Some, 'ways'> {
  return { ...said, next: nextText(ways === undefined ? said : { ...said, ways }) }
}
