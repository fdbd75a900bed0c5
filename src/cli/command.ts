import { openLedger } from '../ledger/file/open-ledger.js'
import { UsageError, HaltError, SourceError, type HaltOptions } from '../errors.js'
import type { Ledger } from '../ledger/file/writer.js'
import { openLedgerReader, type LedgerReader } from '../ledger/read/open-reader.js'
import { ledgerFiles } from '../ledger/safety/side-files.js'
import { sourceOpeners, type OpenNext } from '../run/admit-sources.js'
import { noteDecided, refuseOlder } from '../register/campaign-register.js'
import { STANDARD_INPUT, type SourceInput } from '../source/bytes/input.js'
import type { SourceOptions } from '../source/options.js'
import { rows, SETTING_NAMES, settingOf, type Exits, type OptionName } from './settings/declared.js'
import { noConfiguration, readSettings, type Settings } from './settings/settings.js'
import { type ReadBy, type ReadingFlags, withFlags } from '../run/read-again.js'
import type { Log } from './terminal/log.js'
import { type Progress, type World, type Line, toned, totalsLines } from './terminal/world.js'
import { maskAccounts } from '../domain/text/accounts.js'
import { escapedJson } from '../domain/text/text.js'
import { isBalanced, type Totals } from '../domain/row/row-state.js'

/** One command: what it takes, what its help says, and its body. */
export interface Command {
  /** With its arguments in commander's notation, for example `run [files...]`. */
  readonly usage: string
  readonly summary: string
  readonly options: readonly OptionName[]
  /** Flags that only this command has. */
  readonly own?: readonly OwnFlag[]
  /** It opens no SQLite file, so it works where no driver can be loaded. */
  readonly usesNoLedger?: true
  /** Command lines to paste, the first thing that the help shows. */
  readonly examples: readonly string[]
  /** What else there is to know, printed below the flags. */
  readonly epilogue: readonly string[]
  readonly exits: Exits
  readonly run: (context: Context) => Promise<CommandResult>
}

/** `report verify` of `report verify <folder>`. */
export const nameOf = ({ usage }: Command): string => usage.replace(/ [<[].*/, '')

/** Every command by its name, and how its module is loaded. */
export type CommandLoaders = Readonly<Record<string, () => Promise<Command>>>

/** Notation and help; a flag that may be given several times says so, and one that takes a few words lists them. */
export type OwnFlag = readonly [flags: string, help: string, more?: 'repeatable' | readonly string[]]

/** What a command was called with. */
interface Called {
  readonly world: World
  readonly settings: Settings
  readonly args: readonly string[]
  /** Values of the command's own flags, by commander's name for them; `true` for a flag without a value. */
  readonly own: Readonly<Record<string, unknown>>
  readonly progress: Progress
  readonly log: Log
}

export type Context = ReturnType<typeof contextOf>

export function contextOf(called: Called) {
  const { world, settings, own } = called
  const text = (name: string): string | null => (typeof own[name] === 'string' ? own[name] : null)
  return {
    ...called,
    /** An own flag's text, or null. */
    text,
    /** The texts of an own flag that may be given several times; empty where it was not given. */
    texts: (name: string): readonly string[] => {
      const values: unknown = own[name]
      return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
    },
    flag: (name: string): boolean => own[name] === true,
    /** Why somebody decides so. @throws {UsageError} where it is not said */
    reason: (next: string, nothing = ''): string => {
      const reason = text('reason')?.trim() ?? ''
      if (reason === '') throw new UsageError(`There is no reason${nothing}`, `Say with --reason ${next}`)
      return reason
    },
    /** How many rows --sample names; null for all of them. */
    sample: (): number | null => {
      const count = text('sample')
      return count === null ? null : rows(1).read(count, '--sample')
    },
    /** Who a decision is recorded under: by name, else the user of the system. */
    actor: (): string => {
      const { USER, LOGNAME } = world.env
      const named = [text('by'), settings.get('by'), USER, LOGNAME, world.user]
      return named.find((name) => name != null && name !== '') ?? 'a user without a name'
    },
  }
}

/** `max-in-doubt` → `maxInDoubt`. */
export const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase())

/** What is decided in the ledger of the settings, which is never made anew and closed again whatever happens. */
export async function decideIn<Value>(
  { settings, world }: Context,
  decide: (ledger: Ledger) => Value | Promise<Value>,
  { ofLatest = false } = {},
): Promise<Value> {
  const { clock, pid, user } = world
  const { ledger: file, sharedFolder } = settings
  const ledger = openLedger({ file, clock, pid, user, create: false, sharedFolder })
  try {
    if (ofLatest) refuseOlder(world.stateFolder, file, ledger.claims)
    return await decide(ledger)
  } finally {
    const fault = noteDecided(world.stateFolder, ledger.claims)
    if (fault !== null) world.stderr.print(`Warning: A copy from before would not be called older. ${fault}`)
    ledger.close()
  }
}

/** What is looked up in the ledger of the settings, which is closed again whatever happens. */
export async function lookInto<Value>(
  settings: Pick<Settings, 'ledger' | 'sharedFolder'>,
  at: (reader: LedgerReader) => Value | Promise<Value>,
): Promise<Value> {
  const reader = openLedgerReader(settings.ledger, { sharedFolder: settings.sharedFolder })
  try {
    return await at(reader)
  } finally {
    reader.close()
  }
}

/** The files of the command line as sources, and nothing is sent: of which everything is told, or as a run takes them. */
export function openers(context: Context, undecided: 'tell' | 'refuse' = 'tell'): OpenNext[] {
  const { world, args } = context
  return sourceOpeners(
    args.map((file) => inputOf(context, file)),
    sourceOptions(context),
    { ...checksOf(context), undecided },
    world.signals.drain,
  )
}

const checksOf = ({ settings }: Context) => ({
  today: settings.asOf,
  zone: settings.zone,
  severities: settings.severities,
  newCreditorIdentifier: settings.get('creditorIdentifier'),
  dormantSoonDays: settings.get('dormantSoonDays'),
})

/** How a run with the same settings reads. */
export const readByOf = (context: Context): ReadBy => ({
  options: configuredOptions(context),
  byFlag: readingFlags(context),
  against: checksOf(context),
  configuration: context.settings.configuration.file,
  ledger: context.settings.ledger,
  readWith: readingWith(context),
})

/** How the same command reads with another configuration, or with none; null where that cannot be read itself. */
export const readingWith = (context: Context) => (config: string | null) => {
  const { flags } = context.settings
  try {
    const settings =
      config === null
        ? readSettings(flags, context.world, noConfiguration)
        : readSettings({ ...flags, config }, context.world)
    return readByOf({ ...context, settings })
  } catch (error) {
    if (error instanceof UsageError) return null
    throw error
  }
}

/** `-` is standard input. */
export const inputOf = ({ world }: Context, file: string): SourceInput =>
  file === '-' ? { name: STANDARD_INPUT, stream: world.stdin } : file

/** What the flags say of how files are read. */
export const readingFlags = (context: Context): ReadingFlags => ({
  sheet: context.text('sheet') ?? undefined,
  ignoreColumns: context.texts('ignoreColumn'),
})

export const sourceOptions = (context: Context): SourceOptions =>
  withFlags(configuredOptions(context), readingFlags(context))

/** The source sections of the configuration, with paths made absolute. */
export function configuredOptions(context: Context): SourceOptions {
  const { values, locate } = context.settings.configuration
  const { source, columns, exclude, limits, words, crosswalk, join } = values
  const profile = context.text('profile') ?? values.profile
  return {
    ...(profile === undefined ? {} : { profile }),
    ...{ source, columns, exclude, limits, words },
    ...(crosswalk === undefined ? {} : { crosswalk: { ...crosswalk, file: locate(crosswalk.file) } }),
    join: join.map((one) => ({ ...one, file: locate(one.file) })),
  }
}

export const SHEET: OwnFlag = [
  '--sheet <name>',
  'the sheet of an Excel workbook; where it is left out, the one that has data',
]

export const EVIDENCE: OwnFlag = [
  '--evidence <files...>',
  'collection files (pain.008) of the former creditor, compared with the exports; they stay in a ledger',
]

export const NEWER: OwnFlag = [
  '--newer',
  'these exports are newer than all that came in before: where they differ, they count',
]

export const IGNORE_COLUMN: OwnFlag = [
  '--ignore-column <name>',
  'this column does not say which mandates to leave out; may be given several times',
  'repeatable',
]

/**
 * Every path that a command line and its configuration name, and what belongs to the ledger: what is read, what is kept,
 * what is written elsewhere. No output may be written over one of them.
 * @param output the option that names the output itself
 */
export function namedFiles(
  { settings, args, own }: Pick<Context, 'settings' | 'args' | 'own'>,
  output: 'logFile' | 'data' | null,
): readonly string[] {
  const { configuration } = settings
  const { crosswalk, join } = configuration.values
  // The ledger comes with its side files below, the configuration as it was found, and reports lie in a folder.
  const elsewhere: readonly (string | null)[] = ['config', 'ledger', 'out', output]
  const given = Object.entries(own).flatMap(([name, value]) => (name === output ? [] : [value]))
  const named = [
    configuration.file,
    ...SETTING_NAMES.filter((name) => settingOf(name).kind.isPath === true && !elsewhere.includes(name)).map(
      settings.get,
    ),
    ...[crosswalk, ...join].flatMap((one) => (one === undefined ? [] : [configuration.locate(one.file)])),
    ...args,
    ...given.flat(),
  ]
  return [
    ...named.filter((path): path is string => typeof path === 'string' && path !== '' && path !== '-'),
    ...ledgerFiles(settings.ledger),
  ]
}

/** These of the own flags of this command, as far as they were given, to type the same again. */
export const sameFlags = ({ own }: Pick<Context, 'own'>, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const [value, flag] = [own[camelCase(name)], `--${name}`]
    if (value === true) return [flag]
    return [value].flat().flatMap((text) => (typeof text === 'string' ? [flag, text] : []))
  })

type ToldError = Readonly<Record<'kind' | 'message' | 'next', string>> &
  Pick<HaltOptions, 'faults'> &
  Partial<Pick<SourceError, 'source' | 'rule' | 'line'>>

/** Of a command that says nothing. */
export const emptyResult = {
  exitCode: 0,
  campaign: { ledger: null as string | null, baseUrl: null as string | null },
  /** Null where there is no ledger to count, or a failure came before it: zeros would look like an empty campaign. */
  totals: null as Totals | null,
  /** What was written: name to path. */
  files: {} as Readonly<Record<string, string>>,
  warnings: [] as readonly string[],
  errors: [] as readonly ToldError[],
  /** For people, on stdout. */
  lines: [] as readonly Line[],
  /** The command has printed its result itself. */
  isPrinted: false,
  /** Further keys of the JSON document. */
  details: {} as Readonly<Record<string, unknown>>,
}

/** What a command ends with; printed as lines for people or as one JSON document (cli/README.md#the-json-document). */
export type WholeResult = Readonly<typeof emptyResult>

/** As a command says it; what it leaves out is as in `emptyResult`. */
export type CommandResult = Partial<WholeResult>

/** What a thrown error means for the caller: a halt of ours by its own exit code, anything else is a bug. */
export function resultOfError(
  error: unknown,
  signalStatus: number | null = null,
): Pick<WholeResult, 'exitCode' | 'errors'> {
  if (error instanceof HaltError) {
    const { exitCode, kind, message, next, faults } = error
    const where =
      error instanceof SourceError ? { source: error.source, rule: error.rule, line: error.line } : {}
    return {
      exitCode,
      errors: [{ kind, message, next, ...where, ...(faults.length === 0 ? {} : { faults }) }],
    }
  }
  if (signalStatus !== null && error instanceof Error && error.name === 'AbortError') {
    const [message, next] = ['Interrupted before anything was sent', 'Run the same command again']
    return { exitCode: signalStatus, errors: [{ kind: 'interrupted', message, next }] }
  }
  const what = error instanceof Error ? maskAccounts(error.message) : 'a value that is not an error'
  // Many looks are taken at what stands at a path, before it is opened, and at the folders above.
  const [why] = /^(?:EACCES|EPERM|ENOTDIR|ELOOP|ENAMETOOLONG): [a-z ]+/.exec(what) ?? []
  if (why !== undefined && error instanceof Error && 'path' in error) {
    const message = `The system refuses "${maskAccounts(String(error.path))}": ${why}`
    const other =
      'Give another path, or let this user read all folders above it; sepa-migrate status shows the ledger'
    return { exitCode: 2, errors: [{ kind: 'usage', message, next: other }] }
  }
  const next = 'Please report this. The ledger is safe: run sepa-migrate status to see where it stands'
  return { exitCode: 1, errors: [{ kind: 'unexpected', message: `Unexpected error: ${what}`, next }] }
}

export function jsonOf(command: string, result: WholeResult): string {
  const { exitCode, campaign, totals, files, warnings, errors, details } = result
  const balanced = totals === null ? null : isBalanced(totals)
  const head = { schemaVersion: 1, command, ok: exitCode === 0, exitCode, campaign, totals, balanced }
  return `${escapedJson(JSON.stringify({ ...head, files, warnings, errors, ...details }))}\n`
}

/** Exit statuses of commands that took nothing: where the ledger stands has not changed. */
const TOOK_NOTHING: readonly number[] = [2, 7]

/** Last lines of a command for people; a JSON document instead when it was asked for. */
export function printResult({ stdout, stderr }: World, result: WholeResult): void {
  for (const warning of result.warnings) stderr.print([toned('open', 'Warning'), `: ${warning}`])
  for (const line of result.lines) stdout.print(line)
  const isTold = result.lines.length > 0 || TOOK_NOTHING.includes(result.exitCode)
  if (result.errors.length > 0 && result.totals !== null && !isTold)
    for (const line of totalsLines(result.totals)) stdout.print(line)
  for (const error of result.errors) {
    const { message, faults = [], rule } = error
    const isList = faults.length > 1
    const named = rule == null || message.includes(rule) ? message : `${message} (${rule})`
    stderr.print([
      toned('bad', 'Error'),
      `: ${isList ? named.replace(`: ${faults.join('; ')}`, ':') : named}`,
    ])
    if (isList) for (const fault of faults) stderr.print(`  ${fault}`)
    stderr.print(`  To do: ${error.next}`)
  }
}
