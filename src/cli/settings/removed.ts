const BY_CHOICE =
  "name the rows of one run with run --only 'Column=value,value' or --country AT,DE; a run sends them in their order"
const BY_CRON = 'have cron start the run and end it with --max-duration'

/** What earlier versions had, by the name of its command, flag, key or variable, and what to use now. */
const REMOVED: Readonly<Record<string, string>> = {
  rebuild: 'make a new ledger with run FILE --another-ledger --reason "…"',
  'read-back-first': 'use run --check-before-send, which is its name now',
  probe: 'send a pilot with run --limit 10, then ask the service for it with read-back --of registered',
  notices: 'join registered.csv with your customer list on customer_no, in any mail merge',
  completion: 'let your shell complete files, and see flags with sepa-migrate COMMAND --help',
  between: BY_CRON,
  outside: BY_CRON,
  until: BY_CRON,
  wave: BY_CHOICE,
  waves: BY_CHOICE,
  order: BY_CHOICE,
}

/** What to use instead of a name that is no longer known; null for one that never was. */
export const insteadOf = (name: string): string | null =>
  Object.hasOwn(REMOVED, name) ? (REMOVED[name] ?? null) : null

/** Why a command line or the environment is refused that names what was taken away: passed over, it would mislead. */
export function refusalOfRemoved(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  for (const [name, instead] of Object.entries(REMOVED)) {
    const flag = `--${name}`
    const variable = `SEPA_MIGRATE_${name.replaceAll('-', '_').toUpperCase()}`
    const forms = [
      [name, argv[0] === name],
      [flag, argv.some((text) => text === flag || text.startsWith(`${flag}=`))],
      [variable, (env[variable] ?? '') !== ''],
    ] as const
    for (const [form, isNamed] of forms) {
      if (isNamed) return `there is no ${form} any more; nothing was sent. Instead, ${instead}`
    }
  }
  return null
}
