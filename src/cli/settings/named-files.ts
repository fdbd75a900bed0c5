import type { Context } from '../command.js'
import { SETTING_NAMES, settingOf } from './declared.js'
import { ledgerFiles } from '../../ledger/safety/side-files.js'

/** The ledger comes with its side files below, the configuration as it was found, and reports lie in a folder. */
const FILES = SETTING_NAMES.filter(
  (name) => settingOf(name).kind.isPath === true && !['config', 'ledger', 'out'].includes(name),
)

/**
 * Every path that a command line and its configuration name, and what belongs to the ledger: what is read, what is kept,
 * what is written elsewhere. No output may be written over one of them.
 * @param output the option that names the output itself
 */
export function namedFiles(
  { settings, args, own }: Pick<Context, 'settings' | 'args' | 'own'>,
  output: 'logFile' | 'data' | null,
): readonly string[] {
  const { configuration } = settings
  const { crosswalk } = configuration.values
  const given = Object.entries(own).flatMap(([name, value]) => (name === output ? [] : [value]))
  const named = [
    configuration.file,
    ...FILES.filter((name) => name !== output).map((name) => settings.get(name)),
    crosswalk === undefined ? null : configuration.locate(crosswalk.file),
    ...args,
    ...given,
  ]
  return [
    ...named.filter((path): path is string => typeof path === 'string' && path !== '' && path !== '-'),
    ...ledgerFiles(settings.ledger),
  ]
}
