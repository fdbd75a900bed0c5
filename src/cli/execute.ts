import { join } from 'node:path'
import { requireDriver } from '../driver.js'
import { assertTrustedOutput } from '../trust/output.js'
import { boundedProgress } from './terminal/boundary.js'
import type { Command, Context } from './command.js'
import { namedFiles } from './settings/named-files.js'
import { flagName, type OptionName } from './settings/options.js'
import { printResult } from './terminal/output.js'
import { noLog, silentProgress } from './terminal/silent.js'
import { jsonOf, resultOfError, type CommandResult } from './terminal/result.js'
import { readSettings, type Flags } from './settings/settings.js'
import { distrustedConfiguration } from './settings/trusted.js'
import type { World } from './terminal/world.js'

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
    const settings = readSettings(flagsOf(command.options, values), world)
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
