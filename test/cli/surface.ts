import { nameOf, type Command, type CommandLoaders, emptyResult, jsonOf } from '../../src/cli/command.js'
import {
  settingOf,
  environmentName,
  flagName,
  flagsOf,
  helpOf,
  type OptionName,
} from '../../src/cli/settings/declared.js'

/** Keys that the JSON document of every command has. */
export const jsonKeys = (): string[] => Object.keys(JSON.parse(jsonOf('', emptyResult)) as object)

const OF_RUN = 'stop trusted admitted askedFirst held choice evidence cutOver'.split(' ')

/** Keys of the document of each command besides these. */
const JSON_KEYS: Readonly<Record<string, readonly string[]>> = {
  demo: [...OF_RUN, 'classes', 'mandates', 'sources', 'folder'],
  inspect: ['inspection', 'configuration', 'profile', 'profiles'],
  init: ['configuration'],
  check: ['problems', 'sources', 'notTaken', 'corrections', 'evidence', 'decisions'],
  sandbox: ['url', 'username', 'password', 'seed'],
  plan: ['plan', 'evidence'],
  approve: ['plan', 'approval'],
  run: OF_RUN,
  status: ['mandates', 'lastRun', 'latestPlan', 'verification', 'absent', 'cutOver'],
  compare: ['classes', 'mandates', 'sources', 'cutOver'],
  resolve: ['resolutions', 'isApplied', 'reconciliation', 'stop', 'readBack', 'proofs', 'absent'],
  report: [],
  'report verify': ['pack'],
  verify: ['stop', 'readBack', 'verification', 'statuses', 'sample', 'unproven'],
  purge: ['purge'],
  'customer show': ['customer'],
  'customer erase': ['erasure'],
  'ledger adopt': ['adopted'],
  rules: ['rules', 'rule'],
  help: ['topic', 'text'],
}

/** All that can be typed, in the order of the help: what the README is made from. */
export async function readSurface(commands: CommandLoaders) {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()))
  return loaded.map(surfaceOf)
}

function surfaceOf(command: Command) {
  const name = nameOf(command)
  const { summary, examples, exits, options, own = [] } = command
  return {
    name,
    /** As in the help: `<file>`, `[files...]`; none where it takes no argument. */
    argument: command.usage.slice(name.length + 1) || null,
    summary,
    examples,
    flags: [...options.map(optionFlag), ...own.map(([flags, help]) => ownFlag(flags, help))],
    exits,
    json: options.includes('json') ? [...jsonKeys(), ...(JSON_KEYS[name] ?? [])] : [],
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
    default: byDefault === undefined ? null : String(byDefault),
  }
}

function ownFlag(flags: string, help: string) {
  const nowhereElse = { environment: null, configured: null, default: null }
  return { name: flags.split(' ')[0] ?? flags, value: valueOf(flags), help, ...nowhereElse }
}

/** `--row <id...>` → `id`. */
const valueOf = (flags: string): string | null => /<([^>.]+)(?:\.\.\.)?>/.exec(flags)?.[1] ?? null
