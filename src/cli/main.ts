import { said, nearest } from '../domain/text/text.js'
import { CommanderError, Option as Flag, InvalidArgumentError, Command as Program } from 'commander'
import { join } from 'node:path'
import { requireDriver } from '../driver.js'
import { assertTrustedOutput } from '../trust/trusted-file.js'
import {
  camelCase,
  namedFiles,
  nameOf,
  type Command,
  type CommandLoaders,
  contextOf,
  type OwnFlag,
  emptyResult,
  jsonOf,
  printResult,
  resultOfError,
  type WholeResult,
} from './command.js'
import { topicLines, topicsIn } from './commands/help.js'
import { environmentName, exitLines, flagName, flagsOf, helpOf } from './settings/declared.js'
import { distrustedConfiguration, readSettings, refusalOfRemoved, type Flags } from './settings/settings.js'
import type { Log } from './terminal/log.js'
import { boundedWorld, startProgress, type Output, type World, widthOf, wrapped } from './terminal/world.js'

/** Where there is no log: the library for one is loaded for those who have one. */
export const noLog: Log = { delivery: () => undefined, missing: () => null, close: () => undefined }

/** By the groups of the first screen, in the way a newcomer meets them; a name of two words is typed as two. */
const GROUPS = {
  Prepare: {
    demo: async () => (await import('./commands/demo.js')).demoCommand,
    inspect: async () => (await import('./commands/init.js')).inspectCommand,
    init: async () => (await import('./commands/init.js')).initCommand,
    check: async () => (await import('./commands/check.js')).checkCommand,
    sandbox: async () => (await import('./commands/sandbox.js')).sandboxCommand,
  },
  Move: {
    plan: async () => (await import('./commands/plan.js')).planCommand,
    approve: async () => (await import('./commands/plan.js')).approveCommand,
    run: async () => (await import('./commands/run.js')).runCommand,
    status: async () => (await import('./commands/status.js')).statusCommand,
    compare: async () => (await import('./commands/compare.js')).compareCommand,
  },
  Resolve: { resolve: async () => (await import('./commands/resolve.js')).resolveCommand },
  'Prove and close': {
    report: async () => (await import('./commands/report.js')).reportCommand,
    'report verify': async () => (await import('./commands/report.js')).verifyReportCommand,
    verify: async () => (await import('./commands/verify.js')).verifyCommand,
    purge: async () => (await import('./commands/purge.js')).purgeCommand,
  },
  Rare: {
    'customer show': async () => (await import('./commands/customer.js')).showCommand,
    'customer erase': async () => (await import('./commands/customer.js')).eraseCommand,
    'ledger adopt': async () => (await import('./commands/adopt.js')).adoptCommand,
    rules: async () => (await import('./commands/rules.js')).rulesCommand,
  },
} as const

export const commands: CommandLoaders = Object.fromEntries([
  ...Object.values(GROUPS).flatMap((loaders) => Object.entries(loaders)),
  ['help', async () => (await import('./commands/help.js')).helpCommand(commands)],
])

/** All commands on one screen of a terminal. */
async function firstScreen(): Promise<string> {
  const groups = await Promise.all(
    Object.entries(GROUPS).map(async ([group, loaders]) => {
      const loaded = await Promise.all(Object.values(loaders).map((load) => load()))
      return [group, ...loaded.map((one) => `  ${nameOf(one).padEnd(14)}  ${one.summary}`)]
    }),
  )
  return [...groups.flat(), 'All flags: sepa-migrate COMMAND --help. The manual: sepa-migrate help.\n'].join(
    '\n',
  )
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
  const argv = asHelp(joined(typed, commands), commands, given)
  const world = boundedWorld(given, { noColor: isSwitchedOn('noColor', argv, given) })
  const wantsJson = isSwitchedOn('json', argv, given)
  let status = 0
  const whole = new Program('sepa-migrate')
    .version(world.version)
    .exitOverride()
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => (wantsJson ? undefined : world.stderr.write(text.replace(/^error: /, 'Error: '))),
    })
  const [name = '--help'] = argv
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  try {
    const refusal = refusalOfRemoved(argv, world.env)
    if (refusal !== null) whole.error(`error: ${refusal}`)
    if (name === '--help' || name === '-h') {
      const topics = typed.length === 0 ? [] : [...topicLines(world.manual), '']
      const lines = `${await firstScreen()}${topics.join('\n')}`.split('\n')
      world.stdout.write(lines.flatMap((line) => wrapped(line, widthOf(world.stdout))).join('\n'))
      return 0
    }
    if (load === undefined && !name.startsWith('-')) whole.error(`error: ${unknownText(name, commands)}`)
    if (load !== undefined) {
      const command = await load()
      const action: Action = async (args, values) => {
        status = await execute(command, args, values, world)
      }
      const program = toProgram(command, argv.at(-1) === 'all', action, widthOf(world.stdout))
      whole.addCommand(program.copyInheritedSettings(whole))
    }
    await whole.parseAsync([...argv], { from: 'user' })
    return status
  } catch (error) {
    return statusOfUsage(error, argv[0] ?? 'sepa-migrate', wantsJson, world)
  }
}

/** The two words of a command as one name; of the first alone the help is that of its one command, or of all. */
function joined([first = '', second = '', ...others]: readonly string[], commands: CommandLoaders): string[] {
  if (first === 'help') return [first, ...joined([second, ...others], commands)]
  const name = `${first} ${second}`
  if (Object.hasOwn(commands, name)) return [name, ...others]
  const begun = Object.keys(commands).filter((other) => other.startsWith(`${first} `))
  if (['--help', '-h'].includes(second) && begun.length > 0 && !Object.hasOwn(commands, first))
    return begun.length === 1 ? [...begun, second] : [second]
  return [first, second, ...others].filter((word, at) => at > 1 || word !== '')
}

function unknownText(name: string, commands: CommandLoaders): string {
  const known = Object.keys(commands)
  const begun = known.filter((other) => other.startsWith(`${name} `))
  const near = nearest(name, known)
  if (begun.length > 0) return `give ${begun.map((other) => `"${other}"`).join(' or ')}`
  return `there is no command "${name}"; ${near === null ? 'sepa-migrate alone lists them' : `the nearest is "${near}"`}`
}

/** `help` alone lists everything, and `help COMMAND` is the help of that command, unless a topic has its name. */
function asHelp(
  argv: readonly string[],
  commands: CommandLoaders,
  { manual }: World<Output>,
): readonly string[] {
  const [first, name, ...others] = argv
  if (first !== 'help') return argv
  if (name === undefined || name === '--json') return ['--help']
  const isCommand = Object.hasOwn(commands, name) && !topicsIn(manual).some((topic) => topic.name === name)
  return isCommand ? [name, '--help', ...others] : argv
}

function statusOfUsage(error: unknown, command: string, wantsJson: boolean, world: World): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const message = error instanceof Error ? error.message.replace(/^error: /, '') : 'unknown'
  if (wantsJson) {
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
function isSwitchedOn(option: keyof Flags, argv: readonly string[], { env }: Pick<World, 'env'>): boolean {
  const set = env[environmentName(option) ?? ''] ?? ''
  return argv.includes(`--${flagName(option)}`) || ['1', 'true', 'yes'].includes(set)
}

/** Of `run` and `plan` the few flags that most need are shown, and these where all are asked for. */
const HEADINGS = {
  'Which rows:': 'spread only country sheet ignore-column evidence as-of',
  'How fast, and when to stop:':
    'concurrency rate timeout connect-timeout max-in-doubt max-refused max-duration',
  'The service:': 'password-file read-back check-before-send who',
  'Corrections and other ledgers:': 'all reason by another-ledger all-in-doubt shared-folder',
  'Report and output:': 'out no-report expected-records json quiet verbose no-color log-file',
}

function headed(flag: Flag, isAll: boolean): Flag {
  const name = flag.long?.slice(2) ?? ''
  const found = Object.entries(HEADINGS).find(([, names]) => names.split(' ').includes(name))
  return found === undefined ? flag : flag.helpGroup(found[0]).hideHelp(!isAll)
}

/** One command as commander knows it, with its flags and its help. */
function toProgram(command: Command, isAll: boolean, action: Action, width: number): Program {
  const name = nameOf(command)
  const args = command.usage.slice(name.length + 1)
  const program = new Program(name).description(command.summary)
  if (args !== '') program.arguments(args)
  const flags = [
    ...command.options.map((option) => flagOf(flagsOf(option), helpOf(option))),
    ...(command.own ?? []).map((own) => ownFlagOf(...own)),
  ]
  const isLong = command.options.includes('limit')
  for (const flag of flags) program.addOption(isLong ? headed(flag, isAll) : flag)
  const examples = command.examples.map((line) => `  ${line}`)
  program.addHelpText('before', ['Examples:', ...examples, ''].join('\n'))
  const more =
    isLong && !isAll
      ? [`Of ${flags.length} flags these are the usual ones: sepa-migrate ${name} --help all`, '']
      : []
  const after = ['', ...more, ...command.epilogue, ...closingHelp(command)]
  program.addHelpText('after', after.flatMap((line) => wrapped(line, width)).join('\n'))
  return program.action(async () => action(program.args, program.opts()))
}

function closingHelp({ epilogue, exits }: Command): string[] {
  const lines = exitLines(exits)
  const width = Math.max(...lines.map(([statuses]) => statuses.length))
  return said([
    epilogue.length > 0 && '',
    'Exit status:',
    ...lines.map(([statuses, meaning]) => `  ${statuses.padEnd(width)}  ${meaning}`),
  ])
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
function flagsTyped(options: Command['options'], values: Readonly<Record<string, unknown>>): Flags {
  const flags: Partial<Record<keyof Flags, string>> = {}
  for (const option of options) {
    const isNegated = flagName(option).startsWith('no-')
    const attribute = camelCase(flagName(option).replace(/^no-/, ''))
    const value = values[attribute]
    if (isNegated ? value === false : value === true) flags[option] = '1'
    else if (typeof value === 'string') flags[option] = value
  }
  return flags
}

/** Runs a command with what was typed and returns the exit status. Never throws. */
async function execute(
  command: Command,
  args: readonly string[],
  values: Readonly<Record<string, unknown>>,
  world: World,
): Promise<number> {
  const name = nameOf(command)
  let isJson = values['json'] === true
  let result: WholeResult
  let log = noLog
  let distrusted: string | null = null
  try {
    if (command.usesNoLedger !== true) requireDriver()
    const settings = readSettings(flagsTyped(command.options, values), world)
    isJson = settings.get('json') ?? false
    for (const option of command.options) settings.get(option) // refused before anything is opened or made
    const isSilent = (settings.get('quiet') ?? false) || (isJson && settings.get('verbose') !== true)
    const progress = await startProgress(world, isSilent)
    const tell = isSilent ? (text: string) => world.stderr.write(`${text}\n`) : progress.note
    distrusted = distrustedConfiguration(settings.configuration)
    const logFile = settings.get('logFile')
    if (logFile !== null) {
      const { PACK_NAMES, TO_DO_NAMES } = await import('../report/pack/pack.js')
      assertTrustedOutput(logFile, {
        what: 'log file',
        forbidden: [
          ...namedFiles({ settings, args, own: values }, 'logFile'),
          ...[...PACK_NAMES, ...TO_DO_NAMES].map((file) => join(settings.out, file)),
        ],
      })
      log = (await import('./terminal/log.js')).openLog(logFile, world, tell)
    }
    const context = contextOf({ world, settings, args, own: values, progress, log })
    result = { ...emptyResult, ...(await command.run(context).finally(() => context.progress.end())) }
  } catch (error) {
    result = { ...emptyResult, ...resultOfError(error, world.signals.exitStatus()) }
  }
  const told = [distrusted, log.missing()].filter((warning) => warning !== null)
  result = { ...result, warnings: [...result.warnings, ...told] }
  log.close()
  if (result.isPrinted) return result.exitCode
  if (isJson) world.stdout.write(jsonOf(name, result))
  else printResult(world, result)
  // Node tells of a full disk a moment later.
  await new Promise(setImmediate)
  const fault = world.stdout.fault?.() ?? null
  if (fault === null) return result.exitCode
  const { totals } = result
  const stand =
    totals === null
      ? ''
      : `: ${totals.registered} registered, ${totals.inDoubt} in doubt, ${totals.ready} ready`
  world.stderr.write(`The result could not be written (${fault})${stand}\n`)
  return 1
}
