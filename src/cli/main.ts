import { Command as Program, CommanderError, InvalidArgumentError, Option as Flag } from 'commander'
import { boundedWorld } from './boundary.js'
import type { Command } from './command.js'
import type { CommandLoaders } from './commands.js'
import { environmentName, OPTIONS } from './options.js'
import type { Output, World } from './world.js'

/**
 * Runs one command line and returns the exit status (cli/README.md#exit-status). Prints to the world's streams,
 * touches nothing else of the process, and never throws. What a command stands on is loaded when it runs, and not for `--version`.
 */
export async function main(
  argv: readonly string[],
  commands: CommandLoaders,
  given: World<Output>,
): Promise<number> {
  if (argv[0] === '--version' || argv[0] === '-V') {
    given.stdout.write(`${given.version}\n`)
    return 0
  }
  const isOn = (flag: string, option: 'json' | 'noColor'): boolean =>
    argv.includes(flag) || given.env[environmentName(option)] === '1'
  const world = boundedWorld(given, { noColor: isOn('--no-color', 'noColor') })
  const wantsJson = isOn('--json', 'json')
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
  for (const command of await loadFor(argv, commands)) {
    const action: Action = async (args, values) => {
      const { execute } = await import('./execute.js')
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

/** The command that is named; all of them for help, and where none is. */
async function loadFor(argv: readonly string[], commands: CommandLoaders): Promise<Command[]> {
  const [name = ''] = argv
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load !== undefined) return [await load()]
  return Promise.all(Object.values(commands).map((loadOne) => loadOne()))
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

async function statusOfUsage(
  error: unknown,
  command: string,
  wantsJson: boolean,
  world: World,
): Promise<number> {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const message = error instanceof Error ? error.message.replace(/^error: /, '') : 'unknown'
  if (wantsJson) {
    const { emptyResult, jsonOf } = await import('./result.js')
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
