import type { Log } from './terminal/log.js'
import type { Exits } from './settings/exit-statuses.js'
import type { OptionName } from './settings/options.js'
import type { Progress } from './terminal/progress.js'
import type { CommandResult } from './terminal/result.js'
import type { Settings } from './settings/settings.js'
import type { World } from './terminal/world.js'

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
  /** Keys of its JSON document besides those that every command has. */
  readonly json: readonly string[]
  readonly run: (context: Context) => Promise<CommandResult>
}

/** Every command by its name, and how its module is loaded. */
export type CommandLoaders = Readonly<Record<string, () => Promise<Command>>>

/** Notation and help; a flag that may be given several times says so, and one that takes a few words lists them. */
export type OwnFlag = readonly [flags: string, help: string, more?: 'repeatable' | readonly string[]]

export interface Context {
  readonly world: World
  readonly settings: Settings
  readonly args: readonly string[]
  /** Values of the command's own flags, by commander's name for them; `true` for a flag without a value. */
  readonly own: Readonly<Record<string, unknown>>
  readonly progress: Progress
  readonly log: Log
}

/** An own flag's text, or null. */
export function ownText(context: Context, name: string): string | null {
  const value = context.own[name]
  return typeof value === 'string' ? value : null
}

/** The texts of an own flag that may be given several times; empty where it was not given. */
export function ownTexts(context: Context, name: string): readonly string[] {
  const values: unknown = context.own[name]
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
}

export const ownFlag = (context: Context, name: string): boolean => context.own[name] === true

/** Who a decision is recorded under: by name, else the user of the system. */
export const actorOf = (context: Context): string => {
  const { settings, world } = context
  return (
    ownText(context, 'by') ?? settings.get('by') ?? world.env['USER'] ?? world.env['LOGNAME'] ?? 'operator'
  )
}
