import removed from './removed.json' with { type: 'json' }

/**
 * What earlier versions had, and what to use now: by the name of its command, flag, key or variable, or by what was typed,
 * where the name goes on to mean something else.
 */
const REMOVED: Readonly<Record<string, string>> = removed

/** What to use instead of a name that is no longer known; null for one that never was. */
export const insteadOf = (name: string): string | null =>
  Object.hasOwn(REMOVED, name) ? (REMOVED[name] ?? null) : null

/** Why a command line or the environment is refused that names what was taken away: passed over, it would mislead. */
export function refusalOfRemoved(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const [command = '', first = '-'] = argv
  const named = new Set([
    command === 'verify' && !first.startsWith('-') ? 'verify FOLDER' : command,
    ...argv.filter((text) => text.startsWith('--')).map((text) => text.replace(/=.*/s, '')),
    ...Object.keys(env).filter((name) => (env[name] ?? '') !== ''),
  ])
  for (const [name, instead] of Object.entries(REMOVED)) {
    const flag = name.startsWith('--') ? name : `--${name}`
    const variable = `SEPA_MIGRATE_${name.replaceAll('-', '_').toUpperCase()}`
    const form = [name.trim(), flag, variable].find((each) => named.has(each))
    if (form !== undefined) return `there is no ${form} any more; nothing was sent. Instead, ${instead}`
  }
  return null
}
