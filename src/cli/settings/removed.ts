const BY_CHOICE =
  "name the rows of one run with run --only 'Column=value,value' or --country AT,DE; a run sends them in their order"
const BY_CRON = 'have cron start the run and end it with --max-duration'

/**
 * What earlier versions had, and what to use now: by the name of its command, flag, key or variable, or by what was typed,
 * where the name goes on to mean something else.
 */
const REMOVED: Readonly<Record<string, string>> = {
  rebuild: 'make a new ledger with run FILE --another-ledger --reason "…"',
  'read-back-first': 'use run --check-before-send, which is its name now',
  probe: 'send a pilot with run --limit 10, then ask the service for it with verify',
  notices: 'join registered.csv with your customer list on customer_no, in any mail merge',
  completion: 'let your shell complete files, and see flags with sepa-migrate COMMAND --help',
  between: BY_CRON,
  outside: BY_CRON,
  until: BY_CRON,
  wave: BY_CHOICE,
  waves: BY_CHOICE,
  order: BY_CHOICE,
  'from-read-back': 'use resolve --ask, which asks the service and records what is proven',
  'read-back ': 'use resolve --ask, which asks the service and records what is proven',
  reconcile: 'compare with a list by resolve --against list.csv',
  explain: 'see one rule with rules RULE',
  'at-service': 'use verify alone, which asks the service',
  'adopt-older-copy': 'use ledger adopt --reason "…"',
  'verify FOLDER': 'prove a report with report verify FOLDER',
  show: 'use customer show N',
  erase: 'use customer erase N --reason "…"',
  '--customer': 'give the number by itself: customer show N',
}

/** What to use instead of a name that is no longer known; null for one that never was. */
export const insteadOf = (name: string): string | null =>
  Object.hasOwn(REMOVED, name) ? (REMOVED[name] ?? null) : null

/** Why a command line or the environment is refused that names what was taken away: passed over, it would mislead. */
export function refusalOfRemoved(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const [command = '', first = '-'] = argv
  const isFolder = command === 'verify' && !first.startsWith('-')
  for (const [name, instead] of Object.entries(REMOVED)) {
    const flag = name.startsWith('--') ? name : `--${name}`
    const variable = `SEPA_MIGRATE_${name.replaceAll('-', '_').toUpperCase()}`
    const forms = [
      [name.trim(), command === name.trim() || (isFolder && name === 'verify FOLDER')],
      [flag, argv.some((text) => text === flag || text.startsWith(`${flag}=`))],
      [variable, (env[variable] ?? '') !== ''],
    ] as const
    for (const [form, isNamed] of forms) {
      if (isNamed) return `there is no ${form} any more; nothing was sent. Instead, ${instead}`
    }
  }
  return null
}
