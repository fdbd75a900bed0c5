import {
  readBaseUrl,
  readProxy,
  USUAL_CONCURRENCY,
  USUAL_CONNECT_TIMEOUT_MS,
  USUAL_TIMEOUT_MS,
} from '../../service/checked-service.js'
import { USUAL_ABSENT_AFTER_MS } from '../../domain/proof/read-back.js'
import { LANGUAGES } from '../../report/pack/pack-folder.js'
import texts from './settings.json' with { type: 'json' }
import { USUAL_MAX_IN_DOUBT } from '../../run/brake.js'
import { DORMANT_SOON_DAYS } from '../../domain/value/check-mandate.js'
import { z } from 'zod'
import type { LocalDate } from '../../domain/mandate/mandate.js'
import type { Expected } from '../../domain/row/row-state.js'
import { maskAccounts } from '../../domain/text/accounts.js'
import { UsageError } from '../../errors.js'
import { parseLocalDate } from '../../domain/mandate/date.js'
import { checkCreditorIdentifier } from '../../domain/value/identifiers.js'

type Scalar = string | number | boolean

/** What the value of a setting can be, wherever it comes from. */
export interface Kind<Value> {
  /**
   * What the configuration file may hold. Its JSON Schema says all but what no schema can say (is this time zone known, is a
   * number in quotes too large?), which is left to `read`.
   */
  readonly inFile: z.ZodType<Scalar>
  /**
   * A text of a flag or the environment, or the value of the file as text.
   * @param origin where it was written, for the message; null where the caller says so
   * @throws {UsageError}
   */
  readonly read: (text: string, origin: string | null) => Value
  /** In the file it is relative to the file. */
  readonly isPath?: true
}

interface Form<Value> {
  /** Completes "it is not …". */
  readonly expected: string
  readonly pattern: RegExp
  /** What may stand in the file without quotes, besides a text. */
  readonly scalar?: z.ZodType<Scalar>
  /** Null for a text that has the form and is none all the same. */
  readonly valueOf: (text: string) => Value | null
}

function kindOf<Value>({ expected, pattern, scalar, valueOf }: Form<Value>): Kind<Value> {
  const refusal = (value: unknown): string => `${shown(value)} is not ${expected}`
  const read: Kind<Value>['read'] = (given, origin) => {
    const value = pattern.test(given) ? valueOf(given) : null
    if (value !== null) return value
    throw new UsageError(
      `${origin === null ? '' : `Cannot read ${origin}: `}${refusal(given)}`,
      'Correct the value; nothing was sent',
    )
  }
  const ofText = { error: ({ input }: Refused) => `${refusal(input)}${quotesNeeded(input)}` }
  const form =
    scalar === undefined
      ? textLike(pattern, ofText)
      : z.union([scalar, textLike(pattern)], { error: ({ input }) => refusal(input) })
  return { inFile: readable(form, read).meta({ errorMessage: `Give ${expected}` }), read }
}

type Refused = Readonly<{ input?: unknown }>

/** One mistake is told of a value. */
const AT_ONCE = { abort: true } as const

const textLike = (pattern: RegExp, terms: { error?: (refused: Refused) => string } = {}) =>
  z.string(terms).regex(pattern, { ...terms, ...AT_ONCE })

/** Of this form, and read without a fault. */
const readable = (form: z.ZodType<Scalar>, read: Kind<unknown>['read']): z.ZodType<Scalar> =>
  form.superRefine((value, context) => {
    try {
      read(String(value), null)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      context.addIssue(error.message)
    }
  })

function shown(value: unknown): string {
  if (typeof value === 'string') return `"${maskAccounts(value)}"`
  if (typeof value === 'number' || typeof value === 'boolean') return maskAccounts(String(value))
  return value === null || value === undefined ? 'nothing' : Array.isArray(value) ? 'a list' : 'a map'
}

const quotesNeeded = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? '; a text that looks like it needs quotes' : ''

const same = (text: string): string => text

const ANY = /^[^\0]+$/

const text = kindOf({ expected: 'a text', pattern: ANY, valueOf: same })

const path: Kind<string> = {
  ...kindOf({ expected: 'a path', pattern: ANY, valueOf: same }),
  isPath: true,
}

export const yesOrNo = kindOf({
  expected: 'yes or no: true, yes or 1, false, no or 0',
  pattern: /^(?:1|true|yes|0|false|no)$/,
  scalar: z.boolean(),
  valueOf: (given) => ['1', 'true', 'yes'].includes(given),
})

const required = kindOf<'required'>({
  expected: 'the word "required"',
  pattern: /^required$/,
  valueOf: () => 'required',
})

const WHOLE = /^\d+$/
const DECIMAL = /^\d+(?:\.\d+)?$/

/** Null for a number that is out of bounds. */
const within = (value: number, least: number, most: number): number | null =>
  value >= least && value <= most ? value : null

export const whole = (least: 0 | 1, most: number): Kind<number> =>
  kindOf({
    expected: `a whole number from ${least} to ${most}`,
    pattern: WHOLE,
    scalar: z.int().min(least, AT_ONCE).max(most, AT_ONCE),
    valueOf: (given) => within(Number(given), least, most),
  })

const SMALLEST = 0.001

const decimal = (most: number): Kind<number> =>
  kindOf({
    expected: `a number from ${SMALLEST} to ${most}`,
    pattern: DECIMAL,
    scalar: z.number().min(SMALLEST, AT_ONCE).max(most, AT_ONCE),
    valueOf: (given) => within(Number(given), SMALLEST, most),
  })

/** Timers of Node take 2^31-1 ms, nearly 25 days, and fire at once beyond it. */
const MOST_SECONDS = 2_147_483
const UNITS = { s: 1, m: 60, h: 3600 } as const

/** Seconds, or a number with `s`, `m` or `h`. */
export const seconds = kindOf({
  expected: `a duration from ${SMALLEST} to ${MOST_SECONDS} seconds, for example 90, 90s, 15m or 2h`,
  pattern: /^\d+(?:\.\d+)?[smh]?$/,
  scalar: z.number().min(SMALLEST, AT_ONCE).max(MOST_SECONDS, AT_ONCE),
  valueOf: (given) => {
    const [unit = 's'] = /[smh]$/.exec(given) ?? []
    return within(Number.parseFloat(given) * UNITS[unit as keyof typeof UNITS], SMALLEST, MOST_SECONDS)
  },
})

/** One of a few words. */
export const oneOf = <Word extends string>(words: readonly Word[]): Kind<Word> =>
  kindOf({
    expected: `one of ${words.join(', ')}`,
    pattern: new RegExp(`^(?:${words.join('|')})$`),
    valueOf: (given) => words.find((word) => word === given) ?? null,
  })

/** A number of records, or of the export that is named before it. */
const recordsOf = kindOf<Expected>({
  expected: 'a whole number, or the name of an export and one: final.csv=400',
  pattern: /^(?:[^\0]+=)?\d{1,15}$/,
  valueOf: (given) => {
    const at = given.lastIndexOf('=')
    const source = at < 0 ? null : given.slice(0, at)
    return { source, records: Number(given.slice(at + 1)), customerNoSum: null }
  },
})

const MOST_ROWS = 999_999_999

export const rows = (least: 0 | 1): Kind<number> => whole(least, MOST_ROWS)

type Share = { readonly kind: 'count' | 'percent'; readonly value: number }

export const rowsOrPercent = kindOf<Share>({
  expected: `a whole number from 0 to ${MOST_ROWS}, or a share from 0% to 100%`,
  pattern: /^\d+(?:(?:\.\d+)?%)?$/,
  scalar: z.int().min(0, AT_ONCE).max(MOST_ROWS, AT_ONCE),
  valueOf: (given) => {
    const kind = given.endsWith('%') ? 'percent' : 'count'
    const value = within(Number.parseFloat(given), 0, kind === 'percent' ? 100 : MOST_ROWS)
    return value === null ? null : { kind, value }
  },
})

const day = kindOf<LocalDate>({
  expected: 'a calendar date, YYYY-MM-DD',
  pattern: /^\d{4}-\d{2}-\d{2}$/,
  valueOf: parseLocalDate,
})

const zone = kindOf({
  expected: 'a time zone that is known, for example Europe/Berlin',
  pattern: ANY,
  valueOf: (given) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone
    } catch {
      return null
    }
  },
})

/** One that cannot be right would be compared with nothing, and the mix-up would pass. */
export const creditor = kindOf({
  expected: 'a creditor identifier',
  pattern: ANY,
  valueOf: (given) => (checkCreditorIdentifier(given).usable ? given : null),
})

/**
 * An address may hold a password, so no message quotes it.
 * @param check throws for one that cannot be used
 */
function address(pattern: RegExp, check: (text: string) => unknown): Kind<string> {
  const error = () => 'it is not an address that begins with https:// (http:// only for this machine)'
  const read = (given: string): string => {
    check(given)
    return given
  }
  const inFile = readable(textLike(pattern, { error }), read)
  return { inFile: inFile.meta({ errorMessage: 'Give an address that begins with https://' }), read }
}

export const baseUrl = address(/^\s*[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\\/?#][^\s\\?#]*\s*$/, readBaseUrl)

export const proxy = address(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/\S+$/, readProxy)

/** One setting: where it may be given, what it can be, and what holds where nothing is given. */
interface Declared<Value> {
  readonly kind: Kind<Value>
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
  config: { kind: path, flag: '<file>', otherwise: './sepa-migrate.yaml where it exists' },
  ledger: { kind: path, flag: '<file>', inFile: 'top', byDefault: 'sepa-migrate.db' },
  baseUrl: { kind: baseUrl, flag: '<url>', inFile: 'service' },
  out: { kind: path, flag: '<dir>', inFile: 'top', otherwise: 'sepa-migrate-report by the ledger' },
  lang: { kind: oneOf(LANGUAGES), flag: '<language>', inFile: 'top', byDefault: 'en' },
  json: { kind: yesOrNo, flag: '' },
  quiet: { kind: yesOrNo, flag: '' },
  verbose: { kind: yesOrNo, flag: '' },
  noColor: { kind: yesOrNo, flag: '' },
  logFile: { kind: path, flag: '<file>', inFile: 'top' },
  asOf: { kind: day, flag: '<date>', otherwise: 'today in the configured time zone' },
  timezone: { kind: zone, inFile: 'top', isReading: true, otherwise: 'the zone of this machine' },
  dormantSoonDays: {
    kind: whole(0, 1095),
    inFile: 'top',
    isReading: true,
    byDefault: DORMANT_SOON_DAYS,
  },
  passwordFile: { kind: path, flag: '<file>', inFile: 'service' },
  concurrency: { kind: whole(1, 256), flag: '<n>', inFile: 'service', byDefault: USUAL_CONCURRENCY },
  rate: { kind: decimal(100_000), flag: '<n>', inFile: 'service', otherwise: 'no limit' },
  timeout: { kind: seconds, flag: '<seconds>', inFile: 'service', byDefault: USUAL_TIMEOUT_S },
  connectTimeout: { kind: seconds, flag: '<seconds>', inFile: 'service', byDefault: USUAL_CONNECT_S },
  readBack: { kind: yesOrNo, flag: '', inFile: 'service', otherwise: 'no' },
  customers: { kind: yesOrNo, inFile: 'service', otherwise: 'no, until --who was given' },
  testHost: { kind: text, inFile: 'service' },
  company: { kind: text, inFile: 'campaign' },
  from: { kind: text, inFile: 'campaign' },
  expectedRecords: { kind: recordsOf, flag: '<[file=]n>' },
  absentAfter: { kind: seconds, inFile: 'readBack', byDefault: USUAL_ABSENT_AFTER },
  limit: { kind: rows(1), flag: '<n>' },
  maxDuration: { kind: seconds, flag: '<time>' },
  maxInDoubt: { kind: rows(0), flag: '<n>', inFile: 'service', byDefault: USUAL_MAX_IN_DOUBT },
  maxRefused: { kind: rowsOrPercent, flag: '<n|p%>', inFile: 'service' },
  retryRefused: { kind: yesOrNo, flag: '' },
  approval: { kind: required, inFile: 'top', otherwise: 'not required' },
  approvalValidFor: { kind: seconds, inFile: 'top', byDefault: '72h' },
  yes: { kind: yesOrNo, flag: '' },
  sharedFolder: { kind: yesOrNo, flag: '' },
  noReport: { kind: yesOrNo, flag: '' },
  signWith: { kind: path, flag: '<file>' },
  username: { kind: text, environment: 'SEPA_MIGRATE_USERNAME', inFile: 'service' },
  password: { kind: text, environment: 'SEPA_MIGRATE_PASSWORD' },
  by: { kind: text, environment: 'SEPA_MIGRATE_BY', otherwise: 'the user of the system' },
  creditorIdentifier: { kind: creditor, inFile: 'service', isReading: true },
  ca: { kind: path, inFile: 'service' },
  clientCertificate: { kind: path, inFile: 'service' },
  clientKey: { kind: path, inFile: 'service' },
  proxy: { kind: proxy, inFile: 'service' },
  freshConnections: { kind: yesOrNo, inFile: 'service', otherwise: 'no' },
} as const satisfies Record<string, Declared<unknown>>

export type SettingName = keyof typeof SETTINGS

type ValueOf<Name extends SettingName> =
  (typeof SETTINGS)[Name]['kind'] extends Kind<infer Value> ? Value : never

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

/** Of every command that asks the service what it holds. */
export const ASK_SETTINGS: readonly OptionName[] = [...SHARED, ...OF_SERVICE]

/** What each exit status means, in general. */
export const EXIT_STATUSES = {
  0: 'completed; nothing is open',
  1: 'a bug, or the result could not be written',
  2: 'usage or configuration error; nothing was sent',
  3: 'finished; rows are invalid, in conflict, refused or held',
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
  standing: { ...usual(0, 2, 3, 4), 5: 'ready rows remain to be sent', ...usual(8) },
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

/** The value of a setting in the file, undefined where there is none. */
export const valueAt = (values: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? Reflect.get(inner, key)
        : undefined,
    values,
  )
