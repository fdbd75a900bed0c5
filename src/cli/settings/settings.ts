import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseLocalDate, todayIn } from '../../domain/mandate/local-date.js'
import type { LocalDate } from '../../domain/mandate/mandate.js'
import type { SeverityOverrides } from '../../domain/rule/rules.js'
import { UsageError } from '../../errors.js'
import { distrustSecret } from '../../trust/entry.js'
import { loadConfiguration, noConfiguration, type LoadedConfiguration } from './configuration.js'
import {
  environmentName,
  flagName,
  OPTIONS,
  type Option,
  type OptionName,
  type OptionValue,
} from './options.js'
import { askPassword, canAsk } from '../terminal/prompt.js'
import type { World } from '../terminal/world.js'

/** What commander found: one text per flag that was given. */
export type Flags = Readonly<Partial<Record<OptionName, string>>>

/** Reads a setting: flag, environment, configuration file, default, in this order (cli/README.md#settings). */
export interface Settings {
  readonly flags: Flags
  readonly get: <Name extends OptionName>(name: Name) => OptionValue<Name>
  readonly configuration: LoadedConfiguration
  readonly severities: SeverityOverrides
  readonly ledger: string
  /** The ledger may lie where others can write. */
  readonly sharedFolder: boolean
  /** Folder for reports; beside the ledger unless told otherwise. */
  readonly out: string
  readonly zone: string
  readonly asOf: LocalDate
}

const PATHS: readonly OptionName[] = ['ledger', 'out', 'logFile', 'passwordFile']

export function readSettings(
  flags: Flags,
  world: World,
  { withConfiguration } = { withConfiguration: true },
): Settings {
  const named = flags.config ?? world.env[environmentName('config')] ?? null
  const configuration = withConfiguration ? loadConfiguration(named) : noConfiguration
  const get = <Name extends OptionName>(name: Name): OptionValue<Name> => {
    const { byDefault }: Option<unknown> = OPTIONS[name]
    const found = find(name, flags, world, configuration) ?? byDefaultOf(byDefault)
    return (found === null ? null : OPTIONS[name].read(found.text, found.origin)) as OptionValue<Name>
  }
  const zone = readZone(configuration.values.timezone ?? world.zone)
  const ledger = get('ledger')
  return {
    flags,
    get,
    configuration,
    severities: configuration.values.rules ?? {},
    ledger,
    sharedFolder: get('sharedFolder') ?? false,
    out: get('out') ?? dirname(ledger),
    zone,
    asOf: readAsOf(get('asOf')) ?? todayIn(zone, world.clock.now()),
  }
}

const byDefaultOf = (text: string | undefined): Found | null =>
  text === undefined ? null : { text, origin: 'the default' }

interface Found {
  readonly text: string
  readonly origin: string
}

function find(
  name: OptionName,
  flags: Flags,
  world: World,
  configuration: LoadedConfiguration,
): Found | null {
  const given = flags[name]
  if (given !== undefined) return { text: given, origin: `--${flagName(name)}` }
  const variable = environmentName(name)
  const set = world.env[variable]
  if (set !== undefined && set !== '') return { text: set, origin: variable }
  const option: Option<unknown> = OPTIONS[name]
  const path = option.configured ?? []
  const configured = path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    path.length === 0 ? undefined : configuration.values,
  )
  if (typeof configured !== 'string' && typeof configured !== 'number') return null
  const text = PATHS.includes(name) ? configuration.locate(String(configured)) : String(configured)
  return { text, origin: `"${path.join('.')}" in ${configuration.file ?? 'the configuration'}` }
}

function readZone(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch (cause) {
    throw new UsageError(`The time zone "${zone}" is not known`, 'Give an IANA name such as Europe/Berlin', {
      cause,
    })
  }
}

function readAsOf(text: string | null): LocalDate | null {
  if (text === null) return null
  const date = parseLocalDate(text)
  if (date !== null) return date
  throw new UsageError(`"${text}" is not a calendar date`, 'Give --as-of as YYYY-MM-DD')
}

export interface Credentials {
  readonly username: string
  readonly password: string
}

/**
 * User name and password, never from a flag's value (cli/README.md#settings).
 * @throws {UsageError} when one is missing or the password file can be read by others
 */
export async function readCredentials(settings: Settings, world: World): Promise<Credentials> {
  const username = world.env['SEPA_MIGRATE_USERNAME'] ?? settings.configuration.values.service?.username ?? ''
  if (username === '')
    throw new UsageError(
      'There is no user name for the service; nothing was sent',
      'Set SEPA_MIGRATE_USERNAME, and SEPA_MIGRATE_PASSWORD or --password-file',
    )
  const password = await readPassword(settings, world, username)
  if (password === null || password === '')
    throw new UsageError(
      `There is no password for the user "${username}"; nothing was sent`,
      'Set SEPA_MIGRATE_PASSWORD, or give --password-file',
    )
  return { username, password }
}

async function readPassword(settings: Settings, world: World, username: string): Promise<string | null> {
  const set = world.env['SEPA_MIGRATE_PASSWORD']
  if (set !== undefined && settings.flags.passwordFile === undefined) return set
  const file = settings.get('passwordFile')
  if (file !== null) return readPasswordFile(file)
  return canAsk(world) ? askPassword(world, username) : null
}

/** The first line of a file that only its owner can read. */
export function readPasswordFile(file: string): string {
  const distrust = distrustSecret(file)
  if (distrust !== null)
    throw new UsageError(
      `Cannot trust the password file "${file}": ${distrust.why}`,
      `${distrust.next}; nothing was sent`,
    )
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] ?? ''
  } catch (cause) {
    throw new UsageError(`Cannot read the password file "${file}"`, 'Check the path; nothing was sent', {
      cause,
    })
  }
}
