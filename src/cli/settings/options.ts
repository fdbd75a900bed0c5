import { type SETTINGS, settingOf, type SettingName } from './declared.js'

/** A setting that has a flag. */
export type OptionName = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { readonly flags: string } ? Name : never
}[SettingName]

export const isOption = (name: SettingName): name is OptionName => settingOf(name).flags !== undefined

/** `--max-in-doubt <n>`. */
export const flagsOf = (name: OptionName): string => settingOf(name).flags ?? ''

/** `--max-in-doubt <n>` → `max-in-doubt`. */
export const flagName = (name: OptionName): string => flagsOf(name).split(' ')[0]?.slice(2) ?? name

/** `--max-in-doubt` → `SEPA_MIGRATE_MAX_IN_DOUBT`; null for what the environment cannot set. */
export const environmentName = (name: SettingName): string | null =>
  isOption(name)
    ? `SEPA_MIGRATE_${flagName(name).replaceAll('-', '_').toUpperCase()}`
    : (settingOf(name).environment ?? null)

/** What the help says of a setting. */
export function helpOf(name: SettingName): string {
  const { help, byDefault, otherwise } = settingOf(name)
  const usual = byDefault ?? otherwise
  return usual === undefined ? help : `${help} (default ${usual})`
}

export const SHARED: readonly OptionName[] = [
  'config',
  'ledger',
  'out',
  'json',
  'quiet',
  'verbose',
  'noColor',
  'logFile',
  'sharedFolder',
]
