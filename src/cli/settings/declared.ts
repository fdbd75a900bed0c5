import {
  USUAL_CONCURRENCY,
  USUAL_CONNECT_TIMEOUT_MS,
  USUAL_TIMEOUT_MS,
} from '../../service/checked-service.js'
import { USUAL_ABSENT_AFTER_MS } from '../../domain/proof/absence.js'
import { LANGUAGES } from '../../report/text/language.js'
import { USUAL_MAX_IN_DOUBT } from '../../run/brake.js'
import * as kinds from './kinds.js'
import { DORMANT_SOON_DAYS } from '../../domain/value/check-mandate.js'

/** One setting: where it may be given, what it can be, and what holds where nothing is given. */
interface Setting<Value> {
  readonly kind: kinds.Kind<Value>
  readonly help: string
  /** Commander's notation, for example `--rate <n>`; its environment name is made of it. */
  readonly flags?: `--${string}`
  /** Environment name of a setting without a flag. */
  readonly environment?: `SEPA_MIGRATE_${string}`
  /** Path in the configuration file, where it may stand there. */
  readonly configured?: readonly [string] | readonly ['service' | 'readBack' | 'campaign', string]
  /** It says how an export is read, no more: a file that others can change may hold it. */
  readonly isReading?: true
  /** What holds where nothing is given, written as the flag takes it. */
  readonly byDefault?: string
  /** What holds where nothing is given, in words, where it is no single value. */
  readonly otherwise?: string
}

/**
 * Every setting, once: flags, environment names, the schema of the configuration, help and the tables of the README are
 * made of this. How an export is read (`source`, `columns` and so on) is declared by the room that reads it.
 */
const SETTINGS = {
  config: {
    kind: kinds.path,
    help: 'configuration file',
    flags: '--config <file>',
    otherwise: './sepa-migrate.yaml where it exists',
  },
  ledger: {
    kind: kinds.path,
    help: 'ledger of the campaign',
    flags: '--ledger <file>',
    configured: ['ledger'],
    byDefault: 'sepa-migrate.db',
  },
  baseUrl: {
    kind: kinds.baseUrl,
    help: 'address of the service, https only (http for loopback)',
    flags: '--base-url <url>',
    configured: ['service', 'baseUrl'],
  },
  out: {
    kind: kinds.path,
    help: 'folder for reports',
    flags: '--out <dir>',
    configured: ['out'],
    otherwise: 'sepa-migrate-report by the ledger',
  },
  lang: {
    kind: kinds.oneOf(LANGUAGES),
    help: `language of report.html and reconciliation.xlsx: ${LANGUAGES.join(', ')}`,
    flags: '--lang <language>',
    configured: ['lang'],
    byDefault: 'en',
  },
  json: { kind: kinds.yesOrNo, help: 'print one JSON document on stdout', flags: '--json' },
  quiet: { kind: kinds.yesOrNo, help: 'no progress on stderr', flags: '--quiet' },
  verbose: { kind: kinds.yesOrNo, help: 'one line per attempt on stderr', flags: '--verbose' },
  noColor: { kind: kinds.yesOrNo, help: 'no colours (NO_COLOR is honoured too)', flags: '--no-color' },
  logFile: {
    kind: kinds.path,
    help: 'append a log of every intent and outcome, masked',
    flags: '--log-file <file>',
    configured: ['logFile'],
  },
  asOf: {
    kind: kinds.day,
    help: 'the "today" of the date rules, YYYY-MM-DD',
    flags: '--as-of <date>',
    otherwise: 'today in the configured time zone',
  },
  timezone: {
    kind: kinds.zone,
    help: 'IANA name; decides which day is today',
    configured: ['timezone'],
    isReading: true,
    otherwise: 'the zone of this machine',
  },
  dormantSoonDays: {
    kind: kinds.whole(0, 1095),
    help: 'warn when a mandate lapses within this many days',
    configured: ['dormantSoonDays'],
    isReading: true,
    byDefault: String(DORMANT_SOON_DAYS),
  },
  passwordFile: {
    kind: kinds.path,
    help: 'file with the password, readable by its owner only',
    flags: '--password-file <file>',
    configured: ['service', 'passwordFile'],
  },
  concurrency: {
    kind: kinds.whole(1, 256),
    help: 'requests under way at most',
    flags: '--concurrency <n>',
    configured: ['service', 'concurrency'],
    byDefault: String(USUAL_CONCURRENCY),
  },
  rate: {
    kind: kinds.decimal(100_000),
    help: 'requests per second at most',
    flags: '--rate <n>',
    configured: ['service', 'rate'],
    otherwise: 'no limit',
  },
  timeout: {
    kind: kinds.seconds,
    help: 'deadline of one request',
    flags: '--timeout <seconds>',
    configured: ['service', 'timeout'],
    byDefault: String(USUAL_TIMEOUT_MS / 1000),
  },
  connectTimeout: {
    kind: kinds.seconds,
    help: 'deadline of one connection',
    flags: '--connect-timeout <seconds>',
    configured: ['service', 'connectTimeout'],
    byDefault: String(USUAL_CONNECT_TIMEOUT_MS / 1000),
  },
  readBack: {
    kind: kinds.yesOrNo,
    help: 'use the read-back endpoint of the service (its contract does not guarantee it)',
    flags: '--read-back',
    configured: ['service', 'readBack'],
    otherwise: 'no',
  },
  testHost: {
    kind: kinds.text,
    help: 'a host that is a test environment: reports of what was sent there say REHEARSAL',
    configured: ['service', 'testHost'],
  },
  company: {
    kind: kinds.text,
    help: 'whose mandates these are, for the report',
    configured: ['campaign', 'company'],
  },
  from: { kind: kinds.text, help: 'the former provider, for the report', configured: ['campaign', 'from'] },
  expectedRecords: {
    kind: kinds.whole(0, Number.MAX_SAFE_INTEGER),
    help: 'how many records the former provider counts; the report says whether they agree',
    flags: '--expected-records <n>',
  },
  expected: {
    kind: kinds.path,
    help: 'YAML or JSON file with the totals of the former provider: records, customerNoSum',
    flags: '--expected <file>',
  },
  absentAfter: {
    kind: kinds.seconds,
    help: 'how long after its request a row must still be absent before resend is proposed',
    configured: ['readBack', 'absentAfter'],
    byDefault: `${USUAL_ABSENT_AFTER_MS / 3_600_000}h`,
  },
  limit: { kind: kinds.rows(1), help: 'a pilot: send at most n rows in this run', flags: '--limit <n>' },
  maxDuration: {
    kind: kinds.seconds,
    help: 'send nothing further after this time, for example 90 or 2h',
    flags: '--max-duration <time>',
  },
  maxInDoubt: {
    kind: kinds.rows(0),
    help: 'stop when more rows than this become in doubt',
    flags: '--max-in-doubt <n>',
    configured: ['service', 'maxInDoubt'],
    byDefault: String(USUAL_MAX_IN_DOUBT),
  },
  maxRefused: {
    kind: kinds.rowsOrPercent,
    help: 'stop when more rows than this are refused',
    flags: '--max-refused <n|p%>',
    configured: ['service', 'maxRefused'],
  },
  retryRefused: {
    kind: kinds.yesOrNo,
    help: 'send refused rows once more; recorded as your decision',
    flags: '--retry-refused',
  },
  approval: {
    kind: kinds.required,
    help: 'nothing is sent but under an approved plan, or to the sandbox',
    configured: ['approval'],
    otherwise: 'not required',
  },
  approvalValidFor: {
    kind: kinds.seconds,
    help: 'how long an approval counts',
    configured: ['approvalValidFor'],
    byDefault: '72h',
  },
  yes: { kind: kinds.yesOrNo, help: 'do not ask for the host name', flags: '--yes' },
  sharedFolder: {
    kind: kinds.yesOrNo,
    help: 'allow a ledger in a folder that others can write; plan and report say so',
    flags: '--shared-folder',
  },
  noReport: {
    kind: kinds.yesOrNo,
    help: 'do not write the reconciliation pack at the end',
    flags: '--no-report',
  },
  signWith: {
    kind: kinds.path,
    help: 'Ed25519 private key (PEM) to sign the report with, readable by its owner only',
    flags: '--sign-with <file>',
  },
  username: {
    kind: kinds.text,
    help: 'user name for the service',
    environment: 'SEPA_MIGRATE_USERNAME',
    configured: ['service', 'username'],
  },
  password: {
    kind: kinds.text,
    help: 'password for the service; `--password-file` goes before it',
    environment: 'SEPA_MIGRATE_PASSWORD',
  },
  by: {
    kind: kinds.text,
    help: 'who a decision is recorded under',
    environment: 'SEPA_MIGRATE_BY',
    otherwise: 'the user of the system',
  },
  creditorIdentifier: {
    kind: kinds.creditor,
    help: "the new creditor's own identifier, to catch a mix-up",
    configured: ['service', 'creditorIdentifier'],
    isReading: true,
  },
  ca: {
    kind: kinds.path,
    help: 'PEM file of a certificate authority to trust besides the usual ones',
    configured: ['service', 'ca'],
  },
  clientCertificate: {
    kind: kinds.path,
    help: 'PEM file of the certificate that the service knows you by',
    configured: ['service', 'clientCertificate'],
  },
  clientKey: {
    kind: kinds.path,
    help: 'PEM file of its key, readable by its owner only',
    configured: ['service', 'clientKey'],
  },
  proxy: {
    kind: kinds.proxy,
    help: 'address of an HTTP proxy, https only (http for loopback); never used for loopback',
    configured: ['service', 'proxy'],
  },
  freshConnections: {
    kind: kinds.yesOrNo,
    help: 'a new connection for every request',
    configured: ['service', 'freshConnections'],
    otherwise: 'no',
  },
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS

type ValueOf<Name extends SettingName> =
  (typeof SETTINGS)[Name]['kind'] extends kinds.Kind<infer Value> ? Value : never

/** Null where nothing was given and there is no default. */
export type SettingValue<Name extends SettingName> =
  ValueOf<Name> | ((typeof SETTINGS)[Name] extends { readonly byDefault: string } ? never : null)

/** A declaration with all that it may hold, by name. */
export const settingOf = (name: SettingName): Setting<unknown> => SETTINGS[name]

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

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

/** What each exit status means, in general. */
export const EXIT_STATUSES = {
  0: 'completed; nothing is open',
  1: 'a bug, or the result could not be written',
  2: 'usage or configuration error; nothing was sent',
  3: 'finished; some rows are invalid, in conflict or refused',
  4: 'rows are in doubt (outranks 3 and 5)',
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

const STANDING: Exits = { ...usual(0, 2, 3, 4), 5: 'ready rows remain', ...usual(8) }

export const EXITS = {
  /** Nothing but what was asked for. */
  plain: { 0: 'done', 2: 'usage or configuration error' },
  /** By what is open in the ledger. */
  standing: STANDING,
  /** The same, and by what the service contradicts. */
  verified: {
    ...STANDING,
    4: 'rows are in doubt, or a registered mandate is missing, twice or different at the service (outranks 3 and 5)',
  },
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
