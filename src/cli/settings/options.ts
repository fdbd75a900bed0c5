import { UsageError } from '../../errors.js'

/** One setting: its flag, its environment name and how its text is read. */
export interface Option<Value> {
  /** Commander's notation, for example `--rate <n>`. */
  readonly flags: string
  readonly help: string
  /** Path in the configuration file, where it may stand there. */
  readonly configured?: readonly string[]
  /** What holds where nothing is given, written as the flag takes it. */
  readonly byDefault?: string
  /** What holds where nothing is given, in words, where it is no single value. */
  readonly otherwise?: string
  readonly read: (text: string, origin: string) => Value
}

const text = (value: string): string => value

const flag = (value: string, origin: string): boolean => {
  if (['1', 'true', 'yes'].includes(value)) return true
  if (['', '0', 'false', 'no'].includes(value)) return false
  throw new UsageError(`Cannot read ${origin}: "${value}" is not yes or no`, 'Use 1 or 0')
}

const number =
  (kind: 'whole' | 'decimal', least: number, most: number) =>
  (value: string, origin: string): number => {
    const form = kind === 'whole' ? /^\d{1,9}$/ : /^\d{1,9}(\.\d{1,6})?$/
    const read = Number(value)
    if (form.test(value) && read >= least && read <= most) return read
    throw new UsageError(
      `Cannot read ${origin}: "${value}" is not a ${kind} number from ${least} to ${most}`,
      'Correct the value; nothing was sent',
    )
  }

const UNIT_SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 }

/** Seconds, or a number with `s`, `m` or `h`. */
const seconds = (value: string, origin: string): number => {
  const [, amount, unit] = /^(\d{1,7}(?:\.\d{1,3})?)([smh]?)$/.exec(value) ?? []
  const read = Number(amount) * (UNIT_SECONDS[unit ?? ''] ?? 1)
  if (amount !== undefined && read > 0) return read
  throw new UsageError(
    `Cannot read ${origin}: "${value}" is not a duration`,
    'Give seconds, or a number with s, m or h, for example 90 or 2h',
  )
}

type RefusedLimit = { readonly kind: 'count' | 'percent'; readonly value: number }

const countOrPercent = (value: string, origin: string): RefusedLimit =>
  value.endsWith('%')
    ? { kind: 'percent', value: number('decimal', 0, 100)(value.slice(0, -1), origin) }
    : { kind: 'count', value: number('whole', 0, 999_999_999)(value, origin) }

/** Every setting that has a flag. `SEPA_MIGRATE_` and the flag's name in capitals is its environment variable. */
export const OPTIONS = {
  config: {
    flags: '--config <file>',
    help: 'configuration file',
    otherwise: './sepa-migrate.yaml where it exists',
    read: text,
  },
  ledger: {
    flags: '--ledger <file>',
    help: 'ledger of the campaign',
    configured: ['ledger'],
    byDefault: 'sepa-migrate.db',
    read: text,
  },
  baseUrl: {
    flags: '--base-url <url>',
    help: 'address of the service, https only (http for loopback)',
    configured: ['service', 'baseUrl'],
    read: text,
  },
  out: {
    flags: '--out <dir>',
    help: 'folder for reports',
    configured: ['out'],
    otherwise: 'beside the ledger',
    read: text,
  },
  json: { flags: '--json', help: 'print one JSON document on stdout', read: flag },
  quiet: { flags: '--quiet', help: 'no progress on stderr', read: flag },
  verbose: { flags: '--verbose', help: 'one line per attempt on stderr', read: flag },
  noColor: { flags: '--no-color', help: 'no colours (NO_COLOR is honoured too)', read: flag },
  logFile: {
    flags: '--log-file <file>',
    help: 'append a log of every intent and outcome, masked',
    configured: ['logFile'],
    read: text,
  },
  asOf: {
    flags: '--as-of <date>',
    help: 'the "today" of the date rules, YYYY-MM-DD',
    otherwise: 'today in the configured time zone',
    read: text,
  },
  passwordFile: {
    flags: '--password-file <file>',
    help: 'file with the password, readable by its owner only',
    configured: ['service', 'passwordFile'],
    read: text,
  },
  concurrency: {
    flags: '--concurrency <n>',
    help: 'requests under way at most',
    configured: ['service', 'concurrency'],
    byDefault: '8',
    read: number('whole', 1, 256),
  },
  rate: {
    flags: '--rate <n>',
    help: 'requests per second at most',
    configured: ['service', 'rate'],
    otherwise: 'no limit',
    read: number('decimal', 0.001, 100_000),
  },
  timeout: {
    flags: '--timeout <seconds>',
    help: 'deadline of one request',
    configured: ['service', 'timeout'],
    byDefault: '150',
    read: seconds,
  },
  connectTimeout: {
    flags: '--connect-timeout <seconds>',
    help: 'deadline of one connection',
    configured: ['service', 'connectTimeout'],
    byDefault: '10',
    read: seconds,
  },
  limit: {
    flags: '--limit <n>',
    help: 'a pilot: send at most n rows in this run',
    read: number('whole', 1, 999_999_999),
  },
  maxDuration: {
    flags: '--max-duration <time>',
    help: 'send nothing further after this time, for example 90 or 2h',
    read: seconds,
  },
  maxInDoubt: {
    flags: '--max-in-doubt <n>',
    help: 'stop when more rows than this become in doubt',
    configured: ['service', 'maxInDoubt'],
    byDefault: '10',
    read: number('whole', 0, 999_999_999),
  },
  maxRefused: {
    flags: '--max-refused <n|p%>',
    help: 'stop when more rows than this are refused',
    configured: ['service', 'maxRefused'],
    read: countOrPercent,
  },
  retryRefused: {
    flags: '--retry-refused',
    help: 'send refused rows once more; recorded as your decision',
    read: flag,
  },
  yes: { flags: '--yes', help: 'do not ask for the host name', read: flag },
  sharedFolder: {
    flags: '--shared-folder',
    help: 'allow a ledger in a folder that others can write; plan and report say so',
    read: flag,
  },
  noReport: { flags: '--no-report', help: 'do not write the reconciliation pack at the end', read: flag },
} as const satisfies Record<string, Option<unknown>>

export type OptionName = keyof typeof OPTIONS
export type OptionValue<Name extends OptionName> =
  | ReturnType<(typeof OPTIONS)[Name]['read']>
  | ((typeof OPTIONS)[Name] extends { readonly byDefault: string } ? never : null)

/** What the help says of an option. */
export function helpOf(name: OptionName): string {
  const { help, byDefault, otherwise }: Option<unknown> = OPTIONS[name]
  const usual = byDefault ?? otherwise
  return usual === undefined ? help : `${help} (default ${usual})`
}

/** What is read from the environment and has no flag. */
export const ENVIRONMENT = {
  SEPA_MIGRATE_USERNAME: 'user name for the service (`service.username` in the configuration)',
  SEPA_MIGRATE_PASSWORD: 'password for the service; `--password-file` goes before it',
  SEPA_MIGRATE_BY: 'who a decision is recorded under; else the user of the system',
} as const

/** `--max-in-doubt` → `SEPA_MIGRATE_MAX_IN_DOUBT`. */
export const environmentName = (name: OptionName): string =>
  `SEPA_MIGRATE_${flagName(name).replaceAll('-', '_').toUpperCase()}`

/** `--max-in-doubt <n>` → `max-in-doubt`. */
export const flagName = (name: OptionName): string => OPTIONS[name].flags.split(' ')[0]?.slice(2) ?? name

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
