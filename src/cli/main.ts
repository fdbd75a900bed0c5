import { CommanderError, Option as Flag, InvalidArgumentError, Command as Program } from 'commander'
import { join } from 'node:path'
import { requireDriver } from '../driver.js'
import { assertTrustedOutput } from '../trust/output.js'
import { namedFiles, type Command, type CommandLoaders, type Context, type OwnFlag } from './command.js'
import { topicLines, topicsIn } from './commands/help.js'
import {
  environmentName,
  exitLines,
  flagName,
  flagsOf,
  helpOf,
  type OptionName,
} from './settings/declared.js'
import { refusalOfRemoved } from './settings/removed.js'
import { distrustedConfiguration, readSettings, type Flags } from './settings/settings.js'
import type { Log } from './terminal/log.js'
import { boundedProgress, boundedWorld, printResult } from './terminal/output.js'
import type { Progress } from './terminal/progress.js'
import { jsonOf, resultOfError, type CommandResult } from './terminal/result.js'
import { type Output, type World } from './terminal/world.js'

/** What stands in where nobody looks on; libraries for a terminal or a log are loaded for those who do. */

export const noLog: Log = {
  delivery: () => undefined,
  missing: () => null,
  close: () => undefined,
}

export const silentProgress: Progress = {
  reading: () => undefined,
  sending: () => undefined,
  outcome: () => undefined,
  note: () => undefined,
  event: () => undefined,
  end: () => undefined,
}

/** In the order of the help: the way a newcomer meets them. */
export const commands: CommandLoaders = {
  demo: async () => (await import('./commands/demo.js')).demoCommand,
  inspect: async () => (await import('./commands/init.js')).inspectCommand,
  init: async () => (await import('./commands/init.js')).initCommand,
  check: async () => (await import('./commands/check.js')).checkCommand,
  plan: async () => (await import('./plan/plan.js')).planCommand,
  approve: async () => (await import('./plan/approve.js')).approveCommand,
  run: async () => (await import('./commands/run.js')).runCommand,
  status: async () => (await import('./commands/status.js')).statusCommand,
  report: async () => (await import('./commands/report.js')).reportCommand,
  'read-back': async () => (await import('./prove/read-back.js')).readBackCommand,
  verify: async () => (await import('./prove/verify.js')).verifyCommand,
  resolve: async () => (await import('./decide/resolve.js')).resolveCommand,
  reconcile: async () => (await import('./decide/reconcile.js')).reconcileCommand,
  show: async () => (await import('./privacy/show.js')).showCommand,
  erase: async () => (await import('./privacy/show.js')).eraseCommand,
  purge: async () => (await import('./privacy/purge.js')).purgeCommand,
  rules: async () => (await import('./commands/rules.js')).rulesCommand,
  explain: async () => (await import('./commands/rules.js')).explainCommand,
  help: async () => (await import('./commands/help.js')).helpCommand(commands),
  sandbox: async () => (await import('./commands/sandbox.js')).sandboxCommand,
}

/**
 * Runs one command line and returns the exit status (cli/README.md#exit-status). Prints to the world's streams,
 * touches nothing else of the process, and never throws. What a command stands on is loaded when it runs.
 */
export async function main(
  typed: readonly string[],
  commands: CommandLoaders,
  given: World<Output>,
): Promise<number> {
  const argv = asHelp(typed, commands, given)
  const world = boundedWorld(given, { noColor: isSwitchedOn('noColor', argv, given) })
  const wantsJson = isSwitchedOn('json', argv, given)
  let status = 0
  const whole = new Program('sepa-migrate')
    .description(
      'Moves SEPA Direct Debit mandates to a new invoicing service, each posted once and accounted for',
    )
    .version(world.version)
    .addHelpText('before', exampleLines(FIRST_STEPS).join('\n'))
    .addHelpText('after', () => topicLines(world.manual).join('\n'))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => (wantsJson ? undefined : world.stderr.write(text)),
    })
  for (const command of await loadFor(argv, commands)) {
    const program = toProgram(command, async (args, values) => {
      status = await execute(command, args, values, world)
    })
    whole.addCommand(program.copyInheritedSettings(whole))
  }
  try {
    const refusal = refusalOfRemoved(argv, world.env)
    if (refusal !== null) whole.error(`error: ${refusal}`)
    await whole.parseAsync([...argv], { from: 'user' })
    return status
  } catch (error) {
    return statusOfUsage(error, argv[0] ?? 'sepa-migrate', wantsJson, world)
  }
}

/** What a newcomer types, shown by `sepa-migrate --help`. */
export const FIRST_STEPS = [
  'sepa-migrate demo',
  'sepa-migrate check export.csv --out checked',
  'sepa-migrate run export.csv --limit 10',
]

/** `help` alone lists everything, and `help COMMAND` is the help of that command, unless a topic has its name. */
function asHelp(
  argv: readonly string[],
  commands: CommandLoaders,
  { manual }: World<Output>,
): readonly string[] {
  const [first, name, ...others] = argv
  if (first !== 'help') return argv
  if (name === undefined) return ['--help']
  const isCommand = Object.hasOwn(commands, name) && !topicsIn(manual).some((topic) => topic.name === name)
  return isCommand ? [name, '--help', ...others] : argv
}

/** The command that is named; all of them for help, and where none is. */
async function loadFor(argv: readonly string[], commands: CommandLoaders): Promise<Command[]> {
  const [name = ''] = argv
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load !== undefined) return [await load()]
  return Promise.all(Object.values(commands).map((loadOne) => loadOne()))
}

async function statusOfUsage(
  error: unknown,
  command: string,
  wantsJson: boolean,
  world: World,
): Promise<number> {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const message = error instanceof Error ? error.message.replace(/^error: /, '') : 'unknown'
  if (wantsJson) {
    const { emptyResult, jsonOf } = await import('./terminal/result.js')
    world.stdout.write(
      jsonOf(command, {
        ...emptyResult,
        exitCode: 2,
        errors: [{ kind: 'usage', message, next: 'Run sepa-migrate --help; nothing was sent' }],
      }),
    )
  }
  return 2
}

type Action = (args: readonly string[], values: Readonly<Record<string, unknown>>) => Promise<void>

/** Whether a flag without a value was typed or set, as far as that can be said before the command line is read. */
export function isSwitchedOn(
  option: OptionName,
  argv: readonly string[],
  { env }: Pick<World, 'env'>,
): boolean {
  const set = env[environmentName(option) ?? ''] ?? ''
  return argv.includes(`--${flagName(option)}`) || ['1', 'true', 'yes'].includes(set)
}

/** One command as commander knows it, with its flags and its help. */
export function toProgram(command: Command, action: Action): Program {
  const [name = '', ...args] = command.usage.split(' ')
  const program = new Program(name).description(command.summary)
  if (args.length > 0) program.arguments(args.join(' '))
  for (const option of command.options) {
    program.addOption(flagOf(flagsOf(option), helpOf(option)))
  }
  for (const [flags, help, more] of command.own ?? []) program.addOption(ownFlagOf(flags, help, more))
  program.addHelpText('before', exampleLines(command.examples).join('\n'))
  program.addHelpText('after', ['', ...command.epilogue, ...closingHelp(command)].join('\n'))
  return program.action(async () => action(program.args, program.opts()))
}

export const exampleLines = (examples: readonly string[]): string[] => [
  'Examples:',
  ...examples.map((line) => `  ${line}`),
  '',
]

function closingHelp({ epilogue, exits }: Command): string[] {
  const lines = exitLines(exits)
  const width = Math.max(...lines.map(([statuses]) => statuses.length))
  return [
    ...(epilogue.length === 0 ? [] : ['']),
    'Exit status:',
    ...lines.map(([statuses, meaning]) => `  ${statuses.padEnd(width)}  ${meaning}`),
  ]
}

function ownFlagOf(...[flags, help, more]: OwnFlag): Flag {
  if (more === 'repeatable') return new Flag(flags, help).argParser(collect)
  return flagOf(flags, more === undefined ? help : `${help}: ${more.join(', ')}`)
}

/** A value that is given twice is refused: commander would drop the first in silence. `...` takes several. */
function flagOf(flags: string, help: string): Flag {
  const flag = new Flag(flags, help)
  if (!flags.includes('<') || flag.variadic) return flag
  return flag.argParser((value: string, earlier: unknown) => {
    if (earlier !== undefined) throw new InvalidArgumentError('It is given twice; nothing was done.')
    return value
  })
}

/** Commander keeps the last value of a flag by itself. */
const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value]

/** Commander gives `true` for a flag and, for `--no-x`, `x: false`; settings read texts only. */
function flagsTyped(options: readonly OptionName[], values: Readonly<Record<string, unknown>>): Flags {
  const flags: Partial<Record<OptionName, string>> = {}
  for (const option of options) {
    const isNegated = flagName(option).startsWith('no-')
    const attribute = camelCase(flagName(option).replace(/^no-/, ''))
    const value = values[attribute]
    if (isNegated ? value === false : value === true) flags[option] = '1'
    else if (typeof value === 'string') flags[option] = value
  }
  return flags
}

const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase())

/** Runs a command with what was typed and returns the exit status. Never throws. */
export async function execute(
  command: Command,
  args: readonly string[],
  values: Readonly<Record<string, unknown>>,
  world: World,
): Promise<number> {
  const name = command.usage.split(' ')[0] ?? command.usage
  let isJson = values['json'] === true
  let result: CommandResult
  let log = noLog
  let distrusted: string | null = null
  try {
    if (command.usesNoLedger !== true) requireDriver()
    const settings = readSettings(flagsTyped(command.options, values), world)
    isJson = settings.get('json') ?? false
    for (const option of command.options) settings.get(option) // refused before anything is opened or made
    const isSilent = (settings.get('quiet') ?? false) || isJson
    const progress = isSilent
      ? silentProgress
      : boundedProgress((await import('./terminal/progress.js')).startProgress(world))
    const tell = isSilent ? (text: string) => world.stderr.write(`${text}\n`) : progress.note
    distrusted = distrustedConfiguration(settings.configuration)
    const logFile = settings.get('logFile')
    if (logFile !== null) {
      const { PACK_NAMES, TO_DO_FILES } = await import('../report/pack/pack.js')
      assertTrustedOutput(logFile, {
        what: 'log file',
        forbidden: [
          ...namedFiles({ settings, args, own: values }, 'logFile'),
          ...[...PACK_NAMES, ...TO_DO_FILES].map((file) => join(settings.out, file)),
        ],
      })
      log = (await import('./terminal/log.js')).openLog(logFile, world, tell)
    }
    const context: Context = { world, settings, args, own: values, progress, log }
    result = await command.run(context).finally(() => context.progress.end())
  } catch (error) {
    result = resultOfError(error, world.signals.exitStatus())
  }
  const told = [distrusted, log.missing()].filter((warning) => warning !== null)
  result = { ...result, warnings: [...result.warnings, ...told] }
  log.close()
  if (result.isPrinted === true) return result.exitCode
  if (isJson) world.stdout.write(jsonOf(name, result))
  else printResult(world, result)
  return result.exitCode
}
