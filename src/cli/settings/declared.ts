import {
  USUAL_CONCURRENCY,
  USUAL_CONNECT_TIMEOUT_MS,
  USUAL_TIMEOUT_MS,
} from '../../service/checked-service.js'
import { USUAL_ABSENT_AFTER_MS } from '../../domain/proof/absence.js'
import { LANGUAGES } from '../../report/facts/facts.js'
import texts from './settings.json' with { type: 'json' }
import { USUAL_MAX_IN_DOUBT } from '../../run/brake.js'
import * as kinds from './kinds.js'
import { DORMANT_SOON_DAYS } from '../../domain/value/check-mandate.js'

/** One setting: where it may be given, what it can be, and what holds where nothing is given. */
interface Declared<Value> {
  readonly kind: kinds.Kind<Value>
  /** It has a flag of its name; what is typed behind it, nothing where that is yes. */
  readonly flag?: '' | `<${string}>`
  /** Environment name of a setting without a flag. */
  readonly environment?: `SEPA_MIGRATE_${string}`
  /** It may stand in the configuration file, at its top or in this section. */
  readonly inFile?: 'top' | 'service' | 'readBack' | 'campaign'
  /** It says how an export is read, no more: a file that others can change may hold it. */
  readonly isReading?: true
  /** What holds where nothing is given, written as the flag takes it. */
  readonly byDefault?: string | number
  /** What holds where nothing is given, in words, where it is no single value. */
  readonly otherwise?: string
}

const USUAL_TIMEOUT_S = USUAL_TIMEOUT_MS / 1000
const USUAL_CONNECT_S = USUAL_CONNECT_TIMEOUT_MS / 1000
const USUAL_ABSENT_AFTER = `${USUAL_ABSENT_AFTER_MS / 3_600_000}h`

/**
 * Every setting, once, its text in settings.json: flags, environment names, the schema of the configuration and help are
 * made of this. How an export is read (`source`, `columns` and so on) is declared by the room that reads it.
 */
const SETTINGS = {
  config: { kind: kinds.path, flag: '<file>', otherwise: './sepa-migrate.yaml where it exists' },
  ledger: { kind: kinds.path, flag: '<file>', inFile: 'top', byDefault: 'sepa-migrate.db' },
  baseUrl: { kind: kinds.baseUrl, flag: '<url>', inFile: 'service' },
  out: { kind: kinds.path, flag: '<dir>', inFile: 'top', otherwise: 'sepa-migrate-report by the ledger' },
  lang: { kind: kinds.oneOf(LANGUAGES), flag: '<language>', inFile: 'top', byDefault: 'en' },
  json: { kind: kinds.yesOrNo, flag: '' },
  quiet: { kind: kinds.yesOrNo, flag: '' },
  verbose: { kind: kinds.yesOrNo, flag: '' },
  noColor: { kind: kinds.yesOrNo, flag: '' },
  logFile: { kind: kinds.path, flag: '<file>', inFile: 'top' },
  asOf: { kind: kinds.day, flag: '<date>', otherwise: 'today in the configured time zone' },
  timezone: { kind: kinds.zone, inFile: 'top', isReading: true, otherwise: 'the zone of this machine' },
  dormantSoonDays: {
    kind: kinds.whole(0, 1095),
    inFile: 'top',
    isReading: true,
    byDefault: DORMANT_SOON_DAYS,
  },
  passwordFile: { kind: kinds.path, flag: '<file>', inFile: 'service' },
  concurrency: { kind: kinds.whole(1, 256), flag: '<n>', inFile: 'service', byDefault: USUAL_CONCURRENCY },
  rate: { kind: kinds.decimal(100_000), flag: '<n>', inFile: 'service', otherwise: 'no limit' },
  timeout: { kind: kinds.seconds, flag: '<seconds>', inFile: 'service', byDefault: USUAL_TIMEOUT_S },
  connectTimeout: { kind: kinds.seconds, flag: '<seconds>', inFile: 'service', byDefault: USUAL_CONNECT_S },
  readBack: { kind: kinds.yesOrNo, flag: '', inFile: 'service', otherwise: 'no' },
  customers: { kind: kinds.yesOrNo, inFile: 'service', otherwise: 'no, until --who was given' },
  testHost: { kind: kinds.text, inFile: 'service' },
  company: { kind: kinds.text, inFile: 'campaign' },
  from: { kind: kinds.text, inFile: 'campaign' },
  expectedRecords: { kind: kinds.recordsOf, flag: '<[file=]n>' },
  absentAfter: { kind: kinds.seconds, inFile: 'readBack', byDefault: USUAL_ABSENT_AFTER },
  limit: { kind: kinds.rows(1), flag: '<n>' },
  maxDuration: { kind: kinds.seconds, flag: '<time>' },
  maxInDoubt: { kind: kinds.rows(0), flag: '<n>', inFile: 'service', byDefault: USUAL_MAX_IN_DOUBT },
  maxRefused: { kind: kinds.rowsOrPercent, flag: '<n|p%>', inFile: 'service' },
  retryRefused: { kind: kinds.yesOrNo, flag: '' },
  approval: { kind: kinds.required, inFile: 'top', otherwise: 'not required' },
  approvalValidFor: { kind: kinds.seconds, inFile: 'top', byDefault: '72h' },
  yes: { kind: kinds.yesOrNo, flag: '' },
  sharedFolder: { kind: kinds.yesOrNo, flag: '' },
  noReport: { kind: kinds.yesOrNo, flag: '' },
  signWith: { kind: kinds.path, flag: '<file>' },
  username: { kind: kinds.text, environment: 'SEPA_MIGRATE_USERNAME', inFile: 'service' },
  password: { kind: kinds.text, environment: 'SEPA_MIGRATE_PASSWORD' },
  by: { kind: kinds.text, environment: 'SEPA_MIGRATE_BY', otherwise: 'the user of the system' },
  creditorIdentifier: { kind: kinds.creditor, inFile: 'service', isReading: true },
  ca: { kind: kinds.path, inFile: 'service' },
  clientCertificate: { kind: kinds.path, inFile: 'service' },
  clientKey: { kind: kinds.path, inFile: 'service' },
  proxy: { kind: kinds.proxy, inFile: 'service' },
  freshConnections: { kind: kinds.yesOrNo, inFile: 'service', otherwise: 'no' },
} as const satisfies Record<string, Declared<unknown>>

export type SettingName = keyof typeof SETTINGS

type ValueOf<Name extends SettingName> =
  (typeof SETTINGS)[Name]['kind'] extends kinds.Kind<infer Value> ? Value : never

/** Null where nothing was given and there is no default. */
export type SettingValue<Name extends SettingName> =
  ValueOf<Name> | ((typeof SETTINGS)[Name] extends { readonly byDefault: unknown } ? never : null)

/** A declaration with all that it may hold, by name, and its path in the configuration file. */
export function settingOf(name: SettingName) {
  const setting: Declared<unknown> = SETTINGS[name]
  const { inFile } = setting
  return {
    ...setting,
    configured: inFile === undefined ? undefined : inFile === 'top' ? [name] : [inFile, name],
  }
}

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/** A setting that has a flag. */
export type OptionName = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { readonly flag: string } ? Name : never
}[SettingName]

export const isOption = (name: SettingName): name is OptionName => settingOf(name).flag !== undefined

/** `maxInDoubt` → `max-in-doubt`. */
export const flagName = (name: SettingName): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** `--max-in-doubt <n>`. */
export const flagsOf = (name: OptionName): string =>
  `--${flagName(name)} ${settingOf(name).flag ?? ''}`.trimEnd()

/** `maxInDoubt` → `SEPA_MIGRATE_MAX_IN_DOUBT`; null for what the environment cannot set. */
export const environmentName = (name: SettingName): string | null =>
  isOption(name)
    ? `SEPA_MIGRATE_${flagName(name).replaceAll('-', '_').toUpperCase()}`
    : (settingOf(name).environment ?? null)

const HELP: Readonly<Record<SettingName, string>> = texts

/** What the help says of a setting. */
export function helpOf(name: SettingName): string {
  const { byDefault, otherwise } = settingOf(name)
  const usual = byDefault ?? otherwise
  return usual === undefined ? HELP[name] : `${HELP[name]} (default ${usual})`
}

/** Where the service is, and how it is asked. */
export const OF_SERVICE: readonly OptionName[] = [
  'baseUrl',
  'passwordFile',
  'concurrency',
  'rate',
  'timeout',
  'connectTimeout',
]

/** Settings that decide what a run sends, and how: a plan is made with them, and a run under it is held to them. */
export const RUN_SETTINGS = [
  'baseUrl',
  'asOf',
  'concurrency',
  'rate',
  'timeout',
  'connectTimeout',
  'limit',
  'maxInDoubt',
  'maxRefused',
  'retryRefused',
] as const satisfies readonly OptionName[]

/** Of every command that has a campaign, also where it keeps nothing. */
export const COMMON: readonly OptionName[] = [
  'config',
  'ledger',
  'out',
  'json',
  'quiet',
  'verbose',
  'noColor',
  'logFile',
]

export const SHARED: readonly OptionName[] = [...COMMON, 'sharedFolder']

/** What each exit status means, in general. */
export const EXIT_STATUSES = {
  0: 'completed; nothing is open',
  1: 'a bug, or the result could not be written',
  2: 'usage or configuration error; nothing was sent',
  3: 'finished; some rows are invalid, in conflict or refused',
  4: 'rows are in doubt, or contradicted by the service',
  5: 'stopped early by a limit or the brake; ready rows remain',
  6: 'credentials or permission refused by the service',
  7: 'input unreadable, or changed since it was imported',
  8: 'ledger locked, damaged, foreign, newer or an older copy',
  130: 'interrupted; safe to run again',
  143: 'interrupted; safe to run again',
} as const

type ExitStatus = keyof typeof EXIT_STATUSES

/** What a command ends with, besides 1 for a bug and 2 for a wrong command line: the meaning, or the general one. */
export type Exits = Readonly<Partial<Record<ExitStatus, string>>>

/** These statuses, with their general meaning. */
export const usual = (...statuses: readonly ExitStatus[]): Exits =>
  Object.fromEntries(statuses.map((status) => [status, EXIT_STATUSES[status]]))

export const EXITS = {
  /** Nothing but what was asked for. */
  plain: { 0: 'done', 2: 'usage or configuration error' },
  /** By what is open in the ledger. */
  standing: { ...usual(0, 2, 3, 4), 5: 'ready rows remain', ...usual(8) },
  run: usual(0, 2, 3, 4, 5, 6, 7, 8, 130, 143),
} as const satisfies Record<string, Exits>

/** Statuses of the same meaning on one line. */
export function exitLines(exits: Exits): [statuses: string, meaning: string][] {
  const meanings = [...new Set(Object.values(exits))]
  return meanings.map((meaning) => [
    Object.entries(exits)
      .filter(([, other]) => other === meaning)
      .map(([status]) => status)
      .join(', '),
    meaning,
  ])
}
