import { nameOf, type Command, type CommandLoaders } from '../../src/cli/command.js'
import {
  settingOf,
  environmentName,
  flagName,
  flagsOf,
  helpOf,
  type OptionName,
  type Exits,
} from '../../src/cli/settings/declared.js'
import { jsonKeys } from '../../src/cli/terminal/result.js'

/** A flag as it can be typed. */
interface SurfaceFlag {
  /** With its dashes. */
  readonly name: string
  /** What stands for its value in the help, `file` for example; null for a flag without one. */
  readonly value: string | null
  readonly help: string
  readonly environment: string | null
  /** Its key in the configuration file. */
  readonly configured: string | null
  readonly default: string | null
}

export interface SurfaceCommand {
  readonly name: string
  /** As in the help: `<file>`, `[files...]`; none where it takes no argument. */
  readonly argument: string | null
  readonly summary: string
  readonly examples: readonly string[]
  readonly flags: readonly SurfaceFlag[]
  readonly exits: Exits
  /** Keys of its JSON document; none where it prints none. */
  readonly json: readonly string[]
}

/** All that can be typed, in the order of the help: what the README is made from. */
export async function readSurface(commands: CommandLoaders): Promise<readonly SurfaceCommand[]> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()))
  return loaded.map(surfaceOf)
}

function surfaceOf(command: Command): SurfaceCommand {
  const name = nameOf(command)
  const argument = command.usage.slice(name.length + 1) || null
  const { summary, examples, exits, options, own = [], json } = command
  return {
    name,
    argument,
    summary,
    examples,
    flags: [...options.map(optionFlag), ...own.map(([flags, help]) => ownFlag(flags, help))],
    exits,
    json: options.includes('json') ? [...jsonKeys(), ...json] : [],
  }
}

function optionFlag(name: OptionName): SurfaceFlag {
  const { configured, byDefault } = settingOf(name)
  return {
    name: `--${flagName(name)}`,
    value: valueOf(flagsOf(name)),
    help: helpOf(name),
    environment: environmentName(name),
    configured: configured?.join('.') ?? null,
    default: byDefault ?? null,
  }
}

function ownFlag(flags: string, help: string): SurfaceFlag {
  const nowhereElse = { environment: null, configured: null, default: null }
  return { name: flags.split(' ')[0] ?? flags, value: valueOf(flags), help, ...nowhereElse }
}

/** `--row <id...>` → `id`. */
const valueOf = (flags: string): string | null => /<([^>.]+)(?:\.\.\.)?>/.exec(flags)?.[1] ?? null
