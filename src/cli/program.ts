import { Command as Program, InvalidArgumentError, Option as Flag } from 'commander'
import type { Command, OwnFlag } from './command.js'
import { exitLines } from './settings/exit-statuses.js'
import { environmentName, flagName, flagsOf, helpOf, type OptionName } from './settings/options.js'
import type { World } from './terminal/world.js'

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
