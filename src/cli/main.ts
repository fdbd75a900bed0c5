import { join } from 'node:path'
import { Command as Program, CommanderError, InvalidArgumentError, Option as Flag } from 'commander'
import { assertTrustedOutput, PACK_FILES, requireDriver } from '../index.js'
import { boundedProgress, boundedWorld } from './boundary.js'
import type { Command, Context } from './command.js'
import type { LoadedConfiguration } from './configuration.js'
import { noLog, openLog } from './log.js'
import { namedFiles } from './named-files.js'
import { environmentName, flagName, OPTIONS, type OptionName } from './options.js'
import { printResult } from './output.js'
import { silentProgress, startProgress } from './progress.js'
import { emptyResult, jsonOf, resultOfError, type CommandResult } from './result.js'
import { readSettings, type Flags } from './settings.js'
import type { World } from './world.js'

/**
 * Runs one command line and returns the exit status (product.md 2). Prints to the world's streams, touches nothing
 * else of the process, and never throws.
 */
export async function main(
  argv: readonly string[],
  commands: readonly Command[],
  given: World,
): Promise<number> {
  const world = boundedWorld(given)
  const wantsJson = argv.includes('--json') || world.env[environmentName('json')] === '1'
  let status = 0
  const program = new Program('sepa-migrate')
    .description(
      'Moves SEPA Direct Debit mandates to a new invoicing service, each posted once and accounted for',
    )
    .version(world.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => (wantsJson ? undefined : world.stderr.write(text)),
    })
  for (const command of commands) {
    const action: Action = async (args, values) => {
      status = await execute(command, args, values, world)
    }
    program.addCommand(toProgram(command, action).copyInheritedSettings(program))
  }
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return status
  } catch (error) {
    return statusOfUsage(error, argv[0] ?? 'sepa-migrate', wantsJson, world)
  }
}

type Action = (args: readonly string[], values: Readonly<Record<string, unknown>>) => Promise<void>

function toProgram(command: Command, action: Action): Program {
  const [name = '', ...args] = command.usage.split(' ')
  const program = new Program(name).description(command.summary)
  if (args.length > 0) program.arguments(args.join(' '))
  for (const option of command.options) {
    const { flags, help } = OPTIONS[option]
    program.addOption(flagOf(flags, help))
  }
  for (const [flags, help, repeats] of command.own ?? [])
    program.addOption(repeats === undefined ? flagOf(flags, help) : new Flag(flags, help).argParser(collect))
  program.addHelpText('after', ['', ...command.epilogue].join('\n'))
  return program.action(async () => action(program.args, program.opts()))
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
function flagsOf(options: readonly OptionName[], values: Readonly<Record<string, unknown>>): Flags {
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

async function execute(
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
    const settings = readSettings(flagsOf(command.options, values), world)
    isJson = settings.get('json') ?? false
    const isSilent = (settings.get('quiet') ?? false) || isJson
    const progress = isSilent ? silentProgress : boundedProgress(startProgress(world))
    const tell = isSilent ? (text: string) => world.stderr.write(`${text}\n`) : progress.note
    distrusted = distrustedConfiguration(settings.configuration)
    const logFile = settings.get('logFile')
    if (logFile !== null) {
      assertTrustedOutput(logFile, {
        what: 'log file',
        forbidden: [
          ...namedFiles({ settings, args, own: values }, 'logFile'),
          ...PACK_FILES.map((file) => join(settings.out, file)),
        ],
      })
      log = openLog(logFile, world, tell)
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

const distrustedConfiguration = ({ file, distrust }: LoadedConfiguration): string | null =>
  distrust === null
    ? null
    : `Others can change the configuration file "${file ?? ''}": ${distrust.why}. It only says how files are read`

function statusOfUsage(error: unknown, command: string, wantsJson: boolean, world: World): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const message = error instanceof Error ? error.message.replace(/^error: /, '') : 'unknown'
  if (wantsJson)
    world.stdout.write(
      jsonOf(command, {
        ...emptyResult,
        exitCode: 2,
        errors: [{ kind: 'usage', message, next: 'Run sepa-migrate --help; nothing was sent' }],
      }),
    )
  return 2
}
