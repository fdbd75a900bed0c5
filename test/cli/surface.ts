import { nameOf, type Command, type CommandLoaders } from '../../src/cli/command.js'
import {
  settingOf,
  environmentName,
  flagName,
  flagsOf,
  helpOf,
  type OptionName,
} from '../../src/cli/settings/declared.js'
import { jsonKeys } from '../../src/cli/terminal/result.js'

/** All that can be typed, in the order of the help: what the README is made from. */
export async function readSurface(commands: CommandLoaders) {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()))
  return loaded.map(surfaceOf)
}

function surfaceOf(command: Command) {
  const name = nameOf(command)
  const { summary, examples, exits, options, own = [], json } = command
  return {
    name,
    /** As in the help: `<file>`, `[files...]`; none where it takes no argument. */
    argument: command.usage.slice(name.length + 1) || null,
    summary,
    examples,
    flags: [...options.map(optionFlag), ...own.map(([flags, help]) => ownFlag(flags, help))],
    exits,
    json: options.includes('json') ? [...jsonKeys(), ...json] : [],
  }
}

function optionFlag(name: OptionName) {
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

function ownFlag(flags: string, help: string) {
  const nowhereElse = { environment: null, configured: null, default: null }
  return { name: flags.split(' ')[0] ?? flags, value: valueOf(flags), help, ...nowhereElse }
}

/** `--row <id...>` → `id`. */
const valueOf = (flags: string): string | null => /<([^>.]+)(?:\.\.\.)?>/.exec(flags)?.[1] ?? null
