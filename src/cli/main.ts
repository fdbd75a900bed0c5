import { Command as Program, CommanderError } from 'commander'
import { boundedWorld } from './terminal/boundary.js'
import type { Command, CommandLoaders } from './command.js'
import { exampleLines, isSwitchedOn, toProgram } from './program.js'
import { refusalOfRemoved } from './settings/removed.js'
import { topicLines, topicsIn } from './terminal/manual.js'
import type { Output, World } from './terminal/world.js'

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
      const { execute } = await import('./execute.js')
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
