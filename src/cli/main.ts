import { Command as Program, CommanderError, InvalidArgumentError, Option as Flag } from 'commander'
import { boundedWorld } from './terminal/boundary.js'
import type { Command, CommandLoaders, OwnFlag } from './command.js'
import { exitLines } from './settings/exit-statuses.js'
import { environmentName, helpOf, OPTIONS } from './settings/options.js'
import type { Output, World } from './terminal/world.js'

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
    .addHelpText('before', exampleLines(FIRST_STEPS).join('\n'))
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

/** What a newcomer types, shown by `sepa-migrate --help`. */
export const FIRST_STEPS = [
  'sepa-migrate demo',
  'sepa-migrate check export.csv --out checked',
  'sepa-migrate run export.csv --limit 10',
]

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
    program.addOption(flagOf(OPTIONS[option].flags, helpOf(option)))
  }
  for (const [flags, help, more] of command.own ?? []) program.addOption(ownFlagOf(flags, help, more))
  program.addHelpText('before', exampleLines(command.examples).join('\n'))
  program.addHelpText('after', ['', ...command.epilogue, ...closingHelp(command)].join('\n'))
  return program.action(async () => action(program.args, program.opts()))
}

const exampleLines = (examples: readonly string[]): string[] => [
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
