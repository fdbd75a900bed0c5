import { said } from '../../domain/text/text.js'
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { LedgerError, UsageError } from '../../errors.js'
import { checkService, type Credentials } from '../../service/checked-service.js'
import {
  distrustSecret,
  type Distrust,
  distrustInstructions,
  MOST_BYTES,
  readGivenText,
  readGiven,
  type GivenRequest,
} from '../../trust/trusted-file.js'
import { askPassword, canAsk, type World } from '../terminal/world.js'
import { isUsableKey, publicKeyIn } from '../../trust/signature.js'
import { type Configuration, configurationSchema, parseConfiguration, REMOVED } from './configuration.js'
import {
  environmentName,
  flagName,
  isOption,
  settingOf,
  valueAt,
  type OptionName,
  type SettingName,
  type SettingValue,
} from './declared.js'
import { todayIn } from '../../domain/mandate/date.js'
import type { LocalDate } from '../../domain/mandate/mandate.js'

/** What commander found: one text per flag that was given. */
export type Flags = Readonly<Partial<Record<OptionName, string>>>

export type Settings = ReturnType<typeof readSettings>

/** Settings by flag, environment, configuration file, default, in this order (cli/README.md#settings). */
export function readSettings(
  flags: Flags,
  world: World,
  configuration = loadConfiguration(findNamed('config', flags, world)?.text ?? null),
) {
  const get = <Name extends SettingName>(name: Name): SettingValue<Name> => {
    const found = findNamed(name, flags, world) ?? findConfigured(name, configuration) ?? byDefaultOf(name)
    return (found === null ? null : settingOf(name).kind.read(found.text, found.origin)) as SettingValue<Name>
  }
  const [timezone, day, ledger] = [get('timezone'), get('asOf'), ledgerNamed(get('ledger'))]
  let today: LocalDate | null = null
  return {
    flags,
    get,
    /** It was given by a flag or the environment: somebody chose it for this command. */
    isNamed: (name: OptionName): boolean => findNamed(name, flags, world) !== null,
    configuration,
    severities: configuration.values.rules ?? {},
    ledger,
    /** The ledger may lie where others can write. */
    sharedFolder: get('sharedFolder') ?? false,
    /** Folder for reports; one of its own beside the ledger unless told otherwise. */
    out: get('out') ?? usualOut(ledger),
    get zone(): string {
      return timezone ?? world.zone
    },
    /** Found out where it is asked for, once: most commands check no date. */
    get asOf(): LocalDate {
      return day ?? (today ??= todayIn(this.zone, world.clock.now()))
    },
    /** How long after its request a row in doubt must still be absent, to be proposed to be sent again. */
    absentAfterMs: get('absentAfter') * 1000,
    /** What people read of a report is in it, whichever command writes one. */
    language: get('lang'),
    /** What a report says besides the ledger. */
    told: { company: get('company'), from: get('from') },
    /** Totals of the former provider; null where none are given. */
    expected: get('expectedRecords'),
  }
}

/** An export that is named where the ledger belongs would only be found to be unsafe, or no database. */
function ledgerNamed(path: string): string {
  if (!/\.(?:csv|tsv|txt|xlsx?|ods|xml)$/i.test(path)) return path
  throw new LedgerError(
    'foreign',
    `"${path}" is named like an export, and is no ledger; nothing was opened or sent`,
    'Name the ledger with --ledger (without it: sepa-migrate.db), and exports without a flag (--ledger FILE)',
  )
}

/** Where reports go unless something else is said. */
export const usualOut = (ledger: string): string => join(dirname(ledger), 'sepa-migrate-report')

type FoundSetting = Readonly<Record<'text' | 'origin', string>>

/** By a flag, else by the environment, where an empty text is none. */
function findNamed(name: SettingName, flags: Flags, { env }: World): FoundSetting | null {
  const given = isOption(name) ? flags[name] : undefined
  if (isOption(name) && given !== undefined) return { text: given, origin: `--${flagName(name)}` }
  const variable = environmentName(name)
  const set = variable === null ? '' : (env[variable] ?? '')
  return variable === null || set === '' ? null : { text: set, origin: variable }
}

function findConfigured(
  name: SettingName,
  { file, values, locate }: LoadedConfiguration,
): FoundSetting | null {
  const { kind, configured } = settingOf(name)
  if (configured === undefined) return null
  const { data } = kind.inFile.safeParse(valueAt(values, configured))
  if (data === undefined) return null
  const text = String(data)
  const origin = `"${configured.join('.')}" in ${file ?? 'the configuration'}`
  return { text: kind.isPath === true ? locate(text) : text, origin }
}

function byDefaultOf(name: SettingName): FoundSetting | null {
  const { byDefault } = settingOf(name)
  return byDefault === undefined ? null : { text: String(byDefault), origin: 'the default' }
}

export interface LoadedConfiguration {
  readonly file: string | null
  readonly values: Configuration
  /** Why others can change the file, which then only says how files are read; else null. */
  readonly distrust: Distrust | null
  /** Makes a path of the file absolute. */
  readonly locate: (path: string) => string
}

export const noConfiguration: LoadedConfiguration = {
  file: null,
  values: configurationSchema.parse({}),
  distrust: null,
  locate: (path) => resolve(path),
}

const DEFAULT_FILE = 'sepa-migrate.yaml'

/**
 * Reads the named file, or `./sepa-migrate.yaml` where it exists.
 * @throws {UsageError} with the place in the file for anything that cannot be read or is not known
 */
export function loadConfiguration(named: string | null): LoadedConfiguration {
  if (named === null && !existsSync(DEFAULT_FILE)) return noConfiguration
  const file = named ?? DEFAULT_FILE
  const folder = dirname(resolve(file))
  const { bytes, entry } = readGiven(file, {
    what: 'configuration file',
    nothing: 'nothing was sent',
    mostBytes: MOST_BYTES.configuration,
  })
  const distrust = distrustInstructions(file, entry)
  return {
    file,
    values: parseConfiguration(bytes.toString('utf8'), file, distrust),
    distrust,
    locate: (path) => resolve(folder, path),
  }
}

/**
 * User name and password, never from a flag's value (cli/README.md#settings).
 * @throws {UsageError} when one is missing or the password file can be read by others
 */
export async function readCredentials(settings: Settings, world: World): Promise<Credentials> {
  const username = readUsername(settings)
  const [set, file] = [settings.get('password'), settings.get('passwordFile')]
  const isAskedFor = set === null && file === null && canAsk(world)
  const given =
    set !== null && settings.flags.passwordFile === undefined ? set : file && readPasswordFile(file)
  const password = isAskedFor ? await askPassword(world, username) : given
  if (password !== null && password !== '') return { username, password }
  throw new UsageError(
    `There is no password for the user "${username}"; nothing was sent`,
    'Set SEPA_MIGRATE_PASSWORD, or give --password-file',
  )
}

/** @throws {UsageError} where there is none */
export function readUsername(settings: Settings): string {
  const username = settings.get('username')
  if (username !== null) return username
  throw new UsageError(
    'There is no user name for the service; nothing was sent',
    'Set SEPA_MIGRATE_USERNAME, and SEPA_MIGRATE_PASSWORD or --password-file',
  )
}

/** The first line of a file that only its owner can read. @throws {UsageError} */
export function readPasswordFile(file: string): string {
  const text = readGivenText(file, {
    what: 'password file',
    nothing: 'nothing was sent',
    mostBytes: MOST_BYTES.secret,
    distrust: distrustSecret,
  })
  return text.replace(/^\uFEFF/, '').split(/\r?\n/, 1)[0] ?? ''
}

/** For plan and result; nothing where everything is the default. */
export const trustedLines = (trusted: Target['trusted']): string[] =>
  said([
    trusted.configuration !== null && `Configuration: ${trusted.configuration}`,
    trusted.proxy !== null && `Proxy: ${trusted.proxy}`,
    ...trusted.extraCertificates.map((path) => `Extra certificates: ${path}`),
    trusted.clientCertificate !== null && `Client certificate: ${trusted.clientCertificate}`,
  ])

/** Why others can change the configuration, for people; null where they cannot. */
export const distrustedConfiguration = ({ file, distrust }: LoadedConfiguration): string | null =>
  distrust === null
    ? null
    : `Others can change the configuration file "${file ?? ''}": ${distrust.why}. It only says how files are read`

/** The service as the settings describe it, checked before anything is read or sent. */
export type Service = Awaited<ReturnType<typeof readService>>

/** The service as far as it is known without a password. */
export type Target = ReturnType<typeof readTarget>

/** @throws {UsageError} for an address or certificates that cannot be used */
export function readTarget(settings: Settings, world: World) {
  const { get, configuration } = settings
  const baseUrlText = get('baseUrl')
  if (baseUrlText === null)
    throw new UsageError(
      'There is no base URL of the service; nothing was sent',
      'Give --base-url, set SEPA_MIGRATE_BASE_URL, or write service.baseUrl into sepa-migrate.yaml',
    )
  const options = {
    baseUrl: baseUrlText,
    ...{ concurrency: get('concurrency'), rate: get('rate') },
    ...{ timeoutMs: get('timeout') * 1000, connectTimeoutMs: get('connectTimeout') * 1000 },
    ...{ ca: get('ca') ?? undefined, proxy: get('proxy') ?? undefined },
    clientCertificate: get('clientCertificate') ?? undefined,
    clientKey: get('clientKey') ?? undefined,
    freshConnections: get('freshConnections') ?? undefined,
    outcomes: configuration.values.outcomes,
  }
  const { baseUrl, trusted } = checkService(options, world.env)
  const { file } = configuration
  return {
    options,
    baseUrl,
    /** Where a run's instructions come from and whom it trusts, in so far as that is not the default. */
    trusted: { configuration: file === null ? null : resolve(file), ...trusted },
  }
}

/** With user and password among its options. @throws {UsageError} for what cannot be used */
export async function readService(settings: Settings, world: World) {
  const target = readTarget(settings, world)
  // Asked for last, since that may be a question to a person.
  return { ...target, options: { ...target.options, ...(await readCredentials(settings, world)) } }
}

/** @throws {UsageError} where nobody has said that the service can be read back, which its contract does not guarantee */
export function assertReadBackTold(settings: Settings): void {
  if (settings.get('readBack') ?? false) return
  throw new UsageError(
    'Nobody has said that this service can be asked what it holds; nothing was asked',
    'Find out at its test environment, then give --read-back or set service.readBack to true',
  )
}

/**
 * The private key to sign with.
 * @param nothing what it means that there is none
 * @throws {UsageError} where others can read the file, and for anything but an Ed25519 key without a passphrase
 */
export function readSigningKey(file: string, nothing = 'no report was written'): KeyObject {
  const text = readKeyFile(file, { distrust: distrustSecret, nothing })
  try {
    const key = createPrivateKey(text)
    if (isUsableKey(key)) return key
  } catch {
    // What is thrown may quote what is in the file.
  }
  throw new UsageError(
    `"${file}" holds no Ed25519 private key without a passphrase, for which this program does not ask; ${nothing}`,
    'Give one in PEM, in a file that only you can read: "openssl genpkey -algorithm ed25519 -out KEY.pem" makes one, "openssl pkey -in KEY.pem -out PLAIN.pem" takes a passphrase off',
  )
}

/**
 * The public key to check a signature with.
 * @throws {UsageError} where others can change the file, and for anything but an Ed25519 public key
 */
export function readCheckingKey(file: string): KeyObject {
  const key = publicKeyIn(readPublicFile(file, 'nothing was verified'))
  if (key !== null) return key
  throw new UsageError(
    `"${file}" holds no Ed25519 public key; nothing was verified`,
    'Give that of whoever signs, in PEM: "openssl pkey -in KEY.pem -pubout -out PUBLIC.pem" writes it',
  )
}

/** What a file with a public key holds. @throws {UsageError} where others can change it */
export const readPublicFile = (file: string, nothing: string): string =>
  readKeyFile(file, { distrust: distrustInstructions, nothing })

const readKeyFile = (file: string, reading: Pick<GivenRequest, 'distrust' | 'nothing'>): string =>
  readGivenText(file, { what: 'key file', mostBytes: MOST_BYTES.secret, ...reading })

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
  for (const [name, instead] of REMOVED) {
    const flag = name.startsWith('--') ? name : `--${name}`
    const variable = `SEPA_MIGRATE_${name.replaceAll('-', '_').toUpperCase()}`
    const form = [name.trim(), flag, variable].find((each) => named.has(each))
    if (form !== undefined) return `there is no ${form} any more; nothing was sent. Instead, ${instead}`
  }
  return null
}
